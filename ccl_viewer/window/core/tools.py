"""The drawing tools: the one in use, its brush and values, and what mouse and keys do with it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final

import numpy as np
from psygnal import Signal

from ccl_viewer.grids import Grid, shapes
from ccl_viewer.grids.grid import MAX_SEGMENTS
from ccl_viewer.grids.shapes import Box, Cell, RowColumn, Spans
from ccl_viewer.reference import label_reference
from ccl_viewer.render.step_view import Preview
from ccl_viewer.window.core.document import Document
from ccl_viewer.window.core.model import Model, watch

if TYPE_CHECKING:
    from ccl_viewer.window.core.runs import RunController
    from ccl_viewer.window.core.view_state import ViewState

BRUSHES: Final = (1, 2, 3, 5, 8, 12, 20, 32, 48, 64)
"""Brush widths that the keys step through, in cells."""


class Tool(StrEnum):
    """A drawing tool."""

    PENCIL = "pencil"
    ERASER = "eraser"
    LINE = "line"
    RECTANGLE = "rectangle"
    ELLIPSE = "ellipse"
    FILL = "fill"
    SELECT = "select"
    PICK = "pick"


TOOLS: Final = (
    (Tool.PENCIL, "&Pencil", "P", "Draw cells; the right button erases"),
    (Tool.ERASER, "&Eraser", "E", "Erase cells"),
    (Tool.LINE, "&Line", "L", "Draw a line; Shift straightens it"),
    (Tool.RECTANGLE, "&Rectangle", "R", "Draw a rectangle; Shift: square, Alt: from its middle"),
    (Tool.ELLIPSE, "Ellip&se", "O", "Draw an ellipse; Shift: circle, Alt: from its middle"),
    (Tool.FILL, "&Fill", "F", "Fill connected cells of one value"),
    (Tool.SELECT, "Selec&t", "M", "Select cells, and move the selected ones"),
    (Tool.PICK, "P&ick", "I", "Take the value of a cell, and pin its component"),
)
"""Each tool, with its name, its key and what the mouse does."""

TIPS: Final = {tool: tip for tool, _, _, tip in TOOLS}
"""What the mouse does with each tool."""


@dataclass(frozen=True)
class Modifiers:
    """The modifier keys held down with a button.

    Shift constrains: squares, circles, and lines that are level, upright or diagonal. With Alt, the
    press is the centre of the shape instead of a corner.
    """

    shift: bool = False
    alt: bool = False


PLAIN: Final = Modifiers()


class Tools(Model):
    """The tool in use and what it does, by mouse or keyboard cursor.

    `brush` is the width of strokes, lines and borders in cells. The left button draws the value
    `front`, the right button `back`. `value_count` is the largest value in the palette.
    """

    tool_changed = Signal()
    brush_changed = Signal()
    filled_changed = Signal()
    front_changed = Signal()
    back_changed = Signal()
    value_count_changed = Signal()
    preview_changed = Signal()  # an unfinished shape, or the selection
    busy_changed = Signal()

    def __init__(self, document: Document, runs: RunController, view: ViewState) -> None:
        super().__init__()
        self.tool = Tool.PENCIL
        self.brush = 1
        self.filled = False
        self.front, self.back = 1, 0
        self.value_count = 4
        self._document = document
        self._runs = runs
        self._view = view
        self._gesture: _Gesture | None = None
        document.source_changed.connect(self._forget_gesture)
        # Connected one by one, since views may only read values that suit the grid.
        for signal in (
            document.shape_changed,
            document.multivalued_changed,
            document.source_changed,
        ):
            signal.connect(self._fit_values)
        watch(self._show_selection, document.selection_changed, document.source_changed)

    @property
    def busy(self) -> bool:
        """Whether a stroke or a shape is unfinished."""
        return self._gesture is not None

    @property
    def preview(self) -> Preview:
        shown = None if self._gesture is None else self._gesture.preview
        chosen = self._document.selection
        return shown or Preview(patch=chosen.floating_patch, hole=chosen.hole, outline=chosen.box)

    @property
    def foreground_value(self) -> int:
        """The chosen foreground value."""
        return max(self.front, self.back) if 0 in (self.front, self.back) else self.front

    @property
    def palette(self) -> range:
        return range(1, self.value_count + 1)

    # Choosing

    def set_tool(self, tool: Tool) -> None:
        """Use a tool; a floating patch is placed, and an unfinished shape is dropped."""
        if tool is not self.tool:
            self.cancel_gesture()
            self._document.selection.clear()
            self._set(self.tool_changed, tool)

    def wider(self) -> None:
        self._set(
            self.brush_changed, min((b for b in BRUSHES if b > self.brush), default=self.brush)
        )

    def narrower(self) -> None:
        self._set(self.brush_changed, max((b for b in BRUSHES if b < self.brush), default=1))

    def set_brush(self, width: int) -> None:
        self._set(self.brush_changed, min(max(width, 1), BRUSHES[-1]))

    def set_filled(self, filled: bool) -> None:
        """Choose whether rectangles and ellipses are filled, or only their border is drawn."""
        self._set(self.filled_changed, filled)

    def swap(self) -> None:
        """Exchange the values of the left and the right button."""
        self._use(self.back, self.front)

    def choose_value(self, value: int) -> None:
        """Set the value that the left button draws; on a grid that is not multi-valued, 0 or 1.

        If the right button has the value already, the two are exchanged.
        """
        value = min(max(value, 0), MAX_SEGMENTS if self._document.multivalued else 1)
        if value != self.front:
            back = self.front if value == self.back else self.back
            with self.transaction():
                self._use(value, back)
                self._set(self.value_count_changed, max(self.value_count, value))

    def choose_next_value(self) -> None:
        self.choose_value(self.front % self.value_count + 1)

    def choose_previous_value(self) -> None:
        self.choose_value((self.front - 2) % self.value_count + 1)

    def add_value(self) -> None:
        self.choose_value(self.value_count + 1)

    # Using

    def press(self, cell: Cell, *, erase: bool = False, modifiers: Modifiers = PLAIN) -> None:
        """Press a button on a cell (column, row); the right button draws the other value."""
        if self._document.grid is None:
            return
        self.release()
        if self.tool is Tool.FILL:
            self._fill(cell, self._value(erase))
        elif self.tool is Tool.PICK:
            self._pick(cell)
        else:
            self._gesture = self._begin(cell, self._value(erase), modifiers)
            self._announce(self.preview_changed, self.busy_changed)

    def drag(self, cell: Cell, *, modifiers: Modifiers = PLAIN) -> None:
        """Move to a cell, which may be outside the grid."""
        if self._gesture is not None:
            self._gesture.drag(cell, modifiers)
            self._announce(self.preview_changed)

    def release(self) -> None:
        """Release: the stroke or shape becomes one edit."""
        gesture, self._gesture = self._gesture, None
        if gesture is not None:
            gesture.release()
            self._announce(self.preview_changed, self.busy_changed)

    def cancel(self) -> bool:
        """Cancel the stroke, else the floating patch, else the selection; return whether any."""
        return self.cancel_gesture() or self._document.selection.cancel()

    def cancel_gesture(self) -> bool:
        """Drop an unfinished stroke or shape; return whether there was one."""
        gesture, self._gesture = self._gesture, None
        if gesture is None:
            return False
        gesture.cancel()
        self._announce(self.preview_changed, self.busy_changed)
        return True

    def use_at(self, cell: Cell, *, erase: bool = False) -> None:
        """Use the tool at the keyboard's cursor: a dot, or one end of a shape and then the other.

        A floating patch is placed.
        """
        if self._document.selection.floating_patch is not None:
            self._document.selection.clear()
        elif self._gesture is not None:
            self.drag(cell)
            self.release()
        else:
            self.press(cell, erase=erase)
            if self.tool in {Tool.PENCIL, Tool.ERASER}:
                self.release()

    # Edits that depend on the tool

    def undo(self) -> None:
        """Drop an unfinished stroke or shape; otherwise undo the last edit."""
        if not self.cancel_gesture():
            self._document.undo()

    def redo(self) -> None:
        self.cancel_gesture()
        self._document.redo()

    def select_all(self) -> None:
        """Select the whole grid, with the tool that moves it."""
        self.set_tool(Tool.SELECT)
        self._document.selection.select_all()

    def paste(self, cells: Grid, at: Cell | None = None) -> None:
        """Float cells over the grid, with the tool that moves them."""
        self.cancel_gesture()
        self._document.selection.paste(cells, at)
        self._set(self.tool_changed, Tool.SELECT)

    def _value(self, erase: bool) -> int:
        if self.tool is Tool.ERASER:
            return self.front if erase else 0
        return self.back if erase else self.front

    def _begin(self, cell: Cell, value: int, modifiers: Modifiers) -> _Gesture:
        document = self._document
        if self.tool in {Tool.LINE, Tool.RECTANGLE, Tool.ELLIPSE}:
            brush = None if self.filled and self.tool is not Tool.LINE else self.brush
            return _ShapeGesture(document, cell, value, self.tool, brush, modifiers)
        if self.tool is not Tool.SELECT:
            return _StrokeGesture(document, cell, value, self.brush)
        box = document.selection.box
        if box is not None and box.holds(cell[1], cell[0]):
            return _MoveGesture(document, cell)
        return _SelectGesture(document, cell)

    def _fill(self, cell: Cell, value: int) -> None:
        connectivity = self._runs.settings.connectivity
        self._document.transform("Fill", lambda grid: _flood_fill(grid, cell, value, connectivity))

    def _pick(self, cell: Cell) -> None:
        grid = self._document.grid
        if grid is not None:
            self.choose_value(int(grid[cell[1], cell[0]]))
            self._view.pin_cell(cell, component=True)

    def _forget_gesture(self) -> None:
        self._gesture = None  # an unfinished stroke belongs to another grid

    def _show_selection(self) -> None:
        self._announce(self.preview_changed, self.busy_changed)

    def _fit_values(self) -> None:
        grid = self._document.grid
        if self._document.multivalued and grid is not None:
            self._set(self.value_count_changed, max(self.value_count, int(grid.max())))
        else:
            front, back = min(self.front, 1), min(self.back, 1)
            self._use(front, back if front != back else 1 - front)

    def _use(self, front: int, back: int) -> None:
        with self.transaction():
            self._set(self.front_changed, front)
            self._set(self.back_changed, back)


class _Gesture:
    """A tool in use, from press to release of a button; cells may be outside the grid."""

    preview: Preview | None = None

    def drag(self, cell: Cell, modifiers: Modifiers, /) -> None:
        raise NotImplementedError

    def release(self) -> None:
        """Finish it as one edit."""

    def cancel(self) -> None:
        """Undo it as if it had never begun."""


class _StrokeGesture(_Gesture):
    """The pencil or the eraser: cells change as it moves."""

    def __init__(self, document: Document, cell: Cell, value: int, brush: int) -> None:
        self._document = document
        document.begin_stroke(cell, value, brush)

    def drag(self, cell: Cell, _modifiers: Modifiers, /) -> None:
        self._document.extend_stroke(cell)

    def release(self) -> None:
        self._document.end_stroke()

    def cancel(self) -> None:
        self._document.cancel_stroke()


class _ShapeGesture(_Gesture):
    """A line, rectangle or ellipse: cells change at its end; without a brush, it is filled."""

    def __init__(
        self,
        document: Document,
        cell: Cell,
        value: int,
        tool: Tool,
        brush: int | None,
        modifiers: Modifiers,
    ) -> None:
        self._document, self._value, self._tool, self._brush = document, value, tool, brush
        self._start = _row_column(cell)
        self.drag(cell, modifiers)

    def drag(self, cell: Cell, modifiers: Modifiers, /) -> None:
        self._spans = self._shape(_row_column(cell), modifiers)
        self.preview = Preview(spans=self._spans, value=self._value)

    def release(self) -> None:
        self._document.paint(self._spans, self._value, self._tool.capitalize())

    def _shape(self, end: RowColumn, modifiers: Modifiers) -> Spans:
        start = self._start
        if self._tool is Tool.LINE:
            if modifiers.shift:
                end = shapes.straighten(start, end)
            if modifiers.alt:
                start = 2 * start[0] - end[0], 2 * start[1] - end[1]
            return shapes.sweep_line(start, end, self._brush or 1)
        draw = shapes.make_rectangle if self._tool is Tool.RECTANGLE else shapes.make_ellipse
        box = shapes.box_between(start, end, square=modifiers.shift, centred=modifiers.alt)
        return draw(box, self._brush)


class _SelectGesture(_Gesture):
    def __init__(self, document: Document, cell: Cell) -> None:
        self._selection = document.selection
        self._start = _row_column(cell)
        self._box: Box | None = None
        self._selection.clear()

    def drag(self, cell: Cell, modifiers: Modifiers, /) -> None:
        """Extend it to a cell; a drag within the first cell selects nothing."""
        end = _row_column(cell)
        if self._box is not None or end != self._start:
            self._box = shapes.box_between(
                self._start, end, square=modifiers.shift, centred=modifiers.alt
            )
            self.preview = Preview(outline=self._box)

    def release(self) -> None:
        if self._box is not None:
            self._selection.select(self._box)


class _MoveGesture(_Gesture):
    def __init__(self, document: Document, cell: Cell) -> None:
        self._selection = document.selection
        self._start = self._last = cell

    def drag(self, cell: Cell, _modifiers: Modifiers, /) -> None:
        if cell != self._last:
            self._selection.move(cell[0] - self._last[0], cell[1] - self._last[1])
            self._last = cell

    def cancel(self) -> None:
        self.drag(self._start, PLAIN)


def _row_column(cell: Cell) -> RowColumn:
    return cell[1], cell[0]


def _flood_fill(grid: Grid, cell: Cell, value: int, connectivity: int) -> Grid:
    """Return a grid with the connected cells of equal value around a cell set to a new value."""
    x, y = cell
    components, _ = label_reference(grid == grid[y, x], connectivity)
    return np.where(components == components[y, x], np.uint8(value), grid)
