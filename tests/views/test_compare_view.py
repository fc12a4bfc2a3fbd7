"""The comparison in the window: lanes, links between canvases, controls, keys, memory."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from support.windows import PATIENCE, MakeWindow, press, project, wait_idle

from ccl_viewer import record
from ccl_viewer.recording.together import Sync
from ccl_viewer.session import RunSettings
from ccl_viewer.session.comparison.comparison import Comparison
from ccl_viewer.session.comparison.lane import LaneState
from ccl_viewer.session.values import exchange
from ccl_viewer.views.canvas.canvas import Canvas
from ccl_viewer.views.compare.area import LaneCell
from ccl_viewer.views.compare.lane_dialog import LaneDialog
from ccl_viewer.views.main_window import MainWindow

CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


def wait_lanes(qtbot: QtBot, window: MainWindow) -> None:
    comparison = window.session.comparison

    def settled() -> bool:
        done = {LaneState.READY, LaneState.FAILED}
        return not window.session.busy and all(lane.state in done for lane in comparison.lanes)

    qtbot.waitUntil(settled, timeout=PATIENCE)
    for _ in range(4):
        QApplication.processEvents()


def compare(qtbot: QtBot, window: MainWindow, *keys: str) -> Comparison:
    comparison = window.session.comparison
    comparison.remember([RunSettings(key) for key in keys])
    comparison.show(on=True)
    wait_lanes(qtbot, window)
    return comparison


def cells(window: MainWindow) -> list[LaneCell]:
    return window.canvas_panel.compare.area.shown


def canvases(window: MainWindow) -> list[Canvas]:
    return [cell.canvas for cell in cells(window)]


def picture(canvas: Canvas) -> npt.NDArray[np.int16]:
    image = canvas.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    raw = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), -1, 4)
    return raw[:, : image.width(), :3].astype(np.int16)


def test_the_key_opens_a_lane_beside_the_run_and_closes_it(
    qtbot: QtBot, window: MainWindow
) -> None:
    before = window.canvas.size(), window.canvas.view
    QTest.keyClick(window.canvas, Qt.Key.Key_U, CTRL)
    wait_lanes(qtbot, window)
    assert len(cells(window)) == 2
    assert all(canvas.isVisible() for canvas in canvases(window))
    assert window.canvas_panel.compare.bar.isVisible()
    assert window.actions_table["compare"].isChecked()
    assert window.canvas.width() < before[0].width()
    QTest.keyClick(window.canvas, Qt.Key.Key_U, CTRL)
    for _ in range(4):
        QApplication.processEvents()
    assert canvases(window) == [window.canvas]
    assert (window.canvas.size(), window.canvas.view) == before
    assert not window.canvas_panel.compare.bar.isVisible()


def test_each_lane_shows_its_own_labels(qtbot: QtBot, window: MainWindow) -> None:
    compare(qtbot, window, "row_col_unify")
    window.session.playback.last()
    first, second = (picture(canvas) for canvas in canvases(window))
    headings = [cell.header.heading for cell in cells(window)]
    assert [heading.title for heading in headings] == ["Label Equivalence", "Row-Col Unify"]
    assert first.shape[2] == second.shape[2]
    assert "Row-Col Unify" in cells(window)[1].header.accessibleName()


def test_zoom_and_pan_are_linked_both_ways(qtbot: QtBot, window: MainWindow) -> None:
    compare(qtbot, window, "ha4", "row_col_unify")
    first, *others = canvases(window)
    first.zoom(2.0)
    middle = first.view.at(first.width() / 2, first.height() / 2)
    for other in others:
        assert other.view.scale == first.view.scale
        theirs = other.view.at(other.width() / 2, other.height() / 2)
        assert theirs == pytest.approx(middle, abs=0.2)
    others[0].zoom(2.0)
    assert first.view.scale == others[0].view.scale == others[1].view.scale
    window.actions_table["fit"].trigger()
    assert all(canvas.fitted for canvas in canvases(window))


def test_hover_cursor_and_pin_are_linked(qtbot: QtBot, window: MainWindow) -> None:
    compare(qtbot, window, "ha4")
    first, second = canvases(window)
    place = second.centre_of((1, 1)).toPoint()
    QTest.mouseMove(second, place)
    assert window.session.look.hover == (1, 1)
    before = picture(first)
    QTest.mouseClick(second, Qt.MouseButton.LeftButton, CTRL, place)
    assert window.session.look.pinned == (1, 1)
    assert (picture(first) != before).any()


def test_drawing_in_a_lane_draws_on_the_one_grid(qtbot: QtBot, window: MainWindow) -> None:
    comparison = compare(qtbot, window, "ha4")
    second = canvases(window)[1]
    grid = window.session.grid
    assert grid is not None
    assert grid[0, 0] == 0
    QTest.mouseClick(second, Qt.MouseButton.LeftButton, pos=second.centre_of((0, 0)).toPoint())
    wait_lanes(qtbot, window)
    for recording in comparison.recordings:
        assert recording.image[0, 0] == 1
    assert len(comparison.recordings) == 2
    window.actions_table["undo"].trigger()
    wait_lanes(qtbot, window)
    assert all(recording.image[0, 0] == 0 for recording in comparison.recordings)


def test_differences_are_hatched_and_counted(qtbot: QtBot, window: MainWindow) -> None:
    comparison = compare(qtbot, window, "ha4")
    window.session.playback.first()
    window.session.playback.forward()
    before = [picture(canvas) for canvas in canvases(window)]
    QTest.keyClick(window.canvas, Qt.Key.Key_D, SHIFT)
    assert comparison.view.difference
    for canvas, was in zip(canvases(window), before, strict=True):
        assert (np.abs(picture(canvas) - was).max(axis=2) > 24).mean() > 0.005
    assert all(cell.header.differing.isVisible() for cell in cells(window))
    QTest.keyClick(window.canvas, Qt.Key.Key_D, SHIFT)
    for canvas, was in zip(canvases(window), before, strict=True):
        np.testing.assert_array_equal(picture(canvas), was)


def test_playback_keys_move_all_lanes(qtbot: QtBot, window: MainWindow) -> None:
    comparison = compare(qtbot, window, "row_col_unify")
    press(canvases(window)[1], Qt.Key.Key_Home)
    assert comparison.lanes[0].playback.position == 0
    press(canvases(window)[1], Qt.Key.Key_Right)
    assert comparison.lanes[0].playback.position == window.session.playback.position == 1
    assert cells(window)[1].header.heading.place.startswith("2 / ")


def test_a_race_is_played_by_the_window(qtbot: QtBot, window: MainWindow) -> None:
    comparison = compare(qtbot, window, "row_col_unify")
    comparison.look(replace(comparison.view, sync=Sync.TIME, seconds=3.0))
    bar = window.canvas_panel.compare.bar
    assert bar.seconds.isVisible()
    assert bar.clock.isVisible()
    window.session.playback.first()
    press(window.canvas, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: comparison.moments.position > 3, timeout=PATIENCE)
    press(window.canvas, Qt.Key.Key_Space)
    assert not window.session.playback.playing
    press(window.canvas, Qt.Key.Key_End)
    assert all(cell.header.heading.ended for cell in cells(window))


def test_the_bar_chooses_how_to_keep_in_step(qtbot: QtBot, window: MainWindow) -> None:
    comparison = compare(qtbot, window, "ha4")
    bar = window.canvas_panel.compare.bar
    for sync in Sync:
        index = bar.sync.findData(sync)
        bar.sync.setCurrentIndex(index)
        bar.sync.activated.emit(index)
        assert comparison.view.sync is sync
        checked = [
            name
            for name in (
                "compare_steps",
                "compare_iterations",
                "compare_share",
                "compare_race",
            )
            if window.actions_table[name].isChecked()
        ]
        assert len(checked) == 1
    window.actions_table["compare_share"].trigger()
    assert bar.sync.currentData() == Sync.SHARE


def test_a_lane_is_added_and_changed_by_dialog(qtbot: QtBot, window: MainWindow) -> None:
    comparison = compare(qtbot, window, "ha4")
    view = window.canvas_panel.compare
    dialog = view.ask_for_lane()
    index = dialog.algorithm.findData("row_col_unify")
    dialog.algorithm.setCurrentIndex(index)
    dialog.algorithm.activated.emit(index)
    name, box = next(iter(dialog.parameters.items()))
    least = box.minimum()
    box.setValue(least)
    dialog.accept()
    wait_lanes(qtbot, window)
    added = comparison.lanes[-1]
    assert added.settings.algorithm == "row_col_unify"
    assert added.settings.parameters[name] == least
    dialog = view.ask_to_change(added)
    index = dialog.schedule.findData("random")
    dialog.schedule.setCurrentIndex(index)
    dialog.schedule.activated.emit(index)
    dialog.seed.setValue(7)
    dialog.accept()
    wait_lanes(qtbot, window)
    assert comparison.lanes[-1].settings.schedule == "random:7"
    dialog = view.ask_to_change(added)
    dialog.reject()
    assert comparison.lanes[-1].settings.schedule == "random:7"


def test_a_lane_that_cannot_tell_values_apart_is_changed_to_one_that_can(
    window: MainWindow,
) -> None:
    dialog = LaneDialog(RunSettings("ha4", multivalued=True), "Change", window)
    assert dialog.algorithm.currentData() == dialog.settings.algorithm == "label_equivalence"
    dialog.algorithm.activated.emit(dialog.algorithm.findData("stava_benes"))
    dialog.deleteLater()


def test_runs_of_grids_of_different_sizes_are_not_held_against_each_other(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    comparison = compare(qtbot, window, "ha4")
    comparison.look(replace(comparison.view, difference=True))
    record(np.ones((4, 5), np.uint8), algorithm="ha4").save(tmp_path / "run.cclrec")
    window.session.open(str(tmp_path / "run.cclrec"))
    wait_idle(qtbot, window)
    assert window.session.recording is not None
    assert window.session.recording.image.shape == (4, 5)


def test_a_lane_can_change_places_with_the_run(qtbot: QtBot, window: MainWindow) -> None:
    comparison = compare(qtbot, window, "ha4")
    menu = cells(window)[1].header.more.menu()
    assert menu is not None
    next(action for action in menu.actions() if "Exchange" in action.text()).trigger()
    wait_lanes(qtbot, window)
    assert window.session.settings.algorithm == "ha4"
    assert comparison.lanes[0].settings.algorithm == "label_equivalence"


def test_a_failure_stands_in_the_header(qtbot: QtBot, window: MainWindow) -> None:
    comparison = compare(qtbot, window, "ha4")
    comparison.change(comparison.lanes[0], RunSettings("ha4", device="abacus"))
    wait_lanes(qtbot, window)
    header = cells(window)[1].header
    assert header.heading.failed
    assert "abacus" in header.place.text()


def test_escape_stops_lanes(qtbot: QtBot, window: MainWindow) -> None:
    comparison = window.session.comparison
    comparison.show(on=True)
    press(window.canvas, Qt.Key.Key_Escape)
    assert [lane.state for lane in comparison.lanes] == [LaneState.FAILED]


def test_the_table_is_shown_and_copied(qtbot: QtBot, window: MainWindow) -> None:
    comparison = compare(qtbot, window, "ha4")
    window.actions_table["compare_table"].trigger()
    table = window.canvas_panel.compare.table
    assert table.isVisible()
    assert table.table.rowCount() == 2
    window.actions_table["compare_baseline"].trigger()
    assert table.table.rowCount() == 3
    window.actions_table["compare_copy"].trigger()
    text = QGuiApplication.clipboard().text()
    assert len(text.splitlines()) == 4
    assert comparison.baseline is not None
    window.actions_table["compare_baseline"].trigger()
    assert comparison.baseline is None


def test_lanes_and_choices_are_remembered(qtbot: QtBot, make_window: MakeWindow) -> None:
    first = make_window("pattern:shibata")
    comparison = compare(qtbot, first, "row_col_unify", "shibata_fast")
    comparison.look(replace(comparison.view, sync=Sync.SHARE, seconds=20.0, difference=True))
    first.close()
    second = make_window("pattern:shibata")
    again = second.session.comparison
    assert not again.open
    assert [lane.algorithm for lane in again.chosen] == ["row_col_unify", "shibata_fast"]
    assert again.view == comparison.view


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("compare/lanes", "no json"),
        ("compare/lanes", json.dumps([3])),
        ("compare/lanes", json.dumps({"algorithm": "ha4"})),
        ("compare/view", "sideways 10"),
        ("compare/view", "step"),
    ],
)
def test_broken_memories_are_forgotten(make_window: MakeWindow, key: str, text: str) -> None:
    first = make_window()
    first.close()
    settings = first._settings
    settings.set_value(key, text)
    settings.save()
    second = make_window("pattern:shibata")
    assert second.session.comparison.view.sync is Sync.STEP
    assert second.session.comparison.chosen == ()


def test_lanes_go_along_to_the_projector(qtbot: QtBot, window: MainWindow) -> None:
    compare(qtbot, window, "ha4")
    project(window, on=True)
    assert all(canvas.isVisible() for canvas in canvases(window))
    window.session.comparison.show(on=False)
    project(window, on=False)
    assert not window.canvas_panel.compare.bar.isVisible()
    assert canvases(window) == [window.canvas]


def test_another_grid_is_run_in_all_lanes(qtbot: QtBot, window: MainWindow) -> None:
    comparison = compare(qtbot, window, "ha4")
    window.session.open("pattern:spiral?size=31")
    wait_idle(qtbot, window)
    wait_lanes(qtbot, window)
    assert [recording.image.shape for recording in comparison.recordings] == [(31, 31)] * 2
    assert all(canvas.fitted for canvas in canvases(window))


def test_the_last_drag_of_a_lane_pans_all(qtbot: QtBot, window: MainWindow) -> None:
    compare(qtbot, window, "ha4")
    first, second = canvases(window)
    first.zoom(3.0)
    start = QPoint(second.width() // 2, second.height() // 2)
    before = first.view
    QTest.mousePress(second, Qt.MouseButton.MiddleButton, pos=start)
    QTest.mouseMove(second, start + QPoint(30, 10))
    QTest.mouseRelease(second, Qt.MouseButton.MiddleButton, pos=start + QPoint(30, 10))
    assert first.view != before
    middle = QPointF(first.width() / 2, first.height() / 2)
    theirs = second.view.at(second.width() / 2, second.height() / 2)
    assert first.view.at(middle.x(), middle.y()) == pytest.approx(theirs, abs=0.2)


def test_a_lane_that_cannot_tell_values_apart_stays_in_its_place(
    qtbot: QtBot, make_window: MakeWindow
) -> None:
    window = make_window("pattern:stripes")
    session = window.session
    session.drawing.put(np.eye(8, dtype=np.uint8) * 3, "Values", multivalued=True)
    wait_lanes(qtbot, window)
    comparison = compare(qtbot, window, "ha4")
    (lane,) = comparison.lanes
    before = session.settings
    assert before.multivalued
    assert lane.state is LaneState.FAILED
    exchange(session, lane)
    assert session.settings == before
    assert lane.settings.algorithm == "ha4"
    assert session.message is not None
    assert "does not tell values apart" in session.message.text
    comparison.remember([RunSettings("row_col_unify")])


def test_a_lane_and_the_run_change_places(qtbot: QtBot, window: MainWindow) -> None:
    comparison = compare(qtbot, window, "ha4")
    (lane,) = comparison.lanes
    mine = window.session.settings.algorithm
    exchange(window.session, lane)
    wait_lanes(qtbot, window)
    assert window.session.settings.algorithm == "ha4"
    assert lane.settings.algorithm == mine
