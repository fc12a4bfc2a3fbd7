"""A grid that can be edited, with undo and redo, without a window."""

from __future__ import annotations

import itertools
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from ccl_viewer.grids.brush import Cells, Change, paint_cells
from ccl_viewer.grids.edits import Edit, Replacement, diff_grids, merge_changes
from ccl_viewer.grids.grid import Grid, as_grid, as_segments
from ccl_viewer.grids.shapes import sweep_line

_OTHERS_KEPT: Final = 3
"""Number of whole grids kept for undo and redo; each takes a byte per cell."""

_REVISIONS: Final = itertools.count(1)


@dataclass(frozen=True, eq=False)
class UndoEntry:
    """One entry of the history, which one undo takes back.

    Parameters
    ----------
    title : str
        Its name, for the user.
    edit : Edit or None
        How cells changed; None if no cell did.
    before, after : bool
        Whether the grid was multi-valued before and after the edit.
    revision : int
        Revision of the cells after it.
    work : bool
        Whether the user would lose work without it: drawn cells are work, an empty grid is not.
    """

    title: str
    edit: Edit | None
    before: bool
    after: bool
    revision: int
    work: bool = True


@dataclass
class _Stroke:
    """A stroke that is being drawn."""

    title: str
    value: int
    brush: int
    last: tuple[int, int]
    changes: list[Change]


class GridEditor:
    """A grid with a history of its edits.

    Every edit is one entry of the history: a stroke from press to release, or a whole new grid.
    Entries hold the cells that changed, or at most two bits per cell (two bytes if the grid is
    multi-valued), so that the history of a large grid stays small. A tool that computes its result
    only needs :meth:`replace`.

    Parameters
    ----------
    grid : array_like, shape (height, width)
        The first grid; it is copied. Non-zero is foreground.
    multivalued : bool
        Whether the values of the foreground are kept; otherwise they become 1.
    unsaved : bool
        Whether the first grid is at risk because it is in no file.

    Raises
    ------
    InputError
        If `grid` is not a grid.
    """

    def __init__(self, grid: object, *, multivalued: bool = False, unsaved: bool = False) -> None:
        self._multivalued = multivalued
        self._never_kept = unsaved
        self._grid = self._convert(grid, multivalued)
        self._done: list[UndoEntry] = []
        self._undone: list[UndoEntry] = []
        # The grids before or after the last replacements, so that they need no unpacking.
        self._others: OrderedDict[UndoEntry, Grid] = OrderedDict()
        self._kept: UndoEntry | None = None
        self._stroke: _Stroke | None = None
        self._first = self._revision = next(_REVISIONS)

    @property
    def grid(self) -> Grid:
        """The grid as it is now: a read-only view, uint8 of shape (height, width).

        It shows later edits until one replaces the whole grid, and again when that edit is undone.
        Copy it to keep it.
        """
        view = self._grid.view()
        view.flags.writeable = False
        return view

    @property
    def multivalued(self) -> bool:
        """Whether only cells of equal value connect; undo and redo restore it too."""
        return self._multivalued

    @property
    def revision(self) -> int:
        """Number of the cells' state, unique among all editors; undo restores it."""
        return self._revision

    @property
    def is_drawing(self) -> bool:
        """Whether a stroke is being drawn."""
        return self._stroke is not None

    @property
    def last_edit(self) -> UndoEntry | None:
        """The edit that made the present grid, for :meth:`mark_saved`; None at the beginning."""
        return self._done[-1] if self._done else None

    @property
    def at_risk(self) -> bool:
        """Whether there are edits since the first grid and since the grid was kept last.

        Undo and redo to one of these points make it False again. If the first grid was unsaved, it
        is at risk until it is kept.
        """
        if self._never_kept or (self._stroke is not None and self._stroke.changes):
            return True
        if self._kept is self.last_edit or not any(entry.work for entry in self._done):
            return False
        history = [*self._done, *reversed(self._undone)]
        kept_index = 0 if self._kept is None else _find_entry(self._kept, history)
        current = len(self._done)
        return kept_index is None or any(
            entry.work for entry in history[min(kept_index, current) : max(kept_index, current)]
        )

    def mark_saved(self, point: UndoEntry | None) -> None:
        """Record that the grid as it was at a point is safe, in a file for example."""
        self._kept = point
        self._never_kept = False

    @property
    def can_undo(self) -> bool:
        """Whether there is an edit to undo."""
        return bool(self._done) or (self._stroke is not None and bool(self._stroke.changes))

    @property
    def can_redo(self) -> bool:
        """Whether there is an edit to redo."""
        return bool(self._undone)

    @property
    def undo_title(self) -> str | None:
        """Title of the edit that :meth:`undo` would take back, or None."""
        if self._stroke is not None and self._stroke.changes:
            return self._stroke.title
        return self._done[-1].title if self._done else None

    @property
    def redo_title(self) -> str | None:
        """Title of the edit that :meth:`redo` would make again, or None."""
        return self._undone[-1].title if self._undone else None

    def begin_stroke(self, y: int, x: int, value: int, brush: int = 1) -> None:
        """Begin a stroke.

        A stroke that is still being drawn ends first.

        Parameters
        ----------
        y, x : int
            Cell under the pencil; it may be outside the grid.
        value : int
            0 to erase, 1 to draw; up to 255 in a multi-valued grid.
        brush : int
            Diameter of the pencil in cells.

        Raises
        ------
        InputError
            If the brush is too small or too large.
        """
        self.end_stroke()
        stroke = _Stroke("Draw" if value else "Erase", value, brush, (y, x), [])
        self._paint(stroke, (y, x))
        self._stroke = stroke

    def extend_stroke(self, y: int, x: int) -> None:
        """Draw a straight line from the pencil's last cell to another, if there is a stroke.

        Parameters
        ----------
        y, x : int
            Cell under the pencil; it may be outside the grid.
        """
        stroke = self._stroke
        if stroke is None:
            return
        self._paint(stroke, (y, x))
        stroke.last = (y, x)

    def end_stroke(self) -> bool:
        """End the stroke, which becomes one entry of the history.

        Returns
        -------
        bool
            Whether the stroke changed any cell; otherwise there is no entry.
        """
        stroke, self._stroke = self._stroke, None
        if stroke is None or not stroke.changes:
            return False
        self._record(stroke.title, merge_changes(stroke.changes, self._grid))
        return True

    def cancel_stroke(self) -> None:
        """Undo the stroke that is being drawn and end it."""
        stroke, self._stroke = self._stroke, None
        if stroke is not None and stroke.changes:
            for change in stroke.changes:
                change.revert(self._grid)
            self._revision = self._last_recorded

    def replace(
        self,
        grid: object,
        title: str = "Replace",
        *,
        multivalued: bool | None = None,
        work: bool = True,
    ) -> bool:
        """Put another grid, of any size, in place of this one.

        Parameters
        ----------
        grid : array_like, shape (height, width)
            The new grid; it is copied. Non-zero is foreground.
        title : str
            Name of this edit when it is undone.
        multivalued : bool or None
            Whether the grid is multi-valued from now on; None keeps the setting.
        work : bool
            Whether the user would lose work without it.

        Returns
        -------
        bool
            Whether any cell changed; otherwise there is no entry.

        Raises
        ------
        InputError
            If `grid` is not a grid.
        """
        is_multivalued = self._multivalued if multivalued is None else multivalued
        new = self._convert(grid, is_multivalued)
        self.end_stroke()
        edit = diff_grids(self._grid, new)
        return self.apply_edit(edit, title, multivalued=multivalued, work=work)

    def apply_edit(
        self,
        edit: Edit | None,
        title: str,
        *,
        multivalued: bool | None = None,
        work: bool = True,
        made: Grid | None = None,
    ) -> bool:
        """Make an edit that was computed for the grid as it is now.

        Parameters
        ----------
        edit : Edit or None
            What :func:`ccl_viewer.grids.edits.diff_grids` returned.
        title : str
            Name of this edit when it is undone.
        multivalued : bool or None
            As for :meth:`replace`.
        work : bool
            Whether the user would lose work without it.
        made : ndarray of uint8, shape (height, width), or None
            The grid after the edit, if the caller has it; the editor takes it over.

        Returns
        -------
        bool
            Whether any cell changed, or whether the grid is multi-valued.
        """
        self.end_stroke()
        after = self._multivalued if multivalued is None else multivalued
        if edit is None and after == self._multivalued:
            return False
        before = self._grid
        if edit is not None:
            self._grid = edit.apply(before) if made is None else made
            self._revision = next(_REVISIONS)
        entry = self._record(title, edit, after, work=work and edit is not None)
        if isinstance(edit, Replacement):
            self._keep_other(entry, before)
        return True

    def paint(self, indices: Cells, value: int, title: str) -> bool:
        """Give cells a value.

        Parameters
        ----------
        indices : ndarray of int64, shape (n,)
            Linear index ``y * width + x`` of each cell, each once.
        value : int
            Their new value.
        title : str
            Name of this edit when it is undone.

        Returns
        -------
        bool
            Whether any cell changed.
        """
        self.end_stroke()
        change = paint_cells(self._grid, indices, value)
        if not change.indices.size:
            return False
        self._revision = next(_REVISIONS)
        self._record(title, merge_changes([change], self._grid))
        return True

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
        self._multivalued, self._revision = entry.before, self._last_recorded
        if entry.edit is not None:
            self._move_to(entry, entry.edit, entry.edit.revert)
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
        self._multivalued, self._revision = entry.after, entry.revision
        if entry.edit is not None:
            self._move_to(entry, entry.edit, entry.edit.apply)
        self._done.append(entry)
        return True

    def _move_to(self, entry: UndoEntry, edit: Edit, make: Callable[[Grid], Grid]) -> None:
        """Go to the other side of an entry of the history."""
        current, other = self._grid, self._others.pop(entry, None)
        self._grid = make(current) if other is None else other
        if isinstance(edit, Replacement):
            self._keep_other(entry, current)

    def _keep_other(self, entry: UndoEntry, grid: Grid) -> None:
        self._others[entry] = grid
        if len(self._others) > _OTHERS_KEPT:
            self._others.popitem(last=False)

    def _paint(self, stroke: _Stroke, cell: tuple[int, int]) -> None:
        indices = sweep_line(stroke.last, cell, stroke.brush).indices(self._grid.shape)
        change = paint_cells(self._grid, indices, stroke.value)
        if change.indices.size:
            stroke.changes.append(change)
            self._revision = next(_REVISIONS)

    @property
    def _last_recorded(self) -> int:
        return self._done[-1].revision if self._done else self._first

    def _record(
        self, title: str, edit: Edit | None, after: bool | None = None, *, work: bool = True
    ) -> UndoEntry:
        before = self._multivalued
        self._multivalued = before if after is None else after
        entry = UndoEntry(title, edit, before, self._multivalued, self._revision, work)
        self._done.append(entry)
        for undone in self._undone:
            self._others.pop(undone, None)
        self._undone.clear()
        return entry

    @staticmethod
    def _convert(grid: object, multivalued: bool) -> Grid:
        return as_segments(grid) if multivalued else as_grid(grid)


def _find_entry(entry: UndoEntry, history: list[UndoEntry]) -> int | None:
    """Return the position of an entry in a history, or None if it is gone."""
    return next((index for index, other in enumerate(history, 1) if other is entry), None)
