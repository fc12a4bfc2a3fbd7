"""What belongs to the user, and is put away while a lesson has the window."""

from __future__ import annotations

from dataclasses import dataclass

from ccl_viewer.grids.editing import GridEditor
from ccl_viewer.session.editing.selection import Held
from ccl_viewer.session.runs.display import Standstill
from ccl_viewer.session.showing.look import Layers, Pin
from ccl_viewer.session.state import RunSettings


@dataclass(frozen=True, eq=False)
class UserState:
    """Everything that comes back as it was.

    Parameters
    ----------
    editor : GridEditor or None
        The grid, with its history.
    source : str
        Where the grid came from.
    settings : RunSettings
        How the next run is to be done.
    display : Standstill
        The run on display, and where it stands.
    layers : Layers
        What is drawn.
    pin : Pin or None
        What is pinned.
    selection : Held
        What is selected, and what floats over the grid.
    running : bool
        Whether a run was in progress, which was stopped.
    """

    editor: GridEditor | None
    source: str
    settings: RunSettings
    display: Standstill
    layers: Layers
    pin: Pin | None
    selection: Held
    running: bool
