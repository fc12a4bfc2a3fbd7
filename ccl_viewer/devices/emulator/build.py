"""Compile kernel modules, and keep them in the user's cache folder."""

from __future__ import annotations

import errno
import logging
import os
import platform
import re
import shutil
import sys
import time
from contextlib import suppress
from functools import cache
from pathlib import Path

from ccl_viewer.devices.emulator.compiler import (
    KERNELS_IN_LINES,
    RUNTIME,
    compile_module,
    compile_runtime,
    compiler_options,
    find_compiler,
)
from ccl_viewer.devices.source import KernelSource, digest
from ccl_viewer.errors import DeviceUnavailableError, sanitise_message
from ccl_viewer.storage.cache import (
    CACHE_VARIABLE,
    MAX_BYTES,
    cache_folder,
    compute_checksum,
    is_users_file,
)
from ccl_viewer.storage.temporaries import scratch_folder

MAX_CACHE_BYTES = 1 << 28
"""Bytes of compiled kernels above which the least recently used ones are deleted."""

_KEPT_SHARE = 0.75
_KEPT_SECONDS = 60.0  # after its last use; another process may be about to load it
_COMPILED = re.compile(r"(?P<module>.+-[0-9a-f]{32}-[0-9a-f]+-[0-9a-f]{32})(\.w\d+)?")


def modules_folder() -> Path:
    """Return the folder of compiled kernels; create it, and warn if it is not the configured one.

    Raises
    ------
    DeviceUnavailableError
        If it cannot be created.
    """
    try:
        folder = cache_folder()
    except OSError as error:
        raise DeviceUnavailableError(
            f"There is no folder for compiled kernels ({error.strerror or error}): name one in the "
            f"environment variable {CACHE_VARIABLE}."
        ) from error
    if folder.refused:
        warn_once(folder.refused)
    return folder.path


@cache
def warn_once(sentence: str) -> None:
    """Log a warning once; by default, Python's logging writes it to standard error."""
    logging.getLogger(__name__).warning(sanitise_message(sentence))


def find_library(source: KernelSource, *, traced: bool, checked: bool = False) -> Path | None:
    """Return the compiled module if it exists and is undamaged.

    Parameters
    ----------
    source : KernelSource
        The module.
    traced, checked : bool
        The build, as for :func:`~ccl_viewer.devices.emulator.compiler.compiler_options`.

    Raises
    ------
    DeviceUnavailableError
        If the cache folder cannot be created, or a module in it cannot be read.
    """
    folder = modules_folder()
    name = _library_name(source, traced, checked)
    with suppress(DeviceUnavailableError):  # without a compiler, take the output of any
        name = f"{name}-{compiler_mark()}"
    try:
        return _find(folder, name)
    except OSError as error:
        raise _unusable(folder, error) from error


def is_any_module_cached() -> bool:
    """Return whether the cache has any module."""
    with suppress(OSError, DeviceUnavailableError):
        return any(path.suffix == _suffix() for path in modules_folder().iterdir())
    return False


def _find(folder: Path, name: str) -> Path | None:
    for path in sorted(folder.iterdir()):
        if path.name.startswith(f"{name}-") and _is_sealed(path):
            mark_used(path)
            return path
    return None


def build_library(source: KernelSource, *, traced: bool, checked: bool = False) -> Path:
    """Compile a module into the cache folder.

    Parameters
    ----------
    source : KernelSource
        The module.
    traced, checked : bool
        The build, as for :func:`~ccl_viewer.devices.emulator.compiler.compiler_options`.

    Returns
    -------
    Path
        The shared library. Its name contains a seal of its contents. If processes build the same
        module at the same time, each writes a complete file, and the last one stays.

    Raises
    ------
    KernelBuildError
        If the module does not compile.
    DeviceUnavailableError
        If the compiler is missing or broken, or the folder cannot be written.
    """
    folder = modules_folder()
    try:
        with scratch_folder(folder) as scratch:
            built = scratch / f"module{_suffix()}"
            runtime = _build_runtime(folder, traced)
            compile_module(source, built, runtime, traced=traced, checked=checked)
            name = _library_name(source, traced, checked)
            library = _keep(built, folder, f"{name}-{compiler_mark()}")
            trim_cache(folder)
            return library
    except OSError as error:
        raise _unusable(folder, error) from error


def _build_runtime(folder: Path, traced: bool) -> Path:
    """Return the runtime of a build; compile it if necessary."""
    name = f"runtime-{digest([*compiler_options(traced), _runtime_digest()])}-{compiler_mark()}"
    path = _find(folder, name)
    if path is not None:
        return path
    with scratch_folder(folder) as scratch:
        built = scratch / "runtime.o"
        compile_runtime(built, traced=traced)
        return _keep(built, folder, name)


def _keep(built: Path, folder: Path, name: str) -> Path:
    """Move a compiled file into the cache folder, with a seal in its name."""
    target = folder / f"{name}-{compute_checksum(name, built.read_bytes())}{built.suffix}"
    if not _is_sealed(target):
        _put(built, target)
    return target


def mark_used(library: Path) -> None:
    """Store the time of a use as a file's time of access, by which `trim_cache` chooses."""
    with suppress(OSError):
        os.utime(library, ns=(time.time_ns(), library.stat().st_mtime_ns))


def measure_cache(folder: Path) -> int:
    """Return the bytes of compiled kernels in a folder."""
    return sum(status.st_size for files in _compiled(folder).values() for _, status in files)


def trim_cache(folder: Path, most: int = MAX_CACHE_BYTES) -> None:
    """Delete the least recently used compiled kernels if all together are too large.

    Processes that have loaded them go on; one that has not yet compiles them again. Other files in
    the folder stay.

    Parameters
    ----------
    folder : Path
        The folder.
    most : int
        Most bytes.
    """
    modules = _compiled(folder)
    total = sum(status.st_size for files in modules.values() for _, status in files)
    if total <= most:
        return

    def last_use(files: list[tuple[Path, os.stat_result]]) -> float:
        return max(max(status.st_atime, status.st_mtime) for _, status in files)

    for files in sorted(modules.values(), key=last_use):
        if total <= _KEPT_SHARE * most or last_use(files) > time.time() - _KEPT_SECONDS:
            return
        for path, status in files:
            with suppress(OSError):  # Windows keeps loaded ones; another process may be faster
                path.unlink()
                total -= status.st_size


def _compiled(folder: Path) -> dict[str, list[tuple[Path, os.stat_result]]]:
    """Return the files of each compiled module, with the copies of its workers."""
    modules: dict[str, list[tuple[Path, os.stat_result]]] = {}
    for path in folder.iterdir():
        match = _COMPILED.fullmatch(path.stem)
        if match is not None and path.suffix in {_suffix(), ".o"} and is_users_file(path):
            with suppress(OSError):
                modules.setdefault(match["module"], []).append((path, path.lstat()))
    return modules


def worker_copy(library: Path, worker: int) -> Path:
    """Return one worker's copy of a compiled module.

    A loader identifies libraries by their files, so each worker loads another file to get its own
    runtime variables.

    Parameters
    ----------
    library : Path
        The module.
    worker : int
        Number of the worker, from 1.
    """
    copy = library.with_name(f"{library.stem}.w{worker}{library.suffix}")
    try:
        content = library.read_bytes()
        if is_users_file(copy, len(content)) and copy.read_bytes() == content:
            return copy
        with scratch_folder(library.parent) as scratch:
            written = scratch / copy.name
            written.write_bytes(content)
            _put(written, copy)
    except OSError as error:
        raise _unusable(library.parent, error) from error
    return copy


def _library_name(source: KernelSource, traced: bool, checked: bool) -> str:
    """Return the name of a compiled module, without the compiler's version and the seal."""
    options = compiler_options(traced, checked=checked)
    parts = [source.digest, *options, KERNELS_IN_LINES, _runtime_digest()]
    return f"{source.path.stem}-{digest(parts)}"


@cache
def _runtime_digest() -> str:
    headers = sorted(RUNTIME.glob("*.h"))
    texts = [path.read_text(encoding="utf-8") for path in headers]
    return digest([*texts, sys.platform, platform.machine()])


def compiler_mark() -> str:
    """Return a mark of the compiler's version; raise if it is not installed."""
    return f"{find_compiler().stat().st_size:x}"


def _is_sealed(library: Path) -> bool:
    """Whether a file belongs to the user and matches the seal in its name."""
    if not is_users_file(library, MAX_BYTES):
        return False
    name = library.stem.rpartition("-")[0]
    return library.stem == f"{name}-{compute_checksum(name, library.read_bytes())}"


def _put(built: Path, target: Path) -> None:
    """Move a file into the cache folder, replacing any file with that name."""
    built.chmod(0o700)
    if target.is_dir() and not target.is_symlink():
        shutil.rmtree(target)
    built.replace(target)


def _suffix() -> str:
    return {"win32": ".dll", "darwin": ".dylib"}.get(sys.platform, ".so")


def _unusable(folder: Path, error: OSError) -> DeviceUnavailableError:
    help_first = "make room there" if error.errno == errno.ENOSPC else "make it writable"
    return DeviceUnavailableError(
        f"The folder {folder} for compiled kernels cannot be used ({error.strerror or error}): "
        f"{help_first}, or name another one in the environment variable {CACHE_VARIABLE}."
    )
