"""The library's front door: what is left open, what other libraries are used to, labels, types."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from scipy import ndimage, sparse
from support.grids import noise

import ccl_viewer as ccl
from ccl_viewer import api
from ccl_viewer.algorithms import ALGORITHMS, choose_algorithm
from ccl_viewer.devices.registry import DeviceName
from ccl_viewer.errors import CCLViewerError, DeviceUnavailableError, InputError

GRID = noise(20, 31, 0.5)
CROSS = ndimage.generate_binary_structure(2, 1)
ALL = np.ones((3, 3))
FRONT_DOORS = (ccl.label, ccl.components, ccl.record, ccl.time_run)


@pytest.mark.parametrize("key", ALGORITHMS)
def test_what_is_not_said_is_the_algorithms_own(key: str) -> None:
    own = ALGORITHMS[key].connectivities[0]
    expected, count = ndimage.label(GRID, ALL if own == 8 else CROSS)
    labels, found = ccl.label(GRID, key, device="emulator")
    np.testing.assert_array_equal(labels, expected)
    assert found == count
    assert ccl.components(GRID, key, device="emulator").size == count
    assert ccl.record(GRID, key, device="emulator").connectivity == own
    assert ccl.time_run(GRID, key, device="emulator", repeats=1).connectivity == own


def test_without_a_name_the_device_does_not_decide_the_connectivity() -> None:
    for many_threads in (False, True):
        for multivalued in (False, True):
            _, own = choose_algorithm(None, many_threads=many_threads, multivalued=multivalued)
            assert own == 4
    assert ccl.label(GRID, device="emulator")[1] == ndimage.label(GRID)[1]
    assert ccl.components(GRID, device="emulator").size == ndimage.label(GRID)[1]


def test_all_take_the_same_in_the_same_order() -> None:
    shared = ["image", "algorithm", "connectivity", "device", "schedule", "multivalued"]
    for use in FRONT_DOORS:
        parameters = inspect.signature(use).parameters
        assert [*parameters][: len(shared)] == shared
        assert parameters["connectivity"].default is None
        positional = [p.name for p in parameters.values() if p.kind is p.POSITIONAL_OR_KEYWORD]
        assert positional == ["image", "algorithm"]


@pytest.mark.parametrize("use", FRONT_DOORS)
@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ((8,), "write connectivity=8."),
        ((4,), "write connectivity=4."),
        ((1,), "write connectivity=4."),
        ((ALL,), "write connectivity=8."),
        ((CROSS,), "write connectivity=4."),
        (([[0, 1, 0], [1, 1, 1], [0, 1, 0]],), "write connectivity=4."),
        ((np.ones((5, 5)),), "write connectivity=4 or connectivity=8."),
        (({},), "write connectivity=4 or connectivity=8."),
        (([[1], [1, 1]],), "write connectivity=4 or connectivity=8."),
        ({"connectivity": [[1], [1, 1]]}, "with connectivity"),
        ({"connectivity": 1}, "write connectivity=4."),
        ({"connectivity": 2}, "write connectivity=8."),
        ({"connectivity": np.int64(2)}, "write connectivity=8."),
        ({"connectivity": ALL}, "write connectivity=8."),
        ({"connectivity": CROSS}, "write connectivity=4."),
        ({"connectivity": np.zeros((3, 3))}, "with connectivity"),
        ({"connectivity": True}, "with connectivity"),
        ({"structure": ALL}, "write connectivity=8."),
        ({"structure": CROSS.tolist()}, "write connectivity=4."),
        ({"structure": None}, "write connectivity=4 or connectivity=8."),
        ({"structure": np.ones((3, 3, 3))}, "write connectivity=4 or connectivity=8."),
    ],
)
def test_what_other_libraries_are_told_is_answered_with_what_to_write(
    use: Callable[..., object], given: Any, wanted: str
) -> None:
    arguments, options = (given, {}) if isinstance(given, tuple) else ((), given)
    with pytest.raises(InputError) as caught:
        use(GRID, *arguments, device="emulator", **options)
    assert wanted in str(caught.value)


@pytest.mark.parametrize("use", FRONT_DOORS)
@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"return_num": True}, "label returns both: labels, count = label(image)"),  # scikit-image
        ({"background": 0}, "give image != background"),
        ({"intensity_image": GRID}, "components measures shapes only"),
        ({"output": np.int32}, "the labels are returned"),  # SciPy
        ({"return_N": True}, "label returns both"),  # cc3d
        ({"periodic_boundary": True}, "opposite edges do not touch"),
        ({"periodic": True}, "opposite edges do not touch"),
        ({"delta": 3}, "multivalued=True"),
        ({"ltype": 4}, "labels are int32"),  # OpenCV
        ({"threshold": 0.5}, "image > threshold"),
        ({"conectivity": 8}, "did you mean connectivity?"),
        ({"Connectivity": 8}, "did you mean connectivity?"),
        ({"devise": "cuda"}, "did you mean device?"),
        ({"thread": 64}, "did you mean threads?"),
        ({"nonsense": 1}, "has no parameter nonsense; it has"),
    ],
)
def test_no_keyword_is_swallowed(use: Callable[..., object], given: Any, told: str) -> None:
    for image in (GRID, np.zeros((0, 3))):
        with pytest.raises(InputError) as caught:
            use(image, algorithm="label_equivalence", device="emulator", **given)
        assert told in str(caught.value)


class OnlyDlpack:
    """An array of a library that shares its memory and knows nothing of NumPy."""

    def __init__(self, array: npt.NDArray[Any]) -> None:
        self._array = array

    def __dlpack__(self, **options: Any) -> Any:
        return self._array.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._array.__dlpack_device__()


def test_an_array_that_only_shares_its_memory_is_a_picture() -> None:
    for make in (np.uint8, np.float32):
        labels, count = ccl.label(OnlyDlpack(GRID.astype(make)), device="emulator")
        np.testing.assert_array_equal(labels, ndimage.label(GRID)[0])
        assert ccl.components(OnlyDlpack(GRID.astype(make)), device="emulator").size == count
    assert ccl.components(labels=OnlyDlpack(labels), device="emulator").size == count


@pytest.mark.parametrize(
    ("image", "told"),
    [
        (GRID[..., None], r"20 x 31 x 1: leave out the last, array\[..., 0\]"),
        (GRID[None], r"1 x 20 x 31: leave out the first, array\[0\]"),
        (GRID[None, ..., None], r"1 x 20 x 31 x 1: leave out the sides of 1, array.squeeze\(\)"),
        (np.zeros((20, 31, 2)), r"its channels, give one of them, array\[..., 0\]"),
        (np.zeros((20, 31, 3)), "its colours"),
        (np.zeros((2, 3, 4, 5, 6)), r"choose one picture in it, such as array\[0, 0, 0\]"),
        (np.zeros((0, 3, 3)), "0 x 3 x 3 and no cell"),
        (GRID[0], r"a row of 31: give it rows and columns, array.reshape\(height, width\)"),
        (3, "a single value: give an array"),
        (sparse.csr_matrix(GRID), r"sparse csr_matrix is not read: .* array.toarray\(\)"),
        (sparse.coo_array(GRID), r"sparse coo_array is not read"),
        ({}, "A dict is not a picture"),
        (len, "not a picture"),
        (b"abc", "A bytes is not a picture"),
        (np.array([[None]]), "type object is not a grid: convert it"),
    ],
)
def test_what_is_no_picture_is_told_what_to_give(image: Any, told: str) -> None:
    for use in (*FRONT_DOORS, lambda labels, **options: ccl.components(labels=labels, **options)):
        with pytest.raises(InputError, match=told):
            use(image, device="emulator")


@pytest.mark.parametrize("given", [{"conectivity": 8}, {"rows": 3}, {"return_num": True}])
def test_measured_labels_take_no_parameters(given: Any) -> None:
    with pytest.raises(InputError, match=r"connectivity|leave out rows|returns both"):
        ccl.components(labels=GRID, **given)


def test_errors_are_also_those_that_python_has_for_them() -> None:
    with pytest.raises(ValueError, match="connectivity 4, not 8") as wrong:
        ccl.label(GRID, "ha4", connectivity=8)
    assert isinstance(wrong.value, CCLViewerError)
    assert issubclass(DeviceUnavailableError, RuntimeError)
    assert issubclass(DeviceUnavailableError, CCLViewerError)


@pytest.mark.parametrize("shape", [(0, 5), (5, 0), (0, 0)])
def test_a_picture_without_cells_has_labels_of_its_shape(shape: tuple[int, int]) -> None:
    labels, count = ccl.label(np.zeros(shape))
    assert (labels.shape, labels.dtype, count) == (shape, np.dtype(np.int32), 0)
    table = ccl.components(np.zeros(shape))
    assert table.size == ccl.components(labels=labels).size == 0
    assert table.dtype == ccl.components(GRID, device="emulator").dtype


def test_a_list_without_cells() -> None:
    assert ccl.label([[]])[0].shape == (1, 0)
    with pytest.raises(InputError, match="two dimensions"):
        ccl.label([])


@pytest.mark.parametrize("use", FRONT_DOORS)
def test_a_stack_of_pictures_is_answered_with_its_parts(use: Callable[..., object]) -> None:
    with pytest.raises(InputError, match=r"7 pictures of a stack one by one, array\[0\] to"):
        use(np.zeros((7, 8, 9)))
    with pytest.raises(InputError, match=r"one of them \(array\[..., 0\]\)"):
        use(np.zeros((7, 8, 3)))


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.int32, np.int64, np.uint64])
def test_labels_of_any_type_are_measured(dtype: npt.DTypeLike) -> None:
    part = GRID[:8, :12]
    labels, _ = ccl.label(part, device="emulator")
    expected = ccl.components(part, device="emulator")
    devices: tuple[DeviceName, ...] = ("auto", "emulator")
    for device in devices:
        table = ccl.components(labels=labels.astype(dtype), device=device)
        np.testing.assert_array_equal(table, expected)
    np.testing.assert_array_equal(api.tabulate_labels(labels.astype(dtype)), expected)


@pytest.mark.parametrize("factor", [3, 10**6, 10**12])
def test_labels_with_gaps_keep_their_numbers(factor: int) -> None:
    labels, count = ccl.label(GRID, device="emulator")
    table = ccl.components(labels=labels.astype(np.int64) * factor)
    expected = ccl.components(GRID, device="emulator")
    assert table["label"].tolist() == [factor * number for number in range(1, count + 1)]
    for name in (expected.dtype.names or ())[1:]:
        np.testing.assert_array_equal(table[name], expected[name])


def test_labels_of_parts_that_do_not_touch_are_measured_together() -> None:
    table = ccl.components(labels=[[7, 0, 7], [0, 2, 0]])
    assert table["label"].tolist() == [2, 7]
    assert table["area"].tolist() == [1, 2]
    assert table["x"].tolist() == [1.0, 1.0]
    full = ccl.components(labels=np.full((2, 3), 5))
    assert full[["label", "area"]].tolist() == [(5, 6)]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"labels": np.ones((3, 3))}, "whole numbers, not float64"),
        ({"labels": [[-3, 1]]}, "not -3"),
        ({"labels": [[-(10**12), 10**12]]}, "not -1000000000000"),
        ({"labels": np.ones(4, int)}, "two dimensions"),
        ({"labels": [[1]], "algorithm": "ha4"}, "leave out"),
        ({"labels": [[1]], "connectivity": 4}, "leave out"),
        ({"labels": [[1]], "image": [[1]]}, "leave out"),
        ({}, "Name a picture"),
    ],
)
def test_what_are_no_labels(options: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        ccl.components(**options)


def test_masked_labels_are_background() -> None:
    labels = np.ma.array([[1, 2, 2]], mask=[[False, True, False]])
    assert ccl.components(labels=labels)["area"].tolist() == [1, 1]
