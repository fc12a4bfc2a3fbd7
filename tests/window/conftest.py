"""Windows and sessions for tests: offscreen, with separate settings, checked for leaks."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import pytest
from pytestqt.qtbot import QtBot
from support.leaks import Snapshot
from support.qt_window import PATIENCE, MakeSession, MakeWindow, open_and_run

from ccl_viewer.window.app import make_application
from ccl_viewer.window.main_window import Poster

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication

    from ccl_viewer.window.core.session import Session
    from ccl_viewer.window.main_window import MainWindow


class PromptBot(QtBot):
    """Asks every millisecond whether a condition holds, and waits for long: machines are busy."""

    def wait(self, ms: int) -> None:
        super().wait(min(ms, 1))

    def waitUntil(  # noqa: N802  (its name in pytest-qt)
        self, callback: Callable[[], bool | None], *, timeout: int = PATIENCE
    ) -> None:
        super().waitUntil(callback, timeout=timeout)

    def waitSignal(  # noqa: N802  (as above)
        self,
        signal: Any,
        *,
        timeout: int = PATIENCE,
        raising: bool | None = None,
        check_params_cb: Callable[..., bool] | None = None,
    ) -> Any:
        return super().waitSignal(
            signal, timeout=timeout, raising=raising, check_params_cb=check_params_cb
        )


@pytest.fixture(scope="session")
def qapp_cls() -> type:
    """The application is the program's own."""
    return type(make_application())


@pytest.fixture
def qtbot(qapp: QApplication, request: pytest.FixtureRequest) -> QtBot:
    """What waits for signals and conditions."""
    return PromptBot(request)


@pytest.fixture(autouse=True)
def _isolated_settings(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    # By default, exports go to the home folder.
    home = str(tmp_path_factory.mktemp("home"))
    monkeypatch.setenv("HOME", home)
    monkeypatch.setenv("USERPROFILE", home)
    monkeypatch.setenv("CCL_VIEWER_SETTINGS", str(tmp_path / "settings.json"))
    monkeypatch.setenv("CCL_VIEWER_STATE", str(tmp_path / "state"))
    monkeypatch.setenv("CCL_VIEWER_COPIES", str(tmp_path / "copies"))
    monkeypatch.setenv("CCL_VIEWER_ALGORITHMS", str(tmp_path / "algorithms.json"))


@pytest.fixture(autouse=True)
def _no_leaks(qapp: QApplication) -> Iterator[None]:
    """Every test ends the threads, timers and windows that it began."""
    before = Snapshot.take()
    yield
    assert before.left_since() == []


@pytest.fixture
def make_session(qtbot: QtBot) -> Iterator[MakeSession]:
    """Makes sessions without a window, which work on threads."""
    from ccl_viewer.window.core.session import Session

    made: list[tuple[Session, Poster]] = []

    def make(source: str | None = None) -> Session:
        poster = Poster()
        session = Session(poster)
        made.append((session, poster))
        if source is not None:
            open_and_run(qtbot, session, source)
        return session

    yield make
    for session, poster in made:
        session.close()
        poster.close()


@pytest.fixture
def session(make_session: MakeSession) -> Session:
    """A session on Shibata's ten by ten cells, labelled."""
    return make_session("pattern:shibata")


@pytest.fixture
def make_window(qapp: QApplication, qtbot: QtBot) -> Iterator[MakeWindow]:
    """Makes windows."""
    from ccl_viewer.window.main_window import MainWindow

    windows: list[MainWindow] = []

    def make(source: str | None = None) -> MainWindow:
        # Else each new widget would be styled as it is made, and again with the window's own sheet.
        qapp.setStyleSheet("")
        window = MainWindow()
        windows.append(window)
        qtbot.addWidget(window)
        window.resize(1280, 720)
        window.show()
        qtbot.waitExposed(window)
        if source is not None:
            open_and_run(qtbot, window.session, source)
        return window

    yield make
    for window in windows:
        window.close_without_asking()


@pytest.fixture
def window(make_window: MakeWindow) -> MainWindow:
    """A window on Shibata's ten by ten cells, labelled."""
    return make_window("pattern:shibata")
