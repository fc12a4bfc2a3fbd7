"""Write files under a temporary name, then rename them; check files before reading."""

from __future__ import annotations

import errno
import os
import stat
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final
from urllib.parse import unquote_to_bytes

from ccl_viewer.errors import InputError, shorten
from ccl_viewer.storage import temporaries

_LOCK_SECONDS: Final = 10.0
_LOCK_POLL_SECONDS: Final = 0.005
_ZARR_FILES: Final = ("zarr.json", ".zarray", ".zgroup")


def local_path(name: str) -> str:
    """Return the path that a ``file:`` URL names; other names stay as they are.

    Parameters
    ----------
    name : str
        The name. The URL may have the host ``localhost``, and its path any bytes, as ``%FF``.
    """
    if not name.lower().startswith("file://"):
        return name
    host, _, path = name[len("file://") :].partition("/")
    if host.lower() not in {"", "localhost"}:
        return name
    decoded = os.fsdecode(unquote_to_bytes(path))
    return decoded if os.name == "nt" else f"/{decoded}"  # Windows: file:///C:/picture.png


def is_file(path: str | os.PathLike[str]) -> bool:
    """Return whether a path is a file that can be seen; False in a folder without access.

    Parameters
    ----------
    path : path_like
        The path; it may be invalid.
    """
    with suppress(OSError, ValueError):  # Path.is_file() raises some of them
        return stat.S_ISREG(Path(path).stat().st_mode)
    return False


def is_folder(path: str | os.PathLike[str]) -> bool:
    """Return whether a path is a folder that can be seen, as :func:`is_file` for files."""
    with suppress(OSError, ValueError):
        return stat.S_ISDIR(Path(path).stat().st_mode)
    return False


def read_text_file(path: Path, most: int, encoding: str = "utf-8") -> str:
    """Return the text of a file after checking its size.

    Parameters
    ----------
    path : Path
        The file.
    most : int
        Most bytes of the file: a sparse file takes no disk space but could fill the memory.
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
    """Raise if reading could block: on a pipe, a terminal or another device.

    Parameters
    ----------
    path : Path
        The path to read. Opening it shows whether it exists.

    Raises
    ------
    InputError
        If it is a pipe or a device, or the name is invalid.
    """
    _check_name(path)
    with suppress(OSError):
        mode = path.stat().st_mode
        if stat.S_ISFIFO(mode) or stat.S_ISCHR(mode):
            raise InputError(
                f"{shorten(path)} is a pipe or a device: save what comes from it in a file, and "
                "open that."
            )


def check_writable(path: Path) -> None:
    """Raise if a file cannot be written, so that this is known before long work.

    Parameters
    ----------
    path : Path
        The final path.

    Raises
    ------
    InputError
        If the path is a folder, a device or a protected file, the name is invalid, or its folder is
        missing or not writable.
    """
    with _new_file_beside(path):
        pass


def check_is_another_file(path: Path, inputs: Iterable[str | os.PathLike[str]]) -> None:
    """Raise if writing a file would replace an input.

    Parameters
    ----------
    path : Path
        The final path of the output.
    inputs : iterable of path_like
        The inputs; missing files are ignored.

    Raises
    ------
    InputError
        If both are the same file, also under another spelling or through a link.
    """
    for name in inputs:
        same = False
        with suppress(OSError, ValueError):
            same = path.samefile(name)
        if same:
            raise InputError(
                f"{shorten(path)} is the file that is read, and would be replaced: choose another "
                "name, or force the replacement."
            )


def check_new_folder(
    path: Path, advice: str = "name another folder", *, replace: bool = False
) -> None:
    """Raise if the path of a new folder is taken.

    Parameters
    ----------
    path : Path
        The final path; it must not exist, or be an empty folder.
    advice : str
        What the user can do otherwise.
    replace : bool
        Whether it may also be a Zarr array or group.

    Raises
    ------
    InputError
        If it is anything else, or the name is invalid.
    """
    _check_name(path)
    if replace and is_zarr_folder(path):
        return
    if _ask(path, lambda: path.exists() and (not path.is_dir() or any(path.iterdir()))):
        raise InputError(f"{shorten(path)} is there already and not empty: {advice}.")


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yield a temporary path in the same folder, and rename it if the block succeeds.

    Parameters
    ----------
    path : Path
        The final path. An existing file stays until the rename, and is kept if the block fails. If
        the path is a link, its target is replaced. The new file belongs to the current user; group
        and permissions are kept. If the group cannot be kept, group and others get only the
        permissions that both had.

    Yields
    ------
    Path
        A new, empty file in the same folder, with the same suffix.

    Raises
    ------
    InputError
        If the file cannot be written: folder missing, no permission, disk full.
    """
    with _new_file_beside(path) as (beside, target, before):
        try:
            yield beside
            if before is not None:
                _give_permissions(beside, before)
            beside.replace(target)
        except OSError as error:
            raise _cannot_write(path, error) from error


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Let one process at a time read and rewrite a file, so that none loses what another wrote.

    A file beside it is locked, and stays. On a disk without locks, the block runs all the same.

    Parameters
    ----------
    path : Path
        The file; its folder is created.

    Raises
    ------
    InputError
        If the folder cannot be written, or another process keeps the lock.
    """
    path = Path(os.path.realpath(path))
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle = os.open(path.with_name(f".{path.name}.lock"), os.O_RDWR | os.O_CREAT, 0o600)
    except (OSError, ValueError) as error:
        raise _cannot_write(path, error) from error
    try:
        _wait_for_lock(path, handle)
        yield
    finally:
        os.close(handle)


def _wait_for_lock(path: Path, handle: int) -> None:
    end = time.monotonic() + _LOCK_SECONDS
    while True:
        try:
            return temporaries.lock(handle)
        except OSError as error:
            if error.errno not in {errno.EWOULDBLOCK, errno.EACCES, errno.EDEADLOCK}:
                return None
            if time.monotonic() > end:
                raise InputError(
                    f"{shorten(path)} is in use by another process of this program: end that, or "
                    "try again."
                ) from error
        time.sleep(_LOCK_POLL_SECONDS)


def is_zarr_folder(path: Path) -> bool:
    """Return whether a folder is a Zarr array or group, by its name and content."""
    return path.suffix.lower() == ".zarr" and any(is_file(path / name) for name in _ZARR_FILES)


@contextmanager
def replacing_folder(path: Path, *, replace: bool = False) -> Iterator[Path]:
    """Yield a temporary folder next to the final one, and rename it if the block succeeds.

    Parameters
    ----------
    path : Path
        The final path; it must not exist, or be an empty folder.
    replace : bool
        Whether it may also be a Zarr array or group, which stays until the new one is complete.

    Yields
    ------
    Path
        A new, empty folder next to it.

    Raises
    ------
    InputError
        If the path is taken, or the folder cannot be written.
    """
    replace = replace and is_zarr_folder(path)
    check_new_folder(path, replace=replace)
    if replace:
        path = Path(os.path.realpath(path))  # the target of a link
    beside = temporaries.temporary_sibling(path)
    with temporaries.crash_cleanup(beside):
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


@contextmanager
def filling_folder(path: Path, last: str = "") -> Iterator[Path]:
    """Yield a temporary folder, and move its files into another one if the block succeeds.

    Parameters
    ----------
    path : Path
        The final folder, which is created if there are files. Its files with other names stay.
    last : str
        Name of a file that is moved after all others.

    Yields
    ------
    Path
        A new, empty folder, on the same disk.

    Raises
    ------
    InputError
        If the folder or a file in it cannot be written.
    """
    place = path / "files"  # in the folder if it exists: its own folder may be protected
    while not _ask(path, place.parent.exists):
        place = place.parent
    beside = temporaries.temporary_sibling(place)
    with temporaries.crash_cleanup(beside):
        try:
            beside.mkdir()
            yield beside
            for file in sorted(beside.iterdir(), key=lambda file: (file.name == last, file.name)):
                path.mkdir(parents=True, exist_ok=True)
                with replacing(path / file.name) as target:
                    file.replace(target)
        except OSError as error:
            raise _cannot_write(path, error) from error
        finally:
            temporaries.remove_folder(beside)


def _swap(new: Path, path: Path) -> None:
    """Replace a folder by another, and delete the old one."""
    old = temporaries.temporary_sibling(path)
    path.replace(old)  # not noted yet: it stays if the process is killed here
    try:
        new.replace(path)
    except OSError:
        old.replace(path)
        raise
    with temporaries.crash_cleanup(old):
        temporaries.remove_folder(old)


@contextmanager
def _new_file_beside(path: Path) -> Iterator[tuple[Path, Path, os.stat_result | None]]:
    """Yield a new, empty file in the folder of another; if it still exists at the end, delete it.

    Yields
    ------
    tuple of Path, Path, and os.stat_result or None
        The new file; the file to replace, with links resolved; its status, if it exists.
    """
    before = _find_replaceable(path)
    target = Path(os.path.realpath(path))
    beside = temporaries.temporary_sibling(target)
    with temporaries.crash_cleanup(beside):
        try:
            # A file with restricted access must not be readable by everybody while it is written.
            access = 0o666 if before is None else 0o600
            os.close(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, access))
        except OSError as error:
            raise _cannot_write(path, error) from error
        try:
            yield beside, target, before
        finally:
            with suppress(OSError):
                beside.unlink(missing_ok=True)


def _find_replaceable(path: Path) -> os.stat_result | None:
    """Return the status of a file that may be replaced; None if it does not exist.

    Raises
    ------
    InputError
        If it must not be replaced, is not a file, or has an invalid name.
    """
    _check_name(path)
    try:
        status = path.stat()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise _cannot_write(path, error) from error
    if stat.S_ISDIR(status.st_mode):
        raise InputError(f"{shorten(path)} is a folder: name a file.")
    if not stat.S_ISREG(status.st_mode):
        raise InputError(f"{shorten(path)} is a pipe or a device: name a file.")
    if not os.access(path, os.W_OK):  # renaming would still work
        raise InputError(f"{shorten(path)} is protected against writing: choose another name.")
    return status


def _give_permissions(path: Path, like: os.stat_result) -> None:
    """Give a new file the group and permissions of another, as far as the system allows."""
    mode = like.st_mode & 0o777
    if hasattr(os, "chown"):
        try:
            os.chown(path, -1, like.st_gid)
        except OSError:  # another group: allow group and others only what both had
            both = mode >> 3 & mode & 0o7
            mode = mode & 0o700 | both << 3 | both
    with suppress(OSError):  # not all file systems have permissions
        path.chmod(mode)


def _check_name(path: Path) -> None:
    """Raise if a file name is invalid."""
    try:
        os.lstat(path)
    except ValueError as error:
        raise InputError(
            "The file's name holds a character that no name can have: choose another name."
        ) from error
    except OSError:
        pass


def _ask(path: Path, question: Callable[[], bool]) -> bool:
    """Ask the system about a path that may be too long, or in a folder without access."""
    try:
        return question()
    except OSError as error:
        raise _cannot_write(path, error) from error


def _cannot_write(path: Path, error: OSError | ValueError) -> InputError:
    reason = getattr(error, "strerror", None) or str(error)
    return InputError(
        f"{shorten(path)} cannot be written ({reason}): choose another place or name."
    )
