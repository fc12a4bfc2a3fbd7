"""One question while it is asked: what was chosen, how it was judged, and why."""

from __future__ import annotations

from enum import StrEnum
from typing import Final, Protocol

from ccl_viewer.lessons import Answer, Question, QuestionKind, judge
from ccl_viewer.recording import Recording
from ccl_viewer.session.showing.pointing import Marks
from ccl_viewer.session.signals import Signal
from ccl_viewer.session.state import Cell

WITHHELD: Final = "Not shown while the question is open: it would tell the answer."
"""Stands where something is not shown because of a question."""

_ABOUT_NEXT = {QuestionKind.NEXT_LABEL, QuestionKind.MERGED_ROOTS, QuestionKind.ROOTS_LEFT}
_TABULATED = {QuestionKind.COMPONENTS, QuestionKind.ITERATIONS_LEFT, QuestionKind.ROOTS_LEFT}


class QuestionOutcome(StrEnum):
    """What became of a question."""

    PENDING = "pending"
    RIGHT = "right"
    WRONG = "wrong"
    SKIPPED = "skipped"
    TOLD = "told"
    """The answer was asked for, instead of given."""


class Asking:
    """A question about a step of a recording, until it is answered or not.

    Attributes
    ----------
    changed : Signal
        A cell was chosen, or the outcome changed.

    Parameters
    ----------
    question : Question
        What is asked.
    prompt : str
        The same in words.
    right : Answer
        The right answer.
    recording : Recording
        The run that it is about.
    step : int
        The step on display when it is asked, from 0.
    """

    def __init__(
        self, question: Question, prompt: str, right: Answer, recording: Recording, step: int
    ) -> None:
        self.changed = Signal()
        self.question = question
        self.prompt = prompt
        self.right = right
        self.recording = recording
        self.step = step
        self._chosen: tuple[Cell, ...] = ()
        self._number: int | None = None
        self._outcome = QuestionOutcome.PENDING
        self._words = ""

    @property
    def wants_cells(self) -> bool:
        """Whether it is answered by cells, and not by a number."""
        return self.question.kind.wants_cells

    @property
    def pending(self) -> bool:
        """Whether nothing became of it yet."""
        return self._outcome is QuestionOutcome.PENDING

    @property
    def outcome(self) -> QuestionOutcome:
        """What became of it."""
        return self._outcome

    @property
    def chosen(self) -> tuple[Cell, ...]:
        """The cells that were clicked."""
        return self._chosen

    @property
    def number(self) -> int | None:
        """The number that was typed."""
        return self._number

    @property
    def words(self) -> str:
        """Whether the answer is right, and why; empty until that may be seen."""
        return self._words

    @property
    def answered(self) -> bool:
        """Whether there is an answer to judge."""
        return bool(self._chosen) if self.wants_cells else self._number is not None

    @property
    def next_step(self) -> int | None:
        """The step that shows the answer, if it is the next one."""
        return self.step + 1 if self.question.kind in _ABOUT_NEXT else None

    @property
    def conceals_count(self) -> bool:
        """Whether the number of components is not to be seen yet."""
        return self.pending and self.question.kind is QuestionKind.COMPONENTS

    @property
    def conceals_course(self) -> bool:
        """Whether the steps that follow are not to be seen yet."""
        return self.pending and self.question.kind is QuestionKind.ITERATIONS_LEFT

    @property
    def conceals_tables(self) -> bool:
        """Whether the answer could be read in the tables and plots of the run."""
        return self.pending and self.question.kind in _TABULATED

    @property
    def marks(self) -> Marks:
        """What to mark on the canvas."""
        told = self._outcome in {QuestionOutcome.RIGHT, QuestionOutcome.WRONG, QuestionOutcome.TOLD}
        return Marks(
            asked=self.question.cell,
            chosen=self._chosen,
            right=self.right.cells if told else (),
            judged=told,
        )

    def choose(self, cell: Cell) -> None:
        """Choose a cell, or choose it no longer; where one cell is asked for, the last counts."""
        if not (self.pending and self.wants_cells):
            return
        if cell in self._chosen:
            self._chosen = tuple(other for other in self._chosen if other != cell)
        elif self.question.kind is QuestionKind.ROOT:
            self._chosen = (cell,)
        else:
            self._chosen = (*self._chosen, cell)
        self.changed.emit()

    def type(self, number: int | None) -> None:
        """Take note of the number that was typed so far."""
        if self.pending and not self.wants_cells and number != self._number:
            self._number = number
            self.changed.emit()

    def check(self) -> None:
        """Judge the cells that were chosen, or the number that was typed."""
        if not self.pending:
            return
        judgement = judge(self.question, self.right, self._chosen, self._number)
        self._end(
            QuestionOutcome.RIGHT if judgement.right else QuestionOutcome.WRONG, judgement.words
        )

    def skip(self) -> None:
        """Leave it without an answer."""
        if self.pending:
            self._chosen = ()
            self._end(QuestionOutcome.SKIPPED, "")

    def tell(self) -> None:
        """Tell the answer and why, if nobody gave one."""
        if self._outcome in {QuestionOutcome.PENDING, QuestionOutcome.SKIPPED}:
            known = "" if self.right.number is None else f"It is {self.right.number:,}. "
            self._end(QuestionOutcome.TOLD, f"{known}{self.right.why}")

    def _end(self, outcome: QuestionOutcome, words: str) -> None:
        self._outcome, self._words = outcome, words
        self.changed.emit()


class Quiz(Protocol):
    """Whoever asks questions."""

    @property
    def asking(self) -> Asking | None:
        """The question on display."""

    @property
    def score(self) -> tuple[int, int]:
        """Questions answered rightly, and questions answered."""

    def check(self) -> None:
        """Judge the answer, if one was given."""

    def skip(self) -> None:
        """Leave the question without an answer."""

    def explain(self) -> None:
        """Tell the answer, if none was given, and show the step that it is about."""


def hides_count(quiz: Quiz) -> bool:
    """Return whether a question is open that the number of components would answer."""
    return quiz.asking is not None and quiz.asking.conceals_count


def hides_course(quiz: Quiz) -> bool:
    """Return whether a question is open that the steps to come would answer."""
    return quiz.asking is not None and quiz.asking.conceals_course


def hides_tables(quiz: Quiz) -> bool:
    """Return whether a question is open that tables and plots of the run would answer."""
    return quiz.asking is not None and quiz.asking.conceals_tables
