"""What must hold after every launch, not only at the end."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from support.cases import ALGORITHM_CASES, MULTIVALUED_CASES
from support.grids import Grid, comb, diagonals, noise, spiral
from support.invariants import check_forest
from support.segments import double_spiral, mosaic, tiles

import ccl_viewer as ccl
from ccl_viewer.recording import Recording

CASES = [pytest.param(case.values, id=case.id) for case in ALGORITHM_CASES]

GRIDS: dict[str, Grid] = {
    "spiral": spiral(33),
    "comb": comb(20, 41),
    "diagonals": diagonals(30),
    "noise": noise(40, 37, 0.6),
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


def root_count(parents: npt.NDArray[np.int64]) -> int:
    flat = parents.ravel()
    return int(np.count_nonzero(flat == np.arange(flat.size)))


def test_every_step_keeps_the_forests_rules(recordings: list[Recording]) -> None:
    for recording in recordings:
        check_forest(recording)


@pytest.mark.parametrize(("algorithm", "connectivity"), MULTIVALUED_CASES)
def test_every_step_keeps_the_rules_among_segments(algorithm: str, connectivity: int) -> None:
    for image in (double_spiral(spiral(21)), tiles(20, 37, 5, 3), mosaic(20, 35, 2)):
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


def test_steps_count_what_they_claim(recordings: list[Recording]) -> None:
    for recording in recordings:
        before = np.full(recording.image.shape, recording.layout.background, np.int32)
        for step in recording.steps:
            labels = recording.labels(step.index)
            assert step.changed == np.count_nonzero(labels != before)
            assert step.roots == root_count(recording.parents(step.index))
            before = labels


def test_every_recording_agrees_with_the_reference(recordings: list[Recording]) -> None:
    for recording in recordings:
        assert recording.complete
        assert recording.converged
        assert recording.verdict is not None
        assert recording.verdict.correct, recording.sentence
        last = recording.steps[-1]
        assert last.roots == recording.verdict.expected
