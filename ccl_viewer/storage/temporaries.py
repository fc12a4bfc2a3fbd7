"""Temporary files and folders that are cleared at the next start if their process was killed.

Each has a note, a file in the user's cache folder that stays locked while the temporary file is in
use. The system releases a lock when a process ends, even if it is killed. So an unlocked note
belongs to a killed process, and the file that it names can be deleted. Nothing else is deleted.
"""

from __future__ import annotations

import os
import secrets
import shutil
import stat
import sys
import tempfile
import time
import weakref
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Final

from ccl_viewer.errors import InputError
from ccl_viewer.storage.cache import cache_folder

_NOTES: Final = "unfinished"
_MARK: Final = ".unfinished-"
_LONGEST_STEM: Final = 40
_EMPTY_SECONDS: Final = 60.0
_REMOVALS: Final = 50
_REMOVAL_SECONDS: Final = 0.02


def temporary_sibling(path: Path) -> Path:
    """Return an unused name in the folder of a path, with the path's suffix."""
    # Names are bytes on most systems and may not be UTF-8: leave other bytes out.
    stem = path.stem.encode(errors="ignore")[:_LONGEST_STEM].decode(errors="ignore")
    return path.parent / f".{stem}{_MARK}{secrets.token_hex(4)}{path.suffix}"


@contextmanager
def crash_cleanup(temporary: Path) -> Iterator[None]:
    """Keep a note of a temporary file while the block runs; clear leftovers of killed processes.

    If no note can be written, the block still runs: the note only serves to clean up.

    Parameters
    ----------
    temporary : Path
        As :func:`temporary_sibling` returns it; this function neither creates nor deletes it.
    """
    clear_unfinished()
    note = handle = None
    with suppress(OSError):
        note = cache_folder().path / _NOTES / secrets.token_hex(8)
        note.parent.mkdir(mode=0o700, exist_ok=True)
        handle = os.open(note, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        lock(handle)
        os.write(handle, os.fsencode(temporary.absolute()))
    try:
        yield
    finally:
        if handle is not None and note is not None:
            os.close(handle)
            with suppress(OSError):
                note.unlink()


@contextmanager
def scratch_folder(parent: Path | None = None, mode: int = 0o700) -> Iterator[Path]:
    """Create an empty folder for intermediate files; it is deleted at the end.

    Parameters
    ----------
    parent : Path or None
        Parent folder; None for the system's temporary folder. If a parent is given, its errors are
        not translated.
    mode : int
        Permissions, reduced by the user's umask.

    Raises
    ------
    InputError
        If it cannot be written to, and no parent was given.
    """
    try:
        folder = temporary_sibling((parent or Path(tempfile.gettempdir())) / "ccl-viewer")
    except OSError as error:
        raise _not_writable(error) from error
    with crash_cleanup(folder):
        try:
            folder.mkdir(mode)
            yield folder
        except OSError as error:
            if parent is not None:
                raise
            raise _not_writable(error) from error
        finally:
            remove_folder(folder)


def remove_folder(folder: Path) -> None:
    """Remove a folder; threads of a failed writer may still create files in it."""
    for _ in range(_REMOVALS):
        shutil.rmtree(folder, ignore_errors=True)
        if not folder.exists():
            return
        time.sleep(_REMOVAL_SECONDS)


def temporary_folder() -> tempfile.TemporaryDirectory[str]:
    """Return a new, empty folder that stays until it is cleaned up.

    Raises
    ------
    InputError
        If it cannot be created.
    """
    try:
        folder = tempfile.TemporaryDirectory(prefix=f"ccl-viewer{_MARK}")
    except OSError as error:
        raise _not_writable(error) from error
    note = ExitStack()
    note.enter_context(crash_cleanup(Path(folder.name)))
    weakref.finalize(folder, note.close)
    return folder


def _not_writable(error: OSError) -> InputError:
    reason = error.strerror or str(error)
    return InputError(
        f"Temporary files cannot be written ({reason}): make room on the disk, or name another "
        "folder in the environment variable TMPDIR."
    )


def clear_unfinished() -> int:
    """Delete leftovers of killed processes.

    Returns
    -------
    int
        Number of deleted files and folders.
    """
    try:
        notes = [*(cache_folder().path / _NOTES).iterdir()]
    except OSError:
        return 0
    cleared = 0
    for note in notes:
        with suppress(OSError):
            cleared += _clear(note)
    return cleared


def _clear(note: Path) -> bool:
    if not stat.S_ISREG(note.lstat().st_mode):  # reading a pipe might never end
        return False
    handle = os.open(note, os.O_RDWR)
    try:
        # Another process may just have created its note, before it locks it and writes.
        if not os.fstat(handle).st_size and time.time() - note.stat().st_mtime < _EMPTY_SECONDS:
            return False
        lock(handle)
        named = Path(os.fsdecode(os.read(handle, 1 << 16)))
    finally:
        os.close(handle)
    # After closing, since Windows cannot delete an open file. Other processes lock it only to clear
    # it.
    cleared = _MARK in named.name and _delete(named)
    note.unlink(missing_ok=True)
    return cleared


def _delete(temporary: Path) -> bool:
    if temporary.is_dir() and not temporary.is_symlink():
        shutil.rmtree(temporary)
        return True
    if temporary.is_symlink() or temporary.exists():
        temporary.unlink()
        return True
    return False


if sys.platform == "win32":

    def lock(handle: int) -> None:
        """Lock a file, or raise OSError if another process locked it."""
        import msvcrt

        # Lock a byte past its end, so that it can still be read and written.
        os.lseek(handle, 1 << 20, os.SEEK_SET)
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        os.lseek(handle, 0, os.SEEK_SET)

else:

    def lock(handle: int) -> None:
        """Lock a file, or raise OSError if another process locked it."""
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
