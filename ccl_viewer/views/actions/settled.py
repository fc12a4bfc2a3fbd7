"""Deeds for which what floats over the grid is placed first."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer

if TYPE_CHECKING:
    from ccl_viewer.views.actions.spec import Deed
    from ccl_viewer.views.host import Host

_LANES = 30
"""Milliseconds after which is looked again whether lanes have been run."""


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
        settling = host.session.settling
        if settling.needed:
            settling.first(title, partial(_soon, host, deed))
        else:
            deed(host)

    return do


def _soon(host: Host, deed: Deed) -> None:
    """Do something once all lanes have runs of the same grid, unless other work began."""
    session = host.session
    if session.comparison.working and not session.busy:
        QTimer.singleShot(_LANES, host.canvas, partial(_soon, host, deed))
    elif not session.busy:
        # Not while the end of a run is told of: dialogs have event loops of their own.
        QTimer.singleShot(0, host.canvas, partial(deed, host))
