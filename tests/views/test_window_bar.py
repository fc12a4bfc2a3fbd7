"""The bar at the top: algorithm, connectivity, device, schedule, patterns."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDoubleSpinBox, QSpinBox
from pytestqt.qtbot import QtBot
from support.windows import (
    wait_idle,
)

from ccl_viewer.algorithms import ALGORITHMS, algorithm
from ccl_viewer.devices.base import DeviceReport
from ccl_viewer.views.main_window import MainWindow
from ccl_viewer.views.patterns.dialog import PatternDialog


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


def test_patterns_lie_in_two_columns_in_the_largest_text(window: MainWindow) -> None:
    window.appearance.set_text_size(200)
    window.appearance.settle()
    dialog = PatternDialog(window.theme, window.intake.side)
    dialog.resize(1048, 660)
    dialog.show()
    QApplication.processEvents()
    first, second = (dialog.gallery.visualItemRect(dialog.gallery.item(row)) for row in (0, 1))
    assert first.top() == second.top()
    assert second.right() <= dialog.gallery.viewport().width()
    dialog.close()
    dialog.deleteLater()


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
    assert "63" in window.canvas_panel.strip.title.text()


def test_the_pattern_dialog_gives_a_spec(window: MainWindow, qtbot: QtBot) -> None:
    dialog = PatternDialog(window.theme, window.intake.side)
    qtbot.addWidget(dialog)
    dialog.choose("noise")
    width, density = dialog.form.fields["width"], dialog.form.fields["density"]
    assert isinstance(width, QSpinBox)
    assert isinstance(density, QDoubleSpinBox)
    width.setValue(20)
    density.setValue(0.3)
    assert dialog.spec.startswith("pattern:noise?width=20&height=64&density=0.3")
    height = dialog.form.fields["height"]
    assert isinstance(height, QSpinBox)
    width.setValue(16_000)
    height.setValue(16_000)
    assert "too many for a preview" in dialog.preview.text()
    dialog.reject()


def test_a_number_that_is_being_typed_goes_with_its_algorithm(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    errors: list[BaseException] = []
    monkeypatch.setattr("sys.excepthook", lambda _kind, error, _trace: errors.append(error))
    session, bar = window.session, window.source_bar
    session.configure(algorithm_key="shibata_fast")
    box = bar.parameters.boxes["jumps"]
    window.activateWindow()
    box.setFocus()
    assert box.hasFocus()
    box.selectAll()
    QTest.keyClicks(box, "3")
    session.configure(algorithm_key="ha4")
    wait_idle(qtbot, window)
    QApplication.sendPostedEvents()
    assert errors == []
    assert session.settings.algorithm == "ha4"
    assert set(bar.parameters.boxes) == {row.name for row in algorithm("ha4").parameters}
