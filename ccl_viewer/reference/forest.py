"""Roots in forests that are stored as arrays of parents."""

from __future__ import annotations

import numpy as np

from ccl_viewer.support.arrays import Indices

_BAND = 1 << 14  # cells with parents that fit into the cache
_BAND_JUMPS = 24  # more jumps than crossing a band takes


def find_roots(parents: Indices) -> Indices:
    """Follow every cell's parent to the root of its tree.

    Parameters
    ----------
    parents : ndarray of int64, any shape
        Linear index of the cell that each cell points at. A root points at itself; a negative value
        means no label.

    Returns
    -------
    ndarray of int64, of the same shape
        Linear index of each cell's root; -1 if the cell has no label, or if its chain of parents
        ends at a cell without a label, leaves the array or is a cycle.
    """
    flat = parents.ravel()
    addresses = np.arange(flat.size, dtype=np.int64)
    roots = np.where((flat < 0) | (flat >= flat.size), addresses, flat)
    _jump_in_bands(roots)
    flatten(roots)
    roots[(flat != addresses)[roots]] = -1
    return roots.reshape(parents.shape)


def flatten(parent: Indices, nodes: Indices | None = None) -> bool:
    """Point nodes at their root, in place, by pointer jumping; return whether all reached a root.

    Parameters
    ----------
    parent : ndarray of int64, shape (nodes,)
        The node that each node points at.
    nodes : ndarray of int64 or None
        Nodes that do not point at a root yet, or their ancestors, with any repetitions; None finds
        them.

    Notes
    -----
    A cycle can collapse to a node that was not a root before; it is then not detected here.
    """
    if nodes is None:
        active = np.flatnonzero(parent != parent[parent]) if parent.size else parent
    else:
        active = nodes
    # Each jump doubles the distance: nodes without a root after this many jumps have none.
    for _ in range(parent.size.bit_length() + 1):
        current = parent[active]
        onward = parent[current]
        moved = onward != current
        active = active[moved]
        if not active.size:
            return True
        parent[active] = onward[moved]
    return False


def _jump_in_bands(parent: Indices) -> None:
    """Jump within bands of cells, from the first to the last, in place.

    Most labels name a cell shortly before their own. When the bands before it are done, a band
    needs only a few jumps, all within the cache: several times as fast as jumps over the whole
    array.
    """
    for start in range(0, parent.size, _BAND):
        band = parent[start : start + _BAND]
        for _ in range(_BAND_JUMPS):
            onward = parent[band]
            if np.array_equal(onward, band):
                break
            band[:] = onward
