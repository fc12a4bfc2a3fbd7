"""Drops, clipboard, recent files, patterns, new grids and other sizes, in the window."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QColor, QDragEnterEvent, QDropEvent, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QFileDialog, QMessageBox
from pytestqt.qtbot import QtBot
from support.windows import PATIENCE, MakeWindow, answer, wait_idle

from ccl_viewer.grids.patterns import PATTERNS
from ccl_viewer.grids.transforms import Anchor
from ccl_viewer.session import MessageKind
from ccl_viewer.session.jobs.job import Job
from ccl_viewer.session.settings import Settings
from ccl_viewer.views.clipboard import clipboard
from ccl_viewer.views.clipboard.handing import PackingWork
from ccl_viewer.views.dialogs.new_grid import Filling, NewGridDialog
from ccl_viewer.views.dialogs.resize import ResizeDialog
from ccl_viewer.views.files.recent import MOST, RecentFiles, RecentList, RecentMenu, short_name
from ccl_viewer.views.importing.dialog import ImportDialog
from ccl_viewer.views.main_window import MainWindow
from ccl_viewer.views.patterns.dialog import PatternDialog

RLE = "x = 3, y = 2\nobo$3o!"


def text_data(text: str) -> QMimeData:
    data = QMimeData()
    data.setText(text)
    return data


def image_data(image: QImage) -> QMimeData:
    data = QMimeData()
    data.setImageData(image)
    return data


def drop(window: MainWindow, data: QMimeData) -> bool:
    """Drag data over the window and let go; return whether the window wanted it."""
    copy, left = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton
    none = Qt.KeyboardModifier.NoModifier
    entering = QDragEnterEvent(QPointF(9, 9).toPoint(), copy, data, left, none)
    entering.ignore()
    window.dragEnterEvent(entering)
    if entering.isAccepted():
        window.dropEvent(QDropEvent(QPointF(9, 9), copy, data, left, none))
    return entering.isAccepted()


def shown(window: MainWindow) -> list[list[int]]:
    grid = window.session.grid
    assert grid is not None
    return [list(map(int, row)) for row in grid]


@pytest.mark.parametrize("text", [RLE, "#.#\n###\n", "101\n111"])
def test_text_can_be_dropped(window: MainWindow, qtbot: QtBot, text: str) -> None:
    assert drop(window, text_data(text))
    wait_idle(qtbot, window)
    assert shown(window) == [[1, 0, 1], [1, 1, 1]]
    assert window.session.title == "another program"


@pytest.mark.parametrize("text", ["hello", "", "#.#\n#.\n", "https://example.org"])
def test_other_text_is_not_wanted(window: MainWindow, text: str) -> None:
    assert not drop(window, text_data(text))


def test_broken_rle_gives_a_sentence(window: MainWindow) -> None:
    assert drop(window, text_data("x = 2, y = 1\n5o!"))
    message = window.session.message
    assert message is not None
    assert message.kind is MessageKind.ERROR
    assert "lies outside" in message.text


def test_of_several_files_none_is_picked_by_chance(window: MainWindow, tmp_path: Path) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(tmp_path / name)) for name in ("a.rle", "b.rle")])
    assert drop(window, data)
    message = window.session.message
    assert message is not None
    assert message.text == "One file can be shown, not 2 at once: choose one of them."
    assert window.session.title == "Shibata's Figure 2"


def test_pictures_of_two_colours_need_no_choice(window: MainWindow, qtbot: QtBot) -> None:
    image = QImage(3, 2, QImage.Format.Format_RGB32)
    image.fill(QColor("black"))
    image.setPixelColor(2, 1, QColor("white"))
    assert drop(window, image_data(image))
    wait_idle(qtbot, window)
    assert shown(window) == [[0, 0, 0], [0, 0, 1]]


def test_a_picture_on_the_clipboard_is_imported(window: MainWindow, qtbot: QtBot) -> None:
    image = QImage(5, 4, QImage.Format.Format_RGB32)
    image.fill(QColor(200, 10, 10))
    image.setPixelColor(1, 1, QColor(10, 10, 200))
    QApplication.clipboard().setImage(image)
    answer(window, ImportDialog, lambda dialog: dialog.accept())
    window.actions_table["open_pasted"].trigger()
    qtbot.waitUntil(lambda: window.session.source == "the clipboard", timeout=PATIENCE)
    wait_idle(qtbot, window)
    assert np.sum(shown(window)) == 19


def test_files_on_the_clipboard_are_opened(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    (tmp_path / "a.rle").write_text(RLE)
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(tmp_path / "a.rle"))])
    QApplication.clipboard().setMimeData(data)
    window.actions_table["open_pasted"].trigger()
    wait_idle(qtbot, window)
    assert window.session.title == "a.rle"


def test_a_clipboard_of_no_use_is_said_to_be(window: MainWindow) -> None:
    QApplication.clipboard().setText("hello")
    window.actions_table["open_pasted"].trigger()
    message = window.session.message
    assert message is not None
    assert "clipboard holds no picture" in message.text


@pytest.mark.parametrize("name", ["paste", "open_pasted"])
def test_an_empty_clipboard_is_of_no_use(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(type(QApplication.clipboard()), "mimeData", lambda _clipboard: None)
    window.actions_table[name].trigger()
    message = window.session.message
    assert message is not None
    assert message.kind is MessageKind.INFO
    assert "clipboard" in message.text


def test_the_grid_is_copied_as_picture_and_text(window: MainWindow) -> None:
    window.actions_table["copy_grid"].trigger()
    data = QApplication.clipboard().mimeData()
    brought = clipboard.read(data)
    assert brought is not None
    assert brought.cells is not None
    np.testing.assert_array_equal(brought.cells.grid, window.session.grid)
    image = data.imageData()
    assert isinstance(image, QImage)
    picture = clipboard.picture_of(image)
    np.testing.assert_array_equal(picture.planes[..., 0] == 255, window.session.grid)


def test_values_are_copied_as_colours_and_symbols() -> None:
    grid = np.array([[0, 1, 2], [5, 61, 0]], np.uint8)
    work = PackingWork(grid, multivalued=True, exact=False)
    work.perform(Job("", work.perform, lambda: None, lambda _error: None))
    data = work.mime_data()
    brought = clipboard.read(data)
    assert brought is not None
    assert brought.cells is not None
    np.testing.assert_array_equal(brought.cells.grid, grid)
    many = np.array([[0, 200]], np.uint8)
    assert clipboard.grid_text(many).startswith("x = 2, y = 1")


def test_pictures_of_qt_keep_their_pixels() -> None:
    image = QImage(3, 2, QImage.Format.Format_ARGB32)
    image.fill(QColor(0, 0, 0, 0))
    image.setPixelColor(1, 0, QColor(10, 20, 30))
    picture = clipboard.picture_of(image)
    assert picture.planes[0, 1].tolist() == [10, 20, 30]
    assert picture.alpha is not None
    assert picture.alpha.tolist() == [[0, 255, 0], [0, 0, 0]]
    image.fill(QColor(1, 2, 3))
    assert clipboard.picture_of(image).alpha is None


# Recent files


def files(folder: Path, count: int) -> list[str]:
    paths = [folder / f"{number}.txt" for number in range(count)]
    for path in paths:
        path.write_text("#")
    return [str(path) for path in paths]


def test_recent_files_are_ten_at_most_and_exist(tmp_path: Path, qapp: QApplication) -> None:
    recent = RecentFiles(Settings(tmp_path / "a.json"))
    paths = files(tmp_path, 12)
    for path in paths:
        recent.add(path)
    assert recent.files == paths[:1:-1]
    assert len(recent.files) == MOST
    recent.add(paths[5])
    assert recent.files[:2] == [paths[5], paths[11]]
    Path(paths[11]).unlink()
    assert paths[11] not in recent.files
    recent.forget(paths[5])
    assert paths[5] not in recent.files


@pytest.mark.parametrize("count", [0, 1, 3])
def test_recent_files_are_remembered(tmp_path: Path, qapp: QApplication, count: int) -> None:
    settings = Settings(tmp_path / "a.json")
    for path in files(tmp_path, count):
        RecentFiles(settings).add(path)
    settings.save()
    again = RecentFiles(Settings(tmp_path / "a.json"))
    assert len(again.files) == count
    again.clear()
    assert again.files == []


def test_damaged_lists_are_survived(tmp_path: Path, qapp: QApplication) -> None:
    settings = Settings(tmp_path / "a.json")
    for value in (7, "", ["", 3]):
        settings.set_value("recent/files", value)
        assert RecentFiles(settings).files == []


def test_the_menu_of_recent_files(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    menu = next(m for m in window.menus.by_title["File"].findChildren(RecentMenu))
    assert [action.text() for action in menu.actions()] == ["No files yet"]
    for path in files(tmp_path, 2):
        window.intake.open(path)
        wait_idle(qtbot, window)
    menu.aboutToShow.emit()
    names = [action.data() for action in menu.actions() if action.data()]
    assert [Path(name).name for name in names] == ["1.txt", "0.txt"]
    menu.actions()[1].trigger()
    wait_idle(qtbot, window)
    assert window.session.title == "0.txt"
    menu.aboutToShow.emit()
    menu.actions()[-1].trigger()
    assert window.intake.recent.files == []


def test_the_empty_window_offers_recent_files(
    make_window: MakeWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    window = make_window()
    shown_list = window.canvas_panel.empty.findChild(RecentList)
    assert isinstance(shown_list, RecentList)
    assert shown_list.buttons == []
    assert shown_list.heading.isHidden()
    for path in files(tmp_path, 7):
        window.intake.recent.add(path)
    assert len(shown_list.buttons) == 4
    QTest.mouseClick(shown_list.buttons[0], Qt.MouseButton.LeftButton)
    wait_idle(qtbot, window)
    assert window.session.title == "6.txt"


def test_short_names() -> None:
    assert short_name("/a/b/c.png") == "c.png  (b)"
    assert len(short_name("/a/" + "x" * 200)) == 60


# Asking


def test_a_pattern_is_chosen_by_keys(window: MainWindow, qtbot: QtBot) -> None:
    def reply(dialog: PatternDialog) -> None:
        dialog.choose("shibata")
        QTest.keyClick(dialog.gallery, Qt.Key.Key_Right)
        assert dialog.gallery.pattern.key == "spiral"
        QTest.keyClick(dialog.gallery, Qt.Key.Key_Return)

    answer(window, PatternDialog, reply)
    window.actions_table["pattern"].trigger()
    wait_idle(qtbot, window)
    assert window.session.source == "pattern:spiral?size=63"


def test_the_gallery_shows_what_is_made(window: MainWindow, qtbot: QtBot) -> None:
    dialog = PatternDialog(window.theme, window.intake.side, 8)
    qtbot.addWidget(dialog)
    assert dialog.gallery.count() == len(PATTERNS)
    for key in PATTERNS:
        dialog.choose(key)
        qtbot.waitUntil(lambda: not dialog.busy, timeout=PATIENCE)
        assert not dialog.preview.pixmap().isNull()
        assert "8-connected" in dialog.facts.text()
        assert dialog.title.text() == PATTERNS[key].title
    dialog.choose("text")
    dialog.form.fields["text"].clear()
    qtbot.waitUntil(lambda: not dialog.busy, timeout=PATIENCE)
    assert "text of 1 to 200" in dialog.preview.text()
    assert not dialog.create_button.isEnabled()
    dialog.accept()
    assert dialog.result() != QDialog.DialogCode.Accepted
    dialog.reject()


def test_a_pattern_of_segments_is_told_apart(window: MainWindow, qtbot: QtBot) -> None:
    window.session.configure(algorithm_key="ha4")
    window.intake.open_pattern("pattern:voronoi?width=20&height=20")
    wait_idle(qtbot, window)
    assert window.session.settings.multivalued
    assert window.session.settings.algorithm == "label_equivalence"
    assert window.session.recording is not None
    assert window.session.recording.multivalued


@pytest.mark.parametrize(
    ("filling", "cells"), [(Filling.EMPTY, 0), (Filling.FULL, 60), (Filling.RANDOM, None)]
)
def test_a_new_grid(window: MainWindow, qtbot: QtBot, filling: Filling, cells: int | None) -> None:
    def reply(dialog: NewGridDialog) -> None:
        dialog.columns.setValue(12)
        dialog.rows.setValue(5)
        dialog.choose(filling)
        dialog.density.setValue(0.4)
        dialog.seed.setValue(3)
        dialog.accept()

    answer(window, NewGridDialog, reply)
    window.actions_table["new"].trigger()
    wait_idle(qtbot, window)
    grid = window.session.grid
    assert grid is not None
    assert grid.shape == (5, 12)
    if cells is None:
        expected = PATTERNS["noise"].make(width=12, height=5, density=0.4, seed=3)
        np.testing.assert_array_equal(grid, expected)
    else:
        assert grid.sum() == cells


def test_the_fields_of_chance_belong_to_random_grids(qtbot: QtBot) -> None:
    dialog = NewGridDialog()
    qtbot.addWidget(dialog)
    assert not dialog.density.isEnabled()
    dialog.choose(Filling.RANDOM)
    assert dialog.density.isEnabled()
    assert dialog.seed.isEnabled()
    QTest.keyClick(dialog, Qt.Key.Key_F, Qt.KeyboardModifier.AltModifier)
    assert dialog.size_in_cells == (64, 64)


def test_another_size_can_be_undone(window: MainWindow, qtbot: QtBot) -> None:
    before = shown(window)

    def reply(dialog: ResizeDialog) -> None:
        dialog.columns.setValue(6)
        dialog.rows.setValue(14)
        dialog.choose(Anchor.BOTTOM_RIGHT)
        dialog.fill.setValue(1)
        assert "Cut off: 4 columns." in dialog.note.text()
        dialog.accept()

    answer(window, ResizeDialog, reply)
    window.actions_table["resize"].trigger()
    wait_idle(qtbot, window)
    grid = window.session.grid
    assert grid is not None
    np.testing.assert_array_equal(grid[:4], np.ones((4, 6)))
    np.testing.assert_array_equal(grid[4:], np.array(before)[:, 4:])
    window.actions_table["undo"].trigger()
    wait_idle(qtbot, window)
    assert shown(window) == before


def test_importing_by_the_menu_asks_for_a_file(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = files(tmp_path, 1)[0]
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (path, ""))
    window.actions_table["import"].trigger()
    wait_idle(qtbot, window)
    assert window.session.source == path


@pytest.mark.parametrize(
    "button", [QMessageBox.StandardButton.Open, QMessageBox.StandardButton.Cancel]
)
def test_a_picture_of_gigabytes_is_asked_about(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, button: QMessageBox.StandardButton
) -> None:
    path = tmp_path / "large.pgm"
    path.write_bytes(b"P5\n16384 16384\n255\n")
    window.intake.open(str(path))
    wait_idle(qtbot, window)
    box = window.intake.box
    assert box is not None
    assert "take up to 3.2 GB of memory" in box.informativeText()
    box.button(button).click()
    wait_idle(qtbot, window)
    message = window.session.message
    if button is QMessageBox.StandardButton.Cancel:
        assert message is None
    else:
        assert message is not None
        assert "is damaged" in message.text
    assert window.intake.box is None
