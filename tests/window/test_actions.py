"""The actions: one row each, unique keys, menus, the palette, the keys dialog."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot
from support.qt_window import MakeWindow, wait_idle

from ccl_viewer.render.layers import CellColours
from ccl_viewer.window.actions import MENUS
from ccl_viewer.window.command_palette import CommandPalette, action_entries, rank_entries
from ccl_viewer.window.help.widget import AboutDialog, make_glossary_dialog, make_keys_dialog
from ccl_viewer.window.main_window import MainWindow
from ccl_viewer.window.widgets.glossary import explain, glossary

US_SHIFT = dict(zip('~!@#$%^&*()_+{}|:"<>?', "`1234567890-=[]\\;',./", strict=True))
"""Signs that a US keyboard has above others."""


def typed(key: str) -> str:
    """What is pressed on a US keyboard for a key sequence."""
    *modifiers, last = key.replace("++", "+plus").split("+")
    last = {"plus": "+"}.get(last, last)
    if last in US_SHIFT:
        return "+".join([*sorted({*modifiers, "Shift"}), US_SHIFT[last]])
    return "+".join([*sorted(modifiers), last])


def test_each_action_has_a_name_and_keys_of_its_own(window: MainWindow) -> None:
    specs = list(window.actions_by_name.specs.values())
    names = [spec.name for feature in window.features for spec in feature.actions]
    assert len(set(names)) == len(names)
    assert set(names) < set(window.actions_by_name)
    keys = [QKeySequence(key).toString() for spec in specs for key in spec.keys]
    assert len(set(keys)) == len(keys)
    assert "" not in keys
    assert len([spec for spec in specs if spec.keys]) <= 70  # the palette finds the rest
    pressed = [typed(key) for key in keys]
    assert sorted(pressed) == sorted(set(pressed))  # on a US layout, too


def test_each_action_is_in_a_menu_and_mnemonics_differ(window: MainWindow) -> None:
    titles = {text.replace("&", "") for text in MENUS}
    for spec in window.actions_by_name.specs.values():
        assert spec.menu.split("/")[0] in titles, spec.name
        assert spec.title
    letters = [text[text.index("&") + 1] for text in MENUS]
    assert len(set(letters)) == len(letters)
    for title, menu in window.actions_by_name.menus.items():
        texts = [action.text() for action in menu.actions() if "&" in action.text()]
        mnemonics = [text[text.replace("&&", "..").index("&") + 1].lower() for text in texts]
        twice = {letter for letter in mnemonics if mnemonics.count(letter) > 1}
        assert not twice, f"{title}: {twice} in {texts}"


def test_actions_follow_the_session(make_window: MakeWindow, qtbot: QtBot) -> None:
    window = make_window()
    assert not window.actions_by_name["run"].isEnabled()
    assert not window.actions_by_name["forward"].isEnabled()
    window.session.files.open("pattern:spiral", step=0)
    qtbot.waitUntil(window.actions_by_name["forward"].isEnabled)
    arrows = window.actions_by_name["arrows"]
    before = arrows.isChecked()
    arrows.trigger()
    qtbot.waitUntil(lambda: arrows.isChecked() is not before)


def test_all_actions_can_be_triggered_without_a_grid(make_window: MakeWindow, qtbot: QtBot) -> None:
    window = make_window()
    for name, action in window.actions_by_name.items():
        if action.isEnabled() and action.text().endswith("\N{HORIZONTAL ELLIPSIS}"):
            continue
        if name not in {"quit", "tour"}:
            action.trigger()
    window.full_screen.leave()
    window.appearance.set_text_size(100)
    wait_idle(qtbot, window.session)


def titles(window: MainWindow, query: str) -> list[str]:
    found = [entry for feature in window.features for entry in feature.find()]
    entries = [*action_entries(window.actions_by_name), *found]
    return [entry.title for entry in rank_entries(query, entries)]


def test_the_palette_finds_actions_by_a_few_letters(window: MainWindow) -> None:
    for query, first in (
        ("invert", "invert"),
        ("full scr", "full_screen"),
        ("theme light", "theme_light"),
        ("gloss", "glossary"),
        ("next change", "next_change"),
        ("start page", "start_page"),
    ):
        assert titles(window, query)[0] == window.actions_by_name.specs[first].title
    assert window.actions_by_name.specs["lesson_10"].title in titles(window, "race")
    assert "Eraser" in titles(window, "erase")
    assert "Eraser" not in titles(window, "race")
    assert titles(window, "qqqqqq") == []


def test_the_palette_forgives_errors_of_typing(window: MainWindow) -> None:
    for query, first in (
        ("glosary", "Glossary\N{HORIZONTAL ELLIPSIS}"),
        ("fulll scren", "Full screen"),
        ("compnents", "Components"),
        ("spirral", "Spiral"),
        ("equivlence", "Label Equivalence"),
        ("equivle", "Label Equivalence"),  # it is still being typed
    ):
        assert titles(window, query)[0] == first, query
    assert "Contour bands" not in titles(window, "contention")  # what is known is taken as it is


def test_the_palette_chooses_algorithms_patterns_and_colours(
    window: MainWindow, qtbot: QtBot
) -> None:
    session = window.session

    def choose(query: str) -> None:
        window.actions_by_name["palette"].trigger()
        palette = window.findChild(CommandPalette)
        assert palette is not None
        QTest.keyClicks(palette.field, query)
        QTest.keyClick(palette.field, Qt.Key.Key_Return)
        qtbot.waitUntil(lambda: window.findChild(CommandPalette) is None)
        wait_idle(qtbot, session)

    choose("stava")
    assert session.runs.settings.algorithm == "stava_benes"
    choose("pattern serpentine")
    qtbot.waitUntil(lambda: session.document.source == "pattern:serpentine")
    choose("colour depth")
    assert session.view.layers.colours is CellColours.DEPTH
    session.document.invert()
    choose("pattern maze")
    assert window.files.unsaved_box is not None  # the drawing would be lost
    window.files.unsaved_box.reject()
    assert session.document.source == "pattern:serpentine"


def test_the_palette_runs_nothing_until_something_is_typed(window: MainWindow) -> None:
    window.actions_by_name["palette"].trigger()
    palette = window.findChild(CommandPalette)
    assert palette is not None
    QTest.keyClick(palette.field, Qt.Key.Key_Return)
    assert palette.isVisible()
    QTest.keyClicks(palette.field, "qqqqqq")
    assert [palette.list.item(0).text()] == ["Nothing matches"]
    QTest.keyClick(palette.field, Qt.Key.Key_Return)
    assert palette.isVisible()
    both = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    QTest.keyClick(palette.field, Qt.Key.Key_P, both)
    assert window.findChildren(CommandPalette) == [palette]
    assert palette.field.text() == ""
    QTest.keyClick(palette.field, Qt.Key.Key_Down)
    assert palette.list.currentItem() is not None
    palette.close()


def test_enter_in_the_palette_runs_what_is_selected(window: MainWindow) -> None:
    window.actions_by_name["palette"].trigger()
    palette = window.findChild(CommandPalette)
    assert palette is not None
    QTest.keyClicks(palette.field, "reduced motion")
    before = window.appearance.reduced_motion
    QTest.keyClick(palette.field, Qt.Key.Key_Return)
    assert window.appearance.reduced_motion is not before


def test_the_palette_lists_what_cannot_be_done_last(make_window: MakeWindow) -> None:
    window = make_window()
    window.actions_by_name["palette"].trigger()
    palette = window.findChild(CommandPalette)
    assert palette is not None
    QTest.keyClicks(palette.field, "run")
    rows = [palette.list.item(row) for row in range(palette.list.count())]
    can = [bool(row.flags() & Qt.ItemFlag.ItemIsEnabled) for row in rows]
    assert can == sorted(can, reverse=True)
    assert len({*can}) == 2
    palette.close()


def test_the_keys_dialog_has_all_keys_and_can_be_searched(window: MainWindow, qtbot: QtBot) -> None:
    dialog = make_keys_dialog(window.actions_by_name.specs.values(), window)
    qtbot.addWidget(dialog)
    dialog.show()
    text = dialog.text.toPlainText().casefold()
    for spec in window.actions_by_name.specs.values():
        if spec.keys:
            native = QKeySequence(spec.keys[0]).toString(QKeySequence.SequenceFormat.NativeText)
            assert native.casefold() in text, spec.name
    QTest.keyClicks(dialog.field, "projector")
    shown = dialog.text.toPlainText()
    assert "F11" in shown
    assert "F5" not in shown
    QTest.keyClicks(dialog.field, "zzzz")
    assert dialog.text.toPlainText() == "Nothing matches."


def test_the_glossary_explains_words_in_plain_text(window: MainWindow, qtbot: QtBot) -> None:
    assert len(glossary()) > 25
    assert all(text.endswith((".", ")")) for text in glossary().values())
    assert explain("root").startswith("Root: ")
    assert explain("no such word") == ""
    dialog = make_glossary_dialog(window)
    qtbot.addWidget(dialog)
    dialog.show()
    about = AboutDialog(window)
    qtbot.addWidget(about)
    assert "Qt" in about.versions.text()
    assert "Kalentev" in about.papers.text()
