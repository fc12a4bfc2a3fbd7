"""The menu of the canvas, where the right button does not draw."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, Qt
from PySide6.QtGui import QAction, QContextMenuEvent, QMouseEvent
from PySide6.QtWidgets import QMenu

from ccl_viewer.session import Session
from ccl_viewer.session.editing.hand import Tool
from ccl_viewer.views.canvas.canvas import Canvas

_FREE = {Tool.PICK, Tool.SELECT}
"""Tools that the right button has no other use for."""

_PRESSES = {QEvent.Type.MouseButtonPress, QEvent.Type.MouseButtonDblClick}
_SECTIONS = (
    ("pin_component", "pin_cell", "only"),
    ("copy_label", "copy_figure"),
    ("fit", "layers"),
)
_EDITS = ("cut", "copy", "paste", "delete")


class CanvasMenu(QObject):
    """Shows a menu for the cell under mouse or cursor.

    The right button erases with most tools; with Ctrl, and with those that do not draw, it asks
    for the menu, as the keyboard's menu key always does. The cell cursor goes to the cell, so that
    one sees which is meant.

    Parameters
    ----------
    session : Session
        What the canvases show.
    actions : dict of str to QAction
        The window's actions.
    follow : callable
        Brings their texts up to date.
    parent : QObject
        Parent.
    """

    def __init__(
        self,
        session: Session,
        actions: dict[str, QAction],
        follow: Callable[[], object],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._actions = actions
        self._follow = follow

    def watch(self, canvas: Canvas) -> None:
        """Show the menu on a canvas, too."""
        canvas.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Take presses that ask for the menu away from the tools; Qt calls this."""
        if event.type() in _PRESSES and isinstance(event, QMouseEvent):
            return event.button() is Qt.MouseButton.RightButton and self._asks(event.modifiers())
        if isinstance(event, QContextMenuEvent) and isinstance(watched, Canvas):
            by_mouse = event.reason() is QContextMenuEvent.Reason.Mouse
            if not by_mouse:
                self._show_at_cursor(watched)
            elif self._asks(event.modifiers()):
                self._show_at(watched, event.pos())
            return True
        return False

    def _asks(self, held: Qt.KeyboardModifier) -> bool:
        tools = self._session.tools
        if self._session.grid is None or tools.busy:
            return False
        return bool(held & Qt.KeyboardModifier.ControlModifier) or tools.hand.tool in _FREE

    def _show_at(self, canvas: Canvas, where: QPoint) -> None:
        cell = canvas.cell_at(QPointF(where))
        if cell is not None:
            self._session.look.point_at(cell)
        self._show(canvas, where)

    def _show_at_cursor(self, canvas: Canvas) -> None:
        look = self._session.look
        if self._session.grid is None:
            return
        if look.inspected is None:
            look.move_cursor(0, 0)
        cell = look.inspected
        where = QPointF() if cell is None else canvas.centre_of(cell)
        if cell is not None:
            look.point_at(cell)
        inside = canvas.rect()
        x = min(max(round(where.x()), inside.left()), inside.right())
        y = min(max(round(where.y()), inside.top()), inside.bottom())
        self._show(canvas, QPoint(x, y))

    def _show(self, canvas: Canvas, where: QPoint) -> None:
        canvas.setFocus()  # of several lanes, this one is meant
        self._follow()
        menu = QMenu(canvas)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for names in _SECTIONS:
            menu.addActions([self._actions[name] for name in names])
            menu.addSeparator()
        edits = menu.addMenu("&Selection")
        edits.addActions([self._actions[name] for name in _EDITS])
        menu.popup(canvas.mapToGlobal(where))
