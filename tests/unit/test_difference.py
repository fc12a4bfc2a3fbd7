"""Which cells differ between runs: against a comparison cell by cell."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.grids import any_grid

from ccl_viewer import record
from ccl_viewer.execution.plan import LabelLayout
from ccl_viewer.recording import Recording
from ccl_viewer.reference import find_roots
from ccl_viewer.render.forest import number_trees


def plain_partition(
    labels: npt.NDArray[np.int32], layout: LabelLayout, image: npt.NDArray[np.uint8]
) -> npt.NDArray[np.int32]:
    """Name trees after their first cells, one cell after the other."""
    parents = layout.parents(labels)
    parents[image == 0] = -1
    roots = find_roots(parents).ravel()
    first: dict[int, int] = {}
    names = np.zeros(roots.size, np.int32)
    for cell, root in enumerate(roots.tolist()):
        if root >= 0:
            names[cell] = first.setdefault(root, cell) + 1
    return names.reshape(image.shape)


@st.composite
def steps(
    draw: st.DrawFn,
) -> tuple[npt.NDArray[np.int32], LabelLayout, npt.NDArray[np.uint8]]:
    """Any labels, also such as lead nowhere or in circles, in any layout."""
    image = draw(any_grid(6))
    height, width = image.shape
    margin = draw(st.integers(0, 1))
    pitch = width + 2 * margin + draw(st.integers(0, 1))
    layout = LabelLayout(
        height,
        width,
        pitch,
        margin,
        origin=draw(st.integers(0, 1)),
        background=draw(st.sampled_from([0, -1])),
    )
    drawn = np.frombuffer(draw(st.binary(min_size=image.size, max_size=image.size)), np.uint8)
    labels = drawn.astype(np.int32) % ((height + 2) * pitch + 5) - 2
    return labels.reshape(image.shape), layout, image


@given(steps())
def test_trees_are_named_as_by_hand(
    step: tuple[npt.NDArray[np.int32], LabelLayout, npt.NDArray[np.uint8]],
) -> None:
    np.testing.assert_array_equal(number_trees(*step), plain_partition(*step))


def names(run: Recording, step: int) -> npt.NDArray[np.int32]:
    return number_trees(run.labels(step), run.layout, run.image)


def noise(side: int) -> npt.NDArray[np.uint8]:
    return (np.random.default_rng(3).random((side, side)) < 0.6).astype(np.uint8)


@pytest.mark.parametrize("other", ["label_equivalence", "row_col_unify", "shibata_fast"])
def test_right_runs_end_without_a_difference_and_begin_with_many(other: str) -> None:
    image = noise(40)
    one, two = (record(image, algorithm=key, connectivity=4) for key in ("ha4", other))
    assert not (names(one, -1) != names(two, -1)).any()
    assert (names(one, -1) != names(two, 0)).any()
    assert not (names(one, -1) != names(two, 0))[image == 0].any()


def test_connectivity_makes_a_difference_where_corners_touch() -> None:
    image = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 0]], np.uint8)
    four = record(image, algorithm="label_equivalence", connectivity=4)
    eight = record(image, algorithm="label_equivalence", connectivity=8)
    expected = np.zeros((3, 3), np.bool_)
    expected[1, 1] = True
    np.testing.assert_array_equal((names(four, -1) != names(eight, -1)), expected)


def test_bands_of_cells_are_put_together_rightly() -> None:
    image = noise(300)  # more cells than a band has
    run = record(image, algorithm="label_equivalence")
    for step in (0, 2, len(run) - 1):
        np.testing.assert_array_equal(
            names(run, step), plain_partition(run.labels(step), run.layout, image)
        )
