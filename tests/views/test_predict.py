"""Predict mode in the window."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from ccl_viewer.views.main_window import MainWindow
from ccl_viewer.views.question import QtPredictor


@pytest.fixture
def panel(window: MainWindow, qtbot: QtBot) -> QtPredictor:
    """The panel, at the first step."""
    window.session.playback.first()
    window.actions["predict"].trigger()
    (found,) = window.findChildren(QtPredictor)
    return found


def test_it_asks_and_counts(panel: QtPredictor, window: MainWindow, qtbot: QtBot) -> None:
    predictor = window.session.predictor
    question = predictor.question
    assert question is not None
    assert panel.question.isVisible()
    if question.wants_cells:
        for cell in question.right.cells:
            window.session.view.pick(cell)
    else:
        panel.question.field.setText(str(question.right.number))
    panel.question.check.click()
    assert panel.score.text() == "1 of 1 right"
    assert panel.more.isVisible()
    panel.more.click()
    assert predictor.question is not question


def test_stepping_is_never_held_up(panel: QtPredictor, window: MainWindow, qtbot: QtBot) -> None:
    for step in range(1, window.session.display.count):
        qtbot.waitUntil(window.actions["forward"].isEnabled)
        window.actions["forward"].trigger()
        assert window.session.display.index == step
    assert panel.hint.isVisible()
    panel.begin.click()
    assert window.session.display.index == 0
    assert panel.question.isVisible()


def test_switched_off_it_is_gone(panel: QtPredictor, window: MainWindow, qtbot: QtBot) -> None:
    qtbot.waitUntil(window.actions["predict"].isChecked)
    window.actions["predict"].trigger()
    assert not panel.isVisible()
    assert not window.session.view.picks
