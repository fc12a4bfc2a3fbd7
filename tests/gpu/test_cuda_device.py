"""What only a GPU can show: arrays that stay on it, large grids, clean failures."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import ndimage
from support.cases import ALGORITHM_CASES
from support.grids import noise, spiral

import ccl_viewer as ccl
from ccl_viewer.algorithms import ALGORITHMS
from ccl_viewer.devices.registry import open_device
from ccl_viewer.errors import InputError
from ccl_viewer.execution.driver import execute
from ccl_viewer.execution.plan import Buffer, Task

pytestmark = pytest.mark.gpu


def cupy() -> Any:
    return pytest.importorskip("cupy")


def structure(connectivity: int) -> np.ndarray[Any, Any] | None:
    return np.ones((3, 3)) if connectivity == 8 else None


@pytest.mark.parametrize(("algorithm", "connectivity"), ALGORITHM_CASES)
@pytest.mark.parametrize("density", [0.3, 0.593])
def test_labels_equal_scipys_at_4096(algorithm: str, connectivity: int, density: float) -> None:
    if algorithm == "shibata_naive" and density > 0.5:
        pytest.skip("one pixel a pass: thousands of passes over a component this size")
    image = noise(4096, 4096, density)
    labels, count = ccl.label(cupy().asarray(image), algorithm, connectivity=connectivity)
    expected, components = ndimage.label(image, structure(connectivity))
    assert count == components
    np.testing.assert_array_equal(labels.get(), expected)


def test_a_cupy_array_in_gives_a_cupy_array_out() -> None:
    image = cupy().asarray(noise(100, 200, 0.5))
    labels, count = ccl.label(image)
    assert isinstance(labels, cupy().ndarray)
    assert labels.dtype == np.int32
    assert int(labels.max()) == count


def test_a_numpy_array_in_gives_a_numpy_array_out() -> None:
    image = noise(100, 200, 0.5)
    labels, _ = ccl.label(image, device="cuda")
    assert isinstance(labels, np.ndarray)
    np.testing.assert_array_equal(labels, ndimage.label(image)[0])


@pytest.mark.parametrize("dtype", [np.bool_, np.int64, np.float32])
def test_any_dtype_on_the_gpu_is_taken(dtype: type) -> None:
    image = noise(50, 60, 0.5).astype(dtype) * 256 if dtype is np.int64 else noise(50, 60, 0.5)
    labels, _ = ccl.label(cupy().asarray(image.astype(dtype)))
    expected, _ = ndimage.label(image)
    np.testing.assert_array_equal(labels.get(), expected)


def test_a_transposed_view_is_labelled_as_it_reads() -> None:
    image = noise(50, 60, 0.5)
    labels, _ = ccl.label(cupy().asarray(image).T)
    expected, _ = ndimage.label(image.T)
    np.testing.assert_array_equal(labels.get(), expected)


def test_the_emulator_refuses_an_array_that_lies_on_the_gpu() -> None:
    with pytest.raises(InputError, match="is on the GPU"):
        ccl.label(cupy().zeros((3, 3), np.uint8), device="emulator")


def test_a_schedule_cannot_be_asked_of_a_gpu() -> None:
    with pytest.raises(InputError, match="own order"):
        ccl.record(np.ones((3, 3)), device="cuda", schedule="reverse")


@pytest.mark.parametrize(("algorithm", "connectivity"), ALGORITHM_CASES)
def test_recordings_on_the_gpu_are_right_and_timed(algorithm: str, connectivity: int) -> None:
    recording = ccl.record(spiral(63), algorithm, connectivity=connectivity, device="cuda")
    assert recording.verdict is not None
    assert recording.verdict.correct, recording.sentence
    # A pass that comes only where threads happen to be slow may be in none of the timed runs.
    missing = sum(step.spread is None for step in recording.steps)
    assert missing == 0 or (algorithm.startswith("shibata") and missing < len(recording) / 2)
    assert all(0 < step.milliseconds < 1000 for step in recording.steps if step.spread)


def test_iterations_on_the_papers_spiral() -> None:
    """Kalentev et al. 2011, section 4: 514 for Row-Col Unify at 1024 x 1024, 3 for the other."""
    image = np.ascontiguousarray(spiral(1024).T)
    for algorithm, printed in (("row_col_unify", 514), ("label_equivalence", 3)):
        row = ALGORITHMS[algorithm]
        buffer = Buffer("image", image.shape, np.dtype(np.uint8))
        task = Task(buffer, 4, row.complete({}))
        with open_device("cuda", cells=image.size).open(buffer, image, timed=False) as run:
            outcome = execute(row.planner(task), run)
        assert abs(outcome.iterations - printed) <= 1, (algorithm, outcome.iterations)


def test_label_equivalence_iterations_on_noise_are_near_the_papers() -> None:
    """Kalentev et al. 2011, Table 2; the order of threads moves the count by one."""
    for density, printed in zip(
        (0.2, 0.3, 0.4, 0.6, 0.7, 0.8, 0.9, 0.99), (4, 5, 5, 8, 5, 4, 4, 3), strict=True
    ):
        recording = ccl.record(noise(2048, 2048, density), device="cuda")
        assert abs(recording.iterations - printed) <= 1, (density, recording.iterations)
