"""The plots of a run: time by stage, counts over steps, sizes of components; their figures."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from ccl_viewer.export.tables import write_rows
from ccl_viewer.files import replacing
from ccl_viewer.plan import Stage
from ccl_viewer.recording import Recording
from ccl_viewer.recording.metrics import StageSum, series, sums_by_stage
from ccl_viewer.recording.timing import RunTiming, Spread
from ccl_viewer.session.analysis import WITHHELD, Conceal, RunAnalysis
from ccl_viewer.session.model import Model
from ccl_viewer.session.step_table import timed_by

if TYPE_CHECKING:
    from ccl_viewer.session.view_state import ViewState

Floats = npt.NDArray[np.float64]
Counts = npt.NDArray[np.int64]

_UNITS: Final = ((1.0, "µs", 1e3), (1e3, "ms", 1.0), (math.inf, "s", 1e-3))


class Plot(StrEnum):
    """One of the plots; its value is its name in settings and for files."""

    TIME = "time"
    COUNTS = "counts"
    SIZES = "sizes"

    @property
    def name_shown(self) -> str:
        """Its name on a button."""
        return {"time": "Time", "counts": "Cells", "sizes": "Sizes"}[self.value]

    @property
    def help(self) -> str:
        """What it shows, in a sentence."""
        return {
            "time": "How long each stage took",
            "counts": "Roots, changed cells and cells with a wrong root, after each step",
            "sizes": "How many components have which size",
        }[self.value]


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
        Cells that do not lead to their final root; NaN where that was not counted.
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
    """

    edges: Floats
    counts: Counts


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


class Plots(Model):
    """Which plot is shown, and its figures.

    Fields: "shown", "logarithmic", "figures" (other figures), "position" (another step).

    Attributes
    ----------
    shown : Plot
        The plot that is shown.
    logarithmic : bool
        Whether counts have a logarithmic axis.
    """

    def __init__(self, analysis: RunAnalysis, view: ViewState) -> None:
        super().__init__()
        self._analysis = analysis
        self._view = view
        self.shown = Plot.TIME
        self.logarithmic = True
        analysis.changed.connect(self._on_analysis_changed)
        view.changed.connect(self._on_view_changed)

    def close(self) -> None:
        """Follow nobody any more."""
        self._analysis.changed.disconnect(self._on_analysis_changed)
        self._view.changed.disconnect(self._on_view_changed)
        super().close()

    def show(self, plot: Plot) -> None:
        """Show another plot."""
        if plot is not self.shown:
            self.shown = plot
            self._announce("shown")

    def set_logarithmic(self, on: bool) -> None:
        """Choose the axis of counts."""
        if on != self.logarithmic:
            self.logarithmic = on
            self._announce("logarithmic")

    @property
    def hint(self) -> str:
        """Why there is no plot; empty if there is one."""
        if self._analysis.recording is None:
            return "Run an algorithm to see its times and counts."
        if Conceal.TABLES in self._analysis.conceal:
            return WITHHELD
        if self.shown is Plot.TIME and not self.times:
            return "No times were taken in this run."
        if self.shown is Plot.SIZES and self.sizes is None:
            return "The sizes are shown once the run has ended."
        return ""

    @property
    def times(self) -> tuple[StageTime, ...]:
        """Times of the stages, with their spread if that was measured; empty without times."""
        recording = self._analysis.recording
        return () if recording is None else stage_times(recording, self._analysis.timing)

    @property
    def timed_by(self) -> str:
        """``" emulator"`` behind times of the emulator; empty for a GPU."""
        recording = self._analysis.recording
        return "" if recording is None else timed_by(recording.device)

    @property
    def counts(self) -> StepCounts:
        """Counts after each step."""
        recording = self._analysis.recording
        if recording is None:
            nothing = np.zeros(0)
            return StepCounts(np.zeros(0, np.int64), nothing, nothing, nothing)
        return step_counts(recording, self._analysis.wrong, self._analysis.display.count)

    @property
    def position(self) -> int:
        """The step on display, from 0."""
        return self._analysis.display.index

    def go_to(self, step: int) -> None:
        """Show a step, from 0."""
        self._analysis.display.go_to(step)

    @property
    def sizes(self) -> Counts | None:
        """Cells of each component, shape (components,); None while they are not known."""
        components = self._analysis.display.components
        return None if components is None else components.areas[1:]

    @property
    def pinned_size(self) -> int | None:
        """Cells of the pinned component; None if none is pinned."""
        components, pin = self._analysis.display.components, self._view.pin
        found = None if components is None or pin is None else components.at(pin.cell)
        return None if found is None else found.area

    def table(self) -> Table:
        """Return the figures of the plot that is shown as rows."""
        if self.shown is Plot.TIME:
            columns = "stage", "launches", "milliseconds", "lower quartile", "upper quartile"
            times = self.times
            return Table(
                columns,
                tuple((str(t.stage), t.launches, t.milliseconds, t.lower, t.upper) for t in times),
            )
        if self.shown is Plot.COUNTS:
            counts = self.counts
            wrong = (None if math.isnan(cells) else int(cells) for cells in counts.wrong)
            known = (counts.steps, counts.changed.astype(int), counts.roots.astype(int))
            rows = zip(*(values.tolist() for values in known), wrong, strict=True)
            return Table(("step", "changed cells", "roots", "cells with a wrong root"), tuple(rows))
        sizes = np.zeros(0, np.int64) if self.sizes is None else self.sizes
        cells, components = np.unique(sizes, return_counts=True)
        rows = zip(cells.tolist(), components.tolist(), strict=True)
        return Table(("cells", "components"), tuple(rows))

    def _on_analysis_changed(self, fields: frozenset[str]) -> None:
        if fields & {"display", "recording", "count", "metrics", "timing", "conceal"}:
            self._announce("figures")
        if "index" in fields:
            self._announce("position")

    def _on_view_changed(self, fields: frozenset[str]) -> None:
        if "pin" in fields:
            self._announce("figures")


def stage_times(recording: Recording, timing: RunTiming | None = None) -> tuple[StageTime, ...]:
    """Return the time of each stage, in the order in which the stages first occur.

    Parameters
    ----------
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


def step_counts(recording: Recording, wrong: Floats, count: int | None = None) -> StepCounts:
    """Return what was counted after each step.

    Parameters
    ----------
    wrong : ndarray of float64
        Wrong cells after each step, NaN where not known; it may be shorter than the run.
    count : int or None
        Steps to take into account; None for all.
    """
    counted = series(recording)
    length = len(counted.roots) if count is None else min(count, len(counted.roots))
    known = np.full(length, np.nan)
    known[: min(length, len(wrong))] = wrong[:length]
    return StepCounts(
        steps=np.arange(1, length + 1, dtype=np.int64),
        changed=counted.changed[:length].astype(np.float64),
        roots=counted.roots[:length].astype(np.float64),
        wrong=known,
    )


def bin_sizes(sizes: Counts) -> SizeBins:
    """Sort components into bins by their size, of 1 or more cells."""
    if not sizes.size:
        return SizeBins(np.ones(1), np.zeros(0, np.int64))
    bins = int(sizes.max()).bit_length()
    # Exact, unlike logarithms: a size of 2^k has k + 1 binary digits.
    place = np.frexp(sizes.astype(np.float64))[1] - 1
    counts = np.bincount(place, minlength=bins).astype(np.int64)
    return SizeBins(np.exp2(np.arange(bins + 1)), counts)


def log_ticks(largest: float) -> tuple[tuple[float, str], ...]:
    """Return where an axis of ``log10(1 + count)`` has ticks, and what they say."""
    counts = [0, *(10**power for power in range(len(str(int(max(largest, 1))))))]
    return tuple((math.log10(1 + count), f"{count:,}") for count in counts)


def write_table(path: Path, table: Table) -> None:
    """Write a table as CSV; an existing file is replaced once the new one is whole.

    Raises
    ------
    InputError
        If the file cannot be written.
    """
    with replacing(path) as beside, beside.open("w", newline="", encoding="utf-8") as file:
        write_rows(file, chain([table.columns], table.rows))
