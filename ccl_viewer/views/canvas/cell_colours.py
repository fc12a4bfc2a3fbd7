"""Palette indices of the cells in sight, by whatever their colour is to say; NumPy alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import numpy.typing as npt

from ccl_viewer.pieces import bands
from ccl_viewer.plan import LabelLayout
from ccl_viewer.render import forest
from ccl_viewer.render.cell_table import DIMMED, LIT, Indices, cell_table, input_indices
from ccl_viewer.render.depths import DEEPEST, depth_indices
from ccl_viewer.render.palette import Colouring, label_indices
from ccl_viewer.session import CellColours

__all__ = [
    "DIMMED",
    "LIT",
    "FollowedWays",
    "Indices",
    "Run",
    "cell_table",
    "input_indices",
    "step_indices",
    "with_drawn",
]

Cells = npt.NDArray[np.int64]
Labels = npt.NDArray[np.int32]

FOLLOWING: Final = frozenset({CellColours.DEPTH, CellColours.TREE})
"""What is said by colours for which cells are followed to their roots."""

BAND_CELLS: Final = 1 << 17
"""Cells that are followed in one go: some milliseconds."""


@dataclass(frozen=True, eq=False)
class Run:
    """What the colours of a step are made from.

    Parameters
    ----------
    labels : ndarray of int32
        Raw labels of the cells in sight.
    followed : ndarray of int32, or None
        What was found on their ways to the roots, for colours that say it; None where that is not
        known yet.
    colouring : Colouring
        The run's colours.
    components : ndarray of int32
        Number of the component of each cell in sight, 0 on background.
    """

    labels: Labels
    followed: Labels | None
    colouring: Colouring
    components: Labels


class FollowedWays:
    """Follows the cells in sight to their roots, a band of them at a time.

    Parameters
    ----------
    kind : CellColours
        What is asked for, one of :data:`FOLLOWING`: depths, or the labels of roots.
    whole : ndarray of int32, shape (height, width)
        Raw labels of a step.
    layout : LabelLayout
        What they mean.
    cells : ndarray of int64, two-dimensional
        Linear indices of the cells in sight.
    """

    def __init__(self, kind: CellColours, whole: Labels, layout: LabelLayout, cells: Cells) -> None:
        self._kind, self._whole, self._layout, self._cells = kind, whole, layout, cells
        self._found = np.empty(cells.shape, np.int32)
        # Of a small grid all cells are followed at once, wherever they are.
        at_once = whole.size <= forest.WHOLE_GRID
        self._left: Iterator[slice] = bands(cells.shape, cells.size if at_once else BAND_CELLS)

    def catch_up(self) -> bool:
        """Follow some more cells; return whether all are followed."""
        rows = next(self._left, None)
        if rows is not None:
            self._found[rows] = self._follow(self._cells[rows])
        return rows is None or rows.stop >= self._cells.shape[0]

    def finish(self) -> Labels:
        """Follow all that are left; return depths or labels, of the shape of the cells."""
        while not self.catch_up():
            pass
        return self._found

    def _follow(self, cells: Cells) -> Labels:
        if self._kind is CellColours.DEPTH:
            return forest.depths_of(forest.lookup_of(self._whole), self._layout, cells, DEEPEST)
        return forest.tree_labels(self._whole, self._layout, cells)


def step_indices(kind: CellColours, run: Run) -> Indices:
    """Return the palette indices of the cells in sight after a step.

    Parameters
    ----------
    kind : CellColours
        What the colours say; not the input.
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
    if run.followed is not None and kind is CellColours.DEPTH:
        return depth_indices(run.followed, foreground)
    if run.followed is not None and kind is CellColours.TREE:
        labels = run.followed
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
