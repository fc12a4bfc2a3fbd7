"""The transport and the timelines: what is shown of a run, and what mouse and keys do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QAction, QContextMenuEvent, QHelpEvent, QImage, QMouseEvent, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QInputDialog, QMenu, QToolTip
from pytestqt.qtbot import QtBot
from support.qt_window import part, wait_idle
from support.recordings import played

from ccl_viewer import record
from ccl_viewer.execution.plan import Stage, StageLevel
from ccl_viewer.render.themes import STAGE_COLORS, stage_colour
from ccl_viewer.window.core.analysis import RunTimeline
from ccl_viewer.window.core.playback import SPEEDS
from ccl_viewer.window.core.plots import PlotKind
from ccl_viewer.window.core.run_display import ShownRun
from ccl_viewer.window.core.session import Session
from ccl_viewer.window.main_window import MainWindow
from ccl_viewer.window.transport.widget import BUTTONS, Explanation, QtTransport
from ccl_viewer.window.widgets.plots import QtPlots
from ccl_viewer.window.widgets.style import icon
from ccl_viewer.window.widgets.timeline import QtTimeline, stage_icon

LEFT, NONE = Qt.MouseButton.LeftButton, Qt.MouseButton.NoButton


@pytest.fixture
def transport(window: MainWindow, qtbot: QtBot) -> QtTransport:
    qtbot.waitUntil(lambda: window.session.analysis.analysed)
    window.session.playback.go_to_first()
    return part(window, QtTransport)


@pytest.fixture
def line(session: Session, qtbot: QtBot) -> QtTimeline:
    """A timeline of Shibata's grid, at the first step."""
    qtbot.waitUntil(lambda: session.analysis.analysed)
    session.display.go_to(0)
    timeline = QtTimeline(session.playback, session.analysis, session.comparison)
    qtbot.addWidget(timeline)
    timeline.resize(800, timeline.sizeHint().height())
    timeline.show()
    return timeline


def marks(timeline: QtTimeline, step: int) -> QPointF:
    return QPointF(timeline.x_of(step), timeline.band.center().y())


def color_of(timeline: QtTimeline, step: int) -> str:
    return stage_colour(timeline.timeline.stages[timeline.timeline.codes[step]])


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


@pytest.mark.parametrize("count", [1, 2, 7, 300, 5000])
@pytest.mark.parametrize("width", [26, 101, 2000])
def test_every_step_is_found_where_it_is(line: QtTimeline, count: int, width: int) -> None:
    line.hide()
    line.timeline = RunTimeline(codes=np.zeros(count, np.int64))
    line.resize(width, line.height())
    for step in {0, count // 2, count - 1}:
        assert line.step_at(line.x_of(step)) == step
    assert line.step_at(-50) == 0
    assert line.step_at(width + 50) == count - 1


def test_every_stage_has_a_shape_of_its_own(qapp: QApplication) -> None:
    pictures = [stage_icon(StageLevel(stage), 40).pixmap(40, 40).toImage() for stage in Stage]
    middles = {STAGE_COLORS[stage] for stage in Stage}
    assert len(middles) <= len({bytes(p.constBits()) for p in pictures}) == len(Stage)


@pytest.mark.parametrize("key", ["row_col_unify", "cabaret", "stava_benes", "playne_block"])
def test_launches_that_the_paper_names_have_colours_of_their_own(key: str) -> None:
    grid = np.ones((40, 40), np.uint8)
    parameters: dict[str, Any] = {"tile": 4} if key == "stava_benes" else {}
    recording = record(grid, key, device="emulator", **parameters)
    colours = {
        (step.kernel, step.level): stage_colour(step.stage_level) for step in recording.steps
    }
    assert len(colours) >= 3
    assert len({*colours.values()}) == len(colours)
    merges = {step.stage for step in recording.steps if "merge" in step.kernel}
    assert len(merges) == {"cabaret": 2, "playne_block": 2, "stava_benes": 1}.get(key, 0)


# The timelines


def test_steps_have_the_colours_of_their_stages(line: QtTimeline) -> None:
    drawn = picture(line)
    half = (line.x_of(1) - line.x_of(0)) / 2
    for step in range(1, len(line.timeline)):  # the first one is framed
        at = (marks(line, step) - QPointF(half - 4, 0)).toPoint()
        assert drawn.pixelColor(at).name() == color_of(line, step)


def test_stages_have_their_symbols_where_there_is_room(line: QtTimeline) -> None:
    def is_plain(step: int) -> bool:
        middle, drawn = marks(line, step).toPoint(), picture(line)
        around = [middle + QPoint(x, y) for x in range(-5, 6) for y in range(-4, 5)]
        return len({drawn.pixelColor(at).name() for at in around}) == 1

    assert not any(is_plain(step) for step in range(1, len(line.timeline)))
    line.resize(60, line.height())
    assert line.x_of(1) - line.x_of(0) < 10
    assert [picture(line).pixelColor(marks(line, step).toPoint()).name() for step in (2, 4)] == [
        color_of(line, step) for step in (2, 4)
    ]


def test_iterations_are_bracketed(line: QtTimeline, session: Session) -> None:
    recording = session.display.recording
    assert recording is not None
    ground = picture(line).pixelColor(5, round(line.band.bottom()) + 6).name()

    def inked(first: float, last: float) -> bool:
        drawn, rows = picture(line), range(round(line.band.bottom()) + 4, line.height() - 3)
        columns = range(round(first), round(last))
        return any(drawn.pixelColor(x, y).name() != ground for x in columns for y in rows)

    half = (line.x_of(1) - line.x_of(0)) / 2
    for step in recording.steps:
        middle = line.x_of(step.index)
        assert inked(middle - half + 3, middle + half - 3) == (step.iteration is not None)
    frames = [[0, 1]] * 3000
    run = played(np.ones((1, 2), np.uint8), frames, finished=False)
    session.display.show(ShownRun.prepare(run))
    assert not inked(10, line.width() - 10)  # no loop, and no room


def test_dragging_scrubs_and_stops_playing(line: QtTimeline, session: Session) -> None:
    session.playback.toggle()
    drag(line, marks(line, 1), marks(line, 4))
    assert session.display.index == 4
    assert not session.playback.playing


def test_only_the_left_button_goes_to_a_step(line: QtTimeline, session: Session) -> None:
    right = Qt.MouseButton.RightButton
    send(line, QEvent.Type.MouseButtonPress, marks(line, 3), right, right)
    assert session.display.index == 0


def test_the_wheel_steps(line: QtTimeline, session: Session) -> None:
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
        QApplication.sendEvent(line, event)
    assert session.display.index == 1


def test_keys_step_while_it_has_the_focus(line: QtTimeline, session: Session) -> None:
    QTest.keyClick(line, Qt.Key.Key_Right)
    assert session.display.index == 1
    QTest.keyClick(line, Qt.Key.Key_End)
    assert session.display.index == len(line.timeline) - 1
    assert line.value() == line.maximum() == session.display.index


def test_hovering_tells_of_a_step(line: QtTimeline, session: Session) -> None:
    stones = {stone.name: stone.step for stone in line.timeline.milestones}
    text = line.describe(stones["converged"])
    assert f"Step {stones['converged'] + 1}" in text
    assert "Converged" in text
    assert "cells changed" in text
    where = marks(line, 2).toPoint()
    QApplication.sendEvent(line, QHelpEvent(QEvent.Type.ToolTip, where, line.mapToGlobal(where)))
    assert QToolTip.text() == line.describe(2)
    session.analysis.set_hidden_answers(["counts"])
    assert "question" in line.describe(2)


def test_the_menu_of_a_step(line: QtTimeline, session: Session) -> None:
    menu = line.make_step_menu(3)
    actions = {action.text().replace("&", ""): action for action in menu.actions()}
    actions["Section starts at step 4"].trigger()
    assert session.playback.section == range(3, len(line.timeline))
    actions["Show step 4"].trigger()
    assert session.display.index == 3
    stone = line.timeline.milestones[0]
    next(a for text, a in actions.items() if stone.name in text).trigger()
    assert session.display.index == stone.step
    menu.close()


def test_the_menu_key_opens_the_menu_of_the_step_on_display(
    line: QtTimeline, session: Session
) -> None:
    session.playback.go_to(2)
    event = QContextMenuEvent(QContextMenuEvent.Reason.Keyboard, QPoint(), QPoint())
    QApplication.sendEvent(line, event)
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    assert "Show step 3" in {action.text().replace("&", "") for action in menu.actions()}
    menu.close()


def test_milestones_are_flags_and_a_question_covers_what_follows(
    line: QtTimeline, session: Session
) -> None:
    run = played(np.array([[1, 0, 1, 1]], np.uint8), [[0, -1, 2, 3], [0, -1, 0, 2]])
    session.display.show(ShownRun.prepare(run))
    plain = picture(line)
    session.analysis.set_hidden_answers(["course"])
    assert picture(line) != plain
    assert not [stone for stone in line.timeline.milestones if stone.good]


def test_thousands_of_steps_and_none_can_be_drawn(line: QtTimeline, session: Session) -> None:
    frames = [[0, 1]] * 3000
    run = played(np.ones((1, 2), np.uint8), frames, finished=False)
    session.display.show(ShownRun.prepare(run))
    assert len(line.timeline) == 3000
    assert not picture(line).isNull()
    session.display.clear()
    assert not line.isEnabled()
    assert not picture(line).isNull()
    drag(line, QPointF(20, 100), QPointF(60, 100))


# The transport


def test_the_line_says_where_the_run_stands(transport: QtTransport, window: MainWindow) -> None:
    session = window.session
    session.playback.forward()
    step = session.display.step
    assert step is not None
    assert transport.place.text() == f"Step 2 of {session.display.count}"
    assert transport.chip.text() == step.stage
    assert "emulator" in transport.facts.text()
    assert transport.explanation.full_text == f"{step.caption} {session.analysis.describe_step(1)}"
    assert transport.scrubber.value() == 1
    session.analysis.set_hidden_answers(["course"])
    assert transport.place.text() == "Step 2"


def test_a_ring_counts_down_to_the_next_step(
    transport: QtTransport, window: MainWindow, qtbot: QtBot
) -> None:
    play = transport.play
    assert play.remaining == 0
    still = play.grab().toImage()
    window.actions_by_name["play"].trigger()
    qtbot.waitUntil(lambda: 0 < play.remaining < 0.9)
    assert play.grab().toImage() != still
    at = window.session.playback.position
    qtbot.waitUntil(lambda: window.session.playback.position > at)
    qtbot.waitUntil(lambda: play.remaining > 0.9)  # it begins anew
    window.actions_by_name["play"].trigger()
    assert play.remaining == 0
    window.appearance.set_reduced_motion(True)
    window.actions_by_name["play"].trigger()
    at = window.session.playback.position
    qtbot.waitUntil(lambda: window.session.playback.position > at)
    assert play.remaining == 0
    window.actions_by_name["play"].trigger()


def test_the_tip_of_the_stage_has_the_colours_of_other_tips(transport: QtTransport) -> None:
    chip = transport.chip
    where = chip.mapToGlobal(chip.rect().center())
    event = QHelpEvent(QEvent.Type.ToolTip, chip.rect().center(), where)
    QApplication.sendEvent(chip, event)
    tip = next(w for w in QApplication.topLevelWidgets() if w.inherits("QTipLabel"))
    drawn = tip.grab().toImage()
    colours = {drawn.pixelColor(x, 3).name() for x in range(4, drawn.width() - 4)}
    assert STAGE_COLORS[Stage(chip.text())] not in colours


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
    play = transport.buttons["play"]
    begins = play.icon().pixmap(24, 24).toImage()
    play.click()
    assert play.icon().pixmap(24, 24).toImage() == icon("pause").pixmap(24, 24).toImage() != begins
    qtbot.waitUntil(lambda: not playback.playing)
    assert play.icon().pixmap(24, 24).toImage() == begins
    assert playback.at_end
    assert transport.place.text() == f"Step {playback.count} of {playback.count}"
    qtbot.waitUntil(lambda: not transport.buttons["forward"].isEnabled())


def test_the_speed_box_sets_the_speed(transport: QtTransport, window: MainWindow) -> None:
    place = SPEEDS.index(2.0)
    transport.speed.activated.emit(place)
    assert window.session.playback.speed == 2.0


def test_curves_open_under_the_steps_and_are_remembered(
    transport: QtTransport, window: MainWindow, qtbot: QtBot
) -> None:
    transport.unfold.click()
    curves = transport.findChild(QtPlots)
    assert curves is not None
    assert curves.plots.shown is PlotKind.COUNTS
    assert not curves.choice.button(0).isVisible()
    window.actions_by_name.refresh()
    assert window.actions_by_name["curves"].isChecked()
    names = [*BUTTONS]
    other = QtTransport(window.session, {name: window.actions_by_name[name] for name in names})
    qtbot.addWidget(other)
    assert other.unfold.isChecked()
    window.actions_by_name["curves"].trigger()
    assert curves.isHidden()
    assert window.session.settings.value("plots/shown") is None


def test_going_to_a_step_by_its_number(transport: QtTransport, window: MainWindow) -> None:
    window.actions_by_name["go_to"].trigger()
    (dialog,) = window.findChildren(QInputDialog)
    dialog.setIntValue(3)
    dialog.accept()
    assert window.session.display.index == 2


def test_an_action_goes_to_the_first_wrong_step(window: MainWindow, qtbot: QtBot) -> None:
    action = window.actions_by_name["go_first_wrong"]
    qtbot.waitUntil(lambda: window.session.analysis.analysed)
    assert not action.isEnabled()
    run = played(np.array([[1, 0, 1]], np.uint8), [[0, -1, 2], [0, -1, 0], [0, -1, 0]])
    window.session.display.show(ShownRun.prepare(run))
    qtbot.waitUntil(action.isEnabled)
    action.trigger()
    assert window.session.display.index == 1


def test_where_room_is_short_the_whole_text_scrolls_and_begins_with_what_the_step_did(
    qtbot: QtBot,
) -> None:
    said = Explanation()
    qtbot.addWidget(said)
    said.resize(400, said.sizeHint().height())
    said.show()
    said.show_step("Short.", "And done.")
    assert said.label.text() == "Short. And done."
    assert said.verticalScrollBar().maximum() == 0
    long = " long" * 40
    said.show_step(f"Why. So{long}.", "It changed 8 cells.")
    assert said.label.text() == f"It changed 8 cells. Why. So{long}."
    assert said.toolTip() == said.full_text
    qtbot.waitUntil(lambda: said.verticalScrollBar().maximum() > 0)
    assert said.label.height() >= said.label.heightForWidth(said.label.width())


@pytest.mark.parametrize(("size", "text"), [((1280, 720), 100), ((1280, 720), 200)])
def test_no_word_of_the_sentence_is_out_of_reach(
    window: MainWindow, qtbot: QtBot, size: tuple[int, int], text: int
) -> None:
    window.resize(*size)
    window.appearance.set_text_size(text)
    said = part(window, QtTransport).explanation

    def all_in_reach() -> bool:
        needed = said.label.heightForWidth(said.viewport().width())
        return said.viewport().height() + said.verticalScrollBar().maximum() >= needed

    for index in range(window.session.display.count):
        window.session.display.go_to(index)
        qtbot.waitUntil(lambda: sorted(said.label.text()) == sorted(said.full_text))
        qtbot.waitUntil(all_in_reach)


def test_it_has_the_height_of_its_lines_after_another_width(window: MainWindow) -> None:
    label = part(window, QtTransport).explanation
    for size in ((1600, 900), (960, 600), (1600, 900)):
        window.resize(*size)
        QApplication.processEvents()
        assert label.height() == label.heightForWidth(label.width())


def test_without_a_run_it_says_what_to_do(make_session: object, qtbot: QtBot) -> None:
    session = make_session()  # type: ignore[operator]
    transport = QtTransport(session, {name: QAction(name) for name in BUTTONS})
    qtbot.addWidget(transport)
    assert "Open a picture" in transport.explanation.full_text
    assert transport.place.text() == "No run yet"


def test_before_the_first_step_it_says_that_a_run_is_in_progress(
    make_session: Any, qtbot: QtBot
) -> None:
    session = make_session("pattern:shibata")
    transport = QtTransport(session, {name: QAction(name) for name in BUTTONS})
    qtbot.addWidget(transport)
    session.display.clear()
    session.runs.run()
    assert session.runs.running
    assert transport.place.text() == "Running\N{HORIZONTAL ELLIPSIS}"
    assert "Press Run" not in transport.explanation.full_text
    wait_idle(qtbot, session)
    assert transport.place.text().startswith("Step")


def test_previous_iteration_goes_back_as_next_iteration_went(window: MainWindow) -> None:
    """From the first step of an iteration it leads to the one before."""
    playback, actions = window.session.playback, window.actions_by_name
    actions["first"].trigger()
    starts = [playback.position]
    for _ in range(3):
        actions["next_group"].trigger()
        starts.append(playback.position)
    recording = window.session.display.recording
    assert recording is not None
    first: dict[int | None, int] = {}
    for step in recording.steps:
        first.setdefault(step.iteration, step.index)
    assert starts == [*first.values()][:4]
    for start in starts[-2::-1]:
        actions["previous_group"].trigger()
        assert playback.position == start
