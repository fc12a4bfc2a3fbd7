"""The table of steps: what is known of each, its sums by stage, and both as CSV."""

from __future__ import annotations

import io
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain

from ccl_viewer.counted import TimeScale
from ccl_viewer.export.tables import write_rows
from ccl_viewer.recording import Step
from ccl_viewer.recording.metrics import StageSum, sums_by_stage
from ccl_viewer.recording.timing import Spread, StepTiming

HEADINGS = (
    "step",
    "iteration",
    "level",
    "stage",
    "kernel",
    "blocks",
    "threads",
    "milliseconds",
    "median_ms",
    "lower_quartile_ms",
    "upper_quartile_ms",
    "minimum_ms",
    "maximum_ms",
    "changed",
    "roots",
    "merged",
    "wrong",
    "atomics",
)
"""Columns of the CSV file."""


@dataclass(frozen=True)
class Row:
    """All that is known of a step.

    Parameters
    ----------
    step : Step
        What was recorded.
    timing : StepTiming or None
        Its times over repeated runs; None if they were not measured.
    merged : int or None
        Roots that it hooked to others; None while that is not counted.
    wrong : int or None
        Wrong cells after it; None while, or where, that is not counted.
    scale : TimeScale
        How its time is written, as those of the other steps.
    """

    step: Step
    timing: StepTiming | None = None
    merged: int | None = None
    wrong: int | None = None
    scale: TimeScale = field(default_factory=TimeScale)

    @property
    def spread(self) -> Spread | None:
        """How its times vary."""
        return None if self.timing is None else self.timing.spread

    @property
    def milliseconds(self) -> float:
        """Its time: the median of the measured ones, or else the recorded one, which may be NaN."""
        return self.step.milliseconds if self.spread is None else self.spread.median

    @property
    def time(self) -> str:
        """Its time in words."""
        return self.scale.write(self.milliseconds)


def sums_of(rows: Sequence[Row]) -> tuple[StageSum, ...]:
    """Return the sums of each stage, in the order in which the stages first occur."""
    return sums_by_stage((row.step, row.milliseconds) for row in rows)


def as_csv(rows: Iterable[Row]) -> str:
    """Return rows as CSV with a line of headings; what is not known is empty."""
    text = io.StringIO()
    write_rows(text, chain([HEADINGS], (_values(row) for row in rows)))
    return text.getvalue()


def _values(row: Row) -> tuple[object, ...]:
    step, spread = row.step, row.spread
    times: tuple[object, ...] = ("",) * 5
    if spread is not None:
        times = (spread.median, spread.lower, spread.upper, spread.minimum, spread.maximum)
    return (
        step.index + 1,
        _known(step.iteration),
        _known(step.level),
        str(step.stage),
        step.kernel,
        "x".join(str(side) for side in step.grid),
        "x".join(str(side) for side in step.block),
        "" if math.isnan(step.milliseconds) else step.milliseconds,
        *times,
        step.changed,
        step.roots,
        _known(row.merged),
        _known(row.wrong),
        _known(step.atomics),
    )


def _known(count: int | None) -> object:
    return "" if count is None else count
