"""What people do in the window from end to end, with keys, mouse, menus and dialogs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PIL import Image
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QGuiApplication, QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog
from pytestqt.qtbot import QtBot
from support.qt_window import MakeWindow, part, type_path, wait_idle

from ccl_viewer.grids.shapes import Cell
from ccl_viewer.window.core.view_state import Mode
from ccl_viewer.window.export.widget import ExportDialog
from ccl_viewer.window.main_window import MainWindow
from ccl_viewer.window.opening.import_dialog import ImportDialog
from ccl_viewer.window.tree.widget import QtTreeDiagram

LEFT = Qt.MouseButton.LeftButton


def press(window: MainWindow, *keys: str) -> None:
    """Press keys over the canvas, once actions follow what was done before."""
    for key in keys:
        QApplication.processEvents()
        window.actions_by_name.refresh()
        QTest.keySequence(window.canvas, key)


def drag(window: MainWindow, first: Cell, last: Cell) -> None:
    """Drag with the left button from cell to cell."""
    canvas = window.canvas
    start, end = (canvas.centre_of(cell).toPoint() for cell in (first, last))
    QTest.mousePress(canvas, LEFT, pos=start)
    none, keys = Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier
    there = QPointF(canvas.mapToGlobal(end))
    move = QMouseEvent(QEvent.Type.MouseMove, QPointF(end), there, none, LEFT, keys)
    QApplication.sendEvent(canvas, move)
    QTest.mouseRelease(canvas, LEFT, pos=end)


def test_a_run_is_stepped_and_played_with_keys(window: MainWindow) -> None:
    playback = window.session.playback
    window.canvas.setFocus()
    press(window, "Home")
    assert playback.position == 0
    press(window, "Right", "Right", "Left")
    assert playback.position == 1
    press(window, "End")
    assert playback.at_end
    press(window, "PgUp", "Home", "PgDown")
    assert playback.position == 1
    press(window, "]")
    assert playback.speed > 1
    press(window, "[", "[")
    assert playback.speed < 1
    press(window, "Backspace")
    assert playback.speed == 1
    press(window, "Space")
    assert playback.playing
    press(window, "Space")
    assert not playback.playing


def test_layers_and_panels_have_their_keys(window: MainWindow) -> None:
    view, panel = window.session.view, window.side_panel
    window.canvas.setFocus()
    for key in "NACG":
        before = view.layers
        press(window, key)
        assert view.layers != before, key
        press(window, key)
        assert view.layers == before, key
    for number, spec in reversed([*enumerate(window.panels, 1)]):
        press(window, f"Ctrl+{number}")
        assert panel.current == spec.key
        assert not panel.collapsed
        window.canvas.setFocus()
    press(window, "F9")
    assert panel.collapsed


def test_a_grid_is_drawn_labelled_live_undone_and_saved(
    make_window: MakeWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    window = make_window("pattern:empty?width=12&height=8")
    session, canvas = window.session, window.canvas
    assert session.view.mode is Mode.DRAW
    window.actions_by_name["live"].trigger()
    canvas.setFocus()
    press(window, "P")
    drag(window, (1, 1), (6, 1))
    press(window, "R")
    drag(window, (2, 3), (5, 6))
    wait_idle(qtbot, session)
    expected = np.zeros((8, 12), np.uint8)
    expected[1, 1:7] = expected[3, 2:6] = expected[6, 2:6] = 1
    expected[3:7, 2] = expected[3:7, 5] = 1
    np.testing.assert_array_equal(session.document.grid, expected)
    recording = session.display.recording
    assert recording is not None
    np.testing.assert_array_equal(recording.image, expected)
    assert recording.verdict is not None
    assert (recording.verdict.found, recording.verdict.correct) == (2, True)
    press(window, "Ctrl+Z")
    assert session.document.grid is not None
    assert session.document.grid.sum() == 6
    press(window, "Ctrl+Y", "Ctrl+S")
    (dialog,) = window.findChildren(QFileDialog)
    type_path(qtbot, dialog, tmp_path / "mine.png")
    qtbot.waitUntil(lambda: not session.document.dirty)
    with Image.open(tmp_path / "mine.png") as picture:
        np.testing.assert_array_equal(np.array(picture.convert("L")) > 0, expected > 0)


def test_a_part_of_the_grid_is_moved_and_turned(make_window: MakeWindow, qtbot: QtBot) -> None:
    window = make_window("pattern:empty?width=8&height=6")
    session = window.session
    window.canvas.setFocus()
    press(window, "P")
    drag(window, (0, 0), (2, 0))
    press(window, "M")
    drag(window, (0, 0), (2, 2))
    press(window, "Alt+Right", "Alt+Down")
    window.actions_by_name["rotate_right"].trigger()
    press(window, "Return")
    wait_idle(qtbot, session)
    expected = np.zeros((6, 8), np.uint8)
    expected[1:4, 3] = 1
    np.testing.assert_array_equal(session.document.grid, expected)
    press(window, "Ctrl+C", "Del")
    assert session.document.empty
    press(window, "Ctrl+Z")
    np.testing.assert_array_equal(session.document.grid, expected)
    assert QGuiApplication.clipboard().text().split() == ["#", "#", "#"] or (
        QGuiApplication.clipboard().text().split() == ["..#"] * 3
    )


def test_a_photo_is_opened_imported_again_and_its_run_exported(
    make_window: MakeWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    grey = np.add.outer(np.arange(9), np.arange(12)).astype(np.uint8) * 12
    Image.fromarray(grey).save(tmp_path / "photo.png")
    window = make_window()
    session = window.session
    press(window, "Ctrl+O")
    (dialog,) = window.findChildren(QFileDialog)
    type_path(qtbot, dialog, tmp_path / "photo.png")
    qtbot.waitUntil(lambda: session.imports.pending is not None)
    asked = part(window, ImportDialog)
    asked.fields.threshold.setValue(100)
    asked.accept()
    qtbot.waitUntil(lambda: session.document.grid is not None)
    wait_idle(qtbot, session)
    np.testing.assert_array_equal(session.document.grid, grey > 100)
    window.actions_by_name.refresh()
    window.actions_by_name["import_again"].trigger()
    qtbot.waitUntil(lambda: session.imports.pending is not None)
    again = next(one for one in window.findChildren(ImportDialog) if one.isVisible())
    assert again.fields.threshold.value() == 100
    again.reject()
    window.activateWindow()
    window.canvas.setFocus()
    press(window, "Ctrl+E")
    export = part(window, ExportDialog)
    export.exporter.change(path=str(tmp_path / "run.gif"), scale=4)
    export.accept()
    qtbot.waitUntil((tmp_path / "run.gif").is_file)
    wait_idle(qtbot, session)
    with Image.open(tmp_path / "run.gif") as picture:
        assert getattr(picture, "n_frames", 0) == session.display.count
    window.actions_by_name["copy_picture"].trigger()
    qtbot.waitUntil(lambda: QGuiApplication.clipboard().mimeData().hasImage())
    QGuiApplication.clipboard().clear()


def test_a_cell_is_followed_through_the_run(window: MainWindow) -> None:
    session = window.session
    window.canvas.setFocus()
    press(window, "Home", "Right", "J")
    cell = session.view.cursor
    assert cell is not None
    window.actions_by_name["pin_component"].trigger()
    assert session.view.pin is not None
    assert (session.view.pin.cell, session.view.pin.component) == (cell, True)
    press(window, "Ctrl+4")
    assert "cells in" in part(window, QtTreeDiagram).summary.text()
    window.canvas.setFocus()
    press(window, "Escape")
    assert session.view.pin is None


def test_everything_that_can_be_done_with_a_run_can_be_done(
    window: MainWindow, qtbot: QtBot
) -> None:
    session = window.session
    for panel in window.panels:
        window.side_panel.show_panel(panel.key)
    for name, action in window.actions_by_name.items():
        asks = action.text().endswith("\N{HORIZONTAL ELLIPSIS}")
        like_another = name.startswith(("lesson_", "exercise_", "text_")) and name[-2:] != "_1"
        if action.isEnabled() and not (asks or like_another or name in {"quit", "tour"}):
            action.trigger()
    wait_idle(qtbot, session)
    window.full_screen.leave()
    message = session.messages.message
    assert message is None or "made a mistake" not in message.text
