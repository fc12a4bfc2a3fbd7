"""The timeline: each step in the colour of its stage, milestones, and the section."""

from __future__ import annotations

from functools import cache, partial
from itertools import accumulate, groupby
from typing import Final

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QEvent, QLineF, QPoint, QPointF, QRectF, QSignalBlocker, QSize, Qt
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QFont,
    QFontMetrics,
    QHelpEvent,
    QIcon,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
    QPolygonF,
    QWheelEvent,
)
from PySide6.QtWidgets import QMenu, QSlider, QToolTip

from ccl_viewer.execution.plan import Stage, StageLevel
from ccl_viewer.lessons.hidden_answers import HiddenInformation
from ccl_viewer.render.facts import iteration_and_level
from ccl_viewer.render.themes import STAGE_PATHS, stage_colour
from ccl_viewer.support.units import counted
from ccl_viewer.window.core.analysis import HIDDEN_TEXT, RunAnalysis, RunTimeline
from ccl_viewer.window.core.comparison import Comparison
from ccl_viewer.window.core.model import watch
from ccl_viewer.window.core.playback import Playback
from ccl_viewer.window.widgets.buttons import add_switch, make_popup_menu
from ccl_viewer.window.widgets.style import render_svg, text_on, theme

_EDGE: Final = 8
_SMALL: Final = 0.82  # of the type size, for names of iterations
_NOTCH: Final = 120
_SHARPEST: Final = 3  # screen pixels per window pixel, for which icons are drawn
_GAP_FROM: Final = 4.0  # pixels per step; from here, there is a gap between steps
_ABOVE: Final = 11  # pixels for flags, and for the knob
_BELOW: Final = 3  # pixels between the steps and the brackets below
_BRACKETED: Final = 4.0  # pixels that a bracket needs
_MANY: Final = 2  # groups of this many steps have a bracket even without room for the number
_FRAMED: Final = 9.0  # pixels per step; from here, the one on display is framed
_SYMBOL: Final = 0.72  # size of the symbol of a stage, as a share of a step's height
_HELP: Final = "Drag to any step. The menu plays only a part."


@cache
def stage_symbol(stage: Stage, size: int, color: str) -> QPixmap:
    """Return the shape of a stage in a colour, with a size in pixels."""
    path = f'<path fill-rule="evenodd" fill="{color}" d="{STAGE_PATHS[stage]}"/>'
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="-4 -4 108 108">{path}</svg>'
    pixmap = render_svg(svg, size * _SHARPEST, size * _SHARPEST)
    pixmap.setDevicePixelRatio(_SHARPEST)
    return pixmap


@cache
def stage_icon(at: StageLevel, size: int = 14) -> QIcon:
    """Return the shape of a stage in the colour of its level, with a size in pixels."""
    pixmap = stage_symbol(at.stage, size, stage_colour(at))
    icon = QIcon(pixmap)
    icon.addPixmap(pixmap, QIcon.Mode.Selected)
    return icon


class QtTimeline(QSlider):
    """Chooses the step on display; steps have the colours of their stages, milestones are flags."""

    def __init__(self, playback: Playback, analysis: RunAnalysis, comparison: Comparison) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self._playback, self._analysis, self._comparison = playback, analysis, comparison
        self._moments: npt.NDArray[np.int64] | None = None
        self._turned = 0
        self.timeline = RunTimeline()
        self._groups: list[tuple[int, int, str]] = []  # first step, end, name
        self.setAccessibleName("Steps of the run")
        self.setAccessibleDescription(_HELP)
        self.valueChanged.connect(self._go_to)
        self._playback.changed.connect(self._on_playback_changed)
        watch(
            self._load,
            self._analysis.display_changed,
            self._analysis.recording_changed,
            self._analysis.metrics_changed,
            self._analysis.hidden_answers_changed,
        )
        self._load()

    def x_of(self, step: int) -> float:
        """Return the x of the middle of a step."""
        return self._left_of(step + 0.5)

    def step_at(self, x: float) -> int:
        """Return the step at a place; beyond the ends, the first or last."""
        count, share = len(self.timeline), (x - _EDGE) / max(self.width() - 2 * _EDGE, 1)
        return min(max(int(share * count), 0), max(count - 1, 0))

    def _left_of(self, step: float) -> float:
        return _EDGE + step * (self.width() - 2 * _EDGE) / max(len(self.timeline), 1)

    def sizeHint(self) -> QSize:
        small = QFontMetrics(self._small_font())
        return QSize(200, _ABOVE + round(self._step_height()) + _BELOW + small.height())

    def minimumSizeHint(self) -> QSize:
        return QSize(120, self.sizeHint().height())

    def describe(self, step: int) -> str:
        """Return what a step did, in a few lines."""
        recording, hidden = self._analysis.recording, self._analysis.hidden_answers
        index = step if self._moments is None else int(self._moments[step])
        if recording is None or not step < len(self.timeline):
            return _HELP
        follows = step > self._playback.position
        if HiddenInformation.COUNTS in hidden or (follows and HiddenInformation.TABLES in hidden):
            return HIDDEN_TEXT
        details = recording.step(index)
        heading = f"Step {index + 1:,}", details.stage, *iteration_and_level(details)
        counts = [f"{counted(details.changed, 'cell')} changed", counted(details.roots, "root")]
        wrong = self.timeline.wrong[step]
        if not np.isnan(wrong):
            counts.append(f"{counted(int(wrong), 'cell')} with a wrong root")
        lines = [", ".join(heading), details.kernel, ", ".join(counts)]
        lines += [one.text for one in self.timeline.milestones if one.step == step]
        return "\n".join([*lines, self._analysis.limitation_text]).strip()

    # Qt's events

    def event(self, event: QEvent) -> bool:
        if event.type() is QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            step = self.step_at(event.pos().x())
            QToolTip.showText(event.globalPos(), self.describe(step), self)
            return True
        return super().event(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self.setValue(self.step_at(event.position().x()))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton:
            self.setValue(self.step_at(event.position().x()))

    def wheelEvent(self, event: QWheelEvent) -> None:
        self._turned += event.angleDelta().y() or event.angleDelta().x()
        steps = int(self._turned / _NOTCH)
        self._turned -= steps * _NOTCH
        if steps:
            self._go_to(self._playback.position - steps)
        event.accept()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        if not len(self.timeline):
            return
        where, step = event.globalPos(), self.step_at(event.pos().x())
        if event.reason() is not QContextMenuEvent.Reason.Mouse:
            step = self._playback.position
            where = self.mapToGlobal(QPoint(round(self.x_of(step)), self.height() // 2))
        self.make_step_menu(step).popup(where)

    def make_step_menu(self, step: int) -> QMenu:
        playback, menu = self._playback, make_popup_menu(self)
        count = len(self.timeline)
        number, section = f"step {step + 1:,}", playback.section or range(count)
        menu.addAction(f"&Show {number}", lambda: self._go_to(step))
        menu.addSeparator()
        if playback.lead is None:
            from_here = range(step, max(min(section.stop, count), step + 1))
            to_here = range(min(section.start, step), step + 1)
            start, end = f"Section s&tarts at {number}", f"Section &ends at {number}"
            menu.addAction(start, lambda: playback.set_section(from_here))
            menu.addAction(end, lambda: playback.set_section(to_here))
            clear = menu.addAction("No se&ction", playback.clear_section)
            clear.setEnabled(playback.section is not None)
        add_switch(menu, "&Loop", playback.looping, playback.set_looping)
        menu.addSeparator()
        for milestone in self.timeline.milestones:
            text = f"Go to \u201c{milestone.name}\u201d (step {milestone.step + 1:,})"
            menu.addAction(text, partial(self._go_to, milestone.step))
        return menu

    # Painting

    def _step_height(self) -> float:
        return max(self.fontMetrics().height() * 0.8, 10.0)

    def _small_font(self) -> QFont:
        font = self.font()
        font.setPointSizeF(font.pointSizeF() * _SMALL)
        return font

    @property
    def band(self) -> QRectF:
        """Where the steps are."""
        top = _ABOVE + (self.height() - self.sizeHint().height()) / 2
        return QRectF(_EDGE, top, self.width() - 2 * _EDGE, self._step_height())

    def paintEvent(self, _event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            self._paint(painter, self.band)

    def _paint(self, painter: QPainter, band: QRectF) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(band, theme().color("raised"))
        if len(self.timeline):
            self._paint_stages(painter, band)
            self._paint_groups(painter, band)
            self._paint_flags(painter, band)
            self._paint_section(painter, band)
            position = min(self._playback.position, len(self.timeline) - 1)
            if (
                HiddenInformation.COURSE in self._analysis.hidden_answers
            ):  # the question is about what follows
                left = self._left_of(position + 1)
                painter.fillRect(self.rect().adjusted(round(left), 0, 0, 0), self.palette().base())
            self._paint_position(painter, band, position)
        if self.hasFocus():
            painter.setPen(QPen(theme().color("accent"), 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(self.rect().adjusted(1, 1, -1, -1), 5, 5)

    def _paint_stages(self, painter: QPainter, band: QRectF) -> None:
        """Paint a mark for each step, or one per pixel if steps are narrower."""
        codes = self.timeline.codes
        columns = min(len(codes), int(band.width()))
        codes = codes[np.arange(columns) * len(codes) // columns]
        pitch = band.width() / columns
        gap = 1.0 if pitch >= _GAP_FROM else 0.0
        stages = self.timeline.stages
        size = round(band.height() * _SYMBOL)
        for column, code in enumerate(codes.tolist()):
            left = band.left() + column * pitch + gap
            mark = QRectF(left, band.top(), pitch - gap, band.height())
            color = stage_colour(stages[code])
            painter.fillRect(mark, QColor(color))
            if pitch - gap >= size + 2:
                symbol = stage_symbol(stages[code].stage, size, text_on(color))
                middle = QRectF(0, 0, size, size)
                middle.moveCenter(mark.center())
                painter.drawPixmap(middle, symbol, QRectF())

    def _paint_groups(self, painter: QPainter, band: QRectF) -> None:
        """Paint a bracket below the steps of each iteration or level, with its name or number."""
        painter.setFont(self._small_font())
        metrics, top = painter.fontMetrics(), band.bottom() + _BELOW
        bottom = top + metrics.height() / 2
        ink = theme().color("dim")
        for start, stop, name in self._groups:
            left, right = self._left_of(start) + 1.5, self._left_of(stop) - 0.5
            room, texts = right - left - 4, (name, name.rpartition(" ")[2])
            text = next((each for each in texts if metrics.horizontalAdvance(each) < room), "")
            unnamed = not text and (stop - start < _MANY or right - left < _BRACKETED)
            if not name or unnamed:
                continue
            painter.setPen(QPen(ink, 1))
            bracket = [(left, top), (left, bottom), (right, bottom), (right, top)]
            painter.drawPolyline([QPointF(*corner) for corner in bracket])
            if text:
                half, middle = metrics.horizontalAdvance(text) / 2 + 2, (left + right) / 2
                rectangle = QRectF(middle - half, top, 2 * half, metrics.height())
                painter.fillRect(rectangle, self.palette().base())
                painter.drawText(rectangle, Qt.AlignmentFlag.AlignCenter, text)

    def _paint_flags(self, painter: QPainter, band: QRectF) -> None:
        top = band.top() - 6
        for milestone in self.timeline.milestones:
            color = theme().color("ok" if milestone.good else "error")
            x = self._left_of(milestone.step) + 1
            painter.setPen(QPen(color, 2))
            painter.drawLine(QLineF(x, top, x, band.bottom()))
            painter.setBrush(color)
            flag = [QPointF(x, top - 1), QPointF(x + 7, top + 2), QPointF(x, top + 5)]
            painter.drawPolygon(QPolygonF(flag))

    def _paint_section(self, painter: QPainter, band: QRectF) -> None:
        """Frame the played section, and dim the rest."""
        section = self._playback.section
        if section is None or self._playback.lead is not None:
            return
        left, right = self._left_of(section.start), self._left_of(section.stop)
        veil = theme().color("surface")
        veil.setAlpha(165)
        painter.fillRect(QRectF(band.left(), band.top(), left - band.left(), band.height()), veil)
        painter.fillRect(QRectF(right, band.top(), band.right() - right, band.height()), veil)
        painter.setPen(QPen(theme().color("accent"), 2))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(QRectF(left, band.top(), right - left, band.height()))

    def _paint_position(self, painter: QPainter, band: QRectF, step: int) -> None:
        """Mark the step on display with a knob, and a frame, or a line if it is narrow."""
        x, top, ink = self.x_of(step), band.top() - 6, theme().color("text")
        left, right = self._left_of(step), self._left_of(step + 1)
        painter.setPen(QPen(ink, 2))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        if right - left >= _FRAMED:
            painter.drawRect(QRectF(left + 0.5, band.top(), right - left, band.height()))
        else:
            painter.drawLine(QLineF(x, top, x, band.bottom() + 2))
        knob = [QPointF(x - 6, top - 4), QPointF(x + 6, top - 4), QPointF(x, top + 5)]
        painter.setPen(QPen(theme().color("surface"), 1))
        painter.setBrush(ink)
        painter.drawPolygon(QPolygonF(knob))

    # Following

    def _on_playback_changed(self) -> None:
        moments = self._comparison.active_steps_by_moment
        if len(self.timeline) != self._playback.count or moments is not self._moments:
            self._load()
        else:
            self._show_position()

    def _load(self) -> None:
        timeline, recording = self._analysis.timeline(), self._analysis.recording
        self._moments = moments = self._comparison.active_steps_by_moment
        if moments is not None:
            covered = not moments.size or moments[-1] < len(timeline)
            timeline = timeline.at_moments(moments) if covered else RunTimeline()
        self.timeline = timeline
        steps = () if recording is None else recording.steps
        shown = range(len(timeline)) if moments is None else moments[: len(timeline)].tolist()
        named = [
            ", ".join(iteration_and_level(steps[index])) if index >= 0 else "" for index in shown
        ]
        groups = [(name, len([*same])) for name, same in groupby(named)]
        ends = accumulate(length for _, length in groups)
        self._groups = [
            (end - length, end, name) for (name, length), end in zip(groups, ends, strict=True)
        ]
        self._show_position()

    def _show_position(self) -> None:
        count = self._playback.count
        self.setEnabled(count > 0)
        with QSignalBlocker(self):
            self.setRange(0, max(count - 1, 0))
            self.setValue(self._playback.position)
        self.update()

    def _go_to(self, step: int) -> None:
        self._playback.pause()
        self._playback.go_to(step)
