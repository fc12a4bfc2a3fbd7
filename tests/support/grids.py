"""Grids on which labellings are likely to fail."""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt
from hypothesis import strategies

Grid = npt.NDArray[np.uint8]

DENSITIES = (0.25, 0.407, 0.593, 0.9)


@strategies.composite
def any_grid(draw: strategies.DrawFn, side: int, values: int = 2) -> Grid:
    """Any grid of up to `side` by `side` cells with values below `values`, of any density.

    Its cells are drawn together: one by one takes longer than most tests of them.
    """
    height, width = draw(strategies.integers(1, side)), draw(strategies.integers(1, side))
    cells = height * width
    drawn = np.frombuffer(draw(strategies.binary(min_size=cells, max_size=cells)), np.uint8)
    share = draw(strategies.sampled_from((32, 96, 128, 160, 224)))  # of 256 that are foreground
    grid = np.where(drawn >= 256 - share, 1 + drawn % (values - 1), 0).astype(np.uint8)
    return grid.reshape(height, width)


def noise(height: int, width: int, density: float, seed: int = 0) -> Grid:
    return (np.random.RandomState(seed).rand(height, width) < density).astype(np.uint8)


def comb(height: int, width: int) -> Grid:
    """Teeth that meet only in the last row: every second column is a component until then."""
    grid = np.zeros((height, width), np.uint8)
    grid[:, ::2] = 1
    grid[-1] = 1
    return grid


def spiral(height: int, width: int | None = None) -> Grid:
    """A one-pixel arm with one-pixel gaps, from the corner (0, 0) inwards, clockwise."""
    width = height if width is None else width
    grid = np.zeros((height, width), np.uint8)
    y = x = 0
    dy, dx = 0, 1
    grid[0, 0] = 1
    turns = 0
    while turns < 2:
        ahead = (y + dy, x + dx)
        beyond = (y + 2 * dy, x + 2 * dx)
        inside = 0 <= ahead[0] < height and 0 <= ahead[1] < width
        in_grid = 0 <= beyond[0] < height and 0 <= beyond[1] < width
        if inside and not (in_grid and grid[beyond]) and not grid[ahead]:
            y, x = ahead
            grid[y, x] = 1
            turns = 0
        else:
            dy, dx = dx, -dy
            turns += 1
    return grid


def corner(height: int, width: int) -> Grid:
    """Only pixel (0, 0): its index is 0, which many codes take for background."""
    grid = np.zeros((height, width), np.uint8)
    grid[0, 0] = 1
    return grid


def checkerboard(height: int, width: int) -> Grid:
    grid: Grid = (np.indices((height, width)).sum(axis=0) % 2 == 0).astype(np.uint8)
    return grid


def diagonals(size: int) -> Grid:
    """Chains of pixels that touch at corners only, across tile corners and strip borders."""
    y, x = np.indices((size, size))
    grid: Grid = (((y + x) % 5 == 0) | ((y - x) % 7 == 0)).astype(np.uint8)
    return grid


def zigzag(height: int, width: int) -> Grid:
    """One diagonal chain that bounces between the upper and the lower edge."""
    grid = np.zeros((height, width), np.uint8)
    x = np.arange(width)
    period = max(1, 2 * (height - 1))
    grid[(height - 1) - np.abs(x % period - (height - 1)), x] = 1
    return grid


def chain_through(height: int, width: int, y: int, x: int, *, rising: bool = False) -> Grid:
    """A diagonal chain from edge to edge through the corner where (y - 1, x - 1) meets (y, x)."""
    rows, columns = np.indices((height, width))
    along = x - 1 - columns if rising else columns - x
    grid: Grid = (rows - y == along).astype(np.uint8)
    return grid


def kept(grid: Grid) -> Grid:
    """The grid, which no test may change, because others use it."""
    grid.flags.writeable = False
    return grid


@cache
def adversarial_grids() -> tuple[Grid, ...]:
    """Small grids for many random schedules.

    Combs, spirals, zigzags, full grids and noise; some are larger than a tile (16 x 16, 32 x 8), a
    strip (4 rows), a warp's columns (32, 64) or the cells of a block in one dimension (256). Chains
    pass through tiles' corners, and where a strip's border meets the edge of a warp's columns.
    """
    corners = ((18, 18, 16, 16), (10, 34, 8, 32), (6, 66, 4, 64))
    grids = (
        comb(6, 9),
        comb(9, 5),
        comb(18, 19),
        np.ascontiguousarray(comb(34, 10).T),
        spiral(9),
        spiral(18),
        zigzag(5, 40),
        np.ascontiguousarray(zigzag(3, 21).T),
        diagonals(11),
        *(chain_through(*corner) for corner in corners),
        *(chain_through(*corner, rising=True) for corner in corners),
        np.ones((5, 34), np.uint8),
        np.ones((17, 18), np.uint8),
        noise(10, 12, 0.6),
        noise(9, 9, 0.45),
        noise(3, 70, 0.8),
        noise(18, 35, 0.55),
        noise(34, 18, 0.65),
    )
    return tuple(kept(grid) for grid in grids)


@cache
def named_grids() -> tuple[tuple[str, Grid], ...]:
    """Each grid with its name, made once."""
    grids = {
        "1x1 empty": np.zeros((1, 1), np.uint8),
        "1x1 full": np.ones((1, 1), np.uint8),
        "row": noise(1, 150, 0.7),
        "column": noise(150, 1, 0.7),
        "full row": np.ones((1, 97), np.uint8),
        "full column": np.ones((97, 1), np.uint8),
        "empty": np.zeros((37, 41), np.uint8),
        "full": np.ones((37, 41), np.uint8),
        "full, several warps wide": np.ones((9, 131), np.uint8),
        "checkerboard": checkerboard(35, 66),
        "comb": comb(33, 67),
        "comb on its side": np.ascontiguousarray(comb(67, 33).T),
        "spiral": spiral(23),
        "spiral, 16 x 64": spiral(16, 64),
        "spiral, mirrored": np.ascontiguousarray(spiral(19)[::-1, ::-1]),
        "corner": corner(5, 7),
        "all but the corner": 1 - corner(5, 7),
        "diagonals": diagonals(48),
        "zigzag": zigzag(20, 75),
        "zigzag, steep": np.ascontiguousarray(zigzag(20, 75).T),
        **{f"noise {density}": noise(47, 71, density) for density in DENSITIES},
    }
    return tuple((name, kept(grid)) for name, grid in grids.items())
