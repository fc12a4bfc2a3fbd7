"""Without a mouse: Tab reaches every control, each has a name, and files are dropped and saved."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QComboBox, QLabel, QPushButton, QWidget
from pytestqt.qtbot import QtBot
from support.qt_window import MakeWindow, model_of, wait_idle

from ccl_viewer.grids.shapes import Box
from ccl_viewer.window.inside.widget import QtLaunchPhases
from ccl_viewer.window.lessons.model import LessonPlayer
from ccl_viewer.window.lessons.widget import QtLessonPlayer
from ccl_viewer.window.main_window import MainWindow
from ccl_viewer.window.widgets.labels import ElidedLabel


def focused() -> QWidget:
    widget = QApplication.focusWidget()
    assert widget is not None, "nothing has the focus"
    return widget


def walk() -> list[QWidget]:
    """Return where Tab stops, until it comes back."""
    stops = [focused()]
    for _ in range(200):
        QTest.keyClick(focused(), Qt.Key.Key_Tab)
        if focused() in stops:
            assert focused() is stops[0], f"{focused()} is in a circle of its own"
            return stops
        stops.append(focused())
    raise AssertionError("Tab never comes back")


def usable(window: QWidget) -> list[QWidget]:
    """Return the controls at which Tab should stop; of exclusive buttons, the pressed one."""
    found = []
    for widget in window.findChildren(QWidget):
        group = getattr(widget, "group", lambda: None)()
        other = group is not None and group.exclusive() and group.checkedButton() is not widget
        takes = widget.focusPolicy() & Qt.FocusPolicy.TabFocus and widget.focusProxy() is None
        seen = widget.isVisible() and widget.isEnabled() and not widget.visibleRegion().isEmpty()
        if takes and seen and widget.window() is window and not other:
            found.append(widget)
    return found


def name_of(widget: QWidget) -> str:
    interface = QAccessible.queryAccessibleInterface(widget)
    return str(interface.text(QAccessible.Text.Name)) if interface is not None else ""


def check_controls(window: MainWindow) -> None:
    QApplication.processEvents()
    stops = walk()
    missed = [f"{type(w).__name__} {name_of(w)!r}" for w in usable(window) if w not in stops]
    assert missed == []
    assert QApplication.activeWindow() is window  # no other one flashed up
    assert [type(stop).__name__ for stop in stops if not name_of(stop)] == []


def test_tab_reaches_every_control_of_the_start_page(make_window: MakeWindow) -> None:
    window = make_window()
    window.activateWindow()
    check_controls(window)


def test_tab_reaches_every_control_and_each_has_a_name(window: MainWindow, qtbot: QtBot) -> None:
    window.activateWindow()
    window.session.view.pin_cell((1, 1), component=True)
    for panel in window.panels:
        window.side_panel.show_panel(panel.key)
        wait_idle(qtbot, window.session)
        window.canvas.setFocus()
        check_controls(window)


def test_tab_reaches_every_control_of_the_dialogs_and_none_is_cut(
    window: MainWindow, qtbot: QtBot
) -> None:
    window.activateWindow()
    window.appearance.set_text_size(200)
    window.session.document.selection.select(Box(0, 0, 2, 2))
    for name in ("new", "random_fill", "resize", "export", "glossary", "keys", "about"):
        window.actions_by_name[name].trigger()
        qtbot.waitUntil(lambda: QApplication.activeWindow() not in {None, window})
        wait_idle(qtbot, window.session)
        dialog = QApplication.activeWindow()
        assert dialog is not None
        begins_at_button = isinstance(QApplication.focusWidget(), QPushButton)
        assert begins_at_button == (name == "about"), name
        stops = walk()
        assert [name_of(w) for w in usable(dialog) if w not in stops] == [], name
        assert [type(stop).__name__ for stop in stops if not name_of(stop)] == [], name
        assert _cut(dialog) == [], name
        dialog.close()
        window.activateWindow()
        qtbot.waitUntil(lambda: QApplication.activeWindow() is window)
    window.session.document.selection.clear()


def _cut(window: QWidget) -> list[str]:
    """Return the texts of buttons and labels that have less room than they need."""
    cut = []
    for widget in window.findChildren(QAbstractButton) + window.findChildren(QLabel):
        known = widget.isVisible() and widget.text() and not isinstance(widget, ElidedLabel)
        if known and not getattr(widget, "wordWrap", bool)():
            wanted, room = widget.minimumSizeHint(), widget.size()
            if wanted.width() > room.width() or wanted.height() > room.height():
                cut.append(widget.text())
    return cut


def test_a_shape_is_drawn_with_keys_alone(window: MainWindow, qtbot: QtBot) -> None:
    document = window.session.document
    window.actions_by_name["clear"].trigger()
    wait_idle(qtbot, window.session)
    window.actions_by_name["tool_rectangle"].trigger()
    window.session.view.put_cursor((2, 2))
    window.canvas.setFocus()
    QApplication.processEvents()  # actions follow
    shift = Qt.KeyboardModifier.ShiftModifier
    QTest.keyClick(window, Qt.Key.Key_Z)
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Down):
        QTest.keyClick(window.canvas, key, shift)
    QTest.keyClick(window, Qt.Key.Key_Z)
    wait_idle(qtbot, window.session)
    assert document.grid is not None
    assert document.grid[2:4, 2:4].all()
    assert document.grid.sum() == 4


def test_a_focus_that_goes_away_goes_to_the_canvas(window: MainWindow, qtbot: QtBot) -> None:
    """In the settings bar, which is first in the order of Tab, keys would change the run."""
    window.activateWindow()
    session, panel = window.session, window.side_panel
    panel.show_panel("inside")
    session.phases.look_inside()
    qtbot.waitUntil(lambda: session.phases.shown is not None)
    (phases,) = panel.findChildren(QtLaunchPhases)
    phases.list.setFocus()
    session.phases.leave()
    qtbot.waitUntil(phases.list.isHidden)
    assert focused() is window.canvas
    model_of(session, LessonPlayer).open("what-is-a-component")
    qtbot.waitUntil(lambda: model_of(session, LessonPlayer).is_open)
    (lesson,) = window.findChildren(QtLessonPlayer)
    lesson.next.setFocus()
    model_of(session, LessonPlayer).close_lesson()
    qtbot.waitUntil(lambda: not lesson.isVisible())
    assert focused() is window.canvas


def test_another_panel_in_front_gets_the_focus_itself(window: MainWindow) -> None:
    panel = window.side_panel
    panel.show_panel("steps", focus=True)
    panel.show_panel("source")  # as "Show the fault" does
    assert panel.widget("source").isAncestorOf(focused())
    assert not isinstance(focused(), QAbstractButton)  # which Space would press


def test_a_choice_with_the_mouse_leaves_the_keys_to_the_canvas(
    window: MainWindow, qtbot: QtBot
) -> None:
    """Else Space would open the list again, and Home choose its first entry."""
    window.activateWindow()
    session = window.session
    session.comparison.set_open(True)
    window.canvas.setFocus()
    seen = []
    for panel in ("steps", "memory", "inside"):
        window.side_panel.show_panel(panel)
        if panel == "inside":
            session.phases.look_inside()
            qtbot.waitUntil(lambda: session.phases.shown is not None)
        wait_idle(qtbot, session)
        for box in window.findChildren(QComboBox):
            if box.isVisible() and box not in seen:
                seen.append(box)
                QTest.mouseClick(box, Qt.MouseButton.LeftButton)
                qtbot.waitUntil(box.view().isVisible)
                box.hidePopup()
                assert window.focusWidget() is window.canvas, box.accessibleName()
    assert len(seen) == 6
