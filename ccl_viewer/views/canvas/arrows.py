"""Painting parent arrows over the cells, and marking the roots."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen, QPolygonF

from ccl_viewer.pieces import distinct
from ccl_viewer.render import arrows
from ccl_viewer.render.marks import HEAD, ROOT, arrow_width
from ccl_viewer.views.canvas.geometry import CellRange, Viewpoint
from ccl_viewer.views.canvas.target import PaintTarget

_HALO: Final = 225
_WIDE_ROOT: Final = 0.92


def paint_arrows(
    target: PaintTarget,
    visible: CellRange,
    parents: npt.NDArray[np.int64],
    indices: npt.NDArray[np.uint8],
    columns: int,
    *,
    wide: bool = False,
) -> None:
    """Draw an arrow from each visible cell to its parent, and a ring in each root.

    Parameters
    ----------
    target : PaintTarget
        Where to.
    visible : CellRange
        The visible cells.
    parents : ndarray of int64, shape (rows, columns)
        Linear index of each visible cell's parent, -1 without.
    indices : ndarray of uint8, of the same shape
        Palette indices, which choose the arrows' colours.
    columns : int
        Columns of the grid.
    wide : bool
        Whether rings are to leave room for long numbers.
    """
    y, x = np.arange(visible.top, visible.bottom), np.arange(visible.left, visible.right)
    own = y[:, None] * columns + x[None, :]
    points = (parents >= 0) & (parents != own)
    roots = (parents == own) & (indices != 0)
    curves = arrows.curves(own[points], parents[points], columns)
    places = np.stack(np.divmod(own[roots], columns)[::-1], axis=1)
    target.painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    _paint_curves(target, curves, indices[points])
    _paint_roots(target, places, indices[roots], wide=wide)
    target.painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)


def _paint_curves(
    target: PaintTarget, curves: arrows.Points, indices: npt.NDArray[np.uint8]
) -> None:
    painter, view, style = target.painter, target.view, target.style
    thin, heads = arrow_width(view.scale), arrows.heads(curves, HEAD)
    halo = QColor(style.halo)
    halo.setAlpha(_HALO)
    paths = {
        index: _path(view, curves[indices == index], heads[indices == index])
        for index in distinct(indices).tolist()
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
    target: PaintTarget,
    cells: npt.NDArray[np.int64],
    indices: npt.NDArray[np.uint8],
    *,
    wide: bool,
) -> None:
    view, style = target.view, target.style
    tall = view.scale * ROOT
    across = view.scale * _WIDE_ROOT if wide else tall
    target.painter.setBrush(Qt.BrushStyle.NoBrush)
    for (x, y), index in zip(cells.tolist(), indices.tolist(), strict=True):
        middle = view.corner(x + 0.5, y + 0.5)
        ring = QRectF(middle[0] - across / 2, middle[1] - tall / 2, across, tall)
        target.painter.setPen(_pen(QColor(style.inks[index]), arrow_width(view.scale)))
        target.painter.drawRoundedRect(ring, tall / 2, tall / 2)


def _pen(color: QColor, width: float) -> QPen:
    pen = QPen(color, width)
    pen.setCapStyle(Qt.PenCapStyle.RoundCap)
    pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
    return pen
