"""The key of the marks on cells: which of them are in sight, and a sample of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto
from functools import partial
from typing import Final

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

from ccl_viewer.render.layers import COLOURS_MEAN
from ccl_viewer.render.themes import FIRST_COLOUR, UNLABELLED
from ccl_viewer.session import CellColours, Layers, Numbers
from ccl_viewer.session.showing.look import LAYER_PREFIX
from ccl_viewer.views.canvas.card import TOO_SMALL, CardItem
from ccl_viewer.views.canvas.cell_colours import LIT
from ccl_viewer.views.canvas.style import CanvasStyle
from ccl_viewer.views.canvas.swatches import DEPTHS_WIDTH, paint_depths, paint_swatches

_SAMPLE: Final = 14.0
_LINE: Final = 1.6
_TREE: Final = ("root", "parent")


class Sign(Enum):
    """What is drawn of a mark, or of colours, in the key, in the order of its lines."""

    CHANGED = auto()
    LIT = auto()
    ROOT = auto()
    PARENT = auto()
    UNLABELLED = auto()
    BEFORE = auto()
    NUMBER = auto()
    LABELS = auto()
    COLOURS = auto()
    DEPTHS = auto()
    INPUT = auto()


@dataclass(frozen=True)
class KeyEntry:
    """One line of the key.

    Parameters
    ----------
    sign : Sign
        The mark.
    text : str
        What it means.
    short : str
        The same where there is little room, if it can be said in fewer words.
    dim : bool
        Whether the mark is switched on, but not drawn in cells as small as these.
    """

    sign: Sign
    text: str
    short: str = ""
    dim: bool = False


_COLOURS: Final = {
    CellColours.DEPTH: KeyEntry(Sign.DEPTHS, "colour: steps to the root (0: root)", "depth"),
    CellColours.INPUT: KeyEntry(Sign.INPUT, COLOURS_MEAN[CellColours.INPUT]),
    CellColours.LABEL: KeyEntry(Sign.LABELS, COLOURS_MEAN[CellColours.LABEL]),
    CellColours.TREE: KeyEntry(Sign.COLOURS, COLOURS_MEAN[CellColours.TREE], "colour: tree"),
    CellColours.COMPONENT: KeyEntry(
        Sign.COLOURS, COLOURS_MEAN[CellColours.COMPONENT], "colour: final component"
    ),
}
_PLAIN: Final = frozenset({Sign.UNLABELLED, Sign.INPUT})
_LASTING: Final = frozenset({Sign.COLOURS, Sign.DEPTHS, Sign.INPUT})


@dataclass(frozen=True)
class Marks:
    """Which marks are in sight.

    Parameters
    ----------
    changed, lit, arrows, unlabelled, numbers : bool
        Whether there are marks on changed cells, changed cells in lighter colours, arrows,
        cells as foreground without a label is coloured, and numbers.
    rims : bool
        Whether cells have rims in the colours of the step before.
    hidden, unwritten : bool
        Whether arrows, and numbers, are switched on, but cells too small for them.
    array : str
        The array that changed where the marks are, if it is not the labels.
    referring : str
        The array along which arrows lead, if it is not the labels.
    """

    changed: bool = False
    lit: bool = False
    arrows: bool = False
    unlabelled: bool = False
    numbers: bool = False
    rims: bool = False
    hidden: bool = False
    unwritten: bool = False
    array: str = ""
    referring: str = ""


def key_entries(layers: Layers, seen: Marks) -> tuple[KeyEntry, ...]:
    """Return what the key says of the marks that are in sight, and last of the colours."""
    entries = []
    if seen.changed:
        entries.append(KeyEntry(Sign.CHANGED, f"{seen.array} changed".lstrip()))
    if seen.lit:
        entries.append(KeyEntry(Sign.LIT, "changed: lighter"))
    itself, parent = ("refers to itself", seen.referring) if seen.referring else _TREE
    if seen.hidden:
        entries.append(KeyEntry(Sign.PARENT, parent + TOO_SMALL, dim=True))
    if seen.arrows:
        entries += [KeyEntry(Sign.ROOT, itself), KeyEntry(Sign.PARENT, parent)]
    if seen.unlabelled and layers.colours is not CellColours.INPUT:
        entries.append(KeyEntry(Sign.UNLABELLED, "no label"))
    if seen.rims:
        entries.append(KeyEntry(Sign.BEFORE, "rim: step before"))
    said = layers.numbers.removeprefix(LAYER_PREFIX)
    if seen.unwritten:
        what = "numbers" if said == Numbers.RAW else said
        entries.append(KeyEntry(Sign.NUMBER, what + TOO_SMALL, dim=True))
    elif seen.numbers and said not in {Numbers.RAW, Numbers.NONE}:
        entries.append(KeyEntry(Sign.NUMBER, said))
    entries.append(_COLOURS[layers.colours])
    return tuple(entries)


def split_key(entries: Sequence[KeyEntry]) -> tuple[tuple[KeyEntry, ...], tuple[KeyEntry, ...]]:
    """Return what always has room on a canvas, as the legend has, and what may be left out.

    What colours mean is of the first kind, unless they mean labels, as they do at first, and so is
    what was switched on and is not to be seen, unless it is numbers, which are on at first.
    """
    lasting = tuple(
        entry
        for entry in entries
        if entry.sign in _LASTING or (entry.dim and entry.sign is not Sign.NUMBER)
    )
    return lasting, tuple(entry for entry in entries if entry not in lasting)


def key_items(entries: Sequence[KeyEntry], *, short: bool = False) -> tuple[CardItem, ...]:
    """Return the samples that a card shows of entries; `short` is for where there is no card."""
    return tuple(
        CardItem(
            (entry.short if short else "") or entry.text,
            DEPTHS_WIDTH if entry.sign is Sign.DEPTHS else _SAMPLE,
            partial(_paint_sign, sign=entry.sign),
            dim=entry.dim,
        )
        for entry in entries
    )


def _paint_sign(painter: QPainter, cell: QRectF, style: CanvasStyle, *, sign: Sign) -> None:
    x, y, half = cell.center().x(), cell.center().y(), _SAMPLE / 2
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
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
    elif sign is Sign.DEPTHS:
        paint_depths(painter, cell, style)
    elif sign in {Sign.LABELS, Sign.COLOURS}:
        paint_swatches(painter, cell, style)
    elif sign is Sign.BEFORE:
        painter.fillRect(cell, QColor(style.shades[FIRST_COLOUR]))
        painter.fillRect(cell.adjusted(3, 3, -3, -3), QColor(style.shades[FIRST_COLOUR + 1]))
    elif sign is Sign.LIT:
        painter.fillRect(cell, QColor(style.shades[FIRST_COLOUR]))
        painter.fillRect(cell.adjusted(half, 0, 0, 0), QColor(style.shades[LIT + FIRST_COLOUR]))
    else:
        painter.fillRect(cell, QColor(style.shades[UNLABELLED if sign in _PLAIN else 0]))
        if sign is Sign.CHANGED:
            painter.fillRect(QRectF(x + 1, y - half + 1, half - 2, half - 2), QColor(style.bold))
