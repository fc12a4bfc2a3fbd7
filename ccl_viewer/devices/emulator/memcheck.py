"""The memory check: finds accesses of kernels that are wrong in any order of the threads.

The native side is ``runtime/memcheck.h``, which describes the checks. This module is the host's
side.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import Enum
from typing import Any, TypeAlias
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from ccl_viewer.devices.emulator.fault_messages import cell_of_element, unravel_index
from ccl_viewer.devices.emulator.library import CheckRecord, FindingRecord
from ccl_viewer.devices.emulator.lines import SourceLocation
from ccl_viewer.devices.emulator.memory import Allocation
from ccl_viewer.devices.emulator.workers import Module
from ccl_viewer.errors import DeviceUnavailableError
from ccl_viewer.execution.device import AccessKind
from ccl_viewer.execution.plan import Dim3, Launch

NOTE_BYTES = 80
"""Bytes of notes about a word or byte of device memory, for finding races; as in memcheck.h."""

_WRITTEN = 1
"""Bit of a byte that the kernel or the host has written; memcheck.h uses other bits."""

_MAX_FINDINGS = 64
"""Most places in a kernel's code that one launch can report."""


class FindingKind(Enum):
    """Kinds of wrong accesses; values as in ``runtime/memcheck.h``."""

    SHARED_RACE = 0
    UNINITIALISED_SHARED = 1
    UNINITIALISED_DEVICE = 2
    BEYOND_SHARED = 3
    DEVICE_RACE = 4


_VERBS = {AccessKind.LOAD: "reads", AccessKind.STORE: "writes", AccessKind.ATOMIC: "updates"}


@dataclass(frozen=True)
class Finding:
    """A wrong access at one place in a kernel's code, as first seen in a launch.

    Parameters
    ----------
    kind : FindingKind
        Kind of the wrong access.
    module, kernel : str
        Names of the kernel's module and of the kernel.
    block, thread : tuple of three int
        The thread.
    access : AccessKind
        The thread's access.
    memory : str or None
        Name of the buffer; None for shared memory.
    variable : str
        Name of the shared variable; empty if unknown, and for buffers.
    offset : int
        The byte, from the start of the buffer or of the shared variable.
    nbytes : int
        Number of bytes that the thread accesses.
    size : int
        Bytes of the shared variable; 0 for a buffer.
    element : int
        Bytes of an element of the buffer; in shared memory, the accessed bytes.
    location : SourceLocation or None
        The place in the source, if known.
    cell : tuple of int or None
        Column and row of the cell, if the buffer has one element per cell.
    other : tuple of three int or None
        For a race, the other thread.
    other_block : tuple of three int or None
        The other thread's block; the same for shared memory.
    other_location : SourceLocation or None
        The other thread's place in the source, if known; None for races in shared memory.
    other_access : AccessKind or None
        The other thread's earlier access.
    times : int
        Number of occurrences in this launch.
    """

    kind: FindingKind
    module: str
    kernel: str
    block: Dim3
    thread: Dim3
    access: AccessKind
    memory: str | None
    variable: str
    offset: int
    nbytes: int
    size: int
    element: int
    location: SourceLocation | None
    cell: tuple[int, int] | None
    other: Dim3 | None
    other_block: Dim3 | None
    other_location: SourceLocation | None
    other_access: AccessKind | None
    times: int

    @property
    def index(self) -> int | None:
        """The accessed element; None if the access is not to a whole element."""
        aligned = self.element and self.offset % self.element == 0
        return self.offset // self.element if aligned else None

    def __str__(self) -> str:
        """Return one sentence about it."""
        where = self.kernel if self.location is None else f"{self.kernel} ({self.location})"
        subject = f"{where}: thread {self.thread} of block {self.block}"
        action = f"{_VERBS[self.access]} {self._place()}"
        match self.kind:
            case FindingKind.SHARED_RACE if self.other_access is not None:
                verb = _VERBS[self.other_access]
                order = "and no barrier orders the two"
                return f"{subject} {action}, which thread {self.other} {verb}, {order}."
            case FindingKind.DEVICE_RACE if self.other_access is not None:
                other = f"thread {self.other} of block {self.other_block}"
                verb = _VERBS[self.other_access]
                at = "" if self.other_location is None else f" ({self.other_location})"
                return f"{subject} {action}, which {other} {verb} in the same launch{at}."
            case FindingKind.BEYOND_SHARED:
                return f"{subject} {action}, out of bounds."
            case _:
                return f"{subject} {action}, which is uninitialised."

    def _place(self) -> str:
        element = f"byte {self.offset}" if self.index is None else f"element {self.index}"
        if self.memory is not None:
            return f"{element} of {self.memory}"
        name = f"{self.variable} in shared memory" if self.variable else "a shared variable"
        if self.index is None:
            return f"{element} of {name}, of {self.size} bytes"
        return f"{element} of {name}, of {self.size // self.element} elements"


def finding_as_json(finding: Finding) -> dict[str, Any]:
    """Return a finding as numbers, texts, lists and mappings, for :func:`finding_from`."""
    plain = asdict(finding)
    return plain | {
        name: None if plain[name] is None else plain[name].value
        for name in ("kind", "access", "other_access")
    }


def finding_from(plain: Mapping[str, Any]) -> Finding:
    """Return the finding from the result of :func:`finding_as_json`."""

    def made(name: str, make: Callable[[Any], Any]) -> Any:
        return None if plain[name] is None else make(plain[name])

    tuples = ("block", "thread", "cell", "other", "other_block")
    places = ("location", "other_location")
    return Finding(
        **{
            **plain,
            **{name: made(name, tuple) for name in tuples},
            **{name: made(name, lambda values: SourceLocation(**values)) for name in places},
            "kind": FindingKind(plain["kind"]),
            "access": AccessKind(plain["access"]),
            "other_access": made("other_access", AccessKind),
        }
    )


FindingSink: TypeAlias = Callable[[Finding], None]
"""Called with the findings of the memory check."""


class Memcheck:
    """The memory check of one run: its notes about device memory, and its records for launches.

    Parameters
    ----------
    sink : callable
        Called with each finding at the end of its launch.
    device_races : bool
        Whether to look for races in device memory.
    """

    def __init__(self, sink: FindingSink, *, device_races: bool = False) -> None:
        self._sink = sink
        self._device_races = device_races
        self._notes: list[npt.NDArray[np.uint8]] = []
        self._written: WeakKeyDictionary[Allocation, npt.NDArray[np.uint8]] = WeakKeyDictionary()
        self._findings = (FindingRecord * _MAX_FINDINGS)()
        self._record = CheckRecord(ctypes.addressof(self._findings), _MAX_FINDINGS)

    def watch(self, allocation: Allocation, *, written: bool) -> None:
        """Watch memory that was just allocated.

        Parameters
        ----------
        allocation : Allocation
            The memory.
        written : bool
            Whether it is initialised.
        """
        self._written[allocation] = np.full(allocation.nbytes, written, np.uint8)

    def mark_written(self, allocation: Allocation) -> None:
        """Mark all of a buffer as written by the host."""
        self._written[allocation][...] = _WRITTEN

    def prepare(self, allocations: Sequence[Allocation]) -> int:
        """Return the address of the record for a launch with these buffers."""
        addresses = [self._written[allocation].ctypes.data for allocation in allocations]
        self._pointers = (ctypes.c_uint64 * len(addresses))(*addresses)
        self._record.written = ctypes.addressof(self._pointers)
        if self._device_races:
            for memory in allocations:
                self._written[memory] &= _WRITTEN
            counts = [-(-memory.nbytes // 4) + memory.nbytes for memory in allocations]
            self._notes = _notes_of(counts)
            notes = [part.ctypes.data for part in self._notes]
            self._note_pointers = (ctypes.c_uint64 * len(notes))(*notes)
            self._record.notes = ctypes.addressof(self._note_pointers)
        self._record.count = 0
        return ctypes.addressof(self._record)

    def report(self, launch: Launch, allocations: Sequence[Allocation], module: Module) -> None:
        """Report the findings of the launch that was prepared last."""
        for record in self._findings[: self._record.count]:
            self._sink(_finding(record, launch, allocations, module))


def _notes_of(counts: Sequence[int]) -> list[npt.NDArray[np.uint8]]:
    """Return memory for notes, which is only committed when written.

    Raises
    ------
    DeviceUnavailableError
        If there is not enough memory.
    """
    try:
        return [np.zeros(count * NOTE_BYTES, np.uint8) for count in counts]
    except MemoryError as error:
        needed = sum(counts) * NOTE_BYTES / 2**30
        raise DeviceUnavailableError(
            f"There is not enough memory to look for races ({needed:.0f} GiB): check a smaller "
            "grid."
        ) from error


def _finding(
    record: FindingRecord, launch: Launch, allocations: Sequence[Allocation], module: Module
) -> Finding:
    kind = FindingKind(record.kind)
    across = kind is FindingKind.DEVICE_RACE
    race = across or kind is FindingKind.SHARED_RACE
    device = across or kind is FindingKind.UNINITIALISED_DEVICE
    other_block = record.other_block if across else record.block
    memory = allocations[record.buffer] if device else None
    element = record.bytes if memory is None else memory.array.itemsize
    return Finding(
        kind=kind,
        module=launch.kernel.module,
        kernel=launch.kernel.name,
        block=unravel_index(record.block, launch.grid),
        thread=unravel_index(record.thread, launch.block),
        access=AccessKind(record.access),
        memory=None if memory is None else memory.name,
        variable=module.shared_variable(record.variable),
        offset=record.offset,
        nbytes=record.bytes,
        size=record.size,
        element=element,
        location=module.locate(record.site),
        cell=None if memory is None else cell_of_element(memory.buffer, record.offset // element),
        other=unravel_index(record.other, launch.block) if race else None,
        other_block=unravel_index(other_block, launch.grid) if race else None,
        other_location=module.locate(record.other_site) if across else None,
        other_access=AccessKind(record.other_access) if race else None,
        times=record.times,
    )
