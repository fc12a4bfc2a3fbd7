"""A shape and a colour for each stage, so that neither is the only cue."""

from __future__ import annotations

import math
from functools import cache

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetrics, QIcon, QPainter, QPainterPath, QPixmap, QPolygonF

from ccl_viewer.plan import Stage
from ccl_viewer.render.stages import STAGE_COLORS

_USUAL = 12
_SHARE = 0.75
"""Of the height of a line of text."""


def _polygon(*points: tuple[float, float]) -> QPainterPath:
    path = QPainterPath()
    path.addPolygon(QPolygonF([QPointF(x, y) for x, y in points]))
    path.closeSubpath()
    return path


def _rectangles(*sides: tuple[float, float, float, float]) -> QPainterPath:
    path = QPainterPath()
    for left, top, width, height in sides:
        path.addRect(QRectF(left, top, width, height))
    return path


def _disc(hole: float = 0.0) -> QPainterPath:
    path = QPainterPath()
    path.addEllipse(QPointF(0.5, 0.5), 0.48, 0.48)
    if hole:
        path.addEllipse(QPointF(0.5, 0.5), hole, hole)
    return path


def _star() -> QPainterPath:
    points = []
    for corner in range(10):
        radius, angle = (0.54 if corner % 2 == 0 else 0.22), math.pi * (corner / 5 - 0.5)
        points.append((0.5 + radius * math.cos(angle), 0.54 + radius * math.sin(angle)))
    return _polygon(*points)


@cache
def _shapes() -> dict[Stage, QPainterPath]:
    """Each shape in a square of size 1."""
    return {
        Stage.INIT: _disc(),
        Stage.PROPAGATE: _polygon((0.08, 0), (1, 0.5), (0.08, 1)),
        Stage.SCAN: _polygon((0.5, 0.02), (1, 0.95), (0, 0.95)),
        Stage.ANALYSIS: _polygon((0.5, -0.04), (1.04, 0.5), (0.5, 1.04), (-0.04, 0.5)),
        Stage.LABEL: _rectangles((0.08, 0.08, 0.84, 0.84)),
        Stage.TILE: _rectangles(
            (0, 0, 0.43, 0.43),
            (0.57, 0, 0.43, 0.43),
            (0, 0.57, 0.43, 0.43),
            (0.57, 0.57, 0.43, 0.43),
        ),
        Stage.MERGE: _polygon((0, 0), (0.5, 0.4), (1, 0), (1, 1), (0.5, 0.6), (0, 1)),
        Stage.FLATTEN: _rectangles((0, 0.34, 1, 0.32)),
        Stage.STRIP: _rectangles((0, 0.02, 1, 0.22), (0, 0.39, 1, 0.22), (0, 0.76, 1, 0.22)),
        Stage.STRIP_MERGE: _rectangles(
            (0, 0.02, 1, 0.22), (0.39, 0.24, 0.22, 0.52), (0, 0.76, 1, 0.22)
        ),
        Stage.RELABEL: _disc(hole=0.24),
        Stage.FEATURES: _star(),
    }


def draw_shape(painter: QPainter, stage: Stage, rect: QRectF, color: str) -> None:
    """Draw the shape of a stage.

    Parameters
    ----------
    painter : QPainter
        Where to; its state stays as it is.
    stage : Stage
        Which.
    rect : QRectF
        A square that the shape fills.
    color : str
        As ``#rrggbb``.
    """
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.translate(rect.topLeft())
    painter.scale(rect.width(), rect.height())
    painter.fillPath(_shapes()[stage], QColor(color))
    painter.restore()


def mark_size(metrics: QFontMetrics) -> int:
    """Return the pixels across the shape of a stage that stands beside a text."""
    return max(round(metrics.height() * _SHARE), _USUAL)


@cache
def stage_icon(stage: Stage, size: int = _USUAL) -> QIcon:
    """Return the shape of a stage in its colour.

    Parameters
    ----------
    stage : Stage
        Which.
    size : int
        Pixels across.
    """
    made = QIcon()
    for scale in (1, 2, 3):
        pixmap = QPixmap(size * scale, size * scale)
        pixmap.fill(Qt.GlobalColor.transparent)
        painter = QPainter(pixmap)
        inner = QRectF(scale, scale, (size - 2) * scale, (size - 2) * scale)
        draw_shape(painter, stage, inner, STAGE_COLORS[stage])
        painter.end()
        pixmap.setDevicePixelRatio(scale)
        made.addPixmap(pixmap, QIcon.Mode.Normal)
        made.addPixmap(pixmap, QIcon.Mode.Selected)
    return made
