"""Actions of the menu Run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ccl_viewer.views.actions.conditions import has_grid, idle_run
from ccl_viewer.views.actions.spec import Group, Section, Spec

if TYPE_CHECKING:
    from ccl_viewer.views.host import Host


def _stop(host: Host) -> None:
    """Drop what is being drawn, else stop the work, leave the projector, take the message away.

    After these it is the turn of the selection, then of the pin, and last of predicting.
    """
    if host.session.tools.cancel_gesture():
        return
    if host.session.busy:
        host.session.cancel()
    elif host.session.comparison.working:
        host.session.comparison.cancel()
    elif host.projector.shown:
        host.projector.show(on=False)
    elif host.session.message is not None:
        host.session.dismiss()
    elif not (host.session.tools.selection.cancel() or host.session.look.unpin()):
        host.session.predictor.switch(on=False)


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
                    "measure",
                    "&Measure times",
                    "Time the run again and again, without recording it",
                    ("F6",),
                    "measure",
                    do=lambda host: host.session.measuring.measure(),
                    can=idle_run,
                ),
                Spec(
                    "cancel",
                    "&Cancel",
                    "Drop a shape, stop the work, leave a mode, dismiss, deselect, or unpin",
                    ("Esc",),
                    "stop",
                    do=_stop,
                ),
            )
        ),
    ),
)
