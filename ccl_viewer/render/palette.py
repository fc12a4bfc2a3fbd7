"""Palette indices for the labels of a recording: what the window and exported frames paint."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import numpy.typing as npt

from ccl_viewer.cancellation import Check, unchecked
from ccl_viewer.pieces import bands
from ccl_viewer.plan import LabelLayout
from ccl_viewer.recording import Recording
from ccl_viewer.render.neighbours import colour_components, first_cells, spread
from ccl_viewer.render.takeovers import colour_takeovers, is_small
from ccl_viewer.render.themes import FIRST_COLOUR, LABEL_COLOURS, UNLABELLED

_BAND_CELLS: Final = 1 << 16


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

        Parameters
        ----------
        labels : ndarray of int32, shape (height, width)
            Raw labels after the last step.
        check : callable
            Called every few milliseconds; what it raises ends the work.
        """
        roots = _final_roots(self, labels, check)
        if roots.size >= self.component_colours.size:
            _, first = np.unique(self.components.reshape(-1)[roots], return_index=True)
            roots = roots[first]
        colours = self.colours.copy()
        _settle(colours, self, roots)
        return replace(self, colours=colours)


def colouring_of(
    recording: Recording, known: Colouring | None = None, check: Check = unchecked
) -> Colouring:
    """Choose the colours of a recording.

    Until it is complete, the first cell of each component in raster order is taken for its final
    root, as it is in nearly all algorithms; :meth:`Colouring.settled` corrects that afterwards.

    Parameters
    ----------
    recording : Recording
        With at least one step.
    known : Colouring or None
        What this returned before the recording was complete; most of the work is done then.
    check : callable
        Called every few milliseconds; what it raises ends the work.

    Returns
    -------
    Colouring
        For :func:`label_indices`.

    Raises
    ------
    InputError
        If the recording has no step yet.
    """
    colouring = known or colour_grid(recording.components(check)[0], recording.layout, check)
    if not (recording.complete and len(recording)):
        return colouring
    colouring = colouring.settled(recording.labels(-1), check)
    return _telling(colouring, recording) if is_small(recording) else colouring


def colour_grid(
    components: npt.NDArray[np.int32], layout: LabelLayout, check: Check = unchecked
) -> Colouring:
    """Choose colours for the labels of a grid.

    Parameters
    ----------
    components : ndarray of int32, shape (height, width)
        The connected components, as :meth:`Recording.components` returns them.
    layout : LabelLayout
        What the labels mean.
    check : callable
        Called every few milliseconds; what it raises ends the work.

    Returns
    -------
    Colouring
        In which the first cell of each component in raster order is its final root.
    """
    check()
    first = first_cells(components, check)
    chosen = colour_components(components, first, len(LABEL_COLOURS), check)
    settled = chosen + np.uint8(FIRST_COLOUR)
    colouring = Colouring(layout, components, settled, _hashed(layout, check))
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

    Parameters
    ----------
    labels : ndarray of int32, shape (height, width)
        Raw labels, as :meth:`Recording.labels` returns them.
    colouring : Colouring
        Of the same recording.
    components : ndarray of int32, of the shape of `labels`, or None
        Their components, if they are a sample of the cells.

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
    chosen = colour_takeovers(recording, wishes.reshape(-1), final, len(LABEL_COLOURS))
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
