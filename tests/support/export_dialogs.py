"""Export dialogs for tests: shown, on a recording, with what a person does to them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from ccl_viewer.recording import Recording
from ccl_viewer.session.exporting.choices import Choices, Subject
from ccl_viewer.session.exporting.exporting import Exporting, Phase
from ccl_viewer.session.playback.transport import Section
from ccl_viewer.views.exporting.dialog import ExportDialog
from ccl_viewer.views.looks.theme import DARK
from ccl_viewer.views.process.side_work import SideWork
from support.windows import PATIENCE

MakeDialog = Callable[..., ExportDialog]


@pytest.fixture
def make_dialog(qtbot: QtBot, side: SideWork, recording: Recording, tmp_path: Path) -> MakeDialog:
    def make(*, still: bool = True, lanes: int = 0, **choices: Any) -> ExportDialog:
        subject = Subject(recording, (recording,) * lanes, Section(1, 2))
        last = len(recording) - 1
        first = replace(Choices(path=str(tmp_path / "run.gif"), end=last, step=last), **choices)
        dialog = ExportDialog(
            Exporting(subject, first, side), lambda _: ["run.cclrec"], theme=DARK, still=still
        )
        side.listener = dialog.poll
        qtbot.addWidget(dialog)
        dialog.show()
        qtbot.waitExposed(dialog)
        settle(qtbot, dialog)
        return dialog

    return make


def settle(qtbot: QtBot, dialog: ExportDialog) -> None:
    """Wait until all is known of what will come."""
    qtbot.waitUntil(lambda: not dialog.exporting.looking, timeout=PATIENCE)


def click(button: Any) -> None:
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)


def phase_of(dialog: ExportDialog) -> Phase:
    return dialog.exporting.phase
