"""The timeline: where things are, what is drawn, and what mouse and keys do."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QFont, QHelpEvent, QImage, QMouseEvent, QPainter, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QToolTip
from pytestqt.qtbot import QtBot
from support.windows import PATIENCE, MakeWindow, position, press

from ccl_viewer.plan import Stage
from ccl_viewer.recording.left_apart import LeftApart
from ccl_viewer.render.stages import STAGE_COLORS
from ccl_viewer.session.facts.course import Course
from ccl_viewer.session.playback.transport import Group, Section
from ccl_viewer.views.looks.stage_marks import stage_icon
from ccl_viewer.views.looks.theme import DARK
from ccl_viewer.views.main_window import MainWindow
from ccl_viewer.views.timeline.geometry import (
    Track,
    curve,
    group_labels,
    heights,
    nice_stride,
    pooled_codes,
    pooled_highest,
    wants_log,
)
from ccl_viewer.views.timeline.painting import (
    Look,
    names_fit,
    paint_ground,
    paint_position,
    paint_section,
    paint_values,
)
from ccl_viewer.views.timeline.timeline import Timeline


def course(steps: int) -> Course:
    """A course of rounds with two steps each, after one that begins."""
    codes = np.array([0] + [1 + index % 2 for index in range(steps - 1)], np.int64)
    rounds = [Group(1 + 2 * i, 2 + 2 * i, i + 1, None) for i in range((steps - 1) // 2)]
    return Course(
        stages=(Stage.INIT, Stage.SCAN, Stage.ANALYSIS),
        codes=codes,
        groups=(Group(0, 0, None, None), *rounds),
        converged=steps - 2,
        settled=steps // 2,
        roots=np.linspace(1000, 1, steps),
        wrong=np.linspace(500, 0, steps),
    )


def look(width: int = 700) -> Look:
    return Look(DARK, QFont(QApplication.font()), width, 100)


def drawn(shown: Course, ground: Look, *, section: Section | None = None, step: int = 0) -> QImage:
    image = QImage(ground.width, ground.height, QImage.Format.Format_RGB32)
    image.fill(QColor(DARK.surface))
    painter = QPainter(image)
    paint_ground(painter, shown, ground)
    if section is not None:
        paint_section(painter, section, shown, ground)
    if len(shown):
        paint_values(painter, step, shown, ground)
        paint_position(painter, step, shown, ground, hovered=None)
    painter.end()
    return image


def test_the_first_wrong_step_has_a_flag_of_its_own() -> None:
    ground = look()
    good, bad = course(9), replace(course(9), settled=None, converged=None, first_wrong=4)
    error = QColor(DARK.error)
    x = round(ground.track(9).left_of(4)) + 1
    apart = replace(bad, first_wrong=None, left_apart=LeftApart(4, 1))
    for shown, flags in ((good, False), (bad, True), (apart, True)):
        image = drawn(shown, ground)
        rows = range(round(ground.rows().curves.top()), round(ground.rows().marks.bottom()))
        assert any(image.pixelColor(x, y) == error for y in rows) is flags


# Geometry


@given(st.integers(1, 5000), st.integers(50, 3000))
def test_every_step_is_found_where_it_is(count: int, width: int) -> None:
    track = Track(8, width, count)
    for step in {0, count // 2, count - 1}:
        assert track.step_at(track.centre_of(step)) == step
    assert track.step_at(-100) == 0
    assert track.step_at(1e6) == count - 1


@given(st.lists(st.integers(0, 4), min_size=50, max_size=400), st.integers(1, 50))
def test_pools_hold_what_is_under_a_pixel(codes: list[int], columns: int) -> None:
    pooled = pooled_codes(np.array(codes, np.int64), columns)
    assert pooled.shape == (columns,)
    column = [index * columns // len(codes) for index in range(len(codes))]
    for pixel in range(columns):
        under = [code for code, at in zip(codes, column, strict=True) if at == pixel]
        assert under.count(int(pooled[pixel])) == max(under.count(code) for code in under)
    highest = pooled_highest(np.array(codes, np.float64), columns)
    assert highest.max() == max(codes)
    assert highest.shape == (columns,)


def test_values_that_are_not_known_are_left_out() -> None:
    values = np.array([math.nan, 4.0, math.nan, 2.0])
    points = curve(values, Track(0, 40, 4), top=0, bottom=10)
    assert points == [(15.0, 0.0), (35.0, 5.0)]
    assert curve(np.full(4, math.nan), Track(0, 40, 4), 0, 10) == []


def test_a_logarithm_is_used_where_it_shows_more() -> None:
    few = np.array([1000.0, 10, 5, 2, 1])
    assert wants_log(few)
    assert not wants_log(np.array([10.0, 8, 6, 4]))
    assert not wants_log(np.zeros(3))
    assert heights(few, log=True).tolist() == sorted(heights(few, log=True), reverse=True)
    assert heights(np.zeros(2), log=False).tolist() == [0, 0]


def test_labels_of_groups_are_thinned() -> None:
    def width_of(text: str) -> float:
        return 7.0 * len(text)

    few = list(group_labels(course(9).groups, Track(0, 900, 9), width_of))
    assert [label.text for label in few] == [f"iteration {n}" for n in range(1, 5)]
    narrow = list(group_labels(course(9).groups, Track(0, 200, 9), width_of))
    assert [label.text for label in narrow] == ["1", "2", "3", "4"]
    halves = list(group_labels(course(9).groups, Track(0, 100, 9), lambda _text: 24.0))
    assert [label.text for label in halves] == ["2", "4"]
    many = [
        label.text for label in group_labels(course(2001).groups, Track(0, 700, 2001), width_of)
    ]
    assert many == ["100", "200", "300", "400", "500", "600", "700", "800", "900", "1,000"]
    assert list(group_labels((Group(0, 3, None, None),), Track(0, 200, 4), width_of)) == []
    levels = (Group(0, 0, 1, 2), Group(1, 1, None, 3))
    assert [x.text for x in group_labels(levels, Track(0, 400, 2), width_of)] == [
        "iteration 1, level 2",
        "level 3",
    ]


@pytest.mark.parametrize(("least", "stride"), [(0.1, 1), (1.5, 2), (4, 5), (6, 10), (120, 200)])
def test_strides_are_round_numbers(least: float, stride: int) -> None:
    assert nice_stride(least) == stride


# Painting


def test_steps_have_the_colours_of_their_stages(qapp: QApplication) -> None:
    shown, ground = course(9), look()
    image = drawn(shown, ground, step=8)
    track, rows = ground.track(9), ground.rows()
    for step in range(9):
        pixel = image.pixelColor(round(track.left_of(step)) + 6, round(rows.marks.top()) + 3)
        assert pixel.name() == STAGE_COLORS[shown.stage(step)]


def test_thousands_of_steps_are_pooled(qapp: QApplication) -> None:
    shown, ground = replace(course(2001), settled=None, converged=None), look()
    image = drawn(shown, ground)
    rows = ground.rows()
    known = {STAGE_COLORS[stage] for stage in shown.stages}
    y = round(rows.marks.top()) + 3
    assert all(image.pixelColor(x, y).name() in known for x in range(20, 680))


def test_stages_are_named_where_there_is_room(qapp: QApplication) -> None:
    assert names_fit(course(9), look(1400))
    assert not names_fit(course(51), look(700))


def test_what_is_not_played_lies_behind_a_veil(qapp: QApplication) -> None:
    shown, ground = course(9), look()
    plain, veiled = drawn(shown, ground), drawn(shown, ground, section=Section(3, 5))
    track, rows = ground.track(9), ground.rows()
    y = round(rows.marks.top()) + 3
    for step in range(1, 9):
        x = round(track.left_of(step)) + 6
        same = plain.pixelColor(x, y) == veiled.pixelColor(x, y)
        assert same == (step in Section(3, 5))


def test_an_empty_timeline_can_be_drawn(qapp: QApplication) -> None:
    drawn(Course(), look())


def test_every_stage_has_a_shape_of_its_own(qapp: QApplication) -> None:
    shapes = set()
    for stage in Stage:
        image = (
            stage_icon(stage).pixmap(24, 24).toImage().convertToFormat(QImage.Format.Format_Alpha8)
        )
        shapes.add(bytes(image.constBits()))
    assert len(shapes) == len(Stage)


# Mouse and keys


@pytest.fixture
def timeline(window: MainWindow, qtbot: QtBot) -> Timeline:
    qtbot.waitUntil(lambda: not window.session.insight.working, timeout=PATIENCE)
    return window.step_panel.timeline


def at(timeline: Timeline, step: int, *, ruler: bool = False) -> QPoint:
    y = ruler_y(timeline) if ruler else timeline.height() // 2
    return QPoint(round(timeline.x_of(step)), y)


def ruler_y(timeline: Timeline) -> int:
    """Within the line of numbers at the top."""
    return timeline.fontMetrics().height() // 2


def drag(timeline: Timeline, first: QPoint, last: QPoint) -> None:
    QTest.mousePress(timeline, Qt.MouseButton.LeftButton, pos=first)
    # QTest.mouseMove holds no button, so the event is made by hand.
    move = QMouseEvent(
        QEvent.Type.MouseMove,
        QPointF(last),
        QPointF(timeline.mapToGlobal(last)),
        Qt.MouseButton.NoButton,
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
    )
    QApplication.sendEvent(timeline, move)
    QTest.mouseRelease(timeline, Qt.MouseButton.LeftButton, pos=last)


def wheel(timeline: Timeline, turned: int) -> None:
    where = QPointF(timeline.rect().center())
    event = QWheelEvent(
        where,
        QPointF(timeline.mapToGlobal(where.toPoint())),
        QPoint(),
        QPoint(0, turned),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(timeline, event)


def test_dragging_scrubs(window: MainWindow, timeline: Timeline) -> None:
    window.session.playback.toggle()
    drag(timeline, at(timeline, 2), at(timeline, 6))
    assert position(window) == 6
    assert not window.session.playback.playing
    assert window.session.playback.section is None


def test_the_wheel_steps(window: MainWindow, timeline: Timeline) -> None:
    window.session.playback.go_to(4)
    wheel(timeline, -120)
    assert position(window) == 5
    wheel(timeline, 240)
    assert position(window) == 3
    wheel(timeline, 60)
    assert position(window) == 3
    wheel(timeline, 60)
    assert position(window) == 2


def test_dragging_over_the_ruler_makes_a_section(window: MainWindow, timeline: Timeline) -> None:
    playback = window.session.playback
    playback.first()
    drag(timeline, at(timeline, 5, ruler=True), at(timeline, 2, ruler=True))
    assert playback.section == Section(2, 5)
    assert position(window) == 0
    # Its ends can be taken and moved.
    track_end = round(timeline.x_of(5) + (timeline.x_of(5) - timeline.x_of(4)) / 2)
    drag(timeline, QPoint(track_end, ruler_y(timeline)), at(timeline, 7, ruler=True))
    assert playback.section == Section(2, 7)
    QTest.mouseDClick(timeline, Qt.MouseButton.LeftButton, pos=at(timeline, 4, ruler=True))
    assert playback.section is None


def test_a_click_on_the_ruler_goes_there(window: MainWindow, timeline: Timeline) -> None:
    QTest.mouseClick(timeline, Qt.MouseButton.LeftButton, pos=at(timeline, 3, ruler=True))
    assert position(window) == 3
    assert window.session.playback.section is None


def test_keys_make_a_section(window: MainWindow) -> None:
    canvas, playback = window.canvas_panel.canvas, window.session.playback
    shift = Qt.KeyboardModifier.ShiftModifier
    playback.go_to(2)
    QTest.keyClick(canvas, Qt.Key.Key_A, shift)
    playback.go_to(5)
    QTest.keyClick(canvas, Qt.Key.Key_B, shift)
    assert playback.section == Section(2, 5)
    assert window.step_panel.buttons["loop"].isChecked()
    QTest.keyClick(canvas, Qt.Key.Key_O, shift)
    assert not playback.looping
    QTest.keyClick(canvas, Qt.Key.Key_R, shift)
    assert playback.backwards
    assert window.step_panel.buttons["backwards"].isChecked()
    QTest.keyClick(canvas, Qt.Key.Key_Backspace, shift)
    assert playback.section is None


def test_keys_step_while_it_has_the_focus(window: MainWindow, timeline: Timeline) -> None:
    timeline.setFocus()
    press(timeline, Qt.Key.Key_Home)
    press(timeline, Qt.Key.Key_Right)
    press(timeline, Qt.Key.Key_Right)
    press(timeline, Qt.Key.Key_Left)
    assert position(window) == 1
    press(timeline, Qt.Key.Key_PageDown)
    assert position(window) == 3


def test_hovering_tells_of_a_step(window: MainWindow, timeline: Timeline) -> None:
    where = at(timeline, 3)
    event = QHelpEvent(QEvent.Type.ToolTip, where, timeline.mapToGlobal(where))
    QApplication.sendEvent(timeline, event)
    recording = window.session.recording
    assert recording is not None
    step = recording.step(3)
    assert QToolTip.text() == timeline.describe(3)
    for part in ("Step 4", "iteration 2", step.kernel, f"{step.changed} cells changed", "wrong"):
        assert part in timeline.describe(3)
    QToolTip.hideText()


def test_markers_are_told(window: MainWindow, timeline: Timeline) -> None:
    settled, converged = timeline.course.settled, timeline.course.converged
    assert settled is not None
    assert converged is not None
    assert settled < converged
    assert "Roots right" in timeline.describe(settled)
    assert "Converged" in timeline.describe(converged)
    assert "Converged" not in timeline.describe(converged - 1)


def test_it_says_where_it_stands_to_assistive_tools(window: MainWindow, timeline: Timeline) -> None:
    window.session.playback.go_to(4)
    assert (timeline.minimum(), timeline.value()) == (0, 4)
    assert timeline.maximum() == window.session.playback.count - 1
    assert timeline.accessibleName()


def test_the_ground_is_drawn_once(
    timeline: Timeline, window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    from ccl_viewer.views.timeline import timeline as module

    calls: list[int] = []
    monkeypatch.setattr(module, "paint_ground", lambda *_: calls.append(1))
    timeline.grab()
    calls.clear()
    for step in range(5):
        window.session.playback.go_to(step)
        timeline.grab()
    assert calls == []
    timeline.set_theme(DARK)
    timeline.grab()
    assert calls == [1]


def test_without_a_run_nothing_happens(make_window: MakeWindow) -> None:
    timeline = make_window().step_panel.timeline
    assert not timeline.isEnabled()
    timeline.grab()
    assert "Drag" in timeline.describe(0)
    wheel(timeline, 120)
