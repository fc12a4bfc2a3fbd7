"""Lets the window go first: work beside it rests while steps follow each other."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

from ccl_viewer.cancellation import CancelToken

QUIET: Final = 0.1
"""Seconds without another step after which the window is taken to be at rest."""

PATIENCE: Final = 0.1
"""Seconds after which work goes on for a little, though the window is not at rest."""

_NAP: Final = 0.01


class Courtesy:
    """Knows whether the window is busy showing steps; one thread tells it, others ask.

    Parameters
    ----------
    clock : callable
        Returns seconds, of a clock that never goes back.
    sleep : callable
        Waits for some seconds.
    """

    def __init__(
        self,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], object] = time.sleep,
    ) -> None:
        self._clock = clock
        self._sleep = sleep
        self._until = clock()

    def step_shown(self) -> None:
        """Take note that the window shows another step."""
        self._until = self._clock() + QUIET

    def give_way(self, stopped: Callable[[], bool]) -> None:
        """Wait until the window is at rest, but not for longer than :data:`PATIENCE`.

        Parameters
        ----------
        stopped : callable
            Whether there is nothing to wait for any more.
        """
        end = self._clock() + PATIENCE
        while self._clock() < min(self._until, end) and not stopped():
            self._sleep(_NAP)


class PoliteToken(CancelToken):
    """A token of work that gives way to the window wherever it can be stopped.

    Parameters
    ----------
    courtesy : Courtesy
        Whether the window is busy.
    """

    def __init__(self, courtesy: Courtesy) -> None:
        super().__init__()
        self._courtesy = courtesy

    def check(self) -> None:
        """Give way, then raise if the work was cancelled.

        Raises
        ------
        CancelledError
            If :meth:`cancel` was called before.
        """
        self._courtesy.give_way(lambda: self.cancelled)
        super().check()
