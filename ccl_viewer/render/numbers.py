"""Labels as numbers in their cells."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import numpy as np
import numpy.typing as npt

from ccl_viewer.plan import LabelLayout
from ccl_viewer.render.text import line, width_of

_READABLE: Final = 9
_LARGEST: Final = 20
_MARGIN: Final = 3


def number_size(scale: int, layout: LabelLayout) -> int | None:
    """Return the size of type in which every label of a grid fits its cell.

    Parameters
    ----------
    scale : int
        Pixels a cell.
    layout : LabelLayout
        Gives the largest label.

    Returns
    -------
    int or None
        Size in pixels; None if it would be too small to read.
    """
    last = layout.addresses(layout.height * layout.width - 1)
    longest = max((_widest(layout.background), _widest(last)), key=len)
    room = scale - 2 * max(_MARGIN, scale // 8)
    for size in range(min(_LARGEST, scale * 9 // 20), _READABLE - 1, -1):
        if width_of(longest, size) <= room:
            return size
    return None


def readable_scale(layout: LabelLayout) -> int:
    """Return the fewest pixels a cell at which numbers can be read."""
    scale = 2 * _READABLE
    while number_size(scale, layout) is None:
        scale += 1
    return scale


def number_masks(
    labels: npt.NDArray[np.int32], scale: int, size: int
) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int64]]:
    """Return a picture of each number, and which of them each cell shows.

    Parameters
    ----------
    labels : ndarray of int32, any shape
        What to write.
    scale : int
        Pixels a cell.
    size : int
        Of the typeface, in pixels.

    Returns
    -------
    masks : ndarray of uint8, shape (numbers, scale, scale)
        Levels of ink.
    which : ndarray of int64, shape of `labels`
        Index of each cell's mask.
    """
    values, which = np.unique(labels, return_inverse=True)
    masks = np.stack([_mask(value, scale, size) for value in values.tolist()])
    return masks, which.reshape(labels.shape)


@lru_cache(maxsize=8192)
def _mask(value: int, scale: int, size: int) -> npt.NDArray[np.uint8]:
    mask = np.zeros((scale, scale), np.uint8)
    while size > 1 and width_of(str(value), size) > scale - 2:
        size -= 1  # only a label that names no cell is longer than those the size was chosen for
    digits = line(str(value), size)
    rows = np.flatnonzero(digits.any(axis=1))
    digits = digits[rows[0] : rows[-1] + 1, :scale] if rows.size else digits[:0, :scale]
    top = (scale - digits.shape[0]) // 2
    left = (scale - digits.shape[1]) // 2
    mask[top : top + digits.shape[0], left : left + digits.shape[1]] = digits
    return mask


def _widest(value: int) -> str:
    return "-" * (value < 0) + "8" * len(str(abs(value)))
