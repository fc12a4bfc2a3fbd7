"""``ccl-viewer new``: the folder of a new algorithm."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

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
