"""Tab reaches all that can be seen and used, is caught nowhere, and shows where it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import shiboken6
from PIL import Image
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QDialog,
    QHBoxLayout,
    QLineEdit,
    QVBoxLayout,
    QWidget,
    QWidgetItem,
)
from pytestqt.qtbot import QtBot
from support.focus import expected_stops, named, unseen, walk
from support.windows import PATIENCE, MakeWindow, settled, wait_idle, wait_in_sight

from ccl_viewer.views.main_window import MainWindow
from ccl_viewer.views.plots.panel import Plots
from ccl_viewer.views.widgets.boxes import NumberBox
from ccl_viewer.views.widgets.tab_order import lies_behind, tab_stops

PATTERN = "pattern:shibata"


@pytest.fixture(autouse=True)
def _still(qapp: QApplication) -> Iterator[None]:
    """The cursor of text fields does not blink: it would be taken for the focus."""
    usual = qapp.cursorFlashTime()
    qapp.setCursorFlashTime(0)
    yield
    qapp.setCursorFlashTime(usual)


def test_the_order_keeps_nothing_of_layouts(qapp: QApplication) -> None:
    """Python's objects for items outlive these, and stand for what comes to lie in their place."""

    def items() -> int:
        return sum(isinstance(known, QWidgetItem) for known in shiboken6.getAllValidWrappers())

    row, column, outer = QHBoxLayout(), QVBoxLayout(), QWidget()
    column.addWidget(first := QLineEdit())
    column.addLayout(row)
    row.addWidget(second := QLineEdit())
    column.addWidget(third := QLineEdit())
    outer.setLayout(column)
    before = items()
    assert list(tab_stops(outer)) == [first, second, third]
    assert items() == before
    outer.deleteLater()


def as_it_is(window: MainWindow) -> None:
    window.session.configure(algorithm_key="shibata_slow")


def with_plots(window: MainWindow) -> None:
    window.docks.show("plots", on=True)


def with_tree(window: MainWindow) -> None:
    window.docks.show("tree", on=True)
    window.session.look.pin((4, 4))


def with_values(window: MainWindow) -> None:
    window.session.configure(algorithm_key="label_equivalence", multivalued=True)
    window.session.tools.swap()  # the left button erases, so that no value is chosen


def with_lanes(window: MainWindow) -> None:
    window.actions_table["compare"].trigger()


def with_large_text(window: MainWindow) -> None:
    window.appearance.set_text_size(200)


def in_a_lesson(window: MainWindow) -> None:
    window.session.lesson.open("what-is-a-component")


def asked_to_predict(window: MainWindow) -> None:
    window.actions_table["predict"].trigger()


STATES: tuple[Callable[[MainWindow], None], ...] = (
    as_it_is,
    with_plots,
    with_tree,
    with_values,
    with_lanes,
    with_large_text,
    in_a_lesson,
    asked_to_predict,
)


def begin(qtbot: QtBot, window: MainWindow, state: Callable[[MainWindow], None]) -> None:
    window.activateWindow()
    state(window)
    wait_idle(qtbot, window)
    settled(window, 1280, 720)
    # What comes and goes has turns of its own before it is painted.
    qtbot.waitUntil(window.canvas.updatesEnabled, timeout=PATIENCE)
    if state is with_plots:
        panel = window.panel(Plots)
        wait_in_sight(qtbot, panel)
        qtbot.waitUntil(lambda: panel.deck is not None, timeout=PATIENCE)
    qtbot.waitUntil(window.canvas.updatesEnabled, timeout=PATIENCE)  # lanes are held at first
    window.canvas.setFocus()
    qtbot.waitUntil(window.canvas.hasFocus, timeout=PATIENCE)


@pytest.mark.parametrize("theme", ["dark", "light"])
@pytest.mark.parametrize("state", STATES)
def test_tab_goes_everywhere_and_is_seen(
    make_window: MakeWindow, qtbot: QtBot, state: Callable[[MainWindow], None], theme: str
) -> None:
    window = make_window(PATTERN)
    window.set_theme(theme)
    begin(qtbot, window, state)
    there, back = walk(), walk(Qt.Key.Key_Backtab)
    assert [named(stop) for stop in there if lies_behind(stop)] == []
    missed = [named(stop) for stop in expected_stops(window) if stop not in there]
    assert missed == []
    assert set(there) == set(back)
    assert unseen(there) == []


def test_tab_goes_to_fields_that_came_with_the_key_before(window: MainWindow) -> None:
    before = window.source_bar.findChildren(NumberBox)
    window.session.configure(algorithm_key="ha4")
    (field,) = set(window.source_bar.findChildren(NumberBox)) - set(before)
    stops = list(tab_stops(window.source_bar))
    stops[stops.index(field) + 1].setFocus()
    assert window.focusNextPrevChild(False)
    assert window.focusWidget() is field


def test_tab_goes_through_what_came_late_where_the_eye_finds_it(
    window: MainWindow, qtbot: QtBot
) -> None:
    begin(qtbot, window, with_lanes)
    own, other = window.canvas_panel.compare.area.shown
    stops = walk()
    assert stops[0] is own.canvas
    assert [other.isAncestorOf(stop) for stop in stops[1:4]] == [True, True, False]


def test_tab_goes_through_the_empty_window(make_window: MakeWindow, qtbot: QtBot) -> None:
    window = make_window()
    begin(qtbot, window, lambda _window: None)
    stops = walk()
    assert set(window.canvas_panel.empty.buttons) <= set(stops)
    assert unseen(stops) == []


def test_what_tab_reaches_is_scrolled_into_sight(make_window: MakeWindow, qtbot: QtBot) -> None:
    window = make_window(PATTERN)
    begin(qtbot, window, with_large_text)
    for _ in walk():
        QTest.keyClick(window, Qt.Key.Key_Tab)
        stop = window.focusWidget()
        assert stop is not None
        assert not stop.visibleRegion().isEmpty(), named(stop)


def check_dialog(dialog: QDialog, found: dict[str, list[str]]) -> int:
    dialog.show()
    dialog.activateWindow()
    QApplication.processEvents()
    assert dialog.isActiveWindow()
    if dialog.focusWidget() is None:
        dialog.focusNextChild()
    stops = walk()
    missed = [named(stop) for stop in expected_stops(dialog) if stop not in stops]
    found[type(dialog).__name__] = missed + unseen(stops)
    dialog.reject()
    return 0


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_tab_goes_through_every_dialog_and_is_seen(
    make_window: MakeWindow,
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    theme: str,
) -> None:
    window = make_window(PATTERN)
    window.set_theme(theme)
    window.appearance.settle()
    found: dict[str, list[str]] = {}
    monkeypatch.setattr(QDialog, "exec", lambda dialog: check_dialog(dialog, found))
    dialogs = ("pattern", "new", "resize", "random_fill", "keys", "about", "export")
    for name in dialogs:
        window.actions_table[name].trigger()
    check_dialog(window.canvas_panel.compare.ask_for_lane(), found)
    Image.linear_gradient("L").save(tmp_path / "photo.png")
    window.intake.open(str(tmp_path / "photo.png"), always=True)
    qtbot.waitUntil(lambda: "ImportDialog" in found, timeout=PATIENCE)
    assert {name: missed for name, missed in found.items() if missed} == {}
    assert set(found) == {
        "PatternDialog",
        "NewGridDialog",
        "ResizeDialog",
        "RandomDialog",
        "KeysDialog",
        "AboutDialog",
        "ExportDialog",
        "LaneDialog",
        "ImportDialog",
    }
