"""The explanation of a step: what it does in the paper's terms, and what it did here."""

from __future__ import annotations

from html import escape
from weakref import ReferenceType, ref

from PySide6.QtCore import QEvent, QRect, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from ccl_viewer.recording import Recording, Step
from ccl_viewer.render.explanation import explain, explain_atomics, explain_briefly
from ccl_viewer.session import Session
from ccl_viewer.session.facts.longest import longest_texts
from ccl_viewer.session.lessons.asking import hides_count, hides_course
from ccl_viewer.views.looks.theme import DARK, Theme

_NO_GRID = "Open a picture or choose a pattern: its run is recorded step by step."
_NO_RUN = "Press Run (F5): each launch is recorded as a step."
_LINES = 2
_EDGE = 4
_ROOM = " ".join(["88,888 labels do not name a root."] * 14)
"""Is about as long as the longest explanation of any algorithm, on grids of up to 512 x 512."""

_NO_LIMIT = 1 << 20
_MORE = "\u2026"


class Explanation(QLabel):
    """Explains the step on display.

    It has room for the longest text of the run, so that nothing around it moves when steps follow
    each other. What longer texts of other algorithms would need is left to the timeline, so that
    other runs move nothing but that. In a window that is low for its text it has two lines, or
    three where the timeline can spare one. What does not fit has an ellipsis, and is whole in the
    tooltip.

    Parameters
    ----------
    session : Session
        What is on display.
    parent : QWidget or None
        Parent.
    """

    left_over = Signal(int)
    """So many pixels of height are kept for other algorithms, and not needed for this run."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._theme = DARK
        self.plain = ""
        self._told, self._done = "", ""
        self._low = False
        self._spare = 0
        self._measured: tuple[ReferenceType[Recording], bool] | None = None
        self._longest: tuple[str, ...] = ()
        self.setWordWrap(True)
        self.setTextFormat(Qt.TextFormat.RichText)
        self.setAccessibleName("What this step does")
        self.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        session.recording_changed.connect(self._begin)
        session.steps_changed.connect(self._begin)
        session.insight.changed.connect(self.refresh)
        session.playback.position_changed.connect(self.refresh)
        session.busy_changed.connect(self.refresh)
        session.lesson.changed.connect(self.refresh)
        session.predictor.changed.connect(self.refresh)
        self._begin()

    def set_theme(self, theme: Theme) -> None:
        """Use the colours of a theme."""
        self._theme = theme
        self.plain = ""
        self.refresh()

    def set_low(self, low: bool) -> None:
        """Keep to two lines in a window that is low for its text."""
        self._low = low
        self._settle()

    def set_spare(self, lines: int) -> None:
        """Have so many lines more than two there, which others do not need."""
        if lines != self._spare:
            self._spare = lines
            self._settle()

    def refresh(self) -> None:
        """Show what there is to say of the step on display."""
        step = self._session.step
        if step is None:
            told, done = "", _NO_GRID if self._session.grid is None else _NO_RUN
        else:
            told, done = step.caption, self._counted(step)
        plain = f"{told} {done}".strip()
        if plain == self.plain:
            return
        self.plain = plain
        self.setAccessibleDescription(plain)
        self._told, self._done = told, done
        self._fit()

    def changeEvent(self, event: QEvent) -> None:
        """Have as much height as the new size of text asks for."""
        super().changeEvent(event)
        if event.type() is QEvent.Type.FontChange:
            self._settle()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Have as many lines as the new width asks for."""
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._settle()

    def _begin(self) -> None:
        self._measure()
        self.refresh()

    def _measure(self) -> None:
        """Find the longest texts of a run when it begins and when it has ended."""
        recording = self._session.recording
        if recording is None or (ref(recording), recording.complete) == self._measured:
            return
        self._measured = ref(recording), recording.complete
        # Until a run has ended, there is room for that before it as well: one change is enough.
        before = () if recording.complete else self._longest
        self._longest = *before, *longest_texts(recording)
        self._settle()

    def _settle(self) -> None:
        """Have the height of the longest text, whichever is on display."""
        lines = room = _LINES + self._spare
        if not self._low:
            usual, own = self._lines_of(_ROOM), [*map(self._lines_of, self._longest)]
            lines, room = max(own, default=usual), max([usual, *own])
        # The timeline spares a line but for what lies below it.
        edge = 0 if self._low and self._spare else _EDGE
        spacing = self.fontMetrics().lineSpacing()
        self.setFixedHeight(lines * spacing + edge)
        self.left_over.emit((room - lines) * spacing)
        self._fit()

    def _lines_of(self, text: str) -> int:
        metrics, room = self.fontMetrics(), QRect(0, 0, self.width(), _NO_LIMIT)
        box = metrics.boundingRect(room, int(Qt.TextFlag.TextWordWrap), text)
        return round(box.height() / metrics.lineSpacing())

    def _fit(self) -> None:
        self.setToolTip("")
        self._show(self._told, self._done)
        if self._overflows():
            self._shorten()

    def _overflows(self) -> bool:
        return self.heightForWidth(self.width()) > self.maximumHeight()

    def _shorten(self) -> None:
        """Leave words out in the middle, what was counted last of all, until the rest fits."""
        self.setToolTip(self.plain)
        words, done = self._told.split(), self._done.split()
        few, many = 0, len(words) + len(done)
        while few < many:
            middle = (few + many + 1) // 2
            self._show(*_beginning(words, done, middle))
            if self._overflows():
                many = middle - 1
            else:
                few = middle
        self._show(*_beginning(words, done, few))

    def _show(self, told: str, done: str) -> None:
        dim = f'<span style="color: {self._theme.dim}">{escape(told)}</span> ' if told else ""
        self.setText(f"{dim}{escape(done)}")

    def _counted(self, step: Step) -> str:
        if hides_count(self._session.quiz):
            return ""  # roots and wrong roots tell how many components there are
        insight = self._session.insight
        facts, concealed = insight.facts(step.index), hides_course(self._session.quiz)
        if facts is not None and concealed:
            facts = facts.without_outlook()
        done = [explain_briefly(step.changed, step.roots) if facts is None else explain(facts)]
        apart = insight.left_apart
        if apart is not None and step.index >= apart.step and not concealed:
            done.append(apart.sentence)
        done.append(explain_atomics(step.atomics))
        return " ".join(sentence for sentence in done if sentence)


def _beginning(told: list[str], done: list[str], count: int) -> tuple[str, str]:
    """Return so many words, those of the end sooner than those of the middle, and an ellipsis."""
    if count >= len(told) + len(done):
        return " ".join(told), " ".join(done)
    kept = count - len(done)
    if kept < 0:
        return "", f"{' '.join(done[:count])} {_MORE}"
    return " ".join([*told[:kept], _MORE]), " ".join(done)
