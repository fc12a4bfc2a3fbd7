"""The whole call of label() on a GPU: arrays of other libraries, streams, threads, any size."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from scipy import ndimage
from support.grids import noise
from support.segments import segment_reference

import ccl_viewer as ccl
from ccl_viewer.algorithms import ALGORITHMS
from ccl_viewer.devices.registry import open_gpu
from ccl_viewer.errors import DeviceUnavailableError, InputError

pytestmark = pytest.mark.gpu


def cupy() -> Any:
    return pytest.importorskip("cupy")


def expected(image: np.ndarray[Any, Any], connectivity: int) -> tuple[np.ndarray[Any, Any], int]:
    structure = np.ones((3, 3)) if connectivity == 8 else None
    labels, count = ndimage.label(image, structure)
    return labels, count


@pytest.mark.parametrize("connectivity", [4, 8])
def test_every_width_and_height_is_labelled(connectivity: int) -> None:
    draws = noise(130, 130, 0.55)
    for height in range(1, 131):
        for width in (height, 131 - height, 1 + height * 37 % 130, 1 + height * 91 % 130):
            image = np.ascontiguousarray(draws[:height, :width])
            labels, count = ccl.label(cupy().asarray(image), connectivity=connectivity)
            truth, components = expected(image, connectivity)
            assert count == components, (height, width)
            np.testing.assert_array_equal(labels.get(), truth, err_msg=f"{height} x {width}")


def test_a_view_that_begins_anywhere_is_labelled() -> None:
    image = cupy().asarray(noise(200, 300, 0.5))
    part = image[3:120, 5:261]
    labels, count = ccl.label(part)
    truth, components = expected(part.get(), 4)
    assert count == components
    np.testing.assert_array_equal(labels.get(), truth)


def test_the_largest_grid_is_labelled() -> None:
    image = cupy().random.RandomState(0).rand(16384, 16384, dtype=np.float32) < 0.5
    labels, count = ccl.label(image, connectivity=8)
    assert int(labels.max()) == count
    small, _ = ccl.label(image[:1000, :1000].copy(), connectivity=8)
    corner = labels[:1000, :1000]
    # Components of the corner are components, or parts of them, of the whole.
    pairs = cupy().unique(small.astype(np.int64) << 32 | corner)
    assert int((pairs >> 32 > 0).sum()) == int(small.max())


def test_the_count_can_stay_on_the_gpu() -> None:
    image = noise(300, 200, 0.5)
    labels, count = ccl.label(cupy().asarray(image), synchronize=False)
    assert isinstance(count, cupy().ndarray)
    assert count.shape == ()
    truth, components = expected(image, 4)
    assert int(count) == components
    np.testing.assert_array_equal(labels.get(), truth)


def test_only_tiled_runs_leaves_the_count_there() -> None:
    with pytest.raises(InputError, match="synchronize"):
        ccl.label(cupy().ones((3, 3)), "ha4", synchronize=False)


def test_results_of_earlier_calls_stay() -> None:
    first, second = noise(100, 100, 0.3), noise(100, 100, 0.7)
    kept, count = ccl.label(cupy().asarray(first), synchronize=False)
    ccl.label(cupy().asarray(second))
    np.testing.assert_array_equal(kept.get(), expected(first, 4)[0])
    assert int(count) == expected(first, 4)[1]


def test_threads_and_streams_do_not_disturb_each_other() -> None:
    grids = [noise(400, 500, 0.3 + 0.04 * k) for k in range(8)]
    wrong: list[int] = []

    def work(index: int, own_stream: bool) -> None:
        image = cupy().asarray(grids[index])
        cupy().cuda.Device().synchronize()
        stream = cupy().cuda.Stream(non_blocking=True) if own_stream else cupy().cuda.Stream.null
        with stream:
            for _ in range(20):
                labels, count = ccl.label(image)
                truth, components = expected(grids[index], 4)
                if count != components or not np.array_equal(labels.get(), truth):
                    wrong.append(index)

    for own_stream in (False, True):
        threads = [threading.Thread(target=work, args=(k, own_stream)) for k in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert not wrong


@pytest.mark.parametrize("synchronize", [True, False])
def test_the_work_goes_to_the_current_stream(synchronize: bool) -> None:
    image = noise(500, 600, 0.5)
    truth, components = expected(image, 4)
    source = cupy().asarray(image)
    late = cupy().zeros_like(source)
    slow = cupy().ones((4096, 4096), np.float32)
    for _ in range(3):
        cupy().cuda.Device().synchronize()
        late[...] = 0
        cupy().cuda.Device().synchronize()
        with cupy().cuda.Stream(non_blocking=True) as stream:
            for _ in range(50):  # the picture comes long after the call has begun
                slow *= 1.0001
            late[...] = source
            labels, count = ccl.label(late, synchronize=synchronize)
            stream.synchronize()
        assert int(count) == components
        np.testing.assert_array_equal(labels.get(), truth)


class Crowded:
    """Allocates for CuPy as if the GPU were full while more than one shape is cached."""

    def __init__(self, device: Any, most_bytes: int) -> None:
        self.device = device
        self.most_bytes = most_bytes
        self.refused = 0

    def __call__(self, nbytes: int) -> Any:
        if self.device.kept.nbytes > self.most_bytes:
            self.refused += 1
            raise cupy().cuda.memory.OutOfMemoryError(nbytes, 0)
        return cupy().get_default_memory_pool().malloc(nbytes)


@pytest.mark.parametrize("what", [ccl.label, ccl.components])
@pytest.mark.parametrize("width", [300, 301], ids=["a shape that is kept", "another shape"])
def test_memory_that_is_kept_for_shapes_makes_room(width: int, what: Any) -> None:
    device: Any = open_gpu(0)
    image = noise(300, width, 0.5)
    pixels = cupy().asarray(image)
    ccl.clear_cache()
    ccl.label(pixels)
    crowded = Crowded(device, device.kept.nbytes)
    ccl.clear_cache()
    for other in range(297, 301):
        ccl.label(cupy().ones((300, other), np.uint8))
    with cupy().cuda.using_allocator(crowded):
        result = what(pixels)
    assert crowded.refused
    truth, components = expected(image, 4)
    if what is ccl.label:
        np.testing.assert_array_equal(result[0].get(), truth)
    else:
        assert result.size == components


def test_kept_memory_is_bounded_and_given_back() -> None:
    device: Any = open_gpu(0)
    ccl.clear_cache()
    assert device.kept.nbytes == 0
    theirs = cupy().get_default_memory_pool().total_bytes()
    usual = device.kept.most_bytes
    try:
        device.kept.most_bytes = 30 << 20
        for side in range(2000, 2006):  # each keeps two bytes a pixel
            ccl.label(cupy().ones((side, side), np.uint8))
            assert 0 < device.kept.nbytes <= 30 << 20
        assert ccl.label(cupy().ones((5000, 5000), np.uint8))[1] == 1  # too large to be kept
    finally:
        device.kept.most_bytes = usual
    ccl.clear_cache()
    assert device.kept.nbytes == 0
    assert device.pool.total_bytes() == 0
    assert cupy().get_default_memory_pool().total_bytes() >= theirs


def test_two_streams_keep_their_own_counts() -> None:
    grids = [noise(60, 64, density) for density in (0.3, 0.7)]
    counts = []
    for image in grids * 2:
        with cupy().cuda.Stream(non_blocking=True) as stream:
            pixels = cupy().asarray(image)
            counts.append((ccl.label(pixels, synchronize=False)[1], expected(image, 4)[1]))
            ccl.label(pixels)
            stream.synchronize()
    assert [int(count) for count, _ in counts] == [truth for _, truth in counts]


def test_an_image_that_never_fits_is_refused_and_harms_nothing() -> None:
    pool = cupy().get_default_memory_pool()
    small = noise(100, 100, 0.5)
    large = cupy().ones((8000, 8000), np.uint8)
    pool.free_all_blocks()
    pool.set_limit(3 * large.nbytes)  # its numbers take four times as much as it does
    try:
        with pytest.raises(DeviceUnavailableError, match="not enough free memory"):
            ccl.label(large)
        labels, _ = ccl.label(cupy().asarray(small))
    finally:
        pool.set_limit(0)
    np.testing.assert_array_equal(labels.get(), expected(small, 4)[0])
    assert ccl.label(large)[1] == 1


@pytest.mark.parametrize("dtype", ["uint8", "bool", "int32"])
def test_a_torch_tensor_gives_a_torch_tensor(dtype: str) -> None:
    torch = pytest.importorskip("torch")
    image = noise(90, 70, 0.5)
    tensor = torch.from_numpy(image).to(getattr(torch, dtype)).cuda()
    labels, count = ccl.label(tensor)
    assert isinstance(labels, torch.Tensor)
    assert labels.device == tensor.device
    truth, components = expected(image, 4)
    assert count == components
    np.testing.assert_array_equal(labels.cpu().numpy(), truth)


def test_a_torch_tensor_on_its_own_stream_is_not_waited_for() -> None:
    torch = pytest.importorskip("torch")
    image = noise(90, 70, 0.5)
    truth, components = expected(image, 4)
    with torch.cuda.stream(torch.cuda.Stream()):
        tensor = torch.from_numpy(image).cuda(non_blocking=True) * 1
        labels, count = ccl.label(tensor, synchronize=False)
        table = ccl.components(tensor)
    cupy().cuda.Device().synchronize()
    assert int(count) == components == table.size
    np.testing.assert_array_equal(labels.cpu().numpy(), truth)


def test_a_numba_array_gives_a_numba_array() -> None:
    cuda = pytest.importorskip("numba.cuda")
    image = noise(90, 70, 0.5)
    labels, count = ccl.label(cuda.to_device(image))
    assert cuda.is_cuda_array(labels)
    truth, components = expected(image, 4)
    assert count == components
    np.testing.assert_array_equal(labels.copy_to_host(), truth)


def test_a_jax_array_gives_a_jax_array() -> None:
    jax = pytest.importorskip("jax")
    image = noise(90, 70, 0.5)
    labels, count = ccl.label(jax.device_put(image, jax.devices("gpu")[0]))
    assert isinstance(labels, jax.Array)
    truth, components = expected(image, 4)
    assert count == components
    np.testing.assert_array_equal(np.asarray(labels), truth)


@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.int32, np.int64, np.uint64])
def test_labels_on_the_gpu_are_measured_there(dtype: Any) -> None:
    image = noise(12, 15, 0.5)
    labels, _ = ccl.label(cupy().asarray(image))
    table = ccl.components(cupy().asarray(image))
    np.testing.assert_array_equal(ccl.components(labels=labels.astype(dtype)), table)
    np.testing.assert_array_equal(ccl.components(labels=labels.get(), device="cuda"), table)
    gaps = ccl.components(labels=labels.astype(np.int64) * 10**12)
    np.testing.assert_array_equal(gaps["label"], table["label"].astype(np.int64) * 10**12)
    np.testing.assert_array_equal(gaps["area"], table["area"])
    full = ccl.components(labels=cupy().full((3, 5), 7, dtype))
    assert full[["label", "area"]].tolist() == [(7, 15)]
    assert ccl.components(labels=cupy().zeros((3, 5), dtype)).size == 0


def test_what_are_no_labels_on_the_gpu() -> None:
    for labels in (cupy().ones((2, 3)), cupy().full((2, 3), -1), cupy().ones((2, 3, 4), int)):
        with pytest.raises(InputError):
            ccl.components(labels=labels)
    with pytest.raises(InputError, match="emulator cannot read"):
        ccl.components(labels=cupy().ones((2, 3), int), device="emulator")


@pytest.mark.parametrize("shape", [(0, 5), (5, 0)])
def test_a_picture_without_cells_stays_on_the_gpu(shape: tuple[int, int]) -> None:
    labels, count = ccl.label(cupy().zeros(shape, np.uint8))
    assert isinstance(labels, cupy().ndarray)
    assert (labels.shape, labels.dtype, count) == (shape, np.int32, 0)
    labels, count = ccl.label(cupy().zeros(shape, np.uint8), synchronize=False)
    assert (count.shape, int(count)) == ((), 0)
    assert ccl.components(cupy().zeros(shape, np.uint8)).size == 0


def test_what_is_kept_for_a_shape_is_kept_for_values_and_for_components_apart() -> None:
    for seed in range(4):
        image = np.random.default_rng(seed).integers(0, 4, (150, 208), np.uint8)
        pixels = cupy().asarray(image)
        labels, count = ccl.label(pixels)
        truth, expected_count = expected(image, 4)
        assert count == expected_count
        np.testing.assert_array_equal(labels.get(), truth)
        table = ccl.components(pixels)
        np.testing.assert_array_equal(table["area"], np.bincount(truth.ravel())[1:])
        of_values, values_count = ccl.label(pixels, multivalued=True)
        other, other_count = ccl.label(pixels, "playne", connectivity=4, multivalued=True)
        assert values_count == other_count > count
        np.testing.assert_array_equal(of_values.get(), other.get())
        on_gpu = ccl.label(pixels, multivalued=True, synchronize=False)[1]
        assert int(on_gpu) == values_count
        areas = ccl.components(pixels, multivalued=True)["area"]
        np.testing.assert_array_equal(areas, np.bincount(other.get().ravel())[1:])


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_nan_is_background_on_the_gpu(dtype: type) -> None:
    image: npt.NDArray[Any] = np.random.default_rng(0).integers(0, 3, (50, 61)).astype(dtype)
    image[::3, ::2] = np.nan
    image[::7, ::5] = np.inf
    pixels = cupy().asarray(image)
    seen = np.nan_to_num(image, nan=0, posinf=9)
    truth, count = expected((seen != 0).astype(np.uint8), 4)
    labels, found = ccl.label(pixels)
    assert found == count
    np.testing.assert_array_equal(labels.get(), truth)
    assert ccl.components(pixels).size == count
    of_values = ccl.label(pixels, multivalued=True)[0]
    np.testing.assert_array_equal(of_values.get(), segment_reference(seen.astype(np.uint8), 4)[0])


@pytest.mark.parametrize("key", ["bke", "ha4", "stava_benes", "tiled_runs"])
def test_the_connectivity_that_is_not_said_is_the_algorithms_own(key: str) -> None:
    own = ALGORITHMS[key].connectivities[0]
    image = noise(60, 70, 0.5)
    truth, count = expected(image, own)
    labels, found = ccl.label(cupy().asarray(image), key)
    assert found == count
    np.testing.assert_array_equal(labels.get(), truth)
    assert ccl.label(cupy().asarray(image))[1] == expected(image, 4)[1]


@pytest.mark.parametrize("given", [8, np.ones((3, 3))])
def test_neighbours_in_the_place_of_an_algorithm(given: Any) -> None:
    with pytest.raises(InputError, match="write connectivity=8"):
        ccl.label(cupy().ones((3, 3)), given)
    with pytest.raises(InputError, match="write connectivity=8"):
        ccl.label(cupy().ones((3, 3)), structure=given)
    with pytest.raises(InputError, match="write connectivity=4 or connectivity=8"):
        ccl.label(cupy().ones((3, 3)), structure=cupy().ones((3, 3)))
