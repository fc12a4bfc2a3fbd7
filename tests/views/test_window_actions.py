"""The table of actions: every key does its deed once, and keys, menus and lists agree."""

from __future__ import annotations

from collections import Counter

import pytest
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QPlainTextEdit, QSpinBox, QWidget
from pytestqt.qtbot import QtBot
from support.windows import PATIENCE, all_menus, project

import ccl_viewer
from ccl_viewer.algorithms import ALGORITHMS
from ccl_viewer.views.actions import GROUPS
from ccl_viewer.views.dialogs.about import AboutDialog
from ccl_viewer.views.dialogs.keys import KeysDialog
from ccl_viewer.views.main_window import MainWindow

SPECS = [spec for group in GROUPS for spec in group.specs]


def strike(widget: QWidget, keys: str) -> None:
    QTest.keySequence(widget, QKeySequence(keys))


def mnemonic(text: str) -> str | None:
    sequence = QKeySequence.mnemonic(text).toString()
    return sequence or None


@pytest.fixture
def struck(window: MainWindow, qtbot: QtBot) -> list[str]:
    """The names of the actions whose keys were struck, none of which does anything else."""
    qtbot.waitUntil(lambda: not window.session.insight.working, timeout=PATIENCE)
    QApplication.processEvents()  # what was found out may enable actions, and disables others
    names: list[str] = []
    for name, action in window.actions_table.by_name.items():
        action.triggered.disconnect()
        action.setEnabled(True)
        action.triggered.connect(lambda _on=False, name=name: names.append(name))
    return names


def test_no_key_has_two_actions() -> None:
    keys = Counter(QKeySequence(key).toString() for spec in SPECS for key in spec.keys)
    assert [key for key, count in keys.items() if count > 1] == []
    assert "" not in keys


def test_no_name_is_given_twice() -> None:
    assert [name for name, count in Counter(s.name for s in SPECS).items() if count > 1] == []


def test_every_row_does_something_or_is_a_whole_switch() -> None:
    for spec in SPECS:
        assert (spec.do is None) != (spec.switch is None), spec.name
        assert (spec.switch is None) == (spec.on is None), spec.name


def test_every_key_of_the_table_does_its_deed(window: MainWindow, struck: list[str]) -> None:
    for spec in SPECS:
        for key in spec.keys:
            struck.clear()
            strike(window.canvas, key)
            assert struck == [spec.name], key


@pytest.mark.parametrize("kind", [QLineEdit, QSpinBox])
def test_no_key_is_taken_from_a_field_that_is_typed_into(
    window: MainWindow, struck: list[str], qtbot: QtBot, kind: type[QLineEdit | QSpinBox]
) -> None:
    field = kind(window)
    field.show()
    window.activateWindow()
    field.setFocus()
    qtbot.waitUntil(field.hasFocus, timeout=PATIENCE)
    typed = [key for spec in SPECS for key in spec.keys if _is_typed(key)]
    assert len(typed) > 20
    for key in typed:
        strike(field, key)
        assert struck == [], key
    for key in ("Ctrl+Z", "Ctrl+X", "Ctrl+C", "Ctrl+V", "Ctrl+A"):
        strike(field, key)
        assert struck == [], key
    # What cannot be typed still works.
    strike(field, "F5")
    assert struck == ["run"]


def test_text_that_can_be_read_keeps_its_keys(
    window: MainWindow, struck: list[str], qtbot: QtBot
) -> None:
    text = window.findChild(QPlainTextEdit)
    assert isinstance(text, QPlainTextEdit)
    window.activateWindow()
    text.setFocus()
    qtbot.waitUntil(text.hasFocus, timeout=PATIENCE)
    for key in ("Ctrl+A", "Ctrl+C", "PgUp", "PgDown", "Home", "End"):
        strike(text, key)
    assert struck == []


def test_keys_work_while_menus_are_away(window: MainWindow, struck: list[str]) -> None:
    project(window, on=True)
    for action in window.actions_table.by_name.values():
        action.setEnabled(True)
    assert not window.menus.bar.isVisible()
    strike(window.canvas, "Space")
    strike(window.canvas, "Ctrl+O")
    assert struck == ["play", "open"]


def test_every_action_is_in_a_menu(window: MainWindow) -> None:
    shown = {action.objectName() for menu in all_menus(window) for action in menu.actions()}
    assert {spec.name for spec in SPECS} <= shown


def test_mnemonics_differ_within_each_menu(window: MainWindow) -> None:
    def doubled(actions: list[QAction]) -> list[str]:
        marks = Counter(mnemonic(action.text()) for action in actions if action.text())
        return [str(mark) for mark, count in marks.items() if mark is None or count > 1]

    assert doubled(window.menus.bar.actions()) == []
    for menu in all_menus(window):
        if any(action.objectName() in _names() for action in menu.actions()):
            assert doubled(menu.actions()) == [], menu.title()


def test_mnemonics_do_not_take_a_key_of_the_table() -> None:
    keys = {QKeySequence(key).toString() for spec in SPECS for key in spec.keys}
    assert not {f"Alt+{group.title[0]}" for group in GROUPS} & keys


def test_tooltips_name_the_keys(window: MainWindow) -> None:
    for spec in SPECS:
        tip = window.actions_table[spec.name].toolTip()
        for key in spec.keys:
            native = QKeySequence(key).toString(QKeySequence.SequenceFormat.NativeText)
            assert native in tip, spec.name
    assert window.step_panel.buttons["forward"].toolTip() == "Step forward (Right, .)"
    assert "(F5)" in window.source_bar.run_button.toolTip()


def test_the_list_of_keys_names_them_all(qtbot: QtBot) -> None:
    dialog = KeysDialog()
    qtbot.addWidget(dialog)
    text = {label.text() for label in dialog.findChildren(QLabel)}
    assert {spec.help for spec in SPECS if spec.keys} <= text


def test_the_list_of_keys_can_be_searched(qtbot: QtBot) -> None:
    dialog = KeysDialog()
    qtbot.addWidget(dialog)
    dialog.show()
    QTest.keyClicks(dialog.search, "play slower")
    shown = [label.text() for label in dialog.findChildren(QLabel) if label.isVisible()]
    assert "Play slower" in shown
    assert "Play or pause" not in shown
    dialog.search.clear()
    assert all(section.isVisible() for section in dialog.sections)


@pytest.mark.parametrize(("word", "found"), [("undo", "Take back the last edit"), ("xyz", "")])
def test_keys_are_found_by_what_menus_call_them(qtbot: QtBot, word: str, found: str) -> None:
    dialog = KeysDialog()
    qtbot.addWidget(dialog)
    dialog.show()
    QTest.keyClicks(dialog.search, word)
    shown = [label.text() for label in dialog.findChildren(QLabel) if label.isVisible()]
    assert (found in shown) == bool(found)
    assert dialog.nothing.isVisible() == (not found), "an empty list says that it is empty"


def test_the_program_says_its_version_and_whose_methods_it_shows(qtbot: QtBot) -> None:
    dialog = AboutDialog()
    qtbot.addWidget(dialog)
    dialog.copy_button.click()
    told = QApplication.clipboard().text()
    assert f"CCL Viewer {ccl_viewer.__version__}" in told
    assert "Python 3" in told
    for row in ALGORITHMS.values():
        assert row.citation in dialog.papers.text()


def _names() -> set[str]:
    return {spec.name for spec in SPECS}


def _is_typed(keys: str) -> bool:
    """Whether a field uses the keys: letters and signs, and those that move in it or erase."""
    key = keys.removeprefix("Shift+")
    return len(key) == 1 or key in {"Space", "Left", "Right", "Home", "End", "Backspace", "Del"}
