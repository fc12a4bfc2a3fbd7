"""The trees of labels: roots and depths of chosen cells, and comparisons of trees."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from ccl_viewer.execution.plan import LabelLayout
from ccl_viewer.reference import Labels, find_roots

Cells = npt.NDArray[np.int64]
"""Linear indices ``y * width + x`` of cells."""

Lookup: TypeAlias = Callable[[Cells], npt.NDArray[Any]]
"""Returns the raw labels of cells, or other values that name cells."""

Mask: TypeAlias = npt.NDArray[np.bool_]

NO_CELL: Final = -1
"""Root of a cell without a label, or with a path that was not followed to its end."""

_LARGE_GRID: Final = 1 << 18
_FARTHEST: Final = 4096  # longer paths are cycles
_FARTHEST_IF_LARGE: Final = 256


def lookup_in_frame(labels: npt.NDArray[Any]) -> Lookup:
    """Return the lookup of a whole frame's labels, shape (height, width)."""
    flat = labels.reshape(-1)
    return flat.take


def find_parents(labels: Lookup, layout: LabelLayout, cells: Cells) -> Cells:
    """Return the parents of cells.

    The parent is :data:`NO_CELL` for a cell without a label, or with a label that names no cell.
    """
    parents = layout.parents(labels(cells))
    parents[(parents < 0) | (parents >= layout.width * layout.height)] = NO_CELL
    return parents


def path_cells(labels: Lookup, layout: LabelLayout, cells: Cells) -> Cells:
    """Return the cells on the paths from cells to their roots, including both ends, each once."""
    current = np.unique(cells)
    passed, steps = np.zeros(layout.width * layout.height, np.bool_), [current]
    while current.size:
        passed[current] = True
        above = find_parents(labels, layout, current)
        above = np.unique(above[above != NO_CELL])
        current = above[~passed[above]]
        steps.append(current)
    return np.sort(np.concatenate(steps))


def roots_and_depths(
    labels: Lookup, layout: LabelLayout, cells: Cells, farthest: int
) -> tuple[Cells, Labels]:
    """Follow cells to their roots; return roots (int64) and depths (int32), of their shape.

    For a cell without a label, the root is :data:`NO_CELL` and the depth -1. For a cell farther
    than `farthest` from its root, the root is :data:`NO_CELL` and the depth `farthest`.
    """
    places, current = np.arange(cells.size), cells.reshape(-1)
    roots = np.full(cells.size, NO_CELL, np.int64)
    depths = np.full(cells.size, -1, np.int32)
    for depth in range(farthest + 1):
        up = find_parents(labels, layout, current)
        moves = (up != NO_CELL) & (up != current)
        finished = np.flatnonzero(~moves if depth else up == current)
        roots[places[finished]] = current[finished]
        depths[places[finished]] = depth
        going = np.flatnonzero(moves)
        places, current = places[going], up[going]
        if not going.size:
            break
    depths[places] = farthest
    return roots.reshape(cells.shape), depths.reshape(cells.shape)


def follow_limit(layout: LabelLayout) -> int:
    """Return the limit of labels followed from a cell: lower on large grids, to save time.

    A path with more links than the grid has cells is a cycle.
    """
    cells = layout.width * layout.height
    return _FARTHEST_IF_LARGE if cells > _LARGE_GRID else min(_FARTHEST, cells)


def root_labels(labels: Lookup, layout: LabelLayout, cells: Cells) -> Labels:
    """Return the label of each cell's root, in the paper's numbers.

    On large grids the number of steps is limited, so that the picture can move smoothly; a cell
    farther from its root keeps its label.
    """
    roots, _ = roots_and_depths(labels, layout, cells, follow_limit(layout))
    values: Labels = labels(np.where(roots == NO_CELL, cells, roots))
    unlabelled = (roots != NO_CELL) & (values == layout.background)
    values[unlabelled] = layout.addresses(roots[unlabelled])
    return values


def root_labels_in_frame(frame: Labels, layout: LabelLayout, cells: Cells) -> Labels:
    """Return the result of :func:`root_labels`, given all labels of a step.

    On grids that are not large, all paths are followed to their ends together.
    """
    lookup = lookup_in_frame(frame)
    if frame.size > _LARGE_GRID:
        return root_labels(lookup, layout, cells)
    roots = find_roots(layout.parents(frame)).reshape(-1)[cells]
    values: Labels = lookup(np.where(roots == NO_CELL, cells, roots))
    astray = np.flatnonzero((roots == NO_CELL) & (values != layout.background))
    if astray.size:  # their paths end at a cell without a label, or in a cycle
        values.reshape(-1)[astray] = root_labels(lookup, layout, cells.reshape(-1)[astray])
    return values


Partition: TypeAlias = npt.NDArray[np.int32]
"""Number of the first cell of each cell's tree, from 1; shape (height, width)."""


def number_trees(labels: Labels, layout: LabelLayout, image: npt.NDArray[np.uint8]) -> Partition:
    """Return each cell's tree as the number of the tree's first cell, from 1.

    This does not depend on the root. It is 0 for background, and for a cell without a label or a
    root.
    """
    roots = find_roots(np.where(image == 0, NO_CELL, layout.parents(labels))).reshape(-1)
    rooted = np.flatnonzero(roots != NO_CELL)
    first = np.zeros(roots.size, np.int32)
    # Of several values NumPy keeps the last, which is the first cell's.
    first[roots[rooted][::-1]] = rooted[::-1] + 1
    names = np.zeros(roots.size, np.int32)
    names[rooted] = first[roots[rooted]]
    return names.reshape(image.shape)
