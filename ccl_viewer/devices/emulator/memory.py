"""Device memory of the emulator: buffers between red zones, and scratch memory for the engine."""

from __future__ import annotations

import ctypes
import mmap
import sys
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from ccl_viewer.errors import DeviceUnavailableError
from ccl_viewer.execution.plan import Array, Buffer

POISON = 0xA5
"""Value of uninitialised bytes."""

UNINITIALISED = int.from_bytes([POISON] * 4, "little", signed=True)
"""Value of an uninitialised label."""

_GUARD = (
    65_536  # bytes kept free on both sides; kGuardBytes of trace.h, kStackGuardBytes of fiber.h
)
_RED_ZONE = 4096  # bytes of them, next to the buffer, that must never change
_ALIGNMENT = 256
_POISONED = bytes([POISON]) * _RED_ZONE


class Allocation:
    """A buffer's memory.

    Parameters
    ----------
    buffer : Buffer
        The plan's buffer.

    Raises
    ------
    DeviceUnavailableError
        If there is not enough memory.
    """

    def __init__(self, buffer: Buffer) -> None:
        self.buffer = buffer
        self.name = buffer.name
        self.nbytes = buffer.nbytes
        try:
            padded = np.empty(self.nbytes + 2 * _GUARD + _ALIGNMENT, np.uint8)
        except MemoryError as error:
            raise _no_memory(f"the buffer {buffer.name}", self.nbytes) from error
        # Filled by assignment: ``fill`` holds Python's lock, which would block the window.
        begin = _GUARD + -(padded.ctypes.data + _GUARD) % _ALIGNMENT
        end = begin + self.nbytes
        self._low = padded[begin - _RED_ZONE : begin]
        self._high = padded[end : end + _RED_ZONE]
        self._low.fill(POISON)
        self._high.fill(POISON)
        self.address = padded.ctypes.data + begin
        self.array: Array = padded[begin:end].view(buffer.dtype).reshape(buffer.shape)
        self.view: Array = self.array.view()
        self.view.flags.writeable = False
        if buffer.fill is None:
            padded[begin:end] = POISON
        else:
            self.array[...] = buffer.fill

    def stray_offset(self) -> int | None:
        """Return the offset in bytes, from the buffer's start, of a write in the red zones."""
        if self._low.tobytes() == self._high.tobytes() == _POISONED:
            return None
        if self._low.tobytes() != _POISONED:
            changed = self._low != POISON
            last = int(np.flatnonzero(changed)[-1])
            intact_before = np.flatnonzero(~changed[:last])
            first = int(intact_before[-1]) + 1 if intact_before.size else 0
            return first - _RED_ZONE
        return self.nbytes + int(np.flatnonzero(self._high != POISON)[0])


def upload(buffer: Buffer, pixels: npt.NDArray[np.generic]) -> Allocation:
    """Return an allocation that holds a copy of an array of the buffer's shape."""
    allocation = Allocation(buffer)
    np.copyto(allocation.array, pixels, casting="unsafe")
    return allocation


def find_first_stray(allocations: Iterable[Allocation]) -> tuple[Allocation, int] | None:
    """Return the first allocation that was written out of bounds, and the offset."""
    for allocation in allocations:
        offset = allocation.stray_offset()
        if offset is not None:
            return allocation, offset
    return None


class Scratch:
    """Memory that grows when the engine needs it; only touched pages are committed.

    Inaccessible pages on both sides catch accesses out of bounds.
    """

    def __init__(self) -> None:
        self._memory: mmap.mmap | None = None
        self._address = 0
        self._bytes = 0

    def allocate(self, nbytes: int) -> int:
        """Return the address of at least `nbytes` bytes; earlier contents may be lost.

        Raises
        ------
        DeviceUnavailableError
            If there is not enough memory.
        """
        if nbytes > self._bytes:
            self.release_above(0)
            try:
                rounded = -(-nbytes // mmap.PAGESIZE) * mmap.PAGESIZE
                self._memory = mmap.mmap(-1, rounded + 2 * _GUARD, **_map_options())
            except (OSError, ValueError, OverflowError) as error:
                raise _no_memory("the resident threads", nbytes) from error
            begin = np.frombuffer(self._memory, np.uint8).ctypes.data
            for guard in (begin, begin + _GUARD + rounded):
                _protect(guard, _GUARD)
            self._address = begin + _GUARD
            self._bytes = nbytes
        return self._address

    def release_above(self, nbytes: int) -> None:
        """Free the memory if it is larger than `nbytes` bytes."""
        if self._bytes > nbytes:
            self._memory = None
            self._address = self._bytes = 0


def _protect(address: int, nbytes: int) -> None:
    """Make whole pages of mapped memory inaccessible, if the system can."""
    if sys.platform != "win32":
        ctypes.CDLL(None).mprotect(ctypes.c_void_p(address), ctypes.c_size_t(nbytes), 0)


def _map_options() -> dict[str, int]:
    # Private memory is only committed when touched; Windows has no such flags.
    private = getattr(mmap, "MAP_PRIVATE", None)
    anonymous = getattr(mmap, "MAP_ANONYMOUS", None)
    return {} if private is None or anonymous is None else {"flags": private | anonymous}


def _no_memory(purpose: str, nbytes: int) -> DeviceUnavailableError:
    return DeviceUnavailableError(
        f"There is not enough memory for {purpose} ({nbytes / 2**20:.0f} MiB): take a smaller "
        "grid, or the sequential schedule."
    )
