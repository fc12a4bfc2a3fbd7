"""Recent files that are gone: said, forgotten, and in nobody's place."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from support.closing import close
from support.windows import MakeWindow, wait_idle

from ccl_viewer.session.settings import Settings
from ccl_viewer.views.files.recent import MOST, RecentFiles, RecentList


def files(folder: Path, count: int) -> list[str]:
    paths = [folder / f"{number}.txt" for number in range(count)]
    for path in paths:
        path.write_text("#")
    return [str(path) for path in paths]


def test_a_recent_file_that_is_gone_is_said_and_forgotten(
    make_window: MakeWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    window = make_window()
    recent, (path,) = window.intake.recent, files(tmp_path, 1)
    recent.add(path)
    shown_list = window.canvas_panel.empty.findChild(RecentList)
    assert isinstance(shown_list, RecentList)
    Path(path).unlink()
    shown_list.buttons[0].click()
    wait_idle(qtbot, window)
    assert window.session.message is not None
    assert "0.txt" in window.session.message.text
    assert shown_list.buttons == []
    Path(path).write_text("#")
    assert recent.files == []


def test_a_recent_file_in_a_folder_that_was_closed_is_in_nobodys_way(
    make_window: MakeWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (path,) = files(tmp_path, 1)
    RecentFiles(Settings()).add(path)
    close(monkeypatch, tmp_path)
    window = make_window()
    assert window.intake.recent.files == []
    window.intake.open_recent(path)
    wait_idle(qtbot, window)
    assert window.intake.recent.files == []


def test_files_that_are_gone_take_no_place_of_those_that_are_there(
    tmp_path: Path, qapp: QApplication
) -> None:
    recent = RecentFiles(Settings(tmp_path / "a.json"))
    paths = files(tmp_path, MOST + 3)
    for path in paths[:MOST]:
        recent.add(path)
    for path in paths[3:MOST]:
        Path(path).unlink()
    for path in paths[MOST:]:
        recent.add(path)
    assert recent.files == [*paths[: MOST - 1 : -1], *paths[2::-1]]
