"""A window that is treated at random stays whole: no error escapes, and its parts agree."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QMenu, QWidget
from pytestqt.qtbot import QtBot
from support.qt_window import MakeWindow, wait_idle

from ccl_viewer import record
from ccl_viewer.algorithms import ALGORITHMS
from ccl_viewer.views.main_window import MainWindow

EVENTS = 50
KEYS = "nacgvjpelrofmi[],. "
SPECIAL = (Qt.Key.Key_Home, Qt.Key.Key_End, Qt.Key.Key_Left, Qt.Key.Key_Escape, Qt.Key.Key_Return)
SOURCES = ("pattern:shibata", "pattern:noise?width=64&height=48", "pattern:empty?width=7&height=9")
LEFT_OUT = {
    "quit",
    "go_to",
    "open_lesson",
    "copy_kernel",
    "try_orders",
    "measure",
    "compare_measure",
    "tour",
    "projector",
}


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, ...]:
    """Files of several kinds, whole and broken."""
    folder = tmp_path / "files"
    folder.mkdir()
    np.save(folder / "values.npy", np.arange(400).reshape(20, 20).astype(np.uint8) % 5)
    (folder / "broken.png").write_bytes(b"\x89PNG\r\n\x1a\nxxxx")
    (folder / "broken.cclrec").write_bytes(b"PK\x03\x04zz")
    (folder / "small.txt").write_text("#..#\n.##.\n")
    record(np.ones((4, 5), np.uint8), algorithm="ha4").save(folder / "run.cclrec")
    return tuple(str(path) for path in sorted(folder.iterdir()))


def check_whole(window: MainWindow) -> None:
    session = window.session
    grid, recording = session.document.grid, session.display.recording
    assert 0 <= session.playback.position < max(session.playback.count, 1)
    if grid is not None:
        for cell in (session.view.hover, session.view.cursor):
            assert cell is None or (cell[0] < grid.shape[1] and cell[1] < grid.shape[0])
    if recording is not None and not session.display.stale and not session.runs.running:
        assert grid is not None
        if not session.comparison.open and not session.lessons.is_open:
            assert np.array_equal(recording.image, grid)
    message = session.messages.message
    assert message is None or "made a mistake" not in message.text, message.details


def close_what_opened(window: MainWindow) -> None:
    while (popup := QApplication.activePopupWidget()) is not None:
        popup.close()
    for dialog in window.findChildren(QDialog) + window.findChildren(QMenu):
        if dialog.isVisible():
            dialog.close()


def act(window: MainWindow, chance: random.Random, files: tuple[str, ...]) -> None:
    """Do one thing."""
    canvas = window.canvas
    x, y = chance.randrange(canvas.width()), chance.randrange(canvas.height())
    place, end = QPoint(x, y), QPoint(x // 2, y // 2)
    button = chance.choice((Qt.MouseButton.LeftButton, Qt.MouseButton.RightButton))
    kind = chance.randrange(8)
    if kind < 3:
        names = [name for name in window.actions if name not in LEFT_OUT]
        window.actions[chance.choice(names)].trigger()
    elif kind == 3:
        QTest.keyClicks(canvas, chance.choice(KEYS))
    elif kind == 4:
        QTest.keyClick(canvas, chance.choice(SPECIAL))
    elif kind == 5:
        QTest.mousePress(canvas, button, pos=place)
        QTest.mouseMove(canvas, end)
        QTest.mouseRelease(canvas, button, pos=end)
    elif kind == 6:
        window.session.files.open(chance.choice((*SOURCES, *files)))
    else:
        box: QWidget = window.settings_bar.algorithm
        window.settings_bar._configure(algorithm=chance.choice(list(ALGORITHMS)))
        assert box.isEnabled()


@pytest.mark.parametrize("seed", [1, 8, 21])
def test_nothing_breaks_it(
    make_window: MakeWindow, qtbot: QtBot, files: tuple[str, ...], seed: int
) -> None:
    window = make_window("pattern:shibata")
    chance = random.Random(seed)  # noqa: S311  (the same for each seed)
    for number in range(EVENTS):
        act(window, chance, files)
        QApplication.processEvents()
        close_what_opened(window)
        if number % 10 == 9:
            window.session.tasks.cancel()
            wait_idle(qtbot, window.session)
            check_whole(window)
    QApplication.clipboard().clear()
