"""The grid being edited: its cells, origin, undo history, and whether they are saved."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from weakref import WeakKeyDictionary

import numpy as np
from psygnal import Signal, SignalInstance

from ccl_viewer.errors import InputError
from ccl_viewer.grids import Grid, transforms
from ccl_viewer.grids.editor import GridEditor, UndoEntry
from ccl_viewer.grids.edits import Edit, Replacement, diff_grids, make_box_edit
from ccl_viewer.grids.selection import Patch
from ccl_viewer.grids.shapes import Box, Spans
from ccl_viewer.grids.specs import is_pattern, parse_pattern
from ccl_viewer.grids.transforms import Anchor, Transform, restrict_to_box
from ccl_viewer.window.core.model import Model
from ccl_viewer.window.core.selection import Selection, SelectionState
from ccl_viewer.window.core.tasks import TaskQueue

NEW_GRID: Final = "New grid"
"""Title of a grid without an origin."""

EMPTY_GRID: Final = "The grid is empty: draw cells, or open a picture."
"""Text of canvas, title and status for a grid without foreground."""

AT_ONCE_CELLS: Final = 1 << 20
"""Whole grids of up to this many cells are edited immediately, larger ones on the task queue."""

_FEW_CELLS: Final = 1 << 16


@dataclass(eq=False)
class Origin:
    """Where a grid came from, and the file it was last saved to."""

    source: str = ""
    path: Path | None = None

    @property
    def title(self) -> str:
        """A short name: of the file, or of the pattern."""
        if self.path is not None:
            return self.path.name
        if not self.source:
            return NEW_GRID
        if not is_pattern(self.source):
            return Path(self.source).name
        try:
            return parse_pattern(self.source)[0].title
        except InputError:
            return self.source


@dataclass(frozen=True, eq=False)
class SavePoint:
    """A state of the grid that is being saved."""

    editor: GridEditor
    entry: UndoEntry | None
    origin: Origin


@dataclass(frozen=True, eq=False)
class DocumentState:
    """The user's grid with its history, while a lesson shows another grid."""

    editor: GridEditor | None
    origin: Origin
    selected: SelectionState


class Document(Model):
    """The grid with its history; every edit can be undone.

    Before there is a grid, methods do nothing, except those that set the first one.
    """

    grid_changed = Signal()  # its cells
    shape_changed = Signal()
    undo_changed = Signal()  # the history; a stroke has ended
    dirty_changed = Signal()
    source_changed = Signal()  # source, title or path
    multivalued_changed = Signal()
    selection_changed = Signal()
    user_grid_aside_changed = Signal()

    def __init__(self, tasks: TaskQueue | None = None) -> None:
        super().__init__()
        self._tasks = tasks
        self._editor: GridEditor | None = None
        self._grid: Grid | None = None
        self._origin = Origin()
        # The origin of each state of the history, by the edit that made it.
        self._origins: WeakKeyDictionary[object, Origin] = WeakKeyDictionary()
        self._empty = 0, False
        self._aside: DocumentState | None = None
        self._given_up: Patch | None = None
        self.selection = Selection(self)
        self._seen = self._state()

    # State

    @property
    def grid(self) -> Grid | None:
        """The grid, ``uint8`` of shape (height, width), read-only; None before the first."""
        return self._grid

    @property
    def shape(self) -> tuple[int, int] | None:
        """Height and width."""
        return None if self._grid is None else (self._grid.shape[0], self._grid.shape[1])

    @property
    def revision(self) -> int:
        """The identity of the cells' state; undo restores the earlier number."""
        return 0 if self._editor is None else self._editor.revision

    @property
    def multivalued(self) -> bool:
        """Whether only cells of equal value connect."""
        return self._editor is not None and self._editor.multivalued

    @property
    def empty(self) -> bool:
        """Whether there is a grid without foreground."""
        if self._empty[0] != self.revision:
            self._empty = self.revision, self._grid is not None and not self._grid.any()
        return self._empty[1]

    @property
    def source(self) -> str:
        """Where the grid came from: a path, a pattern, or words; empty for a new one."""
        return self._origin.source

    @property
    def title(self) -> str:
        return "" if self._grid is None else self._origin.title

    @property
    def path(self) -> Path | None:
        """The file the grid was last saved to."""
        return self._origin.path

    @property
    def drawing(self) -> bool:
        """Whether a stroke has begun and not ended."""
        return self._editor is not None and self._editor.is_drawing

    @property
    def can_undo(self) -> bool:
        """Whether something floats, or an edit can be undone."""
        return self.selection.floating_patch is not None or (
            self._editor is not None and self._editor.can_undo
        )

    @property
    def can_redo(self) -> bool:
        return self._editor is not None and self._editor.can_redo

    @property
    def undo_title(self) -> str | None:
        if self.selection.floating_patch is not None:
            return "Move" if self.selection.hole is not None else "Paste"
        return None if self._editor is None else self._editor.undo_title

    @property
    def redo_title(self) -> str | None:
        return None if self._editor is None else self._editor.redo_title

    @property
    def user_state(self) -> DocumentState:
        """The user's own grid, also while a lesson shows another."""
        if self._aside is not None:
            return self._aside
        return DocumentState(self._editor, self._origin, self.selection.state)

    @property
    def user_cells(self) -> tuple[int, Patch | None]:
        """The identity of the user's cells, and of those that float over them."""
        state = self.user_state
        return 0 if state.editor is None else state.editor.revision, state.selected.floating_patch

    @property
    def user_grid_aside(self) -> bool:
        """Whether the user's grid is set aside, because a lesson shows its own."""
        return self._aside is not None

    @property
    def dirty(self) -> bool:
        """Whether the user's own grid was edited and its present state is in no file.

        An opened grid is safe until it is edited, and again after undo.
        """
        state = self.user_state
        patch = state.selected.floating_patch
        if patch is not None and patch is not self._given_up:
            return True
        return state.editor is not None and state.editor.at_risk

    # Replacing the grid

    def load_grid(self, grid: Grid, source: str, *, multivalued: bool = False) -> None:
        """Put a copy of a grid in place of this one without a history, as if it was opened."""
        self.load_editor(GridEditor(grid, multivalued=multivalued), source)

    def load_editor(self, editor: GridEditor, source: str) -> None:
        """Replace this grid with one that has a history."""
        self._go_to(DocumentState(editor, Origin(source), SelectionState()))

    def set_aside(self) -> None:
        """Keep the user's grid aside; :meth:`bring_back_user_grid` ends it."""
        if self._aside is None:
            self.cancel_stroke()
            self._aside = self.user_state
            self._announce(self.user_grid_aside_changed)

    def bring_back_user_grid(self) -> None:
        """Show the user's own grid again."""
        state, self._aside = self._aside, None
        if state is not None:
            self._go_to(state)
            self._announce(self.user_grid_aside_changed)

    def new(self, width: int, height: int, value: int = 0) -> None:
        """Put an empty grid, or one full of a value, in place of this one, as an edit."""
        grid = transforms.make_blank(width, height, value)
        self.selection.place()
        if self._editor is None:
            self.load_grid(grid, "", multivalued=value > 1)
            return
        edit = diff_grids(self._editor.grid, grid)
        self._change(lambda editor: editor.apply_edit(edit, NEW_GRID, work=False), Origin())

    def replace(
        self,
        grid: Grid,
        title: str,
        *,
        source: str | None = None,
        multivalued: bool | None = None,
        work: bool = True,
    ) -> None:
        """Put a copy of a grid in place of this one, as an edit; if there is none, begin with it.

        With None, source and `multivalued` keep their values. `work` says whether the grid is the
        user's drawing, which is at risk until it is saved.
        """
        self.selection.place()
        if self._editor is None:
            self.load_grid(grid, source or "", multivalued=bool(multivalued))
            return
        origin = None if source is None else Origin(source)
        self._change(
            lambda editor: editor.replace(grid, title, multivalued=multivalued, work=work), origin
        )

    # Strokes

    def begin_stroke(self, cell: tuple[int, int], value: int, brush: int = 1) -> None:
        """Put the pencil down on a cell (column, row)."""
        self._draw(lambda editor: editor.begin_stroke(cell[1], cell[0], value, brush))

    def extend_stroke(self, cell: tuple[int, int]) -> None:
        """Draw a line from the pencil's last cell to this one, which may be outside the grid."""
        self._draw(lambda editor: editor.extend_stroke(cell[1], cell[0]))

    def end_stroke(self) -> None:
        self._draw(GridEditor.end_stroke)

    def cancel_stroke(self) -> None:
        self._draw(GridEditor.cancel_stroke)

    # Edits

    def undo(self) -> None:
        """Drop the floating patch, or undo the last edit."""
        if self.selection.floating_patch is not None:
            self.selection.cancel()
        else:
            self._change(GridEditor.undo)

    def redo(self) -> None:
        """Redo the edit undone last; a floating patch is dropped."""
        if self.selection.floating_patch is not None:
            self.selection.cancel()
        self._change(GridEditor.redo)

    def paint(self, spans: Spans, value: int, title: str) -> None:
        """Give the cells of a shape a value; cells outside the grid are ignored."""
        if self._editor is None:
            return
        inside = spans.clipped(self._editor.grid.shape)
        if inside.size <= _FEW_CELLS:
            indices = inside.indices(self._editor.grid.shape)
            self._change(lambda editor: editor.paint(indices, value, title))
            return

        def painted(grid: Grid) -> Grid:
            new = grid.copy()
            inside.fill(new, value)
            return new

        self.transform(title, painted)

    def clear(self) -> None:
        """Make all cells background, or those selected."""
        self.selection.transform("Clear", np.zeros_like)

    def invert(self, value: int = 1) -> None:
        """Exchange foreground and background; new foreground has the value."""
        self.selection.transform("Invert", lambda grid: transforms.invert(grid, value))

    def flip_left_right(self) -> None:
        """Exchange left and right."""
        self.selection.transform("Flip left to right", transforms.flip_across)

    def flip_top_bottom(self) -> None:
        """Exchange top and bottom."""
        self.selection.transform("Flip top to bottom", transforms.flip_down)

    def rotate_right(self) -> None:
        self.selection.transform("Rotate right", transforms.rotate_right)

    def rotate_left(self) -> None:
        self.selection.transform("Rotate left", transforms.rotate_left)

    def random_fill(self, density: float, seed: int, values: Sequence[int] = (1,)) -> None:
        """Fill the grid or the selection with random cells of some values."""
        chosen = tuple(values) if self.multivalued else (1,)
        transforms.draw_random_cells(
            (1, 1), density, seed, chosen
        )  # raises if an argument is wrong
        self.selection.transform(
            "Random fill",
            lambda grid: transforms.draw_random_cells(grid.shape, density, seed, chosen),
        )

    def resize(
        self, width: int, height: int, anchor: Anchor = Anchor.TOP_LEFT, value: int = 0
    ) -> None:
        transforms.make_blank(1, 1, value)  # raises if an argument is wrong
        self.selection.place()
        self.transform("Resize", lambda grid: transforms.resize(grid, width, height, anchor, value))

    def set_multivalued(self, on: bool) -> None:
        """Tell values apart from now on, or make all foreground 1, as an edit."""
        if self._editor is None or on == self._editor.multivalued:
            return
        if on:
            self._change(lambda editor: editor.apply_edit(None, "Several values", multivalued=True))
        else:
            self.transform("One value", transforms.flatten_values, multivalued=False)

    def transform(
        self, title: str, transform: Transform, *, multivalued: bool | None = None
    ) -> None:
        """Replace this grid with a transformed one, as an edit; of a large grid, on the task queue.

        The transform must not change the old grid. Values are told apart from then on if
        `multivalued` says so.
        """
        editor = self._editor
        if editor is None:
            return
        self.end_stroke()
        several = editor.multivalued if multivalued is None else multivalued
        apply = transform if several else _in_one_value(transform)
        revision = self.revision

        def compute(grid: Grid) -> tuple[Edit | None, Grid | None]:
            new = apply(grid)
            edit = diff_grids(grid, new)
            return edit, _writable(new) if isinstance(edit, Replacement) else None

        def make(computed: tuple[Edit | None, Grid | None]) -> None:
            if self.revision != revision:
                late = "the grid has changed in the meantime; try again."
                raise InputError(f"{title} was not done: {late}")
            edit, new_grid = computed
            self._change(
                lambda editor: editor.apply_edit(
                    edit, title, multivalued=multivalued, made=new_grid
                )
            )

        if self._tasks is None or editor.grid.size <= AT_ONCE_CELLS:
            make(compute(editor.grid))
        else:
            self._tasks.start(title, lambda _task: compute(editor.grid), make)

    def transform_box(self, title: str, box: Box, transform: Transform) -> None:
        """Replace the cells in a box by a transform of the same shape, as an edit."""
        editor = self._editor
        if editor is None:
            return
        self.end_stroke()
        apply = transform if editor.multivalued else _in_one_value(transform)
        edit: Edit | None
        if box.height * box.width > AT_ONCE_CELLS:  # the cells' indices would fill the memory
            edit = diff_grids(editor.grid, restrict_to_box(box, apply)(editor.grid))
        else:
            edit = make_box_edit(editor.grid, box, apply(editor.grid[box.slices]))
        self._change(lambda editor: editor.apply_edit(edit, title))

    # Saving

    def make_save_point(self) -> SavePoint | None:
        """Return the state about to be saved, for :meth:`mark_saved`."""
        if self._editor is None:
            return None
        return SavePoint(self._editor, self._editor.last_edit, self._origin)

    def mark_saved(self, point: SavePoint, path: Path) -> None:
        """Remember the file that a state is now in."""
        point.editor.mark_saved(point.entry)
        point.origin.path = path
        self.announce_changes()

    def give_up(self) -> None:
        """Mark the user's grid as one that may be lost as it is now."""
        state = self.user_state
        self._given_up = state.selected.floating_patch
        if state.editor is not None:
            state.editor.end_stroke()  # otherwise it stays dirty while the button is held
            state.editor.mark_saved(state.editor.last_edit)
        self.announce_changes()

    # Bookkeeping

    def _go_to(self, state: DocumentState) -> None:
        with self.transaction():
            self.cancel_stroke()
            self._editor, self._origin = state.editor, state.origin
            self._grid = None if state.editor is None else state.editor.grid
            self.selection.set_state(state.selected)
            self._announce(self.grid_changed, self.undo_changed)
            self.announce_changes()

    def _draw(self, act: Callable[[GridEditor], object]) -> None:
        if self._editor is not None:
            act(self._editor)
            self.announce_changes()

    def _change(self, edit: Callable[[GridEditor], bool], origin: Origin | None = None) -> None:
        editor = self._editor
        if editor is None or not edit(editor):
            return
        if origin is not None:
            self._origin = origin
        with self.transaction():
            self._grid = editor.grid
            self.selection.fit()
            self.announce_changes()

    def announce_changes(self) -> None:
        """Look up the origin of the current grid, and announce the fields that changed."""
        editor = self._editor
        if editor is not None and not editor.is_drawing:
            self._origin = self._origins.setdefault(editor.last_edit or editor, self._origin)
        before, self._seen = self._seen, self._state()
        fields = self._seen.items()
        self._announce(*(signal for signal, value in fields if before[signal] != value))

    def _state(self) -> dict[SignalInstance, Any]:
        """Return what each signal announces, as it is now."""
        editor = self._editor
        return {
            self.grid_changed: self.revision,
            self.shape_changed: self.shape,
            self.undo_changed: (
                None if editor is None or editor.is_drawing else editor.last_edit,
                self.undo_title,
                self.redo_title,
            ),
            self.dirty_changed: self.dirty,
            self.source_changed: (self.source, self.title, self.path),
            self.multivalued_changed: self.multivalued,
            self.selection_changed: self.selection.state,
        }


def _in_one_value(transform: Transform) -> Transform:
    """Return a transform that makes all foreground 1."""
    return lambda grid: np.minimum(transform(grid), np.uint8(1))


def _writable(grid: Grid) -> Grid:
    """Return a grid if it can be written to, or else a copy."""
    flags = grid.flags
    writable = flags.owndata and flags.c_contiguous and flags.writeable and grid.dtype == np.uint8
    return grid if writable else np.array(grid, np.uint8, order="C")
