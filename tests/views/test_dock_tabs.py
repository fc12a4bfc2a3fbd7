"""Bars of tabs, which Qt makes for panels behind each other: one for each place, over no panel."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QTabBar
from pytestqt.qtbot import QtBot
from support.windows import PATIENCE, MakeWindow, settled

from ccl_viewer.views.main_window import MainWindow
from ccl_viewer.views.panels import PANELS


def seen_bars(window: MainWindow) -> list[QTabBar]:
    """Return the bars that can be seen, though perhaps behind a panel."""
    found = window.findChildren(QTabBar, options=Qt.FindChildOption.FindDirectChildrenOnly)
    return [bar for bar in found if window.rect().intersects(bar.geometry())]


def test_there_is_one_bar_for_panels_behind_each_other_and_it_covers_none(
    make_window: MakeWindow, qtbot: QtBot
) -> None:
    window = settled(make_window(), 1280, 720)

    def tabs_after(*names: str) -> list[str]:
        for name in names:
            window.actions_table[name].trigger()
            settled(window, 1280, 720)
        # Qt deletes bars that it has done with in the next turn of an event loop.
        qtbot.waitUntil(lambda: len(seen_bars(window)) == 1, timeout=PATIENCE)
        (bar,) = seen_bars(window)
        docks = [window.docks[panel.name] for panel in PANELS]
        seen = [dock for dock in docks if not dock.visibleRegion().isEmpty()]
        assert not any(dock.geometry().intersects(bar.geometry()) for dock in seen)
        return sorted(bar.tabText(index) for index in range(bar.count()))

    assert tabs_after(*["larger_text"] * 5) == sorted(panel.title for panel in PANELS)
    assert tabs_after("reset_layout") == sorted(panel.title for panel in PANELS)
    assert tabs_after("normal_text") == ["Plots", "Source", "Tree"]
    assert tabs_after("reset_layout", "reset_layout") == ["Plots", "Source", "Tree"]
    assert tabs_after("projector", "projector") == ["Plots", "Source", "Tree"]
    window.docks.switch("tree", on=True)
    assert tabs_after("panel_left") == ["Plots", "Source"]
