"""The rows of the canvas: zoom, mode, layers, colours, pins, changes."""

from __future__ import annotations

from collections.abc import Callable

from ccl_viewer.render.layers import SWITCHES, LayerSwitch
from ccl_viewer.window.core.session import Session
from ccl_viewer.window.core.view_state import ZOOM, Mode, ViewState
from ccl_viewer.window.widgets.action_spec import ActionSpec, Conditions
from ccl_viewer.window.widgets.canvas.canvas import QtCanvas
from ccl_viewer.window.widgets.canvas.cell_navigation import (
    copy_value,
    go_to_next_change_of,
    has_wrong_cells,
    show_next_changed_cell,
    show_next_wrong_cell,
)


def canvas_actions(
    session: Session, canvas: QtCanvas, show_layers: Callable[[], object]
) -> tuple[ActionSpec, ...]:
    """Return the rows of the menu View that change what the canvas shows."""
    when = Conditions(session.document, session.display)
    return (
        *_zoom_actions(session.view, canvas, when),
        *_search_actions(session, when),
        *_cell_actions(session, when),
        *_layer_actions(session.view, show_layers),
    )


def _zoom_actions(view: ViewState, canvas: QtCanvas, when: Conditions) -> tuple[ActionSpec, ...]:
    def switch_mode() -> None:
        view.set_mode(Mode.EXPLORE if view.mode is Mode.DRAW else Mode.DRAW)

    return (
        ActionSpec(
            "fit",
            "&Fit grid",
            "View",
            canvas.fit,
            keys=("Ctrl+R",),
            icon="fit",
            enabled=when.has_grid,
            tip="Show the whole grid",
        ),
        ActionSpec(
            "zoom_in",
            "Zoom &in",
            "View",
            lambda: canvas.zoom(ZOOM),
            keys=("Ctrl++", "Ctrl+="),
            icon="zoom-in",
            enabled=when.has_grid,
            tip="Larger cells (wheel)",
        ),
        ActionSpec(
            "zoom_out",
            "&Zoom out",
            "View",
            lambda: canvas.zoom(1 / ZOOM),
            keys=("Ctrl+-",),
            icon="zoom-out",
            enabled=when.has_grid,
            tip="Smaller cells (wheel)",
        ),
        ActionSpec(
            "draw_mode",
            "&Draw on the grid",
            "View",
            switch_mode,
            keys=("V",),
            icon="pencil",
            checked=lambda: view.mode is Mode.DRAW,
            enabled=lambda: not view.locked,
            tip="Let the mouse draw, or explore: pan, pin and open menus",
        ),
    )


def _search_actions(session: Session, when: Conditions) -> tuple[ActionSpec, ...]:
    view, comparison = session.view, session.comparison
    return (
        ActionSpec(
            "next_change",
            "Next &changed cell",
            "View",
            lambda: show_next_changed_cell(comparison.active_display, view, session.messages),
            keys=("J",),
            icon="find",
            enabled=when.has_recording,
            group=1,
            tip="Go to the next cell that this step changed",
        ),
        ActionSpec(
            "next_wrong",
            "Next &wrong cell",
            "View",
            lambda: show_next_wrong_cell(comparison.active_display, view, session.playback),
            keys=("Shift+J",),
            icon="error",
            enabled=lambda: has_wrong_cells(comparison, session.analysis),
            group=1,
            tip="Go to the next cell whose label is wrong at the end of the run",
        ),
    )


def _cell_actions(session: Session, when: Conditions) -> tuple[ActionSpec, ...]:
    """Return the rows about the cell under the mouse, or else the cursor."""
    view, comparison = session.view, session.comparison

    def pin(*, component: bool) -> None:
        """Pin the cell; if there is none, show the cursor first."""
        if view.inspected is None:
            view.move_cursor(0, 0)
        else:
            view.toggle_pin(view.inspected, component=component)

    def go_to_next_step_of_cell() -> None:
        if view.inspected is not None:
            go_to_next_change_of(
                view.inspected,
                comparison.active_display,
                session.playback,
                session.tasks,
                session.messages,
            )

    def has_cell() -> bool:
        return when.has_recording() and view.inspected is not None

    return (
        ActionSpec(
            "next_change_of_cell",
            "&Next step that changes the cell",
            "View",
            go_to_next_step_of_cell,
            enabled=has_cell,
            group=1,
            tip="Go to the next step that changes the cell under the mouse or the cursor",
        ),
        ActionSpec(
            "pin_component",
            "Pin c&omponent\tEnter",
            "View",
            lambda: pin(component=True),
            enabled=when.has_grid,
            group=1,
            tip="Pin the component of the cell under the mouse or the cursor, or unpin it",
        ),
        ActionSpec(
            "pin_cell",
            "Pin cell &alone\tShift+Enter",
            "View",
            lambda: pin(component=False),
            enabled=when.has_grid,
            group=1,
            tip="Pin the cell under the mouse or the cursor, or unpin it",
        ),
        ActionSpec(
            "copy_label",
            "Copy la&bel of the cell",
            "View",
            lambda: copy_value(
                comparison.active_display,
                session.document,
                view,
                session.labels,
                session.messages,
            ),
            enabled=has_cell,
            group=1,
            tip="Copy the label of the cell under the mouse or the cursor, as the paper writes it",
        ),
    )


def _layer_actions(view: ViewState, show_layers: Callable[[], object]) -> tuple[ActionSpec, ...]:
    def layer(name: str, switch: LayerSwitch) -> ActionSpec:
        return ActionSpec(
            name,
            switch.text,
            "View/Layers",
            lambda: view.switch_layer(name),
            keys=(switch.key,) if switch.key else (),
            icon=switch.icon or name,
            tip=switch.tip,
            group=1,
            checked=lambda: view.layers.shows(name),
        )

    return (
        ActionSpec(
            "layers",
            "&Layers…",
            "View/Layers",
            show_layers,
            icon="layers",
            tip="Choose what is drawn over the cells",
        ),
        layer("numbers", LayerSwitch("&Numbers", "Numbers", "Numbers in the cells", "N")),
        *(layer(name, switch) for name, switch in SWITCHES.items()),
    )
