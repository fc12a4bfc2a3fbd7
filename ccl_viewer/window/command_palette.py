"""The command palette: finds actions, algorithms, patterns and colours by a few letters."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QAction, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QApplication, QFrame, QLineEdit, QListWidget, QListWidgetItem, QWidget

from ccl_viewer.support.spelling import find_nearest
from ccl_viewer.window.actions import ActionTable
from ccl_viewer.window.widgets.feature import PaletteEntry
from ccl_viewer.window.widgets.keys import native_keys
from ccl_viewer.window.widgets.layouts import vbox
from ccl_viewer.window.widgets.style import scaled
from ccl_viewer.window.widgets.tables import TwoTextsDelegate

_WIDTH: Final = 560
_ROWS: Final = 12
_ENTRY: Final = Qt.ItemDataRole.UserRole
_RIGHT: Final = Qt.ItemDataRole.UserRole + 1
_MIN_FUZZY: Final = 3  # a word may have errors from this many letters on
_LISTED: Final = {Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown}
"""Keys that the list handles while the field has the focus."""


def action_entries(actions: ActionTable) -> Iterator[PaletteEntry]:
    """Yield an entry for each action that the palette lists."""
    for name, spec in actions.specs.items():
        if spec.palette:
            menu = spec.menu.replace("&", "").replace("/", " \N{RIGHTWARDS ARROW} ")
            action = actions[name]
            yield PaletteEntry(
                spec.title, menu, action.trigger, spec.tip, spec.keys[:1], action.isEnabled()
            )


def rank_entries(query: str, entries: Iterable[PaletteEntry]) -> list[PaletteEntry]:
    """Return the entries with all words of the query, the best first.

    The best have a word in the title, at the beginning of a word, and a short title. A word in no
    entry is replaced by the most similar one.
    """
    rows = [(entry, entry.words) for entry in entries]
    vocabulary = sorted({word for _, row in rows for word in row.split()})
    words = [_correct_word(word, vocabulary) for word in query.casefold().split()]

    def misfit(entry: PaletteEntry) -> tuple[int, int]:
        title = f" {entry.title}".casefold()
        points = (0 if f" {word}" in title else 1 if word in title else 5 for word in words)
        return sum(points), len(title) if words else 0

    fitting = (entry for entry, row in rows if all(word in row for word in words))
    return sorted(fitting, key=misfit)


def _correct_word(word: str, vocabulary: list[str]) -> str:
    """Correct a word: return a known word or prefix that is similar."""
    if len(word) < _MIN_FUZZY or any(word in each for each in vocabulary):
        return word
    beginnings = (each[: len(word)] for each in vocabulary if len(each) > len(word))
    return find_nearest(word, dict.fromkeys((*vocabulary, *beginnings))) or word


class CommandPalette(QFrame):
    """A field with a list below it, over the top of the window."""

    def __init__(
        self, entries: Iterable[PaletteEntry], opened_by: QAction, window: QWidget
    ) -> None:
        super().__init__(window, Qt.WindowType.Popup)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setAccessibleName("Find")
        self.setProperty("role", "card")
        self._window, self._opened_by = window, opened_by
        self._entries = tuple(entries)
        self.field = QLineEdit(placeholderText="Type a word or two of what you want to do")
        self.list = QListWidget()
        self.field.setAccessibleName("What to find")
        self.list.setAccessibleName("Found")
        self.list.setItemDelegate(TwoTextsDelegate(_RIGHT, self.list))
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setLayout(vbox(self.field, self.list, margins=(8, 8, 8, 8)))
        self.field.textChanged.connect(self.search)
        self.field.installEventFilter(self)
        self.list.itemClicked.connect(self._run)
        self.search("")

    def open_palette(self) -> None:
        """Show it at the top of the window, and focus its field."""
        width = min(scaled(_WIDTH), self._window.width() - 40)
        height = min(scaled(28) * (_ROWS + 2), self._window.height() - 80)
        self.resize(width, height)
        corner = self._window.mapToGlobal(self._window.rect().topLeft())
        self.move(corner.x() + (self._window.width() - width) // 2, corner.y() + 40)
        self.show()
        self.field.setFocus()

    def search(self, query: str) -> None:
        """List the entries that match the query; without one, the actions."""
        self.list.clear()
        matches = rank_entries(query, self._entries)
        for entry in sorted(matches, key=lambda entry: not entry.enabled):
            item = QListWidgetItem(entry.title)
            item.setData(_ENTRY, entry)
            keys = native_keys(entry.keys)
            item.setData(_RIGHT, f"{entry.place}    {keys}" if keys else entry.place)
            item.setToolTip(entry.tip)
            if not entry.enabled:
                item.setFlags(Qt.ItemFlag.NoItemFlags)
            self.list.addItem(item)
        if not matches:
            nothing = QListWidgetItem("Nothing matches")
            nothing.setFlags(Qt.ItemFlag.NoItemFlags)
            self.list.addItem(nothing)
        elif query.strip() and self.list.item(0).flags():
            self.list.setCurrentRow(0)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        """Give the list its keys; Enter runs, and the key that opens the palette clears it."""
        if not isinstance(event, QKeyEvent):
            return False
        if QKeySequence(event.keyCombination()) == self._opened_by.shortcut():
            event.accept()
            self.field.clear()
            return True
        if event.type() is not QEvent.Type.KeyPress:
            return False
        if event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter}:
            item = self.list.currentItem()
            if item is not None:
                self._run(item)  # the list itself would edit on macOS
            return True
        if event.key() in _LISTED:
            QApplication.sendEvent(self.list, event)
        return event.key() in _LISTED

    def _run(self, item: QListWidgetItem) -> None:
        if item.flags():
            entry = item.data(_ENTRY)
            self.close()
            entry.run()
