"""Aligned runs: which step of each is shown at each moment."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt
from psygnal import Signal

from ccl_viewer.recording.alignment import StepCosts, Sync, steps_at
from ccl_viewer.window.core.model import Model

MOMENTS_PER_SECOND: Final = 30
"""Moments per second when a race is played."""

RACE_SECONDS: Final = 10

RACES: Final = (Sync.TIME, Sync.BYTES)
"""Alignments of runs that show each moment equally long."""

Steps = npt.NDArray[np.int64]
Times = npt.NDArray[np.float64]


class Moments(Model):
    """The moments of the compared runs, and the one on display.

    At the last moment all runs show their last step. A run shows its first step until that step has
    ended.
    """

    count_changed = Signal()
    position_changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.position = 0
        self.sync = Sync.STEP  # as chosen, except by share where a race lacks times or bytes
        self.shown: tuple[Steps, ...] = ()  # the step of each run at each moment; never falling
        self.times: Times = np.zeros(0)  # the time of each moment: in ms in a race
        self._costs: tuple[StepCosts, ...] = ()

    @property
    def count(self) -> int:
        return len(self.times)

    @property
    def seconds_per_moment(self) -> float | None:
        """Seconds that each moment of a race is shown; None otherwise."""
        return 1 / MOMENTS_PER_SECOND if self.sync in RACES else None

    @property
    def current_steps(self) -> tuple[int, ...]:
        """The step of each run at the current moment; empty without runs."""
        return self.steps_at(self.position)

    @property
    def clock(self) -> float:
        """Ms of the race so far, or bytes moved by each run; NaN if this is not a race."""
        race = self.count and self.sync in RACES
        return float(self.times[self.position]) if race else float("nan")

    @property
    def uses_emulator_times(self) -> bool:
        """Whether a race uses times of the emulator."""
        return any(cost.emulated for cost in self._costs)

    def steps_at(self, moment: int) -> tuple[int, ...]:
        return tuple(int(own[moment]) for own in self.shown)

    def first_moment_of(self, run: int, step: int) -> int:
        """Return the first moment at which a run shows a step or a later one."""
        found = int(np.searchsorted(self.shown[run], step, side="left"))
        return min(found, self.count - 1)

    def nearest_change(self, *, forward: bool) -> int:
        """Return the nearest moment in a direction at which any run shows a different step.

        Backwards, this is where that step was first shown. Beyond the ends, return the end.
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
        """Return a run's ms up to a step, or bytes in a race by bytes; NaN if not known.

        In a race, the value never exceeds the clock.
        """
        ends = self._costs[run].ends(Sync.BYTES if self.sync is Sync.BYTES else Sync.TIME)
        return float(ends[step] if math.isnan(self.clock) else min(self.clock, ends[-1]))

    def go_to(self, moment: int, /) -> None:
        self._set(self.position_changed, min(max(moment, 0), max(self.count - 1, 0)))

    def align(self, costs: Sequence[StepCosts], sync: Sync, *, step: int) -> None:
        """Align runs of at least one step each; the first keeps showing its `step`.

        ``STEP`` advances each by one launch, ``ITERATION`` by one round, and with ``SHARE`` all end
        together. With ``TIME`` each advances as fast as its kernels did, and with ``BYTES`` as fast
        as they moved bytes: the run with the most takes :data:`RACE_SECONDS` at normal speed.
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
        self._announce(self.count_changed, self.position_changed)

    def _times_of(self, ends: Sequence[Times]) -> Times:
        if not ends:
            return np.zeros(0)
        last = max(float(end[-1]) for end in ends)
        if self.sync in RACES:
            return last * np.linspace(0, 1, RACE_SECONDS * MOMENTS_PER_SECOND + 1)
        if self.sync is Sync.SHARE:
            count = max(map(len, ends))
            return np.arange(1, count + 1) / count
        # The first moment is before the end of the first round, so that playing can begin there.
        return np.arange(last + 1)
