"""The window as a whole: its layout, its pages, full screen, closing, and what it remembers."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QMessageBox, QWidget
from pytestqt.qtbot import QtBot
from support.qt_window import MakeWindow, model_of, named, open_and_run, part, wait_idle

from ccl_viewer.window.core.document import EMPTY_GRID
from ccl_viewer.window.core.session import Session
from ccl_viewer.window.core.step_table import COLUMNS
from ccl_viewer.window.core.tasks import EXPORT, BackgroundTask
from ccl_viewer.window.full_screen.widget import QtFullScreenLine
from ccl_viewer.window.full_screen_mode import choose_full_screen_scale
from ccl_viewer.window.lessons.model import LessonPlayer
from ccl_viewer.window.main_window import MIN_SIZE, MainWindow
from ccl_viewer.window.messages.widget import QtMessageBar, QtStatusBar
from ccl_viewer.window.opening.clipboard import QtClipboard
from ccl_viewer.window.opening.start_page import QtStartPage
from ccl_viewer.window.predict.widget import QtPredictor
from ccl_viewer.window.run_settings.widget import QtSettingsBar
from ccl_viewer.window.source.widget import QtSource
from ccl_viewer.window.steps.widget import QtSteps
from ccl_viewer.window.transport.widget import QtTransport
from ccl_viewer.window.widgets.canvas.canvas import MARGIN


def player_of(session: Session) -> LessonPlayer:
    return model_of(session, LessonPlayer)


def start_page_of(window: MainWindow) -> QtStartPage:
    return part(window, QtStartPage)


def message_bar_of(window: MainWindow) -> QtMessageBar:
    return part(window, QtMessageBar)


TITLE_BAR = 38
"""Pixels, on the desktops that have the highest."""


@pytest.mark.parametrize("size", [(1280, 720)])
def test_the_canvas_is_the_largest_part(
    make_window: MakeWindow, qtbot: QtBot, size: tuple[int, int]
) -> None:
    window = make_window("pattern:noise?width=128&height=64")  # with the tools beside it
    window.resize(*size)
    qtbot.waitUntil(lambda: window.canvas.width() > size[0] // 2)
    assert window.canvas.width() * window.canvas.height() >= 0.5 * size[0] * size[1]


@pytest.mark.parametrize("size", [(1280, 720)])
def test_the_side_panel_takes_what_a_square_grid_leaves_free(
    make_window: MakeWindow, qtbot: QtBot, size: tuple[int, int]
) -> None:
    window = make_window("pattern:noise?width=128&height=64")
    window.resize(*size)
    qtbot.waitUntil(lambda: window.canvas.width() > size[0] // 2)
    before = window.side_panel.width()
    open_and_run(qtbot, window.session, "pattern:noise?width=64&height=64")
    qtbot.waitUntil(lambda: window.side_panel.width() > before)
    place, canvas = window.canvas.placement, window.canvas
    assert place.scale * 64 >= canvas.height() - 2 * MARGIN - 1
    qtbot.waitUntil(canvas.legend.card.isVisible)
    assert canvas.legend.x() >= place.x + 64 * place.scale  # and the legend covers no cell
    assert part(window, QtTransport).chip.isVisible()
    window.side_panel.collapse()
    qtbot.waitUntil(lambda: canvas.width() > 0.8 * size[0])
    assert canvas.placement.scale == place.scale  # the grid was as large as it can be


def test_steps_and_source_can_be_read_beside_the_canvas(window: MainWindow, qtbot: QtBot) -> None:
    window.resize(1280, 720)
    wide, square = "pattern:noise?width=128&height=64", "pattern:noise?width=64&height=64"
    for source, panes in ((wide, False), (square, True), (square, False)):
        open_and_run(qtbot, window.session, source)
        if panes:
            window.session.comparison.compare_with([("ha4", {})])
            wait_idle(qtbot, window.session)
        else:
            window.session.comparison.set_open(on=False)
        window.side_panel.show_panel("steps")
        steps = window.side_panel.widget("steps")
        assert isinstance(steps, QtSteps)
        QApplication.processEvents()
        table = steps.table
        for name in ("step", "stage", "time", "iteration", "changed", "roots"):
            column = list(COLUMNS).index(name)
            end = table.columnViewportPosition(column) + table.columnWidth(column)
            assert end <= table.viewport().width(), name
    window.side_panel.show_panel("source")
    source_panel = window.side_panel.widget("source")
    assert isinstance(source_panel, QtSource)
    QApplication.processEvents()
    text = source_panel.text
    assert text.viewport().width() >= 60 * text.fontMetrics().horizontalAdvance("x")


def test_the_least_size_holds_at_large_text(make_window: MakeWindow) -> None:
    window = make_window("pattern:spiral")
    for text_size in (100, 125):
        window.appearance.set_text_size(text_size)
        window.resize(MIN_SIZE)
        assert window.size() == MIN_SIZE
        assert part(window, QtStatusBar).geometry().bottom() < 600 - TITLE_BAR
        assert window.canvas.height() > 250


def test_without_a_grid_there_is_the_start_page(make_window: MakeWindow, qtbot: QtBot) -> None:
    window = make_window()
    assert start_page_of(window).isVisible()
    assert window.focusWidget() is start_page_of(window).patterns
    qtbot.waitUntil(lambda: start_page_of(window).patterns.count() > 10)
    start_page_of(window).patterns.itemActivated.emit(start_page_of(window).patterns.item(1))
    qtbot.waitUntil(lambda: window.session.document.grid is not None)
    wait_idle(qtbot, window.session)
    assert window.canvas.isVisible()
    assert window.canvas.hasFocus()


def test_the_start_page_can_be_shown_over_a_grid(window: MainWindow, qtbot: QtBot) -> None:
    document, before = window.session.document, window.session.display.recording
    document.invert()
    wait_idle(qtbot, window.session)
    grid, recording = document.grid, window.session.display.recording
    window.session.playback.go_to_first()
    for back in (start_page_of(window).back.click, window.actions_by_name["cancel"].trigger):
        window.actions_by_name["start_page"].trigger()
        assert start_page_of(window).isVisible()
        assert start_page_of(window).back.isVisible()
        back()
        assert window.canvas.isVisible()
        assert document.grid is grid
        assert window.session.display.recording is recording is not before
        assert window.session.playback.at_start
    window.actions_by_name["start_page"].trigger()
    qtbot.waitUntil(lambda: start_page_of(window).patterns.count() > 10)
    start_page_of(window).patterns.itemActivated.emit(start_page_of(window).patterns.item(1))
    assert window.files.unsaved_box is not None  # the drawing would be lost
    window.files.unsaved_box.button(QMessageBox.StandardButton.Discard).click()
    qtbot.waitUntil(window.canvas.isVisible)
    assert document.source.startswith("pattern:")


def test_the_title_names_the_grid_and_marks_a_drawing(window: MainWindow) -> None:
    assert "Shibata" in window.windowTitle()
    assert not window.isWindowModified()
    window.session.document.invert()
    assert window.isWindowModified()


def test_the_status_bar_says_how_pasted_cells_are_placed(window: MainWindow, qtbot: QtBot) -> None:
    window.session.document.selection.select_all()
    part(window, QtClipboard).copy()
    window.session.view.hover_at((1, 1))
    part(window, QtClipboard).paste()
    qtbot.waitUntil(lambda: "Enter places them" in part(window, QtStatusBar).cell.text())
    window.session.document.selection.place()
    qtbot.waitUntil(lambda: "Enter places them" not in part(window, QtStatusBar).cell.text())


def test_the_title_of_a_lesson_marks_no_drawing(window: MainWindow, qtbot: QtBot) -> None:
    window.session.document.invert()
    assert window.isWindowModified()
    player_of(window.session).open("shibata")
    qtbot.waitUntil(lambda: player_of(window.session).is_open)
    wait_idle(qtbot, window.session)
    assert not window.isWindowModified()
    player_of(window.session).close_lesson()
    assert window.isWindowModified()


def test_the_side_panel_collapses_to_its_edge_and_comes_back(
    window: MainWindow, qtbot: QtBot
) -> None:
    width = window.canvas.width()
    window.actions_by_name["side_panel"].trigger()
    qtbot.waitUntil(lambda: window.canvas.width() > width + 100)
    assert window.side_panel.collapsed
    window.actions_by_name[f"panel_{window.panels[-1].key}"].trigger()
    qtbot.waitUntil(lambda: window.canvas.width() == width)
    assert window.side_panel.is_shown(window.panels[-1].key)
    assert window.actions_by_name[f"panel_{window.panels[-1].key}"].isChecked()
    window.actions_by_name[f"panel_{window.panels[-1].key}"].trigger()
    assert window.side_panel.collapsed


def test_the_edge_of_the_side_panel_is_as_wide_whoever_collapsed_it(window: MainWindow) -> None:
    panel = window.side_panel
    widths = []
    for way in (panel.collapse, lambda: panel.collapse_for(window, on=True)):
        way()
        widths.append(panel.width())
        panel.show_panel("steps")
    assert widths[0] == widths[1] < 60


@pytest.mark.parametrize("maximised", [False, True])
def test_full_screen_twice_gives_back_the_window(
    window: MainWindow, qtbot: QtBot, maximised: bool
) -> None:
    if maximised:
        window.showMaximized()
    qtbot.waitUntil(lambda: (window.width() != 1280) == maximised)
    qtbot.waitUntil(
        lambda: window.splitter.height() > window.canvas.height() > window.height() // 2
    )
    qtbot.waitUntil(lambda: window.splitter.width() == window.width())
    before = window.geometry(), window.windowState(), window.canvas.size()
    window.actions_by_name["full_screen"].trigger()
    qtbot.waitUntil(window.isFullScreen)
    assert window.canvas.isVisible()
    assert part(window, QtTransport).isVisible()
    assert not window.menuBar().isVisible()
    assert not window.side_panel.isVisible()
    assert window.font().pointSizeF() > 12
    window.actions_by_name["full_screen"].trigger()
    qtbot.waitUntil(lambda: (window.geometry(), window.windowState()) == before[:2])
    qtbot.waitUntil(lambda: window.canvas.size() == before[2])
    assert window.side_panel.isVisible()


def test_full_screen_says_what_runs_and_how_to_leave(window: MainWindow, qtbot: QtBot) -> None:
    assert not part(window, QtFullScreenLine).isVisible()
    window.actions_by_name["full_screen"].trigger()
    qtbot.waitUntil(part(window, QtFullScreenLine).isVisible)
    assert part(window, QtFullScreenLine).run.text().startswith("Label Equivalence")
    assert part(window, QtFullScreenLine).run.text().endswith("4 neighbours")
    assert part(window, QtFullScreenLine).leave.text() == "F11 leaves full screen"
    usual = part(window, QtTransport).explanation.font().pointSizeF()
    assert part(window, QtFullScreenLine).run.font().pointSizeF() < usual
    canvas = window.canvas.mapTo(window, window.canvas.rect().topLeft())
    assert canvas.y() >= part(window, QtFullScreenLine).geometry().bottom()  # it covers no cell
    window.session.runs.configure(algorithm="stava_benes", connectivity=8)
    wait_idle(qtbot, window.session)
    qtbot.waitUntil(lambda: "Stava-Benes" in part(window, QtFullScreenLine).run.text())
    assert part(window, QtFullScreenLine).run.text().endswith("8 neighbours")
    window.actions_by_name["full_screen"].trigger()
    qtbot.waitUntil(lambda: not part(window, QtFullScreenLine).isVisible())


def test_text_in_full_screen_leaves_a_lesson_its_room(window: MainWindow, qtbot: QtBot) -> None:
    for screen, scale in (((1280, 720), 1.1), ((1920, 1080), 1.6)):
        assert choose_full_screen_scale(screen, lesson=False) == 1.6
        assert choose_full_screen_scale(screen, lesson=True) == pytest.approx(scale)
    window.full_screen.enter()
    assert window.appearance.text_scale == 1.6
    player_of(window.session).open("shibata")
    size = window.screen().size()
    small = choose_full_screen_scale((size.width(), size.height()), lesson=True)
    qtbot.waitUntil(lambda: window.appearance.text_scale == small)
    assert small < 1.6
    player_of(window.session).close_lesson()
    assert window.appearance.text_scale == 1.6
    window.full_screen.leave()
    assert window.appearance.text_scale == 1


@pytest.mark.parametrize(
    ("text_size", "larger", "largest", "scale"),
    [(100, 1.6, 2.0, 1.6), (150, 1.6, 2.0, 2.0), (200, 1.6, 2.0, 2.0), (200, 1.6, 1.6, 2.0)],
)
def test_full_screen_does_not_enlarge_large_text_beyond_the_screen(
    window: MainWindow, text_size: int, larger: float, largest: float, scale: float
) -> None:
    window.appearance.set_text_size(text_size)
    window.appearance.set_full_screen_scale(larger, largest)
    assert window.appearance.text_scale == pytest.approx(scale)


def test_in_full_screen_with_the_largest_text_the_result_of_the_run_is_in_sight(
    window: MainWindow, qtbot: QtBot
) -> None:
    window.appearance.set_text_size(200)
    window.actions_by_name["predict"].trigger()
    window.full_screen.enter()
    window.showNormal()  # with the parts of full screen, but not of the size of this screen
    window.resize(1280, 720)
    qtbot.waitUntil(lambda: window.width() == 1280)

    def whole(widget: QWidget) -> bool:
        in_sight = widget.visibleRegion().boundingRect() == widget.rect()
        return in_sight and widget.width() >= widget.sizeHint().width()

    qtbot.waitUntil(lambda: whole(named(window, "Result of the run", QLabel)))
    qtbot.waitUntil(lambda: whole(part(window, QtPredictor).begin))


def test_escape_ends_what_is_under_way_in_order(window: MainWindow) -> None:
    session = window.session
    session.view.pin_cell((1, 1))
    session.document.selection.select_all()
    session.messages.show_error("Test", ValueError("test"))
    window.full_screen.enter()
    escape = window.actions_by_name["cancel"]
    conditions: tuple[Callable[[], bool], ...] = (
        lambda: window.full_screen.on,
        lambda: session.messages.message is not None,
        lambda: session.document.selection.box is not None,
        lambda: session.view.pin is not None,
    )
    for there in conditions:
        assert there()
        escape.trigger()
        assert not there()


def test_keys_of_the_window_are_not_taken_from_a_field(window: MainWindow) -> None:
    field = QLineEdit(window)
    field.show()
    field.setFocus()
    layers = window.session.view.layers
    QTest.keyClicks(field, "nac")
    assert field.text() == "nac"
    assert window.session.view.layers == layers
    window.canvas.setFocus()
    QTest.keyClicks(window.canvas, "n")
    assert window.session.view.layers != layers


def test_space_presses_the_button_that_has_the_focus(window: MainWindow) -> None:
    button = part(window, QtSettingsBar).connectivity.button(8)
    button.setFocus()
    QTest.keyClick(button, Qt.Key.Key_Space)
    assert window.session.runs.settings.connectivity == 8
    assert not window.session.playback.playing
    assert button.hasFocus()


def test_what_was_chosen_is_there_at_the_next_start(make_window: MakeWindow) -> None:
    window = make_window()
    window.appearance.set_theme("light")
    window.appearance.set_text_size(125)
    window.session.runs.configure(algorithm="ha4")
    window.session.tools.set_filled(True)
    window.session.runs.set_live(True)
    window.session.view.show_layers(arrows=True)
    window.side_panel.show_panel("tree")
    window.side_panel.collapse()
    window.resize(1100, 700)
    window.close()
    again = make_window()
    assert (again.appearance.choice, again.appearance.text_size) == ("light", 125)
    assert again.session.runs.settings.algorithm == "ha4"
    assert again.session.tools.filled
    assert again.session.runs.live
    assert again.session.view.layers.arrows
    assert (again.side_panel.current, again.side_panel.collapsed) == ("tree", True)


def test_values_of_no_use_in_the_settings_are_those_of_a_first_start(
    make_window: MakeWindow, tmp_path: Path
) -> None:
    (tmp_path / "settings.json").write_text(
        '{"view/theme": 3, "view/text-size": "x", "view/layers": {"colours": 7, "arrows": []},'
        '"run/algorithm": "none", "run/connectivity": "a", "window/panel": [], '
        '"window/panel-width": "wide", "window/geometry": "%%"}'
    )
    window = make_window("pattern:spiral")
    assert window.appearance.choice == "dark"
    assert window.session.runs.settings.algorithm == "label_equivalence"


def test_faint_colours_do_not_outlive_the_window(make_window: MakeWindow) -> None:
    first = make_window("pattern:spiral")
    first.session.view.show_layers(strength=0.3, arrows=True)
    first.close_without_asking()
    layers = make_window("pattern:spiral").session.view.layers
    assert layers.strength == 1.0
    assert layers.arrows


NAMES = (
    "compare", "export", "lessons/left", "plots/shown", "recent/files", "run/algorithm",
    "run/connectivity", "tools/filled", "view/layers", "view/legend", "view/text-size",
    "view/theme", "window/geometry", "window/panel", "window/panel-width",
)  # fmt: skip
ODD = ("\ud800\0", 10**30, {"\ud800": [], "runs": [{"seconds": "x"}]})


@pytest.mark.parametrize("first", range(len(ODD)))
def test_a_window_opens_whatever_the_settings_hold(
    make_window: MakeWindow, tmp_path: Path, first: int
) -> None:
    values = {name: ODD[(first + place) % len(ODD)] for place, name in enumerate(NAMES)}
    (tmp_path / "settings.json").write_text(json.dumps(values))
    window = make_window("pattern:shibata")
    assert window.session.display.recording is not None
    window.close()
    assert json.loads((tmp_path / "settings.json").read_text())["window/geometry"].isascii()


def test_a_drawing_is_asked_about_before_the_window_closes(
    window: MainWindow, qtbot: QtBot
) -> None:
    window.session.document.invert()
    wait_idle(qtbot, window.session)
    window.close()
    box = window.files.unsaved_box
    assert window.isVisible()
    assert box is not None
    box.button(QMessageBox.StandardButton.Cancel).click()
    assert window.isVisible()
    window.close()
    assert window.files.unsaved_box is not None
    window.files.unsaved_box.button(QMessageBox.StandardButton.Discard).click()
    assert not window.isVisible()


def test_an_export_goes_on_until_the_user_gives_it_up(window: MainWindow, qtbot: QtBot) -> None:
    """Escape closes the front part, errors are shown, and closing asks."""
    session, ended = window.session, threading.Event()

    def export(task: BackgroundTask) -> None:
        while not ended.wait(0.01):
            task.check()

    task = session.tasks.start("Exporting run.gif", export, lambda _: None, group=EXPORT)
    window.report_error(ValueError("test"))
    qtbot.waitUntil(lambda: message_bar_of(window).notice is not None)
    notice = message_bar_of(window).notice
    assert notice is not None
    assert notice.property("message") == "error"
    window.actions_by_name["cancel"].trigger()
    assert session.messages.message is None
    window.close()
    assert window.isVisible()
    box = window.findChild(QMessageBox)
    assert box is not None
    box.button(QMessageBox.StandardButton.Discard).click()
    assert not window.isVisible()
    assert task.token.cancelled
    ended.set()


def test_closing_cancels_a_run(make_window: MakeWindow) -> None:
    window = make_window("pattern:noise?width=256&height=256")
    session = window.session
    session.runs.configure(algorithm="label_equivalence", schedule="random:1")
    session.runs.run()
    task = session.tasks.current
    assert task is not None
    window.close_without_asking()
    assert task.token.cancelled


def test_unexpected_errors_are_said_and_the_window_goes_on(
    window: MainWindow, qtbot: QtBot
) -> None:
    window.report_error(ZeroDivisionError("division"))
    qtbot.waitUntil(lambda: message_bar_of(window).notice is not None)
    notice = message_bar_of(window).notice
    assert notice is not None
    assert "ZeroDivisionError" in notice.text.text()
    copy = notice.buttons["Copy details"]
    copy.click()
    assert copy.text() == "Copied"
    window.actions_by_name["forward"].trigger()


def test_an_empty_grid_says_the_same_everywhere(make_window: MakeWindow, qtbot: QtBot) -> None:
    window = make_window("pattern:empty")
    said = part(window, QtTransport).explanation.full_text
    assert said == window.session.display.status.text == EMPTY_GRID


def test_each_tab_of_the_side_panel_has_room(window: MainWindow, qtbot: QtBot) -> None:
    tabs = window.side_panel.tabs
    window.side_panel.show_panel("memory")
    window.side_panel.setFixedWidth(200)
    others = window.side_panel.others
    qtbot.waitUntil(lambda: tabs.width() < 200)
    assert sum(tabs.tabRect(number).width() for number in range(tabs.count())) <= tabs.width()
    assert tabs.isTabVisible(tabs.currentIndex())
    assert not tabs.isTabVisible(tabs.count() - 1)
    action = others.menu().actions()[-1]
    assert action is window.actions_by_name[f"panel_{window.panels[-1].key}"]
    action.trigger()
    assert window.side_panel.current == window.panels[-1].key
    assert tabs.isTabVisible(tabs.currentIndex())
    for panel in window.panels:
        window.side_panel.show_panel(panel.key)
        assert tabs.tabRect(tabs.currentIndex()).width() > 0
    window.side_panel.setFixedWidth(900)
    qtbot.waitUntil(lambda: all(map(tabs.isTabVisible, range(tabs.count()))))
    assert not others.isVisible()
