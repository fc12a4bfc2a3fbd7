"""The check for leaks finds what it looks for."""

from __future__ import annotations

import threading

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QWidget
from support.leaks import Snapshot


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
