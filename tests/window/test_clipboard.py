"""What goes to other programs and comes from them."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from math import isqrt
from pathlib import Path
from urllib.parse import quote_from_bytes

import numpy as np
import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QColor, QDragEnterEvent, QDropEvent, QGuiApplication, QImage
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot
from support.light_window import LightWindow
from support.qt_window import part

from ccl_viewer.grids.saving import segment_colours
from ccl_viewer.grids.shapes import Box
from ccl_viewer.grids.text_art import format_grid
from ccl_viewer.window.core.session import Session
from ccl_viewer.window.core.tools import Tool
from ccl_viewer.window.opening import clipboard
from ccl_viewer.window.opening.clipboard import QtClipboard, picture_from_image
from ccl_viewer.window.widgets.patterns import grid_image


def clipboard_of(window: QWidget) -> QtClipboard:
    return part(window, QtClipboard)


@pytest.fixture
def window(session: Session, qtbot: QtBot) -> Iterator[LightWindow]:
    made = LightWindow(session)
    qtbot.addWidget(made)
    made.show()
    yield made
    made.imports.close()
    made.files.close()


def put(data: QMimeData) -> None:
    QGuiApplication.clipboard().setMimeData(data)


def text(words: str) -> QMimeData:
    data = QMimeData()
    data.setText(words)
    return data


def files(*paths: Path) -> QMimeData:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    return data


def said(window: LightWindow) -> str:
    assert window.session.messages.message is not None
    return window.session.messages.message.text


def shown(window: LightWindow) -> str:
    assert window.session.document.grid is not None
    return format_grid(window.session.document.grid).strip()


def drop(window: LightWindow, data: QMimeData) -> bool:
    """Drag data over the window and let go; return whether the window wanted it."""
    target, actions = window.page, Qt.DropAction.CopyAction
    button, keys = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    middle = target.rect().center()
    enter = QDragEnterEvent(middle, actions, data, button, keys)
    enter.ignore()
    QApplication.sendEvent(target, enter)
    if not enter.isAccepted():
        return False
    assert window.target.isVisible()
    QApplication.sendEvent(target, QDropEvent(QPointF(middle), actions, data, button, keys))
    assert not window.target.isVisible()
    return True


# Cells


def test_cells_go_from_window_to_window_with_their_values(window: LightWindow) -> None:
    document = window.session.document
    document.load_grid(np.array([[200, 0], [0, 7]], np.uint8), "", multivalued=True)
    document.selection.select(Box(0, 0, 2, 2))
    clipboard_of(window).copy()
    document.new(4, 2)
    clipboard_of(window).paste()
    assert window.session.tools.tool is Tool.SELECT
    assert document.selection.floating_patch is not None
    document.selection.place()
    assert document.grid is not None
    assert document.grid.tolist() == [[200, 0, 0, 0], [0, 7, 0, 0]]


def test_text_art_is_pasted_as_cells(window: LightWindow) -> None:
    window.session.document.new(4, 3)
    put(text("##\n#.\n"))
    clipboard_of(window).paste((2, 1))
    window.session.document.selection.place()
    assert shown(window) == ".##.\n.#..\n...."
    window.session.document.selection.select(Box(0, 1, 2, 3))
    clipboard_of(window).cut()
    assert window.session.document.empty
    assert QGuiApplication.clipboard().text() == "##\n#.\n"


def test_cells_of_a_large_grid_are_packed_on_the_queue(window: LightWindow, qtbot: QtBot) -> None:
    side = isqrt(clipboard.AT_ONCE_CELLS) + 1
    window.session.document.load_grid(np.zeros((side, side), np.uint8), "large")
    put(text("hello"))
    clipboard_of(window).copy()
    clipboard_of(window).paste()
    assert "still being copied" in said(window)
    qtbot.waitUntil(lambda: QGuiApplication.clipboard().mimeData().hasImage())
    clipboard_of(window).paste()
    assert window.session.document.selection.floating_patch is not None
    window.session.document.undo()


def test_the_grid_is_copied_as_picture_and_text(window: LightWindow) -> None:
    clipboard_of(window).copy()
    data = QGuiApplication.clipboard()
    assert data.text().strip() == shown(window)
    image = data.image()
    assert (image.width(), image.height()) == (10, 10)
    assert QColor(image.pixel(1, 1)) == QColor("white")
    assert "picture and as text" in said(window)


def test_values_without_characters_are_copied_as_rle(window: LightWindow, qtbot: QtBot) -> None:
    grid = np.array([[200, 0, 7]], np.uint8)
    window.session.document.load_grid(grid, "", multivalued=True)
    clipboard_of(window).copy()
    words = QGuiApplication.clipboard().text()
    window.session.document.new(4, 2)
    assert drop(window, text(words))
    qtbot.waitUntil(lambda: window.session.document.shape == (1, 3))
    assert window.session.document.grid is not None
    assert window.session.document.grid.tolist() == grid.tolist()


# What comes from other programs


@pytest.mark.parametrize("words", ["#.#\n.#.\n", "x = 3, y = 2\nbo$obo!"])
def test_text_can_be_dropped(window: LightWindow, qtbot: QtBot, words: str) -> None:
    assert drop(window, text(words))
    qtbot.waitUntil(lambda: window.session.document.title == "another program")
    assert shown(window).count("#") == 3


def test_other_text_is_not_wanted(window: LightWindow) -> None:
    assert not drop(window, text("hello"))


def test_broken_rle_is_said(window: LightWindow) -> None:
    grid = window.session.document.grid
    put(text("x = 3, y = 1\n4o!"))
    clipboard_of(window).paste()
    assert "A run of 4 cells" in said(window)
    assert window.session.document.grid is grid


def test_of_several_files_none_is_picked_by_chance(window: LightWindow, tmp_path: Path) -> None:
    assert drop(window, files(tmp_path / "a.png", tmp_path / "b.png"))
    assert "Only one file" in said(window)


@pytest.mark.parametrize("host", ["", "localhost", "LOCALHOST"])
@pytest.mark.skipif(sys.platform != "linux", reason="names of any bytes are of Linux")
def test_files_are_dropped_as_urls_of_any_form(
    window: LightWindow, qtbot: QtBot, tmp_path: Path, host: str
) -> None:
    path = tmp_path / os.fsdecode(b"a b%#?\xc3\xa9\xff.txt")
    path.write_text("##.\n")
    data = QMimeData()
    url = f"file://{host}{quote_from_bytes(os.fsencode(path))}\r\n"
    data.setData("text/uri-list", url.encode("ascii"))
    assert drop(window, data)
    qtbot.waitUntil(lambda: window.session.document.title == path.name)
    assert shown(window) == "##."


def test_files_on_the_clipboard_are_opened(
    window: LightWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    path = tmp_path / "a.txt"
    path.write_text("#.#\n")
    put(files(path))
    clipboard_of(window).paste()
    qtbot.waitUntil(lambda: window.session.document.title == "a.txt")
    assert shown(window) == "#.#"


def test_a_picture_of_two_colours_needs_no_choice(window: LightWindow, qtbot: QtBot) -> None:
    QGuiApplication.clipboard().setImage(grid_image(np.eye(4, dtype=np.uint8), multivalued=False))
    clipboard_of(window).open_pasted()
    qtbot.waitUntil(lambda: window.session.document.title == "the clipboard")
    assert shown(window) == "#...\n.#..\n..#.\n...#"


def test_a_picture_on_the_clipboard_is_offered(window: LightWindow, qtbot: QtBot) -> None:
    image = QImage(20, 10, QImage.Format.Format_RGB32)
    image.fill(QColor(200, 90, 10))
    image.setPixelColor(3, 3, QColor(10, 20, 30))
    QGuiApplication.clipboard().setImage(image)
    clipboard_of(window).paste()
    qtbot.waitUntil(lambda: window.imports.dialog is not None)
    assert window.session.imports.pending is not None
    assert window.session.imports.pending.size == (20, 10)


def test_a_clipboard_of_no_use_is_said_to_be(window: LightWindow) -> None:
    for data in (text("hello"), QMimeData()):
        put(data)
        window.session.messages.dismiss()
        clipboard_of(window).paste()
        assert "holds no picture" in said(window)


@pytest.mark.parametrize("alpha", [False, True])
def test_pictures_of_qt_keep_their_pixels(qapp: QApplication, alpha: bool) -> None:
    form = QImage.Format.Format_ARGB32 if alpha else QImage.Format.Format_RGB32
    image = QImage(3, 2, form)
    image.fill(QColor(10, 20, 30))
    image.setPixelColor(1, 0, QColor(70, 80, 90))
    image.setPixelColor(2, 1, QColor(200, 100, 50, 0 if alpha else 255))
    picture = picture_from_image(image)
    assert picture.planes[0, 0].tolist() == [10, 20, 30]
    assert picture.planes[1, 2].tolist() == ([0, 0, 0] if alpha else [200, 100, 50])
    assert (picture.alpha is not None) == alpha


def test_a_picture_of_qt_with_16_bits_keeps_them(qapp: QApplication) -> None:
    image = QImage(2, 1, QImage.Format.Format_Grayscale16)
    rows = np.frombuffer(image.bits(), np.uint16)
    rows[:2] = 300, 40_000
    assert picture_from_image(image).planes.tolist() == [[300, 40_000]]


def test_values_are_copied_as_colours(qapp: QApplication) -> None:
    grid = np.arange(256, dtype=np.uint8).reshape(16, 16)
    image = grid_image(grid, multivalued=True)
    colours = [QColor(image.pixel(x, 0)).name() for x in range(16)]
    assert colours == [QColor(*colour).name() for colour in segment_colours()[:16].tolist()]
