"""One run on a GPU: its memory and its launches, timed by CUDA events."""

from __future__ import annotations

from typing import Any

import numpy as np

from ccl_viewer.devices.cuda.arrays import as_cupy, fill_array, mark_gpu_foreground
from ccl_viewer.devices.cuda.gpu import Gpu
from ccl_viewer.execution.device import Elapsed, Progress, untimed
from ccl_viewer.execution.ledger import LaunchLedger
from ccl_viewer.execution.plan import Argument, Array, Buffer, Launch
from ccl_viewer.support.cancellation import CancelToken


class CudaRun:
    """The GPU memory and launches of one run.

    Parameters
    ----------
    device : Gpu
        The GPU.
    timed : bool
        Whether events time the launches.
    cancel : CancelToken or None
        Checked before each launch.
    progress : callable or None
        Called when a module is compiled.
    """

    atomics: int | None = None
    printed: tuple[str, ...] = ()
    ledger: LaunchLedger | None = None

    def __init__(
        self,
        device: Gpu,
        *,
        timed: bool,
        cancel: CancelToken | None,
        progress: Progress | None,
    ) -> None:
        self._device = device
        self._cupy = device.cupy
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
        with self._device.translate_errors("the upload"):
            self._arrays[image] = self._device.retry_if_out_of_memory(
                lambda: self._grid(image, pixels)
            )

    def _grid(self, image: Buffer, pixels: Any) -> Any:
        array = as_cupy(self._cupy, pixels)
        if array.dtype != image.dtype:
            array = mark_gpu_foreground(array).astype(image.dtype)
        return self._cupy.ascontiguousarray(array)

    def adopt(self, arrays: dict[Buffer, Any]) -> None:
        """Take arrays that are there already for buffers."""
        self._arrays.update(arrays)

    def allocate(self, buffer: Buffer) -> None:
        """Allocate a buffer; see :class:`ccl_viewer.execution.device.DeviceRun`."""
        with self._device.translate_errors("an allocation"):
            self._arrays[buffer] = self._device.retry_if_out_of_memory(
                lambda: self._cupy.empty(buffer.shape, buffer.dtype)
            )
        if buffer.fill is not None:
            self.fill(buffer, buffer.fill)

    def fill(self, buffer: Buffer, value: int) -> None:
        """Set every element of a buffer."""
        with self._device.translate_errors("a fill"):
            fill_array(self._arrays[buffer], value)

    def launch(self, launch: Launch) -> Elapsed:
        """Start a kernel; the next :meth:`read` raises its faults."""
        if self._cancel is not None:
            self._cancel.check()
        function = self._device.kernel(launch.kernel, self._progress)
        arguments = tuple(self._argument(argument) for argument in launch.arguments)
        self._last = launch.kernel.name
        with self._device.translate_errors(self._last):
            if not self._timed:
                function(launch.grid, launch.block, arguments, shared_mem=launch.shared_bytes)
                return untimed
            start, end = self._cupy.cuda.Event(), self._cupy.cuda.Event()
            start.record()
            function(launch.grid, launch.block, arguments, shared_mem=launch.shared_bytes)
            end.record()

        def elapsed() -> float:
            with self._device.translate_errors(launch.kernel.name):
                end.synchronize()
                return float(self._cupy.cuda.get_elapsed_time(start, end))

        return elapsed

    def _argument(self, argument: Argument) -> Any:
        return self._arrays[argument] if isinstance(argument, Buffer) else argument

    def start_read(self, buffer: Buffer) -> None:
        """Start copying a buffer to pinned host memory; later launches run meanwhile."""
        array = self._arrays[buffer]
        with self._device.translate_errors(self._last):
            host = self._pinned.get(buffer)
            if host is None:
                host = self._pinned[buffer] = self._allocate_pinned(array)
            array.data.copy_to_host_async(host.ctypes.data, array.nbytes)
            arrived = self._arrivals.get(buffer)
            if arrived is None:
                arrived = self._arrivals[buffer] = self._cupy.cuda.Event(disable_timing=True)
            arrived.record()
        self._fetched.add(buffer)

    def read(self, buffer: Buffer) -> Array:
        """Return a buffer's contents in pinned host memory, valid until its next read."""
        if buffer not in self._fetched:
            self.start_read(buffer)
        self._fetched.discard(buffer)
        with self._device.translate_errors(self._last):
            self._arrivals[buffer].synchronize()
        return self._pinned[buffer]

    def _allocate_pinned(self, array: Any) -> Array:
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
