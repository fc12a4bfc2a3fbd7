"""Which cells a picture is made from: all that are visible, or one for each pixel."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final, TypeVar

import numpy as np
import numpy.typing as npt

from ccl_viewer.pieces import bands
from ccl_viewer.recording.peek import Chosen
from ccl_viewer.views.canvas.geometry import CellRange, Viewpoint

Places = npt.NDArray[np.int64]
_SIDES_KEPT: Final = 3
_BAND_CELLS: Final = 1 << 18
_ALIKE: Final = 1e-6
"""Share of a pixel in which positions on an edge may differ, as fractions are rounded."""

_SMALL_BLOCK: Final = 15
"""Cells across blocks whose cells a byte can number."""

PIECE_CELLS: Final = 1 << 21
"""Cells for whose blocks others are found in one go: some milliseconds."""

Scalar = TypeVar("Scalar", bound=np.generic)


@dataclass(frozen=True, eq=False)
class Sample:
    """The cells that a picture needs, so that no others are looked at.

    Parameters
    ----------
    window : tuple of two slices, or None
        Rows and columns of the cells, where each covers a pixel at least.
    places : ndarray of int32, shape (rows of pixels, columns of pixels), or None
        Linear index of the cell that each pixel shows, where cells are smaller than pixels.
    rows, columns : ndarray of int64
        Row and column within the window of the cell of each pixel.
    left, top : int
        Where the picture belongs on the canvas, in pixels.
    whole_left, whole_top : bool
        Whether the first column and row of cells begin on the canvas.
    width : int
        Columns of the grid.
    """

    window: tuple[slice, slice] | None
    places: npt.NDArray[np.int32] | None
    rows: Places
    columns: Places
    left: int = 0
    top: int = 0
    whole_left: bool = True
    whole_top: bool = True
    width: int = 0

    @property
    def empty(self) -> bool:
        """Whether there is no pixel."""
        return not (self.rows.size and self.columns.size)

    def of(self, cells: npt.NDArray[Scalar]) -> npt.NDArray[Scalar]:
        """Return the sample of an array of shape (height, width)."""
        if self.places is not None:
            return cells.reshape(-1)[self.places]
        return cells if self.window is None else cells[self.window]

    @cached_property
    def chosen(self) -> Chosen:
        """The cells, for looking their labels up in a recording."""
        if self.places is not None:
            return Chosen.of(self.places.astype(np.int64))
        if self.window is None:
            return Chosen.of(np.empty((0, 0), np.int64))
        rows, columns = self.window
        y, x = np.arange(rows.start, rows.stop), np.arange(columns.start, columns.stop)
        return Chosen.of(y[:, None] * self.width + x[None, :])


class Blocks:
    """Finds for square blocks of cells one that stands for them: foreground, where there is any.

    Foreground thus never vanishes when zoomed out, and a block has the same cell at every step.

    Parameters
    ----------
    grid : ndarray of uint8, shape (height, width)
        The grid. Changes to it count once :meth:`update` was called.
    """

    def __init__(self, grid: npt.NDArray[np.uint8]) -> None:
        self._source = grid
        self._grid: npt.NDArray[np.uint8] = np.empty(grid.shape, np.uint8)
        self._rows_known = 0
        self._chosen: OrderedDict[int, npt.NDArray[np.int32]] = OrderedDict()
        self._behind: dict[int, CellRange] = {}

    @property
    def width(self) -> int:
        """Columns of the grid."""
        return int(self._grid.shape[1])

    def update(self, grid: npt.NDArray[np.uint8]) -> CellRange:
        """Take over what was drawn since; return the rectangle of cells in which all of it lies.

        Parameters
        ----------
        grid : ndarray of uint8, of the first grid's shape
            The grid as it is now.
        """
        if self._rows_known < grid.shape[0]:
            self._source, self._rows_known = grid, 0
            return self._whole
        changed = changed_range(self._grid, grid)
        if not changed.empty:
            window = slice(changed.top, changed.bottom), slice(changed.left, changed.right)
            self._grid[window] = grid[window]
            for side in self._chosen:
                self._behind[side] = self._behind[side].united(changed)
        return changed

    def places(self, rows: Places, columns: Places, side: int) -> npt.NDArray[np.int32]:
        """Return linear indices of the cells that stand for blocks.

        Parameters
        ----------
        rows, columns : ndarray of int64, one-dimensional
            Rows and columns of blocks.
        side : int
            Cells across and down a block.

        Returns
        -------
        ndarray of int32, shape (rows, columns)
        """
        while not self.catch_up(side):
            pass
        return self._chosen[side][np.ix_(rows, columns)]

    def catch_up(self, side: int) -> bool:
        """Find the cells for some more blocks; of a large grid, all at once would take too long.

        Parameters
        ----------
        side : int
            Cells across and down a block.

        Returns
        -------
        bool
            Whether all are found.
        """
        height, width = self._grid.shape
        if self._rows_known < height:
            self._get_to_know()
            return False
        if side not in self._chosen:
            self._chosen[side] = np.empty((-(-height // side), -(-width // side)), np.int32)
            self._behind[side] = self._whole
            if len(self._chosen) > _SIDES_KEPT:
                del self._behind[self._chosen.popitem(last=False)[0]]
        behind = self._behind[side]
        if behind.empty:
            return True
        columns = slice(behind.left // side, -(-behind.right // side))
        across = (columns.stop - columns.start) * side
        first, last = behind.top // side, -(-behind.bottom // side)
        rows = slice(first, min(last, first + max(1, PIECE_CELLS // (across * side))))
        self._chosen[side][rows, columns] = self._choose(side, rows, columns)
        self._behind[side] = replace(behind, top=min(rows.stop * side, behind.bottom))
        return self._behind[side].empty

    @property
    def _whole(self) -> CellRange:
        height, width = self._grid.shape
        return CellRange(0, 0, width, height)

    def _get_to_know(self) -> None:
        """Copy some more of the grid: where memory is slow to come by, all of it takes long."""
        rows = slice(self._rows_known, self._rows_known + max(1, PIECE_CELLS // self.width))
        self._grid[rows] = self._source[rows]
        self._rows_known = min(rows.stop, self._grid.shape[0])
        if self._rows_known == self._grid.shape[0]:
            self._source = self._grid  # the other may go

    def _choose(self, side: int, rows: slice, columns: slice) -> npt.NDArray[np.int32]:
        across = columns.stop - columns.start
        chosen = np.empty((rows.stop - rows.start, across), np.int32)
        # A few rows of blocks at a time: what is made of them stays in the processor's cache.
        step = max(1, _BAND_CELLS // (side * side * max(across, 1)))
        for top in range(0, chosen.shape[0], step):
            band = chosen[top : top + step]
            first = slice(rows.start + top, rows.start + top + band.shape[0])
            band[:] = self._choose_band(side, first, columns)
        return chosen

    def _choose_band(self, side: int, rows: slice, columns: slice) -> npt.NDArray[np.int32]:
        width = self._grid.shape[1]
        down, across = rows.stop - rows.start, columns.stop - columns.start
        cells = self._grid[
            rows.start * side : rows.stop * side, columns.start * side : columns.stop * side
        ]
        whole = np.zeros((down * side, across * side), np.bool_)
        np.not_equal(cells, 0, out=whole[: cells.shape[0], : cells.shape[1]])
        chosen = _first_of_blocks(whole, side, width)
        chosen += np.arange(rows.start, rows.stop, dtype=np.int32)[:, None] * np.int32(side * width)
        chosen += np.arange(columns.start, columns.stop, dtype=np.int32) * np.int32(side)
        return chosen


def _first_of_blocks(cells: npt.NDArray[np.bool_], side: int, width: int) -> npt.NDArray[np.int32]:
    """Return where in its block the first cell is, as ``y * width + x``; 0 in an empty block."""
    down, across = cells.shape[0] // side, cells.shape[1] // side
    if side > _SMALL_BLOCK:
        blocks = cells.reshape(down, side, across, side).swapaxes(1, 2)
        y, x = np.divmod(blocks.reshape(down, across, side * side).argmax(axis=2), side)
        found: npt.NDArray[np.int32] = (y * width + x).astype(np.int32)
        return found
    # The sooner a cell comes in its block, the higher its mark: the highest is that of the first.
    order = np.arange(side * side)
    marks = np.tile((order.size - order).astype(np.uint8).reshape(side, side), across)
    marked = cells.view(np.uint8).reshape(down, side, across * side) * marks
    columns = marked.max(axis=1)
    highest = columns[:, ::side].copy()
    for x in range(1, side):
        np.maximum(highest, columns[:, x::side], out=highest)
    places = np.zeros(order.size + 1, np.int32)
    places[order.size - order] = order // side * width + order % side
    first: npt.NDArray[np.int32] = places[highest]
    return first


def changed_range(before: npt.NDArray[np.uint8], after: npt.NDArray[np.uint8]) -> CellRange:
    """Return the smallest rectangle in which two grids of one shape differ; empty if nowhere."""
    rows = _differing_rows(before, after)
    if not rows.size:
        return CellRange(0, 0, 0, 0)
    top, bottom = int(rows[0]), int(rows[-1]) + 1
    differ = np.zeros(before.shape[1], np.bool_)
    for band in bands((bottom - top, differ.size), _BAND_CELLS):
        differ |= (before[top:bottom][band] != after[top:bottom][band]).any(axis=0)
        if differ[0] and differ[-1]:
            break  # no column is further out
    columns = np.flatnonzero(differ)
    return CellRange(int(columns[0]), top, int(columns[-1]) + 1, bottom)


def _differing_rows(before: npt.NDArray[np.uint8], after: npt.NDArray[np.uint8]) -> Places:
    width = before.shape[1]
    if width % 8 == 0 and before.flags.c_contiguous and after.flags.c_contiguous:
        # Eight cells at once: most often a few cells in millions differ.
        words = before.view(np.uint64) != after.view(np.uint64)
        return np.flatnonzero(words.any(axis=1))
    return np.flatnonzero((before != after).any(axis=1))


def sample_of(blocks: Blocks, view: Viewpoint, visible: CellRange, size: tuple[int, int]) -> Sample:
    """Return the cells of which a picture of the visible cells is made.

    Parameters
    ----------
    blocks : Blocks
        Of the grid.
    view : Viewpoint
        Where the cells lie, in the picture's own pixels.
    visible : CellRange
        Which are visible.
    size : tuple of int
        Width and height of the canvas, in pixels.
    """
    if visible.empty:
        nothing = np.empty(0, np.int64)
        return Sample((slice(0), slice(0)), None, nothing, nothing)
    left, columns = _cells_of(visible.left, visible.right, view.x, view.scale, size[0])
    top, rows = _cells_of(visible.top, visible.bottom, view.y, view.scale, size[1])
    if view.scale < 1:
        places = blocks.places(rows // view.side, columns // view.side, view.side)
        return Sample(None, places, rows, columns, left, top, width=blocks.width)
    return Sample(
        (slice(visible.top, visible.bottom), slice(visible.left, visible.right)),
        None,
        rows - visible.top,
        columns - visible.left,
        left,
        top,
        left <= view.x + visible.left * view.scale,
        top <= view.y + visible.top * view.scale,
        blocks.width,
    )


def _cells_of(start: int, end: int, offset: float, scale: float, size: int) -> tuple[int, Places]:
    """Return the first pixel of a range of cells, and the cell in the middle of each pixel.

    The last pixel may be for less than a whole block of cells, whose middle then lies beyond.
    """
    first = max(int(np.floor(offset + start * scale + _ALIKE)), 0)
    last = min(int(np.ceil(offset + end * scale - _ALIKE)), size)
    cells = np.floor((np.arange(first, last) + 0.5 - offset) / scale).astype(np.int64)
    return first, np.clip(cells, start, end - 1)
