"""No lesson shows the answer to a question, in any scene, before the question is answered."""

from __future__ import annotations

import re
from functools import partial

import pytest
from PySide6.QtWidgets import QAbstractButton, QAbstractItemView, QLabel, QScrollArea, QWidget
from pytestqt.qtbot import QtBot
from support.qt_window import model_of, part
from support.spoilers import spoilers_in

from ccl_viewer import lessons
from ccl_viewer.lessons.markup import to_plain_text
from ccl_viewer.window.core.questions import QuestionOutcome
from ccl_viewer.window.lessons.model import LessonPlayer
from ccl_viewer.window.lessons.widget import QtLessonPlayer
from ccl_viewer.window.main_window import MainWindow
from ccl_viewer.window.messages.widget import QtMessageBar, QtStatusBar


def visible_words(window: MainWindow) -> list[str]:
    """Return all that can be read or heard in the window, tips included."""
    found = []
    for widget in window.findChildren(QWidget):
        if not widget.isVisible():
            continue
        found += [widget.accessibleDescription(), widget.accessibleName(), widget.toolTip()]
        if isinstance(widget, QLabel | QAbstractButton):
            found.append(re.sub(r"<style>.*?</style>|<[^>]*>", " ", widget.text()))
        elif isinstance(widget, QAbstractItemView) and widget.model() is not None:
            model = widget.model()
            for row in range(model.rowCount()):
                cells = (model.index(row, column).data() for column in range(model.columnCount()))
                found.append(" ".join(map(str, cells)))
    return found


def is_shown(window: MainWindow, place: int) -> bool:
    return model_of(window.session, LessonPlayer).index == place and window.session.tasks.idle


def has_room(window: MainWindow) -> bool:
    """Whether the canvas, with a finding that may stand below it, has more than half the window."""
    findings = part(window, QtMessageBar).height() if part(window, QtMessageBar).isVisible() else 0
    canvas = window.canvas.width() * (window.canvas.height() + findings)
    return canvas > 0.53 * window.width() * window.height()


@pytest.mark.parametrize("name", lessons.lesson_names())
def test_each_scene_fits_its_column_shows_no_answer_before_and_takes_the_right_one(
    window: MainWindow, qtbot: QtBot, name: str
) -> None:
    lesson, player = lessons.read_lesson(name), model_of(window.session, LessonPlayer)
    player.plays = False
    player.open(name)
    qtbot.waitUntil(lambda: player.is_open)
    (panel,) = window.findChildren(QtLessonPlayer)
    (area,) = [one for one in panel.findChildren(QScrollArea) if one.accessibleName() == "Scene"]
    known: dict[int, list[str]] = {}
    for index, scene in enumerate(lesson.scenes):
        player.go_to(index)
        qtbot.waitUntil(partial(is_shown, window, index))
        qtbot.waitUntil(lambda: area.verticalScrollBar().maximum() == 0)
        if not (scene.lines or scene.phase or scene.diagram or scene.compare or scene.fastest):
            qtbot.waitUntil(partial(has_room, window))
        question = player.question
        window.session.view.put_cursor(None if question is None else question.question.cell)
        part(window, QtStatusBar).refresh()
        for key in ("steps", "memory") if question is not None else ("steps",):
            window.side_panel.show_panel(key)
            words = [
                *visible_words(window),
                to_plain_text(player.scene.notes if player.scene else ""),
            ]
            assert list(spoilers_in(lesson, index, words, known)) == []
        window.side_panel.collapse()
        if question is not None:
            for cell in question.right.cells:
                assert window.session.view.answer_with(cell)
            question.set_number(question.right.number)
            question.check()
            assert question.outcome is QuestionOutcome.RIGHT
    count = sum(scene.asks for scene in player.scenes)
    assert player.score == (count, count)
    assert not player.can_go_on
    names = lessons.lesson_names()
    assert player.next_lesson == (names[names.index(name) + 1] if name != names[-1] else None)


@pytest.mark.parametrize("name", lessons.lesson_names())
def test_the_answers_of_a_printed_lesson_come_last(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    from ccl_viewer.cli import main

    assert main(["lesson", name, "--text"]) == 0
    told = " ".join(capsys.readouterr().out.split("\nAnswers\n")[0].split())
    lesson = lessons.read_lesson(name)
    for index, scene in enumerate(lesson.scenes):
        right = lessons.prepare_scene(lesson, index).answer
        if scene.question is not None and right is not None:
            assert " ".join(to_plain_text(lessons.answer_in_words(right)).split()) not in told
