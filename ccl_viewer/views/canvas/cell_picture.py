"""Palette indices to pixels: nearest neighbour, lines between cells, NumPy alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, TypeVar

import numpy as np
import numpy.typing as npt

from ccl_viewer.pieces import bands
from ccl_viewer.render.contours import edges
from ccl_viewer.render.marks import LINES_FROM
from ccl_viewer.views.canvas.cell_sample import Sample

Indices = npt.NDArray[np.uint8]
Pixels = npt.NDArray[np.uint32]
_HATCH: Final = 6
_HATCH_LINE: Final = 2
"""Pixels from one line of a hatching to the next, and of a line."""

_BAND_PIXELS: Final = 1 << 15
"""Pixels that are worked on at once."""

Scalar = TypeVar("Scalar", bound=np.generic)


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
    if scale < LINES_FROM:
        return None
    share = min(1.0, (scale - 3) / 14)
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


def put_rings(pixels: Pixels, sample: Sample, indices: Indices, colors: Pixels, ring: Ring) -> None:
    """Give cells a rim in other colours: those of the step before, as an onion's outer skin.

    Parameters
    ----------
    pixels : ndarray of uint32, shape (rows, columns)
        Of :func:`pixels_of`; changed in place.
    sample : Sample
        Which cells, each of one pixel at least.
    indices : ndarray of uint8
        Palette indices of the rims.
    colors : ndarray of uint32, shape (256,)
        Of :func:`packed_table`.
    ring : Ring
        Where the rims are.
    """
    rims = colors[indices]
    across, down = ring.columns(sample), ring.rows(sample)
    pixels[:, across] = _enlarged(rims, sample.columns[across], sample.rows)
    pixels[down] = _enlarged(rims, sample.columns, sample.rows[down])


@dataclass(frozen=True)
class Ring:
    """Which pixels of a cell are its rim.

    Parameters
    ----------
    x, y : float
        Where the grid's top left corner is on the canvas, in pixels.
    scale : int
        Pixels a cell.
    width : int
        Pixels of the rim.
    """

    x: float
    y: float
    scale: int
    width: int

    def columns(self, sample: Sample) -> npt.NDArray[np.bool_]:
        """Return which columns of pixels are rim, throughout."""
        return self._rim(sample.left - self.x + np.arange(sample.columns.size))

    def rows(self, sample: Sample) -> npt.NDArray[np.bool_]:
        """Return which rows of pixels are rim, throughout."""
        return self._rim(sample.top - self.y + np.arange(sample.rows.size))

    def _rim(self, places: npt.NDArray[np.floating]) -> npt.NDArray[np.bool_]:
        inside = places % self.scale
        rim: npt.NDArray[np.bool_] = (inside < self.width) | (inside >= self.scale - self.width)
        return rim


def put_difference(
    pixels: Pixels,
    sample: Sample,
    differs: npt.NDArray[np.bool_],
    bold: int,
    halo: int,
    ring: Ring | None,
) -> None:
    """Hatch cells, so that they stand out from cells of any colour.

    Parameters
    ----------
    pixels : ndarray of uint32, shape (rows, columns)
        Of :func:`pixels_of`; changed in place.
    sample : Sample
        Which cells.
    differs : ndarray of bool
        Which cells of the sample are hatched.
    bold, halo : int
        Colours of the lines, and of what sets them off, as ``0xAARRGGBB``.
    ring : Ring or None
        Where the rims of cells are, if these alone are hatched, so that numbers can be read.
    """
    if sample.places is None:
        differs = _enlarged(differs, sample.columns, sample.rows)
    if ring is not None:
        differs = differs & (ring.columns(sample)[None, :] | ring.rows(sample)[:, None])
    down = np.arange(pixels.shape[0])[:, None] + sample.top
    across = np.arange(pixels.shape[1])[None, :] + sample.left
    line = (down + across) % _HATCH
    pixels[differs & (line < _HATCH_LINE)] = bold
    pixels[differs & (line >= _HATCH_LINE) & (line < 2 * _HATCH_LINE)] = halo


def put_contours(
    pixels: Pixels, sample: Sample, components: npt.NDArray[np.int32], color: int
) -> None:
    """Draw a line of one pixel where components end, for cells that are too small for a painter.

    Parameters
    ----------
    pixels : ndarray of uint32, shape (rows, columns)
        Of :func:`pixels_of`; changed in place.
    sample : Sample
        Which cells.
    components : ndarray of int32
        Number of the component of each cell of the sample.
    color : int
        ``0xAARRGGBB``.
    """
    above, left = edges(components)
    if sample.places is not None:
        pixels[above[:-1] | left[:, :-1]] = color
        return
    at_left = _first_pixels(sample.columns, sample.whole_left)
    at_top = _first_pixels(sample.rows, sample.whole_top)
    lines = _enlarged(left[:, :-1], sample.columns[at_left], sample.rows)
    pixels[:, at_left] = np.where(lines, np.uint32(color), pixels[:, at_left])
    lines = _enlarged(above[:-1], sample.columns, sample.rows[at_top])
    pixels[at_top] = np.where(lines, np.uint32(color), pixels[at_top])


def halfway(first: Pixels, second: Pixels) -> Pixels:
    """Return the pixels halfway between two pictures."""
    low, one, opaque = np.uint32(0x00FEFEFE), np.uint32(1), np.uint32(0xFF000000)
    pixels = np.empty_like(first)
    # In pieces that stay in the processor's cache, which takes a fifth of the time.
    for band in bands(first.shape, _BAND_PIXELS):
        half, other = pixels[band], second[band] & low
        np.bitwise_and(first[band], low, out=half)
        half >>= one
        other >>= one
        half += other
        half |= opaque
    return pixels


def _enlarged(
    cells: npt.NDArray[Scalar], columns: npt.NDArray[np.int64], rows: npt.NDArray[np.int64]
) -> npt.NDArray[Scalar]:
    return cells.take(columns, axis=1).take(rows, axis=0)


def _first_pixels(
    cells: npt.NDArray[np.int64],
    whole: bool,
) -> npt.NDArray[np.int64]:
    """Return where cells begin in a row of pixels, whose first cell may not be there as a whole."""
    return np.flatnonzero(np.diff(cells, prepend=-1 if whole else 0))
