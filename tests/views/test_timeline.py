"""The transport and the timelines: what is shown of a run, and what mouse and keys do."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QContextMenuEvent, QHelpEvent, QImage, QMouseEvent, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QInputDialog, QMenu, QToolTip
from pytestqt.qtbot import QtBot
from support.recordings import played

from ccl_viewer.plan import Stage
from ccl_viewer.render.themes import STAGE_COLORS
from ccl_viewer.session.display import ShownRun
from ccl_viewer.session.playback import SPEEDS, Section, StepGroup
from ccl_viewer.session.session import Session
from ccl_viewer.views.main_window import MainWindow
from ccl_viewer.views.timeline import (
    QtTimeline,
    StepAxis,
    curve,
    group_labels,
    nice_stride,
    pooled_codes,
    pooled_highest,
    stage_icon,
    wants_log,
)
from ccl_viewer.views.transport import Explanation, QtTransport, ask_for_step

LEFT, NONE = Qt.MouseButton.LeftButton, Qt.MouseButton.NoButton


@pytest.fixture
def transport(window: MainWindow, qtbot: QtBot) -> QtTransport:
    qtbot.waitUntil(lambda: window.session.analysis.complete)
    window.session.playback.first()
    return window.transport


@pytest.fixture
def tall(session: Session, qtbot: QtBot) -> QtTimeline:
    """A tall timeline of Shibata's grid, at the first step."""
    qtbot.waitUntil(lambda: session.analysis.complete)
    session.display.go_to(0)
    timeline = QtTimeline(session, tall=True)
    qtbot.addWidget(timeline)
    timeline.resize(800, 140)
    timeline.show()
    return timeline


def ruler(timeline: QtTimeline, step: int) -> QPointF:
    return QPointF(timeline.x_of(step), 6)


def marks(timeline: QtTimeline, step: int) -> QPointF:
    return QPointF(timeline.x_of(step), timeline.height() - 30)


def send(
    timeline: QtTimeline,
    kind: QEvent.Type,
    where: QPointF,
    button: Qt.MouseButton = LEFT,
    buttons: Qt.MouseButton = LEFT,
) -> None:
    there = QPointF(timeline.mapToGlobal(where.toPoint()))
    no_key = Qt.KeyboardModifier.NoModifier
    QApplication.sendEvent(timeline, QMouseEvent(kind, where, there, button, buttons, no_key))


def drag(timeline: QtTimeline, first: QPointF, last: QPointF) -> None:
    send(timeline, QEvent.Type.MouseButtonPress, first)
    send(timeline, QEvent.Type.MouseMove, last, NONE)
    send(timeline, QEvent.Type.MouseButtonRelease, last, LEFT, NONE)


def picture(timeline: QtTimeline) -> QImage:
    return timeline.grab().toImage()


# Geometry


@given(st.integers(1, 5000), st.integers(10, 2000))
def test_every_step_is_found_where_it_is(count: int, width: int) -> None:
    axis = StepAxis(8, width, count)
    for step in {0, count // 2, count - 1}:
        assert axis.step_at(axis.centre_of(step)) == step
    assert axis.step_at(-50) == 0
    assert axis.step_at(width + 50) == count - 1


@given(st.lists(st.integers(0, 3), min_size=1, max_size=60), st.integers(1, 60))
def test_pools_hold_what_is_under_a_pixel(codes: list[int], columns: int) -> None:
    columns = min(columns, len(codes))
    found = pooled_codes(np.array(codes, np.int64), columns)
    highest = pooled_highest(np.array(codes, np.float64), columns)
    for column in range(columns):
        under = [c for i, c in enumerate(codes) if i * columns // len(codes) == column]
        assert found[column] == min(under, key=lambda code: (-under.count(code), code))
        assert highest[column] == max(under)


def test_curves_leave_out_what_is_not_known() -> None:
    points = curve(np.array([4.0, np.nan, 2.0]), StepAxis(0, 30, 3), 0, 8)
    assert points == [(5.0, 0.0), (25.0, 4.0)]
    assert curve(np.zeros(2), StepAxis(0, 20, 2), 0, 8) == [(5.0, 8.0), (15.0, 8.0)]
    many = curve(np.arange(1000.0), StepAxis(0, 100, 1000), 0, 8)
    assert len(many) == 100


def test_a_logarithm_is_used_where_it_shows_more() -> None:
    assert wants_log(np.array([1000.0, 3, 2, 1, 0]))
    assert not wants_log(np.array([4.0, 3, 2, np.nan]))
    assert not wants_log(np.zeros(3))


def test_labels_of_groups_are_thinned() -> None:
    groups = [StepGroup(step, step, step, None) for step in range(1, 101)]
    wide = [
        text for _, _, text in group_labels(groups, StepAxis(0, 20_000, 101), lambda t: 8 * len(t))
    ]
    assert wide[:2] == ["iteration 1", "iteration 2"]
    narrow = [
        text for _, _, text in group_labels(groups, StepAxis(0, 500, 101), lambda t: 8 * len(t))
    ]
    assert narrow == ["10", "20", "30", "40", "50", "60", "70", "80", "90", "100"]
    assert not list(group_labels([StepGroup(0, 5, None, None)], StepAxis(0, 50, 6), len))


@pytest.mark.parametrize(("least", "stride"), [(0.3, 1), (1.2, 2), (4, 5), (11, 20), (60, 100)])
def test_strides_are_round_numbers(least: float, stride: int) -> None:
    assert nice_stride(least) == stride


def test_every_stage_has_a_shape_of_its_own(qapp: QApplication) -> None:
    pictures = [stage_icon(stage, 40).pixmap(40, 40).toImage() for stage in Stage]
    middles = {STAGE_COLORS[stage] for stage in Stage}
    assert len(middles) <= len({bytes(p.constBits()) for p in pictures}) == len(Stage)


# The timelines


def test_steps_have_the_colours_of_their_stages(tall: QtTimeline) -> None:
    drawn = picture(tall)
    half = (tall.x_of(1) - tall.x_of(0)) / 2
    for step in range(1, len(tall.timeline)):  # the first one is framed
        at = (marks(tall, step) - QPointF(half - 4, 0)).toPoint()
        assert drawn.pixelColor(at).name() == STAGE_COLORS[tall.timeline.stage(step)]


def test_dragging_scrubs_and_stops_playing(tall: QtTimeline, session: Session) -> None:
    session.playback.toggle()
    drag(tall, marks(tall, 1), marks(tall, 4))
    assert session.display.index == 4
    assert not session.playback.playing


def test_only_the_left_button_goes_to_a_step(tall: QtTimeline, session: Session) -> None:
    right = Qt.MouseButton.RightButton
    send(tall, QEvent.Type.MouseButtonPress, marks(tall, 3), right, right)
    assert session.display.index == 0


def test_dragging_over_the_ruler_makes_a_section(tall: QtTimeline, session: Session) -> None:
    plain = picture(tall)
    drag(tall, ruler(tall, 4), ruler(tall, 1))
    assert session.playback.section == Section(1, 4)
    assert session.playback.looping
    assert picture(tall) != plain
    send(tall, QEvent.Type.MouseButtonDblClick, ruler(tall, 3))
    assert session.playback.section is None


def test_a_click_on_the_ruler_goes_there(tall: QtTimeline, session: Session) -> None:
    drag(tall, ruler(tall, 3), ruler(tall, 3))
    assert session.display.index == 3
    assert session.playback.section is None


def test_the_wheel_steps(tall: QtTimeline, session: Session) -> None:
    for delta in (QPoint(0, -120), QPoint(0, -60), QPoint(0, -60), QPoint(0, 120)):
        where = QPointF(50, 50)
        event = QWheelEvent(
            where,
            where,
            QPoint(),
            delta,
            NONE,
            Qt.KeyboardModifier.NoModifier,
            Qt.ScrollPhase.NoScrollPhase,
            False,
        )
        QApplication.sendEvent(tall, event)
    assert session.display.index == 1


def test_keys_step_while_it_has_the_focus(tall: QtTimeline, session: Session) -> None:
    QTest.keyClick(tall, Qt.Key.Key_Right)
    assert session.display.index == 1
    QTest.keyClick(tall, Qt.Key.Key_End)
    assert session.display.index == len(tall.timeline) - 1
    assert tall.value() == tall.maximum() == session.display.index


def test_hovering_tells_of_a_step(tall: QtTimeline, session: Session) -> None:
    stones = {stone.name: stone.step for stone in tall.timeline.milestones}
    text = tall.describe(stones["converged"])
    assert f"Step {stones['converged'] + 1}" in text
    assert "Converged" in text
    assert "cells changed" in text
    where = marks(tall, 2).toPoint()
    QApplication.sendEvent(tall, QHelpEvent(QEvent.Type.ToolTip, where, tall.mapToGlobal(where)))
    assert QToolTip.text() == tall.describe(2)
    session.analysis.set_conceal(["counts"])
    assert "question" in tall.describe(2)


def test_the_menu_of_a_step(tall: QtTimeline, session: Session) -> None:
    menu = tall.step_menu(3)
    actions = {action.text().replace("&", ""): action for action in menu.actions()}
    actions["Section starts at step 4"].trigger()
    assert session.playback.section == Section(3, len(tall.timeline) - 1)
    actions["Show step 4"].trigger()
    assert session.display.index == 3
    stone = tall.timeline.milestones[0]
    next(a for text, a in actions.items() if stone.name in text).trigger()
    assert session.display.index == stone.step
    menu.close()


def test_the_menu_key_opens_the_menu_of_the_step_on_display(
    tall: QtTimeline, session: Session
) -> None:
    session.playback.go_to(2)
    event = QContextMenuEvent(QContextMenuEvent.Reason.Keyboard, QPoint(), QPoint())
    QApplication.sendEvent(tall, event)
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    assert "Show step 3" in {action.text().replace("&", "") for action in menu.actions()}
    menu.close()


def test_milestones_are_flags_and_a_question_covers_what_follows(
    tall: QtTimeline, session: Session
) -> None:
    run = played(np.array([[1, 0, 1, 1]], np.uint8), [[0, -1, 2, 3], [0, -1, 0, 2]])
    session.display.show(ShownRun.prepare(run))
    plain = picture(tall)
    session.analysis.set_conceal(["course"])
    assert picture(tall) != plain
    assert not [stone for stone in tall.timeline.milestones if stone.good]


def test_thousands_of_steps_and_none_can_be_drawn(tall: QtTimeline, session: Session) -> None:
    frames = [[0, 1]] * 3000
    run = played(np.ones((1, 2), np.uint8), frames, finished=False)
    session.display.show(ShownRun.prepare(run))
    assert len(tall.timeline) == 3000
    assert not picture(tall).isNull()
    session.display.clear()
    assert not tall.isEnabled()
    assert not picture(tall).isNull()
    drag(tall, QPointF(20, 100), QPointF(60, 100))


# The transport


def test_the_line_says_where_the_run_stands(transport: QtTransport, window: MainWindow) -> None:
    session = window.session
    session.playback.forward()
    step = session.display.step
    assert step is not None
    assert transport.place.text() == f"Step 2 of {session.display.count}"
    assert transport.chip.text() == step.stage
    assert "emulator" in transport.facts.text()
    assert transport.explanation.whole == f"{step.caption} {session.analysis.outcome(1)}"
    assert transport.scrubber.value() == 1
    session.analysis.set_conceal(["course"])
    assert transport.place.text() == "Step 2"


def test_the_buttons_move(transport: QtTransport, window: MainWindow, qtbot: QtBot) -> None:
    session = window.session
    qtbot.waitUntil(transport.buttons["last"].isEnabled)
    transport.buttons["last"].click()
    assert session.playback.at_end
    qtbot.waitUntil(transport.buttons["back"].isEnabled)
    transport.buttons["back"].click()
    assert session.display.index == session.display.count - 2
    transport.buttons["first"].click()
    assert session.display.index == 0


def test_it_plays_by_itself(transport: QtTransport, window: MainWindow, qtbot: QtBot) -> None:
    playback = window.session.playback
    playback.set_speed(15.0)
    assert transport.speed.value == 15.0
    transport.buttons["play"].click()
    qtbot.waitUntil(lambda: not playback.playing)
    assert playback.at_end


def test_the_speed_box_sets_the_speed(transport: QtTransport, window: MainWindow) -> None:
    place = SPEEDS.index(2.0)
    transport.speed.activated.emit(place)
    assert window.session.playback.speed == 2.0


def test_the_tall_timeline_opens_and_is_remembered(
    transport: QtTransport, window: MainWindow
) -> None:
    states = [transport.tall]
    transport.unfold.click()
    states.append(transport.tall)
    assert window.session.settings.value("timeline/tall") is True
    window.actions["tall_timeline"].trigger()
    states.append(transport.tall)
    assert states == [False, True, False]
    assert not transport.unfold.isChecked()


def test_going_to_a_step_by_its_number(transport: QtTransport, window: MainWindow) -> None:
    ask_for_step(window)
    (dialog,) = window.findChildren(QInputDialog)
    dialog.setIntValue(3)
    dialog.accept()
    assert window.session.display.index == 2


def test_actions_go_to_milestones(transport: QtTransport, window: MainWindow, qtbot: QtBot) -> None:
    action = window.actions["go_converged"]
    qtbot.waitUntil(action.isEnabled)
    action.trigger()
    converged = next(o for o in window.session.analysis.milestones if o.name == "converged")
    assert window.session.display.index == converged.step
    assert not window.actions["go_first_wrong"].isEnabled()


def test_a_long_text_keeps_what_the_step_did(qtbot: QtBot) -> None:
    label = Explanation()
    qtbot.addWidget(label)
    label.resize(400, label.sizeHint().height())
    label.show_step("Why " * 60, "It did this.")
    assert label.text().endswith("It did this.")
    assert "\u2026" in label.text()
    assert label.toolTip() == label.whole
    label.show_step("Short.", "And done.")
    assert label.text() == "Short. And done."
    assert label.toolTip() == ""


def test_without_a_run_it_says_what_to_do(make_session: object, qtbot: QtBot) -> None:
    session = make_session()  # type: ignore[operator]
    from PySide6.QtGui import QAction

    from ccl_viewer.views.transport import BUTTONS

    transport = QtTransport(session, {name: QAction(name) for name in BUTTONS})
    qtbot.addWidget(transport)
    assert "Open a picture" in transport.explanation.whole
    assert transport.place.text() == "No run yet"
