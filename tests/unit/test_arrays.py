"""Long arrays are worked on in pieces: the same comes out as of NumPy's own functions."""

from __future__ import annotations

import numpy as np
import pytest

from ccl_viewer.support.arrays import count_occurrences, find_distinct, sum_up_to_each


def numbers(length: int, below: int = 50_000) -> np.ndarray:
    """Return the same random numbers each time."""
    return np.random.default_rng(length).integers(0, below, length)


@pytest.mark.parametrize("length", [0, 1, 1_000, 300_000])
def test_distinct_values(length: int) -> None:
    values = numbers(length)
    assert np.array_equal(find_distinct(values), np.unique(values))


@pytest.mark.parametrize("length", [0, 1_000, 1_500_000])
def test_numbers_are_counted_in_pieces(length: int) -> None:
    values = numbers(length, 90).astype(np.int32)
    assert np.array_equal(count_occurrences(values, 95), np.bincount(values, minlength=95))


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
@pytest.mark.parametrize("kind", [np.bool_, np.uint8, np.int32, np.uint32])
def test_running_sums(kind: type[np.generic], dtype: type[np.int32]) -> None:
    values = numbers(1_000, 2).astype(kind)
    kept = values.copy()
    found = sum_up_to_each(values, dtype)
    assert found.dtype == dtype
    np.testing.assert_array_equal(found, np.cumsum(values, dtype=dtype))
    np.testing.assert_array_equal(values, kept)
    assert sum_up_to_each(values[:0], dtype).size == 0
