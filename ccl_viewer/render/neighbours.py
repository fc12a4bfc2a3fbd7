"""Colours for components, such that neighbours differ."""

from __future__ import annotations

from functools import cache
from typing import Final

import numpy as np
import numpy.typing as npt

from ccl_viewer.cancellation import Check, unchecked
from ccl_viewer.pieces import bands, distinct, listed

REACH: Final = 2
"""Components with cells this close, in rows or columns, are neighbours."""

_OFFSETS: Final = tuple(
    (dy, dx) for dy in range(REACH + 1) for dx in range(-REACH, REACH + 1) if dy > 0 or dx > 0
)
_BAND_CELLS: Final = 1 << 18
_MOST_COMPARED: Final = 500_000
_CHECKED: Final = 1 << 13
"""Components after which it is asked whether their colours are still wanted."""


def colour_components(
    components: npt.NDArray[np.int32], count: int, colours: int, check: Check = unchecked
) -> npt.NDArray[np.uint8]:
    """Colour components so that neighbours differ where the number of colours allows it.

    Greedy, in raster order of the components: each takes the first colour that no neighbour has,
    beginning at one that a hash of its number picks, so that all colours are used about equally.
    Beyond half a million components, which only noise on huge grids has, the hash alone decides:
    comparing them would take many seconds.

    Parameters
    ----------
    components : ndarray of int32, shape (height, width)
        0 for background, else the component's number from 1.
    count : int
        Number of components.
    colours : int
        Number of colours, at most 8.
    check : callable
        Called every few milliseconds; what it raises ends the work.

    Returns
    -------
    ndarray of uint8, shape (count + 1,)
        Colour of each component, from 0; element 0 is not used.
    """
    hashed = spread(np.arange(count + 1), colours)
    if count > _MOST_COMPARED:
        return hashed
    lower, starts = _lower_neighbours(components, count, check)
    preferred = listed(hashed)
    first_free = _first_free(colours)
    chosen = [0] * (count + 1)
    for component in range(1, count + 1):
        if not component % _CHECKED:
            check()
        taken = 0
        for neighbour in lower[starts[component] : starts[component + 1]]:
            taken |= 1 << chosen[neighbour]
        chosen[component] = first_free[taken][preferred[component]]
    return np.array(chosen, np.uint8)


def spread(numbers: npt.NDArray[np.int64], colours: int) -> npt.NDArray[np.uint8]:
    """Return a colour for each number: always the same one, and evenly spread.

    Parameters
    ----------
    numbers : ndarray of int64
        Any numbers.
    colours : int
        Number of colours.

    Returns
    -------
    ndarray of uint8, of the same shape
        From 0 to ``colours - 1``.
    """
    # Multiplying by 2^64 / golden ratio sends consecutive numbers far apart; the top bits count.
    mixed = numbers.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    return ((mixed >> np.uint64(40)) % np.uint64(colours)).astype(np.uint8)


@cache
def _first_free(colours: int) -> tuple[tuple[int, ...], ...]:
    """Return, for each set of taken colours and each preferred one, the next that is free.

    A preferred colour stays where all are taken.
    """
    every = range(colours)
    return tuple(
        tuple(
            next((c for c in (*every[start:], *every[:start]) if not taken >> c & 1), start)
            for start in every
        )
        for taken in range(1 << colours)
    )


def _lower_neighbours(
    components: npt.NDArray[np.int32], count: int, check: Check
) -> tuple[list[int], list[int]]:
    """Return the neighbours of smaller number, component after component, and where each starts."""
    found = _pairs(components, count + 1, check)
    pairs = distinct(np.concatenate([np.empty(0, np.int64), *found]))
    check()
    upper, lower = np.divmod(pairs, count + 1)
    starts = np.searchsorted(upper, np.arange(count + 2))
    return listed(lower), listed(starts)


def _pairs(
    components: npt.NDArray[np.int32], base: int, check: Check
) -> list[npt.NDArray[np.int64]]:
    """Return the codes ``larger * base + smaller`` of components that lie near each other."""
    width = components.shape[1]
    found = []
    for rows in bands(components.shape, _BAND_CELLS):
        check()
        height = rows.stop - rows.start
        band = components[rows.start : rows.stop + REACH]
        codes = [
            _codes(
                band[: min(height, len(band) - dy), max(0, -dx) : width - max(0, dx)],
                band[dy : dy + height, max(0, dx) : width - max(0, -dx)],
                base,
            )
            for dy, dx in _OFFSETS
            if dy < len(band) and abs(dx) < width
        ]
        if codes:
            found.append(distinct(np.concatenate(codes)))
    return found


def _codes(
    here: npt.NDArray[np.int32], there: npt.NDArray[np.int32], base: int
) -> npt.NDArray[np.int64]:
    meets = (here != there) & (here != 0) & (there != 0)
    a, b = here[meets].astype(np.int64), there[meets].astype(np.int64)
    codes: npt.NDArray[np.int64] = np.maximum(a, b) * base + np.minimum(a, b)
    return codes
