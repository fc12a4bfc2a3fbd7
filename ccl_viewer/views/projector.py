"""The view for a projector: canvas, explanation and transport in large type, the rest away."""

from __future__ import annotations

from PySide6.QtCore import QByteArray, QSize
from PySide6.QtWidgets import QMainWindow, QWidget

from ccl_viewer.session.signals import Signal
from ccl_viewer.views.host import Host

AWAY = "awayOnProjector"
"""Dynamic property of the widgets that the projector has no use for; docks are always away."""

_LARGE = 1.6


def keep_away(widget: QWidget) -> None:
    """Hide a widget while the window is on a projector."""
    widget.setProperty(AWAY, True)


class Projector:
    """Switches between the window as it was and what a class in the last row can read.

    Parameters
    ----------
    window : QMainWindow
        The window.
    host : Host
        The same window, as parts know it.
    """

    def __init__(self, window: QMainWindow, host: Host) -> None:
        self.changed = Signal()
        self._window = window
        self._host = host
        self._layout: QByteArray | None = None
        self._hidden: list[QWidget] = []
        self._geometry = QByteArray()
        self._size = QSize()

    @property
    def shown(self) -> bool:
        """Whether the window is on a projector."""
        return self._layout is not None

    def show(self, *, on: bool) -> None:
        """Show the window for a projector, or as it was before."""
        if on and self._layout is None:
            self._enter()
        elif not on and self._layout is not None:
            self._leave(self._layout)
        self.changed.emit()

    def _enter(self) -> None:
        window = self._window
        self._layout = self._host.docks.state()
        self._geometry = window.saveGeometry()
        self._size = window.size()
        self._host.docks.hide()
        self._hidden = [
            widget
            for widget in window.findChildren(QWidget)
            if widget.property(AWAY) and not widget.isHidden()
        ]
        for widget in self._hidden:
            widget.hide()
        self._host.appearance.enlarge(_LARGE)
        window.showFullScreen()
        self._host.canvas.setFocus()

    def _leave(self, layout: QByteArray) -> None:
        self._layout = None
        self._host.appearance.enlarge(1.0)
        for widget in self._hidden:
            widget.show()
        self._hidden = []
        # Docks are laid out within the size of the window, so that comes back first.
        self._window.restoreGeometry(self._geometry)
        if not self._window.isMaximized():
            self._window.resize(self._size)
        self._host.docks.put_back(layout)
