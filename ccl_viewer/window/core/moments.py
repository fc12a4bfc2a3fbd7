"""Runs that go together: which step of each is shown at each moment."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from ccl_viewer.recording.alignment import StepCosts, Sync, steps_at
from ccl_viewer.window.core.model import Model

MOMENTS_PER_SECOND: Final = 30
"""Moments of a race in a second, as it is played."""

RACE_SECONDS: Final = 10

RACES: Final = (Sync.TIME, Sync.BYTES)
"""Ways in which runs keep in step whose moments are played at an even pace."""

Steps = npt.NDArray[np.int64]
Times = npt.NDArray[np.float64]


class Moments(Model):
    """The moments of the runs that are compared, and which one is shown.

    Fields: "count", "position". At the last moment all runs show their last step. Until a run's
    first step has ended, that step is shown.
    """

    def __init__(self) -> None:
        super().__init__()
        self.position = 0
        self.sync = Sync.STEP  # as was chosen, but by share where a race lacks times or bytes
        self.shown: tuple[Steps, ...] = ()  # of each run, the step at each moment; never falling
        self.times: Times = np.zeros(0)  # when each moment is: in ms in a race
        self._costs: tuple[StepCosts, ...] = ()

    @property
    def count(self) -> int:
        return len(self.times)

    @property
    def seconds(self) -> float | None:
        """Seconds that a moment of a race is shown; None otherwise."""
        return 1 / MOMENTS_PER_SECOND if self.sync in RACES else None

    @property
    def steps(self) -> tuple[int, ...]:
        """The step of each run at the moment shown; empty without runs."""
        return self.steps_at(self.position)

    @property
    def clock(self) -> float:
        """Ms of the race so far, or bytes that each run has moved; NaN where it is no race."""
        race = self.count and self.sync in RACES
        return float(self.times[self.position]) if race else float("nan")

    @property
    def emulated(self) -> bool:
        """Whether a race goes by times of the emulator."""
        return any(cost.emulated for cost in self._costs)

    def steps_at(self, moment: int) -> tuple[int, ...]:
        return tuple(int(own[moment]) for own in self.shown)

    def first_moment_of(self, run: int, step: int) -> int:
        """Return the first moment at which a run shows a step or a later one."""
        found = int(np.searchsorted(self.shown[run], step, side="left"))
        return min(found, self.count - 1)

    def beside(self, *, forward: bool) -> int:
        """Return the nearest moment in a direction at which any run shows another step.

        Backward leads to where that step began to be shown. The ends stay the ends.
        """
        if not self.count:
            return 0
        if forward:
            here = self.position
            ends = [np.searchsorted(own, own[here], side="right") for own in self.shown]
            return min(self.count - 1, *map(int, ends))
        before = max(self.position - 1, 0)
        return max(int(np.searchsorted(own, own[before], side="left")) for own in self.shown)

    def spent(self, run: int, step: int) -> float:
        """Return a run's ms up to a step, or bytes in a race by bytes; NaN if they are not known.

        In a race, that is no more than the clock says.
        """
        ends = self._costs[run].ends(Sync.BYTES if self.sync is Sync.BYTES else Sync.TIME)
        return float(ends[step] if math.isnan(self.clock) else min(self.clock, ends[-1]))

    def go_to(self, moment: int, /) -> None:
        self._set(position=min(max(moment, 0), max(self.count - 1, 0)))

    def arrange(self, costs: Sequence[StepCosts], sync: Sync, *, step: int) -> None:
        """Let runs go together, each with one step at least; the first goes on showing its `step`.

        ``STEP`` goes on by one launch in each, ``ITERATION`` by one round, ``SHARE`` lets all end
        together. ``TIME`` lets each advance as fast as its kernels did, and ``BYTES`` as the bytes
        that they moved: the one with most takes :data:`RACE_SECONDS`, at the usual speed.
        """
        was_last = self.position >= self.count - 1
        unknown = sync in RACES and any(np.isnan(cost.ends(sync)).any() for cost in costs)
        self.sync = Sync.SHARE if unknown else sync
        self._costs = tuple(costs)
        ends = [cost.ends(self.sync) for cost in costs]
        self.times = self._times_of(ends)
        self.shown = tuple(np.maximum(steps_at(end, self.times), 0) for end in ends)
        if was_last and costs and step >= len(costs[0]) - 1:
            self.position = max(self.count - 1, 0)
        else:
            self.position = self.first_moment_of(0, step) if costs else 0
        self._announce("count", "position")

    def _times_of(self, ends: Sequence[Times]) -> Times:
        if not ends:
            return np.zeros(0)
        last = max(float(end[-1]) for end in ends)
        if self.sync in RACES:
            return last * np.linspace(0, 1, RACE_SECONDS * MOMENTS_PER_SECOND + 1)
        if self.sync is Sync.SHARE:
            count = max(map(len, ends))
            return np.arange(1, count + 1) / count
        # The first moment is before the end of the first round, so that a run can be begun with.
        return np.arange(last + 1)
