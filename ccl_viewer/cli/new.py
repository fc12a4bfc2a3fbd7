"""``ccl-viewer new`` and ``forget``: the folder of a new algorithm, and its permission to run."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from ccl_viewer.algorithms.own import OWN
from ccl_viewer.algorithms.own import disallow as withdraw
from ccl_viewer.cli.reporting import print_lines
from ccl_viewer.user_kernels.template import write_algorithm


def new(arguments: argparse.Namespace) -> int:
    """Write the folder of a new algorithm, and print a command to try it.

    Raises
    ------
    InputError
        If the name is not valid, or the folder exists.
    """
    folder = Path(os.path.normpath(arguments.name))
    for path in write_algorithm(folder, arguments.start):
        print_lines(path)
    named = folder if folder.is_absolute() else f".{os.sep}{folder}"
    print_lines(f"Try it: ccl-viewer check {named}")
    return 0


def forget(arguments: argparse.Namespace) -> int:
    """Withdraw the permission of an algorithm's code to run.

    Raises
    ------
    InputError
        If there is no such algorithm.
    """
    name = arguments.name.removeprefix(OWN)
    withdraw(name)
    print_lines(f"The code of {name} does not run any more. Its folder stays as it is.")
    return 0
