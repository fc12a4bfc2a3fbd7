"""The menus of canvas and timeline: for the mouse, where it does not draw, and for the keyboard."""

from __future__ import annotations

from collections import Counter

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QAction, QContextMenuEvent, QGuiApplication, QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QWidget
from pytestqt.qtbot import QtBot
from support.windows import cell_at, position, wait_idle

from ccl_viewer.session import Pin
from ccl_viewer.session.editing.hand import Tool
from ccl_viewer.session.playback.transport import Section
from ccl_viewer.views.canvas.geometry import Viewpoint
from ccl_viewer.views.main_window import MainWindow

MOUSE, KEYBOARD = QContextMenuEvent.Reason.Mouse, QContextMenuEvent.Reason.Keyboard
PLAIN, CTRL = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ControlModifier


def ask(
    widget: QWidget,
    where: QPoint,
    reason: QContextMenuEvent.Reason = MOUSE,
    held: Qt.KeyboardModifier = PLAIN,
) -> QMenu | None:
    """Do what the right button or the menu key does, and return the menu that is shown."""
    if reason is MOUSE:
        QTest.mouseClick(widget, Qt.MouseButton.RightButton, held, where)
    QApplication.sendEvent(
        widget, QContextMenuEvent(reason, where, widget.mapToGlobal(where), held)
    )
    popup = QApplication.activePopupWidget()
    assert popup is None or isinstance(popup, QMenu)
    return popup


def choose(menu: QMenu | None, text: str) -> None:
    """Choose the entry that begins with a text, and close the menu."""
    assert menu is not None
    entries = [entry for entry in menu.actions() if plain(entry).startswith(text)]
    assert len(entries) == 1, [plain(entry) for entry in menu.actions()]
    assert entries[0].isEnabled()
    menu.close()
    entries[0].trigger()


def plain(entry: QAction) -> str:
    return entry.text().replace("&", "")


def erased(window: MainWindow) -> bool:
    return window.session.drawing.can_undo


def timeline_at(window: MainWindow, step: int) -> QPoint:
    timeline = window.step_panel.timeline
    return QPoint(round(timeline.x_of(step)), timeline.height() // 2)


def entries(menu: QMenu | None) -> str:
    """The entries without their keys, and in brackets those of submenus."""
    assert menu is not None
    lines: list[str] = []
    for entry in menu.actions():
        inner = entry.menu()
        lines.append(plain(entry).split("\t")[0] or "-")
        lines += [f"({entries(inner)})"] if isinstance(inner, QMenu) else []
    return ", ".join(lines)


@pytest.mark.parametrize(
    ("tool", "held", "shown"),
    [
        (Tool.PENCIL, PLAIN, False),
        (Tool.FILL, PLAIN, False),
        (Tool.PENCIL, CTRL, True),
        (Tool.PICK, PLAIN, True),
        (Tool.SELECT, PLAIN, True),
    ],
)
def test_the_right_button_draws_or_shows_the_menu(
    window: MainWindow, qtbot: QtBot, tool: Tool, held: Qt.KeyboardModifier, shown: bool
) -> None:
    window.session.tools.take(tool)
    menu = ask(window.canvas, cell_at(window, (1, 1)), held=held)
    assert (menu is not None) is shown
    assert erased(window) is not shown
    if menu is not None:
        menu.close()
    wait_idle(qtbot, window)


def test_the_menus_offer_what_can_be_done_here(window: MainWindow) -> None:
    timeline, step = window.step_panel.timeline, window.session.playback.position
    with_steps = (
        "{}, No section, Loop, -, First wrong step, Roots right, Converged",
        "Go to step…, -, Section starts here, Section ends here",
        "Show step 1, Go to step…, -, Section starts at step 1, Section ends at step 1",
    )
    for widget, where, expected in (
        (
            window.canvas,
            cell_at(window, (1, 1)),
            "Pin component, Pin cell alone, Only the pinned component, -, Copy label of the cell, "
            "Copy figure, -, Fit grid, Layers…, -, Selection, (Cut, Copy, Paste, Delete)",
        ),
        (timeline, timeline_at(window, step), with_steps[0].format(with_steps[1])),
        (timeline, timeline_at(window, 0), with_steps[0].format(with_steps[2])),
    ):
        menu = ask(widget, where, held=CTRL)
        assert entries(menu) == expected
        assert menu is not None
        menu.close()
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
        assert widget.findChildren(QMenu) == []  # it is gone


def test_no_menu_comes_while_something_is_drawn(window: MainWindow) -> None:
    window.session.tools.take(Tool.SELECT)
    QTest.mousePress(window.canvas, Qt.MouseButton.LeftButton, pos=cell_at(window, (1, 1)))
    assert ask(window.canvas, cell_at(window, (2, 2)), held=CTRL) is None


def test_the_menu_is_about_the_cell_under_the_mouse(window: MainWindow) -> None:
    look = window.session.look
    choose(ask(window.canvas, cell_at(window, (1, 1)), held=CTRL), "Pin component")
    assert look.pin_of == Pin((1, 1), component=True)
    choose(ask(window.canvas, cell_at(window, (1, 2)), held=CTRL), "Pin cell alone")
    assert look.pin_of == Pin((1, 2), component=False)
    choose(ask(window.canvas, cell_at(window, (1, 2)), held=CTRL), "Unpin cell alone")
    assert look.pin_of is None


def test_the_menu_copies_the_label(window: MainWindow) -> None:
    label = window.session.inspect((1, 1)).label
    choose(ask(window.canvas, cell_at(window, (1, 1)), held=CTRL), "Copy label")
    assert QGuiApplication.clipboard().text() == str(label)


def test_the_menu_key_asks_for_the_cell_of_the_cursor(window: MainWindow) -> None:
    look = window.session.look
    look.hover_at((3, 4))
    menu = ask(window.canvas, QPoint(), KEYBOARD)
    assert menu is not None
    there = window.canvas.mapFromGlobal(menu.pos())
    assert (there - cell_at(window, (3, 4))).manhattanLength() <= 2
    assert look.cursor == (3, 4)
    choose(menu, "Pin component")
    assert look.pinned == (3, 4)


def test_the_menu_of_a_cell_out_of_sight_is_on_the_canvas(window: MainWindow) -> None:
    canvas = window.canvas
    window.session.look.hover_at((0, 5))
    canvas.look_at(Viewpoint(40.0, -140.0, 0.0))
    assert canvas.centre_of((0, 5)).x() < 0
    menu = ask(canvas, QPoint(), KEYBOARD)
    assert menu is not None
    assert canvas.mapFromGlobal(menu.pos()).x() == 0
    menu.close()


def test_the_menu_key_shows_a_cursor_where_there_is_none(window: MainWindow) -> None:
    menu = ask(window.canvas, QPoint(), KEYBOARD)
    assert menu is not None
    menu.close()
    assert window.session.look.cursor == (5, 5)


def test_a_lane_has_the_menu_too(window: MainWindow, qtbot: QtBot) -> None:
    comparison = window.session.comparison
    comparison.show(on=True)
    comparison.fill()
    cells = window.canvas_panel.compare.area.shown
    qtbot.waitUntil(lambda: not comparison.working and not window.session.busy)
    lane = cells[1].lane
    assert lane is not None
    window.session.playback.go_to(0)
    window.canvas.setFocus()
    menu = ask(cells[1].canvas, QPoint(), KEYBOARD)
    assert menu is not None
    menu.close()
    assert cells[1].canvas.hasFocus(), "of several lanes, this one is meant"
    menu = ask(cells[1].canvas, cells[1].canvas.centre_of((1, 1)).toPoint(), held=CTRL)
    assert window.canvas_panel.compare.area.current is cells[1]
    choose(menu, "Copy label")
    assert QGuiApplication.clipboard().text() == str(lane.inspect((1, 1)).label)


def test_the_timelines_menu_is_about_the_step_under_the_mouse(window: MainWindow) -> None:
    timeline, playback = window.step_panel.timeline, window.session.playback
    playback.go_to(0)
    choose(ask(timeline, timeline_at(window, 1)), "Section starts at step 2")
    choose(ask(timeline, timeline_at(window, 2)), "Section ends at step 3")
    assert playback.section == Section(1, 2)
    playback.toggle()
    choose(ask(timeline, timeline_at(window, 2)), "Show step 3")
    assert position(window) == 2
    assert not playback.playing, "it would be run past"
    choose(ask(timeline, timeline_at(window, 2)), "No section")
    assert playback.section is None


def test_the_timelines_menu_for_the_keyboard_is_about_the_step_on_display(
    window: MainWindow,
) -> None:
    window.session.playback.go_to(1)
    choose(ask(window.step_panel.timeline, QPoint(), KEYBOARD), "Section starts here")
    assert window.session.playback.section == Section(1, window.session.playback.count - 1)


def test_milestones_can_be_gone_to(window: MainWindow, qtbot: QtBot) -> None:
    actions, insight = window.actions_table, window.session.insight
    qtbot.waitUntil(lambda: insight.settled is not None)
    qtbot.waitUntil(actions["go_settled"].isEnabled)
    assert not actions["go_first_wrong"].isEnabled()
    window.session.playback.first()
    actions["go_settled"].trigger()
    assert position(window) == insight.settled
    actions["go_converged"].trigger()
    assert position(window) == window.step_panel.timeline.course.converged


@pytest.mark.parametrize("step", [0, 1])
def test_mnemonics_differ_within_the_menus(window: MainWindow, step: int) -> None:
    window.session.playback.go_to(0)
    for menu in (
        ask(window.canvas, cell_at(window, (1, 1)), held=CTRL),
        ask(window.step_panel.timeline, timeline_at(window, step)),
    ):
        assert menu is not None
        marks = Counter(QKeySequence.mnemonic(entry.text()).toString() for entry in menu.actions())
        del marks[""]
        assert [mark for mark, count in marks.items() if count > 1] == []
        menu.close()
