"""What tests of the window share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVar

import pytest
from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtGui import QColor, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QMenu, QWidget
from pytestqt.qtbot import QtBot

from ccl_viewer.session import Cell
from ccl_viewer.views.main_window import MainWindow
from ccl_viewer.views.notices.status import Status
from ccl_viewer.views.source.pane import SourcePane
from ccl_viewer.views.steps.steps_panel import StepsPanel

PATIENCE = 60_000
"""Milliseconds after which waiting for a condition gives up."""

_D = TypeVar("_D", bound=QDialog)


class MakeWindow(Protocol):
    """Makes a window that is shown; with a source, waits until that was opened and run."""

    def __call__(self, source: str | None = None, /) -> MainWindow: ...


def answer_names(monkeypatch: pytest.MonkeyPatch, answer: Callable[[], tuple[str, str]]) -> None:
    """Answer the questions for names of files to be written, with a name and a kind."""
    for module in ("files.dialogs", "plots.panel"):
        monkeypatch.setattr(f"ccl_viewer.views.{module}.ask_for_name", lambda *_: answer())


def answer(window: MainWindow, kind: type[_D], reply: Callable[[_D], object]) -> None:
    """Answer a dialog of the intake as soon as it is open."""

    def wait() -> None:
        dialog = window.intake.dialog
        if isinstance(dialog, kind) and dialog.isVisible():
            reply(dialog)
        else:
            QTimer.singleShot(10, window, wait)

    QTimer.singleShot(0, window, wait)


def wait_idle(qtbot: QtBot, window: MainWindow) -> None:
    """Wait until no work is in progress, and what a lesson arranges is in its place."""
    qtbot.waitUntil(
        lambda: not window.session.busy and window.lesson_docks.settled, timeout=PATIENCE
    )


def press(widget: QWidget, key: Qt.Key | str) -> None:
    """Press a key, or type a character."""
    if isinstance(key, str):
        QTest.keyClicks(widget, key)
    else:
        QTest.keyClick(widget, key)


def settled(window: MainWindow, width: int, height: int) -> MainWindow:
    """The window at a size, dressed and laid out."""
    window.appearance.settle()
    for _ in range(4):  # what is folded or elided at one size is laid out once more
        window.resize(width, height)
        QApplication.sendPostedEvents()
        QApplication.processEvents()
    return window


def project(window: MainWindow, *, on: bool) -> None:
    """Show a window for a projector, or as it was before, laid out."""
    window.projector.show(on=on)
    window.projector.settle()


def status_of(window: MainWindow) -> Status:
    """The window's status bar."""
    bar = window.statusBar()
    assert isinstance(bar, Status)
    return bar


def kernel_of(window: MainWindow) -> str:
    """Return the kernel of the step on display; nothing without one."""
    step = window.session.step
    return "" if step is None else step.kernel


def position(window: MainWindow) -> int:
    """Index of the step on display."""
    return window.session.playback.position


def cell_at(window: MainWindow, cell: Cell) -> QPoint:
    """The middle of a cell on the canvas."""
    return window.canvas.centre_of(cell).toPoint()


def color_at(window: MainWindow, cell: Cell) -> QColor:
    """The colour near a corner of a cell, where no number is."""
    canvas = window.canvas
    left, top = canvas.view.corner(*cell)
    return canvas.grab().toImage().pixelColor(int(left) + 3, int(top + canvas.view.scale) - 4)


def drawn(widget: QWidget) -> QImage:
    """A picture of a widget with a pixel for each of its units, whatever the screen has."""
    image = QImage(widget.size(), QImage.Format.Format_RGB32)
    widget.render(image)
    return image


def make_all_parts(window: MainWindow) -> None:
    """Let a window have all that is made when it is first shown."""
    docks, compare = window.lesson_docks, window.canvas_panel.compare
    window.session.comparison.show(on=True)
    shown = docks.panel, docks.predict, docks.notes, window.canvas_panel.layers, compare.table
    others = window.panel(SourcePane).find_bar, window.panel(StepsPanel).sums
    assert all(part.parent() is not None for part in (*shown, *others))


def all_menus(window: MainWindow) -> list[QMenu]:
    """The menus of the menu bar, and their submenus."""
    menus = list(window.menus.by_title.values())
    return menus + [inner for menu in menus for inner in menu.findChildren(QMenu)]


def wait_in_sight(qtbot: QtBot, panel: QWidget) -> None:
    """Wait until a panel can be seen, which those behind others cannot."""
    qtbot.waitUntil(lambda: not panel.visibleRegion().isEmpty(), timeout=PATIENCE)


def close_lesson(window: MainWindow) -> None:
    """Close the lesson of a window, and let the window be arranged as before."""
    window.session.lesson.close()
    while not window.lesson_docks.settled:
        QApplication.processEvents()
