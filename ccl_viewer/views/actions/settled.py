"""Deeds for which what floats over the grid is placed first."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer

if TYPE_CHECKING:
    from ccl_viewer.views.actions.spec import Deed
    from ccl_viewer.views.host import Host


def settled(title: str, deed: Deed) -> Deed:
    """Return what places first what floats, so that runs are of the grid that is seen.

    Parameters
    ----------
    title : str
        What is done, for the user, who is told if it came to nothing.
    deed : callable
        Does it.
    """

    def do(host: Host) -> None:
        session = host.session
        if session.settling.needed:
            session.comparison.after_lanes.first(title, partial(_soon, host, deed))
        else:
            deed(host)

    return do


def _soon(host: Host, deed: Deed) -> None:
    """Do something, but not while the end of a run is told of: dialogs have loops of their own."""
    QTimer.singleShot(0, host.canvas, partial(deed, host))
