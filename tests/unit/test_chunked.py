"""Dask arrays: labelled as SciPy labels the whole, lazily, with nothing gathered but borders."""

from __future__ import annotations

from typing import Any

import dask
import dask.array as da
import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import ndimage

import ccl_viewer as ccl
from ccl_viewer.errors import InputError
from ccl_viewer.grids import open_grid
from ccl_viewer.large_images import chunked
from ccl_viewer.support.cancellation import CancelToken

Image = npt.NDArray[Any]

DIAGONALS = (np.indices((12, 12)).sum(0) % 2 == 0).astype(np.uint8)


@pytest.fixture(autouse=True)
def _in_this_thread() -> Any:
    with dask.config.set(scheduler="synchronous"):
        yield


def square(connectivity: int) -> Image:
    return ndimage.generate_binary_structure(2, 1 if connectivity == 4 else 2)


def expected(image: Image, connectivity: int) -> tuple[Image, int]:
    labels, count = ndimage.label(image, square(connectivity))
    return labels, count


def by_scipy(connectivity: int) -> Any:
    """Label a chunk quickly; numbers are in raster order, as those of ``ccl_viewer.label``."""
    return lambda chunk: expected(chunk, connectivity)


def check(image: Image, chunks: Any, connectivity: int) -> None:
    labels, count = chunked.label(
        da.from_array(image, chunks), by_scipy(connectivity), connectivity, multivalued=False
    )
    found, number = dask.compute(labels, count)
    whole, components = expected(image, connectivity)
    assert number == components
    np.testing.assert_array_equal(found, whole)
    assert found.dtype == labels.dtype


def noise(height: int, width: int, density: float = 0.5, seed: int = 0) -> Image:
    return (np.random.default_rng(seed).random((height, width)) < density).astype(np.uint8)


@pytest.mark.parametrize("connectivity", [4, 8])
@pytest.mark.parametrize("chunks", [(1, 1), (1, 12), (12, 1), (5, 3), (6, 6), (12, 12)])
@pytest.mark.parametrize(
    "image",
    [
        noise(12, 12),
        noise(12, 12, 0.65, seed=1),
        DIAGONALS,
        np.eye(12, dtype=np.uint8),
        np.eye(12, dtype=np.uint8)[::-1],
        np.zeros((12, 12), np.uint8),
        np.ones((12, 12), np.uint8),
    ],
    ids=["noise", "dense", "checkerboard", "diagonal", "antidiagonal", "empty", "full"],
)
def test_any_chunks_give_scipys_labels(image: Image, chunks: Any, connectivity: int) -> None:
    check(image, chunks, connectivity)


@pytest.mark.parametrize("chunks", [(16, 16), (63, 7), (1, 63), (20, (30, 1, 32))])
def test_a_spiral_across_many_borders_is_one_component(chunks: Any) -> None:
    image = open_grid("pattern:spiral?size=63").grid
    for connectivity in (4, 8):
        check(image, chunks, connectivity)


sizes = st.lists(st.integers(1, 6), min_size=1, max_size=5)


@settings(max_examples=60, database=None)
@given(sizes, sizes, st.floats(0.05, 0.95), st.integers(0, 2**32 - 1), st.sampled_from([4, 8]))
def test_uneven_chunks(
    heights: list[int], widths: list[int], density: float, seed: int, connectivity: int
) -> None:
    image = noise(sum(heights), sum(widths), density, seed)
    check(image, (tuple(heights), tuple(widths)), connectivity)


@pytest.mark.parametrize("dtype", [np.bool_, np.uint8, np.int64, np.float32])
def test_label_takes_dask_arrays_of_any_numbers(dtype: type[np.generic]) -> None:
    image = (noise(30, 41) * 3).astype(dtype)
    for connectivity in (4, 8):
        labels, count = ccl.label(
            da.from_array(image, (16, 20)), connectivity=connectivity, device="emulator"
        )
        assert labels.chunks == ((16, 14), (20, 20, 1))
        found, number = dask.compute(labels, count)
        whole, components = expected(image != 0, connectivity)
        assert (number, found.dtype) == (components, np.int32)
        np.testing.assert_array_equal(found, whole)


def test_equal_values_connect_across_borders() -> None:
    image = np.random.default_rng(0).choice([0, 2, 700], (20, 24))
    chunks = da.from_array(image, (7, 9))
    for connectivity in (4, 8):
        labels, count = ccl.label(
            chunks, connectivity=connectivity, device="emulator", multivalued=True
        )
        whole, components = ccl.label(
            image, connectivity=connectivity, device="emulator", multivalued=True
        )
        found, number = dask.compute(labels, count)
        assert number == components
        np.testing.assert_array_equal(found, whole)


@pytest.mark.parametrize("connectivity", [4, 8])
@pytest.mark.parametrize("chunks", [(11, 8), (3, 40), (40, 40)])
def test_the_table_is_that_of_the_whole(chunks: Any, connectivity: int) -> None:
    image = noise(34, 40, 0.6)
    image[-1] = 1
    lazy: Any = ccl.components(
        da.from_array(image, chunks), connectivity=connectivity, device="emulator"
    )
    whole = ccl.components(image, connectivity=connectivity, device="emulator")
    found = lazy.compute()
    assert found.dtype == lazy.dtype == whole.dtype
    moments = ["yy", "yx", "xx"]
    others = [name for name in whole.dtype.names or () if name not in moments]
    np.testing.assert_array_equal(found[others], whole[others])
    for name in moments:
        np.testing.assert_allclose(found[name], whole[name], rtol=1e-9, atol=1e-9)


def test_segments_share_no_sides_across_chunks_with_other_segments() -> None:
    image = np.random.default_rng(3).integers(0, 4, (30, 31)).astype(np.uint8)
    options: Any = {"connectivity": 8, "device": "emulator", "multivalued": True}
    found: Any = ccl.components(da.from_array(image, (7, 9)), **options)
    expected = ccl.components(image, **options)
    for column in ("area", "perimeter"):
        np.testing.assert_array_equal(found.compute()[column], expected[column])


def test_the_table_of_an_empty_image_has_no_rows() -> None:
    image = da.zeros((9, 9), chunks=4, dtype=np.uint8)
    table: Any = ccl.components(image, device="emulator")
    assert table.compute().shape == (0,)


def test_nothing_is_computed_before_it_is_asked_for() -> None:
    def fail(block: Image) -> Image:
        raise AssertionError("computed")

    image = da.zeros((20, 20), chunks=5, dtype=np.uint8).map_blocks(fail, dtype=np.uint8)
    labels, count = ccl.label(image)
    lazies: list[Any] = [labels, count, ccl.components(image)]
    for lazy in lazies:
        with pytest.raises(AssertionError, match="computed"):
            lazy.compute()


def test_each_chunk_is_labelled_once() -> None:
    calls: list[tuple[int, ...]] = []

    def label_chunk(chunk: Image) -> tuple[Image, int]:
        calls.append(chunk.shape)
        return expected(chunk, 4)

    image = da.from_array(noise(20, 30), (10, 10))
    dask.compute(*chunked.label(image, label_chunk, 4, multivalued=False))
    assert calls == [(10, 10)] * 6


def test_labels_are_wide_where_there_may_be_many() -> None:
    assert chunked.label_dtype((65535, 65535), 4) == np.int32
    assert chunked.label_dtype((65536, 65536), 4) == np.int64
    assert chunked.label_dtype((65536, 65536), 8) == np.int32
    labels, _ = ccl.label(da.zeros((2**17, 2**17), chunks=2**12, dtype=np.uint8))
    assert labels.dtype == np.int64


def test_numbers_beyond_32_bits_are_exact() -> None:
    many = 2**33
    sides = tuple(np.ones(2, np.int64) * value for value in (1, many + 1, 1, 1))
    first = chunked.ChunkSummary(np.array([0, many, many + 1]), sides, None)
    sides = tuple(np.ones(2, np.int64) * value for value in (1, 5, 1, 5))
    second = chunked.ChunkSummary(np.array([0, 1, 5]), sides, None)
    ((upper,), (lower,)), count = chunked.merge([[first], [second]], 4)
    assert count == many + 5
    assert upper.before.tolist() == [0, many]
    np.testing.assert_array_equal(lower.table(lower.begun), [0, *(many + 1 + np.arange(5))])


def test_empty_chunks_do_no_harm() -> None:
    image = noise(10, 10)
    labels, count = ccl.label(da.from_array(image, ((4, 0, 6), (0, 10))), device="emulator")
    whole, components = expected(image, 4)
    np.testing.assert_array_equal(labels.compute(), whole)
    assert dask.compute(count) == (components,)


def test_what_cannot_be_labelled_is_refused_at_once() -> None:
    image = da.zeros((8, 8), chunks=4)
    with pytest.raises(InputError, match="two dimensions"):
        ccl.label(da.zeros((2, 3, 4)))
    with pytest.raises(InputError, match="complex"):
        ccl.label(image.astype(complex))
    with pytest.raises(InputError, match="compute_chunk_sizes"):
        ccl.label(image[image[:, 0] > 0])
    with pytest.raises(InputError, match="chunk is too large"):
        ccl.components(da.zeros((2**16, 2**16), chunks=2**16))
    with pytest.raises(InputError, match="not a Dask array"):
        ccl.label(dask.delayed(image))
    with pytest.raises(InputError, match="leave out cancel"):
        ccl.label(image, cancel=CancelToken())
    with pytest.raises(InputError, match="connectivity 8 or 4, not 6"):
        ccl.components(image, connectivity=6)


def test_a_picture_without_cells_has_no_components() -> None:
    lazies: Any = (*ccl.label(da.zeros((0, 8))), ccl.components(da.zeros((0, 8))))
    labels, count, table = dask.compute(*lazies)
    assert (labels.shape, labels.dtype, count, table.size) == ((0, 8), np.int32, 0, 0)
    assert table.dtype == ccl.components([[1]], device="emulator").dtype
