"""Golly's run length encoding, and text with values."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from support.grids import any_grid

from ccl_viewer.errors import InputError
from ccl_viewer.grids import load_image, load_segments, rle, save_grid, text_art
from ccl_viewer.grids.files import GridContent, read_content
from ccl_viewer.grids.grid import Grid
from ccl_viewer.grids.pictures import Picture
from ccl_viewer.grids.saving import segment_colours

shapes = hnp.array_shapes(min_dims=2, max_dims=2, max_side=40)
several = hnp.arrays(np.uint8, shapes, elements=st.integers(0, 255))


@given(grid=any_grid(40) | several)
def test_rle_comes_back(grid: Grid) -> None:
    text = rle.format_grid(grid)
    assert rle.is_rle(text)
    assert max(map(len, text.splitlines())) <= 70
    np.testing.assert_array_equal(rle.parse(text), grid)


def test_a_glider_as_golly_writes_it() -> None:
    text = "#N Glider\n#C a remark\nx = 3, y = 3, rule = B3/S23\nbo$2bo$3o!\n"
    np.testing.assert_array_equal(rle.parse(text), [[0, 1, 0], [0, 0, 1], [1, 1, 1]])
    assert rle.format_grid(rle.parse(text)) == "x = 3, y = 3, rule = B3/S23\nbo$2bo$3o!\n"


def test_several_states_and_rows_left_out() -> None:
    text = "\ufeffX=4,Y=5\r\n.A2X$pA\r\n2$ yO\t!what follows is no part of it"
    expected = [[0, 1, 24, 24], [25, 0, 0, 0], [0, 0, 0, 0], [255, 0, 0, 0], [0, 0, 0, 0]]
    np.testing.assert_array_equal(rle.parse(text), expected)
    assert "rule = /2/256" in rle.format_grid(rle.parse(text))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no header"),
        ("bo$!", "no header"),
        ("x = 2, y = 1\n3o!", "run of 3 cells at column 1 of row 1 is outside the 2 x 1"),
        ("x = 2, y = 1\no$o!", "column 1 of row 2"),
        ("x = 2, y = 1\n2o", "before its '!'"),
        ("x = 2, y = 1\n2q!", "'2' is not part|'q' is not part"),
        ("x = 2, y = 1\n%!", "'%' is not part"),
        ("x = 2, y = 1\nyX!", "above 255"),
        ("x = 0, y = 0\nbob$2bo$3o!", "write the pattern's width and height there"),
        ("x = 3, y = 0\n!", "'x = 3, y = 0' leaves no room for a cell"),
        ("x = 9999999999, y = 9999999999\n!", "too large"),
        ("x = 99999999999, y = 3\n!", "too large"),
    ],
)
def test_rle_that_is_broken(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        rle.parse(text)


def test_runs_go_on_where_a_long_text_is_read_in_pieces(tmp_path: Path) -> None:
    """A megabyte is read at a time; runs, counts, rows and states of two letters cross its end."""
    random = np.random.default_rng(0)
    rows, lines = [], []
    for runs in (420_000, 120_000, 20):
        counts = random.integers(1, 30, runs)
        states = random.integers(0, 256, runs)
        rows.append(np.repeat(states, counts))
        names = [".", *(rle_name(state) for state in range(1, 256))]
        lines.append("".join(f"{n}{names[s]}" for n, s in zip(counts, states, strict=True)))
    text = f"x = {rows[0].size}, y = 3\n{'$'.join(lines)}!"
    assert text.find("$") > 1 << 20
    grid = np.zeros((3, rows[0].size), np.uint8)
    for y, row in enumerate(rows):
        grid[y, : row.size] = row
    path = tmp_path / "long.rle"
    path.write_text(text)
    np.testing.assert_array_equal(load_segments(path).grid, grid)


def rle_name(state: int) -> str:
    """The letters of a state, A to X, and then pA to yO."""
    before, last = divmod(state - 1, 24)
    return f"{'opqrstuvwxy'[before] if before else ''}{'ABCDEFGHIJKLMNOPQRSTUVWX'[last]}"


def test_a_size_that_only_the_header_claims_is_refused_before_it_is_made() -> None:
    with pytest.raises(InputError, match="too large"):
        rle.parse("x = 2000, y = 2000\n!", most_cells=1000)


def test_rle_files_are_known_by_content_and_by_name(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("#C remark\nx = 2, y = 1\nAB!")
    np.testing.assert_array_equal(load_segments(tmp_path / "a").grid, [[1, 2]])
    np.testing.assert_array_equal(load_image(tmp_path / "a").grid, [[1, 1]])
    (tmp_path / "b.rle").write_text("bo!")
    with pytest.raises(InputError, match=r"b\.rle: The text has no header"):
        load_image(tmp_path / "b.rle")


@given(grid=hnp.arrays(np.uint8, shapes, elements=st.integers(0, 61)))
def test_values_in_text_come_back(grid: Grid) -> None:
    text = text_art.format_grid(grid)
    np.testing.assert_array_equal(text_art.parse(text), grid)


def test_digits_are_values() -> None:
    np.testing.assert_array_equal(text_art.parse(".#0\n19A\n"), [[0, 1, 0], [1, 9, 10]])
    with pytest.raises(InputError, match="value 62"):
        text_art.format_grid(np.full((1, 1), 62, np.uint8))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("#.\n.#\n", True),
        ("012\n120", True),
        ("#.\n.#.\n", False),
        ("hello", False),
        ("", False),
        ("\n", False),
        ("#Name\n", False),
    ],
)
def test_text_that_is_surely_a_grid(text: str, expected: bool) -> None:
    assert text_art.is_text_art(text) is expected


@pytest.mark.parametrize("suffix", ["png", "npy", "pgm", "rle", "txt"])
def test_values_are_saved_without_loss(tmp_path: Path, suffix: str) -> None:
    most = 61 if suffix == "txt" else 255
    grid = np.random.RandomState(1).randint(0, most + 1, (11, 17), np.uint8)
    path = tmp_path / f"grid.{suffix}"
    save_grid(path, grid, multivalued=True)
    np.testing.assert_array_equal(load_segments(path).grid, grid)


def test_what_does_not_fit_is_refused_and_nothing_written(tmp_path: Path) -> None:
    grid = np.full((2, 2), 200, np.uint8)
    with pytest.raises(InputError, match="PBM picture holds two values"):
        save_grid(tmp_path / "a.pbm", grid, multivalued=True)
    with pytest.raises(InputError, match="value 200"):
        save_grid(tmp_path / "a.txt", grid, multivalued=True)
    assert list(tmp_path.iterdir()) == []


def test_a_saved_png_of_values_has_colours_and_needs_no_choices(tmp_path: Path) -> None:
    grid = np.array([[0, 1, 2], [3, 200, 0]], np.uint8)
    save_grid(tmp_path / "a.png", grid, multivalued=True)
    content = read_content(tmp_path / "a.png")
    assert isinstance(content, GridContent)
    np.testing.assert_array_equal(content.grid, grid)
    np.testing.assert_array_equal(load_image(tmp_path / "a.png").grid, grid != 0)


def test_every_value_has_a_colour_of_its_own() -> None:
    colours = segment_colours()
    assert not colours[0].any()
    assert len(np.unique(colours, axis=0)) == 256


def test_grey_arrays_leave_a_choice(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.array([[0, 7, 200]]))
    assert isinstance(read_content(tmp_path / "a.npy"), Picture)
    np.save(tmp_path / "b.npy", np.array([[0, 1]]))
    assert isinstance(read_content(tmp_path / "b.npy"), GridContent)
