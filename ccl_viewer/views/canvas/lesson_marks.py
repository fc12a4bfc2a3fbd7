"""Paints the cells that a lesson leads to, that a question asks about, and that were clicked."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from typing import Final

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPainterPath, QPen

from ccl_viewer.session import Cell, Marks
from ccl_viewer.views.canvas.geometry import Viewpoint
from ccl_viewer.views.looks.theme import Theme, text_on

_BADGE_CELL: Final = 14.0
"""Cells this large, in pixels, have room for a sign in their corner."""

_LED: Final = {"dark": "#ffd84a", "light": "#9a5b00"}
"""Colour of the outline around cells that are led to."""


class Sign(Enum):
    """What is drawn in the corner of a cell, so that colour is not the only cue."""

    QUESTION = "?"
    DOT = "dot"
    TICK = "tick"
    CROSS = "cross"


def paint_pointing(painter: QPainter, view: Viewpoint, marks: Marks, theme: Theme) -> None:
    """Paint all marks over the cells.

    Parameters
    ----------
    painter : QPainter
        Where to.
    view : Viewpoint
        Where cells lie.
    marks : Marks
        What to mark.
    theme : Theme
        Colours.
    """
    if marks.empty:
        return
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    pen = _MarkPen(painter, view, theme)
    pen.outline(marks.highlight, _LED[theme.name], inset=0.0)
    if marks.asked is not None:
        pen.outline((marks.asked,), theme.accent, dashed=True)
        pen.sign(marks.asked, Sign.QUESTION, theme.accent)
    for cells, color, sign, dashed in _groups(marks, theme):
        for cell in cells:
            pen.outline((cell,), color, dashed=dashed)
            pen.sign(cell, sign, color)
    painter.restore()


def _groups(marks: Marks, theme: Theme) -> tuple[tuple[tuple[Cell, ...], str, Sign, bool], ...]:
    chosen, right = set(marks.chosen), set(marks.right)
    if not marks.judged:
        return ((marks.chosen, theme.accent, Sign.DOT, False),)
    stray = tuple(cell for cell in marks.chosen if cell not in right)
    missed = tuple(cell for cell in marks.right if cell not in chosen)
    found = tuple(cell for cell in marks.right if cell in chosen)
    return (
        (stray, theme.error, Sign.CROSS, False),
        (missed, theme.ok, Sign.TICK, True),
        (found, theme.ok, Sign.TICK, False),
    )


@dataclass(frozen=True)
class _MarkPen:
    """Draws outlines around cells, and signs in their corners."""

    painter: QPainter
    view: Viewpoint
    theme: Theme

    def outline(
        self, cells: Iterable[Cell], color: str, *, inset: float = 1.5, dashed: bool = False
    ) -> None:
        """Draw one line around cells, which are together where they touch, set off from them.

        Inside cells of a few pixels nothing would be left: there the line lies around them.
        """
        path = QPainterPath()
        for cell in cells:
            path.addRect(self._box(cell, inset if self.view.scale >= _BADGE_CELL else -1.0))
        if path.isEmpty():
            return
        path = path.simplified()
        wide = min(max(self.view.scale * 0.09, 2.0), 4.0)
        self.painter.setBrush(Qt.BrushStyle.NoBrush)
        for width, shade in ((wide + 2.5, self.theme.canvas), (wide, color)):
            pen = QPen(QColor(shade), width)
            pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
            if dashed and shade == color:
                pen.setDashPattern([2.2, 1.6])
                pen.setCapStyle(Qt.PenCapStyle.FlatCap)
            self.painter.setPen(pen)
            self.painter.drawPath(path)

    def sign(self, cell: Cell, sign: Sign, color: str) -> None:
        """Draw a sign on a disc in the corner of a cell that has room for it."""
        if self.view.scale < _BADGE_CELL:
            return
        radius = min(max(self.view.scale * 0.17, 5.0), 12.0)
        box = self._box(cell, 0.0)
        middle = QPointF(box.right() - radius * 0.8, box.top() + radius * 0.8)
        self.painter.setPen(Qt.PenStyle.NoPen)
        self.painter.setBrush(QColor(color))
        self.painter.drawEllipse(middle, radius, radius)
        pen = QPen(QColor(text_on(color)), max(radius * 0.26, 1.4))
        pen.setCapStyle(Qt.PenCapStyle.RoundCap)
        self.painter.setPen(pen)
        _paint_sign(self.painter, middle, radius, sign)

    def _box(self, cell: Cell, inset: float) -> QRectF:
        left, top = self.view.corner(*cell)
        side = self.view.scale
        return QRectF(left, top, side, side).adjusted(inset, inset, -inset, -inset)


def _paint_sign(painter: QPainter, middle: QPointF, radius: float, sign: Sign) -> None:
    half = radius * 0.42
    if sign is Sign.QUESTION:
        font = QFont(painter.font())
        font.setPixelSize(round(radius * 1.5))
        font.setBold(True)
        painter.setFont(font)
        around = QRectF(middle.x() - radius, middle.y() - radius, 2 * radius, 2 * radius)
        painter.drawText(around, Qt.AlignmentFlag.AlignCenter, sign.value)
    elif sign is Sign.DOT:
        painter.drawPoint(middle)
    elif sign is Sign.TICK:
        painter.drawPolyline(
            [
                middle + QPointF(-half * 1.1, half * 0.1),
                middle + QPointF(-half * 0.2, half),
                middle + QPointF(half * 1.2, -half * 0.8),
            ]
        )
    else:
        painter.drawLine(middle + QPointF(-half, -half), middle + QPointF(half, half))
        painter.drawLine(middle + QPointF(-half, half), middle + QPointF(half, -half))
