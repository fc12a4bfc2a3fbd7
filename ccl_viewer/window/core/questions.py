"""A question on display: its answers, and the information that it hides."""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from psygnal import Signal

from ccl_viewer.grids.shapes import Cell
from ccl_viewer.lessons import Answer, Question, QuestionKind, answer_in_words, judge
from ccl_viewer.lessons.hidden_answers import HIDDEN_FOR, HiddenInformation
from ccl_viewer.render.step_view import Marks
from ccl_viewer.window.core.model import Model

_ABOUT_NEXT: Final = {
    QuestionKind.NEXT_LABEL,
    QuestionKind.MERGED_ROOTS,
    QuestionKind.ROOTS_LEFT,
}


class QuestionOutcome(StrEnum):
    """The outcome of a question."""

    PENDING = "pending"
    RIGHT = "right"
    WRONG = "wrong"
    SKIPPED = "skipped"
    SHOWN = "shown"
    """The user asked for the answer instead of giving one."""


class QuestionSource(Model):
    """A source of questions: a lesson, or predict mode."""

    question_changed = Signal()  # another one, or it was answered

    @property
    def question(self) -> AskedQuestion | None:
        """The question on display; None while nothing is asked."""
        raise NotImplementedError

    def show_answer(self) -> None:
        """Show the answer, and the step that it is about."""
        raise NotImplementedError


class AskedQuestion(Model):
    """A question about a step of a run.

    `step` is on display when the question is asked, from 0; `choices` are chosen by their numbers
    from 1. `feedback` says whether the last answer is right, and why. While `retries` is true, a
    wrong answer leaves the question open and hidden; `tries` counts the answers. If a click is an
    answer (`by_click`), it is judged immediately when one cell or its label is asked for.
    """

    chosen_changed = Signal()  # cells that were clicked
    number_changed = Signal()  # as typed
    outcome_changed = Signal()

    def __init__(
        self,
        question: Question,
        prompt: str,
        right: Answer,
        step: int,
        *,
        choices: tuple[str, ...] = (),
        retries: bool = True,
        by_click: bool = False,
    ) -> None:
        super().__init__()
        self.question = question
        self.prompt = prompt
        self.right = right
        self.step = step
        self.choices = choices
        self.retries = retries
        self.by_click = by_click
        self.tries = 0
        self.chosen: tuple[Cell, ...] = ()
        self.number: int | None = None
        self.outcome = QuestionOutcome.PENDING
        self.feedback = ""

    @property
    def wants_cells(self) -> bool:
        """Whether it is answered by clicking cells, instead of by a number."""
        return self.question.kind.wants_cells

    @property
    def wants_click(self) -> bool:
        """Whether a click on a cell is currently an answer."""
        return self.pending and (self.wants_cells or self.wants_clicked_label)

    @property
    def wants_clicked_label(self) -> bool:
        """Whether the label of the clicked cell is the answer."""
        return self.by_click and self.question.kind is QuestionKind.NEXT_LABEL

    @property
    def pending(self) -> bool:
        again = self.outcome is QuestionOutcome.WRONG and self.retries
        return again or self.outcome is QuestionOutcome.PENDING

    @property
    def has_answer(self) -> bool:
        return bool(self.chosen) if self.wants_cells else self.number is not None

    @property
    def answer_step(self) -> int | None:
        """The step that shows the answer, if that is the next one."""
        return self.step + 1 if self.question.kind in _ABOUT_NEXT else None

    @property
    def hidden_answers(self) -> frozenset[HiddenInformation]:
        """What must stay hidden while it is open, because it would give the answer away."""
        return frozenset(HIDDEN_FOR.get(self.question.kind, ()) if self.pending else ())

    @property
    def marks(self) -> Marks:
        """What to mark on the canvas."""
        judged = not self.pending and self.outcome is not QuestionOutcome.SKIPPED
        return Marks(
            asked=self.question.cell,
            chosen=self.chosen,
            right=self.right.cells if judged else (),
            judged=judged,
        )

    def toggle_cell(self, cell: Cell) -> None:
        """Choose a cell, or undo that; if the answer is one cell, the last one counts."""
        if not (self.pending and self.wants_cells):
            return
        if cell in self.chosen:
            self.chosen = tuple(other for other in self.chosen if other != cell)
        elif self.question.kind is QuestionKind.ROOT:
            self.chosen = (cell,)
        else:
            self.chosen = (*self.chosen, cell)
        self._announce(self.chosen_changed)
        if self.by_click and self.question.kind is QuestionKind.ROOT:
            self.check()

    def set_number(self, number: int | None) -> None:
        """Store the number typed so far."""
        if self.pending and not self.wants_cells:
            self._set(self.number_changed, number)

    def check(self) -> None:
        """Judge the answer, if there is one."""
        if self.pending and self.has_answer:
            verdict = judge(self.question, self.right, self.chosen, self.number)
            self.tries += 1
            shown = "" if verdict.right or self.retries else f" {answer_in_words(self.right)}"
            outcome = QuestionOutcome.RIGHT if verdict.right else QuestionOutcome.WRONG
            self._end(outcome, verdict.words + shown)

    def skip(self) -> None:
        """Leave it without an answer."""
        if self.pending:
            self.chosen = ()
            self._end(QuestionOutcome.SKIPPED, "")

    def show_answer(self) -> None:
        """Show the answer and the reason, unless an answer was given."""
        if self.pending or self.outcome is QuestionOutcome.SKIPPED:
            self._end(QuestionOutcome.SHOWN, answer_in_words(self.right))

    def _end(self, outcome: QuestionOutcome, feedback: str) -> None:
        self.feedback = feedback
        self.outcome = outcome
        self._announce(self.outcome_changed)
