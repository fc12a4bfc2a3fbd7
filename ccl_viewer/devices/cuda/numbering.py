"""Labelling and numbering grids of the same shape again, without playing the plan."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from ccl_viewer.devices.cuda.gpu import Gpu
from ccl_viewer.execution.device import Progress
from ccl_viewer.execution.plan import Array, Buffer, NumberingRequests

_MAX_GRAPHS = 16
"""Most CUDA graphs, one for each pair of addresses of a grid and its numbers."""


class PreparedNumbering:
    """Prepared launches that number components: functions, arguments and scratch memory.

    On small grids, playing a plan takes longer than its kernels. So it is played only once. For the
    next grid of the same shape, only the addresses of the grid and the result change among the
    arguments.

    Parameters
    ----------
    device : Gpu
        The GPU.
    numbering : NumberingRequests
        The launches and buffers.
    progress : callable or None
        Called when a module is compiled.
    """

    def __init__(
        self, device: Gpu, numbering: NumberingRequests, progress: Progress | None
    ) -> None:
        self._cupy = device.cupy
        self._lock = threading.Lock()
        self._shape = numbering.numbers.shape
        changing = (numbering.image, numbering.numbers)
        arrays: dict[Buffer, Any] = {
            buffer: self._cupy.empty(buffer.shape, buffer.dtype)
            for buffer in numbering.buffers
            if buffer not in changing
        }
        self.nbytes = sum(buffer.nbytes for buffer in arrays)
        arrays[numbering.count] = self._allocate_on_host(device.index, numbering.count)
        self._numbers, self._arrays = numbering.numbers, arrays
        self._graphs: OrderedDict[tuple[int, int], Any] = OrderedDict()
        self._launches = [
            (
                device.kernel(launch.kernel, progress),
                launch.grid,
                launch.block,
                launch.shared_bytes,
                [arrays.get(a) if isinstance(a, Buffer) else a for a in launch.arguments],
                [
                    (index, changing.index(argument))
                    for index, argument in enumerate(launch.arguments)
                    if isinstance(argument, Buffer) and argument in changing
                ],
            )
            for launch in numbering.launches
        ]

    def _allocate_on_host(self, index: int, count: Buffer) -> Any:
        """Allocate the buffer of the count in pinned host memory, which kernels can write to."""
        cuda = self._cupy.cuda
        pinned = cuda.alloc_pinned_memory(count.nbytes)
        self._host_count: Array = np.frombuffer(pinned, count.dtype, 1)
        memory = cuda.UnownedMemory(pinned.ptr, count.nbytes, pinned, index)
        return self._cupy.ndarray(count.shape, count.dtype, cuda.MemoryPointer(memory, 0))

    def __call__(self, grid: Any, stream: Any, *, synchronize: bool) -> tuple[Any, Any]:
        """Label a grid of this shape and number its components; see ``CudaDevice.number``."""
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
    def number_and_lend(self, grid: Any, stream: Any) -> Iterator[tuple[dict[Buffer, Any], int]]:
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
        addresses = (grid.data.ptr, numbers.data.ptr)
        graph = self._graphs.get(addresses)
        if graph is not None:
            self._graphs.move_to_end(addresses)
            graph.launch(stream)
        elif addresses not in self._graphs:
            self._graphs[addresses] = None
            if len(self._graphs) > _MAX_GRAPHS:
                self._graphs.popitem(last=False)
            self._launch(grid, numbers)
        else:
            with self._cupy.cuda.Stream(non_blocking=True) as aside:
                aside.begin_capture()
                try:
                    self._launch(grid, numbers)
                finally:
                    self._graphs[addresses] = aside.end_capture()
            self._graphs[addresses].launch(stream)

    def _launch(self, grid: Any, numbers: Any) -> None:
        changing = (grid, numbers)
        for function, blocks, threads, shared_bytes, arguments, indices in self._launches:
            for index, which in indices:
                arguments[index] = changing[which]
            function(blocks, threads, tuple(arguments), shared_mem=shared_bytes)
            for index, _ in indices:
                arguments[index] = None
