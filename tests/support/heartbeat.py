"""Tells whether the window lives: its event loop turns."""

from __future__ import annotations

from time import perf_counter
from types import TracebackType
from typing import Self

from PySide6.QtCore import QTimer


class Heartbeat:
    """Counts how often the event loop turned, and notes the longest pause between two turns.

    Attributes
    ----------
    beats : int
        Turns while the block lasted.
    longest : float
        Seconds of the longest pause, also before the first turn: to be measured, not tested.
    """

    def __init__(self) -> None:
        self.beats = 0
        self.longest = 0.0
        self._last = 0.0
        self._timer = QTimer()
        self._timer.timeout.connect(self._beat)

    def __enter__(self) -> Self:
        self._last = perf_counter()
        self._timer.start(1)
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        self._timer.stop()
        self._note()

    def _beat(self) -> None:
        self.beats += 1
        self._note()

    def _note(self) -> None:
        now = perf_counter()
        self.longest = max(self.longest, now - self._last)
        self._last = now
