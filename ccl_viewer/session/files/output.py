"""Writes what a session shows to files: the run, the grid, a step of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final
from weakref import ref

from ccl_viewer.errors import cut
from ccl_viewer.export import ExportOptions
from ccl_viewer.grids import Grid
from ccl_viewer.recording import Recording
from ccl_viewer.session.files.work import RECORDING_SUFFIX, ExportingWork, FigureWork, SavingWork
from ccl_viewer.session.jobs.jobs import Jobs
from ccl_viewer.session.state import MessageKind

_NO_RUN: Final = "There is no run to export yet: run an algorithm first."


class Output:
    """Saves and exports, on the worker's thread.

    Parameters
    ----------
    jobs : Jobs
        Where work is done.
    grid, recording : callable
        Return what is on display; None if there is none.
    saving : callable
        Given what is to be saved, returns whom to tell of the file once it is.
    """

    def __init__(
        self,
        jobs: Jobs,
        grid: Callable[[], Grid | None],
        recording: Callable[[], Recording | None],
        saving: Callable[[Recording | Grid], Callable[[Path], object]],
    ) -> None:
        self._jobs = jobs
        self._grid = grid
        self._recording = recording
        self._saving = saving
        self._file: tuple[ref[Recording], Path] | None = None

    def save(self, path: Path, then: Callable[[], object] = lambda: None) -> None:
        """Write the run to a ``.cclrec`` file, or the grid to one of another suffix.

        Parameters
        ----------
        path : Path
            The file.
        then : callable
            Called once it is written.
        """
        what = self._recording() if path.suffix.lower() == RECORDING_SUFFIX else self._grid()
        if what is None:
            self._say("There is nothing to save yet: open a picture and run it.")
            return
        noted = self._saving(what)

        def saved() -> None:
            if isinstance(what, Recording):
                self.note_file(what, path)
            noted(path)
            self._say(f"Saved {cut(path)}.")
            then()

        work = SavingWork(path, what if isinstance(what, Recording) else what.copy())
        self._jobs.start(f"Saving {path.name}", work, saved, writing=True)

    def export(self, path: Path, options: ExportOptions) -> None:
        """Write the run as an animation, as pictures or as data.

        Parameters
        ----------
        path : Path
            Its suffix chooses the format; without one, a folder of pictures.
        options : ExportOptions
            What is exported, and how it looks.
        """
        recording = self._recording()
        if recording is None:
            self._say(_NO_RUN)
            return
        self._jobs.start(
            f"Exporting {path.name}",
            ExportingWork(recording, path, options),
            lambda: self._say(f"Exported {cut(path)}."),
            writing=True,
        )

    def figure(
        self,
        options: ExportOptions,
        take: Callable[[FigureWork], object],
        recordings: Sequence[Recording] = (),
        moment: tuple[int, ...] = (),
    ) -> None:
        """Make a picture of a step, and the same as vectors.

        Parameters
        ----------
        options : ExportOptions
            Which step, and how it looks.
        take : callable
            Called with both once they are made.
        recordings : sequence of Recording
            The runs, side by side; none for the run on display.
        moment : tuple of int
            The step of each run; empty for the one that the options name.
        """
        shown = self._recording()
        runs = tuple(recordings) or (() if shown is None else (shown,))
        if not runs:
            self._say(_NO_RUN)
            return
        work = FigureWork(runs, options, moment)
        self._jobs.start("Copying the figure", work, lambda: take(work))

    def note_file(self, recording: Recording, path: Path) -> None:
        """Take note of the file that a recording is in."""
        self._file = (ref(recording), path)

    def file_of(self, recording: Recording) -> Path | None:
        """Return the file that a recording is in; None if it is in none."""
        if self._file is None or self._file[0]() is not recording:
            return None
        return self._file[1]

    def _say(self, sentence: str) -> None:
        self._jobs.say(MessageKind.INFO, sentence)
