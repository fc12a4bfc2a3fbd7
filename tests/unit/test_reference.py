"""The oracle against SciPy, against its own textbook form, and against labellings made wrong."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import ndimage
from support.cancel_points import cancel_at_each_check
from support.grids import any_grid
from support.oracle import compare_parents
from support.segments import segment_reference

from ccl_viewer.errors import InputError, WrongLabelsError
from ccl_viewer.execution.plan import LabelLayout
from ccl_viewer.reference import (
    Verdict,
    compare,
    find_wrong_cells,
    judge_parents,
    label_reference,
    number_trees,
)

Grid = npt.NDArray[np.uint8]

connectivities = st.sampled_from([4, 8])
grids = any_grid(14)
both = pytest.mark.parametrize("connectivity", [4, 8])


def scipy_label(image: npt.NDArray[Any], connectivity: int) -> tuple[npt.NDArray[np.int32], int]:
    structure = ndimage.generate_binary_structure(2, 1 if connectivity == 4 else 2)
    labels, count = ndimage.label(image, structure)
    return np.asarray(labels, np.int32), int(count)


def noise(height: int, width: int, density: float, seed: int) -> Grid:
    return (np.random.RandomState(seed).rand(height, width) < density).astype(np.uint8)


def assert_as_scipy(image: npt.NDArray[Any], connectivity: int) -> None:
    labels, count = label_reference(image, connectivity)
    expected, expected_count = scipy_label(image, connectivity)
    assert labels.dtype == np.int32
    assert count == expected_count
    np.testing.assert_array_equal(labels, expected)


def parents_of(labels: npt.NDArray[np.int32]) -> npt.NDArray[np.int64]:
    """Point every cell at the first cell of its label."""
    flat = labels.ravel()
    first = {int(v): i for i, v in reversed(list(enumerate(flat)))}
    parents = [first[int(v)] if v else -1 for v in flat]
    return np.array(parents, np.int64).reshape(labels.shape)


@both
@pytest.mark.parametrize("density", [0.05, 0.2, 0.35, 0.407, 0.5, 0.593, 0.7, 0.95])
def test_noise(density: float, connectivity: int) -> None:
    assert_as_scipy(noise(129, 257, density, seed=7), connectivity)


@given(grids, connectivities)
def test_labels_are_those_of_scipy(image: Grid, connectivity: int) -> None:
    assert_as_scipy(image, connectivity)


@pytest.mark.parametrize("dtype", [np.bool_, np.int64, np.float32])
def test_any_type_and_memory_order(dtype: type) -> None:
    image: npt.NDArray[Any] = np.asfortranarray(noise(20, 30, 0.5, seed=1).astype(dtype))[::-1, ::2]
    assert_as_scipy(image, 4)


@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (3,), (2, 2, 2), ()])
def test_refuses_what_is_no_image(shape: tuple[int, ...]) -> None:
    with pytest.raises(InputError, match="two dimensions"):
        label_reference(np.ones(shape), 4)


@pytest.mark.parametrize("connectivity", [0, 6, -4])
def test_refuses_other_connectivities(connectivity: int) -> None:
    with pytest.raises(InputError, match="4 or 8"):
        label_reference(np.ones((2, 2)), connectivity)


def test_refuses_more_cells_than_labels_can_number() -> None:
    image = np.broadcast_to(np.uint8(1), (2**16, 2**15))
    with pytest.raises(InputError, match="32-bit"):
        label_reference(image, 4)


@pytest.mark.parametrize("length", [2, 3, 4, 5, 8, 16, 31])
def test_circles_are_found(length: int) -> None:
    parents = np.arange(40)
    parents[:length] = np.roll(parents[:length], 1)
    grid = parents.reshape(4, 10)
    image = np.ones((4, 10))
    with pytest.raises(WrongLabelsError, match=r"cycle.*the kernel"):
        number_trees(grid, image)
    verdict = compare_parents(grid, image, 4)
    assert not verdict.correct
    assert "cycle" in verdict.sentence
    assert verdict.found == 0


@pytest.mark.parametrize("stray", [6, 100, -2])
def test_parents_outside_the_grid_are_found(stray: int) -> None:
    parents = np.zeros((2, 3), np.int64)
    parents[1, 1] = stray
    with pytest.raises(WrongLabelsError, match=r"outside.*the kernel"):
        number_trees(parents, np.ones((2, 3)))
    assert "outside" in compare_parents(parents, np.ones((2, 3)), 4).sentence


@given(grids, connectivities)
def test_a_right_labelling_is_judged_right(image: Grid, connectivity: int) -> None:
    labels, count = scipy_label(image, connectivity)
    verdict = compare(labels * 3, image, connectivity)
    assert verdict == Verdict(correct=True, expected=count, found=count)
    assert compare_parents(parents_of(labels), image, connectivity) == verdict


@given(grids, connectivities, st.data())
def test_one_changed_cell_is_judged_wrong(
    image: Grid, connectivity: int, data: st.DataObject
) -> None:
    labels, count = label_reference(image, connectivity)
    cell = data.draw(st.integers(0, image.size - 1))
    old = int(labels.flat[cell])
    alone = int(np.count_nonzero(labels == old)) == 1
    # A cell that is a component by itself keeps the partition right under any unused label.
    new = data.draw(st.integers(0, count + (not alone or old == 0)).filter(lambda v: v != old))
    labels.flat[cell] = new
    verdict = compare(labels, image, connectivity)
    assert not verdict.correct
    assert verdict.wrong_cells >= 1
    assert verdict.first_wrong is not None


IMAGE = np.array([[1, 0, 1, 0, 1], [1, 0, 1, 0, 1]])


@pytest.mark.parametrize(
    ("labels", "found", "wrong", "first"),
    [
        ([[1, 0, 2, 0, 3], [1, 0, 2, 0, 0]], 3, 1, (1, 4)),  # foreground without label
        ([[1, 0, 2, 3, 3], [1, 0, 2, 0, 3]], 3, 1, (0, 3)),  # background with a label
        ([[1, 0, 1, 0, 3], [1, 0, 1, 0, 3]], 2, 2, (0, 2)),  # two components made one
        ([[1, 0, 2, 0, 3], [4, 0, 2, 0, 3]], 4, 1, (1, 0)),  # one component made two
        ([[0, 0, 2, 0, 3], [0, 0, 2, 0, 3]], 2, 2, (0, 0)),  # one component lost
        ([[0, 0, 0, 0, 0], [0, 0, 0, 0, 0]], 0, 6, (0, 0)),
        ([[9, 9, 9, 9, 9], [9, 9, 9, 9, 9]], 1, 8, (0, 1)),
    ],
)
def test_the_verdict_counts_the_cells_that_are_wrong(
    labels: list[list[int]], found: int, wrong: int, first: tuple[int, int]
) -> None:
    verdict = compare(np.array(labels), IMAGE, 4)
    assert verdict == Verdict(
        correct=False, expected=3, found=found, wrong_cells=wrong, first_wrong=first
    )


@pytest.mark.parametrize(
    ("parents", "sentence"),
    [
        ([0, 0, 0, -1, 4], "2 components, as the reference finds."),
        ([2, 2, 2, -1, 4], "2 components, as the reference finds."),  # any cell can be the root
        ([0, 0, 1, -1, 4], "WRONG: 3 components where the reference finds 2; 1 cell with a wrong"),
        ([1, 2, 2, -1, 4], "WRONG: 3 components where the reference finds 2; 2 cells with a wrong"),
        ([3, 3, 3, -1, 4], "WRONG: 1 component where the reference finds 2"),  # no label at all
        ([4, 4, 4, -1, 4], "WRONG: 1 component where the reference finds 2"),
        ([0, 0, 0, 3, 4], "WRONG: 3 components where the reference finds 2; 1 cell with a wrong"),
        ([0, 0, 0, 0, 4], "WRONG: 1 cell with a wrong label, the first at x = 3, y = 0."),
    ],
)
def test_labels_are_judged_as_they_stand(parents: list[int], sentence: str) -> None:
    """Cells that lead to one root by different labels have different labels."""
    image = np.array([[1, 1, 1, 0, 1]], np.uint8)
    verdict = compare_parents(np.array([parents]), image, 4)
    assert verdict.sentence.startswith(sentence)
    assert verdict.correct is not sentence.startswith("WRONG")


def test_background_that_names_unlabelled_background_is_wrong() -> None:
    image = np.array([[1, 0, 0]], np.uint8)
    parents = np.array([[0, 2, -1]])
    assert compare_parents(parents, image, 4).wrong_cells == 1
    assert find_wrong_cells(parents, *label_reference(image, 4)).tolist() == [[False, True, False]]


@pytest.mark.parametrize("padding", [3, 7, 11, 15])
def test_a_label_that_names_the_padding_names_no_cell(padding: int) -> None:
    """Two columns of cells between a column of padding on each side, and rows above and below."""
    image = np.ones((2, 2), np.uint8)
    layout = LabelLayout(2, 2, pitch=4, margin=1)
    right, wrong = np.full((2, 2), 5), np.full((2, 2), padding)
    assert compare_parents(layout.parents(right), image, 4).correct
    verdict = compare_parents(layout.parents(wrong), image, 4)
    assert verdict.fault is not None
    assert "outside the grid" in verdict.fault


def test_a_label_that_names_a_cell_of_another_component_is_wrong() -> None:
    """The labels tell the components apart, but the first leads to the root of the second."""
    image = np.array([[1, 1, 0, 1, 1]], np.uint8)
    verdict = compare_parents(np.array([[4, 4, -1, 3, 3]]), image, 4)
    assert not verdict.correct
    assert verdict.found == 1


def test_verdicts_in_words() -> None:
    right = label_reference(IMAGE, 4)[0]
    assert compare(right, IMAGE, 4).sentence == "3 components, as the reference finds."
    one = np.ones((1, 1), np.int32)
    assert compare(one, one, 4).sentence == "1 component, as the reference finds."
    right[1, 4] = 0
    wrong = compare(right, IMAGE, 4)
    assert wrong.sentence == ("WRONG: 1 cell with a wrong label, the first at x = 4, y = 1.")
    assert wrong.brief == "WRONG: 1 cell with a wrong label"
    assert compare(one * 0, one, 4).brief == "WRONG: 0 components, not 1"


def test_shapes_must_agree() -> None:
    with pytest.raises(InputError, match="shape"):
        compare(np.zeros((2, 3), np.int32), np.zeros((3, 2)), 4)
    with pytest.raises(InputError, match="shape"):
        compare_parents(np.zeros((2, 3), np.int64), np.zeros((3, 2)), 4)


def test_the_inputs_are_left_as_they_were() -> None:
    image = noise(8, 8, 0.5, seed=3)
    parents = parents_of(label_reference(image, 4)[0])
    before = parents.copy()
    compare_parents(parents, image, 4)
    number_trees(parents, image)
    np.testing.assert_array_equal(parents, before)


segments = any_grid(14, values=4)


@given(segments, connectivities)
def test_values_are_told_apart_as_scipy_would(image: Grid, connectivity: int) -> None:
    expected, count = segment_reference(image, connectivity)
    labels, found = label_reference(image, connectivity, multivalued=True)
    assert found == count
    np.testing.assert_array_equal(labels, expected)


def test_a_verdict_knows_whether_values_are_told_apart() -> None:
    image = np.array([[1, 2, 2]], np.uint8)
    one, two = np.array([[1, 1, 1]], np.int32), np.array([[1, 2, 2]], np.int32)
    assert compare(one, image, 4).correct
    assert not compare(two, image, 4).correct
    assert compare(two, image, 4, multivalued=True).correct
    assert not compare(one, image, 4, multivalued=True).correct
    assert compare_parents(parents_of(two), image, 4, multivalued=True).correct
    assert not compare_parents(parents_of(one), image, 4, multivalued=True).correct


@given(grids, connectivities, st.randoms(use_true_random=False))
def test_wrong_cells_are_those_that_the_verdict_counts(
    image: Grid, connectivity: int, chance: Any
) -> None:
    labels, count = label_reference(image, connectivity)
    parents = parents_of(labels)
    for _ in range(chance.randint(0, 3)):
        parents.flat[chance.randrange(parents.size)] = chance.randrange(-2, parents.size)
    verdict = judge_parents(parents, labels, count)
    wrong = find_wrong_cells(parents, labels, count)
    assert wrong.shape == image.shape
    assert int(wrong.sum()) == verdict.wrong_cells
    if verdict.first_wrong is not None:
        assert np.argwhere(wrong)[0].tolist() == [*verdict.first_wrong]
    assert verdict.correct is not bool(wrong.any() or verdict.fault)


def test_finding_wrong_cells_can_be_stopped() -> None:
    labels, count = label_reference(noise(20, 20, 0.5, 1), 4)
    parents = parents_of(labels)
    parents[0, 0] = 5
    assert cancel_at_each_check(lambda check: find_wrong_cells(parents, labels, count, check)) > 2


@both
def test_grids_of_several_bands_are_labelled_as_small_ones(connectivity: int) -> None:
    assert_as_scipy(noise(600, 500, 0.5, seed=1), connectivity)
    segments = np.random.default_rng(0).integers(0, 4, (600, 500)).astype(np.uint8)
    found, count = label_reference(segments, connectivity, multivalued=True)
    expected, expected_count = segment_reference(segments, connectivity)
    np.testing.assert_array_equal(found, expected)
    assert count == expected_count


def test_labelling_can_be_stopped_at_any_time() -> None:
    image = noise(530, 500, 0.5, seed=1)
    parents = parents_of(label_reference(image, 4)[0])
    for work in (
        lambda check: label_reference(image, 4, check=check),
        lambda check: compare_parents(parents, image, 4, check=check),
    ):
        assert cancel_at_each_check(work) > 5
