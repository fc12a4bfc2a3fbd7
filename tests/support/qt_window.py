"""What tests of the window share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from PySide6.QtWidgets import QAbstractButton

if TYPE_CHECKING:
    from PySide6.QtWidgets import QLayout
    from pytestqt.qtbot import QtBot

    from ccl_viewer.window.core.session import Session
    from ccl_viewer.window.main_window import MainWindow

PATIENCE = 30_000
"""Milliseconds after which waiting for a condition gives up."""


class MakeWindow(Protocol):
    """Makes a window that is shown; with a source, waits until it is opened and run."""

    def __call__(self, source: str | None = None, /) -> MainWindow: ...


class MakeSession(Protocol):
    """Makes a session whose work runs on threads; with a source, waits until it is run."""

    def __call__(self, source: str | None = None, /) -> Session: ...


def open_and_run(qtbot: QtBot, session: Session, source: str) -> None:
    """Open a source, and wait until its run is on display."""
    session.files.open(source)
    qtbot.waitUntil(lambda: session.document.grid is not None, timeout=PATIENCE)
    wait_idle(qtbot, session)
    if session.display.recording is None:
        session.runs.run()
        wait_idle(qtbot, session)


def wait_idle(qtbot: QtBot, session: Session) -> None:
    """Wait until no work that the user waits for is in progress."""
    qtbot.waitUntil(lambda: session.tasks.current is None, timeout=PATIENCE)


def first_button(layout: QLayout) -> QAbstractButton:
    """Return the button that a layout begins with."""
    item = layout.itemAt(0)
    assert item is not None
    button = item.widget()
    assert isinstance(button, QAbstractButton)
    return button
