"""Multi-valued grids, and their components by SciPy, one value at a time."""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt
from scipy import ndimage

from support.grids import diagonals, kept, spiral

Grid = npt.NDArray[np.uint8]


def segment_reference(image: Grid, connectivity: int) -> tuple[npt.NDArray[np.int32], int]:
    """Label each value separately, then number components by their first cells in raster order."""
    structure = np.ones((3, 3)) if connectivity == 8 else None
    together = np.zeros(image.shape, np.int64)
    total = 0
    for value in np.unique(image[image != 0]):
        labels, count = ndimage.label(image == value, structure)
        together[labels > 0] = labels[labels > 0] + total
        total += count
    names, first = np.unique(together, return_index=True)
    foreground = names > 0
    numbers = np.zeros(total + 1, np.int32)
    numbers[names[foreground][np.argsort(first[foreground])]] = np.arange(1, total + 1)
    return numbers[together], total


def mosaic(height: int, width: int, values: int, seed: int = 0, zeros: bool = True) -> Grid:
    """Cells of random value."""
    random = np.random.RandomState(seed)
    return random.randint(0 if zeros else 1, values + 1, (height, width)).astype(np.uint8)


def tiles(height: int, width: int, tile: int, values: int) -> Grid:
    """Square tiles, each of one value; neighbours sometimes share theirs."""
    y, x = np.indices((height, width)) // tile
    return ((y * 7 + x * 3 + y * x) % values + 1).astype(np.uint8)


def stripes(height: int, width: int) -> Grid:
    """Diagonal stripes of three values and background, which cross every block border."""
    grid: Grid = (np.indices((height, width)).sum(axis=0) // 3 % 4).astype(np.uint8)
    return grid


def rings(height: int, width: int) -> Grid:
    """Nested frames with cycling values, so that equal ones never touch."""
    y, x = np.indices((height, width))
    depth = np.minimum(np.minimum(y, height - 1 - y), np.minimum(x, width - 1 - x))
    grid: Grid = (depth % 3 + 253).astype(np.uint8)
    return grid


def double_spiral(arm: Grid) -> Grid:
    """An arm of one value and the gaps between its turns of another."""
    return np.where(arm != 0, np.uint8(1), np.uint8(255))


@cache
def segment_grids() -> tuple[tuple[str, Grid], ...]:
    """Each grid with its name, made once."""
    grids = {
        "1x1": np.array([[255]], np.uint8),
        "1x1 empty": np.zeros((1, 1), np.uint8),
        "row": mosaic(1, 150, 2),
        "column": mosaic(150, 1, 2),
        "one value": np.full((37, 41), 7, np.uint8),
        "tiles of 16": tiles(35, 70, 16, 3),
        "tiles of 5": tiles(37, 131, 5, 4),
        "stripes": stripes(45, 70),
        "rings": rings(18, 35),
        "spiral": double_spiral(spiral(19)),
        "spiral, mirrored": np.ascontiguousarray(double_spiral(spiral(18))[::-1, ::-1]),
        "diagonals": diagonals(34) + np.uint8(1),
    }
    for values in (2, 3, 5):
        grids[f"noise of {values} values and 0"] = mosaic(47, 71, values, values)
        grids[f"noise of {values} values"] = mosaic(47, 71, values, values, zeros=False)
    return tuple((name, kept(grid)) for name, grid in grids.items())
