"""Tests that all parts of a window get its style sheet, one at a time, whenever they come."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QDialog, QFrame, QLabel, QWidget
from pytestqt.qtbot import QtBot
from support.windows import PATIENCE, settled

from ccl_viewer.views.looks.theme import DARK, LIGHT
from ccl_viewer.views.looks.wardrobe import Wardrobe
from ccl_viewer.views.main_window import MainWindow

RED, BLUE = "QFrame { color: red; }", "QFrame { color: blue; }"


def ink(widget: QWidget) -> QColor:
    """The colour in which a widget writes."""
    widget.ensurePolished()
    return widget.palette().color(widget.foregroundRole())


def wear(wardrobe: Wardrobe, sheet: str) -> int:
    """Let all wear a sheet; return in how many turns."""
    act, turns = wardrobe.put_on(sheet), 1
    while not act():
        turns += 1
    return turns


def made(qtbot: QtBot, parts: int) -> tuple[Wardrobe, QWidget, list[QFrame]]:
    root = QWidget()
    qtbot.addWidget(root)
    wardrobe = Wardrobe(root)
    wardrobe.take(root)
    return wardrobe, root, [QFrame(root) for _ in range(parts)]


def test_each_part_has_a_turn_and_what_lies_in_it_comes_along(qtbot: QtBot) -> None:
    wardrobe, _root, parts = made(qtbot, 3)
    inside = QLabel("a", parts[1])
    act = wardrobe.put_on(RED)
    for done in range(1, 4):
        assert act() is (done == 3)
        assert [part.styleSheet() == RED for part in parts] == [n < done for n in range(3)]
    assert ink(inside) == QColor("red")
    assert wear(wardrobe, BLUE) == 3
    assert ink(inside) == QColor("blue")
    assert wear(wardrobe, BLUE) == 1, "who wears it already is left alone"


def test_containers_have_their_parts_dressed_and_not_themselves(qtbot: QtBot) -> None:
    wardrobe, _root, (inner, part) = made(qtbot, 2)
    wardrobe.take(inner)
    parts = [QFrame(inner), QFrame(inner)]
    assert wear(wardrobe, RED) == 3
    assert not inner.styleSheet()
    assert all(one.styleSheet() == RED for one in (part, *parts))


def test_parts_may_come_and_go_before_their_turn(qtbot: QtBot) -> None:
    wardrobe, root, parts = made(qtbot, 3)
    act = wardrobe.put_on(RED)
    parts[1].setParent(None)
    late = QFrame(root)
    assert [act() for _ in range(3)] == [False, False, True]
    assert [part.styleSheet() for part in (*parts, late)] == [RED, "", RED, RED]


def test_what_comes_later_is_dressed_before_it_is_seen(qtbot: QtBot) -> None:
    wardrobe, root, _parts = made(qtbot, 1)
    wear(wardrobe, RED)
    late, thing = QDialog(root), QObject(root)
    label = QLabel("a", late)
    late.ensurePolished()
    assert late.styleSheet() == RED
    assert ink(label) == QColor("red")
    assert thing.parent() is root
    assert wear(wardrobe, BLUE) == 2
    assert ink(label) == QColor("blue")


def test_all_parts_of_the_window_are_dressed_in_small_turns(window: MainWindow) -> None:
    settled(window, 1280, 720)
    for label in window.findChildren(QLabel):
        above = [label, *ancestors(label)]
        assert sum(DARK.window in one.styleSheet() for one in above) == 1, label.text()
    everything = len(window.findChildren(QWidget))
    for part in window.findChildren(QWidget):
        if DARK.window in part.styleSheet():
            assert len(part.findChildren(QWidget)) < everything / 4, part


def ancestors(part: QWidget) -> list[QWidget]:
    above = part.parentWidget()
    return [] if above is None else [above, *ancestors(above)]


def test_the_gaps_between_panels_have_the_colour_of_the_window(
    window: MainWindow, qtbot: QtBot
) -> None:
    settled(window, 1280, 720)
    dock = window.docks["steps"]
    for theme in (LIGHT, DARK):
        window.set_theme(theme.name)
        qtbot.waitUntil(lambda: window.appearance.settled, timeout=PATIENCE)
        picture = window.grab().toImage()
        x, y = dock.x() - 2, dock.geometry().center().y()
        assert picture.pixelColor(x, y) == QColor(theme.window), theme.name
