"""Exercises in the window: opened from the menu, edited, judged."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMessageBox, QWidget
from pytestqt.qtbot import QtBot
from support.qt_window import model_of, wait_idle

from ccl_viewer import exercises
from ccl_viewer.algorithms.copies import copies_folder
from ccl_viewer.window.core.run_display import StatusKind
from ccl_viewer.window.core.session import Session
from ccl_viewer.window.exercises.model import ExercisePlayer
from ccl_viewer.window.exercises.widget import QtExercisePlayer
from ccl_viewer.window.main_window import MainWindow
from ccl_viewer.window.source.copy_editor import QtCopyEditor
from ccl_viewer.window.source.widget import QtSource


def exercises_of(session: Session) -> ExercisePlayer:
    return model_of(session, ExercisePlayer)


NAME = "walk-to-the-root"
RIGHT = "while (labels[label] != label) {\n    label = labels[label];\n}\nreturn label;"


def open_exercise(window: MainWindow, qtbot: QtBot) -> QtExercisePlayer:
    number = exercises.exercise_names().index(NAME) + 1
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


def test_a_right_answer_ticks_all_goals_and_is_kept_also_if_it_is_renamed(
    window: MainWindow, qtbot: QtBot
) -> None:
    panel = open_exercise(window, qtbot)
    filled = fill_gap(window)
    copies = window.session.copies
    copies.keep_unsaved(filled)
    copies.rename("walk")
    editor_of(window).leave()  # it is opened again to be judged
    judge(window, panel, qtbot)
    assert panel.summary.text() == "All goals are reached."
    assert "\N{CHECK MARK}" in panel.goals.text()
    assert copies.copy is not None
    assert copies.copy.name == "walk"
    assert editor_of(window).text.toPlainText() == filled
    assert [path.name for path in copies_folder().glob("*.cu")] == ["walk.cu"]
    wait_idle(qtbot, window.session)
    assert window.session.display.status.kind is StatusKind.OK  # of what was judged
    # The kernel that was handed out is not Komura's, so a difference in bytes says nothing.
    assert editor_of(window).result.text() == (
        "The labels are right on this grid. All 4 steps match Komura."
    )


def fill_gap(window: MainWindow) -> str:
    """Write the right answer into the editor, and return the whole text."""
    text = editor_of(window).text
    text.setPlainText(text.toPlainText().replace("return labels[label];", RIGHT))
    return text.toPlainText()


def editor_of(window: MainWindow) -> QtCopyEditor:
    source = window.side_panel.widget("source")
    assert isinstance(source, QtSource)
    assert source.editor is not None
    return source.editor


def test_the_verdict_and_the_goals_are_in_sight_in_a_small_window(
    window: MainWindow, qtbot: QtBot
) -> None:
    panel = open_exercise(window, qtbot)
    window.resize(960, 600)
    window.appearance.set_text_size(150)
    judge(window, panel, qtbot)
    assert "goals reached" in panel.summary.text()

    def whole(widget: QWidget) -> bool:
        return widget.visibleRegion().boundingRect() == widget.rect()

    qtbot.waitUntil(lambda: whole(panel.summary))
    qtbot.waitUntil(lambda: not panel.goals.visibleRegion().isEmpty())
    source = window.side_panel.widget("source")
    assert isinstance(source, QtSource)
    assert source.editor is not None
    assert "Correct" not in source.editor.result.text()


def test_starting_over_changes_the_students_kernel_alone(window: MainWindow, qtbot: QtBot) -> None:
    panel = open_exercise(window, qtbot)
    copies = window.session.copies
    fill_gap(window)
    editor_of(window).leave()
    copies.edit("ha4", "ha4")
    other = copies.copy
    assert other is not None
    before = other.path.read_text("utf-8")
    panel.again.click()
    assert other.path.read_text("utf-8") == before
    assert copies.copy is not None
    assert copies.copy.name == "exercise_walk_to_the_root"
    handed_out = exercises.student_source(exercises.load_exercise(NAME))
    assert editor_of(window).text.toPlainText() == handed_out


def test_starting_over_forgets_the_result_of_the_last_run(window: MainWindow, qtbot: QtBot) -> None:
    panel = open_exercise(window, qtbot)
    fill_gap(window)
    judge(window, panel, qtbot)
    result = editor_of(window).result
    qtbot.waitUntil(lambda: "labels are right" in result.text())
    panel.again.click()
    assert "labels are right" not in result.text()
    wait_idle(qtbot, window.session)
    assert "labels are right" not in result.text()


def test_starting_over_can_be_undone(window: MainWindow, qtbot: QtBot) -> None:
    panel = open_exercise(window, qtbot)
    filled = fill_gap(window)
    text = editor_of(window).text
    panel.again.click()
    assert "while (labels[label]" not in text.toPlainText()
    assert "while (labels[label]" not in window.session.copies.text
    assert panel.summary.text().endswith("has 1 gap. Fill it, then press Judge.")
    QTest.keyClick(text, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert text.toPlainText() == filled


def test_what_was_typed_last_is_kept_when_the_exercise_closes(
    window: MainWindow, qtbot: QtBot
) -> None:
    open_exercise(window, qtbot)
    filled = fill_gap(window)
    exercises_of(window.session).close_exercise()  # before the pause after which text is kept
    open_exercise(window, qtbot)
    assert editor_of(window).text.toPlainText() == filled


def test_a_stopped_judge_adds_nothing_to_the_next_exercise(
    window: MainWindow, qtbot: QtBot
) -> None:
    panel = open_exercise(window, qtbot)
    player = exercises_of(window.session)
    fill_gap(window)
    panel.judge.click()
    qtbot.waitUntil(lambda: len(player.results) > 0)
    player.open("find-your-cell")
    wait_idle(qtbot, window.session)
    assert player.results == ()
    assert not player.running


def test_a_wrong_answer_opens_the_smallest_grid_that_fails(
    window: MainWindow, qtbot: QtBot
) -> None:
    """Neither that grid nor the exercise's own is a drawing that would be lost."""
    panel = open_exercise(window, qtbot)
    assert not window.isWindowModified()
    judge(window, panel, qtbot)
    assert "Wrong labels" in panel.goals.text()
    assert panel.failure.isVisible()
    panel.failure.click()
    wait_idle(qtbot, window.session)
    failure = exercises_of(window.session).judgement
    assert failure is not None
    assert failure.counterexample is not None
    assert window.session.document.shape == failure.counterexample.grid.shape
    assert window.session.display.index == failure.counterexample.step
    assert not window.isWindowModified()
    window.close()
    assert not window.isVisible()


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


def test_an_exercise_leaves_the_start_page_also_if_its_grid_is_open(
    window: MainWindow, qtbot: QtBot
) -> None:
    for _ in range(2):
        window.actions_by_name["start_page"].trigger()
        assert not window.canvas.isVisible()
        open_exercise(window, qtbot)
        assert window.canvas.isVisible()


def test_an_exercise_asks_before_it_replaces_a_drawing(window: MainWindow, qtbot: QtBot) -> None:
    document = window.session.document
    document.invert()
    drawn = document.grid
    assert drawn is not None
    open_exercise(window, qtbot)
    box = window.files.unsaved_box
    assert box is not None
    box.button(QMessageBox.StandardButton.Cancel).click()
    assert not exercises_of(window.session).is_open
    assert document.grid is not None
    assert np.array_equal(document.grid, drawn)
    open_exercise(window, qtbot)
    assert window.files.unsaved_box is not None
    window.files.unsaved_box.button(QMessageBox.StandardButton.Discard).click()
    assert exercises_of(window.session).is_open
    assert not window.isWindowModified()
