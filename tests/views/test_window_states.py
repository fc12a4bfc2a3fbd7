"""What the window shows when it is empty, busy, cancelled, or has a verdict."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from support.grids import noise
from support.windows import (
    PATIENCE,
    MakeWindow,
    press,
    settled,
    status_of,
    wait_idle,
)

from ccl_viewer import reference
from ccl_viewer.recording import Recording
from ccl_viewer.recording.left_apart import LeftApart
from ccl_viewer.session import MessageKind
from ccl_viewer.session.facts.condition import Condition
from ccl_viewer.views.main_window import MainWindow
from ccl_viewer.views.steps.steps_panel import StepsPanel


def test_the_empty_window_says_what_to_do(make_window: MakeWindow) -> None:
    window = make_window()
    assert window.canvas_panel.empty.isVisible()
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
        lambda: window.session.running and window.panel(StepsPanel).table.model().rowCount() > 5,
        timeout=PATIENCE,
    )
    QTest.mouseClick(busy.cancel, Qt.MouseButton.LeftButton)
    wait_idle(qtbot, window)
    assert not busy.isVisible()
    assert window.canvas_panel.banner.isVisible()


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
    message = window.canvas_panel.notices.message
    assert message.isVisible()
    qtbot.waitUntil(window.canvas_panel.banner.isVisible, timeout=PATIENCE)
    press(window.canvas_panel.canvas, Qt.Key.Key_Escape)
    assert not message.isVisible()


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
    window.session.look.hover_at((1, 2))
    assert status.cell.width() > status.cell.fontMetrics().horizontalAdvance(
        "x 1, y 2 · foreground"
    )


def test_a_run_of_another_grid_says_so_and_can_be_run_again(
    make_window: MakeWindow, qtbot: QtBot
) -> None:
    window = make_window("pattern:comb?width=140&height=140")
    banner = window.canvas_panel.banner
    assert banner.isHidden()
    window.session.drawing.press((70, 70), 0)
    window.session.drawing.release()
    qtbot.waitUntil(banner.isVisible, timeout=PATIENCE)
    assert banner.condition is Condition.STALE
    QTest.mouseClick(banner.remedy, Qt.MouseButton.LeftButton)
    wait_idle(qtbot, window)
    assert banner.isHidden()
    assert not window.session.stale


def test_a_run_that_did_not_converge_says_so(window: MainWindow, qtbot: QtBot) -> None:
    window.session.configure(algorithm_key="shibata_naive", parameters={"passes": 1})
    wait_idle(qtbot, window)
    banner = window.canvas_panel.banner
    assert banner.isVisible()
    assert banner.condition is Condition.UNCONVERGED
    assert "before convergence" in banner.text.text()
    window.session.configure(parameters={"passes": None})
    wait_idle(qtbot, window)
    assert banner.isHidden()


def test_a_wrong_result_is_loud_and_shows_where(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    verdict = reference.Verdict(correct=False, expected=2, found=3, first_wrong=(4, 5))
    monkeypatch.setattr(Recording, "verdict", verdict)
    window.session.run()
    wait_idle(qtbot, window)
    banner = window.canvas_panel.banner
    assert banner.isVisible()
    assert banner.condition is Condition.WRONG
    assert banner.property("message") == "wrong"
    assert banner.text.text().startswith("3 components where the reference finds 2")
    verdict_label = status_of(window).verdict
    assert verdict_label.text().endswith("WRONG: 3 components, not 2")
    margins = verdict_label.contentsMargins()
    assert margins.left() == margins.right() > 0, "it stands in the middle of its ground"
    window.session.playback.first()
    QTest.mouseClick(banner.remedy, Qt.MouseButton.LeftButton)
    assert window.session.look.pinned == (5, 4)
    assert window.session.playback.at_end


def raced(window: MainWindow, path: Path, schedule: str, qtbot: QtBot) -> MainWindow:
    """Let HA4 run on a grid with the barrier less that its paper has."""
    window.session.configure(algorithm_key="ha4", schedule=schedule, parameters={"barriers": 1})
    window.session.open(str(path))
    wait_idle(qtbot, window)
    return window


def test_a_race_that_joins_too_much_is_flagged_on_the_timeline(
    make_window: MakeWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    np.save(tmp_path / "strips.npy", noise(4, 96, 0.6))
    window = raced(make_window(), tmp_path / "strips.npy", "random:16", qtbot)
    timeline = window.step_panel.timeline
    qtbot.waitUntil(lambda: timeline.course.first_wrong == 0, timeout=PATIENCE)
    assert "First wrong" in timeline.describe(0)
    assert window.canvas_panel.banner.condition is Condition.WRONG
    picture, error = timeline.grab().toImage(), QColor(window.theme.error)
    # Its line stands before the first step, at the left end.
    assert any(
        picture.pixelColor(x, y) == error
        for x in range(picture.width() // 20)
        for y in range(picture.height())
    )


def test_a_race_that_loses_joins_is_flagged_and_explained(
    make_window: MakeWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    np.save(tmp_path / "strips.npy", noise(2, 64, 0.6))
    window = raced(make_window(), tmp_path / "strips.npy", "random:5", qtbot)
    timeline = window.step_panel.timeline
    qtbot.waitUntil(lambda: timeline.course.left_apart == LeftApart(0, 1), timeout=PATIENCE)
    assert timeline.course.first_wrong is None
    assert "Left apart" in timeline.describe(0)
    assert "Left apart" not in timeline.describe(1)
    explained = window.step_panel.explanation
    qtbot.waitUntil(lambda: "1 tree too many is left" in explained.plain, timeout=PATIENCE)


def test_what_a_stopped_run_leaves_is_said_once(make_window: MakeWindow, qtbot: QtBot) -> None:
    window = make_window()
    window.session.configure(algorithm_key="shibata_naive")
    window.session.open("pattern:spiral?size=601")
    qtbot.waitUntil(
        lambda: window.session.running and window.session.playback.count > 3, timeout=PATIENCE
    )
    window.session.cancel()
    wait_idle(qtbot, window)
    banner, notices = window.canvas_panel.banner, window.canvas_panel.notices
    assert banner.condition is Condition.BROKEN_OFF
    assert banner.text.text().endswith("steps kept.")
    assert notices.isHidden()
    assert "Stopped" in status_of(window).verdict.text()


def test_details_of_a_failure_can_be_copied(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    path = tmp_path / "photo.png"
    path.write_text("no picture")
    window.session.open(str(path))
    wait_idle(qtbot, window)
    notice = window.canvas_panel.notices.message
    QTest.mouseClick(notice.copy, Qt.MouseButton.LeftButton)
    copied = QApplication.clipboard().text()
    for part in ("photo.png", "CCL Viewer: ", "NumPy: ", "Settings: ", "Traceback"):
        assert part in copied
    window.session.dismiss()
    window.session.say(MessageKind.INFO, "All is well.")
    assert notice.copy.isHidden()


def test_escape_stops_predicting_last_of_all(window: MainWindow) -> None:
    session = window.session
    session.predictor.switch(on=True)
    session.look.pin((0, 0))
    press(window.canvas, Qt.Key.Key_Escape)
    assert session.look.pinned is None
    assert session.predictor.on
    press(window.canvas, Qt.Key.Key_Escape)
    press(window.canvas, Qt.Key.Key_Escape)
    assert not session.predictor.on


def test_a_long_name_leaves_the_button_to_cancel_its_place(window: MainWindow) -> None:
    notices = window.canvas_panel.notices
    notices.busy.title.setText(f"Opening {'a_long_name_' * 30}.png")
    notices.busy.show()
    notices.place()
    settled(window, 1280, 720)
    assert notices.rect().contains(notices.busy.geometry())
    assert notices.busy.rect().contains(notices.busy.cancel.geometry())
    assert notices.busy.cancel.width() >= notices.busy.cancel.sizeHint().width()
    assert notices.width() <= window.canvas.width()
