"""Keeps the window's single keys away from the widget that is being typed into."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSpinBox,
    QComboBox,
    QLineEdit,
    QPlainTextEdit,
    QWidget,
)

_CHORD = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier
_PAGES = {Qt.Key.Key_Home, Qt.Key.Key_End, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown}
_BUTTON_KEYS = {Qt.Key.Key_Space}
_ARROWS = {Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Up, Qt.Key.Key_Down}
_COMBO_KEYS = _BUTTON_KEYS | _PAGES


class KeyGuard(QObject):
    """Lets a widget with the focus have the keys that it uses itself."""

    def protect(self, root: QWidget) -> None:
        """Guard a widget and those inside it, of the kinds that use keys."""
        for kind in (QLineEdit, QAbstractSpinBox, QComboBox, QAbstractButton, QPlainTextEdit):
            for widget in root.findChildren(kind):
                widget.removeEventFilter(self)
                widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Claim a key for the widget before it becomes a shortcut of the window."""
        if (
            event.type() is QEvent.Type.ShortcutOverride
            and isinstance(event, QKeyEvent)
            and not event.modifiers() & _CHORD
            and _uses(watched, Qt.Key(event.key()))
        ):
            event.accept()
            return True
        return False


def _uses(widget: QObject, key: Qt.Key) -> bool:
    if isinstance(widget, (QLineEdit, QAbstractSpinBox)):
        return key < Qt.Key.Key_Escape or (
            key in _PAGES or key in _ARROWS | {Qt.Key.Key_Backspace, Qt.Key.Key_Delete}
        )
    if isinstance(widget, QComboBox):
        return key in _COMBO_KEYS
    if isinstance(widget, QAbstractButton):
        # Of buttons of which one is down, Tab reaches that one alone; arrows choose another.
        return key in (_BUTTON_KEYS if widget.group() is None else _BUTTON_KEYS | _ARROWS)
    return key in _PAGES
