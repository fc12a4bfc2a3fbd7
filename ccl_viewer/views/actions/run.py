"""Actions of the menu Run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ccl_viewer.views.actions.conditions import has_grid
from ccl_viewer.views.actions.spec import Group, Section, Spec

if TYPE_CHECKING:
    from ccl_viewer.views.host import Host


def _stop(host: Host) -> None:
    """Stop the work, or else leave the projector, or else take away the message, or the pin."""
    if host.session.busy:
        host.session.cancel()
    elif host.projector.shown:
        host.projector.show(on=False)
    elif host.session.message is not None:
        host.session.dismiss()
    else:
        host.session.look.unpin()


RUN = Group(
    "Run",
    (
        Section(
            (
                Spec(
                    "run",
                    "&Run",
                    "Run the algorithm on the grid",
                    ("F5",),
                    "run",
                    do=lambda host: host.session.run(),
                    can=has_grid,
                ),
                Spec(
                    "cancel",
                    "&Cancel",
                    "Stop the work, leave the projector, dismiss the message, or unpin",
                    ("Esc",),
                    "stop",
                    do=_stop,
                ),
            )
        ),
    ),
)
