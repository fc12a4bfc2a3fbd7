"""Panels that dock, hide, float, lie behind each other, and come back as they were."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDockWidget, QMenu, QWidget
from pytestqt.qtbot import QtBot
from support.windows import PATIENCE, MakeWindow, project, settled, wait_idle

from ccl_viewer.views.main_window import MainWindow
from ccl_viewer.views.panels import PANELS
from ccl_viewer.views.steps.steps_panel import StepsPanel

NAMES = [panel.name for panel in PANELS]


def opened(window: MainWindow) -> dict[str, bool]:
    return {name: window.docks.is_open(name) for name in NAMES}


@pytest.mark.parametrize("panel", PANELS, ids=NAMES)
def test_a_key_hides_and_shows_a_panel(window: MainWindow, panel: object) -> None:
    name, key = getattr(panel, "name", ""), getattr(panel, "key", "")
    window.docks.show(name, on=True)
    for expected in (False, True):
        QTest.keySequence(window.canvas, QKeySequence(key))
        assert window.docks.is_open(name) == expected
        assert window.actions_table[f"panel_{name}"].isChecked() == expected


def test_panels_take_their_places_at_once(window: MainWindow) -> None:
    assert not window.isAnimated()


def test_a_panel_that_is_shown_is_in_front(window: MainWindow) -> None:
    for name in NAMES:
        window.docks.show(name, on=False)
        window.docks.show(name, on=True)
        QApplication.processEvents()
        assert not window.docks.panels[name].visibleRegion().isEmpty(), name


def test_a_key_brings_a_panel_to_the_front_before_it_hides_it(window: MainWindow) -> None:
    action, tree = window.actions_table["panel_tree"], window.docks.panels["tree"]
    QApplication.processEvents()
    assert window.docks.is_open("tree")
    assert tree.visibleRegion().isEmpty()
    for seen in (True, False, True):
        QTest.keySequence(window.canvas, QKeySequence("Ctrl+4"))
        QApplication.processEvents()
        assert tree.visibleRegion().isEmpty() is not seen
        assert action.isChecked() is seen


def test_tab_is_set_while_a_panel_floats(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    pairs: list[tuple[QWidget, QWidget]] = []
    monkeypatch.setattr(QWidget, "setTabOrder", lambda *pair: pairs.append(pair))
    dock = window.findChild(QDockWidget, "steps")
    assert dock is not None
    dock.setFloating(True)
    window.session.configure(algorithm_key="shibata_slow")
    wait_idle(qtbot, window)
    assert pairs
    assert all(before.window() is after.window() for before, after in pairs)


def test_panels_are_in_the_menu(window: MainWindow) -> None:
    menu = next(menu for menu in window.menus.bar.findChildren(QMenu) if "Panels" in menu.title())
    shown = [action.objectName() for action in menu.actions()]
    assert shown[: len(NAMES)] == [f"panel_{name}" for name in NAMES]


def test_the_layout_comes_back(make_window: MakeWindow) -> None:
    first = make_window("pattern:shibata")
    first.docks.show("source", on=False)
    first.docks["steps"].setFloating(True)
    first.close()
    second = make_window()
    assert not second.docks.is_open("source")
    assert second.docks["steps"].isFloating()
    second.actions_table["reset_layout"].trigger()
    assert all(opened(second).values())
    assert not second.docks["steps"].isFloating()


def test_a_dock_stays_where_it_was_put(make_window: MakeWindow) -> None:
    first = make_window("pattern:shibata")
    left = Qt.DockWidgetArea.LeftDockWidgetArea
    first.addDockWidget(left, first.docks["steps"])
    first.close()
    second = make_window()
    assert second.dockWidgetArea(second.docks["steps"]) is left
    second.docks.reset()
    assert second.dockWidgetArea(second.docks["steps"]) is Qt.DockWidgetArea.RightDockWidgetArea


@pytest.mark.parametrize("state", ["nonsense", "QUJD", "", 7, None, ["x"]])
def test_a_broken_layout_is_replaced_by_the_usual_one(
    make_window: MakeWindow, tmp_path: Path, state: object
) -> None:
    noted = {"window/geometry": state, "window/state": state}
    (tmp_path / "settings.json").write_text(json.dumps(noted))
    window = make_window("pattern:shibata")
    assert all(opened(window).values())
    assert not window.docks["steps"].isFloating()
    assert window.width() >= window.minimumWidth()


def test_a_layout_of_other_docks_is_not_put_back(
    make_window: MakeWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = make_window("pattern:shibata")
    first.docks.show("source", on=False)
    first.close()
    monkeypatch.setattr("ccl_viewer.views.docks.docks._VERSION", 99)
    assert all(opened(make_window()).values())


SIDES = {
    "panel_left": Qt.DockWidgetArea.LeftDockWidgetArea,
    "panel_right": Qt.DockWidgetArea.RightDockWidgetArea,
    "panel_bottom": Qt.DockWidgetArea.BottomDockWidgetArea,
}


@pytest.mark.parametrize("name", SIDES)
def test_the_panel_that_has_the_focus_is_moved_by_the_keyboard(
    window: MainWindow, qtbot: QtBot, name: str
) -> None:
    window.docks.switch("tree", on=True)
    qtbot.waitUntil(lambda: window.docks.focused == "tree", timeout=PATIENCE)
    window.actions_table[name].trigger()
    assert window.dockWidgetArea(window.docks["tree"]) is SIDES[name]
    assert window.tabifiedDockWidgets(window.docks["tree"]) == []
    qtbot.waitUntil(lambda: window.docks.focused == "tree", timeout=PATIENCE)


def test_a_panel_floats_by_the_keyboard(window: MainWindow) -> None:
    window.docks.switch("steps", on=True)
    window.actions_table["panel_float"].trigger()
    assert window.docks["steps"].isFloating()
    assert window.docks.is_open("steps")


def test_a_panel_that_is_moved_where_there_is_no_room_stays_there(window: MainWindow) -> None:
    window.docks.fold(on=True)
    window.docks.switch("plots", on=True)
    window.actions_table["panel_left"].trigger()
    assert window.docks.folded
    window.docks.fold(on=False)
    left = Qt.DockWidgetArea.LeftDockWidgetArea
    assert window.dockWidgetArea(window.docks["plots"]) is left


def test_without_a_panel_in_focus_it_is_said_how_one_gets_it(window: MainWindow) -> None:
    window.canvas.setFocus()
    window.actions_table["panel_left"].trigger()
    assert window.session.message is not None
    assert "Ctrl+1 to Ctrl+4" in window.session.message.text


def test_a_panel_is_moved_from_the_menu_by_keys_alone(window: MainWindow) -> None:
    QTest.keySequence(window.canvas, QKeySequence("Ctrl+4"))
    assert window.docks.focused == "tree"
    QTest.keyClick(window, Qt.Key.Key_V, Qt.KeyboardModifier.AltModifier)
    for key in (Qt.Key.Key_P, Qt.Key.Key_L):
        popup = QApplication.activePopupWidget()
        assert popup is not None
        QTest.keyClick(popup, key)
    left = Qt.DockWidgetArea.LeftDockWidgetArea
    assert window.dockWidgetArea(window.docks["tree"]) is left


def test_all_panels_make_room_at_once_and_come_back_as_they_were(window: MainWindow) -> None:
    settled(window, 1280, 720)
    window.docks.show("tree", on=False)
    window.docks.show("plots", on=True)
    window.panel(StepsPanel).table.setFocus()
    before, width = opened(window), window.canvas.width()
    places = {name: window.docks[name].geometry() for name in ("steps", "plots")}
    window.actions_table["hide_panels"].trigger()
    settled(window, 1280, 720)
    assert not any(opened(window).values())
    assert window.canvas.width() > width + 400
    assert window.canvas.hasFocus()
    assert window.actions_table["hide_panels"].isChecked()
    window.actions_table["hide_panels"].trigger()
    settled(window, 1280, 720)
    assert opened(window) == before
    assert {name: window.docks[name].geometry() for name in ("steps", "plots")} == places
    assert not window.actions_table["hide_panels"].isChecked()


def test_panels_side_by_side_come_back_as_wide_as_they_were(window: MainWindow) -> None:
    settled(window, 1280, 720)
    docks = [window.docks[name] for name in ("steps", "plots")]
    for dock in docks:
        window.addDockWidget(Qt.DockWidgetArea.BottomDockWidgetArea, dock)
    window.splitDockWidget(docks[0], docks[1], Qt.Orientation.Horizontal)
    settled(window, 1280, 720)
    window.resizeDocks(docks, [300, 700], Qt.Orientation.Horizontal)
    settled(window, 1280, 720)
    widths = [dock.width() for dock in docks]
    window.actions_table["hide_panels"].trigger()
    for on in (True, False):
        project(window, on=on)
    settled(window, 1280, 720)
    window.actions_table["hide_panels"].trigger()
    settled(window, 1280, 720)
    assert [dock.width() for dock in docks] == widths


def test_panels_that_were_hidden_one_by_one_all_come_back(window: MainWindow) -> None:
    for name in NAMES:
        window.docks.show(name, on=False)
    assert window.actions_table["hide_panels"].isChecked()
    window.actions_table["hide_panels"].trigger()
    assert all(opened(window).values())


def test_what_was_put_aside_comes_back_in_the_next_window(make_window: MakeWindow) -> None:
    def geometries() -> list[object]:
        return [window.docks[name].geometry() for name in ("steps", "plots")]

    window = settled(make_window("pattern:shibata"), 1280, 720)
    window.docks.show("tree", on=False)
    window.docks.show("plots", on=True)
    shown = opened(window)
    window.resizeDocks([window.docks["steps"]], [640], Qt.Orientation.Horizontal)
    settled(window, 1280, 720)
    places = geometries()
    window.actions_table["hide_panels"].trigger()
    window.close()
    window = settled(make_window("pattern:shibata"), 1280, 720)
    assert not any(opened(window).values())
    window.actions_table["hide_panels"].trigger()
    settled(window, 1280, 720)
    assert opened(window) == shown
    assert geometries() == places


@pytest.mark.parametrize(
    "noted", ["nonsense", None, [1], {"steps": "large"}, {"steps": [10**30, 1], "none": [1, 1]}]
)
def test_panels_all_come_back_where_a_broken_note_says_which(
    make_window: MakeWindow, tmp_path: Path, noted: object
) -> None:
    first = make_window()
    first.actions_table["hide_panels"].trigger()
    first.close()
    path = tmp_path / "settings.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"window/aside": noted}))
    window = make_window()
    assert not any(opened(window).values())
    window.actions_table["hide_panels"].trigger()
    assert all(opened(window).values())


def test_a_panel_that_was_hidden_stays_so_when_the_projector_brings_panels_back(
    window: MainWindow,
) -> None:
    window.docks.show("tree", on=False)
    before = opened(window)
    hide = window.actions_table["hide_panels"]
    project(window, on=True)
    hide.trigger()
    assert opened(window) == before
    project(window, on=False)
    hide.trigger()
    project(window, on=True)
    hide.trigger()
    assert opened(window) == before
    project(window, on=False)
    assert not any(opened(window).values())
    hide.trigger()
    assert opened(window) == before


def test_sizes_come_back_after_larger_text_and_predict_mode(make_window: MakeWindow) -> None:
    window = settled(make_window("pattern:shibata"), 1280, 720)
    docks = [window.docks[name] for name in ("steps", "source")]

    def do(*names: str) -> list[tuple[int, int]]:
        for name in names:
            if name.isdigit():
                window.appearance.set_text_size(int(name))
            else:
                window.actions_table[name].trigger()
            settled(window, 1280, 720)
        return [(dock.height(), dock.width()) for dock in docks]

    window.resizeDocks(docks, [340, 200], Qt.Orientation.Vertical)
    settled(window, 1280, 720)
    sizes, hide = do(), "hide_panels"
    assert sizes[0][0] > sizes[1][0] + 80
    for text in (("200", "100"), (hide, "200", hide, "100"), ("200", hide, "100", hide)):
        assert do(*text) == sizes, text
    asked = do("predict")
    assert do("hide_panels", "hide_panels") == asked
    assert do("predict") == sizes
    for predict in (("hide_panels", "predict"), ("predict", "hide_panels")):
        assert do(*predict, *predict) == sizes, predict
