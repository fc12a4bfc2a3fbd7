"""Temporary files and folders that are cleared at the next start if their process was killed.

Each is noted in a file of its own in the user's cache folder, which stays locked for as long as it
is written to. The system lets go of a lock when a process ends, however that happens: so a note
that nobody has locked belongs to one that was killed, and what it names can be deleted. Nothing
else is ever deleted, whatever its name.
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


def beside(path: Path) -> Path:
    """Return a name that nothing has, in the folder of a path and with its suffix."""
    # Names are bytes on most systems, and need not be UTF-8: what is not is left out.
    stem = path.stem.encode(errors="ignore")[:_LONGEST_STEM].decode(errors="ignore")
    return path.parent / f".{stem}{_MARK}{secrets.token_hex(4)}{path.suffix}"


@contextmanager
def noted(temporary: Path) -> Iterator[None]:
    """Keep a note of something temporary while the block runs; clear what others left before.

    Where no note can be kept, the block runs all the same: a note only serves to clean up.

    Parameters
    ----------
    temporary : Path
        As :func:`beside` returns it; neither made nor deleted here.
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
def scratch(parent: Path | None = None, mode: int = 0o700) -> Iterator[Path]:
    """Give a new, empty folder for files that are only passed on; it is gone at the end.

    Parameters
    ----------
    parent : Path or None
        Where to make it; None for where temporary files belong. Errors of a place of the caller's
        are the caller's to name.
    mode : int
        Who may use it, less what the user's mask takes away.

    Raises
    ------
    InputError
        If something cannot be written to it, and no parent was given.
    """
    try:
        folder = beside((parent or Path(tempfile.gettempdir())) / "ccl-viewer")
    except OSError as error:
        raise _nowhere(error) from error
    with noted(folder):
        try:
            folder.mkdir(mode)
            yield folder
        except OSError as error:
            if parent is not None:
                raise
            raise _nowhere(error) from error
        finally:
            remove_folder(folder)


def remove_folder(folder: Path) -> None:
    """Remove a folder; threads that a failed writer left behind may still put files into it."""
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
        If there is no place for it.
    """
    try:
        folder = tempfile.TemporaryDirectory(prefix=f"ccl-viewer{_MARK}")
    except OSError as error:
        raise _nowhere(error) from error
    note = ExitStack()
    note.enter_context(noted(Path(folder.name)))
    weakref.finalize(folder, note.close)
    return folder


def _nowhere(error: OSError) -> InputError:
    reason = error.strerror or str(error)
    return InputError(
        f"Temporary files cannot be written ({reason}): make room on the disk, or name another "
        "folder in the environment variable TMPDIR."
    )


def clear_unfinished() -> int:
    """Delete what killed processes have left behind.

    Returns
    -------
    int
        How many temporary files and folders were deleted.
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
    if not stat.S_ISREG(note.lstat().st_mode):  # a pipe would never be read to its end
        return False
    handle = os.open(note, os.O_RDWR)
    try:
        # Another process may have made its note just now, and be about to lock it and write.
        if not os.fstat(handle).st_size and time.time() - note.stat().st_mtime < _EMPTY_SECONDS:
            return False
        lock(handle)
        named = Path(os.fsdecode(os.read(handle, 1 << 16)))
    finally:
        os.close(handle)
    # Only now, as Windows deletes no open file. Nobody else locks a note but to clear it, too.
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
        """Lock a file, or raise OSError if another process has."""
        import msvcrt

        # Beyond its end, so that it can be read and written meanwhile.
        os.lseek(handle, 1 << 20, os.SEEK_SET)
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        os.lseek(handle, 0, os.SEEK_SET)

else:

    def lock(handle: int) -> None:
        """Lock a file, or raise OSError if another process has."""
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
