"""Exercises in the window: opened from the menu, edited, judged."""

from __future__ import annotations

from pytestqt.qtbot import QtBot
from support.qt_window import model_of, wait_idle

from ccl_viewer import exercises
from ccl_viewer.window.core.run_display import StatusKind
from ccl_viewer.window.core.session import Session
from ccl_viewer.window.exercises.model import ExercisePlayer
from ccl_viewer.window.exercises.widget import QtExercisePlayer
from ccl_viewer.window.main_window import MainWindow
from ccl_viewer.window.source.widget import QtSource


def exercises_of(session: Session) -> ExercisePlayer:
    return model_of(session, ExercisePlayer)


NAME = "walk-to-the-root"
RIGHT = "while (labels[label] != label) {\n    label = labels[label];\n}\nreturn label;"


def open_exercise(window: MainWindow, qtbot: QtBot) -> QtExercisePlayer:
    number = exercises.names().index(NAME) + 1
    window.actions_by_name[f"exercise_{number}"].trigger()
    wait_idle(qtbot, window.session)
    panel = window.findChild(QtExercisePlayer)
    assert panel is not None
    return panel


def judge(window: MainWindow, panel: QtExercisePlayer, qtbot: QtBot) -> None:
    panel.judge.click()
    assert exercises_of(window.session).running
    qtbot.waitUntil(lambda: not exercises_of(window.session).running)


def test_an_exercise_is_opened_with_its_kernel_in_the_editor(
    window: MainWindow, qtbot: QtBot
) -> None:
    panel = open_exercise(window, qtbot)
    assert panel.isVisible()
    assert panel.title.text() == "Walk to the root"
    source = window.side_panel.widget("source")
    assert isinstance(source, QtSource)
    assert source.isVisible()
    assert source.editor is not None
    assert "GAP 1" in source.editor.text.toPlainText()
    # A kernel with gaps is not run, so that nothing is wrong before the student has begun.
    assert window.session.display.recording is None
    assert panel.summary.text().endswith("has 1 gap. Fill it, then press Judge.")
    assert not panel.hints_card.isVisible()
    panel.hint.click()
    assert "loop" in panel.hints.text()
    close = window.actions_by_name["close_exercise"]
    qtbot.waitUntil(close.isEnabled)
    close.trigger()
    assert not panel.isVisible()


def test_a_right_answer_ticks_all_goals_and_is_kept(window: MainWindow, qtbot: QtBot) -> None:
    panel = open_exercise(window, qtbot)
    source = window.side_panel.widget("source")
    assert isinstance(source, QtSource)
    assert source.editor is not None
    filled = source.editor.text.toPlainText().replace("return labels[label];", RIGHT)
    source.editor.text.setPlainText(filled)
    judge(window, panel, qtbot)
    assert panel.summary.text() == "All goals are reached."
    assert "\N{CHECK MARK}" in panel.goals.text()
    wait_idle(qtbot, window.session)
    assert window.session.display.status.kind is StatusKind.OK  # of what was judged
    exercises_of(window.session).close_exercise()
    panel = open_exercise(window, qtbot)
    assert "while (labels[label]" in window.session.copies.text
    assert panel.summary.text() == ""
    panel.again.click()
    assert "while (labels[label]" not in window.session.copies.text


def test_a_wrong_answer_opens_the_smallest_grid_that_fails(
    window: MainWindow, qtbot: QtBot
) -> None:
    panel = open_exercise(window, qtbot)
    judge(window, panel, qtbot)
    assert "Wrong labels" in panel.goals.text()
    assert panel.failure.isVisible()
    panel.failure.click()
    wait_idle(qtbot, window.session)
    failure = exercises_of(window.session).judgement
    assert failure is not None
    assert failure.failure is not None
    assert window.session.document.shape == failure.failure.grid.shape
    assert window.session.display.index == failure.failure.step


def test_after_an_exercise_the_algorithm_before_it_runs_again(
    window: MainWindow, qtbot: QtBot
) -> None:
    session = window.session
    before = session.runs.settings
    open_exercise(window, qtbot)
    exercises_of(session).open("find-your-cell")  # without closing the first one
    wait_idle(qtbot, session)
    assert session.runs.settings.algorithm == "copy:exercise_find_your_cell"
    exercises_of(session).close_exercise()
    wait_idle(qtbot, session)
    assert session.runs.settings == before
    assert session.display.recording is not None
    assert session.display.recording.verdict is not None
    assert session.display.recording.verdict.correct
    assert session.copies.copy is None
