"""What there is to know of one cell: its label, its path to the root, when it changes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from ccl_viewer.cancellation import Check, unchecked
from ccl_viewer.counted import counted
from ccl_viewer.plan import LabelLayout
from ccl_viewer.recording import Recording
from ccl_viewer.recording.peek import Chosen
from ccl_viewer.render.forest import NO_CELL, Lookup, parents_of
from ccl_viewer.render.layers import array_of
from ccl_viewer.session.viewport import Cell

if TYPE_CHECKING:
    from ccl_viewer.grids import Grid
    from ccl_viewer.session.display import ComponentInfo, RunDisplay
    from ccl_viewer.session.labels import LabelCache

_LONGEST: Final = 5_000
_NEAR: Final = 32
"""Cells to each side of one that are looked up with it, where a path goes in small steps."""

_DOT: Final = "   \N{MIDDLE DOT}   "
_TIMES: Final = "\N{MULTIPLICATION SIGN}"


@dataclass(frozen=True)
class CellInfo:
    """A cell at the step on display.

    Parameters
    ----------
    cell : tuple of int
        Column and row.
    value : int
        Its value in the grid.
    label : int or None
        The raw label, as the paper writes it; None without a run of this grid.
    along : str
        The array beside the labels that the path follows; empty for the labels.
    path : tuple of (int, int)
        The cells on the way to the root: the parent first, the root last; empty without a label.
    component : ComponentInfo or None
        Its component in the end; None on background and while a run is in progress.
    """

    cell: Cell
    value: int
    label: int | None = None
    along: str = ""
    path: tuple[Cell, ...] = ()
    component: ComponentInfo | None = None

    @property
    def parent(self) -> Cell | None:
        """The cell that this one points at."""
        return self.path[0] if self.path else None

    @property
    def root(self) -> Cell | None:
        """The last cell of the path."""
        return self.path[-1] if self.path else None

    @property
    def text(self) -> str:
        """All of it in a line."""
        x, y = self.cell
        facts = [f"x {x}, y {y}"]
        if self.value > 1:
            facts.append(f"value {self.value}")
        elif not self.value or self.label is None:
            facts.append("foreground" if self.value else "background")
        if self.label is not None:
            facts.append(f"label {self.label}")
        if self.root is not None:
            facts.append(self._path_text())
        if self.component is not None:
            left, top, right, bottom = self.component.box
            box = f"{right - left:,} {_TIMES} {bottom - top:,} at ({left}, {top})"
            area = counted(self.component.area, "cell")
            facts.append(f"component {self.component.number:,}: {area}, box {box}")
        return _DOT.join(facts)

    def _path_text(self) -> str:
        along = f"by {self.along}: " if self.along else ""
        if self.root == self.cell:
            return f"{along}root"
        (px, py), (rx, ry) = self.path[0], self.path[-1]
        if len(self.path) == 1:
            return f"{along}points to the root ({rx}, {ry})"
        steps = counted(len(self.path), "step")
        return f"{along}points to ({px}, {py}), root ({rx}, {ry}) after {steps}"


def inspect_cell(
    cell: Cell, grid: Grid | None, display: RunDisplay, labels: LabelCache, numbers: str = ""
) -> CellInfo:
    """Return what there is to know of a cell at the step on display.

    Parameters
    ----------
    cell : tuple of int
        Column and row.
    grid : ndarray of uint8, shape (height, width), or None
        The grid as it is now.
    display : RunDisplay
        The run.
    labels : LabelCache
        Decodes its labels.
    numbers : str
        What the numbers in the cells show, as layers have it: the path follows that.
    """
    x, y = cell
    if grid is None or not (0 <= x < grid.shape[1] and 0 <= y < grid.shape[0]):
        return CellInfo(cell, 0)
    value, recording = int(grid[y, x]), display.recording
    if recording is None or recording.image.shape != grid.shape:
        return CellInfo(cell, value)
    lookup = labels.lookup(recording, display.index)
    label = int(lookup(np.array([y * grid.shape[1] + x]))[0])
    along = array_of(numbers, recording.references)
    pointers = labels.lookup(recording, display.index, along) if along else lookup
    path = path_to_root(pointers, recording.layout, cell)
    table = display.components
    return CellInfo(cell, value, label, along, path, None if table is None else table.at(cell))


def path_to_root(labels: Lookup, layout: LabelLayout, cell: Cell) -> tuple[Cell, ...]:
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
        Columns and rows. A path that runs in circles or leaves the grid, as that of a faulty run
        may, ends where it does.
    """
    path: list[Cell] = []
    seen = set[Cell]()
    parents = _Parents(labels, layout)
    while len(path) < _LONGEST:
        above = parents.of(cell)
        if above is None or above in seen:
            break
        path.append(above)
        seen.add(above)
        if above == cell:
            break
        cell = above
    return tuple(path)


class _Parents:
    """Looks up the parents of the cells of a path, one after the other.

    To look up a single cell of a large grid takes tens of microseconds, and a path may have
    thousands of cells, each beside the one before: after a small step, all cells around are
    looked up at once.
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
        column, row = cell[0] - self._corner[0], cell[1] - self._corner[1]
        if not (0 <= row < len(self._around) and 0 <= column < len(self._around[0])):
            near = last is not None and max(abs(cell[0] - last[0]), abs(cell[1] - last[1])) <= _NEAR
            self._look_up(cell, _NEAR if near else 0)
        parent = self._around[cell[1] - self._corner[1]][cell[0] - self._corner[0]]
        if parent == NO_CELL:
            return None
        y, x = divmod(parent, self._layout.width)
        return x, y

    def _look_up(self, cell: Cell, reach: int) -> None:
        (x, y), layout = cell, self._layout
        columns = np.arange(max(x - reach, 0), min(x + reach + 1, layout.width))
        rows = np.arange(max(y - reach, 0), min(y + reach + 1, layout.height))
        around = rows[:, None] * layout.width + columns
        self._corner = int(columns[0]), int(rows[0])
        self._around = parents_of(self._labels, layout, around).tolist()


def next_step_that_changes(
    recording: Recording, index: int, cell: Cell, layer: str = "", check: Check = unchecked
) -> int | None:
    """Return the next step after one that changes the value of a cell; None if none does.

    Parameters
    ----------
    recording : Recording
        The run.
    index : int
        The step, from 0.
    cell : tuple of int
        Column and row.
    layer : str
        An array beside the labels to look at; empty for the labels.
    check : callable
        Called once a step; what it raises ends the work.
    """
    chosen = Chosen.of(np.array([cell[1] * recording.image.shape[1] + cell[0]]))
    name = layer or None
    value = recording.peek(index, chosen, layer=name)
    for step in range(index + 1, len(recording)):
        check()
        found = recording.peek(step, chosen, (step - 1, value), name)
        if found[0] != value[0]:
            return step
    return None


def next_changed_cell(
    changed: npt.NDArray[np.int64], width: int, after: Cell | None
) -> Cell | None:
    """Return the next changed cell in raster order; None if there is none.

    Parameters
    ----------
    changed : ndarray of int64
        Linear indices of the changed cells, rising.
    width : int
        Columns of the grid.
    after : tuple of int or None
        The cell to begin behind; behind the last, it begins again at the first.
    """
    if not changed.size:
        return None
    start = -1 if after is None else after[1] * width + after[0]
    place = int(np.searchsorted(changed, start, side="right"))
    y, x = divmod(int(changed[place % changed.size]), width)
    return x, y
