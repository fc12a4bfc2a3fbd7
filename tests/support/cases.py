"""The cases for tests of labellings: algorithm, connectivity, device and schedule."""

from __future__ import annotations

import pytest

from ccl_viewer.algorithms import ALGORITHMS

SCHEDULES = ("sequential", "synchronous", "random:1")

ALGORITHM_CASES = [
    pytest.param(row.key, connectivity, id=f"{row.key}-{connectivity}")
    for row in ALGORITHMS.values()
    for connectivity in row.connectivities
]
"""(algorithm, connectivity)."""

MULTIVALUED_CASES = [
    pytest.param(row.key, connectivity, id=f"{row.key}-{connectivity}")
    for row in ALGORITHMS.values()
    if row.multivalued
    for connectivity in row.connectivities
]
"""(algorithm, connectivity) of all algorithms for several values."""

GPU = pytest.param("cuda", "auto", id="cuda", marks=pytest.mark.gpu)

PLACES = [*(pytest.param("emulator", schedule, id=schedule) for schedule in SCHEDULES), GPU]
"""(device, schedule) of the emulator, and the GPU."""

BUSY_PLACES = [
    pytest.param("emulator", ("synchronous", "random:1"), id="emulator"),
    pytest.param("cuda", ("auto",), id="cuda", marks=pytest.mark.gpu),
]
"""(device, schedules with many threads in progress), to be taken in turn for many grids."""
