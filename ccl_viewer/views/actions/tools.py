"""Actions of the menu Tools: what the mouse does on the canvas."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ccl_viewer.session.editing.hand import Tool
from ccl_viewer.session.values import tell_values_apart
from ccl_viewer.views.actions.conditions import has_grid, is_multivalued
from ccl_viewer.views.actions.spec import Group, Section, Spec

if TYPE_CHECKING:
    from ccl_viewer.views.host import Host

_TOOLS = (
    (Tool.PENCIL, "&Pencil", "draw cells; the right button erases", ("P",)),
    (Tool.ERASER, "&Eraser", "erase cells", ("E",)),
    (Tool.LINE, "&Line", "draw a line; Shift straightens it", ("L",)),
    (Tool.RECTANGLE, "&Rectangle", "with Shift a square, with Alt from its middle", ("R",)),
    (Tool.ELLIPSE, "Ellip&se", "with Shift a circle, with Alt from its middle", ("O",)),
    (Tool.FILL, "&Fill", "fill cells of one value that connect", ("F",)),
    (Tool.PICK, "P&ick", "take the value of a cell, and pin its component", ("I",)),
    (Tool.SELECT, "Selec&t", "select cells, and move those selected", ("M",)),
)


def _tool(tool: Tool, text: str, help_text: str, keys: tuple[str, ...]) -> Spec:
    return Spec(
        f"tool_{tool}",
        text,
        f"{text.replace('&', '')}: {help_text}",
        keys,
        str(tool),
        switch=lambda host, on: host.session.tools.take(tool) if on else None,
        on=lambda host: host.session.tools.hand.tool is tool,
    )


def _point(host: Host, *, second: bool) -> None:
    """Use the tool at the cell cursor; where there is none, show it first."""
    look = host.session.look
    if look.cursor is None:
        look.move_cursor(0, 0)
    else:
        host.session.tools.point(look.cursor, second=second)


_BRUSH = Section(
    (
        Spec(
            "filled",
            "Filled s&hapes",
            "Fill rectangles and ellipses instead of drawing their border",
            ("Shift+F",),
            "filled",
            switch=lambda host, on: host.session.tools.fill_shapes(on),
            on=lambda host: host.session.tools.hand.filled,
            remembered=True,
        ),
        Spec(
            "wider",
            "&Wider brush",
            "The next wider brush",
            ("B",),
            "plus",
            do=lambda host: host.session.tools.wider(),
        ),
        Spec(
            "narrower",
            "&Narrower brush",
            "The next narrower brush",
            ("Ctrl+B",),
            "minus",
            do=lambda host: host.session.tools.narrower(),
        ),
        Spec(
            "swap",
            "E&xchange buttons",
            "Exchange what the left and the right button draw",
            ("X",),
            "swap",
            do=lambda host: host.session.tools.swap(),
        ),
    )
)

_VALUES = Section(
    (
        Spec(
            "multivalued",
            "Several &values",
            "Cells of equal value connect: draw with more than one value",
            ("Shift+W",),
            "values",
            switch=lambda host, on: tell_values_apart(host.session, on=on),
            on=lambda host: host.session.settings.multivalued,
        ),
        Spec(
            "next_value",
            "Next val&ue",
            "Draw with the next value",
            ("W",),
            do=lambda host: host.session.tools.next_value(),
            can=is_multivalued,
        ),
        Spec(
            "previous_value",
            "Previous v&alue",
            "Draw with the value before",
            ("Q",),
            do=lambda host: host.session.tools.previous_value(),
            can=is_multivalued,
        ),
        Spec(
            "add_value",
            "A&dd value",
            "Add a value and draw with it",
            ("Shift+Q",),
            "plus",
            do=lambda host: host.session.tools.add_value(),
            can=is_multivalued,
        ),
    )
)

_CURSOR = Section(
    (
        Spec(
            "draw_at_cursor",
            "Use at the &cursor",
            "Use the tool at the cell cursor (Shift and the arrows move it)",
            ("Z", "Ctrl+Return"),
            do=lambda host: _point(host, second=False),
            can=has_grid,
        ),
        Spec(
            "erase_at_cursor",
            "Erase at the curs&or",
            "Use the tool's other value at the cell cursor",
            ("Shift+Z", "Ctrl+Shift+Return"),
            do=lambda host: _point(host, second=True),
            can=has_grid,
        ),
    )
)

_LIVE = Section(
    (
        Spec(
            "live",
            "Live &mode",
            "Label the grid again while it is being drawn",
            ("V",),
            "live",
            switch=lambda host, on: host.session.live.switch(on),
            on=lambda host: host.session.live.on,
            remembered=True,
        ),
    )
)

TOOLS = Group(
    "Tools",
    (Section(tuple(_tool(*row) for row in _TOOLS), one_of=True), _BRUSH, _VALUES, _CURSOR, _LIVE),
)
