"""Random input breaks no window: no error escapes, and its texts agree."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from PySide6.QtWidgets import QApplication, QDialog, QMessageBox, QPushButton
from pytestqt.qtbot import QtBot
from support.monkey import Monkey
from support.qt_window import MakeWindow, wait_idle

from ccl_viewer import record
from ccl_viewer.window.main_window import MainWindow

LONG = "CCL_VIEWER_MONKEY"
"""Environment variable: how many things are done to each of ten windows, instead of a few."""

EVENTS = int(os.environ.get(LONG, "60"))
SEEDS = range(10) if LONG in os.environ else (8,)
PATTERNS = (
    "pattern:shibata",
    "pattern:spiral?size=31",
    "pattern:noise?width=64&height=48&density=0.6",
    "pattern:voronoi?width=40&height=30",
    "pattern:empty?width=7&height=9",
)


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, ...]:
    """Files of all kinds, whole and broken."""
    shades = np.arange(40 * 60 * 3, dtype=np.int64).reshape(40, 60, 3) * 7919 % 256
    Image.fromarray(shades.astype(np.uint8)).save(tmp_path / "colours.png")
    Image.fromarray(np.full((1, 1), 255, np.uint8)).save(tmp_path / "one.png")
    np.save(tmp_path / "values.npy", np.arange(400).reshape(20, 20).astype(np.uint8) % 5)
    (tmp_path / "broken.png").write_bytes(b"\x89PNG\r\n\x1a\nxxxx")
    (tmp_path / "broken.cclrec").write_bytes(b"PK\x03\x04zz")
    (tmp_path / "empty.txt").write_text("")
    (tmp_path / "small.txt").write_text("#..#\n.##.\n")
    record(np.ones((4, 5), np.uint8), algorithm="ha4").save(tmp_path / "run.cclrec")
    return tuple(sorted(tmp_path.iterdir()))


@pytest.fixture(autouse=True)
def _nothing_left_on_the_clipboard(qapp: QApplication) -> Iterator[None]:
    yield
    qapp.clipboard().clear()


def check_whole(window: MainWindow) -> None:
    """Check that the parts of a window agree."""
    session = window.session
    grid, recording = session.document.grid, session.display.recording
    assert 0 <= session.playback.position < max(session.playback.count, 1)
    pin = session.view.pin
    for cell in (session.view.hover, session.view.cursor, None if pin is None else pin.cell):
        if cell is not None:
            assert grid is not None
            assert cell[0] < grid.shape[1]
            assert cell[1] < grid.shape[0]
    if recording is not None:
        assert grid is not None
        assert recording.image.shape == grid.shape
        if not session.display.stale and not session.runs.running:
            assert np.array_equal(recording.image, grid)
            assert recording.algorithm == session.runs.settings.algorithm
    message = session.messages.message
    assert message is None or "made a mistake" not in message.text, message


@pytest.mark.parametrize("seed", SEEDS)
def test_nothing_breaks_it(
    make_window: MakeWindow,
    qtbot: QtBot,
    files: tuple[Path, ...],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    seed: int,
) -> None:
    monkeypatch.chdir(tmp_path)  # for names without a folder
    window = make_window("pattern:shibata")
    monkey = Monkey(window, seed, PATTERNS, files)
    for _ in range(0, EVENTS, 10):
        monkey.play(10)
        check_whole(window)
    with monkey.answering():
        wait_idle(qtbot, window.session)
    check_whole(window)


def test_it_answers_a_question_that_its_answer_brings_up(
    make_window: MakeWindow, qtbot: QtBot
) -> None:
    window = make_window()
    dialog = QDialog(window)
    button = QPushButton("Replace", dialog)
    button.clicked.connect(lambda: QMessageBox(dialog).exec())
    button.clicked.connect(dialog.close)
    dialog.open()
    with Monkey(window, 1, PATTERNS).answering():
        qtbot.waitUntil(lambda: not dialog.isVisible())
