"""What launches declare of themselves: the paper's name, and how they divide the grid."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from math import prod

import pytest
from support.plans import VARIANTS, launches, table_launches

from ccl_viewer.algorithms import ALGORITHMS
from ccl_viewer.execution.plan import Launch, LaunchStructure, PartKind

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
