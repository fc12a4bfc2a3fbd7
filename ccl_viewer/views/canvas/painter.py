"""Plays display lists with QPainter."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import singledispatchmethod
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetricsF,
    QImage,
    QPainter,
    QPainterPath,
    QPen,
    QPixmap,
)

from ccl_viewer.render.display_list import (
    BASELINE,
    Curves,
    DisplayList,
    Image,
    Lines,
    Polygons,
    Rects,
    Table,
    Texts,
    outlines_of,
)

_OPAQUE: Final = QImage.Format.Format_RGB32
_INDEXED: Final = QImage.Format.Format_Indexed8
_FILLED_KEPT: Final = 4
_FEW: Final = 64
"""Boxes that are drawn one by one."""

_CLEAR: Final = QImage.Format.Format_ARGB32_Premultiplied
_STAMPS_KEPT: Final = 12_000
_PAD: Final = 3
"""Pixels beside a text in its picture, for its rim."""

_CAPS: Final = {
    "butt": Qt.PenCapStyle.FlatCap,
    "square": Qt.PenCapStyle.SquareCap,
    "round": Qt.PenCapStyle.RoundCap,
}
_ANCHORS: Final = {"left": 0.0, "middle": 0.5, "right": 1.0}
_AROUND: Final = [
    (dx, dy) for dx in (-1.5, 0.0, 1.5) for dy in (-1.5, 0.0, 1.5) if (dx, dy) != (0.0, 0.0)
]
"""Where a text is drawn in the colour of its rim."""


class DisplayPainter:
    """Plays display lists; keeps pictures of texts, as numbers come again and again."""

    def __init__(self, font: QFont) -> None:
        self._font = QFont(font)
        self._stamps: dict[tuple[Any, ...], QPixmap] = {}
        self._width, self._height = 0, 0
        self._filled: dict[tuple[Rects, bool, int, int], tuple[int, QImage]] = {}
        self._table: Table | None = None
        self._shades: list[int] = []

    def measure(self, text: str, size: float) -> float:
        return QFontMetricsF(self._sized(size)).horizontalAdvance(text)

    def paint(self, painter: QPainter, display: DisplayList) -> None:
        """Paint a display list; the painter's units are device pixels."""
        self._width, self._height = display.width, display.height
        for item in display:
            self._paint(item, painter)

    def picture(self, display: DisplayList) -> QPixmap:
        """Return a display list as a picture on its background."""
        pixmap = QPixmap(max(display.width, 1), max(display.height, 1))
        pixmap.fill(QColor.fromRgba(display.background))
        painter = QPainter(pixmap)
        self.paint(painter, display)
        painter.end()
        return pixmap

    @singledispatchmethod
    def _paint(self, item: object, painter: QPainter) -> None:
        raise NotImplementedError(item)

    @_paint.register
    def _paint_image(self, item: Image, painter: QPainter) -> None:
        indices, left, top = item.pixels(self._width, self._height)
        if not indices.size:
            return
        height, width = indices.shape
        if item.table is not self._table:
            self._table, self._shades = item.table, item.table.tolist()
        image = QImage(indices.data, width, height, width, _INDEXED)
        image.setColorTable(self._shades)
        # Qt converts many times faster by itself than while it draws.
        painter.drawImage(left, top, image.convertToFormat(_OPAQUE if item.opaque else _CLEAR))

    @_paint.register
    def _paint_rects(self, item: Rects, painter: QPainter) -> None:
        smooth = item.radius > 0
        if not smooth and len(item.boxes) > _FEW:
            if item.fill is not None:
                self._fill(painter, item, item.fill)
            if item.stroke is not None:
                self._fill(painter, item, item.stroke, outlined=True)
            return
        boxes = _rects(item.boxes)
        if item.fill is not None:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, smooth)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor.fromRgba(item.fill))
            _draw_boxes(painter, boxes, item.radius)
        if item.stroke is not None:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            pen = _pen(item.stroke, item.width, (), Qt.PenCapStyle.FlatCap)
            pen.setJoinStyle(Qt.PenJoinStyle.MiterJoin)
            painter.setPen(pen)
            half = 0.0 if smooth else item.width / 2
            boxes = [box.adjusted(half, half, -half, -half) for box in boxes]
            _draw_boxes(painter, boxes, item.radius)

    def _fill(self, painter: QPainter, item: Rects, colour: int, *, outlined: bool = False) -> None:
        """Fill many boxes of whole pixels at once: QPainter takes microseconds for each.

        The last pictures are kept, as lines between cells stay the same from step to step.
        """
        key = (item, outlined, self._width, self._height)
        if key not in self._filled:
            while len(self._filled) >= _FILLED_KEPT:
                del self._filled[next(iter(self._filled))]
            boxes = outlines_of(item.boxes, item.width) if outlined else item.boxes
            self._filled[key] = self._mask(boxes, colour)
        self._filled[key] = place = self._filled.pop(key)  # the last one used comes last
        painter.drawImage(0, place[0], place[1])

    def _mask(self, boxes: npt.NDArray[np.float64], colour: int) -> tuple[int, QImage]:
        """Return a picture of boxes, as wide as the whole, and its first row."""
        limits = np.array([self._width, self._height] * 2)
        left, top, right, bottom = np.clip(np.rint(boxes).astype(np.int64), 0, limits).T
        rows = _ranges(top, bottom - top)
        of = np.repeat(np.arange(len(boxes)), np.maximum(bottom - top, 0))
        pixels = _ranges(rows * self._width + left[of], (right - left)[of])
        first = int(top.min())
        mask = np.zeros((max(int(bottom.max()) - first, 1), self._width), np.uint8)
        mask.reshape(-1)[pixels - first * self._width] = 1
        image = QImage(mask.data, self._width, len(mask), self._width, _INDEXED)
        image.setColorTable([0, colour])
        return first, image.convertToFormat(_CLEAR)

    @_paint.register
    def _paint_lines(self, item: Lines, painter: QPainter) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(_pen(item.colour, item.width, item.dash, _CAPS[item.cap]))
        painter.drawLines([QLineF(*ends) for ends in item.segments.tolist()])

    @_paint.register
    def _paint_curves(self, item: Curves, painter: QPainter) -> None:
        path = QPainterPath()
        for (x, y), (cx, cy), (ex, ey) in item.points.tolist():
            path.moveTo(x, y)
            path.quadTo(cx, cy, ex, ey)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(_pen(item.colour, item.width, (), Qt.PenCapStyle.RoundCap))
        painter.drawPath(path)

    @_paint.register
    def _paint_polygons(self, item: Polygons, painter: QPainter) -> None:
        path = QPainterPath()
        path.setFillRule(Qt.FillRule.WindingFill)
        for (x, y), *others in item.corners.tolist():
            path.moveTo(x, y)
            for corner in others:
                path.lineTo(*corner)
            path.closeSubpath()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(QColor.fromRgba(item.fill))
        painter.setPen(Qt.PenStyle.NoPen)
        if item.stroke:
            painter.setPen(_pen(item.fill, item.stroke, (), Qt.PenCapStyle.RoundCap))
        painter.drawPath(path)

    @_paint.register
    def _paint_texts(self, item: Texts, painter: QPainter) -> None:
        look = (item.size, item.colour, item.bold, item.halo)
        share, draw = _ANCHORS[item.anchor], painter.drawPixmap
        for text, (x, y) in zip(item.texts, item.places.tolist(), strict=True):
            stamp = self._stamps.get((text, look))
            if stamp is None:
                stamp = self._stamps[text, look] = self._stamp(text, item)
            left = x - (stamp.width() - 2 * _PAD) * share - _PAD
            draw(round(left), round(y - item.size), stamp)

    def _stamp(self, text: str, item: Texts) -> QPixmap:
        """Draw a text, the middle of its digits one size of the typeface below the top."""
        if len(self._stamps) > _STAMPS_KEPT:
            self._stamps.clear()
        font = self._sized(item.size, bold=item.bold)
        width = math.ceil(QFontMetricsF(font).horizontalAdvance(text)) + 2 * _PAD
        pixmap = QPixmap(width, math.ceil(2 * item.size))
        pixmap.fill(Qt.GlobalColor.transparent)
        painter = QPainter(pixmap)
        painter.setFont(font)
        place = QPointF(_PAD, item.size + BASELINE * item.size)
        if item.halo is not None:
            painter.setPen(QColor.fromRgba(item.halo))
            for dx, dy in _AROUND:
                painter.drawText(place + QPointF(dx, dy), text)
        painter.setPen(QColor.fromRgba(item.colour))
        painter.drawText(place, text)
        painter.end()
        return pixmap

    def _sized(self, size: float, *, bold: bool = False) -> QFont:
        font = QFont(self._font)
        font.setPixelSize(max(round(size), 1))
        font.setBold(bold)
        return font


def _pen(colour: int, width: float, dash: Iterable[float], cap: Qt.PenCapStyle) -> QPen:
    pen = QPen(QColor.fromRgba(colour), width)
    pen.setCapStyle(cap)
    pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
    lengths = [length / width for length in dash]
    if lengths:
        pen.setDashPattern(lengths)
    return pen


def _rects(boxes: npt.NDArray[np.float64]) -> list[QRectF]:
    return [QRectF(x, y, right - x, bottom - y) for x, y, right, bottom in boxes.tolist()]


def _ranges(starts: npt.NDArray[np.int64], lengths: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return the numbers from each start on, as many as its length says."""
    lengths = np.maximum(lengths, 0)
    before = np.cumsum(lengths) - lengths
    return np.repeat(starts - before, lengths) + np.arange(int(lengths.sum()))


def _draw_boxes(painter: QPainter, boxes: list[QRectF], radius: float) -> None:
    for box in boxes:
        painter.drawRoundedRect(box, radius, radius)
