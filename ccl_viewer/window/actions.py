"""The actions of the window: QActions, menus and tooltips made from rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from itertools import groupby
from operator import attrgetter
from typing import Final

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QAction, QKeyEvent, QKeySequence
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QLineEdit,
    QMenu,
    QMenuBar,
    QPlainTextEdit,
    QWidget,
)

from ccl_viewer.window.widgets.action_spec import ActionSpec
from ccl_viewer.window.widgets.feature import SubmenuSpec
from ccl_viewer.window.widgets.keys import ARROW_KEYS, native_keys
from ccl_viewer.window.widgets.style import icon

MENUS: Final = (
    *("&File", "&Edit", "&Tools", "&Run", "&Playback"),
    *("&Compare", "&View", "&Lessons", "&Help"),
)


class ActionTable(dict[str, QAction]):
    """The actions of a window, by name; `specs` are their rows, in order.

    `in_lesson` says whether a lesson has the keys that it shares with other actions. `ran` is
    called after each action.
    """

    def __init__(
        self, window: QWidget, in_lesson: Callable[[], bool], ran: Callable[[], object]
    ) -> None:
        super().__init__()
        self._window, self._in_lesson, self._ran = window, in_lesson, ran
        self.specs: dict[str, ActionSpec] = {}
        self.menus: dict[str, QMenu] = {}

    def add(self, specs: Iterable[ActionSpec]) -> None:
        """Make an action of each row."""
        for spec in specs:
            self.specs[spec.name] = spec
            self[spec.name] = self._make(spec)
            self._window.addAction(self[spec.name])

    def refresh(self) -> None:
        """Update which actions are enabled and checked."""
        for name, spec in self.specs.items():
            action = self[name]
            action.setEnabled(spec.enabled())
            if spec.lesson_keys is not None:
                self._set_keys(action, spec.lesson_keys if self._in_lesson() else spec.keys)
            if spec.checked is not None:
                action.setChecked(spec.checked())
            if spec.about is not None:
                about = spec.about().replace("&", "&&")
                action.setText(f"{spec.text} {about}".strip())

    def fill_menu_bar(self, bar: QMenuBar, submenus: Iterable[SubmenuSpec]) -> None:
        for text in MENUS:
            title = text.replace("&", "")
            menu = self.menus[title] = bar.addMenu(text)
            menu.setToolTipsVisible(True)
            menu.aboutToShow.connect(self.refresh)
            rows = [spec for spec in self.specs.values() if spec.menu.split("/")[0] == title]
            group = attrgetter("group")
            for number, specs in groupby(sorted(rows, key=group), group):
                if number:
                    menu.addSeparator()
                for spec in specs:
                    self._menu_of(spec).addAction(self[spec.name])
        for submenu in submenus:
            menu = self.menus[submenu.menu]
            menu.insertMenu(self[submenu.before], submenu.make(menu))

    def _menu_of(self, spec: ActionSpec) -> QMenu:
        if spec.menu not in self.menus:
            title, _, inner = spec.menu.partition("/")
            self.menus[spec.menu] = self.menus[title].addMenu(inner)
            self.menus[spec.menu].setToolTipsVisible(True)
        return self.menus[spec.menu]

    def _make(self, spec: ActionSpec) -> QAction:
        action = QAction(spec.text, self._window)
        action.setObjectName(spec.name)
        self._set_keys(action, spec.keys)
        action.setToolTip(tip_of(spec))
        action.setCheckable(spec.checked is not None)
        if spec.icon:
            action.setIcon(icon(spec.icon))
        action.triggered.connect(partial(self._run, spec))
        return action

    @staticmethod
    def _set_keys(action: QAction, keys: tuple[str, ...]) -> None:
        shortcuts = [QKeySequence(key) for key in keys]
        if action.shortcuts() != shortcuts:
            action.setShortcuts(shortcuts)

    def _run(self, spec: ActionSpec, _on: bool = False) -> None:
        spec.run()
        self._ran()  # also if no model changed: a toggle shows its state


def tip_of(spec: ActionSpec) -> str:
    """Return the tooltip of an action: what it does, and its keys."""
    text = spec.tip or spec.title.rstrip("\N{HORIZONTAL ELLIPSIS}")
    return f"{text} ({native_keys(spec.keys)})" if spec.keys else text


_CHORD: Final = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier
_PAGES: Final = {Qt.Key.Key_Home, Qt.Key.Key_End, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown}


class KeyGuard(QObject):
    """Gives the focused widget the keys that it uses, before they become shortcuts.

    Qt does so for letters in fields, but not for Space on a button or Page Up in a field.
    """

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        application = QApplication.instance()
        if isinstance(application, QApplication):
            application.focusChanged.connect(self._on_focus_changed)

    def _on_focus_changed(self, old: QWidget | None, new: QWidget | None) -> None:
        if old is not None:
            old.removeEventFilter(self)
        kinds = (QLineEdit, QAbstractSpinBox, QPlainTextEdit, QComboBox, QAbstractButton)
        if isinstance(new, kinds) and self._window.isAncestorOf(new):
            new.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Claim a key for the widget."""
        if (
            event.type() is QEvent.Type.ShortcutOverride
            and isinstance(event, QKeyEvent)
            and not event.modifiers() & _CHORD
            and event.key() in _keys_of(watched)
        ):
            event.accept()
            return True
        return False


def _keys_of(widget: QObject) -> set[Qt.Key]:
    if isinstance(widget, QAbstractButton):
        # Arrows move within a group of buttons.
        return {Qt.Key.Key_Space, *(ARROW_KEYS if widget.group() is not None else ())}
    return _PAGES | {Qt.Key.Key_Space} if isinstance(widget, QComboBox) else _PAGES
