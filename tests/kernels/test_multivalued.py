"""Multi-valued input: all algorithms that can tell values apart, against SciPy value by value."""

from __future__ import annotations

from functools import partial
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings, strategies
from support.cases import MULTIVALUED_CASES, PLACES
from support.expected import check_labelling
from support.grids import any_grid, chain_through, spiral, zigzag
from support.segments import (
    Grid,
    double_spiral,
    mosaic,
    rings,
    segment_grids,
    segment_reference,
    stripes,
    tiles,
)

import ccl_viewer as ccl
from ccl_viewer.algorithms import ALGORITHMS
from ccl_viewer.errors import InputError

BINARY_ONLY = [row.key for row in ALGORITHMS.values() if not row.multivalued]


check_segments = partial(check_labelling, multivalued=True)


@pytest.mark.parametrize(("device", "schedule"), PLACES)
@pytest.mark.parametrize(("algorithm", "connectivity"), MULTIVALUED_CASES)
def test_segments_equal_scipys_on_named_grids(
    algorithm: str, connectivity: int, device: str, schedule: str
) -> None:
    for name, image in segment_grids():
        check_segments(image, algorithm, connectivity, (device, schedule), name)


@pytest.mark.parametrize(("algorithm", "connectivity"), MULTIVALUED_CASES)
def test_no_random_schedule_breaks_the_segments(algorithm: str, connectivity: int) -> None:
    grids: list[Grid] = [
        double_spiral(spiral(9)),
        stripes(9, 13),
        tiles(7, 35, 3, 3),
        mosaic(9, 9, 2, zeros=False),
        mosaic(4, 40, 3),
        rings(8, 11),
        double_spiral(zigzag(5, 34)),
        double_spiral(chain_through(18, 18, 16, 16)),
        double_spiral(chain_through(10, 34, 8, 32, rising=True)),
        mosaic(18, 35, 2, zeros=False),
    ]
    for seed in range(4 * len(grids)):
        image = grids[seed % len(grids)]
        check_segments(
            image, algorithm, connectivity, ("emulator", f"random:{seed}"), f"seed {seed}"
        )


@pytest.mark.parametrize(("algorithm", "connectivity"), MULTIVALUED_CASES)
@settings(max_examples=20)
@given(
    image=any_grid(40, values=4),
    schedule=strategies.sampled_from(("sequential", "synchronous", "random:5")),
)
def test_segments_equal_scipys_on_any_grid(
    algorithm: str, connectivity: int, image: Grid, schedule: str
) -> None:
    check_segments(image, algorithm, connectivity, ("emulator", schedule))


@pytest.mark.parametrize(("algorithm", "connectivity"), MULTIVALUED_CASES)
def test_a_binary_run_ignores_values(algorithm: str, connectivity: int) -> None:
    image = mosaic(20, 35, 4)
    labels, _ = ccl.label(image, algorithm, connectivity=connectivity, device="emulator")
    expected, _ = ccl.label(
        image != 0, algorithm, connectivity=connectivity, device="emulator", multivalued=True
    )
    np.testing.assert_array_equal(labels, expected)


@pytest.mark.parametrize(("algorithm", "connectivity"), MULTIVALUED_CASES)
def test_values_that_differ_in_one_bit_are_told_apart(algorithm: str, connectivity: int) -> None:
    for bit, width in product(range(8), (48, 43)):  # some load 16 of 48 cells at a time
        one = 1 << bit
        values = np.array([0, one, 0x55, 0x55 ^ one], np.uint8)
        image = values[mosaic(20, width, 3)]
        check_segments(image, algorithm, connectivity, ("emulator", "sequential"), f"bit {bit}")


@pytest.mark.parametrize("algorithm", BINARY_ONLY)
def test_an_algorithm_that_ignores_values_names_those_that_do_not(algorithm: str) -> None:
    for run in (ccl.label, ccl.record):
        with pytest.raises(InputError, match=r"choose one of .*label_equivalence.*shibata_fast"):
            run(np.ones((3, 3)), algorithm, device="emulator", multivalued=True)


def test_other_numbers_are_renumbered() -> None:
    image = np.array([[-1.5, -1.5, 1000], [0, 1000, 1000]])
    labels, count = ccl.label(image, "label_equivalence", device="emulator", multivalued=True)
    assert count == 2
    np.testing.assert_array_equal(labels, [[1, 1, 2], [0, 2, 2]])


def test_more_values_than_a_byte_holds_are_refused() -> None:
    with pytest.raises(InputError, match="256 values other than 0"):
        ccl.label(np.arange(1, 257).reshape(16, 16) + 1, "label_equivalence", multivalued=True)


@pytest.mark.gpu
@pytest.mark.parametrize("dtype", [np.uint8, np.int64, np.float32])
def test_segments_stay_on_the_gpu(dtype: type) -> None:
    cupy = pytest.importorskip("cupy")
    image: npt.NDArray[Any] = mosaic(50, 60, 3).astype(dtype)
    given = cupy.asarray(image if dtype is np.uint8 else image * 1000)
    labels, count = ccl.label(given, "label_equivalence", multivalued=True)
    expected, components = segment_reference(image, 4)
    assert isinstance(labels, cupy.ndarray)
    assert count == components
    np.testing.assert_array_equal(labels.get(), expected)
