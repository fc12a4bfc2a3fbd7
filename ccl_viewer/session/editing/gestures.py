"""What each tool does from the press of a button to its release."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from ccl_viewer.grids import shapes
from ccl_viewer.grids.shapes import Box, Place, Spans
from ccl_viewer.session.editing.drawing import Drawing
from ccl_viewer.session.editing.preview import Preview
from ccl_viewer.session.editing.selection import Selection
from ccl_viewer.session.state import Cell


@dataclass(frozen=True)
class Modifiers:
    """The keys that are held down with a button.

    Parameters
    ----------
    shift : bool
        Constrains: squares, circles, and lines that are level, upright or diagonal.
    alt : bool
        The press is the middle of the shape instead of a corner.
    """

    shift: bool = False
    alt: bool = False


PLAIN = Modifiers()


class Gesture(Protocol):
    """A tool at work; cells may lie outside the grid."""

    @property
    def preview(self) -> Preview | None:
        """What to paint over the grid."""

    def drag(self, cell: Cell, modifiers: Modifiers) -> None:
        """Move to a cell."""

    def release(self) -> None:
        """End it, which makes it one edit."""

    def cancel(self) -> None:
        """End it as if it had never begun."""


class Stroke:
    """The pencil or the eraser: cells change as it moves.

    Parameters
    ----------
    drawing : Drawing
        The grid.
    cell : tuple of int
        Where it begins.
    value, brush : int
        What it draws, and how wide.
    """

    preview: Preview | None = None

    def __init__(self, drawing: Drawing, cell: Cell, value: int, brush: int) -> None:
        self._drawing = drawing
        drawing.press(cell, value, brush)

    def drag(self, cell: Cell, _modifiers: Modifiers, /) -> None:
        """Draw on to a cell."""
        self._drawing.drag(cell)

    def release(self) -> None:
        """Lift it."""
        self._drawing.release()

    def cancel(self) -> None:
        """Take back what was drawn."""
        self._drawing.cancel()


Shape: TypeAlias = Callable[[Place, Place, Modifiers], Spans]
"""Makes the cells of a shape from where the drag began, where it is, and the keys held."""


class ShapeGesture:
    """A line, rectangle or ellipse: cells change at its end.

    Parameters
    ----------
    drawing : Drawing
        The grid.
    cell : tuple of int
        Where it begins.
    value : int
        What it draws.
    title : str
        What the edit is called when it is undone.
    shape : callable
        Makes its cells.
    modifiers : Modifiers
        Held at its beginning.
    """

    def __init__(
        self,
        drawing: Drawing,
        cell: Cell,
        value: int,
        title: str,
        shape: Shape,
        modifiers: Modifiers,
    ) -> None:
        self._drawing = drawing
        self._start = _place(cell)
        self._value = value
        self._title = title
        self._shape = shape
        self.drag(cell, modifiers)

    @property
    def preview(self) -> Preview | None:
        """The shape as it would be."""
        return Preview(spans=self._spans, value=self._value)

    def drag(self, cell: Cell, modifiers: Modifiers) -> None:
        """Span the shape up to a cell."""
        self._spans = self._shape(self._start, _place(cell), modifiers)

    def release(self) -> None:
        """Draw it."""
        self._drawing.paint(self._spans, self._value, self._title)

    def cancel(self) -> None:
        """Draw nothing."""


class SelectGesture:
    """Spans a selection.

    Parameters
    ----------
    selection : Selection
        The selection.
    cell : tuple of int
        Where it begins.
    """

    def __init__(self, selection: Selection, cell: Cell) -> None:
        self._selection = selection
        self._start = _place(cell)
        self._box: Box | None = None
        selection.clear()

    @property
    def preview(self) -> Preview | None:
        """What would be selected."""
        return None if self._box is None else Preview(outline=self._box)

    def drag(self, cell: Cell, modifiers: Modifiers) -> None:
        """Span it up to a cell; one that never left its first cell selects nothing."""
        place = _place(cell)
        if self._box is not None or place != self._start:
            self._box = shapes.box_between(
                self._start, place, square=modifiers.shift, centred=modifiers.alt
            )

    def release(self) -> None:
        """Select it."""
        if self._box is not None:
            self._selection.select(self._box)

    def cancel(self) -> None:
        """Select nothing."""


class MoveGesture:
    """Moves the selected cells.

    Parameters
    ----------
    selection : Selection
        The selection.
    cell : tuple of int
        Where it is taken hold of.
    """

    preview: Preview | None = None

    def __init__(self, selection: Selection, cell: Cell) -> None:
        self._selection = selection
        self._start = self._last = _place(cell)

    def drag(self, cell: Cell, _modifiers: Modifiers, /) -> None:
        """Move them as far as the mouse."""
        y, x = _place(cell)
        if (y, x) != self._last:
            self._selection.move(y - self._last[0], x - self._last[1])
            self._last = y, x

    def release(self) -> None:
        """Leave them floating there."""

    def cancel(self) -> None:
        """Move them back to where they were taken hold of."""
        self.drag((self._start[1], self._start[0]), PLAIN)


def line_shape(brush: int) -> Shape:
    """Return what makes a line as wide as a brush; Shift straightens it."""

    def shape(start: Place, end: Place, modifiers: Modifiers) -> Spans:
        if modifiers.shift:
            end = shapes.straightened(start, end)
        if modifiers.alt:
            start = 2 * start[0] - end[0], 2 * start[1] - end[1]
        return shapes.line(start, end, brush)

    return shape


def box_shape(draw: Callable[[Box, int | None], Spans], border: int | None) -> Shape:
    """Return what makes a rectangle or an ellipse; a border of None fills it."""

    def shape(start: Place, end: Place, modifiers: Modifiers) -> Spans:
        box = shapes.box_between(start, end, square=modifiers.shift, centred=modifiers.alt)
        return draw(box, border)

    return shape


def _place(cell: Cell) -> Place:
    return cell[1], cell[0]
