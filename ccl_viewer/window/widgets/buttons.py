"""Buttons and menus."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QButtonGroup, QMenu, QPushButton, QToolButton, QWidget

from ccl_viewer.window.widgets.labels import name_widget
from ccl_viewer.window.widgets.style import icon


def make_action_button(
    action: QAction, button: QToolButton | None = None, *, text: bool = False, flat: bool = True
) -> QToolButton:
    """Return a button, new or given, for an action; with icon only, or with text too."""
    button = QToolButton() if button is None else button
    button.setDefaultAction(action)
    style = Qt.ToolButtonStyle
    button.setToolButtonStyle(style.ToolButtonTextBesideIcon if text else style.ToolButtonIconOnly)
    button.setProperty("flat", "true" if flat else None)
    button.setAccessibleName(action.text().replace("&", ""))
    return button


def make_icon_button(
    icon_name: str, tip: str, run: Callable[[], object] | None = None
) -> QToolButton:
    """Return a flat icon button; its tooltip is also its name for screen readers."""
    button = name_widget(QToolButton(), tip, tip)
    button.setIcon(icon(icon_name))
    button.setProperty("flat", "true")
    if run is not None:
        button.clicked.connect(run)
    return button


def make_text_button(
    text: str, run: Callable[[], object], tip: str = "", *, primary: bool = False
) -> QPushButton:
    button = QPushButton(text)
    button.setToolTip(tip)
    button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    if primary:
        button.setProperty("role", "primary")
    button.clicked.connect(run)
    return button


def make_segments(parent: QObject, entries: Mapping[int, tuple[str, str]]) -> QButtonGroup:
    """Return exclusive buttons side by side; each has a number, a text and a tooltip."""
    group, last = QButtonGroup(parent), [*entries][-1]
    for index, (number, (text, tip)) in enumerate(entries.items()):
        button = QToolButton()
        button.setText(text)
        button.setToolTip(tip)
        button.setCheckable(True)
        button.setProperty("segment", "right" if number == last else "middle" if index else "left")
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        group.addButton(button, number)
    return group


def make_popup_menu(parent: QWidget) -> QMenu:
    """Return a menu that is deleted once it closes."""
    menu = QMenu(parent)
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    return menu


def add_switch(menu: QMenu, text: str, on: bool, switch: Callable[[bool], object]) -> QAction:
    """Add a checkable row to a menu."""
    action = menu.addAction(text)
    action.setCheckable(True)
    action.setChecked(on)
    action.triggered.connect(switch)
    return action
