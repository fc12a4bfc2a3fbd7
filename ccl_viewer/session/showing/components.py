"""Area and box of every component of a grid, counted once for a run."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ccl_viewer.cancellation import Check, unchecked
from ccl_viewer.pieces import PIECE, apply_at, bands
from ccl_viewer.session.state import Cell

Components = npt.NDArray[np.int32]
Counts = npt.NDArray[np.int64]


@dataclass(frozen=True)
class ComponentInfo:
    """One component.

    Parameters
    ----------
    number : int
        From 1, in raster order of the first cells.
    area : int
        Its cells.
    box : tuple of four int
        First column, first row, column and row after the last.
    """

    number: int
    area: int
    box: tuple[int, int, int, int]


@dataclass(frozen=True, eq=False)
class ComponentTable:
    """All components of a grid.

    Parameters
    ----------
    components : ndarray of int32, shape (height, width)
        Number of each cell's component, 0 on background.
    areas : ndarray of int64, shape (components + 1,)
        Cells of each component; element 0 counts the background.
    boxes : ndarray of int64, shape (components + 1, 4)
        As :attr:`ComponentInfo.box`; row 0 is not used.
    """

    components: Components
    areas: npt.NDArray[np.int64]
    boxes: npt.NDArray[np.int64]

    def at(self, cell: Cell) -> ComponentInfo | None:
        """Return the component of a cell; None on background, and outside the grid."""
        x, y = cell
        height, width = self.components.shape
        if not (0 <= x < width and 0 <= y < height):
            return None
        number = int(self.components[y, x])
        if not number:
            return None
        left, top, right, bottom = self.boxes[number].tolist()
        return ComponentInfo(number, int(self.areas[number]), (left, top, right, bottom))


def component_table(components: Components, check: Check = unchecked) -> ComponentTable:
    """Count the components of a grid; some tenths of a second for millions of cells.

    Parameters
    ----------
    components : ndarray of int32, shape (height, width)
        Number of each cell's component from 1, 0 on background.
    check : callable
        Called every few milliseconds; what it raises ends the work.
    """
    height, width = components.shape
    count = int(components.max(initial=0)) + 1
    areas = np.zeros(count, np.int64)
    boxes = np.zeros((count, 4), np.int64)
    boxes[:, :2] = max(height, width)
    for rows in bands(components.shape, PIECE):
        check()
        _measure(components[rows], rows.start, areas, boxes)
    return ComponentTable(components, areas, boxes)


def _measure(band: Components, top: int, areas: Counts, boxes: Counts) -> None:
    """Take some rows into areas and boxes."""
    begins = np.ones((len(band), band.shape[1] + 1), np.bool_)
    begins[:, 1:-1] = band[:, 1:] != band[:, :-1]
    rows, columns = np.nonzero(begins)
    inner = np.flatnonzero(rows[1:] == rows[:-1])
    left, right, row = columns[inner], columns[inner + 1], rows[inner] + top
    numbers = band[rows[inner], left]
    apply_at(np.add, areas, numbers, right - left)
    apply_at(np.minimum, boxes[:, 0], numbers, left)
    apply_at(np.minimum, boxes[:, 1], numbers, row)
    apply_at(np.maximum, boxes[:, 2], numbers, right)
    apply_at(np.maximum, boxes[:, 3], numbers, row + 1)
