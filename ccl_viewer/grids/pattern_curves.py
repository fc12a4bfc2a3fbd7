"""Functions that draw patterns of thin curves: serpentines, mazes, diagonals."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ccl_viewer.grids.grid import Grid


def serpentine(width: int, height: int, gap: int) -> Grid:
    """Return one path that goes back and forth, uint8 of shape (height, width).

    Rows are `gap` cells apart and joined at the right and the left edge in turn.
    """
    grid = np.zeros((height, width), np.uint8)
    pitch = gap + 1
    grid[::pitch] = 1
    for turn, top in enumerate(range(0, height - 1, pitch)):
        column = 0 if turn % 2 else width - 1
        # No vertical stub follows the last row.
        if top + pitch < height:
            grid[top : top + pitch, column] = 1
    return grid


def diagonals(width: int, height: int, gap: int) -> Grid:
    """Return falling diagonals, uint8 of shape (height, width), `gap` cells apart in a row."""
    rows, columns = np.ogrid[:height, :width]
    grid: Grid = ((columns - rows) % (gap + 1) == 0).astype(np.uint8)
    return grid


def stairs(width: int, height: int, step: int) -> Grid:
    """Return stairs, uint8 of shape (height, width): each a falling path one cell wide.

    Every tread and riser is `step` cells long. Stairs begin four treads apart.
    """
    rows, columns = np.ogrid[:height, :width]
    away = (columns // step - rows // step) % 4
    tread = (rows % step == 0) & (away == 0)
    riser = (columns % step == 0) & (away == 1)
    grid: Grid = (tread | riser).astype(np.uint8)
    return grid


def hilbert(order: int) -> Grid:
    """Return Hilbert's curve, uint8 of shape (2**(order + 1) - 1, same), one cell wide."""
    side = 1 << order
    index = np.arange(side * side, dtype=np.int64)
    x, y = np.zeros_like(index), np.zeros_like(index)
    rest = index
    scale = 1
    while scale < side:
        right = (rest >> 1) & 1
        down = (rest ^ right) & 1
        turned = down == 0
        flipped = turned & (right == 1)
        x, y = np.where(flipped, scale - 1 - x, x), np.where(flipped, scale - 1 - y, y)
        x, y = np.where(turned, y, x), np.where(turned, x, y)
        x, y = x + scale * right, y + scale * down
        rest = rest >> 2
        scale *= 2
    grid = np.zeros((2 * side - 1, 2 * side - 1), np.uint8)
    grid[2 * y, 2 * x] = 1
    grid[y[:-1] + y[1:], x[:-1] + x[1:]] = 1
    return grid


def maze(width: int, height: int, seed: int) -> Grid:
    """Return the passages of a maze, uint8 of shape (height, width): one component without loops.

    The passages are a minimum spanning tree of random weights, so that no direction is favoured.
    """
    columns, rows = (width + 1) // 2, (height + 1) // 2
    grid = np.zeros((height, width), np.uint8)
    grid[::2, ::2] = 1
    room = np.arange(rows * columns).reshape(rows, columns)
    first = np.concatenate((room[:, :-1].ravel(), room[:-1].ravel()))
    second = np.concatenate((room[:, 1:].ravel(), room[1:].ravel()))
    chosen = _spanning_tree(rows * columns, first, second, np.random.RandomState(seed))
    one, other = first[chosen], second[chosen]
    grid[one // columns + other // columns, one % columns + other % columns] = 1
    return grid


def _spanning_tree(
    nodes: int,
    first: npt.NDArray[np.int64],
    second: npt.NDArray[np.int64],
    chance: np.random.RandomState,
) -> npt.NDArray[np.int64]:
    """Return edges of a random spanning tree, by Boruvka's method."""
    weight = chance.permutation(first.size)
    edge_of = np.argsort(weight)  # the edge of each weight
    tree = np.zeros(first.size, bool)
    root = np.arange(nodes)
    edges = np.arange(first.size)
    while edges.size:
        one, other = root[first[edges]], root[second[edges]]
        open_edges = one != other
        edges, one, other = edges[open_edges], one[open_edges], other[open_edges]
        if not edges.size:
            break
        lightest = np.full(nodes, first.size)
        np.minimum.at(lightest, one, weight[edges])
        np.minimum.at(lightest, other, weight[edges])
        joined = np.flatnonzero(lightest < first.size)
        chosen = edge_of[lightest[joined]]
        tree[chosen] = True
        towards = root[first[chosen]] + root[second[chosen]] - joined
        pointer = np.arange(nodes)
        pointer[joined] = towards
        # Two trees may have chosen the same edge: the lower one stays a root.
        mutual = (pointer[pointer] == np.arange(nodes)) & (np.arange(nodes) < pointer)
        pointer[mutual] = np.flatnonzero(mutual)
        while np.any(pointer != pointer[pointer]):
            pointer = pointer[pointer]
        root = pointer[root]
    return np.flatnonzero(tree)
