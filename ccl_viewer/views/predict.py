"""Predict mode beside the canvas: the question about the next step, and the score."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from ccl_viewer.views import style
from ccl_viewer.views.action_spec import ActionSpec, has_recording
from ccl_viewer.views.lesson import QtQuestion, make_button
from ccl_viewer.views.widgets import icon_button, labelled, scrolled

if TYPE_CHECKING:
    from ccl_viewer.session.session import Session


class QtPredictor(QWidget):
    """Asks what the next step will do, while predict mode is on.

    Attributes
    ----------
    answered : Signal
        The field of a number goes away, as it was answered: the focus has to go elsewhere.
    """

    answered = Signal()

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._predictor = session.predictor
        self.setAccessibleName("Predict")
        self.title = labelled("Predict the next step", "title")
        self.score = labelled("", "dim")
        self.hint = labelled("", "dim", wrap=True)
        self.hint.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        tip = "Go to the first step, and be asked from there"
        self.begin = make_button("From the first step", self._predictor.begin, tip)
        tip = "Be asked about the step after this one"
        self.more = make_button("Next question", self._predictor.ask_next, tip)
        self.question = QtQuestion(session, self._predictor)
        self.question.answered.connect(self.answered)
        self._lay_out()
        self._predictor.changed.connect(self._on_changed)
        session.display.changed.connect(self._on_changed)
        self.refresh()

    def refresh(self) -> None:
        """Show the question, or what to do to be asked one."""
        predictor = self._predictor
        if not predictor.active:
            return
        question = predictor.question
        right, answered = predictor.score
        self.score.setText(f"{right} of {answered} right" if answered else "")
        self.question.refresh()
        self.hint.setVisible(question is None)
        self.hint.setText(predictor.hint)
        self.begin.setVisible(question is None and predictor.can_begin)
        self.more.setVisible(question is not None and not question.pending)

    def sizeHint(self) -> QSize:
        """Return a size at which questions read well."""
        return QSize(style.scaled(320), style.scaled(300))

    def _on_changed(self, _fields: frozenset[str]) -> None:
        self.refresh()

    def _lay_out(self) -> None:
        top, foot = QHBoxLayout(), QHBoxLayout()
        top.addWidget(self.title, 1)
        off = icon_button("close", "Stop predicting")
        off.clicked.connect(lambda: self._predictor.switch(False))
        top.addWidget(off)
        content = QWidget()
        middle = QVBoxLayout(content)
        middle.setContentsMargins(0, 0, 8, 0)
        middle.addWidget(self.hint)
        middle.addWidget(self.question)
        middle.addStretch(1)
        area = scrolled(content, "Question")
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        foot.addWidget(self.begin)
        foot.addWidget(self.more)
        foot.addStretch(1)
        foot.addWidget(self.score)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(10, 6, 8, 8)
        layout.setSpacing(6)
        layout.addLayout(top)
        layout.addWidget(area, 1)
        layout.addLayout(foot)
        self.setMinimumWidth(style.scaled(260))


ACTIONS: Final = (
    ActionSpec(
        "predict",
        "Pre&dict the next step",
        "Lessons",
        lambda window: window.session.predictor.switch(not window.session.predictor.on),
        (),
        "help",
        has_recording,
        lambda session: session.predictor.on,
        "Be asked what the next step will do, whenever you step forward",
        group=3,
    ),
)
