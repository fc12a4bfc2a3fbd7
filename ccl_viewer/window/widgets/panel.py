"""Panels of the side panel, and the timer that refreshes widgets."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from PySide6.QtCore import QObject, QTimer
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QWidget

from ccl_viewer.window.core.model import Model
from ccl_viewer.window.core.playback import Playback


class RefreshTimer(QTimer):
    """Calls a function when models have changed, once for many changes.

    While steps are played, calls are at least an interval apart, in milliseconds: reading takes
    longer.
    """

    def __init__(
        self,
        call: Callable[[], object],
        parent: QObject,
        playback: Playback,
        models: Iterable[Model] = (),
        interval: int = 66,
    ) -> None:
        super().__init__(parent, singleShot=True)
        self._call, self._playback, self._pause = call, playback, interval
        self.timeout.connect(call)
        for model in models:
            model.changed.connect(self.request)

    def request(self) -> None:
        """Call the function in the next turn of the event loop."""
        if not self._playback.playing:
            self.start(0)
        elif not self.isActive():
            self.start(self._pause)

    def call_unless_playing(self) -> None:
        """Call the function now, unless steps are played."""
        if self._playback.playing:
            self.request()
        else:
            self.stop()
            self._call()


class Panel(QWidget):
    """A widget of the side panel, which follows models while it is visible.

    While steps are played, refreshes are at least an interval apart, in milliseconds.
    """

    def __init__(self, playback: Playback, parent: QWidget | None, interval: int = 100) -> None:
        super().__init__(parent)
        self._soon = RefreshTimer(self._keep_up, self, playback, interval=interval)

    def refresh(self) -> None:
        raise NotImplementedError

    def showEvent(self, event: QShowEvent) -> None:
        """Catch up with the changes while it was hidden."""
        super().showEvent(event)
        self.refresh()

    def _follow(self) -> None:
        self._soon.call_unless_playing()

    def _keep_up(self) -> None:
        if self.isVisible():
            self.refresh()
