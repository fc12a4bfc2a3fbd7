"""A question with its field, its buttons, and what became of it."""

from __future__ import annotations

from PySide6.QtCore import QRegularExpression, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QAction, QRegularExpressionValidator
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QLabel,
    QLineEdit,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from ccl_viewer.lessons.markup import plain, to_html
from ccl_viewer.session import Asking, QuestionOutcome, Session
from ccl_viewer.views.lessons.text import styled
from ccl_viewer.views.looks.restyle import restyle
from ccl_viewer.views.looks.theme import DARK, Theme
from ccl_viewer.views.widgets.flow import FlowLayout

_LONGEST = 10  # digits of the largest number that is asked for
_HEADINGS = {
    QuestionOutcome.RIGHT: "✓  Right",
    QuestionOutcome.WRONG: "✗  Not quite",
    QuestionOutcome.SKIPPED: "Skipped",
    QuestionOutcome.TOLD: "The answer",
}
_KINDS = {
    QuestionOutcome.RIGHT: "ok",
    QuestionOutcome.WRONG: "error",
    QuestionOutcome.SKIPPED: "info",
    QuestionOutcome.TOLD: "info",
}


class QuestionCard(QFrame):
    """Shows what a quiz asks.

    Parameters
    ----------
    session : Session
        Whose quiz is shown.
    actions : dict of str to QAction
        Those named ``answer``, ``skip_question`` and ``explain_answer``.
    """

    answered = Signal()

    def __init__(self, session: Session, actions: dict[str, QAction]) -> None:
        super().__init__()
        self._session = session
        self._theme = DARK
        self._asking: Asking | None = None
        self.setAccessibleName("Question")
        self.prompt = QLabel()
        self.prompt.setWordWrap(True)
        self.prompt.setTextFormat(Qt.TextFormat.RichText)
        self.field = QLineEdit()
        self.field.setPlaceholderText("Number")
        self.field.setAccessibleName("Your answer")
        self.field.setMaxLength(_LONGEST)
        self.field.setFixedWidth(self.fontMetrics().horizontalAdvance("0") * 16)
        digits = QRegularExpression(r"\d*")
        self.field.setValidator(QRegularExpressionValidator(digits, self.field))
        self.field.textChanged.connect(self._typed)
        self.field.returnPressed.connect(actions["answer"].trigger)
        self.chosen = QLabel()
        self.chosen.setProperty("role", "dim")
        self.chosen.setWordWrap(True)
        self.check = _button("Check", actions["answer"])
        self.check.setProperty("role", "primary")
        self.skip = _button("Skip", actions["skip_question"])
        self.why = _button("Why?", actions["explain_answer"])
        self.verdict = QFrame()
        self.heading = QLabel()
        self.heading.setProperty("role", "title")
        self.words = QLabel()
        self.words.setWordWrap(True)
        self.words.setTextFormat(Qt.TextFormat.RichText)
        self.words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._lay_out()

    def set_theme(self, theme: Theme, size: float = 1.0) -> None:
        """Use the colours of a theme, and text of a size."""
        self._theme = theme
        font = self.font()
        font.setPointSizeF(max(font.pointSizeF() * size, 1.0))
        self.words.setFont(font)
        font.setBold(True)
        self.prompt.setFont(font)
        self.heading.setFont(font)
        self.field.setFixedWidth(self.fontMetrics().horizontalAdvance("0") * 16)
        self._show_texts()

    def refresh(self) -> None:
        """Show the question that is asked now."""
        asking = self._session.quiz.asking
        if asking is not self._asking:
            self._asking = asking
            with QSignalBlocker(self.field):
                number = None if asking is None else asking.number
                self.field.setText("" if number is None else str(number))
        self.setVisible(asking is not None)
        if asking is None:
            return
        pending = asking.pending
        focus = QApplication.focusWidget()
        had_focus = focus is not None and self.isAncestorOf(focus)
        self.field.setVisible(pending and not asking.wants_cells)
        self.chosen.setVisible(asking.wants_cells and pending)
        self.chosen.setText(_chosen_text(asking))
        self.check.setVisible(pending)
        self.check.setEnabled(asking.answered)
        self.skip.setVisible(pending)
        shows = asking.next_step not in {None, self._session.playback.position}
        self.why.setText("Why?" if pending or not shows else "Show the next step")
        self.why.setVisible(
            shows or asking.outcome in {QuestionOutcome.PENDING, QuestionOutcome.SKIPPED}
        )
        self._show_texts()
        if had_focus and not pending:
            self.answered.emit()

    def begin_to_answer(self) -> bool:
        """Put the focus where a number is typed; return whether one is asked for."""
        asking = self._asking
        if asking is None or asking.wants_cells or not asking.pending:
            return False
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.field.selectAll()
        return True

    def _typed(self, text: str) -> None:
        if self._asking is not None:
            self._asking.type(int(text) if text else None)

    def _show_texts(self) -> None:
        asking = self._asking
        if asking is None:
            return
        self.prompt.setText(styled(to_html(asking.prompt), self._theme))
        self.setAccessibleDescription(plain(asking.prompt))
        self.verdict.setVisible(not asking.pending)
        if asking.pending:
            return
        self.heading.setText(_HEADINGS[asking.outcome])
        self.words.setText(styled(to_html(asking.words), self._theme))
        self.words.setVisible(bool(asking.words))
        self.verdict.setAccessibleName(f"{_HEADINGS[asking.outcome]}. {plain(asking.words)}")
        restyle(self.verdict, "message", _KINDS[asking.outcome], self.heading, self.words)

    def _lay_out(self) -> None:
        row = FlowLayout(6, 6)
        for widget in (self.field, self.check, self.skip, self.why):
            row.addWidget(widget)
        told = QVBoxLayout(self.verdict)
        told.setContentsMargins(12, 8, 12, 8)
        told.setSpacing(4)
        told.addWidget(self.heading)
        told.addWidget(self.words)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(8)
        layout.addWidget(self.prompt)
        layout.addWidget(self.chosen)
        layout.addWidget(self.verdict)
        layout.addLayout(row)
        for label in (self.prompt, self.words, self.chosen):
            label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)


def _chosen_text(asking: Asking) -> str:
    if not asking.chosen:
        return "Click on the grid, or move there with Shift and the arrows and press Enter."
    cells = ", ".join(f"x = {x}, y = {y}" for x, y in asking.chosen[:4])
    more = f" and {len(asking.chosen) - 4} more" if len(asking.chosen) > 4 else ""
    return f"Chosen: {cells}{more}. Click one again to leave it out."


def _button(text: str, action: QAction, parent: QWidget | None = None) -> QPushButton:
    button = QPushButton(text, parent)
    button.setToolTip(action.toolTip())
    button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    button.clicked.connect(action.trigger)
    return button
