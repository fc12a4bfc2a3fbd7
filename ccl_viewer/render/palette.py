"""Palette indices for a run's labels; neighbouring components differ in colour."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final
from weakref import WeakKeyDictionary

import numpy as np

from ccl_viewer.execution.plan import LabelLayout
from ccl_viewer.recording import Recording
from ccl_viewer.reference import Labels, find_roots
from ccl_viewer.render.forest import NO_CELL, Cells, Mask
from ccl_viewer.render.graph_colouring import Areas, Colours, choose_colours
from ccl_viewer.render.themes import FIRST_COLOUR, HUES, UNLABELLED
from ccl_viewer.support.arrays import (
    count_occurrences,
    find_distinct,
    mark_first_occurrences,
    split_into_bands,
)
from ccl_viewer.support.cancellation import Check, never_cancel

SMALL_GRID: Final = 1 << 14
"""Most cells of a grid in which trees that meet have different colours."""

_HUES: Final = len(HUES)
BAND_CELLS: Final = 1 << 16
_PIECE: Final = 1 << 18
MAX_COMPARED: Final = 1 << 20  # components; if there are more, neighbours may share a colour
CHOSEN: Final = WeakKeyDictionary["Recording", "Colouring"]()
_REACH: Final = 2  # largest distance of neighbouring components, in rows or columns
_LOOKED_AT: Final = 1 << 17  # most cells times steps in which trees differ


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

    def indices(self, labels: Labels, foreground: Mask) -> Colours:
        """Return the palette index of each cell, as :func:`label_indices` does."""
        indices = np.empty(labels.shape, np.uint8)
        stray = np.uint64(self.colours.size - 1)
        for band in split_into_bands(labels.shape, BAND_CELLS):
            address = labels[band].astype(np.int64)
            address -= self.layout.origin
            # As unsigned numbers, addresses before the first are beyond the last.
            unsigned = address.view(np.uint64)
            np.minimum(unsigned, stray, out=unsigned)
            # All addresses are in bounds now; without "clip" NumPy would check again.
            self.colours.take(address, mode="clip", out=indices[band])
            indices[band] *= foreground[band]
        return indices


class ProvisionalColouring(Colouring):
    """The colours of a large run until different ones for neighbours are chosen.

    The colour of each label follows from the cell that it names, without a lookup.
    """

    recording: Recording

    def __init__(self, recording: Recording) -> None:
        vars(self).update(layout=recording.layout, recording=recording)

    @cached_property
    def components(self) -> Labels:
        components, _ = self.recording.component_numbers()
        return components

    @cached_property
    def component_colours(self) -> Colours:
        hues = np.append(np.uint8(0), hash_to_hues(first_cells(self.components)))
        return hues + np.uint8(FIRST_COLOUR)

    def indices(self, labels: Labels, foreground: Mask) -> Colours:
        chosen: Colours = self.recording.grid_kernels.colour_labels(labels, self.layout, _HUES)
        chosen += np.uint8(FIRST_COLOUR - 1)  # this leaves UNLABELLED for labels that name no cell
        chosen *= foreground
        return chosen


def colour_run(
    recording: Recording,
    check: Check = never_cancel,
    *,
    before: Colouring | None = None,
    beside: Colouring | None = None,
) -> Colouring:
    """Choose the colours of a recording once, so that all views of it have the same.

    If a run was broken off, the first cell of each component in raster order counts as its final
    root, as in nearly all algorithms. Components that did not change since another grid, such as
    the one `before` a stroke, keep their colours. Components get the same colours as in a run
    `beside` it with the same components.
    """
    colouring = CHOSEN.get(recording)
    if colouring is None:
        colouring = _choose(recording, check, before, beside)
        if recording.complete or recording.failure is not None:
            CHOSEN[recording] = colouring
    return colouring


def _choose(
    recording: Recording, check: Check, before: Colouring | None, beside: Colouring | None
) -> Colouring:
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
) -> Colouring:
    """Choose the colours of components."""
    check()
    first = first_cells(components)
    known = _find_preferred_colours(components, first, before or beside, check)
    if beside is not None and np.array_equal(beside.components, components):
        chosen = beside.component_colours
    elif first.size < MAX_COMPARED:
        chosen = choose_colours(known, _REACH, check) + np.uint8(FIRST_COLOUR)
    else:
        chosen = known.wishes + np.uint8(FIRST_COLOUR)
    colours = _colours_of_addresses(layout)
    check()
    plain = Colouring(layout, components, chosen, colours, first, known.fixed)
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
    return colouring.indices(labels, components != 0)


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
    """Return colours in which trees and labels of a step differ.

    Final roots keep their colours, and so do all trees of components that are unchanged since
    `before`.
    """
    colours, chosen = colouring.colours.copy(), colouring.chosen
    comparable = before is not None and before.components.shape == colouring.components.shape
    if before is not None and comparable and before.algorithm == recording.algorithm:
        same = colouring.kept[colouring.components.reshape(-1)[before.chosen]]
        remembered = np.setdiff1d(before.chosen[same], chosen)
        colours[colouring.offsets(remembered)] = before.colours[before.offsets(remembered)]
        chosen = np.concatenate([chosen, remembered])
    moving = [step.index for step in recording.steps if step.changed] or [0]
    steps = moving[:: -(-len(moving) * recording.image.size // _LOOKED_AT)]
    views = [parents for index in steps for parents in _find_trees(recording, index, check)]
    cells = find_distinct(np.concatenate([[NO_CELL], chosen, *map(np.ravel, views)]))
    at, fixed = colouring.offsets(cells), np.isin(cells, chosen)
    fixed[0] = True  # no cell
    areas = Areas(
        [np.searchsorted(cells, view) for view in views],
        cells,
        colours[at] - np.uint8(FIRST_COLOUR),
        fixed,
        np.zeros_like(cells),
    )
    colours[at[1:]] = choose_colours(areas, _REACH, check)[1:] + np.uint8(FIRST_COLOUR)
    return replace(colouring, colours=colours, chosen=cells[1:], algorithm=recording.algorithm)


def _find_trees(recording: Recording, index: int, check: Check) -> tuple[Cells, Cells]:
    """Return the cells that labels name after a step, and the roots; shape (height, width)."""
    check()
    parents = recording.parents(index)
    named = np.where((parents >= 0) & (parents < parents.size), parents, NO_CELL)
    return named, find_roots(named)


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


def hash_to_hues(numbers: Cells) -> Colours:
    """Return a hue from 0 for each number: always the same, and evenly distributed."""
    # Multiplication by 2^64 / golden ratio separates consecutive numbers; use the top bits.
    mixed = numbers.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    return ((mixed >> np.uint64(40)) % np.uint64(_HUES)).astype(np.uint8)


def _find_preferred_colours(
    components: Labels, first: Cells, before: Colouring | None, check: Check
) -> Areas:
    """Return the colours that components keep after an edit, and their wishes otherwise.

    Unchanged components keep their colours. The largest part of a changed component keeps its
    colour if no neighbour has it.
    """
    wishes = np.append(np.uint8(0), hash_to_hues(first))
    fixed, kept = np.zeros(wishes.size, np.bool_), np.zeros(wishes.size, np.int64)
    if before is not None and before.components.shape == components.shape:
        now, old = components.reshape(-1), before.components.reshape(-1)
        old_colours = before.component_colours - np.uint8(FIRST_COLOUR)
        parts, origins, sizes = _find_overlaps(now, old, check)
        same = sizes == count_occurrences(now, wishes.size, check)[parts]
        same &= sizes == count_occurrences(old, old_colours.size, check)[origins]
        fixed[parts[same]] = True
        wishes[parts[same]] = old_colours[origins[same]]
        parts, origins, sizes = parts[~same], origins[~same], sizes[~same]
        order = np.lexsort((-sizes, origins))  # the largest part of each
        best = order[mark_first_occurrences(origins[order])]
        best = best[np.argsort(sizes[best])]  # of several origins the largest, which is last
        wishes[parts[best]], kept[parts[best]] = old_colours[origins[best]], sizes[best]
    fixed[0] = True
    return Areas([components], np.append(0, first), wishes, fixed, kept)


def _find_overlaps(now: Labels, old: Labels, check: Check) -> tuple[Cells, Cells, Cells]:
    """Return the pairs of a component now and before that share cells, and how many."""
    base = int(old.max(initial=0)) + 1
    codes, lengths = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    for start in range(0, now.size, _PIECE):
        check()
        piece, past = now[start : start + _PIECE], old[start : start + _PIECE]
        cells = np.flatnonzero((piece != 0) & (past != 0))
        pairs = piece[cells].astype(np.int64) * base + past[cells]
        runs = np.flatnonzero(mark_first_occurrences(pairs))
        codes.append(pairs[runs])
        lengths.append(np.diff(runs, append=pairs.size))
    pairs = np.concatenate(codes)
    order = np.argsort(pairs, kind="stable")
    pairs = pairs[order]
    firsts = np.flatnonzero(mark_first_occurrences(pairs))
    sizes = np.add.reduceat(np.concatenate(lengths)[order], firsts) if firsts.size else firsts
    return *np.divmod(pairs[firsts], base), sizes
