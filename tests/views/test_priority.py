"""The window's thread goes first where others compute."""

from __future__ import annotations

import gc
import os
import sys
import threading
import weakref

import pytest
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot
from support.windows import PATIENCE

from ccl_viewer.session import Job
from ccl_viewer.views.app import make_application
from ccl_viewer.views.process.priority import (
    SWITCH_SECONDS,
    keep_what_lasts,
    share_evenly,
    stand_back,
)
from ccl_viewer.views.process.worker import JobThread

LINUX_ONLY = pytest.mark.skipif(
    sys.platform != "linux", reason="threads have priorities of their own on Linux only"
)


def niceness() -> int:
    """That of the calling thread."""
    return os.getpriority(os.PRIO_PROCESS, threading.get_native_id())


@LINUX_ONLY
def test_work_and_the_threads_that_it_starts_stand_back(qtbot: QtBot) -> None:
    found: list[int] = []

    def look(_job: Job) -> None:
        found.append(niceness())
        other = threading.Thread(target=lambda: found.append(niceness()))
        other.start()
        other.join()

    worker, own = JobThread(lambda: None), niceness()
    worker.start(Job("Looking", look, done=lambda: None, failed=lambda _error: None))
    qtbot.waitUntil(lambda: len(found) == 2, timeout=PATIENCE)
    worker.close()
    assert found[0] == found[1] > own
    assert niceness() == own


@LINUX_ONLY
def test_work_stands_back_from_a_window_of_low_priority_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    wanted: list[int] = []
    monkeypatch.setattr(os, "getpriority", lambda *_thread: 15)
    monkeypatch.setattr(os, "setpriority", lambda *given: wanted.append(given[-1]))
    stand_back()
    assert wanted[0] > 15


@LINUX_ONLY
def test_work_is_done_where_priorities_cannot_be_set(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_given: int) -> None:
        raise PermissionError("not permitted")

    monkeypatch.setattr(os, "setpriority", refuse)
    done: list[str] = []
    worker = JobThread(lambda: None)
    worker.start(Job("Looking", lambda _job: None, done=lambda: done.append("done"), failed=print))
    qtbot.waitUntil(lambda: done == ["done"], timeout=PATIENCE)
    worker.close()


def test_threads_take_turns_often(monkeypatch: pytest.MonkeyPatch) -> None:
    set_to: list[float] = []
    monkeypatch.setattr(sys, "setswitchinterval", set_to.append)
    share_evenly()
    assert set_to == [SWITCH_SECONDS]


def test_an_application_that_is_there_is_used(qtbot: QtBot) -> None:
    assert make_application() is make_application()


def test_what_lasts_is_not_looked_through_for_garbage() -> None:
    class Node(QObject):
        """Something that may hold itself."""

        other: object = None

    try:
        keep_what_lasts()
        assert gc.get_freeze_count() > 0
        later = Node()
        later.other = later
        seen = weakref.ref(later)
        del later
        gc.collect()
        assert seen() is None
    finally:
        gc.unfreeze()
