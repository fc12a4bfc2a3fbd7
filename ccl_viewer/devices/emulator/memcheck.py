"""The memory check: finds accesses of kernels that are wrong in any order of the threads.

The native side is ``runtime/memcheck.h``, which describes the checks. This module is the host's
side.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from ccl_viewer.devices.emulator.library import CheckRecord, FindingRecord
from ccl_viewer.devices.emulator.memory import Allocation
from ccl_viewer.devices.emulator.workers import Module
from ccl_viewer.errors import DeviceUnavailableError
from ccl_viewer.execution.device import AccessKind
from ccl_viewer.execution.finding import Finding, FindingKind, FindingSink, StoreEffect
from ccl_viewer.execution.plan import Launch, cell_of_element, unravel_index

NOTE_BYTES = 84
"""Bytes of notes about a word or byte of device memory, for finding races; as in memcheck.h."""

_WRITTEN = 1
"""Bit of a byte that the kernel or the host has written; memcheck.h uses other bits."""

_MAX_FINDINGS = 64
"""Most places in a kernel's code that one launch can report."""


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
        records = self._findings[: self._record.count]
        findings = [_finding(record, launch, allocations, module) for record in records]
        # An index that leaves its array often leaves the shared variable, too.
        beyond = {_place(each) for each in findings if each.kind is FindingKind.BEYOND_SHARED}
        for finding in findings:
            if finding.kind is not FindingKind.BEYOND_ARRAY or _place(finding) not in beyond:
                self._sink(finding)


def _place(finding: Finding) -> tuple[object, ...]:
    line = None if finding.location is None else (finding.location.file, finding.location.line)
    return finding.block, finding.thread, line


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


_OPERATORS = ("", "+", "-", "*", "", "/")
"""Those of ``runtime/undefined.h``; a shift is 0, a negation 4."""


def _describe_operation(record: FindingRecord) -> str:
    """Return what a thread does that C leaves undefined."""
    kind = ctypes.string_at(record.variable).decode(errors="replace").strip("'")
    left, right = record.offset, ctypes.c_int64(record.size).value
    if record.kind == FindingKind.BEYOND_ARRAY.value:
        return f"uses index {left} of an array of type {kind}, out of bounds"
    if record.buffer == 0:
        given = "0 or -1" if left < 0 else "0"
        shifts = f"shifts a number of {8 * record.bytes} bits by {right}"
        return f"{shifts}, which is undefined in C: a GPU gives {given}"
    operator = _OPERATORS[record.buffer]
    term = f"{left} {operator} {right}" if operator else f"-({left})"
    return f"computes {term}, which is beyond the range of {kind} and undefined in C"


def _finding(
    record: FindingRecord, launch: Launch, allocations: Sequence[Allocation], module: Module
) -> Finding:
    kind = FindingKind(record.kind)
    undefined = kind in {FindingKind.UNDEFINED, FindingKind.BEYOND_ARRAY}
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
        variable="" if undefined else module.shared_variable(record.variable),
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
        effects=StoreEffect(record.effects),
        operation=_describe_operation(record) if undefined else "",
    )
