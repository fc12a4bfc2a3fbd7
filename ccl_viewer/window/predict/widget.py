"""The column of predict mode: a question, or how to get one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

from ccl_viewer.window.predict.model import Predictor
from ccl_viewer.window.widgets import style
from ccl_viewer.window.widgets.buttons import make_icon_button, make_text_button
from ccl_viewer.window.widgets.labels import make_label
from ccl_viewer.window.widgets.layouts import hbox, vbox
from ccl_viewer.window.widgets.question import QtQuestion
from ccl_viewer.window.widgets.reading import make_wrapped_label, reading_area

if TYPE_CHECKING:
    from ccl_viewer.window.core.run_display import RunDisplay


class QtPredictor(QWidget):
    """Asks what the next step will do, while predict mode is on."""

    def __init__(self, predictor: Predictor, display: RunDisplay) -> None:
        super().__init__()
        self._predictor = predictor
        self.setAccessibleName("Predict")
        off = make_icon_button("close", "Stop predicting", lambda: predictor.switch(False))
        self.score = make_label("", "dim")
        self.hint = make_wrapped_label("dim")
        tip = "Go to the first step, and predict from there"
        self.begin = make_text_button("From the first step", predictor.ask_from_start, tip)
        tip = "Predict the step after this one"
        self.more = make_text_button("Next question", predictor.ask_next, tip)
        self.question = QtQuestion(display, predictor)
        self.setLayout(
            vbox(
                hbox((make_label("Predict the next step", "title"), 1), off),
                (reading_area("Question", self.hint, self.question), 1),
                hbox(self.begin, self.more, 1, self.score),
                margins=(10, 6, 8, 8),
                spacing=6,
            )
        )
        self.setMinimumWidth(style.scaled(260))
        predictor.changed.connect(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        """Show the question, or how to get one."""
        predictor = self._predictor
        if not predictor.may_ask:
            return
        question = predictor.question
        right, answered = predictor.score
        self.score.setText(f"{right} of {answered} right" if answered else "")
        self.question.refresh()
        self.hint.setVisible(question is None)
        self.hint.setText(predictor.empty_text)
        self.begin.setVisible(question is None and predictor.can_begin)
        self.more.setVisible(question is not None and not question.pending)
