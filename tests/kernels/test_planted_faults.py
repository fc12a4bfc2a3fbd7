"""Faults planted in the kernels, each of a kind that labels alone show by luck at most."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from support.checked_runs import CheckedRun, altered_kernels, copied_kernels
from support.grids import Grid, noise
from support.kernel_runner import image_of, launch_of, out

from ccl_viewer.devices.emulator.device import EmulatorDevice
from ccl_viewer.errors import KernelFaultError
from ccl_viewer.execution.finding import Finding, FindingKind
from ccl_viewer.execution.plan import Kernel

BARRIER = "__syncthreads();  // "
IMAGE = noise(20, 70, 0.6)
SMALL = noise(6, 40, 0.6)
"""For a kernel whose missing barrier makes it slow."""


FULL = np.ones((16, 16), np.uint8)
"""One tile of Cabaret's, in which the last cell alone has a neighbour beyond the tile."""


def planted(
    folder: Path,
    file: str,
    old: str,
    new: str,
    algorithm: str,
    connectivity: int,
    image: Grid = IMAGE,
) -> list[Finding]:
    checked = CheckedRun(
        algorithm, connectivity, find_source=altered_kernels(folder, file, old, new)
    )
    with suppress(KernelFaultError):
        checked.label(image)
    return checked.found


@pytest.mark.parametrize(
    ("file", "old", "algorithm", "connectivity", "kernel"),
    [
        ("cabaret.cu", f"{BARRIER}all have read their windows\n", "cabaret", 4, "cabaret_tile"),
        ("cabaret.cu", f"{BARRIER}all have found", "cabaret", 8, "cabaret_tile"),
        ("common/block_merge.cuh", f"{BARRIER}all have found", "playne_block", 8, "playne_tile"),
        ("stava_benes.cu", f"{BARRIER}all labels", "stava_benes", 8, "stava_benes_tile"),
        ("stava_benes.cu", f"{BARRIER}all have read", "stava_benes", 4, "stava_benes_tile"),
        ("stava_benes.cu", f"{BARRIER}all have found", "stava_benes", 8, "stava_benes_tile"),
        (
            "row_col_unify.cu",
            "__syncthreads();\n    differed |= unify_pair",
            "row_col_unify",
            4,
            "row_col_unify_rows",
        ),
    ],
)
def test_a_barrier_that_is_missing_is_a_race(
    tmp_path: Path, file: str, old: str, algorithm: str, connectivity: int, kernel: str
) -> None:
    new = old.replace("__syncthreads();", "")
    image = SMALL if algorithm == "row_col_unify" else IMAGE
    found = planted(tmp_path, file, old, new, algorithm, connectivity, image)
    races = [finding for finding in found if finding.kind is FindingKind.SHARED_RACE]
    assert kernel in {finding.kernel for finding in races}


def test_the_published_strip_labelling_has_a_race() -> None:
    """Hennequin et al. 2018, Algorithm 3, has one barrier; no order of threads need show it."""
    checked = CheckedRun("ha4", 4, {"variant": "printed"})
    with suppress(KernelFaultError):
        checked.label(IMAGE)
    kinds = {(finding.kind, finding.kernel) for finding in checked.found}
    assert kinds == {(FindingKind.SHARED_RACE, "ha4_strip_labeling")}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("table[cell] = foreground", "table[cell + 1] = foreground"),
        (
            "int root = foreground ? root_of(table, cell",
            "int root = foreground ? root_of(table, 1 + cell",
        ),
    ],
    ids=["store", "load"],
)
def test_a_shared_index_that_is_one_too_large(tmp_path: Path, old: str, new: str) -> None:
    # With background, other threads would follow what the first one reads beyond the table.
    found = planted(tmp_path, "cabaret.cu", old, new, "cabaret", 4, FULL)
    beyond = [finding for finding in found if finding.kind is FindingKind.BEYOND_SHARED]
    assert beyond
    assert {(finding.kernel, finding.thread) for finding in beyond} == {
        ("cabaret_tile", (15, 15, 0))
    }
    assert (beyond[0].offset, beyond[0].size) == (16 * 16 * 4, 16 * 16 * 4)


# Sums ---------------------------------------------------------------------------------------

FAR = 2**27
"""Here 32 bits do not hold the product of a coordinate and the cells of a run."""

FAR_KERNEL = f"""
// Runs the kernel on 32 columns as if {FAR} columns lay before them, which no array holds.
#define blockIdx (make_uint3({FAR // 32}u + blockIdx.x, blockIdx.y, blockIdx.z))
#include "ha4_features.cu"

extern "C" __global__ void far(const unsigned char *image, const int *labels, int *count,
                               Sum *sum_x, Sum *sum_y, int *min_x, int *min_y, int *max_x,
                               int *max_y)
{{
    const int d = {FAR};
    ha4_features(image - d, labels - d, count - d, sum_x - d, sum_y - d, min_x - d, min_y - d,
                 max_x - d, max_y - d, d + 32, 1);
}}
"""


def test_the_sum_of_a_run_far_to_the_right(tmp_path: Path) -> None:
    """Hennequin et al. 2018, Algorithm 6; so wide a grid may be labelled, but takes long."""
    folder = copied_kernels(tmp_path)
    (folder / "far.cu").write_text(FAR_KERNEL, encoding="utf-8")
    device = EmulatorDevice(find_source=lambda module: folder / f"{module}.cu")
    image, pixels = image_of(np.ones(32, np.uint8))
    labels = out(32, fill=FAR, name="labels")
    count, sum_x, sum_y = out(1), out(1, np.uint64), out(1, np.uint64)
    min_x, min_y = out(1, fill=2**31 - 1), out(1, fill=2**31 - 1)
    max_x, max_y = out(1), out(1)
    features = (count, sum_x, sum_y, min_x, min_y, max_x, max_y)
    with device.open(image, pixels) as run:
        for buffer in (labels, *features):
            run.allocate(buffer)
        kernel = Kernel("far", "far")
        run.launch(launch_of(kernel, (1, 1, 1), (32, 1, 1), (image, labels, *features)))
        found = [int(run.read(buffer)[0]) for buffer in features]
    assert found == [32, sum(range(FAR, FAR + 32)), 0, FAR, 0, FAR + 31, 0]
