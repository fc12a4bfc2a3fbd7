"""What the mouse does, done with keys alone."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QContextMenuEvent, QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QWidget
from pytestqt.qtbot import QtBot
from support.windows import PATIENCE, MakeWindow, press, settled, wait_idle

from ccl_viewer.session.editing.hand import Tool
from ccl_viewer.views.main_window import MainWindow
from ccl_viewer.views.plots.panel import Plots
from ccl_viewer.views.source.pane import SourcePane
from ccl_viewer.views.steps.steps_panel import StepsPanel

SHIFT = Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def blank(make_window: MakeWindow, qtbot: QtBot) -> MainWindow:
    window = make_window("pattern:noise?width=12&height=9&density=0")
    window.activateWindow()
    window.canvas.setFocus()
    qtbot.waitUntil(window.canvas.hasFocus, timeout=PATIENCE)
    return window


def strike(window: MainWindow, keys: str) -> None:
    widget = window.focusWidget()
    assert widget is not None
    QTest.keySequence(widget, QKeySequence(keys))


def go(window: MainWindow, x: int, y: int) -> None:
    """Move the cell cursor with Shift and the arrows."""
    look = window.session.look
    if look.cursor is None:
        press(window.canvas, "z")
    assert look.cursor is not None
    left, up = look.cursor[0] - x, look.cursor[1] - y
    for count, keys in ((left, "Shift+Left"), (-left, "Shift+Right"), (up, "Shift+Up")):
        for _ in range(count):
            strike(window, keys)
    for _ in range(-up):
        strike(window, "Shift+Down")
    assert look.cursor == (x, y)


def drawn(window: MainWindow) -> set[tuple[int, int]]:
    grid = window.session.grid
    assert grid is not None
    return {(int(x), int(y)) for y, x in zip(*grid.nonzero(), strict=True)}


@pytest.mark.parametrize(
    ("key", "cells"),
    [
        ("l", {(2, 2), (3, 2), (4, 2)}),
        ("r", {(2, 2), (3, 2), (4, 2), (2, 3), (4, 3), (2, 4), (3, 4), (4, 4)}),
    ],
)
def test_shapes_are_drawn_from_corner_to_corner(
    blank: MainWindow, qtbot: QtBot, key: str, cells: set[tuple[int, int]]
) -> None:
    press(blank.canvas, key)
    go(blank, 2, 2)
    press(blank.canvas, "z")
    go(blank, 4, 2 if key == "l" else 4)
    press(blank.canvas, "z")
    wait_idle(qtbot, blank)
    assert drawn(blank) == cells


def test_an_ellipse_is_drawn_filled_and_picked(blank: MainWindow, qtbot: QtBot) -> None:
    press(blank.canvas, "o")
    go(blank, 2, 2)
    press(blank.canvas, "z")
    go(blank, 6, 6)
    press(blank.canvas, "z")
    wait_idle(qtbot, blank)
    rim = drawn(blank)
    assert rim
    assert (4, 4) not in rim
    press(blank.canvas, "f")
    go(blank, 4, 4)
    press(blank.canvas, "z")
    wait_idle(qtbot, blank)
    assert (4, 4) in drawn(blank)
    press(blank.canvas, "i")
    press(blank.canvas, "z")
    assert blank.session.look.pinned == (4, 4)


def test_cells_are_selected_moved_copied_and_pasted(blank: MainWindow, qtbot: QtBot) -> None:
    press(blank.canvas, "p")
    go(blank, 2, 2)
    press(blank.canvas, "z")
    press(blank.canvas, "m")
    press(blank.canvas, "z")
    go(blank, 3, 3)
    press(blank.canvas, "z")
    assert blank.session.tools.selection.box is not None
    strike(blank, "Ctrl+C")
    strike(blank, "Alt+Right")
    strike(blank, "Alt+Down")
    strike(blank, "Ctrl+D")
    wait_idle(qtbot, blank)
    assert drawn(blank) == {(3, 3)}
    strike(blank, "Ctrl+V")
    strike(blank, "Alt+Up")
    strike(blank, "Ctrl+D")
    wait_idle(qtbot, blank)
    assert len(drawn(blank)) == 2


def test_a_component_is_pinned_and_shown_alone(blank: MainWindow, qtbot: QtBot) -> None:
    press(blank.canvas, "p")
    go(blank, 5, 5)
    press(blank.canvas, "z")
    wait_idle(qtbot, blank)
    QTest.keyClick(blank.canvas, Qt.Key.Key_Return)
    assert blank.session.look.pinned == (5, 5)
    alone = blank.session.look.layers.only
    press(blank.canvas, "d")
    assert blank.session.look.layers.only is not alone


def test_a_key_goes_from_part_to_part_and_back(window: MainWindow) -> None:
    settled(window, 1280, 720)
    window.activateWindow()
    window.canvas.setFocus()
    parts: tuple[QWidget, ...] = (
        window.step_panel,
        window.panel(StepsPanel),
        window.panel(SourcePane),
        window.source_bar,
        window.canvas_panel.tools,
    )
    for part in parts:
        strike(window, "Ctrl+F6")
        assert part.isAncestorOf(window.focusWidget() or window), part
    strike(window, "Ctrl+F6")
    assert window.canvas.hasFocus()
    for part in reversed(parts):
        strike(window, "Ctrl+Shift+F6")
        assert part.isAncestorOf(window.focusWidget() or window), part


def test_the_key_of_a_panel_brings_it_forward_and_goes_there(window: MainWindow) -> None:
    settled(window, 1280, 720)
    window.activateWindow()
    window.canvas.setFocus()
    panel = window.panel(Plots)
    strike(window, "Ctrl+3")  # it is open, behind the source
    QApplication.processEvents()
    assert window.docks.is_open("plots")
    assert not panel.visibleRegion().isEmpty()
    assert panel.isAncestorOf(window.focusWidget() or window)
    strike(window, "Ctrl+3")
    assert not window.docks.is_open("plots")
    assert window.canvas.hasFocus()


def menu_key(widget: QWidget) -> None:
    """Press the key that opens the menu of a widget."""
    place = QPoint(1, 1)
    event = QContextMenuEvent(QContextMenuEvent.Reason.Keyboard, place, widget.mapToGlobal(place))
    QApplication.sendEvent(widget, event)


def test_columns_are_chosen_by_the_menu_key(window: MainWindow) -> None:
    table = window.panel(StepsPanel).table
    menu_key(table)
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    assert "launch" in {action.objectName() for action in menu.actions()}
    menu.close()


def test_tools_can_be_taken_from_the_palette_by_space(window: MainWindow) -> None:
    window.activateWindow()
    button = window.canvas_panel.tools.buttons["tool_fill"]
    button.setFocus()
    QTest.keyClick(button, Qt.Key.Key_Space)
    assert window.session.tools.hand.tool is Tool.FILL
