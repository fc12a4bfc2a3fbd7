"""Figures of a comparison on the clipboard: of the lane that was used last, and of all lanes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot
from support.films import exported
from support.windows import PATIENCE, wait_idle

from ccl_viewer.recording import Recording
from ccl_viewer.recording.together import Sync
from ccl_viewer.session import MessageKind, RunSettings
from ccl_viewer.session.exporting.choices import figure_options
from ccl_viewer.views.clipboard.clipboard import picture_of
from ccl_viewer.views.compare.area import CompareArea
from ccl_viewer.views.main_window import MainWindow

CTRL_SHIFT = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def area(window: MainWindow, qtbot: QtBot) -> CompareArea:
    """Three runs by share of the run, of which the others are behind the first."""
    comparison = window.session.comparison
    comparison.remember([RunSettings("ha4"), RunSettings("row_col_unify")])
    comparison.look(replace(comparison.view, sync=Sync.SHARE))
    comparison.show(on=True)
    qtbot.waitUntil(lambda: len(comparison.recordings) == 3, timeout=PATIENCE)
    wait_idle(qtbot, window)
    window.session.playback.go_to(4)
    return window.canvas_panel.compare.area


def on_the_clipboard() -> npt.NDArray[np.uint8]:
    image = QGuiApplication.clipboard().mimeData().imageData()
    assert isinstance(image, QImage)
    return picture_of(image).planes


def figure(window: MainWindow, recording: Recording, step: int) -> npt.NDArray[np.uint8]:
    return exported(
        recording, figure_options(window.session.look.layers, None, step, window.theme.name)
    )


def current(area: CompareArea) -> int:
    return area.shown.index(area.current)


def test_the_lane_that_was_clicked_is_copied(
    window: MainWindow, area: CompareArea, qtbot: QtBot
) -> None:
    lane = window.session.comparison.lanes[0]
    area.shown[1].canvas.setFocus()
    window.step_panel.setFocus()
    assert current(area) == 1
    QTest.keyClick(window, Qt.Key.Key_X, CTRL_SHIFT)
    wait_idle(qtbot, window)
    assert lane.recording is not None
    assert lane.playback.position != window.session.playback.position
    expected = figure(window, lane.recording, lane.playback.position)
    np.testing.assert_array_equal(on_the_clipboard(), expected)
    assert window.session.message is not None
    assert lane.title in window.session.message.text


def test_without_a_click_it_is_the_run_of_the_session(
    window: MainWindow, area: CompareArea, qtbot: QtBot
) -> None:
    session = window.session
    area.shown[2].canvas.setFocus()
    session.comparison.remove(session.comparison.lanes[1])
    assert current(area) == 0
    window.actions_table["copy_figure"].trigger()
    wait_idle(qtbot, window)
    assert session.recording is not None
    np.testing.assert_array_equal(on_the_clipboard(), figure(window, session.recording, 4))


def test_all_lanes_are_copied_as_they_stand(
    window: MainWindow, area: CompareArea, qtbot: QtBot
) -> None:
    comparison = window.session.comparison
    window.actions_table["compare_figure"].trigger()
    wait_idle(qtbot, window)
    picture = on_the_clipboard()
    assert window.session.recording is not None
    alone = figure(window, window.session.recording, 4)
    assert picture.shape[0] * picture.shape[1] > 2 * alone.shape[0] * alone.shape[1]
    before = picture.copy()
    window.session.playback.go_to(6)
    assert comparison.moments.steps != (4, 1, 2)
    window.actions_table["compare_figure"].trigger()
    wait_idle(qtbot, window)
    assert (on_the_clipboard() != before).any()


def test_what_floats_is_in_the_figure_of_all_lanes(
    window: MainWindow, area: CompareArea, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    copied: list[list[int]] = []

    def copy(_options: object, _take: object, runs: tuple[Recording, ...], *_: object) -> None:
        copied.append([int(run.image.sum()) for run in runs])

    monkeypatch.setattr(window.session.output, "figure", copy)
    window.session.edits.paste(np.ones((10, 10), np.uint8))
    window.actions_table["compare_figure"].trigger()
    qtbot.waitUntil(lambda: bool(copied), timeout=PATIENCE)
    assert copied == [[100, 100, 100]]


def test_the_lane_that_is_meant_is_marked(window: MainWindow, area: CompareArea) -> None:
    def marks() -> list[bool]:
        titles = [cell.header.title.grab().toImage() for cell in area.shown]
        return [title.pixelColor(1, 8).name() == window.theme.accent for title in titles]

    for place, cell in enumerate(area.shown):
        cell.canvas.setFocus()
        assert marks() == [place == other for other in range(3)]


def test_messages_lie_over_all_lanes(window: MainWindow, area: CompareArea) -> None:
    window.session.say(MessageKind.INFO, "A sentence that is longer than a lane is wide. " * 3)
    notices = window.canvas_panel.notices
    assert notices.width() > area.shown[0].canvas.width()
    top = notices.mapTo(area, notices.rect().topLeft()).y()
    assert top > area.shown[0].header.geometry().bottom()
