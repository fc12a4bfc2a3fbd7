"""Cards on the canvas: samples of what is drawn and what they mean, in rows or in a column."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

from PySide6.QtCore import QPointF, QRect, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen

from ccl_viewer.views.canvas.style import CanvasStyle
from ccl_viewer.views.canvas.target import PaintTarget
from ccl_viewer.views.looks.theme import mixed

_EDGE: Final = 10.0
_BESIDE: Final = 6.0
_SPARE: Final = 3.0
_CLEAR: Final = 6.0
_BELOW: Final = 4.0
_OPACITY: Final = 236
_SAMPLE_HEIGHT: Final = 14.0

_MOST_SHARE: Final = 0.25
"""Share of a canvas's height that the legend may take from the grid, unless one row takes more."""

TOO_SMALL: Final = " (zoom in)"
"""Follows what is switched on, but not drawn in cells as small as these."""


@dataclass(frozen=True)
class CardItem:
    """One sample and what it means.

    Parameters
    ----------
    text : str
        What it means.
    width : float
        Of the sample.
    paint : callable
        Paints the sample into a box 14 high.
    dim : bool
        Whether it is none that can be seen now.
    shorter : tuple of str
        What is said in its place where there is no room for it, longest first.
    """

    text: str
    width: float
    paint: Callable[[QPainter, QRectF, CanvasStyle], None]
    dim: bool = False
    shorter: tuple[str, ...] = ()

    def room(self, metrics: QFontMetricsF) -> float:
        """Return the width of both, with what parts them from the next."""
        return self.width + _BESIDE + metrics.horizontalAdvance(self.text) + _EDGE

    def fitting(self, metrics: QFontMetricsF, room: float) -> str:
        """Return what is said where the words have so much room; cut, if even the shortest is."""
        texts = self.text, *self.shorter
        fits = (text for text in texts if metrics.horizontalAdvance(text) <= room)
        found = next(fits, texts[-1])
        return metrics.elidedText(found, Qt.TextElideMode.ElideRight, room)


@dataclass(frozen=True)
class Cards:
    """Where cards stand on a canvas.

    Parameters
    ----------
    column : QRectF
        At the right of the grid, with the key; empty if that is elsewhere.
    below : QRectF
        At the bottom; empty if there is nothing to say.
    items : tuple of CardItem
        What the one at the bottom says.
    whole : bool
        Whether the key was not left out.
    """

    column: QRectF
    below: QRectF
    items: tuple[CardItem, ...]
    whole: bool = True


def cards_of(
    size: tuple[float, float],
    cells: QRectF,
    key: Sequence[CardItem],
    legend: Sequence[CardItem],
    metrics: QFontMetricsF,
) -> Cards:
    """Return where key and legend stand.

    The legend always stands at the bottom. The key stands in a column at the right of the grid
    where that leaves room, or else beside the legend, unless it would cover the grid there.
    Of a legend that is too high, only the part that matters most is shown.

    Parameters
    ----------
    size : tuple of float
        Width and height of the canvas.
    cells : QRectF
        Where the grid is, with what is drawn around it.
    key, legend : sequence of CardItem
        What to say.
    metrics : QFontMetricsF
        Of the font.
    """
    legend = shown_of(legend, metrics, size, size[1] - cells.bottom())
    alone = _at_the_bottom(size, legend, metrics)
    together = _at_the_bottom(size, [*legend, *key], metrics)
    column = column_of(size, key, metrics)
    lowest = alone.top() if legend else size[1]
    if not key:
        return Cards(QRectF(), alone, legend)
    if column.left() >= cells.right() + _CLEAR and column.bottom() + _CLEAR <= lowest:
        return Cards(column, alone, legend)
    room = size[0] - 2 * _CLEAR
    fits = card_size([*legend, *key], metrics, room).width() <= room
    if fits and cells.bottom() + _CLEAR <= together.top():
        return Cards(QRectF(), together, (*legend, *key))
    return Cards(QRectF(), alone, legend, whole=False)


def column_of(size: tuple[float, float], key: Sequence[CardItem], metrics: QFontMetricsF) -> QRectF:
    """Return where a key stands at the right of the grid, if there is room for it."""
    column = QRectF(QPointF(0, _CLEAR), card_size(key, metrics, 0.0))
    column.moveRight(size[0] - _CLEAR)
    return column


def shown_of(
    legend: Sequence[CardItem], metrics: QFontMetricsF, size: tuple[float, float], free: float
) -> tuple[CardItem, ...]:
    """Return what is shown of a legend: all of it, unless it would take too much from the grid.

    What cannot be seen is left out first, then what comes last.

    Parameters
    ----------
    legend : sequence of CardItem
        What there is to say.
    metrics : QFontMetricsF
        Of the font.
    size : tuple of float
        Width and height of the canvas.
    free : float
        Height at the bottom of the canvas that the grid does not need.
    """
    most = max(free, _MOST_SHARE * size[1], height_below(legend[:1], metrics, size[0]))
    shown = list(legend)
    while height_below(shown, metrics, size[0]) > most:
        unseen = [place for place, item in enumerate(shown) if item.dim]
        del shown[unseen[-1] if unseen else -1]
    return tuple(shown)


def card_size(items: Sequence[CardItem], metrics: QFontMetricsF, room: float) -> QSizeF:
    """Return the size of a card; its rows are no wider than there is room, but for long items."""
    if not items:
        return QSizeF()
    rows = _rows(items, metrics, room)
    width = max(sum(item.room(metrics) for item in row) for row in rows) + _EDGE
    return QSizeF(width, _line(metrics) * len(rows) + 2 * _SPARE)


def height_below(items: Sequence[CardItem], metrics: QFontMetricsF, width: float) -> float:
    """Return the height that a card needs at the bottom of a canvas."""
    return card_size(items, metrics, width - 2 * _CLEAR).height() + _BELOW if items else 0.0


def paint_card(target: PaintTarget, box: QRectF, items: Sequence[CardItem]) -> None:
    """Paint a card.

    Parameters
    ----------
    target : PaintTarget
        Where to.
    box : QRectF
        Its place; nothing is painted if it is empty.
    items : sequence of CardItem
        What it says.
    """
    if box.isEmpty():
        return
    painter, style = target.painter, target.style
    metrics = QFontMetricsF(painter.font())
    _paint_ground(painter, box, style)
    for item, corner in _places(items, box, metrics):
        _paint_item(painter, corner, item, style, box.right())


def seen_in(items: Sequence[CardItem], metrics: QFontMetricsF, room: float) -> tuple[CardItem, ...]:
    """Return the first items that have room in a row without a card."""
    widths = accumulate(item.room(metrics) for item in items)
    return tuple(item for item, right in zip(items, widths, strict=True) if right <= room)


def paint_row(painter: QPainter, box: QRect, items: Sequence[CardItem], style: CanvasStyle) -> None:
    """Paint a row without a card: the items that have room.

    Parameters
    ----------
    painter : QPainter
        Paints, with the font to write in.
    box : QRect
        Where.
    items : sequence of CardItem
        What it says.
    style : CanvasStyle
        Colours.
    """
    metrics = QFontMetricsF(painter.font())
    corner = QPointF(box.left(), box.top() + (box.height() - _line(metrics)) / 2)
    for item in seen_in(items, metrics, box.width()):
        _paint_item(painter, corner, item, style, box.right() + 1)
        corner += QPointF(item.room(metrics), 0)


def _paint_item(
    painter: QPainter, corner: QPointF, item: CardItem, style: CanvasStyle, right: float
) -> None:
    """Paint a sample and its text, of which what lies beyond an edge is left out."""
    metrics = QFontMetricsF(painter.font())
    top = corner.y() + (_line(metrics) - _SAMPLE_HEIGHT) / 2
    sample = QRectF(corner.x(), top, item.width, _SAMPLE_HEIGHT)
    painter.save()
    item.paint(painter, sample, style)
    painter.restore()
    words = QRectF(sample.right() + _BESIDE, corner.y(), item.room(metrics), _line(metrics))
    painter.setPen(QColor(style.dim if item.dim else style.text))
    room = right - _SPARE - words.left()
    painter.drawText(words, Qt.AlignmentFlag.AlignVCenter, item.fitting(metrics, room))


def _at_the_bottom(
    size: tuple[float, float], items: Sequence[CardItem], metrics: QFontMetricsF
) -> QRectF:
    room = size[0] - 2 * _CLEAR
    card = card_size(items, metrics, room)
    card.setWidth(min(card.width(), room))  # what is too long is cut at its end
    left = round((size[0] - card.width()) / 2)
    return QRectF(QPointF(left, size[1] - card.height() - _BELOW), card) if items else QRectF()


def _places(
    items: Sequence[CardItem], box: QRectF, metrics: QFontMetricsF
) -> Iterator[tuple[CardItem, QPointF]]:
    # A card as high as that, as the column is, has a row for each item, short ones too.
    each = box.height() >= card_size(items, metrics, 0.0).height()
    for line, row in enumerate(_rows(items, metrics, 0.0 if each else box.width())):
        corner = box.topLeft() + QPointF(_EDGE, _SPARE + line * _line(metrics))
        for item in row:
            yield item, corner
            corner += QPointF(item.room(metrics), 0)


def _rows(items: Sequence[CardItem], metrics: QFontMetricsF, room: float) -> list[list[CardItem]]:
    rows: list[list[CardItem]] = [[]]
    taken = _EDGE
    for item in items:
        width = item.room(metrics)
        if rows[-1] and taken + width > room:
            rows.append([])
            taken = _EDGE
        rows[-1].append(item)
        taken += width
    return rows


def _line(metrics: QFontMetricsF) -> float:
    return metrics.height() + 5


def _paint_ground(painter: QPainter, box: QRectF, style: CanvasStyle) -> None:
    paper = QColor(style.panel)
    paper.setAlpha(_OPACITY)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(QColor(mixed(style.panel, style.dim, 0.35)), 1))
    painter.setBrush(paper)
    painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), 6, 6)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
