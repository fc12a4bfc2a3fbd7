"""Figures for the plots of a run: time by stage, and counts over steps."""

from __future__ import annotations

import math
from enum import StrEnum
from functools import partial
from typing import Final

import numpy as np
from psygnal import Signal

from ccl_viewer.export.tables import csv_text
from ccl_viewer.lessons.hidden_answers import HiddenInformation
from ccl_viewer.recording.metrics import StageSum, sum_stages
from ccl_viewer.window.core.analysis import HIDDEN_TEXT, Floats, RunAnalysis
from ccl_viewer.window.core.model import Model, watch


class PlotKind(StrEnum):
    """A plot; the value is its name in settings and files."""

    TIME = "time"
    COUNTS = "counts"


PLOTS: Final = {
    PlotKind.TIME: ("Time", "How long each stage took"),
    PlotKind.COUNTS: ("Cells", "Roots, changed cells and cells with a wrong root, after each step"),
}
"""The plots: title of the button, and tooltip."""


class Plots(Model):
    """The plot on display, and its figures."""

    shown_changed = Signal()
    logarithmic_changed = Signal()  # the axis of counts
    figures_changed = Signal()
    position_changed = Signal()  # another step

    def __init__(self, analysis: RunAnalysis) -> None:
        super().__init__()
        self.analysis = analysis
        self.shown = PlotKind.TIME
        self.logarithmic = True
        watch(
            partial(self._announce, self.figures_changed),
            analysis.display_changed,
            analysis.recording_changed,
            analysis.count_changed,
            analysis.metrics_changed,
            analysis.hidden_answers_changed,
        )
        analysis.index_changed.connect(partial(self._announce, self.position_changed))

    def show(self, plot: PlotKind) -> None:
        self._set(self.shown_changed, plot)

    def set_logarithmic(self, on: bool) -> None:
        self._set(self.logarithmic_changed, on)

    @property
    def empty_text(self) -> str:
        """Why no plot is shown; empty if one is."""
        if self.analysis.recording is None:
            return "Run an algorithm to see its times and counts."
        if HiddenInformation.TABLES in self.analysis.hidden_answers:
            return HIDDEN_TEXT
        if self.shown is PlotKind.TIME and not self.stage_times:
            return "No times were taken in this run."
        return ""

    @property
    def stage_times(self) -> tuple[StageSum, ...]:
        """The stages and levels with times, in the order in which they first occur."""
        recording = self.analysis.recording
        sums = () if recording is None else sum_stages(recording)
        return tuple(one for one in sums if not math.isnan(one.milliseconds))

    @property
    def counts(self) -> dict[str, Floats]:
        """Counts after each step, shape (steps,), by name; wrong roots are NaN if not known."""
        recording, wrong = self.analysis.recording, self.analysis.timeline().wrong
        steps = () if recording is None else recording.steps[: len(wrong)]
        counts = {
            "changed": np.array([step.changed for step in steps], np.float64),
            "roots": np.array([step.roots for step in steps], np.float64),
        }
        return counts if np.isnan(wrong).all() else {**counts, "wrong root": wrong}

    def csv(self) -> str:
        """Return the figures of the plot on display."""
        if self.shown is PlotKind.TIME:
            names = "stage", "level", "launches", "milliseconds"
            return csv_text(
                [{name: getattr(one, name) for name in names} for one in self.stage_times]
            )
        columns = {
            name: [None if math.isnan(count) else int(count) for count in counts]
            for name, counts in self.counts.items()
        }
        rows = enumerate(zip(*columns.values(), strict=True), 1)
        return csv_text([{"step": n, **dict(zip(columns, row, strict=True))} for n, row in rows])


def log_ticks(largest: float) -> tuple[tuple[float, str], ...]:
    """Return the ticks of an axis of ``log10(1 + count)``, and their labels."""
    counts = [0, *(10**power for power in range(len(str(int(max(largest, 1))))))]
    return tuple((math.log10(1 + count), f"{count:,}") for count in counts)
