"""Patterns: what each one promises, the table, and the texts that name them."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import ndimage
from support.shibata import FIGURE_2, numbers

from ccl_viewer.errors import InputError
from ccl_viewer.grids import open_grid, save_grid
from ccl_viewer.grids.grid import Grid
from ccl_viewer.grids.pattern_table import PATTERNS
from ccl_viewer.grids.pattern_type import MAX_SIDE
from ccl_viewer.grids.specs import format_pattern, is_pattern, open_segments, parse_pattern
from ccl_viewer.grids.text_art import format_grid, parse

every_pattern = pytest.mark.parametrize("key", list(PATTERNS))


def count(grid: Grid, connectivity: int) -> int:
    structure = ndimage.generate_binary_structure(2, 1 if connectivity == 4 else 2)
    return int(ndimage.label(grid, structure)[1])


@pytest.mark.parametrize("size", [*range(1, 40), 63, 64, 255, 511])
def test_a_spiral_is_one_path_that_never_touches_itself(size: int) -> None:
    grid = PATTERNS["spiral"].make(size=size)
    assert grid.shape == (size, size)
    assert grid[0, 0] == 1
    assert count(grid, 4) == count(grid, 8) == 1
    cells = int(grid.sum())
    sides = int((grid[:, 1:] & grid[:, :-1]).sum() + (grid[1:] & grid[:-1]).sum())
    assert sides == cells - 1  # a tree
    padded = np.pad(grid, 1)
    vertical = grid * (padded[:-2, 1:-1] + padded[2:, 1:-1])
    horizontal = grid * (padded[1:-1, :-2] + padded[1:-1, 2:])
    assert int((vertical + horizontal).max()) <= 2  # and a tree without branches is a path
    turns = int(((vertical == 1) & (horizontal == 1)).sum())
    corners = int((grid[1:, 1:] & grid[:-1, :-1]).sum() + (grid[1:, :-1] & grid[:-1, 1:]).sum())
    assert corners == turns  # cells meet diagonally where the arm turns and nowhere else
    if size == 63:
        # 1984 steps from end to end, each turn cut short, as Shibata's naive kernel needs passes.
        assert cells - 1 - turns == 1984


def test_the_spiral_runs_clockwise_and_fills_the_middle() -> None:
    assert format_grid(PATTERNS["spiral"].make(size=7)).split() == [
        "#######",
        "......#",
        "#####.#",
        "#...#.#",
        "#.###.#",
        "#.....#",
        "#######",
    ]


@pytest.mark.parametrize("amplitude", [1, 2, 3, 5, 16])
def test_a_zigzag_is_one_path_of_diagonal_steps(amplitude: int) -> None:
    for size in [*range(1, 3 * amplitude + 30), 101, 128]:
        grid = PATTERNS["zigzag"].make(size=size, amplitude=amplitude)
        assert grid.shape == (size, size)
        assert grid[0, 0] == 1
        assert count(grid, 8) == 1
        # No two arms touch: the background is not cut off anywhere by the arm.
        assert count(1 - np.pad(grid, 1), 4) == 1


def test_a_zigzag_has_no_long_straight_line() -> None:
    grid = PATTERNS["zigzag"].make(size=128, amplitude=3)
    assert count(grid, 4) > 100
    for lines in (grid, grid.T):
        runs = format_grid(np.ascontiguousarray(lines)).replace(".", " ").split()
        assert max(len(run) for run in runs) <= 2 * (3 + 2) + 1


@given(
    width=st.integers(1, 40),
    height=st.integers(1, 40),
    density=st.floats(0, 1),
    granularity=st.integers(1, 50),
    seed=st.integers(0, 2**32 - 1),
)
def test_noise_is_that_of_the_mersenne_twister(
    width: int, height: int, density: float, granularity: int, seed: int
) -> None:
    grid = PATTERNS["noise"].make(
        width=width, height=height, density=density, granularity=granularity, seed=seed
    )
    rows, columns = math.ceil(height / granularity), math.ceil(width / granularity)
    squares = np.random.RandomState(seed).rand(rows, columns) < density
    blown_up = np.kron(squares, np.ones((granularity, granularity)))[:height, :width]
    np.testing.assert_array_equal(grid, blown_up)


def test_noise_of_many_cells_is_drawn_in_parts() -> None:
    grid = PATTERNS["noise"].make(width=2200, height=2000, seed=9)
    np.testing.assert_array_equal(grid, np.random.RandomState(9).rand(2000, 2200) < 0.5)


def test_the_first_numbers_of_noise() -> None:
    # RandomState(0).rand() begins 0.5488, 0.7152, 0.6028, 0.5449, on every system.
    grid = PATTERNS["noise"].make(width=4, height=1, density=0.6, seed=0)
    np.testing.assert_array_equal(grid, [[1, 0, 0, 1]])


def test_checkerboard() -> None:
    grid = PATTERNS["checkerboard"].make(width=7, height=5)
    y, x = np.mgrid[:5, :7]
    np.testing.assert_array_equal(grid, (y + x + 1) % 2)
    assert (count(grid, 4), count(grid, 8)) == (18, 1)
    large = PATTERNS["checkerboard"].make(width=7, height=5, cell=3)
    np.testing.assert_array_equal(large, ((y // 3 + x // 3 + 1) % 2))


def test_a_comb_is_joined_by_its_last_row_alone() -> None:
    grid = PATTERNS["comb"].make(width=23, height=9, tooth=2, gap=3)
    assert count(grid, 4) == count(grid, 8) == 1
    assert count(grid[:-1], 8) == 5
    assert grid[-1].all()
    assert "".join("#" if c else "." for c in grid[0]) == "##...##...##...##...##."


def test_rings_enclose_each_other() -> None:
    grid = PATTERNS["rings"].make(width=12, height=9)
    assert format_grid(grid).split()[:5] == [
        "############",
        "#..........#",
        "#.########.#",
        "#.#......#.#",
        "#.#.####.#.#",
    ]
    assert count(grid, 4) == count(grid, 8) == 3
    thick = PATTERNS["rings"].make(width=40, height=40, thickness=3, gap=2)
    assert count(thick, 4) == count(thick, 8) == 4


@pytest.mark.parametrize("radius", [10, 20, 50, 100])
def test_kalentevs_blobs_fill_a_quarter_and_noise_another(radius: int) -> None:
    grid = PATTERNS["clusters"].make(width=600, height=500, radius=radius, density=0.5, seed=2)
    assert grid.mean() == pytest.approx(0.5, abs=0.01)
    cells = np.pad(grid, 1)
    full = np.ones_like(grid)  # cells whose eight neighbours are foreground: of discs, mostly
    for y in range(3):
        for x in range(3):
            full &= cells[y : y + 500, x : x + 600]
    assert 0.15 < full.mean() < 0.3


def test_discs() -> None:
    one = PATTERNS["discs"].make(width=40, height=30, count=1, radius=3)
    y, x = np.argwhere(one).mean(axis=0).round().astype(int)
    assert one[y, x] == 1
    assert int(one.sum()) <= 29  # cells within 3 of a cell
    assert not PATTERNS["discs"].make(count=0).any()
    many = PATTERNS["discs"].make(width=20, height=20, count=500, radius=30)
    assert many.all()
    other = PATTERNS["discs"].make(width=40, height=30, count=1, radius=3, seed=1)
    assert not np.array_equal(one, other)


def test_shibatas_figure_2() -> None:
    np.testing.assert_array_equal(PATTERNS["shibata"].make(), numbers(FIGURE_2))


def test_empty_and_full() -> None:
    assert not PATTERNS["empty"].make(width=3, height=2).any()
    assert PATTERNS["full"].make(width=3, height=2).all()


@every_pattern
def test_every_pattern_at_its_defaults_and_its_smallest(key: str) -> None:
    pattern = PATTERNS[key]
    assert pattern.key == key
    smallest = {
        parameter.name: "I" if parameter.kind is str else parameter.minimum
        for parameter in pattern.parameters
    }
    for values in ({}, smallest):
        grid = pattern.make(**values)
        assert grid.dtype == np.uint8
        assert grid.ndim == 2
        assert grid.flags.c_contiguous
        assert grid.flags.writeable
        assert pattern.multivalued or set(np.unique(grid)) <= {0, 1}
    for parameter in pattern.parameters:
        assert parameter.resolve(parameter.default) == parameter.default
        if parameter.kind is not str:
            assert parameter.resolve(parameter.maximum) == parameter.maximum


@every_pattern
def test_every_pattern_at_odd_sizes(key: str) -> None:
    pattern = PATTERNS[key]
    names = {parameter.name for parameter in pattern.parameters}
    if not {"width", "height"} <= names:
        return
    for width, height in [(1, 1), (1, 9), (9, 1), (2, 3), (33, 7)]:
        assert pattern.make(width=width, height=height).shape == (height, width)


@every_pattern
def test_specs_come_back(key: str) -> None:
    pattern = PATTERNS[key]
    defaults = {parameter.name: parameter.default for parameter in pattern.parameters}
    spec = format_pattern(key, defaults)
    assert parse_pattern(spec) == (pattern, defaults)
    loaded = open_grid(spec)
    assert loaded.source == spec
    assert loaded.threshold is None
    np.testing.assert_array_equal(loaded.grid, pattern.make() != 0)
    np.testing.assert_array_equal(open_grid(spec, invert=True).grid, pattern.make() == 0)
    segments = open_segments(spec)
    assert segments.source == spec
    assert segments.multivalued
    np.testing.assert_array_equal(segments.grid, pattern.make())
    assert format_pattern(key) == f"pattern:{key}"
    assert open_grid(f"pattern:{key}").source == f"pattern:{key}"


def test_only_what_was_given_is_written_in_the_order_of_the_table() -> None:
    spec = open_grid("pattern:noise?seed=3&density=.25&width=8").source
    assert spec == "pattern:noise?width=8&density=0.25&seed=3"
    assert format_pattern("noise", {"density": 1}) == "pattern:noise?density=1.0"


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("pattern:spirals", r"no pattern 'spirals' \(did you mean spiral\?\); there are shibata, "),
        ("pattern:", "no pattern ''"),
        ("pattern:qqq", "no pattern 'qqq'; there are"),
        ("pattern:spiral?sise=3", r"no parameter 'sise' \(did you mean size\?\); it has size"),
        ("pattern:shibata?size=3", "no parameter 'size'; it has none"),
        ("pattern:spiral?size", "write pattern:spiral"),
        ("pattern:spiral?size=3&", "sets nothing"),
        ("pattern:spiral?size=3&size=4", "given twice"),
        ("pattern:spiral?size=", "whole number from 1 to 16384, not ''"),
        ("pattern:spiral?size=2.5", "whole number"),
        ("pattern:spiral?size=0", "whole number from 1 to 16384, not 0"),
        ("pattern:spiral?size=16385", "not 16385"),
        ("pattern:noise?density=1.5", "a number from 0.0 to 1.0, not 1.5"),
        ("pattern:noise?density=nan", "not nan"),
        ("pattern:noise?seed=-1", "seed"),
        ("pattern:zigzag?amplitude=0", "amplitude"),
    ],
)
def test_specs_that_name_nothing(spec: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        open_grid(spec)


@pytest.mark.parametrize("value", [True, 3.0, "3", None])
def test_values_of_the_wrong_type(value: Any) -> None:
    with pytest.raises(InputError, match="whole number"):
        PATTERNS["spiral"].make(size=value)


def test_whole_numbers_are_fractions_too() -> None:
    values = PATTERNS["noise"].complete({"density": 1})
    assert isinstance(values["density"], float)


def test_the_largest_pattern_has_labels_enough() -> None:
    assert MAX_SIDE**2 < 2**31


def test_a_path_is_opened_as_a_file(tmp_path: Path) -> None:
    path = tmp_path / "spiral.png"
    grid = parse("#.\n##")
    save_grid(path, grid)
    loaded = open_grid(str(path))
    np.testing.assert_array_equal(loaded.grid, grid)
    assert loaded.source == str(path)
    assert not is_pattern(str(path))
    assert is_pattern("pattern:spiral")
    with pytest.raises(InputError, match="cannot be opened"):
        open_grid(str(tmp_path / "spiral"))
