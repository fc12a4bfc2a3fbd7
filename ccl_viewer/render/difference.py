"""Which cells lie in another component now than in another run: compared as partitions."""

from __future__ import annotations

from typing import Final, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from ccl_viewer.plan import LabelLayout

Partition: TypeAlias = npt.NDArray[np.int32]
"""Linear index of the first cell of each cell's tree, shape (height, width); -1 without one."""

Mask: TypeAlias = npt.NDArray[np.bool_]

Names: TypeAlias = npt.NDArray[np.int32]

_T = TypeVar("_T", bound=np.generic)

NO_TREE: Final = -1

_BAND: Final = 1 << 16  # cells whose parents fit the cache
_BAND_JUMPS: Final = 24


def partition_now(
    labels: npt.NDArray[np.int32], layout: LabelLayout, image: npt.NDArray[np.uint8]
) -> Partition:
    """Say of each cell which tree it is in, by a name that does not depend on the root.

    Parameters
    ----------
    labels : ndarray of int32, shape (height, width)
        Raw labels of a step.
    layout : LabelLayout
        What they mean.
    image : ndarray of uint8, shape (height, width)
        The grid.

    Returns
    -------
    ndarray of int32, shape (height, width)
        The linear index of the first cell in raster order that is in the same tree;
        :data:`NO_TREE` for background and for cells without a label, or whose labels lead to no
        root.
    """
    parents = _parents_of(labels, layout, image)
    return _first_cells(_roots_of(parents)).reshape(image.shape)


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
) -> Names:
    """Return the cell that each cell points at, one-dimensional; -1 where there is none."""
    height = max(1, _BAND // layout.width)
    plain = layout.margin == 0 and layout.pitch == layout.width
    origin = np.int32(layout.origin)
    parents = np.empty(labels.shape, np.int32)
    for top in range(0, layout.height, height):
        rows = slice(top, top + height)
        # Where no padding is to be skipped, 32 bits are enough, and much faster.
        named = labels[rows] - origin if plain else layout.parents(labels[rows])
        lost = (named < 0) | (named >= labels.size) | (labels[rows] == layout.background)
        named[lost | (image[rows] == 0)] = NO_TREE
        parents[rows] = named
    return parents.reshape(-1)


def _roots_of(parents: Names) -> Names:
    """Follow every cell to its root; -1 where there is none."""
    roots = np.empty_like(parents)
    for start in range(0, roots.size, _BAND):
        band = roots[start : start + _BAND]
        given = parents[start : start + _BAND]
        own = np.arange(start, start + band.size, dtype=np.int32)
        band[:] = np.where(given < 0, own, given)
        if int(band.max()) >= start + band.size:
            continue  # what lies behind the band is not there yet: the last jumps do it
        for _ in range(_BAND_JUMPS):
            onward = _at(roots, band)
            if np.array_equal(onward, band):
                break
            band[:] = onward
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
    """Name each tree after its first cell, one-dimensional."""
    own = np.arange(roots.size, dtype=np.int32)
    if bool((roots <= own).all()):
        return roots  # no cell comes before its root, which is thus the first
    rooted = np.flatnonzero(roots >= 0)
    first = np.empty(roots.size + 1, np.int32)
    first[-1] = NO_TREE
    # Of several values for one element NumPy keeps the last, here that of the first cell.
    first[roots[rooted[::-1]]] = rooted[::-1]
    return first[roots]


def _at(values: npt.NDArray[_T], places: Names) -> npt.NDArray[_T]:
    """Return values at places that are known to lie within, without looking at that again."""
    return values.take(places, mode="clip")
