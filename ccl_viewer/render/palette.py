"""Palette indices for the labels of a run: colours that differ where components meet."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from ccl_viewer.execution.plan import LabelLayout
from ccl_viewer.recording import Recording
from ccl_viewer.reference import Labels
from ccl_viewer.render.forest import Cells, Mask
from ccl_viewer.render.graph_colouring import Colours, Conflicts, Nodes, colour_graph
from ccl_viewer.render.neighbours import MEETS, component_conflicts, tree_conflicts
from ccl_viewer.render.themes import FIRST_COLOUR, HUES, UNLABELLED
from ccl_viewer.support.arrays import bands, begins, occurrences
from ccl_viewer.support.cancellation import Check, unchecked

SMALL_GRID: Final = 1 << 14
"""Up to so many cells, trees have colours that differ where they meet."""

_LARGE_GRID: Final = 1 << 20
_HUES: Final = len(HUES)
_BAND_CELLS: Final = 1 << 16
_PIECE: Final = 1 << 18
_MAX_COMPARED: Final = 1 << 20  # components; of more, neighbours may share a colour
_GOLDEN: Final = 0.6180339887
_CHOSEN: Final = WeakKeyDictionary["Recording", "Colouring"]()
_HELD: Final = 0.25  # what it is worth that a tree keeps the colour it had before an edit


@dataclass(frozen=True, eq=False)
class Colouring:
    """Which colour each label has, throughout one recording.

    The roots with which the components end have the colours of these, which differ between
    neighbours. Other labels have colours that follow from their cells, and roots of small grids
    colours that differ between trees. So colours settle as the run proceeds.

    Both arrays of colours are of palette indices.
    """

    layout: LabelLayout
    components: Labels  # the reference: 0 on background, else a number from 1
    component_colours: Colours  # shape (components + 1,); element 0 is not used
    colours: Colours  # of addresses, less the layout's origin; the last is for what is no address
    chosen: Cells  # whose colours were chosen; others have colours that follow from their places
    kept: Mask  # shape (components + 1,): the component is as it was before an edit
    algorithm: str = ""  # whose trees have colours of their own

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
        colours[self.places(roots)] = self.component_colours[numbers]
        return replace(self, colours=colours, chosen=roots)

    def places(self, cells: Cells) -> Cells:
        """Return where `colours` has those of cells."""
        return self.layout.addresses(cells) - self.layout.origin


def first_colouring(
    recording: Recording, check: Check = unchecked, *, before: Colouring | None = None
) -> Colouring:
    """Choose colours for a run whose steps are still being recorded.

    Of a large grid they are those that components would like: neighbours are told apart at the end
    of the run, so that its first step is not held up.
    """
    components, _ = recording.components(check)
    compare = recording.image.size <= _LARGE_GRID
    return colour_grid(components, recording.layout, check, before=before, compare=compare)


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
        chosen: Colours = self._recording.kernels.spread(labels, self.layout, _HUES)
        chosen += np.uint8(FIRST_COLOUR - 1)  # which leaves UNLABELLED for a label of no cell
        chosen *= foreground
        return chosen


def colouring_of(
    recording: Recording,
    known: Colouring | None = None,
    check: Check = unchecked,
    *,
    before: Colouring | None = None,
    beside: Colouring | None = None,
) -> Colouring:
    """Choose the colours of a recording, once: all that show it then have the same.

    Where a run broke off, the first cell of each component in raster order is taken for its final
    root, as it is in nearly all algorithms. What was chosen while it was recorded is `known`. What
    did not change since another grid, such as the one `before` a stroke, keeps its colour. A run
    `beside` it, of the same components, has the same colours of components.
    """
    colouring = _CHOSEN.get(recording)
    if colouring is None:
        colouring = _choose(recording, known, check, before, beside)
        if recording.complete or recording.failure is not None:
            _CHOSEN[recording] = colouring
    return colouring


def _choose(
    recording: Recording,
    known: Colouring | None,
    check: Check,
    before: Colouring | None,
    beside: Colouring | None,
) -> Colouring:
    if known is None or recording.image.size > _LARGE_GRID:
        components, _ = recording.components(check)
        known = colour_grid(components, recording.layout, check, before=before, beside=beside)
    check()
    if not len(recording):
        return known
    if recording.complete:
        # Of a device, a copy that nobody keeps.
        labels = recording.kernels.stream.to_host(recording.frame(-1))
        known = known.for_final_labels(labels)
    if recording.image.size > SMALL_GRID:
        return known
    return _with_trees_apart(known, recording, check, before)


def colour_grid(
    components: Labels,
    layout: LabelLayout,
    check: Check = unchecked,
    *,
    before: Colouring | None = None,
    beside: Colouring | None = None,
    compare: bool = True,
) -> Colouring:
    """Choose the colours of components; if they are compared, neighbours differ."""
    check()
    first = first_cells(components)
    nodes, overlaps = _asked_for(components, first, before or beside, check)
    if beside is not None and np.array_equal(beside.components, components):
        chosen = beside.component_colours
    elif compare and len(nodes) <= _MAX_COMPARED:
        chosen = _colour_components(components, nodes, overlaps, check) + np.uint8(FIRST_COLOUR)
    else:
        chosen = nodes.wishes + np.uint8(FIRST_COLOUR)
    colours = _colours_of_addresses(layout)
    check()
    plain = Colouring(layout, components, chosen, colours, first, nodes.fixed)
    return plain.with_roots(first)


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
            chosen = ((x + 3 * y) % _HUES).astype(np.uint8)
        else:
            chosen = spread(cells)
        inner[band] = chosen.reshape(-1, layout.width) + np.uint8(FIRST_COLOUR)
    return colours


def _with_trees_apart(
    colouring: Colouring, recording: Recording, check: Check, before: Colouring | None
) -> Colouring:
    """Return colours with which trees differ that meet, or that take each other over, in a run.

    The roots of the end keep their colours, and so do all trees of components that are as they
    were `before`.
    """
    meetings = tree_conflicts(recording, check)
    nodes = np.union1d(colouring.chosen, np.union1d(meetings.one, meetings.other))
    conflicts = Conflicts(
        np.searchsorted(nodes, meetings.one),
        np.searchsorted(nodes, meetings.other),
        meetings.costs,
    )
    fixed = np.isin(nodes, colouring.chosen)
    wishes = colouring.colours[colouring.places(nodes)]
    pull = np.zeros(nodes.size)
    comparable = before is not None and before.components.shape == colouring.components.shape
    if before is not None and comparable and before.algorithm == recording.algorithm:
        known = np.isin(nodes, before.chosen) & ~fixed
        wishes[known] = before.colours[before.places(nodes[known])]
        pull[known] = _HELD
        fixed |= known & colouring.kept[colouring.components.reshape(-1)[nodes]]
    asked = Nodes(wishes - np.uint8(FIRST_COLOUR), pull, fixed)
    chosen = colour_graph(asked, conflicts, conflicts.degrees(nodes.size), check)
    colours = colouring.colours.copy()
    colours[colouring.places(nodes)] = chosen + np.uint8(FIRST_COLOUR)
    return replace(colouring, colours=colours, chosen=nodes, algorithm=recording.algorithm)


def first_cells(components: Labels) -> Cells:
    """Return the first cell of each component in raster order, as ``y * width + x``."""
    # Numbers rise in raster order, so a component begins wherever the largest so far is passed.
    cells, largest = components.reshape(-1), 0
    found = [np.empty(0, np.int64)]
    for start in range(0, cells.size, _PIECE):
        piece = cells[start : start + _PIECE]
        new = np.flatnonzero(piece > largest)
        if new.size:
            so_far = np.maximum.accumulate(piece[new])
            found.append(new[begins(so_far)] + start)
            largest = so_far[-1]
    return np.concatenate(found)


def _colour_components(components: Labels, nodes: Nodes, overlaps: Cells, check: Check) -> Colours:
    """Colour components so that neighbours differ, and as far as can be those in sight, too.

    Those that keep most cells of an earlier one are asked first, then those with most neighbours.
    The colours, from 0, have shape (components + 1,); element 0 is not used.
    """
    conflicts = component_conflicts(components, len(nodes) - 1, check)
    neighbours = conflicts.degrees(len(nodes)) / MEETS
    shuffled = np.arange(len(nodes)) * _GOLDEN % 1  # so that many can be coloured together
    return colour_graph(nodes, conflicts, overlaps * MEETS + neighbours + shuffled, check)


def spread(numbers: Cells) -> Colours:
    """Return a hue for each number, from 0: always the same one, and evenly spread."""
    # Multiplying by 2^64 / golden ratio sends consecutive numbers far apart; the top bits count.
    mixed = numbers.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    return ((mixed >> np.uint64(40)) % np.uint64(_HUES)).astype(np.uint8)


def _asked_for(
    components: Labels, first: Cells, before: Colouring | None, check: Check
) -> tuple[Nodes, npt.NDArray[np.int64]]:
    """Return which colours components would like, and how many cells speak for that.

    What is as it was before keeps its colour. What changed keeps that of the component with which
    it has most cells in common, if no neighbour has it.
    """
    wishes = np.append(np.uint8(0), spread(first))
    pull, overlaps = np.zeros(wishes.size), np.zeros(wishes.size, np.int64)
    fixed = np.zeros(wishes.size, np.bool_)
    fixed[0] = True  # background, which has no neighbours
    if before is not None and before.components.shape == components.shape:
        now, old = components.reshape(-1), before.components.reshape(-1)
        known = before.component_colours - np.uint8(FIRST_COLOUR)
        origins = np.append(np.int32(0), old[first])
        fixed = _unchanged(now, old, origins, check)
        wishes[fixed] = known[origins[fixed]]
        parts, most, sizes = _overlaps(now, old, fixed, check)
        wishes[parts], overlaps[parts], pull[parts] = known[most], sizes, MEETS / 2
    return Nodes(wishes, pull, fixed), overlaps


def _unchanged(now: Labels, old: Labels, origins: Labels, check: Check) -> Mask:
    """Return which components are as they were, given what their first cells belonged to."""
    areas = occurrences(now, origins.size, check)
    same: Mask = areas == occurrences(old, int(old.max(initial=0)) + 1, check)[origins]
    same &= origins != 0
    for start in range(0, now.size, _PIECE):
        check()
        piece = now[start : start + _PIECE]
        same[piece[old[start : start + _PIECE] != origins[piece]]] = False
    same[0] = True
    return same


def _overlaps(
    now: Labels, old: Labels, unchanged: Mask, check: Check
) -> tuple[npt.NDArray[np.int64], ...]:
    """Return of changed components those before with which they have most cells in common.

    The result are components, components before, and how many cells these are.
    """
    base = int(old.max(initial=0)) + 1
    codes, lengths = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    for start in range(0, now.size, _PIECE):
        check()
        piece, past = now[start : start + _PIECE], old[start : start + _PIECE]
        cells = np.flatnonzero(~unchanged[piece])
        cells = cells[past[cells] != 0]
        found = piece[cells].astype(np.int64) * base + past[cells]
        runs = np.flatnonzero(begins(found))
        codes.append(found[runs])
        lengths.append(np.diff(runs, append=found.size))
    every = np.concatenate(codes)
    order = np.argsort(every, kind="stable")
    every = every[order]
    firsts = np.flatnonzero(begins(every))
    parts, origins = np.divmod(every[firsts], base)
    sizes = np.add.reduceat(np.concatenate(lengths)[order], firsts) if firsts.size else firsts
    order = np.lexsort((-sizes, parts))
    most = order[begins(parts[order])]
    return parts[most], origins[most], sizes[most]
