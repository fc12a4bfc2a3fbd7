"""The number of threads for work on all cores."""

from __future__ import annotations

import os
from typing import Final

MAX_CORES: Final = 32
"""More threads are never used."""


def core_count() -> int:
    """Return the number of cores that this process may use, at most :data:`MAX_CORES`."""
    affinity = getattr(os, "sched_getaffinity", None)
    cores = len(affinity(0)) if affinity is not None else os.cpu_count() or 1
    return min(cores, MAX_CORES)
