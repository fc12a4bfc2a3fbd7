"""The tools: which is in hand, its brush and values, and what mouse and keys do with it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from ccl_viewer.grids import Grid, shapes
from ccl_viewer.reference import label_reference
from ccl_viewer.session.editing.drawing import Drawing
from ccl_viewer.session.editing.gestures import (
    PLAIN,
    Gesture,
    Modifiers,
    MoveGesture,
    SelectGesture,
    ShapeGesture,
    Stroke,
    box_shape,
    line_shape,
)
from ccl_viewer.session.editing.hand import Hand, Tool
from ccl_viewer.session.editing.preview import Preview
from ccl_viewer.session.editing.selection import Selection
from ccl_viewer.session.signals import Signal
from ccl_viewer.session.state import Cell


@dataclass(frozen=True)
class Surroundings:
    """What tools need beyond the grid.

    Parameters
    ----------
    connectivity : callable
        Returns 4 or 8, as the next run has it.
    picked : callable
        Told of a cell that was picked.
    """

    connectivity: Callable[[], int]
    picked: Callable[[Cell], object]


class Tools:
    """The tool in hand and what it does; the mouse and the keyboard's cursor both come here.

    Attributes
    ----------
    changed : Signal
        What is in hand changed, or whether it is in use.
    preview_changed : Signal
        What lies over the grid changed.

    Parameters
    ----------
    drawing : Drawing
        The grid.
    surroundings : Surroundings
        What else tools need.
    """

    def __init__(self, drawing: Drawing, surroundings: Surroundings) -> None:
        self.changed = Signal()
        self.preview_changed = Signal()
        self.selection = Selection(drawing)
        self.selection.changed.connect(self.preview_changed.emit)
        self._drawing = drawing
        self._surroundings = surroundings
        self._hand = Hand()
        self._gesture: Gesture | None = None

    @property
    def hand(self) -> Hand:
        """What is in hand."""
        return self._hand

    @property
    def signals(self) -> tuple[Signal, ...]:
        """All signals."""
        return self.changed, self.preview_changed, self.selection.changed

    @property
    def busy(self) -> bool:
        """Whether a stroke or a shape is under way."""
        return self._gesture is not None

    @property
    def preview(self) -> Preview:
        """What lies over the grid."""
        shown = None if self._gesture is None else self._gesture.preview
        chosen = self.selection
        return shown or Preview(patch=chosen.patch, hole=chosen.hole, outline=chosen.box)

    # What is in hand

    def take(self, tool: Tool) -> None:
        """Take a tool in hand; what floats is placed, and a shape under way is dropped."""
        if tool is not self._hand.tool:
            self.cancel_gesture()
            self.selection.clear()
            self._hold(replace(self._hand, tool=tool))

    def hold_floating(self) -> None:
        """Take the tool in hand that moves what floats, without placing it."""
        self._hold(replace(self._hand, tool=Tool.SELECT))

    def wider(self) -> None:
        """Choose the next wider brush."""
        self._hold(self._hand.wider())

    def narrower(self) -> None:
        """Choose the next narrower brush."""
        self._hold(self._hand.narrower())

    def fill_shapes(self, filled: bool) -> None:
        """Fill rectangles and ellipses, or draw their border."""
        self._hold(replace(self._hand, filled=filled))

    def swap(self) -> None:
        """Exchange what the left and the right button draw."""
        self._hold(self._hand.swapped())

    def choose(self, value: int) -> None:
        """Let the left button draw a value; of a grid that is not multi-valued, 0 or 1."""
        self._hold(self._hand.with_value(value, multivalued=self._drawing.multivalued))

    def next_value(self) -> None:
        """Choose the next value of the palette, after the last the first."""
        self.choose(self._hand.front % self._hand.values + 1)

    def previous_value(self) -> None:
        """Choose the value before in the palette, before the first the last."""
        self.choose((self._hand.front - 2) % self._hand.values + 1)

    def add_value(self) -> None:
        """Add a value to the palette and choose it."""
        self.choose(self._hand.values + 1)

    def fit(self) -> None:
        """Go with a grid that is another: its size, and the values that it can hold."""
        self.selection.fit()
        grid, multivalued = self._drawing.grid, self._drawing.multivalued
        largest = int(grid.max()) if multivalued and grid is not None else 1
        self._hold(self._hand.for_values(largest, multivalued=multivalued))

    def forget(self) -> None:
        """Drop what is under way, what floats and what is selected, as for another grid."""
        self._gesture = None
        self.selection.forget()

    # What it does

    def press(self, cell: Cell, *, second: bool = False, modifiers: Modifiers = PLAIN) -> None:
        """Begin to use the tool on a cell; the second button draws the other value.

        Parameters
        ----------
        cell : tuple of int
            Column and row.
        second : bool
            Whether it is the second button.
        modifiers : Modifiers
            The keys that are held.
        """
        if self._drawing.grid is None:
            return
        self.release()
        hand = self._hand
        value = hand.value_of(second=second)
        if hand.tool is Tool.FILL:
            self._fill(cell, value)
        elif hand.tool is Tool.PICK:
            self._pick(cell)
        else:
            self._gesture = self._begin(cell, value, modifiers)
            self._used()

    def drag(self, cell: Cell, *, modifiers: Modifiers = PLAIN) -> None:
        """Move on to a cell, which may lie outside the grid."""
        if self._gesture is not None:
            self._gesture.drag(cell, modifiers)
            self.preview_changed.emit()

    def release(self) -> None:
        """End what was begun: it becomes one edit."""
        gesture, self._gesture = self._gesture, None
        if gesture is not None:
            gesture.release()
            self._used()

    def cancel(self) -> bool:
        """Drop what is under way, else what floats, else the selection; return whether any was."""
        return self.cancel_gesture() or self.selection.cancel()

    def cancel_gesture(self) -> bool:
        """Drop the stroke or the shape under way; return whether there was one."""
        gesture, self._gesture = self._gesture, None
        if gesture is None:
            return False
        gesture.cancel()
        self._used()
        return True

    def point(self, cell: Cell, *, second: bool = False) -> None:
        """Use the tool at the keyboard's cursor: a dot, or the first and the second end of a shape.

        What floats is placed.
        """
        if self.selection.patch is not None:
            self.selection.clear()
        elif self._gesture is not None:
            self.drag(cell)
            self.release()
        else:
            self.press(cell, second=second)
            if self._hand.tool in {Tool.PENCIL, Tool.ERASER}:
                self.release()

    def _begin(self, cell: Cell, value: int, modifiers: Modifiers) -> Gesture:
        hand, drawing = self._hand, self._drawing
        border = None if hand.filled else hand.brush
        match hand.tool:
            case Tool.LINE:
                shape = line_shape(hand.brush)
                return ShapeGesture(drawing, cell, value, "Line", shape, modifiers)
            case Tool.RECTANGLE:
                shape = box_shape(shapes.rectangle, border)
                return ShapeGesture(drawing, cell, value, "Rectangle", shape, modifiers)
            case Tool.ELLIPSE:
                shape = box_shape(shapes.ellipse, border)
                return ShapeGesture(drawing, cell, value, "Ellipse", shape, modifiers)
            case Tool.SELECT:
                box = self.selection.box
                if box is not None and box.holds(cell[1], cell[0]):
                    return MoveGesture(self.selection, cell)
                return SelectGesture(self.selection, cell)
        return Stroke(drawing, cell, value, hand.brush)

    def _fill(self, cell: Cell, value: int) -> None:
        connectivity = self._surroundings.connectivity()
        self._drawing.transform("Fill", lambda grid: _flooded(grid, cell, value, connectivity))

    def _pick(self, cell: Cell) -> None:
        grid = self._drawing.grid
        if grid is not None:
            value = int(grid[cell[1], cell[0]])
            if value != self._hand.front:
                self.choose(value)
            self._surroundings.picked(cell)

    def _used(self) -> None:
        """Tell that the tool began, or ended: what is under way can be undone as well."""
        self.preview_changed.emit()
        self.changed.emit()

    def _hold(self, hand: Hand) -> None:
        if hand != self._hand:
            self._hand = hand
            self.changed.emit()


def _flooded(grid: Grid, cell: Cell, value: int, connectivity: int) -> Grid:
    """Return a grid in which the cells of equal value around a cell have another."""
    x, y = cell
    components, _ = label_reference(grid == grid[y, x], connectivity)
    return np.where(components == components[y, x], np.uint8(value), grid)
