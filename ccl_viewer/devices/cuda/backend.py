"""Arrays in a GPU's memory that outlive a run, and kernels on them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ccl_viewer.devices.cuda.arrays import fill_array
from ccl_viewer.devices.cuda.gpu import Gpu
from ccl_viewer.execution.plan import Array, Kernel, LabelLayout

_THREADS = 256
"""Threads per block of a backend's kernels."""

_COUNTING_BLOCKS = 8
"""Blocks per multiprocessor of a counting kernel: as many as can be resident."""


class CudaArrayBackend:
    """Arrays in the GPU's memory and kernels on them.

    See :class:`ccl_viewer.execution.device.ArrayBackend`.

    Parameters
    ----------
    device : Gpu
        The GPU.
    """

    on_host = False

    def __init__(self, device: Gpu) -> None:
        self._device = device
        self._cupy = device.cupy
        with device.translate_errors("a question for its memory"), self._here():
            free, _total = self._cupy.cuda.runtime.memGetInfo()
            count = self._cupy.cuda.Device().attributes["MultiProcessorCount"]
        self.memory_budget = int(free) // 2
        self._counting_blocks = _COUNTING_BLOCKS * int(count)

    def _here(self) -> Any:
        return self._cupy.cuda.Device(self._device.index)

    def empty(self, shape: int | tuple[int, ...], dtype: Any, fill: int | None = None) -> Any:
        """Return a new array, filled with `fill` if that is given."""
        with self._device.translate_errors("an allocation"), self._here():
            array = self._device.retry_if_out_of_memory(lambda: self._cupy.empty(shape, dtype))
            if fill is not None:
                fill_array(array, fill)
        return array

    def crop(self, array: Any, layout: LabelLayout | None, dtype: Any) -> Any:
        """Return a copy of a run's buffer, without padding and converted to `dtype`."""
        with self._device.translate_errors("a copy"), self._here():
            inner: Any = array if layout is None else layout.inner(array)
            if inner.itemsize != np.dtype(dtype).itemsize:
                return self._device.retry_if_out_of_memory(lambda: inner.astype(dtype, order="C"))
            cropped = self.empty(inner.shape, dtype)
            height, width = inner.shape
            runtime, size = self._cupy.cuda.runtime, inner.itemsize
            runtime.memcpy2DAsync(
                cropped.data.ptr, width * size, inner.data.ptr, inner.strides[0], width * size,
                height, runtime.memcpyDeviceToDevice, self._cupy.cuda.get_current_stream().ptr,
            )  # fmt: skip
        return cropped

    def to_device(self, array: Array) -> Any:
        """Copy an array from the host to the GPU."""
        with self._device.translate_errors("an upload"), self._here():
            return self._device.retry_if_out_of_memory(
                lambda: self._cupy.asarray(np.ascontiguousarray(array))
            )

    def to_host(self, array: Any) -> Array:
        """Copy an array from the GPU to the host."""
        with self._device.translate_errors("a kernel"), self._here():
            host: Array = array.get()
        return host

    def launch(self, kernel: Kernel, threads: int, *arguments: Any) -> None:
        """Start a kernel with `threads` threads or a few more."""
        self._launch(kernel, -(-threads // _THREADS), arguments)

    def launch_reduction(
        self, kernel: Kernel, cells: int, arguments: tuple[Any, ...], more: tuple[Any, ...] = ()
    ) -> None:
        """Start a kernel that counts; each thread counts some of the cells."""
        blocks = min(-(-cells // _THREADS), self._counting_blocks)
        share = -(-cells // (blocks * _THREADS))
        self._launch(kernel, blocks, (*arguments, np.int32(cells), np.int32(share), *more))

    def _launch(self, kernel: Kernel, blocks: int, arguments: tuple[Any, ...]) -> None:
        function = self._device.kernel(kernel, None)
        with self._device.translate_errors(kernel.name), self._here():
            function((blocks, 1, 1), (_THREADS, 1, 1), arguments)
