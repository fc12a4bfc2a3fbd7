"""A window with only files and clipboard, which is made quickly."""

from __future__ import annotations

from PySide6.QtWidgets import QMainWindow, QWidget

from ccl_viewer.window.core.session import Session
from ccl_viewer.window.opening.clipboard import DropTarget, QtClipboard
from ccl_viewer.window.opening.importing import QtImports
from ccl_viewer.window.widgets.files import QtFiles


class LightWindow(QMainWindow):
    """The parts of the window for dialogs, files and clipboard."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self.session = session
        self.files = QtFiles(session.files, session.document, session.tasks, self)
        self.imports = QtImports(session.imports, session.runs, self.files, self)
        self.clipboard = QtClipboard(session, self.files, self)
        self.page = QWidget(self)
        self.setCentralWidget(self.page)
        self.target = DropTarget(self.page, self.clipboard)
