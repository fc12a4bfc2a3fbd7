"""The plots of a run: time by stage, and counts over steps; their figures."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from enum import StrEnum
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ccl_viewer.export.tables import write_rows
from ccl_viewer.files import replacing
from ccl_viewer.recording.metrics import StageSum, stage_sums
from ccl_viewer.session.analysis import WITHHELD, Conceal, RunAnalysis
from ccl_viewer.session.model import Model

Floats = npt.NDArray[np.float64]


class Plot(StrEnum):
    """One of the plots; its value is its name in settings and for files."""

    TIME = "time"
    COUNTS = "counts"

    @property
    def button(self) -> str:
        return {"time": "Time", "counts": "Cells"}[self.value]

    @property
    def help(self) -> str:
        return {
            "time": "How long each stage took",
            "counts": "Roots, changed cells and cells with a wrong root, after each step",
        }[self.value]


class Plots(Model):
    """Which plot is shown, and its figures.

    Fields: "shown", "logarithmic" (the axis of counts), "figures" (other figures), "position"
    (another step).
    """

    def __init__(self, analysis: RunAnalysis) -> None:
        super().__init__()
        self.analysis = analysis
        self.shown = Plot.TIME
        self.logarithmic = True
        analysis.changed.connect(self._on_analysis_changed)

    def show(self, plot: Plot) -> None:
        self._set(shown=plot)

    def set_logarithmic(self, on: bool) -> None:
        self._set(logarithmic=on)

    @property
    def hint(self) -> str:
        """Why there is no plot; empty if there is one."""
        if self.analysis.recording is None:
            return "Run an algorithm to see its times and counts."
        if Conceal.TABLES in self.analysis.conceal:
            return WITHHELD
        if self.shown is Plot.TIME and not self.times:
            return "No times were taken in this run."
        return ""

    @property
    def times(self) -> tuple[StageSum, ...]:
        """The stages that were timed, in the order in which they first occur."""
        recording = self.analysis.recording
        sums = () if recording is None else stage_sums(recording)
        return tuple(one for one in sums if not math.isnan(one.milliseconds))

    @property
    def counts(self) -> dict[str, Floats]:
        """Counts after each step, shape (steps,), by their names; wrong roots NaN if not known."""
        timeline, recording = self.analysis.timeline(), self.analysis.recording
        steps = () if recording is None else recording.steps[: len(timeline)]
        changed = np.array([step.changed for step in steps], np.float64)
        counts = {"changed": changed, "roots": timeline.roots, "wrong root": timeline.wrong}
        if np.isnan(timeline.wrong).all():
            del counts["wrong root"]
        return counts

    def table(self) -> list[Sequence[str | float | None]]:
        """Return the figures of the plot that is shown as rows, the headings first."""
        match self.shown:
            case Plot.TIME:
                rows = ((one.stage, one.launches, one.milliseconds) for one in self.times)
                return [("stage", "launches", "milliseconds"), *rows]
            case Plot.COUNTS:
                counts = self.counts
                values = np.stack([*counts.values()], axis=1).tolist()
                known = ([None if math.isnan(one) else int(one) for one in row] for row in values)
                return [("step", *counts), *((step, *row) for step, row in enumerate(known, 1))]

    def _on_analysis_changed(self, fields: frozenset[str]) -> None:
        if fields & {"display", "recording", "count", "metrics", "conceal"}:
            self._announce("figures")
        if "index" in fields:
            self._announce("position")


def log_ticks(largest: float) -> tuple[tuple[float, str], ...]:
    """Return where an axis of ``log10(1 + count)`` has ticks, and what they say."""
    counts = [0, *(10**power for power in range(len(str(int(max(largest, 1))))))]
    return tuple((math.log10(1 + count), f"{count:,}") for count in counts)


def write_table(path: Path, rows: Iterable[Iterable[object]]) -> None:
    """Write rows as CSV; an existing file is replaced once the new one is whole, or not at all."""
    with replacing(path) as beside, beside.open("w", newline="", encoding="utf-8") as file:
        write_rows(file, rows)
