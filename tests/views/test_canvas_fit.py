"""Where the grid is put on the canvas, so that key and legend have room beside it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QFont, QFontMetricsF
from PySide6.QtWidgets import QApplication

from ccl_viewer import record
from ccl_viewer.session import CellColours, Layers
from ccl_viewer.views.canvas.card import cards_of, shown_of
from ccl_viewer.views.canvas.fit import Told, fit_with_room
from ccl_viewer.views.canvas.geometry import CellRange, Viewpoint, fitted
from ccl_viewer.views.canvas.key import KeyEntry, Marks, Sign, key_entries, key_items
from ccl_viewer.views.canvas.layers import box_of

SIZE = (668.0, 358.0)
EVERY = Marks(changed=True, arrows=True, unlabelled=True, numbers=True)


def fit(columns: int, rows: int, layers: Layers) -> Viewpoint:
    extent = CellRange(0, 0, columns, rows)
    return fit_with_room(extent, SIZE, Told(layers, None, QFont()), 1.0)


@pytest.mark.parametrize(("columns", "rows"), [(12, 8), (16, 8), (10, 10), (32, 4), (23, 12)])
def test_the_key_has_room_and_the_whole_grid_is_seen(
    qapp: QApplication, columns: int, rows: int
) -> None:
    layers = Layers(numbers="layer:sizes", arrows=True)
    view = fit(columns, rows, layers)
    cells = QRectF(QPointF(view.x, view.y), QPointF(*view.corner(columns, rows)))
    key = key_items(key_entries(layers, EVERY))
    cards = cards_of(SIZE, cells, key, (), QFontMetricsF(QFont()))
    box = cards.column | cards.below
    assert not box.isEmpty()
    assert not box.intersects(cells)
    assert QRectF(0, 0, *SIZE).contains(cells)


def test_no_room_is_taken_that_is_not_needed(qapp: QApplication) -> None:
    beside, wide = CellRange(0, 0, 8, 14), CellRange(0, 0, 64, 34)
    layers = Layers(numbers="layer:sizes", arrows=True)
    with_key, without = (Told(layers, None, QFont(), key) for key in (True, False))
    assert fit_with_room(beside, SIZE, with_key, 1.0) == fitted(beside, *SIZE, 6.0, 1.0)
    assert fit_with_room(wide, SIZE, without, 1.0).scale == fitted(wide, *SIZE, 2.0, 1.0).scale
    assert fit_with_room(wide, SIZE, with_key, 1.0).scale < fitted(wide, *SIZE, 6.0, 1.0).scale


def test_room_is_left_for_the_name_of_the_array_that_changed(qapp: QApplication) -> None:
    run = record(np.ones((8, 24), np.uint8), algorithm="label_equivalence_hawick")
    told = Told(Layers(numbers="layer:references"), run, QFont())
    texts = {item.text for _, key in told.cards(20.0) for item in key}
    assert "references changed" in texts
    assert "changed" not in texts


@pytest.mark.parametrize(("columns", "rows"), [(10, 10), (220, 110), (2000, 1000)])
def test_cells_hardly_become_smaller_for_it(qapp: QApplication, columns: int, rows: int) -> None:
    largest = fitted(CellRange(0, 0, columns, rows), *SIZE, 6.0)
    assert fit(columns, rows, Layers()).scale >= 0.85 * largest.scale


@pytest.mark.parametrize("changes", [{}, {"contours": True, "colours": CellColours.DEPTH}])
@pytest.mark.parametrize("points", [9, 18])
def test_a_legend_never_leaves_the_grid_tiny(
    qapp: QApplication, points: int, changes: dict[str, Any]
) -> None:
    run = record(np.ones((10, 10), np.uint8), algorithm="label_equivalence_hawick")
    font, size, extent = QFont(), (566.0, 240.0), CellRange(0, 0, 10, 10)
    font.setPointSize(points)
    layers = Layers(arrows=True, structure=True, **changes)
    view = fit_with_room(extent, size, told := Told(layers, run, font), 1.0)
    assert view.scale >= 0.75 * fitted(extent, *size, 6.0).scale
    for legend, key in told.cards(view.scale):
        cards = cards_of(size, box_of(extent, view), key, legend, QFontMetricsF(font))
        assert cards.items, "the most important of it is told still"
        assert not cards.below.intersects(box_of(extent, view))


def test_what_cannot_be_seen_is_the_first_to_be_left_out_of_a_legend(qapp: QApplication) -> None:
    colours, unseen = KeyEntry(Sign.DEPTHS, "colours"), KeyEntry(Sign.PARENT, "zoom", dim=True)
    legend = key_items((unseen, colours, KeyEntry(Sign.INPUT, "input")))
    metrics, size = QFontMetricsF(QFont()), (100.0, 60.0)
    assert shown_of(legend, metrics, size, free=200.0) == legend, "there is room beside the grid"
    assert shown_of(legend, metrics, size, free=0.0) == legend[1:2]
