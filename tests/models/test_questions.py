"""One question: choosing, judging, skipping, and the information that it hides."""

from __future__ import annotations

from functools import cache

import pytest
from psygnal import SignalInstance
from support.grids import noise

from ccl_viewer import record
from ccl_viewer.lessons import Question, QuestionKind, answer, judge, prompt
from ccl_viewer.lessons.hidden_answers import HiddenInformation
from ccl_viewer.recording import Recording
from ccl_viewer.window.core.questions import AskedQuestion, QuestionOutcome


@cache
def labelled() -> Recording:
    return record(noise(8, 8, 0.6), "label_equivalence", device="emulator")


def asked(kind: QuestionKind, step: int = 0, *, retries: bool = True) -> AskedQuestion:
    run = labelled()
    y, x = (int(places[0]) for places in run.image.nonzero())
    question = Question(kind, (x, y) if kind.needs_cell else None)
    if kind is QuestionKind.CHOICE:
        question = Question(kind, None, "Which?", ("a", "b", "c"), 2, ("Not a.", "It is b.", "No."))
    right = answer(question, run, step)
    return AskedQuestion(
        question, prompt(question), right, step, choices=question.choices, retries=retries
    )


def outcome(question: AskedQuestion) -> QuestionOutcome:
    """What became of it by now."""
    return question.outcome


def give(question: AskedQuestion, *, right: bool) -> None:
    if question.wants_cells:
        for cell in question.right.cells if right else ((7, 7), (6, 6)):
            question.toggle_cell(cell)
    else:
        assert question.right.number is not None
        question.set_number(question.right.number + (not right))


@pytest.mark.parametrize("kind", QuestionKind)
@pytest.mark.parametrize("right", [True, False])
def test_answers_are_judged(kind: QuestionKind, right: bool) -> None:
    question = asked(kind)
    told: list[frozenset[SignalInstance]] = []
    question.changed.connect(told.append)
    question.check()
    assert question.pending, "there is no answer yet"
    give(question, right=right)
    question.check()
    assert question.outcome is (QuestionOutcome.RIGHT if right else QuestionOutcome.WRONG)
    assert question.tries == 1
    assert (question.right.why in question.feedback) is right
    assert question.marks.judged is right
    if not right:  # another try, without the answer
        for cell in question.chosen:
            question.toggle_cell(cell)
        give(question, right=True)
        question.check()
        assert question.outcome is QuestionOutcome.RIGHT
        assert question.tries == 2
    assert question.right.why in question.feedback
    assert question.marks.right == question.right.cells
    assert told[-1] == {question.outcome_changed}
    before = question.chosen, question.number
    give(question, right=not right)
    assert (question.chosen, question.number) == before, "it is answered"


def test_without_retries_a_wrong_answer_ends_it_and_is_explained() -> None:
    question = asked(QuestionKind.ROOTS_LEFT, retries=False)
    give(question, right=False)
    question.check()
    assert not question.pending
    assert f"It is {question.right.number}." in question.feedback


def test_each_choice_has_its_own_feedback() -> None:
    question = asked(QuestionKind.CHOICE)
    question.set_number(1)
    question.check()
    assert question.feedback == "Not a."
    question.set_number(2)
    question.check()
    assert question.feedback == "It is b."


def test_a_cell_is_taken_back_and_of_one_the_last_counts() -> None:
    several, one = asked(QuestionKind.MERGED_ROOTS), asked(QuestionKind.ROOT)
    for cell in ((1, 1), (2, 2), (1, 1)):
        several.toggle_cell(cell)
        one.toggle_cell(cell)
    assert several.chosen == ((2, 2),)
    assert one.chosen == ((1, 1),)
    several.set_number(3)
    assert several.number is None


def test_skipping_and_showing_the_answer_are_no_answers() -> None:
    question = asked(QuestionKind.ROOTS_LEFT)
    question.skip()
    assert outcome(question) is QuestionOutcome.SKIPPED
    assert not question.marks.judged
    question.show_answer()
    assert outcome(question) is QuestionOutcome.SHOWN
    assert str(question.right.number) in question.feedback
    question.check()
    question.skip()
    assert outcome(question) is QuestionOutcome.SHOWN


@pytest.mark.parametrize(
    ("kind", "hidden"),
    [
        (QuestionKind.COMPONENTS, {HiddenInformation.COUNTS, HiddenInformation.TABLES}),
        (QuestionKind.ITERATIONS_LEFT, {HiddenInformation.COURSE, HiddenInformation.TABLES}),
        (QuestionKind.ROOTS_LEFT, {HiddenInformation.TABLES}),
        (QuestionKind.NEXT_LABEL, {HiddenInformation.PATHS}),
        (QuestionKind.ROOT, {HiddenInformation.PATHS}),
        (QuestionKind.MERGED_ROOTS, set()),
    ],
)
def test_what_gives_the_answer_away_is_hidden(
    kind: QuestionKind, hidden: set[HiddenInformation]
) -> None:
    question = asked(kind)
    assert question.hidden_answers == hidden
    question.show_answer()
    assert not question.hidden_answers


def test_the_step_that_shows_the_answer_is_known() -> None:
    assert asked(QuestionKind.NEXT_LABEL, 1).answer_step == 2
    assert asked(QuestionKind.COMPONENTS).answer_step is None


def test_right_cells_among_too_many_are_not_the_answer() -> None:
    for kind in (QuestionKind.ROOT, QuestionKind.MERGED_ROOTS):
        question = asked(kind)
        others = ((x, y) for y in range(8) for x in range(8) if (x, y) not in question.right.cells)
        every = (*question.right.cells, next(others))
        assert not judge(question.question, question.right, every).right
        if kind is QuestionKind.MERGED_ROOTS:
            for cell in every:
                question.toggle_cell(cell)
            question.check()
            assert question.outcome is QuestionOutcome.WRONG
            assert "1 other cell" in question.feedback
