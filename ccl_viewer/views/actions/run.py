"""Actions of the menu Run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ccl_viewer.views.actions.conditions import has_grid
from ccl_viewer.views.actions.spec import Group, Section, Spec

if TYPE_CHECKING:
    from ccl_viewer.views.host import Host


def _stop(host: Host) -> None:
    """Stop what is in progress; with nothing in progress, take the message away."""
    if host.session.busy:
        host.session.cancel()
    else:
        host.session.dismiss()


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
                    "Stop the work, or dismiss the message",
                    ("Esc",),
                    "stop",
                    do=_stop,
                ),
            )
        ),
    ),
)
