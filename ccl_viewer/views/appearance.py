"""How the window looks: its theme."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

from PySide6.QtWidgets import QApplication

from ccl_viewer.session.signals import Signal
from ccl_viewer.views import theme as themes
from ccl_viewer.views.icons import write_colored
from ccl_viewer.views.memory import Memory


class Appearance:
    """The look of the window, given to the whole application."""

    def __init__(self) -> None:
        self.changed = Signal()
        self._theme = themes.DARK
        self._folder = tempfile.TemporaryDirectory(prefix="ccl-viewer-")

    @property
    def theme(self) -> themes.Theme:
        """The theme in use."""
        return self._theme

    def set_theme(self, name: str) -> None:
        """Use a theme: ``"dark"`` or ``"light"``; another name means dark."""
        self._theme = themes.THEMES.get(name, themes.DARK)
        self.apply()

    def apply(self) -> None:
        """Give the whole application this look."""
        folder = Path(self._folder.name)
        arrows = (
            write_colored("arrow-up", self._theme.dim, folder),
            write_colored("arrow-down", self._theme.dim, folder),
        )
        application = QApplication.instance()
        if isinstance(application, QApplication):
            themes.apply(application, self._theme, arrows)
        self.changed.emit()

    def memories(self) -> Iterator[Memory]:
        """Return what is to be remembered."""
        yield Memory("view/theme", lambda: self._theme.name, self.set_theme)

    def close(self) -> None:
        """Remove the files that the style uses."""
        self._folder.cleanup()
