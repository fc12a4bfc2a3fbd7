"""From pixels to a grid: every setting, and what is refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from PIL import Image
from support.grids import any_grid

from ccl_viewer.errors import CancelledError, InputError
from ccl_viewer.grids import load_image
from ccl_viewer.grids.files import read_content
from ccl_viewer.grids.grid import Grid
from ccl_viewer.grids.import_settings import (
    BackgroundSegment,
    Channel,
    Crop,
    ImportKind,
    ImportSettings,
)
from ccl_viewer.grids.importing import PictureSource, convert, suggest_settings
from ccl_viewer.grids.pictures import Picture
from ccl_viewer.grids.scaling import ScalingMethod, find_block_starts, find_even_starts, resample

GREY = np.array([[0, 50, 100], [150, 200, 250]], np.uint8)
COLOURS = np.array(
    [[[255, 0, 0], [0, 255, 0]], [[0, 0, 255], [0, 0, 0]], [[255, 0, 0], [9, 9, 9]]], np.uint8
)


def made(planes: Any, alpha: Any = None, **settings: Any) -> Grid:
    picture = Picture(np.asarray(planes), None if alpha is None else np.asarray(alpha, np.uint8))
    return convert(PictureSource(picture), ImportSettings(**settings)).grid


def test_values_above_the_threshold_are_foreground() -> None:
    np.testing.assert_array_equal(made(GREY, threshold=100), [[0, 0, 0], [1, 1, 1]])
    np.testing.assert_array_equal(made(GREY, threshold=100, invert=True), [[1, 1, 1], [0, 0, 0]])


def test_the_default_is_what_the_library_makes_of_a_file(tmp_path: Path) -> None:
    pixels = np.random.RandomState(0).randint(0, 256, (23, 31, 4), np.uint8)
    for name, image in {
        "colour.png": Image.fromarray(pixels[..., :3]),
        "alpha.png": Image.fromarray(pixels),
        "grey.png": Image.fromarray(pixels[..., 0]),
        "deep.png": Image.fromarray(pixels[..., 0].astype(np.uint16) * 200),
    }.items():
        image.save(tmp_path / name)
        content = read_content(tmp_path / name)
        assert isinstance(content, Picture)
        converted = convert(PictureSource(content), ImportSettings())
        loaded = load_image(tmp_path / name)
        np.testing.assert_array_equal(converted.grid, loaded.grid)
        assert converted.threshold == loaded.threshold


@pytest.mark.parametrize(
    ("channel", "expected"),
    [
        (Channel.RED, [[1, 0], [0, 0], [1, 0]]),
        (Channel.GREEN, [[0, 1], [0, 0], [0, 0]]),
        (Channel.BLUE, [[0, 0], [1, 0], [0, 0]]),
    ],
)
def test_channels(channel: Channel, expected: list[list[int]]) -> None:
    np.testing.assert_array_equal(made(COLOURS, channel=channel, threshold=128), expected)


def test_opacity_as_a_channel_and_as_background() -> None:
    alpha = [[0, 100, 255], [0, 0, 255]]
    np.testing.assert_array_equal(
        made(GREY, alpha, channel=Channel.ALPHA, threshold=128), [[0, 0, 1], [0, 0, 1]]
    )
    np.testing.assert_array_equal(made(GREY, alpha, threshold=60), [[0, 0, 1], [0, 0, 1]])
    np.testing.assert_array_equal(
        made(GREY, alpha, threshold=60, invert=True), [[0, 1, 0], [0, 0, 0]]
    )


def test_a_channel_that_is_not_there_is_refused() -> None:
    with pytest.raises(InputError, match="no red channel"):
        made(GREY, channel=Channel.RED)


@pytest.mark.parametrize("kind", list(ImportKind))
@pytest.mark.parametrize("invert", [False, True])
def test_nan_is_background_however_cells_are_made(kind: ImportKind, invert: bool) -> None:
    planes = np.array([[np.nan, 1.0, 5.0, 9.0]], np.float32)
    cells = made(planes, kind=kind, invert=invert, background=BackgroundSegment.NONE)
    assert cells[0, 0] == 0
    assert cells[0].any()


def test_one_bit_pictures_have_no_threshold() -> None:
    bits = np.array([[True, False]])
    np.testing.assert_array_equal(made(bits, threshold=99), [[1, 0]])
    np.testing.assert_array_equal(made(bits, invert=True), [[0, 1]])


def test_crop() -> None:
    grid = made(GREY, threshold=100, crop=Crop(1, 0, 2, 2))
    np.testing.assert_array_equal(grid, [[0, 0], [1, 1]])
    assert made(GREY, crop=Crop(-5, 1, 100, 100)).shape == (1, 3)
    assert made(GREY, crop=Crop(90, 90, 1, 1)).shape == (1, 1)


def test_otsu_looks_at_the_crop_alone() -> None:
    planes = np.array([[0, 10, 200, 210]], np.uint8)
    source = PictureSource(Picture(planes))
    assert source.otsu(ImportSettings()) == 105
    assert source.otsu(ImportSettings(crop=Crop(0, 0, 2, 1))) == 5


def test_levels_are_equal_parts_of_the_range() -> None:
    ramp = np.arange(100, 200, dtype=np.uint8)[None, :]
    grid = made(ramp, kind=ImportKind.LEVELS, levels=4)
    np.testing.assert_array_equal(np.bincount(grid[0]), [25, 25, 25, 25])
    np.testing.assert_array_equal(
        made(ramp, kind=ImportKind.LEVELS, levels=4, invert=True), 3 - grid
    )
    none = made(ramp, kind=ImportKind.LEVELS, levels=4, background=BackgroundSegment.NONE)
    np.testing.assert_array_equal(none, grid + 1)
    with pytest.raises(InputError, match="levels"):
        made(ramp, kind=ImportKind.LEVELS, levels=1)


def test_the_commonest_level_as_background() -> None:
    planes = np.array([[0, 100, 100, 255]], np.uint8)
    grid = made(planes, kind=ImportKind.LEVELS, levels=3, background=BackgroundSegment.COMMONEST)
    np.testing.assert_array_equal(grid, [[1, 0, 0, 2]])


def test_values_stay_or_are_numbered() -> None:
    np.testing.assert_array_equal(made(GREY, kind=ImportKind.VALUES), GREY)
    grid = made(GREY, kind=ImportKind.VALUES, background=BackgroundSegment.NONE)
    np.testing.assert_array_equal(grid, [[1, 2, 3], [4, 5, 6]])
    np.testing.assert_array_equal(
        made(GREY, kind=ImportKind.VALUES, background=BackgroundSegment.NONE, invert=True), 7 - grid
    )
    whole = np.array([[0, 7, 255]], np.uint8)
    np.testing.assert_array_equal(made(whole, kind=ImportKind.VALUES), whole)
    deep = np.array([[0, 3000, 70], [3000, 0, 70]], np.uint16)
    np.testing.assert_array_equal(made(deep, kind=ImportKind.VALUES), [[0, 2, 1], [2, 0, 1]])
    below = np.array([[-4, 0, 3]], np.int32)
    np.testing.assert_array_equal(made(below, kind=ImportKind.VALUES), [[1, 0, 2]])


def test_every_colour_is_a_segment() -> None:
    grid = made(COLOURS, kind=ImportKind.VALUES)
    np.testing.assert_array_equal(grid, [[4, 2], [1, 0], [4, 3]])
    common = made(COLOURS, kind=ImportKind.VALUES, background=BackgroundSegment.COMMONEST)
    np.testing.assert_array_equal(common == 0, (COLOURS == [255, 0, 0]).all(axis=2))


def test_more_values_than_a_grid_can_hold() -> None:
    many = np.arange(300, dtype=np.uint16).reshape(15, 20)
    with pytest.raises(InputError, match="more than 255 values"):
        made(many, kind=ImportKind.VALUES)
    all_bytes = np.arange(256, dtype=np.uint8).reshape(16, 16)
    assert made(all_bytes, kind=ImportKind.VALUES).max() == 255
    with pytest.raises(InputError, match="more than 255"):
        made(all_bytes, kind=ImportKind.VALUES, background=BackgroundSegment.NONE)


@pytest.mark.parametrize("method", list(ScalingMethod))
def test_factors_and_targets_give_the_size_they_promise(method: ScalingMethod) -> None:
    planes = np.random.RandomState(2).randint(0, 256, (17, 23), np.uint8)
    source = PictureSource(Picture(planes))
    for change, size in (
        ({"factor": 3}, (69, 51)),
        ({"factor": -4}, (6, 5)),
        ({"factor": -64}, (1, 1)),
        ({"target": (5, 9)}, (5, 9)),
        ({"target": (40, 3)}, (40, 3)),
        ({"target": (23, 17)}, (23, 17)),
    ):
        settings = replace(ImportSettings(method=method, kind=ImportKind.LEVELS), **change)
        assert settings.result_size((23, 17)) == size
        assert convert(source, settings).grid.shape[::-1] == size


def test_a_grid_that_would_be_too_large_is_refused_before_work() -> None:
    with pytest.raises(InputError, match="too large"):
        made(np.zeros((300, 300), np.uint8), target=(16384, 16385))


@given(
    cells=any_grid(12, values=4),
    data=st.data(),
)
def test_the_majority_is_what_counting_finds(cells: Grid, data: st.DataObject) -> None:
    height, width = cells.shape
    binary = data.draw(st.booleans())
    cells = (cells > 1).astype(np.uint8) if binary else cells
    side = data.draw(st.integers(1, 5))
    rows, columns = find_block_starts(height, side), find_block_starts(width, side)
    found = resample(cells, rows, columns, ScalingMethod.MAJORITY)
    for (y, x), value in np.ndenumerate(found):
        block = cells[y * side : (y + 1) * side, x * side : (x + 1) * side]
        counts = np.bincount(block.ravel(), minlength=4)
        assert counts[value] == counts.max()
        assert value != 0 or counts[0] > counts[1:].max()


@given(
    cells=hnp.arrays(np.uint8, hnp.array_shapes(min_dims=2, max_dims=2, max_side=9)),
    height=st.integers(1, 20),
    width=st.integers(1, 20),
)
def test_scaling_up_repeats_cells_and_to_the_same_size_changes_nothing(
    cells: Grid, height: int, width: int
) -> None:
    same = (
        find_even_starts(cells.shape[0], cells.shape[0]),
        find_even_starts(cells.shape[1], cells.shape[1]),
    )
    for method in ScalingMethod:
        np.testing.assert_array_equal(resample(cells, *same, method), cells)
    twice = (
        find_even_starts(cells.shape[0], 2 * cells.shape[0]),
        find_even_starts(cells.shape[1], 2 * cells.shape[1]),
    )
    expected = cells.repeat(2, axis=0).repeat(2, axis=1)
    for method in ScalingMethod:
        np.testing.assert_array_equal(resample(cells, *twice, method), expected)
    odd = find_even_starts(cells.shape[0], height), find_even_starts(cells.shape[1], width)
    for method in ScalingMethod:
        assert resample(cells, *odd, method).shape == (height, width)


def test_work_can_be_broken_off() -> None:
    def stop() -> None:
        raise CancelledError("Stopped.")

    with pytest.raises(CancelledError):
        convert(PictureSource(Picture(GREY)), ImportSettings(), stop)


def test_suggestions() -> None:
    assert suggest_settings(Picture(GREY), array=False).kind is ImportKind.BINARY
    assert suggest_settings(Picture(GREY), array=True).kind is ImportKind.VALUES
    many = np.arange(100).reshape(10, 10)
    assert suggest_settings(Picture(many), array=True).kind is ImportKind.BINARY


@pytest.mark.parametrize(
    ("planes", "alpha", "expected"),
    [
        (np.array([[True]]), None, True),
        (np.array([[True]]), [[0]], False),
        (np.array([[0, 255]], np.uint8), None, True),
        (np.array([[0, 254]], np.uint8), None, False),
        (np.array([[0, 1]], np.uint16), None, False),
        (COLOURS, None, False),
    ],
)
def test_what_is_strictly_binary(planes: Any, alpha: Any, expected: bool) -> None:
    picture = Picture(planes, None if alpha is None else np.asarray(alpha, np.uint8))
    assert picture.binary is expected


ENDS: dict[str, tuple[float, ...]] = {
    "float32": (0, 1, 8e37, 1.7e38, float(np.finfo(np.float32).max)),
    "float64": (0, -1, 5e-324, 8.80869636e307, float(np.finfo(np.float64).max)),
    "int64": (0, 1, 2**63 - 2, 2**63 - 1),
    "uint64": (0, 2**63, 2**64 - 2, 2**64 - 1),
}


@pytest.mark.parametrize("dtype", ENDS)
@settings(max_examples=50)
@given(data=st.data())
def test_values_near_a_types_end_are_converted_without_a_warning(
    dtype: str, data: st.DataObject
) -> None:
    values = data.draw(st.lists(st.sampled_from(ENDS[dtype]), min_size=2, max_size=6))
    source = PictureSource(Picture(np.array([values], dtype)))
    for kind in ImportKind:
        for invert in (False, True):
            grid = convert(source, ImportSettings(kind=kind, invert=invert, levels=3)).grid
            assert grid.shape == (1, len(values))
    low, high = source.threshold_range(Channel.LUMA)
    whole = ImportSettings().crop_for(source.picture.size)
    histogram = source.histogram(Channel.LUMA, whole)
    assert histogram is not None
    bars = histogram.bars(low, high, 16)
    assert bars.sum() <= len(values)


def test_levels_of_a_single_value_are_the_lowest() -> None:
    for dtype in ("uint8", "float32", "float64"):
        planes = np.full((2, 3), 7, dtype)
        grid = convert(
            PictureSource(Picture(planes)), ImportSettings(kind=ImportKind.LEVELS, levels=4)
        ).grid
        assert not grid.any()
