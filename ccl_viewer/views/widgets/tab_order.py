"""The way of Tab through the window: as the eye goes, panel by panel, and only where it sees."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDockWidget, QLayout, QScrollArea, QTabBar, QWidget


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
    elif isinstance(widget, QScrollArea):
        content = widget.widget()
        if content is not None:
            yield from tab_stops(content)
    elif layout is not None:
        yield from _stops_of(layout)


def set_tab_order(panels: Iterable[QWidget]) -> None:
    """Let Tab go through panels one after the other."""
    stops = [stop for panel in panels for stop in tab_stops(panel)]
    for before, after in pairwise(stops):
        if before.window() is after.window():  # a panel may float, as a window of its own
            QWidget.setTabOrder(before, after)


def land(part: QWidget) -> bool:
    """Give the focus to the first widget of a part that can be seen and used, if there is one."""
    for stop in tab_stops(part):
        if stop.isEnabled() and stop.isVisible() and not lies_behind(stop):
            stop.setFocus(Qt.FocusReason.ShortcutFocusReason)
            return True
    return False


def go_round(parts: Sequence[QWidget], focused: QWidget | None, way: int) -> None:
    """Give the focus to the next part that can be seen, or to the one before.

    Parameters
    ----------
    parts : sequence of QWidget
        The parts of a window, in their order.
    focused : QWidget or None
        Which widget has the focus.
    way : int
        1 for the next part, -1 for the one before.
    """
    here = next(
        (
            number
            for number, part in enumerate(parts)
            if focused is not None and (part is focused or part.isAncestorOf(focused))
        ),
        -1 if way > 0 else 0,
    )
    for far in range(1, len(parts) + 1):
        if land(parts[(here + way * far) % len(parts)]):
            return


def lies_behind(widget: QWidget) -> bool:
    """Return whether a widget is where nobody sees it, though it is shown.

    It may be in a panel that lies behind another; or in one of the tab bars that Qt has no use for
    at the moment, and leaves under the panels or outside the window.
    """
    window, part = widget.window(), widget
    while (parent := part.parentWidget()) is not None and parent is not window:
        part = parent
    if isinstance(part, QDockWidget):
        return part.visibleRegion().isEmpty()
    return isinstance(part, QTabBar) and window.childAt(part.geometry().center()) is not part


def _stops_of(layout: QLayout) -> Iterator[QWidget]:
    """Return the widgets in a layout that Tab stops at, in its order.

    Its items are not asked for. PySide would keep an object for each, also when Qt has deleted the
    item, and take for it whatever comes to lie at the same address: the program ended when that was
    deleted.
    """
    around = layout.parentWidget()
    parts: list[QWidget | QLayout] = [
        inner for inner in layout.children() if isinstance(inner, QLayout)
    ]
    if around is not None:
        parts += around.findChildren(QWidget, options=Qt.FindChildOption.FindDirectChildrenOnly)
    places = {layout.indexOf(part): part for part in parts}
    for place in sorted(places):
        part = places[place]
        if place >= 0:
            yield from _stops_of(part) if isinstance(part, QLayout) else tab_stops(part)
