"""The window as its user has it: names of parts, entries of menus, keys and the mouse."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QAction, QContextMenuEvent, QGuiApplication, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractScrollArea,
    QApplication,
    QComboBox,
    QDialog,
    QFileDialog,
    QLineEdit,
    QMainWindow,
    QMenu,
    QPushButton,
    QSlider,
    QWidget,
)
from pytestqt.qtbot import QtBot

from ccl_viewer.window.widgets.canvas.canvas import QtCanvas
from support.qt_window import PATIENCE

LEFT, RIGHT = Qt.MouseButton.LeftButton, Qt.MouseButton.RightButton


class Hand:
    """Uses a window by what it shows and says.

    Parameters
    ----------
    window : QWidget
        The window or a dialog, shown.
    qtbot : QtBot
        Waits for what the window says.
    """

    def __init__(self, window: QWidget, qtbot: QtBot) -> None:
        self.window, self._qtbot = window, qtbot

    def part(self, name: str) -> QWidget:
        """Return the visible part that is called so, or begins so, or has this text."""
        found = [one for one in self._visible() if _is_called(one, name)]
        assert found, f"nothing visible is called {name!r}"
        return min(found, key=lambda one: (one.accessibleName() != name, _text(one) != name))

    def says(self, name: str) -> str:
        """Return the text of a part."""
        return _text(self.part(name))

    def wait_for(self, name: str, *words: str) -> None:
        """Wait until the text of a part has some words."""
        self._qtbot.waitUntil(
            lambda: all(word in self.says(name) for word in words), timeout=PATIENCE
        )

    def wait_for_part(self, name: str) -> QWidget:
        """Wait until a part of this name is visible, and return it."""
        self._qtbot.waitUntil(
            lambda: any(_is_called(one, name) for one in self._visible()), timeout=PATIENCE
        )
        return self.part(name)

    def shows(self, name: str) -> bool:
        """Return whether a part of this name is visible."""
        return any(_is_called(one, name) for one in self._visible())

    def click(self, name: str) -> None:
        """Click a part in its middle."""
        part = self.wait_for_part(name)
        QTest.mouseClick(part.viewport() if isinstance(part, QAbstractScrollArea) else part, LEFT)

    def pick(self, name: str, entry: str) -> None:
        """Choose the entry of a field that begins so."""
        box = self.part(name)
        assert isinstance(box, QComboBox)
        box.setCurrentIndex(box.findText(entry, Qt.MatchFlag.MatchStartsWith))
        box.activated.emit(box.currentIndex())

    def wait_for_choice(self, name: str, entry: str) -> None:
        """Wait until a field shows an entry that begins so."""
        box = self.part(name)
        assert isinstance(box, QComboBox)
        self._qtbot.waitUntil(lambda: box.currentText().startswith(entry), timeout=PATIENCE)

    @property
    def step(self) -> int:
        """The step on display, from 1."""
        slider = self.part("Steps of the run")
        assert isinstance(slider, QSlider)
        return slider.value() + 1

    def wait_until(self, condition: Callable[[], object]) -> None:
        """Wait until a condition holds."""
        self._qtbot.waitUntil(lambda: bool(condition()), timeout=PATIENCE)

    def choose_in_menu_of(self, name: str, entry: str) -> None:
        """Open the menu of a part with the key for it, and choose an entry."""
        part = self.part(name)
        key, middle = QContextMenuEvent.Reason.Keyboard, part.rect().center()
        QApplication.sendEvent(part, QContextMenuEvent(key, middle, part.mapToGlobal(middle)))
        menu = QApplication.activePopupWidget()
        assert isinstance(menu, QMenu)
        next(one for one in menu.actions() if _plain(one) == entry).trigger()
        menu.close()

    def turn_wheel(self, name: str, by: QPoint) -> None:
        """Turn the wheel over a part, by eighths of a degree."""
        part, none = self.part(name), Qt.MouseButton.NoButton
        at, phase = QPointF(part.rect().center()), Qt.ScrollPhase.NoScrollPhase
        plain = Qt.KeyboardModifier.NoModifier
        event = QWheelEvent(at, part.mapToGlobal(at), QPoint(), by, none, plain, phase, False)
        QApplication.sendEvent(part, event)

    @contextmanager
    def held_stroke(self, start: tuple[int, int], end: tuple[int, int]) -> Iterator[None]:
        """Draw a stroke, and hold the button until the block ends."""
        canvas, last, first = self.part("Canvas"), self.point_at(*end), self.point_at(*start)
        QTest.mousePress(canvas, LEFT, pos=first)
        QTest.mouseMove(canvas, last)
        yield
        QTest.mouseRelease(canvas, LEFT, pos=last)

    def wait_for_grid(self, width: int) -> None:
        """Wait until the grid has some columns."""
        self.wait_to_read(f"{width} \N{MULTIPLICATION SIGN} ")

    def copy_grid(self) -> list[str]:
        """Copy the grid, or what is selected, and return its lines."""
        QGuiApplication.clipboard().clear()
        self.choose("Edit", "Copy")
        self._qtbot.waitUntil(lambda: bool(QGuiApplication.clipboard().text()))
        return QGuiApplication.clipboard().text().split()

    def key(
        self, key: Qt.Key, modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier
    ) -> None:
        """Press a key on the canvas."""
        QTest.keyClick(self.part("Canvas"), key, modifiers)

    def entry(self, *path: str) -> QAction:
        """Return the entry of a menu: its menus, and its own text, or a part of it."""
        assert isinstance(self.window, QMainWindow)
        actions = self.window.menuBar().actions()
        for name in path[:-1]:
            menu = next(one.menu() for one in actions if _plain(one) == name)
            assert isinstance(menu, QMenu)
            menu.aboutToShow.emit()
            actions = menu.actions()
        found = [one for one in actions if path[-1] in _plain(one)]
        return min(found, key=lambda one: len(_plain(one)))

    def choose(self, *path: str) -> None:
        """Choose an entry of a menu, which must be enabled."""
        action = self.entry(*path)
        self._qtbot.waitUntil(action.isEnabled, timeout=PATIENCE)
        action.trigger()

    def point_at(self, x: int, y: int) -> QPoint:
        """Move the mouse to a cell, until the status bar says so, and return where that is."""
        canvas = self.part("Canvas")
        assert isinstance(canvas, QtCanvas)
        at = canvas.centre_of((x, y)).toPoint()
        QTest.mouseMove(canvas, at + QPoint(1, 1))
        QTest.mouseMove(canvas, at)
        self._qtbot.waitUntil(
            lambda: self.says("Cell under the mouse").startswith(f"x {x}, y {y} "),
            timeout=PATIENCE,
        )
        return at

    def press(self, x: int, y: int, button: Qt.MouseButton = LEFT) -> None:
        """Click a cell."""
        QTest.mouseClick(self.part("Canvas"), button, pos=self.point_at(x, y))

    def drag(self, start: tuple[int, int], end: tuple[int, int]) -> None:
        """Drag from one cell to another with the left button."""
        canvas, last, first = self.part("Canvas"), self.point_at(*end), self.point_at(*start)
        QTest.mousePress(canvas, LEFT, pos=first)
        QTest.mouseMove(canvas, first + QPoint(9, 9))
        QTest.mouseMove(canvas, last)
        QTest.mouseRelease(canvas, LEFT, pos=last)

    def choose_below(self, name: str, entry: str) -> None:
        """Choose an entry of the menu of a button."""
        button = self.part(name)
        assert isinstance(button, QPushButton)
        next(one for one in button.menu().actions() if _plain(one) == entry).trigger()

    def dialog(self, title: str) -> Hand:
        """Return what uses a dialog by its title."""
        found = (one for one in self.window.findChildren(QDialog) if one.isVisible())
        return Hand(next(one for one in found if one.windowTitle() == title), self._qtbot)

    def read(self, words: str) -> list[str]:
        """Return the texts that have some words."""
        return [text for text in self._texts if words in text]

    def wait_to_read(self, words: str) -> None:
        """Wait until something says some words."""
        self.wait_until(lambda: self.read(words))

    def name_file(self, path: Path) -> None:
        """Answer the dialog that asks for a file."""
        dialog = next(one for one in self.window.findChildren(QFileDialog) if one.isVisible())
        edit = dialog.findChild(QLineEdit, "fileNameEdit")
        assert edit is not None
        edit.setText(str(path))
        QTest.keyClick(edit, Qt.Key.Key_Return)

    @property
    def _texts(self) -> list[str]:
        return [_text(one) for one in self._visible()]

    def _visible(self) -> Iterator[QWidget]:
        return (one for one in self.window.findChildren(QWidget) if one.isVisible())


def _plain(action: QAction) -> str:
    """Return the text of an entry without its key, and without the marks in it."""
    text, _, _ = action.text().partition("\t")
    return re.sub(r"&(.)", r"\1", text).rstrip("\N{HORIZONTAL ELLIPSIS}")


def _text(widget: QWidget) -> str:
    text = getattr(widget, "text", None) or getattr(widget, "toPlainText", None)
    return str(text()) if callable(text) else ""


def _is_called(widget: QWidget, name: str) -> bool:
    words = re.sub(r"&(.)", r"\1", _text(widget))
    return name in {widget.accessibleName(), words} or widget.accessibleName().startswith(name)
