"""Choose the shown steps of a run, and align the steps of several runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import groupby
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from ccl_viewer.errors import InputError
from ccl_viewer.execution.plan import Stage
from ccl_viewer.recording.data import Step
from ccl_viewer.recording.recording import Recording

Floats: TypeAlias = npt.NDArray[np.float64]
Stops: TypeAlias = tuple[int, ...]
"""Steps of one recording, ascending."""

NOT_BEGUN: Final = -1
"""Instead of a step, if none has ended yet."""

_FEWEST_MOMENTS: Final = 24
_ROUNDING: Final = 1e-9
_UNTIMED: Final = "timed, so runs cannot go by time"


class Granularity(StrEnum):
    """Distance from one stop to the next."""

    STEP = "step"
    ITERATION = "iteration"
    STAGE = "stage"


class Sync(StrEnum):
    """The quantity by which runs are aligned."""

    STEP = "step"
    ITERATION = "iteration"
    SHARE = "share"
    TIME = "time"
    BYTES = "bytes"


def choose_stops(
    recording: Recording, each: Granularity = Granularity.STEP, steps: slice | range | None = None
) -> Stops:
    """Return the steps of a recording to show.

    Parameters
    ----------
    recording : Recording
        The run.
    each : Granularity
        ``STEP`` stops at every step, ``ITERATION`` at the last step of each iteration or level (and
        of each stage outside these), ``STAGE`` at the last step of each stage.
    steps : slice, range or None
        Steps to choose from; None for all.

    Raises
    ------
    InputError
        If there is no such step.
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
    """Return the step of each recording in each picture; the last picture shows the last steps.

    Parameters
    ----------
    recordings : sequence of Recording
        The runs.
    stops : sequence of tuple of int
        The steps of each recording that may be shown.
    sync : Sync
        ``STEP`` advances all runs by one stop, ``ITERATION`` by one round, ``SHARE`` makes all runs
        end together, ``TIME`` advances each run as fast as its kernels were.

    Returns
    -------
    tuple of tuple of int
        The step of each recording in each picture; :data:`NOT_BEGUN` before its first.

    Raises
    ------
    InputError
        If `sync` needs times and a run was not timed.
    """
    if len(recordings) == 1:
        return tuple((step,) for step in stops[0])
    moments = _find_moments(recordings, stops, sync)
    shown = [
        _choose_steps(_measure(recording, run_stops, sync), run_stops, moments)
        for recording, run_stops in zip(recordings, stops, strict=True)
    ]
    return tuple(zip(*shown, strict=True))


def number_rounds(recording: Recording) -> npt.NDArray[np.int64]:
    """Return the round of work of each step.

    Returns
    -------
    ndarray of int64, shape (steps,)
        0 for the first stage; iteration or level n is round n, or later if several stages come
        before it; each stage outside iterations and levels is a separate round.
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


def _measure(recording: Recording, stops: Stops, sync: Sync) -> Floats:
    """Return when each stop is reached, in units of `sync`."""
    if sync is Sync.STEP:
        return np.arange(len(stops), dtype=np.float64)
    if sync is Sync.SHARE:
        return np.arange(1, len(stops) + 1) / len(stops)
    ends = StepCosts.of(recording).ends(sync)
    if np.isnan(ends).any():
        missing = "counted, so runs cannot go by bytes" if sync is Sync.BYTES else _UNTIMED
        raise InputError(f"A run was not {missing}: choose step, iteration or share.")
    moments: Floats = ends[[*stops]]
    return moments


@dataclass(frozen=True, eq=False)
class StepCosts:
    """Costs of a run's steps, for aligning runs; arrays have shape (steps,)."""

    rounds: npt.NDArray[np.int64]  # round of work of each step, ascending
    milliseconds: Floats  # of each launch; NaN if not timed
    # Bytes that each launch moved; NaN if not counted
    nbytes: Floats = field(default_factory=lambda: np.array([np.nan]))
    emulated: bool = False  # whether the times are the emulator's, which say nothing about a GPU

    @classmethod
    def of(cls, recording: Recording) -> StepCosts:
        """Return the costs of a run's steps, as far as recorded."""
        rounds = number_rounds(recording)
        steps = recording.steps[: len(rounds)]
        moved = [np.nan if step.ledger is None else step.ledger.transferred_bytes for step in steps]
        times = np.array([step.milliseconds for step in steps], np.float64)
        return cls(rounds, times, np.array(moved, np.float64), recording.emulated)

    def __len__(self) -> int:
        return len(self.rounds)

    def ends(self, sync: Sync) -> Floats:
        """Return when each step has ended, in units of `sync`; may be NaN."""
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
    """Return the last step that has ended at each moment, or -1."""
    # A moment computed as a share of the end may be too small because of rounding.
    return np.searchsorted(ends, moments * (1 + _ROUNDING), side="right") - 1


def _find_moments(recordings: Sequence[Recording], stops: Sequence[Stops], sync: Sync) -> Floats:
    """Return the moments of the pictures."""
    ends = [
        _measure(one, run_stops, sync) for one, run_stops in zip(recordings, stops, strict=True)
    ]
    last = max(float(end[-1]) for end in ends)
    if sync in (Sync.STEP, Sync.ITERATION):
        return np.arange(min(float(end[0]) for end in ends), last + 1)
    longest = max(len(run_stops) for run_stops in stops)
    count = longest if sync is Sync.SHARE else max(longest, _FEWEST_MOMENTS)
    return last * np.arange(1, count + 1) / count


def _choose_steps(ends: Floats, stops: Stops, moments: Floats) -> list[int]:
    indices = steps_at(ends, moments).tolist()
    return [stops[index] if index >= 0 else NOT_BEGUN for index in indices]


def _iteration(step: Step) -> object:
    outside = step.iteration is None and step.level is None
    return step.stage if outside else (step.iteration, step.level)


_KEYS: Final = {
    Granularity.STEP: lambda step: step.index,
    Granularity.ITERATION: _iteration,
    Granularity.STAGE: lambda step: (step.stage, step.iteration, step.level),
}
