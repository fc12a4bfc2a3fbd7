"""Painting over the cells: numbers and marks, without a widget."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QImage, QPainter, QPixmap

from ccl_viewer.render.marks import corner_of
from ccl_viewer.views.canvas.cell_picture import Pixels
from ccl_viewer.views.canvas.geometry import CellRange
from ccl_viewer.views.canvas.target import PaintTarget

_SIZES_KEPT = 2
_NUMBERS_KEPT = 10_000
_OUTLINE_ALPHA = 210
_AROUND = [(dx, dy) for dx in (-2, -1, 0, 1, 2) for dy in (-2, -1, 0, 1, 2) if dx or dy]


def image_of(pixels: Pixels) -> QImage:
    """Return pixels as an image with memory of its own."""
    height, width = pixels.shape
    image = QImage(pixels.data, width, height, width * 4, QImage.Format.Format_RGB32)
    return image.copy()


@dataclass(frozen=True)
class StampSize:
    """How large the pictures of numbers are.

    Parameters
    ----------
    text, cell : int
        Height of the text and side of the picture, in units of the window.
    ratio : float
        Pixels of the screen to one of these units.
    """

    text: int
    cell: int
    ratio: float


class NumberStamps:
    """Pictures of numbers, drawn once and stamped into cells.

    Parameters
    ----------
    font : QFont
        Typeface.
    size : StampSize
        How large they are.
    """

    def __init__(self, font: QFont, size: StampSize) -> None:
        self._font = QFont(font)
        self._font.setPixelSize(size.text)
        self._size = size
        self._kept: dict[tuple[str, str, str], QPixmap] = {}

    def get(self, text: str, color: str, around: str = "") -> QPixmap:
        """Return the picture of a number; `around` gives it an outline of that colour."""
        key = (text, color, around)
        pixmap = self._kept.get(key)
        if pixmap is None:
            if len(self._kept) > _NUMBERS_KEPT:
                self._kept.clear()
            pixmap = self._kept[key] = self._draw(text, color, around)
        return pixmap

    def _draw(self, text: str, color: str, around: str) -> QPixmap:
        cell, ratio = self._size.cell, self._size.ratio
        pixmap = QPixmap(round(cell * ratio), round(cell * ratio))
        pixmap.setDevicePixelRatio(ratio)
        pixmap.fill(Qt.GlobalColor.transparent)
        painter = QPainter(pixmap)
        painter.setFont(self._font)
        if around:
            _outline_text(painter, text, cell, around)
        painter.setPen(QColor(color))
        painter.drawText(QRectF(0, 0, cell, cell), Qt.AlignmentFlag.AlignCenter, text)
        painter.end()
        return pixmap


class StampCache:
    """The numbers of the sizes used last.

    Parameters
    ----------
    font : QFont
        Their typeface.
    """

    def __init__(self, font: QFont) -> None:
        self._font = font
        self._kept: dict[StampSize, NumberStamps] = {}

    def of(self, size: StampSize) -> NumberStamps:
        """Return the numbers of a size."""
        stamps = self._kept.pop(size, None) or NumberStamps(self._font, size)
        if len(self._kept) == _SIZES_KEPT:
            del self._kept[next(iter(self._kept))]
        self._kept[size] = stamps
        return stamps


def paint_numbers(
    target: PaintTarget,
    cells: CellRange,
    values: npt.NDArray[Any],
    indices: npt.NDArray[np.uint8],
    stamps: NumberStamps,
    *,
    outlined: bool = False,
    left_out: int | None = None,
) -> None:
    """Write a number into each visible cell.

    Parameters
    ----------
    target : PaintTarget
        Where to; its cells are a whole number of its units wide.
    cells : CellRange
        The visible cells.
    values : ndarray of integers, shape (rows, columns)
        What to write, of the visible cells.
    indices : ndarray of uint8, of the same shape
        Palette indices, which choose the ink.
    stamps : NumberStamps
        Makes the numbers.
    outlined : bool
        Whether digits are set off from arrows that run below them.
    left_out : int or None
        A number that is not written.
    """
    view, style = target.view, target.style
    rows = zip(values.tolist(), indices.tolist(), strict=True)
    for y, (row, shades) in enumerate(rows):
        top = view.corner(0, cells.top + y)[1]
        for x, (value, shade) in enumerate(zip(row, shades, strict=True)):
            if value == left_out:
                continue
            left = view.corner(cells.left + x, 0)[0]
            around = style.shades[shade] if outlined else ""
            stamp = stamps.get(str(value), style.inks[shade], around)
            target.painter.drawPixmap(QPointF(left, top), stamp)


def paint_marks(target: PaintTarget, cells: CellRange, changed: npt.NDArray[np.bool_]) -> None:
    """Put a small corner on each of the visible cells that the step changed.

    Parameters
    ----------
    target : PaintTarget
        Where to.
    cells : CellRange
        The visible cells.
    changed : ndarray of bool, shape (rows, columns)
        Which of them.
    """
    side, inset = corner_of(target.view.scale)
    rects = []
    for y, x in np.argwhere(changed).tolist():
        left, top = target.view.corner(cells.left + x + 1, cells.top + y)
        rects.append(QRectF(left - side - inset + 1, top + inset, side, side))
    target.painter.setPen(Qt.PenStyle.NoPen)
    target.painter.setBrush(QColor(target.style.halo))
    target.painter.drawRects([rect.adjusted(-1, -1, 1, 1) for rect in rects])
    target.painter.setBrush(QColor(target.style.bold))
    target.painter.drawRects(rects)


def _outline_text(painter: QPainter, text: str, cell: int, shade: str) -> None:
    color = QColor(shade)
    color.setAlpha(_OUTLINE_ALPHA)
    painter.setPen(color)
    for dx, dy in _AROUND:
        painter.drawText(QRectF(dx, dy, cell, cell), Qt.AlignmentFlag.AlignCenter, text)
