"""Paths and textures: what each promises of its components."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from ccl_viewer.errors import InputError
from ccl_viewer.grids import open_grid
from ccl_viewer.grids.pattern_table import PATTERNS
from ccl_viewer.grids.specs import format_pattern, open_segments
from ccl_viewer.grids.text_art import format_grid
from ccl_viewer.reference import label_reference


def components(key: str, connectivity: int = 4, **values: object) -> int:
    return label_reference(PATTERNS[key].make(**values), connectivity)[1]


@pytest.mark.parametrize(("width", "height"), [(1, 1), (2, 9), (9, 2), (30, 17), (31, 18)])
def test_a_serpentine_and_a_maze_are_one_component(width: int, height: int) -> None:
    assert components("serpentine", width=width, height=height) == 1
    for seed in range(5):
        assert components("maze", width=width, height=height, seed=seed) == 1


def test_a_serpentine_is_a_path_with_two_ends() -> None:
    grid = PATTERNS["serpentine"].make(width=20, height=9, gap=1)
    assert sorted(neighbours(grid)[grid == 1].tolist())[:3] == [1, 1, 2]
    assert components("serpentine", width=20, height=9, gap=3) == 1


def test_a_maze_has_no_loop() -> None:
    grid = PATTERNS["maze"].make(width=41, height=33, seed=4)
    cells, edges = int(grid.sum()), int(neighbours(grid)[grid == 1].sum()) // 2
    assert edges == cells - 1
    assert not np.array_equal(grid, PATTERNS["maze"].make(width=41, height=33, seed=5))


@pytest.mark.parametrize("order", [1, 2, 3, 6])
def test_hilberts_curve_is_a_path_through_every_second_cell(order: int) -> None:
    grid = PATTERNS["hilbert"].make(order=order)
    assert grid.shape == (2 ** (order + 1) - 1,) * 2
    assert grid[::2, ::2].all()
    assert label_reference(grid, 4)[1] == 1
    ends = neighbours(grid)[grid == 1]
    assert sorted(ends.tolist())[:3] == [1, 1, 2]
    assert ends.max() == 2


def test_diagonals_meet_at_corners_alone() -> None:
    grid = PATTERNS["diagonals"].make(width=12, height=12, gap=3)
    assert components("diagonals", 4, width=12, height=12, gap=3) == grid.sum()
    assert components("diagonals", 8, width=12, height=12, gap=3) == 5


@pytest.mark.parametrize("step", [1, 2, 3, 5])
def test_stairs_do_not_touch(step: int) -> None:
    width = 16 * step
    four, eight = (components("stairs", c, width=width, height=width, step=step) for c in (4, 8))
    assert four == eight
    assert 7 <= four <= 9


def test_blobs_have_the_density_asked_for() -> None:
    for density in (0.0, 0.2, 0.7, 1.0):
        grid = PATTERNS["blobs"].make(width=80, height=50, density=density)
        assert grid.mean() == pytest.approx(density, abs=0.001)
    fine = components("blobs", width=120, height=120, grain=4)
    coarse = components("blobs", width=120, height=120, grain=24)
    assert fine > 4 * coarse


def test_text() -> None:
    assert components("text", text="CCL", size=24) == 3
    assert components("text", text="i i", size=24) == 4
    spec = format_pattern("text", {"text": "a&b=c ü?", "size": 20})
    assert open_grid(spec).source == spec
    assert "&b" not in spec
    with pytest.raises(InputError, match="is invisible"):
        open_grid("pattern:text?text=%20")
    with pytest.raises(InputError, match="text of 1 to 200 characters, not ''"):
        open_grid("pattern:text?text=")


@pytest.mark.parametrize("key", [key for key, row in PATTERNS.items() if row.multivalued])
def test_segments_have_the_values_asked_for(key: str) -> None:
    for values in (1, 2, 5, 255):
        grid = PATTERNS[key].make(width=300, height=200, values=values)
        assert 1 <= grid.max() <= values
        assert key == "mosaic" or grid.min() == 1
    loaded = open_segments(f"pattern:{key}?values=3")
    assert loaded.multivalued
    assert set(np.unique(loaded.grid)) - {0} == {1, 2, 3}
    np.testing.assert_array_equal(open_grid(f"pattern:{key}?values=3").grid, loaded.grid != 0)


@pytest.mark.parametrize("values", [2, 3, 4, 7])
def test_tiles_that_share_a_side_differ(values: int) -> None:
    grid = PATTERNS["tiles"].make(width=40, height=40, cell=5, values=values)
    _, count = label_reference(grid, 4, multivalued=True)
    assert count == 64


def test_voronoi_gives_each_cell_to_the_nearest_point() -> None:
    """Seen from afar: fields are convex, so a row meets a field once."""
    grid = PATTERNS["voronoi"].make(width=90, height=70, grain=15, values=255, seed=2)
    for row in grid:
        starts = row[np.flatnonzero(np.diff(row, prepend=0))]
        assert len(set(starts.tolist())) == len(starts)


def neighbours(
    grid: np.ndarray[tuple[int, ...], np.dtype[np.uint8]],
) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    """How many of a cell's four neighbours are foreground."""
    padded = np.pad(grid, 1).astype(np.int64)
    return padded[:-2, 1:-1] + padded[2:, 1:-1] + padded[1:-1, :-2] + padded[1:-1, 2:]


def drawn(
    width: int, height: int, rule: Callable[[int, int], int]
) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    """Return a grid of what a rule says of each column and row."""
    return np.array([[rule(x, y) for x in range(width)] for y in range(height)], np.uint8)


SIZES = [(1, 1), (1, 7), (7, 1), (6, 8), (7, 9), (23, 17)]


@pytest.mark.parametrize(("width", "height"), SIZES)
@pytest.mark.parametrize("gap", [1, 2, 5])
def test_each_cell_of_patterns_with_gaps(width: int, height: int, gap: int) -> None:
    pitch = gap + 1

    def to_and_fro(x: int, y: int) -> bool:
        row, beyond = divmod(y, pitch)
        turn = 0 if row % 2 else width - 1
        return beyond == 0 or ((row + 1) * pitch < height and x == turn)

    size = {"width": width, "height": height}
    expected = {
        "serpentine": to_and_fro,
        "diagonals": lambda x, y: (x - y) % pitch == 0,
        "comb": lambda x, y: x % (2 + gap) < 2 or y == height - 1,
        "rings": lambda x, y: min(x, y, width - 1 - x, height - 1 - y) % (2 + gap) < 2,
    }
    more = {"comb": {"tooth": 2}, "rings": {"thickness": 2}}
    for key, rule in expected.items():
        made = PATTERNS[key].make(**size, gap=gap, **more.get(key, {}))
        np.testing.assert_array_equal(made, drawn(width, height, rule), err_msg=key)


@pytest.mark.parametrize(
    ("key", "values", "art"),
    [
        (
            "serpentine",
            {"width": 6, "height": 8, "gap": 2},
            "###### .....# .....# ###### #..... #..... ###### ......",
        ),
        (
            "stairs",
            {"width": 12, "height": 8, "step": 2},
            "###.....###. ..#.......#. ..###.....## ....#....... ....###..... ......#..... "
            "#.....###... #.......#...",
        ),
        ("hilbert", {"order": 1}, "#.# #.# ###"),
        ("hilbert", {"order": 2}, "###.### ..#.#.. ###.### #.....# #.###.# #.#.#.# ###.###"),
        (
            "tiles",
            {"width": 7, "height": 5, "cell": 2, "values": 2},
            "1122112 1122112 2211221 2211221 1122112",
        ),
        ("tiles", {"width": 6, "height": 4, "cell": 1, "values": 5}, "123451 345123 512345 234512"),
        (
            "stripes",
            {"width": 7, "height": 3, "thickness": 2, "values": 3},
            "1122331 1223311 2233112",
        ),
    ],
)
def test_patterns_as_they_are_drawn(key: str, values: dict[str, int], art: str) -> None:
    assert format_grid(PATTERNS[key].make(**values)).split() == art.split()


@pytest.mark.parametrize("count", [0, 1, 2, 9])
@pytest.mark.parametrize("radius", [0, 1, 3, 6])
def test_discs_hold_all_cells_that_are_near_enough(count: int, radius: int) -> None:
    chance = np.random.RandomState(7)
    places = [*zip(chance.randint(0, 19, count), chance.randint(0, 31, count), strict=True)]

    def near(x: int, y: int) -> bool:
        return any((y - top) ** 2 + (x - left) ** 2 <= radius**2 for top, left in places)

    made = PATTERNS["discs"].make(width=31, height=19, count=count, radius=radius, seed=7)
    np.testing.assert_array_equal(made, drawn(31, 19, near))


def test_random_values_are_those_of_the_mersenne_twister() -> None:
    squares = np.random.RandomState(4).randint(0, 6, (4, 5), np.uint8)
    made = PATTERNS["mosaic"].make(width=13, height=11, values=5, granularity=3, seed=4)
    np.testing.assert_array_equal(made, drawn(13, 11, lambda x, y: int(squares[y // 3, x // 3])))


def test_fields_are_of_the_nearest_of_all_points() -> None:
    width, height, grain = 31, 22, 5
    made = PATTERNS["voronoi"].make(width=width, height=height, grain=grain, values=9, seed=3)
    chance = np.random.RandomState(3)
    down, right = -(-height // grain) + 2, -(-width // grain) + 2
    ys = (np.arange(down)[:, None] - 1 + 0.15 + 0.7 * chance.rand(down, right)) * grain
    xs = (np.arange(right)[None, :] - 1 + 0.15 + 0.7 * chance.rand(down, right)) * grain
    owners = chance.randint(1, 10, (down, right), np.uint8)

    def nearest(x: int, y: int) -> int:
        return int(owners.flat[((ys - y) ** 2 + (xs - x) ** 2).argmin()])

    np.testing.assert_array_equal(made, drawn(width, height, nearest))


def test_landscapes_are_smooth_between_random_heights() -> None:
    width, height, grain, values = 37, 26, 8, 6
    chance = np.random.RandomState(5)
    octaves = [
        (side, weight, chance.rand(height // side + 2, width // side + 2))
        for side, weight in ((grain, 1.0), (grain // 2, 0.4))
    ]

    def land(x: int, y: int) -> float:
        total = 0.0
        for side, weight, heights in octaves:
            (row, v), (column, u) = divmod(y, side), divmod(x, side)
            down, right = ((t / side) ** 2 * (3 - 2 * t / side) for t in (v, u))
            top, bottom = (
                heights[r, column] * (1 - right) + heights[r, column + 1] * right
                for r in (row, row + 1)
            )
            total += weight * (top * (1 - down) + bottom * down)
        return total

    heights = np.array([[land(x, y) for x in range(width)] for y in range(height)])
    share = (heights - heights.min()) / (heights.max() - heights.min())
    size = {"width": width, "height": height, "grain": grain, "seed": 5}
    bands = PATTERNS["terrain"].make(**size, values=values)
    expected = np.minimum(share * values, values - 1).astype(np.uint8) + 1
    assert (bands != expected).sum() <= 2  # where rounding decides
    islands = PATTERNS["blobs"].make(**size, density=0.25)
    highest = heights >= np.sort(heights, axis=None)[-round(0.25 * heights.size)]
    assert (islands != highest).sum() <= 2


@pytest.mark.parametrize("key", list(PATTERNS))
def test_a_shape_is_known_before_anything_is_drawn(key: str) -> None:
    pattern = PATTERNS[key]
    smallest = {row.name: row.minimum for row in pattern.parameters if row.kind is not str}
    for values in ({}, smallest):
        shape = pattern.shape(values)
        assert shape == pattern.make(**values).shape or (
            shape is None and key in {"shibata", "text"}
        )
