"""Asks how to import a picture, and whether to read a very large one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QDialog

from ccl_viewer.window.widgets.file_dialogs import Button

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from ccl_viewer.window.core.imports import Imports
    from ccl_viewer.window.core.runs import RunController
    from ccl_viewer.window.widgets.files import QtFiles


class QtImports(QObject):
    """Shows the dialog for a picture with choices, and asks about a very large one."""

    def __init__(
        self, imports: Imports, runs: RunController, files: QtFiles, window: QWidget
    ) -> None:
        super().__init__(window)
        self._imports, self._runs = imports, runs
        self._files, self._window = files, window
        self.dialog: QDialog | None = None
        imports.pending_changed.connect(self._ask_how_to_import)
        imports.unconfirmed_changed.connect(self._ask_about_size)

    def close(self) -> None:
        if self.dialog is not None:
            self.dialog.done(0)

    def _ask_how_to_import(self) -> None:
        if self._imports.pending is not None and self.dialog is None:
            from ccl_viewer.window.opening.import_dialog import ImportDialog

            self.dialog = ImportDialog(self._imports, self._runs, self._window)
            self.dialog.finished.connect(self._on_finished)
            self.dialog.open()

    def _on_finished(self, _result: int) -> None:
        self.dialog = None

    def _ask_about_size(self) -> None:
        picture = self._imports.unconfirmed
        if picture is not None:
            names = {Button.Cancel: "Cancel", Button.Open: "&Open"}
            text = f"{picture.fact}."
            self._files.ask("Open this large picture?", text, names, self._on_answered)

    def _on_answered(self, answer: int) -> None:
        if answer == Button.Open.value:
            self._imports.confirm()
        else:
            self._imports.decline()
