"""Ends the dragging of docks and of their tabs before the program lays them out otherwise."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QApplication, QDockWidget, QMainWindow, QTabBar

_DIRECT = Qt.FindChildOption.FindDirectChildrenOnly


def end_drags(window: QMainWindow) -> None:
    """Let go of the dock or tab that is held with the mouse, if one is.

    Keys and lessons lay docks out while the mouse holds one. Qt does not reckon with that: docks
    come to lie over each other, and the program ends when the mouse goes on moving.

    Parameters
    ----------
    window : QMainWindow
        Whose docks they are.
    """
    if QApplication.mouseButtons() == Qt.MouseButton.NoButton:
        return
    for bar in window.findChildren(QTabBar, options=_DIRECT):
        QApplication.sendEvent(bar, _release())
    for dock in window.findChildren(QDockWidget, options=_DIRECT):
        # All else stays: to be told so ends a drag.
        dock.setFloating(dock.isFloating())


def _release() -> QMouseEvent:
    nowhere = QPointF(-1, -1)
    return QMouseEvent(
        QEvent.Type.MouseButtonRelease,
        nowhere,
        nowhere,
        Qt.MouseButton.LeftButton,
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
    )
