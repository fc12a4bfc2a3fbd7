"""Scale grids, by the cell in the middle of a block or by the majority."""

from __future__ import annotations

from enum import StrEnum

import numpy as np
import numpy.typing as npt

from ccl_viewer.grids.grid import Grid
from ccl_viewer.support.cancellation import Check, never_cancel

_TABLE = 1 << 24  # entries of the table of counts that is made at a time
_PART = 1 << 22  # cells summed at a time
_VALUES = 256

Starts = npt.NDArray[np.int64]


class ScalingMethod(StrEnum):
    """How the value of a block of cells is chosen."""

    NEAREST = "nearest"
    MAJORITY = "majority"


def find_block_starts(length: int, side: int) -> Starts:
    """Return where blocks of `side` cells start; the edge may cut the last one off."""
    return np.arange(0, length, side, dtype=np.int64)


def find_even_starts(length: int, count: int) -> Starts:
    """Return where `count` parts of a line start, as equal as possible.

    With more parts than cells, several parts start at the same cell, which is repeated.
    """
    return np.arange(count, dtype=np.int64) * length // count


def resample(
    cells: Grid, rows: Starts, columns: Starts, method: ScalingMethod, check: Check = never_cancel
) -> Grid:
    """Turn each block of cells into one cell.

    Parameters
    ----------
    cells : ndarray of uint8, shape (height, width)
        The cells.
    rows, columns : ndarray of int64, shapes (new height,) and (new width,)
        Where the blocks start, ascending; a repeated start repeats the cell.
    method : ScalingMethod
        ``NEAREST`` takes the middle of a block; ``MAJORITY`` takes its most frequent value, and of
        equally frequent ones the lowest other than 0.
    check : callable
        Called between parts of the work.

    Returns
    -------
    ndarray of uint8, shape (new height, new width)
        C-contiguous.
    """
    height, width = cells.shape
    if method is ScalingMethod.NEAREST:
        return np.ascontiguousarray(
            cells[_find_middles(rows, height)[:, None], _find_middles(columns, width)[None, :]]
        )
    result = np.empty((rows.size, columns.size), np.uint8)
    binary = cells.size == 0 or int(cells.max()) <= 1
    ends = np.append(rows[1:], height)
    at_once = max(1, min(_TABLE // (_VALUES * columns.size), _PART * rows.size // cells.size))
    for top in range(0, rows.size, at_once):
        check()
        part = slice(top, top + at_once)
        starts = rows[part]
        last = max(int(ends[part][-1]), int(starts[-1]) + 1)
        block = cells[starts[0] : last]
        vote = _vote_binary if binary else _vote
        result[part] = vote(block, starts - starts[0], columns)
    return result


def _find_middles(starts: Starts, length: int) -> Starts:
    middles = np.maximum((starts + np.append(starts[1:], length)) // 2, starts)
    inside: Starts = np.minimum(middles, length - 1)
    return inside


def _vote_binary(cells: Grid, rows: Starts, columns: Starts) -> Grid:
    counts = np.add.reduceat(np.add.reduceat(cells, columns, axis=1, dtype=np.int64), rows, axis=0)
    area = np.outer(_measure_parts(rows, cells.shape[0]), _measure_parts(columns, cells.shape[1]))
    return (2 * counts >= area).astype(np.uint8)


def _vote(cells: Grid, rows: Starts, columns: Starts) -> Grid:
    # Repeat cells first where starts repeat, so that no two blocks share one.
    values = cells[_list_cells(rows, cells.shape[0])][:, _list_cells(columns, cells.shape[1])]
    row_of = np.repeat(np.arange(rows.size), _measure_parts(rows, cells.shape[0]))
    column_of = np.repeat(np.arange(columns.size), _measure_parts(columns, cells.shape[1]))
    keys = (row_of[:, None] * columns.size + column_of[None, :]) * _VALUES + values
    counts = np.bincount(keys.ravel(), minlength=rows.size * columns.size * _VALUES)
    counts = counts.reshape(rows.size, columns.size, _VALUES)
    best = counts[..., 1:].argmax(axis=2) + 1
    most = np.take_along_axis(counts, best[..., None], axis=2)[..., 0]
    return np.where(counts[..., 0] > most, 0, best).astype(np.uint8)


def _measure_parts(starts: Starts, length: int) -> Starts:
    """Return the number of cells of each part; 1 if its start is repeated."""
    return np.maximum(np.append(starts[1:], length) - starts, 1)


def _list_cells(starts: Starts, length: int) -> Starts:
    """Return the cells of all parts, one part after the other."""
    sizes = _measure_parts(starts, length)
    before = np.cumsum(sizes) - sizes
    return np.arange(int(sizes.sum())) - np.repeat(before - starts, sizes)
