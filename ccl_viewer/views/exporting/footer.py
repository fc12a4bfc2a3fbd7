"""The lower part of the export dialog: the command line, then the progress, then what was made."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, QUrl, Signal
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QProgressBar,
    QPushButton,
    QStackedWidget,
    QWidget,
)

from ccl_viewer.session.exporting.exporting import Progress
from ccl_viewer.views.dialogs.buttons import answer_return
from ccl_viewer.views.looks.theme import fixed_font

_THOUSAND = 1000
_MINUTE = 90


class Footer(QStackedWidget):
    """What can be done, by what the export is at."""

    export = Signal()
    cancel = Signal()
    again = Signal()
    close_asked = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.command = QLineEdit()
        self.command.setReadOnly(True)
        self.command.setAccessibleName("Command line that exports the same")
        self.command.setToolTip("The same export on the command line")
        self.command.setFont(fixed_font(self.font().pointSizeF() * 0.9))
        self.copy_command = _button("C&opy", "Copy the command line")
        self.export_button = _button("&Export", "Write the file")
        self.export_button.setProperty("role", "primary")
        self.close_button = _button("Cancel", "Close and export nothing")
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setAccessibleName("Progress of the export")
        self.state = QLabel()
        self.cancel_button = _button("Cancel", "Stop; nothing is left of the file")
        self.made = QLabel()
        self.made.setProperty("role", "ok")
        self.made.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.show_folder = _button("Show in &folder", "Open the folder that it is in")
        self.copy_path = _button("Copy &path", "Copy the name with its folder")
        self.again_button = _button("Export &another…", "Choose anew")
        self.done_button = _button("Close", "Close the dialog")
        self.done_button.setProperty("role", "primary")
        self._path = ""
        self._lay_out()
        self._connect()

    def show_choosing(self, command: str, *, can_export: bool, replaces: bool) -> None:
        """Offer the export."""
        if self.currentIndex() != 0:
            self.setCurrentIndex(0)
            answer_return(self.export_button)
        if self.command.text() != command:
            self.command.setText(command)
            self.command.setCursorPosition(0)
        self.export_button.setEnabled(can_export)
        self.export_button.setText("Re&place" if replaces else "&Export")

    def show_progress(self, progress: Progress, *, stopping: bool) -> None:
        """Show how far the writing is."""
        if self.currentIndex() != 1:
            self.setCurrentIndex(1)
            self.cancel_button.setFocus()
        self.bar.setRange(0, progress.total)
        self.bar.setValue(progress.done)
        self.cancel_button.setEnabled(not stopping)
        self.state.setText("Stopping…" if stopping else progress_text(progress))

    def show_made(self, path: str, size: int) -> None:
        """Show what was written."""
        self._path = path
        self.made.setText(f"Exported, {size_text(size)}.")
        self.made.setToolTip(path)
        if self.currentIndex() != 2:
            self.setCurrentIndex(2)
            answer_return(self.done_button)
            self.done_button.setFocus()

    def _connect(self) -> None:
        self.export_button.clicked.connect(self.export)
        self.cancel_button.clicked.connect(self.cancel)
        self.again_button.clicked.connect(self.again)
        self.close_button.clicked.connect(self.close_asked)
        self.done_button.clicked.connect(self.close_asked)
        self.copy_command.clicked.connect(
            lambda: QGuiApplication.clipboard().setText(self.command.text())
        )
        self.copy_path.clicked.connect(lambda: QGuiApplication.clipboard().setText(self._path))
        self.show_folder.clicked.connect(self._open_folder)

    def _open_folder(self) -> None:
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(Path(self._path).absolute().parent)))

    def _lay_out(self) -> None:
        end = (self.export_button, self.close_button)
        made = (self.show_folder, self.copy_path, self.again_button, self.done_button)
        self._add_page(self.command, self.copy_command, *end)
        self._add_page(self.bar, self.cancel_button, first=self.state)
        self._add_page(self.made, *made)

    def _add_page(self, wide: QWidget, *others: QWidget, first: QWidget | None = None) -> None:
        """Add a page of widgets beside each other, of which one takes the room that is left."""
        page = QWidget()
        row = QHBoxLayout(page)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        if first is not None:
            row.addWidget(first)
        row.addWidget(wide, 1)
        for other in others:
            row.addWidget(other)
        self.addWidget(page)


def progress_text(progress: Progress) -> str:
    """Return how far the writing is, in words."""
    if not progress.total:
        return "Preparing…"
    text = f"Frame {progress.done:,} of {progress.total:,}"
    return text if progress.left is None else f"{text}, {time_text(progress.left)} left"


def time_text(seconds: float) -> str:
    """Return a time to come in words."""
    if seconds < 1:
        return "less than a second"
    if seconds < _MINUTE:
        return f"about {round(seconds)} s"
    return f"about {round(seconds / 60)} min"


def size_text(size: int) -> str:
    """Return a size in bytes as people write it."""
    if size < _THOUSAND:
        return f"{size} B"
    value, units = size / _THOUSAND, ["kB", "MB", "GB"]
    while value >= _THOUSAND and len(units) > 1:
        value /= _THOUSAND
        units.pop(0)
    return f"{value:.1f} {units[0]}" if value < _THOUSAND / 10 else f"{value:,.0f} {units[0]}"


def _button(title: str, tip: str) -> QPushButton:
    button = QPushButton(title)
    button.setToolTip(tip)
    button.setAutoDefault(False)
    return button
