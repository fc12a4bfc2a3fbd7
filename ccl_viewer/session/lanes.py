"""A lane of a comparison: a run with settings and a display of its own."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from ccl_viewer.errors import CancelledError, CCLViewerError
from ccl_viewer.grids import Grid
from ccl_viewer.plan import Stage
from ccl_viewer.render.facts import algorithm_name
from ccl_viewer.session.display import RunDisplay, ShownRun
from ccl_viewer.session.runs import recorder_of
from ccl_viewer.session.state import RunSettings, Standing
from ccl_viewer.session.tasks import Task


class LaneState(StrEnum):
    """How a lane stands."""

    WAITING = "waiting"
    RECORDING = "recording"
    READY = "ready"
    FAILED = "failed"


class Lane:
    """A run with settings and a display of its own.

    `failure` says in a sentence why there is no run; it is empty if nothing failed.
    """

    def __init__(
        self, display: RunDisplay, settings: RunSettings, state: LaneState = LaneState.WAITING
    ) -> None:
        self.display = display
        self.settings = settings
        self.state = state
        self.failure = ""

    @property
    def title(self) -> str:
        """The algorithm, and its parameters that are not the usual ones."""
        return algorithm_name(self.settings.algorithm, self.settings.parameters)

    @property
    def finished(self) -> bool:
        """Whether the last step of a finished run is shown."""
        display = self.display
        recording = display.recording
        return recording is not None and recording.complete and display.index == len(recording) - 1

    @property
    def wrong(self) -> bool:
        """Whether it has finished, and the labels are wrong."""
        return self.finished and self.display.status.standing is Standing.ERROR


@dataclass(frozen=True)
class LaneHeading:
    """What the header of a lane says.

    `fraction` is the share of its steps, or of its time in a race, that is done. `difference`
    counts the cells that differ, if that is shown. `state` says why there is no run, or why it is
    out of date. Texts are empty where there is nothing to say.
    """

    title: str
    details: str = ""
    stage: Stage | None = None
    place: str = ""
    time: str = ""
    fraction: float = 0.0
    finished: bool = False
    difference: str = ""
    state: str = ""
    failed: bool = False


def columns_for(
    lanes: int, shape: tuple[int, int], size: tuple[int, int], header: int, gap: int
) -> int:
    """Return in how many columns lanes have the largest cells.

    Parameters
    ----------
    lanes : int
        How many there are.
    shape, size : tuple of int
        Height and width of the grid in cells; width and height of all the room in pixels.
    header, gap : int
        Height of a lane's header, and the space between lanes, in pixels.
    """

    def scale(columns: int) -> float:
        rows = -(-lanes // columns)
        width = (size[0] - gap * (columns - 1)) / columns
        height = (size[1] - gap * (rows - 1)) / rows - header
        return min(max(width, 1.0) / shape[1], max(height, 1.0) / shape[0])

    # Of choices that are as good, the one that leaves the fewest places empty.
    return max(range(1, lanes + 1), key=lambda columns: (scale(columns), -(-lanes % columns)))


def record_lane(task: Task, image: Grid, settings: RunSettings) -> ShownRun:
    """Record a run of a lane; on the pool."""
    recorder = recorder_of(image, settings, task)
    try:
        recorder.run()
    except CancelledError:
        raise
    except CCLViewerError:  # the steps up to the fault are shown, and the fault
        if not len(recorder.recording):
            raise
    return ShownRun.prepare(recorder.recording, task.check)
