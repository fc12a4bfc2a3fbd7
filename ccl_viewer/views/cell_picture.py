"""Palette indices to pixels: nearest neighbour, only what is visible, NumPy alone."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ccl_viewer.views.canvas_geometry import GRID_LINE_CELL, CellRange, Viewpoint

Indices = npt.NDArray[np.uint8]
Pixels = npt.NDArray[np.uint32]


def packed_table(table: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint32]:
    """Return a colour table as Qt's ``0xAARRGGBB``.

    Parameters
    ----------
    table : ndarray of uint8, shape (256, 4)
        RGBA.

    Returns
    -------
    ndarray of uint32, shape (256,)
        The colours, opaque.
    """
    weights = np.array([1 << 16, 1 << 8, 1], np.uint32)
    packed: Pixels = np.bitwise_or(table[:, :3] @ weights, 0xFF000000, dtype=np.uint32)
    return packed


def lined_table(colors: Pixels, line: tuple[int, int, int], scale: float) -> Pixels | None:
    """Return the colours of lines between cells: faint where cells are small.

    Parameters
    ----------
    colors : ndarray of uint32, shape (256,)
        Of :func:`packed_table`.
    line : tuple of three int
        Red, green and blue of the lines between large cells.
    scale : float
        Pixels a cell.

    Returns
    -------
    ndarray of uint32, shape (256,), or None
        Colour of the line at the edge of a cell of each palette index; None where cells are too
        small for lines.
    """
    if scale < GRID_LINE_CELL:
        return None
    share = min(1.0, (scale - GRID_LINE_CELL + 3) / 14)
    channels = np.stack([colors >> 16 & 255, colors >> 8 & 255, colors & 255, colors], axis=1)
    mixed = channels[:, :3] + (np.array(line) - channels[:, :3].astype(np.float64)) * share
    return packed_table(mixed.round().astype(np.uint8))


def halved(indices: Indices) -> Indices:
    """Return indices of half the size; of each two by two cells the largest stays.

    Foreground thus never vanishes when zoomed out, and no index is ever made up.
    """
    height, width = indices.shape
    if height % 2 or width % 2:
        indices = np.pad(indices, ((0, height % 2), (0, width % 2)))
    rows = np.maximum(indices[0::2], indices[1::2])
    return np.maximum(rows[:, 0::2], rows[:, 1::2])


class Pyramid:
    """Cells and their halved versions, made when they are first needed.

    Parameters
    ----------
    indices : ndarray of uint8, shape (height, width)
        Palette indices.
    """

    def __init__(self, indices: Indices) -> None:
        self._levels = [indices]

    def level(self, scale: float) -> tuple[Indices, int]:
        """Return the coarsest version that still has a cell for each pixel.

        Parameters
        ----------
        scale : float
            Pixels a cell.

        Returns
        -------
        indices : ndarray of uint8
            The version.
        factor : int
            Cells in one of its cells, along each side.
        """
        depth = 0
        while scale * 2 ** (depth + 1) <= 1 and min(self._levels[depth].shape) > 1:
            depth += 1
            if depth == len(self._levels):
                self._levels.append(halved(self._levels[-1]))
        return self._levels[depth], 2**depth


def pixels_of(
    pyramid: Pyramid,
    colors: Pixels,
    lined: Pixels | None,
    view: Viewpoint,
    visible: CellRange,
    size: tuple[int, int],
) -> tuple[Pixels, int, int]:
    """Return the picture of the visible cells.

    Parameters
    ----------
    pyramid : Pyramid
        The cells.
    colors : ndarray of uint32, shape (256,)
        Of :func:`packed_table`.
    lined : ndarray of uint32, shape (256,), or None
        Of :func:`lined_table`; None for no lines.
    view : Viewpoint
        Where the cells lie, in the picture's own pixels.
    visible : CellRange
        Which are visible.
    size : tuple of int
        Width and height of the canvas, in pixels.

    Returns
    -------
    pixels : ndarray of uint32, shape (rows, columns), C-contiguous
        ``0xAARRGGBB``; empty if no cell is visible.
    left, top : int
        Where it belongs on the canvas.
    """
    if visible.empty:
        return np.empty((0, 0), np.uint32), 0, 0
    left, columns = _samples(visible.left, visible.right, view.x, view.scale, size[0])
    top, rows = _samples(visible.top, visible.bottom, view.y, view.scale, size[1])
    indices, factor = pyramid.level(view.scale)
    if view.scale < 1:
        cells = indices[(rows // factor)[:, None], (columns // factor)[None, :]]
        return colors[cells], left, top
    window = slice(visible.top, visible.bottom), slice(visible.left, visible.right)
    columns, rows = columns - visible.left, rows - visible.top
    pixels = _enlarged(colors[indices[window]], columns, rows)
    if lined is not None:
        edges = lined[indices[window]]
        at_left = _first_pixels(columns, left <= view.x + visible.left * view.scale)
        at_top = _first_pixels(rows, top <= view.y + visible.top * view.scale)
        pixels[:, at_left] = _enlarged(edges, columns[at_left], rows)
        pixels[at_top] = _enlarged(edges, columns, rows[at_top])
    return pixels, left, top


def _enlarged(cells: Pixels, columns: npt.NDArray[np.int64], rows: npt.NDArray[np.int64]) -> Pixels:
    return cells.take(columns, axis=1).take(rows, axis=0)


def _first_pixels(
    cells: npt.NDArray[np.int64],
    whole: bool,
) -> npt.NDArray[np.int64]:
    """Return where cells begin in a row of pixels, whose first cell may not be there as a whole."""
    return np.flatnonzero(np.diff(cells, prepend=-1 if whole else 0))


def _samples(
    start: int, end: int, offset: float, scale: float, size: int
) -> tuple[int, npt.NDArray[np.int64]]:
    """Return the first pixel of a range of cells, and the cell in the middle of each pixel."""
    first = max(int(np.ceil(offset + start * scale - 0.5)), 0)
    last = min(int(np.ceil(offset + end * scale - 0.5)), size)
    cells = np.floor((np.arange(first, last) + 0.5 - offset) / scale).astype(np.int64)
    return first, np.clip(cells, start, end - 1)
