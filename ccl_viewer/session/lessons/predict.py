"""Predict mode: what comes next in any run is asked before it is shown."""

from __future__ import annotations

from random import Random
from typing import Protocol

from ccl_viewer.errors import InputError
from ccl_viewer.lessons import QuestionKind, answer, ask_any, prompt
from ccl_viewer.recording import Recording
from ccl_viewer.session.lessons.asking import Asking, QuestionOutcome
from ccl_viewer.session.playback.playback import Playback
from ccl_viewer.session.showing.displayed_run import DisplayedRun
from ccl_viewer.session.showing.pointing import Marks, Pointing
from ccl_viewer.session.signals import Signal
from ccl_viewer.session.state import AUTOMATIC_CELLS, Cell

_STEP_FORWARD = "Step forward (→): before the next step, you are asked what it will do."
_FROM_THE_FIRST = "This is the last step: go to the first one, and predict what follows."
_NO_RUN = "Run an algorithm first: questions are about the steps of its run."
_GROWING = "Questions begin when the run has ended."
_TOO_LARGE = f"Questions are asked about grids of up to {AUTOMATIC_CELLS:,} cells."

_TRIES = 20
"""Questions that are thought of until one has an answer that the window does not show already."""


class Displayed(Protocol):
    """What predict mode needs to know of the display."""

    @property
    def playback(self) -> Playback:
        """Where it stands."""

    @property
    def shown(self) -> DisplayedRun | None:
        """The run on display."""

    @property
    def growing(self) -> bool:
        """Whether it is being recorded still."""


class Open(Protocol):
    """What predict mode needs to know of lessons."""

    @property
    def is_open(self) -> bool:
        """Whether one is open: it asks questions of its own."""


class Predictor:
    """Asks about the next step whenever somebody steps forward; never in the way of stepping.

    Attributes
    ----------
    changed : Signal
        It was switched, another question is asked, or one was answered.
    rng : random.Random
        Picks the questions; with the same seed, the same ones.

    Parameters
    ----------
    display : Displayed
        What is asked about.
    pointing : Pointing
        Marks cells.
    lesson : Open
        While one is open, nothing is asked.
    """

    def __init__(self, display: Displayed, pointing: Pointing, lesson: Open) -> None:
        self.changed = Signal()
        self.rng = Random()  # noqa: S311  (it picks questions, and keeps no secret)
        self._display = display
        self._pointing = pointing
        self._lesson = lesson
        self._on = False
        self._asking: Asking | None = None
        self._right = 0
        self._answered = 0
        self._at: tuple[Recording | None, int] = (None, 0)
        self._showing = False

    @property
    def on(self) -> bool:
        """Whether it is switched on."""
        return self._on

    @property
    def active(self) -> bool:
        """Whether it is on, and no lesson is open."""
        return self._on and not self._lesson.is_open

    @property
    def asking(self) -> Asking | None:
        """The question that is asked, or was answered last."""
        return self._asking if self.active else None

    @property
    def score(self) -> tuple[int, int]:
        """Questions answered rightly, and questions answered, since it was switched on."""
        return self._right, self._answered

    @property
    def hint(self) -> str:
        """What to do, while nothing is asked."""
        recording = self._recording
        if recording is None:
            return _NO_RUN
        if self._display.growing:
            return _GROWING
        if recording.image.size > AUTOMATIC_CELLS:
            return _TOO_LARGE
        return _FROM_THE_FIRST if self._display.playback.at_end else _STEP_FORWARD

    @property
    def can_begin(self) -> bool:
        """Whether something can be asked at the first step."""
        recording = self._recording
        return (
            recording is not None
            and not self._display.growing
            and recording.image.size <= AUTOMATIC_CELLS
            and len(recording) > 1
        )

    def switch(self, on: bool) -> None:
        """Switch it on, with a question about the next step and a new score, or off."""
        if on == self._on:
            return
        self._on = on
        if on:
            self._right = self._answered = 0
            self._at = self._place()
            self._ask()
        else:
            self._forget()
        self.changed.emit()

    def begin(self) -> None:
        """Go to the first step, and ask about the second."""
        self._display.playback.first()
        self.go_on()

    def go_on(self) -> None:
        """Ask about the step after the one on display."""
        if self.active:
            self._forget()
            self._ask()
            self.changed.emit()

    def check(self) -> None:
        """Judge the answer, if one was given, and show the step that it is about."""
        asking = self.asking
        if asking is None or not asking.pending or not asking.answered:
            return
        asking.check()
        self._answered += 1
        self._right += asking.outcome is QuestionOutcome.RIGHT
        self._show_step(asking)
        self.changed.emit()

    def skip(self) -> None:
        """Leave the question without an answer."""
        if self.asking is not None:
            self._forget()
            self.changed.emit()

    def explain(self) -> None:
        """Tell the answer, if none was given, and show the step that it is about."""
        asking = self.asking
        if asking is not None:
            asking.tell()
            self._show_step(asking)
            self.changed.emit()

    def follow(self) -> None:
        """Take note that the grid, the run or the step on display is another."""
        before, self._at = self._at, self._place()
        if self._at == before or self._showing:
            return
        if not self.active:
            # A lesson has the window: its marks are not touched.
            if self._on:
                self._asking = None
                self.changed.emit()
            return
        self._forget()
        forward = self._at[0] is before[0] and self._at[1] == before[1] + 1
        if forward and not self._display.playback.playing:
            self._ask()
        self.changed.emit()

    @property
    def _recording(self) -> Recording | None:
        shown = self._display.shown
        return None if shown is None else shown.recording

    def _place(self) -> tuple[Recording | None, int]:
        return self._recording, self._display.playback.position

    def _ask(self) -> None:
        recording, step = self._place()
        if recording is None or not self.can_begin or step + 1 >= len(recording):
            return
        question = ask_any(recording, step, self.rng)
        for _ in range(_TRIES):
            if question.kind is not QuestionKind.ITERATIONS_LEFT:
                break
            question = ask_any(recording, step, self.rng)
        else:
            return
        try:
            right = answer(question, recording, step)
        except InputError:  # nothing to ask here: the next step will do
            return
        self._asking = Asking(question, prompt(question), right, recording, step)
        self._asking.changed.connect(self._point)
        self._point()

    def _forget(self) -> None:
        self._asking = None
        if not self._lesson.is_open:
            self._pointing.show(Marks())

    def _show_step(self, asking: Asking) -> None:
        playback = self._display.playback
        if asking.next_step is not None and playback.position == asking.step:
            self._showing = True
            playback.pause()
            playback.go_to(asking.next_step)
            self._showing = False
            self._at = self._place()

    def _point(self) -> None:
        asking = self._asking
        if asking is None or self._lesson.is_open:
            return
        picks = asking.pending and asking.wants_cells
        self._pointing.show(asking.marks, self._pick if picks else None)
        self.changed.emit()

    def _pick(self, cell: Cell) -> None:
        if self._asking is not None:
            self._asking.choose(cell)
