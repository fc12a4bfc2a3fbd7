"""Writing at the bottom of the canvas what the lines of a structure are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen

from ccl_viewer.plan import Part
from ccl_viewer.render.depths import DEEPEST, FIRST_DEPTH
from ccl_viewer.render.structure import LegendEntry
from ccl_viewer.views.canvas_structure import padding_brushes, pens_of
from ccl_viewer.views.canvas_style import CanvasStyle
from ccl_viewer.views.canvas_target import PaintTarget
from ccl_viewer.views.theme import mixed

_SAMPLE: Final = 26.0
_SAMPLE_BEGINS: Final = 0.6
"""Share of the first dash that a sample leaves out, so that it shows a gap."""
_GAP: Final = 16.0
_LEGEND_ROW: Final = 22.0
_TOO_SMALL: Final = " (zoom in)"


def paint_legend(target: PaintTarget, entries: Sequence[LegendEntry]) -> QRectF:
    """Write in a strip at the bottom of the canvas what the lines are.

    Parameters
    ----------
    target : PaintTarget
        Where to.
    entries : sequence of LegendEntry
        What to say.

    Returns
    -------
    QRectF
        The strip; empty without entries.
    """
    if not entries:
        return QRectF()
    painter, size, style = target.painter, target.size, target.style
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
    box = QRectF(at.x(), at.y() - 5, _SAMPLE, 10)
    if entry.ramp:
        _paint_ramp(painter, box, style)
    elif entry.part is None:
        for brush in padding_brushes(style, 0.6):
            painter.fillRect(box, brush)
    elif entry.part is Part.RUN:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for pen in pens_of(entry.part, style):
            painter.setPen(pen)
            painter.drawRoundedRect(box.adjusted(0, 0.5, 0, 0.5), 5, 5)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
    else:
        for pen in pens_of(entry.part, style, rank=entry.rank):
            if pen.style() is Qt.PenStyle.CustomDashLine:
                pen.setDashOffset(_SAMPLE_BEGINS * pen.dashPattern()[0])
            painter.setPen(pen)
            painter.drawLine(QLineF(at, at + QPointF(_SAMPLE, 0)))


def _paint_ramp(painter: QPainter, box: QRectF, style: CanvasStyle) -> None:
    shades = style.shades[FIRST_DEPTH : FIRST_DEPTH + DEEPEST + 1]
    side = box.width() / len(shades)
    for place, shade in enumerate(shades):
        left = box.left() + place * side
        painter.fillRect(QRectF(left, box.top(), side, box.height()), QColor(shade))
