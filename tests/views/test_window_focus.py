"""Keys that belong to the widget with the focus, and the order of Tab."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot
from support.windows import (
    PATIENCE,
    MakeWindow,
    position,
    wait_idle,
)

from ccl_viewer.views.main_window import MainWindow
from ccl_viewer.views.source.pane import SourcePane
from ccl_viewer.views.steps.steps_panel import StepsPanel


def test_typing_into_a_field_does_not_move(make_window: MakeWindow, qtbot: QtBot) -> None:
    window = make_window("pattern:shibata")
    window.session.configure(algorithm_key="shibata_slow")
    wait_idle(qtbot, window)
    window.session.playback.go_to(1)
    window.activateWindow()
    box = window.source_bar.parameters.boxes["jumps"]
    box.setFocus()
    qtbot.waitUntil(box.hasFocus, timeout=PATIENCE)
    for key in (
        Qt.Key.Key_Space,
        Qt.Key.Key_Left,
        Qt.Key.Key_Right,
        Qt.Key.Key_Home,
        Qt.Key.Key_End,
        Qt.Key.Key_Backspace,
        Qt.Key.Key_Comma,
        Qt.Key.Key_G,
    ):
        QTest.keyClick(box, key)
    assert position(window) == 1
    assert not window.session.playback.playing
    assert window.session.look.layers.lines
    QTest.keyClick(box, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClicks(box, "7")
    QTest.keyClick(box, Qt.Key.Key_Return)
    wait_idle(qtbot, window)
    assert window.session.settings.parameters["jumps"] == 7


def test_space_presses_the_button_with_the_focus(window: MainWindow, qtbot: QtBot) -> None:
    window.session.playback.go_to(1)
    button = window.step_panel.buttons["back"]
    window.activateWindow()
    button.setFocus(Qt.FocusReason.TabFocusReason)
    qtbot.waitUntil(button.hasFocus, timeout=PATIENCE)
    QTest.keyClick(button, Qt.Key.Key_Space)
    assert position(window) == 0
    assert not window.session.playback.playing


def test_tab_goes_through_the_window_as_the_eye_does(make_window: MakeWindow) -> None:
    window = make_window("pattern:shibata")
    window.session.configure(algorithm_key="shibata_slow")
    QApplication.processEvents()  # the way is found in the turn after
    bar, canvas = window.source_bar, window.canvas_panel.canvas
    expected: list[QWidget] = [
        bar.open_button,
        bar.algorithm,
        bar.parameters.boxes["passes"],
        bar.parameters.boxes["jumps"],
        bar.device,
        bar.run_button,
        canvas,
        window.step_panel.buttons["play"],
        window.step_panel.timeline,
        window.panel(StepsPanel).table,
        window.panel(SourcePane).text,
    ]
    stops: list[QWidget] = [bar.open_button]
    widget = bar.open_button.nextInFocusChain()
    while widget is not None and widget is not bar.open_button:
        stops.append(widget)
        widget = widget.nextInFocusChain()
    places = [stops.index(widget) for widget in expected]
    assert places == sorted(places)


def test_arrows_choose_the_connectivity_that_has_the_focus(
    window: MainWindow, qtbot: QtBot
) -> None:
    window.session.playback.go_to(1)
    window.activateWindow()
    button = window.source_bar.connectivity.group.button(4)
    button.setFocus()
    qtbot.waitUntil(button.hasFocus, timeout=PATIENCE)
    QTest.keyClick(button, Qt.Key.Key_Right)
    assert window.session.settings.connectivity == 8
    assert position(window) == 1
