"""The command palette: all actions, searched by a few letters, run by Enter."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QApplication, QFrame, QLineEdit, QListWidget, QListWidgetItem

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
"""Keys that the list answers while the field has the focus."""


def ranked(query: str, specs: Iterable[ActionSpec]) -> list[ActionSpec]:
    """Return the actions whose rows have each word of the query, the best first.

    Best is a word in the title, at the beginning of a word.
    """
    words = query.casefold().split()

    def row(spec: ActionSpec) -> str:
        return f"{spec.menu.replace('&', '')} {spec.title} {spec.tip}".casefold()

    def misfit(spec: ActionSpec) -> int:
        title = f" {spec.title}".casefold()
        return sum(0 if f" {word}" in title else 1 if word in title else 5 for word in words)

    return sorted((spec for spec in specs if all(w in row(spec) for w in words)), key=misfit)


class CommandPalette(QFrame):
    """A field and a list below it, over the top of the window."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window, Qt.WindowType.Popup)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setAccessibleName("Find an action")
        self.setProperty("role", "card")
        self._window = window
        self.field = QLineEdit(placeholderText="Type a word or two of what you want to do")
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
        if not found:
            nothing = QListWidgetItem("No action has these words")
            nothing.setFlags(Qt.ItemFlag.NoItemFlags)
            self.list.addItem(nothing)
        elif query.strip() and self.list.item(0).flags():
            self.list.setCurrentRow(0)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        """Let the list have its keys, and Enter run; what opened the palette begins anew."""
        if not isinstance(event, QKeyEvent):
            return False
        if QKeySequence(event.keyCombination()) == self._window.actions["palette"].shortcut():
            event.accept()
            self.field.clear()
            return True
        if event.type() is not QEvent.Type.KeyPress:
            return False
        if event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter}:
            item = self.list.currentItem()
            if item is not None:
                self._run(item)  # not by the list, which on macOS would edit
            return True
        if event.key() in _LISTED:
            QApplication.sendEvent(self.list, event)
        return event.key() in _LISTED

    def _run(self, item: QListWidgetItem) -> None:
        if item.flags():
            action = self._window.actions[item.data(_NAME)]
            self.close()
            action.trigger()
