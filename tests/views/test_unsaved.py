"""A drawing that is in no file: the mark in the title, and the question before it is lost."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QMimeData, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QFileDialog, QMessageBox, QWidget
from pytestqt.qtbot import QtBot
from support.windows import answer_names, cell_at, wait_idle

from ccl_viewer.views.main_window import MainWindow
from ccl_viewer.views.widgets.save_name import ask_for_name, make_dialog

SAVE, DISCARD, CANCEL = (
    QMessageBox.StandardButton.Save,
    QMessageBox.StandardButton.Discard,
    QMessageBox.StandardButton.Cancel,
)


@pytest.fixture
def drawn(window: MainWindow, qtbot: QtBot) -> MainWindow:
    """A window with a drawing."""
    QTest.mouseClick(window.canvas, Qt.MouseButton.LeftButton, pos=cell_at(window, (0, 0)))
    wait_idle(qtbot, window)
    return window


def question(window: MainWindow) -> QMessageBox | None:
    return window.unsaved.box


def answer(window: MainWindow, button: QMessageBox.StandardButton) -> None:
    box = question(window)
    assert box is not None
    assert box.isVisible()
    box.button(button).click()
    assert question(window) is None


def marked(window: MainWindow) -> bool:
    return window.isWindowModified()


def is_drawn(window: MainWindow) -> bool:
    grid = window.session.grid
    return grid is not None and grid.shape == (10, 10) and bool(grid[0, 0])


def test_the_title_marks_a_drawing_until_it_is_undone(drawn: MainWindow, qtbot: QtBot) -> None:
    assert drawn.windowTitle().startswith("Shibata's Figure 2[*]")
    assert marked(drawn)
    drawn.actions_table["undo"].trigger()
    wait_idle(qtbot, drawn)
    assert not marked(drawn)
    assert drawn.close()
    assert question(drawn) is None


def test_what_floats_marks_the_title_and_is_asked_about(window: MainWindow) -> None:
    window.session.edits.paste(np.ones((3, 3), np.uint8))
    assert marked(window)
    open_pattern(window, Path())
    answer(window, CANCEL)
    window.session.edits.undo()
    assert not marked(window)


@pytest.mark.parametrize("action", ["resize", "new"])
def test_what_floats_is_placed_before_the_grid_gets_another_size(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, action: str
) -> None:
    monkeypatch.setattr(window.intake, "run", lambda dialog: dialog.columns.setValue(12) or True)
    window.session.edits.paste(np.ones((10, 10), np.uint8))
    window.actions_table[action].trigger()
    wait_idle(qtbot, window)
    assert window.session.tools.selection.patch is None
    window.actions_table["undo"].trigger()
    wait_idle(qtbot, window)
    assert foreground(window) == 100


@pytest.mark.parametrize("action", ["export", "save_labels", "save_table"])
def test_what_floats_is_in_the_run_that_is_exported(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, action: str
) -> None:
    asked: list[int] = []
    for asker, name in ((window.exports, "ask"), (window.dialogs, action)):
        monkeypatch.setattr(asker, name, lambda: asked.append(foreground(window)), raising=False)
    before = foreground(window)
    window.session.edits.paste(np.ones((10, 10), np.uint8))
    window.actions_table[action].trigger()
    qtbot.waitUntil(lambda: bool(asked))
    assert asked == [100] != [before]


def foreground(window: MainWindow) -> int:
    recording = window.session.recording
    assert recording is not None
    return int(recording.image.sum())


def test_a_computed_grid_closes_without_a_question(window: MainWindow) -> None:
    assert window.close()


def test_the_question_says_what_would_be_lost_and_when(drawn: MainWindow) -> None:
    for begin, loss in (
        (drawn.close, "when the window closes"),
        (lambda: open_pattern(drawn, Path()), "when another grid takes their place"),
    ):
        begin()
        box = question(drawn)
        assert box is not None
        assert box.windowModality() is Qt.WindowModality.WindowModal
        assert box.informativeText().endswith(f"they are lost {loss}.")
        texts = [box.button(button).text() for button in (SAVE, DISCARD, CANCEL)]
        assert [text.replace("&", "") for text in texts] == ["Save…", "Don't save", "Cancel"]
        QTest.keyClick(box, Qt.Key.Key_Escape)
        assert question(drawn) is None
        assert is_drawn(drawn)
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    assert drawn.findChildren(QMessageBox) == []


def test_the_question_is_about_what_was_begun_last(drawn: MainWindow) -> None:
    open_pattern(drawn, Path())
    assert not drawn.close()
    box = question(drawn)
    assert box is not None
    assert box.informativeText().endswith("they are lost when the window closes.")
    answer(drawn, DISCARD)
    assert not drawn.isVisible()


def test_a_drawing_can_be_kept_open(drawn: MainWindow) -> None:
    drawn.actions_table["quit"].trigger()
    answer(drawn, CANCEL)
    assert drawn.isVisible()
    assert marked(drawn)


def test_a_drawing_can_be_given_up(drawn: MainWindow) -> None:
    assert not drawn.close()
    assert not drawn.close()  # asked once
    answer(drawn, DISCARD)
    assert not drawn.isVisible()


def test_the_window_closes_once_the_drawing_is_saved(
    drawn: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "mine.txt"
    answer_names(monkeypatch, lambda: (str(path), ""))
    drawn.close()
    answer(drawn, SAVE)
    qtbot.waitUntil(lambda: not drawn.isVisible())
    assert path.read_text().startswith("#")


@pytest.mark.parametrize("name", ["", "no/folder/mine.txt"])
def test_the_window_stays_if_the_drawing_could_not_be_saved(
    drawn: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    answer_names(monkeypatch, lambda: (str(tmp_path / name) if name else "", ""))
    drawn.close()
    answer(drawn, SAVE)
    wait_idle(qtbot, drawn)
    assert drawn.isVisible()
    assert marked(drawn)


def open_file(window: MainWindow, path: Path) -> None:
    window.intake.open(str(path))


def open_recent(window: MainWindow, path: Path) -> None:
    window.intake.open_recent(str(path))


def open_pattern(window: MainWindow, _path: Path) -> None:
    window.intake.open_pattern("pattern:full?width=2&height=2")


def drop_text(window: MainWindow, path: Path) -> None:
    data = QMimeData()
    data.setText(path.read_text())
    window.intake.drop(data)


@pytest.mark.parametrize("opening", [open_file, open_recent, open_pattern, drop_text])
def test_what_takes_the_place_of_a_drawing_asks(
    drawn: MainWindow,
    qtbot: QtBot,
    tmp_path: Path,
    opening: Callable[[MainWindow, Path], None],
) -> None:
    path = tmp_path / "two.txt"
    path.write_text("##\n##\n")
    opening(drawn, path)
    answer(drawn, CANCEL)
    wait_idle(qtbot, drawn)
    assert is_drawn(drawn)
    opening(drawn, path)
    answer(drawn, DISCARD)
    wait_idle(qtbot, drawn)
    assert drawn.session.grid is not None
    assert drawn.session.grid.tolist() == [[1, 1], [1, 1]]
    assert not marked(drawn)


def test_a_drawing_given_up_for_a_broken_file_is_still_there(
    drawn: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    drawn.intake.open(str(tmp_path / "gone.txt"))
    answer(drawn, DISCARD)
    wait_idle(qtbot, drawn)
    assert is_drawn(drawn)
    assert marked(drawn)


def test_saving_names_the_window_and_is_remembered(
    drawn: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "mine.rle"
    answer_names(monkeypatch, lambda: (str(path), ""))
    drawn.actions_table["save_grid"].trigger()
    wait_idle(qtbot, drawn)
    assert drawn.windowTitle().startswith("mine.rle[*]")
    assert not marked(drawn)
    assert drawn.intake.recent.files == [str(path)]
    assert drawn.session.keeping.suggested("") == str(path)


def test_behind_a_lesson_the_own_drawing_is_saved(
    drawn: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "mine.txt"
    names = iter(["", str(path)])
    answer_names(monkeypatch, lambda: (next(names), ""))
    drawn.session.lesson.open("what-is-a-component")
    qtbot.waitUntil(lambda: drawn.session.lesson.is_open)
    assert drawn.session.keeping.suggested_for_own("") == "shibata.png"
    drawn.close()
    answer(drawn, SAVE)
    assert drawn.session.lesson.is_open  # as no name was given
    drawn.close()
    answer(drawn, SAVE)
    qtbot.waitUntil(lambda: not drawn.isVisible())
    assert path.read_text().startswith("#")


def test_the_suffix_follows_the_kind_of_file(window: MainWindow, tmp_path: Path) -> None:
    kinds = "PNG picture (*.png);;Text (*.txt);;Labels (*.npy *.tif)"
    dialog = make_dialog(window, "Save", str(tmp_path / "grid.png"), kinds, ".txt")
    assert isinstance(dialog, QFileDialog)
    assert [Path(name).name for name in dialog.selectedFiles()] == ["grid.txt"]
    dialog.filterSelected.emit("Labels (*.npy *.tif)")
    assert [Path(name).name for name in dialog.selectedFiles()] == ["grid.npy"]
    dialog.selectFile("other.tif")
    dialog.filterSelected.emit("Labels (*.npy *.tif)")
    assert [Path(name).name for name in dialog.selectedFiles()] == ["other.tif"]
    assert dialog.defaultSuffix() == "npy"
    dialog.deleteLater()


KINDS = "Text (*.txt);;PNG picture (*.png);;Labels (*.npy *.tif)"


@pytest.mark.parametrize(
    ("name", "saved", "changed"),
    [
        ("run", "run.txt", "run.png"),
        ("run.v2", "run.v2.txt", "run.v2.png"),
        ("noise 0.5", "noise 0.5.txt", "noise 0.5.png"),
        ("run.v2.TIF", "run.v2.TIF", "run.v2.png"),
        ("run.v2.png", "run.v2.png", "run.v2.png"),
        ("run.", "run..txt", "run..png"),
    ],
)
def test_what_follows_a_dot_is_part_of_the_name_unless_it_is_a_known_suffix(
    qtbot: QtBot,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    saved: str,
    changed: str,
) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)

    def accept(dialog: QFileDialog) -> int:
        dialog.selectFile(str(tmp_path / name))
        return QDialog.DialogCode.Accepted.value

    monkeypatch.setattr(QFileDialog, "exec", accept)
    assert Path(ask_for_name(parent, "Save", str(tmp_path / "a.txt"), KINDS)[0]).name == saved
    dialog = make_dialog(parent, "Save", str(tmp_path / name), KINDS, ".txt")
    dialog.selectFile(name)
    dialog.filterSelected.emit("PNG picture (*.png)")
    assert [Path(file).name for file in dialog.selectedFiles()] == [changed]


@pytest.mark.parametrize("suffix", [".JPG", ".mp4", ".apng", ".zarr", ".cclrec"])
def test_a_kind_that_is_not_written_is_said_and_asked_about_once_more(
    qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str
) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)
    seen: list[str] = []

    def accept(dialog: QFileDialog) -> int:
        if not seen:
            dialog.selectFile(str(tmp_path / f"grid{suffix}"))
        seen.append(Path(dialog.selectedFiles()[0]).name)
        return QDialog.DialogCode.Accepted.value

    monkeypatch.setattr(QFileDialog, "exec", accept)
    monkeypatch.setattr(QMessageBox, "information", lambda *told: seen.append(told[-1]))
    name, _ = ask_for_name(parent, "Save", str(tmp_path / "a.png"), KINDS)
    sentence = "cannot be written: what is saved here ends in .txt, .png, .npy, .tif."
    assert seen == [f"grid{suffix}", f"grid{suffix} {sentence}", "grid.png"]
    assert Path(name).name == "grid.png"


def test_a_completed_name_is_asked_about_if_there_is_such_a_file(
    qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)
    (tmp_path / "run.v2.txt").touch()
    seen: list[str] = []

    def accept(dialog: QFileDialog) -> int:
        if not seen:
            dialog.selectFile(str(tmp_path / "run.v2"))
        seen.append(Path(dialog.selectedFiles()[0]).name)
        return QDialog.DialogCode.Accepted.value

    monkeypatch.setattr(QFileDialog, "exec", accept)
    ask_for_name(parent, "Save", str(tmp_path / "a.txt"), KINDS)
    assert seen == ["run.v2", "run.v2.txt"]


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("pattern:spiral?size=9", "spiral.png"),
        ("/pictures/earth.jpg", "earth-grid.png"),
        ("the clipboard", "grid.png"),
        ("/gone/mine.txt", "mine-grid.png"),
    ],
)
def test_a_name_is_suggested(window: MainWindow, source: str, name: str) -> None:
    assert window.session.keeping.suggested(source) == name


@pytest.mark.parametrize(("name", "own"), [("mine.txt", True), ("mine.PNG", False)])
def test_only_a_file_that_holds_the_grid_itself_is_offered_to_be_written_over(
    window: MainWindow, tmp_path: Path, name: str, own: bool
) -> None:
    path = tmp_path / name
    path.touch()
    suggested = window.session.keeping.suggested(str(path))
    assert suggested == (str(path) if own else "mine-grid.png")
