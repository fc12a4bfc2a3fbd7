"""The menu of patterns, with their thumbnails."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget

from ccl_viewer.grids.patterns import PATTERNS
from ccl_viewer.views.looks.theme import Theme
from ccl_viewer.views.patterns.gallery import thumbnail


class PatternMenu(QMenu):
    """Opens a pattern as it is, or asks for its parameters.

    Parameters
    ----------
    open_pattern : callable
        Opens ``pattern:NAME``.
    more : QAction
        Asks for the parameters.
    parent : QWidget or None
        Parent.
    """

    def __init__(
        self,
        open_pattern: Callable[[str], object],
        more: QAction,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__("Pattern", parent)
        for pattern in PATTERNS.values():
            action = self.addAction(pattern.title)
            action.setData(pattern.key)
            action.setToolTip(pattern.summary)
            spec = f"pattern:{pattern.key}"
            action.triggered.connect(lambda _checked=False, spec=spec: open_pattern(spec))
        self.setToolTipsVisible(True)
        self.addSeparator()
        self.addAction(more)
        self._theme: Theme | None = None
        self._drawn: Theme | None = None
        self.aboutToShow.connect(self._draw)

    def set_theme(self, theme: Theme) -> None:
        """Draw the thumbnails in the colours of a theme, once they are looked at."""
        self._theme = theme

    def _draw(self) -> None:
        if self._theme is None or self._theme == self._drawn:
            return
        self._drawn = self._theme
        for action in self.actions():
            if action.data():
                action.setIcon(thumbnail(action.data(), self._theme))
