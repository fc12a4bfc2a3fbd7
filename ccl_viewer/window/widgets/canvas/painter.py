"""Paints display lists with QPainter."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import lru_cache, singledispatchmethod
from typing import Final

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
    Texts,
    box_outlines,
)

_OPAQUE: Final = QImage.Format.Format_RGB32
_INDEXED: Final = QImage.Format.Format_Indexed8
_FILLED_KEPT: Final = 4
_FEW: Final = 64
"""Up to this many boxes are drawn singly."""

_FEW_SMALL: Final = 512
_SMALL: Final = 8
"""Up to this many filled boxes are drawn singly, if they are at most this high on average:
QPainter takes time for each row."""

_CLEAR: Final = QImage.Format.Format_ARGB32_Premultiplied
STAMP_BYTES: Final = 48 << 20
"""Pictures of texts that a painter keeps: those of a screen of 3840 x 2160 full of numbers."""

_PAD: Final = 3
"""Pixels around the picture of a text, for its outline."""

_CAPS: Final = {
    "butt": Qt.PenCapStyle.FlatCap,
    "square": Qt.PenCapStyle.SquareCap,
    "round": Qt.PenCapStyle.RoundCap,
}
_ANCHORS: Final = {"left": 0.0, "middle": 0.5, "right": 1.0}
_AROUND: Final = [
    (dx, dy) for dx in (-1.5, 0.0, 1.5) for dy in (-1.5, 0.0, 1.5) if (dx, dy) != (0.0, 0.0)
]
"""Offsets at which a text is drawn in the colour of its outline."""


class DisplayListPainter:
    """Paints display lists, and caches pictures that recur.

    These are numbers, and the lines between cells, which stay the same from step to step.
    """

    def __init__(self, font: QFont) -> None:
        self._font = QFont(font)
        self._width, self._height = 0, 0
        self._stamps: dict[tuple[object, ...], QPixmap] = {}
        self.stamp_bytes = 0
        self._filled = lru_cache(_FILLED_KEPT)(_filled)

    def _stamp(self, text: str, size: float, colour: int, bold: bool, halo: int | None) -> QPixmap:
        """Return a text as a picture; a full cache is emptied first."""
        key = text, size, colour, bold, halo
        stamp = self._stamps.get(key)
        if stamp is None:
            stamp = _stamp(self._font, *key)
            nbytes = 4 * stamp.width() * stamp.height()
            if self.stamp_bytes + nbytes > STAMP_BYTES:
                self._stamps.clear()
                self.stamp_bytes = 0
            self._stamps[key] = stamp
            self.stamp_bytes += nbytes
        return stamp

    def measure(self, text: str, size: float) -> float:
        return QFontMetricsF(_sized(self._font, size)).horizontalAdvance(text)

    def paint(self, painter: QPainter, display: DisplayList) -> None:
        """Paint a display list; the painter's units are device pixels."""
        self._width, self._height = display.width, display.height
        for item in display:
            self._paint(item, painter)

    def make_pixmap(self, display: DisplayList) -> QPixmap:
        """Return a display list as a picture on its background."""
        pixmap = QPixmap(max(display.width, 1), max(display.height, 1))
        pixmap.fill(QColor.fromRgba(display.background))
        with QPainter(pixmap) as painter:
            self.paint(painter, display)
        return pixmap

    @singledispatchmethod
    def _paint(self, item: object, painter: QPainter) -> None:
        raise NotImplementedError(item)

    @_paint.register
    def _paint_image(self, item: Image, painter: QPainter) -> None:
        indices, left, top = item.visible_indices(self._width, self._height)
        if not indices.size:
            return
        height, width = indices.shape
        image = QImage(indices.data, width, height, width, _INDEXED)
        image.setColorTable(item.table.tolist())
        # Qt converts many times faster separately than while it draws.
        painter.drawImage(left, top, image.convertToFormat(_OPAQUE if item.opaque else _CLEAR))

    @_paint.register
    def _paint_rects(self, item: Rects, painter: QPainter) -> None:
        smooth = item.radius > 0
        if not smooth and not _are_few(item):
            for colour, outlined in ((item.fill, False), (item.stroke, True)):
                if colour is not None:
                    row_and_image = self._filled(item, colour, outlined, self._width, self._height)
                    painter.drawImage(0, *row_and_image)
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
        look = item.size, item.colour, item.bold, item.halo
        share, draw = _ANCHORS[item.anchor], painter.drawPixmap
        for text, (x, y) in zip(item.texts, item.places.tolist(), strict=True):
            stamp = self._stamp(text, *look)
            left = x - (stamp.width() - 2 * _PAD) * share - _PAD
            draw(round(left), round(y - item.size), stamp)


def _filled(
    item: Rects, colour: int, outlined: bool, width: int, height: int
) -> tuple[int, QImage]:
    """Return a picture of boxes or their outlines, as wide as the canvas, and its first row."""
    boxes = box_outlines(item.boxes, item.width) if outlined else item.boxes
    limits = np.array([width, height] * 2)
    left, top, right, bottom = np.clip(np.rint(boxes).astype(np.int64), 0, limits).T
    rows = _ranges(top, bottom - top)
    of = np.repeat(np.arange(len(boxes)), np.maximum(bottom - top, 0))
    pixels = _ranges(rows * width + left[of], (right - left)[of])
    first = int(top.min())
    mask = np.zeros((max(int(bottom.max()) - first, 1), width), np.uint8)
    mask.reshape(-1)[pixels - first * width] = 1
    image = QImage(mask.data, width, len(mask), width, _INDEXED)
    image.setColorTable([0, colour])
    return first, image.convertToFormat(_CLEAR)


def _stamp(
    font: QFont, text: str, size: float, colour: int, bold: bool, halo: int | None
) -> QPixmap:
    """Draw a text with the middle of its digits one type size below the top."""
    font = _sized(font, size, bold=bold)
    width = math.ceil(QFontMetricsF(font).horizontalAdvance(text)) + 2 * _PAD
    pixmap = QPixmap(width, math.ceil(2 * size))
    pixmap.fill(Qt.GlobalColor.transparent)
    with QPainter(pixmap) as painter:
        painter.setFont(font)
        origin = QPointF(_PAD, size + BASELINE * size)
        if halo is not None:
            painter.setPen(QColor.fromRgba(halo))
            for dx, dy in _AROUND:
                painter.drawText(origin + QPointF(dx, dy), text)
        painter.setPen(QColor.fromRgba(colour))
        painter.drawText(origin, text)
    return pixmap


def _sized(font: QFont, size: float, *, bold: bool = False) -> QFont:
    font = QFont(font)
    font.setPixelSize(max(round(size), 1))
    font.setBold(bold)
    return font


def _are_few(item: Rects) -> bool:
    """Return whether boxes are drawn faster singly than as one picture."""
    if len(item.boxes) <= _FEW:
        return True
    small = item.boxes[:, 3].mean() - item.boxes[:, 1].mean() <= _SMALL
    return item.stroke is None and len(item.boxes) <= _FEW_SMALL and bool(small)


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
    """Return consecutive numbers from each start, as many as its length says."""
    lengths = np.maximum(lengths, 0)
    before = np.cumsum(lengths) - lengths
    return np.repeat(starts - before, lengths) + np.arange(int(lengths.sum()))


def _draw_boxes(painter: QPainter, boxes: list[QRectF], radius: float) -> None:
    if radius:
        for box in boxes:
            painter.drawRoundedRect(box, radius, radius)
    else:
        painter.drawRects(boxes)
