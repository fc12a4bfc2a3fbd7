"""The order in which Tab goes through the window: as the eye does, panel by panel."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLayout, QWidget


def tab_stops(widget: QWidget) -> Iterator[QWidget]:
    """Return the widgets inside one that Tab stops at, in the order of its layouts.

    Parameters
    ----------
    widget : QWidget
        Itself the only one, if Tab stops at it.
    """
    layout = widget.layout()
    if widget.focusPolicy() & Qt.FocusPolicy.TabFocus:
        yield widget
    elif layout is not None:
        yield from _stops_of(layout)


def set_tab_order(panels: Iterable[QWidget]) -> None:
    """Let Tab go through panels one after the other."""
    stops = [stop for panel in panels for stop in tab_stops(panel)]
    for before, after in pairwise(stops):
        if before.window() is after.window():  # a panel may float, as a window of its own
            QWidget.setTabOrder(before, after)


def _stops_of(layout: QLayout) -> Iterator[QWidget]:
    for index in range(layout.count()):
        item = layout.itemAt(index)
        if item is None:
            continue
        widget, inner = item.widget(), item.layout()
        if widget is not None:
            yield from tab_stops(widget)
        elif inner is not None:
            yield from _stops_of(inner)
