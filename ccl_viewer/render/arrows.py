"""Arrows from cells to their parents: where they begin, bend and end, in cells."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

START: Final = 0.3
"""How far from the middle of its cell an arrow begins, in cells."""

END: Final = 0.41
"""How far from the middle of the parent it ends: outside the ring of a root."""

_NEAR: Final = 1.5
_BEND: Final = 0.16
_MOST_BEND: Final = 1.4

Points = npt.NDArray[np.float64]


def curves(cells: npt.NDArray[np.int64], parents: npt.NDArray[np.int64], width: int) -> Points:
    """Return one curve for each cell that is not its own parent.

    Neighbours are joined by a straight line. Longer arrows bend to one side, the more the longer
    they are, so that those of a row which all point at one root lie side by side.

    Parameters
    ----------
    cells, parents : ndarray of int64, shape (arrows,)
        Linear indices of different cells.
    width : int
        Columns of the grid.

    Returns
    -------
    ndarray of float64, shape (arrows, 3, 2)
        x and y of the start, of the control point of a quadratic curve, and of the tip, with
        the middle of cell (x, y) at (x + 0.5, y + 0.5).
    """
    start, end = _middles(cells, width), _middles(parents, width)
    way = end - start
    length = np.hypot(way[:, 0], way[:, 1])[:, None]
    ahead = way / np.maximum(length, 1e-9)
    aside = np.stack([ahead[:, 1], -ahead[:, 0]], axis=1)
    bend = np.where(length > _NEAR, np.minimum(_BEND * length, _MOST_BEND), 0.0)
    control = (start + end) / 2 + aside * bend
    return np.stack(
        [
            start + _toward(start, control) * START,
            control,
            end - _toward(control, end) * END,
        ],
        axis=1,
    )


def heads(curve: Points, size: float) -> Points:
    """Return the triangles at the tips of curves.

    Parameters
    ----------
    curve : ndarray of float64, shape (arrows, 3, 2)
        Of :func:`curves`.
    size : float
        Length of a head, in cells.

    Returns
    -------
    ndarray of float64, shape (arrows, 3, 2)
        The tip and the two other corners.
    """
    tip = curve[:, 2]
    ahead = _toward(curve[:, 1], tip)
    aside = np.stack([ahead[:, 1], -ahead[:, 0]], axis=1)
    base = tip - ahead * size
    return np.stack([tip, base + aside * size * 0.5, base - aside * size * 0.5], axis=1)


def _middles(cells: npt.NDArray[np.int64], width: int) -> Points:
    y, x = np.divmod(cells, width)
    return np.stack([x, y], axis=1) + 0.5


def _toward(start: Points, end: Points) -> Points:
    way = end - start
    return way / np.maximum(np.hypot(way[:, 0], way[:, 1])[:, None], 1e-9)
