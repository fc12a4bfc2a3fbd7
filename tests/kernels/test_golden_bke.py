"""BKE: one label for each block of 2 x 2 pixels, and as few links as will do."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from scipy import ndimage
from support.grids import Grid, checkerboard, noise

import ccl_viewer as ccl
from ccl_viewer.algorithms import ALGORITHMS
from ccl_viewer.devices.registry import open_device
from ccl_viewer.execution.device import DeviceRun, Elapsed
from ccl_viewer.execution.driver import execute
from ccl_viewer.execution.plan import Buffer, Launch, Stage, Task
from ccl_viewer.recording import Recording

SCHEDULES = ("sequential", "synchronous", "reverse", "random:7")


def record(image: Grid, schedule: str = "synchronous") -> Recording:
    return ccl.record(image, "bke", connectivity=8, device="emulator", schedule=schedule)


def first_pixels(image: Grid) -> npt.NDArray[np.bool_]:
    """The first foreground pixel of each block of 2 x 2."""
    first = np.zeros(image.shape, np.bool_)
    for y in range(0, image.shape[0], 2):
        for x in range(0, image.shape[1], 2):
            cells = np.argwhere(image[y : y + 2, x : x + 2])
            if len(cells):
                first[y + cells[0][0], x + cells[0][1]] = True
    return first


def every_picture(size: int) -> Grid:
    """All pictures of size x size pixels, in rows and columns, two empty cells apart."""
    cells = size * size
    across = 1 << cells // 2
    numbers = np.arange(1 << cells)
    tiles = np.zeros((1 << cells, size + 2, size + 2), np.uint8)
    bits = (numbers[:, None] >> np.arange(cells) & 1).astype(np.uint8)
    tiles[:, :size, :size] = bits.reshape(-1, size, size)
    rows = tiles.reshape(-1, across, size + 2, size + 2).swapaxes(1, 2)
    return np.ascontiguousarray(rows.reshape(-1, across * (size + 2)))


def test_the_stages() -> None:
    recording = record(noise(20, 30, 0.5))
    assert [step.kernel.removeprefix("bke_") for step in recording.steps] == [
        "init",
        "compression",
        "merge",
        "compression",
        "final_labeling",
    ]
    assert [step.stage for step in recording.steps] == [
        "init",
        "flatten",
        "merge",
        "flatten",
        "label",
    ]
    assert all(step.grid == (1, 2, 1) for step in recording.steps)  # 15 x 10 blocks of pixels


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("shape", [(20, 30), (21, 31), (1, 9), (9, 1), (1, 1)])
def test_a_block_has_one_label_until_the_last_launch(shape: tuple[int, int], schedule: str) -> None:
    image = noise(*shape, 0.5, seed=4)
    recording = record(image, schedule)
    for step in range(4):
        np.testing.assert_array_equal(recording.parents(step) >= 0, first_pixels(image))
    np.testing.assert_array_equal(recording.parents(4) >= 0, image != 0)


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_compression_leaves_flat_trees(schedule: str) -> None:
    recording = record(noise(40, 60, 0.5), schedule)
    for step in (1, 3):
        parents = recording.parents(step)
        named = parents[parents >= 0]
        np.testing.assert_array_equal(parents.ravel()[named], named)


@pytest.mark.parametrize("density", [0.3, 0.5, 0.7, 1.0])
def test_initialisation_joins_most_blocks_without_an_atomic(density: float) -> None:
    recording = record(noise(128, 128, density))
    blocks = int(first_pixels(recording.image).sum())
    hooked = blocks - recording.steps[0].roots
    needed = blocks - recording.steps[-1].roots
    assert hooked > 0.75 * needed


def test_a_full_picture_is_joined_by_initialisation_alone() -> None:
    assert record(np.ones((30, 40), np.uint8)).steps[0].roots == 1


class LinksAfterInit:
    """Counts the links that initialisation leaves for the merge."""

    left: int

    def launched(self, launch: Launch, elapsed: Elapsed, run: DeviceRun) -> None:
        if launch.stage is Stage.INIT:
            (blocks,) = (
                buffer
                for buffer in launch.arguments
                if isinstance(buffer, Buffer) and buffer.name == "blocks"
            )
            self.left = int(np.count_nonzero(run.read(blocks) & 0xF0))


@pytest.mark.parametrize("shape", [(30, 40), (31, 41), (2, 90), (90, 2)])
def test_no_link_is_kept_that_others_imply(shape: tuple[int, int]) -> None:
    image = np.ones(shape, np.uint8)
    buffer = Buffer("image", shape, np.dtype(np.uint8))
    links = LinksAfterInit()
    device = open_device("emulator", "sequential", cells=image.size)
    with device.open(buffer, image) as run:
        row = ALGORITHMS["bke"]
        task = Task(buffer, 8, row.complete({"variant": "project"}))
        execute(row.planner(task), run, observer=links)
    assert links.left == 0


def test_a_checkerboard_is_one_component() -> None:
    assert ccl.label(checkerboard(33, 35), "bke", connectivity=8, device="emulator")[1] == 1


@pytest.mark.parametrize("shift", [(0, 0), (0, 1), (1, 0), (1, 1)])
@pytest.mark.parametrize("key", ["bke", "ha8"])
def test_every_picture_of_four_by_four_pixels(key: str, shift: tuple[int, int]) -> None:
    """Blocks of pixels have all four offsets; widths and heights are even and odd."""
    image = np.pad(every_picture(4), ((shift[0], 0), (shift[1], 0)))
    labels, count = ccl.label(image, key, connectivity=8, device="emulator")
    expected, components = ndimage.label(image, np.ones((3, 3)))
    assert count == components
    np.testing.assert_array_equal(labels, expected)
