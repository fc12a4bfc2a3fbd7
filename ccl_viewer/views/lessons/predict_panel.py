"""The panel of predict mode: the question about the next step, and the score."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from ccl_viewer.session import Session
from ccl_viewer.views.lessons.question import QuestionCard
from ccl_viewer.views.looks.theme import Theme
from ccl_viewer.views.widgets.flat_button import action_button


class PredictPanel(QWidget):
    """Asks what the next step will do, while predict mode is on.

    Parameters
    ----------
    session : Session
        Whose run is asked about.
    actions : dict of str to QAction
        The window's actions.
    """

    def __init__(self, session: Session, actions: dict[str, QAction]) -> None:
        super().__init__()
        self._predictor = session.predictor
        self.setAccessibleName("Predict")
        self.score = QLabel()
        self.score.setProperty("role", "dim")
        self.hint = QLabel()
        self.hint.setProperty("role", "dim")
        self.hint.setWordWrap(True)
        self.hint.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.begin = QPushButton("From the first step")
        self.begin.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.begin.setToolTip("Go to the first step, and be asked about the next one")
        self.begin.clicked.connect(self._predictor.begin)
        self.more = QPushButton("Next question")
        self.more.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.more.setToolTip("Be asked about the step after this one")
        self.more.clicked.connect(self._predictor.go_on)
        self.question = QuestionCard(session, actions)
        self.off = action_button(actions["stop_predicting"], side=16)
        self.off.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self._lay_out()
        session.predictor.changed.connect(self.refresh)
        session.lesson.changed.connect(self.refresh)
        session.recording_changed.connect(self.refresh)
        session.steps_changed.connect(self.refresh)
        session.playback.position_changed.connect(self.refresh)
        self.refresh()

    def set_theme(self, theme: Theme) -> None:
        """Use the colours of a theme."""
        self.question.set_theme(theme)

    def refresh(self) -> None:
        """Show the question, or what to do to be asked one."""
        predictor = self._predictor
        if not predictor.active:
            return
        asking = predictor.asking
        right, answered = predictor.score
        self.score.setText(f"{right} of {answered} right" if answered else "")
        self.question.refresh()
        self.hint.setVisible(asking is None)
        self.hint.setText(predictor.hint)
        self.begin.setVisible(asking is None and predictor.can_begin)
        self.more.setVisible(asking is not None and not asking.pending)

    def _lay_out(self) -> None:
        content = QWidget()
        middle = QVBoxLayout(content)
        middle.setContentsMargins(0, 0, 8, 0)
        middle.setSpacing(8)
        middle.addWidget(self.hint)
        middle.addWidget(self.question)
        middle.addStretch(1)
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setWidget(content)
        area.setAccessibleName("Question")
        area.setProperty("stop", "true")
        foot = QHBoxLayout()
        foot.addWidget(self.begin)
        foot.addWidget(self.more)
        foot.addStretch(1)
        foot.addWidget(self.score)
        foot.addWidget(self.off)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(12, 6, 6, 6)
        layout.setSpacing(6)
        layout.addWidget(area, 1)
        layout.addLayout(foot)
