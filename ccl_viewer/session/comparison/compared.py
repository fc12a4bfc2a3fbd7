"""What a comparison needs to know of the session, and how it is looked at."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final, Protocol

import numpy as np

from ccl_viewer.algorithms import ALGORITHMS, algorithm
from ccl_viewer.grids import Grid
from ccl_viewer.recording.together import Sync
from ccl_viewer.session.editing.settling import Settling
from ccl_viewer.session.playback.playback import Playback
from ccl_viewer.session.runs.on_display import OnDisplay
from ccl_viewer.session.signals import Signal
from ccl_viewer.session.state import MessageKind, RunSettings

SECONDS: Final = (3.0, 5.0, 10.0, 20.0, 40.0)
"""How long the slowest run of a race may be made to take."""

_RIVALS: Final = ("ha4", "label_equivalence", "row_col_unify", "shibata_fast", "bke")
"""Who is compared first, of those that take no part yet."""


class Main(OnDisplay, Protocol):
    """The session, as a comparison knows it."""

    @property
    def playback(self) -> Playback:
        """Moves through the run."""

    @property
    def settling(self) -> Settling:
        """Places what floats over the grid."""

    @property
    def busy(self) -> bool:
        """Whether work is in progress."""

    @property
    def busy_changed(self) -> Signal:
        """Work began, went on or ended."""

    @property
    def steps_changed(self) -> Signal:
        """The run in progress has more steps."""

    @property
    def settings_changed(self) -> Signal:
        """The next run is to be done in another way."""

    def say(self, kind: MessageKind, text: str) -> None:
        """Show a sentence."""


@dataclass(frozen=True)
class View:
    """How a comparison is looked at.

    Parameters
    ----------
    sync : Sync
        How the runs keep in step.
    seconds : float
        How long the slowest takes in a race.
    difference : bool
        Whether cells that differ are marked.
    table : bool
        Whether the table of lanes is shown.
    folded : bool or None
        Whether the table is folded to a line; None where that follows from the room.
    """

    sync: Sync = Sync.STEP
    seconds: float = 10.0
    difference: bool = False
    table: bool = False
    folded: bool | None = None


def labelled_grid(main: Main) -> Grid | None:
    """Return the grid of the session's run, if it still is the grid; settings may be others."""
    recording, grid = main.recording, main.grid
    if recording is None:
        return None
    same = not main.stale or (grid is not None and np.array_equal(grid, recording.image))
    return recording.image if same else None


def rival_of(mine: RunSettings, others: Iterable[RunSettings]) -> RunSettings:
    """Return settings for another lane: an algorithm that takes no part yet, if there is one.

    Parameters
    ----------
    mine : RunSettings
        The session's.
    others : iterable of RunSettings
        Those of the lanes there are.
    """
    taken = {mine.algorithm, *(settings.algorithm for settings in others)}
    able = [
        key
        for key in (*_RIVALS, *ALGORITHMS)
        if key not in taken
        and mine.connectivity in algorithm(key).connectivities
        and (algorithm(key).multivalued or not mine.multivalued)
    ]
    return replace(mine, algorithm=able[0] if able else mine.algorithm, parameters={})
