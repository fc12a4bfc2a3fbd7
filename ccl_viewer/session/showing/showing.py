"""What there is to know of the step that is looked at: the same for the session and for lanes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace

from ccl_viewer.grids import Grid
from ccl_viewer.recording import Recording, Step
from ccl_viewer.render.layers import array_of
from ccl_viewer.render.palette import Colouring
from ccl_viewer.session.showing.frames import Labels
from ccl_viewer.session.showing.inspect import CellInfo, inspect_cell
from ccl_viewer.session.showing.looked import Looked
from ccl_viewer.session.showing.parent_chain import parent_chain
from ccl_viewer.session.showing.step_labels import StepLabels
from ccl_viewer.session.state import Cell


class Showing(ABC):
    """Shows a run, one step at a time.

    Attributes
    ----------
    step_labels : StepLabels
        Labels of some cells of the step on display.
    """

    step_labels: StepLabels

    @property
    @abstractmethod
    def grid(self) -> Grid | None:
        """The grid as it is now, ``uint8`` of shape (height, width); None without one."""

    @property
    @abstractmethod
    def _looked(self) -> Looked:
        """The run, and where it is looked at."""

    @property
    @abstractmethod
    def _numbers(self) -> str:
        """What the numbers in the cells show, as layers have it."""

    @property
    def recording(self) -> Recording | None:
        """The run on display, which may grow; it has one step at least."""
        shown = self._looked.shown
        return None if shown is None else shown.recording

    @property
    def colouring(self) -> Colouring | None:
        """The colours of the run on display."""
        shown = self._looked.shown
        return None if shown is None else shown.colouring

    @property
    def step(self) -> Step | None:
        """The step on display."""
        recording = self.recording
        return None if recording is None else recording.step(self._looked.playback.position)

    @property
    def labels(self) -> Labels | None:
        """Raw labels of the step on display, ``int32`` of shape (height, width), read-only."""
        return self.step_labels.whole()

    @property
    def labels_before(self) -> Labels | None:
        """Raw labels of the step before the one on display; None at the first."""
        return self.step_labels.whole_before()

    def inspect(self, cell: Cell) -> CellInfo:
        """Return what there is to know of a cell of the grid at the step on display."""
        shown = self._looked.shown
        table = None if shown is None else shown.table
        labels, recording = self.step_labels.lookup(), self.recording
        info = inspect_cell(self.grid, labels, recording, table, cell)
        references = () if recording is None else recording.references
        array = array_of(self._numbers, references)
        pointers = self.step_labels.lookup(array) if array and info.label is not None else None
        if recording is None or pointers is None:
            return info
        return replace(info, along=array, way=parent_chain(pointers, recording.layout, cell))
