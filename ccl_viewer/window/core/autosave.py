"""Crash recovery: the unsaved drawing is written to a file and offered at the next start.

Each window writes its drawing to a separate file in the user's state folder, with a lock file
beside it. The system releases a lock when a process ends, for any reason. A drawing without a
locked lock file was therefore left by a killed window.
"""

from __future__ import annotations

import os
import secrets
import threading
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from ccl_viewer.errors import CCLViewerError, InputError, shorten
from ccl_viewer.grids import Grid, save_grid
from ccl_viewer.grids.editor import GridEditor
from ccl_viewer.grids.files import GridContent, read_content
from ccl_viewer.grids.grid import MAX_PIXELS
from ccl_viewer.grids.shapes import Box
from ccl_viewer.storage.cache import is_users_file
from ccl_viewer.storage.temporaries import lock
from ccl_viewer.window.core.messages import MessageKind, Messages
from ccl_viewer.window.core.selection import SelectionState, placing_transform
from ccl_viewer.window.core.tasks import BackgroundTask, TaskQueue

if TYPE_CHECKING:
    from ccl_viewer.window.core.document import Document

STATE_VARIABLE: Final = "CCL_VIEWER_STATE"
"""Environment variable that names another state folder."""

_GROUP: Final = "autosave"


@dataclass(frozen=True, eq=False)
class RecoveryFile:
    """A drawing left by a killed process, and the handle of its lock, which we hold."""

    path: Path
    handle: int

    @property
    def saved_at(self) -> datetime:
        return datetime.fromtimestamp(self.path.stat().st_mtime, UTC).astimezone()

    def release(self) -> None:
        """Release it for other windows, or for the next start."""
        os.close(self.handle)

    def delete(self) -> None:
        os.close(self.handle)  # first, because Windows cannot delete an open file
        with suppress(OSError):
            self.path.unlink(missing_ok=True)
            self.path.with_suffix(".lock").unlink(missing_ok=True)


class Autosave:
    """Writes the user's unsaved drawing to the state folder."""

    def __init__(self, document: Document, tasks: TaskQueue, messages: Messages) -> None:
        self._document, self._tasks, self._messages = document, tasks, messages
        self._own: RecoveryFile | None = None
        self._writing = threading.Lock()
        self._again = self._failed = self._closed = False

    def write(self) -> None:
        """Write the drawing as it is now, or delete its file if nothing would be lost."""
        if self._closed:
            return
        if self._tasks.busy(_GROUP):
            self._again = True
            return
        state = self._document.user_state
        if state.editor is None or not self._document.dirty:
            if self._own is not None:
                self._own.delete()
                self._own = None
            return
        try:
            path = self.claim()
        except OSError as error:
            reason = f"{shorten(drawings_folder())} cannot be used ({error.strerror})."
            self._failed_to_write(InputError(reason))
            return
        # If the user drew cells during this, the file has some of them, and is written again.
        grid, selected = state.editor.grid, state.selected

        def work(task: BackgroundTask) -> None:
            with self._writing:
                task.check()
                _write(path, grid, selected)

        title = "Backing up the drawing"
        self._tasks.start(title, work, self._go_on, self._failed_to_write, group=_GROUP)

    def claim(self) -> Path:
        """Return the file of this window and lock it; OSError if it cannot be made."""
        if self._own is None:
            folder = drawings_folder()
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            path = folder / f"{secrets.token_hex(8)}.png"
            self._own = RecoveryFile(path, _lock(path, os.O_EXCL))
        return self._own.path

    def close(self) -> None:
        """Leave an unsaved drawing to the next start; delete one that is saved or was discarded."""
        self._closed = True
        self._tasks.abandon(_GROUP)
        state = self._document.user_state
        with self._writing:  # a task may still be writing
            if state.editor is not None and self._document.dirty:
                with suppress(CCLViewerError, OSError):
                    _write(self.claim(), state.editor.grid, state.selected)
                leave = RecoveryFile.release
            else:
                leave = RecoveryFile.delete
        if self._own is not None:
            leave(self._own)
            self._own = None

    def _go_on(self, _result: None) -> None:
        again, self._again = self._again, False
        if again:
            self.write()

    def _failed_to_write(self, error: CCLViewerError) -> None:
        """Say once that the drawing cannot be kept; later edits try again."""
        self._again = False
        if not self._failed:
            self._failed = True
            text = f"Your drawing would be lost in a crash: {error} Save it."
            self._messages.show(MessageKind.WARNING, text)


def drawings_folder() -> Path:
    """Return the folder of unsaved drawings, which may not exist yet."""
    from platformdirs import user_state_dir

    named = os.environ.get(STATE_VARIABLE)
    return Path(named or user_state_dir("ccl-viewer", appauthor=False)) / "drawings"


def find_recovery_file() -> RecoveryFile | None:
    """Return and lock the newest drawing left by a killed process; None if there is none."""
    files = []
    with suppress(OSError):
        for path in drawings_folder().iterdir():
            status = path.lstat()
            if path.suffix == ".png" and status.st_size and is_users_file(path):
                files.append((status.st_mtime, path))
    return next(filter(None, (_try_to_lock(path) for _, path in sorted(files, reverse=True))), None)


def read_recovery_file(path: Path) -> GridEditor:
    """Read a recovered drawing, as a grid without a file."""
    content = read_content(path, MAX_PIXELS)  # no larger than a grid that can be drawn
    if isinstance(content, GridContent):
        cells = content.grid
    elif content.planes.dtype == np.bool_:
        cells = content.planes.astype(np.uint8)
    else:
        raise InputError(f"{shorten(path)} holds no drawing: discard it.")
    return GridEditor(cells, multivalued=bool(cells.max() > 1), unsaved=True)


def _write(path: Path, grid: Grid, selected: SelectionState) -> None:
    """Write a grid with the floating patch placed."""
    if selected.floating_patch is not None:
        grid = placing_transform(selected.floating_patch, selected.hole, Box(0, 0, *grid.shape))(
            grid
        )
    with suppress(FileExistsError):  # other users may not read it, with any umask
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    save_grid(path, grid, multivalued=bool(grid.max() > 1))


def _try_to_lock(path: Path) -> RecoveryFile | None:
    flags = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    try:
        return RecoveryFile(path, _lock(path, flags))
    except OSError:
        return None


def _lock(path: Path, flags: int) -> int:
    """Lock the lock file and return its handle; OSError if another process has it."""
    handle = os.open(path.with_suffix(".lock"), os.O_RDWR | os.O_CREAT | flags, 0o600)
    try:
        lock(handle)
    except OSError:
        os.close(handle)
        raise
    return handle
