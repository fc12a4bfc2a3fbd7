"""The interface between the window and its features."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any, TypeVar

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget

from ccl_viewer.window.core.appearance import Appearance
from ccl_viewer.window.core.model import Model
from ccl_viewer.window.core.session import Session
from ccl_viewer.window.widgets.action_spec import ActionSpec
from ccl_viewer.window.widgets.canvas.canvas import QtCanvas
from ccl_viewer.window.widgets.files import QtFiles

_Widget = TypeVar("_Widget", bound=QWidget)


class Area(Enum):
    """The place of a widget in the window."""

    TOP = auto()
    """At the very top: the settings of the run."""
    MESSAGES = auto()
    """A line below the top, for errors and the state of the run."""
    FULL_SCREEN = auto()
    """A line that full screen shows."""
    START = auto()
    """Instead of the canvas while there is no grid."""
    HEADER = auto()
    """Above the canvas."""
    TOOLS = auto()
    """Left of the canvas."""
    PANES = auto()
    """Around the canvas, together with those of other runs."""
    BELOW = auto()
    """Below the canvas."""
    STATUS = auto()
    """The status bar."""


@dataclass(frozen=True)
class Context:
    """What the window gives to its features.

    `actions` and `specs` have those of all features by name, once their widgets are made.
    """

    session: Session
    appearance: Appearance
    parent: QWidget
    canvas: QtCanvas
    files: QtFiles
    actions: Mapping[str, QAction]
    show_panel: Callable[[str], None]
    specs: Mapping[str, ActionSpec]
    show_start_page: Callable[[], None]
    leave_start_page: Callable[[], None]
    leave_full_screen: Callable[[], None]

    def find_widget(self, kind: type[_Widget]) -> _Widget:
        """Return the widget of a kind, which is in the window."""
        widget = self.parent.findChild(kind)
        assert isinstance(widget, kind)  # noqa: S101  (the feature that asks has made it)
        return widget


@dataclass(frozen=True)
class PanelSpec:
    """A panel of the side panel, and its tab.

    The widget is made when the panel is first shown. `menu_text` is for a panel that cannot use its
    first letter as mnemonic.
    """

    title: str
    icon: str
    make: Callable[[QWidget], QWidget]
    tip: str
    menu_text: str = ""

    @property
    def key(self) -> str:
        """Its name in actions and settings."""
        return self.title.lower()


@dataclass(frozen=True)
class GuideSpec:
    """A widget in the column beside the canvas, shown while `is_open`.

    With `needs_room`, the side panel collapses while it is shown, unless the user expands it.
    """

    make: Callable[[], QWidget]
    is_open: Callable[[], bool]
    model: Model
    needs_room: bool = True


@dataclass(frozen=True)
class PaletteEntry:
    """An entry of the command palette, found by title, `place` and tip."""

    title: str
    place: str
    run: Callable[[], object]
    tip: str = ""
    keys: tuple[str, ...] = ()
    enabled: bool = True

    @property
    def words(self) -> str:
        return f"{self.place} {self.title} {self.tip}".casefold()


@dataclass(frozen=True)
class SubmenuSpec:
    """A submenu, before one of its menu's actions."""

    menu: str
    before: str
    make: Callable[[QWidget], QMenu]


@dataclass(frozen=True)
class Feature:
    """What a folder of the window adds to it.

    The function ``build`` of its module ``feature`` makes it, once per window. `save` returns
    values by key for the settings, and `restore` reads them back.
    """

    models: tuple[Model, ...] = ()
    actions: tuple[ActionSpec, ...] = ()
    panels: tuple[PanelSpec, ...] = ()
    guides: tuple[GuideSpec, ...] = ()
    widgets: Mapping[Area, Callable[[], QWidget]] = field(default_factory=dict)
    overlays: tuple[Callable[[QWidget], QWidget], ...] = ()  # over canvas and start page
    submenus: tuple[SubmenuSpec, ...] = ()
    find: Callable[[], Iterable[PaletteEntry]] = tuple
    restore: Callable[[], None] = lambda: None
    save: Callable[[], Mapping[str, Any]] = dict
    close: Callable[[], None] = lambda: None
    is_crowded: Callable[[int], bool] = lambda _pixels: (
        False
    )  # if the side panel takes this much more
    is_pending: Callable[[], bool] = lambda: False  # whether more will be shown soon
