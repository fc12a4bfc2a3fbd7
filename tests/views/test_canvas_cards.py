"""Cards on the canvas: where samples and texts stand, and what samples look like."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import pairwise

import numpy as np
import numpy.typing as npt
import pytest
from PySide6.QtCore import QRect, QRectF
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QImage, QPainter

from ccl_viewer.plan import Part
from ccl_viewer.render.structure import LegendEntry
from ccl_viewer.render.themes import FIRST_COLOUR, UNLABELLED
from ccl_viewer.session import Layers
from ccl_viewer.views.canvas.card import (
    TOO_SMALL,
    CardItem,
    card_size,
    cards_of,
    paint_card,
    paint_row,
    seen_in,
    shown_of,
)
from ccl_viewer.views.canvas.cell_colours import LIT
from ccl_viewer.views.canvas.geometry import Viewpoint
from ccl_viewer.views.canvas.key import KeyEntry, Marks, Sign, key_entries, key_items, split_key
from ccl_viewer.views.canvas.legend import legend_items
from ccl_viewer.views.canvas.style import style_of
from ccl_viewer.views.canvas.target import PaintTarget
from ccl_viewer.views.looks.theme import DARK

Picture = npt.NDArray[np.uint32]

SIZE = (400.0, 300.0)
STYLE = style_of(DARK, 1.0)
EMPTY = 0x010203
pytestmark = pytest.mark.usefixtures("qapp")


def drawn(paint: Callable[[QPainter], object], width: int = 400, height: int = 300) -> Picture:
    """A picture, as 0xRRGGBB in rows."""
    image = QImage(width, height, QImage.Format.Format_RGB32)
    image.fill(EMPTY)
    painter = QPainter(image)
    paint(painter)
    painter.end()
    rows = np.frombuffer(image.constBits(), np.uint32).reshape(height, -1)
    return rows[:, :width] & np.uint32(0xFFFFFF)


def sample(item: CardItem) -> Picture:
    width = round(item.width)
    return drawn(lambda painter: item.paint(painter, QRectF(0, 0, width, 14), STYLE), width, 14)


def shade(name: str) -> int:
    return QColor(name).rgb() & 0xFFFFFF


class Written:
    """Items, and what is painted of them: the samples, and the texts with their colours."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.samples: list[QRectF] = []
        self.texts: list[tuple[str, QRectF, str]] = []

        def note(painter: QPainter, place: QRectF, _flags: object, text: str) -> None:
            self.texts.append((text, QRectF(place), painter.pen().color().name()))

        monkeypatch.setattr(QPainter, "drawText", note)

    def item(self, text: str, *, dim: bool = False) -> CardItem:
        return CardItem(text, 20.0, self._sample, dim=dim)

    def _sample(self, _painter: QPainter, box: QRectF, _style: object) -> None:
        self.samples.append(QRectF(box))


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> Written:
    return Written(monkeypatch)


def metrics() -> QFontMetricsF:
    return QFontMetricsF(QFont())


# Where things stand


def test_each_sample_stands_before_its_text_and_nothing_meets(written: Written) -> None:
    items = [written.item(f"item {number}") for number in range(9)]
    room = 260.0
    box = QRectF(20, 30, 0, 0)
    box.setSize(card_size(items, metrics(), room))
    assert all(card_size(items, metrics(), wide).width() <= wide for wide in range(150, 400, 3))

    def paint(painter: QPainter) -> None:
        paint_card(PaintTarget(painter, Viewpoint(), SIZE, STYLE), box, items)

    picture = drawn(paint)
    assert [text for text, _place, _color in written.texts] == [item.text for item in items]
    places = [place for _text, place, _color in written.texts]
    advance = metrics().horizontalAdvance
    for one, (text, place, _color) in zip(written.samples, written.texts, strict=True):
        assert box.contains(one)
        assert one.right() < place.left()
        assert place.left() + advance(text) < box.right()
        assert place.top() < one.center().y() < place.bottom()
        assert place.bottom() <= box.bottom()
    for one, other in pairwise(places):
        beside = other.top() == one.top() and other.left() > one.left() + advance("item 0") + 20
        assert beside or other.top() >= one.bottom()
    assert len({place.top() for place in places}) > 1
    assert picture[round(box.center().y()), round(box.right()) - 3] != EMPTY, "it has a ground"
    assert picture[10, 10] == EMPTY


def test_what_is_not_drawn_now_is_dim(written: Written) -> None:
    items = [written.item("seen"), written.item("unseen", dim=True)]
    drawn(lambda painter: paint_row(painter, QRect(0, 0, 400, 20), items, STYLE))
    colors = {text: color for text, _place, color in written.texts}
    assert colors == {"seen": shade_name(STYLE.text), "unseen": shade_name(STYLE.dim)}
    assert colors["seen"] != colors["unseen"]


def shade_name(color: str) -> str:
    return QColor(color).name()


def test_a_row_without_a_card_shows_what_has_room(written: Written) -> None:
    items = [written.item(f"item {number}") for number in range(9)]
    width = round(3.5 * items[0].room(metrics()))
    seen = seen_in(items, metrics(), width)
    assert [item.text for item in seen] == ["item 0", "item 1", "item 2"]
    drawn(lambda painter: paint_row(painter, QRect(5, 0, width, 20), items, STYLE))
    assert [text for text, _place, _color in written.texts] == [item.text for item in seen]
    edges = [place.left() for _text, place, _color in written.texts]
    steps = [other - one for one, other in pairwise(edges)]
    assert steps == pytest.approx([items[0].room(metrics())] * 2)


def test_a_column_gives_way_to_the_legend_and_to_the_grid(written: Written) -> None:
    key = [written.item(f"item {number}") for number in range(4)]
    legend = [written.item("legend")]
    height = card_size(key, metrics(), 0.0).height()
    for spare, stands in ((60.0, True), (20.0, False)):
        size = (400.0, height + spare)
        cards = cards_of(size, QRectF(0, 0, 50, 20), key, legend, metrics())
        assert cards.column.isEmpty() is not stands
        assert not cards.column.intersects(cards.below)
    wide = cards_of(SIZE, QRectF(0, 0, 380, 20), key, legend, metrics())
    assert wide.column.isEmpty()
    assert [item.text for item in wide.items] == ["legend", *(item.text for item in key)]


def test_what_has_no_room_is_said_in_fewer_words_before_it_is_cut(qapp: object) -> None:
    entries = [
        LegendEntry(Part.BLOCK, "thread block of 256 consecutive cells", seen=False),
        LegendEntry(None, "padding, labelled -1"),
    ]
    block, padding = legend_items(entries)

    def said(item: CardItem, words: str) -> str:
        return item.fitting(metrics(), metrics().horizontalAdvance(words))

    assert said(block, block.text) == block.text
    assert said(block, "block of 256 cells") == "block of 256 cells"
    assert said(block, "block of 256") == "256 cells"
    assert said(padding, "padding") == "padding"
    assert said(padding, "pad…").endswith("…")


def test_a_key_that_is_wider_than_the_canvas_is_left_out(written: Written) -> None:
    cards = cards_of(SIZE, QRectF(0, 0, 380, 20), [written.item("W" * 90)], (), metrics())
    assert not cards.whole
    assert cards.below.isEmpty()


def test_a_legend_takes_what_the_grid_leaves_and_loses_what_is_unseen_first(
    written: Written,
) -> None:
    long = "a text that takes most of a row"
    items = [written.item(f"{long} {n}", dim=n == 1) for n in range(4)]
    assert len(shown_of(items, metrics(), (300.0, 200.0), free=190.0)) == 4
    shown = shown_of(items, metrics(), (300.0, 200.0), free=0.0)
    assert 1 <= len(shown) < 4
    assert not any(item.dim for item in shown)
    assert shown[0] is items[0]


# What samples look like


def test_every_sign_can_be_told_from_the_others() -> None:
    samples = {sign: sample(key_items([KeyEntry(sign, "")])[0]) for sign in Sign}
    same = {Sign.COLOURS: Sign.LABELS, Sign.INPUT: Sign.UNLABELLED}
    looks = {samples[sign].tobytes() for sign in Sign if sign not in same}
    assert len(looks) == len(Sign) - len(same)
    assert all((picture != EMPTY).any() for picture in samples.values())
    for one, other in same.items():
        np.testing.assert_array_equal(samples[one], samples[other])
    assert len(np.unique(samples[Sign.LABELS])) > 2, "several colours"
    arrow = samples[Sign.PARENT] != EMPTY
    assert arrow[:, 10:].sum() > 1.5 * arrow[:, :4].sum(), "it has a head at the right"
    lit = samples[Sign.LIT]
    shades = [rgb(STYLE.shades[number]) for number in (FIRST_COLOUR, LIT + FIRST_COLOUR)]
    assert [lit[7, 2], lit[7, 11]] == shades
    assert samples[Sign.UNLABELLED][7, 7] == rgb(STYLE.shades[UNLABELLED])
    changed = samples[Sign.CHANGED]
    assert changed[3, 10] == shade(STYLE.bold)
    assert changed[10, 3] == rgb(STYLE.shades[0])


def rgb(number: object) -> int:
    return QColor(number).rgb() & 0xFFFFFF


def test_what_is_switched_on_but_cannot_be_seen_is_dim() -> None:
    entries = key_entries(Layers(), Marks(hidden=True, unwritten=True))
    assert [entry.sign for entry in entries if entry.dim] == [Sign.PARENT, Sign.NUMBER]
    assert [item.dim for item in key_items(entries)] == [True, True, False]
    lasting, passing = split_key(entries)
    assert [entry.sign for entry in lasting] == [Sign.PARENT]
    assert [entry.sign for entry in passing] == [Sign.NUMBER, Sign.LABELS]
    items = legend_items([LegendEntry(Part.TILE, "tiles"), LegendEntry(None, "padding", False)])
    assert [(item.text, item.dim) for item in items] == [
        ("tiles", False),
        ("padding" + TOO_SMALL, True),
    ]


def test_every_division_has_a_sample_of_its_lines() -> None:
    looks = {}
    for part in (None, *Part):
        (item,) = legend_items([LegendEntry(part, "")])
        looks[part] = sample(item)
        assert (looks[part] != EMPTY).any()
    assert len({picture.tobytes() for picture in looks.values()}) >= len(looks) - 1
    coarse, fine = (
        sample(legend_items([LegendEntry(Part.BLOCK, "", rank=rank)])[0]) for rank in (0, 4)
    )
    assert np.count_nonzero(coarse != EMPTY) > np.count_nonzero(fine != EMPTY)


def test_a_dashed_sample_shows_a_gap() -> None:
    line = partial(np.equal, shade(STYLE.bold))
    rows = {part: line(sample(legend_items([LegendEntry(part, "")])[0])) for part in Part}
    dashed = [part for part, inked in rows.items() if 0 < inked.any(axis=0).sum() < 24]
    assert dashed
    for part in dashed:
        columns = np.flatnonzero(rows[part].any(axis=0))
        assert np.diff(columns).max() > 1, f"between its dashes, {part} has a gap"
