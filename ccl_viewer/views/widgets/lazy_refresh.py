"""Spares panels that nobody sees, because they lie behind others, the work of following."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtWidgets import QWidget


class LazyRefresh(QObject):
    """Refreshes a panel while it can be seen, and once more when it comes into sight.

    Docks behind others count as visible for Qt, so that show events do not tell; but only what
    can be seen is painted.

    Parameters
    ----------
    panel : QWidget
        The panel.
    refresh : callable
        Brings it up to date.
    """

    def __init__(self, panel: QWidget, refresh: Callable[[], object]) -> None:
        super().__init__(panel)
        self._panel = panel
        self._refresh = refresh
        self._missed = True
        self._soon = QTimer(self, singleShot=True, interval=0)
        self._soon.timeout.connect(self.follow)
        panel.installEventFilter(self)

    def follow_soon(self) -> None:
        """Bring the panel up to date after the frame, once for all that happens until then."""
        self._soon.start()

    @property
    def open(self) -> bool:
        """Whether any of the panel can be seen."""
        return self._panel.isVisible() and not self._panel.visibleRegion().isEmpty()

    def follow(self) -> None:
        """Bring the panel up to date now, if it can be seen, or else when it can be."""
        self._missed = not self.open
        if not self._missed:
            self._refresh()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Notice that the panel is about to be seen; Qt calls this."""
        if self._missed and watched is self._panel and event.type() is QEvent.Type.Paint:
            # Not while it is being painted: a refresh may lay it out anew.
            self._soon.start()
        return False
