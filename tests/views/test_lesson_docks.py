"""What the window looks like while a lesson is open: room for the scene, ways that are drawn."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QPointF, QRect, Qt, QTimer
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot
from support.lessons import LESSON, write_lesson
from support.windows import PATIENCE, MakeWindow, close_lesson, drawn, project, settled, wait_idle

from ccl_viewer.session.exporting.subject import subject_of
from ccl_viewer.views.canvas.key import Sign
from ccl_viewer.views.main_window import MainWindow

_CTRL_SHIFT = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def taught(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> MainWindow:
    """A window with the small lesson."""
    window.session.lesson.open(str(write_lesson(tmp_path)))
    wait_idle(qtbot, window)
    return window


def test_the_settings_make_room_for_a_lesson_and_come_back(taught: MainWindow) -> None:
    assert not taught.source_bar.isVisible()
    close_lesson(taught)
    assert taught.source_bar.isVisible()


def test_panels_come_beside_a_lesson_as_they_were_chosen_and_leave_it_room(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    alone = settled(window, 1280, 720).docks["steps"].width()
    window.docks.show("tree", on=False)
    window.session.lesson.open(str(write_lesson(tmp_path)))
    wait_idle(qtbot, window)
    window.actions_table["hide_panels"].trigger()
    shown = {name for name in window.docks.panels if window.docks.is_open(name)}
    assert shown == {"steps", "source", "plots"}
    assert settled(window, 1280, 720).lesson_docks.dock.width() < alone
    close_lesson(window)


def test_a_lesson_gives_its_place_up_in_turns_and_unseen(taught: MainWindow, qtbot: QtBot) -> None:
    seen = list[bool]()
    taught.docks.changed.connect(lambda: seen.append(taught.updatesEnabled()))
    taught.session.lesson.close()
    assert not seen, "not in the turn of the grid"
    qtbot.waitUntil(lambda: taught.lesson_docks.settled, timeout=PATIENCE)
    assert seen
    assert not any(seen), "laid out before it is painted"
    assert taught.updatesEnabled()


def test_a_lesson_takes_its_place_in_turns_and_unseen(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    seen, painted = list[bool](), list[bool]()
    window.canvas.painted.connect(lambda: painted.append(window.lesson_docks.dock.isVisible()))
    window.docks.changed.connect(lambda: seen.append(window.updatesEnabled()))
    in_the_turn_of_the_scene = list[bool]()
    window.session.lesson.changed.connect(lambda: in_the_turn_of_the_scene.append(not seen))
    window.session.lesson.open(str(write_lesson(tmp_path)))
    wait_idle(qtbot, window)
    assert in_the_turn_of_the_scene == [True]
    assert seen
    assert not any(seen), "laid out before it is painted"
    assert painted
    assert all(painted)
    assert window.updatesEnabled()


def press_while_it_opens(
    window: MainWindow, qtbot: QtBot, lesson: Path, key: Qt.Key, turns: int
) -> None:
    """Open a lesson, and press Ctrl and a key while the window is being arranged for it."""
    pressed = list[bool]()

    def press_then() -> None:
        pressed.append(not window.lesson_docks.settled)
        QTest.keyClick(window.canvas, key, Qt.KeyboardModifier.ControlModifier)

    def begin() -> None:
        if not pressed:
            QTimer.singleShot(turns, window, press_then)

    window.session.lesson.changed.connect(begin)
    window.session.lesson.open(str(lesson))
    qtbot.waitUntil(lambda: bool(pressed), timeout=PATIENCE)
    wait_idle(qtbot, window)
    assert window.updatesEnabled()


@pytest.mark.parametrize("comparing", [False, True])
@pytest.mark.parametrize("turns", [0, 1, 2, 3])
def test_a_lesson_is_closed_by_a_key_while_it_takes_its_place(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, turns: int, comparing: bool
) -> None:
    if comparing:
        window.actions_table["compare"].trigger()
        wait_idle(qtbot, window)
    press_while_it_opens(window, qtbot, write_lesson(tmp_path), Qt.Key.Key_W, turns)
    assert not window.session.lesson.is_open
    assert not window.lesson_docks.dock.isVisible()
    assert window.source_bar.isVisible()
    assert all(window.docks.is_open(name) for name in window.docks.panels)
    assert window.session.comparison.open is comparing


@pytest.mark.parametrize("turns", [0, 1, 2])
def test_the_next_scene_is_asked_for_while_a_lesson_takes_its_place(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, turns: int
) -> None:
    press_while_it_opens(window, qtbot, write_lesson(tmp_path), Qt.Key.Key_Right, turns)
    assert window.session.lesson.index == 1
    assert window.lesson_docks.dock.isVisible()
    assert not window.source_bar.isVisible()
    close_lesson(window)
    assert window.source_bar.isVisible()


def test_the_window_is_painted_where_a_scene_could_not_be_shown(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(window.session.lesson._presenter, "put_away", lambda: 1 / 0)
    with qtbot.captureExceptions() as faults:
        window.session.lesson.open(str(write_lesson(tmp_path)))
        qtbot.waitUntil(lambda: bool(faults), timeout=PATIENCE)
        wait_idle(qtbot, window)
    assert window.updatesEnabled()
    assert all(window.docks.is_open(name) for name in window.docks.panels)


def test_a_lesson_is_opened_while_the_place_is_given_up(
    taught: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    taught.session.lesson.close()
    taught.session.lesson.open(str(write_lesson(tmp_path)))
    wait_idle(qtbot, taught)
    assert taught.lesson_docks.dock.isVisible()
    assert taught.updatesEnabled()
    close_lesson(taught)
    assert not taught.lesson_docks.dock.isVisible()
    assert taught.docks.is_open("steps")


def test_the_settings_can_be_shown_to_try_others_with_a_scene(taught: MainWindow) -> None:
    button = taught.lesson_docks.panel.settings_button
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    assert taught.source_bar.isVisible()
    assert button.isChecked()
    QTest.keyClick(taught.canvas, Qt.Key.Key_A, _CTRL_SHIFT)
    assert not taught.source_bar.isVisible()
    QTest.keyClick(taught.canvas, Qt.Key.Key_A, _CTRL_SHIFT)
    close_lesson(taught)
    assert taught.source_bar.isVisible()
    assert not taught.actions_table.by_name["lesson_settings"].isEnabled()


def test_the_settings_stay_away_from_the_projector(taught: MainWindow) -> None:
    button = taught.lesson_docks.panel.settings_button
    project(taught, on=True)
    assert not button.isVisible()
    project(taught, on=False)
    assert button.isVisible()
    assert not taught.source_bar.isVisible()
    project(taught, on=True)
    close_lesson(taught)
    project(taught, on=False)
    assert taught.source_bar.isVisible()


def explains_small_arrows(window: MainWindow) -> bool:
    """Whether the key says that cells are too small for arrows."""
    window.canvas.grab()
    return any(entry.sign is Sign.PARENT and entry.dim for entry in window.canvas.key)


def test_a_way_that_is_pointed_out_is_drawn_without_the_other_arrows(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    text = LESSON.replace("show = { arrows = true }", "follow = [[2, 1]]")
    window.session.lesson.open(
        str(write_lesson(tmp_path, "ways", text.replace("step = 0", "step = 1")))
    )
    wait_idle(qtbot, window)
    assert window.session.pointing.marks.follow == ((2, 1),)
    subject = subject_of(window.session)
    assert subject is not None
    assert subject.follow == ((2, 1),)
    assert not window.session.look.layers.arrows
    followed = window.canvas.grab().toImage()
    window.session.look.show(arrows=True)
    every = window.canvas.grab().toImage()
    window.session.look.show(arrows=False)
    assert window.canvas.grab().toImage() == followed
    window.canvas.zoom(0.1)
    assert not explains_small_arrows(window), "they are not switched on, and no room is kept"
    window.session.look.show(arrows=True)
    assert explains_small_arrows(window)
    window.session.look.show(arrows=False)
    window.session.lesson.go_to(1)
    qtbot.waitUntil(lambda: window.session.lesson.index == 1, timeout=PATIENCE)
    window.session.lesson.back()
    assert followed != every


def test_a_lesson_goes_on_where_it_was_left(
    make_window: MakeWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    path = str(write_lesson(tmp_path))
    first = make_window()
    first.session.lesson.open(path)
    wait_idle(qtbot, first)
    assert not first.lesson_docks.panel.left_card.isVisible()
    first.session.lesson.go_to(2)
    qtbot.waitUntil(lambda: first.session.lesson.index == 2, timeout=PATIENCE)
    first.close()

    second = make_window()
    player, panel = second.session.lesson, second.lesson_docks.panel
    player.open(path)
    wait_idle(qtbot, second)
    assert player.index == 0
    assert panel.left.text() == "Last time you stopped at 3. Which merge."
    QTest.mouseClick(panel.resume, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: player.index == 2, timeout=PATIENCE)
    assert not panel.left_card.isVisible()
    player.back()
    player.back()
    assert panel.left_card.isVisible()
    QTest.keyClick(second.canvas, Qt.Key.Key_Right, _CTRL_SHIFT)
    qtbot.waitUntil(lambda: player.index == 1, timeout=PATIENCE)
    player.go_to(3)
    qtbot.waitUntil(lambda: player.index == 3, timeout=PATIENCE)
    player.go_to(0)
    assert player.left_at is None, "a lesson that was seen to its end begins anew"


def test_a_fault_of_a_scene_is_told_with_its_line_and_the_last_scene_stays(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    text = LESSON.replace("step = -1", "step = 77")
    line = text.splitlines().index("step = 77") + 1
    player = window.session.lesson
    player.open(str(write_lesson(tmp_path, "broken", text)))
    wait_idle(qtbot, window)
    player.next()
    wait_idle(qtbot, window)
    assert player.index == 0
    message = window.session.message
    assert message is not None
    assert message.text.startswith(f"broken.toml, line {line}: There is no step 77")


def test_no_value_of_the_timeline_tells_how_many_components_there_are(
    taught: MainWindow, qtbot: QtBot
) -> None:
    taught.session.lesson.go_to(1)
    qtbot.waitUntil(lambda: taught.session.lesson.index == 1, timeout=PATIENCE)
    wait_idle(qtbot, taught)
    taught.session.playback.go_to(0)
    timeline = taught.step_panel.timeline
    concealed = drawn(timeline)
    taught.session.lesson.skip()
    seen = drawn(timeline)
    assert seen != concealed
    look = timeline._look()  # the names lie elsewhere in another size of text
    legend, half = look.rows().legend, round(look.shape / 2)
    if legend.isEmpty():  # a low window has no room for them
        return
    top = round(legend.center().y()) - half
    names = QRect(0, top, timeline.width() // 2, 2 * half)  # values follow
    assert seen.copy(names) == concealed.copy(names), "what stages are called tells nothing"


def is_fitted(window: MainWindow) -> bool:
    """Whether the whole grid is shown by now."""
    return window.canvas.fitted


@pytest.mark.parametrize("projected", [False, True])
def test_the_own_grid_lies_where_it_lay(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, projected: bool
) -> None:
    canvas, lesson = window.canvas, window.session.lesson
    canvas.zoom(2.0)
    canvas.zoom(2.0, QPointF(10, 10))
    before = canvas.view
    lesson.open(str(write_lesson(tmp_path)))
    wait_idle(qtbot, window)
    assert is_fitted(window), "a scene is shown whole"
    if projected:
        project(window, on=True)
    close_lesson(window)
    if projected:
        project(window, on=False)
    assert canvas.view == before
    assert not is_fitted(window)
    canvas.fit()
    lesson.open(str(write_lesson(tmp_path)))
    wait_idle(qtbot, window)
    canvas.zoom(0.5)
    close_lesson(window)
    assert is_fitted(window), "what was shown whole is shown whole again"


@pytest.mark.parametrize("begun_there", [True, False])
def test_a_lesson_may_begin_and_end_on_the_projector(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, begun_there: bool
) -> None:
    project(window, on=begun_there)
    window.session.lesson.open(str(write_lesson(tmp_path)))
    wait_idle(qtbot, window)
    project(window, on=True)
    close_lesson(window)
    assert not window.lesson_docks.dock.isVisible()
    project(window, on=False)
    assert all(window.docks.is_open(name) for name in window.docks.panels)
    assert not window.lesson_docks.dock.isVisible()


def test_a_lesson_opened_on_the_projector_goes_on_without(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    project(window, on=True)
    window.session.lesson.open(str(write_lesson(tmp_path)))
    wait_idle(qtbot, window)
    project(window, on=False)
    assert window.lesson_docks.dock.isVisible()
    assert not window.docks.is_open("steps")
    close_lesson(window)
    assert all(window.docks.is_open(name) for name in window.docks.panels)
