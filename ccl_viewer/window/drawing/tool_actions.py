"""The rows of the menu Tools."""

from __future__ import annotations

from functools import partial

from ccl_viewer.window.core.session import Session
from ccl_viewer.window.core.tools import TOOLS, Tool
from ccl_viewer.window.core.view_state import Mode
from ccl_viewer.window.widgets.action_spec import ActionSpec, Conditions


def tool_actions(session: Session) -> tuple[ActionSpec, ...]:
    """Return the rows of the tools, the brush and the values."""
    when = Conditions(session.document, session.display)
    return (
        *_choose_actions(session, when),
        *_value_actions(session, when),
        *_cursor_actions(session, when),
    )


def _choose_actions(session: Session, when: Conditions) -> tuple[ActionSpec, ...]:
    tools, view = session.tools, session.view

    def take(tool: Tool) -> None:
        view.set_mode(Mode.DRAW)
        tools.set_tool(tool)

    def in_use(tool: Tool) -> bool:
        return view.mode is Mode.DRAW and tools.tool is tool

    return (
        *(
            ActionSpec(
                f"tool_{tool}",
                text,
                "Tools",
                partial(take, tool),
                keys=(key,),
                icon=str(tool),
                enabled=when.has_grid,
                checked=partial(in_use, tool),
                tip=tip,
            )
            for tool, text, key, tip in TOOLS
        ),
        ActionSpec(
            "filled",
            "Filled s&hapes",
            "Tools",
            lambda: tools.set_filled(not tools.filled),
            icon="filled",
            checked=lambda: tools.filled,
            tip="Fill rectangles and ellipses instead of drawing their border",
            group=1,
        ),
        *(
            ActionSpec(name, text, "Tools", call, icon=icon_name, tip=tip, group=1)
            for name, text, call, icon_name, tip in (
                ("wider", "&Wider brush", tools.wider, "plus", "Use the next wider brush"),
                (
                    "narrower",
                    "&Narrower brush",
                    tools.narrower,
                    "minus",
                    "Use the next narrower brush",
                ),
                (
                    "swap",
                    "E&xchange buttons",
                    tools.swap,
                    "swap",
                    "Exchange what left and right button draw",
                ),
            )
        ),
    )


def _value_actions(session: Session, when: Conditions) -> tuple[ActionSpec, ...]:
    tools = session.tools

    def has_values() -> bool:
        return session.document.multivalued

    return (
        ActionSpec(
            "multivalued",
            "Several &values",
            "Tools",
            lambda: session.runs.set_multivalued(not session.document.multivalued),
            icon="values",
            enabled=when.has_grid,
            checked=has_values,
            tip="Draw with more than one value; only cells of equal value connect",
            group=2,
        ),
        *(
            ActionSpec(
                name,
                text,
                "Tools",
                call,
                icon=icon_name,
                enabled=has_values,
                tip=tip,
                group=2,
            )
            for name, text, call, icon_name, tip in (
                (
                    "next_value",
                    "Next val&ue",
                    tools.choose_next_value,
                    "",
                    "Draw with the next value",
                ),
                (
                    "previous_value",
                    "Previous v&alue",
                    tools.choose_previous_value,
                    "",
                    "Draw with the previous value",
                ),
                (
                    "add_value",
                    "A&dd value",
                    tools.add_value,
                    "plus",
                    "Add a value and draw with it",
                ),
            )
        ),
    )


def _cursor_actions(session: Session, when: Conditions) -> tuple[ActionSpec, ...]:
    tools, view = session.tools, session.view

    def use_at_cursor(*, erase: bool = False) -> None:
        if view.cursor is not None:
            tools.use_at(view.cursor, erase=erase)

    def has_cursor() -> bool:
        return view.cursor is not None and when.has_grid()

    return (
        ActionSpec(
            "draw_at_cursor",
            "Use at the &cursor",
            "Tools",
            use_at_cursor,
            keys=("Z",),
            enabled=has_cursor,
            tip="Use the tool at the cell cursor, which Shift and the arrows move",
            group=3,
        ),
        ActionSpec(
            "erase_at_cursor",
            "Erase at the curs&or",
            "Tools",
            lambda: use_at_cursor(erase=True),
            keys=("Shift+Z",),
            enabled=has_cursor,
            tip="Use the tool with the value of the right button at the cell cursor",
            group=3,
        ),
    )
