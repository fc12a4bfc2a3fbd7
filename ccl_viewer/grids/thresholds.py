"""Divide grey values into foreground and background, by Otsu's or a given threshold."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from ccl_viewer.errors import InputError
from ccl_viewer.grids.grid import Grid

Threshold: TypeAlias = float | Literal["otsu"] | None
"""A grey value, ``"otsu"`` to find one, or None to take all values but 0 as foreground."""

_BINS = 256
_PART = 1 << 22  # values counted at a time
_COUNTABLE = 2**16  # integers in a range of this length are counted exactly


@dataclass(frozen=True, eq=False)
class ThresholdedGrid:
    """Grey values divided into foreground and background.

    Parameters
    ----------
    grid : ndarray of uint8, shape (height, width)
        1 where the grey value is above the threshold.
    threshold : float or None
        The threshold; None if every non-zero value is foreground.
    note : str
        What was done, as a sentence for the user.
    """

    grid: Grid
    threshold: float | None
    note: str


def resolve_threshold(threshold: object) -> Threshold:
    """Return a threshold if it is valid.

    Raises
    ------
    InputError
        If it is neither a finite number, nor ``"otsu"``, nor None.
    """
    if threshold is None:
        return None
    if isinstance(threshold, str):
        if threshold == "otsu":
            return "otsu"
    elif (
        isinstance(threshold, int | float | np.integer | np.floating)
        and not isinstance(threshold, bool)
        and np.isfinite(threshold)
    ):
        return threshold if isinstance(threshold, int | float) else threshold.item()
    raise InputError(f"A threshold is a grey value or 'otsu', not {threshold!r}.")


@dataclass(frozen=True, eq=False)
class Histogram:
    """How often each grey value occurs.

    Parameters
    ----------
    levels : ndarray of integers or float64, shape (n,)
        The values that occur, ascending, as integers where those are counted exactly; the middle
        of each bin where there are too many to count (256 bins, or the values themselves if they
        are too close together for bins).
    counts : ndarray of float64, shape (n,)
        How often each value occurs.
    whole : bool
        Whether the values are whole numbers.
    """

    levels: npt.NDArray[Any]
    counts: npt.NDArray[np.float64]
    whole: bool

    @property
    def low(self) -> float:
        """The lowest value."""
        return float(self.levels[0])

    @property
    def high(self) -> float:
        """The highest value."""
        return float(self.levels[-1])

    def bars(self, low: float, high: float, number: int) -> npt.NDArray[np.float64]:
        """Return the number of values in each of `number` equal parts from `low` to `high`.

        Parameters
        ----------
        low, high : float
            Ends of the range, inclusive.
        number : int
            Number of parts.
        """
        top = high + 1 if self.whole else high
        # Not by the edges of the bars: if the values are nearly equal, so would the edges be.
        shares = (self.levels - low) / max(top - low, np.finfo(float).tiny)
        inside = (self.levels >= low) & (self.levels <= high)
        bars = np.minimum((shares[inside] * number).astype(np.intp), number - 1)
        return np.bincount(bars, self.counts[inside], number).astype(np.float64)

    @property
    def otsu(self) -> float | None:
        """Otsu's threshold, as :func:`find_otsu_threshold` returns it."""
        levels, counts = self.levels, self.counts
        if levels.size < 2:
            return None
        # In units of the range: moments of large values would lose significant digits.
        scaled = (levels - levels[0]) / (levels[-1] - levels[0])
        below = np.cumsum(counts)[:-1]
        above = float(counts.sum()) - below
        sum_below = np.cumsum(counts * scaled)[:-1]
        sum_above = float(np.dot(counts, scaled)) - sum_below
        variance = below * above * (sum_above / above - sum_below / below) ** 2
        best = int(np.argmax(variance))
        pair: list[float] = levels[best : best + 2].tolist()
        low, high = pair
        if isinstance(low, int):  # beyond 2**53, floats cannot distinguish neighbours
            return (low + high) // 2
        middle = low + (high - low) / 2  # their sum may overflow
        if self.whole:
            return int(np.floor(middle))
        return middle if middle < high else low  # adjacent floats have nothing between them


def find_otsu_threshold(grey: npt.NDArray[Any]) -> float | None:
    """Find the threshold that maximises the variance between the two classes (Otsu, 1979).

    Parameters
    ----------
    grey : ndarray of integers or floats, any shape
        Finite values. Integers that span at most 65536 levels are counted exactly; others in 256
        bins of equal width.

    Returns
    -------
    int, float or None
        Values above it are the upper class. It is half-way between the two levels that it
        separates, rounded down for integers and for adjacent floats. None if there is only one
        level.
    """
    return count_grey_values(grey).otsu


@np.errstate(over="ignore")  # linspace overflows at its last edge, then replaces it
def count_grey_values(grey: npt.NDArray[Any]) -> Histogram:
    """Count grey values.

    Parameters
    ----------
    grey : ndarray of integers or floats, shape (height, width) or any other
        Finite values. Integers that span at most 65536 levels are counted exactly; others in 256
        bins of equal width.
    """
    low, high = grey.min(), grey.max()
    levels: npt.NDArray[Any]
    integers = grey.dtype.kind in "uib"
    if integers and int(high) - int(low) < _COUNTABLE:
        counts = np.zeros(int(high) - int(low) + 1, np.int64)
        for part in _split_rows(grey):
            shifted = part.astype(np.int64).ravel() - np.int64(low)
            counts += np.bincount(shifted, minlength=counts.size)
        exact = np.uint64 if grey.dtype.kind == "u" else np.int64
        levels = np.arange(counts.size).astype(exact) + exact(low)
    elif low == high:
        levels, counts = np.array([low], np.float64), np.array([grey.size])
    elif not np.all(np.diff(np.linspace(float(low), float(high), _BINS + 1)) > 0):
        levels, counts = np.unique(grey.astype(np.float64), return_counts=True)  # few values
    else:
        counts = np.zeros(_BINS, np.int64)
        for part in _split_rows(grey):
            bins, edges = np.histogram(part.astype(np.float64), _BINS, (float(low), float(high)))
            counts += bins
        levels = edges[:-1] + np.diff(edges) / 2
    occurring = counts > 0
    return Histogram(levels[occurring], counts[occurring].astype(np.float64), integers)


def apply_threshold(grey: npt.NDArray[Any], threshold: Threshold) -> ThresholdedGrid:
    """Divide grey values into foreground and background.

    Parameters
    ----------
    grey : ndarray of integers or floats, shape (height, width)
        Grey values.
    threshold : float, "otsu" or None
        Values above it are foreground. An image of a single level has no Otsu threshold: it is all
        foreground if that level is in the upper half of an 8-bit or 16-bit scale or, in other
        types, above 0.

    Returns
    -------
    ThresholdedGrid
        The grid and the threshold that made it.

    Raises
    ------
    InputError
        If `threshold` is invalid or exceeds the type of the values, or these have no finite range.
    """
    checked = resolve_threshold(threshold)
    if grey.dtype.kind == "f" and not has_finite_range(grey):
        raise InputError(
            "The image holds NaN, infinity or values too far apart: replace them by numbers of a "
            "common scale."
        )
    if checked is None:
        return ThresholdedGrid(
            (grey != 0).astype(np.uint8), None, "All values but 0 are foreground."
        )
    if checked == "otsu":
        otsu_level = find_otsu_threshold(grey)
        level = fallback_threshold(grey.dtype) if otsu_level is None else otsu_level
        why = (
            "the image has a single grey level" if otsu_level is None else "found by Otsu's method"
        )
    else:
        level, why = checked, "as given"
        most = np.iinfo(grey.dtype).max if grey.dtype.kind == "u" else np.inf
        if level > most:
            raise InputError(f"Grey values end at {most} here: give a threshold up to that.")
    note = f"Grey values above {level:g} are foreground ({why})."
    return ThresholdedGrid(mark_above(grey, level).astype(np.uint8), level, note)


def mark_above(values: npt.NDArray[Any], level: float) -> npt.NDArray[np.bool_]:
    """Return where values are above a level, which may exceed the range of their type."""
    with np.errstate(over="ignore"):  # then it becomes infinity, above or below all values
        mask: npt.NDArray[np.bool_] = values > level
    return mask


def _split_rows(grey: npt.NDArray[Any]) -> Iterator[npt.NDArray[Any]]:
    """Yield some rows at a time, since counting takes much more memory than the values."""
    rows = max(1, _PART * len(grey) // grey.size) if grey.ndim else 1
    for top in range(0, len(grey), rows):
        yield grey[top : top + rows]


def has_finite_range(grey: npt.NDArray[Any]) -> bool:
    """Return whether all values, and the distance from lowest to highest, are finite."""
    return bool(np.isfinite(float(grey.max()) - float(grey.min())))


def fallback_threshold(dtype: np.dtype[Any]) -> int:
    """Return the level above which a picture of one level is all foreground."""
    return int(np.iinfo(dtype).max) // 2 if dtype.kind == "u" and dtype.itemsize <= 2 else 0
