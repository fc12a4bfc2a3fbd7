"""Where areas of equal numbers meet, as edges of cells and as line segments."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Segments = npt.NDArray[np.int64]
"""Shape (segments, 4): x and y of both ends, in corners of cells."""


def edges(ids: npt.NDArray[Any]) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """Return on which sides of the cells areas meet.

    Parameters
    ----------
    ids : ndarray of integers, shape (height, width)
        Number of the area of each cell; all around it is 0.

    Returns
    -------
    above : ndarray of bool, shape (height + 1, width)
        Whether a cell and the one above it differ.
    left : ndarray of bool, shape (height, width + 1)
        Whether a cell and the one to its left differ.
    """
    height, width = ids.shape
    above = np.zeros((height + 1, width), np.bool_)
    left = np.zeros((height, width + 1), np.bool_)
    if ids.size:
        _mark_edges(ids, above)
        _mark_edges(ids.T, left.T)
    return above, left


def _mark_edges(ids: npt.NDArray[Any], marks: npt.NDArray[np.bool_]) -> None:
    np.not_equal(ids[0], 0, out=marks[0])
    np.not_equal(ids[1:], ids[:-1], out=marks[1:-1])
    np.not_equal(ids[-1], 0, out=marks[-1])


def segments(ids: npt.NDArray[Any]) -> Segments:
    """Return the lines between areas, each as long as it is straight.

    Parameters
    ----------
    ids : ndarray of integers, shape (height, width)
        Number of the area of each cell; all around it is 0.

    Returns
    -------
    ndarray of int64, shape (segments, 4)
        ``x0, y0, x1, y1``: first all lines across, then all lines down.
    """
    above, left = edges(ids)
    rows, starts, ends = _runs(above)
    across = np.stack([starts, rows, ends, rows], axis=1)
    columns, starts, ends = _runs(left.T)
    down = np.stack([columns, starts, columns, ends], axis=1)
    return np.concatenate([across, down])


def _runs(
    marks: npt.NDArray[np.bool_],
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return row, start and end (excluded) of every run of marks."""
    steps = np.diff(np.pad(marks, ((0, 0), (1, 1))).astype(np.int8), axis=1)
    rows, starts = np.nonzero(steps == 1)
    _, ends = np.nonzero(steps == -1)
    return rows, starts, ends
