"""The list of steps, the slider, the transport and the source."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from support.windows import (
    PATIENCE,
    MakeWindow,
    kernel_of,
    position,
    press,
    wait_idle,
)

from ccl_viewer.recording.metrics import merged_roots, wrong_cells
from ccl_viewer.views.main_window import MainWindow
from ccl_viewer.views.source.pane import SourcePane
from ccl_viewer.views.steps.columns import NAMES
from ccl_viewer.views.steps.format import short_kernel
from ccl_viewer.views.steps.steps_panel import StepsPanel


def test_the_list_shows_and_chooses_steps(window: MainWindow, qtbot: QtBot) -> None:
    steps = window.panel(StepsPanel).table
    insight = window.session.insight
    qtbot.waitUntil(lambda: not insight.working, timeout=PATIENCE)
    model = steps.model()
    recording = window.session.recording
    assert recording is not None
    assert model.rowCount() == len(recording)
    for row in range(model.rowCount()):
        step = recording.step(row)
        shown = {name: model.index(row, place).data() for place, name in enumerate(NAMES)}
        assert shown["step"] == str(row + 1)
        assert shown["stage"] == step.stage
        assert step.kernel.endswith(shown["kernel"])
        assert shown["changed"] == f"{step.changed:,}"
        assert shown["roots"] == f"{step.roots:,}"
        assert shown["wrong"] == str(wrong_cells(recording, row))
        assert shown["merged"] == str(merged_roots(recording, row).lost.size)
    where = steps.visualRect(model.index(1, 3)).center()
    QTest.mouseClick(steps.viewport(), Qt.MouseButton.LeftButton, pos=where)
    assert position(window) == 1
    press(window.canvas_panel.canvas, Qt.Key.Key_End)
    qtbot.waitUntil(lambda: steps.currentIndex().row() == len(recording) - 1, timeout=PATIENCE)


def test_columns_have_room_for_large_numbers(make_window: MakeWindow) -> None:
    window = make_window("pattern:full?width=1100&height=1000")
    steps = window.panel(StepsPanel).table
    for name in ("step", "changed", "roots"):
        column = NAMES.index(name)
        needed = steps.fontMetrics().horizontalAdvance(str(steps.model().index(0, column).data()))
        assert steps.columnWidth(column) > needed + 8
    window.resize(1600, 900)
    window.resize(window.minimumSize())
    QApplication.processEvents()
    assert steps.columnWidth(NAMES.index("kernel")) >= 80
    assert not steps.horizontalScrollBar().isVisible()


def test_names_of_kernels_are_whole(make_window: MakeWindow, qtbot: QtBot) -> None:
    window = make_window("pattern:noise?width=40&height=20")
    window.resize(1280, 720)
    steps, column = window.panel(StepsPanel).table, NAMES.index("kernel")
    for algorithm in ("cabaret", "ha4_features", "komura"):
        window.session.configure(algorithm_key=algorithm)
        window.session.run()
        wait_idle(qtbot, window)
        qtbot.waitUntil(lambda: not window.session.insight.working, timeout=PATIENCE)
        model = steps.model()
        names = [str(model.index(row, column).data()) for row in range(model.rowCount())]
        needed = max(steps.fontMetrics().horizontalAdvance(name) for name in names)
        assert steps.columnWidth(column) > needed + 12
        assert not steps.horizontalScrollBar().isVisible()


def test_what_absence_means_is_said(make_window: MakeWindow) -> None:
    window = make_window("pattern:bars?width=8&height=8")
    fields = window.source_bar.parameters
    for algorithm, name, told in (("two_pass", "rows", "Auto"), ("shibata_slow", "passes", "All")):
        window.session.configure(algorithm_key=algorithm)
        assert fields.boxes[name].text() == told


def test_the_timeline_moves(window: MainWindow) -> None:
    scrubber = window.step_panel.timeline
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
    told = window.step_panel.explanation.plain
    assert told.startswith(step.caption)
    assert f"{step.changed:,} cells took a smaller label" in told
    assert window.step_panel.chip.text() == step.stage
    assert short_kernel(step) in window.step_panel.facts.text()


def test_the_source_is_at_the_kernel_of_the_step(window: MainWindow, qtbot: QtBot) -> None:
    pane = window.panel(SourcePane)
    text = pane.text
    for index in range(window.session.playback.count):
        window.session.playback.go_to(index)
        kernel = kernel_of(window)
        qtbot.waitUntil(lambda: pane.header.kernel.text() == kernel_of(window), timeout=PATIENCE)
        assert text.marked is not None
        lines = text.toPlainText().split("\n")[text.marked[0] : text.marked[1] + 1]
        assert f"void {kernel}(" in "\n".join(lines)
        assert lines[-1].startswith("}")
