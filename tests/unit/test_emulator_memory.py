"""Device memory of the emulator."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

from ccl_viewer.devices.emulator.memory import Allocation, Scratch, find_first_stray
from ccl_viewer.errors import DeviceUnavailableError
from ccl_viewer.execution.plan import Buffer


def buffer(size: int, fill: int | None = None, dtype: type = np.int32) -> Buffer:
    return Buffer("cells", (size,), np.dtype(dtype), fill)


def poke(address: int) -> None:
    ctypes.memset(address, 1, 1)


def test_what_is_read_is_the_memory_itself_and_not_writable() -> None:
    allocation = Allocation(buffer(10, fill=0))
    allocation.array[3] = 7
    assert allocation.view[3] == 7
    assert not allocation.view.flags.writeable


@pytest.mark.parametrize("offset", [-4096, -1, 40, 41, 40 + 4095])
def test_a_stray_write_is_found(offset: int) -> None:
    allocation = Allocation(buffer(10))
    assert allocation.stray_offset() is None
    poke(allocation.address + offset)
    assert allocation.stray_offset() == offset
    assert find_first_stray([Allocation(buffer(1)), allocation]) == (allocation, offset)


def test_writes_within_are_no_strays() -> None:
    allocation = Allocation(buffer(10))
    poke(allocation.address)
    poke(allocation.address + 39)
    assert find_first_stray([allocation]) is None


def test_too_much_memory_is_refused() -> None:
    with pytest.raises(DeviceUnavailableError, match="not enough memory for the buffer cells"):
        Allocation(buffer(2**50, dtype=np.int64))


def test_too_much_scratch_memory_is_refused() -> None:
    with pytest.raises(DeviceUnavailableError, match="resident threads"):
        Scratch().allocate(2**60)
