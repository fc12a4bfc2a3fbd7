"""Every control has a name that a screen reader can say, and no wheel changes it by chance."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractScrollArea,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QDialog,
    QFileDialog,
    QHeaderView,
    QLineEdit,
    QMenu,
    QScrollBar,
    QSlider,
    QSpinBox,
    QWidget,
)
from pytestqt.qtbot import QtBot
from support.qt_window import MakeWindow, model_of, named, turn_wheel, wait_idle

from ccl_viewer.window.command_palette import CommandPalette
from ccl_viewer.window.exercises.model import ExercisePlayer
from ccl_viewer.window.help.widget import Tour
from ccl_viewer.window.lessons.model import LessonPlayer
from ccl_viewer.window.main_window import MainWindow
from ccl_viewer.window.widgets.timeline import QtTimeline


def above(widget: QWidget) -> Iterator[QWidget]:
    """Yield the widgets that a widget is in, from within."""
    within = widget.parentWidget()
    while within is not None:
        yield within
        within = within.parentWidget()


def is_qts_own(widget: QWidget) -> bool:
    """Return whether a widget is a part that Qt makes for another one, which has the name."""
    inside = (QAbstractItemView, QAbstractSpinBox, QComboBox, QLineEdit)
    parent = widget.parentWidget()
    if isinstance(parent, QAbstractScrollArea) and parent.viewport() is widget:
        return True
    if any(isinstance(within, inside) for within in above(widget)):
        return True
    name = widget.objectName()
    return isinstance(widget, (QScrollBar, QHeaderView, QMenu)) or name.startswith(
        ("qt_", "ScrollLeft", "ScrollRight")
    )


def controls(top: QWidget) -> Iterator[QWidget]:
    """Yield what can be operated or focused in a window, where it is in sight."""
    for widget in top.findChildren(QWidget):
        focus = widget.focusPolicy() != Qt.FocusPolicy.NoFocus
        wanted = focus or isinstance(widget, (QAbstractButton, QAbstractScrollArea))
        if wanted and widget.isVisible() and not is_qts_own(widget):
            yield widget


def nameless() -> set[str]:
    """Return the controls without a name in all windows that are open."""
    found = set()
    for top in QApplication.topLevelWidgets():
        if not top.isVisible() or isinstance(top, QFileDialog):
            continue
        for control in controls(top):
            said = QAccessible.queryAccessibleInterface(control)
            if said is None or not said.text(QAccessible.Text.Name).strip():
                found.add(
                    " < ".join(type(widget).__name__ for widget in (control, *above(control)))
                )
    return found


def changed_by_wheel() -> set[str]:
    """Turn the wheel over all fields in sight without the focus; return those that changed."""
    found = set()
    for field in QApplication.allWidgets():
        boxes = isinstance(field, (QAbstractSpinBox, QComboBox, QSlider))
        others = isinstance(field, QtTimeline) or isinstance(field.window(), QFileDialog)
        if not boxes or others or not field.isVisible():
            continue
        focused = QApplication.focusWidget()
        if focused is not None and (focused is field or field.isAncestorOf(focused)):
            continue
        before = value_of_field(field)
        for turn in (-120, 120, 120):
            turn_wheel(field, turn)
            if value_of_field(field) != before or field.hasFocus():
                found.add(f"{type(field).__name__} {field.accessibleName()}")
    return found


def value_of_field(field: QWidget) -> object:
    return field.metaObject().userProperty().read(field)


def test_a_field_that_follows_the_wheel_is_found(make_window: MakeWindow) -> None:
    window = make_window()
    dialog = QDialog(window)
    QSpinBox(dialog).setAccessibleName("Unguarded")
    dialog.show()
    assert changed_by_wheel() == {"QSpinBox Unguarded"}
    dialog.close()


def test_a_field_with_the_focus_follows_the_wheel(window: MainWindow) -> None:
    box = named(window, "Algorithm", QComboBox)
    window.activateWindow()
    before = box.currentIndex()
    turn_wheel(box, -120)
    assert box.currentIndex() == before
    box.setFocus()
    turn_wheel(box, -120)
    assert box.currentIndex() > before


def test_a_control_without_a_name_is_found(make_window: MakeWindow) -> None:
    window = make_window()
    assert nameless() == set()
    dialog = QDialog(window)
    QAbstractSpinBox(dialog)
    dialog.show()
    assert nameless() == {"QAbstractSpinBox < QDialog < MainWindow"}
    dialog.close()


def test_panels(window: MainWindow, qtbot: QtBot) -> None:
    for panel in window.panels:
        window.side_panel.show_panel(panel.key)
        wait_idle(qtbot, window.session)
        assert nameless() == set(), panel.key
        assert changed_by_wheel() == set(), panel.key


def trigger(name: str) -> Callable[[MainWindow], object]:
    return lambda window: window.actions_by_name[name].trigger()


def close_popup(window: MainWindow) -> None:
    for kind in (CommandPalette, Tour):
        for popup in window.findChildren(kind):
            popup.close()


STATES: dict[str, tuple[Callable[[MainWindow], object], Callable[[MainWindow], object]]] = {
    "comparison": (
        lambda window: window.session.comparison.add_rivals_until_full(),
        trigger("compare_close"),
    ),
    "predict": (trigger("predict"), trigger("predict")),
    "inside": (trigger("look_inside"), trigger("leave_phases")),
    "full screen": (trigger("full_screen"), trigger("full_screen")),
    "palette": (trigger("palette"), close_popup),
    "tour": (trigger("tour"), close_popup),
    "find": (trigger("find"), trigger("cancel")),
    "copy": (trigger("edit_copy"), lambda window: window.session.copies.leave()),
    "lesson": (
        lambda window: model_of(window.session, LessonPlayer).open("what-is-a-component"),
        lambda window: model_of(window.session, LessonPlayer).close_lesson(),
    ),
    "exercise": (
        lambda window: model_of(window.session, ExercisePlayer).open("walk-to-the-root"),
        lambda window: model_of(window.session, ExercisePlayer).close_exercise(),
    ),
}


def test_states(window: MainWindow, qtbot: QtBot) -> None:
    for state, (enter, leave) in STATES.items():
        window.actions_by_name.refresh()
        before = {widget for widget in window.findChildren(QWidget) if widget.isVisible()}
        enter(window)
        wait_idle(qtbot, window.session)
        QApplication.processEvents()
        now = {widget for widget in window.findChildren(QWidget) if widget.isVisible()}
        assert now - before, f"{state} shows nothing"
        assert nameless() == set(), state
        assert changed_by_wheel() == set(), state
        leave(window)
        wait_idle(qtbot, window.session)
        QApplication.processEvents()


def test_dialogs(window: MainWindow, qtbot: QtBot) -> None:
    opened = 0
    for name, action in window.actions_by_name.items():
        if not action.text().endswith("…") or not action.isEnabled():
            continue
        before = set(QApplication.topLevelWidgets())
        action.trigger()
        wait_idle(qtbot, window.session)
        QApplication.processEvents()
        assert nameless() == set(), name
        assert changed_by_wheel() == set(), name
        for top in set(QApplication.topLevelWidgets()) - before:
            if top.isVisible():
                opened += 1
                top.close()
    assert opened > 5


def test_the_import_of_a_photo(make_window: MakeWindow, qtbot: QtBot) -> None:
    window = make_window()
    window.actions_by_name["open_sample"].trigger()
    qtbot.waitUntil(lambda: window.session.imports.pending is not None)
    wait_idle(qtbot, window.session)
    assert nameless() == set()
    assert changed_by_wheel() == set()
    dialog = QApplication.activeModalWidget()
    assert dialog is not None
    dialog.close()
