"""The view for a projector: what it shows, that keys work, and that it leaves no trace."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot
from support.lessons import write_lesson
from support.windows import PATIENCE, MakeWindow, close_lesson, position, project, wait_idle

from ccl_viewer.views.main_window import MainWindow


def parts(window: MainWindow) -> dict[str, bool]:
    """Which parts of the window are seen."""
    named: dict[str, QWidget] = {
        "menus": window.menus.bar,
        "bar": window.source_bar,
        "status": window.statusBar(),
        "strip": window.canvas_panel.strip,
        "canvas": window.canvas,
        "step": window.step_panel,
    }
    shown = {name: part.isVisible() for name, part in named.items()}
    return shown | {name: window.docks.is_open(name) for name in window.docks.panels}


def look(window: MainWindow) -> tuple[object, ...]:
    window.appearance.settle()
    # Layouts settle one within the other.
    for _ in range(4):
        QApplication.processEvents()
    docks = [window.docks[name] for name in window.docks.panels]
    return (
        parts(window),
        [(dock.isFloating(), window.dockWidgetArea(dock)) for dock in docks],
        [dock.geometry() for dock in docks if dock.isVisible()],
        window.size().toTuple(),
        window.windowState(),
        QApplication.font().pointSizeF(),
        window.canvas.size().toTuple(),
        window.canvas.view,
    )


def test_only_canvas_explanation_and_transport_are_shown(window: MainWindow) -> None:
    usual = window.step_panel.font().pointSizeF()
    QTest.keyClick(window.canvas, Qt.Key.Key_F11)
    window.projector.settle()
    assert {name for name, shown in parts(window).items() if shown} == {"canvas", "step"}
    assert window.isFullScreen()
    assert window.step_panel.font().pointSizeF() > 1.4 * usual
    assert window.actions_table["projector"].isChecked()


@pytest.mark.parametrize("key", [Qt.Key.Key_F11, Qt.Key.Key_Escape])
def test_the_window_comes_back_as_it_was(window: MainWindow, key: Qt.Key) -> None:
    window.docks.show("source", on=False)
    window.docks["steps"].setFloating(True)
    window.docks["steps"].move(50, 50)  # within the small screen of offscreen windows
    before = look(window)
    QTest.keyClick(window.canvas, Qt.Key.Key_F11)
    QApplication.processEvents()
    QTest.keyClick(window.canvas, key)
    assert look(window) == before
    assert not window.projector.shown
    assert not window.actions_table["projector"].isChecked()


@pytest.mark.parametrize("on", [True, False])
def test_the_window_is_switched_in_turns_and_unseen(
    window: MainWindow, qtbot: QtBot, on: bool
) -> None:
    if not on:
        project(window, on=True)
    seen = list[bool]()
    window.projector.changed.connect(lambda: seen.append(window.updatesEnabled()))
    before = parts(window)
    window.projector.show(on=on)
    assert parts(window) == before, "not in the turn of the key"
    assert window.projector.shown
    qtbot.waitUntil(lambda: window.appearance.settled, timeout=PATIENCE)
    assert seen == [False], "laid out once, before it is painted"
    assert window.updatesEnabled()
    assert window.projector.shown is on


def test_the_window_comes_back_as_it_was_whatever_is_done_meanwhile(window: MainWindow) -> None:
    before = look(window)
    window.projector.show(on=True)
    window.projector.show(on=False)
    window.appearance.swap_theme()
    assert look(window) == before
    window.projector.show(on=True)
    window.appearance.swap_theme()
    window.projector.settle()
    assert window.isFullScreen()
    project(window, on=False)
    assert look(window) == before


def test_a_lesson_comes_back_as_it_was(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    own = look(window)
    window.session.lesson.open(str(write_lesson(tmp_path)))
    wait_idle(qtbot, window)
    before = look(window), window.lesson_docks.dock.size()
    project(window, on=True)
    project(window, on=False)
    assert (look(window), window.lesson_docks.dock.size()) == before
    window.projector.show(on=True)
    window.projector.show(on=False)
    close_lesson(window)
    window.projector.settle()
    assert look(window)[:5] == own[:5]


def test_keys_move_on_the_projector(window: MainWindow) -> None:
    project(window, on=True)
    last = position(window)
    QTest.keyClick(window.canvas, Qt.Key.Key_Left)
    assert position(window) == last - 1
    QTest.keyClick(window.canvas, Qt.Key.Key_Home)
    assert position(window) == 0
    QTest.keyClick(window.canvas, Qt.Key.Key_G)
    assert not window.session.look.layers.lines


def test_a_window_closed_on_the_projector_opens_as_it_was_before(make_window: MakeWindow) -> None:
    first = make_window("pattern:shibata")
    first.docks.show("steps", on=False)
    before = parts(first)
    first.projector.show(on=True)
    first.close()
    second = make_window("pattern:shibata")
    assert parts(second) == before
    assert not second.isFullScreen()
    assert second.appearance.text_size == 100


def test_each_press_counts_while_the_look_changes(window: MainWindow, qtbot: QtBot) -> None:
    larger, projector = (window.actions_table[name] for name in ("larger_text", "projector"))
    for presses in (2, 1, 3):
        before = window.projector.shown
        larger.trigger()
        for _ in range(presses):
            projector.trigger()
        qtbot.waitUntil(lambda: window.appearance.settled, timeout=PATIENCE)
        assert window.projector.shown is (before is (presses % 2 == 0))
        assert projector.isChecked() is window.projector.shown
