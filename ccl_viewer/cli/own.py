"""``ccl-viewer new`` and ``forget``, and folders where commands take algorithms."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from ccl_viewer.algorithms import ALGORITHMS, parse_choice
from ccl_viewer.algorithms.own import OWN
from ccl_viewer.algorithms.own import forget as withdraw
from ccl_viewer.errors import InputError
from ccl_viewer.storage.files import is_file
from ccl_viewer.user_kernels.own import add_algorithm
from ccl_viewer.user_kernels.template import write_algorithm


def new(arguments: argparse.Namespace) -> int:
    """Write the folder of a new algorithm, and print what can be done with it.

    Raises
    ------
    InputError
        If the name cannot be used, or the folder is there.
    """
    folder = Path(os.path.normpath(arguments.name))
    for path in write_algorithm(folder, arguments.start):
        print(path)
    named = folder if folder.is_absolute() else f".{os.sep}{folder}"
    print(f"Try it: ccl-viewer check {named}")
    return 0


def forget(arguments: argparse.Namespace) -> int:
    """Let the code of an algorithm run no more.

    Raises
    ------
    InputError
        If there is none of this name.
    """
    name = arguments.name.removeprefix(OWN)
    withdraw(name)
    print(f"The code of {name} does not run any more. Its folder stays as it is.")
    return 0


def add_folders(arguments: argparse.Namespace) -> None:
    """Put keys in the place of folders among the algorithms of a command.

    Who names a folder lets its code run.

    Parameters
    ----------
    arguments : argparse.Namespace
        Of a command; is changed.

    Raises
    ------
    InputError
        If a folder is none of an algorithm, or its Python fails.
    """
    given = arguments.algorithm
    if isinstance(given, str):
        arguments.algorithm = _key(given)
    elif given is not None:
        arguments.algorithm = [_key(text) for text in given]


def _key(text: str) -> str:
    named, _ = parse_choice(text)
    if not named.startswith(OWN) and not {"/", os.sep} & {*named}:
        if named not in ALGORITHMS and is_file(Path(named, f"{named}.py")):
            raise InputError(f"{named} is a folder here: to run its code, write .{os.sep}{named}.")
        return text
    return add_algorithm(named) + text[len(named) :]
