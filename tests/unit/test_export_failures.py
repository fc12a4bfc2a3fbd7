"""Exports that fail leave what was there before, and nothing else."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from support.fakes import recorded
from support.grids import noise
from support.limits import no_room

from ccl_viewer.cli import main
from ccl_viewer.errors import InputError
from ccl_viewer.export import EXPORT_FORMATS, export
from ccl_viewer.export.formats import ExportFormat


@pytest.mark.skipif(sys.platform == "win32", reason="Windows limits no sizes of files")
@pytest.mark.parametrize("row", EXPORT_FORMATS, ids=lambda row: row.suffix)
def test_a_full_disk_is_one_sentence_and_leaves_what_was_there(
    row: ExportFormat, tmp_path: Path
) -> None:
    path = tmp_path / f"run{'' if row.suffix == '/' else row.suffix}"
    if not row.is_folder:
        path.write_text("old")
    recording = recorded(noise(40, 40, 0.6), passes=3)
    with no_room(400), pytest.raises(InputError) as refused:
        export(recording, f"{path}{'/' if row.suffix == '/' else ''}")
    assert f"{path} cannot be written" in str(refused.value)
    assert [(each, each.read_text()) for each in tmp_path.iterdir()] == (
        [] if row.is_folder else [(path, "old")]
    )


@pytest.mark.skipif(sys.platform == "win32", reason="Windows limits no sizes of files")
@pytest.mark.parametrize(
    ("limit", "command"),
    [
        (900, ("check", "ha4", "-p", "variant=printed", "-c", "4", "--orders", "1", "--grid")),
        (3000, ("bench", "-a", "ha4", "-d", "emulator")),
    ],
)
def test_a_folder_of_outputs_on_a_full_disk_is_written_whole_or_not_at_all(
    limit: int,
    command: tuple[str, ...],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    grid = "pattern:noise?width=96&height=4&density=0.6"
    folder = tmp_path / "a" / "b"
    assert main([*command, grid]) in (0, 1)  # imports and compiles
    with no_room(limit):
        assert main([*command, grid, "-o", str(folder)]) == 2
    assert "cannot be written" in capsys.readouterr().err
    assert [*tmp_path.iterdir()] == []
