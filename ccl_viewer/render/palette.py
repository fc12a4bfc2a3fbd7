"""Palette indices for the labels of a run: colours that differ where components or trees meet."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from ccl_viewer.cancellation import Check, unchecked
from ccl_viewer.pieces import bands, begins, distinct, occurrences, repeated
from ccl_viewer.plan import LabelLayout
from ccl_viewer.recording import Recording
from ccl_viewer.reference import roots_of
from ccl_viewer.render.themes import FIRST_COLOUR, LABEL_COLOURS, SPARE_COLOURS, UNLABELLED

Cells: TypeAlias = npt.NDArray[np.int64]

REACH: Final = 2
"""Components with cells this close, in rows or columns, are neighbours."""

USUAL: Final = len(LABEL_COLOURS)
"""Colours that are used where neighbours leave one free."""

ALL: Final = USUAL + len(SPARE_COLOURS)
"""Colours with those for the rest."""

MOST_CELLS: Final = 1 << 12
"""Cells of the largest grids whose labels are compared: on larger ones trees are too many."""

MOST_LOOKED_AT: Final = 1 << 18
"""Cells times steps that are looked at, which takes some ten milliseconds; of more, a sample."""

_BAND_CELLS: Final = 1 << 16
_PAIR_CELLS: Final = 1 << 18
_MOST_COMPARED: Final = 4_000_000
_MOST_VOTES: Final = 100_000
_TILE: Final = 128  # side of the tiles in which components are coloured in raster order
_OFFSETS: Final = tuple(
    (dy, dx) for dy in range(REACH + 1) for dx in range(-REACH, REACH + 1) if dy > 0 or dx > 0
)
_BESIDE: Final = ((0, 1), (0, 2), (1, -1), (1, 0), (1, 1), (2, 0))
_TAKEN_OVER: Final = 4
"""As how many neighbours that look the same a cell counts that is taken over without a change."""


@dataclass(frozen=True, eq=False)
class Colouring:
    """Which colour each label has, throughout one recording.

    The roots with which the components end have colours that differ between neighbours; every
    other label has one that a hash picks, or in small runs one that differs from those of labels
    that it meets. So colours settle as the run proceeds, and it is seen how trees are taken over.

    Parameters
    ----------
    layout : LabelLayout
        What the labels mean.
    components : ndarray of int32, shape (height, width)
        The reference: 0 on background, else the component's number from 1.
    component_colours : ndarray of uint8, shape (components + 1,)
        Palette index of each component; element 0 is not used.
    colours : ndarray of uint8, shape (rows * pitch + 1,)
        Palette index of each address, less the layout's origin; the last element is for labels
        that are no address.
    """

    layout: LabelLayout
    components: npt.NDArray[np.int32]
    component_colours: npt.NDArray[np.uint8]
    colours: npt.NDArray[np.uint8]

    def settled(self, labels: npt.NDArray[np.int32], check: Check = unchecked) -> Colouring:
        """Return the same colours, with those of the components for the roots of final labels.

        Where a wrong run left a component in pieces, only its first root gets the component's
        colour, so that the pieces can be told apart.
        """
        roots = _final_roots(self, labels, check)
        if roots.size >= self.component_colours.size:
            _, first = np.unique(self.components.reshape(-1)[roots], return_index=True)
            roots = roots[first]
        colours = self.colours.copy()
        _settle(colours, self, roots)
        return replace(self, colours=colours)


def colouring_of(
    recording: Recording,
    known: Colouring | None = None,
    check: Check = unchecked,
    *,
    before: Colouring | None = None,
) -> Colouring:
    """Choose the colours of a recording.

    Until it is complete, the first cell of each component in raster order is taken for its final
    root, as it is in nearly all algorithms; :meth:`Colouring.settled` corrects that afterwards.

    Raises
    ------
    InputError
        If the recording has no step yet.
    """
    colouring = known or colour_grid(
        recording.components(check)[0], recording.layout, check, before=before
    )
    if not (recording.complete and len(recording)):
        return colouring
    colouring = colouring.settled(recording.labels(-1), check)
    return _telling(colouring, recording) if is_small(recording) else colouring


def colour_grid(
    components: npt.NDArray[np.int32],
    layout: LabelLayout,
    check: Check = unchecked,
    *,
    before: Colouring | None = None,
) -> Colouring:
    """Choose colours for the labels of a grid."""
    check()
    first = first_cells(components, check)
    wishes, kept = _wishes(components, first, before)
    chosen = colour_components(components, first, check, wishes=wishes, kept=kept)
    settled = chosen + np.uint8(FIRST_COLOUR)
    same = before is not None and before.layout == layout
    colours = before.colours.copy() if before is not None and same else _hashed(layout, check)
    colouring = Colouring(layout, components, settled, colours)
    _settle(colouring.colours, colouring, first)
    background = layout.background - layout.origin
    if 0 <= background < colouring.colours.size:
        colouring.colours[background] = UNLABELLED
    return colouring


def label_indices(
    labels: npt.NDArray[np.int32],
    colouring: Colouring,
    components: npt.NDArray[np.int32] | None = None,
) -> npt.NDArray[np.uint8]:
    """Return the palette index of each cell.

    A cell has the colour of the cell that its label names.

    Returns
    -------
    ndarray of uint8, shape (height, width)
        0 for background, 1 for foreground without a label (or with one that names no cell), 2 and
        more for labels; :meth:`Theme.table` gives their colours.
    """
    components = colouring.components if components is None else components
    indices = np.empty(labels.shape, np.uint8)
    origin = colouring.layout.origin
    stray = np.uint64(colouring.colours.size - 1)
    for band in bands(labels.shape, _BAND_CELLS):
        address = labels[band].astype(np.int64)
        address -= origin
        # Seen as unsigned, addresses before the first are beyond the last.
        unsigned = address.view(np.uint64)
        np.minimum(unsigned, stray, out=unsigned)
        # All addresses are in bounds now; without "clip" NumPy would make sure again.
        colouring.colours.take(address, mode="clip", out=indices[band])
        indices[band] *= components[band] != 0
    return indices


def _telling(colouring: Colouring, recording: Recording) -> Colouring:
    """Return colours with which trees differ that meet or take each other over in a run."""
    layout = colouring.layout
    colours = colouring.colours.copy()
    # A view of what the table says of the cells, with the padding left out.
    inner = colours[:-1].reshape(-1, layout.pitch)[
        layout.margin : layout.margin + layout.height, layout.margin : layout.margin + layout.width
    ]
    wishes = np.where(inner < FIRST_COLOUR, 0, inner - np.uint8(FIRST_COLOUR)).astype(np.int64)
    own = np.arange(inner.size)
    final = np.flatnonzero(recording.parents(-1).reshape(-1) == own)
    chosen = colour_takeovers(recording, wishes.reshape(-1), final)
    inner[:] = np.where(inner < FIRST_COLOUR, inner, chosen.reshape(inner.shape) + FIRST_COLOUR)
    return replace(colouring, colours=colours)


def _final_roots(
    colouring: Colouring, labels: npt.NDArray[np.int32], check: Check
) -> npt.NDArray[np.int64]:
    """Return the cells of the foreground that are roots."""
    width = labels.shape[1]
    found = []
    for band in bands(labels.shape, _BAND_CELLS):
        check()
        parents = colouring.layout.parents(labels[band]).reshape(-1)
        begin = band.start * width
        own = parents == np.arange(begin, begin + parents.size)
        foreground = colouring.components[band].reshape(-1) != 0
        found.append(begin + np.flatnonzero(own & foreground))
    return np.concatenate(found)


def _hashed(layout: LabelLayout, check: Check) -> npt.NDArray[np.uint8]:
    """Return colours by hash for every address, such that one grid cell keeps its colour."""
    rows = layout.margin + layout.height
    addresses = rows * layout.pitch
    colours = np.full(addresses + 1, UNLABELLED, np.uint8)
    grid = colours[:addresses].reshape(rows, layout.pitch)
    inner = layout.inner(grid)
    for band in bands(inner.shape, _BAND_CELLS):
        check()
        cells = np.arange(band.start * layout.width, band.stop * layout.width, dtype=np.int64)
        hashed = spread(cells, len(LABEL_COLOURS)) + np.uint8(FIRST_COLOUR)
        inner[band] = hashed.reshape(-1, layout.width)
    return colours


def _settle(
    colours: npt.NDArray[np.uint8], colouring: Colouring, roots: npt.NDArray[np.int64]
) -> None:
    layout = colouring.layout
    numbers = colouring.components.reshape(-1)[roots]
    colours[layout.addresses(roots) - layout.origin] = colouring.component_colours[numbers]


# Components


def first_cells(
    components: npt.NDArray[np.int32], check: Check = unchecked
) -> npt.NDArray[np.int64]:
    """Return the first cell of each component, in raster order.

    Returns
    -------
    ndarray of int64, shape (count,)
        As ``y * width + x``.
    """
    cells = components.reshape(-1)
    found, largest = [], np.int32(0)
    for begin in range(0, cells.size, _PAIR_CELLS):
        check()
        # Numbers rise in raster order, so a component begins wherever the largest so far is passed.
        band = np.maximum(cells[begin : begin + _PAIR_CELLS], largest)
        passed = np.maximum.accumulate(band)
        found.append(begin + np.flatnonzero(np.diff(passed, prepend=largest)))
        largest = passed[-1]
    return np.concatenate(found)


def colour_components(
    components: npt.NDArray[np.int32],
    first: Cells,
    check: Check = unchecked,
    *,
    wishes: npt.NDArray[np.uint8] | None = None,
    kept: npt.NDArray[np.bool_] | None = None,
) -> npt.NDArray[np.uint8]:
    """Colour components so that neighbours differ.

    Greedy: one after the other, each takes the first colour that no neighbour has so far, beginning
    at the one that it wishes; spare colours come last. First come those that keep their colours,
    then those with as many neighbours as there are usual colours, or more: for all others one of
    these is free whatever their neighbours took. For the rest, every fourth tile of the grid has
    its turn before the next ones, so that many components that do not touch are coloured at once,
    in large arrays.

    Beyond four million components, which only noise on huge grids has, the wishes alone decide.

    Parameters
    ----------
    first : ndarray of int64, shape (count,)
        Of :func:`first_cells`.
    wishes : ndarray of uint8, shape (count + 1,), or None
        Colours that components would like to have; None for those of a hash.
    kept : ndarray of bool, shape (count + 1,), or None
        Components that keep what they wish.

    Returns
    -------
    ndarray of uint8, shape (count + 1,)
        Colour of each component, from 0; element 0 is not used.
    """
    count = first.size
    if wishes is None:
        wishes, _ = _wishes(components, first, None)
    if kept is None:
        kept = np.zeros(count + 1, np.bool_)
    if count > _MOST_COMPARED:
        return wishes
    earlier, later = _in_order(components, first, kept, check)
    starts = np.searchsorted(earlier, np.arange(count + 2))
    waits = occurrences(later, count + 1)
    choices = _first_free()
    taken, chosen = np.zeros(count + 1, np.uint16), np.zeros(count + 1, np.uint8)
    ready = 1 + np.flatnonzero(waits[1:] == 0)
    while ready.size:
        check()
        free = choices[taken[ready], wishes[ready]]
        chosen[ready] = np.where(kept[ready], wishes[ready], free)
        who, pairs = _ranges(starts[ready], starts[ready + 1])
        order = np.argsort(later[pairs], kind="stable")
        told = later[pairs[order]]
        at = np.flatnonzero(begins(told))
        ready, bits = told[at], np.left_shift(np.uint16(1), chosen[ready][who[order]])
        if at.size:
            taken[ready] |= np.bitwise_or.reduceat(bits, at)
        waits[ready] -= np.diff(at, append=told.size)
        ready = ready[waits[ready] == 0]
    return chosen


def _wishes(
    components: npt.NDArray[np.int32], first: Cells, before: Colouring | None
) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.bool_]]:
    """Return the colours that components would like, and which of them are as they were before.

    A component that changed would like the colour that most of its cells had.
    """
    wishes = np.append(np.uint8(0), spread(first, USUAL))
    kept = np.zeros(first.size + 1, np.bool_)
    if before is None or before.components.shape != components.shape or not first.size:
        return wishes, kept
    now, old = components.reshape(-1), before.components.reshape(-1)
    same = np.append(np.int32(0), old[first])
    sizes, old_sizes = np.bincount(now, minlength=first.size + 1), np.bincount(old)
    kept = (same != 0) & (sizes == old_sizes[same])
    kept[now[old != same[now]]] = False
    kept[0] = False
    colours = before.component_colours - np.uint8(FIRST_COLOUR)
    wishes[kept] = colours[same[kept]]
    changed = np.flatnonzero(~kept[now] & (now != 0) & (old != 0))
    numbers, which = np.unique(now[changed], return_inverse=True)
    if numbers.size <= _MOST_VOTES:
        votes = np.bincount(which * ALL + colours[old[changed]], minlength=numbers.size * ALL)
        wishes[numbers] = votes.reshape(-1, ALL).argmax(axis=1)
    return wishes, kept


def spread(numbers: npt.NDArray[np.int64], colours: int) -> npt.NDArray[np.uint8]:
    """Return a colour for each number: always the same one, and evenly spread.

    Returns
    -------
    ndarray of uint8, of the same shape
        From 0 to ``colours - 1``.
    """
    # Multiplying by 2^64 / golden ratio sends consecutive numbers far apart; the top bits count.
    mixed = numbers.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    return ((mixed >> np.uint64(40)) % np.uint64(colours)).astype(np.uint8)


@cache
def _first_free() -> npt.NDArray[np.uint8]:
    """Return, for each set of taken colours and each wish, the first that is free.

    A wish stays where all are taken.

    Returns
    -------
    ndarray of uint8, shape (2 ** ALL, ALL)
    """
    taken = np.arange(1 << ALL)
    found = np.empty((taken.size, ALL), np.uint8)
    for wish in range(ALL):
        usual = [(wish + turn) % USUAL for turn in range(USUAL)]
        spare = [USUAL + (wish + turn) % USUAL for turn in range(ALL - USUAL)]
        order = dict.fromkeys((wish, *usual, *spare))
        found[:, wish] = wish
        for colour in reversed(order):
            found[(taken >> colour & 1) == 0, wish] = colour
    return found


def _in_order(
    components: npt.NDArray[np.int32], first: Cells, kept: npt.NDArray[np.bool_], check: Check
) -> tuple[Cells, Cells]:
    """Return pairs of neighbours, the one that is coloured earlier first; they rise by that."""
    base = first.size + 1
    found = _pairs(components, base, check)
    upper, lower = np.divmod(distinct(np.concatenate([np.empty(0, np.int64), *found])), base)
    check()
    open_ = ~(kept[upper] & kept[lower])
    upper, lower = upper[open_], lower[open_]
    y, x = np.divmod(first, components.shape[1])
    turn = np.zeros(base, np.int64)
    turn[1:] = y // _TILE % 2 * 2 + x // _TILE % 2
    turn[occurrences(upper, base) + occurrences(lower, base) >= USUAL] = -1
    turn[kept] = -2
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
    for rows in bands(components.shape, _PAIR_CELLS):
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


# Trees of small runs, which meet or take each other over


def is_small(recording: Recording) -> bool:
    """Return whether a run's grid is small enough for its labels to be compared."""
    return recording.image.size <= MOST_CELLS


def colour_takeovers(recording: Recording, wishes: Cells, fixed: Cells) -> Cells:
    """Choose a colour for each cell's label, so that what meets differs as far as can be.

    Two labels meet where cells near each other have them, and where a cell has one after the
    other; so do two roots. Each meets the root that its cells end with, whose colour is thus not
    seen before it is final. Greedy, in raster order, which lets most colours stay as they are when
    a cell is drawn: each label takes the colour that costs least beside those before it, and of
    several the first from the one it would have had.

    Parameters
    ----------
    wishes : ndarray of int64, shape (cells,)
        Colour that each cell's label would have otherwise.

    Returns
    -------
    ndarray of int64, shape (cells,)
    """
    costs = _costs(recording)
    chosen: list[int] = wishes.tolist()
    settled = set(fixed.tolist())
    for label in sorted(costs.keys() - settled):
        bad = [0] * ALL
        for other, cost in costs[label]:
            if other in settled:
                bad[chosen[other]] += cost
        wish = chosen[label]
        turns = [wish, *((wish + turn) % USUAL for turn in range(1, USUAL + 1))]
        chosen[label] = min(turns, key=bad.__getitem__)
        settled.add(label)
    return np.array(chosen, np.int64)


def _costs(recording: Recording) -> dict[int, list[tuple[int, int]]]:
    """Return for each label those that it meets, and what it costs if both have one colour."""
    costs: dict[int, list[tuple[int, int]]] = defaultdict(list)
    codes, counts = np.unique(np.concatenate([*_meetings(recording)]), return_counts=True)
    one, other = np.divmod(codes, recording.image.size)
    for a, b, count in zip(one.tolist(), other.tolist(), counts.tolist(), strict=True):
        costs[a].append((b, count))
        costs[b].append((a, count))
    return costs


def _meetings(recording: Recording) -> Iterator[Cells]:
    """Return codes of the labels, and of the roots, that meet after the steps, as often as that."""
    before: tuple[Cells, ...] = ()
    final = roots_of(recording.parents(-1))
    moving = [step.index for step in recording.steps if step.changed] or [0]
    stride = -(-len(moving) * recording.image.size // MOST_LOOKED_AT)
    for index in moving[::stride]:
        parents = recording.parents(index)
        parents = np.where(parents < parents.size, parents, -1)
        after = parents, roots_of(parents)
        for labels in after:
            for dy, dx in _BESIDE:
                yield _meeting_codes(*_beside(labels, dy, dx), parents.size)
            yield _meeting_codes(labels, final, parents.size)
        for old, new in zip(before, after, strict=False):
            yield np.repeat(_meeting_codes(old, new, parents.size), _TAKEN_OVER)
        before = after


def _beside(labels: Cells, dy: int, dx: int) -> tuple[Cells, Cells]:
    height, width = labels.shape
    here = labels[: height - dy, max(0, -dx) : width - max(0, dx)]
    return here, labels[dy:, max(0, dx) : width - max(0, -dx)]


def _meeting_codes(here: Cells, there: Cells, cells: int) -> Cells:
    """Return a number for each two labels that differ, whichever comes first."""
    meets = (here != there) & (here >= 0) & (there >= 0)
    one, other = here[meets], there[meets]
    codes: Cells = np.minimum(one, other) * cells + np.maximum(one, other)
    return codes
