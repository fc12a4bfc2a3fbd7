"""Adds user algorithms: a child process runs their Python and describes the algorithm."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from ccl_viewer.algorithms.base import Algorithm
from ccl_viewer.algorithms.own import (
    GROUP,
    OWN,
    AllowedAlgorithm,
    CodeVersion,
    OwnFolder,
    algorithm_from_json,
    allow,
    allowed_algorithms,
    find_allowed,
    own_folder,
    validate_own_name,
)
from ccl_viewer.errors import InputError, shorten
from ccl_viewer.execution.device import Progress
from ccl_viewer.storage.temporaries import scratch_folder
from ccl_viewer.support.cancellation import CancelToken
from ccl_viewer.user_kernels.process import ROW, ChildProcess, Limits
from ccl_viewer.user_kernels.recorder import child_code_fields

PATIENCE: Final = 30.0
"""Time limit in seconds for reading an algorithm."""


def add_algorithm(
    folder: str | os.PathLike[str],
    *,
    digest: str | None = None,
    cancel: CancelToken | None = None,
    progress: Progress | None = None,
) -> str:
    """Allow the code of a user algorithm to run, and return its key.

    Its Python runs in a separate process, now and with each run of the algorithm.

    Parameters
    ----------
    folder : path_like
        A folder NAME with ``NAME.py`` and ``NAME.cu``; or ``"own:NAME"``, if an installed package
        provides it or its folder was added before.
    digest : str or None
        Digest of the allowed content; None for the present content.
    cancel, progress : optional
        A token to stop the work, and a function that receives its progress.

    Returns
    -------
    str
        ``"own:NAME"``, the key to use for this algorithm.

    Raises
    ------
    InputError
        If there is no such algorithm, or its Python fails; with file and line.
    CancelledError
        If it was cancelled.
    """
    if str(folder).startswith(OWN):
        return _add_named(str(folder), cancel, progress)
    code = CodeVersion.now(folder) if digest is None else CodeVersion(own_folder(folder), digest)
    if not code.allowed:
        allow(_ask_child(code.folder, code.digest, cancel, progress))
    return code.folder.key


def entry_point_algorithms() -> Mapping[str, str]:
    """Return the entry points of installed packages: names and Python modules."""
    from importlib.metadata import entry_points

    return {each.name: each.module for each in entry_points(group=GROUP)}


def add_installed(cancel: CancelToken | None = None) -> tuple[str, ...]:
    """Add the algorithms of installed packages; return the error messages of those that fail.

    Parameters
    ----------
    cancel : CancelToken or None
        Stops the work.
    """
    failures = []
    for name in entry_point_algorithms():
        try:
            _add_named(OWN + name, cancel, None)
        except InputError as error:
            failures.append(str(error))
    return tuple(failures)


def _add_named(key: str, cancel: CancelToken | None, progress: Progress | None) -> str:
    name = key.removeprefix(OWN)
    module = entry_point_algorithms().get(name)
    if module is None:
        return find_allowed(key).folder.key
    current = allowed_algorithms().get(validate_own_name(name))
    theirs = current is not None and current.folder.module == module
    if current is not None and (not current.folder.module or (theirs and _is_current(current))):
        return key  # the user's folders take precedence
    allowed = _ask_child(OwnFolder(Path(), name, module), "", cancel, progress)
    if allowed.folder.name != name:
        raise InputError(
            f"The entry point {name} leads to {shorten(allowed.folder.plan_file.name)}: both must "
            "have the same name."
        )
    allow(allowed)
    return key


def _is_current(allowed: AllowedAlgorithm) -> bool:
    try:
        return allowed.folder.digest() == allowed.digest
    except InputError:
        return False


def _ask_child(
    folder: OwnFolder, digest: str, cancel: CancelToken | None, progress: Progress | None
) -> AllowedAlgorithm:
    """Run the Python in a child process, and return the algorithm and its folder."""
    if progress is not None:
        progress(f"Reading {folder.name}")
    module = "ccl_viewer.user_kernels.describe"
    with scratch_folder() as shared, ChildProcess(module, folder.name, Limits(), PATIENCE) as child:
        child.run_job(shared, {"own": child_code_fields(folder, digest)}, cancel, progress)
        answer = json.loads((shared / ROW).read_text("utf-8"))
    resolved = replace(folder, path=Path(answer["folder"]), name=validate_own_name(answer["name"]))
    algorithm: Algorithm = algorithm_from_json(resolved.key, answer["row"])
    return AllowedAlgorithm(resolved, digest or resolved.digest(), algorithm)
