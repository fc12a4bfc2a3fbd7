"""The panel of components: sorted rows, a click that shows one, a pin that selects a row."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QPainter, QPixmap
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QStyle, QStyleOptionHeader
from pytestqt.qtbot import QtBot
from support.grids import noise
from support.models import HeldExecutor, inline_session
from support.qt_window import model_of, wait_idle

import ccl_viewer as ccl
from ccl_viewer.window.components.model import Components
from ccl_viewer.window.components.widget import QtComponents
from ccl_viewer.window.core.view_state import Mode
from ccl_viewer.window.main_window import MainWindow

GRID = noise(20, 26, 0.5)


@pytest.fixture
def panel(window: MainWindow, qtbot: QtBot) -> QtComponents:
    window.session.document.load_grid(GRID, "noise")
    wait_idle(qtbot, window.session)
    window.side_panel.show_panel("components")
    panel = window.side_panel.widget("components")
    assert isinstance(panel, QtComponents)
    qtbot.waitUntil(lambda: panel.table.items.rowCount() > 0)
    return panel


def numbers(panel: QtComponents) -> list[int]:
    items = panel.table.items
    return [int(items.index(row, 0).data().replace(",", "")) for row in range(items.rowCount())]


def test_the_table_is_that_of_the_library_largest_first(panel: QtComponents) -> None:
    table = ccl.components(GRID, device="emulator")
    found = panel.table.items.table
    assert found is not None
    np.testing.assert_array_equal(found, table)
    assert panel.title.text() == f"{table.size} components"
    areas = table["area"][np.array(numbers(panel)) - 1].tolist()
    assert areas == sorted(areas, reverse=True)
    panel.table.sortByColumn(0, Qt.SortOrder.AscendingOrder)
    assert numbers(panel) == table["label"].tolist()


def test_of_equal_values_the_first_stands_first_in_both_orders(panel: QtComponents) -> None:
    table = panel.table.items.table
    assert table is not None
    items = panel.table.items
    headings = [
        items.headerData(place, Qt.Orientation.Horizontal) for place in range(items.columnCount())
    ]
    for column, heading in (("area", "Area"), ("x0", "Left")):
        place = headings.index(heading)
        for order, sign in ((Qt.SortOrder.AscendingOrder, 1), (Qt.SortOrder.DescendingOrder, -1)):
            panel.table.sortByColumn(place, order)
            expected = sorted(range(table.size), key=lambda row: (sign * table[column][row], row))
            assert numbers(panel) == [row + 1 for row in expected]


def test_the_arrow_points_down_where_numbers_go_down(panel: QtComponents) -> None:
    header = panel.table.horizontalHeader()
    style, orders = header.style(), Qt.SortOrder
    pointed = {}
    for order in (orders.DescendingOrder, orders.AscendingOrder):
        panel.table.sortByColumn(1, order)
        option = QStyleOptionHeader()
        header.initStyleOptionForIndex(option, 1)
        picture = QPixmap(20, 20)
        picture.fill(Qt.GlobalColor.black)
        with QPainter(picture) as painter:
            option.rect = picture.rect()
            part = QStyle.PrimitiveElement.PE_IndicatorHeaderArrow
            style.drawPrimitive(part, option, painter, header)
        pixels = picture.toImage()
        lit = [
            [x for x in range(20) if pixels.pixelColor(x, y).lightness() > 60] for y in range(20)
        ]
        widths = [row[-1] - row[0] for row in lit if row]
        pointed[order] = "down" if widths[0] > widths[-1] else "up"
    assert pointed == {orders.DescendingOrder: "down", orders.AscendingOrder: "up"}


def test_it_says_that_the_components_are_being_counted(
    qtbot: QtBot,
) -> None:
    executor = HeldExecutor(holds=False)
    session = inline_session(executor)
    session.document.load_grid(GRID, "noise")
    executor.holds = True
    panel = QtComponents(model_of(session, Components), session.playback, session.messages)
    qtbot.addWidget(panel)
    panel.show()
    assert panel.note.text() == "Counting\N{HORIZONTAL ELLIPSIS}"
    executor.work()
    qtbot.waitUntil(panel.table.isVisible)
    session.close()


def test_a_row_pins_its_component_and_a_pin_selects_its_row(
    window: MainWindow, panel: QtComponents
) -> None:
    view, table = window.session.view, panel.table
    labels, _ = ccl.label(GRID, device="emulator")
    table.setCurrentIndex(table.items.index(3, 0))
    assert view.pin is not None
    assert view.pin.component
    x, y = view.pin.cell
    assert labels[y, x] == table.items.number(3)
    y, x = np.argwhere(labels == 1)[-1].tolist()
    view.pin_cell((x, y))
    assert table.items.number(table.currentIndex().row()) == 1
    assert view.pin.cell == (x, y)  # the cell that was pinned stays so
    table.sortByColumn(1, Qt.SortOrder.AscendingOrder)
    assert table.items.number(table.currentIndex().row()) == 1
    view.unpin()
    assert not table.selectionModel().hasSelection()


def shown_part(window: MainWindow) -> tuple[float, float, float, float]:
    """Left, top, right and bottom of the canvas, in cells."""
    canvas, at = window.canvas, window.canvas.placement
    ratio = canvas.devicePixelRatioF()
    corners = ((0, 0), (canvas.width() * ratio, canvas.height() * ratio))
    (left, top), (right, bottom) = [
        ((x - at.x) / at.scale, (y - at.y) / at.scale) for x, y in corners
    ]
    return left, top, right, bottom


@pytest.fixture
def far_panel(window: MainWindow, qtbot: QtBot) -> QtComponents:
    """The panel beside a grid of small cells."""
    grid = np.zeros((200, 260), np.uint8)
    grid[10:40, 20:60] = grid[150:160, 200:240] = grid[100, 100] = 1
    window.session.document.load_grid(grid, "boxes")
    wait_idle(qtbot, window.session)
    window.side_panel.show_panel("components")
    panel = window.side_panel.widget("components")
    assert isinstance(panel, QtComponents)
    qtbot.waitUntil(lambda: panel.table.items.rowCount() == 3)
    return panel


def test_a_click_on_the_grid_selects_a_row_and_moves_nothing(
    window: MainWindow, far_panel: QtComponents
) -> None:
    window.session.view.set_mode(Mode.EXPLORE)
    before = shown_part(window)
    at = window.canvas.centre_of((205, 155)).toPoint()
    QTest.mouseClick(window.canvas, Qt.MouseButton.LeftButton, pos=at)
    table = far_panel.table
    assert table.items.number(table.currentIndex().row()) == 3
    assert shown_part(window) == before
    table.sortByColumn(0, Qt.SortOrder.AscendingOrder)
    window.side_panel.show_panel("steps")
    window.side_panel.show_panel("components")
    assert shown_part(window) == before


def test_choosing_a_row_fits_the_component(window: MainWindow, far_panel: QtComponents) -> None:
    table = far_panel.table
    for row, (x0, y0, x1, y1) in enumerate(((20, 10, 60, 40), (200, 150, 240, 160))):
        place = table.visualRect(table.items.index(row, 0)).center()
        QTest.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=place)
        left, top, right, bottom = shown_part(window)
        assert left <= x0 < x1 <= right
        assert top <= y0 < y1 <= bottom
        assert (left + right) / 2 == pytest.approx((x0 + x1) / 2, abs=1)
        assert right - left < 260


def test_rows_are_copied_with_tabs_and_saved_as_csv(
    window: MainWindow, panel: QtComponents, tmp_path: Path
) -> None:
    panel.table.copy()
    lines = QGuiApplication.clipboard().text().splitlines()
    found = panel.table.items.table
    assert found is not None
    assert tuple(lines[0].split("\t")) == found.dtype.names
    assert len(lines) == found.size + 1
    for row in (0, 2):
        index = panel.table.items.index(row, 0)
        flag = panel.table.selectionModel().SelectionFlag
        panel.table.selectionModel().select(index, flag.Select | flag.Rows)
    chosen = panel.table.chosen_components()
    assert chosen is not None
    assert chosen["label"].tolist() == [panel.table.items.number(row) for row in (0, 2)]
    window.find_model(Components).save(tmp_path / "some.csv", chosen)
    with (tmp_path / "some.csv").open(newline="", encoding="utf-8") as file:
        assert [row["label"] for row in csv.DictReader(file)] == [str(n) for n in chosen["label"]]


def test_another_grid_has_another_table(
    window: MainWindow, panel: QtComponents, qtbot: QtBot
) -> None:
    window.session.document.load_grid(np.zeros((5, 5), np.uint8), "empty")
    qtbot.waitUntil(lambda: "no component" in panel.note.text())
    assert not panel.table.isVisible()
    assert not panel.copy.isEnabled()


def test_a_question_hides_the_table(window: MainWindow, panel: QtComponents) -> None:
    window.session.analysis.set_hidden_answers(["counts"])
    assert not panel.table.isVisible()
    assert panel.table.items.rowCount() == 0
    window.session.analysis.set_hidden_answers([])
    assert panel.table.isVisible()
