"""What the window says of compared runs: headings, rows of the table, the clock, a note."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ccl_viewer.recording import Recording
from ccl_viewer.recording.alignment import Sync
from ccl_viewer.render.facts import run_names
from ccl_viewer.support.units import duration, nbytes_text, time_scale_for
from ccl_viewer.window.core.comparison_table import ResultRow
from ccl_viewer.window.core.panes import Pane, PaneHeading

if TYPE_CHECKING:
    from ccl_viewer.window.core.comparison import Comparison


def make_heading(
    comparison: Comparison, pane: Pane, *, hide_course: bool = False, hide_times: bool = False
) -> PaneHeading:
    """Return the header of a run, perhaps without the number of its steps, or times."""
    display, recording, step = pane.display, pane.display.recording, pane.display.step
    failed = bool(pane.failure) or pane.shows_error
    state = _describe_state(comparison, pane)
    plain = PaneHeading(name_run(comparison, pane), state=state, failed=failed)
    if recording is None or step is None:
        return plain
    iteration = "" if step.iteration is None else f", iteration {step.iteration:,}"
    count = "" if hide_course else f" / {display.count:,}"
    by_bytes = comparison.moments.sync is Sync.BYTES
    return replace(
        plain,
        details=(
            f"{recording.device_title}, {recording.schedule} schedule, "
            f"{recording.connectivity}-connected"
        ),
        stage=step.stage_level,
        place=f"{step.index + 1:,}{count}{iteration}",
        spent="" if hide_times and not by_bytes else _describe_spent(comparison, pane, recording),
        finished=pane.shows_result and not hide_course,
        difference=_describe_difference(comparison, pane),
    )


def make_rows(comparison: Comparison) -> tuple[ResultRow, ...]:
    """Return a row for each run, so that the table stays still while some run again."""
    return tuple(_make_row(comparison, pane) for pane in comparison.panes)


def name_run(comparison: Comparison, pane: Pane) -> str:
    """Return the name of a run, which tells it from the others."""
    if pane not in comparison.aligned_panes:
        return pane.title
    return run_names(comparison.aligned_recordings)[comparison.aligned_panes.index(pane)]


def write_clock(comparison: Comparison) -> str:
    """Return the time of a race so far; empty if this is not a race."""
    moments = comparison.moments
    return _write_spent(comparison, moments.clock, emulated=moments.uses_emulator_times)


def write_note(comparison: Comparison) -> str:
    """Return a sentence about the comparison for the user; often empty."""
    sync, moments = comparison.options.sync, comparison.moments
    if sync is not moments.sync:
        what = "counted" if sync is Sync.BYTES else "timed"
        return f"Not all runs were {what}, so they are aligned by share of the run."
    if len({run.connectivity for run in comparison.aligned_recordings}) > 1:
        return "Runs with 4 and with 8 neighbours find different components."
    if moments.sync is Sync.TIME and comparison.aligned_panes:
        return "Emulator time, one run each" if moments.uses_emulator_times else "One run each"
    return ""


def _make_row(comparison: Comparison, pane: Pane) -> ResultRow:
    recording, awaits = pane.display.recording, ""
    if pane.failure:
        awaits = "failed"
    elif not pane.ready:
        awaits = "running" if pane is comparison.recorded_now else "waiting"
    name = name_run(comparison, pane)
    if recording is None:
        return ResultRow.to_come(name, awaits)
    return ResultRow.of(recording, name, growing=pane.display.growing, awaits=awaits)


def _describe_state(comparison: Comparison, pane: Pane) -> str:
    if pane.failure:
        return pane.failure
    if pane.shows_error:
        return pane.display.status.brief
    if pane is comparison.panes[0]:
        return "Out of date" if pane.display.stale else ""
    if pane is comparison.recorded_now:
        return "Running\N{HORIZONTAL ELLIPSIS}"
    return "" if pane.ready else "Waiting to run"


def _describe_spent(comparison: Comparison, pane: Pane, recording: Recording) -> str:
    if pane not in comparison.aligned_panes:
        return ""
    run = comparison.aligned_panes.index(pane)
    if comparison.aligned_recordings[run] is not recording:  # another one is about to be aligned
        return ""
    spent = comparison.moments.spent(run, pane.display.index)
    return _write_spent(comparison, spent, emulated=recording.emulated)


def _write_spent(comparison: Comparison, spent: float, *, emulated: bool) -> str:
    """Return a time, or in a race by bytes the bytes moved; empty if not known."""
    if math.isnan(spent):
        return ""
    if comparison.moments.sync is Sync.BYTES:
        return f"{nbytes_text(round(spent))} moved"
    scale = time_scale_for(run.milliseconds for run in comparison.aligned_recordings)
    return duration(spent, emulated=emulated, scale=scale)


def _describe_difference(comparison: Comparison, pane: Pane) -> str:
    if not comparison.options.difference or not comparison.is_compared(pane):
        return ""
    mask = comparison.difference_mask(pane)
    if mask is None:
        return "comparing\N{HORIZONTAL ELLIPSIS}"
    count = int(np.count_nonzero(mask))
    return f"{count:,} differ" if count or not pane.shows_result else ""
