"""Every control, key and state of the window; the session's model is what is asserted."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QColor, QDropEvent, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QDoubleSpinBox, QFileDialog, QSpinBox, QWidget
from pytestqt.qtbot import QtBot
from support.windows import PATIENCE, MakeWindow, press, status_of, wait_idle

from ccl_viewer.algorithms import ALGORITHMS
from ccl_viewer.devices.base import DeviceReport
from ccl_viewer.session import SPEEDS, Cell
from ccl_viewer.views.actions import GROUPS
from ccl_viewer.views.keys_dialog import KeysDialog
from ccl_viewer.views.main_window import MainWindow
from ccl_viewer.views.pattern_dialog import PatternDialog
from ccl_viewer.views.status import HINT


def at(window: MainWindow, cell: Cell) -> QPoint:
    return window.canvas_panel.canvas.centre_of(cell).toPoint()


def position(window: MainWindow) -> int:
    return window.session.playback.position


def color_at(window: MainWindow, cell: Cell) -> QColor:
    """The colour near a corner of a cell, where no number is."""
    canvas = window.canvas_panel.canvas
    left, top = canvas.view.corner(*cell)
    return canvas.grab().toImage().pixelColor(int(left) + 3, int(top + canvas.view.scale) - 4)


# Keys


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
        assert not getattr(window.session.layers, name)
        press(window.canvas_panel.canvas, key)
        assert getattr(window.session.layers, name)


def test_run_undo_redo_keys(window: MainWindow, qtbot: QtBot) -> None:
    canvas = window.canvas_panel.canvas
    before = window.session.recording
    press(window.canvas_panel.canvas, Qt.Key.Key_F5)
    assert window.session.busy
    wait_idle(qtbot, window)
    assert window.session.recording is not before
    QTest.mouseClick(canvas, Qt.MouseButton.LeftButton, pos=at(window, (0, 0)))
    wait_idle(qtbot, window)
    assert window.session.grid is not None
    assert window.session.grid[0, 0] == 1
    QTest.keyClick(canvas, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    wait_idle(qtbot, window)
    assert window.session.grid[0, 0] == 0
    QTest.keyClick(canvas, Qt.Key.Key_Y, Qt.KeyboardModifier.ControlModifier)
    wait_idle(qtbot, window)
    assert window.session.grid[0, 0] == 1


def test_every_key_is_used_once() -> None:
    keys = [key for _, specs in GROUPS for spec in specs for key in spec.keys]
    assert len(keys) == len(set(keys))


def test_every_action_is_in_a_menu(window: MainWindow) -> None:
    shown = {
        action.objectName()
        for menu in window.menus
        for action in menu.actions()
        if action.objectName()
    }
    assert {spec.name for _, specs in GROUPS for spec in specs} <= shown


def test_tooltips_name_the_keys(window: MainWindow) -> None:
    assert window.step_panel.buttons["forward"].toolTip() == "Step forward (Right, .)"
    assert "(F5)" in window.source_bar.run_button.toolTip()


# Keys that belong to the widget with the focus


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
    assert window.session.layers.lines
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
        window.step_panel.scrubber,
        window.stage_list,
        window.source_pane.text,
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


# The canvas


def test_drawing_and_erasing_join_mouse_positions(window: MainWindow, qtbot: QtBot) -> None:
    canvas = window.canvas_panel.canvas
    QTest.mousePress(canvas, Qt.MouseButton.LeftButton, pos=at(window, (0, 0)))
    QTest.mouseMove(canvas, at(window, (9, 0)))
    qtbot.waitUntil(lambda: window.session.hover == (9, 0), timeout=PATIENCE)
    QTest.mouseRelease(canvas, Qt.MouseButton.LeftButton, pos=at(window, (9, 0)))
    wait_idle(qtbot, window)
    grid = window.session.grid
    assert grid is not None
    recording = window.session.recording
    assert recording is not None
    assert np.array_equal(recording.image, grid)
    QTest.mouseClick(canvas, Qt.MouseButton.RightButton, pos=at(window, (5, 0)))
    wait_idle(qtbot, window)
    assert grid[0, 5] == 0


def test_wheel_zooms_at_the_cursor(window: MainWindow) -> None:
    canvas = window.canvas_panel.canvas
    where = canvas.centre_of((2, 7))
    scale = canvas.view.scale

    def turn(delta: int) -> None:
        event = QWheelEvent(
            where,
            QPointF(canvas.mapToGlobal(where.toPoint())),
            QPoint(),
            QPoint(0, delta),
            Qt.MouseButton.NoButton,
            Qt.KeyboardModifier.NoModifier,
            Qt.ScrollPhase.NoScrollPhase,
            False,
        )
        QApplication.sendEvent(canvas, event)

    turn(120)
    assert canvas.view.scale > scale
    assert canvas.cell_at(where) == (2, 7)
    turn(-120)
    turn(-120)
    assert canvas.view.scale < scale
    assert canvas.cell_at(where) == (2, 7)
    press(window.canvas_panel.canvas, "g")
    QTest.keyClick(canvas, Qt.Key.Key_R, Qt.KeyboardModifier.ControlModifier)
    assert canvas.view.scale == scale


def test_a_touchpad_zooms_no_faster_than_a_wheel(window: MainWindow) -> None:
    canvas = window.canvas_panel.canvas
    where, scale, scales = canvas.centre_of((2, 7)), canvas.view.scale, []
    for _ in range(8):
        event = QWheelEvent(
            where,
            QPointF(canvas.mapToGlobal(where.toPoint())),
            QPoint(),
            QPoint(0, 15),
            Qt.MouseButton.NoButton,
            Qt.KeyboardModifier.NoModifier,
            Qt.ScrollPhase.NoScrollPhase,
            False,
        )
        QApplication.sendEvent(canvas, event)
        scales.append(canvas.view.scale)
    assert scales[:7] == [scale] * 7
    assert scale < scales[7] < 1.5 * scale


@pytest.mark.parametrize(
    ("button", "modifier"),
    [
        (Qt.MouseButton.MiddleButton, Qt.KeyboardModifier.NoModifier),
        (Qt.MouseButton.LeftButton, Qt.KeyboardModifier.ShiftModifier),
    ],
)
def test_dragging_pans_and_draws_nothing(
    window: MainWindow, button: Qt.MouseButton, modifier: Qt.KeyboardModifier
) -> None:
    canvas = window.canvas_panel.canvas
    start = at(window, (5, 5))
    before = canvas.view
    revision = window.session.drawing.revision
    QTest.mousePress(canvas, button, modifier, start)
    QTest.mouseMove(canvas, start + QPoint(30, -20))
    QApplication.processEvents()
    QTest.mouseRelease(canvas, button, modifier, start + QPoint(30, -20))
    assert (canvas.view.x - before.x, canvas.view.y - before.y) == (30, -20)
    assert canvas.view.scale == before.scale
    assert window.session.drawing.revision == revision


def test_the_status_bar_describes_the_cell_under_the_mouse(
    window: MainWindow, qtbot: QtBot
) -> None:
    canvas = window.canvas_panel.canvas
    status = status_of(window)
    QTest.mouseMove(canvas, at(window, (1, 2)))
    qtbot.waitUntil(lambda: window.session.hover == (1, 2), timeout=PATIENCE)
    text = status.cell.text()
    info = window.session.inspect((1, 2))
    assert "x 1, y 2" in text
    assert f"label {info.label}" in text
    assert "root" in text
    window.session.hover_at(None)
    assert status.cell.text() == HINT


def test_numbers_are_drawn_in_cells_that_are_large_enough(window: MainWindow) -> None:
    canvas = window.canvas_panel.canvas
    with_numbers = canvas.grab().toImage()
    window.session.show_layers(numbers=False)
    without = canvas.grab().toImage()
    assert with_numbers != without
    for _ in range(12):
        canvas.zoom(0.8)
    small = canvas.grab().toImage()
    window.session.show_layers(numbers=True)
    assert canvas.grab().toImage() == small


def test_cells_of_a_component_have_one_colour(window: MainWindow) -> None:
    grid = window.session.grid
    assert grid is not None
    cells = [(x, y) for y, x in np.argwhere(grid).tolist()]
    recording = window.session.recording
    assert recording is not None
    labels = recording.labels(-1)
    colors: dict[int, set[str]] = {}
    for x, y in cells:
        colors.setdefault(int(labels[y, x]), set()).add(color_at(window, (x, y)).name())
    assert all(len(seen) == 1 for seen in colors.values())
    assert color_at(window, (0, 0)).name() not in set.union(*colors.values())


def test_the_picture_follows_the_step(window: MainWindow) -> None:
    pictures = []
    for step in range(window.session.playback.count):
        window.session.playback.go_to(step)
        pictures.append(window.canvas_panel.canvas.grab().toImage())
    assert pictures[0] != pictures[1]
    window.session.playback.go_to(0)
    assert window.canvas_panel.canvas.grab().toImage() == pictures[0]


# Steps and source


def test_the_list_shows_and_chooses_steps(window: MainWindow) -> None:
    steps = window.stage_list
    model = steps.model()
    recording = window.session.recording
    assert recording is not None
    assert model.rowCount() == len(recording)
    for row in range(model.rowCount()):
        step = recording.step(row)
        shown = [model.index(row, column).data() for column in range(model.columnCount())]
        assert shown[0] == str(row + 1)
        assert shown[2] == step.stage
        assert step.kernel.endswith(shown[3])
        assert shown[5:] == [f"{step.changed:,}", f"{step.roots:,}"]
    where = steps.visualRect(model.index(1, 3)).center()
    QTest.mouseClick(steps.viewport(), Qt.MouseButton.LeftButton, pos=where)
    assert position(window) == 1
    press(window.canvas_panel.canvas, Qt.Key.Key_End)
    assert steps.currentIndex().row() == len(recording) - 1


def test_columns_have_room_for_large_numbers(make_window: MakeWindow) -> None:
    window = make_window("pattern:full?width=1100&height=1000")
    steps = window.stage_list
    for column in (0, 5, 6):
        needed = steps.fontMetrics().horizontalAdvance(str(steps.model().index(0, column).data()))
        assert steps.columnWidth(column) > needed + 8
    window.resize(1600, 900)
    window.resize(window.minimumSize())
    QApplication.processEvents()
    assert steps.columnWidth(3) >= 80
    assert not steps.horizontalScrollBar().isVisible()


def test_the_slider_moves(window: MainWindow) -> None:
    scrubber = window.step_panel.scrubber
    last = window.session.playback.count - 1
    assert (scrubber.minimum(), scrubber.maximum(), scrubber.value()) == (0, last, last)
    where = QPoint(round(scrubber.x_of(1)), scrubber.height() // 2)
    QTest.mouseClick(scrubber, Qt.MouseButton.LeftButton, pos=where)
    assert position(window) == 1
    scrubber.setFocus()
    QTest.keyClick(scrubber, Qt.Key.Key_Right)
    assert position(window) == 2


def test_the_buttons_move(window: MainWindow) -> None:
    buttons, last = window.step_panel.buttons, window.session.playback.count - 1
    for name, expected in (("first", 0), ("forward", 1), ("last", last), ("back", last - 1)):
        QTest.mouseClick(buttons[name], Qt.MouseButton.LeftButton)
        assert position(window) == expected
    QTest.mouseClick(buttons["play"], Qt.MouseButton.LeftButton)
    assert window.session.playback.playing


def test_speed_can_be_chosen(window: MainWindow) -> None:
    combo = window.step_panel.speed
    combo.setCurrentIndex(combo.findData(8.0))
    combo.activated.emit(combo.currentIndex())
    assert window.session.playback.speed == 8.0


def test_the_panel_explains_the_step(window: MainWindow) -> None:
    window.session.playback.go_to(1)
    step = window.session.step
    assert step is not None
    assert window.step_panel.caption.text().startswith(step.caption)
    assert f"{step.changed:,} label" in window.step_panel.caption.text()
    assert window.step_panel.chip.text() == step.stage
    assert step.kernel in window.step_panel.facts.text()


def test_the_source_is_at_the_kernel_of_the_step(window: MainWindow) -> None:
    text = window.source_pane.text
    for index in range(window.session.playback.count):
        window.session.playback.go_to(index)
        step = window.session.step
        assert step is not None
        assert text.marked is not None
        lines = text.toPlainText().split("\n")[text.marked[0] : text.marked[1] + 1]
        assert f"void {step.kernel}(" in "\n".join(lines)
        assert lines[-1].startswith("}")
        assert f"{step.module}.cu" in window.source_pane.launch.text()


# The bar at the top


def test_algorithm_connectivity_and_parameters(window: MainWindow, qtbot: QtBot) -> None:
    bar = window.source_bar
    for key, row in ALGORITHMS.items():
        index = bar.algorithm.findData(key)
        bar.algorithm.setCurrentIndex(index)
        bar.algorithm.activated.emit(index)
        wait_idle(qtbot, window)
        recording = window.session.recording
        assert recording is not None
        assert recording.algorithm == key
        assert row.summary in bar.algorithm.toolTip()
        for value in (4, 8):
            button = bar.connectivity.group.button(value)
            assert button.isEnabled() == (value in row.connectivities)
        assert set(bar.parameters.boxes) == {parameter.name for parameter in row.parameters}
    QTest.mouseClick(bar.connectivity.group.button(4), Qt.MouseButton.LeftButton)
    assert window.session.settings.connectivity == 4
    wait_idle(qtbot, window)


def test_schedule_and_seed(window: MainWindow, qtbot: QtBot) -> None:
    bar = window.source_bar
    index = bar.schedule.findData("random")
    bar.schedule.setCurrentIndex(index)
    bar.schedule.activated.emit(index)
    assert bar.seed.isVisible()
    bar.seed.setValue(5)
    assert window.session.settings.schedule == "random:5"
    wait_idle(qtbot, window)
    recording = window.session.recording
    assert recording is not None
    assert recording.schedule == "random:5"


def test_a_device_that_is_missing_says_why(window: MainWindow) -> None:
    window.show_devices(
        (
            DeviceReport("cuda", "NVIDIA GPU", available=False, detail="No driver: install one."),
            DeviceReport("emulator", "CPU emulator", available=True, detail="2 cores"),
        )
    )
    device = window.source_bar.device
    index = device.model().index(device.findData("cuda"), 0)
    assert not index.flags() & Qt.ItemFlag.ItemIsEnabled
    assert index.data(Qt.ItemDataRole.ToolTipRole) == "No driver: install one."
    emulator = device.findData("emulator")
    device.setCurrentIndex(emulator)
    device.activated.emit(emulator)
    assert window.session.settings.device == "emulator"


def test_patterns_from_the_menu(window: MainWindow, qtbot: QtBot) -> None:
    entry = next(
        action
        for action in window.source_bar.pattern_button.menu().actions()
        if action.data() == "spiral"
    )
    entry.trigger()
    wait_idle(qtbot, window)
    assert window.session.source == "pattern:spiral"
    assert "Spiral" in window.windowTitle()
    assert "63" in window.canvas_panel.title.text()


def test_the_pattern_dialog_gives_a_spec(window: MainWindow, qtbot: QtBot) -> None:
    dialog = PatternDialog(window.theme)
    qtbot.addWidget(dialog)
    dialog.choose("noise")
    width, density = dialog.boxes["width"], dialog.boxes["density"]
    assert isinstance(width, QSpinBox)
    assert isinstance(density, QDoubleSpinBox)
    width.setValue(20)
    density.setValue(0.3)
    assert dialog.spec.startswith("pattern:noise?width=20&height=64&density=0.3")
    height = dialog.boxes["height"]
    assert isinstance(height, QSpinBox)
    width.setValue(16_000)
    height.setValue(16_000)
    assert "no preview" in dialog.preview.text()


def test_the_list_of_keys_names_them_all(qtbot: QtBot) -> None:
    dialog = KeysDialog()
    qtbot.addWidget(dialog)
    text = {label.text() for label in dialog.findChildren(QWidget) if hasattr(label, "text")}
    assert {spec.help for _, specs in GROUPS for spec in specs if spec.keys} <= text


# Files


def test_dropping_a_file_opens_it(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    path = tmp_path / "two.txt"
    path.write_text("##.\n..#\n")
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    event = QDropEvent(
        QPointF(10, 10),
        Qt.DropAction.CopyAction,
        data,
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
    )
    window.dropEvent(event)
    wait_idle(qtbot, window)
    assert window.session.grid is not None
    assert window.session.grid.shape == (2, 3)
    assert window.session.title == "two.txt"


def test_a_bad_file_gives_a_message_and_keeps_the_grid(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    grid = window.session.grid
    path = tmp_path / "photo.png"
    path.write_text("no picture")
    window.session.open(str(path))
    wait_idle(qtbot, window)
    message = window.canvas_panel.notices.message
    assert message.isVisible()
    assert "photo.png" in message.text.text()
    assert window.session.grid is grid
    assert position(window) == window.session.playback.count - 1
    QTest.mouseClick(message.dismiss, Qt.MouseButton.LeftButton)
    assert not message.isVisible()


def test_open_save_and_export_ask_for_names(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names: Iterator[str] = iter(
        [str(tmp_path / "run"), str(tmp_path / "grid.png"), str(tmp_path / "run.gif"), ""]
    )
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (next(names), ""))
    for name in ("save", "save_grid", "export", "save"):
        window.actions_table[name].trigger()
        wait_idle(qtbot, window)
    assert {path.name for path in tmp_path.iterdir()} >= {"run.cclrec", "grid.png", "run.gif"}
    monkeypatch.setattr(
        QFileDialog, "getOpenFileName", lambda *_: (str(tmp_path / "run.cclrec"), "")
    )
    window.actions_table["open"].trigger()
    wait_idle(qtbot, window)
    assert window.session.title == "run.cclrec"
    assert position(window) == 0


# States


def test_the_empty_window_says_what_to_do(make_window: MakeWindow) -> None:
    window = make_window()
    assert window.canvas_panel.hint.isVisible()
    assert not window.source_bar.run_button.isEnabled()
    assert not window.step_panel.buttons["play"].isEnabled()
    press(window.canvas_panel.canvas, Qt.Key.Key_Space)
    press(window.canvas_panel.canvas, Qt.Key.Key_Right)
    assert window.session.recording is None


def test_a_long_run_shows_itself_and_can_be_cancelled(
    make_window: MakeWindow, qtbot: QtBot
) -> None:
    window = make_window("pattern:shibata")
    window.session.configure(algorithm_key="shibata_naive")
    wait_idle(qtbot, window)
    window.session.open("pattern:spiral?size=601")
    busy = window.canvas_panel.notices.busy
    qtbot.waitUntil(busy.isVisible, timeout=PATIENCE)
    # Before the new run, the rows may still be those of the one before.
    qtbot.waitUntil(lambda: "Shibata, naive" in busy.title.text(), timeout=PATIENCE)
    qtbot.waitUntil(
        lambda: window.session.running and window.stage_list.model().rowCount() > 5,
        timeout=PATIENCE,
    )
    QTest.mouseClick(busy.cancel, Qt.MouseButton.LeftButton)
    wait_idle(qtbot, window)
    assert not busy.isVisible()
    assert window.canvas_panel.notices.message.isVisible()
    press(window.canvas_panel.canvas, Qt.Key.Key_Escape)
    assert not window.canvas_panel.notices.message.isVisible()


def test_escape_cancels_and_keeps_the_last_good_recording(
    make_window: MakeWindow, qtbot: QtBot
) -> None:
    window = make_window("pattern:spiral?size=301")
    good = window.session.recording
    window.session.configure(algorithm_key="shibata_naive")
    window.session.run()
    qtbot.waitUntil(lambda: window.session.playback.count > 20, timeout=PATIENCE)
    press(window.canvas_panel.canvas, Qt.Key.Key_Escape)
    wait_idle(qtbot, window)
    assert window.session.recording is good
    assert window.session.stale
    assert window.step_panel.stale.isVisible()


def test_closing_while_a_run_is_in_progress(make_window: MakeWindow, qtbot: QtBot) -> None:
    window = make_window("pattern:shibata")
    window.session.configure(algorithm_key="shibata_naive")
    window.session.open("pattern:spiral?size=601")
    qtbot.waitUntil(lambda: window.session.running, timeout=PATIENCE)
    window.close()
    assert not window.session.busy


def test_the_verdict_is_shown(window: MainWindow, qtbot: QtBot) -> None:
    status = status_of(window)
    assert status.verdict.text().startswith("✓ ")
    assert "as the reference finds" in status.verdict.text()
    window.session.configure(algorithm_key="shibata_naive", parameters={"passes": 1})
    wait_idle(qtbot, window)
    assert "before convergence" in status.verdict.text()
    assert status.verdict.property("role") == "error"
    assert window.session.verdict.text in status.verdict.toolTip()
    window.session.hover_at((1, 2))
    assert status.cell.width() > status.cell.fontMetrics().horizontalAdvance(
        "x 1, y 2 · foreground"
    )


# Theme, settings, accessibility


def test_the_theme_can_be_switched(window: MainWindow) -> None:
    dark = window.grab().toImage().pixelColor(5, 5).lightness()
    window.actions_table["light"].trigger()
    assert window.theme.name == "light"
    assert window.grab().toImage().pixelColor(5, 5).lightness() > 200 > dark
    window.actions_table["light"].trigger()
    assert window.theme.name == "dark"


def test_choices_are_remembered(make_window: MakeWindow) -> None:
    first = make_window("pattern:shibata")
    first.session.configure(algorithm_key="shibata_fast", connectivity=4)
    first.session.show_layers(lines=False)
    first.set_theme("light")
    first.resize(1100, 650)  # as narrow as can be: the offscreen display is small
    first.close()
    second = make_window()
    assert second.session.settings.algorithm == "shibata_fast"
    assert second.session.settings.connectivity == 4
    assert not second.session.layers.lines
    assert second.theme.name == "light"
    assert second.size() == first.size()


def test_damaged_settings_are_survived(make_window: MakeWindow, tmp_path: Path) -> None:
    (tmp_path / "window.ini").write_text(
        "[run]\nalgorithm=none\nconnectivity=many\n[window]\ngeometry=x\nstate=y\n"
        "[view]\ntheme=pink\n"
    )
    window = make_window("pattern:shibata")
    assert window.theme.name == "dark"
    assert window.session.recording is not None


def test_widgets_with_the_focus_have_names(window: MainWindow) -> None:
    unnamed = [
        type(widget).__name__
        for widget in window.findChildren(QWidget)
        if widget.focusPolicy() & Qt.FocusPolicy.TabFocus
        and widget.isVisible()
        and not (widget.accessibleName() or getattr(widget, "text", str)() or widget.toolTip())
        and not widget.objectName().startswith("qt_")
    ]
    assert unnamed == []


def test_dialogs_of_the_window_open(window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []

    def show(dialog: QDialog) -> int:
        opened.append(type(dialog).__name__)
        return 0

    monkeypatch.setattr(QDialog, "exec", show)
    window.actions_table["pattern"].trigger()
    window.actions_table["keys"].trigger()
    assert opened == ["PatternDialog", "KeysDialog"]


def test_cells_drawn_since_the_run_are_shown_without_a_label(
    make_window: MakeWindow, qtbot: QtBot
) -> None:
    window = make_window("pattern:comb?width=140&height=140")
    window.canvas_panel.canvas.zoom(8.0)
    drawing = window.session.drawing
    empty, full = (71, 70), (70, 70)
    before = color_at(window, full).name()
    assert color_at(window, empty).name() != before
    erased = color_at(window, empty).name()
    drawing.press(empty, 1)
    drawing.release()
    drawing.press(full, 0)
    drawing.release()
    assert window.session.stale
    assert color_at(window, full).name() == erased
    assert color_at(window, empty).name() not in {before, erased}
    window.session.run()
    wait_idle(qtbot, window)
    assert color_at(window, full).name() == erased
