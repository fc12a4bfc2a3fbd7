"""A line of text of which the end is left out where there is no room for all of it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from ccl_viewer.views.painting_guard import guarded


class ElidedLabel(QLabel):
    """Shows the beginning of its text, and the whole in its tooltip.

    Parameters
    ----------
    parent : QWidget or None
        Parent.
    separator : str
        What stands between parts that are shown whole or not at all; empty to cut anywhere.
    """

    def __init__(self, parent: QWidget | None = None, *, separator: str = "") -> None:
        super().__init__(parent)
        self._separator = separator
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def minimumSizeHint(self) -> QSize:
        """Return the height of a line; any width will do."""
        return QSize(0, super().minimumSizeHint().height())

    @guarded
    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw as much of the text as there is room for."""
        painter = QPainter(self)
        area = self.contentsRect()
        metrics, text = self.fontMetrics(), self.text()
        if self._separator:
            text = whole_parts(
                text,
                self._separator,
                lambda part: metrics.horizontalAdvance(part) <= area.width(),
            )
        shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, area.width())
        self.style().drawItemText(
            painter,
            area,
            int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter),
            self.palette(),
            self.isEnabled(),
            shown,
            self.foregroundRole(),
        )
        painter.end()


def whole_parts(text: str, separator: str, fits: Callable[[str], bool]) -> str:
    """Return as many parts of a text as fit, the first of them in any case.

    Parameters
    ----------
    text : str
        The text.
    separator : str
        What stands between its parts.
    fits : callable
        Whether there is room for a text.
    """
    parts = text.split(separator)
    while len(parts) > 1 and not fits(separator.join(parts)):
        parts.pop()
    return separator.join(parts)
