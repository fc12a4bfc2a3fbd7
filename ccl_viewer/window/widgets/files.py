"""Asks for files, protects an unsaved drawing, and keeps it against a crash."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtWidgets import QMessageBox, QWidget

from ccl_viewer.grids.files import READ_SUFFIXES
from ccl_viewer.grids.specs import is_pattern
from ccl_viewer.window.core.files import RECORDING_SUFFIX
from ccl_viewer.window.core.model import watch
from ccl_viewer.window.core.tasks import EXPORT
from ccl_viewer.window.widgets.file_dialogs import (
    Button,
    ask_to_open,
    ask_to_save,
    make_name_filter,
    make_question_box,
)

if TYPE_CHECKING:
    from ccl_viewer.window.core.document import Document
    from ccl_viewer.window.core.files import Files
    from ccl_viewer.window.core.tasks import TaskQueue

GRID_KINDS: Final = (
    "PNG picture (*.png);;PBM picture (*.pbm);;PGM picture (*.pgm);;NumPy array (*.npy);;"
    "Text of . and # (*.txt);;Golly's run lengths (*.rle)"
)
RECORDING_KIND: Final = f"Recording (*{RECORDING_SUFFIX})"
_AUTOSAVE_MILLISECONDS: Final = 1000
_REPLACED: Final = "when another grid replaces it"


class QtFiles(QObject):
    """Asks for files, protects an unsaved drawing, and keeps it against a crash."""

    def __init__(self, files: Files, document: Document, tasks: TaskQueue, window: QWidget) -> None:
        super().__init__(window)
        self._files, self._document, self._tasks = files, document, tasks
        self._window = window
        self._folder = ""
        self._question: tuple[Callable[[], object], str] | None = None
        self._given_up: object = None  # the cells that may be lost
        files.confirm_loss = self._confirm_again
        self._write_soon = QTimer(self, singleShot=True, interval=_AUTOSAVE_MILLISECONDS)
        self._write_soon.timeout.connect(files.autosave.write)
        watch(
            self._on_edited,
            document.grid_changed,
            document.dirty_changed,
            document.selection_changed,
        )
        files.recovered_drawing_changed.connect(self._ask_to_restore)

    # Opening

    def ask_to_open(self) -> None:
        every = make_name_filter("All supported files", (*READ_SUFFIXES, RECORDING_SUFFIX))
        kinds = f"{every};;{RECORDING_KIND};;All files (*)"
        ask_to_open(self._window, "Open", self._folder, kinds, self.open_path)

    def open_path(self, path: str) -> None:
        """Open a file of any kind, or a pattern; a picture may be offered for choices first."""
        if not is_pattern(path):
            self._folder = str(Path(path).parent)
        self.replace(lambda: self._files.open_or_import(path))

    def open_recent(self, path: str) -> None:
        self.replace(lambda: self._files.open_recent(path))

    def replace(self, begin: Callable[[], object]) -> None:
        """Replace the grid; first ask about an unsaved drawing."""
        self._given_up = None
        self.confirm_loss(begin, _REPLACED)

    def _confirm_again(self, go_on: Callable[[], object]) -> None:
        """Ask about what was drawn while the grid that replaces this one was read."""
        if self._document.user_cells == self._given_up:
            go_on()
        else:
            self.confirm_loss(go_on, _REPLACED)

    # Saving

    def save_grid(self) -> None:
        """Save the grid to its last file, or ask for a name."""
        path = self._document.path
        if path is not None and path.suffix.lower() != RECORDING_SUFFIX:
            self._files.save(path)
        else:
            self.save_grid_as()

    def save_grid_as(self) -> None:
        self._ask_where(self._files.save)

    def _save_own_grid(self, then: Callable[[], object]) -> None:
        """Ask for a name, leave a lesson, save the user's grid, and go on."""
        files = self._files
        files.announce_replacing()
        self._ask_where(lambda path: files.save(path, then))

    def _ask_where(self, save: Callable[[Path], object]) -> None:
        def chosen(path: Path) -> None:
            self._folder = str(path.parent)
            save(path)

        name = Path(self._folder) / self._files.suggested_name
        ask_to_save(self._window, "Save grid", str(name), GRID_KINDS, chosen)

    # Drawings that would be lost

    def confirm_loss(self, go_on: Callable[[], object], loss: str) -> None:
        """Go on immediately if nothing would be lost; otherwise if the user agrees.

        `loss` says when cells are lost ("when the window closes"). The question is always about the
        latest action.
        """
        if not self._document.dirty:
            go_on()
            return
        self._question = go_on, loss
        names = {Button.Save: "&Save…", Button.Discard: "&Don't save", Button.Cancel: "Cancel"}
        text = f"Your drawing is not saved. It will be lost {loss}."
        self.ask("Save your drawing?", text, names, self._on_loss_answered)

    def confirm_closing(self, close: Callable[[], object]) -> None:
        """Close the window once the drawing is saved or given up."""

        def give_up() -> None:
            self._document.give_up()
            close()

        self.confirm_loss(give_up, "when the window closes")

    def confirm_ending_export(self, close: Callable[[], object]) -> None:
        """Close the window if the user gives up the running export."""

        def answered(answer: int) -> None:
            if answer == Button.Discard.value:
                self._tasks.abandon(EXPORT)
                close()

        names = {Button.Cancel: "&Wait for it", Button.Discard: "&Close without it"}
        text = "If you close the window now, it stops and writes no file."
        self.ask("An export is not finished.", text, names, answered)

    def close(self) -> None:
        self._write_soon.stop()
        for box in self._window.findChildren(QMessageBox):
            box.done(Button.Cancel.value)

    @property
    def unsaved_box(self) -> QMessageBox | None:
        """The question about the drawing that would be lost, while it is asked."""
        return self._asked("Save your drawing?")

    def _asked(self, title: str) -> QMessageBox | None:
        boxes = self._window.findChildren(QMessageBox)
        return next((box for box in boxes if box.isVisible() and box.text() == title), None)

    def ask(
        self,
        title: str,
        text: str,
        names: Mapping[Button, str],
        answered: Callable[[int], object],
    ) -> None:
        """Ask a question; if it is already on display, only change its text."""
        box = self._asked(title)
        if box is None:
            box = make_question_box(self._window, title, names)
            # Qt signals it twice if a box is closed again while it closes.
            box.finished.connect(answered, Qt.ConnectionType.SingleShotConnection)
            # Not exec(): the window goes on working, and closing it is not delayed.
            box.open()
        box.setInformativeText(text)

    def _on_loss_answered(self, answer: int) -> None:
        question, self._question = self._question, None
        if question is None:
            return
        if answer == Button.Discard.value:
            self._given_up = self._document.user_cells
            question[0]()
        elif answer == Button.Save.value:
            self._save_own_grid(lambda: self.confirm_loss(*question))

    # Following the models

    def _on_edited(self) -> None:
        # Not restarted, or the file would not be written during continuous drawing.
        if not self._write_soon.isActive():
            self._write_soon.start()

    def _ask_to_restore(self) -> None:
        left = self._files.recovered_drawing
        if left is None:
            return
        names = {Button.Yes: "&Restore", Button.Discard: "&Discard", Button.Cancel: "&Later"}
        text = (
            f"The program ended on {left.saved_at:%d %B %Y, %H:%M} with an unsaved drawing. "
            "It is offered at each start until you restore or discard it."
        )
        self.ask("Restore your drawing?", text, names, self._on_restore_answered)

    def _on_restore_answered(self, answer: int) -> None:
        files = self._files
        if answer == Button.Yes.value:
            files.restore_recovery_file()
        elif answer == Button.Discard.value:
            files.discard_recovery_file()
        else:
            files.postpone_recovery_file()
