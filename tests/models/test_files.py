"""Opening, saving and recent files, without a window."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from support.models import exporter_for, inline_session
from support.qt_window import model_of

from ccl_viewer.lessons import lesson_names
from ccl_viewer.recording import open_recording
from ccl_viewer.window.core.files import MAX_RECENT
from ccl_viewer.window.core.messages import MessageKind
from ccl_viewer.window.core.session import Session
from ccl_viewer.window.core.settings import Settings
from ccl_viewer.window.lessons.model import LessonPlayer


@pytest.fixture
def session() -> Iterator[Session]:
    made = inline_session()
    made.files.open("pattern:shibata")
    yield made
    made.close()


def said(session: Session) -> str:
    assert session.messages.message is not None
    return session.messages.message.text


def has_values(session: Session) -> bool:
    return session.document.multivalued


def draw(session: Session, cell: tuple[int, int] = (0, 0)) -> None:
    session.tools.press(cell)
    session.tools.release()


def test_a_picture_is_divided_as_asked(session: Session, tmp_path: Path) -> None:
    path = tmp_path / "grey.npy"
    np.save(path, np.array([[10, 100, 200]], np.uint8))
    session.files.open(str(path), threshold=150)
    assert session.document.grid is not None
    assert session.document.grid.tolist() == [[0, 0, 1]]
    session.files.open(str(path), threshold=50, invert=True)
    assert session.document.grid.tolist() == [[1, 0, 0]]
    assert session.document.title == "grey.npy"


def test_what_is_opened_is_run_and_shows_the_step_asked_for(session: Session) -> None:
    session.files.open("pattern:spiral?size=9", step=1)
    assert session.display.recording is not None
    assert session.display.recording.image.shape == (9, 9)
    assert session.display.index == 1
    session.files.open("pattern:spirall", step=2)
    assert "spiral" in said(session)
    assert session.document.title == "Spiral"


def test_an_error_goes_when_something_else_is_opened(session: Session, tmp_path: Path) -> None:
    recording = session.display.recording
    assert recording is not None
    kept = tmp_path / "kept.cclrec"
    recording.save(kept)
    for other in ("pattern:spiral", str(kept)):
        session.files.open(str(tmp_path / "missing.png"))
        assert "missing.png" in said(session)
        session.files.open(other)
        assert session.messages.message is None
    session.messages.tell("Saved.")
    session.files.open("pattern:spiral")
    assert said(session) == "Saved."


@pytest.mark.parametrize("content", [b"", b"hello", b"\x89PNG\r\n\x1a\nnonsense"])
def test_a_bad_file_is_said_and_loses_nothing(
    session: Session, tmp_path: Path, content: bytes
) -> None:
    draw(session)
    grid, recording = session.document.grid, session.display.recording
    bad = tmp_path / "bad.png"
    bad.write_bytes(content)
    for begin in (session.files.open, session.files.open_or_import):
        session.messages.dismiss()
        begin(str(bad))
        assert session.messages.message is not None
        assert session.messages.message.kind is MessageKind.ERROR
        assert "bad.png" in said(session)
    assert session.document.dirty
    assert session.document.grid is grid
    assert session.display.recording is recording


def test_a_large_picture_is_refused_unless_it_is_asked_for(
    session: Session, tmp_path: Path
) -> None:
    path = tmp_path / "large.pgm"
    path.write_bytes(b"P5\n16384 16384\n255\n")
    for large, sentence in ((False, "with --large on the command line"), (True, "is damaged")):
        session.files.open(str(path), large=large)
        assert sentence in said(session)


def test_segments_bring_an_algorithm_that_can_label_them(session: Session) -> None:
    session.runs.configure(algorithm="ha4")
    session.files.open("pattern:tiles?width=20&height=20")
    assert session.runs.settings.algorithm == "ha4"
    assert not has_values(session)
    session.files.open_or_import("pattern:tiles?width=20&height=20")
    assert session.runs.settings.algorithm == "label_equivalence"
    assert has_values(session)
    assert "HA4 cannot label several values" in said(session)


def export_recording(session: Session, path: Path) -> None:
    exporter = exporter_for(session)
    exporter.change(path=str(path))
    assert exporter.export(print)


def test_a_recording_is_saved_and_opened(session: Session, tmp_path: Path) -> None:
    path = tmp_path / "run.cclrec"
    export_recording(session, path)
    count = session.display.count
    session.files.open("pattern:spiral?size=9")
    session.files.open(str(path))
    assert (session.display.count, session.display.index) == (count, 0)
    assert session.document.title == "run.cclrec"
    assert session.document.shape == (10, 10)
    assert not session.display.stale
    assert session.display.recording is not None
    assert session.files.recording_path(session.display.recording) == path


def test_a_recording_opens_at_the_step_that_it_names(session: Session, tmp_path: Path) -> None:
    path = tmp_path / "run.cclrec"
    recording = session.display.recording
    assert recording is not None
    recording.save(path, initial_step=2)
    session.files.open(str(path))
    assert session.display.index == 2
    session.files.open(str(path), step=0)
    assert session.display.index == 0


def test_a_grid_is_saved_with_what_floats_over_it(session: Session, tmp_path: Path) -> None:
    session.files.open("pattern:empty?width=8&height=8")
    session.tools.paste(np.ones((3, 3), np.uint8), (1, 1))
    went_on: list[bool] = []
    session.files.save(tmp_path / "mine.npy", lambda: went_on.append(True))
    assert np.load(tmp_path / "mine.npy").sum() == 9
    assert went_on == [True]
    assert not session.document.dirty
    assert session.document.title == "mine.npy"
    session.tools.paste(np.ones((2, 2), np.uint8), (6, 6))
    session.runs.run()
    export_recording(session, tmp_path / "mine.cclrec")
    assert open_recording(tmp_path / "mine.cclrec").image.sum() == 13


def test_a_save_that_failed_saves_nothing(session: Session, tmp_path: Path) -> None:
    draw(session)
    went_on: list[bool] = []
    for name in ("no/folder/mine.txt", "mine.jpeg", "mine.cclrec"):
        session.files.save(tmp_path / name, lambda: went_on.append(True))
        assert session.messages.message is not None
        assert session.messages.message.kind is MessageKind.ERROR
    assert session.document.dirty
    assert went_on == []


def test_an_old_run_does_not_make_the_grid_safe(session: Session, tmp_path: Path) -> None:
    with session.runs.without_runs():
        draw(session)
    export_recording(session, tmp_path / "early.cclrec")
    assert session.document.dirty
    session.runs.run()
    export_recording(session, tmp_path / "run.cclrec")
    assert not session.document.dirty


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("pattern:spiral?size=9", "spiral.png"),
        ("photo.jpeg", "photo-grid.png"),
        ("missing.txt", "missing-grid.png"),
        ("the clipboard", "grid.png"),
    ],
)
def test_a_name_is_suggested(session: Session, source: str, name: str) -> None:
    session.document.load_grid(np.ones((2, 2), np.uint8), source)
    assert session.files.suggested_name == name


def test_a_file_that_holds_the_grid_itself_is_suggested(session: Session, tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    session.files.save(path)
    assert session.files.suggested_name == str(path)
    session.files.open_or_import(str(path))
    assert session.files.suggested_name == str(path)


# Recent files


def test_recent_files_are_ten_at_most_and_exist(session: Session, tmp_path: Path) -> None:
    paths = [tmp_path / f"{number}.txt" for number in range(12)]
    for path in paths:
        path.write_text("#.#\n")
        session.files.open_or_import(str(path))
    assert session.files.recent == tuple(str(path) for path in paths[:1:-1])
    assert len(session.files.recent) == MAX_RECENT
    session.files.open_or_import(str(paths[5]))
    assert session.files.recent[0] == str(paths[5])
    paths[5].unlink()
    assert str(paths[5]) not in session.files.recent
    session.files.clear_recent()
    assert session.files.recent == ()


def test_recent_files_of_another_window_stay(session: Session, tmp_path: Path) -> None:
    paths = [tmp_path / "a.txt", tmp_path / "b.txt"]
    for path in paths:
        path.write_text("#.#\n")
    other = Settings(session.settings.path)
    other.set_value("recent/files", [str(paths[0])])
    other.save()
    session.files.add_recent(str(paths[1]))
    assert session.files.recent == (str(paths[1]), str(paths[0]))


def test_a_recent_file_comes_back_with_its_drive(session: Session, tmp_path: Path) -> None:
    drive, away = tmp_path / "drive", tmp_path / "away"
    drive.mkdir()
    for path in (drive / "old.txt", tmp_path / "new.txt"):
        path.write_text("#.\n.#\n")
    session.files.open(str(drive / "old.txt"))
    drive.rename(away)
    session.files.open(str(tmp_path / "new.txt"))
    assert list(session.files.recent) == [str(tmp_path / "new.txt")]
    away.rename(drive)
    assert list(session.files.recent) == [str(tmp_path / "new.txt"), str(drive / "old.txt")]


def test_a_recent_file_that_is_gone_is_said_and_forgotten(session: Session, tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("#.#\n")
    session.files.add_recent(str(path))
    path.unlink()
    session.files.open_recent(str(path))
    assert "a.txt" in said(session)
    path.write_text("#.#\n")
    assert session.files.recent == ()


def test_a_damaged_list_is_no_list(session: Session) -> None:
    for value in ("text", [1, 2], {"a": 1}):
        session.settings.set_value("recent/files", value)
        assert session.files.recent == ()


def test_opening_ends_a_lesson_and_brings_no_grid_back(session: Session) -> None:
    model_of(session, LessonPlayer).open(lesson_names()[0])
    assert model_of(session, LessonPlayer).lesson is not None
    session.files.open("pattern:comb?width=7&height=5")
    assert not model_of(session, LessonPlayer).is_open
    assert session.document.shape == (5, 7)
    session.document.bring_back_user_grid()
    assert session.document.shape == (5, 7)


def test_each_recording_is_known_by_its_own_file(session: Session, tmp_path: Path) -> None:
    first = session.display.recording
    session.document.invert()
    second = session.display.recording
    assert first is not None
    assert second is not None
    for recording, name in ((first, "a.cclrec"), (second, "b.cclrec")):
        session.files.mark_recording_saved(recording, tmp_path / name, None)
    assert session.files.recording_path(first) == tmp_path / "a.cclrec"
    assert session.files.recording_path(second) == tmp_path / "b.cclrec"
