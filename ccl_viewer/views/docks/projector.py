"""The view for a projector: canvas, explanation and transport in large type, the rest away."""

from __future__ import annotations

from functools import partial

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
        """Whether the window is on a projector, or not laid out yet as it was before."""
        return self._layout is not None

    def show(self, *, on: bool) -> None:
        """Show the window for a projector, or as it was before; it is laid out in several turns."""
        self.settle()
        if on and self._layout is None:
            self._note()
            self._host.appearance.enlarge(_LARGE, self._enter)
        elif not on and self._layout is not None:
            self._host.appearance.enlarge(1.0, partial(self._leave, self._layout))
        else:
            self.changed.emit()

    def toggle(self) -> None:
        """Show the window the other way, also where a key comes before the last change is done."""
        self.settle()
        self.show(on=not self.shown)

    def take_in(self, part: QWidget) -> None:
        """Hide what there is no use for in a part of the window, while it is on a projector."""
        if self.shown:
            for widget in part.findChildren(QWidget):
                if widget.property(AWAY) and not widget.isHidden():
                    widget.hide()
                    self._hidden.append(widget)

    def settle(self) -> None:
        """Lay the window out at once, if that is not done yet."""
        self._host.appearance.settle()

    def _note(self) -> None:
        """Keep what is to come back."""
        self._layout = self._host.docks.state()
        self._geometry = self._window.saveGeometry()
        self._size = self._window.size()

    def _enter(self) -> None:
        self._host.docks.hide()
        self.take_in(self._window)
        self._window.showFullScreen()
        self._host.canvas.setFocus()
        self.changed.emit()

    def _leave(self, layout: QByteArray) -> None:
        self._layout = None
        for widget in self._hidden:
            widget.show()
        self._hidden = []
        # Docks are laid out within the size of the window, so that comes back first.
        self._window.restoreGeometry(self._geometry)
        if not self._window.isMaximized():
            self._window.resize(self._size)
        self._host.docks.put_back(layout)
        self.changed.emit()
