"""Races of published forms show under a schedule; the kernels have none."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import numpy as np
import pytest
from support.grids import Grid, noise

import ccl_viewer as ccl
from ccl_viewer.algorithms import ALGORITHMS
from ccl_viewer.devices.emulator.device import EmulatorDevice
from ccl_viewer.errors import KernelFaultError
from ccl_viewer.execution.driver import execute
from ccl_viewer.execution.plan import Buffer, Task
from ccl_viewer.execution.schedule import Schedule
from ccl_viewer.recording import Recording
from ccl_viewer.recording.recorder import Recorder
from ccl_viewer.reference import label_reference
from ccl_viewer.storage.resources import kernel_path

THREE_CHUNKS = noise(4, 96, 0.6)
TWO_CHUNKS = noise(2, 64, 0.6)


def strip_wise(image: Grid, seed: int, variant: str) -> Recording:
    return ccl.record(image, "ha4", device="emulator", schedule=f"random:{seed}", variant=variant)


@pytest.mark.parametrize(
    ("image", "seed"),
    [(THREE_CHUNKS, 16), (TWO_CHUNKS, 5), (TWO_CHUNKS, 7), (TWO_CHUNKS, 21)],
    ids=lambda value: "x".join(map(str, value.shape)) if isinstance(value, np.ndarray) else None,
)
def test_one_barrier_in_ha4s_strips_loses_joins(image: Grid, seed: int) -> None:
    """Hennequin et al. 2018, Algorithm 3: a warp overwrites the mask that the next one needs."""
    verdict = strip_wise(image, seed, variant="printed").verdict
    assert verdict is not None
    assert not verdict.correct
    assert verdict.fault is None
    assert verdict.wrong_cells > 0
    assert strip_wise(image, seed, variant="paper").verdict == ccl.record(image, "ha4").verdict


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_one_barrier_in_ha4s_strips_reads_out_of_bounds(seed: int) -> None:
    """A mask of the wrong columns sends the merge to a cell that has no label, which is -1."""
    with pytest.raises(KernelFaultError, match=r"ha4_strip_labeling .* before the start of labels"):
        strip_wise(THREE_CHUNKS, seed, variant="printed")


@pytest.mark.skipif(sys.platform != "linux", reason="line tables are read on Linux")
def test_the_fault_of_a_race_has_a_cell_and_a_line() -> None:
    """The kernel has no thread for each cell: it is the cell that the thread accessed last."""
    device = EmulatorDevice(Schedule.parse("random:1"))
    recorder = Recorder(THREE_CHUNKS, ALGORITHMS["ha4"], device, 4, {"variant": "printed"})
    with pytest.raises(KernelFaultError):
        recorder.run()
    fault = recorder.recording.fault
    assert fault is not None
    assert (fault.file, fault.kernel) == ("common/union_find.cuh", "ha4_strip_labeling")
    text = kernel_path("ha4").with_name("common").joinpath("union_find.cuh").read_text("utf-8")
    assert fault.line is not None
    assert "labels[" in text.split("\n")[fault.line - 1]
    assert fault.cell is not None
    assert THREE_CHUNKS[fault.cell[1], fault.cell[0]]


def test_one_barrier_loses_joins_with_two_pixels_a_thread_too() -> None:
    wrong = 0
    for seed in range(30):
        try:
            found = ccl.record(
                noise(4, 192, 0.6),
                "ha4_64",
                device="emulator",
                schedule=f"random:{seed}",
                variant="printed",
            ).verdict
            wrong += found is not None and not found.correct
        except KernelFaultError:
            wrong += 1
    assert wrong > 0


def test_one_barrier_is_enough_where_there_is_one_turn() -> None:
    image = noise(9, 32, 0.6)
    for seed in range(60):
        verdict = strip_wise(image, seed, variant="printed").verdict
        assert verdict is not None
        assert verdict.correct, f"seed {seed}"


@pytest.mark.parametrize(
    ("algorithm", "connectivity"), [("ha4", 4), ("ha4_64", 4), ("ha8", 8), ("ha4_features", 4)]
)
def test_two_barriers_hold_over_many_turns(algorithm: str, connectivity: int) -> None:
    """Strips several turns wide, under many random schedules."""
    grids = [THREE_CHUNKS, noise(4, 160, 0.7, seed=1), noise(9, 200, 0.5, seed=2)]
    expected = [label_reference(grid, connectivity)[0] for grid in grids]
    for seed in range(60):
        which = seed % len(grids)
        labels, _ = ccl.label(
            grids[which],
            algorithm,
            connectivity=connectivity,
            device="emulator",
            schedule=f"random:{seed}",
        )
        np.testing.assert_array_equal(labels, expected[which], err_msg=f"seed {seed}")


@pytest.mark.parametrize("schedule", ["sequential", "synchronous"])
def test_labels_that_never_come_to_rest_end_the_run(schedule: str, tmp_path: Path) -> None:
    """Row-Col Unify without the barrier between loading and the first step: rounds for ever."""
    kernels = kernel_path("row_col_unify").parent
    text = (kernels / "row_col_unify.cu").read_text(encoding="utf-8")
    before, first_step = "    __syncthreads();\n", "    differed |= unify_pair("
    assert text.count(before + first_step) == 1
    module = tmp_path / "row_col_unify.cu"
    module.write_text(text.replace(before + first_step, first_step), encoding="utf-8")
    shutil.copytree(kernels / "common", tmp_path / "common")
    device = EmulatorDevice(Schedule.parse(schedule), lambda _: module)
    row, pixels = ALGORITHMS["row_col_unify"], noise(20, 20, 0.6)
    image = Buffer("image", pixels.shape, np.dtype(np.uint8))
    plan = row.planner(Task(image, 4, row.complete({})))
    with (
        device.open(image, pixels) as run,
        pytest.raises(KernelFaultError, match=r"do not converge: .* rounds of row_col_unify"),
    ):
        execute(plan, run)
