"""The window."""

from __future__ import annotations

from PySide6.QtWidgets import QMainWindow

from ccl_viewer.models.session import Session
from ccl_viewer.models.settings import Settings
from ccl_viewer.qt.process import Poster


class MainWindow(QMainWindow):
    """The window: menus, one line of settings, the canvas, the transport, the side panel."""

    def __init__(self, settings: Settings | None = None) -> None:
        super().__init__()
        self._poster = Poster(self)
        self.session = Session(self._poster, settings or Settings())

    def leave(self) -> None:
        """Close the window without asking about a drawing."""
        self.close()
        self.session.close()
        self._poster.close()
