"""Otsu's threshold against its definition, and the rules around it."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis.extra import numpy as hnp

from ccl_viewer.errors import InputError
from ccl_viewer.grids.import_settings import ImportSettings
from ccl_viewer.grids.importing import ImportedGrid, PictureSource, convert
from ccl_viewer.grids.pictures import Picture
from ccl_viewer.grids.thresholds import (
    Threshold,
    count_decimals,
    count_grey_values,
    resolve_threshold,
)

pictures = hnp.arrays(np.uint8, hnp.array_shapes(min_dims=2, max_dims=2, max_side=8))


def apply_threshold(grey: npt.NDArray[Any], threshold: Threshold) -> ImportedGrid:
    return convert(PictureSource(Picture(grey)), ImportSettings(threshold=threshold))


def variance_between(grey: npt.NDArray[Any], threshold: float) -> float:
    """Between-class variance by its definition, 0 if a class is empty."""
    lower, upper = grey[grey <= threshold], grey[grey > threshold]
    if not lower.size or not upper.size:
        return 0.0
    shares = lower.size / grey.size * upper.size / grey.size
    return float(shares * (float(upper.mean()) - float(lower.mean())) ** 2)


@given(pictures)
def test_no_threshold_separates_better(grey: npt.NDArray[np.uint8]) -> None:
    counted = count_grey_values(grey)
    assert counted is not None
    threshold = counted.otsu
    if threshold is None:
        assert np.unique(grey).size == 1
        return
    best = max(variance_between(grey, t) for t in range(256))
    assert variance_between(grey, threshold) == pytest.approx(best, rel=1e-9)


@pytest.mark.parametrize("dtype", [np.int8, np.uint16, np.int32, np.uint64, np.float32, np.float64])
def test_every_type_is_divided_alike(dtype: type) -> None:
    random = np.random.RandomState(5)
    grey = np.concatenate([random.normal(20, 4, 500), random.normal(90, 4, 300)])
    values: npt.NDArray[Any] = grey.astype(dtype)[None, :]
    counted = count_grey_values(values)
    assert counted is not None
    found = counted.otsu
    assert found is not None
    assert 35 < found < 75
    assert int(apply_threshold(values, "otsu").grid.sum()) == 300


def test_values_far_from_zero_lose_nothing() -> None:
    grey = np.array([[2**52, 2**52 + 2]], np.int64)
    np.testing.assert_array_equal(apply_threshold(grey, "otsu").grid, [[0, 1]])
    wide = np.array([[-(2**62), 2**62]], np.int64)
    np.testing.assert_array_equal(apply_threshold(wide, "otsu").grid, [[0, 1]])


def test_bars_count_what_lies_between_their_ends() -> None:
    whole = count_grey_values(np.array([[0, 1, 3, 5, 6, 9]], np.uint8))
    assert whole is not None
    np.testing.assert_array_equal(whole.bars(0, 5, 2), [2, 2])
    np.testing.assert_array_equal(whole.bars(1, 6, 2), [2, 2])
    real = count_grey_values(np.array([[0.0, 0.25, 0.5, 1.0]]))
    assert real is not None
    np.testing.assert_array_equal(real.bars(0, 0.9, 2), [2, 1])
    np.testing.assert_array_equal(real.bars(0, 1, 1), [4])


def test_too_many_values_to_count_lie_in_256_bins() -> None:
    found = count_grey_values(np.linspace(0, 1, 10_000)[None])
    assert found is not None
    assert found.levels.size == 256
    assert found.counts.sum() == 10_000


@pytest.mark.parametrize("dtype", [np.int64, np.uint64, np.float16, np.float32, np.float64])
def test_neighbours_at_a_types_end_are_parted(dtype: type) -> None:
    whole = np.issubdtype(dtype, np.integer)
    most = np.iinfo(dtype).max if whole else np.finfo(dtype).max
    before = most - 1 if whole else np.nextafter(most, dtype(0))
    grey: npt.NDArray[Any] = np.array([[before, most, most, before]], dtype)
    np.testing.assert_array_equal(apply_threshold(grey, "otsu").grid, [[0, 1, 1, 0]])


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("level", [-1.7e308, 1.7e308])
def test_a_threshold_beyond_a_types_end_is_above_or_below_all(dtype: type, level: float) -> None:
    grey: npt.NDArray[Any] = np.array([[0, 1, np.finfo(dtype).max / 2]], dtype)
    grid = apply_threshold(grey, level).grid
    np.testing.assert_array_equal(grid, grey > np.float64(level))


@pytest.mark.parametrize(("low", "high"), [(0, 1), (0, 255), (7, 8), (100, 104)])
def test_two_levels_are_parted_between_them(low: int, high: int) -> None:
    grey = np.array([[low, low, low, high]], np.uint8)
    made = apply_threshold(grey, "otsu")
    assert made.threshold == (low + high) // 2
    np.testing.assert_array_equal(made.grid, [[0, 0, 0, 1]])


@pytest.mark.parametrize(
    ("dtype", "level", "foreground"),
    [
        (np.uint8, 0, 0),
        (np.uint8, 127, 0),
        (np.uint8, 128, 1),
        (np.uint8, 255, 1),
        (np.uint16, 32767, 0),
        (np.uint16, 32768, 1),
        (np.float32, 0.0, 0),
        (np.float32, 0.5, 1),
        (np.int64, 7, 1),
    ],
)
def test_a_single_level_is_all_one_or_the_other(dtype: type, level: float, foreground: int) -> None:
    made = apply_threshold(np.full((3, 4), level, dtype), "otsu")
    assert np.all(made.grid == foreground)
    assert "single grey level" in made.note


def test_a_given_threshold_is_the_highest_background() -> None:
    grey = np.array([[0, 99, 100, 101, 255]], np.uint8)
    made = apply_threshold(grey, 100)
    np.testing.assert_array_equal(made.grid, [[0, 0, 0, 1, 1]])
    assert made.threshold == 100
    np.testing.assert_array_equal(apply_threshold(grey, -1).grid, [[1, 1, 1, 1, 1]])
    np.testing.assert_array_equal(apply_threshold(grey, 99.5).grid, [[0, 0, 1, 1, 1]])


def test_without_a_threshold_all_but_0_is_foreground() -> None:
    made = apply_threshold(np.array([[0, 1, -3]]), None)
    np.testing.assert_array_equal(made.grid, [[0, 1, 1]])
    assert made.threshold is None


@pytest.mark.parametrize("value", ["Otsu", "", "128", float("nan"), float("inf"), True, [1], b"1"])
def test_other_thresholds_are_refused(value: object) -> None:
    with pytest.raises(InputError, match="threshold"):
        resolve_threshold(value)


def test_numpy_numbers_are_thresholds() -> None:
    assert resolve_threshold(np.uint8(4)) == 4
    assert resolve_threshold(np.float32(0.5)) == 0.5


def test_values_too_far_apart_are_refused() -> None:
    with pytest.raises(InputError, match="too far apart"):
        apply_threshold(np.array([[-1.7e308, 1.7e308]]), "otsu")


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("threshold", ["otsu", 0.5, None])
def test_nan_is_background_and_infinity_above_or_below_all(
    dtype: type, threshold: Threshold
) -> None:
    grey: npt.NDArray[Any] = np.array([[np.nan, 0, 1, np.inf]], dtype)
    np.testing.assert_array_equal(apply_threshold(grey, threshold).grid, [[0, 0, 1, 1]])
    settings = ImportSettings(threshold=threshold, invert=True)
    inverted = convert(PictureSource(Picture(grey)), settings)
    np.testing.assert_array_equal(inverted.grid, [[0, 1, 0, 0]])
    below: npt.NDArray[Any] = np.array([[-np.inf, 3, 7, np.nan]], dtype)
    assert apply_threshold(below, "otsu").grid.tolist() == [[0, 0, 1, 0]]


def test_a_picture_without_data_is_background() -> None:
    assert not apply_threshold(np.full((2, 3), np.nan), "otsu").grid.any()


@pytest.mark.parametrize(
    ("low", "high", "whole", "decimals"),
    [
        (0, 65535, True, 0),
        (0, 1, False, 3),
        (0, 4, False, 3),
        (0, 2e-7, False, 10),
        (-5e4, 5e4, False, 0),
    ],
)
def test_a_threshold_has_the_decimals_that_its_range_needs(
    low: float, high: float, whole: bool, decimals: int
) -> None:
    assert count_decimals(low, high, whole=whole) == decimals


@pytest.mark.parametrize(("dtype", "most"), [(np.uint8, 255), (np.uint16, 65535)])
def test_a_threshold_beyond_all_values_is_refused(dtype: type, most: int) -> None:
    grey: npt.NDArray[Any] = np.array([[0, 9], [200, 255]], dtype)
    assert apply_threshold(grey, most).grid.sum() == 0
    with pytest.raises(InputError, match=f"end at {most}"):
        apply_threshold(grey, most + 1)
