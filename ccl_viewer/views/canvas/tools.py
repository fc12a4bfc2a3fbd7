"""Brings the mouse on the canvas to the tool in hand."""

from __future__ import annotations

from typing import Protocol

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QMouseEvent

from ccl_viewer.session import Cell
from ccl_viewer.session.editing.gestures import Modifiers
from ccl_viewer.session.editing.hand import Tool
from ccl_viewer.session.runs.on_display import OnDisplay
from ccl_viewer.views.canvas.geometry import Viewpoint

_BUTTONS = {Qt.MouseButton.LeftButton: False, Qt.MouseButton.RightButton: True}
_SPANNING = {Tool.LINE, Tool.RECTANGLE, Tool.ELLIPSE, Tool.SELECT}
"""Tools that span something, which may begin beside the grid, and which Shift constrains."""


class Surface(Protocol):
    """The canvas, as tools know it."""

    @property
    def view(self) -> Viewpoint:
        """Where the grid lies on the canvas."""

    def cell_at(self, position: QPointF, /) -> Cell | None:
        """Return the cell under a position; None outside the grid."""


class CanvasTools:
    """Left and right button to the tool in hand; one button at a time.

    Parameters
    ----------
    session : OnDisplay
        Holds the tools.
    surface : Surface
        The canvas.
    """

    def __init__(self, session: OnDisplay, surface: Surface) -> None:
        self._session = session
        self._surface = surface
        self._button: Qt.MouseButton | None = None

    def pans(self, event: QMouseEvent) -> bool:
        """Return whether a press begins to pan: with the middle button, or with Shift.

        Tools that Shift constrains leave that to the middle button.
        """
        if event.button() is Qt.MouseButton.MiddleButton:
            return True
        shifted = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
        free = self._session.tools.hand.tool not in _SPANNING
        return event.button() is Qt.MouseButton.LeftButton and bool(shifted) and free

    def press(self, event: QMouseEvent) -> None:
        """Begin to use the tool, unless it is in use or the cell is no place to begin."""
        tools = self._session.tools
        if event.button() not in _BUTTONS or self._button is not None:
            return
        cell = self._surface.cell_at(event.position())
        if cell is None and tools.hand.tool in _SPANNING:
            cell = self._cell(event)
        if cell is not None:
            self._button = event.button()
            tools.press(cell, second=_BUTTONS[event.button()], modifiers=_modifiers(event))

    def move(self, event: QMouseEvent) -> None:
        """Go on, while the button is down."""
        if self._button is not None and event.buttons() & self._button:
            self._session.tools.drag(self._cell(event), modifiers=_modifiers(event))

    def release(self, event: QMouseEvent) -> None:
        """End, when that button is let go."""
        if event.button() is self._button:
            self._button = None
            self._session.tools.release()

    def cursor(self, position: QPointF) -> Qt.CursorShape:
        """Return what the mouse looks like at a position."""
        if self._session.grid is None:
            return Qt.CursorShape.ArrowCursor
        box = self._session.tools.selection.box
        if self._session.tools.hand.tool is Tool.SELECT and box is not None:
            x, y = self._surface.view.to_cell(position.x(), position.y())
            if box.holds(y, x):
                return Qt.CursorShape.SizeAllCursor
        return Qt.CursorShape.CrossCursor

    def _cell(self, event: QMouseEvent) -> Cell:
        return self._surface.view.to_cell(event.position().x(), event.position().y())


def _modifiers(event: QMouseEvent) -> Modifiers:
    held = event.modifiers()
    return Modifiers(
        shift=bool(held & Qt.KeyboardModifier.ShiftModifier),
        alt=bool(held & Qt.KeyboardModifier.AltModifier),
    )
