"""The selected cells, and the patch that floats over the grid until it is placed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ccl_viewer.grids import Grid
from ccl_viewer.grids.selection import Patch, centre_patch, cut_out
from ccl_viewer.grids.shapes import Box
from ccl_viewer.grids.transforms import Transform, restrict_to_box

if TYPE_CHECKING:
    from ccl_viewer.window.core.document import Document


@dataclass(frozen=True)
class SelectionState:
    """The selected box, the floating patch, and the hole it was lifted from, if any."""

    box: Box | None = None
    floating_patch: Patch | None = None
    hole: Box | None = None


class Selection:
    """A box of cells, and the patch that floats over the grid until it is placed.

    A patch is lifted out of the grid when the selection moves, or comes from a paste. Placing it
    (by Enter, a press beside it, or another tool) makes it part of the grid, as one edit. The
    document announces `selection_changed` on every change.
    """

    def __init__(self, document: Document) -> None:
        self._document = document
        self._selected = SelectionState()

    @property
    def state(self) -> SelectionState:
        """The whole state, for :meth:`set_state`."""
        return self._selected

    @property
    def box(self) -> Box | None:
        """What is selected: the box of the floating patch, if there is one."""
        patch = self._selected.floating_patch
        return self._selected.box if patch is None else patch.box

    @property
    def floating_patch(self) -> Patch | None:
        return self._selected.floating_patch

    @property
    def hole(self) -> Box | None:
        """Where the floating patch was lifted from; None if it was pasted."""
        return self._selected.hole

    def set_state(self, selected: SelectionState) -> None:
        """Restore a selection and its floating patch."""
        if selected != self._selected:
            self._selected = selected
            self._document.announce_changes()

    def select(self, box: Box) -> None:
        """Select the part of a box inside the grid; a floating patch is placed."""
        self.place()
        if self._document.shape is not None:
            self.set_state(SelectionState(_inside(box, self._document.shape)))

    def select_all(self) -> None:
        if self._document.shape is not None:
            self.select(Box(0, 0, *self._document.shape))

    def clear(self) -> None:
        """Place the floating patch, and select nothing."""
        self.place()
        self.set_state(SelectionState())

    def cancel(self) -> bool:
        """Drop the floating patch, or clear the selection; return whether there was either."""
        had = self.box is not None
        self.set_state(SelectionState(self.hole))
        return had

    def move(self, dx: int, dy: int) -> None:
        """Move the selected cells, lifting them out of the grid first."""
        grid, box = self._document.grid, self._selected.box
        patch, hole = self._selected.floating_patch, self._selected.hole
        if patch is None and grid is not None and box is not None:
            patch, hole = cut_out(grid, box), box
        if patch is not None:
            self.set_state(SelectionState(None, patch.moved(dy, dx), hole))

    def place(self) -> bool:
        """Make the floating patch part of the grid; return whether there was one."""
        patch, hole, shape = self.floating_patch, self.hole, self._document.shape
        if patch is None or shape is None:
            return False
        part = (patch.box if hole is None else patch.box.extended_to(hole)).clipped(shape)
        with self._document.transaction():
            self.set_state(SelectionState(_inside(patch.box, shape)))
            if not part.empty:
                title = "Paste" if hole is None else "Move"
                self._document.transform_box(title, part, placing_transform(patch, hole, part))
        return True

    def copy_cells(self) -> Grid | None:
        """Return the selected cells, or the whole grid; None without a grid."""
        grid = self._document.grid
        if grid is None:
            return None
        if self.floating_patch is not None:
            return self.floating_patch.cells
        return cut_out(grid, self.box or Box(0, 0, *grid.shape)).cells

    def cut_cells(self) -> Grid | None:
        """Return the selected cells, and make them background; None if nothing is selected."""
        if self.box is None:
            return None
        cells = self.copy_cells()
        self.delete("Cut")
        return cells

    def delete(self, title: str = "Delete") -> None:
        """Make the selected cells background; a pasted patch that floats is dropped."""
        box = self._selected.box if self.floating_patch is None else self.hole
        with self._document.transaction():
            self.set_state(SelectionState(box))
            if box is not None:
                self._document.transform_box(title, box, np.zeros_like)

    def paste(self, cells: Grid, at: tuple[int, int] | None = None) -> None:
        """Float cells, uint8 of (height, width), over the grid; without a grid, begin with them.

        Their middle is at a column and row, else at the selection, or at the grid's middle.
        """
        shape = self._document.shape
        if shape is None:
            self._document.replace(cells, "Paste", multivalued=bool(cells.max() > 1))
            return
        self.place()
        box = self._selected.box
        if at is not None:
            patch = centre_patch(cells, Box(at[1], at[0], at[1] + 1, at[0] + 1))
        elif box is not None:
            patch = Patch(box.top, box.left, cells)
        else:
            patch = centre_patch(cells, Box(0, 0, *shape))
        self.set_state(SelectionState(None, patch))

    def transform(self, title: str, transform: Transform) -> None:
        """Change the floating patch, or the selected cells, or else the whole grid, as an edit."""
        selected, shape = self._selected, self._document.shape
        if selected.floating_patch is not None:
            turned = centre_patch(
                transform(selected.floating_patch.cells), selected.floating_patch.box
            )
            self.set_state(SelectionState(None, turned, selected.hole))
            return
        box = selected.box
        if box is None or shape is None:
            self._document.transform(title, transform)
            return
        new = transform(np.zeros((box.height, box.width), np.uint8)).shape
        around = centre_patch(np.zeros(new, np.uint8), box).box
        with self._document.transaction():
            self._document.transform(title, restrict_to_box(box, transform))
            self.set_state(SelectionState(_inside(around, shape)))

    def fit(self) -> None:
        """Keep the box and the hole inside the grid, which may have another size now."""
        shape, selected = self._document.shape, self._selected
        if shape is not None:
            box, hole = _inside(selected.box, shape), _inside(selected.hole, shape)
            self.set_state(SelectionState(box, selected.floating_patch, hole))


def placing_transform(patch: Patch, hole: Box | None, part: Box) -> Transform:
    """Return a function that places a patch, lifted from a hole, in a part of a grid."""
    dy, dx = -part.top, -part.left

    def made(cells: Grid) -> Grid:
        new = cells.copy()
        if hole is not None:
            new[hole.moved(dy, dx).clipped(cells.shape).slices] = 0
        patch.moved(dy, dx).stamp(new)
        return new

    return made


def _inside(box: Box | None, shape: tuple[int, ...]) -> Box | None:
    """Return the part of a box inside a grid, or None."""
    inside = None if box is None else box.clipped(shape)
    return None if inside is None or inside.empty else inside
