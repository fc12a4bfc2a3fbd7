"""A drawing that is in no file outlives a killed process."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from support.sessions import HeldRunner, draw

from ccl_viewer.grids.shapes import Box
from ccl_viewer.session import MessageKind, Session
from ccl_viewer.session.files.autosave import STATE_VARIABLE

KILLED = """
import os, signal, sys
import numpy as np
from ccl_viewer.session import Session
from support.sessions import HeldRunner
runner = HeldRunner()
session = Session(runner)
session.drawing.put(np.eye(7, 9, dtype=np.uint8), "Draw")
session.drawing.put(np.eye(7, 9, dtype=np.uint8) * 9, "Draw", multivalued=True)
session.tools.selection.paste(np.full((2, 2), 9, np.uint8), (8, 0))
runner.work_all()
session.autosave.write()
runner.work_all()
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where drawings are kept."""
    monkeypatch.setenv(STATE_VARIABLE, str(tmp_path))
    return tmp_path / "drawings"


@pytest.fixture
def other() -> Iterator[Session]:
    """Another window of the same user."""
    session = Session(HeldRunner())
    yield session
    session.close()
    session.autosave.close()


def kill_one() -> None:
    """Let a process draw, and be killed."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", KILLED], check=False, env=environment)
    assert done.returncode == -9


def names(folder: Path) -> list[str]:
    """Suffixes of all files that are kept."""
    return sorted(path.suffix for path in folder.iterdir()) if folder.exists() else []


def keep(session: Session, runner: HeldRunner) -> None:
    """Write the drawing now."""
    session.autosave.write()
    runner.work_all()


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such signal")
def test_a_drawing_of_a_killed_process_comes_back(
    session: Session, runner: HeldRunner, other: Session, folder: Path
) -> None:
    kill_one()
    expected = np.eye(7, 9, dtype=np.uint8) * 9
    expected[0:1, 7:9] = 9  # what floated, as far as it lies in the grid
    left = session.autosave.offer()
    assert left is not None
    assert other.autosave.offer() is None  # another window does not take it
    assert left.path.stat().st_mode & 0o777 == 0o600
    assert folder.stat().st_mode & 0o777 == 0o700
    session.autosave.restore()
    runner.work_all()
    assert session.grid is not None
    assert np.array_equal(session.grid, expected)
    assert session.settings.multivalued
    assert session.keeping.at_risk
    assert session.recording is not None
    assert session.recording.complete
    assert names(folder) == [".lock", ".png"]  # it is kept on, under this window's name
    assert other.autosave.offer() is None
    session.close()
    session.autosave.close()
    assert names(folder) == []


def test_a_drawing_is_offered_until_it_is_discarded(
    labelled: Session, runner: HeldRunner, other: Session, folder: Path
) -> None:
    draw(labelled.tools, (0, 0))
    keep(labelled, runner)
    labelled.autosave.close(leave=True)
    for _ in range(2):
        assert other.autosave.offer() is not None
        other.autosave.postpone()
    other.autosave.offer()
    other.autosave.discard()
    assert other.autosave.offer() is None
    assert names(folder) == []


def test_each_window_has_a_file_which_goes_when_nothing_is_at_risk(
    labelled: Session, runner: HeldRunner, other: Session, folder: Path, tmp_path: Path
) -> None:
    keep(labelled, runner)
    assert names(folder) == []
    draw(labelled.tools, (0, 0))
    keep(labelled, runner)
    assert names(folder) == [".lock", ".png"]
    assert other.autosave.offer() is None
    labelled.drawing.undo()
    keep(labelled, runner)
    assert names(folder) == [".lock"]
    labelled.drawing.redo()
    runner.work_all()
    keep(labelled, runner)
    assert names(folder) == [".lock", ".png"]
    labelled.save(tmp_path / "saved.png")
    runner.work_all()
    keep(labelled, runner)
    assert names(folder) == [".lock"]
    labelled.close()
    labelled.autosave.close()
    assert names(folder) == []


def test_what_is_drawn_while_the_file_is_written_is_written_too(
    labelled: Session, runner: HeldRunner, folder: Path
) -> None:
    draw(labelled.tools, (0, 0))
    runner.work_all()
    labelled.autosave.write()
    (writing,) = runner.jobs
    draw(labelled.tools, (1, 0))
    labelled.autosave.write()
    runner.work(writing)
    runner.work_all()
    labelled.close()
    labelled.autosave.close(leave=True)
    again = Session(runner)
    assert again.autosave.offer() is not None
    again.autosave.restore()
    runner.work_all()
    assert again.grid is not None
    assert labelled.grid is not None
    assert np.array_equal(again.grid, labelled.grid)
    again.close()
    again.autosave.close()


def test_the_users_own_drawing_is_kept_with_what_floats_over_it(
    labelled: Session, runner: HeldRunner, other: Session
) -> None:
    labelled.tools.selection.select(Box(0, 0, 2, 2))
    labelled.tools.selection.move(3, 3)
    keep(labelled, runner)
    path = labelled.autosave.path
    assert path is not None
    before = path.read_bytes()
    labelled.tools.selection.place()
    runner.work_all()
    keep(labelled, runner)
    assert path.read_bytes() == before
    labelled.autosave.close()


def test_a_folder_that_cannot_be_used_is_said_once(
    labelled: Session, runner: HeldRunner, tmp_path: Path
) -> None:
    (tmp_path / "drawings").write_text("")
    for cell in ((0, 0), (1, 0)):
        draw(labelled.tools, cell)
        runner.work_all()
        keep(labelled, runner)
        message = labelled.message
        if cell == (0, 0):
            assert message is not None
            assert message.kind is MessageKind.WARNING
            assert "not kept against a crash" in message.text
            labelled.dismiss()
    assert labelled.message is None
    assert labelled.autosave.offer() is None


def test_what_is_no_drawing_is_left_alone_or_refused(
    session: Session, runner: HeldRunner, folder: Path
) -> None:
    folder.mkdir()
    (folder / "a.png").mkdir()
    (folder / "b.png").write_bytes(b"")
    (folder / "c.txt").write_text("#")
    if sys.platform != "win32":
        os.mkfifo(folder / "d.png")
        (folder / "e.png").symlink_to("/dev/zero")
    assert session.autosave.offer() is None
    (folder / "f.png").write_bytes(b"no picture")
    assert session.autosave.offer() is not None
    session.autosave.restore()
    runner.work_all()
    assert session.message is not None
    assert session.message.kind is MessageKind.ERROR
    assert (folder / "f.png").exists()
    session.autosave.discard()
    assert not (folder / "f.png").exists()
    session.autosave.close()


def test_a_drawing_that_takes_gigabytes_is_not_taken_for_a_broken_file(
    session: Session, runner: HeldRunner, folder: Path
) -> None:
    """It was opened when that had been confirmed, so nobody is asked again."""
    folder.mkdir()
    (folder / "a.png").write_bytes(b"P5\n16384 16384\n255\n")
    assert session.autosave.offer() is not None
    session.autosave.restore()
    runner.work_all()
    assert session.message is not None
    assert "is damaged" in session.message.text  # as it was read
    session.autosave.close()
