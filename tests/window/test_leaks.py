"""The check for leaks finds leaks, and a window in use does not accumulate objects."""

from __future__ import annotations

import threading

from PySide6.QtCore import QEvent, QTimer
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot
from support.leaks import Snapshot
from support.qt_window import model_of, wait_idle

from ccl_viewer.window.lessons.model import LessonPlayer
from ccl_viewer.window.main_window import MainWindow


def test_a_thread_is_found(qapp: object) -> None:
    before = Snapshot.take()
    end = threading.Event()
    thread = threading.Thread(target=end.wait, name="left behind")
    thread.start()
    assert before.left_since() == ["thread left behind"]
    end.set()
    thread.join()
    assert before.left_since() == []


def test_a_running_timer_is_found(qapp: object) -> None:
    before = Snapshot.take()
    timer = QTimer()
    timer.start(1000)
    assert before.left_since() == ["timer of None"]
    timer.stop()
    assert before.left_since() == []


def test_a_window_is_found_until_it_is_deleted(qapp: object) -> None:
    before = Snapshot.take()
    window = QWidget()
    window.setObjectName("left behind")
    (left,) = before.left_since()
    assert "left behind" in left
    window.deleteLater()
    assert before.left_since() == []


def test_what_is_opened_again_and_again_does_not_pile_up(window: MainWindow, qtbot: QtBot) -> None:
    session = window.session

    def go_round() -> int:
        session.comparison.set_open(True)
        session.comparison.add_rivals_until_full()
        qtbot.waitUntil(lambda: session.tasks.idle and not session.comparison.running)
        session.comparison.set_open(False)
        model_of(session, LessonPlayer).open("what-is-a-component")
        wait_idle(qtbot, session)
        model_of(session, LessonPlayer).close_lesson()
        session.document.invert()
        session.document.undo()
        wait_idle(qtbot, session)
        window.appearance.swap_theme()
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
        return len(QApplication.allWidgets())

    go_round()
    before = go_round()
    assert go_round() == before
