"""Wakes playback when its next step is due."""

from __future__ import annotations

import math
from time import perf_counter

from PySide6.QtCore import QObject, Qt, QTimer

from ccl_viewer.session.playback.playback import Playback


class Player(QObject):
    """The clock of playback.

    Each wait is counted from when the next step is due, not from when the last was painted, so
    that steps keep their pace: what takes too long to paint costs pictures, not time.

    Parameters
    ----------
    playback : Playback
        What is played.
    parent : QObject
        Parent.
    """

    def __init__(self, playback: Playback, parent: QObject) -> None:
        super().__init__(parent)
        self._playback = playback
        self._timer = QTimer(self, singleShot=True)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._tick)
        playback.playing_changed.connect(self._follow)
        playback.speed_changed.connect(self._follow)

    def stop(self) -> None:
        """Wake playback no more, as when the window closes."""
        self._timer.stop()

    def _follow(self) -> None:
        self._timer.stop()
        self._tick()

    def _tick(self) -> None:
        if not self._playback.playing:
            return
        wait = self._playback.tick(perf_counter())
        # The tick may have paused it, or begun it anew.
        if self._playback.playing and not self._timer.isActive():
            self._timer.start(math.ceil(wait * 1000))
