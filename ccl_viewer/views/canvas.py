"""The canvas: shows the grid and its labels, zooms, pans, draws and erases."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QPointF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QEnterEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPixmap,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from ccl_viewer.grids import Grid
from ccl_viewer.plan import LabelLayout
from ccl_viewer.render.palette import label_indices
from ccl_viewer.render.themes import UNLABELLED
from ccl_viewer.render.themes import theme as canvas_theme
from ccl_viewer.session import Cell, Session
from ccl_viewer.views import canvas_geometry as geometry
from ccl_viewer.views import canvas_painting as painting
from ccl_viewer.views.cell_picture import lined_table, packed_table, pixels_of
from ccl_viewer.views.cell_sample import Blocks, Sample, sample_of
from ccl_viewer.views.theme import DARK, Theme, fixed_font, text_on

_MARGIN = 6.0
_ZOOM = 1.25
_NOTCH = 120
_MARK_CELL = 10.0
"""Cells this large, in pixels, are marked if the step changed them."""

Indices = npt.NDArray[np.uint8]
Labels = npt.NDArray[np.int32]


class Canvas(QWidget):
    """Shows what the session shows; the mouse draws, erases, zooms and pans.

    Parameters
    ----------
    session : Session
        What to show.
    parent : QWidget or None
        Parent.
    """

    zoomed = Signal(float)
    painted = Signal()

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._view = geometry.Viewpoint()
        self._fit = True
        self._pan_from: QPointF | None = None
        self._turned = 0
        self._fitted_shape: tuple[int, int] | None = None
        self._drawn: tuple[Grid | None, int] = (None, 0)
        self._blocks: Blocks | None = None
        self._seen: tuple[geometry.Viewpoint, tuple[int, int]] | None = None
        self._sample: Sample | None = None
        self._components: tuple[Labels, Labels] | None = None
        self._base: QPixmap | None = None
        self._stamps = painting.NumberStamps(fixed_font(10))
        self.set_theme(DARK)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(240, 160)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setAccessibleName("Canvas")
        self.setAccessibleDescription(
            "The grid with the labels of the step on display. Left draws, right erases, the wheel "
            "zooms, the middle button pans."
        )
        session.grid_changed.connect(self._grid_changed)
        session.recording_changed.connect(self.refresh)
        session.playback.position_changed.connect(self.refresh)
        session.layers_changed.connect(self.refresh)
        session.hover_changed.connect(self.update)

    @property
    def view(self) -> geometry.Viewpoint:
        """Where the grid lies on the canvas."""
        return self._view

    def set_theme(self, theme: Theme) -> None:
        """Use the colours of a theme."""
        table = canvas_theme(theme.name).table()
        self._colors = packed_table(table)
        self._surround = QColor(theme.canvas)
        shade = self._surround
        self._line = (shade.red(), shade.green(), shade.blue())
        self._accent = QColor(theme.accent)
        shades = [f"#{r:02x}{g:02x}{b:02x}" for r, g, b, _ in table.tolist()]
        self._inks = [theme.dim, *(text_on(shade) for shade in shades[1:])]
        self._mark = QColor("#ffffff" if theme.name == "dark" else "#111318")
        self._hover_color = QColor("#ffffff")
        self.refresh()

    def refresh(self) -> None:
        """Draw everything anew at the next chance."""
        self._base = None
        self.update()

    def fit(self) -> None:
        """Show the whole grid, and keep doing so when the window changes its size."""
        self._fit = True
        self._apply_fit()

    def zoom(self, factor: float, at: QPointF | None = None) -> None:
        """Make cells larger or smaller, around a position or the middle."""
        shape = self._shape()
        if shape is None:
            return
        at = at or QPointF(self.width() / 2, self.height() / 2)
        self._fit = False
        self._look(self._view.zoomed(factor, at.x(), at.y()))

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

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the cells, unless nothing changed since, and what follows the mouse over them."""
        painter = QPainter(self)
        if self._base is None:
            self._base = self._paint_base()
        painter.drawPixmap(0, 0, self._base)
        self._paint_hover(painter)
        if self.hasFocus():
            painter.setPen(self._accent)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(self.rect().adjusted(0, 0, -1, -1))
        painter.end()
        self.painted.emit()

    def resizeEvent(self, _event: QResizeEvent) -> None:
        """Fit again, if the grid was fitted."""
        self._base = None
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
        if event.button() == Qt.MouseButton.MiddleButton or (
            event.button() == Qt.MouseButton.LeftButton
            and event.modifiers() & Qt.KeyboardModifier.ShiftModifier
        ):
            self._pan_from = event.position()
            self.setCursor(Qt.CursorShape.ClosedHandCursor)
            return
        cell = self.cell_at(event.position())
        if cell is None:
            return
        if event.button() == Qt.MouseButton.LeftButton:
            self._session.drawing.press(cell, 1)
        elif event.button() == Qt.MouseButton.RightButton:
            self._session.drawing.press(cell, 0)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Go on drawing or panning, and say which cell is under the mouse."""
        position = event.position()
        if self._pan_from is not None:
            moved = position - self._pan_from
            self._pan_from = position
            self._fit = False
            self._look(self._view.moved(moved.x(), moved.y()))
        elif event.buttons() & (Qt.MouseButton.LeftButton | Qt.MouseButton.RightButton):
            self._session.drawing.drag(self._view.to_cell(position.x(), position.y()))
        self._session.hover_at(self.cell_at(position))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """End drawing or panning."""
        if self._pan_from is not None:
            self._pan_from = None
            self.unsetCursor()
            self._update_cursor()
        elif event.button() in {Qt.MouseButton.LeftButton, Qt.MouseButton.RightButton}:
            self._session.drawing.release()

    def enterEvent(self, _event: QEnterEvent) -> None:
        """Show a pencil's cross where cells can be drawn."""
        self._update_cursor()

    def leaveEvent(self, _event: object) -> None:
        """Forget the cell under the mouse."""
        self._session.hover_at(None)

    def _update_cursor(self) -> None:
        if self._shape() is not None:
            self.setCursor(Qt.CursorShape.CrossCursor)

    def _shape(self) -> tuple[int, int] | None:
        grid = self._session.grid
        return None if grid is None else (grid.shape[0], grid.shape[1])

    def _grid_changed(self) -> None:
        shape = self._shape()
        if shape != self._fitted_shape:
            self._fitted_shape = shape
            self.fit()
        self.refresh()

    def _apply_fit(self) -> None:
        shape = self._shape()
        if shape is not None:
            self._look(
                geometry.fitted(shape[1], shape[0], self.width(), self.height(), _MARGIN),
                keep=False,
            )

    def _look(self, view: geometry.Viewpoint, *, keep: bool = True) -> None:
        shape = self._shape()
        if keep and shape is not None:
            view = geometry.kept_in_sight(view, shape[1], shape[0], self.width(), self.height())
        self._view = view
        self.zoomed.emit(view.scale)
        self.refresh()

    def _update_sample(
        self,
        grid: Grid,
        view: geometry.Viewpoint,
        visible: geometry.CellRange,
        size: tuple[int, int],
    ) -> Sample:
        """Return which cells to look at, kept until view or grid change."""
        drawn = grid, self._session.drawing.revision
        if self._blocks is None or self._drawn[0] is not grid or self._drawn[1] != drawn[1]:
            self._drawn, self._blocks, self._sample = drawn, Blocks(grid), None
        if self._sample is None or self._seen != (view, size):
            self._seen = view, size
            self._sample = sample_of(self._blocks, view, visible, size)
            self._components = None
        return self._sample

    def _indices(self, sample: Sample, grid: Grid) -> Indices:
        """Return the palette indices of a sample of the step on display."""
        session = self._session
        labels, colouring = session.labels, session.colouring
        if labels is None or colouring is None:
            blank: Indices = np.multiply(sample.of(grid) != 0, np.uint8(UNLABELLED))
            return blank
        if self._components is None or self._components[0] is not colouring.components:
            self._components = colouring.components, sample.of(colouring.components)
        sampled = replace(colouring, components=self._components[1])
        indices = label_indices(np.ascontiguousarray(sample.of(labels)), sampled)
        if session.stale:
            # Cells drawn since have no label yet; of cells erased since, nothing is shown.
            drawn = np.maximum(indices, np.uint8(UNLABELLED))
            indices = np.multiply(drawn, sample.of(grid) != 0, dtype=np.uint8)
        return indices

    def _paint_base(self) -> QPixmap:
        ratio = self.devicePixelRatioF()
        pixmap = QPixmap(self.size() * ratio)
        pixmap.setDevicePixelRatio(ratio)
        pixmap.fill(self._surround)
        if self._session.grid is not None:
            painter = QPainter(pixmap)
            self._paint_cells(painter, self._session.grid, ratio)
            painter.end()
        return pixmap

    def _paint_cells(self, painter: QPainter, grid: Grid, ratio: float) -> None:
        view, layers = self._view, self._session.layers
        size = round(self.width() * ratio), round(self.height() * ratio)
        fine = _scaled(view, ratio)
        visible = geometry.visible_cells(fine, grid.shape[1], grid.shape[0], *size)
        sample = self._update_sample(grid, fine, visible, size)
        if sample.empty:
            return
        indices = self._indices(sample, grid)
        lined = lined_table(self._colors, self._line, view.scale) if layers.lines else None
        image = painting.image_of(pixels_of(sample, indices, self._colors, lined))
        image.setDevicePixelRatio(ratio)
        painter.drawImage(QPointF(sample.left / ratio, sample.top / ratio), image)
        if sample.places is None:
            self._paint_marks(painter, sample, visible)
            self._paint_numbers(painter, sample, visible, indices)

    def _paint_marks(self, painter: QPainter, sample: Sample, visible: geometry.CellRange) -> None:
        session = self._session
        if not session.layers.changed or session.stale or self._view.scale < _MARK_CELL:
            return
        labels, before = session.labels, session.labels_before
        if labels is not None and before is not None:
            changed = sample.of(labels) != sample.of(before)
            painting.paint_marks(painter, self._view, visible, changed, self._mark)

    def _paint_numbers(
        self, painter: QPainter, sample: Sample, visible: geometry.CellRange, indices: Indices
    ) -> None:
        labels, recording = self._session.labels, self._session.recording
        if not self._session.layers.numbers or labels is None or recording is None:
            return
        if self._view.scale < geometry.NUMBER_CELL:
            return
        shown = sample.of(labels)
        digits = _digits(recording.layout, int(shown.max()), int(shown.min()))
        size = geometry.number_size(self._view.scale, digits)
        if size is not None:
            painting.paint_numbers(
                painter, self._view, visible, shown, indices, self._inks, self._stamps, size
            )

    def _paint_hover(self, painter: QPainter) -> None:
        cell = self._session.hover
        if cell is None or self._shape() is None:
            return
        info = self._session.inspect(cell)
        painting.paint_chain(painter, self._view, cell, info.chain, self._hover_color)


def _scaled(view: geometry.Viewpoint, ratio: float) -> geometry.Viewpoint:
    return geometry.Viewpoint(view.scale * ratio, view.x * ratio, view.y * ratio)


def _digits(layout: LabelLayout, largest: int, smallest: int) -> int:
    """Return the digits of the longest label, the same wherever the canvas looks."""
    last = (layout.margin + layout.height) * layout.pitch + layout.origin
    return max(len(str(value)) for value in (last, layout.background, largest, smallest))
