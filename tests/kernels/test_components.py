"""The table of components, against sums over the cells by NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from support.cases import ALGORITHM_CASES, MULTIVALUED_CASES, PLACES
from support.grids import Grid, any_grid, comb, diagonals, named_grids, noise, spiral
from support.segments import segment_grids, segment_reference, tiles

import ccl_viewer as ccl
from ccl_viewer.algorithms.components import TABLE, tabulate
from ccl_viewer.devices.registry import DeviceName, open_device
from ccl_viewer.errors import InputError
from ccl_viewer.execution.driver import execute
from ccl_viewer.execution.plan import Buffer
from ccl_viewer.reference import label_reference

Table = npt.NDArray[np.void]

WAYS = [
    pytest.param(None, id="usual"),
    pytest.param("label_equivalence", id="iterative"),
    pytest.param("tiled_runs", id="runs"),
]
"""The algorithms: the default one, one that sums cells, and one that sums runs."""


def expected_table(labels: npt.NDArray[np.int32], count: int) -> Table:
    table = np.zeros(count, TABLE)
    table["label"] = np.arange(1, count + 1)
    table["y0"], table["x0"] = labels.shape
    y, x = np.nonzero(labels)
    row = labels[y, x] - 1
    np.add.at(table["area"], row, 1)
    for place, low, high, centre in ((y, "y0", "y1", "y"), (x, "x0", "x1", "x")):
        np.minimum.at(table[low], row, place.astype(np.int32))
        np.maximum.at(table[high], row, place.astype(np.int32) + 1)
        sums = np.zeros(count, np.int64)
        np.add.at(sums, row, place)
        table[centre] = sums / table["area"]
    dy, dx = y - table["y"][row], x - table["x"][row]
    for name, products in (("yy", dy * dy), ("yx", dy * dx), ("xx", dx * dx)):
        table[name] = np.bincount(row, products, count) / table["area"]
    table["perimeter"] = expected_perimeters(labels, count)
    return table


def expected_perimeters(labels: npt.NDArray[np.int32], count: int) -> npt.NDArray[np.int64]:
    """Count the sides of cells that border on another component, background or the outside."""
    inner, padded = (slice(1, -1), slice(1, -1)), np.pad(labels, 1)
    sides = [
        padded[inner] != np.roll(padded, step, axis)[inner] for step in (1, -1) for axis in (0, 1)
    ]
    return np.bincount(labels.ravel(), np.sum(sides, axis=0).ravel(), count + 1)[1:].astype(
        np.int64
    )


def assert_same(table: Table, expected: Table, name: str = "") -> None:
    """Compare tables: moments, which are sums of fractions here, up to what rounding leaves."""
    assert table.dtype == TABLE
    for column in TABLE.names or ():
        if column in {"yy", "yx", "xx"}:
            np.testing.assert_allclose(
                table[column], expected[column], rtol=1e-9, atol=1e-9, err_msg=f"{name} {column}"
            )
        else:
            np.testing.assert_array_equal(table[column], expected[column], f"{name} {column}")


def check(
    image: npt.NDArray[Any],
    connectivity: int,
    algorithm: str | None,
    place: tuple[DeviceName, str],
    name: str = "",
) -> None:
    device, schedule = place
    table = ccl.components(
        image, connectivity=connectivity, device=device, algorithm=algorithm, schedule=schedule
    )
    expected = expected_table(*label_reference(image, connectivity))
    assert_same(table, expected, name)


@pytest.mark.parametrize(("device", "schedule"), PLACES)
@pytest.mark.parametrize("connectivity", [4, 8])
@pytest.mark.parametrize("algorithm", WAYS)
def test_the_table_is_exact_on_named_grids(
    algorithm: str | None, connectivity: int, device: DeviceName, schedule: str
) -> None:
    for name, image in named_grids():
        check(image, connectivity, algorithm, (device, schedule), name)


@pytest.mark.parametrize(("algorithm", "connectivity"), ALGORITHM_CASES)
def test_every_algorithm_gives_the_same_table(algorithm: str, connectivity: int) -> None:
    for image in (noise(36, 70, 0.55), spiral(17), diagonals(20)):
        check(image, connectivity, algorithm, ("emulator", "sequential"))


@pytest.mark.parametrize("algorithm", WAYS)
def test_no_random_schedule_breaks_the_table(algorithm: str | None) -> None:
    grids = [comb(6, 40), np.ones((5, 70), np.uint8), noise(40, 12, 0.6), diagonals(11), spiral(9)]
    for seed in range(80):
        place: tuple[DeviceName, str] = ("emulator", f"random:{seed}")
        connectivity = 4 + 4 * (seed // len(grids) % 2)
        check(grids[seed % len(grids)], connectivity, algorithm, place, f"seed {seed}")


def tabulated(
    labels: npt.NDArray[np.int32], place: tuple[DeviceName, str], *, by_tiles: bool
) -> Table:
    """Gather features of components that are numbered already, by one of the two kernels."""
    numbers = Buffer("numbers", labels.shape, np.dtype(np.int32))
    with open_device(*place, cells=labels.size).open(numbers, labels, timed=False) as run:
        return execute(tabulate(numbers, int(labels.max()), by_tiles=by_tiles), run)


@pytest.mark.parametrize(("device", "schedule"), PLACES)
@pytest.mark.parametrize("by_tiles", [False, True], ids=["columns", "tiles"])
def test_both_kernels_are_exact(device: DeviceName, schedule: str, *, by_tiles: bool) -> None:
    grids = [
        noise(130, 97, 0.4),
        noise(64, 96, 0.7),
        spiral(70),
        np.ones((97, 161), np.uint8),
        (np.indices((40, 70)).sum(0) & 1).astype(np.uint8),
        np.kron(np.eye(3, 4, dtype=np.uint8), np.ones((32, 32), np.uint8)),
    ]
    for image in grids:
        labels, count = label_reference(image, 4)
        table = tabulated(labels, (device, schedule), by_tiles=by_tiles)
        assert_same(table, expected_table(labels, count))


@pytest.mark.parametrize("by_tiles", [False, True], ids=["columns", "tiles"])
def test_a_tile_may_have_more_components_than_there_is_room_for(*, by_tiles: bool) -> None:
    y, x = np.indices((70, 80), np.int32)
    alone = y * 80 + x
    across = y * 41 + (x + 1) // 2  # pairs, also over the sides of tiles
    down = (y + 1) // 2 * 80 + x
    mixed = np.random.default_rng(0).permutation(36 * 80)[down]
    for numbers in (each.astype(np.int32) + 1 for each in (alone, across, down, mixed)):
        for seed in range(3):
            table = tabulated(numbers, ("emulator", f"random:{seed}"), by_tiles=by_tiles)
            assert_same(table, expected_table(numbers, int(numbers.max())), f"seed {seed}")


def test_no_random_schedule_breaks_a_tile() -> None:
    grids = [noise(40, 33, 0.6), noise(33, 64, 0.3), np.ones((35, 35), np.uint8), diagonals(40)]
    numbered = [label_reference(grid, 4) for grid in grids]
    expected = [expected_table(*each) for each in numbered]
    for seed in range(200):
        table = tabulated(numbered[seed % 4][0], ("emulator", f"random:{seed}"), by_tiles=True)
        assert_same(table, expected[seed % 4], f"seed {seed}")


@pytest.mark.parametrize(
    ("connectivity", "tiles"),
    [(4, (1, 1)), (8, (1, 1)), (4, (2, 2)), (8, (2, 1)), (4, (4, 2)), (8, (3, 2))],
)
def test_any_division_into_blocks_gives_the_same_table(
    connectivity: int, tiles: tuple[int, int]
) -> None:
    """Also with more components than fit into a block."""
    grids = [
        noise(150, 210, 0.3),
        noise(150, 210, 0.6),
        spiral(129),
        np.ones((130, 200), np.uint8),
        (np.indices((140, 150)).sum(0) & 1).astype(np.uint8),
        np.tile(np.array([[1, 0], [0, 0]], np.uint8), (70, 80)),
    ]
    for which, image in enumerate(grids):
        table = ccl.components(
            image,
            "tiled_runs",
            connectivity=connectivity,
            device="emulator",
            schedule="sequential" if which % 2 else f"random:{which}",
            tiles_across=tiles[0],
            tiles_down=tiles[1],
        )
        assert_same(table, expected_table(*label_reference(image, connectivity)), f"{which}")


@pytest.mark.parametrize("algorithm", WAYS)
@settings(max_examples=30)
@given(image=any_grid(70))
def test_the_table_is_exact_on_any_grid(algorithm: str | None, image: Grid) -> None:
    for connectivity in (4, 8):
        check(image, connectivity, algorithm, ("emulator", "sequential"))


@pytest.mark.parametrize("algorithm", WAYS)
@pytest.mark.parametrize("shape", [(1, 93_000), (93_000, 1), (2100, 2100)])
def test_sums_beyond_32_bits_are_exact(shape: tuple[int, int], algorithm: str | None) -> None:
    height, width = shape
    assert height * width * (max(shape) - 1) // 2 > 2**32
    table = ccl.components(
        np.ones(shape, np.uint8), connectivity=4, device="emulator", algorithm=algorithm
    )
    (row,) = table.tolist()
    assert row[:8] == (1, height * width, 0, 0, height, width, (height - 1) / 2, (width - 1) / 2)
    moments = (height**2 - 1) / 12, 0, (width**2 - 1) / 12
    assert row[8:11] == pytest.approx(moments, abs=1e-6)
    assert row[11] == 2 * (height + width)


def test_large_grids_are_gathered_by_deeper_warps() -> None:
    """Here 32 bits hold neither the sum of a warp's rows nor the squares of one row."""
    height, width = shape = (2**20, 32)
    (row,) = ccl.components(np.ones(shape, np.uint8), connectivity=4, device="emulator").tolist()
    assert row[:8] == (1, height * width, 0, 0, height, width, (height - 1) / 2, (width - 1) / 2)
    assert row[8:11] == pytest.approx(((height**2 - 1) / 12, 0, (width**2 - 1) / 12), abs=1e-6)
    assert row[11] == 2 * (height + width)


def test_the_perimeter_counts_sides_of_cells_inside_holes_and_at_corners_too() -> None:
    ring = np.ones((5, 5), np.uint8)
    ring[2, 2] = 0
    assert ccl.components(ring, connectivity=4, device="emulator")["perimeter"].tolist() == [20 + 4]
    assert ccl.components(np.eye(3, dtype=np.uint8), connectivity=8, device="emulator")[
        "perimeter"
    ].tolist() == [12]
    segments = ccl.components([[1, 1, 2]], connectivity=4, device="emulator", multivalued=True)
    assert segments["perimeter"].tolist() == [6, 4]


@pytest.mark.parametrize(("device", "schedule"), PLACES)
def test_segments_have_a_table_too(device: DeviceName, schedule: str) -> None:
    for name, image in segment_grids():
        table = ccl.components(
            image, connectivity=8, device=device, multivalued=True, schedule=schedule
        )
        expected = expected_table(*segment_reference(image, 8))
        assert_same(table, expected, name)


@pytest.mark.parametrize(("algorithm", "connectivity"), MULTIVALUED_CASES)
def test_segments_by_each_algorithm(algorithm: str, connectivity: int) -> None:
    image = tiles(40, 70, 6, 3)
    table = ccl.components(
        image, connectivity=connectivity, device="emulator", algorithm=algorithm, multivalued=True
    )
    expected = expected_table(*segment_reference(image, connectivity))
    assert_same(table, expected)


def test_boxes_are_slices_and_labels_are_those_of_label() -> None:
    image = noise(30, 40, 0.5)
    labels, count = ccl.label(image, device="emulator")
    table = ccl.components(image, device="emulator")
    assert table["label"].tolist() == list(range(1, count + 1))
    for row in table:
        box = labels[row["y0"] : row["y1"], row["x0"] : row["x1"]] == row["label"]
        assert box.sum() == row["area"] == (labels == row["label"]).sum()


def test_no_components() -> None:
    for algorithm in (None, "ha4"):
        table = ccl.components(np.zeros((3, 4)), algorithm=algorithm, device="emulator")
        assert table.shape == (0,)
        assert table.dtype == TABLE


def test_wrong_arguments_are_refused() -> None:
    fraction: Any = 4.0
    with pytest.raises(InputError, match="8 or 4, not 6"):
        ccl.components(np.ones((3, 3)), connectivity=6)
    with pytest.raises(InputError, match=r"4\.0"):
        ccl.components(np.ones((3, 3)), connectivity=fraction)
    with pytest.raises(InputError, match="connectivity 4"):
        ccl.components(np.ones((3, 3)), connectivity=8, algorithm="ha4")
    with pytest.raises(InputError, match="choose one of"):
        ccl.components(np.ones((3, 3)), algorithm="ha4", multivalued=True)


@pytest.mark.gpu
@pytest.mark.parametrize("connectivity", [4, 8])
@pytest.mark.parametrize("algorithm", WAYS)
def test_arrays_on_the_gpu_and_large_grids(algorithm: str | None, connectivity: int) -> None:
    cupy = pytest.importorskip("cupy")
    for density in (0.3, 0.55, 1.0):
        image = noise(4000, 4100, density)
        table = ccl.components(cupy.asarray(image), connectivity=connectivity, algorithm=algorithm)
        expected = expected_table(*label_reference(image, connectivity))
        assert_same(table, expected)
