"""A question with its field, choices and buttons, in a lesson or in predict mode."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QRegularExpression, QSignalBlocker, QSize, Qt
from PySide6.QtGui import QRegularExpressionValidator, QResizeEvent
from PySide6.QtWidgets import (
    QApplication,
    QBoxLayout,
    QButtonGroup,
    QFrame,
    QLineEdit,
    QPushButton,
    QSizePolicy,
    QWidget,
)

from ccl_viewer.lessons.markup import to_plain_text
from ccl_viewer.window.core.questions import AskedQuestion, QuestionOutcome, QuestionSource
from ccl_viewer.window.widgets import style
from ccl_viewer.window.widgets.buttons import make_text_button
from ccl_viewer.window.widgets.labels import make_label, name_widget
from ccl_viewer.window.widgets.layouts import hbox, make_container, vbox
from ccl_viewer.window.widgets.reading import (
    make_card,
    make_text_label,
    make_wrapped_label,
    rich_text,
)

if TYPE_CHECKING:
    from ccl_viewer.window.core.run_display import RunDisplay

_SHORT_CHOICES: Final = 36  # side by side up to this many characters in all choices


_MAX_DIGITS: Final = 10


_HEADINGS: Final = {
    QuestionOutcome.RIGHT: ("\N{CHECK MARK} Right", "ok"),
    QuestionOutcome.WRONG: ("\N{BALLOT X} Not quite", "error"),
    QuestionOutcome.SKIPPED: ("Skipped", "info"),
    QuestionOutcome.SHOWN: ("The answer", "info"),
}


class QtQuestion(QFrame):
    """A question with its field and buttons, and its outcome."""

    def __init__(self, display: RunDisplay, quiz: QuestionSource) -> None:
        super().__init__()
        self._display = display
        self._quiz = quiz
        self._question: AskedQuestion | None = None
        self.setAccessibleName("Question")
        self.prompt = make_text_label("title")
        self.field = QLineEdit(placeholderText="Number", maxLength=_MAX_DIGITS)
        name_widget(self.field, "Your answer")
        self.field.setMinimumWidth(style.scaled(60))
        self.field.setMaximumWidth(style.scaled(120))
        digits = QRegularExpression(r"\d*")
        self.field.setValidator(QRegularExpressionValidator(digits, self.field))
        self.field.textChanged.connect(self._on_typed)
        self.field.returnPressed.connect(self._judge)
        self.chosen = make_wrapped_label("dim")
        self.choices = QWidget()
        self._choices = vbox(spacing=6)
        self.choices.setLayout(self._choices)
        self._group = QButtonGroup(self)
        self._group.idClicked.connect(self._on_chosen)
        self.check = make_text_button("Check", self._judge, primary=True)
        self.skip = make_text_button("Skip", self._skip)
        self.why = make_text_button("Why?", quiz.show_answer)
        self.heading = make_label("", "title")
        self.feedback = make_text_label()
        self.feedback.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.verdict = make_card("info", vbox(self.heading, self.feedback, spacing=8))
        self._answer = hbox(hbox(self.field, self.check, 1), hbox(self.skip, self.why, 1))
        self.answer_row = make_container(self._answer)  # may be moved to another layout
        parts = (self.prompt, self.choices, self.chosen, self.verdict, self.answer_row)
        self.setLayout(vbox(*parts, spacing=8))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_buttons()

    def _place_buttons(self) -> None:
        """Put all buttons in one row if there is room."""
        parts = (self.field, self.check, self.skip, self.why)
        widths = [
            min(part.sizeHint().width(), part.maximumWidth()) + style.scaled(8)
            for part in parts
            if not part.isHidden()
        ]
        way = QBoxLayout.Direction
        roomy = sum(widths) <= self.width()
        self._answer.setDirection(way.LeftToRight if roomy else way.TopToBottom)

    def refresh(self) -> None:
        """Show the current question."""
        question = self._quiz.question
        if question is not self._question:
            self._question = question
            number = None if question is None else question.number
            with QSignalBlocker(self.field):
                self.field.setText("" if number is None else str(number))
            self._fill_choices(() if question is None else question.choices, number)
        self.setVisible(question is not None)
        self.answer_row.setVisible(question is not None)
        if question is None:
            return
        focus = QApplication.focusWidget()
        had_focus = focus is not None and self.isAncestorOf(focus)
        pending = question.pending
        self.prompt.setText(rich_text(question.prompt))
        self.setAccessibleDescription(to_plain_text(question.prompt))
        self.field.setVisible(pending and not question.wants_cells and not question.choices)
        self.choices.setEnabled(pending)
        if question.number is not None and question.choices:
            self._group.button(question.number).setChecked(True)
        self.chosen.setVisible(question.wants_click)
        self.chosen.setText(_chosen_text(question))
        self.check.setText("Try again" if question.tries else "Check")
        self.check.setVisible(pending)
        self.check.setEnabled(question.has_answer)
        self.skip.setVisible(pending and not question.tries)
        self._show_why(question)
        self._place_buttons()
        self._show_verdict(question)
        if had_focus and not pending:
            self.window().setFocus()  # the focused field was removed

    def begin_to_answer(self) -> bool:
        """Focus the field for a number; return whether there is one."""
        question = self._question
        if question is None or question.wants_cells or not question.pending:
            return False
        target = self._group.button(question.number or 1) if question.choices else self.field
        target.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.field.selectAll()
        return True

    def _show_why(self, question: AskedQuestion) -> None:
        elsewhere = question.answer_step not in {None, self._display.index}
        explained = not question.pending and question.outcome is not QuestionOutcome.SKIPPED
        self.why.setText("Show the next step" if explained and elsewhere else "Show the answer")
        self.why.setVisible(elsewhere or not explained)

    def _show_verdict(self, question: AskedQuestion) -> None:
        answered = question.outcome is not QuestionOutcome.PENDING
        self.verdict.setVisible(answered)
        if not answered:
            return
        heading, kind = _HEADINGS[question.outcome]
        self.heading.setText(heading)
        self.feedback.setText(rich_text(question.feedback))
        self.feedback.setVisible(bool(question.feedback))
        self.verdict.setAccessibleName(f"{heading}. {to_plain_text(question.feedback)}")
        style.set_role(self.verdict, kind, "message")

    def _fill_choices(self, choices: tuple[str, ...], number: int | None) -> None:
        for button in self._group.buttons():
            self._group.removeButton(button)
            button.deleteLater()
        way = QBoxLayout.Direction
        short = sum(map(len, choices)) <= _SHORT_CHOICES
        self._choices.setDirection(way.LeftToRight if short else way.TopToBottom)
        for position, text in enumerate(choices, 1):
            button = _ChoiceButton(text)
            button.setChecked(position == number)
            self._group.addButton(button, position)
            self._choices.addWidget(button)
        self.choices.setVisible(bool(choices))

    def _judge(self) -> None:
        if self._question is not None:
            self._question.check()

    def _skip(self) -> None:
        if self._question is not None:
            self._question.skip()

    def _on_chosen(self, number: int) -> None:
        if self._question is not None:
            self._question.set_number(number)

    def _on_typed(self, text: str) -> None:
        if self._question is not None:
            self._question.set_number(int(text) if text else None)


class _ChoiceButton(QPushButton):
    """An answer to choose, with text that wraps."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.setCheckable(True)
        self.setAccessibleName(to_plain_text(text))
        self.setProperty("choice", "true")
        self._label = make_text_label()
        self._label.setText(rich_text(text))
        self._label.setAlignment(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft)
        self._label.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._inside = vbox(self._label, margins=(10, 7, 10, 7))
        self.setLayout(self._inside)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)

    def sizeHint(self) -> QSize:
        return self._inside.sizeHint()


def _chosen_text(question: AskedQuestion) -> str:
    if question.wants_clicked_label:
        return "Type it, or click on a cell that has this label now."
    if not question.chosen:
        return "Click on the grid, or move there with Shift and the arrows and press Enter."
    cells = ", ".join(f"x = {x}, y = {y}" for x, y in question.chosen[:4])
    more = f" and {len(question.chosen) - 4} more" if len(question.chosen) > 4 else ""
    return f"Chosen: {cells}{more}. Click a cell again to deselect it."
