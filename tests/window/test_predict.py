"""Predict mode in the window."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from support.qt_window import model_of, part

from ccl_viewer.lessons import QuestionKind
from ccl_viewer.window.canvas.header import QtCanvasHeader
from ccl_viewer.window.core.session import Session
from ccl_viewer.window.core.view_state import Mode
from ccl_viewer.window.main_window import MainWindow
from ccl_viewer.window.messages.widget import QtStatusBar
from ccl_viewer.window.predict.model import Predictor
from ccl_viewer.window.predict.widget import QtPredictor


def predictor_of(session: Session) -> Predictor:
    return model_of(session, Predictor)


@pytest.fixture
def panel(window: MainWindow, qtbot: QtBot) -> QtPredictor:
    """The panel, at the first step."""
    window.session.playback.go_to_first()
    window.actions_by_name["predict"].trigger()
    (found,) = window.findChildren(QtPredictor)
    return found


def test_it_asks_and_counts(panel: QtPredictor, window: MainWindow, qtbot: QtBot) -> None:
    predictor = predictor_of(window.session)
    question = predictor.question
    assert question is not None
    assert panel.question.isVisible()
    if question.wants_cells:
        for cell in question.right.cells:
            window.session.view.answer_with(cell)
    else:
        panel.question.field.setText(str(question.right.number))
    panel.question.check.click()
    assert panel.score.text() == "1 of 1 right"
    assert panel.more.isVisible()
    panel.more.click()
    assert predictor.question is not question


def test_stepping_is_never_held_up(panel: QtPredictor, window: MainWindow, qtbot: QtBot) -> None:
    for step in range(1, window.session.display.count):
        qtbot.waitUntil(window.actions_by_name["forward"].isEnabled)
        window.actions_by_name["forward"].trigger()
        assert window.session.display.index == step
    assert panel.hint.isVisible()
    panel.begin.click()
    assert window.session.display.index == 0
    assert panel.question.isVisible()


def test_clicks_never_draw(panel: QtPredictor, window: MainWindow) -> None:
    session, grid = window.session, window.session.document.grid
    assert grid is not None
    before, revision = grid.copy(), session.document.revision
    assert not part(window, QtCanvasHeader).mode_buttons[Mode.DRAW].isEnabled()
    for asked in (True, False):  # with a question, and without
        session.playback.go_to_first() if asked else session.playback.go_to_last()
        assert (predictor_of(session).question is not None) == asked or asked
        for cell in ((1, 1), (4, 4), (8, 2)):
            at = window.canvas.centre_of(cell).toPoint()
            for button in (Qt.MouseButton.LeftButton, Qt.MouseButton.RightButton):
                QTest.mouseClick(window.canvas, button, Qt.KeyboardModifier.NoModifier, at)
                menu = QApplication.activePopupWidget()
                if menu is not None:
                    menu.close()
    np.testing.assert_array_equal(session.document.grid, before)
    assert session.document.revision == revision


def test_the_status_bar_says_that_a_click_answers(
    panel: QtPredictor, window: MainWindow, qtbot: QtBot
) -> None:
    session = window.session
    session.view.unpin()
    for kind, picks in ((QuestionKind.NEXT_LABEL, True), (QuestionKind.ROOTS_LEFT, False)):
        for seed in range(200):
            predictor_of(session).rng.seed(seed)
            predictor_of(session).ask_next()
            question = predictor_of(session).question
            if question is not None and question.question.kind is kind:
                break
        qtbot.waitUntil(
            lambda: (
                ("the answer" in part(window, QtStatusBar).cell.text()) == session.view.answering
            )
        )
        assert session.view.answering == picks


def test_switched_off_it_is_gone(panel: QtPredictor, window: MainWindow, qtbot: QtBot) -> None:
    qtbot.waitUntil(window.actions_by_name["predict"].isChecked)
    window.actions_by_name["predict"].trigger()
    assert not panel.isVisible()
    assert not window.session.view.answering
