"""What is accepted as a grid, and text art."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from ccl_viewer.errors import InputError
from ccl_viewer.grids.grid import Grid, as_grid, as_segments, check_size
from ccl_viewer.grids.text_art import format_grid, is_text_art, parse

grids = hnp.arrays(np.uint8, hnp.array_shapes(min_dims=2, max_dims=2), elements=st.integers(0, 1))


@pytest.mark.parametrize("dtype", [np.bool_, np.int8, np.uint16, np.int64, np.float32, np.float64])
def test_any_real_type_becomes_0_and_1(dtype: type) -> None:
    grid = as_grid(np.array([[0, 1], [3, 0]]).astype(dtype))
    assert grid.dtype == np.uint8
    np.testing.assert_array_equal(grid, [[0, 1], [1, 0]])


def test_small_fractions_negatives_and_infinity_are_foreground() -> None:
    np.testing.assert_array_equal(as_grid([[0.1, -2.0, np.inf, -0.0]]), [[1, 1, 1, 0]])


def test_the_result_is_a_contiguous_copy() -> None:
    array = np.zeros((4, 6), np.uint8)
    grid = as_grid(array.T[::-1])
    assert grid.flags.c_contiguous
    assert grid.shape == (6, 4)
    grid[:] = 1
    assert not array.any()


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (np.zeros((2, 2, 3)), "two dimensions"),
        (np.zeros(4), "two dimensions"),
        (7, "two dimensions"),
        (np.zeros((0, 4)), "empty"),
        (np.zeros((4, 0)), "empty"),
        (np.zeros((2, 2), np.complex64), "complex64"),
        (np.array([["a", "b"]]), "type"),
        (np.array([[None, 1]]), "object"),
        ([[1, 2], [3]], "not an array of numbers"),
    ],
)
def test_what_is_no_grid_is_refused(array: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        as_grid(array)


def test_the_largest_grid_has_one_cell_less_than_2_to_31() -> None:
    check_size((1, 2**31 - 1))
    with pytest.raises(InputError, match="too large"):
        as_grid(np.broadcast_to(np.uint8(0), (2**16, 2**15)))


@pytest.mark.parametrize("form", ["%d", "%.18e", "%g"])
@pytest.mark.parametrize("between", [" ", ",", "\t"])
def test_numbers_as_numpy_writes_them_are_read(form: str, between: str) -> None:
    grid = np.array([[0, 0, 1, 1], [255, 1, 0, 7]], np.uint8)
    written = io.StringIO()
    np.savetxt(written, grid, fmt=form, delimiter=between)
    np.testing.assert_array_equal(parse(written.getvalue()), grid)
    assert is_text_art(written.getvalue())


@given(grids)
def test_text_art_comes_back(grid: Grid) -> None:
    text = format_grid(grid)
    assert set(text) <= set(".#\n")
    np.testing.assert_array_equal(parse(text), grid)


@pytest.mark.parametrize(
    "text", ["#.\n.#", "#.\n.#\n", "#.  \r\n.#\t\r\n\r\n  \n", "\ufeff#.\n.#\n\n\n"]
)
def test_line_ends_and_trailing_blanks_do_not_matter(text: str) -> None:
    np.testing.assert_array_equal(parse(text), [[1, 0], [0, 1]])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no cell"),
        ("\n \n", "no cell"),
        ("##\n#\n##", "Line 2 has 1 cell where line 1 has 2"),
        ("##\n\n##", "Line 2 has 0 cells"),
        ("\n##", "Line 2 has 2 cells"),
        ("#.\n.-", "Line 2, column 2 holds '-'"),
        ("#.\n .", "Line 2, column 1 holds ' '"),
        ("0 1\n1", "Line 2 has 1 number where line 1 has 2"),
        ("0 1\n1 x", "Line 2, number 2 is 'x'"),
        ("0 1\n1 256", "Line 2, number 2 is '256'"),
        ("0,0.5", "Line 1, number 2 is '0.5'"),
        ("0 1\n1 nan", "Line 2, number 2 is 'nan'"),
        ("#\u2588", "Line 1, column 2"),
        ("0_", "'_'"),
    ],
)
def test_text_that_is_no_grid_is_refused_with_its_line(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        parse(text)


def test_segments_of_bytes_stay_as_they_are() -> None:
    for dtype in (np.uint8, np.int64, np.float32, np.bool_):
        values = np.array([[0, 1], [1, 0]] if dtype is np.bool_ else [[0, 255], [3, 0]], dtype)
        np.testing.assert_array_equal(as_segments(values), values)
        assert as_segments(values).dtype == np.uint8


def test_other_segments_are_renumbered_in_rising_order() -> None:
    values = np.array([[-7, 0, 300], [0.5, 300, -7]])
    np.testing.assert_array_equal(as_segments(values), [[1, 0, 3], [2, 3, 1]])


def test_at_most_255_segments_fit() -> None:
    np.testing.assert_array_equal(
        as_segments(np.arange(256)[None, :] * 10), np.arange(256, dtype=np.uint8)[None, :]
    )
    with pytest.raises(InputError, match="256 values other than 0"):
        as_segments(np.arange(257)[None, :] * 10)


def test_nan_is_background() -> None:
    values = np.array([[1.0, np.nan, 0.0, np.inf]])
    np.testing.assert_array_equal(as_grid(values), [[1, 0, 0, 1]])
    np.testing.assert_array_equal(as_segments(values), [[1, 0, 0, 2]])
