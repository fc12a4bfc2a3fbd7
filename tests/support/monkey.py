"""A monkey test: random actions on a window, the same for each seed."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from PySide6.QtCore import QMimeData, QPoint, Qt, QTimer, QUrl
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QDialog,
    QFileDialog,
    QMenu,
    QWidget,
)

from ccl_viewer.algorithms import ALGORITHMS
from ccl_viewer.window.lessons.model import LessonPlayer
from ccl_viewer.window.main_window import MainWindow
from ccl_viewer.window.opening.clipboard import QtClipboard
from ccl_viewer.window.predict.model import Predictor
from support.qt_window import model_of, part, turn_wheel

_T = TypeVar("_T")

_KEYS = (
    *(Qt.Key.Key_Space, Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Up, Qt.Key.Key_Down),
    *(Qt.Key.Key_Home, Qt.Key.Key_End, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown, Qt.Key.Key_Tab),
    *(Qt.Key.Key_Escape, Qt.Key.Key_Return, Qt.Key.Key_Delete, Qt.Key.Key_Backspace),
    *(Qt.Key.Key_P, Qt.Key.Key_E, Qt.Key.Key_L, Qt.Key.Key_R, Qt.Key.Key_O, Qt.Key.Key_F),
    *(Qt.Key.Key_X, Qt.Key.Key_G, Qt.Key.Key_BracketLeft, Qt.Key.Key_BracketRight),
)
_MODIFIERS = (
    *(Qt.KeyboardModifier.NoModifier,) * 5,
    Qt.KeyboardModifier.ShiftModifier,
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.AltModifier,
)
_BUTTONS = (*(Qt.MouseButton.LeftButton,) * 4, Qt.MouseButton.RightButton)
LESSONS = ("what-is-a-component", "label-equivalence", "no such lesson")
_ENDS = frozenset({"quit"})
"""Actions that would end the test."""


class Monkey:
    """Acts on a window at random, and answers the dialogs that it opens.

    Parameters
    ----------
    window : MainWindow
        The window.
    seed : int
        Seed of the actions.
    patterns : sequence of str
        Sources to open.
    files : sequence of Path
        Files to drop.

    Attributes
    ----------
    done : list of str
        The actions so far, the latest last.
    """

    def __init__(
        self, window: MainWindow, seed: int, patterns: tuple[str, ...], files: tuple[Path, ...] = ()
    ) -> None:
        self.done: list[str] = []
        self._window = window
        self._random = random.Random(seed)  # noqa: S311  (it keeps no secret)
        self._patterns = patterns
        self._files = files
        # Single shot, restarted before each answer: an answer may open another question, and timers
        # do not fire again within their slots.
        self._answers = QTimer(singleShot=True, interval=1)
        self._answers.timeout.connect(self._answer)
        self._patience = 0

    def play(self, events: int) -> None:
        """Do a number of random actions."""
        deeds: list[Callable[[], str]] = [
            *(self._act,) * 8,
            *(self._press,) * 6,
            *(self._draw,) * 6,
            *(self._click,) * 4,
            *(self._wheel, self._configure, self._scrub, self._wait),
            *((self._open, self._drop) if self._files else (self._open,)),
            *(self._storm, self._change_mode, self._compare, self._learn, self._cancel),
        ]
        with self.answering():
            for _ in range(events):
                self.done.append(self._random.choice(deeds)())
                QApplication.processEvents()
            self._answer()

    @contextmanager
    def answering(self) -> Iterator[None]:
        """Answer dialogs while waiting: a dropped file may open one after it was read."""
        self._answers.start()
        try:
            yield
        finally:
            self._answers.stop()

    def _one(self, things: list[_T]) -> _T:
        return self._random.choice(things)

    def _act(self) -> str:
        actions = [
            action
            for name, action in self._window.actions_by_name.items()
            if action.isEnabled() and name not in _ENDS
        ]
        action = self._one(actions)
        self.done.append(f"to do {action.objectName()}")
        action.trigger()
        return f"did {action.objectName()}"

    def _press(self) -> str:
        key = self._random.choice(_KEYS)
        modifiers = self._random.choice(_MODIFIERS)
        target = QApplication.focusWidget() or self._window.canvas
        self.done.append(f"to press {key} {modifiers} on {type(target).__name__}")
        QTest.keyClick(target, key, modifiers)
        return "pressed"

    def _somewhere(self, widget: QWidget) -> QPoint:
        return QPoint(
            self._random.randrange(max(1, widget.width())),
            self._random.randrange(max(1, widget.height())),
        )

    def _draw(self) -> str:
        canvas, button = self._window.canvas, self._random.choice(_BUTTONS)
        self.done.append("to draw")
        QTest.mousePress(canvas, button, pos=self._somewhere(canvas))
        for _ in range(self._random.randrange(5)):
            QTest.mouseMove(canvas, self._somewhere(canvas))
            QApplication.processEvents()
        if self._random.random() < 0.1:
            QTest.keyClick(canvas, Qt.Key.Key_Escape)
        QTest.mouseRelease(canvas, button, pos=self._somewhere(canvas))
        return "drew"

    def _click(self) -> str:
        widgets = [
            widget
            for widget in self._window.findChildren(QWidget)
            if widget.isVisible() and widget.isEnabled() and not isinstance(widget, QMenu)
        ]
        widget = self._one(widgets)
        self.done.append(f"to click {type(widget).__name__} {widget.accessibleName()}")
        where = self._somewhere(widget)
        if isinstance(widget, QAbstractButton):
            widget.click()
        elif isinstance(widget, QComboBox) and widget.count():
            row = self._random.randrange(widget.count())
            widget.setCurrentIndex(row)
            widget.activated.emit(row)
        elif isinstance(widget, QAbstractSpinBox):
            widget.stepBy(self._random.choice((-3, -1, 1, 7)))
        elif self._random.random() < 0.2:
            QTest.mouseDClick(widget, Qt.MouseButton.LeftButton, pos=where)
        else:
            QTest.mouseClick(widget, self._random.choice(_BUTTONS), pos=where)
        return "clicked"

    def _wheel(self) -> str:
        canvas = self._window.canvas
        turn, where = self._random.choice((-120, -120, 120, 360)), self._somewhere(canvas)
        turn_wheel(canvas, turn, where)
        return "turned the wheel"

    def _configure(self) -> str:
        session, row = self._window.session, self._one(list(ALGORITHMS.values()))
        several = session.document.multivalued and row.multivalued
        self.done.append(f"to take {row.key}")
        session.runs.configure(
            algorithm=row.key,
            connectivity=self._random.choice(row.connectivities),
            multivalued=several,
        )
        return "configured"

    def _scrub(self) -> str:
        playback = self._window.session.playback
        for _ in range(self._random.randrange(1, 6)):
            playback.go_to(self._random.randrange(-1, playback.count + 2))
            QApplication.processEvents()
        return "scrubbed"

    def _open(self) -> str:
        pattern = self._random.choice(self._patterns)
        self.done.append(f"to open {pattern}")
        self._window.files.open_path(pattern)
        return "opened"

    def _drop(self) -> str:
        data, path = QMimeData(), self._random.choice(self._files)
        self.done.append(f"to drop {path.name}")
        data.setUrls([QUrl.fromLocalFile(str(path))])
        part(self._window, QtClipboard).drop(data)
        return "dropped"

    def _storm(self) -> str:
        """Undo and redo faster than any run ends."""
        document = self._window.session.document
        for _ in range(self._random.randrange(2, 30)):
            self._random.choice((document.undo, document.undo, document.redo))()
            if self._random.random() < 0.2:
                QApplication.processEvents()
        return "stormed through the edits"

    def _change_mode(self) -> str:
        session, on = self._window.session, self._random.random() < 0.6
        theme = self._random.choice(("dark", "light", "system"))
        modes: dict[str, Callable[[], object]] = {
            "live": lambda: session.runs.set_live(on),
            "predict": lambda: model_of(session, Predictor).switch(on),
            "theme": lambda: self._window.appearance.set_theme(theme),
            "play": session.playback.toggle,
        }
        name = self._one(list(modes))
        self.done.append(f"to switch {name}")
        modes[name]()
        return f"switched {name}"

    def _compare(self) -> str:
        comparison = self._window.session.comparison
        deeds: list[Callable[[], object]] = [
            lambda: comparison.set_open(not comparison.open),
            comparison.add_rival,
            comparison.add_rivals_until_full,
            comparison.cancel,
        ]
        if comparison.panes:
            pane = self._one(list(comparison.panes))
            deeds += [
                lambda: comparison.remove(pane),
                lambda: comparison.set_active(comparison.panes.index(pane)),
            ]
        self._one(deeds)()
        return "compared"

    def _learn(self) -> str:
        player = model_of(self._window.session, LessonPlayer)
        question = player.question
        deeds: list[Callable[[], object]] = [
            lambda: player.open(self._random.choice(LESSONS)),
            *(player.next, player.next, player.back, player.reset, player.keep_grid),
            *(player.show_answer, player.close_lesson),
            *([] if question is None else [question.skip]),
        ]
        self.done.append("to learn")
        self._one(deeds)()
        return "learned"

    def _cancel(self) -> str:
        self._window.session.tasks.cancel()
        return "cancelled"

    def _wait(self) -> str:
        QTest.qWait(self._random.randrange(60))
        return "waited"

    def _answer(self) -> None:
        """Do something in the open menu or dialog, then close it."""
        self._answers.start()
        popup = QApplication.activePopupWidget()
        if popup is not None:
            popup.close()
            return
        dialog = QApplication.activeModalWidget()
        if not isinstance(dialog, QDialog):
            return
        if isinstance(dialog, QFileDialog):
            self._choose(dialog)
            return
        self._patience += 1
        if self._patience < self._random.randrange(2, 30):
            self._fiddle(dialog)
            return
        self._patience = 0
        if self._random.random() < 0.6:
            dialog.accept()
        else:
            dialog.reject()

    def _choose(self, dialog: QFileDialog) -> None:
        """Choose one of the files, to read or to write; or none."""
        name = str(self._one([*self._files]))
        self.done.append(f"to choose {name}")
        if self._random.random() < 0.3:
            dialog.reject()
            return
        dialog.setOption(QFileDialog.Option.DontConfirmOverwrite)
        dialog.selectFile(name)
        dialog.accept()

    def _fiddle(self, dialog: QDialog) -> None:
        fields = [
            field
            for field in dialog.findChildren(QWidget)
            if field.isVisible() and field.isEnabled()
        ]
        if not fields:
            return
        field = self._one(fields)
        self.done.append(f"in {type(dialog).__name__}: {type(field).__name__}")
        if isinstance(field, QAbstractSpinBox):
            field.stepBy(self._random.choice((-1, 1, 2)))
        elif isinstance(field, QAbstractButton) or self._random.random() < 0.5:
            QTest.mouseClick(field, Qt.MouseButton.LeftButton, pos=self._somewhere(field))
        else:
            QTest.keyClick(field, self._random.choice(_KEYS))
