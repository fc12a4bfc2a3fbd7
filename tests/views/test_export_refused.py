"""Exporting into a folder that cannot be written, or has gone, through the dialog."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pytestqt.qtbot import QtBot
from support.export_dialogs import MakeDialog, click, phase_of, settle
from support.windows import PATIENCE

from ccl_viewer.export import export
from ccl_viewer.session.exporting.exporting import Phase
from ccl_viewer.views.exporting.dialog import ExportDialog


def name(dialog: ExportDialog, path: str) -> None:
    """Type the name of a file."""
    dialog.controls.path.setText(path)
    dialog.controls.path.textEdited.emit(path)


def refused(dialog: ExportDialog, qtbot: QtBot) -> str:
    """Export, and return the sentence with which that is refused."""
    settle(qtbot, dialog)
    click(dialog.footer.export_button)
    qtbot.waitUntil(lambda: phase_of(dialog) is Phase.CHOOSING, timeout=PATIENCE)
    text = dialog.note.text()
    assert text
    assert dialog.note.property("role") == "warning"
    assert dialog.controls.isEnabled()
    assert not dialog.footer.cancel_button.isVisible()
    return text


def goes_on(dialog: ExportDialog, qtbot: QtBot, path: Path) -> None:
    """The dialog can be used again: it writes elsewhere."""
    name(dialog, str(path))
    settle(qtbot, dialog)
    assert dialog.footer.export_button.isEnabled()
    click(dialog.footer.export_button)
    qtbot.waitUntil(lambda: phase_of(dialog) is Phase.DONE, timeout=PATIENCE)
    assert path.stat().st_size


@pytest.mark.parametrize("form", ["run.gif", "run.csv", "steps/"])
def test_a_closed_folder_is_one_sentence_and_leaves_the_dialog_to_be_used(
    make_dialog: MakeDialog, qtbot: QtBot, tmp_path: Path, form: str
) -> None:
    # Below a file nobody may write, whom folders without permissions would not keep out either.
    closed = tmp_path / "closed"
    closed.write_text("kept")
    dialog = make_dialog()
    name(dialog, f"{closed}/{form}")
    text = refused(dialog, qtbot)
    assert text.count(str(closed)) == 1
    assert "cannot be written" in text
    assert text.endswith("choose another place or name.")
    assert [path.name for path in tmp_path.iterdir()] == ["closed"]
    assert closed.read_text() == "kept"
    goes_on(dialog, qtbot, tmp_path / "run.csv")


def test_so_is_a_folder_that_has_gone(
    make_dialog: MakeDialog, qtbot: QtBot, tmp_path: Path
) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    dialog = make_dialog(path=str(folder / "run.gif"))
    folder.rmdir()
    assert "cannot be written" in refused(dialog, qtbot)
    assert not list(tmp_path.iterdir())
    folder.mkdir()
    goes_on(dialog, qtbot, folder / "run.gif")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows keeps folders of open files")
@pytest.mark.parametrize("form", ["run.gif", "run.html"])
def test_so_is_one_that_goes_while_it_is_written_into(
    make_dialog: MakeDialog,
    qtbot: QtBot,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    form: str,
) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    dialog = make_dialog(path=str(folder / form))

    def export_without_folder(
        *given: Any, progress: Callable[[int, int], None], **named: Any
    ) -> object:
        def gone(done: int, total: int) -> None:
            shutil.rmtree(folder, ignore_errors=True)
            progress(done, total)

        return export(*given, progress=gone, **named)

    monkeypatch.setattr("ccl_viewer.session.exporting.exporting.export", export_without_folder)
    assert "cannot be written" in refused(dialog, qtbot)
    assert not list(tmp_path.iterdir())
