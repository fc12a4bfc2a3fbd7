"""The lesson in the window, by mouse and keys."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from support.lessons import outcome_of, write_lesson
from support.windows import (
    PATIENCE,
    MakeWindow,
    cell_at,
    close_lesson,
    position,
    status_of,
    wait_idle,
)

from ccl_viewer import lessons
from ccl_viewer.session import QuestionOutcome
from ccl_viewer.views.app import open_window
from ccl_viewer.views.docks.title import DockTitle
from ccl_viewer.views.lessons.panel import LessonPanel
from ccl_viewer.views.looks.theme import LIGHT
from ccl_viewer.views.main_window import MainWindow
from ccl_viewer.views.options import WindowOptions

_CTRL = Qt.KeyboardModifier.ControlModifier
_CTRL_SHIFT = _CTRL | Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def taught(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> MainWindow:
    """A window with the small lesson over Shibata's ten by ten cells."""
    window.session.lesson.open(str(write_lesson(tmp_path)))
    wait_idle(qtbot, window)
    assert window.session.lesson.is_open
    return window


def panel_of(window: MainWindow) -> LessonPanel:
    return window.lesson_docks.panel


def go_to(window: MainWindow, qtbot: QtBot, index: int) -> None:
    window.session.lesson.go_to(index)
    qtbot.waitUntil(lambda: window.session.lesson.index == index, timeout=PATIENCE)
    wait_idle(qtbot, window)


def test_the_panel_takes_the_place_of_the_others(taught: MainWindow) -> None:
    panel = panel_of(taught)
    assert taught.lesson_docks.dock.isVisible()
    title = taught.lesson_docks.dock.titleBarWidget()
    assert isinstance(title, DockTitle)
    assert title.name.text() == "A small one"
    assert not any(taught.docks.is_open(name) for name in taught.docks.panels)
    assert [panel.chapters.itemText(i) for i in range(4)] == [
        "1. Before",
        "2. How many",
        "3. Which merge",
        "4. Which label",
    ]
    assert "<b>5 roots</b>" in panel.caption.text()
    assert panel.caption.accessibleDescription() == "There are 5 roots in labels."
    assert panel.aims_card.isVisible()
    assert not panel.question_card.isVisible()
    assert panel.caption.font().pointSizeF() > taught.font().pointSizeF()


def test_keys_and_buttons_go_through_the_scenes(taught: MainWindow, qtbot: QtBot) -> None:
    player, panel = taught.session.lesson, panel_of(taught)
    QTest.keyClick(taught.canvas, Qt.Key.Key_Right, _CTRL)
    qtbot.waitUntil(lambda: player.index == 1, timeout=PATIENCE)
    assert panel.chapters.currentIndex() == 1
    assert panel.question_card.isVisible()
    assert not panel.aims_card.isVisible()
    QTest.mouseClick(panel.back, Qt.MouseButton.LeftButton)
    assert player.index == 0
    assert not panel.back.isEnabled()
    QTest.mouseClick(panel.next, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: player.index == 1, timeout=PATIENCE)
    QTest.keyClick(taught.canvas, Qt.Key.Key_Left, _CTRL)
    assert player.index == 0
    QTest.mouseClick(panel.dots, Qt.MouseButton.LeftButton, pos=panel.dots.centre_of(3).toPoint())
    qtbot.waitUntil(lambda: player.index == 3, timeout=PATIENCE)
    assert not panel.next.isVisible()
    assert panel.end_card.isVisible()
    assert not panel.more.isVisible(), "a lesson from a file is followed by none"
    panel.chapters.setFocus()
    QTest.keyClick(panel.chapters, Qt.Key.Key_Up)
    qtbot.waitUntil(lambda: player.index == 2, timeout=PATIENCE)
    assert panel.dots.accessibleName() == "Scene 3 of 4"


def test_closing_brings_everything_back(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    window.docks.show("steps", on=False)
    shown = {name: window.docks.is_open(name) for name in window.docks.panels}
    recording, title = window.session.recording, window.windowTitle()
    window.session.lesson.open(str(write_lesson(tmp_path)))
    wait_idle(qtbot, window)
    assert window.windowTitle() != title
    QTest.keyClick(window.canvas, Qt.Key.Key_W, _CTRL)
    assert not window.session.lesson.is_open
    qtbot.waitUntil(lambda: window.lesson_docks.settled, timeout=PATIENCE)
    assert not window.lesson_docks.dock.isVisible()
    assert {name: window.docks.is_open(name) for name in window.docks.panels} == shown
    assert window.session.recording is recording
    assert window.windowTitle() == title


def test_a_number_is_typed(taught: MainWindow, qtbot: QtBot) -> None:
    go_to(taught, qtbot, 1)
    panel = panel_of(taught)
    card, asking = panel.question, taught.session.lesson.asking
    assert asking is not None
    assert not card.check.isEnabled()
    assert not status_of(taught).verdict.isVisible()
    told, step = taught.step_panel.explanation, taught.session.step
    assert step is not None
    assert told.plain == step.caption
    QTest.keyClick(taught.canvas, Qt.Key.Key_K, _CTRL)
    assert card.field.hasFocus()
    QTest.keyClicks(card.field, f"{asking.right.number}")
    assert card.check.isEnabled()
    QTest.keyClick(card.field, Qt.Key.Key_Return)
    assert outcome_of(asking) is QuestionOutcome.RIGHT
    assert "Right" in card.heading.text()
    assert "Right" not in card.words.text()
    assert card.heading.font().pointSizeF() == card.words.font().pointSizeF()
    assert told.plain.startswith(f"{step.caption} No label changed")
    assert card.verdict.isVisible()
    assert card.verdict.property("message") == "ok"
    assert not card.field.isVisible()
    assert taught.canvas.hasFocus()


def test_cells_are_clicked_and_nothing_is_drawn(taught: MainWindow, qtbot: QtBot) -> None:
    go_to(taught, qtbot, 2)
    session, card = taught.session, panel_of(taught).question
    asking = session.lesson.asking
    assert asking is not None
    before = session.drawing.revision
    plain = taught.canvas.grab().toImage()
    for cell in asking.right.cells:
        QTest.mouseClick(taught.canvas, Qt.MouseButton.LeftButton, pos=cell_at(taught, cell))
    assert set(asking.chosen) == set(asking.right.cells)
    assert taught.canvas.grab().toImage() != plain
    assert session.drawing.revision == before
    assert "Chosen: " in card.chosen.text()
    QTest.keyClick(taught.canvas, Qt.Key.Key_K, _CTRL)
    assert outcome_of(asking) is QuestionOutcome.RIGHT


def test_cells_are_chosen_with_the_keyboard(taught: MainWindow, qtbot: QtBot) -> None:
    go_to(taught, qtbot, 2)
    session = taught.session
    asking = session.lesson.asking
    assert asking is not None
    QTest.mouseMove(taught.canvas, QPoint(1, 1))
    session.look.hover_at(None)
    QTest.keyClick(taught.canvas, Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier)
    cell = session.look.cursor
    assert cell is not None
    pinned = session.look.pin_of
    QTest.keyClick(taught.canvas, Qt.Key.Key_Return)
    assert asking.chosen == (cell,)
    assert session.look.pin_of == pinned


def test_questions_are_skipped_and_explained(taught: MainWindow, qtbot: QtBot) -> None:
    go_to(taught, qtbot, 3)
    asking = taught.session.lesson.asking
    assert asking is not None
    QTest.keyClick(taught.canvas, Qt.Key.Key_J, _CTRL)
    assert outcome_of(asking) is QuestionOutcome.SKIPPED
    assert not taught.actions_table["answer"].isEnabled()
    QTest.keyClick(taught.canvas, Qt.Key.Key_K, _CTRL_SHIFT)
    assert outcome_of(asking) is QuestionOutcome.TOLD
    assert position(taught) == 1
    assert panel_of(taught).stray_card.isVisible()
    QTest.keyClick(taught.canvas, Qt.Key.Key_Backspace, _CTRL)
    assert position(taught) == 0
    assert not panel_of(taught).stray_card.isVisible()


def test_drawing_on_a_scene_is_said_to_be_on_a_copy(taught: MainWindow, qtbot: QtBot) -> None:
    panel = panel_of(taught)
    QTest.mouseClick(taught.canvas, Qt.MouseButton.LeftButton, pos=cell_at(taught, (2, 0)))
    wait_idle(qtbot, taught)
    assert panel.stray_card.isVisible()
    assert panel.keep.isVisible()
    assert "copy" in panel.strayed.text()
    QTest.mouseClick(panel.reset, Qt.MouseButton.LeftButton)
    assert not taught.session.lesson.altered
    assert not panel.stray_card.isVisible()


def test_the_lesson_stays_on_the_projector(taught: MainWindow, qtbot: QtBot) -> None:
    panel = panel_of(taught)
    usual = panel.caption.font().pointSizeF()
    QTest.keyClick(taught.canvas, Qt.Key.Key_F11)
    taught.projector.settle()
    assert taught.lesson_docks.dock.isVisible()
    assert panel.caption.font().pointSizeF() > 1.4 * usual
    QTest.keyClick(taught.canvas, Qt.Key.Key_Right, _CTRL)
    qtbot.waitUntil(lambda: taught.session.lesson.index == 1, timeout=PATIENCE)
    QTest.keyClick(taught.canvas, Qt.Key.Key_F11)
    taught.projector.settle()
    assert taught.lesson_docks.dock.isVisible()
    assert not taught.docks.is_open("steps")
    close_lesson(taught)
    assert taught.docks.is_open("steps")


def test_notes_are_shown_in_a_window_and_remembered(
    make_window: MakeWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    file = str(write_lesson(tmp_path))
    first = make_window("pattern:shibata")
    first.session.lesson.open(file)
    wait_idle(qtbot, first)
    notes = first.lesson_docks.notes
    assert not notes.isVisible()
    QTest.keyClick(first.canvas, Qt.Key.Key_P, _CTRL_SHIFT)
    assert notes.isVisible()
    assert "<i>moment</i>" in notes.text.text()
    assert notes.following.text() == "Next: How many"
    assert first.actions_table["presenter_notes"].isChecked()
    first.close()
    second = make_window("pattern:shibata")
    assert not second.lesson_docks.notes.isVisible()
    second.session.lesson.open(file)
    wait_idle(qtbot, second)
    assert second.lesson_docks.notes.isVisible()
    second.lesson_docks.notes.close()
    assert not second.actions_table["presenter_notes"].isChecked()


def test_a_window_closed_in_a_lesson_opens_as_it_was_before(
    make_window: MakeWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    first = make_window("pattern:shibata")
    settings, layers = first.session.settings, first.session.look.layers
    first.session.lesson.open(str(write_lesson(tmp_path)))
    wait_idle(qtbot, first)
    assert first.session.look.layers != layers
    first.close()
    second = make_window("pattern:shibata")
    assert second.session.settings == settings
    assert second.session.look.layers == layers
    assert second.docks.is_open("steps")
    assert not second.lesson_docks.dock.isVisible()


def test_the_menu_lists_all_lessons(window: MainWindow, qtbot: QtBot) -> None:
    menu = window.menus.by_title["Lessons"]
    menu.aboutToShow.emit()
    listed = window.lesson_list.actions
    titles = [lessons.lesson(key).title for key in lessons.names()]
    assert [action.text().split("  ", 1)[1] for action in listed] == titles
    assert menu.actions()[: len(listed)] == listed
    assert listed[0].toolTip().startswith("•")
    menu.aboutToShow.emit()
    assert len(window.lesson_list.actions) == len(titles)
    listed[1].trigger()
    qtbot.waitUntil(lambda: window.session.lesson.is_open, timeout=PATIENCE)
    player = window.session.lesson
    assert player.lesson == lessons.lesson(lessons.names()[1])
    go_to(window, qtbot, len(player.chapters) - 1)
    QTest.mouseClick(panel_of(window).more, Qt.MouseButton.LeftButton)
    following = lessons.lesson(lessons.names()[2])
    qtbot.waitUntil(lambda: player.lesson == following, timeout=PATIENCE)


def test_the_page_without_a_grid_offers_lessons(make_window: MakeWindow) -> None:
    window = make_window()
    assert window.lessons_button.isVisible()
    assert window.lessons_button.menu() is window.menus.by_title["Lessons"]


def test_the_program_begins_with_a_lesson(qtbot: QtBot, tmp_path: Path) -> None:
    window = open_window(
        WindowOptions(lesson=str(write_lesson(tmp_path))), tmp_path / "settings.json"
    )
    qtbot.addWidget(window)
    window.show()
    qtbot.waitUntil(lambda: window.session.lesson.is_open, timeout=PATIENCE)
    close_lesson(window)
    assert window.canvas_panel.empty.isVisible()
    window.close()


def test_the_light_theme_is_used(taught: MainWindow) -> None:
    before = taught.canvas.grab().toImage()
    taught.set_theme("light")
    taught.appearance.settle()
    QApplication.processEvents()
    assert taught.canvas.grab().toImage() != before
    assert taught.appearance.theme is LIGHT


def test_predict_mode_asks_in_front_of_the_steps(window: MainWindow) -> None:
    session = window.session
    session.predictor.rng.seed(3)
    session.playback.first()
    QTest.keyClick(window.canvas, Qt.Key.Key_P, Qt.KeyboardModifier.ShiftModifier)
    predict = window.lesson_docks.predict
    assert window.lesson_docks.predict_dock.isVisible()
    assert window.actions_table["predict"].isChecked()
    asking = session.predictor.asking
    assert asking is not None
    assert asking.right.number is not None
    predict.question.field.setText(str(asking.right.number))
    QTest.keyClick(window.canvas, Qt.Key.Key_K, _CTRL)
    assert outcome_of(asking) is QuestionOutcome.RIGHT
    assert predict.score.text() == "1 of 1 right"
    assert position(window) == asking.next_step
    QTest.mouseClick(predict.more, Qt.MouseButton.LeftButton)
    assert session.predictor.asking is not asking
    QTest.keyClick(window.canvas, Qt.Key.Key_Right)
    assert position(window) == 2
    QTest.mouseClick(predict.off, Qt.MouseButton.LeftButton)
    assert not window.lesson_docks.predict_dock.isVisible()
    assert not session.predictor.on


def test_predict_mode_begins_anywhere(window: MainWindow) -> None:
    window.session.predictor.switch(on=True)
    predict = window.lesson_docks.predict
    assert predict.begin.isVisible()
    assert predict.hint.isVisible()
    QTest.mouseClick(predict.begin, Qt.MouseButton.LeftButton)
    assert position(window) == 0
    assert predict.question.isVisible()
    assert not predict.begin.isVisible()


def test_a_window_closed_in_predict_mode_opens_without(make_window: MakeWindow) -> None:
    first = make_window("pattern:shibata")
    first.session.predictor.switch(on=True)
    first.close()
    second = make_window("pattern:shibata")
    assert not second.lesson_docks.predict_dock.isVisible()
    assert second.docks.is_open("steps")


def test_lanes_wait_until_the_lesson_ends(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    comparison = window.session.comparison
    comparison.show(on=True)
    lanes = comparison.chosen
    window.session.lesson.open(str(write_lesson(tmp_path)))
    wait_idle(qtbot, window)
    assert not window.actions_table["compare"].isChecked()
    close_lesson(window)
    assert window.actions_table["compare"].isChecked()
    assert comparison.chosen == lanes
    qtbot.waitUntil(lambda: not comparison.working, timeout=PATIENCE)


def test_no_banner_gives_the_number_of_components_away(window: MainWindow, qtbot: QtBot) -> None:
    player, banner = window.session.lesson, window.canvas_panel.banner
    player.open("races")
    wait_idle(qtbot, window)
    go_to(window, qtbot, 8)
    asking = player.asking
    assert asking is not None
    assert banner.isVisible()
    assert "reference" not in banner.text.text()
    player.skip()
    assert "reference" in banner.text.text()
