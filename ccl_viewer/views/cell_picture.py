"""Palette indices to pixels: nearest neighbour, lines between cells, NumPy alone."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ccl_viewer.views.canvas_geometry import GRID_LINE_CELL
from ccl_viewer.views.cell_sample import Sample

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


def pixels_of(sample: Sample, indices: Indices, colors: Pixels, lined: Pixels | None) -> Pixels:
    """Return the picture of a sample of cells.

    Parameters
    ----------
    sample : Sample
        Which cells.
    indices : ndarray of uint8
        Palette indices of the sample.
    colors : ndarray of uint32, shape (256,)
        Of :func:`packed_table`.
    lined : ndarray of uint32, shape (256,), or None
        Of :func:`lined_table`; None for no lines.

    Returns
    -------
    ndarray of uint32, shape (rows, columns), C-contiguous
        ``0xAARRGGBB``; empty if no cell is visible.
    """
    if sample.empty:
        return np.empty((0, 0), np.uint32)
    if sample.places is not None:
        return colors[indices]
    columns, rows = sample.columns, sample.rows
    pixels = _enlarged(colors[indices], columns, rows)
    if lined is not None:
        edges = lined[indices]
        at_left = _first_pixels(columns, sample.whole_left)
        at_top = _first_pixels(rows, sample.whole_top)
        pixels[:, at_left] = _enlarged(edges, columns[at_left], rows)
        pixels[at_top] = _enlarged(edges, columns, rows[at_top])
    return pixels


def _enlarged(cells: Pixels, columns: npt.NDArray[np.int64], rows: npt.NDArray[np.int64]) -> Pixels:
    return cells.take(columns, axis=1).take(rows, axis=0)


def _first_pixels(
    cells: npt.NDArray[np.int64],
    whole: bool,
) -> npt.NDArray[np.int64]:
    """Return where cells begin in a row of pixels, whose first cell may not be there as a whole."""
    return np.flatnonzero(np.diff(cells, prepend=-1 if whole else 0))
