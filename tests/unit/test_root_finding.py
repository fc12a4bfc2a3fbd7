"""Roots of forests given as parents, compared with following each cell."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from ccl_viewer.reference import find_roots
from ccl_viewer.reference.forest import flatten

Indices = npt.NDArray[np.int64]


def follow(parents: Indices) -> Indices:
    """The root of each cell, one cell and one step at a time."""
    flat = parents.ravel().tolist()

    def root(cell: int) -> int:
        for _ in range(len(flat) + 1):
            parent = flat[cell]
            if not 0 <= parent < len(flat):
                return -1
            if parent == cell:
                return cell
            cell = parent
        return -1

    return np.array([root(cell) for cell in range(len(flat))], np.int64).reshape(parents.shape)


@st.composite
def anything(draw: st.DrawFn) -> Indices:
    """Parents of all kinds: roots, cells without, circles, cells outside."""
    shape = draw(hnp.array_shapes(min_dims=2, max_dims=2, max_side=9))
    cells = shape[0] * shape[1]
    return draw(hnp.arrays(np.int64, shape, elements=st.integers(-2, cells + 1)))


@settings(max_examples=100)
@given(anything())
def test_roots_are_those_found_step_by_step(parents: Indices) -> None:
    before = parents.copy()
    np.testing.assert_array_equal(find_roots(parents), follow(parents))
    np.testing.assert_array_equal(parents, before)


@pytest.mark.parametrize("backwards", [False, True])
def test_the_longest_chain_there_can_be(backwards: bool) -> None:
    cells = 300 * 300
    parents = np.maximum(np.arange(cells) - 1, 0)
    end = 0
    if backwards:
        parents, end = cells - 1 - parents[::-1], cells - 1
    assert (find_roots(parents.reshape(300, 300)) == end).all()


@pytest.mark.parametrize("length", [1, 2, 3, 4, 8, 1024, 50_000])
def test_circles_have_no_root_however_long(length: int) -> None:
    circle = np.roll(np.arange(length), 1)
    parents = np.concatenate([[0], circle + 1, [1]])  # a root, the circle, a cell that leads to it
    roots = find_roots(parents)
    assert roots[0] == 0
    assert (roots[1:] == (1 if length == 1 else -1)).all()


def test_a_path_all_over_the_array() -> None:
    order = np.random.RandomState(3).permutation(60_000)
    parents = np.empty(60_000, np.int64)
    parents[order[1:]] = order[:-1]
    parents[order[0]] = order[0]
    assert (find_roots(parents) == order[0]).all()


def test_flatten_says_whether_it_came_to_an_end() -> None:
    assert flatten(np.array([0, 0, 1, 2]))
    assert flatten(np.zeros(0, np.int64))
    assert not flatten(np.array([1, 2, 0]))
