"""What becomes of files, patterns and imported grids: they take the place of what is shown."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from ccl_viewer.algorithms import algorithm
from ccl_viewer.grids import Grid
from ccl_viewer.grids.editing import GridEditor
from ccl_viewer.grids.thresholds import Threshold
from ccl_viewer.recording import Recording
from ccl_viewer.session.files.work import OpeningWork
from ccl_viewer.session.jobs.job import Job
from ccl_viewer.session.jobs.jobs import Jobs
from ccl_viewer.session.lessons.presenter import Begin
from ccl_viewer.session.runs.display import Display
from ccl_viewer.session.runs.settings import settings_of, taken_over, telling_apart
from ccl_viewer.session.showing.displayed_run import DisplayedRun
from ccl_viewer.session.state import MessageKind, RunSettings


class Opening:
    """Opens what has a name, and begins with grids that come from elsewhere.

    Parameters
    ----------
    jobs : Jobs
        Where work is done.
    display : Display
        Where runs are shown.
    settings : callable
        Returns how the next run is to be done.
    leave : callable
        Called before anything is replaced.
    begin : callable
        Goes on with settings, the name of a source, and a grid with its history.
    run : callable
        Runs the algorithm on the grid.
    note_file : callable
        Given a recording that was opened, and the name of its file.
    """

    def __init__(
        self,
        jobs: Jobs,
        display: Display,
        settings: Callable[[], RunSettings],
        *,
        leave: Callable[[], object],
        begin: Begin,
        run: Callable[[], object],
        note_file: Callable[[Recording, str], object],
    ) -> None:
        self._jobs = jobs
        self._display = display
        self._settings = settings
        self._leave = leave
        self._begin = begin
        self._run = run
        self._note_file = note_file
        self._wanted_step: int | None = None
        self._job: Job | None = None

    @property
    def under_way(self) -> bool:
        """Whether something is being opened."""
        return self._job is not None and self._job is self._jobs.job

    def open(
        self, spec: str, step: int | None, threshold: Threshold, *, invert: bool, large: bool
    ) -> None:
        """Open a picture, grid, pattern or recording, and run it; see :meth:`Session.open`."""
        self._jobs.clear()
        settings = self._settings()
        can = algorithm(settings.algorithm).multivalued
        work = OpeningWork(
            spec,
            threshold,
            invert=invert,
            large=large,
            multivalued=settings.multivalued,
            segments=can,
        )
        self._jobs.start(f"Opening {Path(spec).name}", work, lambda: self._opened(work, step))
        self._job = self._jobs.job

    def take(self, grid: Grid, source: str, multivalued: bool | None) -> None:
        """Begin with another grid, and run it.

        Parameters
        ----------
        grid : ndarray of uint8, shape (height, width)
            The grid.
        source : str
            Where it came from, for the user.
        multivalued : bool or None
            Whether its values are told apart; None leaves that as it is.
        """
        self._leave()
        self._wanted_step = None
        self._take(grid, source, multivalued)

    def arrive(self) -> None:
        """Show the step that was asked for together with the run, once there is one."""
        step, self._wanted_step = self._wanted_step, None
        if step is not None:
            playback = self._display.playback
            playback.go_to(step if step >= 0 else playback.count + step)

    def bring_back(self, editor: GridEditor, source: str) -> None:
        """Begin with a grid that has its history, and run it.

        Parameters
        ----------
        editor : GridEditor
            The grid.
        source : str
            Where it came from, for the user.
        """
        self._leave()
        self._wanted_step = None
        before = self._settings()
        self._go_on(before, telling_apart(before, on=editor.multivalued), source, editor)

    def _opened(self, work: OpeningWork, step: int | None) -> None:
        if work.loaded is not None and work.multivalued != self._settings().multivalued:
            # As chosen meanwhile.
            self.open(work.spec, step, work.threshold, invert=work.invert, large=work.large)
            return
        self._leave()
        self._wanted_step = step
        if work.shown is not None:
            self._show(work.shown, work.spec)
        elif work.loaded is not None:
            loaded = work.loaded
            self._take(loaded.grid, loaded.source, True if loaded.multivalued else None)

    def _take(self, grid: Grid, source: str, multivalued: bool | None) -> None:
        before = after = self._settings()
        if multivalued is not None and multivalued != before.multivalued:
            after = telling_apart(before, on=multivalued)
        self._go_on(before, after, source, GridEditor(grid, multivalued=after.multivalued))

    def _go_on(
        self, before: RunSettings, after: RunSettings, source: str, editor: GridEditor
    ) -> None:
        self._begin(after, source, editor)
        self._run()
        if after.algorithm != before.algorithm:
            sentence = taken_over(before.algorithm, after.algorithm)
            self._jobs.say(MessageKind.INFO, sentence)

    def _show(self, shown: DisplayedRun, source: str) -> None:
        recording = shown.recording
        settings = settings_of(recording, self._settings())
        editor = GridEditor(recording.image, multivalued=recording.multivalued)
        self._begin(settings, source, editor)
        self._note_file(recording, source)
        self._display.put(shown)
        self.arrive()
