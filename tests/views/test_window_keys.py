"""The keys of the window's table of actions."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot
from support.windows import (
    PATIENCE,
    cell_at,
    position,
    press,
    wait_idle,
)

from ccl_viewer.session import SPEEDS
from ccl_viewer.views.main_window import MainWindow


def test_transport_keys(window: MainWindow) -> None:
    last = window.session.playback.count - 1
    for key, expected in (
        (Qt.Key.Key_Home, 0),
        (Qt.Key.Key_Right, 1),
        (".", 2),
        (Qt.Key.Key_Left, 1),
        (",", 0),
        (Qt.Key.Key_End, last),
        (Qt.Key.Key_PageUp, last - 1),
        (Qt.Key.Key_Home, 0),
        (Qt.Key.Key_PageDown, 1),
    ):
        press(window.canvas_panel.canvas, key)
        assert position(window) == expected, key


def test_space_plays_to_the_end(window: MainWindow, qtbot: QtBot) -> None:
    window.session.playback.set_speed(SPEEDS[-1])
    press(window.canvas_panel.canvas, Qt.Key.Key_Space)
    assert window.session.playback.playing
    assert position(window) == 0
    qtbot.waitUntil(lambda: not window.session.playback.playing, timeout=PATIENCE)
    assert window.session.playback.at_end
    press(window.canvas_panel.canvas, Qt.Key.Key_Home)
    press(window.canvas_panel.canvas, Qt.Key.Key_Space)
    press(window.canvas_panel.canvas, Qt.Key.Key_Space)
    assert position(window) == 0


def test_speed_keys(window: MainWindow) -> None:
    for key, speed in (("]", 2.0), ("]", 4.0), ("[", 2.0), (Qt.Key.Key_Backspace, 1.0)):
        press(window.canvas_panel.canvas, key)
        assert window.session.playback.speed == speed
        assert window.step_panel.speed.currentData() == speed


def test_layer_keys(window: MainWindow) -> None:
    for key, name in (("n", "numbers"), ("g", "lines"), ("c", "changed")):
        press(window.canvas_panel.canvas, key)
        assert not window.session.look.layers.shows(name)
        press(window.canvas_panel.canvas, key)
        assert window.session.look.layers.shows(name)


def test_run_undo_redo_keys(window: MainWindow, qtbot: QtBot) -> None:
    canvas = window.canvas_panel.canvas
    before = window.session.recording
    press(window.canvas_panel.canvas, Qt.Key.Key_F5)
    assert window.session.busy
    wait_idle(qtbot, window)
    assert window.session.recording is not before
    QTest.mouseClick(canvas, Qt.MouseButton.LeftButton, pos=cell_at(window, (0, 0)))
    wait_idle(qtbot, window)
    assert window.session.grid is not None
    assert window.session.grid[0, 0] == 1
    QTest.keyClick(canvas, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    wait_idle(qtbot, window)
    assert window.session.grid[0, 0] == 0
    QTest.keyClick(canvas, Qt.Key.Key_Y, Qt.KeyboardModifier.ControlModifier)
    wait_idle(qtbot, window)
    assert window.session.grid[0, 0] == 1
