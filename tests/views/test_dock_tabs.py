"""Bars of tabs, which Qt makes for panels behind each other: one for each place, over no panel."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QTabBar
from pytestqt.qtbot import QtBot
from support.windows import PATIENCE, MakeWindow, settled

from ccl_viewer.views.main_window import MainWindow
from ccl_viewer.views.panels import PANELS

ALL = sorted(panel.title for panel in PANELS)
GROUP = sorted({"Source", "Plots", "Tree"})


def enlarged(window: MainWindow, *, then_normal: bool) -> None:
    for _ in range(5):
        window.actions_table["larger_text"].trigger()
        settled(window, 1280, 720)
    if then_normal:
        window.actions_table["normal_text"].trigger()


def twice(window: MainWindow, name: str) -> None:
    for _ in range(2):
        window.actions_table[name].trigger()
        settled(window, 1280, 720)


def moved_away(window: MainWindow) -> None:
    window.docks.switch("tree", on=True)
    window.actions_table["panel_left"].trigger()


CHANGES: dict[str, tuple[Callable[[MainWindow], None], list[str]]] = {
    "larger text": (lambda window: enlarged(window, then_normal=False), ALL),
    "larger text and back": (lambda window: enlarged(window, then_normal=True), GROUP),
    "layout put back": (lambda window: twice(window, "reset_layout"), GROUP),
    "projector and back": (lambda window: twice(window, "projector"), GROUP),
    "a panel moved away": (moved_away, ["Plots", "Source"]),
}


def seen_bars(window: MainWindow) -> list[QTabBar]:
    """Return the bars that can be seen, though perhaps behind a panel."""
    found = window.findChildren(QTabBar, options=Qt.FindChildOption.FindDirectChildrenOnly)
    return [bar for bar in found if window.rect().intersects(bar.geometry())]


@pytest.mark.parametrize("name", CHANGES)
def test_there_is_one_bar_for_the_panels_behind_each_other_and_it_covers_none(
    make_window: MakeWindow, qtbot: QtBot, name: str
) -> None:
    window = settled(make_window(), 1280, 720)
    change, expected = CHANGES[name]
    change(window)
    settled(window, 1280, 720)
    # Qt deletes bars that it has done with in the next turn of an event loop.
    qtbot.waitUntil(lambda: len(seen_bars(window)) == 1, timeout=PATIENCE)
    (bar,) = seen_bars(window)
    assert sorted(bar.tabText(index) for index in range(bar.count())) == expected
    docks = [window.docks[panel.name] for panel in PANELS]
    seen = [dock for dock in docks if not dock.visibleRegion().isEmpty()]
    assert not any(dock.geometry().intersects(bar.geometry()) for dock in seen)
