"""Editing a grid with undo and redo, without a window."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ccl_viewer.grids.grid import Grid, as_grid
from ccl_viewer.grids.strokes import Cells, Change, line_cells, paint

_SPARSE_BYTES = 10  # what a Change needs for a cell; two whole grids need two bytes for each


class _Edit(Protocol):
    """Something that can be done to a grid and undone; both return the grid that results."""

    def apply(self, grid: Grid, /) -> Grid: ...

    def revert(self, grid: Grid, /) -> Grid: ...


@dataclass(frozen=True, eq=False)
class _Replacement:
    """A whole grid in place of another; the sizes may differ."""

    old: Grid
    new: Grid

    def apply(self, _grid: Grid, /) -> Grid:
        return self.new.copy()

    def revert(self, _grid: Grid, /) -> Grid:
        return self.old.copy()


@dataclass(frozen=True)
class _Entry:
    """What one undo takes back: edits in the order in which they were made."""

    title: str
    edits: tuple[_Edit, ...]


@dataclass
class _Stroke:
    """A stroke that is being drawn."""

    title: str
    value: int
    brush: int
    last: tuple[int, int]
    changes: list[Change]


class GridEditor:
    """A grid that is edited, and the history of its edits.

    Every edit is one entry of the history, whatever the tool: a stroke from pressing to letting go,
    or a new grid as a whole. Entries hold the cells that changed, so that the history of a large
    grid stays small. A tool that computes its result needs no more than :meth:`replace`.

    Parameters
    ----------
    grid : array_like, shape (height, width)
        The grid to begin with; it is copied. Non-zero is foreground.

    Raises
    ------
    InputError
        If it is no grid.
    """

    def __init__(self, grid: object) -> None:
        self._grid = as_grid(grid)
        self._done: list[_Entry] = []
        self._undone: list[_Entry] = []
        self._stroke: _Stroke | None = None
        self._revision = 0

    @property
    def grid(self) -> Grid:
        """The grid as it is now: a read-only view, uint8 of shape (height, width).

        It follows later edits until one replaces the grid as a whole; copy it to keep it.
        """
        view = self._grid.view()
        view.flags.writeable = False
        return view

    @property
    def revision(self) -> int:
        """A number that grows whenever a cell changes."""
        return self._revision

    @property
    def drawing(self) -> bool:
        """Whether a stroke has begun and not ended."""
        return self._stroke is not None

    @property
    def can_undo(self) -> bool:
        """Whether there is an edit to take back."""
        return bool(self._done) or (self._stroke is not None and bool(self._stroke.changes))

    @property
    def can_redo(self) -> bool:
        """Whether there is an edit to make again."""
        return bool(self._undone)

    @property
    def undo_title(self) -> str | None:
        """What :meth:`undo` would take back, in words; None if nothing."""
        if self._stroke is not None and self._stroke.changes:
            return self._stroke.title
        return self._done[-1].title if self._done else None

    @property
    def redo_title(self) -> str | None:
        """What :meth:`redo` would make again, in words; None if nothing."""
        return self._undone[-1].title if self._undone else None

    def begin_stroke(self, y: int, x: int, value: int, brush: int = 1) -> None:
        """Put the pencil down.

        A stroke that is still being drawn ends first.

        Parameters
        ----------
        y, x : int
            Cell under the pencil; it may lie outside the grid.
        value : int
            0 to erase, 1 to draw.
        brush : int
            Diameter of the pencil in cells.

        Raises
        ------
        InputError
            If there is no such brush.
        """
        self.end_stroke()
        stroke = _Stroke("Draw" if value else "Erase", value, brush, (y, x), [])
        self._paint(stroke, np.array([[y, x]], np.int64))
        self._stroke = stroke

    def extend_stroke(self, y: int, x: int) -> None:
        """Draw a straight line from the pencil's last cell to another; without a stroke, nothing.

        Parameters
        ----------
        y, x : int
            Cell under the pencil; it may lie outside the grid.
        """
        stroke = self._stroke
        if stroke is None:
            return
        self._paint(stroke, line_cells(*stroke.last, y, x))
        stroke.last = (y, x)

    def end_stroke(self) -> bool:
        """Lift the pencil: the stroke becomes one entry of the history.

        Returns
        -------
        bool
            Whether the stroke changed any cell; one that did not leaves no entry.
        """
        stroke, self._stroke = self._stroke, None
        if stroke is None or not stroke.changes:
            return False
        self._record(_Entry(stroke.title, tuple(stroke.changes)))
        return True

    def cancel_stroke(self) -> None:
        """Take back the stroke that is being drawn, as if it had never begun."""
        stroke, self._stroke = self._stroke, None
        if stroke is not None and stroke.changes:
            self._revert(tuple(stroke.changes))

    def replace(self, grid: object, title: str = "Replace") -> bool:
        """Put another grid, of any size, in place of this one.

        Parameters
        ----------
        grid : array_like, shape (height, width)
            The new grid; it is copied. Non-zero is foreground.
        title : str
            What this edit is called when it is undone.

        Returns
        -------
        bool
            Whether any cell changed; an edit that changes nothing leaves no entry.

        Raises
        ------
        InputError
            If it is no grid.
        """
        new = as_grid(grid)
        self.end_stroke()
        edit = _difference(self._grid, new)
        if edit is None:
            return False
        self._apply((edit,))
        self._record(_Entry(title, (edit,)))
        return True

    def clear(self) -> bool:
        """Make all cells background; return whether any changed."""
        return self.replace(np.zeros_like(self._grid), "Clear")

    def invert(self) -> bool:
        """Exchange foreground and background; return whether any cell changed."""
        return self.replace(self._grid == 0, "Invert")

    def undo(self) -> bool:
        """Take back the last edit; a stroke being drawn ends first and is the last edit then.

        Returns
        -------
        bool
            Whether there was one.
        """
        self.end_stroke()
        if not self._done:
            return False
        entry = self._done.pop()
        self._revert(entry.edits)
        self._undone.append(entry)
        return True

    def redo(self) -> bool:
        """Make the edit again that was taken back last; a stroke being drawn ends first.

        Returns
        -------
        bool
            Whether there was one. A new edit leaves none.
        """
        self.end_stroke()
        if not self._undone:
            return False
        entry = self._undone.pop()
        self._apply(entry.edits)
        self._done.append(entry)
        return True

    def _paint(self, stroke: _Stroke, cells: Cells) -> None:
        change = paint(self._grid, cells, stroke.value, stroke.brush)
        if change.indices.size:
            stroke.changes.append(change)
            self._revision += 1

    def _record(self, entry: _Entry) -> None:
        self._done.append(entry)
        self._undone.clear()

    def _apply(self, edits: tuple[_Edit, ...]) -> None:
        for edit in edits:
            self._grid = edit.apply(self._grid)
        self._revision += 1

    def _revert(self, edits: tuple[_Edit, ...]) -> None:
        for edit in reversed(edits):
            self._grid = edit.revert(self._grid)
        self._revision += 1


def _difference(old: Grid, new: Grid) -> _Edit | None:
    """Return the edit that makes one grid of the other, in its smaller form; None if equal."""
    if old.shape != new.shape:
        return _Replacement(old.copy(), new)
    indices = np.flatnonzero(old != new)
    if indices.size == 0:
        return None
    if indices.size * _SPARSE_BYTES > 2 * old.size:
        return _Replacement(old.copy(), new)
    return Change(indices, old.flat[indices], new.flat[indices])
