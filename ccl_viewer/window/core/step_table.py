"""The table of steps: its rows and columns, also as CSV."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Final

from ccl_viewer.execution.ledger import LaunchLedger
from ccl_viewer.export.tables import csv_text, make_step_fields
from ccl_viewer.recording import Step
from ccl_viewer.support.units import TimeScale, duration, nbytes_text
from ccl_viewer.window.core.analysis import RunAnalysis
from ccl_viewer.window.core.kernel_source import extent_text

_UNKNOWN: Final = "\N{EN DASH}"
MEASURING: Final = "measuring"
"""Shown for a time that is not known yet."""
_VARIES: Final = 0.1  # middle halves of times up to this share of the median are not shown


@dataclass(frozen=True)
class StepRow:
    """All that is known about a step."""

    step: Step
    device: str = ""  # the device of the run, as recordings name it
    merged: int | None = None  # roots merged into other trees
    wrong: int | None = None  # wrong cells after it
    scale: TimeScale = field(default_factory=TimeScale)  # how the times of all steps are written
    measuring: bool = False  # whether the time is still to come

    @property
    def time(self) -> str:
        """The time of the step, with its variation where that matters."""
        spread = self.step.spread
        if self.measuring:
            return MEASURING
        text = self.scale.number(self.step.milliseconds, _UNKNOWN)
        if spread is None or spread.upper - spread.lower <= _VARIES * spread.median:
            return text
        return f"{text} \N{PLUS-MINUS SIGN} {self.scale.number((spread.upper - spread.lower) / 2)}"

    @property
    def tip(self) -> str:
        """More about the step, in lines."""
        lines = [f"{self.step.kernel}, {launch_shape(self.step)} threads", self.step.caption]
        spread = self.step.spread
        if spread is not None:
            low, middle, high = map(self.scale.write, (spread.lower, spread.median, spread.upper))
            lines.append(f"Time: median {middle}; half of the runs took {low} to {high}")
        return "\n".join(lines)


@dataclass(frozen=True)
class Column:
    """A column of the table: title, tip, and its value in a row: words or a number."""

    title: str
    tip: str
    text: Callable[[StepRow], str]
    words: bool = False


def _count(number: int | None) -> str:
    return _UNKNOWN if number is None else f"{number:,}"


def short_kernel(step: Step) -> str:
    """Return the kernel's name without the module's, which all steps share."""
    return step.kernel.removeprefix(f"{step.module}_")


def launch_shape(step: Step) -> str:
    """Return the numbers of blocks and threads of a launch, without trailing dimensions of 1."""
    return f"{extent_text(step.grid)} of {extent_text(step.block)}"


_CHANGED: Final = "Cells whose label the launch changed"
_ATOMICS: Final = "Calls of atomic functions by all threads of the launch; not counted on a GPU"

_BYTES: Final = "Device memory that the launch moved, in whole sectors: the emulator's count"
_COALESCING: Final = "Share of the moved bytes that warps requested: the emulator's count"


def bytes_text(ledger: LaunchLedger | None) -> str:
    """Return how much memory a launch moved, with its unit."""
    return _UNKNOWN if ledger is None else nbytes_text(ledger.transferred_bytes)


def coalescing_text(ledger: LaunchLedger | None) -> str:
    """Return how much of the memory that a launch moved was needed."""
    return (
        _UNKNOWN if ledger is None or not ledger.transferred_bytes else f"{ledger.coalescing:.0%}"
    )


COLUMNS: Final = {
    "step": Column("Step", "Place in the recording", lambda row: f"{row.step.index + 1:,}"),
    "stage": Column("Stage", "What the launch is for", lambda row: str(row.step.stage), words=True),
    "time": Column(
        "Time",
        "Time of the launch on the device; on a GPU the median of several runs, and half of the "
        "range of the middle half where that is more than a tenth",
        lambda row: row.time,
    ),
    "iteration": Column(
        "Iter.", "Round of the convergence loop", lambda row: _count(row.step.iteration)
    ),
    "level": Column("Level", "Level of the merge", lambda row: _count(row.step.level)),
    "changed": Column("Changed", _CHANGED, lambda row: f"{row.step.changed:,}"),
    "roots": Column("Roots", "Cells that are their own parent", lambda row: f"{row.step.roots:,}"),
    "wrong": Column("Wrong", "Cells with a wrong root", lambda row: _count(row.wrong)),
    "merged": Column("Merged", "Roots joined to others", lambda row: _count(row.merged)),
    "kernel": Column(
        "Kernel", "Name of the kernel", lambda row: short_kernel(row.step), words=True
    ),
    "launch": Column("Launch", "Blocks of threads", lambda row: launch_shape(row.step)),
    "atomics": Column("Atomics", _ATOMICS, lambda row: _count(row.step.atomics)),
    "bytes": Column("Moved", _BYTES, lambda row: bytes_text(row.step.ledger)),
    "coalescing": Column("Coalesced", _COALESCING, lambda row: coalescing_text(row.step.ledger)),
}
"""All columns by name, those that matter most first."""


def row_at(analysis: RunAnalysis, index: int) -> StepRow:
    """Return what is known of a step of the run on display."""
    recording = analysis.recording
    if recording is None:
        raise IndexError(index)
    return StepRow(
        recording.step(index),
        recording.device,
        analysis.merged_count_at(index),
        analysis.wrong_count_at(index),
        analysis.time_scale,
        analysis.measuring_times,
    )


def filled_columns(analysis: RunAnalysis) -> frozenset[str]:
    """Return the columns that have values for the run."""
    steps = () if analysis.recording is None else analysis.recording.steps
    uncounted = all(step.ledger is None for step in steps)
    left_out = {
        "iteration": all(step.iteration is None for step in steps),
        "level": all(step.level is None for step in steps),
        "atomics": all(step.atomics is None for step in steps),
        "bytes": uncounted,
        "coalescing": uncounted,
    }
    return frozenset(name for name in COLUMNS if not left_out.get(name))


def times_text(analysis: RunAnalysis) -> str:
    """Return how the times of the table were taken, and their sum; empty without a run."""
    recording = analysis.recording
    if recording is None:
        return ""
    times = [step.milliseconds for step in recording.steps if not math.isnan(step.milliseconds)]
    if analysis.measuring_times:
        return "Times are being measured"
    if not times:
        return "No times were taken"
    time = "Emulator time" if recording.emulated else "Time"
    # A failed launch has no time.
    of = "in all" if len(times) == len(recording) else "for the launches that ended"
    return f"{time} in {analysis.time_scale.unit}, {duration(sum(times))} {of}"


def as_csv(rows: Iterable[StepRow]) -> str:
    """Return rows as CSV with a header line; unknown values are empty."""
    return csv_text([_fields_of(row) for row in rows])


def _fields_of(row: StepRow) -> dict[str, object]:
    facts = {"device": row.device, "merged": row.merged, "wrong": row.wrong}
    return {**make_step_fields(row.step), **facts}
