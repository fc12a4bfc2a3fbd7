"""A drawing that is in no file outlives a killed process."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from support.models import HeldExecutor, inline_session

from ccl_viewer.grids.shapes import Box
from ccl_viewer.window.core.autosave import STATE_VARIABLE
from ccl_viewer.window.core.messages import Message, MessageKind
from ccl_viewer.window.core.session import Session

KILLED = """
import os, signal
import numpy as np
from support.models import inline_session
session = inline_session()
session.document.replace(np.eye(7, 9, dtype=np.uint8), "Draw")
session.document.replace(np.eye(7, 9, dtype=np.uint8) * 9, "Draw", multivalued=True)
session.document.selection.paste(np.full((2, 2), 9, np.uint8), (8, 0))
session.files.autosave.write()
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where drawings are kept."""
    monkeypatch.setenv(STATE_VARIABLE, str(tmp_path))
    return tmp_path / "drawings"


@pytest.fixture
def make() -> Iterator[Callable[[], Session]]:
    """Makes the sessions of windows of one user."""
    made: list[Session] = []

    def make_one() -> Session:
        session = inline_session()
        session.files.open("pattern:shibata")
        made.append(session)
        return session

    yield make_one
    for session in made:
        session.close()


def names(folder: Path) -> list[str]:
    """Suffixes of all files that are kept."""
    return sorted(path.suffix for path in folder.iterdir()) if folder.exists() else []


def draw(session: Session, *cells: tuple[int, int]) -> None:
    for cell in cells:
        session.tools.press(cell)
        session.tools.release()


def message_of(session: Session) -> Message | None:
    return session.messages.message


def offered(session: Session) -> bool:
    session.files.look_for_recovery_file()
    return session.files.recovered_drawing is not None


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such signal")
def test_a_drawing_of_a_killed_process_comes_back(
    make: Callable[[], Session], folder: Path
) -> None:
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", KILLED], check=False, env=environment)
    assert done.returncode == -9
    expected = np.eye(7, 9, dtype=np.uint8) * 9
    expected[0:1, 7:9] = 9  # the part of the floating patch inside the grid
    session, other = make(), make()
    assert offered(session)
    assert not offered(other)  # another window does not take it
    left = session.files.recovered_drawing
    assert left is not None
    assert left.path.stat().st_mode & 0o777 == 0o600
    assert folder.stat().st_mode & 0o777 == 0o700
    session.files.restore_recovery_file()
    np.testing.assert_array_equal(session.document.grid, expected)
    assert session.document.multivalued
    assert session.document.dirty
    assert not session.document.can_undo  # which would leave an empty grid
    assert session.display.recording is not None
    assert names(folder) == [".lock", ".png"]  # it stays, under the name of this window
    assert not offered(other)
    session.document.give_up()
    session.close()
    assert names(folder) == []


def test_the_newest_of_several_drawings_is_offered_first(
    make: Callable[[], Session], folder: Path
) -> None:
    for _ in range(3):
        session = make()
        draw(session, (0, 0))
        session.close()
    first, newest, last = sorted(folder.glob("*.png"))
    for seconds, path in ((100, first), (300, newest), (200, last)):
        os.utime(path, (seconds, seconds))
    other = make()
    assert offered(other)
    assert other.files.recovered_drawing is not None
    assert other.files.recovered_drawing.path == newest


def test_each_window_has_a_file_which_goes_when_nothing_would_be_lost(
    make: Callable[[], Session], folder: Path, tmp_path: Path
) -> None:
    session, other = make(), make()
    write = session.files.autosave.write
    write()
    assert names(folder) == []
    draw(session, (0, 0))
    write()
    assert names(folder) == [".lock", ".png"]
    assert not offered(other)
    session.document.undo()
    write()
    assert names(folder) == []
    session.document.redo()
    write()
    assert names(folder) == [".lock", ".png"]
    session.files.save(tmp_path / "saved.png")
    write()
    assert names(folder) == []
    session.close()
    assert names(folder) == []


def test_what_is_drawn_while_the_file_is_written_is_written_too(
    make: Callable[[], Session],
) -> None:
    executor = HeldExecutor()
    session = inline_session(executor)
    session.document.new(9, 9)
    executor.work()
    draw(session, (0, 0))
    executor.work()
    session.files.autosave.write()
    session.document.invert()  # puts other cells in place of those that are being written
    session.files.autosave.write()
    executor.work()
    grid = np.array(session.document.grid)
    path = session.files.autosave.claim()
    before = path.read_bytes()
    session.close()
    assert path.read_bytes() == before
    again = make()
    assert offered(again)
    again.files.restore_recovery_file()
    np.testing.assert_array_equal(again.document.grid, grid)
    again.document.give_up()


def test_what_floats_is_kept_as_if_it_were_placed(make: Callable[[], Session]) -> None:
    session = make()
    session.document.selection.select(Box(0, 0, 2, 2))
    session.document.selection.move(3, 3)
    session.files.autosave.write()
    path = session.files.autosave.claim()
    before = path.read_bytes()
    session.document.selection.place()
    session.files.autosave.write()
    assert path.read_bytes() == before
    session.document.give_up()


def test_the_users_own_drawing_is_kept_while_a_lesson_shows_another(
    make: Callable[[], Session],
) -> None:
    session = make()
    draw(session, (0, 0))
    session.files.autosave.write()
    path = session.files.autosave.claim()
    before = path.read_bytes()
    session.document.set_aside()
    session.document.load_grid(np.ones((3, 3), np.uint8), "A lesson")
    draw(session, (1, 1))
    session.files.autosave.write()
    assert path.read_bytes() == before
    session.document.give_up()


def test_a_folder_that_cannot_be_used_is_said_once(
    make: Callable[[], Session], tmp_path: Path
) -> None:
    session = make()
    (tmp_path / "drawings").write_text("")
    draw(session, (0, 0))
    session.files.autosave.write()
    assert session.messages.message is not None
    assert session.messages.message.kind is MessageKind.WARNING
    assert "lost in a crash" in session.messages.message.text
    session.messages.dismiss()
    draw(session, (1, 0))
    session.files.autosave.write()
    assert message_of(session) is None
    assert not offered(session)


def test_what_is_no_drawing_is_left_alone_or_refused(
    make: Callable[[], Session], folder: Path
) -> None:
    session = make()
    folder.mkdir()
    (folder / "a.png").mkdir()
    (folder / "b.png").write_bytes(b"")
    (folder / "c.txt").write_text("#")
    if sys.platform != "win32":
        os.mkfifo(folder / "d.png")
        (folder / "e.png").symlink_to("/dev/zero")
    assert not offered(session)
    (folder / "f.png").write_bytes(b"no picture")
    assert offered(session)
    session.files.restore_recovery_file()
    assert session.messages.message is not None
    assert session.messages.message.kind is MessageKind.ERROR
    assert (folder / "f.png").exists()
    session.files.discard_recovery_file()
    assert not (folder / "f.png").exists()


def test_a_drawing_that_takes_gigabytes_is_not_taken_for_a_broken_file(
    make: Callable[[], Session], folder: Path
) -> None:
    """The user has confirmed to open it, so there is no second question."""
    session = make()
    folder.mkdir()
    (folder / "a.png").write_bytes(b"P5\n16384 16384\n255\n")
    assert offered(session)
    session.files.restore_recovery_file()
    assert session.messages.message is not None
    assert "is damaged" in session.messages.message.text  # as it was read
