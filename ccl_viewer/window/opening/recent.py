"""The menu of recent files."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from PySide6.QtWidgets import QMenu, QWidget

from ccl_viewer.window.widgets.files import QtFiles

if TYPE_CHECKING:
    from ccl_viewer.window.core.files import Files

_LONGEST: Final = 60  # characters of a name in the menu


class RecentMenu(QMenu):
    """Opens one of the recent files; the list is updated whenever it is shown."""

    def __init__(self, model: Files, files: QtFiles, parent: QWidget | None = None) -> None:
        super().__init__("Open &recent", parent)
        self._model, self._files = model, files
        self.setToolTipsVisible(True)
        self.aboutToShow.connect(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        self.clear()
        recent = self._model.recent
        for number, name in enumerate(recent, start=1):
            text = f"&{number % 10} {short_name(name).replace('&', '&&')}"
            self.addAction(text, partial(self._files.open_recent, name)).setToolTip(name)
        if recent:
            self.addSeparator()
            self.addAction("&Clear this list", self._model.clear_recent)
        else:
            self.addAction("No files yet").setEnabled(False)


def short_name(path: str) -> str:
    """Return the names of a file and its folder, short enough for a menu."""
    named = Path(path)
    text = f"{named.name}  ({named.parent.name})" if named.parent.name else named.name
    if len(text) > _LONGEST:
        text = f"{text[: _LONGEST // 2 - 1]}…{text[-_LONGEST // 2 :]}"
    return text
