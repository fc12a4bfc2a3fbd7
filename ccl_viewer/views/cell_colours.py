"""Palette indices of the cells in sight, by whatever their colour is to say; NumPy alone."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import numpy.typing as npt

from ccl_viewer.render import forest
from ccl_viewer.render.depths import DEEPEST, FIRST_DEPTH, depth_colours, depth_indices
from ccl_viewer.render.palette import Colouring, label_indices
from ccl_viewer.render.themes import FIRST_COLOUR, LABEL_COLOURS, UNLABELLED, Rgb
from ccl_viewer.render.themes import Theme as CellTheme
from ccl_viewer.session import CellColours
from ccl_viewer.views.cell_sample import Sample

Indices = npt.NDArray[np.uint8]
Labels = npt.NDArray[np.int32]

DIMMED: Final = 64
"""Added to an index: the same colour, stepped back."""

LIT: Final = 128
"""Added to an index: the same colour, brighter, where the step changed a cell too small to mark."""

_DIMMED_SHARE: Final = 0.8
_LIT_SHARE: Final = 0.4


@dataclass(frozen=True, eq=False)
class Run:
    """What the colours of a step are made from.

    Parameters
    ----------
    labels : ndarray of int32, shape (height, width)
        Raw labels of the whole grid.
    colouring : Colouring
        The run's colours.
    components : ndarray of int32
        Number of the component of each cell in sight, 0 on background.
    """

    labels: Labels
    colouring: Colouring
    components: Labels


def input_indices(values: npt.NDArray[np.uint8], *, multivalued: bool) -> Indices:
    """Return the palette indices of cells of the grid itself: grey, or a colour for each value."""
    if not multivalued:
        plain: Indices = np.multiply(values != 0, np.uint8(UNLABELLED))
        return plain
    colours = (values - np.uint8(1)) % np.uint8(len(LABEL_COLOURS)) + np.uint8(FIRST_COLOUR)
    coloured: Indices = np.multiply(colours, values != 0, dtype=np.uint8)
    return coloured


def step_indices(kind: CellColours, sample: Sample, run: Run) -> Indices:
    """Return the palette indices of the cells in sight after a step.

    Parameters
    ----------
    kind : CellColours
        What the colours say; not the input.
    sample : Sample
        The cells in sight.
    run : Run
        The step.

    Returns
    -------
    ndarray of uint8, of the sample's shape
        Into the table of :func:`cell_table`.
    """
    colouring = run.colouring
    foreground = run.components != 0
    if kind is CellColours.COMPONENT:
        colours = colouring.component_colours[run.components]
        whole: Indices = np.multiply(colours, foreground, dtype=np.uint8)
        return whole
    if kind is CellColours.DEPTH:
        cells = sample.indices(colouring.layout.width)
        depths = forest.depths_of(run.labels, colouring.layout, cells, DEEPEST)
        return depth_indices(depths, foreground)
    if kind is CellColours.TREE:
        cells = sample.indices(colouring.layout.width)
        labels = forest.root_labels(run.labels, colouring.layout, cells)
    else:
        labels = np.ascontiguousarray(sample.of(run.labels))
    return label_indices(labels, replace(colouring, components=run.components))


def with_drawn(indices: Indices, drawn: Indices) -> Indices:
    """Return indices of a run on an older grid, with cells drawn since and without those erased.

    Parameters
    ----------
    indices : ndarray of uint8
        Of the run.
    drawn : ndarray of uint8, of the same shape
        Those of the grid as it is now, as :func:`input_indices` returns them.
    """
    return np.where((indices == 0) | (drawn == 0), drawn, indices)


def cell_table(theme: CellTheme, around: Rgb, strength: float) -> npt.NDArray[np.uint8]:
    """Return the colours of all indices.

    Parameters
    ----------
    theme : Theme
        Gives the colours of cells.
    around : tuple of three int
        Colour of the canvas, towards which dimmed cells step back.
    strength : float
        How far from the grey of the input coloured cells are, 0 to 1.

    Returns
    -------
    ndarray of uint8, shape (256, 4)
        RGBA.
    """
    table = theme.table()
    table[FIRST_DEPTH : FIRST_DEPTH + DEEPEST + 1, :3] = depth_colours()
    coloured = slice(FIRST_COLOUR, FIRST_DEPTH + DEEPEST + 1)
    table[coloured] = _mixed(table[coloured], theme.unlabelled, 1 - strength)
    plain = table[:DIMMED]
    table[DIMMED : 2 * DIMMED] = _mixed(plain, around, _DIMMED_SHARE)
    table[LIT : LIT + DIMMED] = _mixed(plain, (255, 255, 255), _LIT_SHARE)
    return table


def _mixed(table: npt.NDArray[np.uint8], colour: Rgb, share: float) -> npt.NDArray[np.uint8]:
    mixed = table.astype(np.float64)
    mixed[:, :3] += (np.array(colour) - mixed[:, :3]) * share
    return np.rint(mixed).astype(np.uint8)
