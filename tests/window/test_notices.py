"""What the window says: work, messages, the state of the run, the status bar."""

from __future__ import annotations

import threading
from pathlib import Path

import numpy as np
import pytest
from psygnal import Signal
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.exceptions import capture_exceptions
from pytestqt.qtbot import QtBot
from support.qt_window import MakeWindow, model_of, open_and_run, part, wait_idle

from ccl_viewer.errors import InputError
from ccl_viewer.lessons.hidden_answers import HiddenInformation
from ccl_viewer.support.units import duration
from ccl_viewer.window.check.model import Checker
from ccl_viewer.window.core.messages import MessageAction, MessageKind
from ccl_viewer.window.core.tools import Tool
from ccl_viewer.window.core.view_state import Mode
from ccl_viewer.window.main_window import MainWindow
from ccl_viewer.window.messages.widget import QtMessageBar, QtNotice, QtStatusBar, make_run_notice
from ccl_viewer.window.opening.start_page import QtStartPage
from ccl_viewer.window.run_settings.widget import QtSettingsBar


def status_of(window: MainWindow) -> QtStatusBar:
    return part(window, QtStatusBar)


def message_bar_of(window: MainWindow) -> QtMessageBar:
    return part(window, QtMessageBar)


def notice_of(window: MainWindow, kind: str) -> QtNotice | None:
    """Return the notice of a kind, if it is shown."""
    for notice in (message_bar_of(window).notice, status_of(window).activity.notice):
        if notice is not None and notice.isVisible() and notice.property("message") == kind:
            return notice
    return None


def wait_for(qtbot: QtBot, window: MainWindow, kind: str) -> QtNotice:
    qtbot.waitUntil(lambda: notice_of(window, kind) is not None)
    notice = notice_of(window, kind)
    assert notice is not None
    return notice


def test_work_shows_after_a_moment_and_can_be_cancelled(window: MainWindow, qtbot: QtBot) -> None:
    said = threading.Event()
    errors: list[BaseException] = []

    def work(task) -> None:  # type: ignore[no-untyped-def]  # a Task
        task.report("row 3", 0.5)
        said.wait(20)
        task.check()

    window.session.tasks.start("Counting", work, lambda _: None, errors.append)
    assert notice_of(window, "busy") is None
    busy = wait_for(qtbot, window, "busy")
    assert (busy.title.text(), busy.text.text()) == ("Counting", "row 3")
    assert busy.bar.value() == busy.bar.maximum() // 2
    busy.buttons["Cancel"].click()
    said.set()
    qtbot.waitUntil(lambda: notice_of(window, "busy") is None)
    assert len(errors) == 1


def test_an_error_stays_until_it_is_dismissed(window: MainWindow, qtbot: QtBot) -> None:
    messages = window.session.messages
    messages.show_error("Opening", InputError("<b>a&b</b> cannot be read: choose another."))
    notice = wait_for(qtbot, window, "error")
    assert notice.text.text() == "<b>a&b</b> cannot be read: choose another."
    assert "Copy details" in notice.buttons
    window.actions_by_name["forward"].trigger()
    assert notice_of(window, "error") is notice
    notice.buttons["Dismiss"].click()
    qtbot.waitUntil(lambda: notice_of(window, "error") is None)


def test_a_message_may_offer_an_action(window: MainWindow, qtbot: QtBot) -> None:
    done: list[int] = []
    action = MessageAction("Do it", lambda: done.append(1))
    window.session.messages.show(MessageKind.INFO, "Something.", action=action)
    wait_for(qtbot, window, "info").buttons["Do it"].click()
    assert done == [1]
    qtbot.waitUntil(lambda: notice_of(window, "info") is None)


def test_a_notice_takes_the_colours_of_another_theme(window: MainWindow, qtbot: QtBot) -> None:
    window.session.messages.show(MessageKind.INFO, "Something.")
    before = wait_for(qtbot, window, "info")
    window.appearance.swap_theme()
    qtbot.waitUntil(lambda: notice_of(window, "info") not in {None, before})


def test_a_run_out_of_date_says_so_and_can_be_run_again(
    make_window: MakeWindow, qtbot: QtBot
) -> None:
    window = make_window("pattern:noise?width=320&height=300")
    verdict, run = status_of(window).verdict, part(window, QtSettingsBar).run_button
    qtbot.waitUntil(lambda: verdict.text().startswith("✓"))
    # An algorithm that was not quick on this grid before is not run automatically.
    window.session.runs.configure(algorithm="playne")
    qtbot.waitUntil(lambda: verdict.text() == "⚠ Out of date")
    assert run.text() == "Run again"
    window.session.runs.configure(algorithm="label_equivalence")
    qtbot.waitUntil(lambda: verdict.text().startswith("✓"))
    assert run.text() == "Run"
    window.session.runs.configure(algorithm="playne")
    run.click()
    wait_idle(qtbot, window.session)
    qtbot.waitUntil(lambda: verdict.text().startswith("✓"))


def test_a_race_says_so_and_offers_a_check(make_window: MakeWindow, qtbot: QtBot) -> None:
    window = make_window("pattern:noise?width=64&height=64")
    session = window.session
    session.runs.configure(algorithm="ha4", schedule="random:3", parameters={"variant": "printed"})
    session.runs.run()
    wait_idle(qtbot, session)
    problem = wait_for(qtbot, window, "wrong")
    verdict = status_of(window).verdict
    text = verdict.fontMetrics().horizontalAdvance(verdict.text())
    qtbot.waitUntil(lambda: verdict.width() >= text + 16)  # with its padding
    assert "Race" in problem.title.text()
    assert problem.height() < 60
    assert problem.text.toolTip() == problem.text.text()  # what has no room
    wait_for(qtbot, window, "wrong").buttons["Check"].click()
    assert model_of(session, Checker).running
    assert window.side_panel.current == "check"
    model_of(session, Checker).cancel()
    qtbot.waitUntil(lambda: not model_of(session, Checker).running)


def test_what_a_copy_does_in_any_order_is_not_called_a_race(
    window: MainWindow, qtbot: QtBot
) -> None:
    session = window.session
    session.copies.edit("ha4", "ha4")
    start = "const int k = y * width + x;\n"
    session.runs.configure(schedule="random:1", connectivity=4)
    before, found, after = session.copies.text.rpartition(start)
    session.copies.run(f"{before}{found}    labels[1 << 29] = 1;\n{after}")
    wait_idle(qtbot, session)
    problem = wait_for(qtbot, window, "wrong")
    assert problem.title.text() == "Fault"
    assert problem.text.text().endswith("Check finds out whether it is a race.")
    assert "Check" in problem.buttons
    assert "Race" not in status_of(window).verdict.text()


def test_what_is_wrong_in_any_order_is_not_called_a_race(window: MainWindow, qtbot: QtBot) -> None:
    session = window.session
    session.runs.configure(
        algorithm="row_col_unify", schedule="random:1", parameters={"variant": "printed"}
    )
    wait_idle(qtbot, session)
    assert wait_for(qtbot, window, "wrong").title.text() == "Wrong result"


def test_a_question_about_the_count_hides_it(window: MainWindow, qtbot: QtBot) -> None:
    status = status_of(window)
    qtbot.waitUntil(lambda: "component" in status.verdict.text())
    window.session.analysis.set_hidden_answers([HiddenInformation.COUNTS])
    qtbot.waitUntil(lambda: "component" not in status.verdict.text())
    window.session.view.hover_at((1, 1))
    qtbot.waitUntil(lambda: "x 1, y 1" in status.cell.text())
    assert "component" not in status.cell.text()
    assert make_run_notice(window.session, window.actions_by_name) is None


def test_the_totals_of_the_run_stand_beside_the_verdict(window: MainWindow, qtbot: QtBot) -> None:
    status, session = status_of(window), window.session
    run = session.display.recording
    assert run is not None
    qtbot.waitUntil(lambda: status.verdict.text().startswith("✓"))
    told = status.totals.text()
    assert f"{run.iterations} iterations" in told
    assert f"{len(run)} launches" in told
    assert told.endswith(f"{duration(run.milliseconds)} on the emulator")
    assert status.totals.width() >= status.totals.fontMetrics().horizontalAdvance(told)
    assert status.totals.geometry().right() < status.verdict.geometry().left()
    session.analysis.set_hidden_answers([HiddenInformation.COURSE])
    qtbot.waitUntil(lambda: not status.totals.text())


def test_the_status_bar_tells_of_the_cell_and_of_the_run(window: MainWindow, qtbot: QtBot) -> None:
    status, session = status_of(window), window.session
    session.view.hover_at((7, 0))
    qtbot.waitUntil(lambda: "x 7, y 0" in status.cell.text())
    assert "label" in status.cell.text() or "background" in status.cell.text()
    assert "emulator" in status.run.text()
    assert status.verdict.text().startswith("✓")
    session.view.hover_at(None)
    session.view.set_mode(Mode.DRAW)
    session.tools.set_tool(Tool.ERASER)
    qtbot.waitUntil(lambda: "Erase cells" in status.cell.text())
    session.view.set_mode(Mode.EXPLORE)
    qtbot.waitUntil(lambda: "Drag to pan" in status.cell.text())


def test_the_status_bar_has_room_for_device_and_schedule(window: MainWindow, qtbot: QtBot) -> None:
    run = status_of(window).run
    for mode in Mode:
        window.session.view.set_mode(mode)
        qtbot.waitUntil(
            lambda: run.text().endswith("synchronous") and run.elided_text == run.text()
        )


@pytest.mark.parametrize("size", [(940, 560)])
def test_a_message_covers_no_cell(
    make_window: MakeWindow, qtbot: QtBot, size: tuple[int, int]
) -> None:
    window = make_window("pattern:noise?width=64&height=64")
    window.resize(*size)
    height = window.canvas.height()
    window.report_error(ValueError("What went wrong needs a sentence of some length. " * 3))
    message = wait_for(qtbot, window, "error")
    qtbot.waitUntil(lambda: window.canvas.height() < height)
    bottom = message.mapTo(window, message.rect().bottomLeft()).y()
    assert bottom < window.canvas.mapTo(window, QPoint(0, 0)).y()
    assert window.canvas.height() > 250
    assert window.size().toTuple() == size


def test_news_and_work_move_nothing(window: MainWindow, qtbot: QtBot) -> None:
    before = window.canvas.geometry()
    window.session.messages.tell("Something.")
    news = wait_for(qtbot, window, "info")
    assert news.window() is window
    qtbot.waitUntil(lambda: not status_of(window).cell.isVisible())
    assert window.canvas.geometry() == before
    window.session.messages.dismiss()
    qtbot.waitUntil(status_of(window).cell.isVisible)


def test_a_message_waits_for_the_end_of_a_stroke(window: MainWindow, qtbot: QtBot) -> None:
    window.session.view.set_mode(Mode.DRAW)
    at = window.canvas.centre_of((1, 1)).toPoint()
    QTest.mousePress(window.canvas, Qt.MouseButton.LeftButton, pos=at)
    window.report_error(ValueError("test"))
    message_bar_of(window).refresh()
    assert notice_of(window, "error") is None
    QTest.mouseRelease(window.canvas, Qt.MouseButton.LeftButton, pos=at)
    wait_for(qtbot, window, "error")


def test_news_in_full_screen_move_nothing(window: MainWindow, qtbot: QtBot) -> None:
    window.full_screen.enter()
    qtbot.waitUntil(status_of(window).isVisible)
    wait_idle(qtbot, window.session)
    qtbot.waitUntil(
        lambda: window.screen().size().width() == window.width() == window.canvas.width()
    )
    for _ in range(100):  # until larger text has its room
        QApplication.processEvents()
    before = window.canvas.size()
    window.session.messages.tell("Something.")
    qtbot.waitUntil(lambda: status_of(window).activity.notice is not None)
    assert window.canvas.size() == before
    window.session.messages.dismiss()
    qtbot.waitUntil(lambda: status_of(window).activity.notice is None)
    assert window.canvas.size() == before
    window.full_screen.leave()
    assert status_of(window).isVisible()


def test_an_error_in_opening_is_said_on_the_start_page(
    make_window: MakeWindow, qtbot: QtBot
) -> None:
    window = make_window()
    window.session.files.open("/no/such/file.png")
    assert "file.png" in wait_for(qtbot, window, "error").text.text()
    assert part(window, QtStartPage).isVisible()
    open_and_run(qtbot, window.session, "pattern:spiral")


def test_wrong_cells_are_marked_counted_and_gone_to(make_window: MakeWindow, qtbot: QtBot) -> None:
    window = make_window("pattern:spiral?size=31")
    session, canvas = window.session, window.canvas
    choice = {"variant": "printed_checks"}
    session.runs.configure(algorithm="row_col_unify", parameters=choice)
    wait_idle(qtbot, session)
    wrong = session.display.wrong_mask
    assert wrong is not None
    assert np.count_nonzero(wrong) == 288
    qtbot.waitUntil(lambda: "288 wrong cells" in canvas.legend.accessibleDescription())
    notice = wait_for(qtbot, window, "wrong")
    assert "Next wrong cell" in notice.buttons
    cells = [(int(x), int(y)) for y, x in np.argwhere(wrong)[:3]]
    for cell in cells:
        notice.buttons["Next wrong cell"].click()
        assert session.view.cursor == cell
    session.playback.go_to_first()
    assert session.display.wrong_mask is None
    qtbot.waitUntil(lambda: "wrong" not in canvas.legend.accessibleDescription())
    window.actions_by_name["next_wrong"].trigger()
    assert session.display.index == session.display.count - 1
    session.analysis.set_hidden_answers([HiddenInformation.COUNTS])
    canvas.refresh()
    qtbot.waitUntil(lambda: "wrong" not in canvas.legend.accessibleDescription())
    qtbot.waitUntil(lambda: not window.actions_by_name["next_wrong"].isEnabled())
    session.analysis.set_hidden_answers([])
    session.document.invert()
    assert session.display.wrong_mask is None, "the grid is another one"
    wait_idle(qtbot, session)


def test_news_leaves_an_error_in_its_place(window: MainWindow, qtbot: QtBot) -> None:
    window.files.open_path("missing.png")
    error = wait_for(qtbot, window, "error")
    window.actions_by_name["copy"].trigger()
    news = wait_for(qtbot, window, "info")
    assert "clipboard" in news.text.text()
    assert notice_of(window, "error") is error
    news.buttons["Dismiss"].click()
    qtbot.waitUntil(lambda: notice_of(window, "info") is None)
    error.buttons["Dismiss"].click()
    qtbot.waitUntil(lambda: notice_of(window, "error") is None)


def test_a_save_that_succeeds_ends_the_error_of_one_that_failed(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    window.session.files.save(tmp_path / "no" / "a.txt")
    wait_for(qtbot, window, "error")
    window.session.files.save(tmp_path / "a.txt")
    wait_for(qtbot, window, "info")
    assert notice_of(window, "error") is None


def test_the_window_works_although_followers_fail(make_window: MakeWindow, qtbot: QtBot) -> None:
    """Each signal of each model has a follower that fails before all others."""

    def fail(*_: object) -> None:
        raise ValueError("A follower fails")

    window = make_window("pattern:shibata")
    session = window.session
    signals = [
        getattr(model, name)
        for model in session.models
        for name in dir(type(model))
        if isinstance(getattr(type(model), name, None), Signal)
    ]
    for signal in signals:
        signal.connect(fail, priority=1)
    with capture_exceptions() as errors:
        open_and_run(qtbot, session, "pattern:spiral?size=9")
        assert window.windowTitle().startswith("Spiral")
        window.actions_by_name["invert"].trigger()
        wait_idle(qtbot, session)
        assert window.isWindowModified()
        window.actions_by_name["run"].trigger()
        began = session.runs.running
        assert began
        wait_idle(qtbot, session)
        assert not session.runs.running
        qtbot.waitUntil(lambda: part(window, QtSettingsBar).run_button.text() == "Run")
        assert session.display.recording is not None
        assert session.display.recording.verdict is not None
        assert session.document.grid is not None
        assert np.array_equal(session.display.recording.image, session.document.grid)
        window.actions_by_name["undo"].trigger()
        wait_idle(qtbot, session)
        assert not window.isWindowModified()
        for signal in signals:
            signal.disconnect(fail)
    assert len(errors) > 20
    assert {str(error) for _, error, _ in errors} == {"A follower fails"}


def test_a_copy_that_another_program_deleted_is_named_once(
    window: MainWindow, qtbot: QtBot
) -> None:
    session = window.session
    session.copies.edit("ha4", "ha4")
    copy = session.copies.copy
    assert copy is not None
    session.configure(algorithm=copy.key)
    wait_idle(qtbot, session)
    copy.path.unlink()
    window.actions_by_name["run"].trigger()
    error = wait_for(qtbot, window, "error")
    assert "There is no copy my_ha4" in error.text.text()
    wait_idle(qtbot, session)
    assert not session.runs.running
    session.messages.dismiss()
    for name in ("invert", "run", "undo", "check"):
        window.actions_by_name[name].trigger()
        wait_idle(qtbot, session)
    window.actions_by_name["cancel"].trigger()
    assert notice_of(window, "error") is None
    assert session.display.recording is not None
    assert not session.display.stale
