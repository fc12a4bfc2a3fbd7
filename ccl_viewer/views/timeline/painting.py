"""Draws the timeline: what stays as it is from step to step, and what moves over it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen, QPolygonF

from ccl_viewer.render.stages import STAGE_COLORS
from ccl_viewer.session.facts.course import Course
from ccl_viewer.session.playback.transport import Section
from ccl_viewer.views.looks.stage_marks import draw_shape
from ccl_viewer.views.looks.theme import Theme, text_on
from ccl_viewer.views.timeline.flags import Box, flag_boxes, pieces_between
from ccl_viewer.views.timeline.geometry import (
    Track,
    curve,
    group_labels,
    pooled_codes,
    wants_log,
)

EDGE = 8
BARE_RULER = 8
"""Height of a ruler without names, in pixels, on which sections can be chosen all the same."""

_GAP_FROM = 4.0
_LEAST_CURVES = 12.0
"""Curves less high than this, in pixels, would be a line."""

_SHAPE = 0.6
_PADDING = 3.0
_LINES_FROM = 9.0
_VALUES = 44
"""Characters that are kept free for the values of the curves."""


@dataclass(frozen=True)
class Rows:
    """The parts of a timeline, one under the other, in pixels.

    Parameters
    ----------
    ruler, curves, marks, legend : QRectF
        Iterations and levels; what is left to do; the steps; the names of stages and curves, for
        which there is no room in a low one.
    """

    ruler: QRectF
    curves: QRectF
    marks: QRectF
    legend: QRectF


@dataclass(frozen=True)
class Look:
    """How a timeline is drawn.

    Parameters
    ----------
    theme : Theme
        Its colours.
    font : QFont
        Of its texts.
    width, height : int
        Its size in pixels.
    named : bool
        Whether the ruler has room for names, of iterations and levels.
    """

    theme: Theme
    font: QFont
    width: int
    height: int
    named: bool = True

    @property
    def shape(self) -> float:
        """Pixels across the shape of a stage, which grow with the text."""
        return round(QFontMetricsF(self.font).height() * _SHAPE)

    def track(self, count: int) -> Track:
        """Return where the steps are."""
        return Track(EDGE, self.width - 2 * EDGE, count)

    def rows(self) -> Rows:
        """Return where the parts are."""
        line = QFontMetricsF(self.font).height()
        ruler = line + 4 if self.named else float(BARE_RULER)
        legend = line + 3 if self.height >= ruler + 2 * line + 26 else 0.0
        left, width = float(EDGE), float(self.width - 2 * EDGE)
        marks = line + 4
        bottom = self.height - 3 - legend
        return Rows(
            ruler=QRectF(left, 0, width, ruler),
            curves=QRectF(left, ruler + 2, width, max(bottom - marks - ruler - 5, 4)),
            marks=QRectF(left, bottom - marks, width, marks),
            legend=QRectF(left, bottom + 2, width, legend),
        )


def names_fit(course: Course, look: Look) -> bool:
    """Return whether the steps are wide enough for the names of their stages."""
    metrics = QFontMetricsF(look.font)
    widest = max(metrics.horizontalAdvance(stage) for stage in course.stages)
    return look.track(len(course)).pitch >= widest + look.shape + 5 * _PADDING


def paint_ground(painter: QPainter, course: Course, look: Look) -> None:
    """Draw what stays as it is from step to step."""
    rows, track = look.rows(), look.track(len(course))
    painter.setFont(look.font)
    painter.fillRect(rows.curves, QColor(look.theme.raised))
    if not len(course):
        return
    _paint_groups(painter, course, look, rows, track)
    if rows.curves.height() >= _LEAST_CURVES:
        _paint_curves(painter, course, look, rows, track)
    if track.pitch < 1:
        _paint_pooled(painter, course, rows, track)
    else:
        _paint_marks(painter, course, look, rows, track)
    _paint_legend(painter, course, look, rows)
    for flag in _flags(course, look):
        painter.setPen(QPen(QColor(flag.color), 2))
        painter.drawLine(QLineF(flag.x, rows.curves.top(), flag.x, rows.marks.bottom()))


def _paint_groups(painter: QPainter, course: Course, look: Look, rows: Rows, track: Track) -> None:
    metrics = QFontMetricsF(look.font)
    painter.setPen(QPen(QColor(look.theme.border), 1))
    widest = track.width / max(len(course.groups), 1)
    if widest >= _LINES_FROM:
        for group in course.groups[1:]:
            x = round(track.left_of(group.start)) + 0.5
            painter.drawLine(QLineF(x, rows.ruler.top() + 3, x, rows.curves.bottom()))
    painter.setPen(QColor(look.theme.dim))
    for label in group_labels(course.groups, track, metrics.horizontalAdvance):
        # A number that stands for those after it as well may be wider than its own group.
        width = max(label.right - label.left, metrics.horizontalAdvance(label.text) + 2)
        place = QRectF(label.left, rows.ruler.top(), width, rows.ruler.height())
        if place.right() <= rows.ruler.right() + 1:
            painter.drawText(place, Qt.AlignmentFlag.AlignCenter, label.text)


def _paint_curves(painter: QPainter, course: Course, look: Look, rows: Rows, track: Track) -> None:
    top, bottom = rows.curves.top() + 5, rows.curves.bottom() - 2
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    wrong = [QPointF(x, y) for x, y in curve(course.wrong, track, top, bottom)]
    if wrong:
        color = QColor(look.theme.warning)
        painter.setPen(QPen(color, 1.6))
        painter.drawPolyline(QPolygonF(wrong))
        color.setAlpha(48)
        ends = [QPointF(wrong[-1].x(), bottom), QPointF(wrong[0].x(), bottom)]
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(color)
        painter.drawPolygon(QPolygonF([*wrong, *ends]))
    roots = [QPointF(x, y) for x, y in curve(course.roots, track, top, bottom)]
    pen = QPen(QColor(look.theme.accent), 1.6)
    pen.setDashPattern([3.0, 2.0])
    pen.setCapStyle(Qt.PenCapStyle.FlatCap)  # square ones nearly close the gaps
    painter.setPen(pen)
    painter.drawPolyline(QPolygonF(roots))
    painter.restore()


def _paint_marks(painter: QPainter, course: Course, look: Look, rows: Rows, track: Track) -> None:
    gap = 1.0 if track.pitch >= _GAP_FROM else 0.0
    named = names_fit(course, look)
    metrics, size = QFontMetricsF(look.font), look.shape
    for step in range(len(course)):
        stage = course.stage(step)
        color = STAGE_COLORS[stage]
        left = track.left_of(step) + gap
        rect = QRectF(left, rows.marks.top(), track.pitch - gap, rows.marks.height())
        painter.fillRect(rect, QColor(color))
        if rect.width() < size + 2:
            continue
        ink = text_on(color)
        text = metrics.horizontalAdvance(stage) + 2 * _PADDING if named else 0.0
        start = rect.center().x() - (size + text) / 2
        shape = QRectF(start, rect.center().y() - size / 2, size, size)
        draw_shape(painter, stage, shape, ink)
        if named:
            painter.setPen(QColor(ink))
            place = QRectF(start + size + _PADDING, rect.top(), text + 4, rect.height())
            painter.drawText(place, Qt.AlignmentFlag.AlignVCenter, str(stage))


def _paint_pooled(painter: QPainter, course: Course, rows: Rows, track: Track) -> None:
    columns = max(int(track.width), 1)
    codes = pooled_codes(course.codes, columns)
    starts = np.flatnonzero(np.diff(codes, prepend=-1))
    ends = np.append(starts[1:], columns)
    for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
        color = QColor(STAGE_COLORS[course.stages[codes[start]]])
        rect = QRectF(track.left + start, rows.marks.top(), end - start, rows.marks.height())
        painter.fillRect(rect, color)


def _paint_legend(painter: QPainter, course: Course, look: Look, rows: Rows) -> None:
    if rows.legend.isEmpty():
        return
    metrics, size = QFontMetricsF(look.font), look.shape
    x = rows.legend.left()
    painter.setPen(QColor(look.theme.dim))
    for stage in course.stages:
        width = size + 5 + metrics.horizontalAdvance(stage)
        if x + width > rows.legend.right() - _VALUES * metrics.averageCharWidth():
            return
        middle = rows.legend.center().y()
        shape = QRectF(x, middle - size / 2, size, size)
        draw_shape(painter, stage, shape, STAGE_COLORS[stage])
        place = QRectF(x + size + 5, rows.legend.top(), width, rows.legend.height())
        painter.drawText(place, Qt.AlignmentFlag.AlignVCenter, str(stage))
        x += width + 14


@dataclass(frozen=True)
class _Flag:
    step: int
    color: str
    text: str
    x: float
    place: Box | None = None


def _flags(course: Course, look: Look) -> list[_Flag]:
    """Return the milestones of a run, whose names have places where there is room for them."""
    rows, track = look.rows(), look.track(len(course))
    apart = course.left_apart
    flags = [
        _Flag(step, color, text, round(track.left_of(step)) + 1.0)
        for step, color, text in (
            (course.first_wrong, look.theme.error, "first wrong"),
            (None if apart is None else apart.step, look.theme.error, "left apart"),
            (course.settled, look.theme.ok, "roots right"),
            (course.converged, look.theme.ok, "converged"),
        )
        if step is not None
    ]
    if rows.legend.isEmpty():
        return flags
    metrics, curves = QFontMetricsF(look.font), rows.curves
    room = Box(curves.left(), curves.top(), curves.right() + 1, curves.bottom())
    widths = [(flag.x, metrics.horizontalAdvance(flag.text) + 8) for flag in flags]
    places = flag_boxes(widths, room, metrics.height())
    return [replace(flag, place=place) for flag, place in zip(flags, places, strict=True)]


def paint_flags(painter: QPainter, course: Course, look: Look, until: int | None = None) -> None:
    """Name milestones beside their lines; only those up to a step, if one is given."""
    painter.setFont(look.font)
    for flag in _flags(course, look):
        box = flag.place
        if box is not None and (until is None or flag.step <= until):
            place = QRectF(box.left, box.top, box.right - box.left, box.bottom - box.top)
            painter.fillRect(place, QColor(flag.color))
            painter.setPen(QColor(text_on(flag.color)))
            painter.drawText(place, Qt.AlignmentFlag.AlignCenter, flag.text)


def paint_section(painter: QPainter, section: Section, course: Course, look: Look) -> None:
    """Draw a section: its bar on the ruler, and a veil over what is not played."""
    rows, track = look.rows(), look.track(len(course))
    left, right = track.extent(section)
    veil = QColor(look.theme.surface)
    veil.setAlpha(165)
    top, height = rows.curves.top(), rows.marks.bottom() - rows.curves.top()
    painter.fillRect(QRectF(track.left, top, left - track.left, height), veil)
    painter.fillRect(QRectF(right, top, track.left + track.width - right, height), veil)
    accent = QColor(look.theme.accent)
    painter.fillRect(QRectF(left, rows.ruler.bottom() - 3, right - left, 4), accent)
    for x, inward in ((left, 1), (right, -1)):
        painter.fillRect(
            QRectF(min(x, x + 2 * inward), rows.ruler.top() + 3, 2, top + height - 3), accent
        )


def paint_position(
    painter: QPainter, step: int, course: Course, look: Look, hovered: int | None
) -> None:
    """Draw where the window stands, and the step under the mouse."""
    rows, track = look.rows(), look.track(len(course))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    if hovered is not None and hovered != step:
        glow = QColor(look.theme.text)
        glow.setAlpha(36)
        top = rows.curves.top()
        width = max(track.pitch, 2.0)
        painter.fillRect(
            QRectF(track.left_of(hovered), top, width, rows.marks.bottom() - top), glow
        )
    x = track.centre_of(step)
    painter.setPen(QPen(QColor(look.theme.text), 2))
    # In a wide mark there is its name, and a frame around it.
    bottom = rows.marks.top() if track.pitch >= look.shape else rows.marks.bottom() + 2
    names = [flag.place for flag in _flags(course, look)]
    for upper, lower in pieces_between(x, (rows.curves.top(), bottom), names):
        painter.drawLine(QLineF(x, upper, x, lower))
    knob = QPolygonF(
        [
            QPointF(x - 6, rows.curves.top() - 4),
            QPointF(x + 6, rows.curves.top() - 4),
            QPointF(x, rows.curves.top() + 5),
        ]
    )
    painter.setPen(QPen(QColor(look.theme.surface), 1))
    painter.setBrush(QColor(look.theme.text))
    painter.drawPolygon(knob)
    if track.pitch >= look.shape:
        mark = QRectF(track.left_of(step), rows.marks.top(), track.pitch, rows.marks.height())
        painter.setPen(QPen(QColor(look.theme.text), 2))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(mark.adjusted(1, 0, 0, 0))


def paint_values(painter: QPainter, step: int, course: Course, look: Look) -> None:
    """Name the curves under them, with their values at the step on display."""
    rows = look.rows()
    painter.setFont(look.font)
    metrics = QFontMetricsF(look.font)
    entries = [(look.theme.accent, _value("roots", course.roots, step))]
    if not np.isnan(course.wrong).all():
        entries.append((look.theme.warning, _value("wrong root", course.wrong, step)))
    x = rows.legend.right()
    for color, text in entries:
        x -= metrics.horizontalAdvance(text)
        painter.setPen(QColor(color))
        place = QRectF(x, rows.legend.top(), rows.legend.right() - x, rows.legend.height())
        painter.drawText(place, Qt.AlignmentFlag.AlignVCenter, text)
        x -= 14


def _value(name: str, values: np.ndarray[tuple[int], np.dtype[np.float64]], step: int) -> str:
    shown = "?" if np.isnan(values[step]) else f"{int(values[step]):,}"
    return f"{name} {shown}" + (", log scale" if wants_log(values) else "")
