"""The key of the marks on cells, painted beside the grid where there is room for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto
from itertools import accumulate
from typing import Final

from PySide6.QtCore import QLineF, QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen, QPolygonF

from ccl_viewer.render.themes import FIRST_COLOUR, UNLABELLED
from ccl_viewer.session import CellColours, Layers, Numbers
from ccl_viewer.session.look import LAYER_PREFIX
from ccl_viewer.views.canvas_target import PaintTarget
from ccl_viewer.views.cell_colours import LIT
from ccl_viewer.views.theme import mixed

_GAP: Final = 8.0
_SAMPLE: Final = 14.0
_CLEAR: Final = 6.0
_LINE: Final = 1.6


class Sign(Enum):
    """What is drawn of a mark in the key."""

    CHANGED = auto()
    LIT = auto()
    ROOT = auto()
    PARENT = auto()
    UNLABELLED = auto()
    NUMBER = auto()


@dataclass(frozen=True)
class KeyEntry:
    """One line of the key.

    Parameters
    ----------
    sign : Sign
        The mark.
    text : str
        What it means.
    """

    sign: Sign
    text: str


def key_entries(
    layers: Layers, *, changed: bool, lit: bool, arrows: bool, unlabelled: bool, numbers: bool
) -> tuple[KeyEntry, ...]:
    """Return what the key says of the marks that are in sight.

    Parameters
    ----------
    layers : Layers
        What is shown.
    changed, lit, arrows, unlabelled, numbers : bool
        Whether there are marks on changed cells, changed cells in lighter colours, arrows,
        cells as foreground without a label is coloured, and numbers.
    """
    entries = []
    if changed:
        entries.append(KeyEntry(Sign.CHANGED, "changed"))
    if lit:
        entries.append(KeyEntry(Sign.LIT, "changed: lighter"))
    if arrows:
        entries += [KeyEntry(Sign.ROOT, "root"), KeyEntry(Sign.PARENT, "parent")]
    if unlabelled and layers.colours is not CellColours.INPUT:
        entries.append(KeyEntry(Sign.UNLABELLED, "no label"))
    if numbers and layers.numbers not in {Numbers.RAW, Numbers.NONE}:
        entries.append(KeyEntry(Sign.NUMBER, layers.numbers.removeprefix(LAYER_PREFIX)))
    return tuple(entries)


def key_box(
    size: tuple[float, float],
    cells: QRectF,
    entries: Sequence[KeyEntry],
    metrics: QFontMetricsF,
) -> QRectF:
    """Return where the key stands: a column at the right of the grid, or else a row above it.

    Parameters
    ----------
    size : tuple of float
        Width and height of the canvas.
    cells : QRectF
        Where the grid is, with what is drawn around it.
    entries : sequence of KeyEntry
        What to say.
    metrics : QFontMetricsF
        Of the font.

    Returns
    -------
    QRectF
        Empty without entries, and where the key would cover the grid.
    """
    if not entries:
        return QRectF()
    widths, line = _widths(entries, metrics), _line(metrics)
    column = QRectF(0, _CLEAR, max(widths), line * len(entries) + _GAP)
    column.moveRight(size[0] - _CLEAR)
    row = QRectF(0, _CLEAR, sum(widths), line + _GAP)
    row.moveLeft(round((size[0] - row.width()) / 2))
    if column.left() >= cells.right() + _CLEAR and column.height() + 2 * _CLEAR <= size[1]:
        return column
    if row.bottom() + _CLEAR <= cells.top() and row.width() + 2 * _CLEAR <= size[0]:
        return row
    return QRectF()


def key_height(metrics: QFontMetricsF) -> float:
    """Return the height that a row of entries takes above a grid, which has a margin itself."""
    return _line(metrics) + _GAP + _CLEAR


def _widths(entries: Sequence[KeyEntry], metrics: QFontMetricsF) -> list[float]:
    return [_SAMPLE + 3 * _GAP + metrics.horizontalAdvance(entry.text) for entry in entries]


def _line(metrics: QFontMetricsF) -> float:
    return metrics.height() + 4


def paint_key(target: PaintTarget, cells: QRectF, entries: Sequence[KeyEntry]) -> QRectF:
    """Write what the marks mean at the right of the grid, or else above it.

    Parameters
    ----------
    target : PaintTarget
        Where to.
    cells : QRectF
        Where the grid is, with what is drawn around it.
    entries : sequence of KeyEntry
        What to say.

    Returns
    -------
    QRectF
        Where the key is; empty without entries, and where it would cover the grid.
    """
    painter, metrics = target.painter, QFontMetricsF(target.painter.font())
    box = key_box(target.size, cells, entries, metrics)
    if box.isEmpty():
        return box
    widths, line = _widths(entries, metrics), _line(metrics)
    _paint_ground(target, box)
    for entry, corner, width in zip(entries, _corners(box, widths, line), widths, strict=True):
        words = QRectF(corner + QPointF(_SAMPLE + _GAP, 0), QSizeF(width, line))
        _paint_sign(target, corner + QPointF(_SAMPLE / 2, line / 2), entry.sign)
        painter.setPen(QColor(target.style.text))
        painter.drawText(words, Qt.AlignmentFlag.AlignVCenter, entry.text)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
    return box


def _corners(box: QRectF, widths: Sequence[float], line: float) -> list[QPointF]:
    """Return where each entry stands in a column, or in a row if the box is too low for one."""
    first = box.topLeft() + QPointF(_GAP, _GAP / 2)
    if box.height() < line * len(widths):
        return [first + QPointF(before, 0) for before in accumulate(widths[:-1], initial=0.0)]
    return [first + QPointF(0, place * line) for place in range(len(widths))]


def _paint_ground(target: PaintTarget, box: QRectF) -> None:
    painter, style = target.painter, target.style
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(QColor(mixed(style.panel, style.dim, 0.35)), 1))
    painter.setBrush(QColor(style.panel))
    painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), 6, 6)


def _paint_sign(target: PaintTarget, middle: QPointF, sign: Sign) -> None:
    painter, style = target.painter, target.style
    x, y, half = middle.x(), middle.y(), _SAMPLE / 2
    cell = QRectF(x - half, y - half, _SAMPLE, _SAMPLE)
    painter.setPen(QPen(QColor(style.text), _LINE))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    if sign is Sign.ROOT:
        painter.drawEllipse(cell.adjusted(1, 1, -1, -1))
    elif sign is Sign.PARENT:
        painter.drawLine(QLineF(x - half, y, x + half - 4, y))
        painter.setBrush(QColor(style.text))
        tip = QPointF(x + half, y)
        painter.drawPolygon(QPolygonF([tip, tip + QPointF(-4, -3), tip + QPointF(-4, 3)]))
    elif sign is Sign.NUMBER:
        painter.drawText(cell, Qt.AlignmentFlag.AlignCenter, "#")
    elif sign is Sign.LIT:
        painter.fillRect(cell, QColor(style.shades[FIRST_COLOUR]))
        painter.fillRect(cell.adjusted(half, 0, 0, 0), QColor(style.shades[LIT + FIRST_COLOUR]))
    else:
        painter.fillRect(cell, QColor(style.shades[UNLABELLED if sign is Sign.UNLABELLED else 0]))
        if sign is Sign.CHANGED:
            painter.fillRect(QRectF(x + 1, y - half + 1, half - 2, half - 2), QColor(style.bold))
