"""The panel of steps: its table, its menu, and what is copied."""

from __future__ import annotations

import csv
import io
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QContextMenuEvent, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QMenu
from pytestqt.qtbot import QtBot

from ccl_viewer import record
from ccl_viewer.window.core.run_display import ShownRun
from ccl_viewer.window.core.session import Session
from ccl_viewer.window.steps.widget import NAMES, QtSteps


@pytest.fixture
def panel(session: Session, qtbot: QtBot) -> QtSteps:
    qtbot.waitUntil(lambda: session.analysis.analysed)
    panel = QtSteps(session.analysis, session.playback, session.messages)
    qtbot.addWidget(panel)
    panel.resize(600, 500)
    panel.show()
    return panel


def shown(panel: QtSteps, row: int, name: str) -> str:
    model = panel.table.steps
    return str(model.data(model.index(row, NAMES.index(name)))).strip()


def columns(panel: QtSteps) -> set[str]:
    return {n for place, n in enumerate(NAMES) if not panel.table.isColumnHidden(place)}


def select(panel: QtSteps, *rows: int) -> None:
    model, flags = panel.table.selectionModel(), panel.table.selectionModel().SelectionFlag
    model.clearSelection()
    for row in rows:
        model.select(panel.table.steps.index(row, 0), flags.Select | flags.Rows)


def test_it_shows_all_steps(panel: QtSteps, session: Session) -> None:
    recording = session.display.recording
    assert recording is not None
    assert panel.table.steps.rowCount() == len(recording)
    for step in recording.steps:
        assert shown(panel, step.index, "step") == f"{step.index + 1}"
        assert shown(panel, step.index, "roots") == f"{step.roots:,}"
        assert float(shown(panel, step.index, "time").replace(",", "")) > 0
    assert shown(panel, len(recording) - 1, "wrong") == "0"
    assert "Emulator time in µs" in panel.times.text()


def test_all_columns_that_tell_something_are_shown_and_none_is_cut(panel: QtSteps) -> None:
    assert {"step", "stage", "time", "iteration", "roots", "launch"} <= columns(panel)
    assert not {"level", "margin"} & columns(panel)
    table, header = panel.table, panel.table.horizontalHeader()
    for place in range(header.count()):
        if not header.isSectionHidden(place):
            needed = max(table.sizeHintForColumn(place), header.sectionSizeHint(place))
            assert header.sectionSize(place) >= needed


@pytest.mark.parametrize("width", [190, 283, 340, 600])
def test_no_column_is_cut_at_the_right_of_the_table(panel: QtSteps, width: int) -> None:
    panel.resize(width, 500)
    header, room = panel.table.horizontalHeader(), panel.table.viewport().width()
    ends = [
        header.sectionPosition(place) + header.sectionSize(place)
        for place in range(header.count())
        if not header.isSectionHidden(place)
    ]
    assert room in ends


def stands_at(panel: QtSteps, index: int) -> bool:
    return panel.table.currentIndex().row() == index


def test_one_step_is_marked_also_while_control_is_held(
    panel: QtSteps, session: Session, qtbot: QtBot
) -> None:
    QTest.keyPress(panel, Qt.Key.Key_Control, Qt.KeyboardModifier.ControlModifier)
    for index in (2, 4):
        session.display.go_to(index)
        qtbot.waitUntil(partial(stands_at, panel, index))
    QTest.keyRelease(panel, Qt.Key.Key_Control)
    assert len(panel.table.selectionModel().selectedRows()) == 1


def test_rows_and_steps_go_together(panel: QtSteps, session: Session, qtbot: QtBot) -> None:
    session.playback.toggle()
    panel.table.setCurrentIndex(panel.table.steps.index(2, 0))
    assert session.display.index == 2
    assert not session.playback.playing
    session.display.go_to(4)
    qtbot.waitUntil(lambda: panel.table.currentIndex().row() == 4)


def test_copied_rows_are_csv(panel: QtSteps) -> None:
    QTest.keyClick(panel.table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    table = list(csv.reader(io.StringIO(QGuiApplication.clipboard().text())))
    assert len(table) == 1 + panel.table.steps.rowCount()
    select(panel, 1, 3)
    panel.copy.click()
    table = list(csv.reader(io.StringIO(QGuiApplication.clipboard().text())))
    assert [row[0] for row in table[1:]] == ["2", "4"]


def test_the_table_is_saved(panel: QtSteps, session: Session, tmp_path: Path) -> None:
    panel.table.ask_and_save()
    dialog = panel.findChild(QFileDialog)
    assert dialog is not None
    dialog.fileSelected.emit(str(tmp_path / "table.csv"))
    assert (tmp_path / "table.csv").read_text(encoding="utf-8") == panel.table.csv()
    assert session.messages.message is not None
    assert "Saved" in session.messages.message.text


def test_the_menu_of_rows(panel: QtSteps, session: Session) -> None:
    select(panel, 1, 2)
    menu = panel.table.make_menu()
    actions = {action.text().replace("&", ""): action for action in menu.actions()}
    actions["Play only these"].trigger()
    assert session.playback.section == range(1, 3)
    menu.close()


def test_the_menu_key_opens_the_menu_of_rows(panel: QtSteps) -> None:
    event = QContextMenuEvent(QContextMenuEvent.Reason.Keyboard, QPoint(9, 9), QPoint(9, 9))
    QApplication.sendEvent(panel.table, event)
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    menu.close()


def test_another_run_is_shown_also_where_the_panel_was_hidden(
    panel: QtSteps, session: Session
) -> None:
    image = session.display.image
    assert image is not None
    run = record(image, algorithm="ha4", connectivity=4)
    panel.hide()
    session.display.show(ShownRun.prepare(run))
    panel.show()
    QApplication.processEvents()
    assert panel.table.steps.rowCount() == len(run)
    session.display.clear()
    assert panel.table.steps.rowCount() == 0


def test_the_current_row_stays_in_sight_where_a_message_takes_some_height(
    session: Session, qtbot: QtBot
) -> None:
    run = record("pattern:spiral?size=15", "shibata_naive", device="emulator")
    assert len(run) > 40
    session.display.show(ShownRun.prepare(run), index=-1)
    panel = QtSteps(session.analysis, session.playback, session.messages)
    qtbot.addWidget(panel)
    panel.resize(300, 400)
    panel.show()
    qtbot.waitExposed(panel)
    table = panel.table
    last = table.steps.index(len(run) - 1, 0)
    qtbot.waitUntil(lambda: table.viewport().height() > 300)
    table.scrollTo(last)
    assert table.viewport().rect().contains(table.visualRect(last))
    panel.resize(300, 340)
    assert table.viewport().rect().contains(table.visualRect(last))
    table.scrollToTop()
    panel.resize(300, 300)
    assert table.verticalScrollBar().value() == 0, "whoever looks elsewhere stays there"
