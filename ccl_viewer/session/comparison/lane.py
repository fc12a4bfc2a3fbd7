"""A lane of a comparison: a run of its own on the session's grid, for a canvas to show."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from enum import StrEnum

import numpy as np

from ccl_viewer.algorithms import algorithm
from ccl_viewer.errors import CancelledError, CCLViewerError
from ccl_viewer.grids import Grid
from ccl_viewer.session.editing.drawing import Drawing
from ccl_viewer.session.editing.tools import Tools
from ccl_viewer.session.jobs.job import Runner
from ccl_viewer.session.jobs.latest import Latest
from ccl_viewer.session.runs.on_display import OnDisplay
from ccl_viewer.session.runs.recording_work import RecordingWork
from ccl_viewer.session.showing.displayed_run import DisplayedRun
from ccl_viewer.session.showing.look import Look
from ccl_viewer.session.showing.looked import Looked
from ccl_viewer.session.showing.pointing import Pointing
from ccl_viewer.session.showing.showing import Showing
from ccl_viewer.session.showing.step_labels import StepLabels
from ccl_viewer.session.signals import Signal
from ccl_viewer.session.state import RunSettings


class LaneState(StrEnum):
    """How a lane stands."""

    CLOSED = "closed"
    WAITING = "waiting"
    RECORDING = "recording"
    READY = "ready"
    FAILED = "failed"


class LanePlace:
    """The step of a lane's run that is on display."""

    def __init__(self) -> None:
        self.position_changed = Signal()
        self.position = 0

    def stand(self, position: int) -> None:
        """Show another step."""
        if position != self.position:
            self.position = position
            self.position_changed.emit()


class Lane(Showing):
    """A run beside the session's own: same grid, tools and look; other settings and labels.

    Parameters
    ----------
    main : OnDisplay
        The session, whose grid, tools and look these are.
    runner : Runner
        Records runs.
    changed : callable
        Called when the run or the state is another.
    aside : Runner or None
        Decodes all labels of large grids; None decodes them when they are asked for.

    Attributes
    ----------
    state : LaneState
        How it stands.
    failure : str
        Why there is no run, as a sentence; empty if nothing failed.
    stale : bool
        Whether the grid was changed after its run.
    """

    def __init__(
        self,
        main: OnDisplay,
        runner: Runner,
        changed: Callable[[], object],
        aside: Runner | None = None,
    ) -> None:
        self.grid_changed = Signal()
        self.recording_changed = Signal()
        self.playback = LanePlace()
        self.step_labels = StepLabels(self, aside)
        self.shown: DisplayedRun | None = None
        self.state = LaneState.CLOSED
        self.failure = ""
        self.stale = False
        self._main = main
        self._settings = RunSettings()
        self._latest = Latest(runner)
        self._changed = changed
        self._work: RecordingWork | None = None

    # What a canvas reads

    @property
    def grid(self) -> Grid | None:
        """The session's grid."""
        return self._main.grid

    @property
    def settings(self) -> RunSettings:
        """How it is run; whether values are told apart is up to the session."""
        return replace(self._settings, multivalued=self._main.settings.multivalued)

    @property
    def _looked(self) -> Looked:
        return self

    @property
    def _numbers(self) -> str:
        return self.look.layers.numbers

    @property
    def drawing(self) -> Drawing:
        """The session's."""
        return self._main.drawing

    @property
    def tools(self) -> Tools:
        """The session's."""
        return self._main.tools

    @property
    def look(self) -> Look:
        """The session's."""
        return self._main.look

    @property
    def pointing(self) -> Pointing:
        """The session's."""
        return self._main.pointing

    # What a comparison does with it

    @property
    def open(self) -> bool:
        """Whether it takes part."""
        return self.state is not LaneState.CLOSED

    @property
    def signals(self) -> tuple[Signal, ...]:
        """All signals."""
        return self.grid_changed, self.recording_changed, self.playback.position_changed

    @property
    def working(self) -> bool:
        """Whether its run is being recorded."""
        return self.state is LaneState.RECORDING

    @property
    def title(self) -> str:
        """Name of its algorithm."""
        return algorithm(self._settings.algorithm).title

    def choose(self, settings: RunSettings) -> None:
        """Take part with these settings; what was recorded with others is forgotten."""
        self._forget()
        self._settings = settings
        self.state = LaneState.WAITING
        self._tell()

    def close(self) -> None:
        """Take no part any more, and forget the run."""
        self._forget()
        self.state = LaneState.CLOSED
        self._tell()

    def fits(self, image: Grid) -> bool:
        """Return whether its run is of this grid, told apart as the session does."""
        recording = self.recording
        if recording is None or recording.multivalued != self.settings.multivalued:
            return False
        return recording.image is image or np.array_equal(recording.image, image)

    def is_tried(self, image: Grid) -> bool:
        """Return whether this very grid is being recorded, or could not be."""
        tried = self.state in {LaneState.RECORDING, LaneState.FAILED}
        return tried and self._work is not None and self._work.grid is image

    def record(self, image: Grid) -> None:
        """Begin to record a run on a grid, which nobody may change afterwards."""
        work = RecordingWork(image, self.settings, followed=False)
        self._work = work
        self.state, self.failure = LaneState.RECORDING, ""
        title = f"Running {self.title}"
        self._latest.start(title, work, lambda: self._recorded(work), self._fail)
        self._tell()

    def wait(self) -> None:
        """Stop recording for now; the last good run stays."""
        if self.state is LaneState.RECORDING:
            self._latest.stop()
            self._work = None
            self.state = LaneState.WAITING
            self._tell()

    def cancel(self) -> None:
        """Stop recording until it is asked for again."""
        if self.state is LaneState.RECORDING:
            self._latest.stop()
            self._fail(CancelledError("Stopped, as asked."))

    def retry(self) -> None:
        """Let what failed or was stopped be tried again."""
        if self.state is not LaneState.CLOSED:
            self.choose(self._settings)

    def drop(self) -> None:
        """Let go of decoded labels, as when the window closes."""
        self._latest.stop()
        self.step_labels.close()

    def _recorded(self, work: RecordingWork) -> None:
        self.playback.position = 0
        self.shown, self.stale = work.shown, False
        self.state = LaneState.READY if work.shown else LaneState.FAILED
        self.failure = "" if work.shown else "The run has no step."
        self.recording_changed.emit()
        self._tell()

    def _fail(self, error: CCLViewerError) -> None:
        self.state, self.failure = LaneState.FAILED, str(error)
        self.playback.position, self.shown = 0, None
        self.recording_changed.emit()
        self._tell()

    def _forget(self) -> None:
        self._latest.stop()
        self._work, self.failure, self.stale = None, "", False
        self.playback.position = 0
        if self.shown is not None:
            self.shown = None
            self.recording_changed.emit()
        self.step_labels.close()

    def _tell(self) -> None:
        self._changed()
