"""What launches declare of themselves: the paper's name, and how they divide the grid."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import pairwise
from math import prod

import pytest
from support.plans import VARIANTS, launches, table_launches

from ccl_viewer.algorithms import ALGORITHMS
from ccl_viewer.algorithms.structures import block_structures
from ccl_viewer.execution.plan import Dim3, Launch, LaunchStructure, PartKind, Stage

SHAPES = ((1, 1), (1, 150), (150, 1), (37, 71), (70, 33), (129, 130))

Shape = tuple[int, int]


def parts_of(structure: LaunchStructure, shape: Shape) -> int:
    """How many parts a structure makes of a grid."""
    height, width = shape
    if structure.linear:
        assert structure.width is not None
        return -(-height * width // structure.width)
    across = 1 if structure.width is None else -(-width // structure.width)
    down = 1 if structure.height is None else -(-height // structure.height)
    return across * down


def area(structure: LaunchStructure) -> int:
    """Cells of a part that has sides."""
    assert structure.width is not None
    assert structure.height is not None
    return structure.width * structure.height


def of(part: PartKind, launch: Launch) -> list[LaunchStructure]:
    return [structure for structure in launch.structures if structure.part is part]


def check_blocks(launch: Launch, shape: Shape) -> None:
    """As many blocks as the launch has, and in each as many warps as its threads make."""
    for blocks in of(PartKind.BLOCK, launch):
        assert parts_of(blocks, shape) == prod(launch.grid), launch
        if blocks.width is None or blocks.height is None:
            continue  # its warps walk along
        for warps in of(PartKind.WARP, launch):
            assert warps.linear == blocks.linear
            assert area(blocks) / area(warps) == -(-prod(launch.block) // 32), launch


def check_nesting(launch: Launch, shape: Shape) -> None:
    """Coarsest first, and each fine part is inside one coarser part."""
    for coarse, fine in pairwise(launch.structures):
        for inner, outer, side in (
            (fine.width, coarse.width, shape[1]),
            (fine.height, coarse.height, shape[0]),
        ):
            if outer is not None and outer < side:
                assert inner is not None, launch
                assert outer % inner == 0, launch


@pytest.mark.parametrize(("key", "connectivity", "parameters"), VARIANTS)
def test_declared_parts_are_those_of_the_launch(
    key: str, connectivity: int, parameters: Mapping[str, int | None]
) -> None:
    for shape in SHAPES:
        for launch in launches(key, connectivity, parameters, shape):
            check_blocks(launch, shape)
            check_nesting(launch, shape)


@pytest.mark.parametrize("connectivity", [4, 8])
def test_so_are_those_of_the_table_of_components(connectivity: int) -> None:
    for shape in SHAPES:
        for launch in table_launches(connectivity, shape):
            check_blocks(launch, shape)
            check_nesting(launch, shape)


@pytest.mark.parametrize(("key", "connectivity", "parameters"), VARIANTS)
def test_every_launch_has_a_name_in_a_paper_and_divides_the_grid(
    key: str, connectivity: int, parameters: Mapping[str, int | None]
) -> None:
    for launch in launches(key, connectivity, parameters, (37, 71)):
        assert ": " in launch.paper or "kernel " in launch.paper, launch
        assert launch.structures or launch.kernel.name == "consecutive_scan", launch


@pytest.mark.parametrize("key", ALGORITHMS)
def test_launches_of_different_kernels_have_different_names(key: str) -> None:
    row = ALGORITHMS[key]
    names: dict[str, set[str]] = {}
    for launch in launches(key, row.connectivities[0], row.complete({}), (70, 300)):
        names.setdefault(launch.paper, set()).add(launch.kernel.name)
    assert all(len(kernels) == 1 for kernels in names.values()), names


def own(key: str, shape: Shape, **parameters: int | None) -> list[Launch]:
    """The launches of an algorithm alone."""
    row = ALGORITHMS[key]
    found = launches(key, row.connectivities[0], row.complete(parameters), shape)
    return [launch for launch in found if launch.kernel.module != "consecutive"]


def at_stage(found: Iterable[Launch], stage: Stage) -> Launch:
    return next(launch for launch in found if launch.stage is stage)


def test_stava_benes_shows_the_tiles_that_merge_and_those_that_result() -> None:
    found = own("stava_benes", (300, 300))
    assert [launch.kernel.name.removeprefix("stava_benes_") for launch in found] == [
        "tile", "merge", "flatten", "merge", "flatten", "merge", "final"
    ]  # fmt: skip
    first, second, third = (launch for launch in found if launch.stage is Stage.KERNEL_2)
    assert of(PartKind.TILE, first) == [
        LaunchStructure(PartKind.TILE, 64, 64, level=1),
        LaunchStructure(PartKind.TILE, 16, 16),
    ]
    assert of(PartKind.TILE, second) == [
        LaunchStructure(PartKind.TILE, 256, 256, level=2),
        LaunchStructure(PartKind.TILE, 64, 64, level=1),
    ]
    assert of(PartKind.TILE, third) == [
        LaunchStructure(PartKind.TILE, 1024, 1024, level=3),
        LaunchStructure(PartKind.TILE, 256, 256, level=2),
    ]
    assert of(PartKind.BLOCK, third) == [
        LaunchStructure(PartKind.BLOCK, 512, 512)
    ]  # two tiles across are all
    assert of(PartKind.TILE, found[2]) == [LaunchStructure(PartKind.TILE, 64, 64, level=1)]


@pytest.mark.parametrize(("key", "columns"), [("ha4", 32), ("ha4_64", 64), ("ha8", 32)])
def test_ha4_shows_strips_then_warps_and_runs(key: str, columns: int) -> None:
    strips, borders, relabelling = own(key, (70, 130))
    assert [structure.part for structure in strips.structures] == ["block", "strip", "warp", "run"]
    assert (
        of(PartKind.STRIP, strips)
        == of(PartKind.STRIP, borders)
        == [LaunchStructure(PartKind.STRIP, None, 4)]
    )
    for launch in (strips, borders, relabelling):
        assert of(PartKind.RUN, launch) == [LaunchStructure(PartKind.RUN, columns, 1)]
    assert of(PartKind.BLOCK, relabelling) == [LaunchStructure(PartKind.BLOCK, columns, 4)]


def test_row_col_unify_shows_rows_then_columns() -> None:
    _, rows, columns, *_ = own("row_col_unify", (5, 70), threads=16)
    assert rows.structures == (
        LaunchStructure(PartKind.BLOCK, None, 1),
        LaunchStructure(PartKind.TILE, 32, 1),  # shared memory holds no more of a row at a time
        LaunchStructure(PartKind.RUN, 32, 1),
    )
    assert columns.structures == (
        LaunchStructure(PartKind.BLOCK, 1, None),
        LaunchStructure(PartKind.RUN, 1, None),
    )


def test_bke_shows_blocks_of_two_by_two_pixels() -> None:
    for launch in own("bke", (37, 71)):
        assert launch.structures == (
            LaunchStructure(PartKind.BLOCK, 64, 2 * launch.block[1]),
            LaunchStructure(PartKind.WARP, 64, 2),
            LaunchStructure(PartKind.QUAD, 2, 2),
        )


def test_cabaret_shows_tiles_that_become_columns_of_tiles() -> None:
    tiles, horizontal, vertical, relabelling = own("cabaret", (70, 90))
    assert of(PartKind.TILE, tiles) == [LaunchStructure(PartKind.TILE, 16, 16)]
    assert horizontal.structures == (
        LaunchStructure(PartKind.TILE, 16, None),
        LaunchStructure(PartKind.TILE, 16, 16),
    )
    assert vertical.structures == (LaunchStructure(PartKind.TILE, 16, None),)
    assert of(PartKind.BLOCK, relabelling) == [LaunchStructure(PartKind.BLOCK, 32, 8)]


def test_playne_block_shows_its_tiles_until_they_are_joined() -> None:
    tiles, horizontal, vertical, resolve = own("playne_block", (70, 90), tile_width=16)
    for launch in (tiles, horizontal, vertical):
        assert of(PartKind.TILE, launch) == [LaunchStructure(PartKind.TILE, 16, 8)]
    assert of(PartKind.WARP, tiles) == [LaunchStructure(PartKind.WARP, 16, 2)]
    assert of(PartKind.TILE, resolve) == []


def test_the_two_pass_yardstick_shows_the_rows_of_a_launch() -> None:
    for place, launch in enumerate(own("two_pass", (70, 90), rows=7)):
        assert launch.structures == (LaunchStructure(PartKind.STRIP, None, 7, only=place % 10),)


@pytest.mark.parametrize("key", ["label_equivalence", "label_equivalence_sizes"])
def test_label_equivalence_counts_cells_without_rows(key: str) -> None:
    for launch in own(key, (37, 71)):
        assert launch.structures == (
            LaunchStructure(PartKind.BLOCK, 256, 1, linear=True),
            LaunchStructure(PartKind.WARP, 32, 1, linear=True),
        )


@pytest.mark.parametrize(
    ("block", "warp"),
    [
        ((32, 8, 1), (32, 1)),
        ((64, 1, 1), (32, 1)),
        ((16, 16, 1), (16, 2)),
        ((8, 8, 1), (8, 4)),
        ((5, 3, 1), (5, 3)),
        ((2, 16, 1), (2, 16)),
        ((16, 3, 1), None),  # a warp and a half
        ((20, 20, 1), None),
        ((48, 4, 1), None),
    ],
)
def test_warps_are_shown_where_they_are_rectangles(block: Dim3, warp: Shape | None) -> None:
    blocks, *warps = block_structures(block)
    assert blocks == LaunchStructure(PartKind.BLOCK, block[0], block[1])
    assert warps == ([] if warp is None else [LaunchStructure(PartKind.WARP, *warp)])
