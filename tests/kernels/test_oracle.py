"""Every algorithm, connectivity and schedule against SciPy, on every grid that is known to hurt."""

from __future__ import annotations

from functools import cache
from itertools import cycle

import pytest
from hypothesis import given, settings, strategies
from support.cases import ALGORITHM_CASES, BUSY_PLACES, PLACES
from support.expected import check_labelling
from support.grids import Grid, adversarial_grids, any_grid, kept, named_grids, noise

from ccl_viewer.algorithms import ALGORITHMS


@pytest.mark.parametrize(("device", "schedule"), PLACES)
@pytest.mark.parametrize(("algorithm", "connectivity"), ALGORITHM_CASES)
def test_labels_equal_scipys_on_named_grids(
    algorithm: str, connectivity: int, device: str, schedule: str
) -> None:
    for name, image in named_grids():
        check_labelling(image, algorithm, connectivity, (device, schedule), name)


@cache
def sized_grids(density: float) -> tuple[Grid, ...]:
    """Every width and every height from 2 to 70, in pairs that do not repeat."""
    return tuple(kept(noise(2 + i * 37 % 69, 2 + i, density, seed=2 + i)) for i in range(69))


@pytest.mark.parametrize(("device", "schedules"), BUSY_PLACES)
@pytest.mark.parametrize(("algorithm", "connectivity"), ALGORITHM_CASES)
def test_labels_equal_scipys_at_every_width_and_height(
    algorithm: str, connectivity: int, device: str, schedules: tuple[str, ...]
) -> None:
    # Below the threshold of percolation, where labels need not be handed on in many passes.
    grids = sized_grids(0.5 if connectivity == 4 else 0.36)
    for image, schedule in zip(grids, cycle(schedules), strict=False):
        check_labelling(image, algorithm, connectivity, (device, schedule), f"shape {image.shape}")


@pytest.mark.parametrize(("algorithm", "connectivity"), ALGORITHM_CASES)
def test_no_random_schedule_breaks_the_labels(algorithm: str, connectivity: int) -> None:
    grids = adversarial_grids()
    for seed in range(2 * len(grids)):
        image = grids[seed % len(grids)]
        check_labelling(
            image, algorithm, connectivity, ("emulator", f"random:{seed}"), f"seed {seed}"
        )


@pytest.mark.parametrize(("algorithm", "connectivity"), ALGORITHM_CASES)
@settings(max_examples=20)
@given(
    image=any_grid(40),
    schedule=strategies.sampled_from(("sequential", "synchronous", "random:5")),
)
def test_labels_equal_scipys_on_any_grid(
    algorithm: str, connectivity: int, image: Grid, schedule: str
) -> None:
    check_labelling(image, algorithm, connectivity, ("emulator", schedule))


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_large_grids_run_on_all_cores_and_are_right(algorithm: str) -> None:
    # Labels that turn one corner a pass would take hundreds of passes near the threshold of
    # percolation, 0.593; below it components stay small.
    density = 0.4 if algorithm == "row_col_unify" else 0.593
    connectivity = ALGORITHMS[algorithm].connectivities[0]
    check_labelling(noise(250, 350, density), algorithm, connectivity, ("emulator", "sequential"))
