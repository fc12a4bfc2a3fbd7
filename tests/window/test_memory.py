"""The panel of memory accesses."""

from __future__ import annotations

from collections import Counter

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot
from support.qt_window import model_of, wait_idle

from ccl_viewer.window.core.session import Session
from ccl_viewer.window.main_window import MainWindow
from ccl_viewer.window.memory.model import Memory, Scope
from ccl_viewer.window.memory.widget import QtMemory
from ccl_viewer.window.source.widget import QtSource


def memory_of(session: Session) -> Memory:
    return model_of(session, Memory)


def texts(panel: QtMemory) -> dict[str, str]:
    tops = [panel.tree.topLevelItem(row) for row in range(panel.tree.topLevelItemCount())]
    items = [top.child(row) for top in tops if top for row in range(top.childCount())]
    return {item.text(0): item.text(1) for item in items if item is not None}


def test_it_shows_the_step_and_counts_on_demand(session: Session, qtbot: QtBot) -> None:
    session.runs.set_counting(False)
    session.runs.run()
    qtbot.waitUntil(lambda: not session.runs.running)
    panel = QtMemory(memory_of(session), session.runs, session.view, session.playback)
    qtbot.addWidget(panel)
    panel.show()
    assert panel.note.isVisible()
    assert panel.count.isVisible()
    panel.count.click()
    qtbot.waitUntil(panel.tree.isVisible)
    assert not panel.count.isVisible()
    figures = {f.name: f.value for group in memory_of(session).groups.values() for f in group}
    assert texts(panel) == figures
    assert "emulator" in panel.tree.headerItem().text(0).casefold()
    panel.scope.chosen.emit(Scope.RUN)
    assert memory_of(session).scope is Scope.RUN
    qtbot.waitUntil(lambda: panel.title.text() == memory_of(session).scope_title)
    assert texts(panel) != figures


def test_the_line_that_moves_most_is_listed_first(window: MainWindow, qtbot: QtBot) -> None:
    window.session.display.go_to(1)
    window.side_panel.show_panel("memory")
    panel = window.side_panel.widget("memory")
    assert isinstance(panel, QtMemory)
    recording = window.session.display.recording
    assert recording is not None
    ledger = recording.step(1).ledger
    assert ledger is not None
    moved: Counter[tuple[int, str]] = Counter()
    for site in ledger.sites:
        moved[site.line, f"{site.kind.verb} {site.memory}"] += site.counts.transactions
    if not any(line for line, _ in moved):
        pytest.skip("modules have no line tables here")
    most = max(moved.values())
    shown = [(name, text) for name, text in texts(panel).items() if ".cu" in name]
    assert len(shown) == len(moved)
    line, access = next(place for place, count in moved.items() if count == most)
    assert shown[0][0].startswith(f"{line} {access}")
    assert shown[0][1].startswith(f"{most:,} ")


def test_values_are_in_sight_in_a_narrow_panel(session: Session, qtbot: QtBot) -> None:
    session.display.go_to(1)
    panel = QtMemory(memory_of(session), session.runs, session.view, session.playback)
    qtbot.addWidget(panel)
    panel.resize(280, 600)
    panel.show()
    qtbot.waitUntil(panel.tree.isVisible)
    assert panel.tree.header().length() <= panel.tree.viewport().width()
    assert panel.tree.columnWidth(1) >= panel.tree.sizeHintForColumn(1)


def test_a_click_on_a_line_shows_it_in_the_source(window: MainWindow, qtbot: QtBot) -> None:
    window.side_panel.show_panel("memory")
    panel = window.side_panel.widget("memory")
    assert isinstance(panel, QtMemory)
    figures = [f for group in memory_of(window.session).groups.values() for f in group if f.line]
    if not figures:
        pytest.skip("modules have no line tables here")
    (item,) = panel.tree.findItems(
        figures[0].name, Qt.MatchFlag.MatchExactly | Qt.MatchFlag.MatchRecursive
    )
    panel.tree.itemClicked.emit(item, 0)
    source = window.side_panel.widget("source")
    assert isinstance(source, QtSource)
    assert window.side_panel.current == "source"
    assert source.file.endswith(figures[0].file.rpartition("/")[2])
    assert source.text.textCursor().blockNumber() == figures[0].line - 1
    assert (source.text.single, source.text.role) == (figures[0].line - 1, "accent")
    window.session.display.go_to(0)
    assert source.text.single is None  # it was a line of another step


def test_a_line_of_another_module_of_the_run_is_shown(window: MainWindow, qtbot: QtBot) -> None:
    window.session.runs.configure(consecutive=True)
    wait_idle(qtbot, window.session)
    window.session.display.go_to(0)
    memory_of(window.session).set_scope(Scope.RUN)
    found = [
        count
        for group in memory_of(window.session).groups.values()
        for count in group
        if count.file.endswith("consecutive.cu")
    ]
    if not found:
        pytest.skip("modules have no line tables here")
    window.session.view.line_chosen.emit(found[0].file, found[0].line)
    source = window.side_panel.widget("source")
    assert isinstance(source, QtSource)
    assert source.file == "consecutive.cu"
    assert source.text.single == found[0].line - 1
    source.show_kernel()
    assert source.file == "label_equivalence.cu"
    assert source.text.single is None
