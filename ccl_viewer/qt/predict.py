"""Predict mode beside the canvas: the question about the next step, and the score."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QHBoxLayout,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from ccl_viewer.qt import style
from ccl_viewer.qt.action_spec import ActionSpec, has_recording
from ccl_viewer.qt.lesson import QtQuestion
from ccl_viewer.qt.widgets import action_button, labelled, scrolled

if TYPE_CHECKING:
    from ccl_viewer.models.session import Session


class QtPredictor(QWidget):
    """Asks what the next step will do, while predict mode is on.

    Attributes
    ----------
    answered : Signal
        The field of a number goes away, as it was answered: the focus has to go elsewhere.
    """

    answered = Signal()

    def __init__(
        self, session: Session, actions: Mapping[str, QAction], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._predictor = session.predictor
        self.setAccessibleName("Predict")
        self.title = labelled("Predict the next step", "title")
        self.score = labelled("", "dim")
        self.hint = labelled("", "dim", wrap=True)
        self.hint.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        self.begin = _button("From the first step", "Go to the first step, and be asked from there")
        self.begin.clicked.connect(self._predictor.begin)
        self.more = _button("Next question", "Be asked about the step after this one")
        self.more.clicked.connect(self._predictor.ask_next)
        self.question = QtQuestion(session, self._predictor, actions)
        self.question.answered.connect(self.answered)
        self._lay_out(actions)
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

    def _lay_out(self, actions: Mapping[str, QAction]) -> None:
        top, foot = QHBoxLayout(), QHBoxLayout()
        top.addWidget(self.title, 1)
        top.addWidget(action_button(actions["stop_predicting"]))
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


def _button(text: str, tip: str) -> QPushButton:
    button = QPushButton(text)
    button.setToolTip(tip)
    button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    return button


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
    ActionSpec(
        "stop_predicting",
        "Stop predictin&g",
        "Lessons",
        lambda window: window.session.predictor.switch(False),
        icon="close",
        enabled=lambda session: session.predictor.on,
        tip="Ask no more questions",
        palette=False,
        group=3,
    ),
)
