"""Edits that undo takes back, stored in the smaller of two forms: changed cells or packed grids."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ccl_viewer.grids.brush import Change
from ccl_viewer.grids.grid import Grid
from ccl_viewer.grids.shapes import Box

_SPARSE_BYTES = 10  # per cell of a Change


class Edit(Protocol):
    """A change of a grid that can be undone; both methods return the resulting grid."""

    def apply(self, grid: Grid, /) -> Grid:
        """Make the edit; it may change the given grid in place."""

    def revert(self, grid: Grid, /) -> Grid:
        """Undo the edit; it may change the given grid in place."""


@dataclass(frozen=True, eq=False)
class Snapshot:
    """A copy of a whole grid; a grid of 0 and 1 takes one bit per cell.

    Parameters
    ----------
    shape : tuple of int
        (height, width).
    data : ndarray of uint8, shape (n,)
        The cells one after the other, or their bits.
    packed : bool
        Whether they are bits.
    """

    shape: tuple[int, ...]
    data: Grid
    packed: bool

    @classmethod
    def of(cls, grid: Grid) -> Snapshot:
        """Return a snapshot of a grid."""
        if int(grid.max()) > 1:
            return cls(grid.shape, grid.flatten(), packed=False)
        return cls(grid.shape, np.packbits(grid), packed=True)

    def grid(self) -> Grid:
        """Return the grid as a new array."""
        if not self.packed:
            return self.data.copy().reshape(self.shape)
        height, width = self.shape
        return np.unpackbits(self.data, count=height * width).reshape(self.shape)


@dataclass(frozen=True, eq=False)
class Replacement:
    """An edit that replaces the whole grid; the sizes may differ.

    Parameters
    ----------
    old, new : Snapshot
        The grid before, and the one after.
    """

    old: Snapshot
    new: Snapshot

    def apply(self, _grid: Grid, /) -> Grid:
        """Return the new grid."""
        return self.new.grid()

    def revert(self, _grid: Grid, /) -> Grid:
        """Return the old grid."""
        return self.old.grid()


def diff_grids(old: Grid, new: Grid) -> Edit | None:
    """Return the edit that turns one grid into another, in its smaller form.

    Parameters
    ----------
    old, new : ndarray of uint8, shape (height, width)
        The grids; their sizes may differ.

    Returns
    -------
    Edit or None
        None if they are equal.
    """
    if old.shape != new.shape:
        return Replacement(Snapshot.of(old), Snapshot.of(new))
    other = old != new
    count = int(np.count_nonzero(other))
    if count == 0:
        return None
    if count * _SPARSE_BYTES <= old.size // 4:  # less than two grids of bits
        indices = np.flatnonzero(other)
        # `flat` would hold Python's lock.
        return Change(indices, np.take(old, indices), np.take(new, indices))
    return Replacement(Snapshot.of(old), Snapshot.of(new))


def make_box_edit(grid: Grid, box: Box, cells: Grid) -> Change | None:
    """Return the edit that replaces the cells of a box.

    Parameters
    ----------
    grid : ndarray of uint8, shape (height, width)
        The grid.
    box : Box
        A box inside the grid.
    cells : ndarray of uint8, of the shape of the box
        The new cells of the box.

    Returns
    -------
    Change or None
        None if no cell changes.
    """
    old = grid[box.slices]
    rows, columns = np.nonzero(old != cells)
    if not rows.size:
        return None
    indices = (rows + box.top) * grid.shape[1] + columns + box.left
    return Change(indices, old[rows, columns], cells[rows, columns])


def merge_changes(changes: list[Change], grid: Grid) -> Edit:
    """Return changes of different cells, already made, as one edit in its smaller form.

    Parameters
    ----------
    changes : list of Change
        One at least.
    grid : ndarray of uint8, shape (height, width)
        The grid after them.
    """
    merged = changes[0]
    if len(changes) > 1:
        merged = Change(
            np.concatenate([change.indices for change in changes]),
            np.concatenate([change.old for change in changes]),
            np.concatenate([change.new for change in changes]),
        )
    if merged.indices.size * _SPARSE_BYTES <= grid.size // 4:
        return merged
    old = merged.revert(grid.copy())
    return diff_grids(old, grid) or merged
