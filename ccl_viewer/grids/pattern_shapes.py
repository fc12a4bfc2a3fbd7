"""Functions that draw patterns of squares, rings, discs and spirals; see ``pattern_table``."""

from __future__ import annotations

import numpy as np

from ccl_viewer.grids import text_art
from ccl_viewer.grids.grid import Grid
from ccl_viewer.support.arrays import Indices, split_into_bands

NOISE_CELLS = 2**22  # random numbers drawn at a time, 32 MiB

_SHIBATA = """
..........
.#...#..#.
.#...#..#.
.#..##..#.
.#.###.##.
.#.#.#.#..
.###.###..
.##..##...
.#...#....
..........
"""


def shibata() -> Grid:
    """Return Figure 2 of Shibata's article, uint8 of shape (10, 10)."""
    return text_art.parse(_SHIBATA.strip())


def empty(width: int, height: int) -> Grid:
    """Return a grid of background only, uint8 of shape (height, width)."""
    return np.zeros((height, width), np.uint8)


def full(width: int, height: int) -> Grid:
    """Return a grid of foreground only, uint8 of shape (height, width)."""
    return np.ones((height, width), np.uint8)


def spiral(size: int, anticlockwise: int = 0) -> Grid:
    """Return a spiral with arms and gaps of one cell, uint8 of shape (size, size)."""
    clockwise = _draw_spiral(size, amplitude=0)
    return np.ascontiguousarray(clockwise.T) if anticlockwise else clockwise


def zigzag(size: int, amplitude: int) -> Grid:
    """Return a spiral with teeth of `amplitude` cells on its arm, uint8 of shape (size, size)."""
    return _draw_spiral(size, amplitude)


def noise(width: int, height: int, density: float, granularity: int, seed: int) -> Grid:
    """Return random squares, uint8 of shape (height, width).

    The squares are those of ``numpy.random.RandomState(seed).rand(rows, columns) < density``, each
    `granularity` cells wide and high; the last row and column of squares are cut off at the edge.
    """
    rows, columns = -(-height // granularity), -(-width // granularity)
    generator = np.random.RandomState(seed)
    squares = np.empty((rows, columns), np.uint8)
    for band in split_into_bands(squares.shape, NOISE_CELLS):
        part = squares[band]
        part[...] = generator.rand(*part.shape) < density
    cells = squares[np.arange(height) // granularity][:, np.arange(width) // granularity]
    return np.ascontiguousarray(cells)


def checkerboard(width: int, height: int, cell: int) -> Grid:
    """Return alternating squares, the top left one foreground, uint8 of shape (height, width)."""
    rows = (np.arange(height) // cell % 2).astype(np.uint8)
    columns = (np.arange(width) // cell % 2).astype(np.uint8)
    return (rows[:, None] ^ columns[None, :]) ^ np.uint8(1)


def comb(width: int, height: int, tooth: int, gap: int) -> Grid:
    """Return teeth above a spine of one row, uint8 of shape (height, width)."""
    grid = np.zeros((height, width), np.uint8)
    grid[:, np.arange(width) % (tooth + gap) < tooth] = 1
    grid[-1] = 1
    return grid


def rings(width: int, height: int, thickness: int, gap: int) -> Grid:
    """Return rings, the outermost along the edge, uint8 of shape (height, width)."""
    # 16 bits hold any distance to the edge, and take a quarter of the memory of an index.
    rows, columns = (np.arange(n, dtype=np.uint16) for n in (height, width))
    to_edge = np.minimum(
        np.minimum(rows, rows[::-1])[:, None], np.minimum(columns, columns[::-1])[None, :]
    )
    to_edge %= np.uint16(thickness + gap)
    return (to_edge < thickness).astype(np.uint8)


def discs(width: int, height: int, count: int, radius: int, seed: int, scene: int = 0) -> Grid:
    """Return discs around random cells, cut off at the edge, uint8 of shape (height, width).

    If `scene` is set, the discs are drawn into a square of that side, which a larger grid repeats.
    """
    if scene:
        one = discs(scene, scene, count, radius, seed)
        times = (-(-height // scene), -(-width // scene))
        return np.ascontiguousarray(np.tile(one, times)[:height, :width])
    generator = np.random.RandomState(seed)
    # The margin on all sides holds the parts of discs that the edge cuts off.
    grid = np.zeros((height + 2 * radius, width + 2 * radius), np.uint8)
    away = np.arange(-radius, radius + 1) ** 2
    disc = (away[:, None] + away[None, :] <= radius**2).astype(np.uint8)
    tops = generator.randint(0, height, count)
    lefts = generator.randint(0, width, count)
    for top, left in zip(tops.tolist(), lefts.tolist(), strict=True):
        grid[top : top + disc.shape[0], left : left + disc.shape[1]] |= disc
    return np.ascontiguousarray(grid[radius : radius + height, radius : radius + width])


def plates(width: int, height: int, count: int, share: float, seed: int) -> Grid:
    """Return discs with a radius relative to the shorter side, uint8 of shape (height, width).

    Places and radius scale with the grid: a larger grid shows the same scene.
    """
    generator = np.random.RandomState(seed)
    side = min(width, height)
    radius = share * side
    y, x = (np.arange(n) + 0.5 for n in (height, width))
    grid = np.zeros((height, width), bool)
    for top, left in generator.rand(count, 2).tolist():
        grid |= (y[:, None] - top * height) ** 2 + (x - left * width) ** 2 <= radius**2
    return grid.astype(np.uint8)


def clusters(width: int, height: int, radius: int, density: float, seed: int) -> Grid:
    """Return discs with noise, half of the foreground each: Kalentev et al. 2011, section 3.

    The share of foreground is the same for every radius, so there are fewer discs if they are
    larger.
    """
    generator = np.random.RandomState(seed)
    grid = np.zeros((height, width), np.uint8)
    away = np.arange(-radius, radius + 1) ** 2
    disc = (away[:, None] + away[None, :] <= radius**2).astype(np.uint8)
    positions, covered = np.random.RandomState(), 0
    while 2 * covered < density * height * width:
        positions.seed(int(generator.randint(2**31)))
        y, x = int(positions.randint(0, height)), int(positions.randint(0, width))
        top, left = max(y - radius, 0), max(x - radius, 0)
        under = grid[top : y + radius + 1, left : x + radius + 1]
        above, beside = top - y + radius, left - x + radius  # of the disc, cut off at the edge
        part = disc[above : above + under.shape[0], beside : beside + under.shape[1]]
        covered += int(np.count_nonzero(part > under))
        under |= part
    free = 1 - float(grid.mean())
    share = max(density - float(grid.mean()), 0.0) / free if free else 0.0
    noise = generator.rand(height, width) < share
    return grid | noise.astype(np.uint8)


def _draw_spiral(size: int, amplitude: int) -> Grid:
    """Wind an arm clockwise from (0, 0) to the middle, swinging inwards by `amplitude` cells.

    Arms are `amplitude` + 2 cells apart, which leaves one free cell between the teeth of one arm
    and the next. The teeth of the last two arms point at each other and need twice the room.
    """
    grid = np.zeros((size, size), np.uint8)
    pitch = amplitude + 2
    y, x = 0, 0
    dy, dx = 0, 1
    before = size  # length of the previous leg: the distance to the leg opposite
    grid[0, 0] = 1
    for leg in range(2 * size):
        length = size - 1 - max(0, leg - 1) // 2 * pitch
        if length < 1 or (leg >= 2 and before < 2 * amplitude + 2):
            break
        along = np.arange(length + 1)
        swing = _sawtooth(length, amplitude)
        # Clockwise, inwards is to the right of the direction of travel.
        grid[y + along * dy + swing * dx, x + along * dx - swing * dy] = 1
        y, x = y + length * dy, x + length * dx
        dy, dx = dx, -dy
        before = length
    return grid


def _sawtooth(length: int, amplitude: int) -> Indices:
    """Return the shift of each cell of a leg; neighbours differ by at most one cell.

    Both ends are straight for `amplitude` + 2 cells, so that the teeth of two legs never meet.
    """
    along = np.arange(length + 1, dtype=np.int64)
    if amplitude == 0:
        return np.zeros_like(along)
    straight = amplitude + 2
    wave = amplitude - np.abs((along - straight) % (2 * amplitude) - amplitude)
    wave[along < straight] = 0
    swing: Indices = np.clip(wave, 0, np.maximum(0, length - straight - along))
    return swing
