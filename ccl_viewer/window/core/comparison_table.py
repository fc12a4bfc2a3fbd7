"""The table of a comparison: a row for each run."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from ccl_viewer.export.tables import csv_text
from ccl_viewer.recording import Recording
from ccl_viewer.support.units import TimeScale, duration, nbytes_text, time_scale_for
from ccl_viewer.window.core.run_display import RunStatus, StatusKind, describe_run

NOT_COUNTED: Final = "not counted"
"""Shown for a number that was not counted: on a GPU, or in a recording without counts."""

NO_VALUE: Final = "\N{EM DASH}"
_VERDICTS: Final = {
    StatusKind.OK: "correct",
    StatusKind.ERROR: "wrong",
    StatusKind.WARNING: "not finished",
    StatusKind.BUSY: "running",
}
_AND: Final = " and "  # joins names, which contain commas

COLUMNS: Final = {
    "Run": "The algorithm, and how it differs from the other runs",
    "Verdict": "Whether the labels are correct",
    "Launches": "Kernel launches",
    "Iterations": "Rounds of the convergence loop; direct methods have none",
    "Changed": "Cells changed by the launches; two changes of a cell count twice",
    "Atomics": "Atomic operations of all threads; a GPU does not count them",
    "Moved": "Device memory moved by all launches, in whole sectors: the emulator's count",
    "Coalesced": "Share of the moved bytes that warps requested: the emulator's count",
    "Last change": "The last launch that changed a label",
    "Time": "All launches together, in this run",
}
"""The columns and their tooltips."""


@dataclass(frozen=True)
class ResultRow:
    """The figures of a run, and how it ended.

    `milliseconds` of all launches are NaN if they were not timed. `last_change` is the number of
    the last launch that changed a label; None until the run has ended. `awaits` says why a new run
    is due: then the figures are of an earlier run, or there are no launches yet.
    """

    name: str
    device: str
    emulated: bool
    connectivity: int
    launches: int
    iterations: int
    milliseconds: float
    changed: int
    last_change: int | None
    verdict: RunStatus
    atomics: int | None = None
    nbytes: int | None = None
    coalescing: float | None = None
    awaits: str = ""

    @classmethod
    def to_come(cls, name: str, awaits: str) -> ResultRow:
        """Return the row of a run that is not there yet."""
        nothing = RunStatus(StatusKind.NONE, "")
        return cls(name, "", False, 0, 0, 0, math.nan, 0, None, nothing, awaits=awaits)

    @classmethod
    def of(cls, recording: Recording, name: str, *, growing: bool, awaits: str = "") -> ResultRow:
        """Return the row of a run as far as it is recorded."""
        steps = recording.steps
        moved = recording.ledger
        last = max((step.index for step in steps if step.changed), default=-1)
        return cls(
            name=name,
            device=recording.device_title,
            emulated=recording.emulated,
            connectivity=recording.connectivity,
            launches=len(steps),
            iterations=recording.iterations,
            milliseconds=recording.milliseconds,
            changed=sum(step.changed for step in steps),
            last_change=last + 1 if recording.complete else None,
            verdict=describe_run(recording, growing=growing),
            atomics=recording.atomics,
            nbytes=moved.transferred_bytes if moved else None,
            coalescing=moved.coalescing if moved else None,
            awaits=awaits,
        )

    @property
    def has_times(self) -> bool:
        return not math.isnan(self.milliseconds)


def table_of(rows: Sequence[ResultRow]) -> list[tuple[str, ...]]:
    """Return the table as text, in the order of :data:`COLUMNS`."""
    scale = time_scale_for(row.milliseconds for row in rows)
    return [_texts_of(row, scale) for row in rows]


def _texts_of(row: ResultRow, scale: TimeScale) -> tuple[str, ...]:
    verdict = row.awaits or _VERDICTS.get(row.verdict.kind, "")
    if not row.launches:
        return (row.name, verdict, *[NO_VALUE] * (len(COLUMNS) - 2))
    return (
        row.name,
        verdict,
        f"{row.launches:,}",
        f"{row.iterations:,}",
        f"{row.changed:,}",
        NOT_COUNTED if row.atomics is None else f"{row.atomics:,}",
        NOT_COUNTED if row.nbytes is None else nbytes_text(row.nbytes),
        NOT_COUNTED if row.coalescing is None else f"{row.coalescing:.0%}",
        NO_VALUE if row.last_change is None else f"{row.last_change:,}",
        duration(row.milliseconds, emulated=row.emulated, scale=scale),
    )


def csv_of(rows: Sequence[ResultRow]) -> str:
    """Return the rows of runs that are up to date as CSV, the first line naming the columns."""
    return csv_text([_csv_row(row) for row in rows if not row.awaits])


def _csv_row(row: ResultRow) -> dict[str, object]:
    return {
        "run": row.name,
        "device": row.device,
        "emulated": str(row.emulated).lower(),
        "connectivity": row.connectivity,
        "launches": row.launches,
        "iterations": row.iterations,
        "milliseconds": "" if math.isnan(row.milliseconds) else f"{row.milliseconds:.6g}",
        "atomics": row.atomics,
        "emulator_bytes_moved": row.nbytes,
        "emulator_coalescing": row.coalescing,
        "changed_cells": row.changed,
        "settled_after_launches": row.last_change,
        "verdict": row.verdict.text,
    }


def notes_of(rows: Sequence[ResultRow]) -> str:
    """Return notes on how to read the times."""
    notes = []
    if any(row.emulated and row.has_times for row in rows):
        counted = any(row.nbytes is not None for row in rows)
        instead = "compare the counts" if counted else "press Count, and compare the counts"
        notes.append(f"Times of the emulator say nothing about a GPU; {instead} instead.")
    if any(row.launches and row.atomics is None and not row.emulated for row in rows):
        notes.append("A GPU does not count atomic operations.")
    return " ".join(notes)


def headline_of(rows: Sequence[ResultRow]) -> str:
    """Return the main result of a table, in a line.

    Counts of correct runs are ranked, and times on a GPU. Times of the emulator are never ranked.
    Out-of-date runs do not count.
    """
    all_done = not any(row.awaits for row in rows)
    rows = [row for row in rows if not row.awaits]
    right = [row for row in rows if row.verdict.kind is StatusKind.OK]
    loops = [row for row in right if row.iterations]
    parts = [
        _fewest("launches", right, [row.launches for row in right]),
        _fewest("iterations", loops, [row.iterations for row in loops]),
    ]
    on_gpu = [row for row in right if row.has_times and not row.emulated]
    if len(on_gpu) > 1:
        first = min(on_gpu, key=lambda row: row.milliseconds)
        parts.append(f"fastest on the GPU: {first.name} ({duration(first.milliseconds)})")
    wrong = [row.name for row in rows if row.verdict.kind is StatusKind.ERROR]
    if wrong:
        parts.append(f"wrong: {_AND.join(wrong)}")
    elif rows and all_done and len(right) == len(rows):
        parts.append("all correct")
    text = "; ".join(part for part in parts if part)
    return text[:1].upper() + text[1:]


def _fewest(noun: str, rows: Sequence[ResultRow], counts: Sequence[int]) -> str:
    """Say which runs have the fewest of something; nothing if all are equal."""
    if len(set(counts)) < 2:
        return ""
    best = [row.name for row, count in zip(rows, counts, strict=True) if count == min(counts)]
    return f"fewest {noun}: {_AND.join(best)} ({min(counts):,})"
