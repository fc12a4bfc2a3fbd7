"""Runs that go together: which step of each is shown at each moment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from ccl_viewer.recording import Recording
from ccl_viewer.recording.timing import StepTiming
from ccl_viewer.recording.together import Sync, rounds_of
from ccl_viewer.session.model import Model
from ccl_viewer.session.playback import Section

MOMENTS_PER_SECOND: Final = 30
"""Moments of a race in a second, as it is played."""

_ROUNDING: Final = 1e-9

Steps = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Track:
    """What is needed of a run to let others keep in step with it.

    Parameters
    ----------
    rounds : ndarray of int64, shape (steps,)
        In which round of work each step is; never falling.
    milliseconds : ndarray of float64, shape (steps,)
        Time of each launch in ms; NaN where it was not taken.
    emulated : bool
        Whether the times are the emulator's, which say nothing about a GPU.
    """

    rounds: npt.NDArray[np.int64]
    milliseconds: npt.NDArray[np.float64]
    emulated: bool = False

    @classmethod
    def of(cls, recording: Recording) -> Track:
        """Return the track of a run, as far as it was recorded."""
        rounds = rounds_of(recording)
        times = [step.milliseconds for step in recording.steps[: len(rounds)]]
        emulated = recording.device == "emulator"
        return cls(rounds, np.array(times, np.float64), emulated)

    def timed_by(self, steps: Sequence[StepTiming | None]) -> Track | None:
        """Return it with the medians of repeated runs as its times.

        None if the time of a step is not known, as where threads raced in another order.
        """
        medians = [step.spread.median for step in steps if step is not None]
        if len(medians) != len(self):
            return None
        return Track(self.rounds, np.array(medians, np.float64), self.emulated)

    def __len__(self) -> int:
        return len(self.rounds)

    @property
    def timed(self) -> bool:
        """Whether every launch was timed."""
        return not bool(np.isnan(self.milliseconds).any())

    def time_until(self, step: int) -> float:
        """Return the ms of all launches up to a step; NaN if one of them was not timed."""
        return float(np.sum(self.milliseconds[: step + 1]))


@dataclass(frozen=True, eq=False)
class Lockstep:
    """The moments of runs that go together.

    Parameters
    ----------
    shown : tuple of ndarray of int64, each of shape (moments,)
        Of each run, the step shown at each moment; never falling. At the last moment all show
        their last step. Until a run's first step has ended, that step is shown.
    clock : ndarray of float64, shape (moments,)
        ms of the race at each moment; NaN where it is no race.
    rate : float or None
        Moments a second in a race; None if whoever plays them decides.
    """

    shown: tuple[Steps, ...]
    clock: npt.NDArray[np.float64]
    rate: float | None = None

    def __len__(self) -> int:
        return len(self.clock)

    def steps_at(self, moment: int) -> tuple[int, ...]:
        """Return the step of each run at a moment."""
        return tuple(int(own[moment]) for own in self.shown)

    def first_moment_of(self, run: int, step: int) -> int:
        """Return the first moment at which a run shows a step or a later one."""
        found = int(np.searchsorted(self.shown[run], step, side="left"))
        return min(found, max(len(self) - 1, 0))

    def last_moment_of(self, run: int, step: int) -> int:
        """Return the last moment at which a run shows a step or an earlier one."""
        return max(int(np.searchsorted(self.shown[run], step, side="right")) - 1, 0)

    def neighbour(self, moment: int, *, forward: bool) -> int:
        """Return the nearest moment in a direction at which any run shows another step.

        Backward leads to where that step began to be shown. The ends stay the ends.
        """
        if not len(self):
            return 0
        if forward:
            ends = [np.searchsorted(own, own[moment], side="right") for own in self.shown]
            return min(len(self) - 1, *(int(place) for place in ends))
        before = max(moment - 1, 0)
        return max(int(np.searchsorted(own, own[before], side="left")) for own in self.shown)


EMPTY: Final = Lockstep((), np.zeros(0))
"""No run, and so no moment."""


def possible_sync(tracks: Sequence[Track], sync: Sync) -> Sync:
    """Return how these runs can keep in step: by share instead of time if times are missing."""
    if sync is Sync.TIME and not all(track.timed for track in tracks):
        return Sync.SHARE
    return sync


def lockstep(tracks: Sequence[Track], sync: Sync, seconds: float = 10.0) -> Lockstep:
    """Return how runs, each with one step at least, go together.

    ``STEP`` goes on by one launch in each, ``ITERATION`` by one round, ``SHARE`` lets all end
    together, ``TIME`` lets each advance as fast as its kernels did: the slowest takes `seconds`.
    Where times are missing, ``TIME`` is as ``SHARE``.
    """
    if not tracks:
        return EMPTY
    sync = possible_sync(tracks, sync)
    if sync is Sync.TIME:
        return _race(tracks, seconds)
    if sync is Sync.ITERATION:
        # The first moment is before the end of the first round, so that a run can be begun with.
        count = max(int(track.rounds[-1]) for track in tracks) + 1
        moments = np.arange(count)
        shown = [np.searchsorted(track.rounds, moments, side="right") - 1 for track in tracks]
    else:
        count = max(len(track) for track in tracks)
        moments = np.arange(count)
        if sync is Sync.SHARE:
            shown = [(moments + 1) * len(track) // count - 1 for track in tracks]
        else:
            shown = [moments for _ in tracks]
    return Lockstep(_clipped(shown, tracks), np.full(count, np.nan))


def _race(tracks: Sequence[Track], seconds: float) -> Lockstep:
    ends = [np.cumsum(track.milliseconds) for track in tracks]
    last = max(float(end[-1]) for end in ends)
    count = max(round(seconds * MOMENTS_PER_SECOND), 1) + 1
    clock = last * np.arange(count) / (count - 1)
    # A moment that is computed as a share of the last one may fall short of it by rounding.
    reached = clock * (1 + _ROUNDING)
    shown = [np.searchsorted(end, reached, side="right") - 1 for end in ends]
    return Lockstep(_clipped(shown, tracks), clock, float(MOMENTS_PER_SECOND))


def _clipped(shown: Sequence[Steps], tracks: Sequence[Track]) -> tuple[Steps, ...]:
    return tuple(
        np.clip(own, 0, len(track) - 1).astype(np.int64)
        for own, track in zip(shown, tracks, strict=True)
    )


class Moments(Model):
    """The moments of the runs that are compared, and which one is shown.

    Fields: "count", "position". Runs keep in step (`sync`) as was chosen, or as is possible. Times
    are medians over `repeats` runs; 0 where they are those of the recorded runs.
    """

    def __init__(self) -> None:
        super().__init__()
        self.position = 0
        self.sync = Sync.STEP
        self.repeats = 0
        self._tracks: tuple[Track, ...] = ()
        self._lockstep = EMPTY

    @property
    def count(self) -> int:
        """How many moments there are."""
        return len(self._lockstep)

    @property
    def seconds(self) -> float | None:
        """Seconds that a moment of a race is shown; None otherwise."""
        return None if self._lockstep.rate is None else 1 / self._lockstep.rate

    @property
    def steps(self) -> tuple[int, ...]:
        """The step of each run at the moment shown; empty without runs."""
        return self.steps_at(self.position)

    @property
    def clock(self) -> float:
        """Ms of the race so far; NaN where it is no race."""
        return float(self._lockstep.clock[self.position]) if self.count else float("nan")

    @property
    def emulated(self) -> bool:
        """Whether a race goes by times of the emulator."""
        return any(track.emulated for track in self._tracks)

    def steps_at(self, moment: int) -> tuple[int, ...]:
        """Return the step of each run at a moment."""
        return self._lockstep.steps_at(moment) if self.count else ()

    def steps_of(self, run: int) -> Steps | None:
        """Return the step of a run at each moment; None without moments."""
        return self._lockstep.shown[run] if self.count else None

    def first_moment_of(self, run: int, step: int) -> int:
        """Return the first moment at which a run shows a step."""
        return self._lockstep.first_moment_of(run, step) if self.count else 0

    def beside(self, *, forward: bool) -> int:
        """Return the next moment at which a run shows another step, or the one before."""
        return self._lockstep.neighbour(self.position, forward=forward)

    def span(self, section: Section | None, /) -> Section:
        """Return the moments of a section of the first run; None is all of them."""
        if section is None:
            return Section(0, max(self.count - 1, 0))
        start = self.first_moment_of(0, section.start)
        return Section(start, max(start, self._lockstep.last_moment_of(0, section.end)))

    def time_until(self, run: int, step: int) -> float:
        """Return the ms of a run's launches up to a step; NaN if not all were timed."""
        return self._tracks[run].time_until(step)

    def go_to(self, moment: int, /) -> None:
        """Show a moment."""
        moment = min(max(moment, 0), max(self.count - 1, 0))
        if moment != self.position:
            self.position = moment
            self._announce("position")

    def arrange(
        self, tracks: Sequence[Track], sync: Sync, seconds: float, *, step: int, repeats: int = 0
    ) -> None:
        """Let other runs go together, or in another way; the first goes on showing its `step`."""
        was_last = self.position >= self.count - 1
        self._tracks = tuple(tracks)
        self.repeats = repeats
        self.sync = possible_sync(self._tracks, sync)
        self._lockstep = lockstep(self._tracks, self.sync, seconds)
        if was_last and tracks and step >= len(tracks[0]) - 1:
            self.position = max(self.count - 1, 0)
        else:
            self.position = self.first_moment_of(0, step)
        self._announce("count", "position")

    def clear(self) -> None:
        """Have no moment."""
        self.arrange((), Sync.STEP, 1.0, step=0)
