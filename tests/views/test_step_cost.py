"""A step brings up to date what changed with it, and leaves alone what did not."""

from __future__ import annotations

from time import perf_counter

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from support.windows import PATIENCE, MakeWindow, kernel_of, wait_idle

from ccl_viewer.plan import Stage
from ccl_viewer.session.facts.inquiry import Inquiry
from ccl_viewer.session.jobs.courtesy import Courtesy
from ccl_viewer.views.main_window import MainWindow
from ccl_viewer.views.source.pane import SourcePane
from ccl_viewer.views.source.text import SourceText
from ccl_viewer.views.steps.stage_chip import StageChip
from ccl_viewer.views.steps.steps_panel import StepsPanel


@pytest.fixture
def counted(make_window: MakeWindow, qtbot: QtBot) -> MainWindow:
    """A window on a run of which all is counted, at its first step."""
    window = make_window("pattern:shibata")
    qtbot.waitUntil(lambda: not window.session.insight.working, timeout=PATIENCE)
    window.session.playback.first()
    return window


def test_buttons_keep_their_icons_from_step_to_step(counted: MainWindow) -> None:
    changes: list[int] = []
    counted.session.playback.forward()
    counted.actions_table["play"].changed.connect(lambda: changes.append(1))
    counted.session.playback.forward()
    assert not changes
    counted.session.playback.toggle()
    assert changes


def test_panels_follow_once_after_the_frame_of_the_last_step(
    counted: MainWindow, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    pane, table = counted.panel(SourcePane), counted.panel(StepsPanel).table
    playback, refresh = counted.session.playback, SourcePane.refresh
    QApplication.processEvents()
    seen: list[int] = []
    painted: list[int] = []

    def see(shown: SourcePane) -> None:
        seen.append(playback.position)
        refresh(shown)

    monkeypatch.setattr(SourcePane, "refresh", see)
    counted.canvas.painted.connect(lambda: painted.append(len(seen) + table.currentIndex().row()))
    for _ in range(3):
        playback.forward()
    qtbot.waitUntil(lambda: table.currentIndex().row() == 3, timeout=PATIENCE)
    qtbot.waitUntil(lambda: bool(seen), timeout=PATIENCE)
    assert painted[0] == 0
    assert seen == [3]
    assert pane.header.kernel.text() == kernel_of(counted)


def test_the_source_is_set_once_for_all_kernels_of_a_file(
    counted: MainWindow, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    pane, playback = counted.panel(SourcePane), counted.session.playback
    shown: list[str] = []
    monkeypatch.setattr(SourceText, "show_source", lambda _text, text, _skipped: shown.append(text))
    recording = counted.session.recording
    assert recording is not None
    assert len({step.kernel for step in recording.steps}) > 1
    marks = set()
    for index in range(len(recording)):
        playback.go_to(index)
        qtbot.waitUntil(lambda: pane.header.kernel.text() == kernel_of(counted), timeout=PATIENCE)
        marks.add(pane.text.marked)
    assert not shown
    assert len(marks) > 1


def test_counts_leave_stages_and_groups_of_the_timeline_alone(counted: MainWindow) -> None:
    timeline = counted.step_panel.timeline
    before = timeline.course
    counted.session.insight.changed.emit()
    assert timeline.course is not before
    assert timeline.course.groups is before.groups
    assert timeline.course.codes is before.codes
    assert timeline.course.wrong.tolist() == before.wrong.tolist()


def test_each_step_lets_the_counting_rest(
    counted: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[int] = []
    monkeypatch.setattr(Courtesy, "step_shown", lambda _courtesy: told.append(1))
    counted.session.playback.forward()
    assert told == [1]


@pytest.mark.parametrize("live", [True, False])
def test_in_live_mode_counting_waits_until_the_labels_are_seen(
    counted: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, *, live: bool
) -> None:
    counted.session.live.switch(live)
    told: list[object] = []
    monkeypatch.setattr(Courtesy, "step_shown", lambda _courtesy: told.append("rests"))
    monkeypatch.setattr(Inquiry, "perform", lambda _inquiry, _job: told.append("counts"))
    counted.session.run(keep_position=True)
    qtbot.waitUntil(lambda: "counts" in told, timeout=PATIENCE)
    assert told[0] == ("rests" if live else "counts")


def test_a_stroke_lays_nothing_out_and_draws_no_icon(counted: MainWindow) -> None:
    fitted: list[float] = []
    counted.canvas.zoomed.connect(fitted.append)
    icon = counted.canvas_panel.tools.buttons["swap"].icon().cacheKey()
    grid = counted.session.grid
    assert grid is not None
    y, x = np.argwhere(grid == 0)[0].tolist()
    counted.session.tools.press((x, y))
    assert counted.session.stale
    assert fitted == []
    assert counted.canvas_panel.tools.buttons["swap"].icon().cacheKey() == icon
    counted.session.tools.cancel()


def test_the_chip_has_room_for_its_stage_and_its_colour(qtbot: QtBot) -> None:
    chip = StageChip()
    qtbot.addWidget(chip)
    pictures = []
    for stage in Stage:
        chip.show_stage(stage)
        chip.resize(chip.sizeHint())
        assert chip.text() == stage
        assert chip.sizeHint().width() > chip.fontMetrics().horizontalAdvance(stage)
        pictures.append(chip.grab().toImage().pixelColor(chip.width() // 2, 2).name())
    assert len(set(pictures)) > 1


def test_the_source_keeps_its_place_from_kernel_to_kernel(
    make_window: MakeWindow, qtbot: QtBot
) -> None:
    window = make_window("pattern:shibata")
    window.session.configure(algorithm_key="playne")
    wait_idle(qtbot, window)
    playback, pane = window.session.playback, window.panel(SourcePane)
    qtbot.waitUntil(pane.text.isVisible, timeout=PATIENCE)

    def places() -> set[tuple[int, int]]:
        found = set()
        for index in range(playback.count):
            playback.go_to(index)
            QApplication.processEvents()
            found.add((pane.text.y(), pane.text.height()))
        return found

    places()  # the longest list of arguments makes room for itself
    assert len(places()) == 1


def test_the_source_follows_now_and_then_while_playing_and_is_right_at_the_end(
    counted: MainWindow, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    refreshed: list[int] = []
    refresh = SourcePane.refresh

    def count(pane: SourcePane) -> None:
        refreshed.append(1)
        refresh(pane)

    playback, pane = counted.session.playback, counted.panel(SourcePane)
    QApplication.processEvents()
    monkeypatch.setattr(SourcePane, "refresh", count)
    playback.toggle()
    began = perf_counter()  # the clock by which the window plays
    for steps in range(1, 4):
        playback.tick(began + steps / playback.rate)
    assert playback.playing
    assert playback.position > 0
    assert not refreshed
    playback.pause()
    qtbot.waitUntil(lambda: bool(refreshed), timeout=PATIENCE)
    assert pane.header.kernel.text() == kernel_of(counted)
