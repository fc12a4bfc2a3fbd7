"""Drawing in the window: the bar of tools, and the values of the buttons."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QListWidget, QToolButton
from pytestqt.qtbot import QtBot
from support.qt_window import MakeWindow, named, wait_idle

from ccl_viewer.grids.shapes import Cell
from ccl_viewer.window import main_window
from ccl_viewer.window.core.view_state import Mode
from ccl_viewer.window.main_window import MainWindow

WINDOW = Path(main_window.__file__).parent


def choose_value(window: MainWindow, value: int) -> None:
    QApplication.processEvents()
    values = named(window, "Values", QListWidget)
    where = values.visualItemRect(values.item(value - 1)).center()
    QTest.mouseClick(values.viewport(), Qt.MouseButton.LeftButton, pos=where)


def drag(window: MainWindow, start: Cell, end: Cell) -> None:
    """Drag the mouse from the middle of a cell to the middle of another."""
    QApplication.processEvents()
    canvas, place = window.canvas, window.canvas.placement

    def point(cell: Cell) -> QPoint:
        x, y = ((at + 0.5) * place.scale for at in cell)
        return (QPointF(place.x + x, place.y + y) / place.ratio).toPoint()

    QTest.mousePress(canvas, Qt.MouseButton.LeftButton, pos=point(start))
    QTest.mouseMove(canvas, point(end))
    QTest.mouseRelease(canvas, Qt.MouseButton.LeftButton, pos=point(end))


def test_a_value_of_several_is_given_up_with_them(make_window: MakeWindow, qtbot: QtBot) -> None:
    window = make_window("pattern:empty?width=4&height=4")
    window.session.view.set_mode(Mode.DRAW)
    for _ in range(2):
        window.actions_by_name["multivalued"].trigger()
        choose_value(window, 3)
        named(window, "Left button draws 3, right button draws 0", QToolButton)
        window.actions_by_name["multivalued"].trigger()
        QApplication.processEvents()
        named(window, "Left button draws 1, right button draws 0", QToolButton)
    window.actions_by_name["undo"].trigger()
    choose_value(window, 3)
    window.actions_by_name["undo"].trigger()
    named(window, "Left button draws 1, right button draws 0", QToolButton)
    window.actions_by_name["redo"].trigger()
    choose_value(window, 3)
    window.actions_by_name["exercise_1"].trigger()
    wait_idle(qtbot, window.session)
    assert not window.session.document.multivalued
    assert window.session.tools.front == 1


def test_cells_that_were_moved_and_deleted_are_gone(make_window: MakeWindow) -> None:
    window = make_window("pattern:full?width=8&height=6")
    window.session.view.set_mode(Mode.DRAW)
    window.actions_by_name["tool_select"].trigger()
    drag(window, (0, 0), (1, 1))
    drag(window, (1, 1), (4, 3))
    QApplication.processEvents()
    window.actions_by_name["delete"].trigger()
    expected = np.ones((6, 8), np.uint8)
    expected[:2, :2] = 0
    document = window.session.document
    assert document.grid is not None
    assert np.array_equal(document.grid, expected)
    window.actions_by_name["undo"].trigger()
    assert np.all(document.grid == 1)


def test_every_painter_is_ended_after_an_error() -> None:
    left_open = [
        f"{path.name}: {line.strip()}"
        for path in WINDOW.rglob("*.py")
        for line in path.read_text(encoding="utf-8").splitlines()
        if re.search(r"\bQPainter\(", line) and not line.strip().startswith("with QPainter(")
    ]
    assert left_open == []
