"""The timeline under the hand: what is painted anew, what each button and turn does."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QFont, QHelpEvent, QImage, QMouseEvent, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QToolTip
from pytestqt.qtbot import QtBot
from support.windows import PATIENCE, position

from ccl_viewer.session.playback.transport import Section
from ccl_viewer.views.main_window import MainWindow
from ccl_viewer.views.timeline.geometry import curves_in_words
from ccl_viewer.views.timeline.painting import Look
from ccl_viewer.views.timeline.timeline import Timeline

LEFT, NONE = Qt.MouseButton.LeftButton, Qt.MouseButton.NoButton


@pytest.fixture
def timeline(window: MainWindow, qtbot: QtBot) -> Timeline:
    qtbot.waitUntil(lambda: not window.session.insight.working, timeout=PATIENCE)
    return window.step_panel.timeline


def rows_of(timeline: Timeline) -> Look:
    return timeline._look()


def ruler(timeline: Timeline, x: float) -> QPointF:
    return QPointF(x, rows_of(timeline).rows().ruler.center().y())


def steps(timeline: Timeline, step: int) -> QPointF:
    return QPointF(timeline.x_of(step), rows_of(timeline).rows().marks.center().y())


def send(
    timeline: Timeline,
    kind: QEvent.Type,
    where: QPointF,
    button: Qt.MouseButton = LEFT,
    buttons: Qt.MouseButton = LEFT,
) -> None:
    there = QPointF(timeline.mapToGlobal(where.toPoint()))
    no_key = Qt.KeyboardModifier.NoModifier
    QApplication.sendEvent(timeline, QMouseEvent(kind, where, there, button, buttons, no_key))


def drag(timeline: Timeline, first: QPointF, last: QPointF) -> None:
    send(timeline, QEvent.Type.MouseButtonPress, first)
    send(timeline, QEvent.Type.MouseMove, last, NONE)
    send(timeline, QEvent.Type.MouseButtonRelease, last, LEFT, NONE)


def edge(timeline: Timeline, step: int) -> float:
    """Where a step ends."""
    return (timeline.x_of(step) + timeline.x_of(step + 1)) / 2


def picture(timeline: Timeline) -> QImage:
    return timeline.grab().toImage()


def test_a_section_is_painted(window: MainWindow, timeline: Timeline) -> None:
    plain = picture(timeline)
    window.session.playback.set_section(Section(1, 3))
    assert picture(timeline) != plain


def test_what_is_not_known_is_said(
    window: MainWindow, timeline: Timeline, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(type(window.session.insight), "limits", "Not all is known.")
    assert timeline.describe(2).endswith("\nNot all is known.")


def test_playing_goes_on_while_the_timeline_follows(window: MainWindow, timeline: Timeline) -> None:
    playback = window.session.playback
    playback.first()
    playback.toggle()
    playback.go_to(3)
    assert timeline.value() == 3
    assert playback.playing
    playback.pause()


def test_the_course_has_what_was_found_out(window: MainWindow, timeline: Timeline) -> None:
    before = timeline.course
    window.session.insight.changed.emit()
    assert timeline.course is not before
    assert not np.isnan(timeline.course.wrong).any()
    assert not np.isnan(timeline.course.roots).any()


def test_only_the_left_button_goes_to_a_step(window: MainWindow, timeline: Timeline) -> None:
    window.session.playback.go_to(1)
    for button in (Qt.MouseButton.RightButton, Qt.MouseButton.MiddleButton):
        QTest.mouseClick(timeline, button, pos=steps(timeline, 4).toPoint())
        QTest.mouseClick(timeline, button, pos=ruler(timeline, timeline.x_of(4)).toPoint())
    assert position(window) == 1
    send(timeline, QEvent.Type.MouseMove, steps(timeline, 4), NONE, NONE)
    assert position(window) == 1, "no button is down"


def test_the_step_under_the_mouse_is_lit_until_it_leaves(
    window: MainWindow, timeline: Timeline
) -> None:
    window.session.playback.go_to(1)
    plain = picture(timeline)
    send(timeline, QEvent.Type.MouseMove, steps(timeline, 4), NONE, NONE)
    assert picture(timeline) != plain
    QApplication.sendEvent(timeline, QEvent(QEvent.Type.Leave))
    assert picture(timeline) == plain


def test_after_a_section_was_drawn_dragging_scrubs_again(
    window: MainWindow, timeline: Timeline
) -> None:
    drag(timeline, ruler(timeline, timeline.x_of(1)), ruler(timeline, timeline.x_of(3)))
    drag(timeline, steps(timeline, 0), steps(timeline, 5))
    assert position(window) == 5
    assert window.session.playback.section == Section(1, 3)


def test_both_ends_of_a_section_can_be_taken_and_nothing_else(
    window: MainWindow, timeline: Timeline
) -> None:
    playback = window.session.playback
    playback.set_section(Section(2, 5))
    arrows = Qt.CursorShape.SizeHorCursor
    for x, held in (
        (edge(timeline, 1), True),
        (edge(timeline, 5), True),
        (timeline.x_of(4), False),
    ):
        send(timeline, QEvent.Type.MouseMove, ruler(timeline, x), NONE, NONE)
        assert (timeline.cursor().shape() is arrows) is held
    send(timeline, QEvent.Type.MouseMove, QPointF(edge(timeline, 5), 40), NONE, NONE)
    assert timeline.cursor().shape() is not arrows, "its ends are held on the ruler"
    drag(timeline, ruler(timeline, edge(timeline, 1)), ruler(timeline, timeline.x_of(1)))
    assert playback.section == Section(1, 5)
    drag(timeline, ruler(timeline, timeline.x_of(3)), ruler(timeline, timeline.x_of(4)))
    assert playback.section == Section(3, 4), "from the middle, another one is drawn"


def test_a_second_click_goes_to_its_step_as_the_first(
    window: MainWindow, timeline: Timeline
) -> None:
    window.session.playback.go_to(1)
    send(timeline, QEvent.Type.MouseButtonDblClick, steps(timeline, 4))
    assert position(window) == 4


def test_wheels_that_turn_sideways_step_too(window: MainWindow, timeline: Timeline) -> None:
    window.session.playback.go_to(2)
    where = QPointF(timeline.rect().center())
    event = QWheelEvent(
        where,
        QPointF(timeline.mapToGlobal(where.toPoint())),
        QPoint(),
        QPoint(120, 0),
        NONE,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(timeline, event)
    assert position(window) == 3


def test_the_names_of_curves_tell_what_they_are(timeline: Timeline) -> None:
    timeline.setFixedHeight(timeline.sizeHint().height() + 40)
    timeline.resize(timeline.width(), timeline.minimumHeight())
    where = rows_of(timeline).rows().legend.center().toPoint()
    QApplication.sendEvent(
        timeline, QHelpEvent(QEvent.Type.ToolTip, where, timeline.mapToGlobal(where))
    )
    assert QToolTip.text() == curves_in_words(timeline.course)
    QToolTip.hideText()


def test_what_stays_is_drawn_anew_in_another_size_or_font(timeline: Timeline) -> None:
    size = timeline.size()
    timeline.resize(size.width() // 2, size.height())
    half = timeline._drawn_ground().size()
    assert half.width() == int(timeline.width() * timeline.devicePixelRatioF())
    timeline.resize(size)
    assert timeline._drawn_ground().width() > half.width()
    before = timeline._drawn_ground().toImage()
    font = QFont(timeline.font())
    font.setPointSizeF(font.pointSizeF() * 1.5)
    timeline.setFont(font)
    timeline.resize(size)
    assert timeline._drawn_ground().toImage() != before


def test_the_focus_is_seen(timeline: Timeline, window: MainWindow) -> None:
    window.canvas_panel.canvas.setFocus()
    plain = picture(timeline)
    timeline.setFocus()
    assert picture(timeline) != plain
