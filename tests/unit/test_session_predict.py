"""Predict mode without a window: when it asks, what counts, and that it is never in the way."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.lessons import outcome_of, quiz_of, write_lesson
from support.sessions import HeldRunner

from ccl_viewer.session import Asking, Marks, QuestionOutcome, Session
from ccl_viewer.session.lessons.predict import Predictor


def predictor_of(session: Session, seed: int = 1) -> Predictor:
    session.predictor.rng.seed(seed)
    return session.predictor


@pytest.fixture
def begun(labelled: Session) -> Session:
    """Predict mode at the first of nine steps."""
    labelled.playback.first()
    predictor_of(labelled).switch(on=True)
    return labelled


def asked(session: Session) -> Asking:
    asking = session.predictor.asking
    assert asking is not None
    return asking


def give(asking: Asking, *, right: bool) -> None:
    if asking.wants_cells:
        for cell in asking.right.cells if right else [(0, 0)]:
            asking.choose(cell)
    else:
        assert asking.right.number is not None
        asking.type(asking.right.number + (not right))


def test_it_asks_when_switched_on_and_when_stepping_forward(begun: Session) -> None:
    first = asked(begun)
    assert first.step == 0
    begun.playback.forward()
    assert asked(begun) is not first
    assert asked(begun).step == 1
    assert begun.predictor.score == (0, 0), "stepping on skips"


def test_off_it_asks_nothing(labelled: Session) -> None:
    labelled.playback.first()
    labelled.playback.forward()
    assert labelled.predictor.asking is None
    assert labelled.pointing.marks == Marks()


@pytest.mark.parametrize("right", [True, False])
def test_answers_are_judged_and_the_real_step_is_shown(labelled: Session, right: bool) -> None:
    predictor = predictor_of(labelled)
    labelled.playback.first()
    predictor.switch(on=True)
    answered = 0
    for _ in range(12):
        asking = predictor.asking
        if asking is None:
            break
        give(asking, right=right)
        predictor.check()
        answered += 1
        assert outcome_of(asking) is (QuestionOutcome.RIGHT if right else QuestionOutcome.WRONG)
        assert asking.right.why in asking.words
        assert predictor.asking is asking, "the answer stays on display"
        if asking.next_step is not None:
            assert labelled.playback.position == asking.next_step
        before = labelled.playback.position
        predictor.go_on()
        if predictor.asking is not None and predictor.asking.step == before:
            labelled.playback.forward()
    assert answered
    assert predictor.score == (answered if right else 0, answered)


def test_no_answer_is_judged(begun: Session) -> None:
    begun.predictor.check()
    assert asked(begun).pending
    assert begun.predictor.score == (0, 0)


def test_skipping_and_telling_do_not_count(begun: Session) -> None:
    predictor = begun.predictor
    asking = asked(begun)
    predictor.explain()
    assert outcome_of(asking) is QuestionOutcome.TOLD
    predictor.go_on()
    predictor.skip()
    assert predictor.asking is None
    assert predictor.score == (0, 0)
    assert begun.pointing.marks == Marks()


def test_playing_and_going_back_ask_nothing(begun: Session) -> None:
    playback = begun.playback
    playback.last()
    assert begun.predictor.asking is None
    playback.back()
    assert begun.predictor.asking is None
    playback.first()
    playback.toggle()
    playback.tick(0.0)
    playback.tick(1.0)
    assert playback.position > 0
    assert begun.predictor.asking is None


def test_it_can_begin_at_the_last_step(labelled: Session) -> None:
    predictor = predictor_of(labelled)
    predictor.switch(on=True)
    assert predictor.asking is None
    assert predictor.can_begin
    assert "last step" in predictor.hint
    predictor.begin()
    assert labelled.playback.position == 0
    assert predictor.asking is not None


def test_hints_say_what_to_do(session: Session, runner: HeldRunner) -> None:
    session.predictor.switch(on=True)
    assert "Run an algorithm" in session.predictor.hint
    session.open("pattern:spiral?size=200")
    runner.work_all()
    assert "up to" in session.predictor.hint
    session.playback.first()
    session.playback.forward()
    assert session.predictor.asking is None
    assert not session.predictor.can_begin


def test_another_grid_forgets_the_question(begun: Session, runner: HeldRunner) -> None:
    begun.open("pattern:spiral?size=9")
    runner.work_all()
    assert begun.predictor.asking is None


def test_the_rest_of_the_run_is_no_secret_that_is_asked_for(labelled: Session) -> None:
    """The window shows how many iterations there are."""
    labelled.playback.first()
    kinds = set()
    for seed in range(30):
        predictor = predictor_of(labelled, seed)
        predictor.switch(on=True)
        kinds.add(asked(labelled).question.kind.value)
        predictor.switch(on=False)
    assert "iterations-left" not in kinds
    assert len(kinds) > 1


def test_lessons_silence_it(begun: Session, runner: HeldRunner, tmp_path: Path) -> None:
    begun.lesson.open(str(write_lesson(tmp_path)))
    runner.work_all()
    assert begun.predictor.asking is None
    assert quiz_of(begun) is begun.lesson
    marks = begun.pointing.marks
    assert marks.highlight
    begun.playback.forward()
    begun.predictor.switch(on=False)
    assert begun.pointing.marks == marks
    begun.predictor.switch(on=True)
    begun.lesson.close()
    assert quiz_of(begun) is begun.predictor
    begun.playback.first()
    begun.playback.forward()
    assert begun.predictor.asking is not None
