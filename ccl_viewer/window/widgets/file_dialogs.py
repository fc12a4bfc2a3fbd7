"""Dialogs for files, and questions with buttons."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QItemSelectionModel, Qt
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QFileDialog, QListView, QMessageBox, QWidget

from ccl_viewer.errors import shorten

if TYPE_CHECKING:
    from ccl_viewer.window.core.messages import Messages

Button = QMessageBox.StandardButton
_DESELECT: Final = (
    QItemSelectionModel.SelectionFlag.Deselect | QItemSelectionModel.SelectionFlag.Rows
)


def ask_to_open(
    parent: QWidget, title: str, folder: str, kinds: str, done: Callable[[str], object]
) -> None:
    """Ask for a file of some kinds, given as in :func:`ask_to_save`, and call `done` with it."""
    dialog = _make_file_dialog(parent, title, folder, QFileDialog.FileMode.ExistingFile)
    dialog.setNameFilter(kinds)
    dialog.fileSelected.connect(done)
    dialog.open()


def ask_to_open_several(parent: QWidget, title: str, done: Callable[[list[str]], object]) -> None:
    """Ask for files, and call `done` with their names."""
    dialog = _make_file_dialog(parent, title, "", QFileDialog.FileMode.ExistingFiles)
    dialog.filesSelected.connect(done)
    dialog.open()


def ask_for_folder(
    parent: QWidget, title: str, done: Callable[[Path], object], start: str = ""
) -> None:
    """Ask for a folder, and call `done` with it."""
    dialog = _make_file_dialog(parent, title, start, QFileDialog.FileMode.Directory)
    dialog.setOption(QFileDialog.Option.ShowDirsOnly)
    dialog.fileSelected.connect(lambda name: done(Path(name)))
    dialog.open()


def ask_to_save(
    parent: QWidget, title: str, start: str, kinds: str, done: Callable[[Path], object]
) -> QFileDialog:
    """Ask for the name of a file to write; its suffix follows the chosen kind.

    Kinds are separated by ``;;``: ``"Text (*.txt);;Table (*.csv *.tsv)"``. `done` is called with
    the name, if one is chosen.
    """
    start_path = Path(start)
    dialog = _make_file_dialog(parent, title, str(start_path.parent), QFileDialog.FileMode.AnyFile)
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    names = kinds.split(";;")
    dialog.setNameFilters(names)
    dialog.selectNameFilter(
        next((kind for kind in names if start_path.suffix in suffixes_of(kind)), names[0])
    )
    dialog.selectFile(start_path.name)

    def follow(kind: str) -> None:
        suffixes = suffixes_of(kind)
        dialog.setDefaultSuffix(suffixes[0])
        chosen = dialog.selectedFiles()
        path = Path(chosen[0] if chosen else "")
        if path.suffix.lower() in suffixes_of(kinds) and path.suffix.lower() not in suffixes:
            dialog.selectFile(path.with_suffix(suffixes[0]).name)

    follow(dialog.selectedNameFilter())
    dialog.filterSelected.connect(follow)
    dialog.fileSelected.connect(lambda name: done(Path(name)))
    dialog.open()
    return dialog


def _make_file_dialog(
    parent: QWidget, title: str, folder: str, mode: QFileDialog.FileMode
) -> QFileDialog:
    """Return a file dialog that takes a path as it is typed.

    While a path is typed, Qt selects what it names so far. At times this leaves the folder on
    display selected; of two selected names, the dialog then takes the first, or none.
    """
    dialog = QFileDialog(parent, title, folder)
    dialog.setFileMode(mode)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    files = dialog.findChild(QListView, "listView")  # the system's own dialog has none
    if files is not None:
        selection = files.selectionModel()
        selection.selectionChanged.connect(lambda: selection.select(files.rootIndex(), _DESELECT))
    return dialog


def ask_and_save(
    parent: QWidget,
    messages: Messages,
    title: str,
    start: str,
    kinds: str,
    write: Callable[[Path], object],
) -> None:
    """Ask for a name as :func:`ask_to_save` does, write the file, and report the result."""

    def done(path: Path) -> None:
        with messages.catch_errors(title):
            write(path)
            messages.dismiss_error()
            messages.tell(f"Saved {shorten(path)}.")

    ask_to_save(parent, title, start, kinds, done)


def make_name_filter(title: str, suffixes: Iterable[str]) -> str:
    """Return a kind of files for a file dialog: ``"Text (*.txt)"``."""
    return f"{title} ({' '.join(f'*{suffix}' for suffix in suffixes)})"


def suffixes_of(kind: str) -> tuple[str, ...]:
    """Return the suffixes of a kind of files: ``(".txt",)`` for ``"Text (*.txt)"``."""
    return tuple(re.findall(r"\*(\.\w+)", kind))


def make_question_box(window: QWidget, text: str, names: Mapping[Button, str]) -> QMessageBox:
    """Return a question; the first answer is the default, and Escape means Cancel."""
    box = QMessageBox(window)
    box.setWindowModality(Qt.WindowModality.WindowModal)
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    box.setTextFormat(Qt.TextFormat.PlainText)
    box.setIcon(QMessageBox.Icon.Question)
    box.setText(text)
    for button, name in names.items():
        box.addButton(button)
        box.button(button).setText(name)
        box.button(button).setIcon(QIcon())
    box.setDefaultButton(next(iter(names)))
    box.setEscapeButton(Button.Cancel)
    return box
