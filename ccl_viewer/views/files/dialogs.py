"""Asks for the names of files to open and save."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

from PySide6.QtWidgets import QFileDialog, QWidget

from ccl_viewer.export import ExportOptions
from ccl_viewer.export.options import LabelValues
from ccl_viewer.grids.files import READ_SUFFIXES
from ccl_viewer.session import Session
from ccl_viewer.session.files.work import RECORDING_SUFFIX
from ccl_viewer.views.widgets.save_name import ask_for_name, kind_of

_RECORDINGS = (RECORDING_SUFFIX,)
_OPEN = ";;".join(
    (
        kind_of("All that can be opened", (*READ_SUFFIXES, *_RECORDINGS)),
        kind_of("Recordings", _RECORDINGS),
        "All files (*)",
    )
)
_GRID = (
    "PNG picture (*.png);;PBM picture (*.pbm);;PGM picture (*.pgm);;NumPy array (*.npy);;"
    "Text of . and # (*.txt);;Golly's run lengths (*.rle)"
)
_LABELS: Final[dict[str, LabelValues]] = {
    "Labels as the paper writes them (*.npy *.tif *.png)": "raw",
    "Numbers of the components (*.npy *.tif *.png)": "component",
}
_TABLES = "Table (*.csv);;What was run, and its steps (*.json)"


class FileDialogs:
    """Opens and saves through the system's file dialogs.

    Parameters
    ----------
    window : QWidget
        The window that asks.
    session : Session
        Saves.
    open_file : callable
        Opens a file.
    """

    def __init__(
        self, window: QWidget, session: Session, open_file: Callable[[str], object]
    ) -> None:
        self._window = window
        self._session = session
        self._open = open_file
        self._folder = ""
        self._filter = ""

    def open(self) -> None:
        """Ask for a file and open it."""
        name, _ = QFileDialog.getOpenFileName(self._window, "Open", self._folder, _OPEN)
        if name:
            self._folder = str(Path(name).parent)
            self._open(name)

    def save_recording(self) -> None:
        """Ask for a name and save the recording."""
        path = self._ask("Save recording", "run.cclrec", "Recording (*.cclrec)")
        if path is not None:
            self._session.save(path)

    def save_grid(self) -> None:
        """Ask for a name and save the grid."""
        path = self._ask("Save grid", self._session.keeping.suggested(self._session.source), _GRID)
        if path is not None:
            self._session.save(path)

    def save_own_grid(self, then: Callable[[], object]) -> None:
        """Ask for a name and save the user's own grid, for which a lesson is left; then go on."""
        session = self._session
        path = self._ask("Save grid", session.keeping.suggested_for_own(session.source), _GRID)
        if path is not None:
            session.lesson.close()
            session.save(path, then)

    def save_labels(self) -> None:
        """Ask for a name and save the labels of the step on display."""
        path = self._ask("Save labels of this step", "labels.npy", ";;".join(_LABELS))
        if path is not None:
            labels = _LABELS.get(self._filter, "raw")
            self._session.output.export(path, self._this_step(labels=labels))

    def save_table(self) -> None:
        """Ask for a name and save the table of all steps."""
        path = self._ask("Save table of steps", "steps.csv", _TABLES)
        if path is not None:
            self._session.output.export(path, ExportOptions())

    def _this_step(self, *, labels: LabelValues) -> ExportOptions:
        step = self._session.playback.position
        return ExportOptions(steps=slice(step, step + 1), labels=labels)

    def _ask(self, title: str, name: str, filters: str) -> Path | None:
        start = str(Path(self._folder) / name)
        chosen, self._filter = ask_for_name(self._window, title, start, filters)
        if not chosen:
            return None
        self._folder = str(Path(chosen).parent)
        return Path(chosen)
