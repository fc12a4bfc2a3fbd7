"""The grid of a session and the pencil: strokes, undo, redo, clear."""

from __future__ import annotations

from collections.abc import Callable

from ccl_viewer.grids import Grid
from ccl_viewer.grids.editing import GridEditor
from ccl_viewer.session.state import Cell


class Drawing:
    """The grid, edited a stroke at a time.

    Every change calls `edited`; the end of an edit that changed anything calls `touched` as well.

    Parameters
    ----------
    edited, touched : callable
        Told that cells changed; told that an edit is whole.
    """

    def __init__(self, edited: Callable[[], object], touched: Callable[[], object]) -> None:
        self._edited = edited
        self._touched = touched
        self._editor: GridEditor | None = None
        self._grid: Grid | None = None

    @property
    def grid(self) -> Grid | None:
        """The grid, ``uint8`` of shape (height, width), read-only; None before the first."""
        return self._grid

    @property
    def revision(self) -> int:
        """A number that grows whenever a cell changes."""
        return 0 if self._editor is None else self._editor.revision

    @property
    def can_undo(self) -> bool:
        """Whether there is an edit to take back."""
        return self._editor is not None and self._editor.can_undo

    @property
    def can_redo(self) -> bool:
        """Whether there is an edit to make again."""
        return self._editor is not None and self._editor.can_redo

    def reset(self, grid: Grid) -> None:
        """Begin with another grid, without a history."""
        self._editor = GridEditor(grid)
        self._grid = self._editor.grid

    def press(self, cell: Cell, value: int) -> None:
        """Put the pencil down on a cell: 1 draws, 0 erases."""
        if self._editor is not None:
            self._editor.begin_stroke(cell[1], cell[0], value)
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

    def undo(self) -> None:
        """Take back the last edit."""
        self._change(GridEditor.undo)

    def redo(self) -> None:
        """Make the edit again that was taken back last."""
        self._change(GridEditor.redo)

    def clear(self) -> None:
        """Make all cells background."""
        self._change(GridEditor.clear)

    def invert(self) -> None:
        """Exchange foreground and background."""
        self._change(GridEditor.invert)

    def _change(self, edit: Callable[[GridEditor], bool]) -> None:
        if self._editor is not None and edit(self._editor):
            self._grid = self._editor.grid
            self._edited()
            self._touched()
