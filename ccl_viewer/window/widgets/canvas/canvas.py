"""The canvas: shows a step of a run over its grid, and handles mouse and keyboard."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QAction,
    QColor,
    QContextMenuEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QApplication, QMenu, QSizePolicy, QWidget

from ccl_viewer.grids.shapes import Spans, sweep_line
from ccl_viewer.render.forest import Mask
from ccl_viewer.render.step_view import Placement, RootPath
from ccl_viewer.window.core.cell_info import inspect_cell
from ccl_viewer.window.core.document import EMPTY_GRID
from ccl_viewer.window.core.tools import Modifiers, Tool
from ccl_viewer.window.core.view_state import (
    ZOOM,
    Mode,
    cell_at,
    fit_placement,
    next_scale,
    to_grid,
)
from ccl_viewer.window.widgets import style
from ccl_viewer.window.widgets.buttons import make_popup_menu
from ccl_viewer.window.widgets.canvas.cell_navigation import go_to_cell
from ccl_viewer.window.widgets.canvas.legend import QtLegend
from ccl_viewer.window.widgets.canvas.renderer import CanvasRenderer
from ccl_viewer.window.widgets.keys import ARROW_KEYS

if TYPE_CHECKING:
    from psygnal import SignalInstance

    from ccl_viewer.grids.shapes import Cell
    from ccl_viewer.window.core.run_display import RunDisplay
    from ccl_viewer.window.core.session import Session

MARGIN: Final = 4
"""Pixels around a fitted grid."""

_LEGEND: Final = 204
"""Width in pixels of most legends, at normal text size."""

_LEGEND_MS: Final = 100
"""Milliseconds until the legend is updated, so that playing does not wait for it."""

_REST_MS: Final = 120
"""Milliseconds until a step gets tree colours that take long to compute."""

_FLASH_MS: Final = 1_500
_REVEALED_SIZE: Final = 6.0
"""Smaller cells, in pixels, are enlarged when one of them is revealed."""

_REVEALED_TO: Final = 20.0


class QtCanvas(QWidget):
    """Shows a step of a run over its grid; by default, of the session's run."""

    zoomed = Signal(float)
    """The size of a cell changed, in pixels."""

    painted = Signal()
    """The step on display was painted completely."""

    def __init__(self, session: Session, display: RunDisplay | None = None) -> None:
        super().__init__()
        self.session = session
        self.display = session.display if display is None else display
        self.viewport = session.view.viewport
        self._renderer = CanvasRenderer(session, self.display)
        self.legend = QtLegend(session.settings, self)
        self._mouse = CanvasMouse(self)
        self._flash: Cell | None = None
        self._has_legend = True
        self.menu_actions: tuple[QAction, ...] = ()
        self._legend_timer = QTimer(self, singleShot=True, interval=_LEGEND_MS)
        self._legend_timer.timeout.connect(self._show_legend)
        self._rest_timer = QTimer(self, singleShot=True, interval=_REST_MS)
        self._rest_timer.timeout.connect(self._show_rested)
        self._shape: tuple[int, int] | None = None
        self._flash_timer = QTimer(self, singleShot=True, interval=_FLASH_MS)
        self._flash_timer.timeout.connect(self._end_flash)
        self._set_up()
        self._follow()

    # Contents

    @property
    def placement(self) -> Placement:
        ratio = self.devicePixelRatioF()
        size = round(self.width() * ratio), round(self.height() * ratio)
        grid = self.session.document.grid
        shape = (1, 1) if grid is None else (grid.shape[0], grid.shape[1])
        return self.viewport.placement(
            shape,
            size,
            ratio=ratio,
            margin=round(MARGIN * ratio),
            beside=round(self._room_for_legend * ratio),
            window=self._renderer.cells_to_fit(shape),
        )

    @property
    def needed_width(self) -> int:
        """Width in pixels that the whole grid needs at the canvas's height, with the legend."""
        grid = self.session.document.grid
        if grid is None:
            return 0
        shape = grid.shape[0], grid.shape[1]
        window = self._renderer.cells_to_fit(shape) or (0, 0, shape[1], shape[0])
        placement = fit_placement(window, (1 << 24, self.height()), margin=MARGIN)
        columns = window[2] - window[0]
        return math.ceil(columns * placement.scale) + 2 * MARGIN + self._room_for_legend

    @property
    def _room_for_legend(self) -> int:
        """Pixels that stay free beside a fitted grid, if there is enough room."""
        alone = self._has_legend and not self.session.comparison.open
        return style.scaled(_LEGEND) if alone and self.legend.wanted else 0

    def set_difference(self, difference: Mask | None) -> None:
        """Hatch cells that differ from another run, shape (height, width); None hatches none."""
        if difference is not self._renderer.difference:
            self._renderer.difference = difference
            self.refresh()

    def set_legend_shown(self, shown: bool) -> None:
        """Show the legend in a corner, or leave it to another canvas."""
        self._has_legend = shown
        self.refresh()

    def refresh(self) -> None:
        self._renderer.invalidate()
        self.update()

    def cell_at(self, position: QPointF) -> Cell | None:
        """Return the cell under a position of the widget; None outside the grid."""
        cell, shape = self.unclipped_cell_at(position), self.session.document.shape
        if shape is None or not (0 <= cell[0] < shape[1] and 0 <= cell[1] < shape[0]):
            return None
        return cell

    def unclipped_cell_at(self, position: QPointF) -> Cell:
        """Return column and row under a position of the widget, inside the grid or not."""
        ratio = self.devicePixelRatioF()
        return cell_at(self.placement, position.x() * ratio, position.y() * ratio)

    def centre_of(self, cell: Cell) -> QPointF:
        placement, ratio = self.placement, self.devicePixelRatioF()
        x = placement.x + (cell[0] + 0.5) * placement.scale
        y = placement.y + (cell[1] + 0.5) * placement.scale
        return QPointF(x / ratio, y / ratio)

    # Zooming and panning

    def fit(self) -> None:
        """Show the whole grid, and keep doing so when the canvas changes its size."""
        self.viewport.fit()

    def zoom(self, factor: float, at: QPointF | None = None) -> None:
        """Make cells larger or smaller, around a position or the middle."""
        if self.session.document.grid is not None:
            placement, ratio = self.placement, self.devicePixelRatioF()
            middle = QPointF(self.width() / 2, self.height() / 2)
            at = middle if at is None else at
            x, y = to_grid(placement, at.x() * ratio, at.y() * ratio)
            size, away = next_scale(placement.logical_cell_size, factor), middle - at
            self.viewport.look_at((x + away.x() / size, y + away.y() / size), size)

    def pan(self, dx: float, dy: float) -> None:
        if self.session.document.grid is not None:
            placement = self.placement
            middle = QPointF(self.width() / 2 - dx, self.height() / 2 - dy)
            ratio = self.devicePixelRatioF()
            centre = to_grid(placement, middle.x() * ratio, middle.y() * ratio)
            self.viewport.look_at(centre, placement.logical_cell_size)

    def look_at(self, cell: Cell, size: float) -> None:
        """Centre a cell, at a cell size in pixels."""
        self.viewport.look_at((cell[0] + 0.5, cell[1] + 0.5), size)

    def fit_box(self, box: tuple[int, int, int, int]) -> None:
        """Show a part of the grid; cells become no larger than is needed to see them."""
        left, top, right, bottom = box
        room = (
            (self.width() - 2 * MARGIN) / (right - left),
            (self.height() - 2 * MARGIN) / (bottom - top),
        )
        largest = max(self.placement.logical_cell_size, _REVEALED_TO)
        self.viewport.look_at(((left + right) / 2, (top + bottom) / 2), min(*room, largest))

    def reveal(self, cell: Cell, flash: bool = False) -> None:
        """Bring a cell into sight, large enough to be seen; perhaps flash it."""
        size = self.placement.logical_cell_size
        if flash and size < _REVEALED_SIZE:
            self.look_at(cell, _REVEALED_TO)
        else:
            at, edge = self.centre_of(cell), size / 2 + MARGIN
            room = QRectF(self.rect()).adjusted(edge, edge, -edge, -edge)
            if room.isValid() and not room.contains(at):
                x = min(max(at.x(), room.left()), room.right())
                y = min(max(at.y(), room.top()), room.bottom())
                self.pan(x - at.x(), y - at.y())
        if flash:
            self._flash = cell
            self._flash_timer.start()
            self.update()

    # Painting

    def sizeHint(self) -> QSize:
        return QSize(800, 560)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the cached picture, and over it what follows the mouse."""
        before = self._renderer.view
        picture = self._renderer.render_picture(
            self.placement, style.theme().name, self._text_size()
        )
        if self._renderer.view is not before and not self._legend_timer.isActive():
            self._legend_timer.start()
        with QPainter(self) as painter:
            painter.drawPixmap(0, 0, picture)
            self._paint_over_picture(painter)
        if self._renderer.provisional:
            self._rest_timer.start()
        if not self._renderer.waiting:
            recording = self.display.recording
            if recording is not None:
                self.session.labels.prefetch(recording, self.display.index)
            self.painted.emit()

    def _paint_over_picture(self, painter: QPainter) -> None:
        ratio = self.devicePixelRatioF()
        painter.save()
        painter.scale(1 / ratio, 1 / ratio)
        self._renderer.paint_overlay(painter, self._paths(), self._mouse.brush_cells, self._flash)
        painter.restore()
        if self.session.document.empty and not self.session.tools.busy:
            painter.setPen(QColor(style.theme().dim))
            painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, EMPTY_GRID)
        if self.hasFocus():
            painter.setPen(QColor(style.theme().accent))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(self.rect().adjusted(0, 0, -1, -1))

    def _text_size(self) -> float:
        size = self.fontInfo().pixelSize()  # -1 if no font has the letters
        return (size if size > 0 else self.fontMetrics().height()) * self.devicePixelRatioF()

    def _paths(self) -> tuple[RootPath, ...]:
        """Return the pinned and the pointed-at cells, with their paths to the roots."""
        view, grid = self.session.view, self.session.document.grid
        pinned = None if view.pin is None else view.pin.cell
        cells = {cell: cell == pinned for cell in (pinned, view.inspected) if cell is not None}
        paths = []
        for cell, is_pinned in cells.items():
            path: tuple[Cell, ...] = ()
            if not self._renderer.waiting and not self.display.stale:
                numbers, hidden = view.layers.numbers, self.session.analysis.hidden_answers
                labels = self.session.labels
                path = inspect_cell(cell, grid, self.display, labels, numbers, hidden).path
            paths.append(RootPath(cell, path, is_pinned))
        return tuple(paths)

    @property
    def pending(self) -> bool:
        """Whether this step is not yet painted completely."""
        timers = self._legend_timer, self._rest_timer
        return self._renderer.waiting or any(timer.isActive() for timer in timers)

    def _show_legend(self) -> None:
        view = self._renderer.view if self._has_legend else None
        self.legend.show_view(view, self._renderer.cache)

    def _show_rested(self) -> None:
        self._renderer.rested = True
        self.refresh()

    def _end_flash(self) -> None:
        self._flash = None
        self.update()

    # Events

    def event(self, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.DevicePixelRatioChange):
            self.refresh()
        return super().event(event)

    def resizeEvent(self, _event: QResizeEvent) -> None:
        self._renderer.invalidate()
        self.legend.move_to_corner()
        self.zoomed.emit(self.placement.logical_cell_size)

    def wheelEvent(self, event: QWheelEvent) -> None:
        self._mouse.wheel(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._mouse.press(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._mouse.move(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._mouse.release(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self._mouse.double_click(event)

    def leaveEvent(self, _event: QEvent) -> None:
        self.session.view.hover_at(None)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        if event.reason() is not QContextMenuEvent.Reason.Mouse:
            self._show_menu_at_cursor()
        elif self._mouse.right_button_is_free(event.modifiers()):
            cell = self.cell_at(QPointF(event.pos()))
            if cell is not None:
                self.session.view.put_cursor(cell)
            show_menu(self, event.globalPos())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move the cursor with Shift and the arrows; Enter places a floating patch, or pins."""
        view, key = self.session.view, Qt.Key(event.key())
        shifted = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        if shifted and key in ARROW_KEYS:
            view.move_cursor(*ARROW_KEYS[key])
            if view.cursor is not None:
                self.reveal(view.cursor)
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._enter(shifted)
        else:
            super().keyPressEvent(event)

    def _enter(self, shifted: bool) -> None:
        view = self.session.view
        if view.mode is Mode.DRAW and self.session.document.selection.place():
            return
        cell = view.inspected
        if cell is not None and not view.answer_with(cell):
            view.toggle_pin(cell, component=not shifted)

    def _show_menu_at_cursor(self) -> None:
        view = self.session.view
        if self.session.document.grid is None:
            return
        if view.inspected is None:
            view.move_cursor(0, 0)
        cell = view.inspected
        if cell is not None:
            view.put_cursor(cell)
            self.reveal(cell)
            show_menu(self, self.mapToGlobal(self.centre_of(cell).toPoint()))

    # Following models

    def _set_up(self) -> None:
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(240, 76)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setAccessibleName("Canvas")
        self.setAccessibleDescription(
            "The grid with the labels of the step on display. Shift and the arrows move the "
            "cursor, Enter pins a component, Shift and Enter a cell. The menu key opens a menu."
        )

    def disconnect_models(self) -> None:
        """Stop following models: the canvas is about to be deleted."""
        for signal, slot in self._followed():
            signal.disconnect(slot)

    def _follow(self) -> None:
        for signal, slot in self._followed():
            signal.connect(slot)

    def _followed(self) -> tuple[tuple[SignalInstance, Callable[..., None]], ...]:
        document, view, session = self.session.document, self.session.view, self.session
        return (
            (document.shape_changed, self._on_shape_changed),
            (document.grid_changed, self.refresh),
            (document.multivalued_changed, self.refresh),
            (self.display.recording_changed, self._on_step_changed),
            (self.display.index_changed, self._on_step_changed),
            (self.display.stale_changed, self._on_step_changed),
            (view.layers_changed, self._on_viewport_changed),
            (view.pin_changed, self.refresh),
            (view.marks_changed, self.refresh),
            (view.hover_changed, self._repaint),
            (view.cursor_changed, self._repaint),
            (view.mode_changed, self._mouse.show_cursor),
            (view.revealed, self.reveal),
            (view.box_fitted, self.fit_box),
            (session.tools.changed, self._on_tools_changed),
            (session.labels.ready, self.refresh),
            (session.phases.shown_changed, self.refresh),
            (self.viewport.changed, self._on_viewport_changed),
        )

    def _on_shape_changed(self) -> None:
        if self.session.document.shape != self._shape:
            self._shape = self.session.document.shape
            self.viewport.fit()
            self.zoomed.emit(self.placement.logical_cell_size)
        self.refresh()

    def _on_step_changed(self) -> None:
        self._renderer.rested = False
        self.refresh()

    def _repaint(self) -> None:
        self.update()  # without arguments

    def _on_tools_changed(self) -> None:
        self._mouse.show_cursor()
        self.update()

    def _on_viewport_changed(self) -> None:
        self.zoomed.emit(self.placement.logical_cell_size)
        self.refresh()


_ZOOMED_TO = 24.0


def show_menu(canvas: QtCanvas, where: QPoint) -> None:
    canvas.setFocus()
    make_menu(canvas).popup(where)


def make_menu(canvas: QtCanvas) -> QMenu:
    """Return the menu for the inspected cell and the grid."""
    session, menu = canvas.session, make_popup_menu(canvas)
    cell = session.view.inspected
    if cell is not None:
        root = inspect_cell(cell, session.document.grid, canvas.display, session.labels).root
        if root is not None and root != cell:
            menu.addAction("Go to root", lambda: go_to_cell(session.view, root))
        menu.addAction("Zoom in here", lambda: canvas.look_at(cell, _ZOOMED_TO))
    if session.view.pin is not None:
        menu.addAction("Unpin", lambda: session.view.set_pin(None))
    menu.addActions(list(canvas.menu_actions))
    return menu


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
    def brush_cells(self) -> Spans | None:
        """The cells that a wide brush would cover, at the mouse."""
        tools, hover = self._session.tools, self._session.view.hover
        if hover is None or tools.busy or self._session.view.mode is not Mode.DRAW:
            return None
        if tools.tool not in _WIDE or tools.brush < 2:
            return None
        position = hover[1], hover[0]
        return sweep_line(position, position, tools.brush)

    def right_button_is_free(self, modifiers: Qt.KeyboardModifier) -> bool:
        """Return whether the right button opens the menu instead of erasing."""
        session = self._session
        if session.document.grid is None or session.tools.busy:
            return False
        explores = session.view.mode is Mode.EXPLORE or session.tools.tool in _FREE
        explores = explores or session.view.answering  # never erase while a question is open
        return explores or bool(modifiers & Qt.KeyboardModifier.ControlModifier)

    def press(self, event: QMouseEvent) -> None:
        button, modifiers = event.button(), event.modifiers()
        if self._drawing is not None or self._session.document.grid is None:
            return
        if button is Qt.MouseButton.MiddleButton or (
            button is Qt.MouseButton.LeftButton and self._left_pans(modifiers)
        ):
            self._begin_pan(event.position())
        elif (
            button is Qt.MouseButton.LeftButton and modifiers & Qt.KeyboardModifier.ControlModifier
        ):
            self._pin(event.position(), component=True)
        elif button is Qt.MouseButton.LeftButton and self._session.view.answering:
            cell = self._canvas.cell_at(event.position())
            if cell is not None:
                self._session.view.answer_with(cell)
        elif self._session.view.mode is Mode.DRAW:
            if not (button is Qt.MouseButton.RightButton and self.right_button_is_free(modifiers)):
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
            cell = self._canvas.unclipped_cell_at(position)
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
        if left and view.mode is Mode.EXPLORE and not view.answering:
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
        if session.view.answering:
            return Qt.CursorShape.PointingHandCursor
        if session.view.mode is Mode.EXPLORE:
            return Qt.CursorShape.ArrowCursor
        box = session.document.selection.box
        if session.tools.tool is Tool.SELECT and box is not None and position is not None:
            x, y = self._canvas.unclipped_cell_at(position)
            if box.holds(y, x):
                return Qt.CursorShape.SizeAllCursor
        return Qt.CursorShape.CrossCursor

    def _left_pans(self, modifiers: Qt.KeyboardModifier) -> bool:
        shifted = bool(modifiers & Qt.KeyboardModifier.ShiftModifier)
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
            cell = self._canvas.unclipped_cell_at(event.position())
        if cell is not None:
            self._drawing = button
            tools.press(cell, erase=_BUTTONS[button], modifiers=_modifiers(event))

    def _pin(self, position: QPointF, *, component: bool) -> None:
        cell, view = self._canvas.cell_at(position), self._session.view
        if cell is not None:
            view.toggle_pin(cell, component=component)
        elif view.pin is not None:
            view.unpin()


def _modifiers(event: QMouseEvent) -> Modifiers:
    modifiers = event.modifiers()
    return Modifiers(
        shift=bool(modifiers & Qt.KeyboardModifier.ShiftModifier),
        alt=bool(modifiers & Qt.KeyboardModifier.AltModifier),
    )
