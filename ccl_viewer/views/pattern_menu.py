"""The menu of patterns, with their thumbnails."""

from __future__ import annotations

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget

from ccl_viewer.grids.patterns import PATTERNS
from ccl_viewer.session import Session
from ccl_viewer.views.pattern_dialog import thumbnail
from ccl_viewer.views.theme import Theme


class PatternMenu(QMenu):
    """Opens a pattern as it is, or asks for its parameters.

    Parameters
    ----------
    session : Session
        Opens the pattern.
    more : QAction
        Asks for the parameters.
    parent : QWidget or None
        Parent.
    """

    def __init__(self, session: Session, more: QAction, parent: QWidget | None = None) -> None:
        super().__init__("Pattern", parent)
        for pattern in PATTERNS.values():
            action = self.addAction(pattern.title)
            action.setData(pattern.key)
            action.setToolTip(pattern.summary)
            spec = f"pattern:{pattern.key}"
            action.triggered.connect(lambda _checked=False, spec=spec: session.open(spec))
        self.setToolTipsVisible(True)
        self.addSeparator()
        self.addAction(more)

    def set_theme(self, theme: Theme) -> None:
        """Draw the thumbnails in the colours of a theme."""
        for action in self.actions():
            if action.data():
                action.setIcon(thumbnail(action.data(), theme))
