"""The timeline: every step in the colour of its stage, milestones, curves, and the section."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Final

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QByteArray, QEvent, QLineF, QPoint, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QFont,
    QFontMetricsF,
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
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QMenu, QSlider, QToolTip, QWidget

from ccl_viewer.plan import Stage
from ccl_viewer.render.themes import STAGE_COLORS, STAGE_PATHS
from ccl_viewer.session.analysis import WITHHELD, Conceal, RunTimeline
from ccl_viewer.session.playback import Section, StepGroup
from ccl_viewer.session.session import Session
from ccl_viewer.units import counted
from ccl_viewer.views.style import Theme, text_on, theme
from ccl_viewer.views.widgets import add_switch, popup_menu

Values = npt.NDArray[np.float64]

_EDGE: Final = 8
_NOTCH: Final = 120
_SHARPEST: Final = 3  # pixels of the screen for one of the window, for which icons are drawn
_GAP_FROM: Final = 4.0  # pixels a step from which on there is a gap between steps
_LINES_FROM: Final = 9.0
_PADDING: Final = 3.0
_LOG_SHARE: Final = 0.1
_COLUMNS_OF_VALUES: Final = 44  # characters that are kept free for the values of the curves
_HELP: Final = "Drag to any step. Drag over the numbers to play only a part."
_CURVES: Final = (
    "Dashed: roots that are left.\n"
    "Solid: cells that do not lead to their final root yet (wrong root).\n"
    "Each curve is as high as its own largest count.\n"
    "Log scale: each factor of ten has the same height, so small counts stay visible."
)


@cache
def _stage_shape(stage: Stage, color: str) -> QSvgRenderer:
    path = f'<path fill-rule="evenodd" fill="{color}" d="{STAGE_PATHS[stage]}"/>'
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="-4 -4 108 108">{path}</svg>'
    return QSvgRenderer(QByteArray(svg.encode()))


def draw_stage(painter: QPainter, stage: Stage, square: QRectF, color: str) -> None:
    _stage_shape(stage, color).render(painter, square)


@cache
def stage_icon(stage: Stage, size: int = 14) -> QIcon:
    """Return the shape of a stage in its colour, so many pixels across."""
    pixmap = QPixmap(size * _SHARPEST, size * _SHARPEST)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    draw_stage(painter, stage, QRectF(pixmap.rect()), STAGE_COLORS[stage])
    painter.end()
    pixmap.setDevicePixelRatio(_SHARPEST)
    icon = QIcon(pixmap)
    icon.addPixmap(pixmap, QIcon.Mode.Selected)
    return icon


# Geometry, without Qt


@dataclass(frozen=True)
class StepAxis:
    """The line of steps, from left to right, in pixels."""

    left: float
    width: float
    count: int

    @property
    def pitch(self) -> float:
        return self.width / max(self.count, 1)

    def left_of(self, step: float) -> float:
        return self.left + step * self.pitch

    def centre_of(self, step: int) -> float:
        return self.left_of(step + 0.5)

    def step_at(self, x: float) -> int:
        """Return the step at a place; beyond the ends, the nearest."""
        share = (x - self.left) / max(self.width, 1)
        return min(max(int(share * self.count), 0), max(self.count - 1, 0))


def pooled_codes(codes: npt.NDArray[np.int64], columns: int) -> npt.NDArray[np.int64]:
    """Return the most frequent code of the steps under each pixel; the lowest of equals."""
    kinds = int(codes.max(initial=0)) + 1
    column = np.arange(codes.size, dtype=np.int64) * columns // codes.size
    counts = np.bincount(column * kinds + codes, minlength=columns * kinds)
    most: npt.NDArray[np.int64] = counts.reshape(columns, kinds).argmax(axis=1)
    return most


def pooled_highest(values: Values, columns: int) -> Values:
    """Return the highest known value of the steps under each pixel; NaN where none is known."""
    starts = -(-np.arange(columns, dtype=np.int64) * values.size // columns)
    highest: Values = np.fmax.reduceat(values, starts)
    return highest


def wants_log(values: Values) -> bool:
    """Return whether a logarithmic scale shows more: half the values lie in the lowest tenth."""
    positive = np.sort(values[values > 0])
    return bool(positive.size and np.median(positive) < _LOG_SHARE * positive[-1])


def curve(values: Values, axis: StepAxis, top: float, bottom: float) -> list[tuple[float, float]]:
    """Return the points of a curve over the axis, pooled to pixels where steps are narrower.

    The highest value lies at the top, 0 at the bottom; what is NaN is left out.
    """
    log = wants_log(values)
    columns = int(axis.width)
    xs = axis.left + (np.arange(values.size) + 0.5) * axis.pitch
    if values.size > columns > 0:
        values = pooled_highest(values, columns)
        xs = axis.left + np.arange(columns) + 0.5
    known = ~np.isnan(values)
    highest = float(values[known].max(initial=0.0))
    shares = np.zeros(values.size)
    if highest:
        shares = np.log1p(values) / np.log1p(highest) if log else values / highest
    ys = bottom - (bottom - top) * shares
    return list(zip(xs[known].tolist(), ys[known].tolist(), strict=True))


def group_labels(
    groups: Sequence[StepGroup], axis: StepAxis, width_of: Callable[[str], float]
) -> Iterator[tuple[float, float, str]]:
    """Return left, right and text of the iterations and levels for which there is room.

    Where not every number fits, each second, fifth or tenth is shown, and so on.
    """
    named = [group for group in groups if group.iteration is not None or group.level is not None]
    if not named:
        return
    widest = width_of(max((_short(group) for group in named), key=len)) + 6
    narrowest = axis.pitch * sum(group.end - group.start + 1 for group in named) / len(named)
    stride = nice_stride(widest / max(narrowest, 1e-9))
    for group in named:
        if stride > 1 and (group.iteration or group.level or 0) % stride:
            continue
        left, right = axis.left_of(group.start), axis.left_of(group.end + 1)
        name = group_name(group.iteration, group.level)
        yield left, right, name if right - left >= width_of(name) + 10 else _short(group)


def nice_stride(least: float) -> int:
    """Return the least of 1, 2, 5, 10, 20, 50 and so on that is not less."""
    power = 1
    while True:
        for factor in (1, 2, 5):
            if factor * power >= least:
                return factor * power
        power *= 10


def group_name(iteration: int | None, level: int | None) -> str:
    """Return iteration and level in words; empty outside loops and hierarchies."""
    parts = [] if iteration is None else [f"iteration {iteration:,}"]
    return ", ".join(parts if level is None else [*parts, f"level {level}"])


def _short(group: StepGroup) -> str:
    if group.iteration is None:
        return f"L{group.level}"
    return f"{group.iteration:,}" if group.level is None else f"{group.iteration:,} L{group.level}"


class QtTimeline(QSlider):
    """Chooses the step on display, and the section that is played.

    A tall one has a ruler, curves and a legend; another is a scrubber of one line.
    """

    def __init__(
        self, session: Session, parent: QWidget | None = None, *, tall: bool = False
    ) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._session = session
        self._playback, self._analysis = session.playback, session.analysis
        self._tall = tall
        self._timeline = RunTimeline()
        self._moments: npt.NDArray[np.int64] | None = None
        self._background: QPixmap | None = None
        self._hovered: int | None = None
        self._anchor: int | None = None
        self._turned = 0
        self.setAccessibleName("Timeline" if tall else "Steps of the run")
        self.setAccessibleDescription(_HELP)
        self.setMouseTracking(True)
        self.valueChanged.connect(self._go_to)
        self._playback.changed.connect(self._on_playback_changed)
        self._analysis.watch("display recording metrics conceal", self._load)
        self._load()

    @property
    def timeline(self) -> RunTimeline:
        return self._timeline

    def x_of(self, step: int) -> float:
        return self._axis().centre_of(step)

    def sizeHint(self) -> QSize:
        line = self.fontMetrics().height()
        return QSize(300, 3 * line + 60) if self._tall else QSize(200, line + 8)

    def minimumSizeHint(self) -> QSize:
        return QSize(120, self.sizeHint().height())

    def describe(self, step: int) -> str:
        """Return what a step did, in a few lines."""
        recording, conceal = self._analysis.recording, self._analysis.conceal
        index = step if self._moments is None else int(self._moments[step])
        if recording is None or not step < len(self._timeline):
            return _HELP
        follows = step > self._playback.position
        if Conceal.COUNTS in conceal or (follows and Conceal.TABLES in conceal):
            return WITHHELD
        found = recording.step(index)
        place = [f"Step {index + 1:,}", str(found.stage)]
        name = group_name(found.iteration, found.level)
        counts = [f"{counted(found.changed, 'cell')} changed", counted(found.roots, "root")]
        wrong = self._timeline.wrong[step]
        if not np.isnan(wrong):
            counts.append(f"{counted(int(wrong), 'cell')} with a wrong root")
        lines = [", ".join([*place, name] if name else place), found.kernel, ", ".join(counts)]
        lines += [one.text for one in self._timeline.milestones if one.step == step]
        return "\n".join([*lines, self._analysis.limits]).strip()

    # Qt's events

    def event(self, event: QEvent) -> bool:
        if event.type() is QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            over_legend = self._legend_room().contains(QPointF(event.pos()))
            step = self._axis().step_at(event.pos().x())
            text = _CURVES if over_legend else self.describe(step)
            QToolTip.showText(event.globalPos(), text, self)
            return True
        return super().event(event)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        self._redraw()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Go to the step under the mouse, or begin a section on the ruler."""
        if event.button() != Qt.MouseButton.LeftButton:
            return
        if self._on_ruler(event.position()):
            self._playback.clear_section()
            self._anchor = self._axis().step_at(event.position().x())
        else:
            self._scrub(event.position().x())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Go to the step under the mouse, or draw the section, while the button is down."""
        step = self._axis().step_at(event.position().x())
        if step != self._hovered:
            self._hovered = step if len(self._timeline) else None
            self.update()
        if not event.buttons() & Qt.MouseButton.LeftButton:
            return
        if self._anchor is None:
            self._scrub(event.position().x())
        elif step != self._anchor or self._playback.section is not None:
            first, last = sorted((self._anchor, step))
            self._playback.set_section(Section(first, last))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self._anchor is not None:
            if self._playback.section is None:
                self._scrub(event.position().x())
            self._anchor = None

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if self._on_ruler(event.position()):
            self._playback.clear_section()
        else:
            self.mousePressEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        self._hovered = None
        self.update()
        super().leaveEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        self._turned += event.angleDelta().y() or -event.angleDelta().x()
        steps = int(self._turned / _NOTCH)
        self._turned -= steps * _NOTCH
        if steps:
            self._go_to(self._playback.position - steps)
        event.accept()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        if not len(self._timeline):
            return
        where, step = event.globalPos(), self._axis().step_at(event.pos().x())
        if event.reason() is not QContextMenuEvent.Reason.Mouse:
            step = self._playback.position
            where = self.mapToGlobal(QPoint(round(self.x_of(step)), self.height() // 2))
        self.step_menu(step).popup(where)

    def step_menu(self, step: int) -> QMenu:
        playback, menu = self._playback, popup_menu(self)
        number, section = f"step {step + 1:,}", playback.section or Section(0, len(self._timeline))
        menu.addAction(f"&Show {number}", lambda: self._go_to(step))
        menu.addSeparator()
        if playback.lead is None:
            first = Section(step, max(min(section.end, len(self._timeline) - 1), step))
            last = Section(min(section.start, step), step)
            start, end = f"Section s&tarts at {number}", f"Section &ends at {number}"
            menu.addAction(start, lambda: playback.set_section(first))
            menu.addAction(end, lambda: playback.set_section(last))
            clear = menu.addAction("No se&ction", playback.clear_section)
            clear.setEnabled(playback.section is not None)
        add_switch(menu, "&Loop", playback.looping, playback.set_looping)
        menu.addSeparator()
        for milestone in self._timeline.milestones:
            text = f"Go to \u201c{milestone.name}\u201d (step {milestone.step + 1:,})"
            menu.addAction(text, partial(self._go_to, milestone.step))
        return menu

    def paintEvent(self, _event: QPaintEvent) -> None:
        parts, ratio = self._painter(), self.devicePixelRatioF()
        if self._background is None or self._background.size() != self.size() * ratio:
            self._background = QPixmap(self.size() * ratio)
            self._background.setDevicePixelRatio(ratio)
            self._background.fill(Qt.GlobalColor.transparent)
            parts.paint_background(QPainter(self._background))
        painter = QPainter(self)
        painter.drawPixmap(0, 0, self._background)
        if len(self._timeline):
            position = min(self._playback.position, len(self._timeline) - 1)
            parts.paint_section(painter, self._shown_section())
            if self._open_question():
                self._cover(painter, parts, position + 1)
            elif self._tall:
                parts.paint_flags(painter)
            if self._tall and Conceal.COUNTS not in self._analysis.conceal:
                parts.paint_values(painter, position)
            parts.paint_position(painter, position, self._hovered)
        if self.hasFocus():
            painter.setPen(QPen(QColor(theme().accent), 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(self.rect().adjusted(1, 1, -1, -1), 5, 5)
        painter.end()

    def _open_question(self) -> str:
        """Return what is asked that could be read from the steps to come, in short."""
        if Conceal.COURSE in self._analysis.conceal:
            return "How much follows?"
        return "How many are there?" if Conceal.COUNTS in self._analysis.conceal else ""

    def _cover(self, painter: QPainter, parts: _TimelinePainter, step: int) -> None:
        left, bottom = round(parts.axis.left_of(step)) + 1, round(parts.legend.height())
        covered = self.rect().adjusted(left, 0, 0, -bottom)
        painter.fillRect(covered, QColor(theme().raised))
        painter.setPen(QColor(theme().dim))
        painter.drawText(covered, Qt.AlignmentFlag.AlignCenter, self._open_question())

    # Following

    def _on_playback_changed(self, fields: frozenset[str]) -> None:
        steps = self._session.comparison.active_steps
        if len(self._timeline) != self._playback.count or steps is not self._moments:
            self._load()
        elif fields & {"position", "section"}:
            self._show_position()

    def _load(self) -> None:
        timeline = self._analysis.timeline()
        self._moments = moments = self._session.comparison.active_steps
        if moments is not None:
            known = not moments.size or moments[-1] < len(timeline)
            timeline = timeline.at(moments) if known else RunTimeline()
        self._timeline = timeline
        self._redraw()
        self._show_position()

    def _show_position(self) -> None:
        count = self._playback.count
        self.setEnabled(count > 0)
        blocked = self.blockSignals(True)
        self.setRange(0, max(count - 1, 0))
        self.setValue(self._playback.position)
        self.blockSignals(blocked)
        self.update()

    def _redraw(self) -> None:
        self._background = None
        self.update()

    def _go_to(self, step: int) -> None:
        self._playback.pause()
        self._playback.go_to(step)

    def _scrub(self, x: float) -> None:
        self.setValue(self._axis().step_at(x))

    # Places

    def _axis(self) -> StepAxis:
        return StepAxis(_EDGE, self.width() - 2 * _EDGE, len(self._timeline))

    def _painter(self) -> _TimelinePainter:
        font = QFont(self.font())
        font.setPointSizeF(font.pointSizeF() * 0.9)
        return _TimelinePainter(self._timeline, self._axis(), self.height(), font, self._tall)

    def _legend_room(self) -> QRectF:
        return self._painter().legend if self._tall else QRectF()

    def _on_ruler(self, at: QPointF) -> bool:
        return (
            self._tall and self._playback.lead is None and at.y() < self._painter().ruler.bottom()
        )

    def _shown_section(self) -> Section | None:
        section, lead = self._playback.section, self._playback.lead
        return section if section is None or lead is None else lead.span(section)


class _TimelinePainter:
    """Paints the parts of a timeline, one under the other."""

    def __init__(
        self, timeline: RunTimeline, axis: StepAxis, height: float, font: QFont, tall: bool
    ) -> None:
        self.timeline, self.axis, self._font = timeline, axis, font
        self._metrics = QFontMetricsF(font)
        self._theme: Theme = theme()
        line, left, width = self._metrics.height(), axis.left, axis.width
        self._shape = round(line * 0.6)
        self._tall = tall
        if not tall:
            marks = max(line * 0.75, 10.0)
            top = (height - marks) / 2 + 2
            self.ruler = self.legend = QRectF()
            self.curves = QRectF(left, top - 6, width, 5)
            self.marks = QRectF(left, top, width, marks)
            return
        ruler, legend, marks = line + 4, line + 3, line + 4
        bottom = height - 3 - legend
        self.ruler = QRectF(left, 0, width, ruler)
        self.curves = QRectF(left, ruler + 2, width, max(bottom - marks - ruler - 5, 4))
        self.marks = QRectF(left, bottom - marks, width, marks)
        self.legend = QRectF(left, bottom + 2, width, legend)

    def paint_background(self, painter: QPainter) -> None:
        """Draw what stays as it is from step to step."""
        painter.setFont(self._font)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(self.curves if self._tall else self.marks, QColor(self._theme.raised))
        if not len(self.timeline):
            return
        if self._tall:
            self._paint_groups(painter)
            self._paint_curves(painter)
            self._paint_legend(painter)
        if self.axis.pitch < 1:
            self._paint_pooled(painter)
        else:
            self._paint_marks(painter)
        for milestone in self.timeline.milestones:
            color, x = self._color(milestone.good), self.axis.left_of(milestone.step) + 1
            painter.setPen(QPen(QColor(color), 2))
            painter.drawLine(QLineF(x, self.curves.top(), x, self.marks.bottom()))
            if not self._tall:  # a small flag
                top = self.curves.top()
                flag = [QPointF(x, top - 1), QPointF(x + 7, top + 2), QPointF(x, top + 5)]
                painter.setBrush(QColor(color))
                painter.drawPolygon(QPolygonF(flag))

    def _color(self, good: bool) -> str:
        return self._theme.ok if good else self._theme.error

    def _paint_groups(self, painter: QPainter) -> None:
        painter.setPen(QPen(QColor(self._theme.border), 1))
        if self.axis.width / max(len(self.timeline.groups), 1) >= _LINES_FROM:
            for group in self.timeline.groups[1:]:
                x = round(self.axis.left_of(group.start)) + 0.5
                painter.drawLine(QLineF(x, self.ruler.top() + 3, x, self.curves.bottom()))
        painter.setPen(QColor(self._theme.dim))
        advance = self._metrics.horizontalAdvance
        for left, right, text in group_labels(self.timeline.groups, self.axis, advance):
            # A number that stands for those after it as well may be wider than its own group.
            width = max(right - left, advance(text) + 2)
            place = QRectF(left, self.ruler.top(), width, self.ruler.height())
            if place.right() <= self.ruler.right() + 1:
                painter.drawText(place, Qt.AlignmentFlag.AlignCenter, text)

    def _paint_curves(self, painter: QPainter) -> None:
        top, bottom = self.curves.top() + 5, self.curves.bottom() - 2
        wrong = [QPointF(x, y) for x, y in curve(self.timeline.wrong, self.axis, top, bottom)]
        if wrong:
            color = QColor(self._theme.warning)
            painter.setPen(QPen(color, 1.6))
            painter.drawPolyline(QPolygonF(wrong))
            color.setAlpha(48)
            ends = [QPointF(wrong[-1].x(), bottom), QPointF(wrong[0].x(), bottom)]
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(color)
            painter.drawPolygon(QPolygonF([*wrong, *ends]))
        roots = [QPointF(x, y) for x, y in curve(self.timeline.roots, self.axis, top, bottom)]
        pen = QPen(QColor(self._theme.accent), 1.6)
        pen.setDashPattern([3.0, 2.0])
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)  # square ones nearly close the gaps
        painter.setPen(pen)
        painter.drawPolyline(QPolygonF(roots))

    def _paint_marks(self, painter: QPainter) -> None:
        gap = 1.0 if self.axis.pitch >= _GAP_FROM else 0.0
        advance, size = self._metrics.horizontalAdvance, self._shape
        widest = max(advance(stage) for stage in self.timeline.stages)
        named = self._tall and self.axis.pitch >= widest + size + 5 * _PADDING
        for step in range(len(self.timeline)):
            stage = self.timeline.stage(step)
            left, width = self.axis.left_of(step) + gap, self.axis.pitch - gap
            rect = QRectF(left, self.marks.top(), width, self.marks.height())
            painter.fillRect(rect, QColor(STAGE_COLORS[stage]))
            if width < size + 2 or not self._tall:
                continue
            ink = text_on(STAGE_COLORS[stage])
            text = advance(stage) + 2 * _PADDING if named else 0.0
            start = rect.center().x() - (size + text) / 2
            shape = QRectF(start, rect.center().y() - size / 2, size, size)
            draw_stage(painter, stage, shape, ink)
            if named:
                painter.setPen(QColor(ink))
                place = QRectF(start + size + _PADDING, rect.top(), text + 4, rect.height())
                painter.drawText(place, Qt.AlignmentFlag.AlignVCenter, str(stage))

    def _paint_pooled(self, painter: QPainter) -> None:
        columns = max(int(self.axis.width), 1)
        codes = pooled_codes(self.timeline.codes, columns)
        starts = np.flatnonzero(np.diff(codes, prepend=-1))
        ends = np.append(starts[1:], columns)
        for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
            color = QColor(STAGE_COLORS[self.timeline.stages[codes[start]]])
            left, top = self.axis.left + start, self.marks.top()
            painter.fillRect(QRectF(left, top, end - start, self.marks.height()), color)

    def _paint_legend(self, painter: QPainter) -> None:
        size, x = self._shape, self.legend.left()
        painter.setPen(QColor(self._theme.dim))
        for stage in self.timeline.stages:
            width = size + 5 + self._metrics.horizontalAdvance(stage)
            room = _COLUMNS_OF_VALUES * self._metrics.averageCharWidth()
            if x + width > self.legend.right() - room:
                return
            shape = QRectF(x, self.legend.center().y() - size / 2, size, size)
            draw_stage(painter, stage, shape, STAGE_COLORS[stage])
            place = QRectF(x + size + 5, self.legend.top(), width, self.legend.height())
            painter.drawText(place, Qt.AlignmentFlag.AlignVCenter, str(stage))
            x += width + 14

    def paint_flags(self, painter: QPainter) -> None:
        """Name milestones beside their lines, one below the other."""
        painter.setFont(self._font)
        height = self._metrics.height()
        rows = max(int((self.curves.height() - 4) // (height + 1)), 1)
        for number, milestone in enumerate(self.timeline.milestones):
            x, width = (
                self.axis.left_of(milestone.step),
                self._metrics.horizontalAdvance(milestone.name) + 8,
            )
            left = x if x + width <= self.curves.right() + 1 else x - width
            top = self.curves.top() + 4 + number % rows * (height + 1)
            place = QRectF(left, top, width, height)
            color = self._color(milestone.good)
            painter.fillRect(place, QColor(color))
            painter.setPen(QColor(text_on(color)))
            painter.drawText(place, Qt.AlignmentFlag.AlignCenter, milestone.name)

    def paint_section(self, painter: QPainter, section: Section | None) -> None:
        """Draw the bar of a section, and a veil over what is not played."""
        if section is None:
            return
        left, right = self.axis.left_of(section.start), self.axis.left_of(section.end + 1)
        veil = QColor(self._theme.surface)
        veil.setAlpha(165)
        top, height = self.curves.top(), self.marks.bottom() - self.curves.top()
        end = self.axis.left + self.axis.width
        painter.fillRect(QRectF(self.axis.left, top, left - self.axis.left, height), veil)
        painter.fillRect(QRectF(right, top, end - right, height), veil)
        accent = QColor(self._theme.accent)
        bar = self.ruler.bottom() - 3 if self._tall else self.marks.bottom() + 1
        painter.fillRect(QRectF(left, bar, right - left, 4 if self._tall else 2), accent)
        for x in (left, right - 2):
            painter.fillRect(QRectF(x, top, 2, height), accent)

    def paint_position(self, painter: QPainter, step: int, hovered: int | None) -> None:
        """Draw where the window stands, and the step under the mouse."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        top, x = self.curves.top(), self.axis.centre_of(step)
        width, height = max(self.axis.pitch, 2.0), self.marks.bottom() - top
        if hovered is not None and hovered != step:
            glow = QColor(self._theme.text)
            glow.setAlpha(36)
            painter.fillRect(QRectF(self.axis.left_of(hovered), top, width, height), glow)
        wide = self.axis.pitch >= self._shape
        painter.setPen(QPen(QColor(self._theme.text), 2))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        # In a wide mark there is a name, and a frame around it.
        bottom = self.marks.top() if wide else self.marks.bottom() + 2
        painter.drawLine(QLineF(x, top, x, bottom))
        if wide:
            left, high = self.axis.left_of(step), self.marks.height()
            painter.drawRect(QRectF(left + 1, self.marks.top(), width - 1, high))
        knob = [QPointF(x - 6, top - 4), QPointF(x + 6, top - 4), QPointF(x, top + 5)]
        painter.setPen(QPen(QColor(self._theme.surface), 1))
        painter.setBrush(QColor(self._theme.text))
        painter.drawPolygon(QPolygonF(knob))

    def paint_values(self, painter: QPainter, step: int) -> None:
        """Name the curves under them, with their values at the step on display."""
        painter.setFont(self._font)
        entries = [(self._theme.accent, "roots", self.timeline.roots)]
        if not np.isnan(self.timeline.wrong).all():
            entries.append((self._theme.warning, "wrong root", self.timeline.wrong))
        x = self.legend.right()
        for color, name, values in entries:
            shown = "?" if np.isnan(values[step]) else f"{int(values[step]):,}"
            text = f"{name} {shown}{', log scale' if wants_log(values) else ''}"
            x -= self._metrics.horizontalAdvance(text)
            painter.setPen(QColor(color))
            width = self.legend.right() - x
            place = QRectF(x, self.legend.top(), width, self.legend.height())
            painter.drawText(place, Qt.AlignmentFlag.AlignVCenter, text)
            x -= 14
