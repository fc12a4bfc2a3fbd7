"""What a recording says of one cell, and of the whole run, in words."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ccl_viewer.grids import Grid
from ccl_viewer.grids.specs import is_pattern, parse_pattern
from ccl_viewer.recording import Recording
from ccl_viewer.render.forest import Lookup
from ccl_viewer.session.showing.components import ComponentInfo, ComponentTable
from ccl_viewer.session.showing.parent_chain import parent_chain
from ccl_viewer.session.state import Cell, RunStatus, Standing


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
        The raw label, as the paper writes it; None without a recording.
    chain : tuple of (int, int)
        The cells that are met on the way to the root along the labels: the parent first, the root
        last; empty if the cell has no label.
    component : ComponentInfo or None
        Its component in the end; None on background, and while a run is in progress.
    along : str
        The array beside the labels whose numbers are shown, if it names cells; empty for labels.
    way : tuple of (int, int)
        The cells that are met along that array, as `chain` has them of the labels.
    """

    cell: Cell
    value: int
    label: int | None = None
    chain: tuple[Cell, ...] = ()
    component: ComponentInfo | None = None
    along: str = ""
    way: tuple[Cell, ...] = ()

    @property
    def drawn(self) -> tuple[Cell, ...]:
        """The way that agrees with the numbers and arrows in the cells."""
        return self.way if self.along else self.chain

    @property
    def parent(self) -> Cell | None:
        """The cell that this one points at, as is drawn."""
        return self.drawn[0] if self.drawn else None

    @property
    def root(self) -> Cell | None:
        """The last cell of the way that is drawn."""
        return self.drawn[-1] if self.drawn else None


def title_of(spec: str) -> str:
    """Return a short name of a grid: the pattern's title or the file's name.

    Raises
    ------
    InputError
        If there is no such pattern.
    """
    return parse_pattern(spec)[0].title if is_pattern(spec) else Path(spec).name


def inspect_cell(
    grid: Grid | None,
    labels: Lookup | None,
    recording: Recording | None,
    table: ComponentTable | None,
    cell: Cell,
) -> CellInfo:
    """Return what there is to know of a cell.

    Parameters
    ----------
    grid : ndarray of uint8, shape (height, width), or None
        The grid; None is background alone, as is all outside it.
    labels : callable or None
        Gives raw labels of the step on display.
    recording : Recording or None
        The run that they are of.
    table : ComponentTable or None
        Its components.
    cell : tuple of int
        Column and row.
    """
    x, y = cell
    if grid is None or not (0 <= x < grid.shape[1] and 0 <= y < grid.shape[0]):
        return CellInfo(cell, 0)  # the eye may still be where the grid before was larger
    value = int(grid[y, x])
    if recording is None or labels is None or recording.image.shape != grid.shape:
        return CellInfo(cell, value)
    place = np.array([y * grid.shape[1] + x])
    return CellInfo(
        cell,
        value,
        int(labels(place)[0]),
        parent_chain(labels, recording.layout, cell),
        None if table is None else table.at(cell),
    )


def describe_run(recording: Recording | None, *, busy: bool) -> RunStatus:
    """Return what there is to say of a run: how it stands and how it ended."""
    if recording is None:
        return RunStatus(Standing.NONE, "")
    found = recording.verdict
    if found is None:
        if busy:
            return RunStatus(Standing.BUSY, "Running")
        return RunStatus(Standing.WARNING, recording.failure or "Not finished")
    brief = found.brief if recording.converged else "Stopped before convergence"
    if not found.correct:
        return RunStatus(Standing.ERROR, recording.sentence, brief)
    if not recording.converged:
        return RunStatus(Standing.WARNING, recording.sentence, brief)
    return RunStatus(Standing.OK, recording.sentence)
