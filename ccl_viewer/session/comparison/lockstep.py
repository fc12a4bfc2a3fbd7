"""Runs that go together: which step of each is shown at each moment, as a pure function."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from ccl_viewer.recording import Recording
from ccl_viewer.recording.timing import StepTiming
from ccl_viewer.recording.together import Sync, rounds_of

MOMENTS_PER_SECOND: Final = 30
"""Moments of a race in a second, as it is played."""

_ROUNDING: Final = 1e-9

Steps = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Track:
    """What must be known of a run to let others keep in step with it.

    Parameters
    ----------
    rounds : ndarray of int64, shape (steps,)
        In which round of work each step is; never falling.
    milliseconds : ndarray of float64, shape (steps,)
        Time of each launch; NaN where it was not taken.
    """

    rounds: npt.NDArray[np.int64]
    milliseconds: npt.NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.rounds)

    @property
    def timed(self) -> bool:
        """Whether every launch was timed."""
        return not bool(np.isnan(self.milliseconds).any())


@dataclass(frozen=True, eq=False)
class Lockstep:
    """The moments of runs that go together.

    Parameters
    ----------
    shown : tuple of ndarray of int64, each of shape (moments,)
        Of each run, the step that is shown at each moment; never falling. At the last moment all
        show their last. Before a run's first step has ended, that step is shown.
    clock : ndarray of float64, shape (moments,)
        Milliseconds that have passed for all of them in a race; NaN otherwise.
    rate : float or None
        Moments a second; None if that is up to who plays it.
    """

    shown: tuple[Steps, ...]
    clock: npt.NDArray[np.float64]
    rate: float | None = None

    def __len__(self) -> int:
        return len(self.clock)

    def steps(self, moment: int) -> tuple[int, ...]:
        """Return the step of each run at a moment."""
        return tuple(int(own[moment]) for own in self.shown)

    def moment_of(self, run: int, step: int) -> int:
        """Return the first moment at which a run shows a step or a later one."""
        found = int(np.searchsorted(self.shown[run], step, side="left"))
        return min(found, max(len(self) - 1, 0))

    def last_moment_of(self, run: int, step: int) -> int:
        """Return the last moment at which a run shows a step or an earlier one."""
        return max(int(np.searchsorted(self.shown[run], step, side="right")) - 1, 0)

    def beside(self, moment: int, *, forward: bool) -> int:
        """Return the nearest moment, in a direction, at which any run shows another step.

        Going back leads to where that step began to be shown. The first and the last moment are
        the ends.
        """
        if forward:
            nexts = [np.searchsorted(own, own[moment], side="right") for own in self.shown]
            return min((int(place) for place in nexts), default=0) if len(self) else 0
        here = max(moment - 1, 0)
        begun = [np.searchsorted(own, own[here], side="left") for own in self.shown]
        return max((int(place) for place in begun), default=0)


NOTHING: Final = Lockstep((), np.zeros(0))
"""No run, and thus no moment."""


def track_of(recording: Recording) -> Track:
    """Return what must be known of a run, as far as it was recorded."""
    rounds = rounds_of(recording)
    times = [step.milliseconds for step in recording.steps[: len(rounds)]]
    return Track(rounds, np.array(times, np.float64))


def timed_by(track: Track, steps: Sequence[StepTiming | None]) -> Track | None:
    """Return a run with the medians of repeated runs as its times.

    Parameters
    ----------
    track : Track
        The run as it was recorded.
    steps : sequence of (StepTiming or None)
        The times of its steps.

    Returns
    -------
    Track or None
        None if the times of a step are not known, as where threads raced in another order.
    """
    medians = [step.spread.median for step in steps if step is not None]
    if len(medians) != len(track):
        return None
    return Track(track.rounds, np.array(medians, np.float64))


def possible(tracks: Sequence[Track], sync: Sync) -> Sync:
    """Return a way to keep in step that these runs allow: share of the run if times are missing."""
    if sync is Sync.TIME and not all(track.timed for track in tracks):
        return Sync.SHARE
    return sync


def lockstep(tracks: Sequence[Track], sync: Sync, seconds: float = 10.0) -> Lockstep:
    """Return how runs go together.

    Parameters
    ----------
    tracks : sequence of Track
        The runs, each with one step at least.
    sync : Sync
        ``STEP`` goes on by one launch in each, ``ITERATION`` by one round, ``SHARE`` lets all end
        together, ``TIME`` lets each advance as fast as its kernels did. Where times are missing,
        ``TIME`` is as ``SHARE``.
    seconds : float
        How long the slowest run takes in a race, as it is played.

    Returns
    -------
    Lockstep
        The first moment has the first steps, the last one the last.
    """
    if not tracks:
        return NOTHING
    sync = possible(tracks, sync)
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
    return Lockstep(_within(shown, tracks), np.full(count, np.nan))


def _race(tracks: Sequence[Track], seconds: float) -> Lockstep:
    ends = [np.cumsum(track.milliseconds) for track in tracks]
    last = max(float(end[-1]) for end in ends)
    count = max(round(seconds * MOMENTS_PER_SECOND), 1) + 1
    clock = last * np.arange(count) / (count - 1)
    # A moment that is computed as a share of the last one may fall short of it by rounding.
    reached = clock * (1 + _ROUNDING)
    shown = [np.searchsorted(end, reached, side="right") - 1 for end in ends]
    return Lockstep(_within(shown, tracks), clock, float(MOMENTS_PER_SECOND))


def _within(shown: Sequence[Steps], tracks: Sequence[Track]) -> tuple[Steps, ...]:
    return tuple(
        np.clip(own, 0, len(track) - 1).astype(np.int64)
        for own, track in zip(shown, tracks, strict=True)
    )
