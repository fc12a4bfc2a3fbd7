"""The rows of the canvas's actions: zoom, mode, layers, colours, pins, changes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ccl_viewer.window.core.view_state import ZOOM, Mode
from ccl_viewer.window.widgets.action_spec import ActionSpec, has_grid, has_recording
from ccl_viewer.window.widgets.canvas.menu import (
    copy_value,
    go_to_next_change_of,
    has_wrong_cells,
    show_next_change,
    show_next_wrong,
)

if TYPE_CHECKING:
    from ccl_viewer.window.core.session import Session
    from ccl_viewer.window.main_window import MainWindow


def _switch_mode(window: MainWindow) -> None:
    view = window.session.view
    view.set_mode(Mode.EXPLORE if view.mode is Mode.DRAW else Mode.DRAW)


def _pin(window: MainWindow, *, component: bool) -> None:
    """Pin the cell; where there is none, show the cursor first."""
    view = window.session.view
    if view.inspected is None:
        view.move_cursor(0, 0)
    else:
        view.pin_cell(view.inspected, component=component)


def _next_step_of_cell(window: MainWindow) -> None:
    session = window.session
    if session.view.inspected is not None:
        go_to_next_change_of(session, session.comparison.active_display, session.view.inspected)


def _has_cell(session: Session) -> bool:
    return has_recording(session) and session.view.inspected is not None


def _layer(name: str, text: str, tip: str, *keys: str) -> ActionSpec:
    return ActionSpec(
        name, text, "View/Layers", lambda window: window.session.view.switch_layer(name), keys,
        {"lines": "grid", "total": "sums"}.get(name, name), tip=tip, group=1,
        checked=lambda session: session.view.layers.shows(name),
    )  # fmt: skip


ACTIONS: Final = (
    ActionSpec(
        "fit", "&Fit grid", "View", lambda window: window.canvas.fit(), ("Ctrl+R",), "fit",
        has_grid, tip="Show the whole grid",
    ),
    ActionSpec(
        "zoom_in", "Zoom &in", "View", lambda window: window.canvas.zoom(ZOOM),
        ("Ctrl++", "Ctrl+="), "zoom-in", has_grid, tip="Larger cells (wheel)",
    ),
    ActionSpec(
        "zoom_out", "&Zoom out", "View", lambda window: window.canvas.zoom(1 / ZOOM), ("Ctrl+-",),
        "zoom-out", has_grid, tip="Smaller cells (wheel)",
    ),
    ActionSpec(
        "draw_mode", "&Draw on the grid", "View", _switch_mode, ("V",), "pencil",
        checked=lambda session: session.view.mode is Mode.DRAW,
        enabled=lambda session: not session.view.locked,
        tip="Let the mouse draw, or explore: pan, pin and open menus",
    ),
    ActionSpec(
        "next_change", "Next &changed cell", "View",
        lambda window: show_next_change(window.session, window.session.comparison.active_display),
        ("J",), "find", has_recording, group=1, tip="Go to the next cell that this step changed",
    ),
    ActionSpec(
        "next_wrong", "Next &wrong cell", "View",
        lambda window: show_next_wrong(window.session, window.session.comparison.active_display),
        ("Shift+J",), "error", has_wrong_cells, group=1,
        tip="Go to the next cell whose label is wrong at the end of the run",
    ),
    ActionSpec(
        "next_change_of_cell", "&Next step that changes the cell", "View", _next_step_of_cell,
        enabled=_has_cell, group=1,
        tip="Go to the next step that changes the cell under the mouse or the cursor",
    ),
    ActionSpec(
        "pin_component", "Pin c&omponent\tEnter", "View",
        lambda window: _pin(window, component=True), enabled=has_grid, group=1,
        tip="Pin the component of the cell under the mouse or the cursor, or unpin it",
    ),
    ActionSpec(
        "pin_cell", "Pin cell &alone\tShift+Enter", "View",
        lambda window: _pin(window, component=False), enabled=has_grid, group=1,
        tip="Pin the cell under the mouse or the cursor, or unpin it",
    ),
    ActionSpec(
        "copy_label", "Copy la&bel of the cell", "View",
        lambda window: copy_value(window.session, window.session.comparison.active_display),
        enabled=_has_cell, group=1,
        tip="Copy the label of the cell under the mouse or the cursor, as the paper writes it",
    ),
    ActionSpec(
        "layers", "&Layers…", "View/Layers", lambda window: window.canvas_header.show_layers(),
        icon="layers", tip="Choose what is drawn over the cells",
    ),
    _layer("numbers", "&Numbers", "Numbers in the cells", "N"),
    _layer("arrows", "Parent &arrows", "Arrows from cells to their parents", "A"),
    _layer("changed", "&Changed cells", "Mark cells that the step changed", "C"),
    _layer("tiles", "T&iles", "Tiles, strips and blocks of cells that the algorithm works in"),
    _layer("structure", "&Structure", "All parts into which the launch divides the grid"),
    _layer("contours", "Con&tours", "Lines around the components"),
    _layer("lines", "&Grid lines", "Lines between cells", "G"),
    _layer("onion", "&Onion skin", "The step before, as a rim around this one"),
    _layer("only", "Only the &pinned component", "Dim all but the pinned component"),
    _layer("total", "Total co&unts", "Memory accesses of all steps so far"),
)  # fmt: skip
"""Rows of the menu View."""
