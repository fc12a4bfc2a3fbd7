"""Exports that fail leave what was there before, and nothing else."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ccl_viewer.export import EXPORT_FORMATS

_EXPORT = """
import json, resource, sys
from support.grids import noise
from support.fakes import recorded
from ccl_viewer.errors import InputError
from ccl_viewer.export import export
recording = recorded(noise(40, 40, 0.6), passes=3)
for name in json.loads(sys.argv[1]):
    if name.endswith(".mp4"):
        import av
    if name.endswith(".zarr"):
        import zarr
resource.setrlimit(resource.RLIMIT_FSIZE, (400, resource.RLIM_INFINITY))
for name in json.loads(sys.argv[1]):
    try:
        export(recording, name)
    except InputError as error:
        print("refused", error)
    else:
        print("written", name)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows limits no sizes of files")
def test_a_full_disk_is_one_sentence_and_leaves_what_was_there(tmp_path: Path) -> None:
    names = []
    for place, row in enumerate(EXPORT_FORMATS):
        path = tmp_path / f"run{place}{'' if row.suffix == '/' else row.suffix}"
        names.append(str(path))
        if not row.is_folder:
            path.write_text("old")
    before = sorted(path.name for path in tmp_path.iterdir())
    done = subprocess.run(
        [sys.executable, "-c", _EXPORT, json.dumps(names)],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
    )
    lines = done.stdout.splitlines()
    assert len(lines) == len(names), done.stderr
    for name, line in zip(names, lines, strict=True):
        assert line.startswith("refused"), (name, line)
        assert f" {name} cannot be written" in line, (name, line)
    assert sorted(path.name for path in tmp_path.iterdir()) == before
    for path in tmp_path.iterdir():
        assert path.read_text() == "old"


_COMMANDS = """
import json, resource, sys
from ccl_viewer.cli import main
limit, folder, *command = sys.argv[1:]
main(command)  # imports and compiles
resource.setrlimit(resource.RLIMIT_FSIZE, (int(limit), resource.RLIM_INFINITY))
sys.exit(main([*command, "-o", folder]))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows limits no sizes of files")
@pytest.mark.parametrize(
    ("limit", "command"),
    [
        (900, ("check", "ha4", "-p", "variant=printed", "-c", "4", "--orders", "1", "--grid")),
        (3000, ("bench", "-a", "ha4", "-d", "emulator")),
    ],
)
def test_a_folder_of_outputs_on_a_full_disk_is_written_whole_or_not_at_all(
    limit: int, command: tuple[str, ...], tmp_path: Path
) -> None:
    grid = "pattern:noise?width=96&height=4&density=0.6"
    folder = tmp_path / "a" / "b"
    done = subprocess.run(
        [sys.executable, "-c", _COMMANDS, str(limit), str(folder), *command, grid],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2, done.stdout + done.stderr
    assert "cannot be written" in done.stderr
    assert [*tmp_path.iterdir()] == []
