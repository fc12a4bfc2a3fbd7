"""What was made from files is made again once they change, and not before."""

from __future__ import annotations

import os
from pathlib import Path

from ccl_viewer.devices.file_cache import FileCache

LONG_AGO = 1_000_000_000  # seconds


class Maker:
    """Makes the text of a file, and counts how often."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.made = 0

    def __call__(self) -> tuple[str, tuple[Path, ...]]:
        self.made += 1
        return self.path.read_text(), (self.path,)


def written(path: Path, text: str, seconds: int) -> Path:
    path.write_text(text)
    os.utime(path, (seconds, seconds))
    return path


def test_what_has_not_changed_is_made_once(tmp_path: Path) -> None:
    make = Maker(written(tmp_path / "a", "one", LONG_AGO))
    remembered: FileCache[str, str] = FileCache()
    assert [remembered.get("a", make) for _ in range(3)] == ["one"] * 3
    assert make.made == 1
    assert remembered.get("b", make) == "one"
    assert make.made == 2


def test_another_time_or_size_or_no_file_counts_as_change(tmp_path: Path) -> None:
    path = written(tmp_path / "a", "one", LONG_AGO)
    remembered: FileCache[str, str] = FileCache()
    assert remembered.get("a", Maker(path)) == "one"
    written(path, "two", LONG_AGO + 1)
    assert remembered.get("a", Maker(path)) == "two"
    written(path, "three", LONG_AGO + 1)
    assert remembered.get("a", Maker(path)) == "three"
    path.unlink()
    assert remembered.get("a", lambda: ("gone", (path,))) == "gone"


def test_what_was_written_a_moment_ago_is_not_trusted(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_text("one")
    make = Maker(path)
    remembered: FileCache[str, str] = FileCache()
    assert remembered.get("a", make) == "one"
    time = path.stat().st_mtime_ns
    path.write_text("two")
    os.utime(path, ns=(time, time))  # a change that the file's time does not show
    assert remembered.get("a", make) == "two"
