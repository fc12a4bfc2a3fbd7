"""The docks that hold the panels: laid out, shown, hidden, and put back as they were."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import Protocol, TypeVar, runtime_checkable

from PySide6.QtCore import QByteArray, QSize, Qt
from PySide6.QtWidgets import QApplication, QDockWidget, QMainWindow, QTabBar, QVBoxLayout, QWidget
from shiboken6 import isValid

from ccl_viewer.session.settings import Settings
from ccl_viewer.session.signals import Signal, held
from ccl_viewer.views.docks.drags import end_drags
from ccl_viewer.views.docks.title import DockTitle
from ccl_viewer.views.host import Host
from ccl_viewer.views.memory.parts import from_text, to_text
from ccl_viewer.views.panels import PANELS, Panel
from ccl_viewer.views.widgets.tab_order import land

_VERSION = 2
"""Of the layout: one that was saved by a window with other docks is not put back."""

_WIDTH = 520
_MOST = 1 << 24
"""Pixels: what Qt takes for a size at most."""

_P = TypeVar("_P", bound=QWidget)


@runtime_checkable
class LettingGo(Protocol):
    """A panel that holds what would outlive the window."""

    def let_go(self) -> None:
        """Let go of it, for good."""


@dataclass(frozen=True)
class _Layout:
    """How panels lie, and how large they are, which those put aside have when they come back."""

    state: QByteArray
    division: dict[str, QSize]


class Docks:
    """One dock for each panel.

    Parameters
    ----------
    window : QMainWindow
        Whose docks they are.
    host : Host
        What the panels show.
    """

    def __init__(self, window: QMainWindow, host: Host) -> None:
        self.changed = Signal()
        self._window = window
        self._host = host
        self._docks: dict[str, QDockWidget] = {}
        self._roomy: _Layout | None = None
        self._aside: dict[str, QSize] = {}
        self._beside: dict[QDockWidget, QSize] = {}
        self._before: _Layout | None = None
        # Each frame of Qt's animation lays the whole window out. Once, too, the program ended while
        # Qt deleted a part together with its animation; what brought it about is not known.
        window.setAnimated(False)
        self.panels: dict[str, QWidget] = {}
        for panel in PANELS:
            self.panels[panel.name] = panel.make(host)
            dock = _dock(panel, self.panels[panel.name], window)
            dock.visibilityChanged.connect(self._turned)
            self._docks[panel.name] = dock
        self.reset()

    def __getitem__(self, name: str) -> QDockWidget:
        return self._docks[name]

    def panel(self, kind: type[_P]) -> _P:
        """Return the panel of a kind."""
        return next(panel for panel in self.panels.values() if isinstance(panel, kind))

    def show(self, name: str, *, on: bool) -> None:
        """Show a panel, in front of those that share its place; or hide it."""
        end_drags(self._window)
        dock = self._docks[name]
        dock.setVisible(on)
        if on:
            dock.raise_()
        else:
            self._aside.pop(name, None)
        self.changed.emit()

    def switch(self, name: str, *, on: bool) -> None:
        """Show a panel and go into it, or hide it; one behind others comes to the front first."""
        panel, focused = self.panels[name], self._window.focusWidget()
        behind = panel.isVisible() and panel.visibleRegion().isEmpty()
        if not (on or behind) and focused is not None and panel.isAncestorOf(focused):
            self._host.canvas.setFocus()
        self.show(name, on=on or behind)
        if on or behind:
            self._enter(panel)

    def move(self, area: Qt.DockWidgetArea) -> bool:
        """Put the panel that has the focus at a side of the window, by itself, or let it float.

        Parameters
        ----------
        area : Qt.DockWidgetArea
            The side; ``NoDockWidgetArea`` lets it float.

        Returns
        -------
        bool
            Whether a panel had the focus.
        """
        name = self.focused
        if name is None:
            return False
        dock, folded = self._docks[name], self.folded
        self.fold(on=False)
        if area is Qt.DockWidgetArea.NoDockWidgetArea:
            dock.setFloating(True)
        else:
            dock.setFloating(False)
            self._window.addDockWidget(area, dock)
        self.fold(on=folded)
        self.show(name, on=True)
        self._enter(self.panels[name])
        return True

    @property
    def focused(self) -> str | None:
        """Name of the panel that has the focus, or has it again when the menu is closed."""
        focused = QApplication.focusWidget() or self._window.focusWidget()
        holds = (name for name, dock in self._docks.items() if _holds(dock, focused))
        return next(holds, None)

    def is_open(self, name: str) -> bool:
        """Whether a panel is shown, though perhaps behind another."""
        return not self._docks[name].isHidden()

    @property
    def all_hidden(self) -> bool:
        """Whether no panel is shown."""
        return not self._shown()

    def put_aside(self, *, on: bool) -> None:
        """Give the room of all panels to the canvas, or bring them back as they were."""
        end_drags(self._window)
        if on:
            if self.focused is not None:
                self._host.canvas.setFocus()
            sizes, self._beside = self.division, self._sizes_of_others()
            self.hide()
            self._aside |= sizes
        else:
            self._bring_back()
        self.changed.emit()

    @property
    def division(self) -> dict[str, QSize]:
        """How large the panels are, or were when they were put aside; nothing of those behind."""
        if self.all_hidden:
            return self._aside.copy()
        return {name: self._seen_size(self._docks[name]) for name in self._shown()}

    def divide(self, division: dict[str, QSize]) -> None:
        """Let panels be as large as they were, as far as their window lets them.

        Parameters
        ----------
        division : dict of str to QSize
            What :attr:`division` was; those that are aside have it when they come back.
        """
        if self.all_hidden:
            self._aside |= {name: size for name, size in division.items() if name in self._aside}
        else:
            self._resize({self._docks[name]: division.get(name, QSize()) for name in self._shown()})

    def reset(self) -> None:
        """Put all panels in their places."""
        end_drags(self._window)
        folded, self._roomy, self._aside = self.folded, None, {}
        window = self._window
        first: list[QDockWidget] = []
        for _, row in groupby(PANELS, lambda panel: panel.row):
            docks = [self._docks[panel.name] for panel in row]
            for dock in docks:
                dock.setFloating(False)
                window.addDockWidget(Qt.DockWidgetArea.RightDockWidgetArea, dock)
                dock.show()
            for dock in docks[1:]:
                window.tabifyDockWidget(docks[0], dock)
            docks[0].raise_()
            first.append(docks[0])
        heights = {panel.row: panel.height for panel in reversed(PANELS)}
        window.resizeDocks(
            first, [heights[row] for row in sorted(heights)], Qt.Orientation.Vertical
        )
        window.resizeDocks(first, [_WIDTH] * len(first), Qt.Orientation.Horizontal)
        self.fold(on=folded)

    @property
    def folded(self) -> bool:
        """Whether the panels of each side lie behind each other, for want of room."""
        return self._roomy is not None

    def fold(self, *, on: bool) -> None:
        """Let all panels of a side lie behind each other, or as they lay before."""
        if on and self._roomy is None:
            self._roomy = self._before or self._layout()
            self._stack()
        elif not on and self._roomy is not None:
            layout, self._roomy = self._roomy, None
            hidden = {name: dock.isHidden() for name, dock in self._docks.items()}
            front = self._front()
            self.put_back(layout.state)
            for name, dock in self._docks.items():
                dock.setHidden(hidden[name])
            if front is not None:
                front.raise_()
            # What was put aside meanwhile has the size that it had before, and not of larger text.
            self._aside = {name: layout.division.get(name, QSize()) for name in self._aside}
        self._before = None

    def foresee_fold(self) -> None:
        """Note how panels lie before text of another size pushes them, to lie so again after it."""
        if self._roomy is None:
            self._before = self._layout()

    def close(self) -> None:
        """Follow the docks no longer: they are taken down after the window that they tell of.

        Floating ones are closed with the window, and panels let go of what outlives it.
        """
        for dock in self._docks.values():
            dock.visibilityChanged.disconnect(self._turned)
            if dock.isFloating():
                dock.close()
        for panel in self.panels.values():
            if isinstance(panel, LettingGo):
                panel.let_go()

    def hide(self) -> None:
        """Hide all panels for others, beside which :meth:`put_aside` can bring back what was shown.

        They are as large there as the others let them be.
        """
        end_drags(self._window)
        if not self.all_hidden:  # else those that were put aside before stay so
            self._aside = dict.fromkeys(self._shown(), QSize())
        with held((self.changed,)):
            for dock in self._docks.values():
                dock.hide()

    def state(self) -> QByteArray:
        """Return the layout."""
        end_drags(self._window)
        return self._window.saveState(_VERSION)

    def _layout(self) -> _Layout:
        return _Layout(self.state(), self.division)

    def put_back(self, state: QByteArray) -> bool:
        """Lay the panels out as they were; return whether that could be done."""
        end_drags(self._window)
        return self._window.restoreState(state, _VERSION)

    def save(self, settings: Settings) -> None:
        """Note the layout down, as it is with room enough."""
        self.fold(on=False)
        settings.set_value("window/state", to_text(self.state()))
        aside = self._aside if self.all_hidden else {}
        sizes = {name: [size.width(), size.height()] for name, size in aside.items()}
        settings.set_value("window/aside", sizes)

    def restore(self, settings: Settings) -> None:
        """Put the layout back that was noted down, if there is one of this window."""
        if not self.put_back(from_text(settings.text("window/state"))):
            self.reset()
            return
        aside = settings.value("window/aside")
        if isinstance(aside, dict):
            sizes = ((name, _size(size)) for name, size in aside.items() if name in self._docks)
            self._aside = {name: size for name, size in sizes if size is not None}

    def _shown(self) -> list[str]:
        """Return the names of the panels that are shown, though perhaps behind others."""
        return [name for name in self._docks if self.is_open(name)]

    def _seen_size(self, dock: QDockWidget) -> QSize:
        """Return the size of a dock with its tabs; nothing of one that floats or lies behind."""
        if dock.isFloating() or dock.visibleRegion().isEmpty():
            return QSize()
        tabs = [bar for bar in self._tab_bars() if bar.isVisible() and _names(bar, dock)]
        return dock.size() + QSize(0, sum(bar.height() for bar in tabs))

    def _tab_bars(self) -> list[QTabBar]:
        """Return the tabs of panels behind each other, which Qt makes when there are some."""
        # Not among all that the window holds: Python would make an object for each part, also for
        # the animations with which Qt moves docks, while they come and go.
        direct = Qt.FindChildOption.FindDirectChildrenOnly
        return self._window.findChildren(QTabBar, options=direct)

    def _bring_back(self) -> None:
        """Show the panels that were put aside, those in front as large as they were; or all."""
        aside = {self._docks[name]: size for name, size in self._aside.items()}
        in_front = {dock: size for dock, size in aside.items() if not size.isEmpty()}
        for dock in aside or self._docks.values():
            dock.show()
        for dock in in_front:
            dock.raise_()
        seen = {dock: size for dock, size in self._beside.items() if not dock.isHidden()}
        self._resize(in_front | seen)

    def _resize(self, sizes: dict[QDockWidget, QSize]) -> None:
        known = {dock: size for dock, size in sizes.items() if not size.isEmpty()}
        docks, across, down = list(known), Qt.Orientation.Horizontal, Qt.Orientation.Vertical
        self._window.resizeDocks(docks, [size.width() for size in known.values()], across)
        self._window.resizeDocks(docks, [size.height() for size in known.values()], down)

    def _sizes_of_others(self) -> dict[QDockWidget, QSize]:
        """Return the sizes of docks beside the panels, as that of predict mode."""
        docks = self._window.findChildren(
            QDockWidget, options=Qt.FindChildOption.FindDirectChildrenOnly
        )
        panels = self._docks.values()
        return {dock: self._seen_size(dock) for dock in docks if dock not in panels}

    def _enter(self, panel: QWidget) -> None:
        """Give a panel the focus, with the window that it may be."""
        panel.activateWindow()
        land(panel)

    def _stack(self) -> None:
        """Put the panels of each side behind the first one that is seen there."""
        side = self._window.dockWidgetArea
        placed = [dock for dock in self._docks.values() if not dock.isFloating()]
        for area in {side(dock) for dock in placed}:
            stack = [dock for dock in placed if side(dock) is area]
            for dock in stack[1:]:
                self._window.tabifyDockWidget(stack[0], dock)
            seen = [dock for dock in stack if not dock.isHidden()]
            if seen:
                seen[0].raise_()

    def _front(self) -> QDockWidget | None:
        """Return the first panel that lies behind no other."""
        docks = self._docks.values()
        return next((dock for dock in docks if not dock.visibleRegion().isEmpty()), None)

    def _turned(self, _shown: bool) -> None:
        """Name the tabs of panels."""
        if not isValid(self._window):  # docks still tell of themselves while it is taken down
            return
        for tabs in self._tab_bars():
            tabs.setAccessibleName("Panels")
        self.changed.emit()


def _size(value: object) -> QSize | None:
    """Return a size that was noted down; None if it is none."""
    match value:
        case [int(width), int(height)] if min(width, height) >= -1 and max(width, height) < _MOST:
            return QSize(width, height)
    return None


def _holds(dock: QDockWidget, widget: QWidget | None) -> bool:
    return widget is not None and dock.isAncestorOf(widget)


def _names(bar: QTabBar, dock: QDockWidget) -> bool:
    return dock.windowTitle() in {bar.tabText(index) for index in range(bar.count())}


def _dock(panel: Panel, content: QWidget, window: QMainWindow) -> QDockWidget:
    holder = QWidget()
    layout = QVBoxLayout(holder)
    layout.setContentsMargins(0, 0, 8, 4)
    layout.addWidget(content)
    dock = QDockWidget(panel.title, window)
    dock.setObjectName(panel.name)
    dock.setWidget(holder)
    DockTitle(dock)
    return dock
