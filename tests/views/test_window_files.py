"""Opening, dropping, saving and exporting files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot
from support.windows import (
    answer_names,
    position,
    wait_idle,
)

from ccl_viewer.session import MessageKind
from ccl_viewer.views.main_window import MainWindow


def test_dropping_a_file_opens_it(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    path = tmp_path / "two.txt"
    path.write_text("##.\n..#\n")
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    event = QDropEvent(
        QPointF(10, 10),
        Qt.DropAction.CopyAction,
        data,
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
    )
    window.dropEvent(event)
    wait_idle(qtbot, window)
    assert window.session.grid is not None
    assert window.session.grid.shape == (2, 3)
    assert window.session.title == "two.txt"


def test_a_bad_file_gives_a_message_and_keeps_the_grid(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    grid = window.session.grid
    path = tmp_path / "photo.png"
    path.write_text("no picture")
    window.session.open(str(path))
    wait_idle(qtbot, window)
    message = window.canvas_panel.notices.message
    assert message.isVisible()
    assert "photo.png" in message.text.text()
    assert window.session.grid is grid
    assert position(window) == window.session.playback.count - 1
    QTest.mouseClick(message.dismiss, Qt.MouseButton.LeftButton)
    assert not message.isVisible()


def test_open_and_save_ask_for_names(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names: Iterator[str] = iter(
        [str(tmp_path / "run.cclrec"), str(tmp_path / "grid.png"), str(tmp_path / "steps.csv"), ""]
    )
    answer_names(monkeypatch, lambda: (next(names), ""))
    for name in ("save", "save_grid", "save_table", "save"):
        window.actions_table[name].trigger()
        wait_idle(qtbot, window)
    assert {path.name for path in tmp_path.iterdir()} >= {"run.cclrec", "grid.png", "steps.csv"}
    monkeypatch.setattr(
        QFileDialog, "getOpenFileName", lambda *_: (str(tmp_path / "run.cclrec"), "")
    )
    window.actions_table["open"].trigger()
    wait_idle(qtbot, window)
    assert window.session.title == "run.cclrec"
    assert position(window) == 0


def test_a_pattern_that_there_is_not_gives_a_sentence(window: MainWindow, qtbot: QtBot) -> None:
    before = window.session.grid
    for spec, why in (("pattern:nope", "no pattern"), ("pattern:mosaic?sizes=9", "no parameter")):
        window.intake.open_pattern(spec)
        wait_idle(qtbot, window)
        message = window.session.message
        assert message is not None
        assert message.kind is MessageKind.ERROR
        assert why in message.text
        assert window.session.grid is before
