"""The labels are right in any order of the threads: run ``pytest`` in this folder."""

from pathlib import Path

import pytest

import ccl_viewer as ccl
from ccl_viewer.algorithms import find_algorithm

KEY = ccl.add_algorithm(Path(__file__).parent)


@pytest.mark.parametrize("schedule", ["sequential", "reverse", "synchronous", "random:1"])
@pytest.mark.parametrize("connectivity", find_algorithm(KEY).connectivities)
def test_labels_are_right(schedule: str, connectivity: int) -> None:
    recording = ccl.record(
        "pattern:spiral?size=37",
        KEY,
        connectivity=connectivity,
        device="emulator",
        schedule=schedule,
    )
    assert recording.verdict is not None
    assert recording.verdict.correct
