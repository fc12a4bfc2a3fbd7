"""What is said of the marks on cells."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QImage, QPainter
from PySide6.QtWidgets import QApplication

from ccl_viewer.render.depths import DEEPEST, FIRST_DEPTH
from ccl_viewer.render.layers import COLOURS_MEAN
from ccl_viewer.session import CellColours, Layers, Numbers
from ccl_viewer.views.canvas.card import cards_of, height_below, paint_card
from ccl_viewer.views.canvas.geometry import Viewpoint
from ccl_viewer.views.canvas.key import KeyEntry, Marks, Sign, key_entries, key_items, split_key
from ccl_viewer.views.canvas.style import style_of
from ccl_viewer.views.canvas.target import PaintTarget
from ccl_viewer.views.looks.theme import DARK

SIZE = (400.0, 300.0)
ENTRIES = tuple(KeyEntry(sign, sign.name.lower()) for sign in Sign)


def painted(cells: QRectF, entries: tuple[KeyEntry, ...] = ENTRIES) -> tuple[QRectF, QImage]:
    image = QImage(400, 300, QImage.Format.Format_RGB32)
    image.fill(0)
    painter = QPainter(image)
    target = PaintTarget(painter, Viewpoint(), SIZE, style_of(DARK, 1.0))
    items, metrics = key_items(entries), QFontMetricsF(painter.font())
    cards = cards_of(SIZE, cells, items, (), metrics)
    paint_card(target, cards.column, items)
    paint_card(target, cards.below, cards.items)
    painter.end()
    return cards.column | cards.below, image


def test_only_what_is_in_sight_is_explained() -> None:
    every = Marks(changed=True, lit=True, arrows=True, unlabelled=True, numbers=True)

    def texts(layers: Layers, seen: Marks) -> list[str]:
        return [entry.text for entry in key_entries(layers, seen)]

    assert texts(Layers(), Marks()) == ["colour: label"]
    told = ["changed", "changed: lighter", "root", "parent", "no label", "sizes"]
    assert texts(Layers(numbers="layer:sizes"), every) == [*told, "colour: label"]
    beside = Marks(changed=True, arrows=True, array="references", referring="references")
    told = ["references changed", "refers to itself", "references"]
    assert texts(Layers(), beside) == [*told, "colour: label"]
    assert texts(Layers(onion=True), Marks(rims=True)) == ["rim: step before", "colour: label"]
    hidden = Marks(hidden=True, referring="references")
    assert texts(Layers(), hidden) == ["references (zoom in)", "colour: label"]
    small = Marks(unwritten=True)
    assert texts(Layers(), small) == ["numbers (zoom in)", "colour: label"]
    assert texts(Layers(numbers="layer:sizes"), small) == ["sizes (zoom in)", "colour: label"]
    drawn = texts(Layers(colours=CellColours.INPUT), Marks(unlabelled=True))
    assert "no label" not in drawn, "what was drawn has the colour of cells without a label"
    raw = texts(Layers(), Marks(numbers=True))
    assert raw == ["colour: label"], "raw labels are what is shown at first"
    assert texts(Layers(numbers=Numbers.NONE), Marks(numbers=True)) == ["colour: label"]


@pytest.mark.parametrize("colours", CellColours)
def test_what_colours_mean_always_has_room_unless_it_is_usual(colours: CellColours) -> None:
    lasting, passing = split_key(key_entries(Layers(colours=colours), Marks(changed=True)))
    told = {entry.text for entry in (passing if colours is CellColours.LABEL else lasting)}
    words = {CellColours.DEPTH: "colour: steps to the root (0: root)"}
    assert words.get(colours, COLOURS_MEAN[colours]) in told
    assert "changed" in {entry.text for entry in passing}


@pytest.mark.parametrize("colours", CellColours)
def test_a_line_has_room_for_marks_and_what_colours_mean(
    qapp: QApplication, colours: CellColours
) -> None:
    entries = key_entries(Layers(colours=colours), Marks(changed=True))
    room = sum(item.room(QFontMetricsF(QFont())) for item in key_items(entries, short=True))
    assert room <= 18 * QFontMetricsF(QFont()).averageCharWidth() + 190


def test_short_items_of_a_column_have_rows_of_their_own(qapp: QApplication) -> None:
    texts = ("root", "parent", "a line as wide as both of them together")
    card, image = painted(
        QRectF(0, 0, 20, 20), tuple(KeyEntry(Sign.COLOURS, text) for text in texts)
    )
    last = QRectF(card.left(), card.bottom() - card.height() / 4, card.width(), card.height() / 8)
    area = last.toRect()
    colours = {
        image.pixelColor(x, y).rgb()
        for x in range(area.left() + 4, area.right() - 4)
        for y in range(area.top(), area.bottom())
    }
    assert len(colours) > 1, "the last row is not empty"


def test_the_scale_of_depths_has_all_their_colours(qapp: QApplication) -> None:
    item = key_items(key_entries(Layers(colours=CellColours.DEPTH), Marks()))[0]
    image = QImage(int(item.width), 14, QImage.Format.Format_RGB32)
    painter, style = QPainter(image), style_of(DARK, 1.0)
    item.paint(painter, QRectF(image.rect()), style)
    painter.end()
    row = [image.pixelColor(x, 0).name() for x in range(image.width())]
    shades = [QColor(shade).name() for shade in style.shades[FIRST_DEPTH:][: DEEPEST + 1]]
    assert list(dict.fromkeys(row)) == shades


@pytest.mark.parametrize(
    "cells",
    [QRectF(100, 10, 150, 280), QRectF(0, 10, 400, 240)],
    ids=["at the right", "below"],
)
def test_it_stands_where_the_grid_leaves_room(qapp: QApplication, cells: QRectF) -> None:
    box, image = painted(cells, ENTRIES[:3])
    assert not box.isEmpty()
    assert not box.intersects(cells)
    assert QRectF(image.rect()).contains(box)
    assert image.pixel(round(box.center().x()), round(box.top()) + 2) & 0xFFFFFF


def test_it_never_covers_the_grid(qapp: QApplication) -> None:
    box, image = painted(QRectF(0, 0, 400, 300))
    assert box.isEmpty()
    assert image == painted(QRectF(), ())[1]


def test_the_key_lies_beside_the_legend_and_gives_way_to_it(qapp: QApplication) -> None:
    metrics, legend, key = QFontMetricsF(QFont()), key_items(ENTRIES[:1]), key_items(ENTRIES[1:3])
    beside = cards_of(SIZE, QRectF(0, 0, 400, 250), key, legend, metrics)
    assert beside.items == (*legend, *key)
    assert beside.whole
    covered = cards_of(SIZE, QRectF(0, 0, 400, 300), key, legend, metrics)
    assert covered.items == legend
    assert not covered.whole


def test_cards_keep_clear_of_the_edges(qapp: QApplication) -> None:
    metrics, legend = QFontMetricsF(QFont()), key_items(ENTRIES)
    for width in range(300, 420, 3):
        size = (float(width), 300.0)
        box = cards_of(size, QRectF(), (), legend, metrics).below
        assert box.left() >= 5
        assert box.right() <= width - 5
        assert height_below(legend, metrics, width) == size[1] - box.top()


def test_what_is_too_long_for_the_canvas_is_cut_at_its_end(qapp: QApplication) -> None:
    legend = key_items((KeyEntry(Sign.ROOT, "W" * 200),))
    image = QImage(400, 300, QImage.Format.Format_RGB32)
    image.fill(0)
    painter = QPainter(image)
    cards = cards_of(SIZE, QRectF(), (), legend, QFontMetricsF(painter.font()))
    paint_card(PaintTarget(painter, Viewpoint(), SIZE, style_of(DARK, 1.0)), cards.below, legend)
    painter.end()
    assert QRectF(image.rect()).contains(cards.below)
    inside = range(round(cards.below.top()) + 7, round(cards.below.bottom()) - 7)
    assert len({image.pixel(round(cards.below.right()) - 3, y) for y in inside}) == 1, (
        "no letter reaches over the edge"
    )
