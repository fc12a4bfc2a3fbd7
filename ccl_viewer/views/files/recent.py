"""The files that were opened last: remembered, in a menu, and as buttons."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QLabel, QMenu, QToolButton, QVBoxLayout, QWidget

from ccl_viewer.errors import InputError
from ccl_viewer.files import is_file
from ccl_viewer.session.settings import Settings

MOST = 10
"""Files that are remembered."""

_KEY = "recent/files"
_LONGEST = 60  # characters of a name in the menu


class RecentFiles(QObject):
    """Names of files, the last one first; those that are gone are left out.

    Parameters
    ----------
    settings : Settings
        Where they are remembered.
    parent : QObject or None
        Parent.
    """

    changed = Signal()

    def __init__(self, settings: Settings, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._settings = settings

    @property
    def files(self) -> list[str]:
        """The files that are still there, at most ten."""
        return [name for name in self._names() if is_file(name)]

    def add(self, path: str) -> None:
        """Remember that a file was opened."""
        name = str(Path(path).absolute())
        names = [name, *(other for other in self._names() if other != name)]
        if len(names) > MOST:  # those on a drive that is not there now go before those that are
            names = [name for name in names if is_file(name)]
        self._keep(names[:MOST])

    def forget(self, path: str) -> None:
        """Leave a file out from now on."""
        self._keep([name for name in self._names() if name != path])

    def clear(self) -> None:
        """Forget all files."""
        self._keep([])

    def _names(self) -> list[str]:
        values = self._settings.value(_KEY)
        if not isinstance(values, list):
            return []
        return [name for name in values if isinstance(name, str) and name][:MOST]

    def _keep(self, names: list[str]) -> None:
        if names != self._names():
            self._settings.set_value(_KEY, names)
            with suppress(InputError):  # which is said at the start and at the end
                self._settings.save()
            self.changed.emit()


class RecentMenu(QMenu):
    """Opens one of the files that were opened last; looks for them whenever it is shown.

    Parameters
    ----------
    recent : RecentFiles
        The files.
    open_file : callable
        Opens one.
    parent : QWidget or None
        Parent.
    """

    def __init__(
        self,
        recent: RecentFiles,
        open_file: Callable[[str], object],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__("Open &recent", parent)
        self._recent = recent
        self._open = open_file
        self.setToolTipsVisible(True)
        self.aboutToShow.connect(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        """Show the files that are there now."""
        self.clear()
        files = self._recent.files
        for number, name in enumerate(files, start=1):
            key = f"&{number % 10} " if number <= MOST else ""
            action = self.addAction(key + short_name(name).replace("&", "&&"))
            action.setToolTip(name)
            action.setData(name)
            action.triggered.connect(lambda _on=False, name=name: self._open(name))
        if not files:
            self.addAction("No files yet").setEnabled(False)
            return
        self.addSeparator()
        forget = self.addAction("&Clear this list")
        forget.triggered.connect(self._recent.clear)


class RecentList(QWidget):
    """The files that were opened last, as buttons below one another; empty if there are none.

    Parameters
    ----------
    recent : RecentFiles
        The files.
    open_file : callable
        Opens one.
    most : int
        How many are shown.
    """

    def __init__(
        self, recent: RecentFiles, open_file: Callable[[str], object], most: int = 4
    ) -> None:
        super().__init__()
        self._recent = recent
        self._open = open_file
        self._most = most
        self.heading = QLabel("Recent files")
        self.heading.setProperty("role", "caption")
        self.heading.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.buttons: list[QToolButton] = []
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(2)
        self._column.addWidget(self.heading)
        recent.changed.connect(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        """Show the files that are there now."""
        for button in self.buttons:
            self._column.removeWidget(button)
            button.deleteLater()
        self.buttons = [self._button(name) for name in self._recent.files[: self._most]]
        for button in self.buttons:
            self._column.addWidget(button, 0, Qt.AlignmentFlag.AlignHCenter)
        self.heading.setVisible(bool(self.buttons))

    def _button(self, name: str) -> QToolButton:
        button = QToolButton()
        button.setText(short_name(name))
        button.setToolTip(name)
        button.setAccessibleName(f"Open {name}")
        button.setProperty("flat", "true")
        button.setCursor(Qt.CursorShape.PointingHandCursor)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.clicked.connect(lambda: self._open(name))
        return button


def short_name(path: str) -> str:
    """Return a file's name and its folder's, short enough for a menu."""
    named = Path(path)
    text = f"{named.name}  ({named.parent.name})" if named.parent.name else named.name
    if len(text) > _LONGEST:
        text = f"{text[: _LONGEST // 2 - 1]}…{text[-_LONGEST // 2 :]}"
    return text
