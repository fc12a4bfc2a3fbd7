"""Forests kept as arrays of parents: which root each cell leads to."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Indices: TypeAlias = npt.NDArray[np.int64]

_BAND = 1 << 14  # cells whose parents fit the cache
_BAND_JUMPS = 24  # more than doubling needs to cross a band


def roots_of(parents: Indices) -> Indices:
    """Follow every cell's parent to the root of its tree.

    Parameters
    ----------
    parents : ndarray of int64, any shape
        Linear index of the cell that each cell points at; a root points at itself; negative where
        a cell has no label.

    Returns
    -------
    ndarray of int64, of the same shape
        Linear index of each cell's root; -1 where it has none: it has no label, or its chain of
        parents ends at a cell without one, leaves the array or leads in a circle.
    """
    given = parents.ravel()
    own = np.arange(given.size, dtype=np.int64)
    roots = np.where((given < 0) | (given >= given.size), own, given)
    _jump_in_bands(roots)
    flatten(roots)
    roots[(given != own)[roots]] = -1
    return roots.reshape(parents.shape)


def flatten(parent: Indices, nodes: Indices | None = None) -> bool:
    """Point nodes at their root, in place, by pointer jumping; return whether all reached one.

    Parameters
    ----------
    parent : ndarray of int64, shape (nodes,)
        The node that each node points at.
    nodes : ndarray of int64 or None
        All nodes that do not point at a root yet, or those on the way from them, each as often as
        may be; None looks for them.

    Notes
    -----
    A circle can come to rest at nodes that were no roots to begin with, and then goes unnoticed
    here.
    """
    if nodes is None:
        active = np.flatnonzero(parent != parent[parent]) if parent.size else parent
    else:
        active = nodes
    # Each jump doubles the distance: after more than this many, there is no root to reach.
    for _ in range(parent.size.bit_length() + 1):
        now = parent[active]
        onward = parent[now]
        moved = onward != now
        active = active[moved]
        if not active.size:
            return True
        parent[active] = onward[moved]
    return False


def _jump_in_bands(parent: Indices) -> None:
    """Jump within bands of cells, from the first to the last, in place.

    Most labels name a cell not far before their own. A band that starts with its parents done is
    done itself after a few jumps, all within the cache: several times as fast as jumps over the
    whole array.
    """
    for start in range(0, parent.size, _BAND):
        band = parent[start : start + _BAND]
        for _ in range(_BAND_JUMPS):
            onward = parent[band]
            if np.array_equal(onward, band):
                break
            band[:] = onward
