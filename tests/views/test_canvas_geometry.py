"""Where cells lie: hit-testing, zoom, fit and number sizes, without a widget."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ccl_viewer.views.canvas import cell_sample
from ccl_viewer.views.canvas.cell_picture import lined_table, packed_table, pixels_of
from ccl_viewer.views.canvas.cell_sample import Blocks, sample_of
from ccl_viewer.views.canvas.geometry import (
    LARGEST_SCALE,
    SMALLEST_SCALE,
    CellRange,
    Viewpoint,
    cell_at,
    fitted,
    kept_in_sight,
    number_size,
    snapped,
    visible_cells,
    whole,
)

SCALES = st.sampled_from([1 / 8, 1 / 3, 1.0, 2.0, 7.0, 24.0])
OFFSETS = st.integers(-300, 300)


@given(SCALES, OFFSETS, OFFSETS, st.integers(0, 40), st.integers(0, 40))
def test_the_middle_of_a_cell_is_in_the_cell(
    scale: float, x: int, y: int, column: int, row: int
) -> None:
    view = Viewpoint(scale, x, y)
    middle = view.corner(column + 0.5, row + 0.5)
    assert view.to_cell(*middle) == (column, row)
    assert cell_at(view, *middle, 41, 41) == (column, row)


def test_outside_the_grid_is_no_cell() -> None:
    view = Viewpoint(10, 5, 5)
    assert cell_at(view, 4.9, 20, 3, 3) is None
    assert cell_at(view, 34.9, 34.9, 3, 3) == (2, 2)
    assert cell_at(view, 35, 20, 3, 3) is None


@given(SCALES, st.booleans(), st.integers(0, 500), st.integers(0, 400))
def test_zooming_changes_the_scale_and_keeps_the_point(
    scale: float, inwards: bool, x: int, y: int
) -> None:
    view = Viewpoint(scale, 3, -7)
    zoomed = view.zoomed(1.25 if inwards else 0.8, x, y)
    assert (zoomed.scale > scale) == inwards
    before = ((x - view.x) / view.scale, (y - view.y) / view.scale)
    after = ((x - zoomed.x) / zoomed.scale, (y - zoomed.y) / zoomed.scale)
    assert np.allclose(before, after, atol=1 / min(zoomed.scale, 1))


def test_scales_are_whole_and_limited() -> None:
    assert snapped(7.3, up=True) == 8
    assert snapped(7.3, up=False) == 7
    assert snapped(0.4, up=True) == 1 / 2
    assert snapped(0.4, up=False) == 1 / 3
    assert snapped(0.8, up=True) == 1
    assert snapped(0.8, up=False, ratio=2.0) == 0.5
    assert snapped(0.4, up=False, ratio=1.5) == 1 / 3
    assert snapped(1e6, up=True) == LARGEST_SCALE
    assert snapped(1e-6, up=False) == SMALLEST_SCALE


@given(st.integers(1, 5000), st.integers(1, 5000), st.integers(50, 2000), st.integers(50, 2000))
def test_a_fitted_grid_is_visible_as_a_whole(
    columns: int, rows: int, width: int, height: int
) -> None:
    view = fitted(CellRange(0, 0, columns, rows), width, height, 6)
    if view.scale > SMALLEST_SCALE:
        assert visible_cells(view, columns, rows, width, height) == CellRange(0, 0, columns, rows)


@given(SCALES, st.integers(-9000, 9000), st.integers(-9000, 9000))
def test_a_part_of_the_grid_stays_in_sight(scale: float, x: int, y: int) -> None:
    view = kept_in_sight(Viewpoint(scale, x, y), 100, 100, 640, 480)
    assert not visible_cells(view, 100, 100, 640, 480).empty


def test_visible_cells_end_at_the_edge() -> None:
    assert visible_cells(Viewpoint(10, -15, 0), 100, 100, 40, 20) == CellRange(1, 0, 6, 2)
    assert visible_cells(Viewpoint(10, 500, 0), 100, 100, 40, 20).empty


@pytest.mark.parametrize("digits", [1, 3, 5, 8])
def test_numbers_fit_or_are_left_out(digits: int) -> None:
    sizes = [number_size(cell, digits) for cell in range(4, 80)]
    shown = [size for size in sizes if size is not None]
    assert sizes[0] is None
    assert shown == sorted(shown)
    assert all(
        size is None or size * 0.62 * digits <= cell
        for cell, size in zip(range(4, 80), sizes, strict=True)
    )


COLORS = packed_table(np.arange(1024, dtype=np.uint8).reshape(256, 4))


@given(SCALES.filter(lambda scale: scale >= 1), st.integers(-60, 60), st.integers(-60, 60))
def test_each_pixel_has_the_colour_of_its_cell(scale: float, x: int, y: int) -> None:
    indices = np.random.default_rng(3).integers(0, 9, (11, 13), dtype=np.uint8)
    view, size = Viewpoint(scale, x, y), (90, 70)
    visible = visible_cells(view, 13, 11, *size)
    sample = sample_of(Blocks(indices), view, visible, size)
    pixels = pixels_of(sample, sample.of(indices), COLORS, None)
    left, top = sample.left, sample.top
    for row in range(pixels.shape[0]):
        for column in range(0, pixels.shape[1], 7):
            cell = cell_at(view, left + column + 0.5, top + row + 0.5, 13, 11)
            assert cell is not None
            assert pixels[row, column] == COLORS[indices[cell[1], cell[0]]]


def test_lines_are_at_the_edges_of_cells() -> None:
    indices = np.full((3, 4), 2, np.uint8)
    view, size = Viewpoint(20, -10, 5), (60, 70)
    visible = visible_cells(view, 4, 3, *size)
    lined = lined_table(COLORS, (1, 2, 3), view.scale)
    assert lined is not None
    sample = sample_of(Blocks(indices), view, visible, size)
    pixels = pixels_of(sample, sample.of(indices), COLORS, lined)
    assert (sample.left, sample.top) == (0, 5)
    line = pixels == 0xFF010203
    assert np.flatnonzero(line.all(axis=0)).tolist() == [10, 30, 50]
    assert np.flatnonzero(line.all(axis=1)).tolist() == [0, 20, 40]
    assert (pixels[~line] == COLORS[2]).all()
    assert lined_table(COLORS, (1, 2, 3), 5) is None


def test_nothing_visible_is_no_picture() -> None:
    indices = np.ones((4, 4), np.uint8)
    view = Viewpoint(1, 500, 500)
    visible = visible_cells(view, 4, 4, 90, 70)
    sample = sample_of(Blocks(indices), view, visible, (90, 70))
    assert sample.empty
    assert pixels_of(sample, sample.of(indices), COLORS, None).size == 0


def test_colours_are_packed_as_qt_reads_them() -> None:
    table = np.zeros((256, 4), np.uint8)
    table[1] = (0x12, 0x34, 0x56, 0xFF)
    assert packed_table(table)[1] == 0xFF123456


@given(st.integers(1, 70), st.integers(1, 70), st.integers(0, 4899), st.sampled_from([2, 3, 5, 16]))
def test_a_single_cell_survives_zooming_out(height: int, width: int, at: int, side: int) -> None:
    grid = np.zeros((height, width), np.uint8)
    grid.reshape(-1)[at % grid.size] = 1
    blocks = Blocks(grid)
    factor = side
    rows, columns = np.arange(-(-height // factor)), np.arange(-(-width // factor))
    places = blocks.places(rows, columns, factor)
    assert np.array_equal(places // width // factor, np.broadcast_to(rows[:, None], places.shape))
    assert np.array_equal(places % width // factor, np.broadcast_to(columns, places.shape))
    assert np.count_nonzero(places == at % grid.size) == 1
    assert np.count_nonzero(grid.reshape(-1)[places]) == 1


@given(
    st.integers(1, 200),
    st.integers(1, 200),
    st.integers(0, 39_999),
    st.integers(2, 32),
    st.sampled_from((1.0, 1.25, 1.75, 3.0)),
)
def test_every_cell_of_a_grid_is_in_its_picture(
    height: int, width: int, at: int, side: int, ratio: float
) -> None:
    grid = np.zeros((height, width), np.uint8)
    y, x = divmod(at % grid.size, width)
    grid[y, x] = 1
    corner = whole(5.0, ratio), whole(3.0, ratio)
    view, size = Viewpoint(1 / side / ratio, *corner).fine(ratio), (220, 220)
    visible = visible_cells(view, width, height, *size)
    sample = sample_of(Blocks(grid), view, visible, size)
    shown = np.argwhere(sample.of(grid))
    assert len(shown) == 1
    row, column = shown[0].tolist()
    assert (row, column) == (y // side, x // side)
    found = cell_at(view, sample.left + column + 0.5, sample.top + row + 0.5, width, height)
    assert found is not None
    assert (found[0] // side, found[1] // side) == (column, row)


def test_zoomed_out_pictures_show_a_cell_of_each_block() -> None:
    indices = np.random.default_rng(5).integers(2, 9, (200, 300), dtype=np.uint8)
    view, size = Viewpoint(0.25, 3, 4), (80, 60)
    visible = visible_cells(view, 300, 200, *size)
    sample = sample_of(Blocks(indices), view, visible, size)
    pixels = pixels_of(sample, sample.of(indices), COLORS, None)
    assert (sample.left, sample.top) == (3, 4)
    assert np.array_equal(pixels, COLORS[indices[::4, ::4]])


@pytest.mark.parametrize("side", [2, 3, 15, 16, 40])
def test_the_first_foreground_cell_stands_for_a_block(side: int) -> None:
    height, width = 3 * side + 1, 5 * side - 1
    grid = np.random.default_rng(side).integers(0, 40, (height, width)).astype(np.uint8)
    grid[grid > 3] = 0  # values of segments, and at small sides blocks without any
    down, across = -(-height // side), -(-width // side)
    found = Blocks(grid).places(np.arange(down), np.arange(across), side)
    for y, x in np.ndindex(down, across):
        block = grid[y * side : (y + 1) * side, x * side : (x + 1) * side]
        cells = np.argwhere(block)
        first = cells[0] if len(cells) else (0, 0)
        expected = (y * side + first[0]) * width + x * side + first[1]
        assert found[y, x] == expected


def test_of_a_large_grid_the_cells_that_stand_for_blocks_are_found_in_pieces(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(cell_sample, "PIECE_CELLS", 2 * 3 * 30)  # two rows of blocks
    rows, columns, side = np.arange(7), np.arange(10), 3
    before, after = (np.random.default_rng(seed).random((20, 29)) < 0.2 for seed in (1, 2))
    blocks = Blocks(before.astype(np.uint8))
    assert [blocks.catch_up(side) for _ in range(8)] == [False] * 7 + [True]
    blocks.update(after.astype(np.uint8))
    assert not blocks.catch_up(side)
    edited = after.astype(np.uint8)
    edited[1, 1:4] = 1 - edited[1, 1:4]  # in the piece that is done already
    blocks.update(edited)
    expected = Blocks(edited).places(rows, columns, side)
    assert np.array_equal(blocks.places(rows, columns, side), expected)
    edited[10, 10] = 1 - edited[10, 10]
    blocks.update(edited)
    assert blocks.catch_up(side)
    assert np.array_equal(
        blocks.places(rows, columns, side), Blocks(edited).places(rows, columns, side)
    )


def test_what_is_drawn_while_a_large_grid_is_being_looked_through_counts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(cell_sample, "PIECE_CELLS", 60)
    grid = np.zeros((20, 20), np.uint8)
    blocks = Blocks(grid)
    assert not blocks.catch_up(2)
    grid[0, 0] = grid[19, 19] = 1
    assert blocks.update(grid) == CellRange(0, 0, 20, 20)
    found = blocks.places(np.arange(10), np.arange(10), 2)
    expected = Blocks(grid).places(np.arange(10), np.arange(10), 2)
    assert np.array_equal(found, expected)
    grid[5, 5] = 1
    assert blocks.places(np.array([2]), np.array([2]), 2) == 4 * 20 + 4, "not told of it yet"
    assert blocks.update(grid) == CellRange(5, 5, 6, 6)
    assert blocks.places(np.array([2]), np.array([2]), 2) == 5 * 20 + 5


@given(
    st.integers(1, 30),
    st.integers(1, 30),
    st.sampled_from([0.0, 0.01, 0.1, 1.0]),
    st.integers(0, 99),
    st.sampled_from([1, 50, 10_000]),
)
def test_what_differs_between_two_grids_is_found(
    height: int, width: int, density: float, seed: int, piece: int
) -> None:
    rng = np.random.default_rng(seed)
    before = rng.integers(0, 2, (height, width), dtype=np.uint8)
    after = before ^ (rng.random(before.shape) < density)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cell_sample, "_BAND_CELLS", piece)
        found = cell_sample.changed_range(before, after)
    y, x = np.nonzero(before != after)
    if y.size:
        assert found == CellRange(x.min(), y.min(), x.max() + 1, y.max() + 1)
    else:
        assert found.empty
