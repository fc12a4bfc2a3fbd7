"""Text as the window shows it: signs by name, and the rule that text from outside is plain."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QProxyStyle

TIMES = "\N{MULTIPLICATION SIGN}"
DASH = "\N{EN DASH}"
DOT = "   \N{MIDDLE DOT}   "


class PlainTextStyle(QProxyStyle):
    """Qt's style Fusion, in which every label shows its text as it is written.

    Qt's labels take text that looks like HTML for HTML, and then open the files that it names: a
    tag in a recording or in the name of a file is enough. Tooltips and the boxes of Qt's own
    dialogs are such labels too. Qt polishes each of them before it is first laid out, so this is
    the one place that sees them all. A label that is to show rich text says so itself, and builds
    it of escaped parts.
    """

    def __init__(self) -> None:
        super().__init__("Fusion")

    def polish(self, what: Any) -> Any:
        """Prepare a widget, an application or a palette; of labels, make the text plain."""
        if isinstance(what, QLabel) and what.textFormat() is Qt.TextFormat.AutoText:
            what.setTextFormat(Qt.TextFormat.PlainText)
        return super().polish(what)
