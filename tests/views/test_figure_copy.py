"""Copying the step on display, and saving its labels and the table of steps."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot
from support.films import exported
from support.windows import answer_names, wait_idle

from ccl_viewer.session.exporting.choices import figure_options
from ccl_viewer.views.clipboard.clipboard import picture_of
from ccl_viewer.views.clipboard.figure import PNG, SVG
from ccl_viewer.views.main_window import MainWindow

CTRL_SHIFT = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier


def test_the_figure_is_copied_as_picture_and_as_vectors(window: MainWindow, qtbot: QtBot) -> None:
    session = window.session
    session.playback.go_to(1)
    session.look.show(arrows=True)
    QTest.keyClick(window.canvas, Qt.Key.Key_X, CTRL_SHIFT)
    wait_idle(qtbot, window)
    data = QGuiApplication.clipboard().mimeData()
    assert {PNG, SVG} <= set(data.formats())
    assert session.recording is not None
    options = figure_options(session.look.layers, None, 1, window.theme.name)
    image = data.imageData()
    assert isinstance(image, QImage)
    assert np.array_equal(picture_of(image).planes, exported(session.recording, options))
    svg = QSvgRenderer(data.data(SVG))
    assert svg.isValid()
    assert svg.defaultSize() == image.size()
    assert session.message is not None
    assert "clipboard" in session.message.text


def test_nothing_is_copied_without_a_run(make_window: object, window: MainWindow) -> None:
    window.session._display.put(None)
    window.session.output.figure(
        figure_options(window.session.look.layers, None, 0, "dark"), lambda _: None
    )
    assert not window.session.busy
    assert window.session.message is not None
    assert "no run" in window.session.message.text


def save_as(monkeypatch: pytest.MonkeyPatch, path: Path, chosen: str) -> None:
    answer_names(monkeypatch, lambda: (str(path), chosen))


@pytest.mark.parametrize("suffix", [".npy", ".tif"])
def test_the_labels_of_the_step_are_saved(
    window: MainWindow,
    qtbot: QtBot,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    suffix: str,
) -> None:
    path = tmp_path / f"labels{suffix}"
    save_as(monkeypatch, path, "")
    window.session.playback.go_to(2)
    window.actions_table["save_labels"].trigger()
    wait_idle(qtbot, window)
    recording = window.session.recording
    assert recording is not None
    read = np.load(path) if suffix == ".npy" else np.asarray(Image.open(path))
    assert np.array_equal(read, recording.labels(2))


def test_components_are_saved_as_a_png(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "labels.png"
    save_as(monkeypatch, path, "Numbers of the components (*.npy *.tif *.png)")
    window.actions_table["save_labels"].trigger()
    wait_idle(qtbot, window)
    with Image.open(path) as picture:
        values = np.asarray(picture)
    assert values.max() == len(np.unique(values)) - 1


def test_the_table_of_steps_is_saved(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "steps.csv"
    save_as(monkeypatch, path, "")
    window.actions_table["save_table"].trigger()
    wait_idle(qtbot, window)
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == window.session.playback.count
