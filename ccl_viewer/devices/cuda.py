"""NVIDIA GPUs, through CuPy; the only module that imports CuPy.

Grids and labels stay on the GPU for the whole run. Kernels are compiled by NVRTC from the files in
``kernels/``; CUDA events time each launch; reads use a pinned buffer.
"""

from __future__ import annotations

import io
import re
import threading
import time
import weakref
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import ModuleType, TracebackType
from typing import Any, TypeVar

import numpy as np

from ccl_viewer.devices.kept import Kept
from ccl_viewer.devices.source import KernelSource, SourceFinder, nvrtc_diagnostics, read_source
from ccl_viewer.errors import DeviceUnavailableError, Diagnostic, KernelBuildError, KernelFaultError
from ccl_viewer.execution.device import Elapsed, Progress, untimed
from ccl_viewer.execution.plan import (
    Argument,
    Array,
    Buffer,
    Kernel,
    LabelLayout,
    Launch,
    Numbering,
)
from ccl_viewer.grids.grid import as_segments
from ccl_viewer.storage.resources import kernel_path
from ccl_viewer.support.cancellation import CancelToken
from ccl_viewer.support.forking import is_forked

Made = TypeVar("Made")

_OLDEST = (7, 5)
"""Compute capability of the oldest supported GPUs (Turing)."""

_KEPT_SHARE = 16
"""Scratch memory for recurring shapes takes at most this fraction of the GPU's memory."""

_THREADS = 256
"""Threads per block of a stream's kernels."""

_COUNTING_BLOCKS = 8
"""Blocks per multiprocessor of a counting kernel: as many as can be resident."""

_MAX_GRAPHS = 16
"""Most CUDA graphs, one for each pair of addresses of a grid and its numbers."""

_INSTALL = "install CuPy (pip install 'cupy-cuda13x[ctk]', or cupy-cuda12x for older drivers)"


def _import_cupy() -> ModuleType:
    try:
        import cupy
    except ImportError as error:
        raise DeviceUnavailableError(
            f"No NVIDIA GPU can be used because CuPy is missing or broken ({error}): {_INSTALL}, "
            "or use the emulator (--device emulator)."
        ) from error
    module: ModuleType = cupy
    return module


def forked_error() -> DeviceUnavailableError:
    """Return the error for a process that was forked from a process that uses the GPU."""
    return DeviceUnavailableError(
        "CUDA does not work in a process that was forked from one that uses it: start processes "
        'with multiprocessing.get_context("spawn"), or use the emulator (--device emulator).'
    )


def segments_on_gpu(image: Any) -> Any:
    """Turn an array on a GPU into a multi-valued grid on the GPU.

    Parameters
    ----------
    image : array with ``__cuda_array_interface__``, shape (height, width)
        0 is background; at most 255 other values.

    Returns
    -------
    cupy.ndarray of uint8, shape (height, width)
        As :func:`ccl_viewer.grids.as_segments` returns it.

    Raises
    ------
    DeviceUnavailableError
        If CuPy is missing.
    InputError
        If there are more values, or NaN.
    """
    cupy = _import_cupy()
    values = _as_cupy(cupy, image)
    if values.dtype == np.uint8:
        return values
    bytes_ = values.astype(cupy.uint8)
    if bool((bytes_ == values).all()):
        return bytes_
    # Only the distinct values are copied to the host, which checks them.
    distinct = cupy.unique(values)
    given = distinct.get()
    numbers = as_segments(given[None, :])
    return cupy.asarray(numbers[0])[cupy.searchsorted(distinct, values)]


def labels_on_gpu(labels: Any) -> tuple[Any, Any]:
    """Renumber labels on a GPU without gaps, and return them with the label of each number.

    Parameters
    ----------
    labels : array with ``__cuda_array_interface__``, shape (height, width)
        Labels; 0 is background and stays 0.

    Returns
    -------
    numbers : cupy.ndarray of int32, shape (height, width)
        From 1, in the order of the labels.
    names : ndarray, shape (count,)
        The label of each number, on the host.

    Raises
    ------
    DeviceUnavailableError
        If CuPy is missing.
    """
    cupy = _import_cupy()
    values = _as_cupy(cupy, labels)
    distinct, numbers = cupy.unique(values, return_inverse=True)
    names = distinct.get()
    names = names[names != 0]
    first = 1 - (distinct.size - names.size)
    return (numbers.reshape(values.shape) + first).astype(cupy.int32), names


def empty_gpu_labels(shape: tuple[int, ...]) -> Any:
    """Return the labels of an empty picture on a GPU, as a CuPy array of int32."""
    return _import_cupy().zeros(shape, np.int32)


def as_given(image: Any, array: Any) -> Any:
    """Return a result as an array of the picture's library, without a copy.

    Parameters
    ----------
    image : array
        The picture, on a GPU.
    array : cupy.ndarray
        The result.

    Returns
    -------
    array
        A PyTorch tensor or an array of JAX or Numba if the picture is one, otherwise `array`.
    """
    match type(image).__module__.partition(".")[0]:
        case "torch":
            from torch import from_dlpack
        case "jax" | "jaxlib":
            from jax.dlpack import from_dlpack
        case "numba":
            from numba.cuda import as_cuda_array as from_dlpack
        case _:
            return array
    return from_dlpack(array)


def _as_cupy(cupy: ModuleType, pixels: Any) -> Any:
    """Return an array of any library as CuPy's, ordered after the stream that made it."""
    if isinstance(pixels, cupy.ndarray):
        return pixels
    if hasattr(pixels, "__dlpack__") and not isinstance(pixels, np.ndarray):
        return cupy.from_dlpack(pixels)
    return cupy.asarray(pixels)


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


_devices: weakref.WeakSet[CudaDevice] = weakref.WeakSet()


def clear_kept() -> None:
    """Free the memory that every GPU keeps for recurring shapes."""
    for device in list(_devices):
        with device.faults("the release of memory"):
            device.clear()


def _fill(array: Any, value: int) -> None:
    """Set every element of a CuPy array."""
    bytes_ = array.dtype.type(value).tobytes()
    if len(set(bytes_)) == 1:
        array.data.memset_async(bytes_[0], array.nbytes)
    else:
        array.fill(value)


class CudaDevice:
    """An NVIDIA GPU.

    Parameters
    ----------
    index : int
        CUDA's index of the GPU.
    find_source : callable
        Finds the source file of a kernel module.
    own_process : bool
        Whether the run has a separate process: after a failure, the GPU works again in the next
        process.

    Attributes
    ----------
    index : int
        Which GPU.
    diagnostics : list of Diagnostic
        NVRTC's warnings for the modules compiled in this process; CuPy's cache does not repeat
        them.

    Raises
    ------
    DeviceUnavailableError
        If CuPy, the driver or the GPU is missing, broken or too old.
    """

    key = "cuda"
    schedule = "hardware"

    def __init__(
        self,
        index: int = 0,
        find_source: SourceFinder = kernel_path,
        *,
        own_process: bool = False,
    ) -> None:
        self._own_process = own_process
        self._cupy = _import_cupy()
        self.index = index
        self._find_source = find_source
        self.diagnostics: list[Diagnostic] = []
        self.build_milliseconds = 0.0  # of all modules so far
        self._modules: dict[str, Any] = {}
        self._wait: Any = None
        self._kernels: dict[Kernel, Any] = {}
        self._stream: CudaStream | None = None
        self.title = self._probe()
        memory = self._cupy.cuda.runtime.getDeviceProperties(index)["totalGlobalMem"]
        self.kept: Kept[PreparedNumbering] = Kept(int(memory) // _KEPT_SHARE)
        # Not CuPy's default pool, since other code may rely on its free blocks.
        self._pool = self._cupy.cuda.MemoryPool()
        _devices.add(self)

    def _probe(self) -> str:
        """Return the GPU's name after checking that it can be used."""
        runtime = self._cupy.cuda.runtime
        try:
            if runtime.getDeviceCount() <= self.index:
                raise DeviceUnavailableError(
                    f"There is no GPU number {self.index} in this machine: use the emulator "
                    "(--device emulator)."
                )
            properties = runtime.getDeviceProperties(self.index)
        except runtime.CUDARuntimeError as error:
            if is_forked():  # from a process that used CUDA without us
                raise forked_error() from error
            raise DeviceUnavailableError(
                f"The NVIDIA driver does not answer ({error}): install or update it, or use the "
                "emulator (--device emulator)."
            ) from error
        name = str(properties["name"], errors="replace")
        capability = (properties["major"], properties["minor"])
        if capability < _OLDEST:
            raise DeviceUnavailableError(
                f"The {name} has compute capability {capability[0]}.{capability[1]} and the "
                f"kernels need {_OLDEST[0]}.{_OLDEST[1]}: use the emulator (--device emulator)."
            )
        return name

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
        with self._cupy.cuda.Device(self.index):
            run = CudaRun(self, timed=timed, cancel=cancel, progress=progress)
            try:
                run.upload(image, pixels)
                yield run
            finally:
                run.close()

    def number(
        self,
        key: Hashable,
        prepare: Callable[[Buffer], Numbering],
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
            What the launches depend on, in addition to the shape of the grid.
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
        return self._with_kept(
            key,
            prepare,
            pixels,
            lambda numbering, grid, stream: numbering(grid, stream, synchronize=synchronize),
            progress,
        )

    def number_and(
        self,
        key: Hashable,
        prepare: Callable[[Buffer], Numbering],
        pixels: Any,
        follow: Callable[[CudaRun, dict[str, Buffer], int], Made],
        *,
        cancel: CancelToken | None = None,
        progress: Progress | None = None,
    ) -> Made:
        """Start launches that are kept for a grid's shape, and go on from what they leave.

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
                with numbering.kept(grid, stream) as (arrays, count):
                    run.adopt(arrays)
                    return follow(run, {buffer.name: buffer for buffer in arrays}, count)
            finally:
                run.close()

        return self._with_kept(key, prepare, pixels, use, progress)

    def _with_kept(
        self,
        key: Hashable,
        prepare: Callable[[Buffer], Numbering],
        pixels: Any,
        use: Callable[[PreparedNumbering, Any, Any], Made],
        progress: Progress | None,
    ) -> Made:
        """Use kept launches, and once more with all memory that can be had where it runs out."""
        cuda = self._cupy.cuda
        with cuda.Device(self.index):
            try:
                return self._use_kept(key, prepare, pixels, use, progress)
            except cuda.memory.OutOfMemoryError:
                pass  # leaving the handler frees the call's memory
            except (cuda.runtime.CUDARuntimeError, cuda.driver.CUDADriverError):
                with self.faults("a labelling"):
                    raise
            self.clear()
            with self.faults("a labelling"):
                return self.with_room(lambda: self._use_kept(key, prepare, pixels, use, progress))

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
        cuda = self._cupy.cuda
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
            with self.faults("a labelling"):
                raise

    def _use_kept(
        self,
        key: Hashable,
        prepare: Callable[[Buffer], Numbering],
        pixels: Any,
        use: Callable[[PreparedNumbering, Any, Any], Made],
        progress: Progress | None,
    ) -> Made:
        grid = self._grid(pixels)
        stream = self._cupy.cuda.get_current_stream()

        def make() -> PreparedNumbering:
            image = Buffer("image", tuple(grid.shape), np.dtype(np.uint8))
            if self._pool.total_bytes() > self.kept.most_bytes:
                self._pool.free_all_blocks()  # of shapes that were dropped
            with self._cupy.cuda.using_allocator(self._pool.malloc):
                return PreparedNumbering(self, prepare(image), progress)

        numbering = self.kept.get_or_make((key, grid.shape, stream.ptr), make)
        result = use(numbering, grid, stream)
        if numbering.nbytes > self.kept.most_bytes:
            del numbering
            self._pool.free_all_blocks()
        return result

    def scratch_bytes(self) -> int:
        """Return the bytes of the GPU's memory in the pool, used or free."""
        return int(self._pool.total_bytes())

    def clear(self) -> None:
        """Free the memory that is kept for recurring shapes."""
        self.kept.clear()
        with self._cupy.cuda.Device(self.index):
            self._pool.free_all_blocks()

    def stream(self) -> CudaStream:
        """Return the GPU's stream; see :meth:`ccl_viewer.execution.device.Device.stream`."""
        if self._stream is None:
            self._stream = CudaStream(self)
        return self._stream

    def with_room(self, make: Callable[[], Made]) -> Made:
        """Return the result of a call; if memory runs out, clear the cache and call again.

        Parameters
        ----------
        make : callable
            The call, which allocates memory of the GPU.
        """
        try:
            return make()
        except self._cupy.cuda.memory.OutOfMemoryError:
            pass  # leaving the handler frees the call's memory
        self.clear()
        self._cupy.get_default_memory_pool().free_all_blocks()
        return make()

    def _grid(self, pixels: Any) -> Any:
        """Return a grid as bytes on this GPU, without a copy if it is there already."""
        cupy = self._cupy
        array = _as_cupy(cupy, pixels)
        if array.dtype == np.bool_:
            array = array.view(np.uint8)
        elif array.dtype != np.uint8:
            array = (array != 0).view(np.uint8)
        return array if array.flags.c_contiguous else cupy.ascontiguousarray(array)

    def kernel(self, kernel: Kernel, progress: Progress | None) -> Any:
        """Return CuPy's function for a kernel; compile its module if necessary.

        Raises
        ------
        KernelBuildError
            If the module does not compile, or has no such function.
        DeviceUnavailableError
            If CuPy's compiler is missing or does not fit the driver.
        """
        function = self._kernels.get(kernel)
        if function is None:
            module = self._module(kernel, progress)
            try:
                function = module.get_function(kernel.name)
            except self._cupy.cuda.driver.CUDADriverError as error:
                raise KernelBuildError(
                    f"The module {kernel.module} has no kernel {kernel.name}: check the name in "
                    "the plan."
                ) from error
            self._kernels[kernel] = function
        return function

    def _module(self, kernel: Kernel, progress: Progress | None) -> Any:
        source = read_source(self._find_source(kernel.module), kernel.macros)
        module = self._modules.get(source.digest)
        if module is None:
            if progress is not None:
                progress(f"Compiling {kernel.module} for the GPU")
            begun = time.perf_counter()
            module = self._compile(source, kernel)
            self.build_milliseconds += 1000 * (time.perf_counter() - begun)
            self._modules[source.digest] = module
        return module

    def _compile(self, source: KernelSource, kernel: Kernel) -> Any:
        # CuPy caches compiled modules by code and options and ignores included headers, so the
        # digest of all files is one of the options.
        options = [
            "-std=c++17",
            *(f"-I{folder}" for folder in source.include_folders),
            f"-DCCL_VIEWER_DIGEST=0x{source.digest[:8]}",
            *(f"-D{name}={value}" for name, value in kernel.macros),
        ]
        module = self._cupy.RawModule(code=source.text, options=tuple(options), backend="nvrtc")
        log = io.StringIO()
        try:
            module.compile(log_stream=log)
        except self._cupy.cuda.compiler.CompileException as error:
            text = str(error)
            found = nvrtc_diagnostics(source, text)
            lines = [str(each) for each in found if each.severity == "error"]
            lines += [line for line in text.splitlines() if "error" in line] + [text]
            sentence = f"{source.path.name} does not compile: {lines[0]}"
            raise KernelBuildError(sentence, found) from error
        except (RuntimeError, ImportError, OSError) as error:
            # NVRTC is missing, or its output is too new for the driver.
            reason = str(error).partition("\n")[0]
            raise DeviceUnavailableError(
                f"Kernels cannot be built for the {self.title} ({reason}): {_INSTALL} that fits "
                "the driver, or use the emulator (--device emulator)."
            ) from error
        self.diagnostics += nvrtc_diagnostics(source, log.getvalue())
        return module

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
        with self.faults("a benchmark"), self._cupy.cuda.Device(self.index):
            call = prepare(self._cupy.asarray(pixels))
            for turn in range(repeats + 2):
                start, end = self._cupy.cuda.Event(), self._cupy.cuda.Event()
                start.record()
                call()
                end.record()
                end.synchronize()
                if turn >= 2:
                    times.append(float(self._cupy.cuda.get_elapsed_time(start, end)))
        return times

    def hold_back(self, microseconds: int) -> None:
        """Make the GPU wait, so that the launches queued meanwhile run without gaps.

        Events around a launch include the time in which the GPU waits for the host's launch, which
        on small grids is longer than the kernel.
        """
        with self.faults("a wait"):
            if self._wait is None:
                self._wait = self._cupy.RawKernel(_WAIT, "wait")
            self._wait((1,), (1,), (np.int64(1000 * microseconds),))

    def versions(self) -> dict[str, str]:
        """Return the versions of the driver, of its CUDA support, and of the compiler."""
        found: dict[str, str] = {}
        with suppress(OSError, ValueError):  # only Linux tells it; CUDA has no call for it
            text = Path("/proc/driver/nvidia/version").read_text("utf-8")
            number = re.search(r"\b\d+\.\d+(\.\d+)?\b", text)
            found |= {"driver": number[0]} if number else {}
        with self.faults("a question for its version"):
            cuda = self._cupy.cuda.runtime.driverGetVersion()
        found["CUDA"] = f"{cuda // 1000}.{cuda % 1000 // 10}"
        with suppress(RuntimeError, ImportError, OSError):  # NVRTC may be missing
            found["NVRTC"] = ".".join(map(str, self._cupy.cuda.nvrtc.getVersion()))
        return found

    def copy_bandwidth(self) -> float:
        """Return the bytes per second that a large copy reads and writes in total."""
        with self.faults("a copy"), self._cupy.cuda.Device(self.index):
            free, _total = self._cupy.cuda.runtime.memGetInfo()
            nbytes = min(1 << 30, int(free) // 4)
            source = self._cupy.zeros(nbytes, self._cupy.uint8)
            target = self._cupy.empty_like(source)
        times = self.time_calls(lambda _: lambda: self._cupy.copyto(target, source), [0], 10)
        return 2 * nbytes * 1000 / float(np.median(times))

    def synchronize(self) -> None:
        """Wait until the GPU is done, and raise its errors.

        Raises
        ------
        KernelFaultError
            If the GPU failed in a kernel.
        """
        with self.faults("a kernel"):
            self._cupy.cuda.get_current_stream().synchronize()

    def faults(self, doing: str) -> _Faults:
        """Return a context that turns CUDA's errors into ours."""
        return _Faults(self._cupy, self.title, doing, own_process=self._own_process)


class _Faults:
    """Turns CUDA's errors into ours; a class because it wraps every launch and must be fast."""

    __slots__ = ("_cupy", "_doing", "_own_process", "_title")

    def __init__(
        self, cupy: ModuleType, title: str, doing: str, *, own_process: bool = False
    ) -> None:
        self._own_process = own_process
        self._cupy = cupy
        self._title = title
        self._doing = doing

    def __enter__(self) -> None:
        pass

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is None:
            return
        cuda = self._cupy.cuda
        if isinstance(error, cuda.memory.OutOfMemoryError):
            raise DeviceUnavailableError(
                f"The {self._title} has not enough free memory ({error}): take a smaller grid, or "
                "use the emulator (--device emulator)."
            ) from error
        if isinstance(error, (cuda.runtime.CUDARuntimeError, cuda.driver.CUDADriverError)):
            restart = "" if self._own_process else "restart the program, and "
            raise KernelFaultError(
                f"The GPU failed while it ran {self._doing} ({error}): {restart}run the emulator "
                "(--device emulator) to see what the kernel does."
            ) from error


class CudaStream:
    """Arrays in the GPU's memory and kernels on them.

    See :class:`ccl_viewer.execution.device.Stream`.

    Parameters
    ----------
    device : CudaDevice
        The GPU.
    """

    on_host = False

    def __init__(self, device: CudaDevice) -> None:
        self._device = device
        self._cupy = device._cupy  # noqa: SLF001  (the classes of this module share it)
        with device.faults("a question for its memory"), self._here():
            free, _total = self._cupy.cuda.runtime.memGetInfo()
            count = self._cupy.cuda.Device().attributes["MultiProcessorCount"]
        self.room = int(free) // 2
        self._counting_blocks = _COUNTING_BLOCKS * int(count)

    def _here(self) -> Any:
        return self._cupy.cuda.Device(self._device.index)

    def empty(self, shape: int | tuple[int, ...], dtype: Any, fill: int | None = None) -> Any:
        """Return a new array, filled with `fill` if that is given."""
        with self._device.faults("an allocation"), self._here():
            array = self._device.with_room(lambda: self._cupy.empty(shape, dtype))
            if fill is not None:
                _fill(array, fill)
        return array

    def crop(self, array: Any, layout: LabelLayout | None, dtype: Any) -> Any:
        """Return a copy of a run's buffer, without padding and converted to `dtype`."""
        with self._device.faults("a copy"), self._here():
            inner: Any = array if layout is None else layout.inner(array)
            if inner.itemsize != np.dtype(dtype).itemsize:
                return self._device.with_room(lambda: inner.astype(dtype, order="C"))
            made = self.empty(inner.shape, dtype)
            height, width = inner.shape
            runtime, size = self._cupy.cuda.runtime, inner.itemsize
            runtime.memcpy2DAsync(
                made.data.ptr, width * size, inner.data.ptr, inner.strides[0], width * size, height,
                runtime.memcpyDeviceToDevice, self._cupy.cuda.get_current_stream().ptr,
            )  # fmt: skip
        return made

    def to_device(self, array: Array) -> Any:
        """Copy an array from the host to the GPU."""
        with self._device.faults("an upload"), self._here():
            return self._device.with_room(lambda: self._cupy.asarray(np.ascontiguousarray(array)))

    def to_host(self, array: Any) -> Array:
        """Copy an array from the GPU to the host."""
        with self._device.faults("a kernel"), self._here():
            host: Array = array.get()
        return host

    def launch(self, kernel: Kernel, threads: int, *arguments: Any) -> None:
        """Start a kernel with `threads` threads or a few more."""
        self._launch(kernel, -(-threads // _THREADS), arguments)

    def launch_counting(
        self, kernel: Kernel, cells: int, arguments: tuple[Any, ...], more: tuple[Any, ...] = ()
    ) -> None:
        """Start a kernel that counts; each thread counts some of the cells."""
        blocks = min(-(-cells // _THREADS), self._counting_blocks)
        share = -(-cells // (blocks * _THREADS))
        self._launch(kernel, blocks, (*arguments, np.int32(cells), np.int32(share), *more))

    def _launch(self, kernel: Kernel, blocks: int, arguments: tuple[Any, ...]) -> None:
        function = self._device.kernel(kernel, None)
        with self._device.faults(kernel.name), self._here():
            function((blocks, 1, 1), (_THREADS, 1, 1), arguments)


class PreparedNumbering:
    """Prepared launches that number components: functions, arguments and scratch memory.

    On small grids, playing a plan takes longer than its kernels. So it is played only once. For the
    next grid of the same shape, only the addresses of the grid and the result change among the
    arguments.

    Parameters
    ----------
    device : CudaDevice
        The GPU.
    numbering : Numbering
        The launches and buffers.
    progress : callable or None
        Called when a module is compiled.
    """

    def __init__(self, device: CudaDevice, numbering: Numbering, progress: Progress | None) -> None:
        self._cupy = device._cupy  # noqa: SLF001  (the classes of this module share it)
        self._lock = threading.Lock()
        self._shape = numbering.numbers.shape
        changing = (numbering.image, numbering.numbers)
        arrays: dict[Buffer, Any] = {
            buffer: self._cupy.empty(buffer.shape, buffer.dtype)
            for buffer in numbering.buffers
            if buffer not in changing
        }
        self.nbytes = sum(buffer.nbytes for buffer in arrays)
        arrays[numbering.count] = self._on_host(device.index, numbering.count)
        self._numbers, self._arrays = numbering.numbers, arrays
        self._graphs: OrderedDict[tuple[int, int], Any] = OrderedDict()
        self._launches = [
            (
                device.kernel(launch.kernel, progress),
                launch.grid,
                launch.block,
                [arrays.get(a) if isinstance(a, Buffer) else a for a in launch.arguments],
                [
                    (place, changing.index(argument))
                    for place, argument in enumerate(launch.arguments)
                    if isinstance(argument, Buffer) and argument in changing
                ],
            )
            for launch in numbering.launches
        ]

    def _on_host(self, index: int, count: Buffer) -> Any:
        """Allocate the buffer of the count in pinned host memory, which kernels can write to."""
        cuda = self._cupy.cuda
        pinned = cuda.alloc_pinned_memory(count.nbytes)
        self._host_count: Array = np.frombuffer(pinned, count.dtype, 1)
        memory = cuda.UnownedMemory(pinned.ptr, count.nbytes, pinned, index)
        return self._cupy.ndarray(count.shape, count.dtype, cuda.MemoryPointer(memory, 0))

    def __call__(self, grid: Any, stream: Any, *, synchronize: bool) -> tuple[Any, Any]:
        """Label a grid of this shape and number its components; see :meth:`CudaDevice.number`."""
        numbers = self._cupy.ndarray(self._shape, np.int32)
        with self._lock:
            self._start(grid, numbers, stream)
            if not synchronize:
                count = self._cupy.ndarray((), np.int32)
                count.data.copy_from_host_async(self._host_count.ctypes.data, count.nbytes, stream)
                return numbers, count
            stream.synchronize()
            return numbers, int(self._host_count[0])

    @contextmanager
    def kept(self, grid: Any, stream: Any) -> Iterator[tuple[dict[Buffer, Any], int]]:
        """Label a grid of the shape, and give the caller all arrays and the count.

        The arrays are the caller's until the context ends, on the same stream.
        """
        numbers = self._cupy.ndarray(self._shape, np.int32)
        with self._lock:
            self._start(grid, numbers, stream)
            stream.synchronize()
            yield {**self._arrays, self._numbers: numbers}, int(self._host_count[0])

    def _start(self, grid: Any, numbers: Any, stream: Any) -> None:
        """Start the launches, as one CUDA graph if both arrays had these addresses before.

        Arrays that are allocated and freed in turn often get the same addresses again.
        """
        places = (grid.data.ptr, numbers.data.ptr)
        graph = self._graphs.get(places)
        if graph is not None:
            self._graphs.move_to_end(places)
            graph.launch(stream)
        elif places not in self._graphs:
            self._graphs[places] = None
            if len(self._graphs) > _MAX_GRAPHS:
                self._graphs.popitem(last=False)
            self._launch(grid, numbers)
        else:
            with self._cupy.cuda.Stream(non_blocking=True) as aside:
                aside.begin_capture()
                try:
                    self._launch(grid, numbers)
                finally:
                    self._graphs[places] = aside.end_capture()
            self._graphs[places].launch(stream)

    def _launch(self, grid: Any, numbers: Any) -> None:
        changing = (grid, numbers)
        for function, blocks, threads, arguments, places in self._launches:
            for place, which in places:
                arguments[place] = changing[which]
            function(blocks, threads, tuple(arguments))
            for place, _ in places:
                arguments[place] = None


class CudaRun:
    """The GPU memory and launches of one run.

    Parameters
    ----------
    device : CudaDevice
        The GPU.
    timed : bool
        Whether events time the launches.
    cancel : CancelToken or None
        Checked before each launch.
    progress : callable or None
        Called when a module is compiled.
    """

    def __init__(
        self,
        device: CudaDevice,
        *,
        timed: bool,
        cancel: CancelToken | None,
        progress: Progress | None,
    ) -> None:
        self._device = device
        self._cupy = device._cupy  # noqa: SLF001  (the classes of this module share it)
        self._timed = timed
        self._cancel = cancel
        self._progress = progress
        self._arrays: dict[Buffer, Any] = {}
        self._pinned: dict[Buffer, Array] = {}
        self._arrivals: dict[Buffer, Any] = {}
        self._fetched: set[Buffer] = set()
        self._last = "a kernel"

    def upload(self, image: Buffer, pixels: Any) -> None:
        """Copy the grid to the GPU, unless it is there already."""
        with self._device.faults("the upload"):
            self._arrays[image] = self._device.with_room(lambda: self._grid(image, pixels))

    def _grid(self, image: Buffer, pixels: Any) -> Any:
        array = _as_cupy(self._cupy, pixels)
        if array.dtype != image.dtype:
            array = (array != 0).astype(image.dtype)
        return self._cupy.ascontiguousarray(array)

    def adopt(self, arrays: dict[Buffer, Any]) -> None:
        """Take arrays that are there already for buffers."""
        self._arrays.update(arrays)

    def allocate(self, buffer: Buffer) -> None:
        """Allocate a buffer; see :class:`ccl_viewer.execution.device.DeviceRun`."""
        with self._device.faults("an allocation"):
            self._arrays[buffer] = self._device.with_room(
                lambda: self._cupy.empty(buffer.shape, buffer.dtype)
            )
        if buffer.fill is not None:
            self.fill(buffer, buffer.fill)

    def fill(self, buffer: Buffer, value: int) -> None:
        """Set every element of a buffer."""
        with self._device.faults("a fill"):
            _fill(self._arrays[buffer], value)

    def launch(self, launch: Launch) -> Elapsed:
        """Start a kernel; the next :meth:`read` raises its faults."""
        if self._cancel is not None:
            self._cancel.check()
        function = self._device.kernel(launch.kernel, self._progress)
        arguments = tuple(self._argument(argument) for argument in launch.arguments)
        self._last = launch.kernel.name
        with self._device.faults(self._last):
            if not self._timed:
                function(launch.grid, launch.block, arguments, shared_mem=launch.shared_bytes)
                return untimed
            start, end = self._cupy.cuda.Event(), self._cupy.cuda.Event()
            start.record()
            function(launch.grid, launch.block, arguments, shared_mem=launch.shared_bytes)
            end.record()

        def elapsed() -> float:
            with self._device.faults(launch.kernel.name):
                end.synchronize()
                return float(self._cupy.cuda.get_elapsed_time(start, end))

        return elapsed

    def _argument(self, argument: Argument) -> Any:
        return self._arrays[argument] if isinstance(argument, Buffer) else argument

    def fetch(self, buffer: Buffer) -> None:
        """Start copying a buffer to pinned host memory; later launches run meanwhile."""
        array = self._arrays[buffer]
        with self._device.faults(self._last):
            host = self._pinned.get(buffer)
            if host is None:
                host = self._pinned[buffer] = self._pinned_like(array)
            array.data.copy_to_host_async(host.ctypes.data, array.nbytes)
            arrived = self._arrivals.get(buffer)
            if arrived is None:
                arrived = self._arrivals[buffer] = self._cupy.cuda.Event(disable_timing=True)
            arrived.record()
        self._fetched.add(buffer)

    def read(self, buffer: Buffer) -> Array:
        """Return a buffer's contents in pinned host memory, valid until its next read."""
        if buffer not in self._fetched:
            self.fetch(buffer)
        self._fetched.discard(buffer)
        with self._device.faults(self._last):
            self._arrivals[buffer].synchronize()
        return self._pinned[buffer]

    def _pinned_like(self, array: Any) -> Array:
        memory = self._cupy.cuda.alloc_pinned_memory(array.nbytes)
        flat: Array = np.frombuffer(memory, array.dtype, array.size)
        return flat.reshape(array.shape)

    def take(self, buffer: Buffer) -> Any:
        """Return a buffer as a CuPy array after the GPU has finished using it."""
        self._device.synchronize()
        return self._arrays[buffer]

    def array(self, buffer: Buffer) -> Any:
        """Return a buffer as a CuPy array; see :class:`ccl_viewer.execution.device.DeviceRun`."""
        return self._arrays[buffer]

    def close(self) -> None:
        """Return the memory to CuPy's pools."""
        if self._fetched:
            # Pinned memory must not be freed during a copy to it.
            self._cupy.cuda.get_current_stream().synchronize()
        self._arrays.clear()
        self._pinned.clear()
