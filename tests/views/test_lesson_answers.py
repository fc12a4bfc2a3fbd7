"""No lesson shows the answer to a question, in any scene, before the question is answered."""

from __future__ import annotations

import re
from functools import partial

import pytest
from PySide6.QtWidgets import QAbstractButton, QAbstractItemView, QLabel, QWidget
from pytestqt.qtbot import QtBot

from ccl_viewer import lessons
from ccl_viewer.lessons import PlayedScene, QuestionKind
from ccl_viewer.lessons.markup import plain
from ccl_viewer.views.main_window import MainWindow


def telling(played: PlayedScene) -> list[str]:
    """Return patterns of what tells the answer in words; none if only cells or labels do."""
    question, right, run = played.scene.question, played.answer, played.recording
    assert question is not None
    assert right is not None
    number = f"{right.number:,}" if right.number is not None else ""
    match question.kind:
        case QuestionKind.COMPONENTS:
            return [rf"\b{number} (components?|roots?|trees?)\b"]
        case QuestionKind.ITERATIONS_LEFT:
            every = f"{run.iterations:,}"
            words = "(more |further )?(iterations|passes|rounds)"
            return [
                rf"\b({number}|{every}) {words}",
                rf"(of|/) {len(run):,}\b",
                rf"iteration {every}\b",
            ]
        case QuestionKind.ROOTS_LEFT:
            return [rf"\b{number} roots? (is|are)? left"]
    return []


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
    return window.session.lessons.index == place and window.session.tasks.idle


@pytest.mark.parametrize("name", lessons.names())
def test_no_answer_is_seen_before(window: MainWindow, qtbot: QtBot, name: str) -> None:
    lesson, player = lessons.lesson(name), window.session.lessons
    player.plays = False
    for index, scene in enumerate(lesson.scenes):
        patterns = [] if scene.question is None else telling(lessons.play(lesson, index))
        if not patterns:
            continue
        player.open(name)
        qtbot.waitUntil(lambda: player.is_open)
        if window.side_panel.collapsed:
            window.side_panel.toggle()
        for place in range(index + 1):
            earlier = lesson.scenes[place]
            if (earlier.grid, earlier.connectivity) != (scene.grid, scene.connectivity):
                continue
            player.go_to(place)
            qtbot.waitUntil(partial(is_shown, window, place))
            played = player.played
            assert played is not None
            words = [*visible_words(window), plain(played.caption), plain(played.prompt)]
            for pattern in patterns:
                told = [text for text in words if re.search(pattern, text)]
                assert not told, f"scene {place + 1} tells the answer of scene {index + 1}"


@pytest.mark.parametrize("name", lessons.names())
def test_the_answers_of_a_printed_lesson_come_last(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    from ccl_viewer.cli import main

    assert main(["lesson", name, "--text"]) == 0
    told = " ".join(capsys.readouterr().out.split("\nAnswers\n")[0].split())
    lesson = lessons.lesson(name)
    for index, scene in enumerate(lesson.scenes):
        right = lessons.play(lesson, index).answer
        if scene.question is not None and right is not None:
            assert " ".join(plain(lessons.revealed(right)).split()) not in told
