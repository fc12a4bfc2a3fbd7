"""The table of a comparison: a row for each run, and what changed since a baseline."""

from __future__ import annotations

import io
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final

from ccl_viewer.counted import TimeScale, scale_of
from ccl_viewer.export.tables import write_rows
from ccl_viewer.recording import Recording, RunTiming
from ccl_viewer.recording.timing import Spread
from ccl_viewer.render.run_names import algorithm_name, name_of
from ccl_viewer.session.showing.inspect import describe_run
from ccl_viewer.session.state import RunSettings, RunStatus, Standing

NOT_COUNTED: Final = "not counted"
"""What stands in place of a number that was not taken: on a GPU, or in an older recording."""

NO_VALUE: Final = "\N{EM DASH}"
_EMULATOR: Final = "emulator"
_GAP: Final = "  "
"""Between a number and its difference from the baseline's."""
_DIGIT_SPACE: Final = "\N{FIGURE SPACE}"


@dataclass(frozen=True)
class LaneRow:
    """What a run took, and how it ended.

    Parameters
    ----------
    name : str
        Who ran: algorithm and what else tells it apart.
    device : str
        Name of the device.
    emulated : bool
        Whether times are those of an emulator, which say nothing of a GPU's.
    connectivity : int
        4 or 8.
    launches, iterations : int
        Launches, and rounds of the convergence loop; 0 for direct methods.
    milliseconds : float
        Time of all launches as they were recorded; NaN if they were not timed.
    changed : int
        Cells that the launches changed, one that changed twice counted twice.
    settled : int or None
        After how many launches no label changed any more; None if no run ended.
    verdict : RunStatus
        Whether the labels are right.
    atomics : int or None
        Calls of atomic functions; None where they were not counted.
    spread : Spread or None
        Of the time of all launches over repeated runs; None if that was not measured.
    repeats : int
        How many runs these were.
    """

    name: str
    device: str
    emulated: bool
    connectivity: int
    launches: int
    iterations: int
    milliseconds: float
    changed: int
    settled: int | None
    verdict: RunStatus
    atomics: int | None = None
    spread: Spread | None = None
    repeats: int = 0

    @property
    def time(self) -> float:
        """The median time of all launches if it was measured, or else the recorded one, in ms."""
        return self.milliseconds if self.spread is None else self.spread.median


COLUMNS: Final = (
    "Run",
    "Launches",
    "Iterations",
    "Time",
    "Atomics",
    "Changed",
    "Settled",
    "Verdict",
)
"""What the table tells of each run."""

HELP: Final = {
    "Run": "Who ran",
    "Launches": "Launches of kernels",
    "Iterations": "Rounds of the convergence loop; none in direct methods",
    "Time": "Of all launches: the median of repeated runs, or else of the one recorded",
    "Changed": "Cells that the launches changed; one that changed twice counts twice",
    "Settled": "After how many launches no label changed any more",
    "Verdict": "Whether the labels are right",
    "Atomics": "Calls of atomic functions by all threads; a GPU does not count them",
}
"""What the columns mean."""

CSV_COLUMNS: Final = (
    "run",
    "device",
    "emulated",
    "connectivity",
    "launches",
    "iterations",
    "milliseconds",
    "median_ms",
    "lower_quartile_ms",
    "upper_quartile_ms",
    "timed_runs",
    "atomics",
    "changed_cells",
    "settled_after_launches",
    "verdict",
)


def row_of(
    recording: Recording, timing: RunTiming | None = None, name: str | None = None
) -> LaneRow:
    """Return what a run took, as far as it was recorded.

    Parameters
    ----------
    recording : Recording
        The run.
    timing : RunTiming or None
        Its times over repeated runs, if they were measured.
    name : str or None
        What it is called; None for :func:`name_of`.
    """
    steps = recording.steps
    last = max((step.index for step in steps if step.changed), default=-1)
    return LaneRow(
        name=name_of(recording) if name is None else name,
        device=recording.device_title,
        emulated=recording.device == _EMULATOR,
        connectivity=recording.connectivity,
        launches=len(steps),
        iterations=recording.iterations,
        milliseconds=recording.milliseconds,
        changed=sum(step.changed for step in steps),
        settled=last + 1 if recording.complete else None,
        verdict=describe_run(recording, busy=not recording.complete),
        atomics=recording.atomics,
        spread=None if timing is None else timing.total,
        repeats=0 if timing is None else timing.runs,
    )


def settings_name(settings: RunSettings) -> str:
    """Return the name that a run with these settings will have."""
    return algorithm_name(settings.algorithm, settings.parameters)


def verdict_word(verdict: RunStatus) -> str:
    """Return a verdict in a word or two, for a column."""
    return {
        Standing.OK: "right",
        Standing.ERROR: "wrong",
        Standing.WARNING: "not finished",
        Standing.BUSY: "running",
    }.get(verdict.standing, "")


def alike(rows: Iterable[LaneRow]) -> bool:
    """Return whether all times were taken in one way, so that it need not be said of each."""
    return len({(row.emulated, row.repeats) for row in rows}) <= 1


def cells_of(
    row: LaneRow,
    baseline: LaneRow | None = None,
    *,
    plain: bool = False,
    scale: TimeScale | None = None,
) -> tuple[str, ...]:
    """Return the row as text, in the order of :data:`COLUMNS`.

    Parameters
    ----------
    row : LaneRow
        A run.
    baseline : LaneRow or None
        The run whose numbers are set beside it as differences.
    plain : bool
        Whether it goes without saying how the time was taken.
    scale : TimeScale or None
        How times are written; None for one that suits this.
    """
    scale = scale or scale_of([row.time])
    where = "emulated" if row.emulated else "GPU"
    median = f"median of {row.repeats:,}, " if row.spread is not None else ""
    how = "" if plain else f" ({median}{where})"
    time = f"{scale.write(row.time)}{how}"
    return (
        row.name,
        _with(f"{row.launches:,}", _delta(row, baseline, "launches")),
        _with(f"{row.iterations:,}", _delta(row, baseline, "iterations")),
        _with(time, _time_delta(row, baseline)),
        _with(_counted(row.atomics), _delta(row, baseline, "atomics")),
        _with(f"{row.changed:,}", _delta(row, baseline, "changed")),
        NO_VALUE if row.settled is None else f"after {row.settled:,}",
        verdict_word(row.verdict),
    )


def table_of(rows: Sequence[LaneRow], baseline: LaneRow | None = None) -> list[tuple[str, ...]]:
    """Return the table as text: a row for each run, and one for the baseline if there is one.

    Parameters
    ----------
    rows : sequence of LaneRow
        The runs.
    baseline : LaneRow or None
        What they are compared with.
    """
    every = rows if baseline is None else (*rows, baseline)
    plain = alike(every)
    scale = scale_of(row.time for row in every)
    table = [cells_of(row, baseline, plain=plain, scale=scale) for row in rows]
    if baseline is not None:
        name, *others = cells_of(baseline, plain=plain, scale=scale)
        table.append((f"Baseline: {name}", *others))
    place = COLUMNS.index("Time")
    times = _deltas_in_line([row[place] for row in table])
    return [(*row[:place], time, *row[place + 1 :]) for row, time in zip(table, times, strict=True)]


def _deltas_in_line(texts: Sequence[str]) -> list[str]:
    """Return times with their differences after them, in as much room for each."""
    parts = [text.partition(_GAP) for text in texts]
    room = max((len(delta) for _, _, delta in parts), default=0)
    return [
        f"{time}{_GAP}{delta.rjust(room, _DIGIT_SPACE)}" if room else time
        for time, _, delta in parts
    ]


def csv_of(rows: Iterable[LaneRow]) -> str:
    """Return rows as CSV, the first line naming the columns."""
    text = io.StringIO()
    write_rows(text, chain([CSV_COLUMNS], (_values(row) for row in rows)))
    return text.getvalue()


def _values(row: LaneRow) -> tuple[object, ...]:
    return (
        row.name,
        row.device,
        str(row.emulated).lower(),
        row.connectivity,
        row.launches,
        row.iterations,
        "" if math.isnan(row.milliseconds) else f"{row.milliseconds:.6g}",
        *_spread_of(row),
        row.atomics,
        row.changed,
        row.settled,
        row.verdict.text,
    )


def notes_of(rows: Sequence[LaneRow]) -> str:
    """Return what must be known to read the table rightly, in sentences."""
    notes = []
    kinds = {row.emulated for row in rows if not math.isnan(row.time)}
    repeats = {row.repeats for row in rows}
    medians = f"medians of {max(repeats):,} runs" if len(repeats) == 1 and max(repeats) else ""
    if kinds == {True}:
        own = f"the emulator's, {medians}" if medians else "the emulator's"
        notes.append(f"Times are {own}: a GPU's order may be another.")
    elif len(kinds) > 1:
        notes.append("Times of the emulator and of a GPU cannot be compared.")
    elif medians:
        notes.append(f"Times are {medians}.")
    if len({row.spread is None for row in rows}) > 1:
        notes.append("Some times are medians and some of one run: measure all to compare them.")
    if any(row.atomics is None and not row.emulated for row in rows):
        notes.append("A GPU does not count atomic operations.")
    return " ".join(notes)


def headline_of(rows: Sequence[LaneRow]) -> str:
    """Return what matters most of a table, in a line: the least time, and which runs are wrong.

    Times that were not taken in one way are not held against each other.

    Parameters
    ----------
    rows : sequence of LaneRow
        The runs.
    """
    parts = []
    timed = [row for row in rows if not math.isnan(row.time)]
    if len(timed) > 1 and alike(timed):
        first = min(timed, key=lambda row: row.time)
        scale = scale_of(row.time for row in rows)
        where = " on the emulator" if first.emulated else ""
        parts.append(f"least time{where}: {first.name}, {scale.write(first.time)}")
    wrong = [row.name for row in rows if row.verdict.standing is Standing.ERROR]
    if wrong:
        parts.append(f"wrong: {', '.join(wrong)}")
    elif rows and all(row.verdict.standing is Standing.OK for row in rows):
        parts.append("all right")
    text = "; ".join(parts)
    return text[:1].upper() + text[1:]


def _with(text: str, delta: str) -> str:
    return f"{text}{_GAP}{delta}" if delta else text


def _delta(row: LaneRow, baseline: LaneRow | None, field: str) -> str:
    if baseline is None:
        return ""
    own, other = getattr(row, field), getattr(baseline, field)
    return "" if own is None or other is None or own == other else f"{own - other:+,}"


def _counted(count: int | None) -> str:
    return NOT_COUNTED if count is None else f"{count:,}"


def _time_delta(row: LaneRow, baseline: LaneRow | None) -> str:
    """Return how much longer a run took than the baseline, where times can be compared."""
    if baseline is None or row.emulated != baseline.emulated:
        return ""
    if (row.spread is None) != (baseline.spread is None):
        return ""
    if math.isnan(row.time) or not baseline.time > 0:
        return ""
    return f"{100 * (row.time / baseline.time - 1):+.0f} %"


def _spread_of(row: LaneRow) -> tuple[str, ...]:
    """Return the columns of measured times."""
    if row.spread is None:
        return ("",) * 4
    times = (row.spread.median, row.spread.lower, row.spread.upper)
    return *(f"{time:.6g}" for time in times), str(row.repeats)
