"""The line below the canvas that moves through the steps and says what a step does."""

from __future__ import annotations

import math
from collections.abc import Mapping
from time import perf_counter
from typing import Final

from PySide6.QtCore import QEvent, QPoint, QRectF, QSize, Qt, QTimer
from PySide6.QtGui import QAction, QColor, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import (
    QApplication,
    QBoxLayout,
    QFrame,
    QLabel,
    QScrollArea,
    QSizePolicy,
    QStyleOptionToolButton,
    QToolButton,
    QWidget,
)

from ccl_viewer.execution.plan import Stage, StageLevel
from ccl_viewer.lessons.hidden_answers import HiddenInformation
from ccl_viewer.render.facts import iteration_and_level
from ccl_viewer.render.themes import stage_colour
from ccl_viewer.support.units import duration
from ccl_viewer.window.core.document import EMPTY_GRID
from ccl_viewer.window.core.model import watch
from ccl_viewer.window.core.playback import SPEEDS
from ccl_viewer.window.core.plots import PlotKind
from ccl_viewer.window.core.session import Session
from ccl_viewer.window.core.step_table import row_at
from ccl_viewer.window.widgets.buttons import make_action_button, make_icon_button
from ccl_viewer.window.widgets.fields import ChoiceBox
from ccl_viewer.window.widgets.glossary import explain
from ccl_viewer.window.widgets.labels import make_label
from ccl_viewer.window.widgets.layouts import hbox, vbox
from ccl_viewer.window.widgets.panel import RefreshTimer
from ccl_viewer.window.widgets.plots import QtPlots
from ccl_viewer.window.widgets.style import TIMES, icon, scaled, text_on, theme
from ccl_viewer.window.widgets.timeline import QtTimeline, stage_symbol

_COUNTDOWN_MS: Final = 40  # milliseconds between two frames of the ring
_COUNTED_SECONDS: Final = 0.5  # steps shown at least this long have a countdown
_JITTER: Final = 0.05  # the largest delay of a timer in seconds
BUTTONS: Final = ("first", "back", "play", "forward", "last")
CURVES: Final = "timeline/curves"  # settings key: whether curves are shown
_NARROW: Final = 120  # characters; in a narrower line, the sentence gets one more line
_SCRUBBER: Final = (130, 200)  # pixels; a narrower scrubber gets a separate line
_STEP: Final = 12  # pixels per step, within these bounds
_USUAL_FACTS: Final = "iteration 8  \N{MIDDLE DOT}  8,888 µs emulator"
_NO_GRID: Final = "Open a picture or choose a pattern. Its run is then recorded step by step."
_NO_RUN: Final = "Press Run (F5). Each launch is recorded as a step."
_NO_STEP: Final = "The run begins. Each launch is recorded as a step."


class SteadyLabel(QLabel):
    """A label with room for its longest text, so that nothing moves from step to step.

    A minimum width would not follow the font.
    """

    def __init__(self) -> None:
        super().__init__()
        self.setTextFormat(Qt.TextFormat.PlainText)
        self._longest = ""

    @property
    def padding(self) -> int:
        """Pixels around the text."""
        return 2

    def keep_room_for(self, *texts: str) -> None:
        """Reserve room for the longest of some texts."""
        longest = max(texts, key=self.fontMetrics().horizontalAdvance)
        if longest != self._longest:
            self._longest = longest
            self.updateGeometry()

    def show_text(self, text: str) -> None:
        """Show a text, and keep its room if it is the longest so far."""
        self.setText(text)
        self.keep_room_for(self._longest, text)

    def sizeHint(self) -> QSize:
        room = self.fontMetrics().horizontalAdvance(self._longest) + self.padding
        return super().sizeHint().expandedTo(QSize(room, 0))

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()


class StageChip(SteadyLabel):
    """Names the stage of the step on its colour, by symbol and name, or only by symbol."""

    def __init__(self) -> None:
        super().__init__()
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.setToolTip(explain("stage"))
        self._shown = StageLevel(Stage.INIT)
        self.short = False

    def show_stage(self, at: StageLevel) -> None:
        """Name the stage, in the colour of its level."""
        self._shown = at
        self.show_text(at.stage)
        self.setAccessibleName(f"Stage: {at.stage}")
        self.update()  # a different level may have the same name

    def set_short(self, short: bool) -> None:
        if short != self.short:
            self.short = short
            self.updateGeometry()
            self.update()

    @property
    def symbol_width(self) -> int:
        """Width in pixels of the symbol."""
        return 2 * self._gap + self._symbol

    @property
    def padding(self) -> int:
        return 3 * self._gap + self._symbol

    @property
    def _symbol(self) -> int:
        return round(self.fontMetrics().ascent() * 0.85)

    @property
    def _gap(self) -> int:
        return self.fontMetrics().ascent() * 2 // 3

    @property
    def whole_width(self) -> int:
        """Width in pixels of symbol and name."""
        return super().sizeHint().width()

    def sizeHint(self) -> QSize:
        width = self.symbol_width if self.short else self.whole_width
        return QSize(width, max(super().sizeHint().height(), self.fontMetrics().height() + 4))

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw symbol and name centred in a pill."""
        if not self.text():
            return
        (stage, _), symbol, half = self._shown, self._symbol, self.height() / 2
        color = stage_colour(self._shown)
        name = 0 if self.short else self._gap + self.fontMetrics().horizontalAdvance(stage)
        width = symbol + name
        left = (self.width() - width) // 2
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(color))
            painter.drawRoundedRect(self.rect(), half, half)
            corner = QPoint(left, (self.height() - symbol) // 2)
            painter.drawPixmap(corner, stage_symbol(stage, symbol, text_on(color)))
            painter.setPen(QColor(text_on(color)))
            if self.short:
                return
            room = self.rect().adjusted(left + symbol + self._gap, 0, 0, 0)
            painter.drawText(room, Qt.AlignmentFlag.AlignVCenter, stage)


class PlayButton(QToolButton):
    """Plays and pauses; a ring shows the share of the step's time that is `left`."""

    def __init__(self) -> None:
        super().__init__()
        self.remaining = 0.0
        self.sign = "play"  # its icon

    def show_remaining(self, share: float) -> None:
        if share != self.remaining:
            self.remaining = share
            self.update()

    def initStyleOption(self, option: QStyleOptionToolButton) -> None:
        """Use the icon's colour on the accent; menus have another background."""
        super().initStyleOption(option)
        option.icon = icon(self.sign, "on_accent")

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the ring inside the edge."""
        super().paintEvent(event)
        if self.remaining > 0:
            side = min(self.width(), self.height()) - 5
            ring = QRectF((self.width() - side) / 2, (self.height() - side) / 2, side, side)
            pen = QPen(theme().color("on_accent"), max(scaled(2.5), 2))
            with QPainter(self) as painter:
                painter.setRenderHint(QPainter.RenderHint.Antialiasing)
                painter.setPen(pen)
                painter.drawArc(ring, 90 * 16, round(self.remaining * 360 * 16))


class Details(QWidget):
    """The step on display: its place, stage, iteration and time.

    Place, iteration and time are shown at every width, below each other if necessary.
    """

    def __init__(self) -> None:
        super().__init__()
        self.place, self.chip, self.facts = SteadyLabel(), StageChip(), SteadyLabel()
        self.facts.setProperty("role", "dim")
        self.facts.setToolTip(explain("iteration"))
        self.facts.keep_room_for(_USUAL_FACTS)
        self._row = hbox(self.place, self.chip, self.facts, 1, spacing=8)
        self.setLayout(self._row)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    @property
    def least_width(self) -> int:
        """Width in pixels of all parts side by side, with only the symbol of the stage."""
        return self._texts_width + self.chip.symbol_width + self._row.spacing()

    def fit(self, width: int, *, known: bool) -> None:
        """Arrange the parts in a width in pixels; without a step, only the place is `known`."""
        self.facts.setVisible(known)
        self.chip.setVisible(known and self.least_width <= width)
        self.chip.set_short(self._texts_width + self.chip.whole_width + self._row.spacing() > width)
        way = QBoxLayout.Direction
        beside = self._texts_width <= width
        self._row.setDirection(way.LeftToRight if beside else way.TopToBottom)

    @property
    def _texts_width(self) -> int:
        place_size, facts_size = self.place.sizeHint(), self.facts.sizeHint()
        return place_size.width() + self._row.spacing() + facts_size.width()


class Explanation(QScrollArea):
    """Says what the step does, on two or three lines; a longer text scrolls.

    The height is the same for every text, so that nothing moves from step to step.
    """

    def __init__(self) -> None:
        super().__init__()
        self.label = make_label("", wrap=True)
        self.label.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        self._purpose = self._outcome = ""
        self.setWidget(self.label)
        for part in (self.label, self.viewport()):
            part.setAutoFillBackground(False)  # the card's is behind it
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName("What this step does")
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    @property
    def full_text(self) -> str:
        return f"{self._purpose} {self._outcome}".strip()

    def show_step(self, purpose: str, outcome: str = "") -> None:
        """Say what a step is for, and what it did; in little room, first what it did."""
        self._purpose, self._outcome = purpose, outcome
        self.setAccessibleDescription(self.full_text)
        self._fit()
        self.verticalScrollBar().setValue(0)

    def sizeHint(self) -> QSize:
        return QSize(200, self.heightForWidth(self.width()))

    def heightForWidth(self, width: int) -> int:
        lines = 3 if width < _NARROW * self.fontMetrics().averageCharWidth() else 2
        return lines * self.fontMetrics().lineSpacing() + 2

    def minimumSizeHint(self) -> QSize:
        return QSize(0, self.sizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self.heightForWidth(event.oldSize().width()) != self.heightForWidth(self.width()):
            self.updateGeometry()
        self._fit()

    def _fit(self) -> None:
        self.label.setText(self.full_text)
        scrolls = self.label.heightForWidth(self.width()) > self.heightForWidth(self.width())
        if scrolls:
            self.label.setText(f"{self._outcome} {self._purpose}".strip())
        self.setToolTip(self.full_text if scrolls else "")


class QtTransport(QFrame):
    """Moves through the steps of the run, plays them, and explains the one on display."""

    def __init__(self, session: Session, actions: Mapping[str, QAction]) -> None:
        super().__init__()
        self.setObjectName("transport")
        self._session = session
        self._playback, self._analysis = session.playback, session.analysis
        self.setProperty("role", "card")
        self.play = PlayButton()
        self.buttons = {
            name: make_action_button(actions[name], self.play if name == "play" else None)
            for name in BUTTONS
        }
        self.scrubber = QtTimeline(session.playback, session.analysis, session.comparison)
        self.details = Details()
        self.place, self.chip, self.facts = (
            self.details.place,
            self.details.chip,
            self.details.facts,
        )
        speeds = {value: f"{value:g}{TIMES}" for value in SPEEDS}
        self.speed = ChoiceBox("Speed", speeds, narrow=True)
        self.speed.setToolTip("Speed of play: slower ([), faster (]), normal (Backspace)")
        self.speed.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.speed.chosen.connect(self._playback.set_speed)
        self.unfold = make_icon_button(
            "arrow-down", "Show curves of roots and cells over the steps"
        )
        self.unfold.setCheckable(True)
        self._needed = 0  # largest width of the details, since width or text size changed
        self.explanation = Explanation()
        self.curves: QtPlots | None = None
        self._timer = QTimer(self, singleShot=True, timerType=Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._tick)
        self._span = (0.0, 0.0)  # seconds on the clock, start and end of the step's time
        self._countdown = QTimer(self, interval=_COUNTDOWN_MS)
        self._countdown.timeout.connect(self._count_down)
        self._soon = RefreshTimer(self.refresh, self, session.playback)
        self.unfold.toggled.connect(self._show_curves)
        self._lay_out()
        self.unfold.setChecked(session.settings.value(CURVES) is True)
        self._playback.speed_changed.connect(self._show_speed)
        watch(self._restart, self._playback.playing_changed, self._playback.speed_changed)
        self._analysis.recording_changed.connect(self._keep_room)
        self._analysis.changed.connect(self._soon.call_unless_playing)
        session.document.grid_changed.connect(self._refresh_without_step)
        session.runs.running_changed.connect(self._refresh_without_step)
        session.comparison.panes_changed.connect(self._refresh_without_step)
        session.phases.shown_changed.connect(self.refresh)
        self.refresh()

    def stop(self) -> None:
        """Stop playing, for example because the window closes."""
        self._timer.stop()
        self._countdown.stop()

    def refresh(self) -> None:
        step = self._analysis.step
        if step is None:
            running = self._session.runs.running or self._session.comparison.running
            self.place.setText("Running\N{HORIZONTAL ELLIPSIS}" if running else "No run yet")
            self.facts.setText("")
            self._place_details()
            empty = self._session.document.grid is None
            self.explanation.show_step(_NO_GRID if empty else _NO_STEP if running else _NO_RUN)
            return
        count, hidden = (
            self._analysis.display.count,
            HiddenInformation.COURSE in self._analysis.hidden_answers,
        )
        self.place.setText(f"Step {step.index + 1:,}" + ("" if hidden else f" of {count:,}"))
        self.place.keep_room_for(f"Step {count:,} of {count:,}")
        self.chip.show_stage(step.stage_level)
        self.facts.show_text(self._facts())
        self._place_details()
        if self._session.phases.shown is not None:
            self.explanation.show_step(self._session.phases.shown.sentence)
        elif self._session.document.empty:
            self.explanation.show_step(EMPTY_GRID)
        else:
            self.explanation.show_step(step.caption, self._analysis.describe_step(step.index))

    def _show_curves(self, on: bool) -> None:
        if on and self.curves is None:
            session = self._session
            self.curves = QtPlots(
                self._analysis,
                self._playback,
                session.settings,
                session.messages,
                self,
                only=PlotKind.COUNTS,
            )
            self.curves.setFixedHeight(scaled(180))
            self._column.addWidget(self.curves)
        if self.curves is not None:
            self.curves.setVisible(on)
        self._session.settings.set_value(CURVES, on)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._needed = 0
        self.refresh()

    def changeEvent(self, event: QEvent) -> None:
        """Arrange the parts again for another text size."""
        super().changeEvent(event)
        if event.type() is QEvent.Type.FontChange:
            self._needed = 0
            self._soon.request()

    def minimumSizeHint(self) -> QSize:
        return QSize(scaled(380), super().minimumSizeHint().height())

    def _place_details(self) -> None:
        """Put the details beside the scrubber, or below if it would be too short."""
        margins = self._column.contentsMargins()
        room = self.width() - margins.left() - margins.right()
        controls = (*self.buttons.values(), self.speed, self.unfold)
        controls_width = sum(part.sizeHint().width() + self._line.spacing() for part in controls)
        self._needed = max(self._needed, self.details.least_width)
        least, most = _SCRUBBER
        scrubber = min(max(_STEP * self._analysis.display.count, least), most)
        free = room - controls_width - self._line.spacing() - scaled(scrubber)
        line, column = self._line, self._column
        still = self._session.document.drawing  # the canvas must not change under the pen
        if not still and (free >= self._needed) != (line.indexOf(self.details) >= 0):
            if free >= self._needed:
                column.removeWidget(self.details)
                line.insertWidget(line.indexOf(self.speed), self.details)
            else:
                line.removeWidget(self.details)
                column.insertWidget(1, self.details)
        self.details.fit(
            free if line.indexOf(self.details) >= 0 else room, known=self._analysis.step is not None
        )

    def _facts(self) -> str:
        """Return iteration, level and time of the step, in a line."""
        display = self._analysis.display
        row = row_at(self._analysis, display.index)
        facts = [", ".join(group)] if (group := iteration_and_level(row.step)) else []
        timed = HiddenInformation.TIMES not in self._analysis.hidden_answers
        if timed and not math.isnan(ms := row.step.milliseconds):
            facts.append(duration(ms, emulated=self._analysis.emulated, scale=row.scale))
        return "  \N{MIDDLE DOT}  ".join(facts)

    def _show_speed(self) -> None:
        self.speed.show_value(self._playback.speed)

    def _restart(self) -> None:
        """Start the clock of playing again, or stop it."""
        self.play.sign = "pause" if self._playback.playing else "play"
        self.play.defaultAction().setIcon(icon(self.play.sign))
        self._soon.call_unless_playing()
        self._timer.stop()
        self._tick()

    def _keep_room(self) -> None:
        recording = self._analysis.recording
        if recording is not None:
            self.facts.keep_room_for(_USUAL_FACTS)
            self.chip.keep_room_for(*{step.stage for step in recording.steps})

    def _refresh_without_step(self) -> None:
        if self._analysis.step is None:
            self.refresh()

    def _tick(self) -> None:
        if not self._playback.playing:
            self._countdown.stop()
            self._count_down()
            return
        position, now = self._playback.position, perf_counter()
        wait = self._playback.tick(now)
        # The tick may have paused or restarted it.
        if self._playback.playing and not self._timer.isActive():
            if self._playback.position != position or abs(now + wait - self._span[1]) > _JITTER:
                self._span = now, now + wait
            moves = QApplication.isEffectEnabled(Qt.UIEffect.UI_General)
            if self._span[1] - self._span[0] < _COUNTED_SECONDS or not moves:
                self._countdown.stop()
            elif not self._countdown.isActive():
                self._countdown.start()
            self._count_down()
            self._timer.start(math.ceil(wait * 1000))

    def _count_down(self) -> None:
        """Show how much of the step's time is left."""
        start, end = self._span
        left = (end - perf_counter()) / (end - start) if self._countdown.isActive() else 0.0
        self.play.show_remaining(min(max(left, 0.0), 1.0))

    def _lay_out(self) -> None:
        parts = (self.scrubber, 1), self.details, self.speed, self.unfold
        self._line = hbox(*self.buttons.values(), *parts, spacing=4)
        self.play.setProperty("role", "play")
        self.play.setProperty("flat", None)
        self._column = vbox(
            self._line, self.explanation, margins=(scaled(8), 2, scaled(8), 2), spacing=2
        )
        self.setLayout(self._column)
        self.speed.show_value(self._playback.speed)
