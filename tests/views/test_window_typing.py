"""No key of the window is taken from what is typed into, and no other key is lost there."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QComboBox,
    QDoubleSpinBox,
    QLineEdit,
    QPlainTextEdit,
    QSpinBox,
    QTextEdit,
    QWidget,
)
from pytestqt.qtbot import QtBot
from support.windows import PATIENCE, MakeWindow, wait_idle

from ccl_viewer.views.actions import GROUPS
from ccl_viewer.views.main_window import MainWindow

KEYS = tuple(key for group in GROUPS for spec in group.specs for key in spec.keys)
MOVING = {"Space", "Left", "Right", "Home", "End", "Backspace", "Del"}
_Standard = QKeySequence.StandardKey
EDITING = (
    _Standard.Undo,
    _Standard.Redo,
    _Standard.Cut,
    _Standard.Copy,
    _Standard.Paste,
    _Standard.SelectAll,
    _Standard.MoveToNextWord,
    _Standard.MoveToPreviousWord,
    _Standard.SelectNextWord,
    _Standard.SelectPreviousWord,
    _Standard.DeleteStartOfWord,
    _Standard.DeleteEndOfWord,
)
"""What every field does, whatever the window would do."""


class Choice(QComboBox):
    """A box that is typed into."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setEditable(True)
        self.addItems(["one", "two"])


Kind = type[QLineEdit | QSpinBox | QDoubleSpinBox | Choice | QPlainTextEdit | QTextEdit]
KINDS: tuple[Kind, ...] = (
    QLineEdit,
    QSpinBox,
    QDoubleSpinBox,
    Choice,
    QPlainTextEdit,
    QTextEdit,
)


def is_for_text(keys: str) -> bool:
    """Whether whoever types means the text: letters, signs, and what moves in it or edits it."""
    sequence = QKeySequence(keys)
    if any(sequence in QKeySequence.keyBindings(key) for key in EDITING):
        return True
    key = keys.removeprefix("Shift+")
    return len(key) == 1 or key in MOVING


def never_for_text(keys: str) -> bool:
    """Whether no field has a use for the keys: those with a number, and with Alt and a letter."""
    return (keys[:1] == "F" and keys[1:].isdigit()) or keys == "Alt+G"


@pytest.fixture
def struck(window: MainWindow) -> list[str]:
    """The names of the actions whose keys were struck, none of which does anything else."""
    return listen(window)


def listen(window: MainWindow) -> list[str]:
    names: list[str] = []
    for name, action in window.actions_table.by_name.items():
        action.triggered.disconnect()
        action.setEnabled(True)
        action.triggered.connect(lambda _on=False, name=name: names.append(name))
    return names


def taken_from(field: QWidget, struck: list[str]) -> list[str]:
    """The keys for text that the window took from a field."""
    taken = []
    for keys in filter(is_for_text, KEYS):
        struck.clear()
        QTest.keySequence(field, QKeySequence(keys))
        if struck:
            taken.append(keys)
    return taken


def test_there_are_keys_of_both_kinds() -> None:
    assert len(list(filter(is_for_text, KEYS))) > 40
    assert len(list(filter(never_for_text, KEYS))) >= 4


def test_no_key_for_text_is_taken_from_a_field(
    window: MainWindow, struck: list[str], qtbot: QtBot
) -> None:
    window.activateWindow()
    for kind in KINDS:
        field = kind(window)
        field.show()
        field.setFocus()
        qtbot.waitUntil(field.hasFocus, timeout=PATIENCE)
        assert taken_from(field, struck) == [], field
        for keys in filter(never_for_text, KEYS):
            struck.clear()
            QTest.keySequence(field, QKeySequence(keys))
            assert struck != [], (field, keys)
        field.hide()


def test_no_key_for_text_is_taken_from_the_fields_of_the_window(
    make_window: MakeWindow, qtbot: QtBot
) -> None:
    window = make_window("pattern:shibata")
    window.session.configure(algorithm_key="shibata_slow", schedule="random:3")
    wait_idle(qtbot, window)
    window.docks.show("source", on=True)
    QTest.keySequence(window.docks.panels["source"], QKeySequence("Ctrl+F"))
    struck = listen(window)
    window.activateWindow()
    fields = [
        field
        for kind in (QLineEdit, QAbstractSpinBox)
        for field in window.findChildren(kind)
        if field.isVisible() and field.focusPolicy() and not isinstance(field.parent(), kind)
    ]
    assert len(fields) >= 3
    for field in fields:
        field.setFocus()
        qtbot.waitUntil(field.hasFocus, timeout=PATIENCE)
        assert taken_from(field, struck) == [], field.accessibleName()
