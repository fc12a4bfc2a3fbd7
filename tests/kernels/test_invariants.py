"""What must hold after every launch, not only at the end."""

from __future__ import annotations

import numpy as np
import pytest
from support.cases import ALGORITHM_CASES, MULTIVALUED_CASES
from support.grids import Grid, comb, diagonals, noise, spiral
from support.invariants import check_forest
from support.segments import double_spiral, mosaic, tiles

import ccl_viewer as ccl
from ccl_viewer.recording import Recording

CASES = [pytest.param(case.values, id=case.id) for case in ALGORITHM_CASES]

GRIDS: dict[str, Grid] = {
    "spiral": spiral(19),
    "comb": comb(18, 35),
    "diagonals": diagonals(20),
    "noise": noise(24, 37, 0.6),
}


@pytest.fixture(scope="module", params=CASES)
def recordings(request: pytest.FixtureRequest) -> list[Recording]:
    """Recordings by one algorithm, which all tests look at."""
    algorithm, connectivity = request.param
    return [
        ccl.record(
            image, algorithm, connectivity=connectivity, device="emulator", schedule=schedule
        )
        for image in GRIDS.values()
        for schedule in ("synchronous", "sequential", "reverse", "random:3")
    ]


def test_every_step_keeps_the_forests_rules(recordings: list[Recording]) -> None:
    for recording in recordings:
        check_forest(recording)


@pytest.mark.parametrize(("algorithm", "connectivity"), MULTIVALUED_CASES)
def test_every_step_keeps_the_rules_among_segments(algorithm: str, connectivity: int) -> None:
    for image in (double_spiral(spiral(17)), tiles(18, 35, 5, 3), mosaic(18, 35, 2)):
        for schedule in ("synchronous", "sequential", "reverse", "random:3"):
            recording = ccl.record(
                image,
                algorithm,
                connectivity=connectivity,
                device="emulator",
                schedule=schedule,
                multivalued=True,
            )
            assert recording.multivalued
            np.testing.assert_array_equal(recording.image, image)
            assert recording.verdict is not None
            assert recording.verdict.correct, recording.sentence
            check_forest(recording)


def test_every_recording_agrees_with_the_reference(recordings: list[Recording]) -> None:
    for recording in recordings:
        assert recording.complete
        assert recording.converged
        assert recording.verdict is not None
        assert recording.verdict.correct, recording.sentence
        last = recording.steps[-1]
        assert last.roots == recording.verdict.expected
