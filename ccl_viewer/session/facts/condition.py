"""What state the run on display is in, and what can be done about it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from ccl_viewer.counted import counted
from ccl_viewer.grids import Grid
from ccl_viewer.recording import Recording
from ccl_viewer.session.state import Cell


class Condition(StrEnum):
    """States of the run on display, of which one holds."""

    EMPTY = "empty"
    WAITING = "waiting"
    GOOD = "good"
    STALE = "stale"
    BROKEN_OFF = "broken-off"
    UNCONVERGED = "unconverged"
    WRONG = "wrong"


class Remedy(StrEnum):
    """What can be done about a state."""

    NONE = ""
    RUN = "Run again"
    SHOW = "Show the first wrong cell"


@dataclass(frozen=True)
class Report:
    """A state in words.

    Parameters
    ----------
    condition : Condition
        The state.
    title, text : str
        What is the matter, in a few words, and in a sentence; empty if nothing is.
    remedy : Remedy
        What can be done about it.
    cell : tuple of int or None
        Column and row of the first wrong cell.
    """

    condition: Condition
    title: str = ""
    text: str = ""
    remedy: Remedy = Remedy.NONE
    cell: Cell | None = None


def report_of(
    grid: Grid | None, recording: Recording | None, *, stale: bool, growing: bool
) -> Report:
    """Return the state of the run on display.

    Parameters
    ----------
    grid : ndarray of uint8, shape (height, width), or None
        The grid.
    recording : Recording or None
        The run on display.
    stale : bool
        Whether grid or settings were changed after it.
    growing : bool
        Whether it is still being recorded.
    """
    if grid is None:
        return Report(Condition.EMPTY)
    if recording is None:
        return Report(Condition.WAITING)
    if growing:
        return Report(Condition.GOOD)
    if stale:
        return Report(
            Condition.STALE,
            "Out of date",
            "The run on display is of another grid or of other settings.",
            Remedy.RUN,
        )
    return _of_whole_run(recording)


def _of_whole_run(recording: Recording) -> Report:
    verdict = recording.verdict
    if verdict is None:
        steps = counted(len(recording), "step")
        return Report(
            Condition.BROKEN_OFF,
            "Not finished",
            f"{recording.failure or 'The run was stopped.'} {steps} kept.",
            Remedy.RUN,
        )
    place = verdict.first_wrong
    cell = None if place is None else (place[1], place[0])
    if not recording.converged:
        return Report(Condition.UNCONVERGED, "Did not converge", recording.sentence, cell=cell)
    if not verdict.correct:
        remedy = Remedy.NONE if cell is None else Remedy.SHOW
        return Report(Condition.WRONG, "Wrong result", verdict.finding, remedy, cell)
    return Report(Condition.GOOD)


def kept_sentence(grid: Grid | None, recording: Recording | None) -> str:
    """Say what is on display after work was stopped."""
    if recording is None:
        return "" if grid is None else "The grid is kept."
    if recording.complete:
        return "The last whole run is still on display."
    return "The part of the run that was recorded is still on display."
