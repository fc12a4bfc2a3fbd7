"""The window keeps a drawing against a crash, and offers it when it is started again."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMessageBox
from pytestqt.qtbot import QtBot
from support.windows import PATIENCE, MakeWindow, cell_at, wait_idle

from ccl_viewer.grids import save_grid
from ccl_viewer.session import Session
from ccl_viewer.session.files.autosave import drawings_folder
from ccl_viewer.views.app import end
from ccl_viewer.views.files import unsaved
from ccl_viewer.views.main_window import MainWindow

PROGRAM = """
import os, signal, sys
import numpy as np
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QMessageBox
from ccl_viewer.views import app
from ccl_viewer.views.main_window import MainWindow
from ccl_viewer.views.options import WindowOptions

def look():
    (window,) = [w for w in QApplication.topLevelWidgets() if isinstance(w, MainWindow)]
    session = window.session
    if session.busy or session.grid is None:
        return
    if sys.argv[1] == "draw":
        if not session.keeping.at_risk:
            session.drawing.put(np.eye(5, dtype=np.uint8), "Draw")
        path = session.autosave.path
        if path is not None and path.exists() and path.stat().st_size:
            os.kill(os.getpid(), signal.SIGKILL)
    elif window.unsaved.offer_box is not None:
        window.unsaved.offer_box.button(QMessageBox.StandardButton.Yes).click()
    elif session.source == "Restored drawing":
        print(session.grid.tolist(), session.keeping.at_risk, window.isWindowModified())
        clock.stop()
        session.keeping.give_up()
        window.close()

clock = QTimer(interval=5)
clock.timeout.connect(look)
begin = app.open_window

def opened(options):
    clock.start()
    return begin(options)

app.open_window = opened
sys.exit(app.run(WindowOptions(source="pattern:shibata", device="emulator")))
"""


@pytest.fixture(autouse=True)
def _prompt(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unsaved, "_PAUSE", 0)


def program(task: str) -> subprocess.CompletedProcess[str]:
    """Run the program, and let it draw or restore."""
    return subprocess.run(
        [sys.executable, "-c", PROGRAM, task],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env=os.environ | {"QT_QPA_PLATFORM": "offscreen"},
    )


def leave(grid: np.ndarray) -> Path:
    """Leave a drawing as a killed process does."""
    drawings_folder().mkdir(parents=True, exist_ok=True)
    path = drawings_folder() / f"{grid.size}.png"
    save_grid(path, grid.astype(np.uint8))
    return path


def is_asked(window: MainWindow) -> bool:
    """Whether an offer waits for an answer."""
    return window.unsaved.offer_box is not None


def answer(window: MainWindow, button: QMessageBox.StandardButton) -> None:
    """Answer the offer."""
    box = window.unsaved.offer_box
    assert box is not None
    QTest.mouseClick(box.button(button), Qt.MouseButton.LeftButton)


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such signal")
def test_a_drawing_comes_back_after_the_program_was_killed() -> None:
    assert program("draw").returncode == -9
    again = program("restore")
    assert again.returncode == 0, again.stderr
    assert again.stdout == f"{np.eye(5, dtype=int).tolist()} True True\n"
    assert not list(drawings_folder().iterdir())


def test_a_drawing_is_written_soon_after_an_edit(window: MainWindow, qtbot: QtBot) -> None:
    QTest.mouseClick(window.canvas, Qt.MouseButton.LeftButton, pos=cell_at(window, (0, 0)))

    def written() -> bool:
        path = window.session.autosave.path
        return path is not None and path.exists() and path.stat().st_size > 0

    qtbot.waitUntil(written, timeout=PATIENCE)
    wait_idle(qtbot, window)
    window.session.keeping.give_up()
    window.close()
    assert not list(drawings_folder().iterdir())


def test_the_answers(make_window: MakeWindow, qtbot: QtBot) -> None:
    first, second = leave(np.eye(3)), leave(np.eye(4))
    os.utime(first, (1e9, 1e9))
    window = make_window("pattern:shibata")
    window.unsaved.offer()
    answer(window, QMessageBox.StandardButton.Cancel)
    assert not is_asked(window)
    assert second.exists()
    window.unsaved.offer()
    answer(window, QMessageBox.StandardButton.Discard)
    assert not second.exists()
    assert is_asked(window)  # about the other one
    answer(window, QMessageBox.StandardButton.Yes)
    wait_idle(qtbot, window)
    assert window.session.grid is not None
    assert np.array_equal(window.session.grid, np.eye(3))
    assert window.session.keeping.at_risk
    assert not first.exists()


def test_nothing_is_offered_where_nothing_was_left(window: MainWindow) -> None:
    window.unsaved.offer()
    assert not is_asked(window)


def test_a_window_that_closes_leaves_what_it_offered(make_window: MakeWindow) -> None:
    path = leave(np.eye(3))
    window = make_window("pattern:shibata")
    window.unsaved.offer()
    window.close()
    assert path.exists()


def test_who_ends_the_program_without_an_answer_is_offered_the_drawing_again(
    window: MainWindow, qtbot: QtBot, session: Session
) -> None:
    QTest.mouseClick(window.canvas, Qt.MouseButton.LeftButton, pos=cell_at(window, (0, 0)))
    wait_idle(qtbot, window)
    end(window, again=False)
    assert window.isVisible()
    qtbot.waitUntil(lambda: any(path.suffix == ".png" for path in drawings_folder().iterdir()))
    end(window, again=True)
    assert not window.isVisible()
    assert session.autosave.offer() is not None
    session.autosave.discard()
