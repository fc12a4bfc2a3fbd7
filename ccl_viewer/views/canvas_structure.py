"""Painting how a launch divides the grid: parts, runs, padding, and a legend of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFont, QFontMetricsF, QPainter, QPen

from ccl_viewer.plan import LabelLayout, Part, Structure
from ccl_viewer.render import structure as structures
from ccl_viewer.render.depths import DEEPEST, FIRST_DEPTH
from ccl_viewer.render.marks import STROKES
from ccl_viewer.render.structure import LegendEntry, Window
from ccl_viewer.views.canvas_geometry import Viewpoint
from ccl_viewer.views.canvas_painting import NumberStamps
from ccl_viewer.views.canvas_style import CanvasStyle
from ccl_viewer.views.theme import mixed

SMALLEST: Final = 10.0
"""Parts narrower than this, in pixels, are not drawn: nothing else would be seen."""

_LINE_CELL: Final = 6.0
_HALO_SIDE: Final = 16.0
_SHARE: Final = 0.05
_FINER: Final = 0.5
_SAMPLE: Final = 26.0
_SAMPLE_BEGINS: Final = 0.6
"""Share of the first dash that a sample leaves out, so that it shows a gap."""
_GAP: Final = 16.0
_LEGEND_ROW: Final = 22.0
_TOO_SMALL: Final = " (zoom in)"


def paint_structure(
    painter: QPainter,
    view: Viewpoint,
    structure: Structure,
    rank: int,
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
    rank : int
        How many coarser divisions into such parts there are: finer ones have finer lines.
    layout : LabelLayout
        Of the labels.
    window : tuple of four int
        The cells in sight, padding included.
    style : CanvasStyle
        Colours.
    """
    side = structures.smallest_side(structure, layout) * view.scale
    if side < SMALLEST:
        return
    found = structures.lines_of(structure, layout, window)
    _draw_lines(painter, lines_at(view, found), structure.part, style, side, rank)


def paint_runs(
    painter: QPainter, view: Viewpoint, found: npt.NDArray[np.int64], style: CanvasStyle
) -> None:
    """Draw a capsule around each run.

    Parameters
    ----------
    painter : QPainter
        Where to.
    view : Viewpoint
        Where cells lie, in the painter's units.
    found : ndarray of int64, shape (runs, 4)
        Of :func:`ccl_viewer.render.structure.run_boxes`.
    style : CanvasStyle
        Colours.
    """
    if view.scale < SMALLEST:
        return
    inset = max(1.0, view.scale * 0.05)
    round_by = view.scale * 0.3
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    boxes = [
        _box(view, (left, top, right, bottom)).adjusted(inset + 0.5, inset + 0.5, -inset, -inset)
        for left, top, right, bottom in found.tolist()
    ]
    for pen in _pens(Part.RUN, style, view.scale):
        painter.setPen(pen)
        for box in boxes:
            painter.drawRoundedRect(box, round_by, round_by)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)


def paint_contours(
    painter: QPainter,
    view: Viewpoint,
    segments: npt.NDArray[np.int64],
    style: CanvasStyle,
    shade: str = "",
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
    shade : str
        Colour of the lines, if it is not that of the style.
    """
    lines = lines_at(view, segments)
    width = max(1.0, min(view.scale / 14, 2.4))
    for color, thick in ((QColor(style.halo), width + 1.6), (QColor(shade or style.bold), width)):
        pen = QPen(color, thick)
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
    painter: QPainter, size: tuple[float, float], entries: Sequence[LegendEntry], style: CanvasStyle
) -> QRectF:
    """Write in a strip at the bottom of the canvas what the lines are.

    Parameters
    ----------
    painter : QPainter
        Where to, with its font.
    size : tuple of float
        Width and height of the canvas, in the painter's units.
    entries : sequence of LegendEntry
        What to say.
    style : CanvasStyle
        Colours.

    Returns
    -------
    QRectF
        The strip; empty without entries.
    """
    if not entries:
        return QRectF()
    texts = [entry.text + ("" if entry.seen else _TOO_SMALL) for entry in entries]
    widths = _widths(texts, painter.font())
    rows = _flow(widths, size[0] - 2 * _GAP)
    width = max(sum(widths[place] for place in row) for row in rows) + _GAP
    height = _LEGEND_ROW * len(rows) + 6
    box = QRectF(round((size[0] - width) / 2), size[1] - height - 4, width, height)
    _paint_card(painter, box, style)
    for line, row in enumerate(rows):
        middle, x = box.top() + 3 + _LEGEND_ROW * (line + 0.5), box.left() + _GAP
        for place in row:
            _paint_sample(painter, QPointF(x, middle), entries[place], style)
            words = QRectF(x + _SAMPLE + 8, middle - _LEGEND_ROW / 2, widths[place], _LEGEND_ROW)
            painter.setPen(QColor(style.text if entries[place].seen else style.dim))
            painter.drawText(words, Qt.AlignmentFlag.AlignVCenter, texts[place])
            x += widths[place]
    return box


def legend_height(entries: Sequence[LegendEntry], width: float, font: QFont) -> float:
    """Return the height to leave free at the bottom for a legend, whatever is large enough."""
    texts = [entry.text + _TOO_SMALL for entry in entries]
    rows = _flow(_widths(texts, font), width - 2 * _GAP)
    return _LEGEND_ROW * len(rows) + 10 if entries else 0.0


def _widths(texts: Sequence[str], font: QFont) -> list[float]:
    metrics = QFontMetricsF(font)
    return [_SAMPLE + 8 + metrics.horizontalAdvance(text) + _GAP for text in texts]


def _flow(widths: Sequence[float], room: float) -> list[list[int]]:
    """Return which entries stand in each line, none of which is wider than there is room."""
    rows: list[list[int]] = [[]]
    taken = 0.0
    for place, width in enumerate(widths):
        if rows[-1] and taken + width > room:
            rows.append([])
            taken = 0.0
        rows[-1].append(place)
        taken += width
    return rows


def _paint_card(painter: QPainter, box: QRectF, style: CanvasStyle) -> None:
    paper = QColor(style.panel)
    paper.setAlpha(236)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(QColor(mixed(style.panel, style.dim, 0.35)), 1))
    painter.setBrush(paper)
    painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), 6, 6)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)


def _paint_sample(painter: QPainter, at: QPointF, entry: LegendEntry, style: CanvasStyle) -> None:
    part = entry.part
    box = QRectF(at.x(), at.y() - 5, _SAMPLE, 10)
    if entry.ramp:
        shades = style.shades[FIRST_DEPTH : FIRST_DEPTH + DEEPEST + 1]
        side = box.width() / len(shades)
        for place, shade in enumerate(shades):
            painter.fillRect(QRectF(box.left() + place * side, box.top(), side, 10), QColor(shade))
    elif part is None:
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
        _draw_lines(
            painter, [QLineF(at, at + QPointF(_SAMPLE, 0))], part, style, math.inf, entry.rank
        )


def _draw_lines(
    painter: QPainter, lines: list[QLineF], part: Part, style: CanvasStyle, side: float, rank: int
) -> None:
    for pen in _pens(part, style, side, rank):
        if math.isinf(side) and pen.style() is Qt.PenStyle.CustomDashLine:
            pen.setDashOffset(_SAMPLE_BEGINS * pen.dashPattern()[0])
        painter.setPen(pen)
        painter.drawLines(lines)


def _pens(part: Part, style: CanvasStyle, side: float = math.inf, rank: int = 0) -> list[QPen]:
    """Return the pens of halo and line: fine, and without a halo, where parts are small."""
    width, dashes = STROKES[part]
    width = max(1.0, min(width * _FINER**rank, side * _SHARE))
    line = QPen(QColor(style.bold), width)
    line.setCapStyle(Qt.PenCapStyle.FlatCap)
    if dashes:
        line.setDashPattern(list(dashes))
    if side < _HALO_SIDE:
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
