"""Per-user cache folder.

It holds compiled kernels, which are executed. So no other user may write to it, and files are
sealed with a key from another folder, which exposes files that came from elsewhere, such as an
archive.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
import stat
import sys
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

CACHE_VARIABLE: Final = "CCL_VIEWER_CACHE"
"""Environment variable that sets the cache folder."""

MAX_BYTES: Final = 1 << 26
"""Most bytes of a file read from the cache; a compiled module has less than a megabyte."""

_KEY_NAME: Final = "cache.key"
_KEY_BYTES: Final = 32
_OTHERS_WRITE: Final = stat.S_IWGRP | stat.S_IWOTH
PROCESS_KEY: Final = secrets.token_bytes(_KEY_BYTES)


@dataclass(frozen=True)
class CacheFolder:
    """The cache folder in use.

    Parameters
    ----------
    path : Path
        Its path; it exists and only the user can write to it.
    refused : str
        Why it is not the configured folder, as a sentence; empty if it is.
    """

    path: Path
    refused: str = ""


def cache_folder() -> CacheFolder:
    """Return the cache folder; create it if necessary.

    If the configured folder cannot be used or others can write to it, this is a folder among the
    temporary files, for this user or else for this process.

    Raises
    ------
    OSError
        If no folder can be created.
    """
    named = os.environ.get(CACHE_VARIABLE)
    # Loaders search the system's folders for a name without a slash.
    folder = Path(named).absolute() if named else user_folder("cache")
    try:
        _create_private(folder, ours=not named)
    except OSError as error:
        path = _other_folder()
        refused = (
            f"The cache folder {str(folder)!r} is not used ({error.strerror or error}), but "
            f"{str(path)!r}: use a folder that only you can write to, or name "
            f"another one in the environment variable {CACHE_VARIABLE}."
        )
        return CacheFolder(path, refused)
    return CacheFolder(folder)


def is_users_file(path: Path, most: int | None = None) -> bool:
    """Return whether a path is the user's file, not a link, and not writable by others.

    Parameters
    ----------
    path : Path
        The file; it may be missing.
    most : int or None
        Most bytes of the file; None for any size.
    """
    try:
        status = path.lstat()
    except OSError:
        return False
    owned = sys.platform == "win32" or (
        status.st_uid == os.geteuid() and not status.st_mode & _OTHERS_WRITE
    )
    return stat.S_ISREG(status.st_mode) and owned and (most is None or status.st_size <= most)


def compute_checksum(name: str, content: bytes) -> str:
    """Return a checksum that only this user's processes can compute.

    Its key is outside the cache folder, in the user's state folder or among the temporary files. If
    no key can be stored, each process has its own.

    Parameters
    ----------
    name, content : str, bytes
        The purpose, and the sealed bytes.
    """
    message = name.encode(errors="surrogateescape") + b"\0" + content
    return hmac.new(_key(), message, hashlib.sha256).hexdigest()[:32]


def user_folder(kind: str) -> Path:
    """Return the user's folder for ``"cache"`` or ``"state"``."""
    import platformdirs

    find = {"cache": platformdirs.user_cache_dir, "state": platformdirs.user_state_dir}[kind]
    return Path(find("ccl-viewer", appauthor=False))


def _create_private(folder: Path, *, ours: bool) -> None:
    """Create a folder that only the user can write to, or raise OSError; restrict it if `ours`."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    status = folder.lstat()
    if not stat.S_ISDIR(status.st_mode) or getattr(folder, "is_junction", bool)():
        raise OSError("it is a link")
    if sys.platform != "win32":
        if status.st_uid != os.geteuid():
            raise OSError("it belongs to somebody else")
        if ours and stat.S_IMODE(status.st_mode) != stat.S_IRWXU:
            folder.chmod(stat.S_IRWXU)
        elif status.st_mode & _OTHERS_WRITE:
            raise OSError("others can write to it")
    if not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
        raise OSError("it cannot be written")


def _temporary(kind: str) -> Path:
    user = "" if sys.platform == "win32" else f"-{os.geteuid()}"
    return Path(tempfile.gettempdir()) / f"ccl-viewer-{kind}{user}"


def _other_folder() -> Path:
    folder = _temporary("cache")
    with suppress(OSError):
        _create_private(folder, ours=True)
        return folder
    return Path(process_folder().name)


@cache
def process_folder() -> tempfile.TemporaryDirectory[str]:
    """Return a temporary cache folder of this process."""
    return tempfile.TemporaryDirectory(prefix="ccl-viewer-cache-")


def _key() -> bytes:
    for find in (user_folder, _temporary):
        with suppress(OSError):
            path = find("state") / _KEY_NAME
            _create_private(path.parent, ours=True)
            key = _read_kept_key(path)
            if key is None:
                _keep_key(path)
                key = _read_kept_key(path)
            if key is not None:
                return key
    return PROCESS_KEY


def _read_kept_key(path: Path) -> bytes | None:
    key = path.read_bytes() if is_users_file(path, _KEY_BYTES) else b""
    return key if len(key) == _KEY_BYTES else None


def _keep_key(path: Path) -> None:
    """Write a new key, unless another process has just written one."""
    written = path.with_name(f"{path.name}-{secrets.token_hex(4)}")
    handle = os.open(written, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        try:
            os.write(handle, secrets.token_bytes(_KEY_BYTES))
        finally:
            os.close(handle)
        if path.is_symlink() or path.exists():
            written.replace(path)  # replace an invalid key
        else:
            os.link(written, path)
    except FileExistsError:
        pass
    finally:
        written.unlink(missing_ok=True)
