"""Parts of one-dimensional launches run on from row to row, over the grid without its padding."""

from __future__ import annotations

import numpy as np
import pytest

from ccl_viewer.execution.plan import LabelLayout, LaunchStructure, PartKind
from ccl_viewer.render.geometry import run_boxes, smallest_side, structure_lines

PLAIN = LabelLayout(3, 5, pitch=5)
PADDED = LabelLayout(3, 5, pitch=7, margin=1)
EVERYTHING = (-1, -1, 6, 4)

both = pytest.mark.parametrize("layout", [PLAIN, PADDED], ids=["plain", "padded"])


@both
def test_borders_lie_where_the_next_thread_belongs_to_another_part(layout: LabelLayout) -> None:
    parts = LaunchStructure(PartKind.BLOCK, 4, 1, linear=True)
    # 0 0 0 0 1
    # 1 1 1 2 2
    # 2 2 3 3 3
    crossed = set()
    for x0, y0, x1, y1 in structure_lines(parts, layout, EVERYTHING).tolist():
        steps = max(x1 - x0, y1 - y0)
        dx, dy = (x1 - x0) // steps, (y1 - y0) // steps
        crossed |= {(x0 + i * dx, y0 + i * dy, dx) for i in range(steps)}
    inner = {(x, y, dx) for x, y, dx in crossed if (0 < x < 5 if not dx else 0 < y < 3)}
    upright = {(4, 0, 0), (3, 1, 0), (2, 2, 0)}
    numbers = np.arange(15).reshape(3, 5) // 4
    level = {(x, y, 1) for y in (1, 2) for x in range(5) if numbers[y, x] != numbers[y - 1, x]}
    assert inner == upright | level


@both
def test_runs_are_cut_where_the_next_part_begins(layout: LabelLayout) -> None:
    runs = LaunchStructure(PartKind.RUN, 4, 1, linear=True)
    image = np.array([[1, 1, 1, 1, 1], [0, 1, 1, 1, 1], [1, 1, 1, 0, 0]], np.uint8)
    assert run_boxes(image, runs, layout, EVERYTHING).tolist() == [
        [0, 0, 4, 1], [4, 0, 5, 1], [1, 1, 3, 2], [3, 1, 5, 2], [0, 2, 2, 3], [2, 2, 3, 3]
    ]  # fmt: skip


@both
def test_a_part_of_several_rows_is_as_narrow_as_these_rows(layout: LabelLayout) -> None:
    assert smallest_side(LaunchStructure(PartKind.BLOCK, 4, 1, linear=True), layout) == 1
    assert smallest_side(LaunchStructure(PartKind.BLOCK, 15, 1, linear=True), layout) == 3
