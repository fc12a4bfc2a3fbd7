"""How many steps are due: playing follows a clock, however long each step takes to paint."""

from __future__ import annotations

_LONGEST_DEBT = 0.5
"""Seconds that are made up for after a pause that nobody asked for, such as a busy machine."""


class Pace:
    """Counts steps against a clock.

    Times are in seconds, of any clock that never goes back.
    """

    def __init__(self) -> None:
        self._since: float | None = None

    def rest(self) -> None:
        """Begin anew at the next call of :meth:`due`, with nothing owed."""
        self._since = None

    def due(self, now: float, rate: float) -> int:
        """Return the steps that have become due since they were last asked for.

        Parameters
        ----------
        now : float
            The time.
        rate : float
            Steps a second.
        """
        if self._since is None:
            self._since = now
            return 0
        if now - self._since > _LONGEST_DEBT + 1 / rate:
            self._since = now - _LONGEST_DEBT - 1 / rate
        # A clock that is read a hair too soon must not cost a step.
        steps = int((now - self._since) * rate + 1e-6)
        self._since += steps / rate
        return steps

    def wait(self, now: float, rate: float) -> float:
        """Return the seconds from `now` until the next step is due; 0 if one is."""
        if self._since is None:
            return 1 / rate
        return max(self._since + 1 / rate - now, 0.0)
