"""Kernels do only the necessary work, even if more would not change the labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from support.cases import ALGORITHM_CASES
from support.grids import Grid, noise

from ccl_viewer.algorithms import ALGORITHMS
from ccl_viewer.devices.emulator.device import EmulatorDevice
from ccl_viewer.diagnostics.profile import profile_algorithm
from ccl_viewer.execution.device import AccessKind
from ccl_viewer.execution.driver import execute
from ccl_viewer.execution.plan import Buffer, Task
from ccl_viewer.execution.schedule import Schedule


def over(width: int, column: int) -> Grid:
    """A full row above a single cell."""
    grid = np.zeros((2, width), np.uint8)
    grid[0], grid[1, column] = 1, 1
    return grid


@dataclass(frozen=True)
class Merges:
    """How often a kernel joins two trees, and how many labels it reads for that each time."""

    key: str
    kernel: str
    image: Grid
    merges: int
    labels: int


CASES = {
    # The label of the run above is read where that run begins, however many turns ago.
    "ha4, a run above that began three turns before": Merges(
        "ha4", "ha4_strip_labeling", over(97, 96), 1, 2
    ),
    "ha4, two rows that go on from turn to turn": Merges(
        "ha4", "ha4_strip_labeling", np.ones((2, 129), np.uint8), 1, 2
    ),
    "ha4_64, a run above that began two turns before": Merges(
        "ha4_64", "ha4_64_strip_labeling", over(129, 128), 1, 2
    ),
    "ha4_64, two rows that go on from turn to turn": Merges(
        "ha4_64", "ha4_64_strip_labeling", np.ones((2, 193), np.uint8), 1, 2
    ),
    # Of a full row below a border, a tile's first cell joins; the others have it on their left.
    "playne_block, a border between two tiles": Merges(
        "playne_block", "playne_border_merge", np.ones((16, 32), np.uint8), 1, 3
    ),
    "playne_block, two borders side by side": Merges(
        "playne_block", "playne_border_merge", np.ones((9, 64), np.uint8), 3, 3
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_no_two_trees_are_joined_twice(name: str) -> None:
    case = CASES[name]
    kernels = profile_algorithm(
        case.image, ALGORITHMS[case.key], 4, {}, schedule="sequential"
    ).by_kernel()
    loads = sum(
        site.counts.accesses
        for launch in kernels[case.kernel].launches
        for site in launch.sites
        if site.memory == "labels" and site.kind is AccessKind.LOAD
    )
    assert loads == case.labels * case.merges


LOOPS = [
    case
    for case in ALGORITHM_CASES
    if case.values[0]
    in {"label_equivalence", "label_equivalence_hawick", "row_col_unify", "shibata_naive"}
]
"""Algorithms that go on until a pass leaves their flag at 0."""


class _FlagNotes:
    """A run that notes what the host reads."""

    def __init__(self, run: Any) -> None:
        self._run = run
        self.read_values: list[int] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._run, name)

    def read(self, buffer: Buffer) -> Any:
        values = self._run.read(buffer)
        self.read_values += values.tolist()
        return values


@pytest.mark.parametrize("schedule", ["sequential", "synchronous"])
@pytest.mark.parametrize(("algorithm", "connectivity"), LOOPS)
def test_a_flag_is_set_and_not_counted_up(algorithm: str, connectivity: int, schedule: str) -> None:
    row = ALGORITHMS[algorithm]
    image = noise(20, 70, 0.6)
    task = Task(Buffer("image", image.shape, np.dtype(np.uint8)), connectivity, row.complete({}))
    with EmulatorDevice(Schedule.parse(schedule)).open(task.image, image) as run:
        notes: Any = _FlagNotes(run)
        execute(row.planner(task), notes)
    assert set(notes.read_values) == {0, 1}
