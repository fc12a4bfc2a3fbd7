"""The way from a cell to its root, along labels of which few are decoded."""

from __future__ import annotations

from typing import Final

import numpy as np

from ccl_viewer.plan import LabelLayout
from ccl_viewer.render.forest import NO_CELL, Lookup, parents_of
from ccl_viewer.session.state import Cell

_LONGEST: Final = 5_000

_NEAR: Final = 32
"""Cells to each side of one that are looked up with it, where the chain goes in small steps."""


def parent_chain(labels: Lookup, layout: LabelLayout, cell: Cell) -> tuple[Cell, ...]:
    """Return the cells from a cell's parent to its root.

    Parameters
    ----------
    labels : callable
        Gives raw labels of a step.
    layout : LabelLayout
        What they mean.
    cell : tuple of int
        Column and row.

    Returns
    -------
    tuple of (int, int)
        Columns and rows. A chain that runs in circles or leaves the grid, as that of a faulty run
        may, ends where it does.
    """
    chain: list[Cell] = []
    seen = set[Cell]()
    parents = _Parents(labels, layout)
    while len(chain) < _LONGEST:
        above = parents.of(cell)
        if above is None or above in seen:
            break
        chain.append(above)
        seen.add(above)
        if above == cell:
            break
        cell = above
    return tuple(chain)


class _Parents:
    """Looks up the parents of the cells of a chain, one after the other.

    To look up a single cell of a large grid takes tens of microseconds, and a grid that is all
    foreground has chains of thousands of cells, each beside the one before. So after a small step
    all cells around are looked up at once.

    Parameters
    ----------
    labels : callable
        Gives raw labels of a step.
    layout : LabelLayout
        What they mean.
    """

    def __init__(self, labels: Lookup, layout: LabelLayout) -> None:
        self._labels = labels
        self._layout = layout
        self._last: Cell | None = None
        self._corner: Cell = (0, 0)
        self._around: list[list[int]] = []

    def of(self, cell: Cell) -> Cell | None:
        """Return the cell that a cell points at; None if it has no label or leaves the grid."""
        last, self._last = self._last, cell
        if not self._knows(cell):
            near = last is not None and max(abs(cell[0] - last[0]), abs(cell[1] - last[1])) <= _NEAR
            self._look_up(cell, _NEAR if near else 0)
        parent = self._around[cell[1] - self._corner[1]][cell[0] - self._corner[0]]
        if parent == NO_CELL:
            return None
        y, x = divmod(parent, self._layout.width)
        return x, y

    def _knows(self, cell: Cell) -> bool:
        column, row = cell[0] - self._corner[0], cell[1] - self._corner[1]
        return 0 <= row < len(self._around) and 0 <= column < len(self._around[0])

    def _look_up(self, cell: Cell, reach: int) -> None:
        (x, y), layout = cell, self._layout
        columns = np.arange(max(x - reach, 0), min(x + reach + 1, layout.width))
        rows = np.arange(max(y - reach, 0), min(y + reach + 1, layout.height))
        around = rows[:, None] * layout.width + columns
        self._corner = int(columns[0]), int(rows[0])
        self._around = parents_of(self._labels, layout, around).tolist()
