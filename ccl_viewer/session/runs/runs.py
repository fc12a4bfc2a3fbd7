"""Begins the runs of a session, and knows whether one is in progress."""

from __future__ import annotations

from collections.abc import Callable, Hashable

from ccl_viewer.algorithms import algorithm
from ccl_viewer.session.editing.drawing import Drawing
from ccl_viewer.session.jobs.jobs import Jobs
from ccl_viewer.session.runs.display import Display
from ccl_viewer.session.runs.live import draft_settings
from ccl_viewer.session.runs.recording_work import RecordingWork
from ccl_viewer.session.state import MessageKind, RunSettings


class Runs:
    """Runs the algorithm on the grid as it is.

    Parameters
    ----------
    drawing : Drawing
        Holds the grid.
    jobs : Jobs
        Where work is done.
    display : Display
        Where runs are shown.
    settings : callable
        Returns how to run.
    recorded : callable
        Called once a run has ended well.
    """

    def __init__(
        self,
        drawing: Drawing,
        jobs: Jobs,
        display: Display,
        settings: Callable[[], RunSettings],
        recorded: Callable[[], object],
    ) -> None:
        self._drawing = drawing
        self._jobs = jobs
        self._display = display
        self._settings = settings
        self._recorded = recorded

    @property
    def cells(self) -> int:
        """Cells of the grid; 0 without one."""
        grid = self._drawing.grid
        return 0 if grid is None else grid.size

    @property
    def state(self) -> Hashable:
        """What a run depends on: settings, and the grid as it is."""
        settings = self._settings()
        return (
            self._drawing.version,
            settings.algorithm,
            settings.connectivity,
            settings.device,
            settings.schedule,
            settings.multivalued,
            tuple(settings.parameters.items()),
        )

    @property
    def settled(self) -> bool:
        """Whether the run in progress, else the one on display, is a whole one of what there is."""
        return self._display.settled

    @property
    def busy(self) -> bool:
        """Whether work is in progress."""
        return self._jobs.job is not None

    @property
    def running(self) -> bool:
        """Whether a run is in progress."""
        return self._display.running

    def run(self, *, keep_position: bool) -> None:
        """Record a run; without a grid, say that there is none.

        Parameters
        ----------
        keep_position : bool
            Stay at the step on display, and show the new run once it is whole.
        """
        grid = self._drawing.grid
        if grid is None:
            self.tell("There is no grid yet: open a picture or choose a pattern.")
        else:
            self._jobs.clear()  # settings that were meant for what is being opened go with it
            work = RecordingWork(grid.copy(), self._settings(), of=self.state)
            self._begin(work, follow=not keep_position)

    def run_live(self, *, draft: bool) -> None:
        """Record a run that keeps the step on display, as fast as can be if it is a draft."""
        grid = self._drawing.grid
        if grid is not None:
            self._jobs.clear()
            settings = self._settings()
            chosen = draft_settings(settings, grid.size) if draft else settings
            work = RecordingWork(
                grid.copy(), chosen, followed=False, of=self.state, draft=chosen != settings
            )
            self._begin(work, follow=False)

    def tell(self, sentence: str) -> None:
        """Tell the user."""
        self._jobs.say(MessageKind.INFO, sentence)

    def _begin(self, work: RecordingWork, *, follow: bool) -> None:
        self._display.begin(work, follow=follow)
        title = f"Running {algorithm(work.settings.algorithm).title}"
        self._jobs.start(title, work, self._recorded, shows=lambda: self._display.broken_off)
