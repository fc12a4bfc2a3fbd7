"""Predict mode: when it asks, what counts, and that it is never in the way."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from support.grids import noise
from support.models import inline_session
from support.qt_window import model_of
from support.small_lesson import write_lesson

from ccl_viewer.lessons import QuestionKind
from ccl_viewer.render.step_view import Marks
from ccl_viewer.window.core.questions import AskedQuestion, QuestionOutcome
from ccl_viewer.window.core.session import Session
from ccl_viewer.window.core.view_state import Mode
from ccl_viewer.window.lessons.model import LessonPlayer
from ccl_viewer.window.predict.model import Predictor


def predictor_of(session: Session) -> Predictor:
    return model_of(session, Predictor)


@pytest.fixture
def session() -> Iterator[Session]:
    """A session at the first step of a run."""
    session = inline_session()
    session.document.load_grid(noise(12, 16, 0.6), "noise")
    session.playback.go_to_first()
    predictor_of(session).rng.seed(1)
    yield session
    session.close()


@pytest.fixture
def begun(session: Session) -> Session:
    predictor_of(session).switch(True)
    return session


def asked(session: Session) -> AskedQuestion:
    question = predictor_of(session).question
    assert question is not None
    return question


def give(question: AskedQuestion, *, right: bool) -> None:
    if question.wants_cells:
        for cell in question.right.cells if right else [(0, 0), (1, 0), (2, 0)]:
            question.toggle_cell(cell)
    else:
        assert question.right.number is not None
        question.set_number(question.right.number + (not right))


def test_it_asks_when_switched_on_and_when_stepping_forward(begun: Session) -> None:
    first = asked(begun)
    assert first.step == 0
    begun.playback.forward()
    assert asked(begun) is not first
    assert asked(begun).step == 1
    assert predictor_of(begun).score == (0, 0), "stepping on skips"


def test_in_a_comparison_panels_follow_the_run_that_it_asks_about(session: Session) -> None:
    session.comparison.set_open(True)
    session.comparison.set_active(1)
    predictor_of(session).switch(True)
    assert predictor_of(session).question is not None
    assert session.comparison.active == 0


@pytest.mark.parametrize("right", [True, False])
def test_answers_are_judged_and_the_step_is_shown(begun: Session, right: bool) -> None:
    predictor, answered = predictor_of(begun), 0
    asked(begun).check()
    assert asked(begun).pending, "there is no answer yet"
    while predictor.question is not None:
        question = asked(begun)
        give(question, right=right)
        question.check()
        answered += 1
        assert question.outcome is (QuestionOutcome.RIGHT if right else QuestionOutcome.WRONG)
        assert predictor.question is question, "the answer stays"
        if question.answer_step is not None:
            assert begun.display.index == question.answer_step
        else:
            begun.playback.forward()
        predictor.ask_next()
    assert answered > 2
    assert predictor.score == (answered if right else 0, answered)


def test_skipping_and_showing_the_answer_do_not_count(begun: Session) -> None:
    predictor, question = predictor_of(begun), asked(begun)
    predictor.show_answer()
    assert question.outcome is QuestionOutcome.SHOWN
    predictor.ask_next()
    asked(begun).skip()
    assert predictor.question is None
    assert predictor.score == (0, 0)
    assert begun.view.marks == Marks()
    assert not begun.analysis.hidden_answers


def test_playing_and_going_back_ask_nothing(begun: Session) -> None:
    playback = begun.playback
    playback.go_to_last()
    assert predictor_of(begun).question is None
    playback.back()
    assert predictor_of(begun).question is None
    playback.go_to_first()
    playback.toggle()
    playback.tick(playback.tick(0.0))
    assert predictor_of(begun).question is None


def test_hints_say_what_to_do() -> None:
    session = inline_session()
    predictor_of(session).switch(True)
    assert "Run an algorithm" in predictor_of(session).empty_text
    session.document.load_grid(noise(200, 200, 0.5), "large")
    session.runs.run()
    assert "up to" in predictor_of(session).empty_text
    session.playback.go_to_first()
    session.playback.forward()
    assert predictor_of(session).question is None
    session.close()


def test_what_the_window_shows_is_not_asked_for(session: Session) -> None:
    kinds = set()
    for seed in range(30):
        predictor_of(session).rng.seed(seed)
        predictor_of(session).switch(True)
        kinds.add(asked(session).question.kind)
        predictor_of(session).switch(False)
    assert QuestionKind.ITERATIONS_LEFT not in kinds
    assert len(kinds) > 1


def ask_for(session: Session, kind: QuestionKind) -> AskedQuestion:
    """Be asked a question of a kind, at whichever step has one."""
    for index in range(session.display.count - 1):
        session.display.go_to(index)
        for seed in range(20):
            predictor_of(session).rng.seed(seed)
            predictor_of(session).ask_next()
            question = predictor_of(session).question
            if question is not None and question.question.kind is kind:
                return question
    pytest.fail(f"no step has a question of the kind {kind}")


def test_a_click_on_the_root_is_the_answer(begun: Session) -> None:
    question = ask_for(begun, QuestionKind.ROOT)
    begun.view.answer_with(question.right.cells[0])
    assert question.outcome is QuestionOutcome.RIGHT
    question = ask_for(begun, QuestionKind.ROOT)
    assert question.question.cell is not None
    begun.view.answer_with(question.question.cell)
    assert question.outcome is QuestionOutcome.WRONG


def test_a_click_on_a_cell_gives_its_label_as_the_next_one(begun: Session) -> None:
    question = ask_for(begun, QuestionKind.NEXT_LABEL)
    recording, step = begun.display.recording, begun.display.index
    assert recording is not None
    labels = recording.labels(step)
    y, x = (int(place[0]) for place in np.nonzero(recording.image == 0))
    begun.view.answer_with((x, y))
    assert question.pending, "background has no label"
    y, x = (int(place[0]) for place in np.nonzero(labels == question.right.number))
    begun.view.answer_with((x, y))
    assert question.number == question.right.number
    assert question.outcome is QuestionOutcome.RIGHT


def test_several_roots_are_clicked_and_then_checked(begun: Session) -> None:
    question = ask_for(begun, QuestionKind.MERGED_ROOTS)
    for cell in question.right.cells:
        begun.view.answer_with(cell)
        assert question.pending
    question.check()
    assert question.outcome is QuestionOutcome.RIGHT


def mode_of(session: Session) -> Mode:
    return session.view.mode


def test_nothing_is_drawn_meanwhile(session: Session, tmp_path: Path) -> None:
    session.view.set_mode(Mode.DRAW)
    predictor_of(session).switch(True)
    assert mode_of(session) is Mode.EXPLORE
    session.view.set_mode(Mode.DRAW)
    assert mode_of(session) is Mode.EXPLORE
    session.document.load_grid(noise(9, 9, 0.5), "")  # which is drawn on otherwise
    assert mode_of(session) is Mode.EXPLORE
    model_of(session, LessonPlayer).open(str(write_lesson(tmp_path)))
    assert not session.view.locked
    model_of(session, LessonPlayer).close_lesson()
    assert mode_of(session) is Mode.EXPLORE
    predictor_of(session).switch(False)
    assert mode_of(session) is Mode.DRAW


def test_a_lesson_silences_it(begun: Session, tmp_path: Path) -> None:
    model_of(begun, LessonPlayer).open(str(write_lesson(tmp_path)))
    assert not predictor_of(begun).may_ask
    marks = begun.view.marks
    assert marks.highlight
    predictor_of(begun).switch(False)
    assert begun.view.marks == marks
    predictor_of(begun).switch(True)
    model_of(begun, LessonPlayer).close_lesson()
    begun.playback.go_to_first()
    begun.playback.forward()
    assert predictor_of(begun).question is not None
