"""The command palette: all actions, searched by a few letters, run by Enter."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
)

from ccl_viewer.views.action_spec import ActionSpec
from ccl_viewer.views.style import scaled
from ccl_viewer.views.widgets import TwoTextsDelegate, native_keys, vbox

if TYPE_CHECKING:
    from ccl_viewer.views.main_window import MainWindow

_WIDTH: Final = 560
_ROWS: Final = 12
_NAME: Final = Qt.ItemDataRole.UserRole
_RIGHT: Final = Qt.ItemDataRole.UserRole + 1
_LISTED: Final = {Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown}


def score(query: str, text: str) -> int | None:
    """Return how well a text fits what was typed; None if it does not, else lower is better.

    Each word of the query must be in the text, or else all its letters in order. Beginnings of
    words are better than their middles.
    """
    text, query = text.casefold(), query.casefold().strip()
    if not query:
        return 0
    words = query.split()
    if all(word in text for word in words):
        return sum(0 if _starts(word, text) else 5 for word in words) + text.index(words[0])
    place, total = -1, 40
    for letter in query.replace(" ", ""):
        found = text.find(letter, place + 1)
        if found < 0:
            return None
        total += 0 if found == place + 1 else min(found - place, 10)
        place = found
    return total


def _starts(word: str, text: str) -> bool:
    """Return whether a word begins where a word of the text does."""
    return text.startswith(word) or f" {word}" in text


def ranked(query: str, specs: Iterable[ActionSpec]) -> list[ActionSpec]:
    """Return the actions that fit what was typed, the best first."""
    found = []
    for number, spec in enumerate(specs):
        title = score(query, spec.title)
        told = f"{spec.menu.replace('&', '')} {spec.title} {spec.tip}".casefold()
        other = 60 if all(word in told for word in query.casefold().split()) else None
        scores = [value for value in (title, other) if value is not None]
        if scores:
            found.append((min(scores), number, spec))
    return [spec for *_, spec in sorted(found, key=lambda entry: entry[:2])]


class CommandPalette(QFrame):
    """A field and a list below it, over the top of the window."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window, Qt.WindowType.Popup)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setAccessibleName("Find an action")
        self.setProperty("role", "card")
        self._window = window
        self.field = QLineEdit(placeholderText="Type a few letters of what you want to do")
        self.list = QListWidget()
        self.list.setItemDelegate(TwoTextsDelegate(_RIGHT, self.list))
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setLayout(vbox(self.field, self.list, margins=(8, 8, 8, 8)))
        self.field.textChanged.connect(self.search)
        self.field.installEventFilter(self)
        self.list.itemClicked.connect(self._run)
        self.search("")

    def open_palette(self) -> None:
        """Show it at the top of the window, with the focus in its field."""
        self._window.actions.follow()
        width = min(scaled(_WIDTH), self._window.width() - 40)
        height = min(scaled(28) * (_ROWS + 2), self._window.height() - 80)
        self.resize(width, height)
        corner = self._window.mapToGlobal(self._window.rect().topLeft())
        self.move(corner.x() + (self._window.width() - width) // 2, corner.y() + 40)
        self.show()
        self.field.setFocus()

    def search(self, query: str) -> None:
        self.list.clear()
        actions = self._window.actions
        found = ranked(query, (spec for spec in actions.specs.values() if spec.palette))
        for spec in sorted(found, key=lambda spec: not actions[spec.name].isEnabled()):
            item = QListWidgetItem(spec.title)
            item.setData(_NAME, spec.name)
            place = spec.menu.replace("&", "").replace("/", " \N{RIGHTWARDS ARROW} ")
            keys = native_keys(spec.keys[:1])
            item.setData(_RIGHT, f"{place}    {keys}" if keys else place)
            item.setToolTip(spec.tip)
            if not actions[spec.name].isEnabled():
                item.setFlags(Qt.ItemFlag.NoItemFlags)
            self.list.addItem(item)
        self._select(0, 1)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        """Let arrows go through the list while the field has the focus, and Enter run."""
        if event.type() is not QEvent.Type.KeyPress or not isinstance(event, QKeyEvent):
            return False
        key = Qt.Key(event.key())
        if key in {Qt.Key.Key_Return, Qt.Key.Key_Enter}:
            item = self.list.currentItem()
            if item is not None:
                self._run(item)
            return True
        if key is Qt.Key.Key_Up:
            self._select(self.list.currentRow() - 1, -1)
        elif key is Qt.Key.Key_Down:
            self._select(self.list.currentRow() + 1, 1)
        elif key in _LISTED:
            QApplication.sendEvent(self.list, event)
        return key in _LISTED

    def _select(self, row: int, direction: int) -> None:
        """Select a row, or the next one in a direction that can be run."""
        while 0 <= row < self.list.count():
            if self.list.item(row).flags() & Qt.ItemFlag.ItemIsEnabled:
                self.list.setCurrentRow(row)
                return
            row += direction

    def _run(self, item: QListWidgetItem) -> None:
        if item.flags() & Qt.ItemFlag.ItemIsEnabled:
            action = self._window.actions[item.data(_NAME)]
            self.close()
            action.trigger()
