"""Tiled Runs: the numbers that it makes at once, any division into blocks, and its memory."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import ndimage
from support.grids import noise, spiral
from support.kernel_runner import KernelRunner, out
from support.segments import double_spiral, mosaic, segment_reference, stripes, tiles

import ccl_viewer as ccl
from ccl_viewer.algorithms import ALGORITHMS
from ccl_viewer.algorithms.tiled_runs import number_directly
from ccl_viewer.devices.emulator.device import EmulatorDevice
from ccl_viewer.devices.registry import open_gpu
from ccl_viewer.execution.device import Device
from ccl_viewer.execution.driver import collect_requests, execute
from ccl_viewer.execution.finding import Finding
from ccl_viewer.execution.plan import Buffer, Stage, Task
from ccl_viewer.execution.schedule import Schedule
from ccl_viewer.grids import open_grid

ROW = ALGORITHMS["tiled_runs"]
EDGES = (1, 31, 32, 33, 64, 65, 130)


def task_of(
    shape: tuple[int, ...],
    connectivity: int,
    across: int = 0,
    down: int = 0,
    *,
    multivalued: bool = False,
) -> Task:
    given: dict[str, int | None] = {"tiles_across": across or None, "tiles_down": down or None}
    image = Buffer("image", shape, np.dtype(np.uint8))
    return Task(image, connectivity, ROW.complete(given), multivalued=multivalued)


def numbers_of(
    image: np.ndarray[Any, Any],
    connectivity: int,
    across: int = 0,
    down: int = 0,
    schedule: str = "sequential",
    *,
    multivalued: bool = False,
) -> tuple[np.ndarray[Any, Any], int]:
    task = task_of(image.shape, connectivity, across, down, multivalued=multivalued)
    device = EmulatorDevice(Schedule.parse(schedule))
    with device.open(task.image, image, timed=False) as run:
        numbers, sums = execute(number_directly(task), run)
        return run.read(numbers).copy(), int(run.read(sums)[-1])


def labels_of(image: np.ndarray[Any, Any], connectivity: int) -> np.ndarray[Any, Any]:
    """Labels without numbers, by the launches that only label."""
    buffer = Buffer("image", image.shape, np.dtype(np.uint8))
    task = Task(buffer, connectivity, ROW.complete({"show_blocks": 0}))
    with EmulatorDevice(Schedule.parse("sequential")).open(buffer, image, timed=False) as run:
        return run.read(execute(ROW.planner(task), run).labels).copy()


def launches_of(shape: tuple[int, int], connectivity: int) -> list[str]:
    task = task_of(shape, connectivity)
    return [
        launch.kernel.name
        for launch in collect_requests(number_directly(task), task.image).launches
    ]


def check(image: np.ndarray[Any, Any], connectivity: int, *how: Any) -> None:
    structure = np.ones((3, 3)) if connectivity == 8 else None
    expected, count = ndimage.label(image, structure)
    numbers, found = numbers_of(image, connectivity, *how)
    assert found == count
    np.testing.assert_array_equal(numbers, expected)
    firsts = np.full(count + 1, -1)
    cells, where = np.unique(expected, return_index=True)
    firsts[cells[cells > 0]] = where[cells > 0]
    np.testing.assert_array_equal(labels_of(image, connectivity), firsts[expected])


@pytest.mark.parametrize("connectivity", [4, 8])
@pytest.mark.parametrize("height", EDGES)
def test_numbers_equal_scipys_at_the_edges_of_tiles(height: int, connectivity: int) -> None:
    draws = noise(130, 130, 0.55)
    for width in EDGES:
        check(np.ascontiguousarray(draws[:height, :width]), connectivity)


@pytest.mark.parametrize(
    ("connectivity", "tiles"), [(4, (2, 2)), (8, (2, 2)), (4, (3, 1)), (8, (4, 2))]
)
@pytest.mark.parametrize("density", [0.4, 0.7])
def test_any_division_into_blocks_gives_the_same_numbers(
    density: float, tiles: tuple[int, int], connectivity: int
) -> None:
    check(noise(150, 210, density), connectivity, *tiles)
    check(
        noise(140, 208, density), connectivity, *tiles
    )  # rows that are loaded 16 pixels at a time


@pytest.mark.parametrize("connectivity", [4, 8])
@pytest.mark.parametrize(
    "image",
    [
        spiral(129),
        (np.indices((100, 130)).sum(0) & 1).astype(np.uint8),
        np.ones((97, 161), np.uint8),
        np.zeros((40, 70), np.uint8),
        np.kron(np.eye(3, 4, dtype=np.uint8), np.ones((32, 32), np.uint8)),
    ],
    ids=["spiral", "checkerboard", "full", "empty", "corners of tiles"],
)
def test_grids_that_hurt(image: np.ndarray[Any, Any], connectivity: int) -> None:
    check(image, connectivity, 2, 2)


def check_values(image: np.ndarray[Any, Any], connectivity: int, *how: Any) -> None:
    expected, count = segment_reference(image, connectivity)
    numbers, found = numbers_of(image, connectivity, *how, multivalued=True)
    assert found == count
    np.testing.assert_array_equal(numbers, expected)


@pytest.mark.parametrize("connectivity", [4, 8])
@pytest.mark.parametrize("height", EDGES)
def test_values_at_the_edges_of_tiles(height: int, connectivity: int) -> None:
    draws = mosaic(130, 130, 2)
    for width in EDGES:
        check_values(np.ascontiguousarray(draws[:height, :width]), connectivity)


@pytest.mark.parametrize(
    ("connectivity", "tiles_of_block"),
    [
        *((each, tiles) for each in (4, 8) for tiles in ((1, 1), (2, 2))),
        *((4, (3, 1)), (8, (1, 2)), (8, (2, 1)), (8, (4, 2))),
    ],
)
def test_values_in_any_division_into_blocks(
    tiles_of_block: tuple[int, int], connectivity: int
) -> None:
    for width in (203, 208):  # rows of 208 pixels are loaded 16 at a time
        for image in (
            mosaic(140, width, 2),
            mosaic(140, width, 2, zeros=False),
            tiles(140, width, 3, 5),
            stripes(140, width),
            (np.indices((140, width)).sum(0) % 2 + 1).astype(np.uint8),  # 8 touch crosswise
            np.tile(np.arange(1, 17, dtype=np.uint8), (140, width // 16 + 1))[:, :width].copy(),
            double_spiral(spiral(129)),
        ):
            check_values(image, connectivity, *tiles_of_block)


@pytest.mark.parametrize("connectivity", [4, 8])
def test_no_order_of_threads_changes_the_numbers_of_values(connectivity: int) -> None:
    for seed, image in enumerate(
        (mosaic(70, 101, 2), mosaic(70, 96, 2, zeros=False), mosaic(61, 64, 2), tiles(50, 80, 5, 3))
    ):
        for schedule in (f"random:{seed}", f"random:{seed + 10}", "reverse", "synchronous"):
            check_values(image, connectivity, 2, 2, schedule)


@pytest.mark.parametrize("connectivity", [4, 8])
def test_a_small_grid_takes_one_launch(connectivity: int) -> None:
    assert launches_of((64, 64), connectivity) == ["tiled_runs_label_small"]
    assert len(launches_of((65, 64), connectivity)) == 4
    check(noise(64, 64, 0.6), connectivity)


@pytest.mark.parametrize("connectivity", [4, 8])
def test_more_words_than_a_block_ranks_are_numbered(connectivity: int) -> None:
    """Beyond 65,536 cells there are several chunks of flags, which the last block adds up."""
    check(noise(300, 520, 0.5), connectivity)
    check(noise(4200, 3, 0.5), connectivity)  # each row has a word


CHUNK_WORDS = 2048
"""Words of 32 flags that a block ranks; the last block adds up 256 chunks at a time."""


def check_ranks(device: Device, words: np.ndarray[Any, Any]) -> None:
    """Rank flags without labelling a grid, which would need half a million rows."""
    chunks = -(-len(words) // CHUNK_WORDS)
    flags = np.bitwise_count(words).astype(np.int64)
    before = np.cumsum(flags) - flags
    ranks, _, _, offsets, total = KernelRunner(device, "tiled_runs").run(
        "tiled_runs_rank_roots", chunks, 256,
        out(len(words), np.uint16, name="ranks"), out(chunks, name="sums"),
        out(1, np.uint32, name="finished"), out(chunks, name="offsets"), out(1, name="total"),
        np.int32(len(words)), values=words,
        macros=(("CONNECTIVITY", 4), ("TILES_X", 1), ("TILES_Y", 1), ("NUMBERED", 1)),
    )  # fmt: skip
    np.testing.assert_array_equal(offsets, before[::CHUNK_WORDS])
    np.testing.assert_array_equal(ranks, before - np.repeat(offsets, CHUNK_WORDS)[: len(words)])
    assert total[0] == flags.sum()


@pytest.mark.parametrize("chunks", [1, 2, 255, 256, 257, 513])
@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize("device", ["emulator", pytest.param("cuda", marks=pytest.mark.gpu)])
def test_flags_are_ranked_in_any_number_of_chunks(device: str, chunks: int, *, full: bool) -> None:
    words = np.random.RandomState(chunks).randint(0, 2**32, chunks * CHUNK_WORDS - 4, np.uint32)
    if full:  # 65,536 flags a chunk, of which 16 bits hold those before a word
        words[:] = 2**32 - 1
    found: list[Finding] = []
    emulator = EmulatorDevice(Schedule.parse("reverse"), on_finding=found.append)
    check_ranks(open_gpu() if device == "cuda" else emulator, words)
    assert found == []


@pytest.mark.gpu
def test_a_grid_with_more_chunks_than_a_block_adds_up_at_once_on_a_gpu() -> None:
    image = noise(530_000, 40, 0.5)
    expected, count = ndimage.label(image)
    numbers, found = ccl.label(image, "tiled_runs", device="cuda")
    assert found == count
    np.testing.assert_array_equal(numbers, expected)


@pytest.mark.parametrize("schedule", ["random:3", "random:4", "reverse", "synchronous"])
@pytest.mark.parametrize("connectivity", [4, 8])
def test_no_order_of_threads_changes_a_small_grid(connectivity: int, schedule: str) -> None:
    check(noise(61, 64, 0.55), connectivity, 0, 0, schedule)


@pytest.mark.parametrize("connectivity", [4, 8])
def test_no_order_of_threads_changes_the_numbers(connectivity: int) -> None:
    image = noise(70, 101, 0.58)
    for seed in range(2):
        check(image, connectivity, 2, 2, f"random:{seed}")
    check(image, connectivity, 2, 2, "reverse")


@pytest.mark.parametrize("schedule", ["sequential", "random:5", "random:6", "reverse"])
def test_no_order_of_threads_changes_a_component_that_crosses_all_blocks(schedule: str) -> None:
    """Its nodes are a chain through 20 blocks, which threads join from all ends at once."""
    zigzag = open_grid("pattern:zigzag?size=129").grid
    check(zigzag, 8, 1, 1, schedule)
    check(spiral(129), 4, 1, 1, schedule)


@pytest.mark.parametrize("connectivity", [4, 8])
def test_features_of_a_small_grid_need_no_nodes(connectivity: int) -> None:
    tabulator = ROW.tabulator
    assert tabulator is not None
    for side, expected in ((64, 2), (65, 3)):
        task = task_of((side, side), connectivity)
        launches = collect_requests(tabulator.count(task), task.image).launches
        merging = [launch for launch in launches if launch.stage is Stage.MERGE]
        assert (len(launches), len(merging)) == (expected, expected - 2)


@pytest.mark.parametrize("connectivity", [4, 8])
@pytest.mark.parametrize("side", [2048, 8192])
def test_scratch_memory_is_at_most_two_and_a_half_bytes_a_pixel(
    side: int, connectivity: int
) -> None:
    task = task_of((side, side), connectivity)
    numbering = collect_requests(number_directly(task), task.image)
    scratch = sum(b.nbytes for b in numbering.buffers if b is not numbering.numbers)
    assert scratch <= 2.5 * side * side


def test_a_plan_that_reads_cannot_be_kept() -> None:
    task = task_of((8, 8), 4)
    other = ALGORITHMS["label_equivalence"]
    plan: Any = other.planner(Task(task.image, 4, other.complete({})))
    with pytest.raises(TypeError, match="cannot be kept"):
        collect_requests(plan, task.image)
