"""Says how much room a window has for its text, and when that changes."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QSize
from PySide6.QtWidgets import QWidget

from ccl_viewer.session.signals import Signal

_LINES = 36
_FIRST = QSize(1280, 720)
_FRAME = 48
"""Pixels of height left to the frame that the desktop puts around the window."""


def first_size(screen: QSize) -> QSize:
    """Return the size of a window that has none yet, which must not reach under the screen."""
    return QSize(_FIRST.width(), min(_FIRST.height(), screen.height() - _FRAME))


class Room(QObject):
    """Watches whether a window is low for its text, so that each line counts.

    Parameters
    ----------
    window : QWidget
        The window.
    """

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self.changed = Signal()
        self._window = window
        self._low = False
        window.installEventFilter(self)

    @property
    def low(self) -> bool:
        """Whether the window is low for its text."""
        return self._low

    def settle(self) -> None:
        """Look again: the window, or its text, may have another size."""
        low = self._window.height() < _LINES * self._window.fontMetrics().height()
        if low != self._low:
            self._low = low
            self.changed.emit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Look again when the window has another size."""
        if event.type() is QEvent.Type.Resize:
            self.settle()
        return super().eventFilter(watched, event)
