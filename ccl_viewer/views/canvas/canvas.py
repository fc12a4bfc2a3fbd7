"""The canvas: shows the grid and its labels, zooms, pans, draws and erases."""

from __future__ import annotations

from functools import partial
from typing import Final

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QEnterEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from ccl_viewer.render.difference import Mask
from ccl_viewer.session import Cell
from ccl_viewer.session.runs.on_display import OnDisplay
from ccl_viewer.views.canvas import geometry
from ccl_viewer.views.canvas.chain import Eye
from ccl_viewer.views.canvas.fit import Fit, fit_of
from ccl_viewer.views.canvas.key import KeyEntry
from ccl_viewer.views.canvas.lesson_marks import paint_pointing
from ccl_viewer.views.canvas.picture import KeptPicture
from ccl_viewer.views.canvas.preview import paint_preview
from ccl_viewer.views.canvas.style import style_of
from ccl_viewer.views.canvas.tools import CanvasTools
from ccl_viewer.views.looks.theme import DARK, Theme
from ccl_viewer.views.widgets.painting_guard import guarded, paint_ahead

_MARGIN = 6.0
_ZOOM = 1.25
_NOTCH = 120
_CURSOR_KEYS: Final = {
    Qt.Key.Key_Left: (-1, 0),
    Qt.Key.Key_Right: (1, 0),
    Qt.Key.Key_Up: (0, -1),
    Qt.Key.Key_Down: (0, 1),
}
_PIN_KEYS: Final = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class Canvas(QWidget):
    """Shows what the session shows; the mouse draws, erases, zooms and pans.

    Parameters
    ----------
    session : OnDisplay
        What to show.
    parent : QWidget or None
        Parent.
    """

    zoomed = Signal(float)
    painted = Signal()
    told = Signal()
    """Other marks than before are in sight."""

    def __init__(self, session: OnDisplay, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._view = geometry.Viewpoint()
        self._fit = True
        self._tools = CanvasTools(session, self)
        self._pan_from: QPointF | None = None
        self._turned = 0
        self._fitted_shape: tuple[int, int] | None = None
        self._eye = Eye(session)
        self._picture = KeptPicture(self, session, self.told.emit)
        self._theme = DARK
        self._style = style_of(DARK, 1.0)
        self._set_up()
        self._follow(session)

    def _set_up(self) -> None:
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(240, 76)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setAccessibleName("Canvas")
        self.setAccessibleDescription(
            "The grid with the labels of the step on display. Left draws, right erases, the wheel "
            "zooms, the middle button pans. Shift and the arrows move the cell cursor, Enter pins."
        )

    def _follow(self, session: OnDisplay) -> None:
        session.grid_changed.connect(self._cells_changed)
        session.recording_changed.connect(self._extent_changed)
        session.playback.position_changed.connect(self.refresh)
        session.look.layers_changed.connect(self._layers_changed)
        session.look.hover_changed.connect(self.update)
        session.tools.preview_changed.connect(self.update)
        session.tools.changed.connect(self.update)
        session.look.pin_changed.connect(self.refresh)
        session.pointing.changed.connect(self.refresh)
        session.step_labels.arrived.connect(self.refresh)

    @property
    def view(self) -> geometry.Viewpoint:
        """Where the grid lies on the canvas."""
        return self._view

    @property
    def fitted(self) -> bool:
        """Whether the whole grid is shown, whatever the size of the canvas."""
        return self._fit

    @property
    def legend(self) -> QRectF:
        """Where the legend was painted last; empty without one."""
        return self._picture.legend

    @property
    def key(self) -> tuple[KeyEntry, ...]:
        """What the marks in sight mean."""
        return self._picture.key

    def set_theme(self, theme: Theme) -> None:
        """Use the colours of a theme."""
        self._theme = theme
        self._style = style_of(theme, self._session.look.layers.strength)
        self.refresh()

    def mark(self, difference: Mask | None) -> None:
        """Hatch cells that differ from another run, shape (height, width); None hatches none."""
        if difference is not self._picture.difference:
            self._picture.difference = difference
            self.refresh()

    def look_like(self, other: Canvas) -> None:
        """Show the same part of the grid as another canvas, at the same size of cells."""
        if other.fitted:
            self.fit()
            return
        self._fit = False
        middle = other.view.at(other.width() / 2, other.height() / 2)
        scale = other.view.scale
        x, y = self.width() / 2 - middle[0] * scale, self.height() / 2 - middle[1] * scale
        ratio = self.devicePixelRatioF()
        view = geometry.Viewpoint(scale, geometry.whole(x, ratio), geometry.whole(y, ratio))
        self._look(view, keep=False)

    def look_at(self, view: geometry.Viewpoint) -> None:
        """Show the grid where it lay before, at the size that it had."""
        self._fit = False
        self._look(view, keep=False)

    def refresh(self) -> None:
        """Draw everything anew at the next chance."""
        self._picture.outdate()
        self.update()

    def get_ready(self) -> bool:
        """Find out now what is to be painted, so that a window that is painted later has it.

        Returns
        -------
        bool
            False if another turn of the event loop is to go on; true also where nothing can be
            done now, as labels are being decoded, or because it failed.
        """
        ready = partial(self._picture.get_ready, self._view, self._style)
        return not self.isVisible() or paint_ahead(ready)

    def fit(self) -> None:
        """Show the whole grid, and keep doing so when the window changes its size."""
        self._fit = True
        self._apply_fit()

    def fit_in(self) -> Fit | None:
        """Return what fits the grid into the canvas, whatever its size; None without a grid."""
        ratio = self.devicePixelRatioF()
        return fit_of(self._session, self.font(), ratio, key=self._picture.explains)

    def explain_marks(self, *, on: bool) -> None:
        """Say what marks mean on the canvas, or leave it to others."""
        if on != self._picture.explains:
            self._picture.explains = on
            self._extent_changed()

    def settle(self) -> None:
        """Let cells cover whole pixels again, when the screen has others."""
        if self._fit:
            self._apply_fit()
        else:
            self.zoom(1.0)

    def zoom(self, factor: float, at: QPointF | None = None) -> None:
        """Make cells larger or smaller, around a position or the middle."""
        shape = self._shape()
        if shape is None:
            return
        at = at or QPointF(self.width() / 2, self.height() / 2)
        self._fit = False
        ratio = self.devicePixelRatioF()
        self._look(self._view.zoomed(factor, at.x(), at.y(), ratio))

    def cell_at(self, position: QPointF) -> Cell | None:
        """Return the cell under a position of the widget; None outside the grid."""
        shape = self._shape()
        if shape is None:
            return None
        return geometry.cell_at(self._view, position.x(), position.y(), shape[1], shape[0])

    def centre_of(self, cell: Cell) -> QPointF:
        """Return the position of the middle of a cell on the widget."""
        return QPointF(*self._view.corner(cell[0] + 0.5, cell[1] + 0.5))

    def sizeHint(self) -> QSize:
        """Return a size that suits most grids."""
        return QSize(800, 560)

    @guarded
    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the cells, unless nothing changed since, and what follows the mouse over them."""
        painter = QPainter(self)
        picture = self._picture.brought_up_to_date(self._view, self._style)
        if not self._picture.fresh:  # it may be smaller than the canvas
            painter.fillRect(self.rect(), QColor(self._style.around))
        painter.drawPixmap(0, 0, picture)
        shape, below = self._shape(), self._picture.painted
        if shape is not None and below is not None and below[1] == shape:
            view = below[0]  # which is not the newest while the next picture is being found out
            paint_preview(painter, view, self._session, shape, self._style.colors)
            paint_pointing(painter, view, self._session.pointing.marks, self._theme)
            if self._picture.fresh:  # else labels are being decoded, and not here
                self._eye.look()
            self._eye.paint(painter, view, self._style.accent)
        if self.hasFocus():
            painter.setPen(QColor(self._style.accent))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(self.rect().adjusted(0, 0, -1, -1))
        painter.end()
        if self._picture.fresh:
            self.painted.emit()

    def resizeEvent(self, _event: QResizeEvent) -> None:
        """Fit again, if the grid was fitted."""
        self._picture.outdate()
        if self._fit:
            self._apply_fit()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom at the cursor."""
        # Touchpads and fine wheels send many small turns.
        self._turned += event.angleDelta().y()
        notches = int(self._turned / _NOTCH)
        self._turned -= notches * _NOTCH
        for _ in range(abs(notches)):
            self.zoom(_ZOOM if notches > 0 else 1 / _ZOOM, event.position())
        event.accept()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Begin to draw, erase or pan."""
        if self._tools.pans(event):
            self._pan_from = event.position()
            self.setCursor(Qt.CursorShape.ClosedHandCursor)
            return
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            cell = self.cell_at(event.position())
            if cell is not None:
                self._session.look.pin(cell, component=True)
            return
        if not self._picks(event):
            self._tools.press(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Go on drawing or panning, and say which cell is under the mouse."""
        position = event.position()
        if self._pan_from is not None:
            moved = position - self._pan_from
            self._pan_from = position
            self._fit = False
            self._look(self._view.moved(moved.x(), moved.y(), self.devicePixelRatioF()))
        else:
            self._tools.move(event)
            self.setCursor(self._tools.cursor(position))
        self._session.look.hover_at(self.cell_at(position))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """End drawing or panning."""
        if self._pan_from is not None:
            self._pan_from = None
            self.setCursor(self._tools.cursor(event.position()))
        else:
            self._tools.release(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move the cell cursor with Shift and the arrows; Enter pins its component."""
        look, shift = self._session.look, Qt.KeyboardModifier.ShiftModifier
        shifted = bool(event.modifiers() & shift)
        key = Qt.Key(event.key())
        if shifted and key in _CURSOR_KEYS:
            look.move_cursor(*_CURSOR_KEYS[key])
            self._show_cursor()
        elif key in _PIN_KEYS and look.inspected and self._session.pointing.pick(look.inspected):
            event.accept()
        elif key in _PIN_KEYS and look.inspected is not None:
            look.pin(look.inspected, component=not shifted)
        else:
            super().keyPressEvent(event)

    def enterEvent(self, event: QEnterEvent) -> None:
        """Show a pencil's cross where cells can be drawn."""
        self.setCursor(self._tools.cursor(event.position()))

    def leaveEvent(self, _event: object) -> None:
        """Forget the cell under the mouse."""
        self._session.look.hover_at(None)

    def _picks(self, event: QMouseEvent) -> bool:
        """Choose the cell as an answer, if one is asked for; the other buttons draw as ever."""
        cell = self.cell_at(event.position())
        if event.button() is not Qt.MouseButton.LeftButton or not self._session.pointing.picks:
            return False
        return cell is None or self._session.pointing.pick(cell)

    def _shape(self) -> tuple[int, int] | None:
        grid = self._session.grid
        return None if grid is None else (grid.shape[0], grid.shape[1])

    def _layers_changed(self) -> None:
        self._style = style_of(self._theme, self._session.look.layers.strength)
        self._extent_changed()

    def _cells_changed(self) -> None:
        """Fit a grid of another size; one that is drawn on keeps its place."""
        if self._shape() != self._fitted_shape:
            self._extent_changed()
        else:
            self.refresh()

    def _extent_changed(self) -> None:
        """Fit a grid of another size, or the padding that came into sight around it."""
        shape = self._shape()
        if shape != self._fitted_shape:
            self._fitted_shape = shape
            self.fit()
        elif self._fit:
            self._apply_fit()
        self.refresh()

    def _apply_fit(self) -> None:
        fit = self.fit_in()
        if fit is not None:
            self._look(fit(self.width(), self.height()), keep=False)

    def _show_cursor(self) -> None:
        """Bring the cell cursor into sight."""
        cell = self._session.look.cursor
        if cell is None:
            return
        place, edge = self.centre_of(cell), self._view.scale / 2 + _MARGIN
        room = QRectF(self.rect()).adjusted(edge, edge, -edge, -edge)
        if not room.contains(place) and room.isValid():
            x = min(max(place.x(), room.left()), room.right()) - place.x()
            y = min(max(place.y(), room.top()), room.bottom()) - place.y()
            self._look(self._view.moved(x, y, self.devicePixelRatioF()))

    def _look(self, view: geometry.Viewpoint, *, keep: bool = True) -> None:
        shape = self._shape()
        if keep and shape is not None:
            room, ratio = self.size(), self.devicePixelRatioF()
            view = geometry.kept_in_sight(view, *shape[::-1], room.width(), room.height(), ratio)
        self._view = view
        self.zoomed.emit(view.scale)
        self.refresh()
