"""Predict mode: a question about the next step before each step forward."""

from __future__ import annotations

from contextlib import suppress
from random import Random
from typing import TYPE_CHECKING, Final

import numpy as np
from psygnal import Signal

from ccl_viewer.errors import InputError
from ccl_viewer.grids.shapes import Cell
from ccl_viewer.lessons import QuestionKind, answer, pick_question, prompt
from ccl_viewer.recording import Recording
from ccl_viewer.render.step_view import Marks
from ccl_viewer.window.core.model import watch
from ccl_viewer.window.core.questions import AskedQuestion, QuestionOutcome, QuestionSource

if TYPE_CHECKING:
    from ccl_viewer.window.core.analysis import RunAnalysis
    from ccl_viewer.window.core.comparison import Comparison
    from ccl_viewer.window.core.document import Document
    from ccl_viewer.window.core.labels import LabelCache
    from ccl_viewer.window.core.playback import Playback
    from ccl_viewer.window.core.run_display import RunDisplay
    from ccl_viewer.window.core.view_state import ViewState

_STEP_FORWARD: Final = "Step forward (→), and predict what the step after that will do."
_AT_END: Final = "This is the last step. Go to the first one, and predict what follows."
_NO_RUN: Final = "Run an algorithm first: the questions are about the steps of its run."
_GROWING: Final = "The questions begin when the run has ended."
_ASKED_CELLS: Final = 128 * 128
_TOO_LARGE: Final = f"Only grids of up to {_ASKED_CELLS:,} cells have questions."

_TRIES: Final = 20  # attempts to find a question with an answer that the window does not show


class Predictor(QuestionSource):
    """Asks about the next step on each step forward, but never blocks stepping.

    `rng` picks the questions.
    """

    on_changed = Signal()
    empty_text_changed = Signal()

    def __init__(
        self,
        *,
        document: Document,
        display: RunDisplay,
        playback: Playback,
        view: ViewState,
        labels: LabelCache,
        analysis: RunAnalysis,
        comparison: Comparison,
    ) -> None:
        super().__init__()
        self.on = False
        self.rng = Random()  # noqa: S311  (it picks questions, and keeps no secret)
        self._display, self._playback = display, playback
        self._view, self._analysis, self._labels = view, analysis, labels
        self._document, self._comparison = document, comparison
        self._question: AskedQuestion | None = None
        self._right = 0
        self._answered = 0
        self._at = self._place()
        self._showing = False
        self._display.changed.connect(self._on_display_changed)
        self._document.user_grid_aside_changed.connect(self._on_lesson_changed)

    @property
    def may_ask(self) -> bool:
        """Whether it is on, and no lesson is open."""
        return self.on and not self._document.user_grid_aside

    @property
    def question(self) -> AskedQuestion | None:
        return self._question if self.may_ask else None

    @property
    def score(self) -> tuple[int, int]:
        """The numbers of right answers and of all answers, since it is on."""
        return self._right, self._answered

    @property
    def empty_text(self) -> str:
        """What to do while no question is asked."""
        recording = self._display.recording
        if recording is None:
            return _NO_RUN
        if self._display.growing:
            return _GROWING
        if recording.image.size > _ASKED_CELLS:
            return _TOO_LARGE
        return _AT_END if self._display.index >= self._display.count - 1 else _STEP_FORWARD

    @property
    def can_begin(self) -> bool:
        """Whether there is a question at the first step."""
        return self._display.count > 1 and self.empty_text in {_AT_END, _STEP_FORWARD}

    def switch(self, on: bool) -> None:
        """Turn it on, with a question about the next step and a new score, or off."""
        with self.transaction():
            if self._set(self.on_changed, on):
                self._right = self._answered = 0
                self._view.lock_mode(self.may_ask)  # drawing would change the run
                self._ask() if on else self._forget()

    def ask_from_start(self) -> None:
        """Go to the first step, and ask about the second."""
        self._playback.go_to_first()
        self.ask_next()

    def ask_next(self) -> None:
        """Ask about the step after the one on display."""
        if self.may_ask:
            self._ask()

    def show_answer(self) -> None:
        """Show the answer, unless one was given, and the step that it is about."""
        if self.question is not None:
            with self.transaction():
                self.question.show_answer()
                self._show_step(self.question)

    def _place(self) -> tuple[Recording | None, int]:
        return self._display.recording, self._display.index

    def _on_display_changed(self) -> None:
        before, self._at = self._at, self._place()
        if not self.on:
            return
        with self.transaction():
            self._announce(self.empty_text_changed)
            if self._at == before or self._showing:
                return
            forward = self._at[0] is before[0] and self._at[1] == before[1] + 1
            if forward and self.may_ask and not self._playback.playing:
                self._ask()
            else:
                self._forget()

    def _on_lesson_changed(self) -> None:
        if self.on:
            self._view.lock_mode(self.may_ask)
            self._forget()
            self._announce(self.on_changed)

    def _ask(self) -> None:
        self._comparison.set_active(0)  # the run that the question is about
        self._question = self._find_question()
        if self._question is not None:
            self._question.outcome_changed.connect(self._on_judged)
            watch(self._show_answer, self._question.chosen_changed, self._question.number_changed)
        self._show_marks()
        self._announce(self.question_changed, self.empty_text_changed)

    def _find_question(self) -> AskedQuestion | None:
        recording, step = self._place()
        if recording is None or not self.can_begin or step + 1 >= len(recording):
            return None
        candidates = (pick_question(recording, step, self.rng) for _ in range(_TRIES))
        # The list of steps would show how many iterations are left.
        question = next((q for q in candidates if q.kind is not QuestionKind.ITERATIONS_LEFT), None)
        if question is not None:
            with suppress(InputError):  # no question here
                right = answer(question, recording, step)
                words = prompt(question)
                return AskedQuestion(question, words, right, step, retries=False, by_click=True)
        return None

    def _forget(self) -> None:
        if self._question is not None:
            self._question = None
            self._show_marks()
            self._announce(self.question_changed, self.empty_text_changed)

    def _show_step(self, question: AskedQuestion) -> None:
        if question.answer_step is not None and self._display.index == question.step:
            self._showing = True
            self._playback.pause()
            self._display.go_to(question.answer_step)
            self._showing = False

    def _on_judged(self) -> None:
        """Show the step that a judged question is about; a skipped question is removed."""
        question = self._question
        if question is None:
            return
        with self.transaction():
            if question.outcome is QuestionOutcome.SKIPPED:
                self._forget()
            else:
                self._answered += question.tries
                self._right += question.outcome is QuestionOutcome.RIGHT
                self._show_step(question)
            self._show_answer()

    def _show_answer(self) -> None:
        self._show_marks()
        self._announce(self.question_changed)

    def _show_marks(self) -> None:
        """Mark the cells of the question; a lesson's marks stay."""
        if self._document.user_grid_aside:
            return
        question = self._question
        self._analysis.set_hidden_answers(() if question is None else question.hidden_answers)
        self._view.set_marks(
            Marks() if question is None else question.marks,
            self._pick if question is not None and question.wants_click else None,
        )

    def _pick(self, cell: Cell) -> None:
        """Answer with a cell, or with its label."""
        question, recording = self._question, self._display.recording
        if question is None or recording is None:
            return
        if not question.wants_clicked_label:
            question.toggle_cell(cell)
            return
        index = np.array([cell[1] * recording.layout.width + cell[0]])
        label = int(self._labels.make_label_lookup(recording, self._display.index)(index)[0])
        if label != recording.layout.background:
            question.set_number(label)
            question.check()
