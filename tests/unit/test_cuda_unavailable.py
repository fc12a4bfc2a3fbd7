"""Messages of a CUDA device that cannot work; CuPy is a fake that fails on demand."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import ccl_viewer
from ccl_viewer.devices.cuda import device as cuda
from ccl_viewer.devices.registry import open_device, report_devices
from ccl_viewer.errors import DeviceUnavailableError, KernelBuildError, KernelFaultError
from ccl_viewer.execution.plan import Kernel

KERNEL = Kernel("ha4", "ha4_relabeling", (("BLOCK_H", 4), ("VARIANT", 2)))


@pytest.fixture(autouse=True)
def _own_devices() -> Iterator[None]:
    """Keep fake devices out of the list that other tests clear."""
    others = [*cuda.opened]
    cuda.opened.clear()
    yield
    cuda.opened.clear()
    cuda.opened.update(others)


class FakeRuntimeError(RuntimeError):
    """Stands for CUDARuntimeError."""


class FakeDriverError(RuntimeError):
    """Stands for CUDADriverError."""


class FakeCompileError(Exception):
    """Stands for CompileException."""


def raising(error: Exception) -> Callable[..., Any]:
    def fail(*_: object, **__: object) -> None:
        raise error

    return fail


def stand_in(
    count: Callable[[], int] = lambda: 1,
    capability: tuple[int, int] = (9, 0),
    compiling: Callable[..., None] = lambda **_: None,
) -> Any:
    properties = {
        "name": b"Test GPU",
        "major": capability[0],
        "minor": capability[1],
        "totalGlobalMem": 16_000,
    }
    module = SimpleNamespace(compile=compiling, get_function=raising(FakeDriverError("not found")))
    return SimpleNamespace(
        RawModule=lambda **_: module,
        cuda=SimpleNamespace(
            runtime=SimpleNamespace(
                CUDARuntimeError=FakeRuntimeError,
                getDeviceCount=count,
                getDeviceProperties=lambda _: properties,
            ),
            driver=SimpleNamespace(CUDADriverError=FakeDriverError),
            compiler=SimpleNamespace(CompileException=FakeCompileError),
            MemoryPool=SimpleNamespace,
        ),
    )


def use(cupy: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cupy", cupy)


@pytest.mark.parametrize(
    ("cupy", "words"),
    [
        (stand_in(count=raising(FakeRuntimeError("driver too old"))), "driver too old"),
        (stand_in(count=lambda: 0), "no GPU number 0"),
        (stand_in(capability=(7, 0)), "compute capability 7.0"),
    ],
)
def test_a_gpu_that_cannot_be_used_leaves_the_emulator(
    cupy: Any, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    use(cupy, monkeypatch)
    with pytest.raises(DeviceUnavailableError, match=words) as caught:
        open_device("cuda", cells=100)
    assert "emulator" in str(caught.value)
    assert open_device("auto", cells=100).key == "emulator"
    report = report_devices()[0]
    assert (report.key, report.available) == ("cuda", False)
    assert words in report.detail


@pytest.mark.parametrize(
    "error",
    [
        RuntimeError("CuPy failed to load libnvrtc.so.13\nand more"),
        FakeDriverError("CUDA_ERROR_UNSUPPORTED_PTX_VERSION"),
        ImportError("no headers"),
    ],
)
def test_a_compiler_that_is_missing_or_does_not_fit_is_said_in_one_sentence(
    error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    use(stand_in(compiling=raising(error)), monkeypatch)
    with pytest.raises(DeviceUnavailableError, match="emulator") as caught:
        cuda.CudaDevice().kernel(KERNEL, None)
    assert str(error).partition("\n")[0] in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_kernel_that_does_not_compile_is_the_kernels_fault(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    use(stand_in(compiling=raising(FakeCompileError("log\nha4.cu(3): error: what"))), monkeypatch)
    with pytest.raises(KernelBuildError, match=r"ha4\.cu:3: error: what"):
        cuda.CudaDevice().kernel(KERNEL, None)


def test_a_missing_kernel_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    use(stand_in(), monkeypatch)
    with pytest.raises(KernelBuildError, match="no kernel ha4_relabeling"):
        cuda.CudaDevice().kernel(KERNEL, None)


@pytest.mark.parametrize("own_process", [False, True])
def test_only_a_fault_in_the_program_s_own_process_asks_for_a_restart(
    own_process: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    cupy = stand_in()
    cupy.cuda.memory = SimpleNamespace(OutOfMemoryError=MemoryError)
    use(cupy, monkeypatch)
    device = cuda.CudaDevice(own_process=own_process)
    with (
        pytest.raises(KernelFaultError, match=r"illegal address.*run the emulator") as caught,
        device.translate_errors("a kernel"),
    ):
        raise FakeRuntimeError("illegal address")
    assert ("restart the program" in str(caught.value)) is not own_process


class FakeOutOfMemoryError(MemoryError):
    """Stands for OutOfMemoryError."""


class FakePool:
    """Memory that stays allocated after use until the pool frees it."""

    def __init__(self, size: int) -> None:
        self.left = size
        self.dropped = 0

    def take(self, size: int) -> None:
        if size > self.left:
            raise FakeOutOfMemoryError(f"{size} bytes wanted, {self.left} left")
        self.left -= size

    malloc = take

    def total_bytes(self) -> int:
        return 0

    def free_all_blocks(self) -> None:
        self.left += self.dropped
        self.dropped = 0


def device_with(pool: FakePool, monkeypatch: pytest.MonkeyPatch) -> tuple[Any, list[int]]:
    """A device that needs as much scratch memory as the grid; and the list of allocations."""
    cupy = stand_in()
    cupy.ndarray = np.ndarray
    cupy.get_default_memory_pool = lambda: pool
    cupy.cuda.Device = lambda _: nullcontext()
    cupy.cuda.MemoryPool = lambda: pool
    cupy.cuda.using_allocator = lambda _: nullcontext()
    cupy.cuda.runtime.getDevice = lambda: 0
    cupy.cuda.get_current_stream = lambda: SimpleNamespace(ptr=0)
    cupy.cuda.memory = SimpleNamespace(OutOfMemoryError=FakeOutOfMemoryError)
    made: list[int] = []

    class FakeNumbering:
        def __init__(self, _device: object, size: int, _progress: object) -> None:
            pool.take(size)
            self.size = self.nbytes = size
            made.append(size)

        def __call__(self, grid: Any, stream: Any, *, synchronize: bool) -> tuple[Any, int]:
            del stream, synchronize
            return grid, self.size

        def __del__(self) -> None:
            pool.dropped += getattr(self, "size", 0)

    use(cupy, monkeypatch)
    monkeypatch.setattr(cuda, "PreparedNumbering", FakeNumbering)
    return cuda.CudaDevice(), made


def number(device: Any, size: int) -> int:
    _, count = device.number("key", lambda image: image.nbytes, np.zeros((1, size), np.uint8))
    return int(count)


def test_memory_kept_for_other_shapes_makes_room(monkeypatch: pytest.MonkeyPatch) -> None:
    device, made = device_with(FakePool(100), monkeypatch)
    assert [number(device, size) for size in (40, 50, 40, 60, 60, 40)] == [40, 50, 40, 60, 60, 40]
    assert made == [40, 50, 60, 40]  # everything is cached until memory is full


def test_what_never_fits_is_said_and_does_no_harm(monkeypatch: pytest.MonkeyPatch) -> None:
    device, _ = device_with(FakePool(100), monkeypatch)
    assert number(device, 60) == 60
    with pytest.raises(DeviceUnavailableError, match="not enough free memory"):
        number(device, 101)
    assert number(device, 100) == 100


def test_a_shape_that_is_kept_is_labelled_without_its_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    device, made = device_with(FakePool(100), monkeypatch)
    grid = np.zeros((1, 40), np.uint8)
    assert device.number_again("key", grid) is None
    number(device, 40)
    assert device.number_again("key", grid)[1] == 40
    assert device.number_again("other", grid) is None
    assert device.number_again("key", grid.reshape(40, 1)) is None
    assert made == [40]


def test_the_cache_can_be_cleared(monkeypatch: pytest.MonkeyPatch) -> None:
    pool = FakePool(100)
    device, _ = device_with(pool, monkeypatch)
    number(device, 40)
    assert (device.kept.nbytes, pool.left) == (40, 60)
    ccl_viewer.clear_cache()
    assert (device.kept.nbytes, pool.left) == (0, 100)


def test_what_is_kept_is_at_most_a_share_of_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    pool = FakePool(10_000)
    device, made = device_with(pool, monkeypatch)
    for size in (400, 401, 402, 400, 1001, 402):
        assert number(device, size) == size
        assert device.kept.nbytes <= 1000
    assert made == [400, 401, 402, 400, 1001]
