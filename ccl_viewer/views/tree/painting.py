"""Paints an equivalence forest: nodes in the colours of their labels, links to their parents."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPainterPath, QPen, QPolygonF

from ccl_viewer.counted import counted
from ccl_viewer.session.tree.forest import Forest, Node
from ccl_viewer.session.tree.layout import Placement, place_forest
from ccl_viewer.views.looks.theme import Theme, text_on

HEIGHT = 24.0
GAP = 9.0
ROW = 46.0

_ROOM = 14.0
_NARROWEST = 30.0
_ROUND = 6.0
_ARROW = 5.0
_READABLE = 4.3
"""Points below which numbers are left out."""


@dataclass(frozen=True)
class Drawing:
    """A forest that is laid out.

    Parameters
    ----------
    forest : Forest
        The forest.
    texts : tuple of str
        What each node says.
    widths : tuple of float
        Their widths.
    placement : Placement
        Where they are.
    font : QFont
        In which they are written.
    """

    forest: Forest
    texts: tuple[str, ...]
    widths: tuple[float, ...]
    placement: Placement
    font: QFont

    def box(self, index: int) -> QRectF:
        """Return the outline of a node."""
        x, y = self.placement.x[index], self.placement.y[index]
        width = self.widths[index]
        return QRectF(x - width / 2, y - HEIGHT / 2, width, HEIGHT)

    def node_at(self, position: QPointF) -> int | None:
        """Return the node at a position; None beside all nodes."""
        boxes = (i for i in range(len(self.texts)) if self.box(i).contains(position))
        return next(boxes, None)


@dataclass(frozen=True)
class Marks:
    """Which nodes stand out.

    Parameters
    ----------
    pinned, pointed, current : int or None
        The pinned cell; the cell under the mouse; the node that keys act on.
    """

    pinned: int | None = None
    pointed: int | None = None
    current: int | None = None


def lay_out(forest: Forest, font: QFont, aspect: float) -> Drawing:
    """Return where a forest's nodes are drawn.

    Parameters
    ----------
    forest : Forest
        The forest.
    font : QFont
        In which the nodes are labelled.
    aspect : float
        Width of the room, as a multiple of its height.
    """
    metrics = QFontMetricsF(font)
    texts = tuple(map(text_of, forest.nodes))
    widths = tuple(max(_NARROWEST, metrics.horizontalAdvance(text) + _ROOM) for text in texts)
    placement = place_forest(forest.children, forest.roots, widths, gap=GAP, row=ROW, aspect=aspect)
    return Drawing(forest, texts, widths, placement, font)


def text_of(node: Node) -> str:
    """Return what a node says: the number of its cell, or how many it stands for."""
    if node.trees:
        return f"+{counted(node.trees, 'tree')}"
    if node.folded:
        return f"+{counted(node.folded, 'cell')}"
    return str(node.address)


def paint_forest(
    painter: QPainter, drawing: Drawing, shades: Sequence[str], theme: Theme, marks: Marks
) -> None:
    """Paint a forest, with numbers where the scale lets them be read.

    Parameters
    ----------
    painter : QPainter
        Already moved and scaled.
    drawing : Drawing
        The forest, laid out.
    shades : sequence of str
        Colour of each node, as ``#rrggbb``.
    theme : Theme
        The colours around.
    marks : Marks
        Which nodes stand out.
    """
    nodes = drawing.forest.nodes
    chain = _chain(nodes, marks.pointed if marks.pointed is not None else marks.pinned)
    for index, node in enumerate(nodes):
        if node.parent >= 0:
            _paint_link(painter, drawing, index, theme, strong=index in chain)
    for index, shade in enumerate(shades):
        _paint_node(painter, drawing, index, shade, theme)
    if drawing.font.pointSizeF() * painter.worldTransform().m11() >= _READABLE:
        _paint_texts(painter, drawing, shades, theme)
    for place, color, width in (
        (marks.pinned, theme.accent, 3.0),
        (marks.current, theme.text, 1.5),
        (marks.pointed, theme.text, 3.0),
    ):
        if place is not None and place < len(nodes):
            _paint_ring(painter, drawing.box(place), color, width)


def _chain(nodes: Sequence[Node], index: int | None) -> Collection[int]:
    """Return a node and its ancestors."""
    chain = set[int]()
    while index is not None and 0 <= index < len(nodes):
        chain.add(index)
        index = nodes[index].parent
    return chain


def _paint_link(
    painter: QPainter, drawing: Drawing, index: int, theme: Theme, *, strong: bool
) -> None:
    node = drawing.forest.nodes[index]
    below, above = drawing.box(index), drawing.box(node.parent)
    start = QPointF(below.center().x(), below.top())
    end = QPointF(above.center().x(), above.bottom() + 1)
    middle = (start.y() + end.y()) / 2
    path = QPainterPath(start)
    path.cubicTo(QPointF(start.x(), middle), QPointF(end.x(), middle), end)
    color = QColor(theme.warning if node.changed else theme.text if strong else theme.dim)
    pen = QPen(color, 2.6 if node.changed else 1.8 if strong else 1.1)
    if node.skipped or node.folded:
        pen.setStyle(Qt.PenStyle.DashLine)
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawPath(path)
    if not node.folded:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(color)
        painter.drawPolygon(
            QPolygonF(
                [
                    end,
                    end + QPointF(-_ARROW * 0.7, _ARROW * 1.3),
                    end + QPointF(_ARROW * 0.7, _ARROW * 1.3),
                ]
            )
        )
    if node.skipped:
        painter.setPen(QColor(theme.dim))
        text = f"{node.skipped:,} between"
        painter.drawText(QPointF((start.x() + end.x()) / 2 + 5, middle), text)


def _paint_node(painter: QPainter, drawing: Drawing, index: int, shade: str, theme: Theme) -> None:
    node, box = drawing.forest.nodes[index], drawing.box(index)
    if node.folded:
        pen = QPen(QColor(theme.dim), 1.2, Qt.PenStyle.DashLine)
        painter.setPen(pen)
        painter.setBrush(QColor(theme.raised))
        painter.drawRoundedRect(box, _ROUND, _ROUND)
        return
    if node.parent < 0:
        painter.setPen(QPen(QColor(shade), 1.4))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(box.adjusted(-3, -3, 3, 3), _ROUND + 2, _ROUND + 2)
    edge = QColor(theme.warning) if node.changed else QColor(shade).darker(130)
    painter.setPen(QPen(edge, 2.2 if node.changed else 1.0))
    painter.setBrush(QColor(shade))
    painter.drawRoundedRect(box, _ROUND, _ROUND)


def _paint_texts(painter: QPainter, drawing: Drawing, shades: Sequence[str], theme: Theme) -> None:
    painter.setFont(drawing.font)
    for index, node in enumerate(drawing.forest.nodes):
        painter.setPen(QColor(theme.dim if node.folded else text_on(shades[index])))
        painter.drawText(drawing.box(index), Qt.AlignmentFlag.AlignCenter, drawing.texts[index])


def _paint_ring(painter: QPainter, box: QRectF, color: str, width: float) -> None:
    painter.setPen(QPen(QColor(color), width))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    grown = box.adjusted(-5, -5, 5, 5)
    painter.drawRoundedRect(grown, _ROUND + 4, _ROUND + 4)
