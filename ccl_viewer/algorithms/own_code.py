"""The files whose code a user algorithm runs: its plan and kernels, and what these bring in."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from ccl_viewer.errors import InputError, KernelBuildError, shorten
from ccl_viewer.storage.files import is_file, read_text_file
from ccl_viewer.storage.includes import read_include_closure
from ccl_viewer.storage.resources import kernels_folder

MAX_BYTES: Final = 1 << 20
"""Largest source file."""


def read_code(path: Path) -> str:
    """Return the text of a source file.

    Raises
    ------
    InputError
        If it cannot be read.
    """
    try:
        return read_text_file(path, MAX_BYTES)
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise InputError(f"{shorten(path)} cannot be read: {reason}.") from error


def read_own_code(plan: Path, kernels: Path, module: str = "") -> dict[Path, str]:
    """Return the text of all files in a folder whose code an algorithm runs, without running it.

    Headers of this program are left out.

    Parameters
    ----------
    plan, kernels : Path
        The Python and the CUDA source, in the same folder.
    module : str
        The plan's name as a module of an installed package; otherwise empty.

    Raises
    ------
    InputError
        If a file is missing, cannot be read, or is outside the folder.
    """
    texts: dict[Path, str] = {}
    package = module.rpartition(".")[0]
    waiting = [plan, *([plan.parent / "__init__.py"] if package else [])]
    while waiting:
        file = waiting.pop()
        inside = file.is_relative_to(plan.parent)
        if file not in texts and (file == plan or (inside and is_file(file))):
            texts[file] = read_code(file)
            waiting += _imported_files(texts[file], file, plan.parent, package)
    roots = tuple(dict.fromkeys((plan.parent, kernels_folder().resolve())))
    try:
        closure = read_include_closure(kernels, roots)
    except KernelBuildError as error:
        raise InputError(str(error)) from error
    return texts | {file: text for file, text in closure.items() if file.is_relative_to(roots[0])}


def _imported_files(text: str, file: Path, folder: Path, package: str) -> Iterator[Path]:
    """Yield where the modules that a Python text imports are, if they are in a folder."""
    with suppress(SyntaxError, ValueError, RecursionError, MemoryError):  # running it says why
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Import):
                names, start = [each.name for each in node.names], folder
            elif isinstance(node, ast.ImportFrom):
                base = f"{node.module}." if node.module else ""
                names = [base + each.name for each in node.names]
                start = (folder, *file.parents)[min(node.level, len(file.parents))]
            else:
                continue
            for name in names:
                here = name.removeprefix(f"{package}.") if package else name
                place = start
                for part in here.split("."):
                    place /= part
                    yield place.with_name(f"{part}.py")
                    yield place / "__init__.py"
