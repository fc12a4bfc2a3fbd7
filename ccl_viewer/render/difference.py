"""Which cells lie in another component now than in another run: compared as partitions."""

from __future__ import annotations

from typing import Final, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from ccl_viewer.cancellation import Check, unchecked
from ccl_viewer.pieces import bands
from ccl_viewer.plan import LabelLayout

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

    Parameters
    ----------
    labels : ndarray of int32, shape (height, width)
        Raw labels of a step.
    layout : LabelLayout
        What they mean.
    image : ndarray of uint8, shape (height, width)
        The grid.
    check : callable
        Called every millisecond or so; raises to stop the work.

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
        parents = _parents_of(labels[rows], layout, image[rows]).reshape(-1)
        start = rows.start * layout.width + 1
        band = names[start : start + parents.size]
        band[:] = parents
        upwards = upwards and not _points_on(parents, start)
        if upwards:
            _settle(names, band)
    if not upwards:
        names = _parents_again(labels, layout, image)
        check()
        names = _first_cells(_roots_of(names))
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


def _parents_of(
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


def _settle(names: Names, band: Names) -> None:
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
    parents[1:] = _parents_of(labels, layout, image).reshape(-1)
    return parents


def _roots_of(parents: Names) -> Names:
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


def _first_cells(roots: Names) -> Names:
    """Name each tree after its first cell."""
    rooted = np.flatnonzero(roots)
    first = np.zeros(roots.size, np.int32)
    # Of several values for one element NumPy keeps the last, here that of the first cell.
    first[roots[rooted[::-1]]] = rooted[::-1]
    return first[roots]


def _at(values: npt.NDArray[_T], places: Names) -> npt.NDArray[_T]:
    """Return values at places that are known to lie within, without looking at that again."""
    return values.take(places, mode="clip")
