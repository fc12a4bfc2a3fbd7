"""Times all runs of a comparison in one go, on the grid with what floated over it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from ccl_viewer.recording import Recording
from ccl_viewer.session.measuring import Measuring
from ccl_viewer.session.settling import Settling


class Lanes(Protocol):
    """The comparison whose runs are timed."""

    @property
    def working(self) -> bool:
        """Whether a lane is being recorded."""

    @property
    def in_step(self) -> Sequence[Recording]:
        """The runs that go together."""


class LaneTimes:
    """Places what floats and lets the lanes follow, before they are timed.

    Parameters
    ----------
    lanes : Lanes
        The comparison.
    measuring : Measuring
        Times its runs.
    settling : Settling
        Places what floats.
    """

    def __init__(self, lanes: Lanes, measuring: Measuring, settling: Settling) -> None:
        self._lanes = lanes
        self._measuring = measuring
        self._settling = settling
        self._wanted = False

    def measure(self) -> None:
        """Time all runs, of the grid with what floats; nothing while a lane is recorded."""
        if not self._lanes.working:
            self._settling.first("Measuring times", self._want)

    def follow(self) -> None:
        """Time the runs now if that waited for a lane, and no lane is being recorded any more."""
        if self._wanted and not self._lanes.working:
            self._wanted = False
            self._measuring.measure_all(self._lanes.in_step)

    def forget(self) -> None:
        """Time nothing that has to wait for a lane."""
        self._wanted = False

    def _want(self) -> None:
        self._wanted = True
        self.follow()
