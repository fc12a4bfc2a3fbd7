"""Folders of user algorithms among the arguments of commands."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from ccl_viewer.algorithms import ALGORITHMS, parse_algorithm
from ccl_viewer.algorithms.own import OWN
from ccl_viewer.errors import InputError
from ccl_viewer.storage.files import is_file
from ccl_viewer.user_kernels.own import add_algorithm


def load_algorithm_folders(arguments: argparse.Namespace) -> None:
    """Replace folders among the algorithms of a command by their keys.

    By naming a folder, the user allows its code to run.

    Parameters
    ----------
    arguments : argparse.Namespace
        Arguments of a command; changed in place.

    Raises
    ------
    InputError
        If a folder contains no algorithm, or its Python fails.
    """
    algorithm = arguments.algorithm
    if isinstance(algorithm, str):
        arguments.algorithm = _key(algorithm)
    elif algorithm is not None:
        arguments.algorithm = [_key(text) for text in algorithm]


def _key(text: str) -> str:
    named, _ = parse_algorithm(text)
    if not named.startswith(OWN) and not {"/", os.sep} & {*named}:
        if named not in ALGORITHMS and is_file(Path(named, f"{named}.py")):
            raise InputError(f"{named} is a folder here: to run its code, write .{os.sep}{named}.")
        return text
    return add_algorithm(named) + text[len(named) :]
