"""Algorithms with other parameters than the defaults: the paper's forms, and shapes of blocks."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import cycle

import numpy as np
import pytest
from support.cases import BUSY_PLACES
from support.expected import check_labelling
from support.grids import Grid, adversarial_grids, named_grids, noise

import ccl_viewer as ccl
from ccl_viewer.algorithms import ALGORITHMS
from ccl_viewer.devices.registry import open_device
from ccl_viewer.diagnostics.profile import Profile, profile_algorithm
from ccl_viewer.errors import InputError
from ccl_viewer.execution.device import DeviceRun, Elapsed
from ccl_viewer.execution.driver import execute
from ccl_viewer.execution.plan import Buffer, Launch, Stage, Task

CASES = [
    pytest.param(key, connectivity, parameters, id=f"{key}-{connectivity}-{parameters}")
    for key, choices in {
        "bke": ({"variant": "project"},),
        "stava_benes": ({"variant": "project"}, {"tile": 4, "factor": 2}),
        "playne_block": ({"variant": "project"}, {"tile_width": 5, "tile_height": 3}),
        "label_equivalence": ({"threads": 33}, {"variant": "atomic"}),
        "label_equivalence_sizes": ({"threads": 1}, {"variant": "atomic"}),
        "row_col_unify": ({"variant": "consecutive"},),
        "ha4": (
            {"strip_height": 1},
            {"strip_height": 3},
            {"strip_height": 32},
            {"variant": "shared"},
        ),
        "ha4_64": ({"strip_height": 1}, {"strip_height": 32}),
        "ha4_features": ({"pixels": 2}, {"pixels": 2, "naive": 1}),
        "playne": ({"block_width": 5, "block_height": 3},),
        "komura": ({"block_width": 1, "block_height": 32},),
        "shibata_fast": ({"block_width": 32, "block_height": 32},),
    }.items()
    for connectivity in ALGORITHMS[key].connectivities
    for parameters in choices
]


@pytest.mark.parametrize(("device", "schedules"), BUSY_PLACES)
@pytest.mark.parametrize(("key", "connectivity", "parameters"), CASES)
def test_labels_equal_scipys(
    key: str,
    connectivity: int,
    parameters: Mapping[str, int | str],
    device: str,
    schedules: tuple[str, ...],
) -> None:
    for (_, image), schedule in zip(named_grids(), cycle(schedules), strict=False):
        check_labelling(image, key, connectivity, (device, schedule), **parameters)


@pytest.mark.parametrize(
    ("key", "connectivity"),
    [
        (key, connectivity)
        for key in ("bke", "stava_benes", "playne_block")
        for connectivity in ALGORITHMS[key].connectivities
    ],
)
def test_project_variants_give_right_labels_in_order(key: str, connectivity: int) -> None:
    for (_, image), schedule in zip(named_grids(), cycle(("sequential", "reverse")), strict=False):
        check_labelling(image, key, connectivity, ("emulator", schedule), variant="project")


@pytest.mark.parametrize(("key", "connectivity", "parameters"), CASES)
def test_no_random_schedule_breaks_the_labels(
    key: str, connectivity: int, parameters: Mapping[str, int | str]
) -> None:
    grids = adversarial_grids()
    for seed in range(21):
        image = grids[seed % len(grids)]
        check_labelling(image, key, connectivity, ("emulator", f"random:{seed}"), **parameters)


# BKE --------------------------------------------------------------------------------------------


class Links:
    """Counts the links that initialisation leaves for the merge."""

    left = 0

    def launched(self, launch: Launch, _elapsed: Elapsed, run: DeviceRun) -> None:
        if launch.stage is Stage.INIT:
            (blocks,) = (
                buffer
                for buffer in launch.arguments
                if isinstance(buffer, Buffer) and buffer.name == "blocks"
            )
            bits = np.unpackbits(run.read(blocks)[..., None], axis=-1)
            self.left = int(bits[..., :4].sum())


def touching_blocks(image: Grid) -> tuple[int, int]:
    """Pairs of blocks of 2 x 2 that touch, and blocks that touch one before them."""
    width = image.shape[1]
    pairs = set()
    for y, x in np.argwhere(image):
        for dy, dx in ((-1, -1), (-1, 0), (-1, 1), (0, -1)):
            v, u = y + dy, x + dx
            if v >= 0 and 0 <= u < width and image[v, u]:
                one, other = (y // 2, x // 2), (v // 2, u // 2)
                if one != other:
                    pairs.add((max(one, other), min(one, other)))
    return len(pairs), len({later for later, _ in pairs})


@pytest.mark.parametrize("density", [0.3, 0.6, 1.0])
def test_bke_of_the_paper_unites_each_block_with_all_that_touch_it_but_one(density: float) -> None:
    """A block takes the first of its neighbours as its parent and is united with the others."""
    image = noise(40, 52, density)
    pairs, hooked = touching_blocks(image)
    links = Links()
    buffer = Buffer("image", image.shape, np.dtype(np.uint8))
    row = ALGORITHMS["bke"]
    with open_device("emulator", "sequential", cells=image.size).open(buffer, image) as run:
        task = Task(buffer, 8, row.complete({"variant": "paper"}))
        execute(row.planner(task), run, observer=links)
    # A link to the west that would lead forwards in raster order is left to the merge as well.
    assert pairs - hooked <= links.left <= pairs
    if density == 1:
        assert links.left == pairs - hooked


def kernels(
    image: Grid, key: str, connectivity: int, **parameters: int | str
) -> Mapping[str, Profile]:
    found = profile_algorithm(
        image, ALGORITHMS[key], connectivity, parameters, schedule="sequential"
    )
    return found.by_kernel()


# Playne-Hawick ----------------------------------------------------------------------------------


def test_playne_block_joins_the_same_trees_in_one_launch_as_in_two() -> None:
    image = noise(40, 70, 0.6)
    paper, project = (
        ccl.record(
            image,
            "playne_block",
            connectivity=4,
            device="emulator",
            schedule="sequential",
            variant=each,
        )
        for each in ("paper", "project")
    )
    assert len(paper) == len(project) + 1
    assert paper.atomics == project.atomics


# HA4 --------------------------------------------------------------------------------------------


def test_a_strip_of_the_whole_height_leaves_nothing_to_the_strip_merge() -> None:
    image = noise(16, 100, 0.6)
    for key in ("ha4", "ha4_64"):
        found = kernels(image, key, 4, strip_height=16)
        assert found[f"{key}_strip_merge"].figures()["atomics"] == 0
        assert kernels(image, key, 4)[f"{key}_strip_merge"].figures()["atomics"] > 0


def test_labels_of_strips_in_shared_memory_are_stored_once_in_device_memory() -> None:
    image = noise(16, 100, 0.6)
    paper, shared = (
        kernels(image, "ha4", 4, variant=each)[name].figures()
        for each, name in (
            ("paper", "ha4_strip_labeling"),
            ("shared", "ha4_strip_labeling_shared"),
        )
    )
    assert shared["atomics"] == 0 < paper["atomics"]
    assert shared["stores"] == paper["stores"]


def test_a_strip_too_wide_for_shared_memory_is_refused() -> None:
    with pytest.raises(InputError, match="too many labels for shared memory"):
        ccl.record(np.ones((4, 3100), np.uint8), "ha4", device="emulator", variant="shared")


def test_two_pixels_a_thread_add_at_most_as_many_runs() -> None:
    """Runs are cut every 64 columns instead of every 32."""
    image = noise(16, 200, 0.8)
    one = kernels(image, "ha4_features", 4)["ha4_features"].figures()["atomics"]
    two = kernels(image, "ha4_features", 4, pixels=2)["ha4_64_features"].figures()["atomics"]
    assert 0 < two < one
