"""Keeps the window's single keys away from the widget that is being typed into."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QLineEdit,
    QPlainTextEdit,
    QTextEdit,
    QWidget,
)

_CHORD = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier
_PAGES = {Qt.Key.Key_Home, Qt.Key.Key_End, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown}
_BUTTON_KEYS = {Qt.Key.Key_Space}
_ARROWS = {Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Up, Qt.Key.Key_Down}
_COMBO_KEYS = _BUTTON_KEYS | _PAGES
_COPYING = (QKeySequence.StandardKey.Copy, QKeySequence.StandardKey.SelectAll)
_WORDS = (
    QKeySequence.StandardKey.MoveToNextWord,
    QKeySequence.StandardKey.MoveToPreviousWord,
    QKeySequence.StandardKey.SelectNextWord,
    QKeySequence.StandardKey.SelectPreviousWord,
    QKeySequence.StandardKey.DeleteStartOfWord,
    QKeySequence.StandardKey.DeleteEndOfWord,
)
"""What Qt does in text, but does not claim before it becomes a shortcut."""

_TEXTS = (QLineEdit, QAbstractSpinBox, QPlainTextEdit, QTextEdit)
_KINDS = (*_TEXTS, QComboBox, QAbstractButton)


class KeyGuard(QObject):
    """Lets a widget with the focus have the keys that it uses itself.

    Parameters
    ----------
    application : QApplication
        Whose focus it follows, so that widgets may come and go.
    window : QWidget
        Only widgets inside it are guarded.
    """

    def __init__(self, application: QApplication, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        application.focusChanged.connect(self._follow)

    def _follow(self, old: QWidget | None, new: QWidget | None) -> None:
        if old is not None:
            old.removeEventFilter(self)
        if isinstance(new, _KINDS) and self._window.isAncestorOf(new):
            new.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Claim a key for the widget before it becomes a shortcut of the window."""
        if (
            event.type() is QEvent.Type.ShortcutOverride
            and isinstance(event, QKeyEvent)
            and (_edits(watched, event) or _uses_key(watched, event))
        ):
            event.accept()
            return True
        return False


def _edits(widget: QObject, event: QKeyEvent) -> bool:
    """Whether it is a key with which text is gone through by words, or selected and copied."""
    if isinstance(widget, QPlainTextEdit) and any(event.matches(key) for key in _COPYING):
        return True
    typed = isinstance(widget, _TEXTS) or (isinstance(widget, QComboBox) and widget.isEditable())
    return typed and any(event.matches(key) for key in _WORDS)


def _uses_key(widget: QObject, event: QKeyEvent) -> bool:
    return not event.modifiers() & _CHORD and _uses(widget, Qt.Key(event.key()))


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
