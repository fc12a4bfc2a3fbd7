"""Facts about one cell: its label, its path to the root, when it changes."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from ccl_viewer.execution.plan import LabelLayout
from ccl_viewer.grids.shapes import Cell
from ccl_viewer.lessons.hidden_answers import HiddenInformation
from ccl_viewer.recording import Recording
from ccl_viewer.recording.partial_frames import ChosenCells
from ccl_viewer.render.forest import NO_CELL, Lookup, find_parents
from ccl_viewer.render.geometry import TIMES
from ccl_viewer.render.layers import shown_array_name
from ccl_viewer.support.cancellation import Check, never_cancel
from ccl_viewer.support.units import counted

if TYPE_CHECKING:
    from ccl_viewer.grids import Grid
    from ccl_viewer.window.core.labels import LabelCache
    from ccl_viewer.window.core.run_display import ComponentInfo, RunDisplay

_LONGEST: Final = 5_000
_NEAR: Final = 32
"""A path in small steps is followed in a window of this many cells to each side."""

_DOT: Final = "   \N{MIDDLE DOT}   "


@dataclass(frozen=True)
class CellInfo:
    """A cell at the step on display.

    The label is raw, as the paper writes it; None without a run of this grid. `unlabelled` says
    that the array holds the paper's value for background. `path` has the cells on the way to the
    root, from the parent on; `along` names the array beside the labels that it follows. The
    component is None on background and while a run is in progress.
    """

    cell: Cell
    value: int
    label: int | None = None
    along: str = ""
    path: tuple[Cell, ...] = ()
    component: ComponentInfo | None = None
    unlabelled: bool = False

    @property
    def root(self) -> Cell | None:
        return self.path[-1] if self.path else None

    @property
    def text(self) -> str:
        x, y = self.cell
        facts = [f"x {x}, y {y}"]
        if self.value > 1:
            facts.append(f"value {self.value}")
        elif not self.value or self.label is None:
            facts.append("foreground" if self.value else "background")
        if self.label is not None and not self.unlabelled:
            facts.append(f"label {self.label}")
        elif self.unlabelled and self.value:
            facts.append("no label yet")
        if self.root is not None:
            facts.append(self._path_text())
        if self.component is not None:
            left, top, right, bottom = self.component.bounds
            box = f"{right - left:,} {TIMES} {bottom - top:,} at ({left}, {top})"
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
    cell: Cell,
    grid: Grid | None,
    display: RunDisplay,
    labels: LabelCache,
    numbers: str = "",
    hidden: Collection[HiddenInformation] = (),
) -> CellInfo:
    """Return the facts about a cell of the current grid at the step on display.

    `numbers` says what the numbers in the cells show, as in the layers; the path follows the same
    array. What would answer an open question is left out.
    """
    x, y = cell
    if grid is None or not (0 <= x < grid.shape[1] and 0 <= y < grid.shape[0]):
        return CellInfo(cell, 0)
    value, recording = int(grid[y, x]), display.recording
    if recording is None or recording.image.shape != grid.shape:
        return CellInfo(cell, value)
    lookup = labels.make_label_lookup(recording, display.index)
    label = int(lookup(np.array([y * grid.shape[1] + x]))[0])
    along = shown_array_name(numbers, recording.references)
    pointers = labels.make_label_lookup(recording, display.index, along) if along else lookup
    path = (
        () if HiddenInformation.PATHS in hidden else path_to_root(pointers, recording.layout, cell)
    )
    # Component numbers give away the count, and a root is often in a corner of a box.
    table = display.component_table
    if HiddenInformation.COUNTS in hidden or HiddenInformation.PATHS in hidden:
        table = None
    component = None if table is None else table.component_at(cell)
    unlabelled = label == recording.layout.background
    return CellInfo(cell, value, label, along, path, component, unlabelled)


def path_to_root(labels: Lookup, layout: LabelLayout, cell: Cell) -> tuple[Cell, ...]:
    """Return the cells from a cell's parent to its root, as raw labels and their layout give them.

    The path of a faulty run may run in circles or leave the grid: it ends there.
    """
    width, height = layout.width, layout.height
    path: list[Cell] = []
    visited = set[int]()
    parents: list[list[int]] = [[]]  # of a window of cells: one call for many is faster
    left = top = reach = 0
    x, y = cell
    while len(path) < _LONGEST:
        if not (0 <= y - top < len(parents) and 0 <= x - left < len(parents[0])):
            rows = np.arange(max(y - reach, 0), min(y + reach + 1, height))
            columns = np.arange(max(x - reach, 0), min(x + reach + 1, width))
            top, left = int(rows[0]), int(columns[0])
            parents = find_parents(labels, layout, rows[:, None] * width + columns).tolist()
        parent = parents[y - top][x - left]
        if parent == NO_CELL or parent in visited:
            break
        visited.add(parent)
        above_y, above_x = divmod(parent, width)
        path.append((above_x, above_y))
        if (above_x, above_y) == (x, y):
            break
        reach = _NEAR if max(abs(above_x - x), abs(above_y - y)) <= _NEAR else 0
        x, y = above_x, above_y
    return tuple(path)


def next_step_that_changes(
    recording: Recording, index: int, cell: Cell, check: Check = never_cancel
) -> int | None:
    """Return the next step that changes the label of a cell; None if no step does.

    `check` is called once for each step.
    """
    chosen = ChosenCells.of(np.array([cell[1] * recording.image.shape[1] + cell[0]]))
    value = recording.read_cells(index, chosen)
    for step in range(index + 1, len(recording)):
        check()
        new_value = recording.read_cells(step, chosen, (step - 1, value))
        if new_value[0] != value[0]:
            return step
    return None


def next_in_raster_order(
    cells: npt.NDArray[np.int64], width: int, after: Cell | None
) -> Cell | None:
    """Return the next of some cells in raster order; after the last comes the first.

    Cells are linear indices in rising order, in a grid `width` cells wide. None without cells.
    """
    if not cells.size:
        return None
    start = -1 if after is None else after[1] * width + after[0]
    index = int(np.searchsorted(cells, start, side="right"))
    y, x = divmod(int(cells[index % cells.size]), width)
    return x, y
