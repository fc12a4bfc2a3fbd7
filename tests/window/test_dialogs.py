"""Dialogs that make and edit the grid."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QCheckBox, QFileDialog, QLineEdit, QSpinBox, QWidget
from pytestqt.qtbot import QtBot
from support.qt_window import part, type_path

from ccl_viewer.grids.pattern_table import PATTERNS
from ccl_viewer.grids.shapes import Box
from ccl_viewer.grids.transforms import Anchor
from ccl_viewer.window.core.pattern_chooser import PatternChooser
from ccl_viewer.window.core.session import Session
from ccl_viewer.window.drawing.dialogs import RandomFillDialog, ResizeDialog
from ccl_viewer.window.drawing.pattern_dialog import PatternDialog
from ccl_viewer.window.main_window import MainWindow
from ccl_viewer.window.widgets.file_dialogs import (
    ask_for_folder,
    ask_to_open,
    ask_to_open_several,
    ask_to_save,
)
from ccl_viewer.window.widgets.style import TIMES


@pytest.mark.parametrize(("pattern", "cells"), [("full", 12)])
def test_a_new_grid_can_be_undone(window: MainWindow, pattern: str, cells: int) -> None:
    document = window.session.document
    document.invert()
    window.actions_by_name["new"].trigger()
    (dialog,) = window.findChildren(PatternDialog)
    assert dialog.chooser.spec == "pattern:empty?width=10&height=10"
    assert dialog.focusWidget() is dialog.fields["width"]
    dialog.choose(pattern)
    for name, side in (("width", 4), ("height", 3)):
        field = dialog.fields[name]
        assert isinstance(field, QSpinBox)
        field.setValue(side)
    dialog.accept()
    assert document.grid is not None
    assert document.grid.shape == (3, 4)
    assert np.count_nonzero(document.grid) == cells
    document.undo()
    assert document.shape == (10, 10)


def test_a_new_grid_can_be_made_in_large_text(window: MainWindow, qtbot: QtBot) -> None:
    window.appearance.set_text_size(200)
    window.actions_by_name["new"].trigger()
    (dialog,) = window.findChildren(PatternDialog)
    dialog.choose("noise")
    qtbot.waitUntil(lambda: dialog.chooser.preview.grid is not None)
    room = dialog.screen().availableGeometry().size()
    assert dialog.minimumSizeHint().height() < room.height()
    assert dialog.height() < room.height()
    assert dialog.rect().contains(dialog.buttons.geometry())
    dialog.close()
    window.appearance.set_text_size(100)


def test_another_size_can_be_undone(session: Session, qtbot: QtBot) -> None:
    document = session.document
    host = QWidget()
    qtbot.addWidget(host)
    dialog = ResizeDialog(document, host)
    dialog.columns.setValue(7)
    dialog.rows.setValue(12)
    assert dialog.note.text() == f"Now 10 {TIMES} 10. Cut off: 3 columns."
    dialog.rows.setValue(99999)
    assert dialog.note.text().startswith("At most 16,384")
    assert not any(
        button.text() == "Resize" and button.isEnabled() for button in dialog.buttons.buttons()
    )
    dialog.rows.setValue(12)
    dialog.anchor.show_value(Anchor.BOTTOM_RIGHT)
    dialog.fill.setValue(1)
    before = np.array(document.grid)
    dialog.accept()
    assert document.grid is not None
    assert document.grid[:2].all()
    np.testing.assert_array_equal(document.grid[2:], before[:, 3:])
    document.undo()
    np.testing.assert_array_equal(document.grid, before)


def test_the_selection_is_filled_at_random(session: Session, qtbot: QtBot) -> None:
    document = session.document
    document.set_multivalued(True)
    document.selection.select(Box(0, 0, 5, 10))
    host = QWidget()
    qtbot.addWidget(host)
    dialog = RandomFillDialog(session.document, session.tools, host)
    assert dialog.windowTitle() == "Fill the selection"
    dialog.density.setValue(1)
    before = np.array(document.grid)
    dialog.accept()
    assert document.grid is not None
    assert set(np.unique(document.grid[:5])) == {1, 2, 3, 4}
    np.testing.assert_array_equal(document.grid[5:], before[5:])


@pytest.fixture
def patterns(session: Session, qtbot: QtBot) -> Iterator[PatternDialog]:
    host = QWidget()
    qtbot.addWidget(host)
    dialog = PatternDialog(PatternChooser(session.tasks), session.document.shape or (64, 64), host)
    dialog.show()
    dialog.choose("spiral")
    qtbot.waitUntil(lambda: dialog.chooser.preview.grid is not None)
    yield dialog
    host.close()


def test_the_gallery_shows_what_is_made(patterns: PatternDialog, qtbot: QtBot) -> None:
    assert patterns.gallery.count() == len(PATTERNS)
    assert "1 component (4-connected)" in patterns.facts.text()
    patterns.choose("checkerboard")
    size = patterns.fields["width"]
    assert isinstance(size, QSpinBox)
    size.setValue(8)
    qtbot.waitUntil(lambda: patterns.facts.text().startswith(f"8 {TIMES} "))
    assert patterns.chooser.spec.startswith("pattern:checkerboard?width=8&")
    assert not patterns.preview.pixmap().isNull()
    height = patterns.fields["height"]
    assert isinstance(height, QSpinBox)
    height.setValue(16000)
    size.setValue(16000)
    qtbot.waitUntil(lambda: "too many for a preview" in patterns.preview.text())
    patterns.accept()
    assert patterns.result()


def test_a_side_that_is_too_long_is_refused_with_the_limit(
    patterns: PatternDialog, qtbot: QtBot
) -> None:
    patterns.choose("empty")
    width = patterns.fields["width"]
    assert isinstance(width, QSpinBox)
    width.selectAll()
    QTest.keyClicks(width, "99999")
    assert width.value() == 99999
    qtbot.waitUntil(lambda: "from 1 to 16384" in patterns.preview.text())
    patterns.accept()
    assert not patterns.result()


def test_a_spiral_is_turned_by_a_check_box(patterns: PatternDialog, qtbot: QtBot) -> None:
    patterns.choose("spiral")
    turn = patterns.fields["anticlockwise"]
    assert isinstance(turn, QCheckBox)
    assert not turn.isChecked()
    turn.click()
    assert patterns.chooser.spec == "pattern:spiral?size=63&anticlockwise=1"
    patterns.accept()
    assert patterns.result()


def test_a_text_that_cannot_be_made_is_said(patterns: PatternDialog, qtbot: QtBot) -> None:
    patterns.choose("text")
    field = patterns.fields["text"]
    assert isinstance(field, QLineEdit)
    field.selectAll()
    QTest.keyClick(field, Qt.Key.Key_Delete)
    qtbot.waitUntil(lambda: "characters" in patterns.preview.text())
    patterns.accept()
    assert not patterns.result()


def test_a_pattern_is_chosen_by_keys(window: MainWindow, qtbot: QtBot) -> None:
    window.actions_by_name["new"].trigger()
    dialog = next(d for d in window.findChildren(PatternDialog))
    dialog.choose("noise")
    QTest.keyClick(dialog.gallery, Qt.Key.Key_Right)
    chosen = dialog.chooser.pattern
    assert chosen.key == "checkerboard"
    QTest.keyClick(dialog.gallery, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: window.session.document.title == chosen.title)


def test_the_menu_says_what_undo_takes_back(window: MainWindow, qtbot: QtBot) -> None:
    undo = window.actions_by_name["undo"]
    qtbot.waitUntil(lambda: undo.text() == "&Undo")
    window.session.document.flip_left_right()
    qtbot.waitUntil(lambda: undo.text() == "&Undo flip left to right")
    window.session.document.undo()
    qtbot.waitUntil(lambda: window.actions_by_name["redo"].text() == "&Redo flip left to right")


_ASK = {
    "photo.png": (
        lambda host, folder, done: ask_to_open(host, "Open", str(folder), "PNG (*.png)", done),
        lambda host, _, done: ask_to_open_several(host, "Open", lambda names: done(*names)),
        lambda host, folder, done: ask_to_save(
            host, "Save", str(folder / "new.png"), "PNG (*.png)", done
        ).setOption(QFileDialog.Option.DontConfirmOverwrite),
    ),
    "photos": (lambda host, folder, done: ask_for_folder(host, "Choose", done, str(folder)),),
}


@pytest.mark.parametrize(
    ("name", "ask"), [(name, ask) for name, asks in _ASK.items() for ask in asks]
)
def test_a_path_in_the_folder_on_display_can_be_typed(
    qtbot: QtBot,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    ask: Callable[[QWidget, Path, Callable[..., object]], object],
) -> None:
    (tmp_path / "photos").mkdir()
    (tmp_path / "photo.png").touch()
    monkeypatch.chdir(tmp_path)
    host = QWidget()
    qtbot.addWidget(host)
    chosen: list[object] = []
    ask(host, tmp_path, chosen.append)
    dialog = part(host, QFileDialog)
    type_path(qtbot, dialog, tmp_path / name)
    dialog.reject()
    assert [str(path) for path in chosen] == [str(tmp_path / name)]
