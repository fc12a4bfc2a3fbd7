"""Functions that draw patterns of blobs, letters and segments."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ccl_viewer.errors import InputError
from ccl_viewer.grids.grid import Grid
from ccl_viewer.support.arrays import split_into_bands

_PART = 1 << 22  # cells computed at a time


def blobs(width: int, height: int, density: float, grain: int, seed: int) -> Grid:
    """Return smooth islands, uint8 of shape (height, width); a share of `density` is 1."""
    field = _make_smooth_heights(width, height, grain, seed)
    count = round(density * field.size)
    if count in (0, field.size):
        return np.full((height, width), count > 0, np.uint8)
    lowest = np.partition(field.ravel(), field.size - count)[field.size - count]
    grid: Grid = (field >= lowest).astype(np.uint8)
    return grid


def text(text: str, size: int) -> Grid:
    """Return a text in letters `size` cells high, uint8 of a shape that fits it with a margin.

    Raises
    ------
    InputError
        If no letter of it can be seen.
    """
    from PIL import Image, ImageDraw, ImageFont

    font = ImageFont.load_default(size)
    left, top, right, bottom = (round(side) for side in font.getbbox(text))
    margin = max(1, size // 8)
    image = Image.new("L", (right - left + 2 * margin, bottom - top + 2 * margin))
    ImageDraw.Draw(image).text((margin - left, margin - top), text, fill=255, font=font)
    grid = (np.asarray(image) > 127).astype(np.uint8)
    if not grid.any():
        raise InputError(f"The text {text!r} is invisible: write letters or digits.")
    return grid


def voronoi(width: int, height: int, grain: int, values: int, seed: int) -> Grid:
    """Return the Voronoi cells of many points, uint8 of shape (height, width).

    There is a point near the middle of each square of `grain` cells, with a random value from 1 to
    `values`.
    """
    chance = np.random.RandomState(seed)
    # A margin of one square on all sides, so that each square has eight neighbours.
    shape = -(-height // grain) + 2, -(-width // grain) + 2
    ys = (np.arange(shape[0])[:, None] - 1 + 0.15 + 0.7 * chance.rand(*shape)) * grain
    xs = (np.arange(shape[1])[None, :] - 1 + 0.15 + 0.7 * chance.rand(*shape)) * grain
    points = np.stack((ys, xs)).astype(np.float32)
    owners = chance.randint(1, values + 1, shape, np.uint8)
    grid = np.empty((height, width), np.uint8)
    for rows in split_into_bands(grid.shape, _PART):
        grid[rows] = _find_nearest(points, owners, np.arange(rows.start, rows.stop), width, grain)
    return grid


def stripes(width: int, height: int, thickness: int, values: int) -> Grid:
    """Return slanted stripes of the values 1 to `values`, uint8 of shape (height, width)."""
    rows, columns = np.ogrid[:height, :width]
    grid: Grid = ((rows + columns) // thickness % values + 1).astype(np.uint8)
    return grid


def tiles(width: int, height: int, cell: int, values: int) -> Grid:
    """Return squares of the values 1 to `values`, uint8 of shape (height, width).

    Squares that share a side differ, if there is more than one value.
    """
    rows, columns = np.ogrid[:height, :width]
    shift = 1 if values == 2 else max(values // 2, 1)
    grid: Grid = ((rows // cell * shift + columns // cell) % values + 1).astype(np.uint8)
    return grid


def mosaic(width: int, height: int, values: int, granularity: int, seed: int) -> Grid:
    """Return squares of random values from 0 to `values`, uint8 of shape (height, width)."""
    rows, columns = -(-height // granularity), -(-width // granularity)
    squares = np.random.RandomState(seed).randint(0, values + 1, (rows, columns), np.uint8)
    cells = squares[np.arange(height) // granularity][:, np.arange(width) // granularity]
    return np.ascontiguousarray(cells)


def terrain(width: int, height: int, values: int, grain: int, seed: int) -> Grid:
    """Return bands of equal height of a landscape, 1 to `values`, uint8 of (height, width)."""
    field = _make_smooth_heights(width, height, grain, seed)
    low, high = field.min(), field.max()
    share = (field - low) / (high - low if high > low else 1)
    band: Grid = np.minimum(share * values, values - 1).astype(np.uint8)
    return band + np.uint8(1)


def _find_nearest(
    points: npt.NDArray[np.float32],
    owners: Grid,
    rows: npt.NDArray[np.int64],
    width: int,
    grain: int,
) -> Grid:
    """Return the value of the point nearest to each cell of some rows."""
    columns = np.arange(width)
    best = np.full((rows.size, width), np.inf, np.float32)
    values = np.zeros((rows.size, width), np.uint8)
    for down in range(3):
        for right in range(3):
            square = (rows // grain + down)[:, None], (columns // grain + right)[None, :]
            distance = (points[0][square] - rows[:, None].astype(np.float32)) ** 2
            distance += (points[1][square] - columns[None, :].astype(np.float32)) ** 2
            closer = distance < best
            best[closer] = distance[closer]
            values[closer] = owners[square][closer]
    return values


def _make_smooth_heights(width: int, height: int, grain: int, seed: int) -> npt.NDArray[np.float32]:
    """Return random heights that are smooth over `grain` cells, float32 of (height, width)."""
    chance = np.random.RandomState(seed)
    field = np.zeros((height, width), np.float32)
    for octave, weight in ((grain, 1.0), (max(grain // 2, 1), 0.4)):
        points = chance.rand(height // octave + 2, width // octave + 2).astype(np.float32)
        rows, columns = _interpolate(height, octave), _interpolate(width, octave)
        along = points[:, columns[0]] * (1 - columns[1]) + points[:, columns[0] + 1] * columns[1]
        field += weight * along[rows[0]] * (1 - rows[1])[:, None]
        field += weight * along[rows[0] + 1] * rows[1][:, None]
    return field


def _interpolate(length: int, grain: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float32]]:
    """Return the point before each cell, and the cell's fraction of the distance to the next."""
    cells = np.arange(length)
    share = (cells % grain / grain).astype(np.float32)
    return cells // grain, share * share * (3 - 2 * share)
