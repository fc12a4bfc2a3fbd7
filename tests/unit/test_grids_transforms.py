"""Grids made of other grids: turned, resized, filled at random; and parts of them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ccl_viewer.errors import InputError
from ccl_viewer.grids import transforms
from ccl_viewer.grids.selection import Patch, centre_patch, cut_out
from ccl_viewer.grids.shapes import Box
from ccl_viewer.grids.text_art import format_grid, parse
from ccl_viewer.grids.transforms import Anchor


def shown(grid: np.ndarray[tuple[int, ...], np.dtype[np.uint8]]) -> str:
    return format_grid(grid).strip()


def test_turning() -> None:
    grid = parse("##.\n#..")
    assert shown(transforms.flip_across(grid)) == ".##\n..#"
    assert shown(transforms.flip_down(grid)) == "#..\n##."
    assert shown(transforms.rotate_right(grid)) == "##\n.#\n.."
    assert shown(transforms.rotate_left(grid)) == "..\n#.\n##"
    assert shown(grid) == "##.\n#.."


def test_inverting_gives_new_foreground_a_value() -> None:
    grid = np.array([[0, 2, 1]], np.uint8)
    assert transforms.invert(grid).tolist() == [[1, 0, 0]]
    assert transforms.invert(grid, 7).tolist() == [[7, 0, 0]]
    assert transforms.flatten_values(grid).tolist() == [[0, 1, 1]]


@pytest.mark.parametrize(
    ("anchor", "expected"),
    [
        (Anchor.TOP_LEFT, "##..\n....\n...."),
        (Anchor.TOP, ".##.\n....\n...."),
        (Anchor.RIGHT, "....\n..##\n...."),
        (Anchor.MIDDLE, "....\n.##.\n...."),
        (Anchor.BOTTOM_RIGHT, "....\n....\n..##"),
        (Anchor.BOTTOM_LEFT, "....\n....\n##.."),
    ],
)
def test_growing_keeps_the_anchor_in_its_place(anchor: Anchor, expected: str) -> None:
    assert shown(transforms.resize(parse("##"), 4, 3, anchor)) == expected


@pytest.mark.parametrize(
    ("size", "expected"),
    [((5, 1), ".##.."), ((3, 1), "##."), ((2, 2), "##\n.."), ((2, 4), "..\n##\n..\n..")],
)
def test_an_odd_cell_goes_behind_the_middle(size: tuple[int, int], expected: str) -> None:
    assert shown(transforms.resize(parse("##"), *size, Anchor.MIDDLE)) == expected


def test_an_odd_cell_is_cut_off_behind_the_middle() -> None:
    assert shown(transforms.resize(parse("#.##"), 3, 1, Anchor.MIDDLE)) == "#.#"
    assert shown(transforms.resize(parse("#.##."), 2, 1, Anchor.TOP)) == ".#"
    assert shown(transforms.resize(parse("#\n.\n#\n#"), 1, 3, Anchor.LEFT)) == "#\n.\n#"


@given(st.data())
def test_what_was_added_is_cut_off_again(data: st.DataObject) -> None:
    width, height = data.draw(st.integers(1, 5)), data.draw(st.integers(1, 5))
    wider, higher = data.draw(st.integers(0, 5)), data.draw(st.integers(0, 5))
    grid = np.arange(1, width * height + 1, dtype=np.uint8).reshape(height, width)
    anchor = data.draw(st.sampled_from(Anchor))
    grown = transforms.resize(grid, width + wider, height + higher, anchor)
    assert np.array_equal(transforms.resize(grown, width, height, anchor), grid)


def test_shrinking_cuts_off_what_is_away_from_the_anchor() -> None:
    grid = parse("#..\n.#.\n..#")
    assert shown(transforms.resize(grid, 1, 1, Anchor.MIDDLE)) == "#"
    assert shown(transforms.resize(grid, 2, 1, Anchor.BOTTOM_RIGHT)) == ".#"
    assert transforms.resize(grid, 4, 3, value=5)[:, 3].tolist() == [5, 5, 5]


@pytest.mark.parametrize(("width", "height", "value"), [(0, 3, 0), (3, 0, 0), (3, 3, 256)])
def test_sizes_and_values_that_no_grid_has(width: int, height: int, value: int) -> None:
    with pytest.raises(InputError):
        transforms.make_blank(width, height, value)


def test_random_cells_are_those_of_the_seed() -> None:
    drawn = transforms.draw_random_cells((8, 9), 0.4, 7, (1,))
    assert np.array_equal(drawn, np.random.RandomState(7).rand(8, 9) < 0.4)
    several = transforms.draw_random_cells((40, 40), 0.5, 1, (2, 3, 9))
    assert set(np.unique(several).tolist()) == {0, 2, 3, 9}
    assert 0.4 < (several != 0).mean() < 0.6


@pytest.mark.parametrize(("density", "seed"), [(-0.1, 0), (1.1, 0), (0.5, -1), (0.5, 2**32)])
def test_random_cells_refuse_what_is_no_density_or_seed(density: float, seed: int) -> None:
    with pytest.raises(InputError):
        transforms.draw_random_cells((2, 2), density, seed, (1,))


def test_a_part_is_turned_about_its_middle() -> None:
    grid = parse("......\n.####.\n......\n......")
    turned = transforms.restrict_to_box(Box(1, 1, 2, 5), transforms.rotate_right)(grid)
    assert shown(turned) == "..#...\n..#...\n..#...\n......"
    assert shown(transforms.restrict_to_box(None, transforms.flip_down)(grid)).endswith(
        ".####.\n......"
    )
    outside = transforms.restrict_to_box(Box(9, 9, 12, 12), np.zeros_like)(grid)
    assert np.array_equal(outside, grid)


def test_patches() -> None:
    grid = parse("##..\n##..\n....")
    patch = cut_out(grid, Box(-3, -3, 1, 2))
    assert (patch.top, patch.left, patch.cells.tolist()) == (0, 0, [[1, 1]])
    patch.moved(2, 3).stamp(grid)
    assert shown(grid) == "##..\n##..\n...#"
    Patch(-1, 1, np.zeros((2, 1), np.uint8)).stamp(grid)
    assert shown(grid) == "#...\n##..\n...#"
    Patch(7, 7, np.ones((1, 1), np.uint8)).stamp(grid)
    assert shown(grid) == "#...\n##..\n...#"
    assert centre_patch(np.ones((1, 3), np.uint8), Box(0, 0, 3, 3)).box == Box(1, 0, 2, 3)
    assert centre_patch(np.ones((2, 3), np.uint8), Box(0, 0, 10, 12)).box == Box(4, 4, 6, 7)
