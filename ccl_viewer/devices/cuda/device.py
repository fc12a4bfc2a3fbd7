"""The device of an NVIDIA GPU.

Grids and labels stay on the GPU for the whole run.
"""

from __future__ import annotations

import re
import weakref
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np

from ccl_viewer.devices.cuda.arrays import as_cupy, mark_gpu_foreground
from ccl_viewer.devices.cuda.backend import CudaArrayBackend
from ccl_viewer.devices.cuda.gpu import Gpu, Made
from ccl_viewer.devices.cuda.numbering import PreparedNumbering
from ccl_viewer.devices.cuda.run import CudaRun
from ccl_viewer.devices.sized_cache import SizedCache
from ccl_viewer.devices.source import SourceFinder
from ccl_viewer.execution.device import Progress
from ccl_viewer.execution.plan import Buffer, NumberingRequests
from ccl_viewer.storage.resources import kernel_path
from ccl_viewer.support.cancellation import CancelToken

_KEPT_SHARE = 16
"""Scratch memory for recurring shapes takes at most this fraction of the GPU's memory."""

_WAIT = """
extern "C" __global__ void wait(long long nanoseconds)
{
    long long begun, now;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(begun));
    do {
        asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
    } while (now - begun < nanoseconds);
}
"""


opened: weakref.WeakSet[CudaDevice] = weakref.WeakSet()


def clear_caches() -> None:
    """Free the memory that GPUs keep for recurring shapes."""
    for device in list(opened):
        with device.translate_errors("the release of memory"):
            device.clear()


class CudaDevice(Gpu):
    """An NVIDIA GPU.

    See :class:`ccl_viewer.execution.device.Device`; the parameters are those of :class:`Gpu`.
    """

    key = "cuda"
    schedule = "hardware"
    on_host = False
    synchronous = False
    counts_accesses = False
    ledger = False
    cold_launches = True
    many_threads = True

    def __init__(
        self,
        index: int = 0,
        find_source: SourceFinder = kernel_path,
        *,
        own_process: bool = False,
    ) -> None:
        super().__init__(index, find_source, own_process=own_process)
        self._wait: Any = None
        self._backend: CudaArrayBackend | None = None
        memory = self.cupy.cuda.runtime.getDeviceProperties(index)["totalGlobalMem"]
        self.kept: SizedCache[PreparedNumbering] = SizedCache(int(memory) // _KEPT_SHARE)
        opened.add(self)

    @contextmanager
    def open(
        self,
        image: Buffer,
        pixels: Any,
        *,
        timed: bool = True,
        cancel: CancelToken | None = None,
        progress: Progress | None = None,
    ) -> Iterator[CudaRun]:
        """Begin a run; see :meth:`ccl_viewer.execution.device.Device.open`."""
        with self.cupy.cuda.Device(self.index):
            run = CudaRun(self, timed=timed, cancel=cancel, progress=progress)
            try:
                run.upload(image, pixels)
                yield run
            finally:
                run.close()

    def number(
        self,
        key: Hashable,
        prepare: Callable[[Buffer], NumberingRequests],
        pixels: Any,
        *,
        synchronize: bool = True,
        progress: Progress | None = None,
    ) -> tuple[Any, Any]:
        """Label a grid with launches cached for its shape, and number its components.

        The work goes to the calling thread's current stream. The method is thread-safe: there is a
        cache for each stream, and one thread at a time launches a sequence.

        Parameters
        ----------
        key : hashable
            Identifies the launches, together with the shape of the grid.
        prepare : callable
            Returns the launches for an image buffer.
        pixels : array
            The grid, on the host or a GPU; non-zero is foreground.
        synchronize : bool
            Whether to wait for the count.
        progress : callable or None
            Called when a module is compiled.

        Returns
        -------
        tuple of (cupy.ndarray, int or cupy.ndarray)
            The numbers, int32 of the grid's shape, and the count; without `synchronize`, the count
            is a zero-dimensional int32 array on the GPU.

        Raises
        ------
        DeviceUnavailableError, KernelBuildError, KernelFaultError
            If the GPU fails.
        """
        return self._use_or_prepare(
            key,
            prepare,
            pixels,
            lambda numbering, grid, stream: numbering(grid, stream, synchronize=synchronize),
            progress,
        )

    def number_then(
        self,
        key: Hashable,
        prepare: Callable[[Buffer], NumberingRequests],
        pixels: Any,
        follow: Callable[[CudaRun, dict[str, Buffer], int], Made],
        *,
        cancel: CancelToken | None = None,
        progress: Progress | None = None,
    ) -> Made:
        """Start launches cached for a grid's shape, and continue with their buffers.

        Parameters
        ----------
        key, prepare, pixels, progress
            As for :meth:`number`.
        follow : callable
            Given a run that has all buffers of the launches, these by their names, and the count;
            what it returns is returned.
        cancel : CancelToken or None
            Checked before each further launch.

        Raises
        ------
        DeviceUnavailableError, KernelBuildError, KernelFaultError
            If the GPU fails.
        """

        def use(numbering: PreparedNumbering, grid: Any, stream: Any) -> Made:
            run = CudaRun(self, timed=False, cancel=cancel, progress=progress)
            try:
                with numbering.number_and_lend(grid, stream) as (arrays, count):
                    run.adopt(arrays)
                    return follow(run, {buffer.name: buffer for buffer in arrays}, count)
            finally:
                run.close()

        return self._use_or_prepare(key, prepare, pixels, use, progress)

    def _use_or_prepare(
        self,
        key: Hashable,
        prepare: Callable[[Buffer], NumberingRequests],
        pixels: Any,
        use: Callable[[PreparedNumbering, Any, Any], Made],
        progress: Progress | None,
    ) -> Made:
        """Use cached launches; if memory runs out, clear the cache and try again."""
        cuda = self.cupy.cuda
        with cuda.Device(self.index):
            try:
                return self._use_kept(key, prepare, pixels, use, progress)
            except cuda.memory.OutOfMemoryError:
                pass  # leaving the handler frees the call's memory
            except (cuda.runtime.CUDARuntimeError, cuda.driver.CUDADriverError):
                with self.translate_errors("a labelling"):
                    raise
            self.clear()
            with self.translate_errors("a labelling"):
                return self.retry_if_out_of_memory(
                    lambda: self._use_kept(key, prepare, pixels, use, progress)
                )

    def number_again(
        self, key: Hashable, pixels: Any, *, synchronize: bool = True
    ) -> tuple[Any, Any] | None:
        """Do the same as :meth:`number` if launches are cached for the shape; else return None.

        Parameters
        ----------
        key, synchronize
            As for :meth:`number`.
        pixels : cupy.ndarray
            The grid, on this GPU.
        """
        cuda = self.cupy.cuda
        if cuda.runtime.getDevice() != self.index:
            return None
        stream = cuda.get_current_stream()
        numbering = self.kept.get((key, pixels.shape, stream.ptr))
        if numbering is None:
            return None
        try:
            return numbering(self._grid(pixels), stream, synchronize=synchronize)
        except cuda.memory.OutOfMemoryError:
            return None
        except (cuda.runtime.CUDARuntimeError, cuda.driver.CUDADriverError):
            with self.translate_errors("a labelling"):
                raise

    def _use_kept(
        self,
        key: Hashable,
        prepare: Callable[[Buffer], NumberingRequests],
        pixels: Any,
        use: Callable[[PreparedNumbering, Any, Any], Made],
        progress: Progress | None,
    ) -> Made:
        grid = self._grid(pixels)
        stream = self.cupy.cuda.get_current_stream()

        def make() -> PreparedNumbering:
            image = Buffer("image", tuple(grid.shape), np.dtype(np.uint8))
            if self.pool.total_bytes() > self.kept.most_bytes:
                self.pool.free_all_blocks()  # of shapes that were dropped
            with self.cupy.cuda.using_allocator(self.pool.malloc):
                return PreparedNumbering(self, prepare(image), progress)

        numbering = self.kept.get_or_make((key, grid.shape, stream.ptr), make)
        result = use(numbering, grid, stream)
        if numbering.nbytes > self.kept.most_bytes:
            del numbering
            self.pool.free_all_blocks()
        return result

    def clear(self) -> None:
        """Free the memory that is kept for recurring shapes."""
        self.kept.clear()
        super().clear()

    def array_backend(self) -> CudaArrayBackend:
        """Return its backend; see :meth:`ccl_viewer.execution.device.Device.array_backend`."""
        if self._backend is None:
            self._backend = CudaArrayBackend(self)
        return self._backend

    def _grid(self, pixels: Any) -> Any:
        """Return a grid as bytes on this GPU, without a copy if it is there already."""
        cupy = self.cupy
        array = as_cupy(cupy, pixels)
        if array.dtype == np.bool_:
            array = array.view(np.uint8)
        elif array.dtype != np.uint8:
            array = mark_gpu_foreground(array).view(np.uint8)
        return array if array.flags.c_contiguous else cupy.ascontiguousarray(array)

    def time_calls(
        self, prepare: Callable[[Any], Callable[[], object]], pixels: Any, repeats: int
    ) -> list[float]:
        """Return the milliseconds that calls take on the GPU.

        Parameters
        ----------
        prepare : callable
            Given the image on the GPU, returns the function to call.
        pixels : ndarray of uint8, shape (height, width)
            The image.
        repeats : int
            Number of timed calls; two untimed ones precede them.
        """
        times = []
        with self.translate_errors("a benchmark"), self.cupy.cuda.Device(self.index):
            call = prepare(self.cupy.asarray(pixels))
            for turn in range(repeats + 2):
                start, end = self.cupy.cuda.Event(), self.cupy.cuda.Event()
                start.record()
                call()
                end.record()
                end.synchronize()
                if turn >= 2:
                    times.append(float(self.cupy.cuda.get_elapsed_time(start, end)))
        return times

    def delay_launches(self, microseconds: int) -> None:
        """Make the GPU wait, so that the launches queued meanwhile run without gaps.

        Events around a launch include the time in which the GPU waits for the host's launch, which
        on small grids is longer than the kernel.
        """
        with self.translate_errors("a wait"):
            if self._wait is None:
                self._wait = self.cupy.RawKernel(_WAIT, "wait")
            self._wait((1,), (1,), (np.int64(1000 * microseconds),))

    def versions(self) -> dict[str, str]:
        """Return the versions of the driver, of its CUDA support, and of the compiler."""
        versions: dict[str, str] = {}
        with suppress(OSError, ValueError):  # CUDA has no call for it; only Linux has this file
            text = Path("/proc/driver/nvidia/version").read_text("utf-8")
            number = re.search(r"\b\d+\.\d+(\.\d+)?\b", text)
            versions |= {"driver": number[0]} if number else {}
        with self.translate_errors("a question for its version"):
            cuda = self.cupy.cuda.runtime.driverGetVersion()
        versions["CUDA"] = f"{cuda // 1000}.{cuda % 1000 // 10}"
        with suppress(RuntimeError, ImportError, OSError):  # NVRTC may be missing
            versions["NVRTC"] = ".".join(map(str, self.cupy.cuda.nvrtc.getVersion()))
        return versions

    def copy_bandwidth(self) -> float:
        """Return the bytes per second that a large copy reads and writes in total."""
        with self.translate_errors("a copy"), self.cupy.cuda.Device(self.index):
            free, _total = self.cupy.cuda.runtime.memGetInfo()
            nbytes = min(1 << 30, int(free) // 4)
            source = self.cupy.zeros(nbytes, self.cupy.uint8)
            target = self.cupy.empty_like(source)
        times = self.time_calls(lambda _: lambda: self.cupy.copyto(target, source), [0], 10)
        return 2 * nbytes * 1000 / float(np.median(times))
