"""Which steps of a run are shown, and which steps of several runs are shown together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import groupby
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from ccl_viewer.errors import InputError
from ccl_viewer.execution.plan import Stage
from ccl_viewer.recording.data import Step
from ccl_viewer.recording.recording import Recording

if TYPE_CHECKING:
    pass

Floats: TypeAlias = npt.NDArray[np.float64]
Stops: TypeAlias = tuple[int, ...]
"""Steps of one recording, in rising order."""

NOT_BEGUN: Final = -1
"""In place of a step: none has ended yet."""

_FEWEST_MOMENTS: Final = 24
_ROUNDING: Final = 1e-9
_UNTIMED: Final = "timed, so runs cannot go by time"


class Granularity(StrEnum):
    """How far it is from one stop to the next."""

    STEP = "step"
    ITERATION = "iteration"
    STAGE = "stage"


class Sync(StrEnum):
    """What runs that are shown together have in common."""

    STEP = "step"
    ITERATION = "iteration"
    SHARE = "share"
    TIME = "time"
    BYTES = "bytes"


def stops_of(
    recording: Recording, each: Granularity = Granularity.STEP, steps: slice | range | None = None
) -> Stops:
    """Return the steps of a recording that are shown.

    Parameters
    ----------
    recording : Recording
        The run.
    each : Granularity
        ``STEP`` stops at every step, ``ITERATION`` at the last one of each iteration or level (and
        of each stage outside these), ``STAGE`` at the last one of each stage.
    steps : slice, range or None
        Among which steps; None for all.

    Raises
    ------
    InputError
        If there is no such step, or none at all.
    """
    every = range(len(recording))
    if isinstance(steps, range):
        chosen = [recording.step(index) for index in steps]
    else:
        chosen = [recording.step(index) for index in (every if steps is None else every[steps])]
    if not chosen:
        raise InputError(
            f"There is no step to export: choose among the {len(recording)} of the recording, "
            "counted from 0."
        )
    return tuple([*members][-1].index for _, members in groupby(chosen, _KEYS[each]))


def align_steps(
    recordings: Sequence[Recording], stops: Sequence[Stops], sync: Sync
) -> tuple[Stops, ...]:
    """Return the step of each recording, picture by picture; the last picture has all last ones.

    Parameters
    ----------
    recordings : sequence of Recording
        The runs.
    stops : sequence of tuple of int
        The steps of each that may be shown.
    sync : Sync
        ``STEP`` goes on by one stop in all runs, ``ITERATION`` by one round of each, ``SHARE``
        lets all end together, ``TIME`` lets each advance as fast as its kernels did.

    Returns
    -------
    tuple of tuple of int
        Of each picture, the step of each recording; :data:`NOT_BEGUN` before its first.

    Raises
    ------
    InputError
        If times are asked for and a run was not timed.
    """
    if len(recordings) == 1:
        return tuple((step,) for step in stops[0])
    moments = _moments(recordings, stops, sync)
    shown = [
        _shown(_measure(recording, own, sync), own, moments)
        for recording, own in zip(recordings, stops, strict=True)
    ]
    return tuple(zip(*shown, strict=True))


def rounds_of(recording: Recording) -> npt.NDArray[np.int64]:
    """Return in which round of work each step is.

    Returns
    -------
    ndarray of int64, shape (steps,)
        0 for the first stage; iteration or level n is round n, or later if more stages than one
        come before it; each stage outside iterations and levels is a round of its own.
    """
    rounds, current, numbered = [], -1, 0
    for key, members in groupby(recording.steps, _KEYS[Granularity.ITERATION]):
        if isinstance(key, Stage):
            current += 1
        else:
            numbered += 1
            current = max(current + 1, numbered)
        rounds += [current] * len([*members])
    return np.array(rounds, np.int64)


def _measure(recording: Recording, own: Stops, sync: Sync) -> Floats:
    """Return when each stop is reached, in what the runs have in common."""
    if sync is Sync.STEP:
        return np.arange(len(own), dtype=np.float64)
    if sync is Sync.SHARE:
        return np.arange(1, len(own) + 1) / len(own)
    ends = StepCosts.of(recording).ends(sync)
    if np.isnan(ends).any():
        what = "counted, so runs cannot go by bytes" if sync is Sync.BYTES else _UNTIMED
        raise InputError(f"A run was not {what}: choose step, iteration or share.")
    stops: Floats = ends[[*own]]
    return stops


@dataclass(frozen=True, eq=False)
class StepCosts:
    """What each step of a run took, to let runs keep in step; arrays have shape (steps,)."""

    rounds: npt.NDArray[np.int64]  # in which round of work each step is; never falling
    milliseconds: Floats  # of each launch; NaN where it was not timed
    # Bytes that each launch moved; NaN where that was not counted
    nbytes: Floats = field(default_factory=lambda: np.array([np.nan]))
    emulated: bool = False  # whether the times are the emulator's, which tell nothing of a GPU

    @classmethod
    def of(cls, recording: Recording) -> StepCosts:
        """Return the costs of a run's steps, as far as they were recorded."""
        rounds = rounds_of(recording)
        steps = recording.steps[: len(rounds)]
        moved = [np.nan if step.ledger is None else step.ledger.nbytes for step in steps]
        times = np.array([step.milliseconds for step in steps], np.float64)
        return cls(rounds, times, np.array(moved, np.float64), recording.device == "emulator")

    def __len__(self) -> int:
        return len(self.rounds)

    def ends(self, sync: Sync) -> Floats:
        """Return when each step has ended, in what the runs have in common; perhaps NaN."""
        count = len(self)
        match sync:
            case Sync.STEP:
                return np.arange(count, dtype=np.float64)
            case Sync.ITERATION:
                return self.rounds.astype(np.float64)
            case Sync.SHARE:
                return np.arange(1, count + 1) / count
            case Sync.TIME | Sync.BYTES:
                return np.cumsum(self.nbytes if sync is Sync.BYTES else self.milliseconds)


def steps_at(ends: Floats, moments: Floats) -> npt.NDArray[np.int64]:
    """Return the last step that has ended at each moment; -1 before the first has."""
    # A moment that is computed as a share of the last one may fall short of it by rounding.
    return np.searchsorted(ends, moments * (1 + _ROUNDING), side="right") - 1


def _moments(recordings: Sequence[Recording], stops: Sequence[Stops], sync: Sync) -> Floats:
    """Return when the pictures are taken."""
    ends = [_measure(one, own, sync) for one, own in zip(recordings, stops, strict=True)]
    last = max(float(end[-1]) for end in ends)
    if sync in (Sync.STEP, Sync.ITERATION):
        return np.arange(min(float(end[0]) for end in ends), last + 1)
    longest = max(len(own) for own in stops)
    count = longest if sync is Sync.SHARE else max(longest, _FEWEST_MOMENTS)
    return last * np.arange(1, count + 1) / count


def _shown(ends: Floats, own: Stops, moments: Floats) -> list[int]:
    places = steps_at(ends, moments).tolist()
    return [own[place] if place >= 0 else NOT_BEGUN for place in places]


def _iteration(step: Step) -> object:
    outside = step.iteration is None and step.level is None
    return step.stage if outside else (step.iteration, step.level)


_KEYS: Final = {
    Granularity.STEP: lambda step: step.index,
    Granularity.ITERATION: _iteration,
    Granularity.STAGE: lambda step: (step.stage, step.iteration, step.level),
}
