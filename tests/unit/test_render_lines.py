"""Contours and structures as lines in cells, held against looking at every edge."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ccl_viewer.execution.plan import LabelLayout, LaunchStructure, PartKind
from ccl_viewer.render import geometry

PLAIN = LabelLayout(6, 9, 9)
PADDED = LabelLayout(6, 9, 11, margin=1)
Edges = set[tuple[int, int, int, int]]


def unit_edges(segments: geometry.Segments) -> Edges:
    """The edges, a cell long each, of which segments consist; none may lie on another."""
    found: list[tuple[int, int, int, int]] = []
    for x0, y0, x1, y1 in segments.tolist():
        assert (x0 == x1) != (y0 == y1)
        for step in range(max(x1 - x0, y1 - y0)):
            x, y = (x0 + step, y0) if y0 == y1 else (x0, y0 + step)
            found.append((x, y, x + (y0 == y1), y + (x0 == x1)))
    assert len(found) == len(set(found))
    return set(found)


def edges_between(parts: dict[tuple[int, int], int]) -> Edges:
    """The edges between cells of different parts, those outside all parts included."""
    found = set()
    for (x, y), part in parts.items():
        for dx, dy, edge in (
            (-1, 0, (x, y, x, y + 1)),
            (1, 0, (x + 1, y, x + 1, y + 1)),
            (0, -1, (x, y, x + 1, y)),
            (0, 1, (x, y + 1, x + 1, y + 1)),
        ):
            if parts.get((x + dx, y + dy)) != part:
                found.add(edge)
    return found


@given(st.integers(0, 2**32 - 1), st.integers(1, 8), st.integers(1, 8), st.integers(1, 4))
def test_contours_are_where_numbers_meet(seed: int, height: int, width: int, kinds: int) -> None:
    ids = np.random.default_rng(seed).integers(0, kinds + 1, (height, width))
    parts = {(x, y): int(ids[y, x]) for y in range(height) for x in range(width)}
    outside = {(x, y): 0 for y in range(-1, height + 1) for x in range(-1, width + 1)}
    wanted = edges_between({**outside, **parts}) - edges_between(outside)
    found = geometry.border_segments(ids)
    assert unit_edges(found) == wanted
    # As long as they are straight: no segment begins where another of its line ends.
    ends = {(line[2], line[3], line[0] == line[2]) for line in found.tolist()}
    starts = {(line[0], line[1], line[0] == line[2]) for line in found.tolist()}
    assert not ends & starts


@pytest.mark.parametrize("layout", [PLAIN, PADDED])
@pytest.mark.parametrize(
    "part",
    [
        LaunchStructure(PartKind.BLOCK, 4, 2),
        LaunchStructure(PartKind.TILE, 16, 16),
        LaunchStructure(PartKind.STRIP, None, 4),
        LaunchStructure(PartKind.BLOCK, 1, None),
        LaunchStructure(PartKind.WARP, 4, 1, linear=True),
        LaunchStructure(PartKind.BLOCK, 25, 1, linear=True),
    ],
)
def test_lines_are_where_parts_meet(layout: LabelLayout, part: LaunchStructure) -> None:
    window = (-5, -5, 20, 20)
    wide, high = part.width or layout.width, part.height or layout.height

    def number(x: int, y: int) -> int:
        return (y * layout.width + x) // wide if part.linear else x // wide * 99 + y // high

    parts = {(x, y): number(x, y) for y in range(6) for x in range(9)}
    found = unit_edges(geometry.structure_lines(part, layout, window))
    assert found == edges_between(parts)
    assert geometry.structure_lines(part, layout, (30, 30, 40, 40)).size == 0


@pytest.mark.parametrize(
    ("rows", "only", "lines", "told"),
    [
        (1, 2, (2, 3), "strip at work: row 2"),
        (4, 0, (0, 4), "strip at work: 4 rows from row 0"),
        (4, 1, (4, 6), "strip at work: 4 rows from row 4"),
    ],
)
def test_a_strip_at_work_is_set_off(
    rows: int, only: int, lines: tuple[int, int], told: str
) -> None:
    part = LaunchStructure(PartKind.STRIP, None, rows, only=only)
    found = unit_edges(geometry.structure_lines(part, PLAIN, (-5, -5, 20, 20)))
    assert found == edges_between({(x, y): 0 for y in range(*lines) for x in range(9)})
    assert geometry.structure_name(part) == told
    assert len(geometry.group_structures((part, LaunchStructure(PartKind.BLOCK, None, rows)))) == 2


def test_lines_out_of_sight_are_left_out() -> None:
    part = LaunchStructure(PartKind.BLOCK, 2, 2)
    found = geometry.structure_lines(part, LabelLayout(1000, 1000, 1000), (100, 100, 110, 104))
    assert found[:, [0, 2]].min() == 100
    assert found[:, [0, 2]].max() == 110
    assert len(found) == 6 + 3


@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from(
        [
            LaunchStructure(PartKind.RUN, None, 1),
            LaunchStructure(PartKind.RUN, 4, 1),
            LaunchStructure(PartKind.RUN, 1, None),
            LaunchStructure(PartKind.RUN, 4, 1, linear=True),
        ]
    ),
    st.sampled_from([PLAIN, PADDED]),
)
def test_runs_end_with_foreground_and_with_parts(
    seed: int, part: LaunchStructure, layout: LabelLayout
) -> None:
    image = np.random.default_rng(seed).integers(0, 3, (6, 9), dtype=np.uint8)
    down = part.width == 1
    side = 6 if down else part.width or 9

    def key(x: int, y: int) -> tuple[int, ...]:
        if down:
            return x, y // side
        if part.linear:
            return y, (y * layout.width + x) // side
        return y, x // side

    boxes = geometry.run_boxes(image, part, layout, (-3, -3, 30, 30)).tolist()
    covered = np.zeros_like(image)
    for left, top, right, bottom in boxes:
        assert (right - left == 1) if down else (bottom - top == 1)
        cells = image[top:bottom, left:right]
        assert (cells == cells[0, 0]).all()
        assert cells[0, 0]
        assert key(left, top) == key(right - 1, bottom - 1)
        covered[top:bottom, left:right] += 1
        after = (left, bottom) if down else (right, top)
        if after[0] < 9 and after[1] < 6 and key(*after) == key(left, top):
            assert image[after[1], after[0]] != cells[0, 0]
    assert np.array_equal(covered, image != 0)
