"""The explanation of a step: what it does in the paper's terms, and what it did here."""

from __future__ import annotations

from html import escape

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from ccl_viewer.recording import Step
from ccl_viewer.render.explanation import explain, explain_briefly
from ccl_viewer.session import Session
from ccl_viewer.views.theme import DARK, Theme

_NO_GRID = "Open a picture or choose a pattern: its run is recorded step by step."
_NO_RUN = "Press Run (F5): each launch is recorded as a step."
_LINES = 2


class Explanation(QLabel):
    """Explains the step on display.

    It grows with the longest text of a run and never shrinks, so that nothing jumps when steps
    follow each other.

    Parameters
    ----------
    session : Session
        What is on display.
    parent : QWidget or None
        Parent.
    """

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._theme = DARK
        self.plain = ""
        self.setWordWrap(True)
        self.setTextFormat(Qt.TextFormat.RichText)
        self.setAccessibleName("What this step does")
        self.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        session.recording_changed.connect(self._begin)
        session.steps_changed.connect(self.refresh)
        session.insight.changed.connect(self.refresh)
        session.playback.position_changed.connect(self.refresh)
        session.busy_changed.connect(self.refresh)
        self._begin()

    def set_theme(self, theme: Theme) -> None:
        """Use the colours of a theme."""
        self._theme = theme
        self.plain = ""
        self.refresh()

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
        dim = f'<span style="color: {self._theme.dim}">{escape(told)}</span> ' if told else ""
        self.setText(f"{dim}{escape(done)}")
        self._grow()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Need as many lines as the new width asks for."""
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._settle()

    def _begin(self) -> None:
        self._settle()
        self.refresh()

    def _settle(self) -> None:
        self.setMinimumHeight(_LINES * self.fontMetrics().lineSpacing() + 4)
        self._grow()

    def _grow(self) -> None:
        needed = self.heightForWidth(self.width())
        if needed > self.minimumHeight():
            self.setMinimumHeight(needed)

    def _counted(self, step: Step) -> str:
        facts = self._session.insight.facts(step.index)
        return explain_briefly(step.changed, step.roots) if facts is None else explain(facts)
