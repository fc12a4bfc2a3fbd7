"""Where the grid is put on the canvas, so that key and legend have room beside it."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QFont, QFontMetricsF
from PySide6.QtWidgets import QApplication

from ccl_viewer import record
from ccl_viewer.session import Layers
from ccl_viewer.views.canvas_card import cards_of
from ccl_viewer.views.canvas_fit import Told, fit_with_room
from ccl_viewer.views.canvas_geometry import CellRange, Viewpoint, fitted
from ccl_viewer.views.canvas_key import Marks, key_entries, key_items

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
