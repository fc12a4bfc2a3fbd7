"""Keys that widgets handle themselves, and their names."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence

ARROW_KEYS: Final = {
    Qt.Key.Key_Left: (-1, 0),
    Qt.Key.Key_Right: (1, 0),
    Qt.Key.Key_Up: (0, -1),
    Qt.Key.Key_Down: (0, 1),
}
"""The columns and rows that each key moves by."""


def claim_keys(event: QEvent, *keys: QKeySequence.StandardKey) -> bool:
    """Accept an event that asks whether the widget handles a key, if it is one of these."""
    if event.type() is not QEvent.Type.ShortcutOverride or not isinstance(event, QKeyEvent):
        return False
    claimed = any(event.matches(key) for key in keys)
    if claimed:
        event.accept()
    return claimed


def native_keys(keys: tuple[str, ...]) -> str:
    """Return keys in the system's notation, with "or" between."""
    native = QKeySequence.SequenceFormat.NativeText
    return " or ".join(QKeySequence(key).toString(native) for key in keys)
