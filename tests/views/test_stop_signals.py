"""Ctrl+C and a request to end close the window as its button does."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot
from support.windows import cell_at, wait_idle

from ccl_viewer.session.settings import Settings
from ccl_viewer.views.app import end
from ccl_viewer.views.main_window import MainWindow
from ccl_viewer.views.process.stop_signals import StopSignals


@pytest.fixture(autouse=True)
def heard() -> Iterator[None]:
    """Lets signals be heard: a shell has Ctrl+C ignored by what it runs in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def obeyed() -> Iterator[Callable[[MainWindow], None]]:
    """Lets a window obey signals until the test ends."""
    signals: list[StopSignals] = []

    def obey(window: MainWindow) -> None:
        signals.append(StopSignals())
        signals[-1].answer(partial(end, window))

    yield obey
    for one in signals:
        one.close()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_closes_the_window_in_good_order(
    window: MainWindow,
    qtbot: QtBot,
    obeyed: Callable[[MainWindow], None],
    number: signal.Signals,
) -> None:
    obeyed(window)
    window.set_theme("light")
    signal.raise_signal(number)
    qtbot.waitUntil(lambda: not window.isVisible())
    assert Settings().value("view/theme") == "light"


def test_the_first_signal_asks_about_a_drawing_and_the_second_does_not(
    window: MainWindow, qtbot: QtBot, obeyed: Callable[[MainWindow], None]
) -> None:
    obeyed(window)
    QTest.mouseClick(window.canvas, Qt.MouseButton.LeftButton, pos=cell_at(window, (0, 0)))
    wait_idle(qtbot, window)
    signal.raise_signal(signal.SIGTERM)
    qtbot.waitUntil(lambda: window.unsaved.box is not None)
    assert window.isVisible()
    signal.raise_signal(signal.SIGTERM)
    qtbot.waitUntil(lambda: not window.isVisible())
    assert window.unsaved.box is None


def test_signals_do_what_they_did_before_once_nobody_waits() -> None:
    before = signal.getsignal(signal.SIGINT)
    signals = StopSignals()
    noted = signal.getsignal(signal.SIGINT)
    signals.close()
    assert noted is not before
    assert signal.getsignal(signal.SIGINT) is before


def test_a_signal_that_is_to_be_ignored_is_ignored() -> None:
    before = signal.signal(signal.SIGTERM, signal.SIG_IGN)
    try:
        signals = StopSignals()
        assert signal.getsignal(signal.SIGTERM) is signal.SIG_IGN
        signals.close()
    finally:
        signal.signal(signal.SIGTERM, before)


_STOPPED_AT_THE_START = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
from ccl_viewer.cli import main

points = ["import", "polish", "_build", "open", "screenshot"]
left = []

def stop(where):
    if left and where == left[0]:
        left.pop()
        signal.raise_signal(signal.SIGINT)

def at(holder, name):
    before = getattr(holder, name)
    def stopping(*arguments, **named):
        stop(name)
        return before(*arguments, **named)
    setattr(holder, name, stopping)

sys.addaudithook(lambda event, given: stop(event) if given and given[0] == "PySide6.QtGui" else 0)
for point in points:
    left.append(point)
    if point == "polish":
        from ccl_viewer.views.looks.text import PlainTextStyle
        from ccl_viewer.views.main_window import MainWindow
        from ccl_viewer.session import Session
        for holder, name in ((PlainTextStyle, "polish"), (MainWindow, "_build"), (Session, "open")):
            at(holder, name)
    if point == "screenshot":
        from ccl_viewer.views import rest
        at(rest, "at_rest")
        left[:] = ["at_rest"]
    picture = ["--screenshot", sys.argv[1]] if point == "screenshot" else []
    print(point, main(["pattern:shibata", *picture]), left, flush=True)
"""


def test_a_signal_at_any_moment_of_the_start_ends_the_program(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _STOPPED_AT_THE_START, str(tmp_path / "never.png")],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    points = ("import", "polish", "_build", "open", "screenshot")
    assert done.stdout.splitlines() == [f"{point} 130 []" for point in points], done.stderr
    assert done.stderr.splitlines() == ["ccl-viewer: stopped."] * len(points)
    assert done.returncode == 0
    assert not (tmp_path / "never.png").exists()
