"""The trees that labels form: roots and depths of chosen cells, and trees compared."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from ccl_viewer.cancellation import Check, unchecked
from ccl_viewer.pieces import bands, distinct, left_out
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

    Returns
    -------
    ndarray of int32, of the shape of `cells`
    """
    roots, _ = climb(labels, layout, cells, _FARTHEST)
    return _named(labels, layout, cells, roots)


def tree_labels(labels: Labels, layout: LabelLayout, cells: Cells) -> Labels:
    """Return what :func:`root_labels` does, of a whole frame: on small grids, for any distance.

    Returns
    -------
    ndarray of int32, of the shape of `cells`
    """
    if labels.size > WHOLE_GRID:
        return _climbed(labels.reshape(-1), layout, cells)
    lookup = lookup_of(labels)
    return _named(lookup, layout, cells, all_roots(labels, layout)[0].reshape(-1)[cells])


def _climbed(labels: Labels, layout: LabelLayout, cells: Cells) -> Labels:
    """Return what :func:`root_labels` does, in a fraction of the time: labels follow labels."""
    own = labels.take(cells.reshape(-1))
    found = own.copy()
    active: Cells | None = None
    for _ in range(_FARTHEST):
        here = found if active is None else found[active]
        parents = _named_cells(here, layout)
        above = labels.take(parents, mode="clip")
        moves = np.flatnonzero((above != here) & (parents >= 0))
        moves = moves[_named_cells(above[moves], layout) >= 0]
        active = moves if active is None else active[moves]
        if not active.size:
            return found.reshape(cells.shape)
        found[active] = above[moves]
    if active is not None:
        found[active] = own[active]
    return found.reshape(cells.shape)


def _named_cells(labels: Labels, layout: LabelLayout) -> npt.NDArray[np.int32]:
    """Return the cells that labels name, in 32 bits; -1 for labels that name none."""
    cells = labels - np.int32(layout.origin + layout.margin * (layout.pitch + 1))
    lost = (labels == layout.background) | (cells < 0)
    if layout.pitch != layout.width:
        rows = cells // np.int32(layout.pitch)
        lost |= cells - rows * np.int32(layout.pitch) >= layout.width
        cells -= rows * np.int32(layout.pitch - layout.width)
    lost |= cells >= layout.height * layout.width
    cells[lost] = NO_CELL
    return cells


def _named(labels: Lookup, layout: LabelLayout, cells: Cells, roots: Cells) -> Labels:
    known = roots != NO_CELL
    found = labels(cells).copy()
    found[known] = layout.addresses(roots[known])
    return found


def depths_of(
    labels: Lookup, layout: LabelLayout, cells: Cells, deepest: int
) -> npt.NDArray[np.int32]:
    """Return how far cells are from their roots.

    Returns
    -------
    ndarray of int32, of the shape of `cells`
        0 for a root, -1 for a cell without a label.
    """
    return climb(labels, layout, cells, deepest)[1]


Partition: TypeAlias = npt.NDArray[np.int32]
"""Number of the first cell of each cell's tree, counted from 1; shape (height, width)."""

Mask: TypeAlias = npt.NDArray[np.bool_]

Names: TypeAlias = npt.NDArray[np.int32]
"""Numbers of cells, one-dimensional; the element in front stands for no cell, and is 0."""

_T = TypeVar("_T", bound=np.generic)

NO_TREE: Final = 0
"""In a partition: background, or a cell without a label or whose labels lead to no root."""

_BAND: Final = 1 << 16  # cells whose parents fit the cache


def partition_now(
    labels: npt.NDArray[np.int32],
    layout: LabelLayout,
    image: npt.NDArray[np.uint8],
    check: Check = unchecked,
) -> Partition:
    """Say of each cell which tree it is in, by a name that does not depend on the root.

    Nearly all methods make cells point at cells before them. Then the roots of a band of rows
    follow from those above, and each root is the first cell of its tree: one pass does it.

    Returns
    -------
    ndarray of int32, shape (height, width)
        The number of the first cell in raster order that is in the same tree, counted from 1;
        :data:`NO_TREE` where there is none.
    """
    names = np.empty(labels.size + 1, np.int32)
    names[0] = NO_TREE
    upwards = True
    for rows in bands(labels.shape, _BAND):
        check()
        parents = _cell_numbers(labels[rows], layout, image[rows]).reshape(-1)
        start = rows.start * layout.width + 1
        band = names[start : start + parents.size]
        band[:] = parents
        upwards = upwards and not _points_on(parents, start)
        if upwards:
            _name_roots(names, band)
    if not upwards:
        names = _parents_again(labels, layout, image)
        check()
        names = _name_trees(_follow_all(names))
    return names[1:].reshape(image.shape)


def differing(one: Partition, other: Partition) -> Mask:
    """Return which cells are named after another cell in one partition than in the other.

    Parameters
    ----------
    one, other : ndarray of int32, shape (height, width)
        As :func:`partition_now` returns them, of one grid.

    Returns
    -------
    ndarray of bool, shape (height, width)
    """
    differs: Mask = one != other
    return differs


def _cell_numbers(
    labels: npt.NDArray[np.int32], layout: LabelLayout, image: npt.NDArray[np.uint8]
) -> npt.NDArray[np.int32]:
    """Return the number of the cell that each cell of some rows points at; 0 without one."""
    address = labels - np.int32(layout.origin)
    if layout.pitch != layout.width:
        # As LabelLayout.parents() has it, in 32 bits and thus much faster.
        skipped = address // np.int32(layout.pitch)
        skipped *= np.int32(layout.pitch - layout.width)
        address -= skipped
    address -= np.int32(layout.margin * (layout.width + 1) - 1)
    lost = (address <= 0) | (address > layout.height * layout.width)
    lost |= labels == layout.background
    lost |= image == 0
    address[lost] = NO_TREE
    return address


def _points_on(parents: npt.NDArray[np.int32], start: int) -> bool:
    """Whether a cell of a band, which begins with this number, points at one behind itself."""
    return bool((parents > np.arange(start, start + parents.size, dtype=np.int32)).any())


def _name_roots(names: Names, band: Names) -> None:
    """Let the cells of a band name their roots, in place, once those above them do."""
    onward = _at(names, band)
    while not np.array_equal(onward, band):
        band[:] = onward
        onward = _at(names, band)


# Where cells point at cells behind them, or in circles


def _parents_again(
    labels: npt.NDArray[np.int32], layout: LabelLayout, image: npt.NDArray[np.uint8]
) -> Names:
    parents = np.zeros(labels.size + 1, np.int32)
    parents[1:] = _cell_numbers(labels, layout, image).reshape(-1)
    return parents


def _follow_all(parents: Names) -> Names:
    """Follow every cell to its root; 0 where there is none."""
    roots = parents.copy()
    _jump(roots)
    for start in range(0, roots.size, _BAND):
        band = roots[start : start + _BAND]
        band[_at(parents, band) != band] = NO_TREE
    return roots


def _jump(roots: Names) -> None:
    """Point what does not name its root yet at it, in place, doubling the distance each time."""
    active = np.flatnonzero(roots != _at(roots, roots))
    for _ in range(roots.size.bit_length() + 1):
        if not active.size:
            return
        onward = _at(roots, roots[active])
        moved = onward != roots[active]
        active = active[moved]
        roots[active] = onward[moved]


def _name_trees(roots: Names) -> Names:
    """Name each tree after its first cell."""
    rooted = np.flatnonzero(roots)
    first = np.zeros(roots.size, np.int32)
    # Of several values for one element NumPy keeps the last, here that of the first cell.
    first[roots[rooted[::-1]]] = rooted[::-1]
    return first[roots]


def _at(values: npt.NDArray[_T], places: Names) -> npt.NDArray[_T]:
    """Return values at places that are known to lie within, without looking at that again."""
    return values.take(places, mode="clip")
