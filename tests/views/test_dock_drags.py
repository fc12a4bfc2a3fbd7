"""Docks and tabs that the mouse holds while keys lay the window out otherwise."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QObject, QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QTabBar, QWidget
from pytestqt.qtbot import QtBot
from support.windows import PATIENCE, MakeWindow, project, settled

from ccl_viewer.views.main_window import MainWindow


@pytest.fixture
def laid_out(make_window: MakeWindow) -> MainWindow:
    return settled(make_window(), 1280, 900)


def drag(held: QWidget, at: QPoint, way: QPoint) -> None:
    """Press on something, and move on without letting go."""
    QTest.mousePress(held, Qt.MouseButton.LeftButton, pos=at)
    for step in range(1, 6):
        QTest.mouseMove(held, at + way * step)
        QApplication.processEvents()


def let_go(window: MainWindow) -> None:
    QTest.mouseRelease(window, Qt.MouseButton.LeftButton)
    QApplication.processEvents()


def test_panels_that_are_reset_while_one_is_dragged_lie_beside_each_other(
    laid_out: MainWindow,
) -> None:
    docks = laid_out.docks
    title = docks["source"].titleBarWidget()
    drag(title, title.rect().center(), QPoint(-40, -20))
    assert docks["source"].isFloating()
    docks.reset()
    settled(laid_out, 1280, 900)
    let_go(laid_out)
    assert not docks["source"].isFloating()
    assert not docks["steps"].geometry().intersects(docks["source"].geometry())


def test_a_panel_that_is_dragged_is_away_on_the_projector(laid_out: MainWindow) -> None:
    dock = laid_out.docks["source"]
    title = dock.titleBarWidget()
    drag(title, title.rect().center(), QPoint(-40, -20))
    project(laid_out, on=True)
    let_go(laid_out)
    assert dock.isHidden()
    project(laid_out, on=False)
    assert not dock.isHidden()


def test_a_panel_that_is_dragged_comes_back_with_all_others(laid_out: MainWindow) -> None:
    docks = laid_out.docks
    title = docks["source"].titleBarWidget()
    drag(title, title.rect().center(), QPoint(-40, -20))
    for on in (True, False):
        docks.put_aside(on=on)
        settled(laid_out, 1280, 900)
    let_go(laid_out)
    assert not docks["source"].isHidden()
    assert not docks["steps"].geometry().intersects(docks["source"].geometry())


class Releases(QObject):
    """Counts how often the mouse let go of something."""

    def __init__(self, held: QWidget) -> None:
        super().__init__(held)
        self.count = 0
        held.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        self.count += event.type() is QEvent.Type.MouseButtonRelease
        return super().eventFilter(watched, event)


def test_a_tab_is_let_go_of_before_its_panels_go_away(laid_out: MainWindow, qtbot: QtBot) -> None:
    """Otherwise the program ends when the mouse moves on."""
    direct = Qt.FindChildOption.FindDirectChildrenOnly
    # Qt deletes bars that it has done with in the next turn of an event loop.
    qtbot.waitUntil(
        lambda: len(laid_out.findChildren(QTabBar, options=direct)) == 1, timeout=PATIENCE
    )
    bar = laid_out.findChild(QTabBar, options=direct)
    assert isinstance(bar, QTabBar)
    at, releases = bar.tabRect(0).center(), Releases(bar)
    drag(bar, at, QPoint(5, 0))
    laid_out.docks.hide()
    assert releases.count == 1
    QTest.mouseMove(bar, at + QPoint(190, 0))
    let_go(laid_out)
