"""Under the canvas: the transport, what the step does, and the timeline."""

from __future__ import annotations

import math

from PySide6.QtCore import QSignalBlocker, QSize, Qt
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import (
    QComboBox,
    QFrame,
    QHBoxLayout,
    QLabel,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from ccl_viewer.recording import Step
from ccl_viewer.session import SPEEDS, Session
from ccl_viewer.session.facts.step_table import Row
from ccl_viewer.session.lessons.asking import hides_course
from ccl_viewer.views.looks.text import DOT, TIMES
from ccl_viewer.views.looks.theme import Theme
from ccl_viewer.views.steps.explanation import Explanation
from ccl_viewer.views.steps.format import short_kernel
from ccl_viewer.views.steps.stage_chip import StageChip
from ccl_viewer.views.timeline.menu import timeline_menu
from ccl_viewer.views.timeline.timeline import Timeline
from ccl_viewer.views.widgets.elided import ElidedLabel

TRANSPORT = ("first", "back", "play", "forward", "last")
WAYS = ("backwards", "loop")
_HEADING = len(TRANSPORT) + 1
_SPARE = 4
_FEW = 100
"""As many steps have room in the heading of every run."""


class StepPanel(QFrame):
    """Explains the step on display and moves through the recording.

    Parameters
    ----------
    session : Session
        What is on display.
    actions : dict of str to QAction
        Those named in :data:`TRANSPORT`, :data:`WAYS` and :data:`timeline_menu.ACTIONS`.
    parent : QWidget or None
        Parent.
    """

    def __init__(
        self, session: Session, actions: dict[str, QAction], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._session = session
        self.setProperty("role", "card")
        self.chip = StageChip()
        self.title = QLabel()
        self.title.setProperty("role", "heading")
        self.facts = ElidedLabel(separator=DOT)
        self.facts.setProperty("role", "dim")
        self.explanation = Explanation(session)
        self.timeline = Timeline(session)
        self.explanation.left_over.connect(self.timeline.take_height)
        self.timeline.menu_wanted.connect(
            lambda where, step: timeline_menu(step, session.playback, actions, self).popup(where)
        )
        self.buttons = {name: _button(actions[name]) for name in (*TRANSPORT, *WAYS)}
        self.speed = self._speed_combo()
        self.heading = QWidget()
        self._transport = QHBoxLayout()
        self._column = QVBoxLayout(self)
        self._folded = False
        self._lay_out()
        session.recording_changed.connect(self.refresh)
        session.steps_changed.connect(self.refresh)
        session.playback.position_changed.connect(self.refresh)
        session.busy_changed.connect(self.refresh)
        session.measuring.changed.connect(self.refresh)
        session.lesson.changed.connect(self.refresh)
        session.predictor.changed.connect(self.refresh)
        session.playback.speed_changed.connect(self._show_speed)
        self.refresh()
        self._show_speed()

    def set_theme(self, theme: Theme) -> None:
        """Use the colours of a theme."""
        self.timeline.set_theme(theme)
        self.explanation.set_theme(theme)

    def set_low(self, low: bool) -> None:
        """Take few lines in a window that is low for its text."""
        self.explanation.set_low(low)
        self.timeline.set_low(low)

    def refresh(self) -> None:
        """Show the step on display."""
        self.explanation.set_spare(int(self.timeline.bare))
        step, count = self._session.step, self._session.playback.count
        self.chip.setVisible(step is not None)
        if step is None:
            self.title.setText("No run yet")
            self.facts.clear()
            self._fold()
            return
        self.chip.show_stage(step.stage)
        known = not hides_course(self._session.quiz)
        self.title.setText(f"Step {step.index + 1:,}" + (f" / {count:,}" if known else ""))
        self._fold()
        self.facts.setText(facts_of(self._row_of(step)))
        self.facts.setToolTip(self.facts.text())

    def _row_of(self, step: Step) -> Row:
        measuring = self._session.measuring
        return Row(step, measuring.at(step.index), scale=measuring.scale)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Tell of the step below the transport where there is no room beside it."""
        super().resizeEvent(event)
        self._fold()

    def minimumSizeHint(self) -> QSize:
        """Return a size at which what is told of the step lies below the transport."""
        margins = self._column.contentsMargins()
        width = max(self._narrowest(), self.heading.minimumSizeHint().width())
        hint = super().minimumSizeHint()
        return QSize(width + margins.left() + margins.right() + 2, hint.height())

    def _narrowest(self) -> int:
        """Return the least width of the transport alone."""
        width = self._transport.minimumSize().width()
        return width if self._folded else width - self.heading.minimumSizeHint().width()

    def _fold(self) -> None:
        margins = self._column.contentsMargins()
        room = self.width() - margins.left() - margins.right() - 2
        spare = self.fontMetrics().averageCharWidth() * _SPARE
        folded = self._narrowest() + self._told() + spare > room
        if folded == self._folded:
            return
        self._folded = folded
        if folded:
            self._transport.removeWidget(self.heading)
            self._transport.insertStretch(_HEADING, 1)
            self._column.insertWidget(1, self.heading)
        else:
            self._column.removeWidget(self.heading)
            self._transport.takeAt(_HEADING)
            self._transport.insertWidget(_HEADING, self.heading, 1)

    def _told(self) -> int:
        """Return the least width of the heading for any step: none moves what lies around it."""
        metrics, shown = self.title.fontMetrics(), self.heading.minimumSizeHint().width()
        number = f"{max(self._session.playback.count, _FEW):,}"
        longest = metrics.horizontalAdvance(f"Step {number} / {number}")
        title = max(longest - metrics.horizontalAdvance(self.title.text()), 0)
        return shown + title + self.chip.widest() - self._chip_width()

    def _chip_width(self) -> int:
        return 0 if self.chip.isHidden() else self.chip.sizeHint().width()

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
        told = QHBoxLayout(self.heading)
        told.setContentsMargins(0, 0, 0, 0)
        for widget, stretch in ((self.title, 0), (self.chip, 0), (self.facts, 1)):
            told.addWidget(widget, stretch)
            told.addSpacing(6)
        transport = self._transport
        transport.setSpacing(3)
        for name in TRANSPORT:
            transport.addWidget(self.buttons[name])
        transport.addSpacing(10)
        transport.addWidget(self.heading, 1)
        for name in WAYS:
            transport.addWidget(self.buttons[name])
        transport.addSpacing(6)
        transport.addWidget(self.speed)
        layout = self._column
        layout.setContentsMargins(14, 6, 14, 6)
        layout.setSpacing(4)
        layout.addLayout(transport)
        layout.addWidget(self.explanation)
        layout.addWidget(self.timeline)


def facts_of(row: Row) -> str:
    """Return iteration, level, kernel and time of a step, in a line."""
    step, facts = row.step, []
    if step.iteration is not None:
        facts.append(f"iteration {step.iteration:,}")
    if step.level is not None:
        facts.append(f"level {step.level}")
    facts.append(short_kernel(step))
    if not math.isnan(row.milliseconds):
        facts.append(row.time)
    return DOT.join(facts)


def _button(action: QAction) -> QToolButton:
    button = QToolButton()
    button.setDefaultAction(action)
    button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonIconOnly)
    button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    button.setAutoRaise(True)
    button.setIconSize(QSize(20, 20))
    if action.objectName() == "play":
        button.setProperty("role", "play")
    else:
        button.setProperty("flat", "true")
    return button
