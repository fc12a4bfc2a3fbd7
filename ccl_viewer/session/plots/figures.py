"""The figures behind the plots: time by stage, counts over steps, sizes of components."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain
from operator import attrgetter
from pathlib import Path
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from ccl_viewer.cancellation import Check, unchecked
from ccl_viewer.export.tables import write_rows
from ccl_viewer.files import replacing
from ccl_viewer.pieces import begins, occurrences
from ccl_viewer.plan import Stage
from ccl_viewer.recording import Recording
from ccl_viewer.recording.metrics import StageSum, series, sums_by_stage
from ccl_viewer.recording.timing import RunTiming, Spread

Floats: TypeAlias = npt.NDArray[np.float64]
Counts: TypeAlias = npt.NDArray[np.int64]

_UNITS = ((1.0, "µs", 1e3), (1e3, "ms", 1.0), (math.inf, "s", 1e-3))
"""Below how many milliseconds a unit suits, and how many of it are a millisecond."""


@dataclass(frozen=True)
class StageTime:
    """The time that all launches of a stage took together.

    Parameters
    ----------
    stage : Stage
        The stage.
    launches : int
        How many there were.
    milliseconds : float
        Their time; the median if it was measured repeatedly.
    lower, upper : float
        Quartiles of repeated measurements; both equal to the time if there was but one.
    """

    stage: Stage
    launches: int
    milliseconds: float
    lower: float
    upper: float


@dataclass(frozen=True, eq=False)
class StepCounts:
    """What was counted after each step, as arrays of one element a step.

    Parameters
    ----------
    steps : ndarray of int64
        Numbers of the steps, from 1.
    changed, roots : ndarray of float64
        Cells whose label changed, and cells that are their own parent.
    wrong : ndarray of float64
        Cells that do not hold their final label; NaN where that was not counted.
    """

    steps: Counts
    changed: Floats
    roots: Floats
    wrong: Floats

    @property
    def known(self) -> bool:
        """Whether wrong cells were counted after any step."""
        return bool(np.isfinite(self.wrong).any())


@dataclass(frozen=True, eq=False)
class SizeBins:
    """How many components have which size, in bins that double in width.

    Parameters
    ----------
    edges : ndarray of float64, shape (bins + 1,)
        Where bins begin and end, in cells: 1, 2, 4, 8 and so on.
    counts : ndarray of int64, shape (bins,)
        Components of at least the left edge and less than the right one.
    total : int
        Components in all.
    largest, median : int
        Cells of the largest component, and of the one in the middle.
    """

    edges: Floats
    counts: Counts
    total: int
    largest: int
    median: int


@dataclass(frozen=True)
class Table:
    """Rows of figures to be written to a file.

    Parameters
    ----------
    columns : tuple of str
        Names of the columns, with units.
    rows : tuple of tuple
        Values, in the order of the columns; None where there is none.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[str | float | int | None, ...], ...]


def stage_times(recording: Recording, timing: RunTiming | None = None) -> tuple[StageTime, ...]:
    """Return the time of each stage, in the order in which the stages first occur.

    Parameters
    ----------
    recording : Recording
        The run.
    timing : RunTiming or None
        Repeated measurements of it; without them the times of the run itself are taken.

    Returns
    -------
    tuple of StageTime
        Without stages of which no time was taken.
    """
    steps = recording.steps
    spreads = (None,) * len(steps) if timing is None else timing.of(recording)
    # A run that is still being recorded may have grown since it was measured.
    timed = [*zip(steps, spreads, strict=False)]

    def sums(time: Callable[[Spread], float]) -> tuple[StageSum, ...]:
        return sums_by_stage(
            (step, step.milliseconds if known is None else time(known.spread))
            for step, known in timed
        )

    medians, lower, upper = (sums(attrgetter(name)) for name in ("median", "lower", "upper"))
    return tuple(
        StageTime(one.stage, one.launches, one.milliseconds, low.milliseconds, high.milliseconds)
        for one, low, high in zip(medians, lower, upper, strict=True)
        if not math.isnan(one.milliseconds)
    )


def unit_of(milliseconds: float) -> tuple[str, float]:
    """Return the unit that suits a time, and how many of it are a millisecond."""
    return next((unit, factor) for limit, unit, factor in _UNITS if milliseconds < limit)


def step_counts(recording: Recording, wrong: Counts, count: int | None = None) -> StepCounts:
    """Return what was counted after each step.

    Parameters
    ----------
    recording : Recording
        The run.
    wrong : ndarray of int64
        Wrong cells after each step, negative where not known; it may be shorter than the run.
    count : int or None
        Steps to take into account; None for all.
    """
    counted = series(recording)
    length = len(counted.roots) if count is None else min(count, len(counted.roots))
    known = np.full(length, np.nan)
    some = np.asarray(wrong[:length], np.float64)
    known[: some.size] = np.where(some < 0, np.nan, some)
    return StepCounts(
        steps=np.arange(1, length + 1, dtype=np.int64),
        changed=counted.changed[:length].astype(np.float64),
        roots=counted.roots[:length].astype(np.float64),
        wrong=known,
    )


def count_sizes(components: npt.NDArray[np.int32], check: Check = unchecked) -> Counts:
    """Count the cells of each component.

    Parameters
    ----------
    components : ndarray of int32, shape (height, width)
        Number of each cell's component, from 1; 0 for background.
    check : callable
        Called between pieces; raises to stop the work.

    Returns
    -------
    ndarray of int64, shape (components,)
        By the components' numbers.
    """
    flat = components.reshape(-1)
    count = int(flat.max(initial=0)) + 1
    return occurrences(flat, count, check)[1:]


def bin_sizes(sizes: Counts) -> SizeBins:
    """Sort components into bins by their size.

    Parameters
    ----------
    sizes : ndarray of int64, shape (components,)
        Cells of each component, 1 or more.
    """
    if not sizes.size:
        return SizeBins(np.ones(1), np.zeros(0, np.int64), 0, 0, 0)
    largest = int(sizes.max())
    bins = largest.bit_length()
    # Exact, unlike logarithms: a size of 2^k has k + 1 binary digits.
    place = np.frexp(sizes.astype(np.float64))[1] - 1
    return SizeBins(
        edges=np.exp2(np.arange(bins + 1)),
        counts=np.bincount(place, minlength=bins).astype(np.int64),
        total=int(sizes.size),
        largest=largest,
        median=int(np.sort(sizes)[sizes.size // 2]),
    )


def log_ticks(largest: float) -> tuple[tuple[float, str], ...]:
    """Return where an axis of ``log10(1 + count)`` has ticks, and what they say.

    Parameters
    ----------
    largest : float
        The largest count.
    """
    counts = [0, *(10**power for power in range(len(str(int(max(largest, 1))))))]
    return tuple((math.log10(1 + count), f"{count:,}") for count in counts)


def time_table(times: Sequence[StageTime]) -> Table:
    """Return the times of the stages as rows."""
    return Table(
        ("stage", "launches", "milliseconds", "lower quartile", "upper quartile"),
        tuple((str(t.stage), t.launches, t.milliseconds, t.lower, t.upper) for t in times),
    )


def counts_table(course: StepCounts) -> Table:
    """Return the counts of each step as rows."""
    return Table(
        ("step", "changed cells", "roots", "cells with a wrong root"),
        tuple(
            (int(step), int(changed), int(roots), None if math.isnan(wrong) else int(wrong))
            for step, changed, roots, wrong in zip(
                course.steps, course.changed, course.roots, course.wrong, strict=True
            )
        ),
    )


def size_table(sizes: Counts) -> Table:
    """Return how many components have each size that occurs, as rows."""
    ordered = np.sort(sizes)
    first = np.flatnonzero(begins(ordered))
    counts = np.diff(first, append=ordered.size)
    rows = zip(ordered[first].tolist(), counts.tolist(), strict=True)
    return Table(("cells", "components"), tuple(rows))


def write_table(path: Path, table: Table) -> None:
    """Write a table as CSV.

    Parameters
    ----------
    path : Path
        Where to; an existing file is replaced once the new one is whole.
    table : Table
        What to write.

    Raises
    ------
    InputError
        If the file cannot be written.
    """
    with replacing(path) as beside, beside.open("w", newline="", encoding="utf-8") as file:
        write_rows(file, chain([table.columns], table.rows))
