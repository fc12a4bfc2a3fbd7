"""The trees that labels form: root and depth of chosen cells, with NumPy alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from ccl_viewer.pieces import distinct, left_out
from ccl_viewer.plan import LabelLayout

Labels = npt.NDArray[np.int32]
Cells = npt.NDArray[np.int64]
"""Linear indices ``y * width + x`` of cells."""

Lookup: TypeAlias = Callable[[Cells], npt.NDArray[Any]]
"""Gives the raw labels of cells, or other values that name cells."""

NO_CELL: Final = -1
"""Root of a cell without a label, and of one whose way up was not followed to its end."""

WHOLE_GRID: Final = 1 << 18
"""Cells up to which all are followed together, whatever their distance from the root."""

_FARTHEST: Final = 256


def lookup_of(labels: npt.NDArray[Any]) -> Lookup:
    """Return what gives the labels of cells of a whole frame, shape (height, width)."""
    flat = labels.reshape(-1)
    return lambda cells: flat[cells]


def parents_of(labels: Lookup, layout: LabelLayout, cells: Cells) -> Cells:
    """Return the cells that cells point at.

    Parameters
    ----------
    labels : callable
        Gives raw labels of a step.
    layout : LabelLayout
        What they mean.
    cells : ndarray of int64, any shape
        Which cells.

    Returns
    -------
    ndarray of int64, of the shape of `cells`
        :data:`NO_CELL` for a cell without a label, or with one that names no cell.
    """
    parents = layout.parents(labels(cells))
    parents[(parents < 0) | (parents >= layout.width * layout.height)] = NO_CELL
    return parents


def on_the_way(labels: Lookup, layout: LabelLayout, cells: Cells) -> Cells:
    """Return the cells on the ways of cells to their roots, both ends included.

    Parameters
    ----------
    labels : callable
        Gives raw labels of a step.
    layout : LabelLayout
        What they mean.
    cells : ndarray of int64
        Where the ways begin.

    Returns
    -------
    ndarray of int64
        Each once, in no order that matters.
    """
    passed = here = distinct(cells)
    while here.size:
        above = parents_of(labels, layout, here)
        here = left_out(above[above != NO_CELL], passed)
        passed = distinct(np.concatenate([passed, here]))
    return passed


def climb(
    labels: Lookup, layout: LabelLayout, cells: Cells, farthest: int
) -> tuple[Cells, npt.NDArray[np.int32]]:
    """Follow cells up to their roots, all together, a generation at a time.

    Parameters
    ----------
    labels : callable
        Gives raw labels of a step.
    layout : LabelLayout
        What they mean.
    cells : ndarray of int64, any shape
        Which cells.
    farthest : int
        Generations after which the climb ends.

    Returns
    -------
    roots : ndarray of int64, of the shape of `cells`
        :data:`NO_CELL` for a cell without a label, or farther from its root than `farthest`.
    depths : ndarray of int32, of the shape of `cells`
        Steps to the root: 0 for a root, -1 for a cell without a label; `farthest` where the climb
        ended before.
    """
    here = cells.reshape(-1).copy()
    depths = np.zeros(here.size, np.int32)
    up = parents_of(labels, layout, here)
    depths[up == NO_CELL] = -1
    climbing = np.flatnonzero((up != NO_CELL) & (up != here))
    up = up[climbing]
    for depth in range(1, farthest + 1):
        if not climbing.size:
            break
        here[climbing] = up
        depths[climbing] = depth
        higher = parents_of(labels, layout, up)
        moves = (higher != NO_CELL) & (higher != up)
        climbing, up = climbing[moves], higher[moves]
    here[climbing] = NO_CELL
    here[depths < 0] = NO_CELL
    return here.reshape(cells.shape), depths.reshape(cells.shape)


def all_roots(labels: Labels, layout: LabelLayout) -> tuple[Cells, npt.NDArray[np.int32]]:
    """Return root and depth of every cell, whose distances double in each round.

    Parameters
    ----------
    labels : ndarray of int32, shape (height, width)
        Raw labels of a step.
    layout : LabelLayout
        What they mean.

    Returns
    -------
    roots : ndarray of int64, shape (height, width)
        :data:`NO_CELL` for cells without a label, and for those that lead in circles.
    depths : ndarray of int32, shape (height, width)
        Steps to the root, -1 for cells without a label.
    """
    own = np.arange(labels.size)
    lookup = lookup_of(labels)
    parents = parents_of(lookup, layout, own)
    bare = parents == NO_CELL
    above = np.where(bare, own, parents)
    depths = (above != own).astype(np.int32)
    # A cell that is pointed at but has no label itself ends the way as a root would.
    for _ in range(int(labels.size).bit_length()):
        further = above[above]
        if np.array_equal(further, above):
            break
        depths += depths[above]
        above = further
    circling = parents_of(lookup, layout, above) != above
    roots = np.where(bare | (circling & ~bare[above]), NO_CELL, above)
    depths[bare] = -1
    return roots.reshape(labels.shape), depths.reshape(labels.shape)


def root_labels(labels: Lookup, layout: LabelLayout, cells: Cells) -> Labels:
    """Return for each cell the label that its root has, in the paper's own numbers.

    Only so many generations are followed as can be while the picture moves; a cell that is
    farther from its root keeps the label that it has.

    Parameters
    ----------
    labels : callable
        Gives raw labels of a step.
    layout : LabelLayout
        What they mean.
    cells : ndarray of int64, any shape
        Which cells.

    Returns
    -------
    ndarray of int32, of the shape of `cells`
    """
    roots, _ = climb(labels, layout, cells, _FARTHEST)
    return _named(labels, layout, cells, roots)


def tree_labels(labels: Labels, layout: LabelLayout, cells: Cells) -> Labels:
    """Return what :func:`root_labels` does, of a whole frame: on small grids, for any distance.

    Parameters
    ----------
    labels : ndarray of int32, shape (height, width)
        Raw labels of a step.
    layout : LabelLayout
        What they mean.
    cells : ndarray of int64, any shape
        Which cells.

    Returns
    -------
    ndarray of int32, of the shape of `cells`
    """
    lookup = lookup_of(labels)
    if labels.size > WHOLE_GRID:
        return root_labels(lookup, layout, cells)
    return _named(lookup, layout, cells, all_roots(labels, layout)[0].reshape(-1)[cells])


def _named(labels: Lookup, layout: LabelLayout, cells: Cells, roots: Cells) -> Labels:
    known = roots != NO_CELL
    found = labels(cells).copy()
    found[known] = layout.addresses(roots[known])
    return found


def depths_of(
    labels: Lookup, layout: LabelLayout, cells: Cells, deepest: int
) -> npt.NDArray[np.int32]:
    """Return how far cells are from their roots.

    Parameters
    ----------
    labels : callable
        Gives raw labels of a step.
    layout : LabelLayout
        What they mean.
    cells : ndarray of int64, any shape
        Which cells.
    deepest : int
        Depths beyond this one count as it.

    Returns
    -------
    ndarray of int32, of the shape of `cells`
        0 for a root, -1 for a cell without a label.
    """
    return climb(labels, layout, cells, deepest)[1]
