"""Shared by tests of the window."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol, TypeVar
from weakref import WeakKeyDictionary

from PySide6.QtCore import QItemSelectionModel, QObject, QPoint, Qt, QTimer
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QFileDialog,
    QLineEdit,
    QListView,
    QWidget,
)

from ccl_viewer.window.check.model import Checker
from ccl_viewer.window.components.model import Components
from ccl_viewer.window.core.model import Model
from ccl_viewer.window.core.session import Session
from ccl_viewer.window.exercises.model import ExercisePlayer
from ccl_viewer.window.lessons.model import LessonPlayer
from ccl_viewer.window.memory.model import Memory
from ccl_viewer.window.predict.model import Predictor

if TYPE_CHECKING:
    from PySide6.QtWidgets import QLayout
    from pytestqt.qtbot import QtBot

    from ccl_viewer.window.main_window import MainWindow

PATIENCE = 120_000
"""Milliseconds to wait for a condition, which a busy machine may need."""


_Part = TypeVar("_Part", bound=QObject)
_Widget = TypeVar("_Widget", bound=QWidget)
_Kind = TypeVar("_Kind", bound=Model)


def _make_lesson_player(session: Session) -> LessonPlayer:
    player = LessonPlayer(
        session.workspace,
        session.analysis,
        session.user_algorithms,
        session.tasks,
        session.messages,
    )
    session.files.replacing.connect(player.close_lesson)
    return player


_MAKERS: Final[dict[type[Model], Callable[[Session], Model]]] = {
    Checker: lambda session: Checker(
        tasks=session.tasks,
        messages=session.messages,
        document=session.document,
        runs=session.runs,
        view=session.view,
    ),
    Components: lambda session: Components(session.tasks, session.analysis, session.view),
    ExercisePlayer: lambda session: ExercisePlayer(
        tasks=session.tasks,
        messages=session.messages,
        document=session.document,
        runs=session.runs,
        view=session.view,
        files=session.files,
        copies=session.copies,
    ),
    LessonPlayer: _make_lesson_player,
    Memory: lambda session: Memory(session.analysis),
    Predictor: lambda session: Predictor(
        document=session.document,
        display=session.display,
        playback=session.playback,
        view=session.view,
        labels=session.labels,
        analysis=session.analysis,
        comparison=session.comparison,
    ),
}
_MADE: WeakKeyDictionary[Session, dict[type[Model], Model]] = WeakKeyDictionary()


def part(window: QObject, kind: type[_Part]) -> _Part:
    """Return the part of a window with a given class."""
    child = window.findChild(kind)
    assert isinstance(child, kind), f"the window has no {kind.__name__}"
    return child


def named(window: QWidget, name: str, kind: type[_Widget]) -> _Widget:
    """Return the widget in sight that screen readers call by a name."""
    (widget,) = (
        widget
        for widget in window.findChildren(kind)
        if widget.isVisible() and widget.accessibleName() == name
    )
    assert isinstance(widget, kind)
    return widget


def answer_next(kind: type[_Widget], answer: Callable[[_Widget], object]) -> None:
    """Answer the next modal dialog of a class, which is opened in an event loop of its own."""

    def look() -> None:
        dialog = QApplication.activeModalWidget()
        if isinstance(dialog, kind) and dialog.isVisible():
            timer.stop()
            timer.deleteLater()
            try:
                answer(dialog)
            finally:  # else a test that fails here would wait for ever
                dialog.close()

    timer = QTimer(QApplication.instance(), interval=1)
    timer.timeout.connect(look)
    timer.start()


def turn_wheel(widget: QWidget, angle: int, at: QPoint | None = None) -> None:
    """Turn the mouse's wheel over a place of a widget, or its middle; a notch is 120."""
    where = widget.rect().center() if at is None else at
    buttons, modifiers = Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier
    phase = Qt.ScrollPhase.NoScrollPhase
    turned = QPoint(0, angle)
    far = widget.mapToGlobal(where)
    event = QWheelEvent(where, far, QPoint(), turned, buttons, modifiers, phase, False)
    QApplication.sendEvent(widget, event)


def type_path(qtbot: QtBot, dialog: QFileDialog, path: Path) -> None:
    """Type a path into Qt's own file dialog, once it lists its folder, and press Enter."""
    name, (files,) = part(dialog, QLineEdit), dialog.findChildren(QListView, "listView")
    dialog.activateWindow()
    name.setFocus()
    qtbot.waitUntil(lambda: name.hasFocus() and files.model().rowCount(files.rootIndex()) > 0)
    name.clear()
    QTest.keyClicks(name, str(path))
    # At times, Qt leaves the folder on display selected.
    row = QItemSelectionModel.SelectionFlag.Select | QItemSelectionModel.SelectionFlag.Rows
    files.selectionModel().select(files.rootIndex(), row)
    QTest.keyClick(name, Qt.Key.Key_Return)


def model_of(session: Session, kind: type[_Kind]) -> _Kind:
    """Return a feature's model: the window's, or one made for a session without a window."""
    from ccl_viewer.window.main_window import MainWindow

    for window in QApplication.topLevelWidgets():
        if isinstance(window, MainWindow) and window.session is session:
            return window.find_model(kind)
    models = _MADE.setdefault(session, {})
    if kind not in models:
        models[kind] = _MAKERS[kind](session)
    model = models[kind]
    assert isinstance(model, kind)
    return model


class MakeWindow(Protocol):
    """Makes a window that is shown; with a source, waits until it is opened and run."""

    def __call__(self, source: str | None = None, /) -> MainWindow: ...


class MakeSession(Protocol):
    """Makes a session that works on threads; with a source, waits for its run."""

    def __call__(self, source: str | None = None, /) -> Session: ...


def open_and_run(qtbot: QtBot, session: Session, source: str) -> None:
    """Open a source, and wait until its run is on display."""
    session.files.open(source)
    qtbot.waitUntil(lambda: session.document.grid is not None)
    wait_idle(qtbot, session)
    if session.display.recording is None:
        session.runs.run()
        wait_idle(qtbot, session)


def wait_idle(qtbot: QtBot, session: Session) -> None:
    """Wait until no foreground work is in progress."""
    qtbot.waitUntil(lambda: session.tasks.current is None)


def first_button(layout: QLayout) -> QAbstractButton:
    """Return the button that a layout begins with."""
    return button_at(layout, 0)


def button_at(layout: QLayout, index: int) -> QAbstractButton:
    """Return the button at an index of a layout."""
    item = layout.itemAt(index)
    assert item is not None
    button = item.widget()
    assert isinstance(button, QAbstractButton)
    return button
