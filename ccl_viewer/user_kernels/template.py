"""Writes the folder of a new user algorithm."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

from ccl_viewer.algorithms import ALGORITHMS, Algorithm, find_algorithm
from ccl_viewer.algorithms.own import validate_own_name
from ccl_viewer.errors import InputError, shorten
from ccl_viewer.storage.files import replacing_folder
from ccl_viewer.storage.resources import assets_folder, kernel_path

_TEMPLATE: Final = "my_algorithm"

_ROW: Final = """

from dataclasses import replace

from ccl_viewer.algorithms.copies import redirect_launches

ALGORITHM = replace(
    {original},
    title="{name} (after {title})",
    numberer=None,
    # Kernels of {name}.cu replace those of {module}.cu with the same names.
    planner=redirect_launches({original}.planner, "{module}", "{name}"),
)
"""


def write_algorithm(folder: Path, start: str | None = None) -> tuple[Path, ...]:
    """Write the folder of a new algorithm, and return its files.

    Parameters
    ----------
    folder : Path
        The new folder; its name is the algorithm's.
    start : str or None
        Key of a built-in algorithm to start from; None for the simplest one.

    Raises
    ------
    InputError
        If the name is not valid or is taken, there is no such algorithm, or the folder exists.
    """
    name = validate_own_name(folder.name)
    if name in ALGORITHMS:
        raise InputError(f"{name} is a built-in algorithm: choose another name.")
    texts = _make_simplest(name) if start is None else _copy_template(find_algorithm(start), name)
    with replacing_folder(folder) as beside:
        for file, text in texts.items():
            (beside / file).write_text(text, "utf-8")
    return tuple(folder / file for file in texts)


def _make_simplest(name: str) -> dict[str, str]:
    template = assets_folder() / "new_algorithm"
    return {
        path.name.replace(_TEMPLATE, name): path.read_text("utf-8").replace(_TEMPLATE, name)
        for path in sorted(template.iterdir())
        if path.is_file()
    }


def _copy_template(algorithm: Algorithm, name: str) -> dict[str, str]:
    if algorithm.sandboxed:
        raise InputError(
            f"{shorten(algorithm.key)} is your own code: copy its folder, or name a built-in one."
        )
    texts = _make_simplest(name)
    module, constant = _find_origin(algorithm)
    plan = Path(sys.modules[module].__file__ or "").read_text("utf-8")
    kernels = module.rpartition(".")[2]
    texts[f"{name}.cu"] = kernel_path(kernels).read_text("utf-8")
    texts[f"{name}.py"] = (
        plan.rstrip("\n")
        + "\n"
        + _ROW.format(original=constant, name=name, title=algorithm.title, module=kernels)
    )
    return texts


def _find_origin(algorithm: Algorithm) -> tuple[str, str]:
    """Return the module of an algorithm, and the name that it has there."""
    package = Algorithm.__module__.rpartition(".")[0]
    return next(
        (module, constant)
        for module, content in sorted(sys.modules.items())
        if module.startswith(f"{package}.")
        for constant, value in vars(content).items()
        if value is algorithm
    )
