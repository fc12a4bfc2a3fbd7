"""Actions of the menu View."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt

from ccl_viewer.session import MessageKind
from ccl_viewer.views.actions.cells import PINS
from ccl_viewer.views.actions.conditions import has_grid
from ccl_viewer.views.actions.layers import LAYERS
from ccl_viewer.views.actions.spec import Deed, Group, Section, Spec
from ccl_viewer.views.panels import PANELS, Panel

if TYPE_CHECKING:
    from ccl_viewer.views.host import Host

_ZOOM = 1.25
_IN_PANELS = "&Panels"

_ZOOMS = Section(
    (
        Spec(
            "fit",
            "&Fit grid",
            "Show the whole grid",
            ("Ctrl+R",),
            "fit",
            do=lambda host: host.canvas.fit(),
            can=has_grid,
        ),
        Spec(
            "zoom_in",
            "Zoom &in",
            "Larger cells (wheel)",
            ("Ctrl++", "Ctrl+="),
            "zoom-in",
            do=lambda host: host.canvas.zoom(_ZOOM),
            can=has_grid,
        ),
        Spec(
            "zoom_out",
            "Zoom &out",
            "Smaller cells (wheel)",
            ("Ctrl+-",),
            "zoom-out",
            do=lambda host: host.canvas.zoom(1 / _ZOOM),
            can=has_grid,
        ),
    )
)


def _marked(titles: tuple[str, ...], taken: str) -> Iterator[str]:
    """Return titles with a mnemonic each: the first letter that no other has."""
    for title in titles:
        place = next(i for i, letter in enumerate(title) if letter.lower() not in taken)
        taken += title[place].lower()
        yield f"{title[:place]}&{title[place:]}"


def _panel(panel: Panel, text: str) -> Spec:
    name = panel.name
    return Spec(
        f"panel_{name}",
        text,
        f"Show the panel {panel.title} in front, or hide it",
        (panel.key,),
        switch=lambda host, on: host.docks.switch(name, on=on),
        on=lambda host: host.docks.is_open(name),
    )


def _mover(area: Qt.DockWidgetArea) -> Deed:
    """Return what moves the panel that has the focus, or says how one gets it."""

    def move(host: Host) -> None:
        if not host.docks.move(area):
            keys = f"{PANELS[0].key} to {PANELS[-1].key}"
            host.session.say(
                MessageKind.INFO, f"The panel that has the focus is moved: go into one with {keys}."
            )

    return move


_MOVES = tuple(
    Spec(name, text, help_text, do=_mover(area))
    for name, text, help_text, area in (
        (
            "panel_left",
            "Move to the &left",
            "Put the panel that has the focus at the left of the window",
            Qt.DockWidgetArea.LeftDockWidgetArea,
        ),
        (
            "panel_right",
            "Move to the ri&ght",
            "Put the panel that has the focus at the right of the window",
            Qt.DockWidgetArea.RightDockWidgetArea,
        ),
        (
            "panel_bottom",
            "Move to the &bottom",
            "Put the panel that has the focus at the bottom of the window",
            Qt.DockWidgetArea.BottomDockWidgetArea,
        ),
        (
            "panel_float",
            "&Float",
            "Make the panel that has the focus a window of its own",
            Qt.DockWidgetArea.NoDockWidgetArea,
        ),
    )
)

_PANELS = Section(
    tuple(map(_panel, PANELS, _marked(tuple(panel.title for panel in PANELS), "r"))),
    _IN_PANELS,
)

_PANELS_ASIDE = Section(
    (
        Spec(
            "hide_panels",
            "Hide &all",
            "Give the room of all panels to the grid, or bring them back",
            ("F9",),
            "panels",
            switch=lambda host, on: host.docks.put_aside(on=on),
            on=lambda host: host.docks.all_hidden,
        ),
    ),
    _IN_PANELS,
)

_PANEL_MOVES = Section(_MOVES, _IN_PANELS)

_PARTS = Section(
    (
        Spec(
            "next_part",
            "&Next part of the window",
            "Go to the next part of the window: settings, tools, grid, transport, panels",
            ("Ctrl+F6",),
            do=lambda host: host.go_round(1),
        ),
        Spec(
            "previous_part",
            "Pre&vious part of the window",
            "Go to the part of the window before",
            ("Ctrl+Shift+F6",),
            do=lambda host: host.go_round(-1),
        ),
        Spec(
            "reset_layout",
            "&Reset layout",
            "Put all panels back in their places",
            ("Ctrl+0",),
            do=lambda host: host.docks.reset(),
        ),
    ),
    _IN_PANELS,
)


def _theme(name: str, text: str, help_text: str) -> Spec:
    return Spec(
        f"theme_{name}",
        text,
        help_text,
        switch=lambda host, _on: host.appearance.set_theme(name),
        on=lambda host: host.appearance.choice == name,
    )


_THEMES = Section(
    (
        _theme("system", "&Follow the system", "Dark or light, as the system is"),
        _theme("dark", "&Dark", "Light text on a dark window"),
        _theme("light", "&Light", "Dark text on a light window"),
    ),
    "Them&e",
    one_of=True,
)

_SWAP = Section(
    (
        Spec(
            "swap_theme",
            "S&witch dark and light",
            "Exchange the dark and the light theme",
            ("Ctrl+L",),
            "theme",
            do=lambda host: host.appearance.swap_theme(),
        ),
        Spec(
            "reduced_motion",
            "Reduced &motion",
            "Let nothing move or flash by itself",
            ("Ctrl+Shift+M",),
            switch=lambda host, on: host.appearance.set_reduced_motion(on),
            on=lambda host: host.appearance.reduced_motion,
        ),
    )
)

_TEXT = Section(
    (
        Spec(
            "larger_text",
            "&Larger",
            "Larger text",
            ("Ctrl+Shift++", "Ctrl+Shift+="),
            do=lambda host: host.appearance.larger(),
        ),
        Spec(
            "smaller_text",
            "&Smaller",
            "Smaller text",
            ("Ctrl+Shift+-", "Ctrl+Shift+_"),
            do=lambda host: host.appearance.smaller(),
        ),
        Spec(
            "normal_text",
            "&Normal",
            "Text at its normal size",
            ("Ctrl+Shift+0",),
            do=lambda host: host.appearance.set_text_size(100),
        ),
    ),
    "Te&xt size",
)

_PROJECTOR = Section(
    (
        Spec(
            "projector",
            "P&rojector",
            "Canvas, explanation and transport alone, in large type",
            ("F11",),
            # Who is told of the look before switches the action back, so that it cannot say.
            switch=lambda host, _on: host.projector.toggle(),
            on=lambda host: host.projector.shown,
        ),
    )
)

VIEW = Group(
    "View",
    (
        _ZOOMS,
        PINS,
        *LAYERS,
        _PANELS,
        _PANELS_ASIDE,
        _PANEL_MOVES,
        _PARTS,
        _TEXT,
        _THEMES,
        _SWAP,
        _PROJECTOR,
    ),
)
