"""What the window shows when it is empty, busy, cancelled, or has a verdict."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot
from support.windows import (
    PATIENCE,
    MakeWindow,
    press,
    status_of,
    wait_idle,
)

from ccl_viewer.views.main_window import MainWindow
from ccl_viewer.views.stage_list import StageList


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
        lambda: window.session.running and window.panel(StageList).model().rowCount() > 5,
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
    window.session.look.hover_at((1, 2))
    assert status.cell.width() > status.cell.fontMetrics().horizontalAdvance(
        "x 1, y 2 · foreground"
    )
