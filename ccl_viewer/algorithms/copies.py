"""Copies of kernels that the user edits: ``NAME.cu`` in a folder of the user.

A copy replaces one kernel module of an algorithm; its first line names both. The copy is also an
algorithm, with the key ``copy:NAME``, and runs in a child process
(:mod:`ccl_viewer.user_kernels.process`).
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from ccl_viewer.algorithms.base import Algorithm, Planner
from ccl_viewer.algorithms.own import NAME, OWN, find_allowed, find_own_source
from ccl_viewer.algorithms.own_code import MAX_BYTES, read_code
from ccl_viewer.errors import InputError, shorten
from ccl_viewer.execution.plan import Launch, Outcome, Plan, Reply, Task
from ccl_viewer.storage.files import is_file, replacing
from ccl_viewer.storage.resources import kernel_path, kernels_folder
from ccl_viewer.support.spelling import find_nearest

COPIES_VARIABLE: Final = "CCL_VIEWER_COPIES"
"""Environment variable that names another folder for copies."""

COPY: Final = "copy:"
"""Prefix of the keys of copies and of the names of their kernel modules."""

_ORIGIN: Final = re.compile(r"// A copy of (\w+)\.cu for the algorithm (\w+)\.")


@dataclass(frozen=True)
class Copy:
    """A copy of a kernel module.

    Parameters
    ----------
    name : str
        Its name: letters, digits and underscores.
    algorithm : str
        Key of the original algorithm.
    module : str
        The kernel module that it replaces.
    path : Path
        Its file.
    """

    name: str
    algorithm: str
    module: str
    path: Path

    @property
    def key(self) -> str:
        """Its key as an algorithm, which is also the name of its kernel module."""
        return COPY + self.name

    @property
    def unsaved_path(self) -> Path:
        """The file with unsaved edits."""
        return self.path.with_suffix(".unsaved")

    @property
    def first_line(self) -> str:
        """The first line of its file."""
        return f"// A copy of {self.module}.cu for the algorithm {self.algorithm}.\n"


def is_copy(key: str) -> bool:
    """Return whether the key of an algorithm, or the name of a module, belongs to a copy."""
    return key.startswith(COPY)


def copies_folder() -> Path:
    """Return the folder of copies, which may not exist yet."""
    named = os.environ.get(COPIES_VARIABLE)
    if named:
        return Path(named)
    import platformdirs

    return Path(platformdirs.user_data_dir("ccl-viewer", appauthor=False)) / "copies"


def list_copies() -> tuple[Copy, ...]:
    """Return all copies, by name; files without the line that names the original are ignored."""
    valid = []
    with suppress(OSError):
        for path in sorted(copies_folder().glob("*.cu")):
            with suppress(InputError):
                valid.append(find_copy(path.stem))
    return tuple(valid)


def find_copy(name: str) -> Copy:
    """Return the copy with a name.

    Raises
    ------
    InputError
        If there is none, or its file does not name its original.
    """
    path = copies_folder() / f"{name}.cu"
    if NAME.fullmatch(name) is None or not is_file(path):
        names = [path.stem for path in copies_folder().glob("*.cu")]
        close = find_nearest(
            name, [each for each in names if each != name and NAME.fullmatch(each)]
        )
        hint = f"did you mean {COPY}{close}?" if close else f"they are in {copies_folder()}."
        raise InputError(f"There is no copy {shorten(name) or 'without a name'}: {hint}")
    try:
        with path.open("rb") as file:
            line = file.readline(200).decode(errors="replace")
            size = os.fstat(file.fileno()).st_size
    except OSError as error:
        raise InputError(f"{shorten(path)} cannot be read: {error.strerror or error}.") from error
    if size > MAX_BYTES:
        raise InputError(f"{shorten(path)} has more than {MAX_BYTES:,} bytes: make it shorter.")
    origin = _ORIGIN.match(line)
    if origin is None:
        raise InputError(
            f"{shorten(path)} does not name its original: make its first line "
            "// A copy of MODULE.cu for the algorithm KEY."
        )
    return Copy(name, origin[2], origin[1], path)


def make_copy(name: str, algorithm: str, module: str) -> Copy:
    """Copy a kernel module of an algorithm, or another copy of it.

    Parameters
    ----------
    name : str
        Name of the copy.
    algorithm : str
        Key of the algorithm, which may be a copy itself.
    module : str
        The module.

    Raises
    ------
    InputError
        If the name is not valid or is taken, or the file cannot be written.
    """
    check_name(name)
    text = read_code(source_path(module))
    if is_copy(algorithm):
        before = find_copy(algorithm.removeprefix(COPY))
        algorithm = before.algorithm
        module = before.module if is_copy(module) else module
    copy = Copy(name, algorithm, module, copies_folder() / f"{name}.cu")
    save_copy(copy, text)
    return copy


def save_copy(copy: Copy, text: str) -> None:
    """Write the text of a copy; a missing first line is restored.

    Raises
    ------
    InputError
        If it cannot be written, or is too large.
    """
    if _ORIGIN.match(text) is None:
        text = copy.first_line + text
    data = text.encode()
    if len(data) > MAX_BYTES:
        raise InputError(f"{copy.name} has more than {MAX_BYTES:,} bytes: make it shorter.")
    try:
        copy.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(
            f"The folder {shorten(copy.path.parent)} for copies cannot be made "
            f"({error.strerror or error}): name one in the variable {COPIES_VARIABLE}."
        ) from error
    with replacing(copy.path) as path:
        path.write_bytes(data)
    copy.unsaved_path.unlink(missing_ok=True)


def keep_unsaved(copy: Copy, text: str) -> None:
    """Store the unsaved text of a copy beside it, so that a crash loses nothing.

    Raises
    ------
    InputError
        If it cannot be written.
    """
    with replacing(copy.unsaved_path) as path:
        path.write_text(text, "utf-8")


def read_latest_text(copy: Copy) -> tuple[str, bool]:
    """Return the last text of a copy, and whether it is saved.

    Raises
    ------
    InputError
        If it cannot be read.
    """
    path = copy.unsaved_path if is_file(copy.unsaved_path) else copy.path
    return read_code(path), path == copy.path


def read_saved_text(copy: Copy) -> str | None:
    """Return the text in the file of a copy; None if it cannot be read."""
    try:
        return read_code(copy.path)
    except InputError:
        return None


def rename_copy(copy: Copy, name: str) -> Copy:
    """Give a copy another name.

    Raises
    ------
    InputError
        If the name is not valid or is taken, or the file cannot be renamed.
    """
    check_name(name)
    path = copy.path.with_name(f"{name}.cu")
    renamed = replace(copy, name=name, path=path)
    try:
        copy.path.rename(path)
        if is_file(copy.unsaved_path):
            copy.unsaved_path.replace(renamed.unsaved_path)
    except OSError as error:
        raise InputError(f"{copy.name} cannot be renamed ({error.strerror or error}).") from error
    return renamed


def delete_copy(copy: Copy) -> None:
    """Delete a copy.

    Raises
    ------
    InputError
        If its file cannot be deleted.
    """
    try:
        copy.path.unlink(missing_ok=True)
        copy.unsaved_path.unlink(missing_ok=True)
    except OSError as error:
        raise InputError(f"{copy.name} cannot be deleted ({error.strerror or error}).") from error


def check_name(name: str) -> None:
    """Raise if a new copy cannot have a name.

    Raises
    ------
    InputError
        If it is not valid, or is taken.
    """
    if NAME.fullmatch(name) is None:
        raise InputError(
            f"{shorten(name)!r} is not a name for a copy: use up to 60 letters, digits and "
            "underscores, without a digit at the start."
        )
    path = copies_folder() / f"{name}.cu"
    if path.exists() or path.is_symlink():
        raise InputError(f"There is a copy {name} already: choose another name.")


def find_free_name(module: str) -> str:
    """Return an unused name for a copy of a module."""
    stem = re.sub(r"_\d+$", "", module.removeprefix(COPY)).removeprefix("my_")
    numbers = (number for number in range(1, 10_000))
    names = (f"my_{stem}" if number == 1 else f"my_{stem}_{number}" for number in numbers)
    return next(name for name in names if not (copies_folder() / f"{name}.cu").exists())


def source_path(module: str) -> Path:
    """Return the file of any kernel module, for reading; only a child process compiles user code.

    Raises
    ------
    CCLViewerError
        If there is no such module.
    """
    if module.startswith(OWN):
        return find_own_source(module)
    if is_copy(module):
        return find_copy(module.removeprefix(COPY)).path
    return kernel_path(module)


def fingerprint_code(key: str) -> str:
    """Return the text of a copy, or a digest of a user algorithm; empty for built-in algorithms.

    Raises
    ------
    InputError
        If it cannot be read.
    """
    if key.startswith(OWN):
        return find_allowed(key).folder.digest()
    return read_code(source_path(key)) if is_copy(key) else ""


def algorithm_from_copy(copy: Copy, originals: Mapping[str, Algorithm]) -> Algorithm:
    """Return a copy as an algorithm: the plan of the original with kernels of the copy.

    Parameters
    ----------
    copy : Copy
        The copy.
    originals : mapping of str to Algorithm
        The algorithms of the program.

    Raises
    ------
    InputError
        If the program does not have the original.
    """
    original = originals.get(copy.algorithm)
    if original is None:
        raise InputError(
            f"{copy.name} is a copy for the algorithm {shorten(copy.algorithm)}, which this "
            "program does not have: correct the first line of its file."
        )
    if not (kernels_folder() / f"{copy.module}.cu").is_file():
        raise InputError(
            f"{copy.name} is a copy of {shorten(copy.module)}.cu, which this program does not "
            "have: correct the first line of its file."
        )
    return replace(
        original,
        key=copy.key,
        title=f"{copy.name} (copy of {original.title})",
        summary=f"Your copy of {copy.module}.cu: {copy.path}",
        planner=redirect_launches(original.planner, copy.module, copy.key),
        numberer=None,
        tabulator=None,
    )


def redirect_launches(planner: Planner, from_module: str, to_module: str) -> Planner:
    """Return a planner that launches kernels of one module instead of those of another."""

    def redirect(launch: Launch) -> Launch:
        if launch.kernel.module != from_module:
            return launch
        return replace(launch, kernel=replace(launch.kernel, module=to_module))

    def redirected(task: Task) -> Plan:
        plan = planner(task)
        reply: Reply = None
        try:
            while True:
                request = plan.send(reply)
                forwarded = redirect(request) if isinstance(request, Launch) else request
                reply = yield forwarded
        except StopIteration as stop:
            outcome: Outcome = stop.value
            return replace(outcome, completion=tuple(map(redirect, outcome.completion)))
        finally:
            plan.close()

    return redirected
