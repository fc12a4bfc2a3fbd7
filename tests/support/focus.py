"""Walks through a window with Tab, and compares what is seen with the focus and without."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from ccl_viewer.views.widgets.tab_order import lies_behind

LEAST = 20
"""Pixels by which a widget with the focus looks otherwise, at least."""

_AROUND = 2
_MOST = 400


def walk(key: Qt.Key = Qt.Key.Key_Tab) -> list[QWidget]:
    """Where Tab stops, from the widget with the focus until it is reached again."""
    first = _focused()
    stops = [first]
    for _ in range(_MOST):
        QTest.keyClick(_focused(), key)
        if _focused() is first:
            return stops
        assert _focused() is not stops[-1], f"{named(stops[-1])} keeps the focus"
        assert _focused() not in stops, f"{named(_focused())} is in a circle without the first"
        stops.append(_focused())
    raise AssertionError("Tab never comes back")


def expected_stops(window: QWidget) -> list[QWidget]:
    """The widgets of a window that have Tab stop at them, and can be seen and used.

    Of buttons of which one is down, only that one is.
    """
    return [
        widget
        for widget in window.findChildren(QWidget)
        if widget.focusPolicy() & Qt.FocusPolicy.TabFocus
        and widget.focusProxy() is None
        and widget.isVisible()
        and widget.isEnabled()
        and widget.window() is window
        and not widget.size().isEmpty()
        and not lies_behind(widget)
        and not _is_other_of_group(widget)
    ]


def unseen(stops: list[QWidget]) -> list[str]:
    """Names of those whose focus cannot be seen."""
    return [named(stop) for stop in stops if _difference(stop) < LEAST]


def named(widget: QWidget) -> str:
    """A name by which a person finds a widget."""
    text = widget.accessibleName() or getattr(widget, "text", str)() or widget.toolTip()
    return f"{type(widget).__name__} {text!r} in {type(widget.parent()).__name__}"


def _difference(widget: QWidget) -> int:
    """In how many pixels a widget with the focus differs from one without."""
    widget.setFocus(Qt.FocusReason.TabFocusReason)
    assert widget.hasFocus(), named(widget)
    if widget.size().isEmpty():
        return 0
    focused = _picture_of(widget)
    widget.clearFocus()
    other = _picture_of(widget)
    if focused.shape != other.shape:
        return 0
    return int((focused != other).any(axis=2).sum())


def _picture_of(widget: QWidget) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    """What is seen of a widget and closely around it."""
    window = widget.window()
    place = QRect(widget.mapTo(window, widget.rect().topLeft()), widget.size())
    around = place.adjusted(-_AROUND, -_AROUND, _AROUND, _AROUND).intersected(window.rect())
    assert not around.isEmpty(), f"{named(widget)} lies outside its window, at {place}"
    image = window.grab(around).toImage().convertToFormat(QImage.Format.Format_RGB32)
    rows = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), -1, 4)
    return rows[:, :, :3].copy()


def _is_other_of_group(widget: QWidget) -> bool:
    group = getattr(widget, "group", lambda: None)()
    return group is not None and group.exclusive() and group.checkedButton() not in {None, widget}


def _focused() -> QWidget:
    widget = QApplication.focusWidget()
    assert widget is not None, "nothing has the focus"
    return widget
