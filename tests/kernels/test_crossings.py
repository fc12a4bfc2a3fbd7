"""Pairs of cells that touch across borders of tiles and blocks, each pair a component."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from support.expected import check_labels, scipy_labels
from support.grids import Grid

import ccl_viewer as ccl

SIDE = 32
"""Tiles have as many columns, and as many rows or twice as many."""

APART = 4
"""Columns from one pair to the next, so that none touches another."""

DIVISIONS = ((1, 1), (4, 2))
"""Fewest and most tiles of a block, across and down; the grids have two or more blocks each way."""


def crossings(height: int, width: int) -> Iterator[tuple[str, Grid]]:
    """Yield grids with pairs across every horizontal border, in all columns.

    The cell below a border lies straight below the one above it, or to its left or right.
    """
    for aside in (0, -1, 1):
        for first in range(APART):
            grid = np.zeros((height, width), np.uint8)
            above = np.arange(first, width, APART)
            below = above + aside
            inside = (below >= 0) & (below < width)
            for border in range(SIDE, height, SIDE):
                grid[border - 1, above] = 1
                grid[border, below[inside]] = 1
            yield f"{aside} columns aside, from column {first}", grid


@pytest.mark.parametrize("connectivity", [4, 8])
@pytest.mark.parametrize(("across", "down"), DIVISIONS)
def test_cells_that_touch_across_a_border_are_joined(
    across: int, down: int, connectivity: int
) -> None:
    rows = SIDE * connectivity // 4
    # One row more than three of blocks, so that no border is the last line of the grid.
    grids = [*crossings(3 * rows * down + 1, 2 * SIDE * across + 1)]
    grids += [
        (f"{name}, on its side", np.ascontiguousarray(grid.T))
        for name, grid in crossings(3 * SIDE * across + 1, 2 * rows * down + 1)
    ]
    for name, grid in grids:
        labels, count = ccl.label(
            grid, "tiled_runs", connectivity=connectivity, device="emulator",
            schedule="sequential", tiles_across=across, tiles_down=down,
        )  # fmt: skip
        expected, components = scipy_labels(grid, connectivity)
        assert count == components, name
        check_labels(labels, expected, name)
