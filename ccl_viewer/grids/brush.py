"""The cells that a brush covers, and the changes that painting makes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from ccl_viewer.errors import InputError
from ccl_viewer.grids.grid import Grid

Cells: TypeAlias = npt.NDArray[np.int64]

MAX_BRUSH = 256
"""Largest diameter of a brush, in cells."""


@dataclass(frozen=True, eq=False)
class Change:
    """Cells of a grid with their old and new values.

    Parameters
    ----------
    indices : ndarray of int64, shape (n,)
        Linear index ``y * width + x`` of each changed cell, ascending.
    old, new : ndarray of uint8, shape (n,)
        Values before and after.
    """

    indices: Cells
    old: Grid
    new: Grid

    def apply(self, grid: Grid) -> Grid:
        """Give the cells their new values, in place, and return the grid."""
        grid.flat[self.indices] = self.new
        return grid

    def revert(self, grid: Grid) -> Grid:
        """Give the cells their old values, in place, and return the grid."""
        grid.flat[self.indices] = self.old
        return grid


def line_cells(y0: int, x0: int, y1: int, x1: int) -> Cells:
    """Return the cells of a straight line (Bresenham).

    Parameters
    ----------
    y0, x0, y1, x1 : int
        First and last cell, both part of the line; they may be outside the grid.

    Returns
    -------
    ndarray of int64, shape (n, 2)
        Cells as (y, x) from the first to the last; each is one of the eight neighbours of the
        previous one.
    """
    dy, dx = y1 - y0, x1 - x0
    steps = max(abs(dy), abs(dx))
    if steps == 0:
        return np.array([[y0, x0]], np.int64)
    along = np.arange(steps + 1, dtype=np.int64)
    # Integers, rounded to the nearest: floor(along * d / steps + 1/2).
    y = y0 + (2 * along * dy + steps) // (2 * steps)
    x = x0 + (2 * along * dx + steps) // (2 * steps)
    return np.stack([y, x], axis=1)


def brush_offsets(brush: int) -> Cells:
    """Return the cells that a round brush covers, relative to its middle.

    Parameters
    ----------
    brush : int
        Diameter in cells, from 1 to :data:`MAX_BRUSH`. The middle of an even brush is the cell
        up and left of its centre.

    Returns
    -------
    ndarray of int64, shape (n, 2)
        Offsets as (y, x).

    Raises
    ------
    InputError
        If the brush is too small or too large.
    """
    if not 1 <= brush <= MAX_BRUSH:
        raise InputError(f"A brush is 1 to {MAX_BRUSH} cells wide, not {brush}.")
    # Twice the distance from the centre, so that even brushes need no fractions.
    from_centre = 2 * np.arange(brush) - (brush - 1)
    inside = from_centre[:, None] ** 2 + from_centre[None, :] ** 2 <= brush**2
    return np.argwhere(inside) - (brush - 1) // 2


def paint_cells(grid: Grid, indices: Cells, value: int) -> Change:
    """Paint cells, in place.

    Parameters
    ----------
    grid : ndarray of uint8, shape (height, width)
        C-contiguous and writable.
    indices : ndarray of int64, shape (n,)
        Linear index ``y * width + x`` of each cell, each once.
    value : int
        New value of the cells, 0 to 255.

    Returns
    -------
    Change
        The cells that got another value; there may be none.
    """
    old = grid.flat[indices]
    other = old != value
    change = Change(indices[other], old[other], np.full(int(other.sum()), value, np.uint8))
    change.apply(grid)
    return change
