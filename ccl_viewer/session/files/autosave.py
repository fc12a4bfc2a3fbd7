"""The drawing that is in no file, kept against a crash and offered at the next start.

Each window writes its drawing to a file of its own, in the user's state folder. Beside it lies a
lock file. The system lets go of a lock when a process ends, however that happens: so a drawing
whose lock nobody holds was left by a window that was killed.
"""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Callable, Hashable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import numpy as np

from ccl_viewer.cache import is_own_file
from ccl_viewer.errors import CCLViewerError, InputError, cut
from ccl_viewer.grids import Grid, save_grid
from ccl_viewer.grids.editing import GridEditor
from ccl_viewer.grids.files import Cells
from ccl_viewer.grids.grid import MAX_PIXELS
from ccl_viewer.grids.shapes import Box
from ccl_viewer.session.editing.selection import Held, placed
from ccl_viewer.session.files.keeping import Keeping
from ccl_viewer.session.files.reading import ReadingWork
from ccl_viewer.session.jobs.job import Job, Runner
from ccl_viewer.session.jobs.jobs import Jobs
from ccl_viewer.session.jobs.latest import Latest
from ccl_viewer.session.state import MessageKind
from ccl_viewer.temporaries import lock

STATE_VARIABLE: Final = "CCL_VIEWER_STATE"
"""Environment variable that names another state folder."""

RESTORED: Final = "Restored drawing"
"""Where a restored grid came from, for the user."""

_STALE: Final = 60.0  # seconds; younger locks may be about to be locked


def drawings_folder() -> Path:
    """Return the folder of unsaved drawings, which need not be there yet."""
    from platformdirs import user_state_dir

    named = os.environ.get(STATE_VARIABLE)
    return Path(named or user_state_dir("ccl-viewer", appauthor=False)) / "drawings"


@dataclass(frozen=True, eq=False)
class LeftDrawing:
    """A drawing that a killed process left; nobody else can take it meanwhile.

    Parameters
    ----------
    path : Path
        Its file.
    handle : int
        The lock, which is held.
    """

    path: Path
    handle: int

    @property
    def when(self) -> datetime:
        """When it was written."""
        return datetime.fromtimestamp(self.path.stat().st_mtime, UTC).astimezone()

    def release(self) -> None:
        """Leave it to others, or to the next start."""
        os.close(self.handle)

    def delete(self) -> None:
        """Delete it for good."""
        os.close(self.handle)  # first, as Windows deletes no open file
        with suppress(OSError):
            self.path.unlink(missing_ok=True)
            self.path.with_suffix(".lock").unlink(missing_ok=True)


class Autosave:
    """Writes the user's unsaved drawing, and brings back one that was left.

    Parameters
    ----------
    keeping : Keeping
        Knows what would be lost.
    runner : Runner
        Writes.
    jobs : Jobs
        Where a drawing is read that was left, and failures are told.
    begin : callable
        Goes on with a grid that has its history, from a source for the user.

    Attributes
    ----------
    left : LeftDrawing or None
        The drawing on offer.
    """

    def __init__(
        self,
        keeping: Keeping,
        runner: Runner,
        jobs: Jobs,
        begin: Callable[[GridEditor, str], object],
    ) -> None:
        self.left: LeftDrawing | None = None
        self._keeping = keeping
        self._latest = Latest(runner)
        self._jobs = jobs
        self._begin = begin
        self._own: LeftDrawing | None = None
        self._written: Hashable = None
        self._again = False
        self._failed = False
        self._closed = False

    @property
    def path(self) -> Path | None:
        """The file of this window's drawing, once one was written."""
        return None if self._own is None else self._own.path

    def write(self) -> None:
        """Write the drawing as it is now, or take its file away if nothing is at risk."""
        if self._latest.busy:
            self._again = True
            return
        editor, held = self._keeping.own()
        if editor is None or not self._keeping.at_risk:
            self._written = None
            self._delete_file()
            return
        wanted = editor, editor.revision, held[1]
        if self._closed or wanted == self._written:
            return
        try:
            path = self._claim()
        except OSError as error:
            self._fail(InputError(f"{cut(drawings_folder())} cannot be used ({error.strerror})."))
            return
        self._written = wanted
        work = _Writing(path, editor.grid, held)
        self._latest.start("Keeping the drawing", work, self._go_on, self._fail)

    def offer(self) -> LeftDrawing | None:
        """Find the newest drawing that a killed process left, and hold it for an answer."""
        if self.left is None:
            self.left = next(_left_drawings(), None)
        return self.left

    def restore(self) -> None:
        """Begin with the drawing on offer, as one that is in no file yet."""
        if self.left is not None:
            work = _Restoring(self.left.path)
            self._jobs.start("Restoring the drawing", work, lambda: self._restored(work))

    def discard(self) -> None:
        """Delete the drawing on offer."""
        left, self.left = self.left, None
        if left is not None:
            left.delete()

    def postpone(self) -> None:
        """Leave the drawing on offer to the next start."""
        left, self.left = self.left, None
        if left is not None:
            left.release()

    def stop(self) -> None:
        """Write no more."""
        self._closed = True
        self._latest.stop()

    def close(self, *, leave: bool = False) -> None:
        """Take the file away, once the runner has ended: the drawing was saved or given up.

        Parameters
        ----------
        leave : bool
            Leave it to the next start: nobody has answered what is to become of the drawing.
        """
        self.stop()
        self.postpone()
        own, self._own = self._own, None
        if own is not None and leave:
            own.release()
        elif own is not None:
            own.delete()

    def _restored(self, work: _Restoring) -> None:
        left, self.left = self.left, None
        if work.editor is None or left is None:
            return
        self._begin(work.editor, RESTORED)
        try:
            left.path.replace(self._claim())  # at no time is it in no file
        except OSError:
            self.write()
        left.delete()

    def _claim(self) -> Path:
        """Return the file of this window, with a lock of its own."""
        if self._own is None:
            folder = drawings_folder()
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            path = folder / f"{secrets.token_hex(8)}.png"
            handle = os.open(path.with_suffix(".lock"), os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
            try:
                lock(handle)
            except OSError:
                os.close(handle)
                raise
            self._own = LeftDrawing(path, handle)
        return self._own.path

    def _delete_file(self) -> None:
        if self._own is not None:
            with suppress(OSError):
                self._own.path.unlink(missing_ok=True)

    def _go_on(self) -> None:
        again, self._again = self._again, False
        if again:
            self.write()

    def _fail(self, error: CCLViewerError) -> None:
        """Say once that nothing can be kept; drawing goes on, and with it the attempts."""
        self._written = None
        if not self._failed:
            self._failed = True
            self._jobs.say(
                MessageKind.WARNING, f"Your drawing is not kept against a crash: {error} Save it."
            )


@dataclass(eq=False)
class _Writing:
    """Writes a grid with what floats over it.

    The grid may be drawn on meanwhile: then the file holds some of the new cells, and is written
    again. A copy, made by the window's thread, would hold that up.
    """

    path: Path
    grid: Grid
    held: Held

    def perform(self, _job: Job, /) -> None:
        _, patch, hole = self.held
        grid = self.grid
        if patch is not None:
            grid = placed(patch, hole, Box(0, 0, *grid.shape))(grid)
        with suppress(FileExistsError):  # nobody else may read it, whatever umask says
            os.close(os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        save_grid(self.path, grid, multivalued=bool(grid.max() > 1))


@dataclass(eq=False)
class _Restoring:
    """Reads a drawing that was left, as an edit of an empty grid."""

    path: Path
    editor: GridEditor | None = None

    def perform(self, job: Job, /) -> None:
        reading = ReadingWork(str(self.path), max_pixels=MAX_PIXELS)  # as large as it was drawn
        reading.perform(job)
        if not isinstance(reading.content, Cells):
            raise InputError(f"{cut(self.path)} holds no drawing: discard it.")
        cells = reading.content.grid
        several = bool(cells.max() > 1)
        self.editor = GridEditor(np.zeros_like(cells), multivalued=several)
        self.editor.replace(cells, "Restore drawing")


def _left_drawings() -> Iterator[LeftDrawing]:
    """Yield the drawings of killed processes, the newest first; clear locks without a drawing."""
    found = []
    with suppress(OSError):
        for path in drawings_folder().iterdir():
            known = path.lstat()
            if path.suffix == ".png" and known.st_size and is_own_file(path):
                found.append((known.st_mtime, path))
            elif path.suffix == ".lock" and time.time() - known.st_mtime > _STALE:
                _clear(path)
    for _, path in sorted(found, reverse=True):
        left = _locked(path)
        if left is not None:
            yield left


def _locked(path: Path) -> LeftDrawing | None:
    """Return the drawing in a file if no other process has it."""
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    try:
        handle = os.open(path.with_suffix(".lock"), flags, 0o600)
    except OSError:
        return None
    try:
        lock(handle)
    except OSError:
        os.close(handle)
        return None
    return LeftDrawing(path, handle)


def _clear(path: Path) -> None:
    """Delete a lock that belongs to no drawing, and to no process."""
    drawing = path.with_suffix(".png")
    if not drawing.exists() or not drawing.stat().st_size:
        left = _locked(drawing)
        if left is not None:
            left.delete()
