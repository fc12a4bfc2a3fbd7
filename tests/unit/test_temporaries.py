"""What a killed process leaves behind is cleared; what a living one writes is not."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ccl_viewer.cli import main
from ccl_viewer.errors import InputError
from ccl_viewer.storage import temporaries
from ccl_viewer.storage.cache import CACHE_VARIABLE
from ccl_viewer.storage.files import replacing, replacing_folder

_WRITE = """
import sys, time
from pathlib import Path
from ccl_viewer.storage.files import replacing, replacing_folder
path = Path(sys.argv[1])
with (replacing_folder if len(sys.argv) > 2 else replacing)(path) as beside:
    (beside / "0.png" if beside.is_dir() else beside).write_bytes(b"half")
    print("writing", flush=True)
    time.sleep(600)
"""


@pytest.fixture(autouse=True)
def notes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "cache"))
    yield tmp_path / "cache" / "unfinished"
    assert temporaries.clear_unfinished() == 0


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "out"
    folder.mkdir()
    return folder


def writing(path: Path, *more: str) -> subprocess.Popen[str]:
    """A process that is in the middle of writing."""
    process = subprocess.Popen(
        [sys.executable, "-c", _WRITE, str(path), *more],
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "writing\n"
    return process


@pytest.mark.parametrize(
    "need", [lambda: temporaries.scratch_folder().__enter__(), temporaries.temporary_folder]
)
def test_a_disk_that_is_full_everywhere_is_one_sentence(
    need: Callable[[], object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "missing"))
    with pytest.raises(InputError, match="make room on the disk, or name another folder"):
        need()


def end(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.wait()
    assert process.stdout is not None
    process.stdout.close()


@pytest.mark.parametrize("more", [(), ("folder",)])
def test_what_a_killed_process_left_is_cleared_at_the_next_start(
    folder: Path, notes: Path, more: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    process = writing(folder / "run.gif", *more)
    assert len([*folder.iterdir()]) == 1
    assert main(["list", "formats"]) == 0
    assert len([*folder.iterdir()]) == 1  # it is being written
    end(process)
    assert len([*folder.iterdir()]) == 1
    assert main(["list", "formats"]) == 0
    assert not [*folder.iterdir()]
    assert not [*notes.iterdir()]


def test_it_is_cleared_by_the_next_file_that_is_written_as_well(folder: Path) -> None:
    end(writing(folder / "run.gif"))
    with replacing(folder / "other.gif") as beside:
        beside.write_bytes(b"whole")
    assert [path.name for path in folder.iterdir()] == ["other.gif"]


def test_files_that_are_being_written_stay(folder: Path) -> None:
    with (
        replacing(folder / "run.gif") as beside,
        replacing_folder(folder / "frames") as frames,
    ):
        assert temporaries.clear_unfinished() == 0
        assert beside.exists()
        assert frames.exists()
    assert sorted(path.name for path in folder.iterdir()) == ["frames", "run.gif"]


def test_nothing_but_temporary_files_is_deleted(folder: Path, notes: Path) -> None:
    precious = folder / "precious.gif"
    precious.write_text("keep")
    notes.mkdir(parents=True)
    (notes / "forged").write_bytes(os.fsencode(precious))
    assert temporaries.clear_unfinished() == 0
    assert precious.read_text() == "keep"
    assert not [*notes.iterdir()]


def test_a_note_just_made_is_left_alone(notes: Path) -> None:
    notes.mkdir(parents=True)
    note = notes / "new"
    note.touch()
    temporaries.clear_unfinished()
    assert note.exists()
    long_ago = time.time() - 3600
    os.utime(note, (long_ago, long_ago))
    temporaries.clear_unfinished()
    assert not note.exists()


def test_files_are_written_where_no_note_can_be_kept(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "file"))
    with replacing(folder / "run.gif") as beside:
        beside.write_bytes(b"whole")
    assert (folder / "run.gif").read_bytes() == b"whole"


def test_long_names_are_cut(folder: Path) -> None:
    path = folder / ("\u00fc" * 120 + ".gif")
    with replacing(path) as beside:
        assert beside.suffix == ".gif"
        beside.write_bytes(b"whole")
    assert path.exists()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
@pytest.mark.parametrize("name", ["run.gif", "frames/"])
def test_an_export_killed_in_the_middle_leaves_nothing(folder: Path, name: str) -> None:
    code = f"""
import os, signal
from support.fakes import picture, recorded
from ccl_viewer.export import export
recording = recorded(picture("##.##\\n#...#\\n###.#"))
export(
    recording,
    {str(folder / name) + ("/" if name.endswith("/") else "")!r},
    progress=lambda done, of: done == 3 and os.kill(os.getpid(), signal.SIGKILL),
)
"""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, check=False)
    assert done.returncode == -signal.SIGKILL
    assert not (folder / name).exists()
    assert len([*folder.iterdir()]) == 1
    assert temporaries.clear_unfinished() == 1
    assert not [*folder.iterdir()]
