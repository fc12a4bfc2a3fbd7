"""Repeated runs on the GPU: every step is timed by the device's events."""

from __future__ import annotations

import pytest
from support.cases import ALGORITHM_CASES
from support.grids import noise

import ccl_viewer as ccl


@pytest.mark.gpu
@pytest.mark.parametrize(("key", "connectivity"), ALGORITHM_CASES)
def test_every_step_has_a_time(key: str, connectivity: int) -> None:
    found = ccl.time_run(noise(60, 90, 0.6), key, connectivity, "cuda", repeats=3)
    assert found.steps
    for step in found.steps:
        assert 0 < step.spread.minimum <= step.spread.lower <= step.spread.median
        assert step.spread.median <= step.spread.upper <= step.spread.maximum
