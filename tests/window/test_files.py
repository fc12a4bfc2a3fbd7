"""Questions about files: before a drawing is lost, after a crash, and by which name to save."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QGuiApplication, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QFileDialog, QMessageBox, QWidget
from pytestqt.qtbot import QtBot
from support.light_window import LightWindow

from ccl_viewer import record
from ccl_viewer.storage.resources import sample_photo
from ccl_viewer.window.core.autosave import drawings_folder
from ccl_viewer.window.core.session import Session
from ccl_viewer.window.main_window import MainWindow
from ccl_viewer.window.opening.recent import RecentMenu, short_name
from ccl_viewer.window.widgets.file_dialogs import ask_to_save
from ccl_viewer.window.widgets.files import GRID_KINDS

Button = QMessageBox.StandardButton
MakeWindow = Callable[..., MainWindow]


def asked(window: QWidget, word: str) -> Any:
    """Return the question on display that begins with a word; None without."""
    boxes = window.findChildren(QMessageBox)
    return next((box for box in boxes if box.isVisible() and box.text().startswith(word)), None)


def draw(session: Session, cell: tuple[int, int] = (0, 0)) -> None:
    session.tools.press(cell)
    session.tools.release()


@pytest.fixture
def light(session: Session, qtbot: QtBot) -> Iterator[LightWindow]:
    made = LightWindow(session)
    qtbot.addWidget(made)
    made.show()
    yield made
    made.imports.close()
    made.files.close()


@pytest.fixture
def drawn_light(light: LightWindow) -> LightWindow:
    draw(light.session)
    return light


@pytest.fixture
def drawn(window: MainWindow) -> MainWindow:
    """A window with a drawing."""
    draw(window.session)
    return window


def answer(window: MainWindow, button: Button) -> None:
    assert window.files.unsaved_box is not None
    window.files.unsaved_box.button(button).click()


def file_dialog(window: QWidget) -> QFileDialog:
    found = window.findChildren(QFileDialog)
    assert len(found) == 1
    return found[0]


def choose_name(window: QWidget, path: Path) -> None:
    """Choose a name in the dialog that asks for one."""
    dialog = file_dialog(window)
    dialog.fileSelected.emit(str(path))
    dialog.close()


# Before a drawing is lost


def test_a_computed_grid_closes_without_a_question(window: MainWindow) -> None:
    window.close()
    assert window.files.unsaved_box is None
    assert not window.isVisible()


def test_a_drawing_can_be_kept_open(drawn: MainWindow) -> None:
    drawn.close()
    assert drawn.files.unsaved_box is not None
    assert "lost when the window closes" in drawn.files.unsaved_box.informativeText()
    answer(drawn, Button.Cancel)
    assert drawn.isVisible()
    assert drawn.session.document.dirty


def test_escape_waits_for_an_export(light: LightWindow) -> None:
    closed: list[bool] = []
    light.files.confirm_ending_export(lambda: closed.append(True))
    box = light.findChild(QMessageBox)
    assert box is not None
    QTest.keyClick(box, Qt.Key.Key_Escape)
    assert not box.isVisible()
    assert not closed


def test_a_question_that_closes_twice_is_answered_once(drawn: MainWindow) -> None:
    drawn.close()
    box = drawn.files.unsaved_box
    assert box is not None
    box.done(Button.Cancel.value)
    box.finished.emit(Button.Discard.value)
    assert drawn.isVisible()
    assert drawn.session.document.dirty


def test_a_drawing_can_be_given_up(drawn: MainWindow) -> None:
    drawn.close()
    answer(drawn, Button.Discard)
    assert not drawn.isVisible()


def test_the_window_closes_once_the_drawing_is_saved(
    drawn: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    drawn.close()
    answer(drawn, Button.Save)
    assert drawn.isVisible()
    choose_name(drawn, tmp_path / "mine.txt")
    qtbot.waitUntil(lambda: not drawn.isVisible())
    assert (tmp_path / "mine.txt").read_text().startswith("#")


def test_the_window_stays_if_the_drawing_could_not_be_saved(
    drawn: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    drawn.close()
    answer(drawn, Button.Save)
    choose_name(drawn, tmp_path / "no" / "mine.txt")
    qtbot.waitUntil(lambda: drawn.session.messages.message is not None)
    assert drawn.isVisible()


def test_the_question_is_about_what_was_begun_last(drawn: MainWindow, qtbot: QtBot) -> None:
    drawn.close()
    drawn.files.open_path("pattern:comb?width=7&height=5")
    assert drawn.files.unsaved_box is not None
    assert "another grid replaces it" in drawn.files.unsaved_box.informativeText()
    answer(drawn, Button.Discard)
    qtbot.waitUntil(lambda: drawn.session.document.shape == (5, 7))
    assert drawn.isVisible()


def test_a_drawing_given_up_for_a_broken_file_is_still_there(
    drawn: MainWindow, qtbot: QtBot
) -> None:
    drawn.files.open_path("missing.png")
    answer(drawn, Button.Discard)
    qtbot.waitUntil(lambda: drawn.session.messages.message is not None)
    assert drawn.session.document.dirty


def test_who_ends_the_program_without_an_answer_is_offered_the_drawing_again(
    drawn: MainWindow, make_window: MakeWindow, qtbot: QtBot
) -> None:
    drawn.close()
    drawn.close_without_asking()
    window = make_window()
    window.session.files.look_for_recovery_file()
    box = asked(window, "Restore")
    assert box is not None
    assert "unsaved drawing" in box.informativeText()
    box.button(Button.Yes).click()
    document = window.session.document
    qtbot.waitUntil(lambda: document.title == "Restored drawing")
    assert document.dirty
    assert document.grid is not None
    assert document.grid[0, 0]


@pytest.mark.parametrize(("button", "again"), [(Button.Discard, False), (Button.Cancel, True)])
def test_what_is_left_can_be_discarded_or_left(
    drawn: MainWindow, make_window: MakeWindow, button: Button, again: bool
) -> None:
    drawn.close_without_asking()
    window = make_window()
    window.session.files.look_for_recovery_file()
    assert asked(window, "Restore") is not None
    asked(window, "Restore").button(button).click()
    window.session.files.look_for_recovery_file()
    assert (asked(window, "Restore") is not None) == again


@pytest.mark.usefixtures("drawn")
def test_a_drawing_is_written_soon_after_an_edit(qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: any(drawings_folder().glob("*.png")))


# While another grid is read


def _open_picture_of_clipboard(window: MainWindow, name: str) -> None:
    picture = QImage(9, 7, QImage.Format.Format_RGB32)
    picture.fill(QColor("white"))
    QGuiApplication.clipboard().setImage(picture)
    window.actions_by_name[name].trigger()


OPENINGS: dict[str, Callable[[MainWindow], object]] = {
    "pattern": lambda window: window.files.open_path("pattern:comb?width=7&height=5"),
    "text": lambda window: window.files.open_path("small.txt"),
    "photo": lambda window: window.files.open_path(str(sample_photo())),
    "recording": lambda window: window.files.open_path("run.cclrec"),
    "exercise": lambda window: window.actions_by_name["exercise_1"].trigger(),
    "lesson": lambda window: window.actions_by_name["lesson_1"].trigger(),
    "clipboard": lambda window: _open_picture_of_clipboard(window, "open_pasted"),
    "paste": lambda window: _open_picture_of_clipboard(window, "paste"),
}


@pytest.fixture
def _files_to_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "small.txt").write_text("#..#\n.##.\n")
    record(np.ones((4, 5), np.uint8), algorithm="ha4").save(tmp_path / "run.cclrec")
    yield
    QGuiApplication.clipboard().clear()


@pytest.mark.usefixtures("_files_to_open")
@pytest.mark.parametrize("kind", OPENINGS)
def test_what_is_drawn_while_something_is_read_is_lost_only_by_an_answer(
    window: MainWindow, qtbot: QtBot, kind: str
) -> None:
    session, chance = window.session, random.Random(kind)  # noqa: S311  (it keeps no secret)
    document = session.document
    given_up: list[object] = []

    def process_events() -> None:
        dirty, cells = document.dirty, document.user_cells
        QApplication.processEvents()
        if dirty and cells not in given_up:
            assert document.dirty, "a drawing was replaced without a question"

    def answer_questions() -> None:
        dialog = QApplication.activeModalWidget()
        if dialog is not None and dialog is window.files.unsaved_box:
            button = chance.choice((Button.Cancel, Button.Discard))
            if button is Button.Discard:
                given_up.append(document.user_cells)
            answer(window, button)
        elif isinstance(dialog, QDialog):  # the choices for a picture
            chance.choice((dialog.accept, dialog.reject))()

    acts: tuple[Callable[[], object], ...] = (
        *(lambda: draw(session, (chance.randrange(4), chance.randrange(2))),) * 3,
        *(process_events, process_events, answer_questions),
        *(window.actions_by_name[name].trigger for name in ("undo", "redo", "play")),
    )
    for _ in range(1 if kind in {"exercise", "lesson"} else 2):
        OPENINGS[kind](window)
        draw(session, (1, 1))
        for _ in range(15):
            chance.choice(acts)()
            process_events()
        while session.tasks.current is not None or QApplication.activeModalWidget() is not None:
            answer_questions()
            process_events()


@pytest.mark.usefixtures("_files_to_open")
@pytest.mark.parametrize("agreed", [False, True])
def test_a_drawing_made_while_a_pattern_is_read_can_be_kept(
    window: MainWindow, qtbot: QtBot, agreed: bool
) -> None:
    """Also if the user gave up what was drawn before."""
    document = window.session.document
    if agreed:
        draw(window.session, (3, 0))
    window.files.open_path("small.txt")
    if agreed:
        answer(window, Button.Discard)
    draw(window.session, (0, 0))
    qtbot.waitUntil(lambda: window.files.unsaved_box is not None)
    answer(window, Button.Cancel)
    assert document.dirty
    assert document.title != "small.txt"
    assert document.grid is not None
    assert document.grid[0, 0]
    window.files.open_path("small.txt")
    answer(window, Button.Discard)
    qtbot.waitUntil(lambda: document.title == "small.txt")


# Saving


def test_what_is_drawn_while_the_grid_is_saved_is_asked_about(
    drawn: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    drawn.close()
    answer(drawn, Button.Save)
    choose_name(drawn, tmp_path / "mine.txt")
    draw(drawn.session, (9, 9))
    qtbot.waitUntil(lambda: drawn.files.unsaved_box is not None)
    assert drawn.isVisible()
    answer(drawn, Button.Cancel)
    assert drawn.session.document.dirty


def test_saving_asks_once_for_a_name(
    drawn_light: LightWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    path, document = tmp_path / "mine.txt", drawn_light.session.document
    drawn_light.files.save_grid()
    assert Path(file_dialog(drawn_light).selectedFiles()[0]).name == "shibata.png"
    choose_name(drawn_light, path)
    qtbot.waitUntil(lambda: document.path == path)
    assert not document.dirty
    assert drawn_light.session.files.recent == (str(path),)
    draw(drawn_light.session, (9, 9))
    qtbot.waitUntil(lambda: not drawn_light.findChildren(QFileDialog))
    drawn_light.files.save_grid()
    qtbot.waitUntil(lambda: not document.dirty)
    assert not drawn_light.findChildren(QFileDialog)


def test_the_suffix_follows_the_kind_of_file(light: LightWindow, tmp_path: Path) -> None:
    names: list[Path] = []
    start = str(tmp_path / "grid.png")
    dialog = ask_to_save(light, "Save grid", start, GRID_KINDS, names.append)
    assert dialog.defaultSuffix() == "png"
    kind = next(kind for kind in GRID_KINDS.split(";;") if ".rle" in kind)
    dialog.selectNameFilter(kind)
    dialog.filterSelected.emit(kind)
    assert dialog.defaultSuffix() == "rle"
    assert Path(dialog.selectedFiles()[0]).name == "grid.rle"
    dialog.accept()
    assert names == [tmp_path / "grid.rle"]


# Opening


def test_open_asks_for_a_file(light: LightWindow, qtbot: QtBot, tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("#.#\n")
    light.files.ask_to_open()
    choose_name(light, path)
    qtbot.waitUntil(lambda: light.session.document.title == "a.txt")


def test_a_picture_of_gigabytes_is_asked_about(
    light: LightWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    path = tmp_path / "large.pgm"
    path.write_bytes(b"P5\n16384 16384\n255\n")
    for button, sentence in ((Button.Cancel, ""), (Button.Open, "is damaged")):
        light.files.open_path(str(path))
        qtbot.waitUntil(lambda: asked(light, "Open") is not None)
        assert asked(light, "Open") is not None
        assert "3.2 GB" in asked(light, "Open").informativeText()
        asked(light, "Open").button(button).click()
        messages = light.session.messages
        qtbot.waitUntil(lambda: not light.session.tasks.busy())
        assert sentence in ("" if messages.message is None else messages.message.text)


def test_the_menu_of_recent_files(light: LightWindow, qtbot: QtBot, tmp_path: Path) -> None:
    menu = RecentMenu(light.session.files, light.files, light)
    assert [action.text() for action in menu.actions()] == ["No files yet"]
    path = tmp_path / "a & b.txt"
    path.write_text("#.#\n")
    light.session.files.add_recent(str(path))
    menu.refresh()
    assert menu.actions()[0].text().startswith("&1 a && b.txt")
    menu.actions()[0].trigger()
    qtbot.waitUntil(lambda: light.session.document.title == "a & b.txt")
    menu.actions()[-1].trigger()
    assert light.session.files.recent == ()


def test_short_names() -> None:
    assert short_name("/home/me/pictures/a.png") == "a.png  (pictures)"
    long = short_name(f"/home/{'x' * 100}.png")
    assert len(long) == 60
    assert "…" in long
