"""The cases for tests of labellings: algorithm, connectivity, device and schedule."""

from __future__ import annotations

import pytest

from ccl_viewer.algorithms import ALGORITHMS

SCHEDULES = ("sequential", "synchronous", "reverse", "random:1")

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
"""(device, schedule): every schedule of the emulator, and the GPU."""

BUSY_PLACES = [place for place in PLACES if place.id not in {"sequential", "reverse"}]
"""Those with most threads in progress at a time: for tests that take long under all."""
