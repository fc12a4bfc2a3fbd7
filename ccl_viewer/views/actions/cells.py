"""Actions on the cell under the mouse or the keyboard's cursor."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ccl_viewer.session.showing.look import Pin
from ccl_viewer.views.actions.conditions import has_grid, has_run
from ccl_viewer.views.actions.spec import Deed, Section, Spec
from ccl_viewer.views.clipboard.cells import copy_label

if TYPE_CHECKING:
    from ccl_viewer.session import Session
    from ccl_viewer.views.host import Host

_KEYS = {True: "Enter", False: "Shift+Enter"}
"""They work on the canvas alone: elsewhere they press buttons and end what is typed."""


def _pin(*, component: bool) -> Deed:
    def pin(host: Host) -> None:
        """Pin the cell; where there is none, show the cursor first."""
        look = host.session.look
        if look.inspected is None:
            look.move_cursor(0, 0)
        else:
            look.pin(look.inspected, component=component)

    return pin


def _text(what: str, *, component: bool) -> Callable[[Session], str]:
    def text(session: Session) -> str:
        look = session.look
        pinned = look.inspected is not None and look.pin_of == Pin(look.inspected, component)
        return f"{'Unpin' if pinned else 'Pin'} {what}\t{_KEYS[component]}"

    return text


PINS = Section(
    (
        Spec(
            "pin_component",
            "Pin compo&nent",
            "Pin the component of the cell under the mouse or the cursor, or unpin it",
            do=_pin(component=True),
            can=has_grid,
            text_now=_text("compo&nent", component=True),
        ),
        Spec(
            "pin_cell",
            "Pin cell &alone",
            "Pin the cell under the mouse or the cursor, or unpin it",
            do=_pin(component=False),
            can=has_grid,
            text_now=_text("cell &alone", component=False),
        ),
    )
)

COPY_LABEL = Spec(
    "copy_label",
    "Copy la&bel of the cell",
    "Copy the label of the cell under the mouse or the cursor, as the paper writes it",
    ("Ctrl+Alt+L",),
    do=copy_label,
    can=has_run,
)
