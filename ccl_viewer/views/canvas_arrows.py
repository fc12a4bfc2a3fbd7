"""Painting parent arrows over the cells, and marking the roots."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen, QPolygonF

from ccl_viewer.render import arrows
from ccl_viewer.views.canvas_geometry import CellRange, Viewpoint
from ccl_viewer.views.canvas_style import CanvasStyle

ARROW_CELL: Final = 18.0
"""Cells this large, in pixels, are large enough for arrows."""

_HEAD: Final = 0.17
_HALO: Final = 225


def paint_arrows(
    painter: QPainter,
    view: Viewpoint,
    visible: CellRange,
    parents: npt.NDArray[np.int64],
    indices: npt.NDArray[np.uint8],
    columns: int,
    style: CanvasStyle,
    *,
    wide: bool = False,
) -> None:
    """Draw an arrow from each visible cell to its parent, and a ring in each root.

    Parameters
    ----------
    painter : QPainter
        Where to.
    view : Viewpoint
        Where cells lie, in the painter's units.
    visible : CellRange
        The visible cells.
    parents : ndarray of int64, shape (rows, columns)
        Linear index of each visible cell's parent, -1 without.
    indices : ndarray of uint8, of the same shape
        Palette indices, which choose the arrows' colours.
    columns : int
        Columns of the grid.
    style : CanvasStyle
        Colours.
    wide : bool
        Whether rings are to leave room for long numbers.
    """
    y, x = np.arange(visible.top, visible.bottom), np.arange(visible.left, visible.right)
    own = y[:, None] * columns + x[None, :]
    points = (parents >= 0) & (parents != own)
    roots = (parents == own) & (indices != 0)
    curves = arrows.curves(own[points], parents[points], columns)
    heads = arrows.heads(curves, _HEAD)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    thin = max(1.4, min(view.scale / 26, 2.2))
    _paint_curves(painter, view, curves, heads, indices[points], style, thin)
    _paint_roots(painter, view, own[roots], indices[roots], columns, style, thin, wide=wide)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)


def _paint_curves(
    painter: QPainter,
    view: Viewpoint,
    curves: arrows.Points,
    heads: arrows.Points,
    indices: npt.NDArray[np.uint8],
    style: CanvasStyle,
    thin: float,
) -> None:
    halo = QColor(style.halo)
    halo.setAlpha(_HALO)
    paths = {
        int(index): _path(view, curves[indices == index], heads[indices == index])
        for index in np.unique(indices)
    }
    for shafts, tips in paths.values():
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(_pen(halo, thin + 2.0))
        painter.drawPath(shafts)
        painter.drawPath(tips)
    for index, (shafts, tips) in paths.items():
        shade = QColor(style.shades[index])
        color = shade.darker(125) if style.halo == "#ffffff" else shade.lighter(118)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(_pen(color, thin))
        painter.drawPath(shafts)
        painter.fillPath(tips, color)


def _path(
    view: Viewpoint, curves: arrows.Points, heads: arrows.Points
) -> tuple[QPainterPath, QPainterPath]:
    shafts, tips = QPainterPath(), QPainterPath()
    corner = np.array([view.x, view.y])
    for start, control, end in (curves * view.scale + corner).tolist():
        shafts.moveTo(*start)
        shafts.quadTo(QPointF(*control), QPointF(*end))
    for triangle in (heads * view.scale + corner).tolist():
        tips.addPolygon(QPolygonF([QPointF(*point) for point in triangle]))
        tips.closeSubpath()
    return shafts, tips


def _paint_roots(
    painter: QPainter,
    view: Viewpoint,
    roots: npt.NDArray[np.int64],
    indices: npt.NDArray[np.uint8],
    columns: int,
    style: CanvasStyle,
    thin: float,
    *,
    wide: bool,
) -> None:
    painter.setBrush(Qt.BrushStyle.NoBrush)
    tall = view.scale * 0.76
    across = view.scale * 0.92 if wide else tall
    for place, index in zip(roots.tolist(), indices.tolist(), strict=True):
        y, x = divmod(place, columns)
        middle = view.corner(x + 0.5, y + 0.5)
        ring = QRectF(middle[0] - across / 2, middle[1] - tall / 2, across, tall)
        painter.setPen(_pen(QColor(style.inks[index]), thin))
        painter.drawRoundedRect(ring, tall / 2, tall / 2)


def _pen(color: QColor, width: float) -> QPen:
    pen = QPen(color, width)
    pen.setCapStyle(Qt.PenCapStyle.RoundCap)
    pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
    return pen
