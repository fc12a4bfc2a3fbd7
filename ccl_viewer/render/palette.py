"""Palette indices for a run's labels; neighbouring components differ in colour."""

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
from ccl_viewer.render.graph_colouring import Colours, Conflicts, NodePreferences, colour_graph
from ccl_viewer.render.neighbours import MEETS, component_conflicts, tree_conflicts
from ccl_viewer.render.themes import FIRST_COLOUR, HUES, UNLABELLED
from ccl_viewer.support.arrays import count_occurrences, mark_first_occurrences, split_into_bands
from ccl_viewer.support.cancellation import Check, never_cancel

SMALL_GRID: Final = 1 << 14
"""Most cells of a grid in which trees that meet have different colours."""

LARGE_GRID: Final = 1 << 20
_HUES: Final = len(HUES)
BAND_CELLS: Final = 1 << 16
_PIECE: Final = 1 << 18
MAX_COMPARED: Final = 1 << 20  # components; if there are more, neighbours may share a colour
_GOLDEN: Final = 0.6180339887
CHOSEN: Final = WeakKeyDictionary["Recording", "Colouring"]()
_KEEP_VALUE: Final = 0.25  # value of keeping a tree's colour after an edit


@dataclass(frozen=True, eq=False)
class Colouring:
    """The colour of each label, throughout one recording.

    Final roots have their components' colours, which differ between neighbours. Other labels have
    colours that follow from their cells; on small grids, the roots of different trees differ in
    colour. So the final colours appear as the run proceeds.

    Both arrays of colours contain palette indices.
    """

    layout: LabelLayout
    components: Labels  # the reference: 0 on background, otherwise a number from 1
    component_colours: Colours  # shape (components + 1,); element 0 is unused
    colours: Colours  # by address minus the layout's origin; the last is for invalid addresses
    chosen: Cells  # cells with chosen colours; other colours follow from the cell
    kept: Mask  # shape (components + 1,): whether an edit left the component unchanged
    algorithm: str = ""  # with colours for its trees

    def for_final_labels(self, labels: Labels) -> Colouring:
        """Return these colours, with the components' colours for the roots of final labels.

        If a wrong run left a component in pieces, only its first root gets the component's colour,
        so that the pieces differ.
        """
        numbers = self.components.reshape(-1)
        foreground = np.flatnonzero(numbers)
        roots = foreground[self.layout.parents(labels.reshape(-1)[foreground]) == foreground]
        _, first = np.unique(numbers[roots], return_index=True)
        return self.with_roots(roots[first])

    def with_roots(self, roots: Cells) -> Colouring:
        """Return these colours, with the components' colours for some roots."""
        colours = self.colours.copy()
        numbers = self.components.reshape(-1)[roots]
        colours[self.offsets(roots)] = self.component_colours[numbers]
        return replace(self, colours=colours, chosen=roots)

    def offsets(self, cells: Cells) -> Cells:
        """Return the indices of cells in `colours`."""
        return self.layout.addresses(cells) - self.layout.origin


def colour_unfinished_run(
    recording: Recording, check: Check = never_cancel, *, before: Colouring | None = None
) -> Colouring:
    """Choose colours for a run that is still being recorded.

    On a large grid these are the components' preferred colours: neighbours are compared at the end
    of the run, so that the first step is not delayed.
    """
    components, _ = recording.component_numbers(check)
    compare = recording.image.size <= LARGE_GRID
    return colour_grid(components, recording.layout, check, before=before, compare=compare)


class ProvisionalColouring(Colouring):
    """The colours of a large run until different ones for neighbours are chosen.

    The colour of each label follows from its cell without a lookup. The arrays are only created on
    demand.
    """

    _recording: Recording

    def __init__(self, recording: Recording) -> None:
        object.__setattr__(self, "layout", recording.layout)
        object.__setattr__(self, "_recording", recording)

    def __getattr__(self, name: str) -> Any:
        if name not in {"components", "component_colours", "colours"}:
            raise AttributeError(name)
        components = self._recording.component_numbers()[0]
        chosen = np.append(np.uint8(0), hash_to_hues(first_cells(components))) + np.uint8(
            FIRST_COLOUR
        )
        values = {"components": components, "component_colours": chosen}
        if name == "colours":
            values["colours"] = _colours_of_addresses(self.layout)
        for each, array in values.items():
            object.__setattr__(self, each, array)
        return values[name]

    def indices(self, labels: Labels, foreground: npt.NDArray[np.bool_]) -> Colours:
        """Return the palette index of each cell, as :func:`label_indices` does."""
        chosen: Colours = self._recording.grid_kernels.colour_labels(labels, self.layout, _HUES)
        chosen += np.uint8(FIRST_COLOUR - 1)  # this leaves UNLABELLED for labels that name no cell
        chosen *= foreground
        return chosen


def colour_run(
    recording: Recording,
    known: Colouring | None = None,
    check: Check = never_cancel,
    *,
    before: Colouring | None = None,
    beside: Colouring | None = None,
) -> Colouring:
    """Choose the colours of a recording once, so that all views of it have the same.

    If a run was broken off, the first cell of each component in raster order counts as its final
    root, as in nearly all algorithms. `known` are the colours chosen while it was recorded.
    Components that did not change since another grid, such as the one `before` a stroke, keep their
    colours. Components get the same colours as in a run `beside` it with the same components.
    """
    colouring = CHOSEN.get(recording)
    if colouring is None:
        colouring = _choose(recording, known, check, before, beside)
        if recording.complete or recording.failure is not None:
            CHOSEN[recording] = colouring
    return colouring


def _choose(
    recording: Recording,
    colouring: Colouring | None,
    check: Check,
    before: Colouring | None,
    beside: Colouring | None,
) -> Colouring:
    if colouring is None or recording.image.size > LARGE_GRID:
        components, _ = recording.component_numbers(check)
        colouring = colour_grid(components, recording.layout, check, before=before, beside=beside)
    check()
    if not len(recording):
        return colouring
    if recording.complete:
        # For a device, a temporary copy.
        labels = recording.grid_kernels.backend.to_host(recording.device_frame(-1))
        colouring = colouring.for_final_labels(labels)
    if recording.image.size > SMALL_GRID:
        return colouring
    return _with_distinct_trees(colouring, recording, check, before)


def colour_grid(
    components: Labels,
    layout: LabelLayout,
    check: Check = never_cancel,
    *,
    before: Colouring | None = None,
    beside: Colouring | None = None,
    compare: bool = True,
) -> Colouring:
    """Choose the colours of components; if compared, neighbours differ."""
    check()
    first = first_cells(components)
    nodes, overlaps = _find_preferred_colours(components, first, before or beside, check)
    if beside is not None and np.array_equal(beside.components, components):
        chosen = beside.component_colours
    elif compare and len(nodes) <= MAX_COMPARED:
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
    """Return the palette index of each cell, which belongs to the cell that its label names.

    It is 0 for background, 1 for foreground without a label or with a label that names no cell, and
    2 or more for labels.
    """
    components = colouring.components if components is None else components
    if isinstance(colouring, ProvisionalColouring):
        return colouring.indices(labels, components != 0)
    indices = np.empty(labels.shape, np.uint8)
    stray = np.uint64(colouring.colours.size - 1)
    for band in split_into_bands(labels.shape, BAND_CELLS):
        address = labels[band].astype(np.int64)
        address -= colouring.layout.origin
        # As unsigned numbers, addresses before the first are beyond the last.
        unsigned = address.view(np.uint64)
        np.minimum(unsigned, stray, out=unsigned)
        # All addresses are in bounds now; without "clip" NumPy would check again.
        colouring.colours.take(address, mode="clip", out=indices[band])
        indices[band] *= components[band] != 0
    return indices


def _colours_of_cells(layout: LabelLayout) -> Colours:
    """Return a colour for each address that follows from its cell, independent of the layout."""
    rows = layout.margin + layout.height
    colours = np.full(rows * layout.pitch + 1, UNLABELLED, np.uint8)
    inner = layout.inner(colours[:-1].reshape(rows, layout.pitch))
    small = inner.size <= SMALL_GRID
    for band in split_into_bands(inner.shape, BAND_CELLS):
        cells = np.arange(band.start * layout.width, band.stop * layout.width)
        if small:
            y, x = np.divmod(cells, layout.width)
            chosen = ((x + 3 * y) % _HUES).astype(np.uint8)
        else:
            chosen = hash_to_hues(cells)
        inner[band] = chosen.reshape(-1, layout.width) + np.uint8(FIRST_COLOUR)
    return colours


def _with_distinct_trees(
    colouring: Colouring, recording: Recording, check: Check, before: Colouring | None
) -> Colouring:
    """Return colours in which trees differ that meet or take each other over in a run.

    Final roots keep their colours, and so do all trees of components that are unchanged since
    `before`.
    """
    meetings = tree_conflicts(recording, check)
    nodes = np.union1d(colouring.chosen, np.union1d(meetings.one, meetings.other))
    conflicts = Conflicts(
        np.searchsorted(nodes, meetings.one),
        np.searchsorted(nodes, meetings.other),
        meetings.costs,
    )
    fixed = np.isin(nodes, colouring.chosen)
    wishes = colouring.colours[colouring.offsets(nodes)]
    pull = np.zeros(nodes.size)
    comparable = before is not None and before.components.shape == colouring.components.shape
    if before is not None and comparable and before.algorithm == recording.algorithm:
        remembered = np.isin(nodes, before.chosen) & ~fixed
        wishes[remembered] = before.colours[before.offsets(nodes[remembered])]
        pull[remembered] = _KEEP_VALUE
        fixed |= remembered & colouring.kept[colouring.components.reshape(-1)[nodes]]
    preferences = NodePreferences(wishes - np.uint8(FIRST_COLOUR), pull, fixed)
    chosen = colour_graph(preferences, conflicts, conflicts.weighted_degrees(nodes.size), check)
    colours = colouring.colours.copy()
    colours[colouring.offsets(nodes)] = chosen + np.uint8(FIRST_COLOUR)
    return replace(colouring, colours=colours, chosen=nodes, algorithm=recording.algorithm)


def first_cells(components: Labels) -> Cells:
    """Return the first cell of each component in raster order, as ``y * width + x``."""
    # Numbers ascend in raster order, so a component begins at each new maximum.
    cells, largest = components.reshape(-1), 0
    parts = [np.empty(0, np.int64)]
    for start in range(0, cells.size, _PIECE):
        piece = cells[start : start + _PIECE]
        new = np.flatnonzero(piece > largest)
        if new.size:
            so_far = np.maximum.accumulate(piece[new])
            parts.append(new[mark_first_occurrences(so_far)] + start)
            largest = so_far[-1]
    return np.concatenate(parts)


def _colour_components(
    components: Labels, nodes: NodePreferences, overlaps: Cells, check: Check
) -> Colours:
    """Colour components so that neighbours and, as far as possible, those in sight differ.

    Components that keep the most cells of an earlier one come first, then those with the most
    neighbours. The colours, from 0, have shape (components + 1,); element 0 is unused.
    """
    conflicts = component_conflicts(components, len(nodes) - 1, check)
    neighbours = conflicts.weighted_degrees(len(nodes)) / MEETS
    shuffled = np.arange(len(nodes)) * _GOLDEN % 1  # so that many are coloured together
    return colour_graph(nodes, conflicts, overlaps * MEETS + neighbours + shuffled, check)


def hash_to_hues(numbers: Cells) -> Colours:
    """Return a hue from 0 for each number: always the same, and evenly distributed."""
    # Multiplication by 2^64 / golden ratio separates consecutive numbers; use the top bits.
    mixed = numbers.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    return ((mixed >> np.uint64(40)) % np.uint64(_HUES)).astype(np.uint8)


def _find_preferred_colours(
    components: Labels, first: Cells, before: Colouring | None, check: Check
) -> tuple[NodePreferences, npt.NDArray[np.int64]]:
    """Return the preferred colours of components, and the number of cells in favour.

    Unchanged components keep their colours. A changed component keeps the colour of the component
    with which it shares the most cells, if no neighbour has it.
    """
    wishes = np.append(np.uint8(0), hash_to_hues(first))
    pull, overlaps = np.zeros(wishes.size), np.zeros(wishes.size, np.int64)
    fixed = np.zeros(wishes.size, np.bool_)
    fixed[0] = True  # background has no neighbours
    if before is not None and before.components.shape == components.shape:
        now, old = components.reshape(-1), before.components.reshape(-1)
        old_colours = before.component_colours - np.uint8(FIRST_COLOUR)
        origins = np.append(np.int32(0), old[first])
        fixed = _find_unchanged(now, old, origins, check)
        wishes[fixed] = old_colours[origins[fixed]]
        parts, most, sizes = _find_overlaps(now, old, fixed, check)
        wishes[parts], overlaps[parts], pull[parts] = old_colours[most], sizes, MEETS / 2
    return NodePreferences(wishes, pull, fixed), overlaps


def _find_unchanged(now: Labels, old: Labels, origins: Labels, check: Check) -> Mask:
    """Return which components are unchanged, given the earlier components of their first cells."""
    areas = count_occurrences(now, origins.size, check)
    same: Mask = areas == count_occurrences(old, int(old.max(initial=0)) + 1, check)[origins]
    same &= origins != 0
    for start in range(0, now.size, _PIECE):
        check()
        piece = now[start : start + _PIECE]
        same[piece[old[start : start + _PIECE] != origins[piece]]] = False
    same[0] = True
    return same


def _find_overlaps(
    now: Labels, old: Labels, unchanged: Mask, check: Check
) -> tuple[npt.NDArray[np.int64], ...]:
    """Return the earlier components with which changed components share the most cells.

    The result has components, earlier components, and the numbers of shared cells.
    """
    base = int(old.max(initial=0)) + 1
    codes, lengths = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    for start in range(0, now.size, _PIECE):
        check()
        piece, past = now[start : start + _PIECE], old[start : start + _PIECE]
        cells = np.flatnonzero(~unchanged[piece])
        cells = cells[past[cells] != 0]
        pairs = piece[cells].astype(np.int64) * base + past[cells]
        runs = np.flatnonzero(mark_first_occurrences(pairs))
        codes.append(pairs[runs])
        lengths.append(np.diff(runs, append=pairs.size))
    every = np.concatenate(codes)
    order = np.argsort(every, kind="stable")
    every = every[order]
    firsts = np.flatnonzero(mark_first_occurrences(every))
    parts, origins = np.divmod(every[firsts], base)
    sizes = np.add.reduceat(np.concatenate(lengths)[order], firsts) if firsts.size else firsts
    order = np.lexsort((-sizes, parts))
    most = order[mark_first_occurrences(parts[order])]
    return parts[most], origins[most], sizes[most]
