"""Parts of a grid that are cut out, moved and put in again."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ccl_viewer.grids.grid import Grid
from ccl_viewer.grids.shapes import Box


@dataclass(frozen=True, eq=False)
class Patch:
    """Cells that lie over a grid without being part of it.

    Parameters
    ----------
    top, left : int
        Where its first cell lies; it may reach beyond the grid.
    cells : ndarray of uint8, shape (height, width)
        Their values; background covers what lies below too.
    """

    top: int
    left: int
    cells: Grid

    @property
    def box(self) -> Box:
        """Where it lies."""
        height, width = self.cells.shape
        return Box(self.top, self.left, self.top + height, self.left + width)

    def moved(self, dy: int, dx: int) -> Patch:
        """Return it some rows further down and some columns further right."""
        return Patch(self.top + dy, self.left + dx, self.cells)

    def stamp(self, grid: Grid) -> None:
        """Put the part that lies in a grid into it, in place."""
        inside = self.box.clipped(grid.shape)
        if not inside.empty:
            grid[inside.slices] = self.cells[inside.moved(-self.top, -self.left).slices]


def cut_out(grid: Grid, box: Box) -> Patch:
    """Return a copy of the cells in the part of a box that lies in a grid; it must not be empty."""
    inside = box.clipped(grid.shape)
    return Patch(inside.top, inside.left, np.ascontiguousarray(grid[inside.slices]).copy())


def centred(cells: Grid, box: Box) -> Patch:
    """Return cells with their middle on that of a box."""
    height, width = cells.shape
    return Patch(box.top + (box.height - height) // 2, box.left + (box.width - width) // 2, cells)
