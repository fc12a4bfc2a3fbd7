"""Find components of a grid, and trees of a run, that are near each other."""

from __future__ import annotations

from typing import Any, Final, TypeVar

import numpy as np
import numpy.typing as npt

from ccl_viewer.recording import Recording
from ccl_viewer.reference import Labels, find_roots
from ccl_viewer.render.forest import Cells
from ccl_viewer.render.graph_colouring import DOTTED_COST, Conflicts
from ccl_viewer.render.themes import LABEL_COLOURS
from ccl_viewer.support.arrays import find_distinct, mark_first_occurrences, split_into_bands
from ccl_viewer.support.cancellation import Check, never_cancel

_T = TypeVar("_T", bound=np.generic)

REACH: Final = 2
"""Largest distance of neighbouring components, in rows or columns."""

MEETS: Final = float(1 << 20)
"""Cost of the same colour for two neighbours: more than all other costs."""

_IN_SIGHT_COST: Final = 64.0  # for two in sight of each other, divided by the cells between them
_ANY_PAIR_COST: Final = 0.5  # for any two, if there are enough colours
_MAX_IN_SIGHT: Final = 1 << 12  # components; if there are more, only neighbours are compared
_MAX_ANYWHERE: Final = 1 << 8  # components; if there are more, only those in sight are
_SIGHT_LINES: Final = 1 << 8  # most rows and columns that are searched
_LONGEST: Final = 1 << 12
PAIR_CELLS: Final = 1 << 18
_MAX_LOOKED_AT: Final = 1 << 17  # cells times steps; of longer runs, only some steps
_MEETING_COST: Final = 1 / 32  # for each cell and step with a neighbour in another tree
_TOUCH: Final = 4 * _MEETING_COST
_TAKEN_OVER_COST: Final = 4 * _MEETING_COST  # for each cell that changes from one tree to another
_OFFSETS: Final = tuple(
    (dy, dx) for dy in range(REACH + 1) for dx in range(-REACH, REACH + 1) if dy > 0 or dx > 0
)


def component_conflicts(components: Labels, count: int, check: Check = never_cancel) -> Conflicts:
    """Return which components should differ in colour: neighbours, then those in sight.

    If there are few, all should differ. `count` is the largest number of a component; 0 is
    background.
    """
    base = count + 1
    near = [np.empty(0, np.int64)]
    for rows in split_into_bands(components.shape, PAIR_CELLS):
        check()
        near.append(_find_near(components, rows, base))
    codes = [find_distinct(np.concatenate(near))]
    costs = [np.full(codes[0].size, MEETS)]
    if count <= _MAX_IN_SIGHT:
        pairs, gaps = _find_in_sight(components, base, check)
        codes.append(pairs)
        costs.append(_IN_SIGHT_COST / gaps)
    if count <= _MAX_ANYWHERE:
        one, other = np.triu_indices(count, 1)
        codes.append((one + 1) * base + other + 1)
        # If there are more, the sum of these costs is less than the cost of a dotted colour.
        each = _ANY_PAIR_COST if count <= len(LABEL_COLOURS) else DOTTED_COST / 2 / count
        costs.append(np.full(one.size, each))
    return Conflicts(*np.divmod(np.concatenate(codes), base), np.concatenate(costs))


def tree_conflicts(recording: Recording, check: Check = never_cancel) -> Conflicts:
    """Return which roots should differ in colour; nodes are cells.

    These are trees that meet in any step, take each other over, or are in sight of each other. If a
    step has few trees, all should differ.
    """
    cells = recording.image.size
    final = find_roots(recording.parents(-1)).reshape(-1)
    one, other, gaps = _sight_pairs(recording.image)
    nearness = _MEETING_COST / gaps
    before, conflicts = final, []
    moving = [step.index for step in recording.steps if step.changed] or [0]
    for index in moving[:: -(-len(moving) * cells // _MAX_LOOKED_AT)]:
        check()
        grid = find_roots(recording.parents(index))
        roots = grid.reshape(-1)
        conflicts.append(_code_pairs((roots, final), cells, _MEETING_COST))
        conflicts.append(_code_pairs((before, roots), cells, _TAKEN_OVER_COST))
        for dy, dx in _OFFSETS:
            touches = max(dy, abs(dx)) == 1
            conflicts.append(
                _code_pairs(
                    _pair_shifted(grid, dy, dx), cells, _TOUCH if touches else _MEETING_COST
                )
            )
        conflicts.append(_code_pairs((roots[one], roots[other]), cells, nearness))
        present = find_distinct(roots[roots >= 0])
        if present.size <= len(LABEL_COLOURS):
            pair = present[np.stack(np.triu_indices(present.size, 1))]
            conflicts.append(_code_pairs((pair[0], pair[1]), cells, _ANY_PAIR_COST))
        before = roots
    codes, places = np.unique(
        np.concatenate([codes for codes, _ in conflicts]), return_inverse=True
    )
    weights = np.concatenate([costs for _, costs in conflicts])
    costs = np.bincount(places, weights, codes.size).astype(np.float64)
    return Conflicts(*np.divmod(codes, cells), costs)


def _code_pairs(
    pair: tuple[npt.NDArray[Any], npt.NDArray[Any]],
    base: int,
    cost: float | npt.NDArray[np.float64],
) -> tuple[Cells, npt.NDArray[np.float64]]:
    """Return codes of pairs of different roots, and their costs."""
    one, other = pair
    differ = (one != other) & (one >= 0) & (other >= 0)
    costs = np.broadcast_to(cost, differ.shape)[differ]
    return _codes(one[differ], other[differ], base), costs


def _pair_shifted(
    values: npt.NDArray[_T], dy: int, dx: int
) -> tuple[npt.NDArray[_T], npt.NDArray[_T]]:
    """Return the cells that have a cell `dy` rows below and `dx` columns right, and those cells."""
    width = max(values.shape[1] - abs(dx), 0)
    first = values[: max(len(values) - dy, 0), max(0, -dx) :][:, :width]
    return first, values[dy:, max(0, dx) :][:, :width]


def _codes(one: npt.NDArray[Any], other: npt.NDArray[Any], base: int) -> Cells:
    """Return codes ``smaller * base + larger`` of pairs."""
    a, b = one.astype(np.int64), other.astype(np.int64)
    codes: Cells = np.minimum(a, b) * base + np.maximum(a, b)
    return codes


def _find_near(components: Labels, rows: slice, base: int) -> Cells:
    """Return the codes of components near each other in some rows and the rows just below."""
    band = components[rows.start : rows.stop + REACH]
    foreground = band != 0
    codes = []
    for dy, dx in _OFFSETS:
        one, other = _pair_shifted(band, dy, dx)
        differ = one != other
        for mask in _pair_shifted(foreground, dy, dx):
            differ &= mask
        codes.append(_codes(one[differ], other[differ], base))
    return find_distinct(np.concatenate(codes))


def _find_in_sight(components: Labels, base: int, check: Check) -> tuple[Cells, Cells]:
    """Return the codes of components in sight of each other, and their distances in cells."""
    numbers = components.reshape(-1)
    one, other, gaps = _sight_pairs(components)
    check()
    differ = numbers[one] != numbers[other]
    codes = _codes(numbers[one[differ]], numbers[other[differ]], base) * _LONGEST
    codes = find_distinct(codes + np.minimum(gaps[differ], _LONGEST - 1))
    pairs, least = np.divmod(codes, _LONGEST)
    first = mark_first_occurrences(pairs)
    return pairs[first], least[first]


def _sight_pairs(values: npt.NDArray[Any]) -> tuple[Cells, Cells, Cells]:
    """Return pairs of foreground cells with only background between them, and their distances.

    They are in one row or column, more than :data:`REACH` apart. On large grids, not all rows and
    columns are searched.
    """
    width = values.shape[1]
    pairs = []
    for grid, along, across in ((values, 1, width), (values.T, width, 1)):
        lines = np.arange(0, len(grid), -(-len(grid) // _SIGHT_LINES))
        line, position = np.divmod(np.flatnonzero(grid[lines]), grid.shape[1])
        gaps = np.diff(position)
        starts = np.flatnonzero((line[1:] == line[:-1]) & (gaps > REACH))
        cells = lines[line] * across + position * along
        pairs.append((cells[starts], cells[starts + 1], gaps[starts]))
    one, other, gaps = (np.concatenate(parts) for parts in zip(*pairs, strict=True))
    return one, other, gaps
