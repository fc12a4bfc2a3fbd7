"""The mouse on a canvas: it explores or draws, pans and zooms."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QApplication

from ccl_viewer.grids.shapes import Spans, line
from ccl_viewer.window.core.tools import Modifiers, Tool
from ccl_viewer.window.core.view_state import ZOOM, Mode

if TYPE_CHECKING:
    from ccl_viewer.window.widgets.canvas.canvas import QtCanvas

_NOTCH: Final = 120
_BUTTONS: Final = {Qt.MouseButton.LeftButton: False, Qt.MouseButton.RightButton: True}
"""The drawing buttons, and whether they erase."""

_SPANNING: Final = {Tool.LINE, Tool.RECTANGLE, Tool.ELLIPSE, Tool.SELECT}
"""Tools with two ends: they may begin beside the grid, and Shift constrains them."""

_FREE: Final = {Tool.PICK, Tool.SELECT}
"""Tools that do not use the right button."""

_WIDE: Final = {Tool.PENCIL, Tool.ERASER, Tool.LINE}
"""Tools with a brush that is shown under the mouse."""


class CanvasMouse:
    """Handles the mouse of one canvas."""

    def __init__(self, canvas: QtCanvas) -> None:
        self._canvas = canvas
        self._session = canvas.session
        self._drawing: Qt.MouseButton | None = None
        self._pan_from: QPointF | None = None
        self._pressed: QPointF | None = None
        self._turned = 0

    @property
    def brush(self) -> Spans | None:
        """The cells that a wide brush would cover, at the mouse."""
        tools, hover = self._session.tools, self._session.view.hover
        if hover is None or tools.busy or self._session.view.mode is not Mode.DRAW:
            return None
        if tools.tool not in _WIDE or tools.brush < 2:
            return None
        place = hover[1], hover[0]
        return line(place, place, tools.brush)

    def right_button_is_free(self, held: Qt.KeyboardModifier) -> bool:
        """Return whether the right button opens the menu instead of erasing."""
        session = self._session
        if session.document.grid is None or session.tools.busy:
            return False
        explores = session.view.mode is Mode.EXPLORE or session.tools.tool in _FREE
        explores = explores or session.view.picks  # never erase while a question is open
        return explores or bool(held & Qt.KeyboardModifier.ControlModifier)

    def press(self, event: QMouseEvent) -> None:
        button, held = event.button(), event.modifiers()
        if self._drawing is not None or self._session.document.grid is None:
            return
        if button is Qt.MouseButton.MiddleButton or (
            button is Qt.MouseButton.LeftButton and self._left_pans(held)
        ):
            self._begin_pan(event.position())
        elif button is Qt.MouseButton.LeftButton and held & Qt.KeyboardModifier.ControlModifier:
            self._pin(event.position(), component=True)
        elif button is Qt.MouseButton.LeftButton and self._session.view.picks:
            cell = self._canvas.cell_at(event.position())
            if cell is not None:
                self._session.view.pick(cell)
        elif self._session.view.mode is Mode.DRAW:
            if not (button is Qt.MouseButton.RightButton and self.right_button_is_free(held)):
                self._begin_drawing(event)
        elif button is Qt.MouseButton.LeftButton:
            self._pressed = event.position()

    def move(self, event: QMouseEvent) -> None:
        position = event.position()
        if self._pressed is not None:
            moved = (position - self._pressed).manhattanLength()
            if moved >= QApplication.startDragDistance():
                self._begin_pan(self._pressed)
        if self._pan_from is not None:
            moved_by = position - self._pan_from
            self._pan_from = position
            self._canvas.pan(moved_by.x(), moved_by.y())
        elif self._drawing is not None and event.buttons() & self._drawing:
            cell = self._canvas.cell_near(position)
            self._session.tools.drag(cell, modifiers=_modifiers(event))
        else:
            self.show_cursor(position)
        self._session.view.hover_at(self._canvas.cell_at(position))

    def release(self, event: QMouseEvent) -> None:
        """End drawing or panning; a click while exploring pins the cell."""
        pressed, self._pressed = self._pressed, None
        if self._pan_from is not None:
            self._pan_from = None
            self.show_cursor(event.position())
        elif event.button() is self._drawing:
            self._drawing = None
            self._session.tools.release()
        elif pressed is not None:
            self._pin(event.position(), component=False)

    def double_click(self, event: QMouseEvent) -> None:
        """Pin the component, while exploring; otherwise treat it as another press."""
        view, left = self._session.view, event.button() is Qt.MouseButton.LeftButton
        if left and view.mode is Mode.EXPLORE and not view.picks:
            self._pin(event.position(), component=True)
        else:
            self.press(event)

    def wheel(self, event: QWheelEvent) -> None:
        """Zoom at the mouse; fine wheels and touchpads send many small turns."""
        self._turned += event.angleDelta().y()
        notches = int(self._turned / _NOTCH)
        self._turned -= notches * _NOTCH
        for _ in range(abs(notches)):
            self._canvas.zoom(ZOOM if notches > 0 else 1 / ZOOM, event.position())
        event.accept()

    def show_cursor(self, position: QPointF | None = None) -> None:
        """Show what the left button would do."""
        self._canvas.setCursor(self._cursor(position))

    def _cursor(self, position: QPointF | None) -> Qt.CursorShape:
        session = self._session
        if self._pan_from is not None:
            return Qt.CursorShape.ClosedHandCursor
        if session.document.grid is None:
            return Qt.CursorShape.ArrowCursor
        if session.view.picks:
            return Qt.CursorShape.PointingHandCursor
        if session.view.mode is Mode.EXPLORE:
            return Qt.CursorShape.ArrowCursor
        box = session.document.selection.box
        if session.tools.tool is Tool.SELECT and box is not None and position is not None:
            x, y = self._canvas.cell_near(position)
            if box.holds(y, x):
                return Qt.CursorShape.SizeAllCursor
        return Qt.CursorShape.CrossCursor

    def _left_pans(self, held: Qt.KeyboardModifier) -> bool:
        shifted = bool(held & Qt.KeyboardModifier.ShiftModifier)
        draws = self._session.view.mode is Mode.DRAW
        return shifted and draws and self._session.tools.tool not in _SPANNING

    def _begin_pan(self, position: QPointF) -> None:
        self._pan_from, self._pressed = position, None
        self.show_cursor()

    def _begin_drawing(self, event: QMouseEvent) -> None:
        tools, button = self._session.tools, event.button()
        if button not in _BUTTONS:
            return
        cell = self._canvas.cell_at(event.position())
        if cell is None and tools.tool in _SPANNING:
            cell = self._canvas.cell_near(event.position())
        if cell is not None:
            self._drawing = button
            tools.press(cell, erase=_BUTTONS[button], modifiers=_modifiers(event))

    def _pin(self, position: QPointF, *, component: bool) -> None:
        cell, view = self._canvas.cell_at(position), self._session.view
        if cell is not None:
            view.pin_cell(cell, component=component)
        elif view.pin is not None:
            view.unpin()


def _modifiers(event: QMouseEvent) -> Modifiers:
    held = event.modifiers()
    return Modifiers(
        shift=bool(held & Qt.KeyboardModifier.ShiftModifier),
        alt=bool(held & Qt.KeyboardModifier.AltModifier),
    )
