"""Limits of memory and processor time for a process, and of the size of files for this one."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

_LIMITS = """
import resource, sys
sys.path[:0] = {path!r}
resource.setrlimit(resource.RLIMIT_AS, ({memory}, {memory}))
resource.setrlimit(resource.RLIMIT_CPU, ({seconds}, {seconds}))
"""


def run_limited(code: str, *arguments: str, megabytes: int, seconds: int) -> str:
    """Run Python code and return what it printed; fail if it failed or exceeded a limit.

    Parameters
    ----------
    code : str
        The code; its ``sys.argv[1:]`` are the arguments.
    *arguments : str
        The arguments.
    megabytes : int
        Limit of memory in MiB, including Python and NumPy.
    seconds : int
        Limit of processor time in seconds.
    """
    limits = _LIMITS.format(path=sys.path, memory=megabytes << 20, seconds=seconds)
    result = subprocess.run(
        [sys.executable, "-c", limits + code, *arguments],
        capture_output=True,
        text=True,
        # One thread each: every further thread needs a stack and buffers.
        env=os.environ | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"},
        check=False,
    )
    assert result.returncode == 0, f"{result.returncode}: {result.stderr[-3000:]}"
    assert result.stderr == "", result.stderr[-3000:]
    return result.stdout


@contextmanager
def no_room(nbytes: int = 0) -> Iterator[None]:
    """Let this process write no files longer than so many bytes, as on a full disk."""
    resource = pytest.importorskip("resource", reason="files cannot be limited here")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (nbytes, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
