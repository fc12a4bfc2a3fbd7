"""How many components a grid has, found a strip at a time so that it can be broken off."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ccl_viewer.cancellation import Check
from ccl_viewer.grids import Grid
from ccl_viewer.pieces import bands
from ccl_viewer.reference import label_reference

_STRIP = 1 << 18  # cells labelled at a time

Labels = npt.NDArray[np.int64]


def count_components(grid: Grid, connectivity: int, *, multivalued: bool, check: Check) -> int:
    """Count the components of a grid.

    Parameters
    ----------
    grid : ndarray of uint8, shape (height, width)
        The grid.
    connectivity : int
        4 or 8.
    multivalued : bool
        Whether only cells of equal value connect.
    check : callable
        Called between strips; raises if the work is to stop.

    Returns
    -------
    int
        The number of components.
    """
    total = 0
    above: Labels | None = None  # names of the components that reach the last row so far
    for rows in bands(grid.shape, _STRIP):
        check()
        strip = grid[rows]
        labels, count = label_reference(strip, connectivity, multivalued=multivalued)
        total += count
        first, last = labels[0].astype(np.int64), labels[-1].astype(np.int64)
        if above is None:
            above = last
            continue
        offset = int(above.max()) + 1
        pairs = _touching(
            above, first, grid[rows.start - 1], strip[0], connectivity, equal=multivalued
        )
        names = _joined(pairs, offset)
        total -= len(names) - len(set(names.values()))
        above = _renamed(last, names, offset)
    return total


def _touching(
    above: Labels,
    below: Labels,
    values: Grid,
    values_below: Grid,
    connectivity: int,
    *,
    equal: bool,
) -> npt.NDArray[np.int64]:
    """Return the pairs of labels that meet between two rows, each once, shape (n, 2)."""
    found = []
    for shift in (0,) if connectivity == 4 else (-1, 0, 1):
        one = slice(max(shift, 0), above.size + min(shift, 0))
        other = slice(max(-shift, 0), above.size + min(-shift, 0))
        meet = (above[one] != 0) & (below[other] != 0)
        if equal:
            meet &= values[one] == values_below[other]
        found.append(np.stack((above[one][meet], below[other][meet]), axis=1))
    return np.unique(np.concatenate(found), axis=0)


def _joined(pairs: npt.NDArray[np.int64], offset: int) -> dict[int, int]:
    """Return the name of each label's component; labels below come after `offset`."""
    parent: dict[int, int] = {}

    def root(name: int) -> int:
        while parent.setdefault(name, name) != name:
            parent[name] = parent[parent[name]]
            name = parent[name]
        return name

    for one, other in pairs.tolist():
        parent[root(offset + other)] = root(one)
    return {name: root(name) for name in list(parent)}


def _renamed(last: Labels, names: dict[int, int], offset: int) -> Labels:
    """Give the labels of the last row names under which components that joined are one."""
    distinct, where = np.unique(last, return_inverse=True)
    named = [0 if label == 0 else names.get(offset + label, offset + label) for label in distinct]
    # Names are made small again, so that they never grow with the number of strips.
    _, small = np.unique(np.array([0, *named]), return_inverse=True)
    result: Labels = small[1:][where].astype(np.int64)
    return result
