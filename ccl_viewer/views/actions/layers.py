"""Switches of what is drawn of the cells and over them, in the menu View."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ccl_viewer.session.showing.look import CellColours, next_of, numbers_of
from ccl_viewer.views.actions.spec import Section, Spec

if TYPE_CHECKING:
    from ccl_viewer.views.host import Host

_SWITCHES = (
    ("numbers", "&Numbers", "Numbers in the cells", "N", "numbers"),
    ("arrows", "Parent &arrows", "Arrows from cells to their parents", "A", "arrows"),
    ("changed", "&Changed cells", "Mark cells that the step changed", "C", "changed"),
    ("structure", "&Structure", "How the launch divides the grid, and padding", "S", "structure"),
    ("contours", "Con&tours", "Lines around the components", "K", "contours"),
    ("lines", "&Grid lines", "Lines between cells", "G", "grid"),
    ("onion", "&Onion skin", "The step before, as a rim around this one", "U", "onion"),
    ("only", "Only the &pinned component", "Dim all but the pinned component", "D", "only"),
)


def _switch(name: str, text: str, help_text: str, key: str, icon: str) -> Spec:
    return Spec(
        name,
        text,
        help_text,
        (key,),
        icon,
        switch=lambda host, on: host.session.look.switch(name, on),
        on=lambda host: host.session.look.layers.shows(name),
    )


def _next_colours(host: Host) -> None:
    look = host.session.look
    look.show(colours=next_of(tuple(CellColours), look.layers.colours))


def _next_numbers(host: Host) -> None:
    look, recording = host.session.look, host.session.recording
    known = numbers_of(() if recording is None else recording.layers)
    look.show(numbers=next_of(known, look.layers.numbers))


_IN_LAYERS = "&Layers"

LAYERS = (
    Section(
        (
            Spec(
                "layers",
                "&Layers…",
                "Choose what is drawn: colours, numbers and layers",
                ("Shift+L",),
                "layers",
                do=lambda host: host.canvas_panel.show_layers(),
            ),
        ),
        _IN_LAYERS,
    ),
    Section(tuple(_switch(*row) for row in _SWITCHES), _IN_LAYERS),
    Section(
        (
            Spec(
                "next_colours",
                "Ne&xt colouring",
                "Colour cells by label, tree, component, depth or input in turn",
                ("Shift+C",),
                do=_next_colours,
            ),
            Spec(
                "next_numbers",
                "N&ext numbers",
                "Write label, root, component or a recorded array in turn",
                ("Shift+N",),
                do=_next_numbers,
            ),
        ),
        _IN_LAYERS,
    ),
)
"""Rows of the submenu Layers."""
