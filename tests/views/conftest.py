"""Windows for tests: offscreen, with settings of their own, and checked for leaks."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from support.export_dialogs import make_dialog
from support.leaks import Snapshot
from support.session_fixtures import labelled, recording, runner, session
from support.windows import MakeWindow, wait_idle

from ccl_viewer.session.files.autosave import STATE_VARIABLE
from ccl_viewer.session.settings import SETTINGS_VARIABLE, Settings
from ccl_viewer.views.app import make_application
from ccl_viewer.views.canvas import picture
from ccl_viewer.views.main_window import MainWindow
from ccl_viewer.views.process.side_work import SideWork

__all__ = ["labelled", "make_dialog", "recording", "runner", "session"]


@pytest.fixture(scope="session")
def qapp_cls() -> type:
    """The application is the program's own."""
    return type(make_application())


class PromptBot(QtBot):
    """Asks every millisecond whether what it waits for has come: most of it comes within a few."""

    def wait(self, ms: int) -> None:
        super().wait(min(ms, 1))


@pytest.fixture
def qtbot(qapp: QApplication, request: pytest.FixtureRequest) -> QtBot:
    """What waits for signals and conditions."""
    return PromptBot(request)


@pytest.fixture(autouse=True)
def _isolated_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SETTINGS_VARIABLE, str(tmp_path / "settings.json"))
    monkeypatch.setenv(STATE_VARIABLE, str(tmp_path / "state"))


@pytest.fixture(autouse=True)
def _no_leaks(qapp: QApplication) -> Iterator[None]:
    """Every test ends the threads, timers and windows that it began."""
    before = Snapshot.take()
    yield
    assert before.left_since() == []


@pytest.fixture(autouse=True)
def _usual_text(qapp: QApplication) -> Iterator[None]:
    """The size of text is the application's: a test that changes it leaves no trace."""
    font = qapp.font()
    yield
    qapp.setFont(font)


@pytest.fixture(autouse=True)
def _unhurried_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    """A picture is found out in one turn: what a test grabs does not depend on the processor."""
    monkeypatch.setattr(picture, "TURN", math.inf)


@pytest.fixture
def make_window(qtbot: QtBot) -> Iterator[MakeWindow]:
    windows: list[MainWindow] = []

    def make(source: str | None = None) -> MainWindow:
        window = MainWindow(Settings())
        windows.append(window)
        qtbot.addWidget(window)
        window.show()
        qtbot.waitExposed(window)
        if source is not None:
            window.session.open(source)
            wait_idle(qtbot, window)
        return window

    yield make
    for window in windows:
        window.session.keeping.give_up()  # nobody is there to be asked about what was drawn
        window.close()


@pytest.fixture
def side() -> Iterator[SideWork]:
    """Runs the previews of a dialog."""
    side = SideWork()
    yield side
    side.listener = None
    side.close()


@pytest.fixture
def window(make_window: MakeWindow) -> MainWindow:
    """A window on Shibata's ten by ten cells, labelled."""
    return make_window("pattern:shibata")
