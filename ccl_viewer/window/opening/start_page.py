"""The page without a grid: things to try, lessons, patterns, recent files, what is new."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QAction, QFocusEvent, QShowEvent
from PySide6.QtWidgets import (
    QFrame,
    QListWidgetItem,
    QPushButton,
    QSizePolicy,
    QStackedLayout,
    QTabBar,
    QVBoxLayout,
    QWidget,
)

from ccl_viewer import exercises, lessons
from ccl_viewer.window.opening.recent import short_name
from ccl_viewer.window.widgets.buttons import make_action_button, make_text_button
from ccl_viewer.window.widgets.labels import make_label, name_widget
from ccl_viewer.window.widgets.layouts import hbox, make_container, make_scroll_area, vbox
from ccl_viewer.window.widgets.patterns import PatternGallery
from ccl_viewer.window.widgets.style import scaled

if TYPE_CHECKING:
    from ccl_viewer.window.core.comparison import Comparison
    from ccl_viewer.window.core.document import Document
    from ccl_viewer.window.core.files import Files
    from ccl_viewer.window.widgets.files import QtFiles

_RECENT: Final = 6
_WIDEST: Final = 1500  # pixels, beyond which eyes would have to wander
_BUTTONS: Final = ("open", "new", "tour")


class QtStartPage(QWidget):
    """Offers what one can begin with.

    Over a grid, it has a button that leads back to it: then `left` is emitted.
    """

    left = Signal()

    def __init__(
        self,
        document: Document,
        comparison: Comparison,
        model: Files,
        actions: Mapping[str, QAction],
        files: QtFiles,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._document, self._comparison, self._model = document, comparison, model
        self._actions, self._files = actions, files
        self.setAccessibleName("Start page")
        self.lessons = QVBoxLayout()
        self.exercises = QVBoxLayout()
        self.recent = QVBoxLayout()
        self.patterns = PatternGallery()
        self.patterns.setFrameShape(QFrame.Shape.NoFrame)
        self.patterns.itemActivated.connect(self._open_pattern)
        self.patterns.itemClicked.connect(self._open_pattern)
        self.back = make_text_button(
            "Back to the grid", self.left.emit, "Show the grid again (Esc)"
        )
        self._filled = False
        self._lay_out(actions)
        model.recent_changed.connect(self._fill_recent)

    def focusInEvent(self, _event: QFocusEvent) -> None:
        """Pass the focus on to the patterns."""
        self.patterns.setFocus()

    def showEvent(self, event: QShowEvent) -> None:
        """Fill the page when it is first seen; thumbnails come after it is painted."""
        super().showEvent(event)
        self.patterns.setFocus()
        self.back.setVisible(self._document.grid is not None)
        if not self._filled:
            self._filled = True
            self._fill(self.lessons, "lesson", len(lessons.lesson_names()))
            self._fill(self.exercises, "exercise", len(exercises.exercise_names()))
            QTimer.singleShot(0, self.patterns, self.patterns.fill)
        self._fill_recent()

    def _fill(self, rows: QVBoxLayout, name: str, count: int) -> None:
        """List the actions ``NAME_1``, ``NAME_2``..., unless their feature is missing."""
        for number in range(1, count + 1):
            action = self._actions.get(f"{name}_{number}")
            if action is None:
                continue
            text = action.text().replace("&", "", 1).replace("&&", "&")
            rows.addWidget(_link(text, action.toolTip(), action.trigger))

    def _fill_recent(self) -> None:
        while (item := self.recent.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.deleteLater()
        names = self._model.recent[:_RECENT]
        for name in names:
            open_file = partial(self._files.open_recent, name)
            self.recent.addWidget(_link(short_name(name), name, open_file))
        if not names:
            self.recent.addWidget(make_label("No files yet", "dim"))

    def _watch_spread(self) -> None:
        """Open a spiral at its first step, so that the labels spread from there."""
        self._comparison.set_open(False)
        self._model.open("pattern:spiral?size=31", step=0)

    def _race(self) -> None:
        """Label one grid with four algorithms side by side."""
        self._model.open("pattern:blobs?width=64&height=48&grain=6", step=0)
        self._comparison.add_rivals_until_full()

    def _open_pattern(self, item: QListWidgetItem) -> None:
        self._files.open_path(f"pattern:{item.data(Qt.ItemDataRole.UserRole)}")

    def _lay_out(self, actions: Mapping[str, QAction]) -> None:
        hint = (
            "See how GPUs label connected components, step by step. Drop a picture here to open it."
        )
        words = vbox(make_label("CCL Viewer", "heading"), make_label(hint, "dim", wrap=True))
        buttons = [
            make_action_button(actions[name], text=True, flat=False)
            for name in _BUTTONS
            if name in actions
        ]
        self.tabs = name_widget(QTabBar(drawBase=False, expanding=False), "Lessons and exercises")
        pages = QStackedLayout()
        for name, rows in (("Lessons", self.lessons), ("Exercises", self.exercises)):
            self.tabs.addTab(name)
            rows.setSpacing(2)
            pages.addWidget(make_container(vbox(rows, 1)))
        self.tabs.currentChanged.connect(pages.setCurrentIndex)
        left = vbox(self.tabs, pages, spacing=6)
        left.addSpacing(12)
        left.addWidget(make_label("Recent files", "title"))
        left.addLayout(self.recent)
        left.addStretch(1)
        replace = self._files.replace
        self.to_try = hbox(
            (
                _try(
                    "Watch labels spread",
                    "A spiral; then Space plays",
                    partial(replace, self._watch_spread),
                ),
                1,
            ),
            (_try("Label a photo", "Coins on a cloth", actions["open_sample"].trigger), 1),
            (
                _try(
                    "Race four algorithms", "Side by side, on blobs", partial(replace, self._race)
                ),
                1,
            ),
            spacing=8,
        )
        right = vbox(
            make_label("Try", "title"),
            self.to_try,
            make_label("Patterns", "title"),
            (self.patterns, 1),
            spacing=6,
        )
        head = hbox((words, 1), self.back, *buttons, spacing=8)
        lists = hbox((left, 2), (right, 3), spacing=32)
        inner = make_container(vbox(head, (lists, 1), margins=(28, 20, 28, 16), spacing=14))
        inner.setMaximumWidth(scaled(_WIDEST))
        area = make_scroll_area(inner, "Start page")
        area.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self.setLayout(vbox(area))


def _try(title: str, text: str, does: Callable[[], object]) -> QPushButton:
    button = make_text_button(f"{title}\n{text}", does)
    button.setAccessibleName(f"{title}: {text}")
    return button


def _link(text: str, tip: str, does: Callable[[], object]) -> QPushButton:
    button = make_text_button(text.replace("&", "&&"), does, tip)
    button.setProperty("role", "link")
    button.setCursor(Qt.CursorShape.PointingHandCursor)
    button.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
    return button
