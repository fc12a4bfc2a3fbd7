"""The surroundings of the canvas: its header with mode, colours and layers, and its menu."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Final

from ccl_viewer.window.canvas.actions import canvas_actions
from ccl_viewer.window.canvas.header import COLOURS, QtCanvasHeader, choose_colours
from ccl_viewer.window.widgets.feature import Area, Context, Feature, PaletteEntry

_MENU: Final = (
    *("pin_cell", "pin_component", "next_change_of_cell", "copy_label"),
    *("next_change", "next_wrong", "fit", "copy_picture"),
)
"""Actions in the menus of canvases."""


def build(context: Context) -> Feature:
    """Return the feature of the canvas."""
    session, canvas, settings = context.session, context.canvas, context.session.settings

    def make_header() -> QtCanvasHeader:
        actions = (context.actions.get(name) for name in _MENU)
        canvas.menu_actions = tuple(action for action in actions if action is not None)
        return QtCanvasHeader(session, canvas, context.actions)

    def show_layers() -> None:
        context.find_widget(QtCanvasHeader).open_layers_panel()

    def find() -> Iterator[PaletteEntry]:
        for kind, title in COLOURS.items():
            yield PaletteEntry(title, "Colour by", partial(choose_colours, session, kind))

    def restore() -> None:
        saved = settings.value("view/layers")
        if isinstance(saved, dict):
            # Faint colours would come back without a sign of why they are faint.
            layers = replace(session.view.layers.from_json(saved), strength=1.0)
            session.view.show_layers(**layers.to_values())

    return Feature(
        actions=canvas_actions(session, canvas, show_layers),
        widgets={Area.HEADER: make_header},
        find=find,
        restore=restore,
        save=lambda: {"view/layers": session.view.layers.to_values()},
    )
