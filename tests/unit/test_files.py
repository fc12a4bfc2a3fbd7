"""Files are written beside and renamed, and pipes are not read."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest
from support.permissions import deny_access

from ccl_viewer.errors import InputError
from ccl_viewer.grids import load_image
from ccl_viewer.lessons.reading import read_lesson_text
from ccl_viewer.recording import open_recording
from ccl_viewer.storage.files import (
    check_new_folder,
    check_writable,
    is_file,
    replacing,
    replacing_folder,
)


def test_a_file_appears_only_when_its_block_ends_well(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    with replacing(path) as beside:
        beside.write_text("new")
        assert not path.exists()
    assert path.read_text() == "new"
    assert list(tmp_path.iterdir()) == [path]


def test_a_failure_leaves_the_old_file_and_no_other(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("old")
    with pytest.raises(KeyError), replacing(path) as beside:
        beside.write_text("half")
        raise KeyError
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_missing_folder_is_said_in_one_sentence(tmp_path: Path) -> None:
    with (
        pytest.raises(InputError, match="cannot be written"),
        replacing(tmp_path / "missing" / "a.txt"),
    ):
        pass


def test_a_folder_appears_only_when_its_block_ends_well(tmp_path: Path) -> None:
    path = tmp_path / "frames"
    with replacing_folder(path) as beside:
        (beside / "0.png").write_bytes(b"x")
        assert not path.exists()
    assert [p.name for p in path.iterdir()] == ["0.png"]
    assert list(tmp_path.iterdir()) == [path]


def test_an_empty_folder_may_be_filled(tmp_path: Path) -> None:
    path = tmp_path / "frames"
    path.mkdir()
    with replacing_folder(path) as beside:
        (beside / "0.png").write_bytes(b"x")
    assert (path / "0.png").exists()


def test_a_folder_with_something_in_it_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("keep")
    with pytest.raises(InputError, match="not empty"), replacing_folder(tmp_path):
        pass
    assert (tmp_path / "precious").read_text() == "keep"


def test_a_failed_folder_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(KeyError), replacing_folder(tmp_path / "frames") as beside:
        (beside / "0.png").write_bytes(b"x")
        raise KeyError
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("check", [check_writable, check_new_folder])
def test_a_name_too_long_is_said_in_one_sentence(
    check: Callable[[Path], None], tmp_path: Path
) -> None:
    with pytest.raises(InputError, match="cannot be written"):
        check(tmp_path / ("n" * 300))


def test_a_name_in_a_closed_folder_is_no_file_that_is_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.txt").write_text("#")
    assert is_file(tmp_path / "a.txt")
    assert not is_file(tmp_path)
    assert not is_file("no\0name")
    deny_access(monkeypatch, tmp_path)
    assert not is_file(tmp_path / "a.txt")


@pytest.mark.parametrize(
    "use", [check_writable, check_new_folder, load_image, open_recording, read_lesson_text]
)
@pytest.mark.parametrize("name", ["a\0b.png", "a\0b/c.png"])
def test_a_name_that_no_file_can_have_is_refused_in_one_sentence(
    use: Callable[[Path], object], name: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match="holds a character that no name can have: choose another"):
        use(tmp_path / name)


@pytest.mark.parametrize("write", [check_writable, lambda path: replacing(path).__enter__()])
def test_a_protected_file_is_not_replaced(
    write: Callable[[Path], object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.txt"
    path.write_text("old")
    path.chmod(0o444)
    monkeypatch.setattr(os, "access", lambda *_: False)  # root never gets this answer
    with pytest.raises(InputError, match="is protected against writing: choose another name"):
        write(path)
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.skipif(os.name == "nt", reason="Windows knows no such permissions")
def test_who_may_read_a_file_stays_when_it_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("old")
    path.chmod(0o640)
    with replacing(path) as beside:
        assert stat.S_IMODE(beside.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def _another_group() -> int:
    """Return a group that files of ours may have but do not get by themselves."""
    if not hasattr(os, "getgroups"):
        pytest.skip("no groups here")
    others = [1234] if os.geteuid() == 0 else [*{*os.getgroups()} - {os.getegid()}]
    return others[0] if others else pytest.skip("this user is in no other group")


def test_the_group_of_a_file_stays_when_it_is_replaced(tmp_path: Path) -> None:
    group, path = _another_group(), tmp_path / "a.txt"
    path.write_text("old")
    os.chown(path, -1, group)
    path.chmod(0o640)
    with replacing(path):
        pass
    assert path.stat().st_gid == group
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


@pytest.mark.skipif(not hasattr(os, "chown"), reason="no groups here")
@pytest.mark.parametrize(
    ("before", "after"), [(0o640, 0o600), (0o664, 0o644), (0o604, 0o600), (0o644, 0o644)]
)
def test_where_the_group_cannot_stay_nobody_may_do_more_than_before(
    before: int, after: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    path = tmp_path / "a.txt"
    path.write_text("old")
    path.chmod(before)
    monkeypatch.setattr(os, "chown", refuse)
    with replacing(path):
        pass
    assert stat.S_IMODE(path.stat().st_mode) == after


@pytest.mark.skipif(os.name == "nt", reason="Windows lets few make links")
def test_of_a_link_the_file_behind_it_is_written(tmp_path: Path) -> None:
    (tmp_path / "far").mkdir()
    path, behind = tmp_path / "a.txt", tmp_path / "far" / "b.txt"
    path.symlink_to(behind)
    for text in ("new", "newer"):
        with replacing(path) as beside:
            beside.write_text(text)
        assert path.is_symlink()
        assert behind.read_text() == text
    assert [*behind.parent.iterdir()] == [behind]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_pipe_is_not_replaced(tmp_path: Path) -> None:
    path = tmp_path / "pipe.png"
    os.mkfifo(path)
    with pytest.raises(InputError, match="is a pipe or a device: name a file"):
        check_writable(path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
@pytest.mark.parametrize("read", [load_image, open_recording, read_lesson_text])
def test_a_pipe_is_not_waited_for(tmp_path: Path, read: Callable[[Path], object]) -> None:
    path = tmp_path / "pipe.png"
    os.mkfifo(path)
    with pytest.raises(InputError, match="is a pipe or a device: save what comes from it"):
        read(path)
