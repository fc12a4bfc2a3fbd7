"""What must hold after every launch, not only at the end."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from support.cases import ALGORITHM_CASES
from support.grids import Grid, comb, diagonals, noise, spiral

import ccl_viewer as ccl
from ccl_viewer.algorithms import ALGORITHMS
from ccl_viewer.recording import Recording
from ccl_viewer.reference import label_reference

GRIDS: dict[str, Grid] = {
    "spiral": spiral(33),
    "comb": comb(20, 41),
    "diagonals": diagonals(30),
    "noise": noise(40, 37, 0.6),
}


def recordings(algorithm: str, connectivity: int) -> list[Recording]:
    return [
        ccl.record(image, algorithm, connectivity, device="emulator", schedule=schedule)
        for image in GRIDS.values()
        for schedule in ("synchronous", "sequential", "reverse", "random:3")
    ]


def root_count(parents: npt.NDArray[np.int64]) -> int:
    flat = parents.ravel()
    return int(np.count_nonzero(flat == np.arange(flat.size)))


@pytest.mark.parametrize(("algorithm", "connectivity"), ALGORITHM_CASES)
def test_every_step_keeps_the_forests_rules(algorithm: str, connectivity: int) -> None:
    """Parents stay in the component, children never become roots; and what the row promises."""
    promises = ALGORITHMS[algorithm]
    for recording in recordings(algorithm, connectivity):
        components = label_reference(recording.image, connectivity)[0].ravel()
        own = np.arange(components.size)
        before: npt.NDArray[np.int64] | None = None
        for i in range(len(recording)):
            parents = recording.parents(i).ravel()
            labelled = parents >= 0
            assert not labelled[recording.image.ravel() == 0].any(), "background has a label"
            cells = own[labelled]
            if promises.parents_before:
                assert (parents[labelled] <= cells).all(), "a parent lies behind its cell"
            assert (components[parents[labelled]] == components[cells]).all(), (
                "a parent lies in another component"
            )
            if before is not None:
                both = labelled & (before >= 0)
                if promises.labels_fall:
                    assert (parents[both] <= before[both]).all(), "a label rose"
                grown = both & (before != own)
                assert (parents[grown] != own[grown]).all(), "a child became a root"
                assert (labelled | (before < 0)).all(), "a label got lost"
            before = parents


@pytest.mark.parametrize(("algorithm", "connectivity"), ALGORITHM_CASES)
def test_steps_count_what_they_claim(algorithm: str, connectivity: int) -> None:
    for recording in recordings(algorithm, connectivity):
        before = np.full(recording.image.shape, recording.layout.background, np.int32)
        for step in recording.steps:
            labels = recording.labels(step.index)
            assert step.changed == np.count_nonzero(labels != before)
            assert step.roots == root_count(recording.parents(step.index))
            before = labels


@pytest.mark.parametrize(("algorithm", "connectivity"), ALGORITHM_CASES)
def test_every_recording_agrees_with_the_reference(algorithm: str, connectivity: int) -> None:
    for recording in recordings(algorithm, connectivity):
        assert recording.complete
        assert recording.converged
        assert recording.verdict is not None
        assert recording.verdict.correct, recording.sentence
        last = recording.steps[-1]
        assert last.roots == recording.verdict.expected


@pytest.mark.parametrize(("algorithm", "connectivity"), ALGORITHM_CASES)
def test_roots_are_first_cells_where_that_is_promised(algorithm: str, connectivity: int) -> None:
    if not ALGORITHMS[algorithm].roots_first:
        pytest.skip("its roots may be any cell of the component")
    for recording in recordings(algorithm, connectivity):
        parents = recording.parents(-1)
        foreground = parents >= 0
        assert (
            parents[foreground] <= np.arange(parents.size).reshape(parents.shape)[foreground]
        ).all()
