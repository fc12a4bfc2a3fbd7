"""Painting the way from a cell to its root, over all other layers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen

from ccl_viewer.render import arrows
from ccl_viewer.session import Cell
from ccl_viewer.session.runs.on_display import OnDisplay
from ccl_viewer.views.canvas.geometry import NUMBER_CELL, Viewpoint
from ccl_viewer.views.looks.theme import text_on

_RIM: Final = 200
_HEAD: Final = 0.22
_DOTTED: Final = 8.0
_MOST_DOTS: Final = 2_000
_ROOMY_CELL: Final = 30.0
"""In smaller cells with numbers, broad lines would reach the digits."""

_BARS: Final = 0.19
"""How far from its top and bottom the bars of a root lie, in cells: clear of its digits."""


class Eye:
    """Outlines what is pinned and what is under mouse or cursor, with their ways to the root.

    Parameters
    ----------
    session : OnDisplay
        What is on display.
    """

    def __init__(self, session: OnDisplay) -> None:
        self._session = session
        self._ways: dict[Cell, tuple[Cell, ...]] = {}

    def look(self) -> None:
        """Find the ways at the step on display, whose labels must be known."""
        look, inspect = self._session.look, self._session.inspect
        cells = {cell for cell in (look.pinned, look.inspected) if cell is not None}
        self._ways = {cell: inspect(cell).drawn for cell in cells}

    def paint(self, painter: QPainter, view: Viewpoint, accent: str) -> None:
        """Paint the ways that were found last; another cell has its outline alone.

        Parameters
        ----------
        painter : QPainter
            Where to.
        view : Viewpoint
            Where cells lie, in the painter's units.
        accent : str
            Colour of what is pinned, ``#rrggbb``.
        """
        pinned, inspected = self._session.look.pinned, self._session.look.inspected
        if pinned is not None:
            paint_chain(painter, view, pinned, self._ways.get(pinned, ()), accent)
        if inspected is not None and inspected != pinned:
            paint_chain(painter, view, inspected, self._ways.get(inspected, ()))


def paint_chain(
    painter: QPainter,
    view: Viewpoint,
    cell: Cell,
    chain: Sequence[Cell],
    shade: str = "#ffffff",
) -> None:
    """Outline a cell, and draw the way from it to its root, which has two bars or a dot besides.

    Where numbers fit into cells, arrows lead past them; through smaller cells runs a line.

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
    way = _way(view, (cell, *chain))
    rim = QColor(text_on(shade))
    rim.setAlpha(_RIM)
    fine = NUMBER_CELL <= view.scale < _ROOMY_CELL
    for pen in (QPen(rim, 3.2 if fine else 4.4), QPen(QColor(shade), 1.6 if fine else 2)):
        pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
        painter.setPen(pen)
        painter.drawPath(way)
        painter.drawRect(_outline(view, cell))
        if chain:
            painter.drawRect(_outline(view, chain[-1]))
            if view.scale >= NUMBER_CELL:
                painter.drawLines(_bars(_outline(view, chain[-1])))
            else:
                painter.drawEllipse(_middle(view, chain[-1]), 3.0, 3.0)
    if _DOTTED <= view.scale < NUMBER_CELL and len(chain) <= _MOST_DOTS:
        painter.setBrush(QColor(shade))
        for place in chain[:-1]:
            painter.drawEllipse(_middle(view, place), 2.0, 2.0)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)


def _way(view: Viewpoint, cells: Sequence[Cell]) -> QPainterPath:
    """Return the way along cells: by arrows if these are large, else by a line."""
    if len(cells) < 2:
        return QPainterPath()
    if view.scale >= NUMBER_CELL:
        return _arrows(view, cells)
    way = QPainterPath(_middle(view, cells[0]))
    for place in cells[1:]:
        way.lineTo(_middle(view, place))
    return way


def _arrows(view: Viewpoint, cells: Sequence[Cell]) -> QPainterPath:
    columns = 1 + max(x for x, _ in cells)
    own = np.array([y * columns + x for x, y in cells], np.int64)
    # In a faulty run a cell may be its own parent's parent, but no arrow leads to where it began.
    apart = own[:-1] != own[1:]
    curves = arrows.curves(own[:-1][apart], own[1:][apart], columns)
    corner = np.array([view.x, view.y])
    way = QPainterPath()
    for start, control, end in (curves * view.scale + corner).tolist():
        way.moveTo(*start)
        way.quadTo(QPointF(*control), QPointF(*end))
    for tip, left, right in (arrows.heads(curves, _HEAD) * view.scale + corner).tolist():
        way.moveTo(*left)
        way.lineTo(*tip)
        way.lineTo(*right)
    return way


def _bars(cell: QRectF) -> list[QLineF]:
    """Return the lines above and below the number of a root, from side to side."""
    inset = cell.height() * _BARS
    heights = (cell.top() + inset, cell.bottom() - inset)
    return [QLineF(cell.left(), y, cell.right(), y) for y in heights]


def _middle(view: Viewpoint, cell: Cell) -> QPointF:
    return QPointF(*view.corner(cell[0] + 0.5, cell[1] + 0.5))


def _outline(view: Viewpoint, cell: Cell) -> QRectF:
    side = max(view.scale, 6.0)
    middle = _middle(view, cell)
    return QRectF(middle.x() - side / 2, middle.y() - side / 2, side, side)
