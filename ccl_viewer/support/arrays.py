"""Operations on long arrays that let other threads run; some of NumPy's hold Python's lock.

With millions of elements, another thread's work would block the window: for some hundredths of a
second in :func:`numpy.bincount`, for a tenth in :func:`numpy.cumsum` if it has to convert the
values, and for half a second in :func:`numpy.unique`, which also imports ``numpy.ma`` at the first
call. These functions do the same in pieces, or call functions that release the lock.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, Final, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from ccl_viewer.support.cancellation import Check, never_cancel

Indices: TypeAlias = npt.NDArray[np.int64]

_PIECE: Final = 1 << 20

_Scalar = TypeVar("_Scalar", bound=np.generic)
_Number = TypeVar("_Number", bound=np.integer[Any])


def give_back_memory() -> None:
    """Return freed memory to the system.

    For each thread, Linux's C library keeps the memory of freed arrays of up to 32 MB for later
    ones.
    """
    if sys.platform == "linux":
        with suppress(AttributeError):  # a C library other than glibc
            ctypes.CDLL(None).malloc_trim(0)


def split_into_bands(shape: tuple[int, ...], cells: int) -> Iterator[slice]:
    """Yield the rows of a grid in bands of about `cells` cells, at least one row each.

    Parameters
    ----------
    shape : tuple of int
        Height and width.
    cells : int
        Cells of a band.
    """
    height, width = shape
    rows = max(1, cells // width)
    return (slice(top, min(top + rows, height)) for top in range(0, height, rows))


def find_distinct(values: npt.NDArray[_Scalar]) -> npt.NDArray[_Scalar]:
    """Return the distinct values in ascending order.

    Parameters
    ----------
    values : ndarray
        Values that can be ordered, without NaN.
    """
    ordered = np.sort(values, axis=None)
    return ordered[mark_first_occurrences(ordered)]


def mark_first_occurrences(ordered: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    """Return where in ordered values each value first occurs."""
    first = np.ones(ordered.size, np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=first[1:])
    return first


def sum_up_to_each(values: npt.NDArray[Any], dtype: type[_Number]) -> npt.NDArray[_Number]:
    """Return the sum of the values up to each, as :func:`numpy.cumsum` does.

    Parameters
    ----------
    values : ndarray of integers or bool, one-dimensional
        The values.
    dtype : type
        Type of the sums.
    """
    sums = values.astype(dtype)
    return np.cumsum(sums, out=sums)


def count_occurrences(
    values: npt.NDArray[np.integer[Any]], size: int, check: Check = never_cancel
) -> Indices:
    """Count the occurrences of each number in a one-dimensional array, as ``bincount`` does.

    Parameters
    ----------
    values : ndarray of integers, one-dimensional
        From 0 to `size` - 1.
    size : int
        Number of possible values.
    check : callable
        Called before each piece; may raise to stop the work.
    """
    counts = np.zeros(size, np.int64)
    for start in range(0, values.size, _PIECE):
        check()
        counts += np.bincount(values[start : start + _PIECE], minlength=size)
    return counts
