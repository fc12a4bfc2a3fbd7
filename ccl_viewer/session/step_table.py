"""The table of steps: its rows and columns, the sums by stage, and both as CSV."""

from __future__ import annotations

import io
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from types import MappingProxyType
from typing import Final

from ccl_viewer.counted import TimeScale, duration, scale_of
from ccl_viewer.export.tables import write_rows
from ccl_viewer.recording import Step
from ccl_viewer.recording.metrics import StageSum, sums_by_stage
from ccl_viewer.recording.timing import Spread, StepTiming
from ccl_viewer.session.analysis import RunAnalysis
from ccl_viewer.session.source import shape_of

_UNKNOWN: Final = "\N{EN DASH}"

HEADINGS: Final = (
    "step",
    "iteration",
    "level",
    "stage",
    "kernel",
    "blocks",
    "threads",
    "device",
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

SUM_TITLES: Final = ("Stage", "Time", "Share", "Launches", "Changed")
"""Columns of the sums by stage."""


@dataclass(frozen=True)
class Row:
    """All that is known of a step.

    Parameters
    ----------
    device : str
        What ran it, as recordings name it.
    timing : StepTiming or None
        Its times over repeated runs; None if they were not measured.
    merged, wrong : int or None
        Roots that it joined to others, and wrong cells after it; None if not known.
    scale : TimeScale
        How its time is written, as those of the other steps.
    """

    step: Step
    device: str = ""
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
        """Its time with its unit, and how it varies if that was measured."""
        if self.spread is None:
            return self.scale.write(self.milliseconds, _UNKNOWN)
        return self.scale.write_around(self.spread.median, self.spread.margin, _UNKNOWN)

    @property
    def tip(self) -> str:
        """More about the step, in lines."""
        lines = [f"{self.step.kernel}, {launch_shape(self.step)} threads", self.step.caption]
        if self.timing is not None:
            spread, where = self.timing.spread, "emulator" if timed_by(self.device) else "GPU"
            lines.append(
                f"{self.timing.runs:,} runs on the {where}: median {duration(spread.median)}, "
                f"minimum {duration(spread.minimum)}, maximum {duration(spread.maximum)}"
            )
            middle = f"{duration(spread.lower)} to {duration(spread.upper)}"
            lines.append(f"The middle half of them: {middle}")
        return "\n".join(lines)


@dataclass(frozen=True)
class Column:
    """A column of the table.

    Parameters
    ----------
    title, tip : str
        Over it, and in its tooltip.
    text : callable
        Returns what it shows of a row.
    words : bool
        Whether it shows words, which begin at the left, and not numbers.
    usual : bool
        Whether it is shown if nobody chose.
    """

    title: str
    tip: str
    text: Callable[[Row], str]
    words: bool = False
    usual: bool = True


COLUMNS: Final[Mapping[str, Column]] = MappingProxyType(
    {
        "step": Column("Step", "Place in the recording", lambda row: f"{row.step.index + 1:,}"),
        "iteration": Column(
            "Iter.", "Round of the convergence loop", lambda row: _count(row.step.iteration)
        ),
        "level": Column("Level", "Level of the merge", lambda row: _count(row.step.level)),
        "stage": Column(
            "Stage", "What the launch is for", lambda row: str(row.step.stage), words=True
        ),
        "time": Column("Time", "Time of the launch on the device", lambda row: row.time),
        "changed": Column(
            "Changed",
            "Cells whose label the launch changed",
            lambda row: f"{row.step.changed:,}",
        ),
        "roots": Column(
            "Roots", "Cells that are their own parent: trees", lambda row: f"{row.step.roots:,}"
        ),
        "merged": Column(
            "Merged",
            "Roots that the launch joined to others",
            lambda row: _count(row.merged),
            usual=False,
        ),
        "wrong": Column(
            "Wrong", "Cells that do not lead to their final root", lambda row: _count(row.wrong)
        ),
        "kernel": Column(
            "Kernel", "Name of the kernel", lambda row: short_kernel(row.step), words=True
        ),
        "launch": Column(
            "Launch", "Blocks of threads", lambda row: launch_shape(row.step), usual=False
        ),
        "atomics": Column(
            "Atomics",
            "Calls of atomic functions by all threads of the launch; not counted on a GPU",
            lambda row: _count(row.step.atomics),
            usual=False,
        ),
    }
)
"""All columns by name, in their order."""


def row_at(analysis: RunAnalysis, index: int) -> Row:
    """Return what is known of a step of the run on display."""
    recording = analysis.recording
    if recording is None:
        raise IndexError(index)
    return Row(
        recording.step(index),
        recording.device,
        analysis.timing_at(index),
        analysis.merged_at(index),
        analysis.wrong_at(index),
        analysis.time_scale,
    )


def usual_columns(steps: Sequence[Step]) -> frozenset[str]:
    """Return the columns that are shown if nobody chose: those with something in them."""
    absent = {
        name
        for name in ("iteration", "level")
        if not any(getattr(step, name) is not None for step in steps)
    }
    return frozenset(name for name, column in COLUMNS.items() if column.usual) - absent


def sums_of(rows: Iterable[Row]) -> tuple[StageSum, ...]:
    """Return the sums of each stage, in the order in which the stages first occur."""
    return sums_by_stage((row.step, row.milliseconds) for row in rows)


def sum_texts(sums: Sequence[StageSum]) -> list[tuple[str, ...]]:
    """Return the sums as texts, in the order of :data:`SUM_TITLES`."""
    scale = scale_of(found.milliseconds for found in sums)
    return [
        (
            str(found.stage),
            scale.write(found.milliseconds, _UNKNOWN),
            _UNKNOWN if math.isnan(found.share) else f"{found.share:.0%}",
            f"{found.launches:,}",
            f"{found.changed:,}",
        )
        for found in sums
    ]


def total_text(analysis: RunAnalysis) -> str:
    """Return the time of the whole run on display, in a few words; empty without one."""
    recording, timing = analysis.recording, analysis.timing
    if recording is None:
        return ""
    source = timed_by(recording.device)
    if timing is not None:
        return f"{duration(timing.total.median)}{source} in all, median of {timing.runs} runs"
    total = recording.milliseconds
    return "" if math.isnan(total) else f"{duration(total)}{source} in all"


def timed_by(device: str) -> str:
    """Return what stands behind a time: that it is the emulator's, or nothing for a GPU's."""
    return " emulator" if device == "emulator" else ""


def short_kernel(step: Step) -> str:
    """Return the kernel's name without that of its module, which all steps have in common."""
    return step.kernel.removeprefix(f"{step.module}_")


def launch_shape(step: Step) -> str:
    """Return how many blocks of how many threads a launch has, without dimensions of 1."""
    return f"{shape_of(step.grid)} of {shape_of(step.block)}"


def as_csv(rows: Iterable[Row]) -> str:
    """Return rows as CSV with a line of headings; what is not known is empty."""
    text = io.StringIO()
    write_rows(text, chain([HEADINGS], (_values(row) for row in rows)))
    return text.getvalue()


def _count(number: int | None) -> str:
    return _UNKNOWN if number is None else f"{number:,}"


def _values(row: Row) -> tuple[object, ...]:
    step, spread = row.step, row.spread
    times: tuple[object, ...] = ("",) * 5
    if spread is not None:
        times = (spread.median, spread.lower, spread.upper, spread.minimum, spread.maximum)
    known = (
        "" if value is None else value for value in (step.iteration, step.level, str(step.stage))
    )
    return (
        step.index + 1,
        *known,
        step.kernel,
        "x".join(str(side) for side in step.grid),
        "x".join(str(side) for side in step.block),
        row.device,
        "" if math.isnan(step.milliseconds) else step.milliseconds,
        *times,
        step.changed,
        step.roots,
        *("" if value is None else value for value in (row.merged, row.wrong, step.atomics)),
    )
