"""Which cells a picture is made from: all that are visible, or one for each pixel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from ccl_viewer.views.canvas_geometry import CellRange, Viewpoint

Places = npt.NDArray[np.int64]
Scalar = TypeVar("Scalar", bound=np.generic)


@dataclass(frozen=True, eq=False)
class Sample:
    """The cells that a picture needs, so that no others are looked at.

    Parameters
    ----------
    window : tuple of two slices, or None
        Rows and columns of the cells, where each covers a pixel at least.
    places : ndarray of int64, shape (rows of pixels, columns of pixels), or None
        Linear index of the cell that each pixel shows, where cells are smaller than pixels.
    rows, columns : ndarray of int64
        Row and column within the window of the cell of each pixel.
    left, top : int
        Where the picture belongs on the canvas, in pixels.
    whole_left, whole_top : bool
        Whether the first column and row of cells begin on the canvas.
    """

    window: tuple[slice, slice] | None
    places: Places | None
    rows: Places
    columns: Places
    left: int = 0
    top: int = 0
    whole_left: bool = True
    whole_top: bool = True

    @property
    def empty(self) -> bool:
        """Whether there is no pixel."""
        return not (self.rows.size and self.columns.size)

    def of(self, cells: npt.NDArray[Scalar]) -> npt.NDArray[Scalar]:
        """Return the sample of an array of shape (height, width)."""
        if self.places is not None:
            return cells.reshape(-1)[self.places]
        return cells if self.window is None else cells[self.window]


class Blocks:
    """Finds for square blocks of cells one that stands for them: foreground, where there is any.

    Foreground thus never vanishes when zoomed out, and a block has the same cell at every step.

    Parameters
    ----------
    grid : ndarray of uint8, shape (height, width)
        The grid, which must not change afterwards.
    """

    def __init__(self, grid: npt.NDArray[np.uint8]) -> None:
        self._width = grid.shape[1]
        self._levels: list[npt.NDArray[np.bool_]] = [grid != 0]
        # For each level from 1: which of the four blocks below stands for one, 2 * row + column.
        self._choices: list[npt.NDArray[np.uint8]] = []

    def factor(self, scale: float) -> int:
        """Return the largest side of a block, a power of two, that is no larger than a pixel."""
        depth = 0
        while scale * 2 ** (depth + 1) <= 1 and min(self._level(depth).shape) > 1:
            depth += 1
        return 1 << depth

    def places(self, rows: Places, columns: Places, factor: int) -> Places:
        """Return linear indices of the cells that stand for blocks.

        Parameters
        ----------
        rows, columns : ndarray of int64, one-dimensional
            Rows and columns of blocks.
        factor : int
            Side of a block, as :meth:`factor` returned it.

        Returns
        -------
        ndarray of int64, shape (rows, columns)
        """
        self._level(factor.bit_length() - 1)
        y, x = np.broadcast_arrays(rows[:, None], columns[None, :])
        for choice in reversed(self._choices[: factor.bit_length() - 1]):
            chosen = choice[y, x]
            y, x = 2 * y + (chosen >> 1), 2 * x + (chosen & 1)
        places: Places = y * self._width + x
        return places

    def _level(self, depth: int) -> npt.NDArray[np.bool_]:
        while len(self._levels) <= depth:
            below = self._levels[-1]
            height, width = below.shape
            if height % 2 or width % 2:
                below = np.pad(below, ((0, height % 2), (0, width % 2)))
            first, second = below[0::2, 0::2], below[0::2, 1::2]
            third, fourth = below[1::2, 0::2], below[1::2, 1::2]
            lower = np.where(third, np.uint8(2), fourth * np.uint8(3))
            self._choices.append(np.where(first, np.uint8(0), np.where(second, np.uint8(1), lower)))
            self._levels.append(np.logical_or(first | second, third | fourth))
        return self._levels[depth]


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
        factor = blocks.factor(view.scale)
        places = blocks.places(rows // factor, columns // factor, factor)
        return Sample(None, places, rows, columns, left, top)
    return Sample(
        (slice(visible.top, visible.bottom), slice(visible.left, visible.right)),
        None,
        rows - visible.top,
        columns - visible.left,
        left,
        top,
        left <= view.x + visible.left * view.scale,
        top <= view.y + visible.top * view.scale,
    )


def _cells_of(start: int, end: int, offset: float, scale: float, size: int) -> tuple[int, Places]:
    """Return the first pixel of a range of cells, and the cell in the middle of each pixel."""
    first = max(int(np.ceil(offset + start * scale - 0.5)), 0)
    last = min(int(np.ceil(offset + end * scale - 0.5)), size)
    cells = np.floor((np.arange(first, last) + 0.5 - offset) / scale).astype(np.int64)
    return first, np.clip(cells, start, end - 1)
