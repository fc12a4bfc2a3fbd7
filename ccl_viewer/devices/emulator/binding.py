"""Turn a plan's launch into a native request, and check it."""

from __future__ import annotations

import ctypes
import math
import sys
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ccl_viewer.devices.emulator.kernels import LoadedKernel
from ccl_viewer.devices.emulator.library import LaunchRequest, NativeParameter
from ccl_viewer.devices.emulator.memory import Allocation
from ccl_viewer.errors import KernelFaultError
from ccl_viewer.execution.plan import Buffer, Dim3, Launch
from ccl_viewer.execution.schedule import Order, Schedule

_ORDER_NUMBERS = {  # as in runtime/request.h
    Order.SEQUENTIAL: 0,
    Order.REVERSE: 1,
    Order.SYNCHRONOUS: 2,
    Order.RANDOM: 3,
}
_WARP = 32
_MAX_THREADS = 1024
_MAX_RESIDENT_BLOCKS = 4096
_MAX_CHECKED_BLOCKS = 64  # resident with the memory check, which takes much memory per block
_MAX_SHARED_BYTES = 232_448  # dynamic, as on the largest GPUs
_LARGEST_GRID: Dim3 = (2**31 - 1, 65_535, 65_535)
_LARGEST_BLOCK: Dim3 = (1024, 1024, 64)


class Binding:
    """Request for the launches of one kernel in one run, one at a time.

    Parameters
    ----------
    kernel : LoadedKernel
        The kernel.
    schedule : Schedule
        Order of its threads.
    checked : bool
        Whether the memory check is on.
    """

    def __init__(self, kernel: LoadedKernel, schedule: Schedule, *, checked: bool = False) -> None:
        count = len(kernel.parameters)
        self.kernel = kernel
        self.request = LaunchRequest()
        self._schedule = schedule
        self._most_blocks = _MAX_CHECKED_BLOCKS if checked else _MAX_RESIDENT_BLOCKS
        self._slots = (ctypes.c_uint64 * count)()
        base = ctypes.addressof(self._slots)
        self._pointers = (ctypes.c_uint64 * count)(*(base + 8 * i for i in range(count)))
        self._ranges = (ctypes.c_uint64 * (2 * count))()  # address and bytes of each buffer
        self._shape: tuple[Dim3, Dim3, int] | None = None
        self.request.kernel = kernel.index
        self.request.arguments = ctypes.addressof(self._pointers)
        self.request.ranges = ctypes.addressof(self._ranges)
        self.request.schedule = _ORDER_NUMBERS[schedule.order]

    def bind(self, launch: Launch, memory: Mapping[Buffer, Allocation]) -> list[Allocation]:
        """Set the request to a launch.

        Parameters
        ----------
        launch : Launch
            A launch of this kernel.
        memory : mapping
            The buffers of the run.

        Returns
        -------
        list of Allocation
            The kernel's buffers, each once, in the order of the request's ranges.

        Raises
        ------
        KernelFaultError
            If a GPU would reject the launch, because arguments or dimensions do not fit.
        """
        shape = (launch.grid, launch.block, launch.shared_bytes)
        if shape != self._shape:
            self._set_shape(launch)
            self._shape = shape
        _check_count(launch, self.kernel.parameters)
        slots = self._slots
        allocations: list[Allocation] = []
        for index, (argument, parameter) in enumerate(
            zip(launch.arguments, self.kernel.parameters, strict=True)
        ):
            if isinstance(argument, Buffer):
                allocation = _find(argument, memory, launch)
                if not parameter.is_pointer:
                    raise _misfit(launch, index, parameter)
                slots[index] = allocation.address
                if allocation not in allocations:
                    allocations.append(allocation)
            else:
                if parameter.is_pointer or argument.nbytes != parameter.nbytes:
                    raise _misfit(launch, index, parameter)
                slots[index] = int.from_bytes(argument.tobytes(), sys.byteorder)
        self._set_ranges(allocations)
        return allocations

    def bind_arrays(self, launch: Launch, arguments: Sequence[Any]) -> None:
        """Set the request to a launch with arrays and scalars as arguments.

        Parameters
        ----------
        launch : Launch
            The launch, without arguments.
        arguments : sequence of ndarray or numpy scalar
            C-contiguous arrays, which the caller must keep alive until the launch has ended.

        Raises
        ------
        TypeError
            If arguments do not fit the kernel's parameters.
        """
        self._set_shape(launch)
        parameters = self.kernel.parameters
        if len(arguments) != len(parameters):
            raise TypeError(f"{self.kernel.name} takes {len(parameters)}, not {len(arguments)}")
        for index, (argument, parameter) in enumerate(zip(arguments, parameters, strict=True)):
            if isinstance(argument, np.ndarray) != parameter.is_pointer:
                raise TypeError(f"{self.kernel.name}: argument {index + 1} is of the wrong kind")
            if isinstance(argument, np.ndarray):
                if not argument.flags.c_contiguous:
                    raise TypeError(f"{self.kernel.name}: argument {index + 1} has gaps")
                self._slots[index] = argument.ctypes.data
            else:
                if argument.nbytes != parameter.nbytes:
                    raise TypeError(f"{self.kernel.name}: argument {index + 1} has another size")
                self._slots[index] = int.from_bytes(argument.tobytes(), sys.byteorder)
        self.request.range_count = 0

    def _set_ranges(self, allocations: Sequence[Allocation]) -> None:
        for slot, allocation in enumerate(allocations):
            self._ranges[2 * slot] = allocation.address
            self._ranges[2 * slot + 1] = allocation.nbytes
        self.request.range_count = len(allocations)

    def _set_shape(self, launch: Launch) -> None:
        _check_dimensions(launch)
        request = self.request
        threads = math.prod(launch.block)
        request.grid[:] = launch.grid
        request.block[:] = launch.block
        request.shared_bytes = launch.shared_bytes
        request.resident_blocks = self._resident_blocks(math.prod(launch.grid), threads)
        request.fibers = request.resident_blocks * threads + 1

    def _resident_blocks(self, blocks: int, threads: int) -> int:
        if not self._schedule.order.interleaves:
            return 1
        slots = -(-threads // _WARP) * _WARP
        fit = min(self._schedule.residency // slots, self._most_blocks)
        return max(1, min(blocks, fit))


def _find(buffer: Buffer, memory: Mapping[Buffer, Allocation], launch: Launch) -> Allocation:
    allocation = memory.get(buffer)
    if allocation is None:
        raise KernelFaultError(
            f"The kernel {launch.kernel.name} is given the buffer {buffer.name}, which is not "
            "allocated: let the plan yield it first."
        )
    return allocation


def _check_count(launch: Launch, parameters: Sequence[NativeParameter]) -> None:
    if len(launch.arguments) != len(parameters):
        raise KernelFaultError(
            f"The kernel {launch.kernel.name} takes {len(parameters)} arguments and is given "
            f"{len(launch.arguments)}: correct the plan."
        )


def _misfit(launch: Launch, index: int, parameter: NativeParameter) -> KernelFaultError:
    argument = launch.arguments[index]
    takes = "a buffer" if parameter.is_pointer else f"a value of {parameter.nbytes} bytes"
    if isinstance(argument, Buffer):
        description = f"the buffer {argument.name}"
    else:
        description = f"{argument.nbytes} bytes"
    return KernelFaultError(
        f"The kernel {launch.kernel.name} takes {takes} as argument {index + 1} and is given "
        f"{description}: correct the plan."
    )


def _check_dimensions(launch: Launch) -> None:
    for dimension, size, largest in (
        ("grid", launch.grid, _LARGEST_GRID),
        ("block", launch.block, _LARGEST_BLOCK),
    ):
        if not all(1 <= n <= limit for n, limit in zip(size, largest, strict=True)):
            raise KernelFaultError(
                f"The kernel {launch.kernel.name} is launched with a {dimension} of {size}: each "
                f"dimension must be from 1 to {largest}."
            )
    if math.prod(launch.block) > _MAX_THREADS:
        raise KernelFaultError(
            f"The kernel {launch.kernel.name} is launched with a block of {launch.block}, "
            f"{math.prod(launch.block)} threads: a block has at most {_MAX_THREADS}."
        )
    if not 0 <= launch.shared_bytes <= _MAX_SHARED_BYTES:
        raise KernelFaultError(
            f"The kernel {launch.kernel.name} is launched with {launch.shared_bytes} bytes of "
            f"dynamic shared memory: it may have from 0 to {_MAX_SHARED_BYTES}."
        )
