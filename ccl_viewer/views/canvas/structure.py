"""Painting how a launch divides the grid: parts and runs, and contours and padding with them."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPen

from ccl_viewer.plan import LabelLayout, Part, Structure
from ccl_viewer.render import structure as structures
from ccl_viewer.render.marks import (
    HALO_SIDE,
    LINES_FROM,
    RUN_INSET,
    RUN_ROUND,
    SMALLEST_PART,
    contour_width,
    stroke_of,
)
from ccl_viewer.render.structure import Window
from ccl_viewer.views.canvas.geometry import Viewpoint
from ccl_viewer.views.canvas.painting import NumberStamps
from ccl_viewer.views.canvas.style import CanvasStyle
from ccl_viewer.views.canvas.target import PaintTarget
from ccl_viewer.views.looks.theme import mixed


def paint_structure(
    target: PaintTarget, structure: Structure, rank: int, layout: LabelLayout
) -> None:
    """Draw the borders of a structure's parts, if they are far enough apart to be told apart.

    Parameters
    ----------
    target : PaintTarget
        Where to.
    structure : Structure
        Not runs: see :func:`paint_runs`.
    rank : int
        How many coarser divisions into such parts there are: finer ones have finer lines.
    layout : LabelLayout
        Of the labels.
    """
    side = structures.smallest_side(structure, layout) * target.view.scale
    if side < SMALLEST_PART:
        return
    lines = lines_at(target.view, structures.lines_of(structure, layout, target.window))
    for pen in pens_of(structure.part, target.style, side, rank):
        target.painter.setPen(pen)
        target.painter.drawLines(lines)


def paint_runs(target: PaintTarget, found: npt.NDArray[np.int64]) -> None:
    """Draw a capsule around each run.

    Parameters
    ----------
    target : PaintTarget
        Where to.
    found : ndarray of int64, shape (runs, 4)
        Of :func:`ccl_viewer.render.structure.run_boxes`.
    """
    painter, view = target.painter, target.view
    if view.scale < SMALLEST_PART:
        return
    inset = max(1.0, view.scale * RUN_INSET)
    round_by = view.scale * RUN_ROUND
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    boxes = [
        _box(view, (left, top, right, bottom)).adjusted(inset + 0.5, inset + 0.5, -inset, -inset)
        for left, top, right, bottom in found.tolist()
    ]
    for pen in pens_of(Part.RUN, target.style, view.scale):
        painter.setPen(pen)
        for box in boxes:
            painter.drawRoundedRect(box, round_by, round_by)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)


def paint_contours(target: PaintTarget, segments: npt.NDArray[np.int64], shade: str) -> None:
    """Draw the lines around components.

    Parameters
    ----------
    target : PaintTarget
        Where to.
    segments : ndarray of int64, shape (segments, 4)
        Of :func:`ccl_viewer.render.contours.segments`, in cells.
    shade : str
        Colour of the lines.
    """
    painter, style = target.painter, target.style
    lines = lines_at(target.view, segments)
    width = contour_width(target.view.scale)
    for color, thick in ((QColor(style.halo), width + 1.6), (QColor(shade), width)):
        pen = QPen(color, thick)
        pen.setCapStyle(Qt.PenCapStyle.SquareCap)
        painter.setPen(pen)
        painter.drawLines(lines)


def lines_at(view: Viewpoint, segments: npt.NDArray[np.int64]) -> list[QLineF]:
    """Return segments, given in cells, as lines on the canvas."""
    places = segments * view.scale + np.array([view.x, view.y, view.x, view.y])
    return [QLineF(*ends) for ends in places.tolist()]


def paint_padding(target: PaintTarget, layout: LabelLayout, numbers: NumberStamps | None) -> None:
    """Draw the cells of the label buffer that lie around the grid, with the value they hold.

    Parameters
    ----------
    target : PaintTarget
        Where to.
    layout : LabelLayout
        Says how wide the padding is.
    numbers : NumberStamps or None
        Makes the numbers; None leaves them out.
    """
    paper, hatch = padding_brushes(target.style, 0.4)
    for band in _bands(layout, structures.clipped(target.window, structures.padded_window(layout))):
        box = _box(target.view, band)
        target.painter.fillRect(box, paper)
        target.painter.fillRect(box, hatch)
        if target.view.scale >= LINES_FROM:
            _draw_grid(target, band)
            if numbers is not None:
                _stamp_everywhere(target, band, numbers, str(layout.background))


def padding_brushes(style: CanvasStyle, strength: float) -> tuple[QBrush, QBrush]:
    """Return the ground of padding and the hatching over it, which is faint or strong, 0 to 1."""
    paper = QColor(mixed(style.around, style.shades[0], 0.55))
    hatch = QColor(mixed(style.around, style.dim, strength))
    return QBrush(paper), QBrush(hatch, Qt.BrushStyle.BDiagPattern)


def _draw_grid(target: PaintTarget, band: Window) -> None:
    left, top, right, bottom = band
    corner, style = target.view.corner, target.style
    target.painter.setPen(QPen(QColor(mixed(style.around, style.dim, 0.28)), 1))
    columns = [QLineF(*corner(x, top), *corner(x, bottom)) for x in range(left, right + 1)]
    rows = [QLineF(*corner(left, y), *corner(right, y)) for y in range(top, bottom + 1)]
    target.painter.drawLines([*columns, *rows])


def _stamp_everywhere(target: PaintTarget, band: Window, numbers: NumberStamps, text: str) -> None:
    left, top, right, bottom = band
    stamp = numbers.get(text, target.style.dim)
    for y in range(top, bottom):
        for x in range(left, right):
            target.painter.drawPixmap(QPointF(*target.view.corner(x, y)), stamp)


def pens_of(part: Part, style: CanvasStyle, side: float = math.inf, rank: int = 0) -> list[QPen]:
    """Return the pens of halo and line: fine, and without a halo, where parts are small.

    Parameters
    ----------
    part : Part
        What is drawn.
    style : CanvasStyle
        Colours.
    side : float
        How wide the parts are, in pixels.
    rank : int
        As of :func:`paint_structure`.
    """
    width, dashes = stroke_of(part, side, rank)
    line = QPen(QColor(style.bold), width)
    line.setCapStyle(Qt.PenCapStyle.FlatCap)
    if dashes:
        line.setDashPattern(list(dashes))
    if side < HALO_SIDE:
        return [line]
    halo = QPen(QColor(style.halo), width + 2)
    halo.setCapStyle(Qt.PenCapStyle.FlatCap)
    return [halo, line]


def _bands(layout: LabelLayout, window: Window) -> list[Window]:
    """Return the padding in sight: above, below, left and right of the grid."""
    width, height = layout.width, layout.height
    left, top, right, bottom = window
    bands = (
        (left, top, right, min(bottom, 0)),
        (left, max(top, height), right, bottom),
        (left, max(top, 0), min(right, 0), min(bottom, height)),
        (max(left, width), max(top, 0), right, min(bottom, height)),
    )
    return [band for band in bands if band[0] < band[2] and band[1] < band[3]]


def _box(view: Viewpoint, cells: Window) -> QRectF:
    left, top = view.corner(cells[0], cells[1])
    right, bottom = view.corner(cells[2], cells[3])
    return QRectF(left, top, right - left, bottom - top)
