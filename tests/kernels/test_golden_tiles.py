"""Promises of the papers on tiled methods, and errors at borders between tiles."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from itertools import cycle
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from support.expected import first_cells
from support.grids import Grid, comb, diagonals, kept, noise, spiral, zigzag
from support.segments import segment_reference

import ccl_viewer as ccl
from ccl_viewer.algorithms import ALGORITHMS
from ccl_viewer.devices.registry import open_device
from ccl_viewer.execution.plan import Buffer, Kernel, Launch, Read, Stage, Task
from ccl_viewer.recording import Recording

SCHEDULES = ("synchronous", "random:7")

SMALL_TILES: tuple[tuple[str, Mapping[str, int]], ...] = (
    ("stava_benes", {"tile": 4, "factor": 2}),
    ("stava_benes", {"tile": 4, "factor": 2, "flatten": 0}),
    ("stava_benes", {"tile": 5, "factor": 3}),
    ("playne", {}),
    ("playne_block", {"tile_width": 2, "tile_height": 2}),
    ("playne_block", {"tile_width": 5, "tile_height": 3}),
    ("cabaret", {"tile_width": 2, "tile_height": 2}),
    ("cabaret", {"tile_width": 5, "tile_height": 3}),
)

TILED_CASES = [
    pytest.param(
        key,
        connectivity,
        parameters,
        id=f"{key}-{connectivity}-" + "-".join(str(value) for value in parameters.values()),
    )
    for key, parameters in SMALL_TILES
    for connectivity in (4, 8)
]


def record(image: Grid, key: str, connectivity: int, schedule: str, **parameters: Any) -> Recording:
    return ccl.record(
        image, key, connectivity=connectivity, device="emulator", schedule=schedule, **parameters
    )


def roots(parents: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """The root that each cell of the forest leads to; -1 on background."""
    flat = parents.ravel()
    found = flat.copy()
    while True:
        further = np.where(found >= 0, flat[found], -1)
        if (further == found).all():
            return found.reshape(parents.shape)
        found = further


def check(recording: Recording, connectivity: int, note: str = "") -> None:
    expected = first_cells(recording.image.astype(np.uint8), connectivity)
    if not np.array_equal(recording.parents(-1), expected):  # what tells more takes its time
        note = f"{note}: {recording.sentence}"
        np.testing.assert_array_equal(recording.parents(-1), expected, err_msg=note)


@cache
def all_3_by_3(offset: int) -> Grid:
    """Every picture of 3 x 3 cells, a cell apart, the whole shifted by an offset."""
    grid = np.zeros((16 * 4 + offset, 32 * 4 + offset), np.uint8)
    for code in range(512):
        y, x = offset + code // 32 * 4, offset + code % 32 * 4
        grid[y : y + 3, x : x + 3] = np.array([code >> i & 1 for i in range(9)]).reshape(3, 3)
    return kept(grid)


def corners(apart: int) -> Grid:
    """Each picture of 2 x 2 cells around each crossing of lines from 1 to 8, so far apart.

    A row of the grid shifts the picture by one cell both ways against the tiles, which are as wide
    and high as `apart` or a part of it: each place where four tiles can meet is met.
    """
    grid = np.zeros((8 * apart, 15 * apart), np.uint8)
    for at in range(1, 9):
        for code in range(1, 16):
            y, x = (at - 1) * apart + at - 1, (code - 1) * apart + at - 1
            grid[y : y + 2, x : x + 2] = np.array([code >> i & 1 for i in range(4)]).reshape(2, 2)
    return grid


@pytest.mark.parametrize(("key", "connectivity", "parameters"), TILED_CASES)
def test_cells_that_meet_at_a_tile_corner(
    key: str, connectivity: int, parameters: Mapping[str, int]
) -> None:
    for apart in (10, 12):  # multiples of 5 and 2, and of 4, 3 and 2
        check(record(corners(apart), key, connectivity, "synchronous", **parameters), connectivity)


@pytest.mark.parametrize(("key", "connectivity", "parameters"), TILED_CASES)
def test_every_picture_of_3_by_3_wherever_tile_borders_cut_it(
    key: str, connectivity: int, parameters: Mapping[str, int]
) -> None:
    sides = [parameters.get(name, 1) for name in ("tile", "tile_width", "tile_height")]
    for offset, schedule in zip(range(max(sides)), cycle(SCHEDULES), strict=False):
        recording = record(all_3_by_3(offset), key, connectivity, schedule, **parameters)
        check(recording, connectivity, f"offset {offset}")


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize(("key", "connectivity", "parameters"), TILED_CASES)
def test_chains_that_run_through_many_tiles(
    key: str, connectivity: int, parameters: Mapping[str, int], schedule: str
) -> None:
    for name, grid in {
        "zigzag": zigzag(7, 40),
        "zigzag, steep": np.ascontiguousarray(zigzag(4, 41).T),
        "diagonals": diagonals(33),
        "spiral": spiral(31),
        "comb": comb(17, 35),
        "full": np.ones((19, 23), np.uint8),
        "anti-diagonal": np.ascontiguousarray(np.eye(24, dtype=np.uint8)[::-1]),
    }.items():
        check(record(grid, key, connectivity, schedule, **parameters), connectivity, name)


@pytest.mark.parametrize(("key", "connectivity", "parameters"), TILED_CASES)
def test_no_random_schedule_breaks_small_tiles(
    key: str, connectivity: int, parameters: Mapping[str, int]
) -> None:
    grids = [
        comb(8, 11),
        spiral(11),
        diagonals(12),
        zigzag(5, 13),
        noise(10, 12, 0.6),
        np.ones((9, 10), np.uint8),
        noise(11, 9, 0.45),
        np.ascontiguousarray(comb(11, 9).T),
    ]
    for seed in range(40):
        recording = record(
            grids[seed % len(grids)], key, connectivity, f"random:{seed}", **parameters
        )
        check(recording, connectivity, f"seed {seed}")


def launches(key: str, height: int, width: int, **parameters: int) -> list[Launch]:
    """The launches of a plan that is never run: it may read nothing back."""
    row = ALGORITHMS[key]
    image = Buffer("image", (height, width), np.dtype(np.uint8))
    requests = list(row.planner(Task(image, 8, row.complete(parameters))))
    assert not any(isinstance(request, Read) for request in requests)
    return [request for request in requests if isinstance(request, Launch)]


KERNELS = (Stage.KERNEL_1, Stage.KERNEL_2, Stage.KERNEL_3, Stage.KERNEL_4)


@pytest.mark.parametrize(
    ("size", "levels"), [(16, 0), (17, 1), (64, 1), (512, 3), (1024, 3), (2048, 4), (4096, 4)]
)
def test_stavas_launches_depend_on_the_size_alone(size: int, levels: int) -> None:
    """Stava and Benes 2011, section 35.3: fixed for a given dimension, nothing read by the host."""
    tile, merge, flatten, update = KERNELS
    expected = [tile, *[merge, flatten] * (levels - 1), *[merge] * (levels > 0), update]
    for height, width in ((size, size), (1, size), (size, 1)):
        assert [launch.stage for launch in launches("stava_benes", height, width)] == expected
    unflattened = launches("stava_benes", size, size, flatten=0)
    assert [launch.stage for launch in unflattened] == [tile, *[merge] * levels, update]


def test_stavas_recorded_steps_name_their_level_whatever_the_picture() -> None:
    tile, merge, flatten, update = KERNELS
    for density in (0.0, 0.4, 0.6, 1.0):
        recording = record(
            noise(29, 40, density), "stava_benes", 8, "synchronous", tile=4, factor=2
        )
        assert [(step.stage, step.level) for step in recording.steps] == [
            (tile, None),
            (merge, 1),
            (flatten, 1),
            (merge, 2),
            (flatten, 2),
            (merge, 3),
            (flatten, 3),
            (merge, 4),
            (update, None),
        ]


def check_tiles(recording: Recording, step: int, tile: int, connectivity: int) -> None:
    """Within each tile the forest's trees are the components of the tile taken alone."""
    found = roots(recording.parents(step))
    height, width = recording.image.shape
    for y in range(0, height, tile):
        for x in range(0, width, tile):
            inside = np.s_[y : y + tile, x : x + tile]
            expected, count = segment_reference(
                recording.image[inside].astype(np.uint8), connectivity
            )
            pairs = np.unique(np.stack([expected.ravel(), found[inside].ravel()]), axis=1)
            background = int((expected == 0).any())
            assert pairs.shape[1] == count + background
            assert np.unique(pairs[1]).size == pairs.shape[1]


@pytest.mark.parametrize("flatten", [0, 1])
@pytest.mark.parametrize("connectivity", [4, 8])
@pytest.mark.parametrize("schedule", SCHEDULES)
def test_stavas_merged_tiles_hold_the_largest_components(
    schedule: str, connectivity: int, flatten: int
) -> None:
    """Stava and Benes 2011, sections 35.3.3 and 35.3.4, level by level."""
    for image in (noise(30, 35, 0.55), diagonals(32), spiral(29)):
        recording = record(
            image, "stava_benes", connectivity, schedule, tile=4, factor=2, flatten=flatten
        )
        for step in recording.steps:
            if step.stage is Stage.KERNEL_4:
                continue
            merged = 4 * 2 ** (step.level or 0)
            check_tiles(recording, step.index, merged, connectivity)


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_stavas_merge_changes_the_labels_of_roots_only(schedule: str) -> None:
    """Stava and Benes 2011, section 35.3.4: other labels remain unchanged."""
    recording = record(noise(40, 40, 0.6), "stava_benes", 8, schedule, tile=4, factor=2)
    for step in recording.steps:
        if step.stage is Stage.KERNEL_2:
            before = recording.parents(step.index - 1).ravel()
            changed = before != recording.parents(step.index).ravel()
            assert changed.any()
            assert (before[changed] == np.flatnonzero(changed)).all()


def test_stavas_flattened_borders_point_at_roots() -> None:
    image = np.ones((37, 41), np.uint8)
    recording = record(image, "stava_benes", 8, "synchronous", tile=4, factor=2)
    for step in recording.steps:
        if step.stage is not Stage.KERNEL_3:
            continue
        tile = 4 * 2 ** (step.level or 0)
        parents = recording.parents(step.index)
        found = roots(parents)
        for line in range(tile, 37, tile):
            np.testing.assert_array_equal(parents[line - 1 : line + 1], found[line - 1 : line + 1])
        for line in range(tile, 41, tile):
            np.testing.assert_array_equal(
                parents[:, line - 1 : line + 1], found[:, line - 1 : line + 1]
            )


@pytest.mark.parametrize(
    ("key", "stages"),
    [
        ("playne", ["init", "flatten", "merge", "flatten"]),
        ("playne_block", ["tile", "horizontal-merge", "vertical-merge", "flatten"]),
        ("cabaret", ["tile", "horizontal-merge", "vertical-merge", "relabel"]),
    ],
)
def test_direct_methods_make_the_same_launches_whatever_the_picture(
    key: str, stages: list[str]
) -> None:
    for image in (np.zeros((1, 1), np.uint8), noise(20, 70, 0.5), np.ones((64, 64), np.uint8)):
        recording = record(image, key, 8, "sequential")
        assert [step.stage for step in recording.steps] == stages


@pytest.mark.parametrize(
    ("connectivity", "expected"),
    [
        (4, [[0, 0, -1, 3], [0, 1, -1, 3], [4, 5, 9, 7]]),
        (8, [[0, 0, -1, 3], [0, 0, -1, 3], [4, 4, 5, 7]]),
    ],
)
def test_playnes_labels_begin_as_the_first_neighbour(
    connectivity: int, expected: list[list[int]]
) -> None:
    image = np.array([[1, 1, 0, 1], [1, 1, 0, 1], [1, 1, 1, 1]], np.uint8)
    recording = record(image, "playne", connectivity, "sequential")
    np.testing.assert_array_equal(recording.labels(0), expected)


@pytest.mark.parametrize("connectivity", [4, 8])
def test_playne_merges_nothing_where_no_cell_is_critical(connectivity: int) -> None:
    """A full grid has no critical cell: the first links alone make one tree."""
    recording = record(np.ones((40, 50), np.uint8), "playne", connectivity, "sequential")
    resolve, merge = recording.steps[1], recording.steps[2]
    assert resolve.roots == 1
    assert merge.changed == 0


@pytest.mark.parametrize(
    ("connectivity", "image"), [(4, [[0, 1], [1, 1]]), (8, [[1, 0, 1], [0, 1, 0]])]
)
def test_playne_joins_two_trees_at_a_critical_cell(
    connectivity: int, image: list[list[int]]
) -> None:
    recording = record(np.array(image, np.uint8), "playne", connectivity, "sequential")
    assert [step.roots for step in recording.steps] == [2, 2, 1, 1]


def critical(image: Grid, connectivity: int) -> npt.NDArray[np.bool_]:
    """Cells with a link that no other links imply: as kernels/playne.cu derives it."""
    around: npt.NDArray[np.bool_] = np.pad(image != 0, 1)
    x, up_left, up = around[1:-1, 1:-1], around[:-2, :-2], around[:-2, 1:-1]
    up_right, left = around[:-2, 2:], around[1:-1, :-2]
    by_4 = x & up & left & ~up_left
    by_8 = x & up_right & ~up & (up_left | left)
    return np.asarray(by_8 if connectivity == 8 else by_4, bool)


@pytest.mark.parametrize("connectivity", [4, 8])
@pytest.mark.parametrize("schedule", SCHEDULES)
def test_playne_merges_at_critical_cells_alone(schedule: str, connectivity: int) -> None:
    """Only the merge, on cells that are all roots: each critical cell removes one root."""
    for image in (noise(30, 45, 0.6), noise(20, 70, 0.9), np.ones((9, 40), np.uint8), comb(12, 33)):
        height, width = image.shape
        picture = Buffer("image", image.shape, np.dtype(np.uint8))
        labels = Buffer("labels", image.shape, np.dtype(np.int32))
        arguments = (picture, labels, np.int32(width), np.int32(height))
        macros = (("CONNECTIVITY", connectivity),)
        with open_device("emulator", schedule, cells=image.size).open(picture, image) as run:
            run.allocate(labels)
            for kernel in (
                Kernel("shibata", "shibata_preparation"),
                Kernel("playne", "playne_merge", macros),
            ):
                run.launch(Launch(kernel, (3, 4, 1), (32, 8, 1), arguments, Stage.MERGE, "Test."))
            parents = run.read(labels).ravel()
        expected = critical(image, connectivity)
        roots_left = int(np.count_nonzero(parents == np.arange(image.size)))
        assert roots_left == np.count_nonzero(image) - np.count_nonzero(expected)


def test_cabarets_labels_are_addresses_counted_from_1() -> None:
    """Hennequin et al. 2018, section II: e = 1 + i * width + j, 0 is background."""
    image = np.array([[1, 0, 1], [0, 0, 1]], np.uint8)
    recording = record(image, "cabaret", 4, "sequential")
    np.testing.assert_array_equal(recording.labels(-1), [[1, 0, 3], [0, 0, 3]])
