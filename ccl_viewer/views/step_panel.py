"""Under the canvas: what the step does, the slider, and the transport buttons."""

from __future__ import annotations

import math

from PySide6.QtCore import QSignalBlocker, QSize, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QComboBox,
    QFrame,
    QHBoxLayout,
    QLabel,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from ccl_viewer.recording import Step
from ccl_viewer.session import SPEEDS, Session
from ccl_viewer.views.scrubber import Scrubber
from ccl_viewer.views.stage_list import format_time
from ccl_viewer.views.text import DOT, TIMES
from ccl_viewer.views.theme import STAGE_COLORS, Theme, text_on

_NO_GRID = "Open a picture or choose a pattern: its run is recorded step by step."
_NO_RUN = "Press Run (F5): each launch is recorded as a step."
TRANSPORT = ("first", "back", "play", "forward", "last")


class StepPanel(QFrame):
    """Explains the step on display and moves through the recording.

    Parameters
    ----------
    session : Session
        What is on display.
    actions : dict of str to QAction
        Those named in :data:`TRANSPORT`.
    parent : QWidget or None
        Parent.
    """

    def __init__(
        self, session: Session, actions: dict[str, QAction], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._session = session
        self.setProperty("role", "card")
        self.chip = QLabel()
        self.title = QLabel()
        self.title.setProperty("role", "heading")
        self.facts = QLabel()
        self.facts.setProperty("role", "dim")
        self.facts.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.stale = QLabel("Grid or settings changed: press Run (F5)")
        self.stale.setProperty("role", "warning")
        self.caption = QLabel()
        self.caption.setWordWrap(True)
        self.caption.setAccessibleName("What this step does")
        self.caption.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        self.caption.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        self.caption.setMinimumHeight(2 * self.fontMetrics().lineSpacing() + 4)
        self.scrubber = Scrubber(session)
        self.buttons = {name: _button(actions[name], name == "play") for name in TRANSPORT}
        self.speed = self._speed_combo()
        self.counter = QLabel()
        self.counter.setProperty("role", "dim")
        self.counter.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self._lay_out()
        session.recording_changed.connect(self.refresh)
        session.steps_changed.connect(self.refresh)
        session.playback.position_changed.connect(self.refresh)
        session.busy_changed.connect(self.refresh)
        session.playback.speed_changed.connect(self._show_speed)
        self.refresh()
        self._show_speed()

    def set_theme(self, theme: Theme) -> None:
        """Use the colours of a theme."""
        self.scrubber.set_theme(theme)

    def refresh(self) -> None:
        """Show the step on display."""
        step, count = self._session.step, self._session.playback.count
        self.scrubber.refresh()
        self.chip.setVisible(step is not None)
        self.stale.setVisible(self._session.stale and not self._session.busy)
        self.counter.setText("" if step is None else f"{step.index + 1:,} / {count:,}")
        if step is None:
            self.title.setText("No run yet")
            self.facts.clear()
            self.caption.setText(_NO_GRID if self._session.grid is None else _NO_RUN)
            return
        color = STAGE_COLORS[step.stage]
        if self.chip.text() != step.stage:
            self.chip.setText(str(step.stage))
            self.chip.setStyleSheet(
                f"background: {color}; color: {text_on(color)}; border-radius: 9px;"
                "padding: 2px 10px; font-weight: 600;"
            )
        self.title.setText(f"Step {step.index + 1:,}")
        self.facts.setText(facts_of(step))
        recording = self._session.recording
        cells = 0 if recording is None else recording.image.size
        self.caption.setText(f"{step.caption} {counts_of(step, cells)}")

    def _show_speed(self) -> None:
        with QSignalBlocker(self.speed):
            self.speed.setCurrentIndex(self.speed.findData(self._session.playback.speed))

    def _speed_combo(self) -> QComboBox:
        combo = QComboBox()
        combo.setAccessibleName("Speed")
        combo.setToolTip("Speed of play: slower ([), faster (]), normal (Backspace)")
        combo.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        for value in SPEEDS:
            combo.addItem(f"{value:g}{TIMES}", value)
        combo.activated.connect(
            lambda index: self._session.playback.set_speed(combo.itemData(index))
        )
        return combo

    def _lay_out(self) -> None:
        heading = QHBoxLayout()
        heading.setSpacing(10)
        heading.addWidget(self.title)
        heading.addWidget(self.chip)
        heading.addWidget(self.facts, 1)
        heading.addWidget(self.stale)
        transport = QHBoxLayout()
        transport.setSpacing(3)
        for button in self.buttons.values():
            transport.addWidget(button)
        transport.addSpacing(8)
        transport.addWidget(self.scrubber, 1)
        transport.addSpacing(8)
        transport.addWidget(self.counter)
        transport.addSpacing(8)
        transport.addWidget(self.speed)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(14, 10, 14, 10)
        layout.setSpacing(5)
        layout.addLayout(heading)
        layout.addWidget(self.caption)
        layout.addLayout(transport)


def facts_of(step: Step) -> str:
    """Return iteration, level, kernel and time of a step, in a line."""
    facts = []
    if step.iteration is not None:
        facts.append(f"iteration {step.iteration:,}")
    if step.level is not None:
        facts.append(f"level {step.level}")
    facts.append(step.kernel)
    if not math.isnan(step.milliseconds):
        facts.append(format_time(step.milliseconds))
    return DOT.join(facts)


def counts_of(step: Step, cells: int) -> str:
    """Return in a sentence what a step changed and how many trees are left."""
    roots = "1 root is left" if step.roots == 1 else f"{step.roots:,} roots are left"
    if step.changed == 0:
        return f"No label changed; {roots}."
    labels = "1 label" if step.changed == 1 else f"{step.changed:,} labels"
    return f"{labels} of {cells:,} cells changed; {roots}."


def _button(action: QAction, play: bool) -> QToolButton:
    button = QToolButton()
    button.setDefaultAction(action)
    button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonIconOnly)
    button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    button.setAutoRaise(True)
    button.setIconSize(QSize(20, 20))
    if play:
        button.setProperty("role", "play")
    else:
        button.setProperty("flat", "true")
    return button
