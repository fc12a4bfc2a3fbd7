"""Live mode: the grid is labelled again while it is being drawn."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Protocol

from ccl_viewer.devices.emulator.schedules import Order, Schedule
from ccl_viewer.session.signals import Signal
from ccl_viewer.session.state import AUTOMATIC_CELLS, RunSettings

LIVE_CELLS = 1 << 20
"""Grids with more cells are labelled when an edit is whole, not before."""

QUICK = 0.15
"""Seconds: at the end of an edit, a shorter run of an older grid is let finish."""

TOO_LONG = 0.6
"""Seconds: where runs take longer, the grid is labelled when an edit is whole, not before."""

Clock = Callable[[], float]


class Labeller(Protocol):
    """What labels the grid, as live mode knows it."""

    @property
    def cells(self) -> int:
        """Cells of the grid; 0 without one."""

    @property
    def settled(self) -> bool:
        """Whether the run in progress, else the one on display, is a whole one of what there is."""

    @property
    def busy(self) -> bool:
        """Whether work is in progress."""

    @property
    def running(self) -> bool:
        """Whether that work is a run."""

    def run_live(self, *, draft: bool) -> None:
        """Begin a run that keeps the step on display, instead of any in progress."""

    def tell(self, sentence: str) -> None:
        """Tell the user."""


class Live:
    """Labels the grid again as the pencil moves.

    The newest grid wins: while a run is in progress, any number of changes ask for one more run.
    While the pencil moves, a run is let finish, so that the labels follow a pencil that does not
    stop; it is cancelled if it takes too long, or is still far from its end when the edit is whole.
    Where runs are too slow to follow, the grid is labelled at the end of each edit, and it says so.
    Drawing never waits for a run.

    The step on display stays the same, as
    :func:`ccl_viewer.session.runs.matching.matching_step` finds it in the new run.

    Attributes
    ----------
    changed : Signal
        It was switched.

    Parameters
    ----------
    runs : Labeller
        Makes the runs.
    clock : callable
        Returns seconds.
    """

    def __init__(self, runs: Labeller, clock: Clock = time.perf_counter) -> None:
        self.changed = Signal()
        self._runs = runs
        self._clock = clock
        self._on = False
        self._wanted = False
        self._draft = False
        self._began: float | None = None
        self._seconds = 0.0
        self._told_of: int | None = None

    @property
    def on(self) -> bool:
        """Whether it is switched on."""
        return self._on

    def switch(self, on: bool) -> None:
        """Switch it on, which labels the grid as it is, or off."""
        if on == self._on:
            return
        self._on = on
        self._wanted = False
        self._seconds = 0.0
        self._told_of = None
        self.changed.emit()
        if on and self._runs.cells and not self._runs.settled:
            self._ask(draft=False)

    def edited(self) -> None:
        """Take note that cells changed, and that more may follow at once."""
        if not self._on or not self._runs.cells:
            return
        if self._runs.cells > LIVE_CELLS:
            self._explain(f"grids of more than {LIVE_CELLS:,} cells are")
        elif self._seconds > TOO_LONG:
            self._explain(f"a run takes {self._seconds:.1f} s here, so the grid is")
        else:
            self._ask(draft=True)

    def touched(self) -> bool:
        """Take note that an edit is whole, or settings changed; return whether it is on."""
        if not self._on:
            return False
        if not self._runs.settled:
            self._ask(draft=False)
        return True

    def advanced(self) -> None:
        """Take note that work began, went on or ended."""
        if not self._runs.busy:
            self._began = None
            self._go_on()

    def finished(self) -> None:
        """Take note that a run came to its end and is on display."""
        if self._began is not None:
            self._seconds = self._clock() - self._began

    def forget(self) -> None:
        """Ask for no more runs until the next change, as when the user cancels one."""
        self._wanted = False

    def _ask(self, *, draft: bool) -> None:
        self._wanted, self._draft = True, draft
        self._go_on()

    def _go_on(self) -> None:
        if not self._wanted:
            return
        if self._runs.busy and not (self._runs.running and self._overtaken()):
            return
        self._wanted = False
        self._began = self._clock()
        self._runs.run_live(draft=self._draft)

    def _overtaken(self) -> bool:
        """Return whether the run in progress is given up for a newer grid."""
        if self._began is None:
            return True
        elapsed = self._clock() - self._began
        return elapsed > TOO_LONG if self._draft else max(self._seconds, elapsed) > QUICK

    def _explain(self, why: str) -> None:
        about = self._runs.cells
        if self._told_of != about:
            self._told_of = about
            self._runs.tell(f"Live mode: {why} labelled at the end of each edit.")


def draft_settings(settings: RunSettings, cells: int) -> RunSettings:
    """Return how a grid is labelled while the pencil moves.

    Interleaving threads access by access takes too long on larger grids: there, threads run one
    after the other until the edit is whole.

    Parameters
    ----------
    settings : RunSettings
        How it is labelled then.
    cells : int
        Cells of the grid.
    """
    if settings.schedule == "auto" or cells <= AUTOMATIC_CELLS:
        return settings
    if Schedule.parse(settings.schedule).order.traced:
        return replace(settings, schedule=str(Order.SEQUENTIAL))
    return settings
