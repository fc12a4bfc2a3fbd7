"""No action holds the window up: what takes long is done on the worker's thread."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pytestqt.qtbot import QtBot
from support.heartbeat import Heartbeat
from support.windows import PATIENCE, MakeWindow, wait_idle

from ccl_viewer.export import ExportOptions
from ccl_viewer.recording import Recorder, Recording
from ccl_viewer.session.files import work
from ccl_viewer.session.runs import recording_work
from ccl_viewer.session.showing import displayed_run

LARGE = "pattern:full?width=2048&height=2048"


@pytest.fixture
def gate() -> threading.Event:
    """What takes long waits until this is set, as it is at first."""
    event = threading.Event()
    event.set()
    return event


@pytest.fixture
def threads(monkeypatch: pytest.MonkeyPatch, gate: threading.Event) -> dict[str, set[str]]:
    """Which threads did what takes long."""
    seen: dict[str, set[str]] = {}

    def noted(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **named: Any) -> Any:
            seen.setdefault(name, set()).add(threading.current_thread().name)
            assert gate.wait(PATIENCE / 1000), "the window's thread was held up"
            return function(*arguments, **named)

        return call

    for module, name in (
        (work, "open_grid"),
        (work, "save_grid"),
        (work, "export"),
        (displayed_run, "colouring_of"),
        (recording_work, "colouring_of"),
        (recording_work, "open_device"),
    ):
        monkeypatch.setattr(module, name, noted(name, getattr(module, name)))
    monkeypatch.setattr(Recorder, "run", noted("run", Recorder.run))
    monkeypatch.setattr(Recording, "save", noted("save", Recording.save))
    return seen


def test_long_work_is_done_elsewhere_while_the_window_lives(
    make_window: MakeWindow,
    qtbot: QtBot,
    threads: dict[str, set[str]],
    gate: threading.Event,
    tmp_path: Path,
) -> None:
    window = make_window()
    session = window.session
    session.configure(algorithm_key="ha4")

    def lives_during(begin: Callable[[], object]) -> None:
        gate.clear()
        with Heartbeat() as heart:
            begin()
            assert session.busy
            qtbot.waitUntil(lambda: heart.beats > 2, timeout=PATIENCE)
            assert session.busy
        gate.set()
        wait_idle(qtbot, window)

    lives_during(lambda: session.open(LARGE))
    lives_during(lambda: session.save(tmp_path / "run.cclrec"))
    lives_during(lambda: session.save(tmp_path / "grid.png"))
    assert set(threads) >= {"open_grid", "run", "save", "save_grid", "open_device"}
    for name, where in threads.items():
        assert all(thread.startswith("ccl-viewer-job") for thread in where), name


def test_an_export_is_done_elsewhere_and_cancelled_at_once(
    make_window: MakeWindow, qtbot: QtBot, threads: dict[str, set[str]], tmp_path: Path
) -> None:
    window = make_window("pattern:noise?width=512&height=512&density=0.5")
    session = window.session
    session.output.export(tmp_path / "run.gif", ExportOptions())
    with Heartbeat() as heart:
        qtbot.waitUntil(lambda: bool(session.job and session.job.fraction), timeout=PATIENCE)
        session.cancel()
        wait_idle(qtbot, window)
    assert heart.beats > 2
    assert all(thread.startswith("ccl-viewer-job") for thread in threads["export"])
    assert not (tmp_path / "run.gif").exists()
    assert session.message is not None
    assert "stopped" in session.message.text


def test_a_run_is_cancelled_without_waiting_for_it(
    make_window: MakeWindow, qtbot: QtBot, threads: dict[str, set[str]]
) -> None:
    window = make_window()
    session = window.session
    session.configure(algorithm_key="shibata_naive")
    session.open("pattern:spiral?size=2047")
    qtbot.waitUntil(lambda: session.running and session.playback.count > 0, timeout=PATIENCE)
    session.cancel()
    assert session.job is None or session.job.cancel.cancelled
    wait_idle(qtbot, window)
    assert session.recording is not None
    assert not session.recording.complete
    assert all(thread.startswith("ccl-viewer-job") for thread in threads["run"])


def test_the_heart_stops_while_the_window_is_held_up(qtbot: QtBot) -> None:
    with Heartbeat() as heart:
        threading.Event().wait(0.02)
    assert heart.beats == 0
    with Heartbeat() as heart:
        qtbot.waitUntil(lambda: heart.beats > 2, timeout=PATIENCE)
