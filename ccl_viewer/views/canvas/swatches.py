"""Samples of the colours that cells have: some of the palette, or the scale of depths."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter

from ccl_viewer.render.depths import DEEPEST, FIRST_DEPTH
from ccl_viewer.render.themes import FIRST_COLOUR
from ccl_viewer.views.canvas.style import CanvasStyle

_PARTS: Final = 3
_STEP: Final = 9.0
_LAST: Final = 26.0
_NUMBERED: Final = 3
_TEXT: Final = 10

DEPTHS_WIDTH: Final = _STEP * DEEPEST + _LAST
"""How wide the scale of depths is painted."""


def paint_swatches(painter: QPainter, room: QRectF, style: CanvasStyle) -> None:
    """Paint some colours that labels have beside each other."""
    width = room.width() / _PARTS
    for part in range(_PARTS):
        box = QRectF(room.left() + part * width, room.top(), width, room.height())
        painter.fillRect(box, QColor(style.shades[FIRST_COLOUR + part]))


def paint_depths(painter: QPainter, room: QRectF, style: CanvasStyle) -> None:
    """Paint the colours of all depths, with numbers from 0, the root, to the deepest."""
    font = painter.font()
    font.setPixelSize(_TEXT)
    painter.setFont(font)
    for depth in range(DEEPEST + 1):
        width = _LAST if depth == DEEPEST else _STEP
        box = QRectF(room.left() + depth * _STEP, room.top(), width, room.height())
        painter.fillRect(box, QColor(style.shades[FIRST_DEPTH + depth]))
        if depth % _NUMBERED == 0:
            painter.setPen(QColor(style.inks[FIRST_DEPTH + depth]))
            text = f"{depth}+" if depth == DEEPEST else str(depth)
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)
