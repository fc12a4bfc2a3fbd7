"""What was made from files is made again once they change, and not before."""

from __future__ import annotations

import os
from pathlib import Path

from ccl_viewer.devices.file_cache import FileCache


class Maker:
    """Makes the text of a file, and counts how often."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.made = 0

    def __call__(self) -> tuple[str, tuple[Path, ...]]:
        self.made += 1
        return self.path.read_text(), (self.path,)


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
