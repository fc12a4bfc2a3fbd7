"""Choose the colours of areas of a grid: components, trees, or cells with the same label."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ccl_viewer.render.forest import Cells, Mask
from ccl_viewer.render.themes import DOTS, FIRST_COLOUR, HUES, LABEL_COLOURS
from ccl_viewer.support.arrays import find_distinct, split_into_bands
from ccl_viewer.support.cancellation import Check, never_cancel

Colours = npt.NDArray[np.uint8]

_COLOURS: Final = len(LABEL_COLOURS)
_PLAIN: Final = len(HUES)
_HUE_OF: Final = np.append(np.arange(_PLAIN), np.array(DOTS) - FIRST_COLOUR)
_OPEN: Final = _COLOURS  # an area without a colour so far
_FEW: Final = 1 << 8  # areas; if there are more, only neighbours are compared
_GOLDEN: Final = 0.6180339887
BAND_CELLS: Final = 1 << 18

# What decides about a colour, the most important first: that no neighbour has it, that it is kept
# after an edit, that few areas in sight have it, that its hue is far away, and that it is plain.
_NEIGHBOUR, _KEPT, _USE, _DOTTED, _TURN = 1e6, 1e5, 1e3, 1e-3, 1e-5
_TURNS: Final = np.subtract.outer(np.arange(_COLOURS), np.arange(_COLOURS)).T % _PLAIN
_COSTS_OF_HUES: Final = _TURNS * _TURN + (np.arange(_COLOURS) >= _PLAIN) * _DOTTED
"""By preferred colour, the cost of each: the preferred hue first, then others, then dotted ones."""


@dataclass(frozen=True, eq=False)
class Areas:
    """Areas in one or more views of a grid, and what is known of their colours.

    Areas have numbers from 1; all arrays but the views have shape (areas + 1,).
    """

    views: Sequence[
        npt.NDArray[Any]
    ]  # number of each cell's area, 0 on background; (height, width)
    places: Cells  # a cell of each area
    wishes: Colours  # preferred colour, from 0
    fixed: Mask  # areas that have their preferred colour already, and element 0
    kept: Cells  # cells in favour of the preferred colour; areas with the most come first


def choose_colours(areas: Areas, reach: int, check: Check = never_cancel) -> Colours:
    """Choose colours in which areas differ: all while colours last, then those that are near.

    An area gets a colour that no neighbour has, then the one with the fewest areas in the same
    views, above all in views with few areas. Of these, it gets the hue that is farthest away. In
    views with many areas, only neighbours are compared.

    Parameters
    ----------
    areas : Areas
        The areas, and colours that they have or should have.
    reach : int
        Largest distance of neighbours, in rows and columns; 1 in views with many areas of several.
    check : callable
        Called often; it may raise to stop the work.

    Returns
    -------
    ndarray of uint8, shape (areas + 1,)
        The colours, from 0. Element 0 has no meaning.

    Source: M. T. Jones, P. E. Plassmann: A parallel graph coloring heuristic. SIAM J. Sci. Comput.
    14 (1993)
    """
    wishes, fixed, count = areas.wishes, areas.fixed, areas.wishes.size
    together, (one, other) = _compare(areas, reach, check)
    sizes = np.maximum(together.sum(axis=1), 1)[:, None]
    shares = together * _USE / sizes**2
    smallest = np.where(together, sizes, count).min(axis=0)
    degrees = np.bincount(one, minlength=count) + np.bincount(other, minlength=count)
    shuffled = np.arange(count) * _GOLDEN % 1  # so that many are coloured together
    rank, still = np.zeros(count, np.int64), np.flatnonzero(~fixed)
    keys = (shuffled, -degrees, smallest, -areas.kept)
    rank[still[np.lexsort([key[still] for key in keys])]] = np.arange(1, still.size + 1)
    matter = np.flatnonzero(~(fixed[one] & fixed[other]))
    one, other = one[matter], other[matter]
    swapped = rank[one] > rank[other]
    earlier, later = np.where(swapped, other, one), np.where(swapped, one, other)
    colours = np.where(fixed, wishes, _OPEN).astype(np.uint8)
    colours[0] = _OPEN
    compared: Mask = np.logical_or.reduce(together)
    few = np.flatnonzero(compared)
    used = together[:, few].astype(np.int64) @ (colours[few, None] == np.arange(_COLOURS))
    open_areas = ~fixed
    taken = np.zeros((count, _COLOURS), np.bool_)
    y, x = np.divmod(areas.places, areas.views[0].shape[1])
    while open_areas.any():
        check()
        done = colours[earlier] != _OPEN
        taken.reshape(-1)[later[done] * _COLOURS + colours[earlier[done]]] = True
        earlier, later = earlier[~done], later[~done]
        free = open_areas.copy()
        free[later] = False
        front = np.flatnonzero(free)
        if compared[front].any():
            front = front[[rank[front].argmin()]]
        costs = taken[front] * _NEIGHBOUR + _COSTS_OF_HUES[wishes[front]]
        costs[np.arange(front.size), wishes[front]] -= _KEPT * (areas.kept[front] > 0)
        if compared[front].any():
            known = np.flatnonzero(compared & (colours != _OPEN))
            closeness = 1 / (1 + np.hypot(x[known] - x[front], y[known] - y[front]))
            costs += shares[:, front].T @ used
            costs += np.bincount(_HUE_OF[colours[known]], closeness, _PLAIN)[_HUE_OF]
        colours[front] = costs.argmin(axis=1)
        used[together[:, front[0]], colours[front[0]]] += 1
        open_areas[front] = False
    return colours


def _compare(areas: Areas, reach: int, check: Check) -> tuple[Mask, tuple[Cells, Cells]]:
    """Return which areas are in each view with few, and pairs of neighbours in any view.

    The first result has the shape (views + 1, areas + 1); its first row and column are empty.
    """
    count = areas.wishes.size
    members, codes = {b"": np.zeros(count, np.bool_)}, [np.empty(0, np.int64)]
    for view in areas.views:
        present = np.zeros(count, np.bool_)
        present[view] = True
        present[0] = False
        few = int(present.sum()) <= _FEW
        if few:
            members[present.tobytes()] = present
        near = reach if few or len(areas.views) == 1 else 1
        codes.append(find_neighbours(view, ~areas.fixed, near, check))
    return np.stack([*members.values()]), np.divmod(find_distinct(np.concatenate(codes)), count)


def find_neighbours(
    areas: npt.NDArray[Any], open_areas: Mask, reach: int, check: Check = never_cancel
) -> Cells:
    """Return areas with cells within `reach` rows and columns, as ``smaller * count + larger``.

    Pairs without an open area may be missing; `open_areas` has the shape (count,).
    """
    codes, width = [np.empty(0, np.int64)], areas.shape[1] + reach
    for rows in split_into_bands(areas.shape, BAND_CELLS):
        check()
        band = areas[rows.start : rows.stop + reach]
        if not open_areas[band].any():
            continue
        # With background between the rows, a cell's neighbours are at constant distances.
        cells = np.pad(band, ((0, 0), (0, reach))).ravel()
        found = []
        for dy in range(min(reach, len(band) - 1) + 1):
            for dx in range(-reach if dy else 1, reach + 1):
                one, other = cells[: -(dy * width + dx)], cells[dy * width + dx :]
                smaller = np.minimum(one, other)
                pairs = np.flatnonzero((one != other) & (smaller != 0))
                larger = np.maximum(one[pairs], other[pairs])
                found.append(smaller[pairs].astype(np.int64) * open_areas.size + larger)
        codes.append(find_distinct(np.concatenate(found)))
    return np.concatenate(codes)
