"""Runs end with every cell naming its root directly, unless they are told to stop short."""

from __future__ import annotations

import pytest
from support.cases import ALGORITHM_CASES
from support.grids import comb, noise, spiral

import ccl_viewer as ccl

GRIDS = (spiral(31), comb(33, 67), noise(47, 71, 0.593), noise(47, 71, 0.45))


@pytest.mark.parametrize("schedule", ["sequential", "synchronous", "random:1"])
@pytest.mark.parametrize(("key", "connectivity"), ALGORITHM_CASES)
def test_every_algorithm_ends_flat(key: str, connectivity: int, schedule: str) -> None:
    for image in GRIDS:
        recording = ccl.record(image, key, connectivity, "emulator", schedule)
        assert recording.verdict is not None
        assert recording.verdict.correct
        assert recording.verdict.flat
        assert "directly" not in recording.sentence


def test_the_papers_checks_can_stop_before_labels_are_flat() -> None:
    """Row-Col Unify as printed looks at pairs alone: it stops while labels still differ."""
    recording = ccl.record(spiral(31), "row_col_unify", 4, "emulator", "synchronous", checks=1)
    assert recording.verdict is not None
    assert recording.converged
    assert recording.verdict.correct
    assert not recording.verdict.flat
    assert recording.sentence == (
        "1 component, as the reference finds, but not every cell names its root directly."
    )
    assert len(set(recording.labels(-1)[recording.image != 0].tolist())) > 1


def test_a_run_that_is_told_to_stop_short_need_not_be_flat() -> None:
    image = noise(9, 131, 1.0)
    recording = ccl.record(image, "shibata_naive", 8, "emulator", "synchronous", passes=1)
    assert recording.verdict is not None
    assert not recording.converged
    assert not recording.verdict.flat
    assert recording.sentence == (
        "Stopped after 1 pass, before convergence. 1 component, as the reference finds, but not "
        "every cell names its root directly."
    )
