"""The panel Inside, and the rest of the window while it shows a phase."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from PIL import Image as Pictures
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from support.qt_window import part, wait_idle

from ccl_viewer.diagnostics.phases import PhaseBoundary
from ccl_viewer.render.display_list import Texts
from ccl_viewer.window.core.launch_phases import PhaseChoice
from ccl_viewer.window.inside.widget import QtLaunchPhases, write_shown_phase
from ccl_viewer.window.source.widget import QtSource
from ccl_viewer.window.steps.widget import QtSteps
from ccl_viewer.window.transport.widget import QtTransport

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot
    from support.qt_window import MakeSession, MakeWindow

    from ccl_viewer.window.core.session import Session


@pytest.fixture
def session(make_session: MakeSession, qtbot: QtBot) -> Session:
    """HA4 on a spiral, at its first step."""
    session = make_session()
    session.runs.configure(algorithm="ha4", device="emulator", schedule="synchronous")
    session.files.open("pattern:spiral?size=15")
    wait_idle(qtbot, session)
    qtbot.waitUntil(lambda: session.display.recording is not None)
    session.display.go_to(0)
    return session


@pytest.fixture
def panel(session: Session, qtbot: QtBot) -> QtLaunchPhases:
    panel = QtLaunchPhases(session.phases, session.display, session.playback)
    qtbot.addWidget(panel)
    panel.resize(700, 600)
    panel.show()
    qtbot.waitExposed(panel)
    return panel


def look(panel: QtLaunchPhases, qtbot: QtBot, by: PhaseBoundary = PhaseBoundary.WARP) -> None:
    panel.look.click()
    qtbot.waitUntil(lambda: panel.phases.shown is not None)
    panel.by.chosen.emit(by)
    qtbot.waitUntil(lambda: panel.phases.phases[0].by is by)


def texts(panel: QtLaunchPhases) -> set[str]:
    """All that is written in the picture."""
    assert panel.canvas.picture is not None
    items = panel.canvas.picture.display
    return {text for item in items if isinstance(item, Texts) for text in item.texts}


def test_it_says_what_looking_inside_does(panel: QtLaunchPhases) -> None:
    assert "The emulator repeats this launch" in panel.hint.text()
    assert panel.look.isEnabled()
    assert not panel.list.isVisible()


def test_without_a_run_there_is_nothing_to_look_into(
    make_session: MakeSession, qtbot: QtBot
) -> None:
    session = make_session()
    panel = QtLaunchPhases(session.phases, session.display, session.playback)
    qtbot.addWidget(panel)
    panel.show()
    assert panel.hint.text() == "Run an algorithm to look inside its launches."
    assert not panel.look.isEnabled()


def test_phases_are_listed_and_stepped(panel: QtLaunchPhases, qtbot: QtBot) -> None:
    look(panel, qtbot, PhaseBoundary.ROUND)
    count = len(panel.phases.phases)
    assert panel.titles.rowCount() == count
    assert panel.place.text() == f"1 of {count}"
    assert not panel.buttons["back"].isEnabled()
    panel.buttons["forward"].click()
    assert panel.list.currentIndex().row() == panel.phases.index == 1
    panel.list.setCurrentIndex(panel.titles.index(5))
    assert panel.phases.index == 5
    panel.buttons["last"].click()
    assert panel.phases.index == count - 1
    assert not panel.buttons["forward"].isEnabled()
    panel.leave.click()
    assert panel.look.isVisible()


def test_the_list_paints_the_row_that_was_current_before_anew(
    panel: QtLaunchPhases, qtbot: QtBot
) -> None:
    look(panel, qtbot, PhaseBoundary.ROUND)
    selection = panel.list.selectionModel()
    for index in (1, 2):
        with qtbot.waitSignal(selection.selectionChanged):  # by which the view goes
            panel.buttons["forward"].click()
        assert [row.row() for row in selection.selectedIndexes()] == [index]


def test_a_ballot_is_written_with_its_distances(panel: QtLaunchPhases, qtbot: QtBot) -> None:
    look(panel, qtbot)
    assert {"active", "brings", "gets", "start", "end", "14,0", "15"} <= texts(panel)
    assert "Warp 0 of block (0, 0): __ballot_sync" in texts(panel)


def test_fields_choose_phases_block_and_warp(panel: QtLaunchPhases, qtbot: QtBot) -> None:
    look(panel, qtbot)
    assert not panel.warp.isEnabled()
    panel.block_x.setValue(0)
    qtbot.waitUntil(lambda: panel.phases.choice.block == (0, 0, 0))
    panel.block_y.setValue(2)
    qtbot.waitUntil(lambda: panel.phases.choice.block == (0, 2, 0))
    panel.warp.setValue(3)
    qtbot.waitUntil(lambda: panel.phases.choice.warp == 3)
    assert "Warp 3 of block (0, 2): __ballot_sync" in texts(panel)
    assert panel.block_y.maximum() == 3
    panel.by.chosen.emit(PhaseBoundary.BARRIER)
    qtbot.waitUntil(lambda: panel.phases.choice.by is PhaseBoundary.BARRIER)
    assert panel.titles.index(0).data() == "1  Block (0, 2), before barrier 1 of 2"
    assert panel.phases.shown is not None
    (masks,) = panel.phases.shown.view.shared_arrays()
    words = {f"0x{mask:08x}" for mask in masks.values}
    assert {"Shared shared_pixels: 4 of 4 changed", *words} <= texts(panel)


def test_a_mask_that_a_lane_read_has_all_its_digits(panel: QtLaunchPhases, qtbot: QtBot) -> None:
    look(panel, qtbot)
    panel.by.chosen.emit(PhaseBoundary.BARRIER)
    panel.block_x.setValue(0)
    panel.block_y.setValue(2)
    panel.warp.setValue(3)
    qtbot.waitUntil(lambda: panel.phases.choice.warp == 3)
    panel.buttons["last"].click()
    for width in (320, 580, 1400):
        panel.resize(width, 600)
        shown = panel.phases.shown
        assert shown is not None
        read = [lane.read for lane in shown.lanes]
        masks = {one.value_text for one in read if one is not None and one.shared}
        assert masks
        qtbot.waitUntil(lambda: masks <= texts(panel))  # noqa: B023
        assert not any("…" in text for text in texts(panel) if text.startswith("0x"))


def test_a_click_chooses_a_lane(panel: QtLaunchPhases, qtbot: QtBot) -> None:
    look(panel, qtbot)
    picture = panel.canvas.picture
    assert picture is not None
    left, top, right, bottom = next(box for box, _, lane in picture.areas if lane == 6)
    where = QPoint(round((left + right) / 2), round((top + bottom) / 2))
    QTest.mouseClick(panel.canvas, Qt.MouseButton.LeftButton, pos=where)
    assert panel.phases.lane == 6
    tip = picture.tip_and_lane_at(where.x(), where.y())
    assert tip is not None
    assert tip[0].startswith("Lane 6, thread (6, 0), cell (6, 0);")
    assert "read image[6] = 1" in tip[0]
    assert panel.chosen.text() == tip[0]


def test_it_is_drawn_anew_in_other_colours(panel: QtLaunchPhases, qtbot: QtBot) -> None:
    look(panel, qtbot)
    before = panel.canvas.picture
    QApplication.sendEvent(panel.canvas, QEvent(QEvent.Type.PaletteChange))
    assert panel.canvas.picture is not before


def test_a_problem_is_one_sentence(panel: QtLaunchPhases, qtbot: QtBot) -> None:
    panel.phases.choose(PhaseChoice(block=(7, 7, 0)))
    qtbot.waitUntil(lambda: panel.phases.problem != "")
    assert panel.hint.text().startswith("There is no block (7, 7, 0)")
    assert panel.look.isVisible()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_phase_is_exported(
    panel: QtLaunchPhases, qtbot: QtBot, tmp_path: Path, theme: str
) -> None:
    look(panel, qtbot)
    write_shown_phase(panel.phases, theme, tmp_path / "phase.svg")
    written = (tmp_path / "phase.svg").read_text("utf-8")
    assert "Phase 1 of" in written
    assert ">14,0</text>" in written
    write_shown_phase(panel.phases, theme, tmp_path / "phase.png")
    with Pictures.open(tmp_path / "phase.png") as picture:
        red, _, blue = picture.convert("RGB").getpixel((0, 0))  # type: ignore[misc]
        assert picture.width == 1280
        assert (red < 128, blue < 128) == (theme == "dark",) * 2


def test_the_window_says_which_phase_is_shown(make_window: MakeWindow, qtbot: QtBot) -> None:
    window = make_window("pattern:shibata")
    session = window.session
    assert not window.actions_by_name["phase_forward"].isEnabled()
    session.display.go_to(1)
    window.actions_by_name["look_inside"].trigger()
    qtbot.waitUntil(lambda: session.phases.shown is not None)
    assert window.side_panel.current == "inside"
    assert len(session.phases.phases) > 1
    assert part(window, QtTransport).explanation.full_text.startswith("Phase 1 of")
    qtbot.waitUntil(window.actions_by_name["phase_forward"].isEnabled)
    QTest.keySequence(window.canvas, "Alt+.")
    assert session.phases.index == 1
    QTest.keySequence(window.canvas, "Alt+,")
    assert session.phases.index == 0
    window.actions_by_name["cancel"].trigger()
    assert session.phases.shown is None
    assert not part(window, QtTransport).explanation.full_text.startswith("Phase")


def test_rows_begin_with_their_numbers_and_are_as_high_as_those_of_tables(
    make_window: MakeWindow, qtbot: QtBot
) -> None:
    window = make_window("pattern:shibata")
    window.actions_by_name["look_inside"].trigger()
    qtbot.waitUntil(lambda: window.session.phases.shown is not None)
    inside = window.side_panel.widget("inside")
    steps = window.side_panel.widget("steps")
    assert isinstance(inside, QtLaunchPhases)
    assert isinstance(steps, QtSteps)
    rows = [inside.titles.index(row) for row in range(inside.titles.rowCount())]
    assert [row.data().split()[0] for row in rows] == [str(i + 1) for i in range(len(rows))]
    assert inside.list.sizeHintForRow(0) >= steps.table.rowHeight(0)


def test_the_source_marks_where_the_chosen_lane_stands(
    panel: QtLaunchPhases, session: Session, qtbot: QtBot
) -> None:
    look(panel, qtbot)
    location = panel.phases.location
    if location is None:
        pytest.skip("this platform has no line tables")
    source = QtSource(session)
    qtbot.addWidget(source)
    source.show()
    assert (source.file, source.text.single) == (location.file, location.line - 1)
    assert "__ballot_sync" in source.text.toPlainText().split("\n")[location.line - 1]
    panel.phases.leave()
    assert source.text.single is None
