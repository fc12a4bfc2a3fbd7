"""Paths and textures: what each promises of its components."""

from __future__ import annotations

import numpy as np
import pytest

from ccl_viewer.errors import InputError
from ccl_viewer.grids import open_grid
from ccl_viewer.grids.patterns import PATTERNS
from ccl_viewer.grids.specs import open_segments, pattern_spec
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
    spec = pattern_spec("text", {"text": "a&b=c ü?", "size": 20})
    assert open_grid(spec).source == spec
    assert "&b" not in spec
    with pytest.raises(InputError, match="Nothing is to be seen"):
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
