"""Palette indices of the cells in sight, by whatever their colour is to say; NumPy alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from ccl_viewer.render import forest
from ccl_viewer.render.cell_table import DIMMED, LIT, Indices, cell_table, input_indices
from ccl_viewer.render.depths import DEEPEST, depth_indices
from ccl_viewer.render.palette import Colouring, label_indices
from ccl_viewer.session import CellColours

__all__ = [
    "DIMMED",
    "LIT",
    "Indices",
    "Run",
    "cell_table",
    "input_indices",
    "step_indices",
    "with_drawn",
]

Labels = npt.NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Run:
    """What the colours of a step are made from.

    Parameters
    ----------
    labels : ndarray of int32
        Raw labels of the cells in sight.
    whole : callable
        Gives those of the whole grid, shape (height, width), where trees are to be followed.
    colouring : Colouring
        The run's colours.
    components : ndarray of int32
        Number of the component of each cell in sight, 0 on background.
    """

    labels: Labels
    whole: Callable[[], Labels | None]
    colouring: Colouring
    components: Labels


def step_indices(kind: CellColours, cells: npt.NDArray[np.int64], run: Run) -> Indices:
    """Return the palette indices of the cells in sight after a step.

    Parameters
    ----------
    kind : CellColours
        What the colours say; not the input.
    cells : ndarray of int64
        Linear indices of the cells in sight.
    run : Run
        The step.

    Returns
    -------
    ndarray of uint8, of the shape of the cells
        Into the table of :func:`cell_table`.
    """
    colouring, labels = run.colouring, run.labels
    foreground = run.components != 0
    if kind is CellColours.COMPONENT:
        colours = colouring.component_colours[run.components]
        coloured: Indices = np.multiply(colours, foreground, dtype=np.uint8)
        return coloured
    if kind in {CellColours.DEPTH, CellColours.TREE}:
        whole = run.whole()
        if whole is not None and kind is CellColours.DEPTH:
            depths = forest.depths_of(forest.lookup_of(whole), colouring.layout, cells, DEEPEST)
            return depth_indices(depths, foreground)
        if whole is not None:
            labels = forest.tree_labels(whole, colouring.layout, cells)
    return label_indices(
        np.ascontiguousarray(labels), replace(colouring, components=run.components)
    )


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
