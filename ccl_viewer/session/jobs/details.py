"""What someone who is to help needs to know of a failure, as text to copy."""

from __future__ import annotations

import platform
import sys
import traceback
from collections.abc import Mapping

import numpy as np

import ccl_viewer


def versions() -> dict[str, str]:
    """Return the versions of the program and of what it runs on, by name."""
    return {
        "CCL Viewer": ccl_viewer.__version__,
        "Python": sys.version.split()[0],
        "NumPy": np.__version__,
        "System": platform.platform(),
    }


def failure_details(title: str, error: BaseException, facts: Mapping[str, object]) -> str:
    """Return a failure in lines of text.

    Parameters
    ----------
    title : str
        What was being done.
    error : BaseException
        Why it failed.
    facts : mapping
        What else is worth knowing, by name.

    Returns
    -------
    str
        Title, facts, versions and, last, where in the program it was noticed.
    """
    lines = [title, str(error), ""]
    lines += [f"{name}: {value}" for name, value in {**facts, **versions()}.items()]
    lines += ["", *traceback.format_exception(error)]
    return "\n".join(line.rstrip("\n") for line in lines)
