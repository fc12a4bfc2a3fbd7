"""Paints what lies over the grid without being part of it: shapes, floating cells, selection."""

from __future__ import annotations

import math

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from ccl_viewer.grids.selection import Patch
from ccl_viewer.grids.shapes import Box, Spans, line
from ccl_viewer.session.editing.hand import Tool
from ccl_viewer.session.runs.on_display import OnDisplay
from ccl_viewer.views.canvas.cell_colours import input_indices
from ccl_viewer.views.canvas.cell_picture import Pixels
from ccl_viewer.views.canvas.geometry import CellRange, Viewpoint, visible_cells
from ccl_viewer.views.canvas.painting import image_of

_BRUSH_STRENGTH = 110
_DASH = 4.0
_VALUES = np.arange(256, dtype=np.uint8)


def paint_preview(
    painter: QPainter, view: Viewpoint, session: OnDisplay, shape: tuple[int, int], table: Pixels
) -> None:
    """Paint what lies over a session's grid, and which cells the brush would cover.

    Parameters
    ----------
    painter : QPainter
        On the canvas.
    view : Viewpoint
        Where the grid lies on the canvas.
    session : OnDisplay
        Whose tools.
    shape : tuple of int
        (height, width) of the grid.
    table : ndarray of uint32, shape (256,)
        Colours of palette indices, as Qt packs them.
    """
    size = painter.viewport()
    seen = visible_cells(view, shape[1], shape[0], size.width(), size.height())
    colors = table[input_indices(_VALUES, multivalued=session.settings.multivalued)]
    preview, brush = session.tools.preview, _brush_of(session)
    if brush is not None:
        value = session.tools.hand.value_of(second=False)
        _paint_spans(painter, view, brush, seen, _color(colors, value, _BRUSH_STRENGTH))
    if preview.hole is not None:
        painter.fillRect(_rect(view, preview.hole), _color(colors, 0))
    if preview.spans is not None:
        _paint_spans(painter, view, preview.spans, seen, _color(colors, preview.value))
    if preview.patch is not None:
        _paint_patch(painter, view, preview.patch, seen, colors)
    if preview.outline is not None:
        _paint_outline(painter, view, preview.outline)


def _brush_of(session: OnDisplay) -> Spans | None:
    """Return the cells that a wide brush would cover where the mouse is."""
    hand, hover = session.tools.hand, session.look.hover
    wide = hand.tool in {Tool.PENCIL, Tool.ERASER, Tool.LINE} and hand.brush > 1
    if hover is None or not wide or session.tools.busy:
        return None
    place = hover[1], hover[0]
    return line(place, place, hand.brush)


def _paint_spans(
    painter: QPainter, view: Viewpoint, spans: Spans, seen: CellRange, color: QColor
) -> None:
    if seen.empty:
        return
    starts, stops = np.maximum(spans.starts, seen.left), np.minimum(spans.stops, seen.right)
    inside = (spans.rows >= seen.top) & (spans.rows < seen.bottom) & (starts < stops)
    found = zip(
        spans.rows[inside].tolist(), starts[inside].tolist(), stops[inside].tolist(), strict=True
    )
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(color)
    painter.drawRects([_rect(view, Box(y, start, y + 1, stop)) for y, start, stop in found])


def _paint_patch(
    painter: QPainter, view: Viewpoint, patch: Patch, seen: CellRange, colors: Pixels
) -> None:
    box = patch.box
    inside = Box(
        max(box.top, seen.top),
        max(box.left, seen.left),
        min(box.bottom, seen.bottom),
        min(box.right, seen.right),
    )
    if inside.empty:
        return
    every = max(1, math.floor(1 / view.scale))
    rows, columns = inside.moved(-box.top, -box.left).slices
    cells = patch.cells[rows, columns][::every, ::every]
    painter.drawImage(_rect(view, inside), image_of(np.ascontiguousarray(colors[cells])))


def _paint_outline(painter: QPainter, view: Viewpoint, box: Box) -> None:
    rect = _rect(view, box).adjusted(0.5, 0.5, -0.5, -0.5)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(QColor("#101318"), 1))
    painter.drawRect(rect)
    pen = QPen(QColor("#ffffff"), 1)
    pen.setDashPattern([_DASH, _DASH])
    painter.setPen(pen)
    painter.drawRect(rect)


def _rect(view: Viewpoint, box: Box) -> QRectF:
    left, top = view.corner(box.left, box.top)
    return QRectF(left, top, box.width * view.scale, box.height * view.scale)


def _color(colors: Pixels, value: int, strength: int = 255) -> QColor:
    color = QColor.fromRgb(int(colors[value]))
    color.setAlpha(strength)
    return color
