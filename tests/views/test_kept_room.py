"""The canvas keeps its place and size, whichever algorithm's step is on display; so do cells."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from support.windows import PATIENCE, MakeWindow, settled, wait_idle

from ccl_viewer import record
from ccl_viewer.algorithms import ALGORITHMS
from ccl_viewer.grids import open_grid
from ccl_viewer.render.explanation import explain, explain_atomics
from ccl_viewer.render.facts import facts_at
from ccl_viewer.session.facts.longest import longest_texts
from ccl_viewer.views.main_window import MainWindow

PATTERN = "pattern:noise?width=40&height=24&density=0.6"
USUAL = (1280, 720, 100)
ROOMS = [USUAL, (1280, 720, 200), (1920, 1080, 100), (1920, 1080, 200)]
ELLIPSIS = "\u2026"


class Moves(QObject):
    """Counts how often a part of a window gets another size or place."""

    count = 0

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        self.count += event.type() in (QEvent.Type.Resize, QEvent.Type.Move)
        return False


def lie_of(window: MainWindow) -> tuple[object, ...]:
    """Where the canvas and the grid on it lie."""
    QApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest)
    return window.canvas.rect(), window.canvas.pos(), window.canvas.view


@pytest.mark.parametrize("case", range(len(ROOMS)))
def test_no_step_moves_the_canvas_or_its_cells_and_no_explanation_is_cut(
    make_window: MakeWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, case: int
) -> None:
    monkeypatch.setattr("ccl_viewer.views.main_window._ASIDE", 0)  # all is counted at once
    width, height, text = ROOMS[case]
    window = make_window()
    window.appearance.set_text_size(text)
    settled(window, width, height)
    session, moves = window.session, Moves()
    session.open(PATTERN)
    wait_idle(qtbot, window)
    settled(window, width, height)
    window.canvas.installEventFilter(moves)
    every = list(ALGORITHMS)
    for key in every if ROOMS[case] == USUAL else every[case :: len(ROOMS)]:
        session.configure(algorithm_key=key)
        session.run()
        wait_idle(qtbot, window)
        qtbot.waitUntil(lambda: not session.insight.working, timeout=PATIENCE)
        QApplication.processEvents()
        lies = set()
        for step in range(session.playback.count):
            session.playback.go_to(step)
            lies.add(lie_of(window))
            assert text > 100 or ELLIPSIS not in window.step_panel.explanation.text(), key
        assert len(lies) == 1, key
        assert moves.count == 0, key


@pytest.mark.parametrize("room", [(1100, 640, 100), (1280, 720, 125), (1280, 720, 200)])
def test_the_settings_of_no_algorithm_move_the_canvas(
    make_window: MakeWindow, room: tuple[int, int, int]
) -> None:
    window, moves = make_window(), Moves()
    window.appearance.set_text_size(room[2])
    settled(window, *room[:2])
    window.canvas.installEventFilter(moves)
    for key in ALGORITHMS:
        window.session.configure(algorithm_key=key)
        QApplication.processEvents()
        assert moves.count == 0, key


@pytest.mark.parametrize("key", ALGORITHMS)
def test_explanations_have_room_before_they_are_asked_for(key: str) -> None:
    connectivity = ALGORITHMS[key].connectivities[0]
    grid = open_grid(PATTERN).grid
    recording = record(grid, algorithm=key, device="emulator", connectivity=connectivity)
    longest = max(len(text) for text in longest_texts(recording))
    for step in recording.steps:
        facts, atomics = facts_at(recording, step.index), explain_atomics(step.atomics)
        assert len(f"{step.caption} {explain(facts)} {atomics}".strip()) <= longest


def test_a_longer_text_than_was_foreseen_moves_nothing(make_window: MakeWindow) -> None:
    window = settled(make_window(PATTERN), 1280, 720)
    before = lie_of(window)
    explanation = window.step_panel.explanation
    explanation._told = "A label. " * 200
    explanation._settle()
    assert lie_of(window) == before
    assert explanation.text().count("label") < 200
    assert explanation.toolTip() == explanation.plain


def test_the_timeline_has_the_room_that_explanations_of_other_algorithms_need(
    make_window: MakeWindow, qtbot: QtBot
) -> None:
    window = settled(make_window(PATTERN), 1280, 720)
    panel, rooms = window.step_panel, set()
    for key in ("label_equivalence", "ha4"):
        window.session.configure(algorithm_key=key)
        window.session.run()
        wait_idle(qtbot, window)
        settled(window, 1280, 720)
        explanation, recording = panel.explanation, window.session.recording
        assert recording is not None
        lines = max(map(explanation._lines_of, longest_texts(recording)))
        assert explanation.height() < (lines + 1) * explanation.fontMetrics().lineSpacing()
        assert panel.timeline.height() >= panel.timeline.sizeHint().height()
        rooms.add(explanation.height() + panel.timeline.height())
    assert len(rooms) == 1
