"""Painting how a launch divides the grid: parts, runs, padding, and a legend of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFontMetricsF, QPainter, QPen

from ccl_viewer.plan import LabelLayout, Part, Structure
from ccl_viewer.render import structure as structures
from ccl_viewer.render.structure import LegendEntry, Window
from ccl_viewer.views.canvas_geometry import Viewpoint
from ccl_viewer.views.canvas_painting import NumberStamps
from ccl_viewer.views.canvas_style import CanvasStyle
from ccl_viewer.views.theme import mixed

_SEEN: Final = 6.0
"""Parts narrower than this, in pixels, are not drawn: nothing else would be seen."""

_RUN_CELL: Final = 5.0
_LINE_CELL: Final = 6.0
_DASHES: Final[dict[Part, tuple[float, Sequence[float]]]] = {
    Part.BLOCK: (2.6, ()),
    Part.TILE: (3.4, ()),
    Part.STRIP: (2.6, (9, 3, 2, 3)),
    Part.WARP: (1.8, (4, 3)),
    Part.QUAD: (1.8, (1, 2)),
    Part.RUN: (1.6, ()),
}
_ROW: Final = 1.75
_SAMPLE: Final = 26.0


def paint_structure(
    painter: QPainter,
    view: Viewpoint,
    structure: Structure,
    layout: LabelLayout,
    window: Window,
    style: CanvasStyle,
) -> None:
    """Draw the borders of a structure's parts, if they are far enough apart to be told apart.

    Parameters
    ----------
    painter : QPainter
        Where to.
    view : Viewpoint
        Where cells lie, in the painter's units.
    structure : Structure
        Not runs: see :func:`paint_runs`.
    layout : LabelLayout
        Of the labels.
    window : tuple of four int
        The cells in sight, padding included.
    style : CanvasStyle
        Colours.
    """
    if structures.smallest_side(structure, layout) * view.scale < _SEEN:
        return
    found = structures.lines_of(structure, layout, window)
    _draw_lines(painter, lines_at(view, found), structure.part, style)


def paint_runs(
    painter: QPainter, view: Viewpoint, spans: npt.NDArray[np.int64], style: CanvasStyle
) -> None:
    """Draw a capsule around each run.

    Parameters
    ----------
    painter : QPainter
        Where to.
    view : Viewpoint
        Where cells lie, in the painter's units.
    spans : ndarray of int64, shape (runs, 3)
        Of :func:`ccl_viewer.render.structure.run_spans`.
    style : CanvasStyle
        Colours.
    """
    if view.scale < _RUN_CELL:
        return
    inset = max(1.5, view.scale * 0.1)
    round_by = view.scale * 0.3
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    boxes = [
        QRectF(*view.corner(start, row), (end - start) * view.scale, view.scale).adjusted(
            inset + 0.5, inset + 0.5, -inset, -inset
        )
        for row, start, end in spans.tolist()
    ]
    for pen in _pens(Part.RUN, style):
        painter.setPen(pen)
        for box in boxes:
            painter.drawRoundedRect(box, round_by, round_by)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)


def paint_contours(
    painter: QPainter, view: Viewpoint, segments: npt.NDArray[np.int64], style: CanvasStyle
) -> None:
    """Draw the lines around components.

    Parameters
    ----------
    painter : QPainter
        Where to.
    view : Viewpoint
        Where cells lie, in the painter's units.
    segments : ndarray of int64, shape (segments, 4)
        Of :func:`ccl_viewer.render.contours.segments`, in cells.
    style : CanvasStyle
        Colours.
    """
    lines = lines_at(view, segments)
    for color, width in ((QColor(style.halo), 4.0), (QColor(style.bold), 2.0)):
        pen = QPen(color, width)
        pen.setCapStyle(Qt.PenCapStyle.SquareCap)
        painter.setPen(pen)
        painter.drawLines(lines)


def lines_at(view: Viewpoint, segments: npt.NDArray[np.int64]) -> list[QLineF]:
    """Return segments, given in cells, as lines on the canvas."""
    places = segments * view.scale + np.array([view.x, view.y, view.x, view.y])
    return [QLineF(*ends) for ends in places.tolist()]


def paint_padding(
    painter: QPainter,
    view: Viewpoint,
    layout: LabelLayout,
    window: Window,
    style: CanvasStyle,
    stamps: NumberStamps | None,
    size: int | None,
) -> None:
    """Draw the cells of the label buffer that lie around the grid, with the value they hold.

    Parameters
    ----------
    painter : QPainter
        Where to.
    view : Viewpoint
        Where cells lie, in the painter's units.
    layout : LabelLayout
        Says how wide the padding is.
    window : tuple of four int
        The cells in sight, padding included.
    style : CanvasStyle
        Colours.
    stamps : NumberStamps or None
        Makes the numbers; None leaves them out.
    size : int or None
        Of the numbers; None where cells are too small.
    """
    bands = _bands(layout, structures.clipped(window, structures.padded_window(layout)))
    paper = QColor(mixed(style.around, style.shades[0], 0.55))
    hatch = QColor(mixed(style.around, style.dim, 0.4))
    line = QPen(QColor(mixed(style.around, style.dim, 0.28)), 1)
    text, side = str(layout.background), int(view.scale)
    ratio = painter.device().devicePixelRatioF()
    for left, top, right, bottom in bands:
        box = _box(view, (left, top, right, bottom))
        painter.fillRect(box, paper)
        painter.fillRect(box, QBrush(hatch, Qt.BrushStyle.BDiagPattern))
        if view.scale < _LINE_CELL:
            continue
        painter.setPen(line)
        painter.drawLines(
            [QLineF(*view.corner(x, top), *view.corner(x, bottom)) for x in range(left, right + 1)]
        )
        painter.drawLines(
            [QLineF(*view.corner(left, y), *view.corner(right, y)) for y in range(top, bottom + 1)]
        )
        if stamps is None or size is None:
            continue
        for y in range(top, bottom):
            for x in range(left, right):
                stamp = stamps.get(text, size, side, style.dim, ratio)
                painter.drawPixmap(QPointF(*view.corner(x, y)), stamp)


def paint_legend(
    painter: QPainter, bottom: float, entries: Sequence[LegendEntry], style: CanvasStyle
) -> QRectF:
    """Write in a small box at the bottom left what the lines are.

    Parameters
    ----------
    painter : QPainter
        Where to, with its font.
    bottom : float
        Where the box ends, in the painter's units.
    entries : sequence of LegendEntry
        What to say.
    style : CanvasStyle
        Colours.

    Returns
    -------
    QRectF
        The box; empty without entries.
    """
    if not entries:
        return QRectF()
    metrics = QFontMetricsF(painter.font())
    row = metrics.height() * _ROW / 1.4
    width = max(metrics.horizontalAdvance(entry.text) for entry in entries)
    box = QRectF(
        10, bottom - 10 - row * len(entries) - 10, width + _SAMPLE + 34, row * len(entries) + 10
    )
    paper = QColor(style.panel)
    paper.setAlpha(232)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(QColor(mixed(style.panel, style.dim, 0.35)), 1))
    painter.setBrush(paper)
    painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), 7, 7)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
    for place, entry in enumerate(entries):
        middle = box.top() + 5 + row * (place + 0.5)
        _paint_sample(painter, QPointF(box.left() + 11, middle), entry.part, style)
        painter.setPen(QColor(style.text))
        words = QRectF(box.left() + _SAMPLE + 20, middle - row / 2, width + 8, row)
        painter.drawText(words, Qt.AlignmentFlag.AlignVCenter, entry.text)
    return box


def _paint_sample(painter: QPainter, at: QPointF, part: Part | None, style: CanvasStyle) -> None:
    box = QRectF(at.x(), at.y() - 5, _SAMPLE, 10)
    if part is None:
        painter.fillRect(box, QColor(mixed(style.around, style.shades[0], 0.55)))
        hatch = QColor(mixed(style.around, style.dim, 0.6))
        painter.fillRect(box, QBrush(hatch, Qt.BrushStyle.BDiagPattern))
    elif part is Part.RUN:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for pen in _pens(part, style):
            painter.setPen(pen)
            painter.drawRoundedRect(box.adjusted(0, 0.5, 0, 0.5), 5, 5)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
    else:
        _draw_lines(painter, [QLineF(at, at + QPointF(_SAMPLE, 0))], part, style)


def _draw_lines(painter: QPainter, lines: list[QLineF], part: Part, style: CanvasStyle) -> None:
    for pen in _pens(part, style):
        painter.setPen(pen)
        painter.drawLines(lines)


def _pens(part: Part, style: CanvasStyle) -> tuple[QPen, QPen]:
    """Return the pen of the halo and that of the line over it."""
    width, dashes = _DASHES[part]
    halo, line = QPen(QColor(style.halo), width + 2.4), QPen(QColor(style.bold), width)
    halo.setCapStyle(Qt.PenCapStyle.FlatCap)
    line.setCapStyle(Qt.PenCapStyle.FlatCap)
    if dashes:
        line.setDashPattern(list(dashes))
    return halo, line


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
