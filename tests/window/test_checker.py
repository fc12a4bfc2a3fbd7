"""The panel that checks the algorithm."""

from __future__ import annotations

import sys

import numpy as np
from pytestqt.qtbot import QtBot
from support.grids import noise
from support.qt_window import model_of, wait_idle

from ccl_viewer.diagnostics.check import find_wrong_step
from ccl_viewer.window.check.model import Checker
from ccl_viewer.window.check.widget import QtChecker
from ccl_viewer.window.core.session import Session
from ccl_viewer.window.main_window import MainWindow
from ccl_viewer.window.source.widget import QtSource


def checker_of(session: Session) -> Checker:
    return model_of(session, Checker)


def panel_of(window: MainWindow) -> QtChecker:
    window.side_panel.show_panel("check")
    panel = window.side_panel.widget("check")
    assert isinstance(panel, QtChecker)
    return panel


def wait_checked(qtbot: QtBot, window: MainWindow) -> None:
    qtbot.waitUntil(lambda: not checker_of(window.session).running)


def test_it_lists_defects_and_shows_their_lines(window: MainWindow, qtbot: QtBot) -> None:
    session = window.session
    session.runs.configure(algorithm="ha4", parameters={"variant": "printed"})
    session.document.load_grid(noise(2, 33, 0.6), "noise")
    wait_idle(qtbot, session)
    panel = panel_of(window)
    assert "random orders" in panel.summary.text()
    panel.check.click()
    assert panel.check.text() == "Cancel"
    assert panel.bar.isVisible()
    wait_checked(qtbot, window)
    assert panel.check.text() == "Check"
    assert not panel.bar.isVisible()
    assert panel.tree.topLevelItemCount() == len(checker_of(session).findings)
    item = panel.tree.topLevelItem(0)
    assert item is not None
    assert item.text(0) == "race in shared memory"
    panel.tree.setCurrentItem(item)
    assert panel.details.text() == checker_of(session).findings[0].text
    panel.tree.itemClicked.emit(item, 0)
    if sys.platform == "linux":
        source = window.side_panel.widget("source")
        assert isinstance(source, QtSource)
        assert window.side_panel.current == "source"
        line = int(item.text(1).rpartition(":")[2])
        assert source.text.textCursor().blockNumber() == line - 1
        assert (source.text.single, source.text.role) == (line - 1, "accent")


def test_what_is_found_on_several_grids_is_opened_at_its_step(
    window: MainWindow, qtbot: QtBot
) -> None:
    session = window.session
    session.runs.configure(algorithm="ha4", parameters={"variant": "printed"})
    mine = noise(2, 33, 0.6)
    session.document.load_grid(mine, "noise")
    wait_idle(qtbot, session)
    panel = panel_of(window)
    panel.difficult.setChecked(True)
    panel.check.click()
    wait_checked(qtbot, window)
    names = [row.words[0] for row in checker_of(session).findings if row.run is not None]
    assert len(names) == len(set(names)) > 20
    assert names[0].endswith(" on noise")
    place, row = next(
        (i, row) for i, row in enumerate(checker_of(session).findings) if row.run is not None
    )
    clicked = panel.tree.topLevelItem(place)
    assert clicked is not None
    panel.tree.setCurrentItem(clicked)
    assert clicked.toolTip(0) == f"{row.text} Click to see the run."
    assert panel.details.text() == row.text  # where it was clicked, the run is there
    assert any(name.endswith(" on noise 96 x 4") for name in names)
    assert not any("pattern:" in text for row in checker_of(session).findings for text in row.words)
    assert all("pattern:" not in row.text for row in checker_of(session).findings)
    run = next(
        row.run for row in checker_of(session).findings if row.run and "96 x 4" in row.run.name
    )
    checker_of(session).open_run(run)
    wait_idle(qtbot, session)
    recording = session.display.recording
    assert recording is not None
    assert recording.schedule == run.schedule == session.runs.settings.schedule
    assert session.display.index == find_wrong_step(recording)[0]
    assert not session.display.stale
    assert session.document.source == "pattern:noise?width=96&height=4&density=0.6"
    assert not window.isWindowModified()  # nobody drew it
    item = panel.tree.topLevelItem(0)
    assert item is not None
    assert panel.tree.visualItemRect(item).height() >= panel.fontMetrics().height() + 8
    window.actions_by_name["undo"].trigger()
    wait_idle(qtbot, session)
    assert session.document.grid is not None
    assert np.array_equal(session.document.grid, mine)
    panel.smallest.click()
    wait_idle(qtbot, session)
    report = checker_of(session).report
    assert report is not None
    assert report.counterexample is not None
    assert session.display.recording is report.counterexample.recording
    assert session.display.index == report.counterexample.step
    assert session.document.grid is not None
    assert np.array_equal(session.document.grid, report.counterexample.grid)
    assert not session.display.stale


def test_a_clean_result_is_one_sentence(window: MainWindow, qtbot: QtBot) -> None:
    panel = panel_of(window)
    window.actions_by_name["check"].trigger()
    wait_checked(qtbot, window)
    assert ": no defect. Memory and races checked, " in panel.summary.text()
    assert not panel.smallest.isVisible()


def test_harmless_races_are_findings_and_no_defects(window: MainWindow, qtbot: QtBot) -> None:
    panel = panel_of(window)
    window.session.runs.configure(algorithm="label_equivalence")
    window.actions_by_name["check"].trigger()
    wait_checked(qtbot, window)
    assert panel.tree.topLevelItemCount() > 0
    assert panel.tree.headerItem().text(0) == "Finding"
    rows = [panel.tree.topLevelItem(row) for row in range(panel.tree.topLevelItemCount())]
    assert {row.text(0) for row in rows if row is not None} == {"harmless race"}
    assert "no defect" in panel.summary.text()
    assert " harmless, and labels right" in panel.summary.text()


def test_it_can_be_cancelled(window: MainWindow, qtbot: QtBot) -> None:
    panel = panel_of(window)
    panel.difficult.setChecked(True)
    assert checker_of(window.session).difficult_grids
    panel.check.click()
    panel.check.click()
    wait_checked(qtbot, window)
    assert panel.check.text() == "Check"
    assert "stopped" in panel.summary.text()
