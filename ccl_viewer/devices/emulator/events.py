"""The events of one launch: what each thread does, in the emulator's order.

The native side is ``runtime/events.h``, which describes the log. This module has the
host's side. :mod:`ccl_viewer.diagnostics.phases` divides events into phases.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property, partial
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ccl_viewer.devices.emulator.fault_messages import OPERATIONS
from ccl_viewer.devices.emulator.library import EventLogRecord
from ccl_viewer.devices.emulator.memory import POISON, Allocation
from ccl_viewer.devices.emulator.workers import Module
from ccl_viewer.devices.source import KernelSource
from ccl_viewer.execution.plan import Array, Buffer, Dim3, Launch, unravel_index
from ccl_viewer.execution.source_location import SourceLocation

MAX_EVENTS: Final = 2**21
"""Default limit of the events of a launch, 84 MB."""

EVENT: Final = np.dtype(
    [
        ("before", "<u8"),
        ("value", "<u8"),
        ("offset", "<u4"),
        ("site", "<i4"),
        ("block", "<u4"),
        ("round", "<u4"),
        ("thread", "<u2"),
        ("kind", "u1"),
        ("buffer", "u1"),
        ("bytes", "u1"),
        ("operation", "u1"),
        ("source", "u1"),
        ("unused", "u1"),
    ]
)
"""One event, as ``Event`` in ``runtime/request.h``:

``kind`` is an :class:`EventKind`; ``block`` and ``thread`` are linear indices in the grid and in
the block. For an access, ``buffer`` is the index of the buffer in :attr:`LaunchEvents.buffers` or
:data:`SHARED`, ``offset`` and ``bytes`` give the bytes, and ``before`` and ``value`` are their
values before and after, as unsigned numbers. For a warp operation or barrier, ``operation`` is an
index into :data:`~.fault_messages.OPERATIONS`, ``offset`` is the mask, ``before`` the thread's
input, ``value`` its result, and ``source`` the lane that a shuffle reads. ``site`` is the place in
the code, see :meth:`LaunchEvents.locate`; 0 if unknown."""

SHARED: Final = 255
"""The ``buffer`` of accesses to shared memory."""

_ALL_BLOCKS = 2**64 - 1
_DECLARATION = re.compile(r"__shared__\s+([\w\s]+?)\s*\b(\w+)\s*((?:\[[^\]]*\]\s*)*);")
_TYPES: Final = {
    "unsigned char": np.uint8,
    "signed char": np.int8,
    "char": np.int8,
    "bool": np.uint8,
    "unsigned short": np.uint16,
    "short": np.int16,
    "unsigned int": np.uint32,
    "unsigned": np.uint32,
    "int": np.int32,
    "unsigned long long": np.uint64,
    "long long": np.int64,
    "float": np.float32,
    "double": np.float64,
}
_WORD = np.dtype(np.uint32)


class EventKind(IntEnum):
    """What a thread does; values as in ``runtime/request.h``."""

    LOAD = 0
    STORE = 1
    ATOMIC = 2
    ARRIVAL = 3
    """Arrives at a barrier or a warp operation."""
    BARRIER = 4
    """Its block passed a barrier; logged once, for the thread that arrived last."""
    LANE = 5
    """Gets the result of a warp operation; the events of all its lanes are consecutive."""
    END = 6


@dataclass(frozen=True)
class SharedVariable:
    """A shared variable of a kernel.

    Parameters
    ----------
    name : str
        Its name in the source; ``"shared"`` if unknown.
    dtype : numpy dtype
        Type of its elements; words of 32 bits if unknown.
    offset, nbytes : int
        Its place in the block's shared memory.
    """

    name: str
    dtype: np.dtype[Any]
    offset: int
    nbytes: int


@dataclass(frozen=True, eq=False)
class LoggedBuffer:
    """A buffer of a logged launch.

    Parameters
    ----------
    buffer : Buffer
        The plan's buffer: name, shape, type and layout.
    before : ndarray
        Its contents before the launch, read-only.
    """

    buffer: Buffer
    before: Array


@dataclass(frozen=True, eq=False)
class LaunchEvents:
    """The logged events of a launch.

    Parameters
    ----------
    launch : Launch
        The launch.
    block : tuple of three int or None
        The logged block; for other blocks, only writes to device memory are logged. None for all
        blocks.
    events : ndarray of :data:`EVENT`
        The events, in order, read-only.
    lost : int
        Number of events at the end that did not fit.
    buffers : tuple of LoggedBuffer
        The kernel's buffers.
    shared : tuple of SharedVariable
        The kernel's shared variables, in the order of memory.
    find : callable
        Finds the place in the kernels' source of a ``site``; returns None if unknown.
    fault : str
        The sentence of the fault that stopped the launch; empty if it finished.
    """

    launch: Launch
    block: Dim3 | None
    events: npt.NDArray[np.void]
    lost: int
    buffers: tuple[LoggedBuffer, ...]
    shared: tuple[SharedVariable, ...]
    find: Callable[[int], SourceLocation | None]
    fault: str = ""

    @property
    def shared_bytes(self) -> int:
        """Bytes of shared memory that a block uses."""
        return max((one.offset + one.nbytes for one in self.shared), default=0)

    def locate(self, site: int) -> SourceLocation | None:
        """Return the place in the kernels' source of a ``site``; None if unknown."""
        if site not in self._located:
            self._located[site] = self.find(site)
        return self._located[site]

    @cached_property
    def _located(self) -> dict[int, SourceLocation | None]:
        return {}

    def unravel_block(self, linear: int) -> Dim3:
        """Return the index of a block from its linear index."""
        return unravel_index(linear, self.launch.grid)

    def unravel_thread(self, linear: int) -> Dim3:
        """Return the index of a thread in its block from its linear index."""
        return unravel_index(linear, self.launch.block)


class EventLog:
    """Requests the events of a launch, and reads them.

    Parameters
    ----------
    block : int or None
        Linear index of the block to log; None for all.
    most : int
        Most events to log. Memory is committed as they come, 40 bytes each.
    """

    def __init__(self, block: int | None, most: int) -> None:
        self._events = np.empty(most, EVENT)
        self._block = block
        self._record = EventLogRecord(
            events=self._events.ctypes.data,
            capacity=most,
            block=_ALL_BLOCKS if block is None else block,
        )
        self._before: list[Array] = []

    def begin_launch(self, module: Module, allocations: Sequence[Allocation]) -> int:
        """Return the address of the record for a launch with these buffers."""
        self._record.origin = module.first.launch_address
        self._before = [_copy_read_only(allocation.array) for allocation in allocations]
        return ctypes.addressof(self._record)

    def collect(
        self, launch: Launch, module: Module, source: KernelSource, fault: str
    ) -> LaunchEvents:
        """Return the events of the launch that was prepared."""
        record = self._record
        buffers: list[Buffer] = []
        for argument in launch.arguments:
            if isinstance(argument, Buffer) and argument not in buffers:
                buffers.append(argument)
        events = self._events[: record.count]
        if 2 * record.count < self._events.size:  # untouched memory is not committed
            events = events.copy()
        events.flags.writeable = False
        return LaunchEvents(
            launch=launch,
            block=None if self._block is None else unravel_index(self._block, launch.grid),
            events=events,
            lost=record.lost,
            buffers=tuple(
                LoggedBuffer(buffer, before)
                for buffer, before in zip(buffers, self._before, strict=True)
            ),
            shared=_find_shared_variables(record, launch, module, source),
            find=partial(_find, module),
            fault=fault,
        )


def operation_name(number: int) -> str:
    """Return the name of a barrier or warp operation, without parentheses."""
    return OPERATIONS[number].removesuffix("()")


def _find(module: Module, site: int) -> SourceLocation | None:
    return module.locate(module.first.launch_address + site if site else 0)


def _copy_read_only(array: Array) -> Array:
    copy = array.copy()
    copy.flags.writeable = False
    return copy


def _find_shared_variables(
    record: EventLogRecord, launch: Launch, module: Module, source: KernelSource
) -> tuple[SharedVariable, ...]:
    types = _find_declared_types(source)
    variables = []
    for variable in record.variables[: record.variable_count]:
        name = module.shared_variable(record.origin + variable.control) or "shared"
        nbytes = variable.bytes or launch.shared_bytes
        dtype = types.get(name, _WORD)
        if nbytes % dtype.itemsize:
            dtype = np.dtype(np.uint8)
        variables.append(SharedVariable(name, dtype, variable.offset, nbytes))
    return tuple(sorted(variables, key=lambda one: one.offset))


def _find_declared_types(source: KernelSource) -> dict[str, np.dtype[Any]]:
    """Return the element types of a module's shared variables, by name."""
    types: dict[str, np.dtype[Any]] = {}
    for _, text in source.files:
        for match in _DECLARATION.finditer(text):
            dtype = _TYPES.get(" ".join(match[1].split()))
            if dtype is not None:
                types[match[2]] = np.dtype(dtype)
    return types


def make_fresh_shared(nbytes: int) -> npt.NDArray[np.uint8]:
    """Return shared memory as at the start of a block, without useful values."""
    return np.full(nbytes, POISON, np.uint8)
