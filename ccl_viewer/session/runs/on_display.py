"""What a canvas shows: the session's own run, or one of those beside it."""

from __future__ import annotations

from typing import Protocol

from ccl_viewer.grids import Grid
from ccl_viewer.recording import Recording, Step
from ccl_viewer.render.palette import Colouring
from ccl_viewer.session.editing.drawing import Drawing
from ccl_viewer.session.editing.tools import Tools
from ccl_viewer.session.showing.frames import Labels
from ccl_viewer.session.showing.inspect import CellInfo
from ccl_viewer.session.showing.look import Look
from ccl_viewer.session.showing.looked import Place
from ccl_viewer.session.showing.pointing import Pointing
from ccl_viewer.session.showing.step_labels import StepLabels
from ccl_viewer.session.signals import Signal
from ccl_viewer.session.state import Cell, RunSettings


class OnDisplay(Protocol):
    """A run on a grid, as a canvas and its tools know it."""

    @property
    def grid(self) -> Grid | None:
        """The grid as it is now, ``uint8`` of shape (height, width)."""

    @property
    def settings(self) -> RunSettings:
        """How the next run is to be done."""

    @property
    def recording(self) -> Recording | None:
        """The run; it has one step at least."""

    @property
    def colouring(self) -> Colouring | None:
        """The run's colours."""

    @property
    def stale(self) -> bool:
        """Whether the grid was changed after the run."""

    @property
    def step(self) -> Step | None:
        """The step on display."""

    @property
    def labels(self) -> Labels | None:
        """Raw labels of the step, ``int32`` of shape (height, width)."""

    @property
    def labels_before(self) -> Labels | None:
        """Raw labels of the step before; None at the first."""

    @property
    def step_labels(self) -> StepLabels:
        """Labels of some cells."""

    @property
    def playback(self) -> Place:
        """Which step is on display."""

    @property
    def drawing(self) -> Drawing:
        """Changes the grid."""

    @property
    def tools(self) -> Tools:
        """What is in the hand."""

    @property
    def look(self) -> Look:
        """What is shown of the run, and where the eye is led."""

    @property
    def pointing(self) -> Pointing:
        """What a lesson or a question points at."""

    @property
    def grid_changed(self) -> Signal:
        """The grid was drawn on, or is another."""

    @property
    def recording_changed(self) -> Signal:
        """The run is another."""

    def inspect(self, cell: Cell) -> CellInfo:
        """Return what there is to know of a cell of the grid at the step on display."""
