"""The view for a projector: what it shows, that keys work, and that it leaves no trace."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from support.windows import MakeWindow, position

from ccl_viewer.views.main_window import MainWindow


def seen(window: MainWindow) -> dict[str, bool]:
    """Which parts of the window are seen."""
    parts: dict[str, QWidget] = {
        "menus": window.menus.bar,
        "bar": window.source_bar,
        "status": window.statusBar(),
        "strip": window.canvas_panel.strip,
        "canvas": window.canvas,
        "step": window.step_panel,
    }
    shown = {name: part.isVisible() for name, part in parts.items()}
    return shown | {name: window.docks.is_open(name) for name in window.docks.panels}


def look(window: MainWindow) -> tuple[object, ...]:
    # Layouts settle one within the other.
    for _ in range(4):
        QApplication.processEvents()
    docks = [window.docks[name] for name in window.docks.panels]
    return (
        seen(window),
        [(dock.isFloating(), window.dockWidgetArea(dock)) for dock in docks],
        [dock.geometry() for dock in docks if dock.isVisible()],
        window.size().toTuple(),
        window.windowState(),
        QApplication.font().pointSizeF(),
        window.canvas.view,
    )


def test_only_canvas_explanation_and_transport_are_shown(window: MainWindow) -> None:
    usual = window.step_panel.font().pointSizeF()
    QTest.keyClick(window.canvas, Qt.Key.Key_F11)
    assert {name for name, shown in seen(window).items() if shown} == {"canvas", "step"}
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


def test_keys_move_on_the_projector(window: MainWindow) -> None:
    window.projector.show(on=True)
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
    before = seen(first)
    first.projector.show(on=True)
    first.close()
    second = make_window("pattern:shibata")
    assert seen(second) == before
    assert not second.isFullScreen()
    assert second.appearance.text_size == 100
