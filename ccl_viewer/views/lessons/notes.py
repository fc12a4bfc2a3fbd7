"""The presenter's notes, in a small window of their own, for a screen that the class cannot see."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import QLabel, QScrollArea, QVBoxLayout, QWidget

from ccl_viewer.lessons.markup import to_html
from ccl_viewer.session.lessons.lesson import LessonPlayer
from ccl_viewer.session.signals import Signal
from ccl_viewer.views.lessons.text import styled
from ccl_viewer.views.looks.text_size import resize_with_text
from ccl_viewer.views.looks.theme import DARK, Theme
from ccl_viewer.views.widgets.dialog import Dialog

_SIZE = QSize(420, 300)
_NOTHING = "There are no notes for this scene."


class NotesWindow(Dialog):
    """Shows the notes of the scene on display, and what comes next.

    Attributes
    ----------
    closed : Signal
        The user closed it.

    Parameters
    ----------
    player : LessonPlayer
        The lesson.
    parent : QWidget
        The window over which it floats.
    """

    def __init__(self, player: LessonPlayer, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Tool)
        self.closed = Signal()
        self._player = player
        self._theme = DARK
        self.setWindowTitle("Presenter's notes")
        self.title = QLabel()
        self.title.setProperty("role", "heading")
        self.title.setWordWrap(True)
        self.text = QLabel()
        self.text.setWordWrap(True)
        self.text.setTextFormat(Qt.TextFormat.RichText)
        self.text.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.following = QLabel()
        self.following.setProperty("role", "dim")
        self.following.setWordWrap(True)
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setFrameShape(QScrollArea.Shape.NoFrame)
        area.setWidget(self.text)
        area.setAccessibleName("Notes")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 14, 16, 14)
        layout.setSpacing(10)
        layout.addWidget(self.title)
        layout.addWidget(area, 1)
        layout.addWidget(self.following)
        resize_with_text(self, _SIZE)

    def set_theme(self, theme: Theme) -> None:
        """Use the colours of a theme."""
        self._theme = theme
        self.refresh()

    def refresh(self) -> None:
        """Show the notes of the scene on display."""
        played, chapters, index = self._player.played, self._player.chapters, self._player.index
        if played is None:
            return
        self.title.setText(f"{index + 1}. {played.scene.title}")
        self.text.setText(styled(to_html(played.notes or _NOTHING), self._theme))
        last = index + 1 >= len(chapters)
        self.following.setText(
            "This is the last scene." if last else f"Next: {chapters[index + 1].title}"
        )

    def closeEvent(self, event: QCloseEvent) -> None:
        """Say that it was closed."""
        super().closeEvent(event)
        self.closed.emit()

    def reject(self) -> None:
        """Close with Escape as with the window's button."""
        self.close()
