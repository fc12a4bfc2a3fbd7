"""Makes what floats over the grid part of it, before the grid or a run of it is put to use."""

from __future__ import annotations

from collections.abc import Callable

from ccl_viewer.session.editing.selection import Selection
from ccl_viewer.session.jobs.jobs import Jobs


class Settling:
    """Places what floats, as another tool does, for whatever shows, saves or measures the grid.

    Parameters
    ----------
    selection : Selection
        Knows what floats.
    jobs : Jobs
        Where edits that take long are made, and the runs that follow edits.
    """

    def __init__(self, selection: Selection, jobs: Jobs) -> None:
        self._selection = selection
        self._jobs = jobs

    @property
    def needed(self) -> bool:
        """Whether anything floats."""
        return self._selection.patch is not None

    def first(self, title: str, go_on: Callable[[], object]) -> None:
        """Go on at once if nothing floats; otherwise once it is placed and the grid labelled.

        Parameters
        ----------
        title : str
            What is to be done, for the user, who is told if it came to nothing.
        go_on : callable
            Does it.
        """
        if self.needed:
            self._selection.place(lambda: self._jobs.when_idle(title, go_on))
        else:
            go_on()
