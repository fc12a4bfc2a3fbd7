"""Files: written beside, then renamed, so that nothing is half-written; pipes are not read."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from ccl_viewer.errors import InputError, cut
from ccl_viewer.storage import temporaries

_ZARR_FILES: Final = ("zarr.json", ".zarray", ".zgroup")


def is_file(path: str | os.PathLike[str]) -> bool:
    """Return whether a file is seen to have a name: not if it lies in a folder closed to us.

    Parameters
    ----------
    path : path_like
        The name, which may be one that no file can have.
    """
    with suppress(OSError, ValueError):  # Path.is_file() passes some of them on
        return stat.S_ISREG(Path(path).stat().st_mode)
    return False


def is_folder(path: str | os.PathLike[str]) -> bool:
    """Return whether a folder is seen to have a name, as :func:`is_file` does for files."""
    with suppress(OSError, ValueError):
        return stat.S_ISDIR(Path(path).stat().st_mode)
    return False


def read_text_file(path: Path, most: int, encoding: str = "utf-8") -> str:
    """Return the text of a file, whose size is checked first.

    Parameters
    ----------
    path : Path
        The file.
    most : int
        Bytes that it may have: a sparse file takes no room on the disk, but all of the memory.
    encoding : str
        As for :func:`open`.

    Raises
    ------
    OSError
        If it cannot be read, is too large, or is a pipe or another device.
    UnicodeDecodeError
        If it is not text in this encoding.
    """
    status = path.stat()
    if stat.S_ISREG(status.st_mode) and status.st_size > most:
        raise OSError(errno.EFBIG, f"it has more than {most:,} bytes")
    if stat.S_ISFIFO(status.st_mode) or stat.S_ISCHR(status.st_mode):
        raise OSError(errno.EINVAL, "it is a pipe or a device")
    return path.read_text(encoding)


def check_is_no_pipe(path: Path) -> None:
    """Raise if reading might wait for somebody to write: on a pipe, a terminal or another device.

    Parameters
    ----------
    path : Path
        What is to be read. Whether it is there is left to whoever opens it.

    Raises
    ------
    InputError
        If it is a pipe or a device, or no file can have the name.
    """
    _check_name(path)
    with suppress(OSError):
        mode = path.stat().st_mode
        if stat.S_ISFIFO(mode) or stat.S_ISCHR(mode):
            raise InputError(
                f"{cut(path)} is a pipe or a device: save what comes from it in a file, and open "
                "that."
            )


def check_writable(path: Path) -> None:
    """Raise if a file surely cannot be written, before long work is done for it.

    Parameters
    ----------
    path : Path
        The final name.

    Raises
    ------
    InputError
        If a folder, a device or a protected file has the name, no file can have it, or the folder
        for it is missing or not writable.
    """
    with _new_file_beside(path):
        pass


def check_is_another_file(path: Path, inputs: Iterable[str | os.PathLike[str]]) -> None:
    """Raise if writing a file would replace one that is read.

    Parameters
    ----------
    path : Path
        The final name of the output.
    inputs : iterable of path_like
        What is read; names that no file has are left out.

    Raises
    ------
    InputError
        If both are the same file, under whatever name: spelled otherwise, or through a link.
    """
    for name in inputs:
        same = False
        with suppress(OSError, ValueError):
            same = path.samefile(name)
        if same:
            raise InputError(
                f"{cut(path)} is the file that is read, and would be replaced: choose another "
                "name, or add --force."
            )


def check_new_folder(
    path: Path, advice: str = "name another folder", *, replace: bool = False
) -> None:
    """Raise if something stands under the name of a new folder.

    Parameters
    ----------
    path : Path
        The final name; nothing, or an empty folder, may stand there.
    advice : str
        What to do where it does not.
    replace : bool
        Whether a Zarr array or group may stand there too.

    Raises
    ------
    InputError
        If it is something else, or the name is none that can be looked at.
    """
    _check_name(path)
    if replace and is_zarr_folder(path):
        return
    if _asked(path, lambda: path.exists() and (not path.is_dir() or any(path.iterdir()))):
        raise InputError(f"{cut(path)} is there already and not empty: {advice}.")


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give a path beside the final one to write to; rename it once the block ends well.

    Parameters
    ----------
    path : Path
        The final name. What stands there stays until the rename, and for good if the block fails.
        Of a link, the file that it leads to is written. It belongs to whoever writes it; its group
        and what its owner, the group and others may do stay. Where its group cannot stay, neither
        that nor others may do more than both could.

    Yields
    ------
    Path
        A new, empty file in the same folder, with the same suffix.

    Raises
    ------
    InputError
        If the file cannot be written: no such folder, no permission, disk full.
    """
    with _new_file_beside(path) as (beside, target, before):
        try:
            yield beside
            if before is not None:
                _give_permissions(beside, before)
            beside.replace(target)
        except OSError as error:
            raise _cannot_write(path, error) from error


def is_zarr_folder(path: Path) -> bool:
    """Return whether a folder is a Zarr array or group, by its name and what is in it."""
    return path.suffix.lower() == ".zarr" and any(is_file(path / name) for name in _ZARR_FILES)


@contextmanager
def replacing_folder(path: Path, *, replace: bool = False) -> Iterator[Path]:
    """Give a folder beside the final one to fill; rename it once the block ends well.

    Parameters
    ----------
    path : Path
        The final name; nothing, or an empty folder, may stand there.
    replace : bool
        Whether a Zarr array or group may stand there too; it stays until the new one is whole.

    Yields
    ------
    Path
        A new, empty folder beside it.

    Raises
    ------
    InputError
        If something stands under the name already, or the folder cannot be written.
    """
    replace = replace and is_zarr_folder(path)
    check_new_folder(path, replace=replace)
    if replace:
        path = Path(os.path.realpath(path))  # what a link leads to
    beside = temporaries.beside(path)
    with temporaries.noted(beside):
        try:
            beside.mkdir(parents=True)
            yield beside
            if replace:
                _swap(beside, path)
            else:
                if path.exists():
                    path.rmdir()
                beside.replace(path)
        except OSError as error:
            raise _cannot_write(path, error) from error
        finally:
            temporaries.remove_folder(beside)


def _swap(new: Path, path: Path) -> None:
    """Put a folder in the place of another one, which is deleted."""
    old = temporaries.beside(path)
    path.replace(old)  # no note is kept of it yet: if the process is killed here, it stays
    try:
        new.replace(path)
    except OSError:
        old.replace(path)
        raise
    with temporaries.noted(old):
        temporaries.remove_folder(old)


@contextmanager
def _new_file_beside(path: Path) -> Iterator[tuple[Path, Path, os.stat_result | None]]:
    """Give a new, empty file in the folder of another; what is left of it at the end goes.

    Yields
    ------
    tuple of Path, Path, and os.stat_result or None
        The new file; what it is to replace, which is behind a link; what is known of that.
    """
    before = _replaceable(path)
    target = Path(os.path.realpath(path))
    beside = temporaries.beside(target)
    with temporaries.noted(beside):
        try:
            # What only some may read is not to be read by all while it is written.
            access = 0o666 if before is None else 0o600
            os.close(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, access))
        except OSError as error:
            raise _cannot_write(path, error) from error
        try:
            yield beside, target, before
        finally:
            with suppress(OSError):
                beside.unlink(missing_ok=True)


def _replaceable(path: Path) -> os.stat_result | None:
    """Return what is known of the file that has a name, if there is one.

    Raises
    ------
    InputError
        If it must not be replaced, or is none, or no file can have the name.
    """
    _check_name(path)
    try:
        known = path.stat()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise _cannot_write(path, error) from error
    if stat.S_ISDIR(known.st_mode):
        raise InputError(f"{cut(path)} is a folder: name a file.")
    if not stat.S_ISREG(known.st_mode):
        raise InputError(f"{cut(path)} is a pipe or a device: name a file.")
    if not os.access(path, os.W_OK):  # renaming would not mind
        raise InputError(f"{cut(path)} is protected against writing: choose another name.")
    return known


def _give_permissions(path: Path, like: os.stat_result) -> None:
    """Give a new file the group and the permissions of another, as far as the system has them."""
    mode = like.st_mode & 0o777
    if hasattr(os, "chown"):
        try:
            os.chown(path, -1, like.st_gid)
        except OSError:  # some of the others are now the group, and the group is among the others
            both = mode >> 3 & mode & 0o7
            mode = mode & 0o700 | both << 3 | both
    with suppress(OSError):  # not all file systems know permissions
        path.chmod(mode)


def _check_name(path: Path) -> None:
    """Raise if no file can have a name, whether or not one has it."""
    try:
        os.lstat(path)
    except ValueError as error:
        raise InputError(
            "The file's name holds a character that no name can have: choose another name."
        ) from error
    except OSError:
        pass


def _asked(path: Path, question: Callable[[], bool]) -> bool:
    """Ask the system about a name, which may be too long for it, or in a folder closed to us."""
    try:
        return question()
    except OSError as error:
        raise _cannot_write(path, error) from error


def _cannot_write(path: Path, error: OSError) -> InputError:
    reason = error.strerror or str(error)
    return InputError(f"{cut(path)} cannot be written ({reason}): choose another place or name.")
