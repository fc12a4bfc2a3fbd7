"""What stands above a lane of a comparison."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Final

from ccl_viewer.counted import TimeScale, scale_of
from ccl_viewer.plan import Stage
from ccl_viewer.render.run_names import shorter_names
from ccl_viewer.session.comparison.compared import Main
from ccl_viewer.session.comparison.comparison import Comparison
from ccl_viewer.session.comparison.lane import Lane, LaneState
from ccl_viewer.session.comparison.table import settings_name

NOT_EQUAL: Final = "\N{NOT EQUAL TO}"
"""Stands before the number of cells that differ."""


@dataclass(frozen=True)
class Heading:
    """The header of a lane.

    Parameters
    ----------
    title : str
        Who runs.
    details : str
        Device, schedule and connectivity, for who asks.
    stage : Stage or None
        Of the step on display; None without one.
    place, place_so_far : str
        Which step, of how many and without that, and in which iteration.
    time : str
        Time of its launches so far; empty if they were not timed.
    timed : str
        Which time that is; empty where it does not matter.
    fraction : float
        Share of its steps, or of its time in a race, that lies behind it.
    ended : bool
        Whether its last step is on display.
    differing : str
        How many cells differ, after :data:`NOT_EQUAL`; empty if that is not shown.
    state : str
        Why there is no run, or why it is out of date; empty if all is well.
    failed : bool
        Whether that is because it failed.
    shorter : tuple of str
        What stands in place of the title where there is no room for it, longest first.
    """

    title: str
    details: str = ""
    stage: Stage | None = None
    place: str = ""
    place_so_far: str = ""
    time: str = ""
    timed: str = ""
    fraction: float = 0.0
    ended: bool = False
    differing: str = ""
    state: str = ""
    failed: bool = False
    shorter: tuple[str, ...] = ()

    def without_end(self) -> Heading:
        """Return it without what tells how many steps are to come."""
        return replace(self, place=self.place_so_far, fraction=0.0, ended=False)


def heading_of(comparison: Comparison, main: Main, lane: Lane | None) -> Heading:
    """Return the header of a lane; None is the session's own run.

    Parameters
    ----------
    comparison : Comparison
        Of which the lane is part.
    main : Main
        The session.
    lane : Lane or None
        The lane.
    """
    shown = main if lane is None else lane
    recording, step = shown.recording, shown.step
    title = settings_name(shown.settings) if recording is None else comparison.name_of(recording)
    state = "" if lane is None else _state(lane)
    failed = lane is not None and lane.state is LaneState.FAILED
    others = (comparison.name_of(other) for other in comparison.recordings if other != recording)
    shorter = shorter_names(title, others)
    if recording is None or step is None:
        return Heading(title, state=state, failed=failed, shorter=shorter)
    count = len(recording)
    details = (
        f"{recording.device_title}, {recording.schedule}, connectivity {recording.connectivity}"
    )
    moments = comparison.moments
    clock, total = moments.clock, moments.time_of(recording, count - 1)
    so_far = moments.time_of(recording, step.index)
    fraction = (step.index + 1) / count
    if not math.isnan(clock):
        so_far = min(clock, total)
        fraction = so_far / total if total > 0 else 1.0
    round_of = "" if step.iteration is None else f", iteration {step.iteration:,}"
    return Heading(
        title=title,
        details=details,
        stage=step.stage,
        place=f"{step.index + 1:,} / {count:,}{round_of}",
        place_so_far=f"{step.index + 1:,}{round_of}",
        time=lanes_scale(comparison).write(so_far, ""),
        timed="" if math.isnan(clock) else _timed(moments.repeats),
        fraction=fraction,
        ended=step.index == count - 1,
        differing=_differing(comparison, lane),
        state=state,
        failed=failed,
        shorter=shorter,
    )


def lanes_scale(comparison: Comparison) -> TimeScale:
    """Return the scale in which times of lanes are written, as they are in the table."""
    moments = comparison.moments
    return scale_of(moments.time_of(run, len(run) - 1) for run in comparison.recordings)


def _timed(repeats: int) -> str:
    return f"median of {repeats:,}" if repeats else "one run"


def _state(lane: Lane) -> str:
    if lane.state is LaneState.FAILED:
        return lane.failure
    if lane.state is LaneState.RECORDING:
        return "Running"
    if lane.state is LaneState.WAITING:
        return "Waits for its turn"
    return "Of an older grid" if lane.stale else ""


def _differing(comparison: Comparison, lane: Lane | None) -> str:
    if not comparison.view.difference or not comparison.compares:
        return ""
    count = comparison.count_of(lane)
    if count is None:
        return "" if lane is not None and lane.stale else f"{NOT_EQUAL} \N{HORIZONTAL ELLIPSIS}"
    return f"{NOT_EQUAL} {count:,}"
