"""Divide grey values into foreground and background, by Otsu's or a given threshold."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from ccl_viewer.errors import InputError

Threshold: TypeAlias = float | Literal["otsu"] | None
"""A grey value, ``"otsu"`` to find one, or None to take all values but 0 as foreground."""

ValueRange: TypeAlias = tuple[float, float]
"""The lowest and highest value of a picture."""

_BINS = 256
_PART = 1 << 22  # values counted at a time
_COUNTABLE = 2**16  # integers in a range of this length are counted exactly


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
        """The threshold that maximises the variance between the two classes (Otsu, 1979).

        Values above it are the upper class. It is half-way between the two levels that it
        separates, rounded down for integers and for adjacent floats. None if there is only one
        level.
        """
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


def choose_level(
    threshold: Threshold, count: Callable[[], Histogram | None], white: int | None
) -> tuple[float | None, str]:
    """Decide above which value pixels are foreground; every reader of pictures decides it here.

    Parameters
    ----------
    threshold : float, "otsu" or None
        As the user gave it.
    count : callable
        Counts the values; called only for ``"otsu"``. It returns None if there are none but NaN
        and infinity.
    white : int or None
        The end of the picture's scale, such as 255; None if it has none.

    Returns
    -------
    level : float or None
        Values above it are foreground; None for all values but 0.
    reason : str
        Where it is from, for the note to the user.

    Raises
    ------
    InputError
        If `threshold` is invalid or beyond the scale.
    """
    checked = resolve_threshold(threshold)
    if checked is None:
        return None, "as given"
    if checked == "otsu":
        histogram = count()
        level = None if histogram is None else histogram.otsu
        if level is not None:
            return level, "found by Otsu's method"
        return 0 if white is None else white // 2, "the image has a single grey level"
    if white is not None and checked > white:
        raise InputError(f"Grey values end at {white} here: give a threshold up to that.")
    return checked, "as given"


def mark_foreground(
    values: npt.NDArray[Any], level: float | None, *, invert: bool = False
) -> npt.NDArray[np.bool_]:
    """Return where values are foreground.

    Parameters
    ----------
    values : ndarray of bool, integers or floats, any shape
        Bool is foreground where it is True. NaN means that there is no data: it is background,
        also if `invert` is true. Infinity is above or below every level.
    level : float or None
        Values above it are foreground; None for all values but 0. It may exceed the range of the
        type.
    invert : bool
        Exchange foreground and background.
    """
    if values.dtype == np.bool_:
        return values ^ np.bool_(invert)
    # The level may become infinity, above or below all values.
    with np.errstate(over="ignore", invalid="ignore"):
        mask: npt.NDArray[np.bool_] = values != 0 if level is None else values > level
    if invert:
        mask = ~mask
    if values.dtype.kind == "f":
        mask &= ~np.isnan(values)
    return mask


def is_binary(values: npt.NDArray[Any]) -> bool:
    """Return whether an array holds only 0, 1 and NaN, so that it needs no threshold."""
    if values.dtype == np.bool_:
        return True
    # Most other arrays are told by their first rows.
    return all(
        bool(((part == 0) | (part == 1) | np.isnan(part)).all()) for part in _split_rows(values)
    )


def count_grey_values(grey: npt.NDArray[Any]) -> Histogram | None:
    """Count grey values.

    Parameters
    ----------
    grey : ndarray of integers or floats, any shape
        NaN and infinity are not counted. Integers that span at most 65536 levels are counted
        exactly; others in 256 bins of equal width.

    Returns
    -------
    Histogram or None
        None if there is nothing to count.

    Raises
    ------
    InputError
        If the values are too far apart for floats.
    """
    found = find_range(grey)
    return None if found is None else count_in_range(grey, found)


def find_range(values: npt.NDArray[Any]) -> ValueRange | None:
    """Return the lowest and highest value, without NaN and infinity; None if there are no others.

    Parameters
    ----------
    values : ndarray of bool, integers or floats, any shape
        The values.
    """
    if values.dtype.kind == "f":
        finite = np.isfinite(values)
        if not finite.any():
            return None
        low = np.min(values, where=finite, initial=np.inf)
        return low.item(), np.max(values, where=finite, initial=-np.inf).item()
    return values.min().item(), values.max().item()


def count_in_range(values: npt.NDArray[Any], whole_range: ValueRange) -> Histogram:
    """Count values, of which others of the same picture may be elsewhere.

    Parameters
    ----------
    values : ndarray of integers or floats, any shape
        Some of the picture's values.
    whole_range : tuple of float
        The lowest and highest of all its values.
    """
    parts = [_count_part(part, *whole_range) for part in _split_rows(values)]
    return join_histograms(parts)


def join_histograms(parts: Sequence[Histogram]) -> Histogram:
    """Return the histogram of a picture from those of its parts, counted in the same range."""
    levels, places = np.unique(np.concatenate([each.levels for each in parts]), return_inverse=True)
    counts = np.bincount(places, np.concatenate([each.counts for each in parts]), levels.size)
    return Histogram(levels, counts.astype(np.float64), parts[0].whole)


@np.errstate(over="ignore", invalid="ignore")  # in linspace, which mends it; signalling NaN
def _count_part(values: npt.NDArray[Any], low: Any, high: Any) -> Histogram:
    levels: npt.NDArray[Any]
    whole = values.dtype.kind in "uib"
    if whole and high - low < _COUNTABLE:
        shifted = values.astype(np.int64).ravel() - np.array(low).astype(np.int64)
        counts = np.bincount(shifted, minlength=high - low + 1)
        exact = np.uint64 if values.dtype.kind == "u" else np.int64
        levels = np.arange(counts.size).astype(exact) + exact(low)
    else:
        numbers = values.astype(np.float64).ravel()
        if not whole:
            numbers = numbers[np.isfinite(numbers)]
        if not np.isfinite(float(high) - float(low)):
            raise InputError(
                "The image holds values too far apart: replace them by numbers of a common scale."
            )
        edges = np.linspace(float(low), float(high), _BINS + 1)
        if np.all(np.diff(edges) > 0):
            counts, edges = np.histogram(numbers, _BINS, (float(low), float(high)))
            levels = edges[:-1] + np.diff(edges) / 2
        else:  # few values
            levels, counts = np.unique(numbers, return_counts=True)
    occurring = counts > 0
    return Histogram(levels[occurring], counts[occurring].astype(np.float64), whole)


def count_decimals(low: float, high: float, *, whole: bool) -> int:
    """Return how many decimals a threshold needs, in steps of a thousandth of the range or less.

    Parameters
    ----------
    low, high : float
        Ends of the range.
    whole : bool
        Whether all values are whole numbers.
    """
    if whole or high <= low:
        return 0
    return max(0, 3 - math.floor(math.log10(high - low)))


def format_level(level: float) -> str:
    """Return a threshold as text: whole numbers with all digits, and no minus before 0."""
    return f"{level + 0.0:.15g}" if float(level).is_integer() else f"{level:g}"


def _split_rows(grey: npt.NDArray[Any]) -> Iterator[npt.NDArray[Any]]:
    """Yield some rows at a time, since counting takes much more memory than the values."""
    rows = max(1, _PART * len(grey) // grey.size) if grey.ndim else 1
    for top in range(0, len(grey), rows):
        yield grey[top : top + rows]
