"""What is in sight of the step on display, looked up once for each view and step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from ccl_viewer.grids import Grid
from ccl_viewer.recording import Recording
from ccl_viewer.render import forest
from ccl_viewer.render.difference import Mask
from ccl_viewer.render.layers import array_of
from ccl_viewer.render.palette import Colouring
from ccl_viewer.session import CellColours, Layers, Numbers
from ccl_viewer.session.runs.on_display import OnDisplay
from ccl_viewer.session.showing.look import LAYER_PREFIX
from ccl_viewer.views.canvas.cell_colours import (
    DIMMED,
    FOLLOWING,
    FollowedWays,
    Indices,
    Labels,
    Run,
    input_indices,
    step_indices,
    with_drawn,
)
from ccl_viewer.views.canvas.cell_sample import Blocks, Sample, sample_of
from ccl_viewer.views.canvas.geometry import (
    NUMBER_CELL,
    CellRange,
    Viewpoint,
    visible_cells,
)

Values = npt.NDArray[Any]


@dataclass(frozen=True, eq=False)
class VisibleCells:
    """The cells in sight.

    Parameters
    ----------
    session : OnDisplay
        What is on display.
    grid : ndarray of uint8, shape (height, width)
        The grid.
    view : Viewpoint
        Where it lies, in the screen's own pixels.
    visible : CellRange
        The cells of which a part is in sight.
    sample : Sample
        Those that the picture is made of.
    components : ndarray of int32 or None
        Number of the component of each cell of the sample, 0 on background; None without a run.
    difference : ndarray of bool, shape (height, width), or None
        Cells that differ from another run; None marks none.
    """

    session: OnDisplay
    grid: Grid
    view: Viewpoint
    visible: CellRange
    sample: Sample
    components: Labels | None
    difference: Mask | None = None

    @property
    def parts(self) -> tuple[Callable[[], object], ...]:
        """What finds out, one after the other, that which takes long; it is known from then on.

        What returns False is to be called again.
        """
        layers = self.layers
        return (
            lambda: self.labels,
            lambda: self.changed if layers.changed else None,
            lambda: self._followed is None or self._followed.catch_up(),
            lambda: self.indices,
            lambda: self._before.catch_up() if layers.onion and self._before else True,
            lambda: self.indices_before if layers.onion else None,
        )

    @property
    def layers(self) -> Layers:
        """What is shown."""
        return self.session.look.layers

    @property
    def recording(self) -> Recording | None:
        """The run on display, if it is of a grid of this size."""
        recording = self.session.recording
        same = recording is not None and recording.image.shape == self.grid.shape
        return recording if same else None

    @cached_property
    def labels(self) -> Labels | None:
        """Raw labels of the sample."""
        return (
            None if self.components is None else self.session.step_labels.seen(self.sample.chosen)
        )

    @cached_property
    def labels_before(self) -> Labels | None:
        """Raw labels of the sample after the step before; None at the first."""
        if self.components is None:
            return None
        return self.session.step_labels.seen(self.sample.chosen, before=True)

    @cached_property
    def changed(self) -> npt.NDArray[np.bool_] | None:
        """Which cells of the sample the step changed; None where it is not known."""
        if self.session.stale or self.labels_before is None or self.labels is None:
            return None
        changed: npt.NDArray[np.bool_] = self.labels != self.labels_before
        return changed

    @cached_property
    def differs(self) -> Mask | None:
        """Which cells of the sample differ from another run; None if none are to be marked."""
        mask = self.difference
        if mask is None or mask.shape != self.grid.shape or self.session.stale:
            return None
        return self.sample.of(mask)

    @cached_property
    def indices(self) -> Indices:
        """Palette indices of the sample, with what is not pinned stepped back."""
        return self._shown(self.labels, self._followed)

    @cached_property
    def indices_before(self) -> Indices | None:
        """Palette indices of the sample after the step before; None at the first."""
        before = self.labels_before
        return None if before is None else self._shown(before, self._before)

    @property
    def waits(self) -> bool:
        """Whether the colours need labels of cells out of sight that are being decoded still."""
        if self.layers.colours not in FOLLOWING or self.components is None:
            return False
        labels = self.session.step_labels
        return labels.waits() or (self.layers.onion and labels.waits(before=True))

    @property
    def unseen(self) -> bool:
        """Whether labels for the first look at a large run are being decoded still."""
        if self.components is None:
            return False
        labels, chosen = self.session.step_labels, self.sample.chosen
        return labels.waits_to_see(chosen) or (
            bool(self.array)
            and self.view.scale >= NUMBER_CELL
            and labels.waits_to_see(chosen, self.array)
        )

    @property
    def pinned_component(self) -> int:
        """Number of the component that is pinned; 0 if none is."""
        pin, colouring = self.session.look.pin_of, self._colouring
        if pin is None or not pin.component or colouring is None:
            return 0
        return int(colouring.components[pin.cell[1], pin.cell[0]])

    @cached_property
    def numbers(self) -> Values | None:
        """What stands in the cells of the sample; None for nothing."""
        shown, recording = self.layers.numbers, self.recording
        labels, colouring = self.session.step_labels.lookup(), self._colouring
        if not shown or recording is None or labels is None or colouring is None:
            return None
        if shown == Numbers.COMPONENT:
            return self.components
        if shown == Numbers.ROOT:
            return forest.root_labels(labels, colouring.layout, self.sample.chosen.cells)
        return self.array_values if self.array else self.labels

    @cached_property
    def array_values(self) -> Values | None:
        """What stands in the cells of the sample, if these are values of an array."""
        if not self.array:
            return None
        return self.session.step_labels.seen(self.sample.chosen, layer=self.array)

    @cached_property
    def arrows(self) -> npt.NDArray[np.int64] | None:
        """The cell that the arrow of each visible cell leads to; None if there are no arrows."""
        recording, layers = self.recording, self.layers
        values = self.array_values if self.referring else self.labels
        if not self.shows_arrows or recording is None or values is None or self.session.stale:
            return None
        found = forest.parents_of(lambda _: values, recording.layout, self.sample.chosen.cells)
        if not layers.arrows and self.followed is not None:
            found[~self.followed] = forest.NO_CELL
        return found

    @property
    def referring(self) -> str:
        """Name of the array along which arrows are drawn; empty if that is the labels."""
        recording = self.recording
        return "" if recording is None else array_of(self.layers.numbers, recording.references)

    @cached_property
    def rewritten(self) -> Mask | None:
        """Where the step changed the array that stands in the cells; None if these are labels."""
        if not self.array or self.session.stale:
            return None
        now, chosen = self.array_values, self.sample.chosen
        before = self.session.step_labels.seen(chosen, before=True, layer=self.array)
        if now is None or before is None:
            return None
        changed: Mask = now != before
        return changed

    @property
    def digits(self) -> int:
        """Characters of the longest number, the same wherever the canvas looks if it can be."""
        values, recording, colouring = self.numbers, self.recording, self._colouring
        if values is None or recording is None or colouring is None or not values.size:
            return 1
        known = [int(values.max()), int(values.min())]
        if self.layers.numbers == Numbers.COMPONENT:
            known.append(colouring.component_colours.size - 1)
        elif not self.layers.numbers.startswith(LAYER_PREFIX):
            layout = recording.layout
            last = (layout.margin + layout.height) * layout.pitch + layout.origin
            known += [last, layout.background]
        return max(len(str(value)) for value in known)

    @cached_property
    def followed(self) -> npt.NDArray[np.bool_] | None:
        """Which visible cells lie on a way that is pointed out; None if none is."""
        cells, recording = self.session.pointing.marks.follow, self.recording
        labels = self.session.step_labels.lookup(self.referring or None)
        if not cells or recording is None or labels is None:
            return None
        columns, area = self.grid.shape[1], self.visible
        begins = np.array([y * columns + x for x, y in cells], np.int64)
        passed = np.zeros(self.grid.shape, np.bool_)
        passed.reshape(-1)[forest.on_the_way(labels, recording.layout, begins)] = True
        seen: npt.NDArray[np.bool_] = passed[area.top : area.bottom, area.left : area.right]
        return seen

    @property
    def shows_arrows(self) -> bool:
        """Whether arrows are drawn: all, or those that are pointed out."""
        return self.layers.arrows or bool(self.session.pointing.marks.follow)

    @property
    def array(self) -> str:
        """Name of the recorded array that stands in the cells; empty if none does."""
        recording = self.recording
        return "" if recording is None else array_of(self.layers.numbers, recording.layers)

    @property
    def _colouring(self) -> Colouring | None:
        return None if self.components is None else self.session.colouring

    @cached_property
    def _drawn(self) -> Indices:
        values = self.sample.of(self.grid)
        return input_indices(values, multivalued=self.session.settings.multivalued)

    @cached_property
    def _followed(self) -> FollowedWays | None:
        """The ways of the sample's cells to their roots, where colours tell of them."""
        return self._ways(lambda: self.session.labels)

    @cached_property
    def _before(self) -> FollowedWays | None:
        """The same after the step before."""
        return self._ways(lambda: self.session.labels_before)

    def _ways(self, labels: Callable[[], Labels | None]) -> FollowedWays | None:
        kind, colouring = self.layers.colours, self._colouring
        if kind not in FOLLOWING or colouring is None or self.waits:
            return None
        whole = labels()
        cells = self.sample.chosen.cells
        return None if whole is None else FollowedWays(kind, whole, colouring.layout, cells)

    def _shown(self, labels: Labels | None, ways: FollowedWays | None) -> Indices:
        colouring, kind = self._colouring, self.layers.colours
        if labels is None or colouring is None or self.components is None:
            return self._drawn
        if kind is CellColours.INPUT:
            return self._drawn
        followed = None if ways is None else ways.finish()
        indices = step_indices(kind, Run(labels, followed, colouring, self.components))
        if self.session.stale:
            indices = with_drawn(indices, self._drawn)
        pinned = self.pinned_component if self.layers.only else 0
        if pinned:
            indices = indices + np.uint8(DIMMED) * (self.components != pinned)
        return indices


class Scene:
    """Looks at the session, and keeps what stays the same from step to step.

    Parameters
    ----------
    session : OnDisplay
        What is on display.
    """

    def __init__(self, session: OnDisplay) -> None:
        self._session = session
        self._blocks: Blocks | None = None
        self._drawn: tuple[tuple[int, int], int] | None = None
        self._seen: tuple[Viewpoint, tuple[int, int]] | None = None
        self._sample: Sample | None = None
        self._components: tuple[Labels, Labels] | None = None

    def look(
        self, grid: Grid, view: Viewpoint, size: tuple[int, int], difference: Mask | None = None
    ) -> VisibleCells | None:
        """Return what is in sight of a grid; None if nothing of it is.

        Parameters
        ----------
        grid : ndarray of uint8, shape (height, width)
            The session's.
        view : Viewpoint
            Where it lies, in the screen's own pixels.
        size : tuple of int
            Width and height of the canvas, in the same.
        difference : ndarray of bool, shape (height, width), or None
            Cells to be marked because they differ from another run.
        """
        visible = visible_cells(view, grid.shape[1], grid.shape[0], *size)
        sample = self._find_sample(grid, view, visible, size)
        if sample.empty:
            return None
        components = self._find_components(sample)
        return VisibleCells(self._session, grid, view, visible, sample, components, difference)

    def catch_up(self, grid: Grid, view: Viewpoint, size: tuple[int, int]) -> bool:
        """Do a part of what takes long before a grid can be looked at.

        Parameters
        ----------
        grid : ndarray of uint8, shape (height, width)
            The session's.
        view : Viewpoint
            Where it lies, in the screen's own pixels.
        size : tuple of int
            Width and height of the canvas, in the same.

        Returns
        -------
        bool
            Whether :meth:`look` would find all of it done.
        """
        known = self._blocks, self._sample, self._components
        blocks = self._find_blocks(grid)
        if blocks is not known[0] or (view.scale < 1 and not blocks.catch_up(view.side)):
            return False
        visible = visible_cells(view, grid.shape[1], grid.shape[0], *size)
        sample = self._find_sample(grid, view, visible, size)
        if sample is known[1] and not sample.empty:
            self._find_components(sample)
        return sample is known[1] and self._components is known[2]

    def _find_blocks(self, grid: Grid) -> Blocks:
        shape, revision = (grid.shape[0], grid.shape[1]), self._session.drawing.revision
        blocks = self._blocks
        if blocks is None or self._drawn is None or self._drawn[0] != shape:
            self._blocks = blocks = Blocks(grid)
            self._sample = None
        elif self._drawn[1] != revision and not blocks.update(grid).empty:
            self._sample = None
        self._drawn = shape, revision
        return blocks

    def _find_sample(
        self, grid: Grid, view: Viewpoint, visible: CellRange, size: tuple[int, int]
    ) -> Sample:
        blocks = self._find_blocks(grid)
        if self._sample is None or self._seen != (view, size):
            self._seen = view, size
            self._sample = sample_of(blocks, view, visible, size)
            self._components = None
        return self._sample

    def _find_components(self, sample: Sample) -> Labels | None:
        colouring, grid = self._session.colouring, self._session.grid
        if colouring is None or grid is None or colouring.components.shape != grid.shape:
            return None
        if self._components is None or self._components[0] is not colouring.components:
            self._components = colouring.components, sample.of(colouring.components)
        return self._components[1]
