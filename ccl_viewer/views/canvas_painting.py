"""Painting over the cells: numbers, marks and the chain to the root, without a widget."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QImage, QPainter, QPen, QPixmap

from ccl_viewer.session import Cell
from ccl_viewer.views.canvas_geometry import CellRange, Viewpoint
from ccl_viewer.views.canvas_style import CanvasStyle
from ccl_viewer.views.cell_picture import Pixels

_NUMBERS_KEPT = 20_000
_OUTLINE_ALPHA = 210
_AROUND = [(dx, dy) for dx in (-2, -1, 0, 1, 2) for dy in (-2, -1, 0, 1, 2) if dx or dy]
_DOTTED = 8.0
_MOST_DOTS = 2_000
_INNER_OUTLINE = 12.0
"""An inner outline this large, in pixels, leaves the number readable; else the root has a dot."""


def image_of(pixels: Pixels) -> QImage:
    """Return pixels as an image with memory of its own."""
    height, width = pixels.shape
    image = QImage(pixels.data, width, height, width * 4, QImage.Format.Format_RGB32)
    return image.copy()


@dataclass
class NumberStamps:
    """Pictures of numbers, drawn once and stamped into cells.

    Parameters
    ----------
    font : QFont
        Typeface; its size is set for each use.
    """

    font: QFont
    _kept: dict[tuple[str, int, int, str, float, str], QPixmap] = field(default_factory=dict)

    def get(
        self, text: str, size: int, cell: int, color: str, ratio: float, around: str = ""
    ) -> QPixmap:
        """Return the picture of a number, as large as a cell; `around` gives it an outline."""
        key = (text, size, cell, color, ratio, around)
        pixmap = self._kept.get(key)
        if pixmap is None:
            if len(self._kept) > _NUMBERS_KEPT:
                self._kept.clear()
            pixmap = self._kept[key] = self._draw(text, size, cell, color, ratio, around)
        return pixmap

    def _draw(
        self, text: str, size: int, cell: int, color: str, ratio: float, around: str
    ) -> QPixmap:
        pixmap = QPixmap(round(cell * ratio), round(cell * ratio))
        pixmap.setDevicePixelRatio(ratio)
        pixmap.fill(Qt.GlobalColor.transparent)
        font = QFont(self.font)
        font.setPixelSize(size)
        painter = QPainter(pixmap)
        painter.setFont(font)
        if around:
            _outline_text(painter, text, cell, around)
        painter.setPen(QColor(color))
        painter.drawText(QRectF(0, 0, cell, cell), Qt.AlignmentFlag.AlignCenter, text)
        painter.end()
        return pixmap


def paint_numbers(
    painter: QPainter,
    view: Viewpoint,
    cells: CellRange,
    values: npt.NDArray[Any],
    indices: npt.NDArray[np.uint8],
    style: CanvasStyle,
    stamps: NumberStamps,
    size: int,
    *,
    outlined: bool = False,
) -> None:
    """Write a number into each visible cell.

    Parameters
    ----------
    painter : QPainter
        Where to.
    view : Viewpoint
        Where cells lie, in the painter's units; cells of a whole number of them.
    cells : CellRange
        The visible cells.
    values : ndarray of integers, shape (rows, columns)
        What to write, of the visible cells.
    indices : ndarray of uint8, of the same shape
        Palette indices, which choose the ink.
    style : CanvasStyle
        Colours of the text, and of what it stands on.
    stamps : NumberStamps
        Makes the numbers.
    size : int
        Of the text, in the painter's units.
    outlined : bool
        Whether digits are set off from arrows that run below them.
    """
    ratio = painter.device().devicePixelRatioF()
    cell = int(view.scale)
    rows = zip(values.tolist(), indices.tolist(), strict=True)
    for y, (row, shades) in enumerate(rows):
        top = view.corner(0, cells.top + y)[1]
        for x, (value, shade) in enumerate(zip(row, shades, strict=True)):
            left = view.corner(cells.left + x, 0)[0]
            around = style.shades[shade] if outlined else ""
            stamp = stamps.get(str(value), size, cell, style.inks[shade], ratio, around)
            painter.drawPixmap(QPointF(left, top), stamp)


def paint_marks(
    painter: QPainter,
    view: Viewpoint,
    cells: CellRange,
    changed: npt.NDArray[np.bool_],
    style: CanvasStyle,
) -> None:
    """Put a small corner on each of the visible cells that the step changed."""
    side = max(3.0, round(view.scale * 0.16))
    inset = 2.0 if view.scale >= 12 else 1.0
    rects = []
    for y, x in np.argwhere(changed).tolist():
        left, top = view.corner(cells.left + x + 1, cells.top + y)
        rects.append(QRectF(left - side - inset + 1, top + inset, side, side))
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(style.bold))
    painter.drawRects(rects)


def paint_chain(
    painter: QPainter,
    view: Viewpoint,
    cell: Cell,
    chain: Sequence[Cell],
    shade: str = "#ffffff",
) -> None:
    """Outline a cell, and draw the way from it to its root, which is outlined twice or dotted.

    Parameters
    ----------
    painter : QPainter
        Where to.
    view : Viewpoint
        Where cells lie, in the painter's units.
    cell : tuple of int
        Column and row.
    chain : sequence of tuple of int
        The cells from its parent to its root; empty without a label.
    shade : str
        Colour of the lines, ``#rrggbb``.
    """
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    shadow, line = QPen(QColor(0, 0, 0, 190), 4.4), QPen(QColor(shade), 2)
    points = [_middle(view, place) for place in (cell, *chain)]
    inner = _outline(view, chain[-1]).adjusted(4, 4, -4, -4) if chain else QRectF()
    for pen in (shadow, line):
        pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
        painter.setPen(pen)
        painter.drawPolyline(points)
        painter.drawRect(_outline(view, cell))
        if chain:
            painter.drawRect(_outline(view, chain[-1]))
            if inner.width() >= _INNER_OUTLINE:
                painter.drawRect(inner)
            else:
                painter.drawEllipse(points[-1], 3.0, 3.0)
    if view.scale >= _DOTTED and len(chain) <= _MOST_DOTS:
        painter.setBrush(QColor(shade))
        for point in points[1:-1]:
            painter.drawEllipse(point, 2.0, 2.0)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)


def _outline_text(painter: QPainter, text: str, cell: int, shade: str) -> None:
    color = QColor(shade)
    color.setAlpha(_OUTLINE_ALPHA)
    painter.setPen(color)
    for dx, dy in _AROUND:
        painter.drawText(QRectF(dx, dy, cell, cell), Qt.AlignmentFlag.AlignCenter, text)


def _middle(view: Viewpoint, cell: Cell) -> QPointF:
    return QPointF(*view.corner(cell[0] + 0.5, cell[1] + 0.5))


def _outline(view: Viewpoint, cell: Cell) -> QRectF:
    side = max(view.scale, 6.0)
    middle = _middle(view, cell)
    return QRectF(middle.x() - side / 2, middle.y() - side / 2, side, side)
