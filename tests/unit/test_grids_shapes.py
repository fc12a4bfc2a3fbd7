"""Shapes as spans of rows: which cells they cover, and where they end."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ccl_viewer.errors import InputError
from ccl_viewer.grids.brush import brush_offsets, line_cells
from ccl_viewer.grids.shapes import (
    Box,
    Spans,
    box_between,
    make_ellipse,
    make_rectangle,
    straighten,
    sweep_line,
)
from ccl_viewer.grids.text_art import format_grid

coordinates = st.integers(-20, 30)
places = st.tuples(coordinates, coordinates)
boxes = st.builds(
    lambda top, left, height, width: Box(top, left, top + height, left + width),
    st.integers(-5, 5),
    st.integers(-5, 5),
    st.integers(1, 24),
    st.integers(1, 24),
)


def drawn(spans: Spans, height: int, width: int) -> str:
    grid = np.zeros((height, width), np.uint8)
    spans.fill(grid, 1)
    return format_grid(grid).strip()


@given(places, places, st.integers(1, 9))
def test_a_line_is_what_its_brush_covers(
    start: tuple[int, int], end: tuple[int, int], brush: int
) -> None:
    shape = (17, 23)
    spans = sweep_line(start, end, brush)
    near = (line_cells(*start, *end)[:, None] + brush_offsets(brush)[None]).reshape(-1, 2).tolist()
    inside = {(y, x) for y, x in near if 0 <= y < shape[0] and 0 <= x < shape[1]}
    expected = sorted(y * shape[1] + x for y, x in inside)
    assert sorted(spans.indices(shape).tolist()) == expected
    grid = np.zeros(shape, np.uint8)
    spans.fill(grid, 3)
    assert np.flatnonzero(grid == 3).tolist() == expected
    assert spans.clipped(shape).size == len(expected)


def test_a_line_refuses_other_brushes() -> None:
    with pytest.raises(InputError, match="brush"):
        sweep_line((0, 0), (3, 3), 0)


def test_rectangles() -> None:
    box = Box(1, 1, 5, 7)
    assert drawn(make_rectangle(box), 6, 8) == (
        "........\n.######.\n.######.\n.######.\n.######.\n........"
    )
    assert drawn(make_rectangle(box, 1), 6, 8) == (
        "........\n.######.\n.#....#.\n.#....#.\n.######.\n........"
    )
    assert drawn(make_rectangle(box, 2), 6, 8) == drawn(make_rectangle(box), 6, 8)


def test_ellipses() -> None:
    assert drawn(make_ellipse(Box(0, 0, 5, 5)), 5, 5) == ".###.\n#####\n#####\n#####\n.###."
    assert drawn(make_ellipse(Box(0, 0, 5, 5), 1), 5, 5) == ".###.\n#...#\n#...#\n#...#\n.###."
    assert drawn(make_ellipse(Box(0, 0, 4, 8)), 4, 8) == ".######.\n########\n########\n.######."
    assert drawn(make_ellipse(Box(0, 0, 1, 6), 1), 1, 6) == "######"


@given(boxes)
def test_an_ellipse_touches_its_box_and_is_symmetric(box: Box) -> None:
    inner = make_ellipse(box.moved(5, 5))
    grid = np.zeros((40, 40), np.uint8)
    inner.fill(grid, 1)
    cut = grid[box.moved(5, 5).slices]
    assert cut.sum() == grid.sum() == inner.size
    assert cut[0].any()
    assert cut[-1].any()
    assert cut[:, 0].any()
    assert cut[:, -1].any()
    assert np.array_equal(cut, cut[::-1])
    assert np.array_equal(cut, cut[:, ::-1])


@given(boxes, st.integers(1, 6))
def test_a_border_has_no_gap_and_lies_inside(box: Box, border: int) -> None:
    box = box.moved(6, 6)
    whole, rim = np.zeros((42, 42), np.uint8), np.zeros((42, 42), np.uint8)
    make_ellipse(box).fill(whole, 1)
    make_ellipse(box, border).fill(rim, 1)
    assert not (rim & ~whole & 1).any()
    beside = np.zeros_like(whole)
    beside[1:-1, 1:-1] = (
        whole[:-2, 1:-1] & whole[2:, 1:-1] & whole[1:-1, :-2] & whole[1:-1, 2:]
    ) ^ 1
    assert (rim[(whole == 1) & (beside == 1)] == 1).all()
    indices = make_ellipse(box, border).indices(whole.shape)
    assert np.unique(indices).size == indices.size


def test_a_drag_spans_a_box_in_any_direction() -> None:
    assert box_between((2, 3), (5, 9)) == Box(2, 3, 6, 10)
    assert box_between((5, 9), (2, 3)) == Box(2, 3, 6, 10)
    assert box_between((5, 9), (3, 3), square=True) == Box(-1, 3, 6, 10)
    assert box_between((5, 9), (7, 10), centred=True) == Box(3, 8, 8, 11)
    assert box_between((5, 5), (7, 5), square=True, centred=True) == Box(3, 3, 8, 8)


@pytest.mark.parametrize(
    ("end", "expected"),
    [((1, 9), (0, 9)), ((9, -2), (9, 0)), ((6, 7), (7, 7)), ((-6, 7), (-7, 7)), ((0, 0), (0, 0))],
)
def test_a_straightened_line(end: tuple[int, int], expected: tuple[int, int]) -> None:
    assert straighten((0, 0), end) == expected


def test_boxes() -> None:
    box = Box(-2, 3, 4, 9)
    assert (box.height, box.width) == (6, 6)
    assert box.clipped((3, 5)) == Box(0, 3, 3, 5)
    assert box.holds(3, 8)
    assert not box.holds(4, 8)
    assert Box(5, 5, 9, 9).clipped((3, 3)).empty
    assert box.shrunk(1) == Box(-1, 4, 3, 8)
