"""Colours for components, such that neighbours differ."""

from __future__ import annotations

from functools import cache
from typing import Final

import numpy as np
import numpy.typing as npt

from ccl_viewer.cancellation import Check, unchecked
from ccl_viewer.pieces import bands, begins, distinct, occurrences, repeated

REACH: Final = 2
"""Components with cells this close, in rows or columns, are neighbours."""

_OFFSETS: Final = tuple(
    (dy, dx) for dy in range(REACH + 1) for dx in range(-REACH, REACH + 1) if dy > 0 or dx > 0
)
_BAND_CELLS: Final = 1 << 18
_MOST_COMPARED: Final = 500_000
_TILE: Final = 128
"""Side of the tiles in which components are coloured in raster order."""


def first_cells(
    components: npt.NDArray[np.int32], check: Check = unchecked
) -> npt.NDArray[np.int64]:
    """Return the first cell of each component, in raster order.

    Parameters
    ----------
    components : ndarray of int32, shape (height, width)
        0 for background, else the component's number from 1.
    check : callable
        Called every few milliseconds; what it raises ends the work.

    Returns
    -------
    ndarray of int64, shape (count,)
        As ``y * width + x``.
    """
    cells = components.reshape(-1)
    found, largest = [], np.int32(0)
    for begin in range(0, cells.size, _BAND_CELLS):
        check()
        # Numbers rise in raster order, so a component begins wherever the largest so far is passed.
        band = np.maximum(cells[begin : begin + _BAND_CELLS], largest)
        passed = np.maximum.accumulate(band)
        found.append(begin + np.flatnonzero(np.diff(passed, prepend=largest)))
        largest = passed[-1]
    return np.concatenate(found)


def colour_components(
    components: npt.NDArray[np.int32],
    first: npt.NDArray[np.int64],
    colours: int,
    check: Check = unchecked,
) -> npt.NDArray[np.uint8]:
    """Colour components so that neighbours differ where the number of colours allows it.

    Greedy: one after the other, each takes the first colour that no neighbour has so far, beginning
    at one that a hash of its first cell picks, so that all colours are used about equally, and an
    edit elsewhere changes none. Those come first that have as many neighbours as there are colours,
    or more: for all others a colour is free whatever their neighbours took. For the rest, every
    fourth tile of the grid has its turn before the next ones, so that many components that do not
    touch are coloured at once, and in large arrays: one by one, half a second of Python would keep
    the window from answering.

    Beyond half a million components, which only noise on huge grids has, the hash alone decides.

    Parameters
    ----------
    components : ndarray of int32, shape (height, width)
        0 for background, else the component's number from 1.
    first : ndarray of int64, shape (count,)
        Of :func:`first_cells`.
    colours : int
        Number of colours, at most 8.
    check : callable
        Called every few milliseconds; what it raises ends the work.

    Returns
    -------
    ndarray of uint8, shape (count + 1,)
        Colour of each component, from 0; element 0 is not used.
    """
    count = first.size
    hashed = np.append(np.uint8(0), spread(first, colours))
    if count > _MOST_COMPARED:
        return hashed
    earlier, later = _in_order(components, first, colours, check)
    starts = np.searchsorted(earlier, np.arange(count + 2))
    waits = occurrences(later, count + 1)
    choices = _first_free(colours)
    taken, chosen = np.zeros((2, count + 1), np.uint8)
    ready = 1 + np.flatnonzero(waits[1:] == 0)
    while ready.size:
        check()
        chosen[ready] = choices[taken[ready], hashed[ready]]
        who, pairs = _ranges(starts[ready], starts[ready + 1])
        order = np.argsort(later[pairs], kind="stable")
        told = later[pairs[order]]
        at = np.flatnonzero(begins(told))
        ready, bits = told[at], np.left_shift(np.uint8(1), chosen[ready][who[order]])
        if at.size:
            taken[ready] |= np.bitwise_or.reduceat(bits, at)
        waits[ready] -= np.diff(at, append=told.size)
        ready = ready[waits[ready] == 0]
    return chosen


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
def _first_free(colours: int) -> npt.NDArray[np.uint8]:
    """Return, for each set of taken colours and each preferred one, the next that is free.

    A preferred colour stays where all are taken.
    """
    every = range(colours)
    return np.array(
        [
            [
                next((c for c in (*every[start:], *every[:start]) if not taken >> c & 1), start)
                for start in every
            ]
            for taken in range(1 << colours)
        ],
        np.uint8,
    )


def _in_order(
    components: npt.NDArray[np.int32], first: npt.NDArray[np.int64], colours: int, check: Check
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return pairs of neighbours, the one that is coloured earlier first; they rise by that."""
    base = first.size + 1
    found = _pairs(components, base, check)
    upper, lower = np.divmod(distinct(np.concatenate([np.empty(0, np.int64), *found])), base)
    check()
    y, x = np.divmod(first, components.shape[1])
    turn = np.zeros(base, np.int64)
    turn[1:] = y // _TILE % 2 * 2 + x // _TILE % 2
    turn[occurrences(upper, base) + occurrences(lower, base) >= colours] = -1
    rank = turn * base + np.arange(base)
    check()
    swapped = rank[lower] > rank[upper]
    earlier, later = np.where(swapped, upper, lower), np.where(swapped, lower, upper)
    order = np.argsort(earlier, kind="stable")
    return earlier[order], later[order]


def _ranges(
    begin: npt.NDArray[np.int64], end: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return all numbers of some ranges, one range after the other, and the range of each."""
    sizes = end - begin
    which = repeated(np.arange(begin.size), sizes)
    past = np.cumsum(sizes)
    return which, np.arange(which.size) + (end - past)[which]


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
