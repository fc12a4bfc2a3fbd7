"""The grid of a session and what edits it: strokes, shapes, whole-grid edits, undo and redo."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from contextlib import AbstractContextManager, nullcontext
from typing import TypeAlias

from ccl_viewer.grids import Grid, transforms
from ccl_viewer.grids.editing import GridEditor
from ccl_viewer.grids.edits import Edit, change_in, difference
from ccl_viewer.grids.shapes import Box, Spans
from ccl_viewer.grids.transforms import Anchor, Transform, within
from ccl_viewer.session.editing.work import EditingWork, Start, in_one_value
from ccl_viewer.session.jobs.job import Job
from ccl_viewer.session.state import Cell

AT_ONCE_CELLS = 1 << 16
"""Edits of a whole grid of up to this many cells are made at once, larger ones by the worker."""

Around: TypeAlias = Callable[[], AbstractContextManager[object]]
"""Makes the context in which something is done."""


class Drawing:
    """The grid, and every way to edit it; each edit can be undone.

    Every change calls `edited`; the end of an edit that changed anything calls `touched` as well.
    Before there is a grid, nothing does anything, except :meth:`new`.

    Parameters
    ----------
    edited, touched : callable
        Told that cells changed; told that an edit is whole.
    start : callable or None
        Starts the work of edits that take long; None makes every edit at once.
    refuse : callable
        Told, in a sentence, why an edit that took long was not made.
    """

    def __init__(
        self,
        edited: Callable[[], object],
        touched: Callable[[], object],
        start: Start | None = None,
        refuse: Callable[[str], object] = lambda _sentence: None,
    ) -> None:
        self._refuse = refuse
        self._edited = edited
        self._touched = touched
        self._start = start
        self._past = 0
        self._editor: GridEditor | None = None
        self._grid: Grid | None = None

    @property
    def grid(self) -> Grid | None:
        """The grid, ``uint8`` of shape (height, width), read-only; None before the first."""
        return self._grid

    @property
    def editor(self) -> GridEditor | None:
        """The grid with its history."""
        return self._editor

    @property
    def revision(self) -> int:
        """A number that grows whenever a cell changes, or the grid is another."""
        return self._past + (0 if self._editor is None else self._editor.revision)

    @property
    def version(self) -> Hashable:
        """Stands for the cells as they are; a grid that was put away comes back with its own."""
        return self._editor, 0 if self._editor is None else self._editor.revision

    @property
    def multivalued(self) -> bool:
        """Whether the values of the foreground are told apart."""
        return self._editor is not None and self._editor.multivalued

    @property
    def drawing(self) -> bool:
        """Whether the pencil is down."""
        return self._editor is not None and self._editor.drawing

    @property
    def can_undo(self) -> bool:
        """Whether there is an edit to take back."""
        return self._editor is not None and self._editor.can_undo

    @property
    def can_redo(self) -> bool:
        """Whether there is an edit to make again."""
        return self._editor is not None and self._editor.can_redo

    @property
    def undo_title(self) -> str | None:
        """What :meth:`undo` takes back, in words."""
        return None if self._editor is None else self._editor.undo_title

    @property
    def redo_title(self) -> str | None:
        """What :meth:`redo` makes again, in words."""
        return None if self._editor is None else self._editor.redo_title

    def reset(self, grid: Grid, *, multivalued: bool = False) -> None:
        """Begin with another grid, without a history."""
        self._past = self.revision + 1
        self._editor = GridEditor(grid, multivalued=multivalued)
        self._grid = self._editor.grid

    def put_away(self) -> GridEditor | None:
        """Return the grid with its history, to be brought back; None if there is none."""
        self.cancel()
        return self._editor

    def bring_back(self, editor: GridEditor | None) -> None:
        """Go on with a grid and its history as they were put away."""
        self._past = self.revision + 1
        self._editor = editor
        self._grid = None if editor is None else editor.grid

    def press(self, cell: Cell, value: int, brush: int = 1) -> None:
        """Put a pencil down on a cell.

        Parameters
        ----------
        cell : tuple of int
            Column and row.
        value : int
            What is drawn, 0 to 255; of a grid that is not multi-valued, 0 or 1.
        brush : int
            Width in cells.
        """
        if self._editor is not None:
            self._editor.begin_stroke(cell[1], cell[0], value, brush)
            self._edited()

    def drag(self, cell: Cell) -> None:
        """Draw a line from the pencil's last cell to this one, which may lie outside the grid."""
        if self._editor is not None and self._editor.drawing:
            before = self._editor.revision
            self._editor.extend_stroke(cell[1], cell[0])
            if self._editor.revision != before:
                self._edited()

    def release(self) -> None:
        """Lift the pencil."""
        if self._editor is not None and self._editor.end_stroke():
            self._touched()

    def cancel(self) -> None:
        """Take back the stroke that is being drawn."""
        if self.drawing:
            self._change(_cancelled)

    def undo(self) -> None:
        """Take back the last edit."""
        self._change(GridEditor.undo)

    def redo(self) -> None:
        """Make the edit again that was taken back last."""
        self._change(GridEditor.redo)

    def paint(self, spans: Spans, value: int, title: str) -> None:
        """Give the cells of a shape a value.

        Parameters
        ----------
        spans : Spans
            The cells; those outside the grid do not count.
        value : int
            As for :meth:`press`.
        title : str
            What the edit is called when it is undone.
        """
        if self._editor is None:
            return
        inside = spans.clipped(self._editor.grid.shape)
        if inside.size <= AT_ONCE_CELLS:
            indices = inside.indices(self._editor.grid.shape)
            self._change(lambda editor: editor.paint(indices, value, title))
            return

        def painted(grid: Grid) -> Grid:
            new = grid.copy()
            inside.fill(new, value)
            return new

        self.transform(title, painted)

    def clear(self, box: Box | None = None) -> None:
        """Make all cells background, or those of a box."""
        self.transform("Clear", within(box, lambda grid: grid * 0))

    def invert(self, box: Box | None = None, value: int = 1) -> None:
        """Exchange foreground and background; new foreground gets the value."""
        self.transform("Invert", within(box, lambda grid: transforms.inverted(grid, value)))

    def resize(
        self, width: int, height: int, anchor: Anchor = Anchor.TOP_LEFT, value: int = 0
    ) -> None:
        """Change the size of the grid.

        Parameters
        ----------
        width, height : int
            The new size, in cells.
        anchor : Anchor
            Where the cells that stay are put.
        value : int
            What new cells hold.

        Raises
        ------
        InputError
            If no grid has such a size or such cells.
        """
        transforms.blank(1, 1, value)
        self.transform(
            "Resize", lambda grid: transforms.resized(grid, width, height, anchor, value)
        )

    def new(self, width: int, height: int, value: int = 0) -> None:
        """Put an empty grid, or one full of a value, in place of this one, as an edit.

        Raises
        ------
        InputError
            If no grid has such a size or such cells.
        """
        grid = transforms.blank(width, height, value)
        if self._editor is None:
            self.reset(grid)
            self._edited()
            self._touched()
        else:
            self.transform("New grid", lambda _grid: grid, work=False)

    def put(self, grid: Grid, title: str, *, multivalued: bool | None = None) -> None:
        """Put another grid in place of this one, as an edit; without one, begin with it.

        Parameters
        ----------
        grid : ndarray of uint8, shape (height, width)
            The grid.
        title : str
            What the edit is called when it is undone.
        multivalued : bool or None
            Whether values are told apart from then on; None leaves that as it is.
        """
        if self._editor is None:
            self.reset(grid, multivalued=bool(multivalued))
            self._edited()
            self._touched()
        else:
            self._change(lambda editor: editor.replace(grid, title, multivalued=multivalued))

    def tell_values_apart(self, on: bool, around: Around = nullcontext) -> None:
        """Keep the values of the foreground from now on, or make all of them 1, as an edit.

        Parameters
        ----------
        on : bool
            Whether they are kept.
        around : callable
            As for :meth:`transform`.
        """
        if self._editor is None or on == self._editor.multivalued:
            return
        if on:
            with around():
                self._change(lambda editor: editor.make(None, "Several values", multivalued=True))
        else:
            self.transform("One value", transforms.binary, multivalued=False, around=around)

    def transform(
        self,
        title: str,
        transform: Transform,
        *,
        multivalued: bool | None = None,
        work: bool = True,
        around: Around = nullcontext,
        agree: Callable[[], bool] = lambda: True,
        then: Callable[[], object] = lambda: None,
    ) -> Job | None:
        """Make a new grid of this one, as an edit; of a large grid, on the worker's thread.

        Parameters
        ----------
        title : str
            What the edit is called when it is undone.
        transform : callable
            Makes the new grid, and leaves the old one as it is.
        multivalued : bool or None
            Whether values are told apart from then on; None leaves that as it is.
        work : bool
            Whether something would be lost without the edit.
        around : callable
            Makes the context in which the edit is made, once it is computed.
        agree : callable
            Asked right before it is made whether it is wanted still.
        then : callable
            Called once it is made.

        Returns
        -------
        Job or None
            The worker's job, if the edit takes long.

        Raises
        ------
        InputError
            If the transform raises it, on a grid that is not large.
        """
        editor = self._editor
        if editor is None:
            return None
        editor.end_stroke()
        several = editor.multivalued if multivalued is None else multivalued
        kept = transform if several else in_one_value(transform)

        def make(edit: Edit | None, made: Grid | None = None) -> None:
            with around():
                self._change(
                    lambda editor: editor.make(
                        edit, title, multivalued=multivalued, work=work, made=made
                    )
                )
            then()

        if self._start is None or editor.grid.size <= AT_ONCE_CELLS:
            edit = difference(editor.grid, kept(editor.grid))
            if agree():
                make(edit)
            return None
        computing = EditingWork(editor.grid, kept)
        version = self.version

        def finish() -> None:
            if self.version == version and agree():
                make(computing.edit, computing.made)
            else:
                self._refuse(f"{title}: not done, as the grid was changed meanwhile; do it again.")

        return self._start(title, computing, finish)

    def transform_in(
        self,
        title: str,
        box: Box,
        transform: Transform,
        *,
        agree: Callable[[], bool] = lambda: True,
        then: Callable[[], object] = lambda: None,
    ) -> Job | None:
        """Make new cells of those in a box, as an edit: at once, unless the box is large.

        Parameters
        ----------
        title : str
            What the edit is called when it is undone.
        box : Box
            A box that lies in the grid.
        transform : callable
            Makes as many new cells, and leaves the old ones as they are.
        agree, then : callable
            As for :meth:`transform`.

        Returns
        -------
        Job or None
            As for :meth:`transform`.
        """
        editor = self._editor
        if editor is None:
            return None
        grid = editor.grid
        if grid.size <= AT_ONCE_CELLS or box.height * box.width > AT_ONCE_CELLS:
            return self.transform(title, within(box, transform), agree=agree, then=then)
        editor.end_stroke()
        kept = transform if editor.multivalued else in_one_value(transform)
        edit = change_in(grid, box, kept(grid[box.slices]))
        if agree():
            self._change(lambda editor: editor.make(edit, title))
            then()
        return None

    def _change(self, edit: Callable[[GridEditor], bool]) -> None:
        if self._editor is not None and edit(self._editor):
            self._grid = self._editor.grid
            self._edited()
            self._touched()


def _cancelled(editor: GridEditor) -> bool:
    before = editor.revision
    editor.cancel_stroke()
    return editor.revision != before
