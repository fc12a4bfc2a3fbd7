"""Grids with more rows of blocks than a launch can count: the rows are folded into layers."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from support.cases import ALGORITHM_CASES
from support.expected import check_labels, scipy_labels
from support.grids import Grid, comb, diagonals, noise

import ccl_viewer as ccl
from ccl_viewer.algorithms import ALGORITHMS
from ccl_viewer.algorithms.consecutive import label_consecutively
from ccl_viewer.devices.registry import open_device
from ccl_viewer.execution.device import Elapsed
from ccl_viewer.execution.driver import execute, fold_grid
from ccl_viewer.execution.plan import Buffer, Launch, Task

PLACES = [
    pytest.param("emulator", "sequential", 1, id="sequential-1"),
    pytest.param("emulator", "random:3", 3, id="random-3"),
    *(
        pytest.param("cuda", "auto", most, id=f"cuda-{most}", marks=pytest.mark.gpu)
        for most in (1, 3)
    ),
]
"""(device, schedule, most rows of blocks in a layer)."""

TALL = (noise(97, 39, 0.5), noise(203, 1, 0.8), comb(71, 33), diagonals(66))


class FoldingRun:
    """A run that folds launches as if a grid could have few rows of blocks only."""

    def __init__(self, run: Any, most: int) -> None:
        self.run, self.most = run, most

    def __getattr__(self, name: str) -> Any:
        return getattr(self.run, name)

    def launch(self, launch: Launch) -> Elapsed:
        folded = replace(launch, grid=fold_grid(launch.grid, self.most))
        elapsed: Elapsed = self.run.launch(folded)
        return elapsed


def check(labels: Any, count: int, image: Grid, connectivity: int) -> None:
    expected, components = scipy_labels(image, connectivity)
    assert count == components
    check_labels(labels, expected, f"{image.shape}")


@pytest.mark.parametrize(("device", "schedule", "most"), PLACES)
@pytest.mark.parametrize(("algorithm", "connectivity"), ALGORITHM_CASES)
def test_folded_rows_of_blocks_give_the_same_labels(
    algorithm: str, connectivity: int, device: str, schedule: str, most: int
) -> None:
    row = ALGORITHMS[algorithm]
    for image in TALL:
        buffer = Buffer("image", image.shape, np.dtype(np.uint8))
        plan = label_consecutively(row, Task(buffer, connectivity, row.complete({})))
        with open_device(device, schedule, cells=image.size).open(buffer, image) as run:
            _, numbers, count = execute(plan, FoldingRun(run, most))
            check(run.read(numbers), int(count), image, connectivity)


@pytest.mark.gpu
@pytest.mark.parametrize(("algorithm", "connectivity"), ALGORITHM_CASES)
def test_a_grid_beyond_cudas_limit_is_labelled(algorithm: str, connectivity: int) -> None:
    if algorithm == "two_pass":
        pytest.skip("one thread would walk over a million rows")
    if algorithm == "shibata_naive":
        pytest.skip("a label moves one cell a pass")
    image = noise(1_100_000, 5, 0.6)
    labels, count = ccl.label(image, algorithm, connectivity=connectivity, device="cuda")
    check(labels, count, image, connectivity)
