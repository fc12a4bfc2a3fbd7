"""Asks for the names of files to open, save and export."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QWidget

from ccl_viewer.export import EXPORT_FORMATS
from ccl_viewer.session import Session

_OPEN = (
    "All that can be opened (*.png *.jpg *.jpeg *.tif *.tiff *.bmp *.pbm *.pgm *.ppm *.gif *.webp "
    "*.npy *.txt *.rle *.cclrec);;Recordings (*.cclrec);;All files (*)"
)
_GRID = (
    "PNG picture (*.png);;PBM picture (*.pbm);;PGM picture (*.pgm);;NumPy array (*.npy);;"
    "Text of . and # (*.txt);;Golly's run lengths (*.rle)"
)


class FileDialogs:
    """Opens, saves and exports through the system's file dialogs.

    Parameters
    ----------
    window : QWidget
        The window that asks.
    session : Session
        Saves and exports.
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
            self._session.save(path if path.suffix else path.with_suffix(".cclrec"))

    def save_grid(self) -> None:
        """Ask for a name and save the grid."""
        path = self._ask("Save grid", "grid.png", _GRID)
        if path is not None:
            self._session.save(path)

    def export(self, theme: str) -> None:
        """Ask for a name and export the recording; a name without a suffix makes a folder."""
        filters = ";;".join(
            f"{row.title} ({'*' if row.is_folder else '*' + row.suffix})" for row in EXPORT_FORMATS
        )
        path = self._ask("Export", "run.gif", filters)
        if path is not None:
            self._session.export(path, theme=theme)

    def _ask(self, title: str, name: str, filters: str) -> Path | None:
        start = str(Path(self._folder) / name)
        chosen, _ = QFileDialog.getSaveFileName(self._window, title, start, filters)
        if not chosen:
            return None
        self._folder = str(Path(chosen).parent)
        return Path(chosen)
