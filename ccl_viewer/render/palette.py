"""Palette indices for the labels of a run: colours that differ where components meet."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Final, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from ccl_viewer.arrays import bands, distinct
from ccl_viewer.cancellation import Check, unchecked
from ccl_viewer.plan import LabelLayout
from ccl_viewer.recording import Recording
from ccl_viewer.reference import Labels, roots_of
from ccl_viewer.render.forest import Cells
from ccl_viewer.render.themes import FIRST_COLOUR, LABEL_COLOURS, UNLABELLED

Colours: TypeAlias = npt.NDArray[np.uint8]
_T = TypeVar("_T", bound=np.generic)

REACH: Final = 2
"""Components with cells this close, in rows or columns, are neighbours."""

SMALL_GRID: Final = 1 << 12
"""Up to so many cells, trees have colours that differ where they meet."""

_COLOURS: Final = len(LABEL_COLOURS)
_BAND_CELLS: Final = 1 << 16
_PAIR_CELLS: Final = 1 << 18
_MAX_COMPARED: Final = 4_000_000
_MAX_ROUNDS: Final = 200
_MAX_LOOKED_AT: Final = 1 << 17  # cells times steps: of longer runs, some steps
_TAKEN_OVER: Final = 4  # as how many meetings it counts that a cell goes from one tree to another
_OFFSETS: Final = tuple(
    (dy, dx) for dy in range(REACH + 1) for dx in range(-REACH, REACH + 1) if dy > 0 or dx > 0
)


@dataclass(frozen=True, eq=False)
class Colouring:
    """Which colour each label has, throughout one recording.

    The roots with which the components end have colours that differ between neighbours; every
    other label has one that follows from its cell. So colours settle as the run proceeds.

    Both arrays of colours are of palette indices.
    """

    layout: LabelLayout
    components: Labels  # the reference: 0 on background, else a number from 1
    component_colours: Colours  # shape (components + 1,); element 0 is not used
    colours: Colours  # of addresses, less the layout's origin; the last is for what is no address

    def for_final_labels(self, labels: Labels) -> Colouring:
        """Return the same colours, with those of the components for the roots of final labels.

        Where a wrong run left a component in pieces, only its first root gets the component's
        colour, so that the pieces can be told apart.
        """
        numbers = self.components.reshape(-1)
        foreground = np.flatnonzero(numbers)
        roots = foreground[self.layout.parents(labels.reshape(-1)[foreground]) == foreground]
        _, first = np.unique(numbers[roots], return_index=True)
        return self.with_roots(roots[first])

    def with_roots(self, roots: Cells) -> Colouring:
        """Return the same colours, with those of the components for some roots."""
        colours = self.colours.copy()
        numbers = self.components.reshape(-1)[roots]
        colours[self.layout.addresses(roots) - self.layout.origin] = self.component_colours[numbers]
        return replace(self, colours=colours)


class FirstColouring(Colouring):
    """The colours of a large run until those are chosen that differ between neighbours.

    Each label has the colour that follows from its cell. Nothing is looked up for it, and the
    arrays are made only if somebody asks for them.
    """

    def __init__(self, recording: Recording) -> None:
        object.__setattr__(self, "layout", recording.layout)
        object.__setattr__(self, "_recording", recording)

    def __getattr__(self, name: str) -> Any:
        if name not in {"components", "component_colours", "colours"}:
            raise AttributeError(name)
        components = self._recording.components()[0]
        chosen = np.append(np.uint8(0), spread(first_cells(components))) + np.uint8(FIRST_COLOUR)
        found = {"components": components, "component_colours": chosen}
        if name == "colours":
            found["colours"] = _colours_of_addresses(self.layout)
        for each, array in found.items():
            object.__setattr__(self, each, array)
        return found[name]

    def indices(self, labels: Labels, foreground: npt.NDArray[np.bool_]) -> Colours:
        """Return the palette index of each cell, as :func:`label_indices` does."""
        chosen: Colours = self._recording.kernels.spread(labels, self.layout, _COLOURS)
        chosen += np.uint8(FIRST_COLOUR - 1)  # which leaves UNLABELLED for a label of no cell
        chosen *= foreground
        return chosen


def colouring_of(
    recording: Recording,
    known: Colouring | None = None,
    check: Check = unchecked,
    *,
    before: Colouring | None = None,
) -> Colouring:
    """Choose the colours of a recording.

    Until it is complete, the first cell of each component in raster order is taken for its final
    root, as it is in nearly all algorithms. What was chosen until then is `known`. What did not
    change since another grid, such as the one `before` a stroke, keeps its colour.
    """
    colouring = known or colour_grid(
        recording.components(check)[0], recording.layout, check, before=before
    )
    check()
    if not (recording.complete and len(recording)):
        return colouring
    colouring = colouring.for_final_labels(recording.labels(-1))
    if recording.image.size > SMALL_GRID:
        return colouring
    return _with_trees_apart(colouring, recording, check)


def colour_grid(
    components: Labels,
    layout: LabelLayout,
    check: Check = unchecked,
    *,
    before: Colouring | None = None,
) -> Colouring:
    check()
    chosen = colour_components(components, check, before=before) + np.uint8(FIRST_COLOUR)
    colours = _colours_of_addresses(layout)
    check()
    return Colouring(layout, components, chosen, colours).with_roots(first_cells(components))


def _colours_of_addresses(layout: LabelLayout) -> Colours:
    colours = _colours_of_cells(layout)
    if 0 <= layout.background - layout.origin < colours.size:
        colours[layout.background - layout.origin] = UNLABELLED
    return colours


def label_indices(
    labels: Labels,
    colouring: Colouring,
    components: Labels | None = None,
) -> Colours:
    """Return the palette index of each cell, which is that of the cell that its label names.

    It is 0 for background, 1 for foreground without a label (or with one that names no cell), 2 and
    more for labels.
    """
    components = colouring.components if components is None else components
    if isinstance(colouring, FirstColouring):
        return colouring.indices(labels, components != 0)
    indices = np.empty(labels.shape, np.uint8)
    stray = np.uint64(colouring.colours.size - 1)
    for band in bands(labels.shape, _BAND_CELLS):
        address = labels[band].astype(np.int64)
        address -= colouring.layout.origin
        # Seen as unsigned, addresses before the first are beyond the last.
        unsigned = address.view(np.uint64)
        np.minimum(unsigned, stray, out=unsigned)
        # All addresses are in bounds now; without "clip" NumPy would make sure again.
        colouring.colours.take(address, mode="clip", out=indices[band])
        indices[band] *= components[band] != 0
    return indices


def _colours_of_cells(layout: LabelLayout) -> Colours:
    """Return a colour for each address that follows from its cell, wherever labels lie."""
    rows = layout.margin + layout.height
    colours = np.full(rows * layout.pitch + 1, UNLABELLED, np.uint8)
    inner = layout.inner(colours[:-1].reshape(rows, layout.pitch))
    small = inner.size <= SMALL_GRID
    for band in bands(inner.shape, _BAND_CELLS):
        cells = np.arange(band.start * layout.width, band.stop * layout.width)
        if small:
            y, x = np.divmod(cells, layout.width)
            chosen = ((x + 3 * y) % _COLOURS).astype(np.uint8)
        else:
            chosen = spread(cells)
        inner[band] = chosen.reshape(-1, layout.width) + np.uint8(FIRST_COLOUR)
    return colours


def _with_trees_apart(colouring: Colouring, recording: Recording, check: Check) -> Colouring:
    """Return colours with which trees differ that meet, or that take each other over, in a run.

    In raster order, each root takes the colour that costs least beside those before it; the
    roots of the end keep theirs.
    """
    codes, counts = np.unique(np.concatenate([*_meetings(recording, check)]), return_counts=True)
    one, other = np.divmod(codes, recording.image.size)
    costs: dict[int, list[tuple[int, int]]] = {}
    for a, b, count in zip(one.tolist(), other.tolist(), counts.tolist(), strict=True):
        costs.setdefault(a, []).append((b, count))
        costs.setdefault(b, []).append((a, count))
    places = colouring.layout.addresses(np.arange(recording.image.size)) - colouring.layout.origin
    chosen = (colouring.colours[places] - np.uint8(FIRST_COLOUR)).tolist()
    known = set(np.unique(roots_of(recording.parents(-1))).tolist())
    for root in sorted(costs.keys() - known):
        bad = [0] * _COLOURS
        for near, cost in costs[root]:
            if near in known:
                bad[chosen[near]] += cost
        turns = ((chosen[root] + turn) % _COLOURS for turn in range(_COLOURS))
        chosen[root] = min(turns, key=bad.__getitem__)
        known.add(root)
    colours = colouring.colours.copy()
    colours[places] = np.array(chosen, np.uint8) + np.uint8(FIRST_COLOUR)
    return replace(colouring, colours=colours)


def _meetings(recording: Recording, check: Check) -> Iterator[Cells]:
    """Return codes ``smaller * cells + larger`` of roots that meet, as often as they do."""
    final = roots_of(recording.parents(-1))
    before = final
    moving = [step.index for step in recording.steps if step.changed] or [0]
    for index in moving[:: -(-len(moving) * final.size // _MAX_LOOKED_AT)]:
        check()
        roots = roots_of(recording.parents(index))
        pairs = [(roots, final), *[(before, roots)] * _TAKEN_OVER]
        for dy, dx in ((0, 1), (0, 2), (1, -1), (1, 0), (1, 1), (2, 0)):
            pairs.append(_beside(roots, dy, dx))
        for one, other in pairs:
            yield _codes(one, other, final.size, least=0)
        before = roots


def _beside(values: npt.NDArray[_T], dy: int, dx: int) -> tuple[npt.NDArray[_T], npt.NDArray[_T]]:
    """Return what of a grid has a cell so many rows below and columns to the right; and that."""
    width = max(values.shape[1] - abs(dx), 0)
    here = values[: max(len(values) - dy, 0), max(0, -dx) :][:, :width]
    return here, values[dy:, max(0, dx) :][:, :width]


def _codes(one: npt.NDArray[Any], other: npt.NDArray[Any], base: int, least: int) -> Cells:
    """Return codes ``smaller * base + larger`` of pairs of different numbers from `least` on."""
    meets = (one != other) & (one >= least) & (other >= least)
    a, b = one[meets].astype(np.int64), other[meets].astype(np.int64)
    codes: Cells = np.minimum(a, b) * base + np.maximum(a, b)
    return codes


def first_cells(components: Labels) -> Cells:
    """Return the first cell of each component in raster order, as ``y * width + x``."""
    # Numbers rise in raster order, so a component begins wherever the largest so far is passed.
    largest = np.maximum.accumulate(components.reshape(-1))
    found = np.flatnonzero(largest[1:] != largest[:-1]) + 1
    return np.insert(found, 0, 0) if components.size and largest[0] else found


def colour_components(
    components: Labels,
    check: Check = unchecked,
    *,
    before: Colouring | None = None,
) -> Colours:
    """Colour components so that neighbours differ.

    At first each has the colour that it would like. Of two neighbours with the same colour, the
    one with fewer neighbours takes one that none of its neighbours has. If all seven are taken, it
    takes the one that costs least, and the neighbours with that colour give way, and so on until
    all differ. Beyond four million components, which only noise on huge grids has, colours stay as
    at first.
    The colours, from 0, have shape (components + 1,); element 0 is not used.
    """
    colours, kept = _wishes(components, before)
    if colours.size > _MAX_COMPARED:
        return colours
    stays, gives_way, costs = _neighbours(components, kept, check)
    losers = np.zeros(colours.size, np.bool_)
    for _ in range(_MAX_ROUNDS):
        check()
        clashes = gives_way[colours[stays] == colours[gives_way]]
        if not clashes.size:
            break
        losers[:] = False
        losers[clashes] = True
        moved = np.flatnonzero(losers)
        pairs = [np.flatnonzero(losers[one]) for one in (stays, gives_way)]
        ours = np.concatenate([stays[pairs[0]], gives_way[pairs[1]]])
        theirs = np.concatenate([gives_way[pairs[0]], stays[pairs[1]]])
        turns = (colours[theirs] + np.uint8(_COLOURS - 1) - colours[ours]) % _COLOURS
        bad = np.bincount(
            np.searchsorted(moved, ours) * _COLOURS + turns,
            weights=costs[theirs],
            minlength=moved.size * _COLOURS,
        ).reshape(-1, _COLOURS)[:, :-1]
        colours[moved] = (colours[moved] + bad.argmin(axis=1).astype(np.uint8) + 1) % _COLOURS
        now = pairs[1]
        now = now[(colours[stays[now]] == colours[gives_way[now]]) & ~kept[stays[now]]]
        stays[now], gives_way[now] = gives_way[now], stays[now]
    return colours


def spread(numbers: Cells) -> Colours:
    """Return a colour for each number, from 0: always the same one, and evenly spread."""
    # Multiplying by 2^64 / golden ratio sends consecutive numbers far apart; the top bits count.
    mixed = numbers.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    return ((mixed >> np.uint64(40)) % np.uint64(_COLOURS)).astype(np.uint8)


def _wishes(components: Labels, before: Colouring | None) -> tuple[Colours, npt.NDArray[np.bool_]]:
    """Return the colours that components would like, and which of them are as they were before."""
    first = first_cells(components)
    wishes = np.append(np.uint8(0), spread(first))
    kept = np.zeros(first.size + 1, np.bool_)
    if before is None or before.components.shape != components.shape or not first.size:
        return wishes, kept
    now, old = components.reshape(-1), before.components.reshape(-1)
    both = np.flatnonzero((now != 0) & (old != 0))
    wishes[now[both]] = before.component_colours[old[both]] - np.uint8(FIRST_COLOUR)
    same = np.append(np.int32(0), old[first])
    sizes, old_sizes = np.bincount(now, minlength=first.size + 1), np.bincount(old)
    kept = (same != 0) & (sizes == old_sizes[same])
    kept[now[old != same[now]]] = False
    return wishes, kept


def _neighbours(
    components: Labels, kept: npt.NDArray[np.bool_], check: Check
) -> tuple[Cells, Cells, Cells]:
    """Return pairs of neighbours, and what it costs if a component takes another colour.

    Of each pair, the one that keeps its colour comes first.
    """
    found = [np.empty(0, np.int64)]
    for rows in bands(components.shape, _PAIR_CELLS):
        check()
        found.append(_pairs(components, rows, kept.size))
    one, other = np.divmod(distinct(np.concatenate(found)), kept.size)
    open_ = ~(kept[one] & kept[other])
    one, other = one[open_], other[open_]
    rank = np.bincount(one, minlength=kept.size) + np.bincount(other, minlength=kept.size)
    rank[kept] += components.size
    swapped = rank[one] < rank[other]
    return np.where(swapped, other, one), np.where(swapped, one, other), rank


def _pairs(components: Labels, rows: slice, base: int) -> Cells:
    """Return the codes of components near each other in some rows and those just below."""
    band = components[rows.start : rows.stop + REACH]
    pairs = [_beside(band, dy, dx) for dy, dx in _OFFSETS]
    return distinct(np.concatenate([_codes(*pair, base, least=1) for pair in pairs]))
