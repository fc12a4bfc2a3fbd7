"""A lesson in the window: texts, scenes, questions, notes, and the window as it was before."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton, QScrollArea, QWidget
from pytestqt.qtbot import QtBot
from support.qt_window import model_of, part
from support.small_lesson import LESSON, write_lesson

from ccl_viewer import lessons
from ccl_viewer.lessons.hidden_answers import HiddenInformation
from ccl_viewer.render.step_view import Marks
from ccl_viewer.window.app import wait_until_idle
from ccl_viewer.window.canvas.header import QtCanvasHeader
from ccl_viewer.window.compare.widget import QtComparison
from ccl_viewer.window.core.questions import QuestionOutcome
from ccl_viewer.window.core.session import Session
from ccl_viewer.window.full_screen_mode import choose_full_screen_scale
from ccl_viewer.window.lessons.model import LessonPlayer
from ccl_viewer.window.lessons.widget import QtLessonPlayer, QtNotes
from ccl_viewer.window.main_window import MainWindow
from ccl_viewer.window.messages.widget import QtStatusBar
from ccl_viewer.window.transport.widget import QtTransport
from ccl_viewer.window.widgets.question import QtQuestion


def player_of(session: Session) -> LessonPlayer:
    return model_of(session, LessonPlayer)


LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def taught(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> MainWindow:
    """A window at the first scene of the small lesson."""
    player_of(window.session).plays = False
    player_of(window.session).open(str(write_lesson(tmp_path)))
    qtbot.waitUntil(lambda: player_of(window.session).is_open)
    return window


def trigger(qtbot: QtBot, window: MainWindow, name: str) -> None:
    """Do what a key does, once it can be done."""
    qtbot.waitUntil(window.actions_by_name[name].isEnabled)
    window.actions_by_name[name].trigger()


def panel(window: MainWindow) -> QtLessonPlayer:
    (found,) = window.findChildren(QtLessonPlayer)
    return found


def is_in_sight(widget: QWidget, area: QWidget) -> bool:
    """Whether an area shows the last line of a widget in it."""
    return area.rect().contains(widget.mapTo(area, widget.rect().bottomLeft()))


def go_to(qtbot: QtBot, window: MainWindow, index: int) -> QtQuestion:
    player_of(window.session).go_to(index)
    qtbot.waitUntil(lambda: player_of(window.session).index == index)
    return panel(window).question


def test_a_lesson_closed_while_its_next_scene_is_prepared_stays_closed(
    window: MainWindow, qtbot: QtBot
) -> None:
    title, player = window.windowTitle(), player_of(window.session)
    window.actions_by_name["lesson_2"].trigger()
    qtbot.waitUntil(lambda: player.is_open)
    player.go_to(5)  # another run
    assert window.session.tasks.current is not None
    window.actions_by_name["close_lesson"].trigger()
    wait_until_idle(window)
    assert not panel(window).isVisible()
    assert window.windowTitle() == title


def test_the_panel_shows_scene_texts_and_aims(taught: MainWindow) -> None:
    lesson = panel(taught)
    assert lesson.isVisible()
    assert "A small one" in part(taught, QtCanvasHeader).title.text()
    assert "<b>5 roots</b>" in lesson.caption.text()
    assert lesson.caption.font().pointSizeF() > QApplication.font().pointSizeF()
    assert "See what a lesson is" in lesson.aims.text()
    assert lesson.question_card.isHidden()
    assert lesson.title.text() == "Before"
    assert lesson.scenes.text().startswith("Scene 1 of 4")
    assert lesson.width() >= 300


def test_keys_buttons_and_the_list_go_through_the_scenes(taught: MainWindow, qtbot: QtBot) -> None:
    player, lesson = player_of(taught.session), panel(taught)
    trigger(qtbot, taught, "next_scene")
    qtbot.waitUntil(lambda: player.index == 1)
    qtbot.waitUntil(lesson.back.isEnabled)
    lesson.back.click()
    assert player.index == 0
    lesson.scenes.menu().aboutToShow.emit()
    rows = lesson.scenes.menu().actions()
    assert [row.text()[:3] for row in rows] == ["1. ", "2. ", "3. ", "4. "]
    assert [row.isChecked() for row in rows] == [True, False, False, False]
    rows[3].trigger()
    qtbot.waitUntil(lambda: player.index == 3)
    assert lesson.next.isHidden()
    assert lesson.end_card.isHidden(), "the last question is open"
    assert player.question is not None
    player.question.skip()
    assert lesson.end_card.isVisible()
    assert "0 of 3 right" in lesson.end.text()
    assert "4. Which label: skipped" in lesson.end.text()
    assert lesson.next_lesson.isHidden(), "it is none of the program's own"


def test_what_a_lesson_writes_is_shown_as_text(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    text = LESSON.replace('title = "Before"', 'title = "<b>A &amp; B</b>"')
    player_of(window.session).open(str(write_lesson(tmp_path, "odd", text)))
    qtbot.waitUntil(lambda: player_of(window.session).is_open)
    assert panel(window).title.text() == "<b>A &amp; B</b>"
    assert panel(window).title.textFormat() is Qt.TextFormat.PlainText


def test_closing_brings_the_window_back(taught: MainWindow, qtbot: QtBot) -> None:
    shown = [taught.side_panel.isVisible()]
    for _ in range(2):
        taught.side_panel.toggle()
        shown.append(taught.side_panel.isVisible())
    assert shown == [False, True, False], "the scene has its room"
    trigger(qtbot, taught, "close_lesson")
    assert not panel(taught).isVisible()
    assert taught.side_panel.isVisible()
    assert not taught.side_panel.collapsed
    assert taught.session.document.shape == (10, 10)


def test_a_number_is_typed_and_checked_with_enter(taught: MainWindow, qtbot: QtBot) -> None:
    question = go_to(qtbot, taught, 1)
    assert question.isVisible()
    assert not question.check.isEnabled()
    trigger(qtbot, taught, "answer")
    assert question.field.hasFocus(), "there is no answer to check yet"
    QTest.keyClicks(question.field, "x12")
    assert question.field.text() == "12"
    QTest.keyClick(question.field, Qt.Key.Key_Return)
    asked = player_of(taught.session).question
    assert asked is not None
    assert asked.outcome is QuestionOutcome.WRONG
    assert question.heading.text() == "✗ Not quite"
    assert "Not 12" in question.feedback.text()
    assert "0 of 1 right" in panel(taught).score.text()
    assert question.check.text() == "Try again"
    question.field.selectAll()
    QTest.keyClicks(question.field, str(asked.right.number))
    QTest.keyClick(question.field, Qt.Key.Key_Return)
    assert question.heading.text() == "✓ Right"
    assert question.field.isHidden()
    assert taught.canvas.hasFocus(), "its field went away"


def test_cells_are_clicked_and_nothing_is_drawn(taught: MainWindow, qtbot: QtBot) -> None:
    question = go_to(qtbot, taught, 2)
    asked = player_of(taught.session).question
    assert asked is not None
    revision = taught.session.document.revision
    for cell in asked.right.cells:
        at = taught.canvas.centre_of(cell).toPoint()
        QTest.mouseClick(taught.canvas, LEFT, Qt.KeyboardModifier.NoModifier, QPoint(at))
    assert set(asked.chosen) == set(asked.right.cells)
    assert "Chosen" in question.chosen.text()
    question.check.click()
    assert asked.outcome is QuestionOutcome.RIGHT
    assert question.heading.text() == "✓ Right"
    assert taught.session.document.revision == revision


def test_questions_are_skipped_and_explained(taught: MainWindow, qtbot: QtBot) -> None:
    question = go_to(qtbot, taught, 3)
    question.skip.click()
    assert question.heading.text() == "Skipped"
    question.why.click()
    assert question.heading.text() == "The answer"
    assert taught.session.display.index == 1


def test_drawing_on_a_scene_is_said_to_be_on_a_copy(taught: MainWindow, qtbot: QtBot) -> None:
    lesson, recording = panel(taught), taught.session.display.recording
    assert taught.session.document.grid is not None
    grid = taught.session.document.grid.copy()
    assert lesson.away_card.isHidden()
    taught.session.playback.forward()
    assert "different step" in lesson.away.text()
    assert lesson.keep.isHidden()
    taught.session.document.invert()
    assert "copy" in lesson.away.text()
    assert lesson.keep.isVisible()
    assert taught.session.view.marks == Marks(), "marks are about the scene as it was"
    trigger(qtbot, taught, "reset_scene")
    assert lesson.away_card.isHidden()
    assert taught.session.document.grid is not None
    assert np.array_equal(taught.session.document.grid, grid)
    assert taught.session.display.recording is recording
    assert taught.session.view.marks.highlight


def test_more_unfolds_and_stays_so(taught: MainWindow) -> None:
    lesson = panel(taught)
    assert not lesson.unfold.isHidden()
    assert not lesson.more.isVisible()
    lesson.unfold.click()
    assert lesson.more.isVisible()
    assert "<i>itself</i>" in lesson.more.text()
    player = player_of(taught.session)
    player.next()
    assert lesson.unfold.isHidden(), "this scene has no more to say"
    player.back()
    assert lesson.more.isVisible()


def test_the_transport_says_what_the_scene_needs(taught: MainWindow) -> None:
    """No times of the emulator; roots where trees are shown, and else labels alone."""
    session = taught.session
    analysis = session.analysis
    (transport,) = taught.findChildren(QtTransport)
    assert "emulator" not in transport.facts.text()
    status = part(taught, QtStatusBar)
    status.refresh()
    assert "emulator" not in status.totals.text()
    analysis.set_hidden_answers({HiddenInformation.TIMES})
    assert "root" in analysis.describe_step(0)
    analysis.set_hidden_answers({HiddenInformation.TIMES, HiddenInformation.TREES})
    assert analysis.describe_step(0) == "5 cells took another label."


def test_notes_are_shown_in_a_window_of_their_own(taught: MainWindow, qtbot: QtBot) -> None:
    trigger(qtbot, taught, "presenter_notes")
    (notes,) = taught.findChildren(QtNotes)
    assert notes.isVisible()
    assert "<i>moment</i>" in notes.text.text()
    assert notes.following.text() == "Next: How many"
    picture = taught.canvas.rect().translated(taught.canvas.mapToGlobal(QPoint()))
    assert not notes.frameGeometry().intersects(picture)
    notes.reject()
    assert not notes.isVisible()
    assert not player_of(taught.session).notes
    trigger(qtbot, taught, "presenter_notes")
    notes.close()
    assert not player_of(taught.session).notes
    trigger(qtbot, taught, "presenter_notes")
    assert notes.isVisible()


def test_a_lesson_goes_on_where_it_was_left_another_day(
    taught: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    go_to(qtbot, taught, 2)
    layers = taught.session.view.layers
    taught.close_without_asking()
    other = MainWindow()
    qtbot.addWidget(other)
    assert other.session.view.layers != layers or not layers.arrows, "layers are the user's own"
    player_of(other.session).open(str(tmp_path / "small.toml"))
    qtbot.waitUntil(lambda: player_of(other.session).is_open)
    title = player_of(other.session).scenes[2].title
    said = panel(other).resume_note.text()
    assert said == f"Last time you stopped at scene 3: \u201c{title}\u201d"
    other.close_without_asking()


def test_the_menu_lists_all_lessons(window: MainWindow, qtbot: QtBot) -> None:
    keys = lessons.lesson_names()
    texts = [
        window.actions_by_name[f"lesson_{number}"].text() for number in range(1, len(keys) + 1)
    ]
    for key, text in zip(keys, texts, strict=True):
        assert text.endswith(lessons.title_and_aims(key)[0])
    trigger(qtbot, window, "lesson_1")
    qtbot.waitUntil(lambda: player_of(window.session).is_open)
    assert not panel(window).next_lesson.isVisible()


def test_a_phase_is_drawn_as_wide_as_the_column(window: MainWindow, qtbot: QtBot) -> None:
    player_of(window.session).open("runs-ballots-strips")
    qtbot.waitUntil(lambda: player_of(window.session).is_open)
    lesson = panel(window)
    assert lesson.phase.isHidden()
    go_to(qtbot, window, 2)
    qtbot.waitUntil(lesson.phase.isVisible)
    assert "__ballot_sync" in lesson.phase.accessibleDescription()
    picture = lesson.phase.picture
    assert picture is not None
    assert picture.display.width == lesson.phase.width() <= lesson.width()
    assert lesson.phase.height() >= picture.display.height
    assert lesson.diagram.isHidden()
    go_to(qtbot, window, 3)
    qtbot.waitUntil(lesson.phase.isHidden)
    qtbot.waitUntil(lesson.diagram.isVisible)
    assert "<< 26" in lesson.diagram.accessibleDescription()
    assert lesson.diagram.picture is not None
    assert lesson.diagram.height() >= lesson.diagram.picture.display.height
    go_to(qtbot, window, 4)
    qtbot.waitUntil(lesson.diagram.isHidden)


SHOWN = """
title = "All at once"
aims = ["See it."]
[defaults]
grid = "pattern:shibata"
[[scene]]
title = "Code"
caption = "Read this."
compare = ["label_equivalence", "playne"]
times = "noise 2048 d0.5"
lines = { kernel = "label_equivalence_scanning", from = "extern", to = "{" }
[scene.question]
kind = "choice"
prompt = "Which?"
choices = ["The first", "The second"]
answer = 2
why = ["Not so.", "Just so."]
"""


def test_code_choices_and_the_table_are_shown(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    player_of(window.session).open(str(write_lesson(tmp_path, "shown", SHOWN)))
    qtbot.waitUntil(lambda: player_of(window.session).is_open)
    lesson = panel(window)
    line = lesson.code.fontMetrics().lineSpacing()
    assert lesson.code.isVisible()
    assert lesson.code.viewport().height() >= 12 * line
    column = lesson.code.fontMetrics().horizontalAdvance("0")
    assert lesson.code.viewport().width() >= 58 * column
    assert lesson.code.marked
    marked = lesson.code.document().findBlockByNumber(lesson.code.marked[0])
    assert "label_equivalence_scanning" in marked.text()
    assert "Launches" in lesson.table.text()
    assert "GPU" not in lesson.table.text(), "it might tell the answer"
    first, second = lesson.question.choices.findChildren(QPushButton)
    assert lesson.question.field.isHidden()
    for button, words in ((first, "Not so."), (second, "Just so.")):
        button.click()
        lesson.question.check.click()
        assert words in lesson.question.feedback.text()
    assert "GPU (H200)" in lesson.table.text()
    panes = part(window, QtComparison).panes
    assert [pane.header.spent.text() for pane in panes] == ["", ""], (
        "the emulator's times say nothing"
    )
    assert "emulator's count" in lesson.table.text()
    lesson.next.click()
    assert "1. Code: right at try 2" in lesson.end.text()


def test_pages_turn_scenes_while_a_lesson_is_open(taught: MainWindow, qtbot: QtBot) -> None:
    lessons, playback = player_of(taught.session), taught.session.playback
    actions, canvas = taught.actions_by_name, taught.canvas
    qtbot.waitUntil(lambda: not actions["next_group"].shortcuts())
    canvas.setFocus()
    before = playback.position
    QTest.keyClick(canvas, Qt.Key.Key_PageDown)
    qtbot.waitUntil(lambda: lessons.index == 1)
    qtbot.waitUntil(actions["previous_scene"].isEnabled)
    QTest.keyClick(canvas, Qt.Key.Key_PageUp)
    qtbot.waitUntil(lambda: lessons.index == 0)
    assert playback.position == before
    lessons.close_lesson()
    qtbot.waitUntil(lambda: actions["next_group"].shortcut() == QKeySequence("PgDown"))
    assert actions["next_scene"].shortcuts() == [QKeySequence("Ctrl+Right")]
    playback.go_to_first()
    QTest.keyClick(canvas, Qt.Key.Key_PageDown)
    assert playback.position == 1
    assert not lessons.is_open


def test_the_recap_is_offered_only_where_it_is_out_of_sight(
    taught: MainWindow, qtbot: QtBot
) -> None:
    go_to(qtbot, taught, len(player_of(taught.session).scenes) - 1)
    lesson = panel(taught)
    question = player_of(taught.session).question
    if question is not None:
        question.skip()
    (area,) = lesson.findChildren(QScrollArea)
    qtbot.waitUntil(lambda: is_in_sight(lesson.end_card, area.viewport()))
    qtbot.waitUntil(lesson.next.isHidden)
    taught.resize(960, 560)
    taught.appearance.set_text_size(175)
    qtbot.waitUntil(lambda: not lesson.next.isHidden())
    assert lesson.next.text() == "Recap"
    lesson.next.click()

    def top() -> int:
        return lesson.end_card.mapTo(area.viewport(), QPoint(0, 0)).y()

    qtbot.waitUntil(lesson.next.isHidden)  # also where text takes its size only now
    assert top() == 0 or is_in_sight(lesson.end_card, area.viewport())
    lesson.back.click()
    qtbot.waitUntil(lambda: lesson.next.text() == "Next")
    assert lesson.next.isVisible()


@pytest.mark.parametrize(
    ("key", "index"),
    [("what-a-gpu-does", 10), ("runs-ballots-strips", 2), ("label-equivalence", 1)],
)
def test_a_question_fits_a_projector_of_1280_by_720(
    window: MainWindow, qtbot: QtBot, key: str, index: int
) -> None:
    player_of(window.session).open(key)
    qtbot.waitUntil(lambda: player_of(window.session).is_open)
    question = go_to(qtbot, window, index)
    window.full_screen.enter()
    window.showNormal()  # with the parts of full screen, but not of the size of this screen
    window.resize(1280, 720)
    scale = choose_full_screen_scale((1280, 720), lesson=True)
    window.appearance.set_full_screen_scale(scale)
    (area,) = panel(window).findChildren(QScrollArea)
    qtbot.waitUntil(lambda: area.viewport().height() > 500)
    qtbot.waitUntil(question.isVisible)
    qtbot.waitUntil(lambda: is_in_sight(panel(window).question_card, area.viewport()))
    assert area.verticalScrollBar().value() == 0


def test_in_full_screen_code_and_tables_are_as_large_as_prose_and_check_is_in_sight(
    window: MainWindow, qtbot: QtBot
) -> None:
    player_of(window.session).open("runs-ballots-strips")
    qtbot.waitUntil(lambda: player_of(window.session).is_open)
    lesson = panel(window)
    usual = lesson.code.fontInfo().pixelSize()
    window.full_screen.enter()
    question = go_to(qtbot, window, 2)
    prose = lesson.caption.fontInfo().pixelSize()
    qtbot.waitUntil(lambda: lesson.code.fontInfo().pixelSize() == prose)
    assert lesson.table.fontInfo().pixelSize() == prose
    qtbot.waitUntil(question.why.isVisible)
    for button in (question.check, question.skip, question.why):
        QApplication.processEvents()
        assert button.visibleRegion().boundingRect() == button.rect()
    window.full_screen.leave()
    qtbot.waitUntil(lambda: lesson.code.fontInfo().pixelSize() == usual)


def test_the_lines_that_are_marked_are_in_sight(window: MainWindow, qtbot: QtBot) -> None:
    window.resize(1280, 720)
    player_of(window.session).open("shibata")
    qtbot.waitUntil(lambda: player_of(window.session).is_open)
    code = panel(window).code
    go_to(qtbot, window, 4)
    qtbot.waitUntil(lambda: panel(window).width() > 400)  # only then it is as wide as it will be
    assert code.marked
    assert 0 <= code.marked[0] - code.firstVisibleBlock().blockNumber() < 6


def test_the_column_beside_code_goes_with_the_window(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    player_of(window.session).open(str(write_lesson(tmp_path, "shown", SHOWN)))
    qtbot.waitUntil(lambda: player_of(window.session).is_open)
    widths = []
    for size in ((1280, 720), (960, 600), (1280, 720)):
        window.resize(*size)
        qtbot.waitUntil(lambda: 0.4 < panel(window).width() / window.width() < 0.46)
        widths.append(panel(window).width())
    assert widths[0] == widths[2] > widths[1]


def test_the_verdict_on_an_answer_comes_into_sight(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    window.resize(960, 600)
    player_of(window.session).open(str(write_lesson(tmp_path, "shown", SHOWN)))
    qtbot.waitUntil(lambda: player_of(window.session).is_open)
    lesson = panel(window)
    (area,) = lesson.findChildren(QScrollArea)
    qtbot.waitUntil(lambda: area.verticalScrollBar().maximum() > 0)
    assert area.verticalScrollBar().value() == 0
    asked = lesson.question
    qtbot.waitUntil(lambda: asked.check.y() == asked.why.y())  # there is no field beside them
    lesson.question.choices.findChildren(QPushButton)[1].click()
    lesson.question.check.click()
    qtbot.waitUntil(lambda: is_in_sight(lesson.question.verdict, area.viewport()))


def test_a_saved_file_is_shown_at_once(taught: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    write_lesson(tmp_path, text=LESSON.replace("There are", "We see"))
    qtbot.waitUntil(lambda: "We see" in panel(taught).caption.text())
    other = write_lesson(tmp_path, "other", LESSON.replace("There are", "Here are"))
    other.replace(tmp_path / "small.toml")  # as editors save
    qtbot.waitUntil(lambda: "Here are" in panel(taught).caption.text())
