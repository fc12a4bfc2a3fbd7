"""Parts of a grid that are cut, moved and pasted."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ccl_viewer.grids.grid import Grid
from ccl_viewer.grids.shapes import Box


@dataclass(frozen=True, eq=False)
class Patch:
    """Cells that float over a grid.

    Parameters
    ----------
    top, left : int
        Place of its first cell; the patch may reach beyond the grid.
    cells : ndarray of uint8, shape (height, width)
        Their values; background covers the cells below, too.
    """

    top: int
    left: int
    cells: Grid

    @property
    def box(self) -> Box:
        """The box that it covers."""
        height, width = self.cells.shape
        return Box(self.top, self.left, self.top + height, self.left + width)

    def moved(self, dy: int, dx: int) -> Patch:
        """Return the patch moved down by `dy` rows and right by `dx` columns."""
        return Patch(self.top + dy, self.left + dx, self.cells)

    def stamp(self, grid: Grid) -> None:
        """Write the part inside a grid into the grid, in place."""
        inside = self.box.clipped(grid.shape)
        if not inside.empty:
            grid[inside.slices] = self.cells[inside.moved(-self.top, -self.left).slices]


def cut_out(grid: Grid, box: Box) -> Patch:
    """Return a copy of the cells in the part of a box inside a grid; it must not be empty."""
    inside = box.clipped(grid.shape)
    return Patch(inside.top, inside.left, np.ascontiguousarray(grid[inside.slices]).copy())


def centre_patch(cells: Grid, box: Box) -> Patch:
    """Return cells as a patch centred on a box."""
    height, width = cells.shape
    return Patch(box.top + (box.height - height) // 2, box.left + (box.width - width) // 2, cells)
