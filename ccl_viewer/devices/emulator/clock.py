"""The system's clock that launches are timed with, by the kernels' runtime itself."""

from __future__ import annotations

import ctypes
import sys
import time
from dataclasses import dataclass
from functools import cache

from ccl_viewer.devices.emulator.library import function_address

_NANOSECONDS = 1_000_000  # in a millisecond


@dataclass(frozen=True)
class Clock:
    """A function of the system that tells the time.

    Parameters
    ----------
    address : int
        Where it is in memory.
    number : int
        Which of its clocks is meant.
    ticks : float
        How often it ticks in a millisecond.
    """

    address: int
    number: int
    ticks: float


@cache
def system_clock() -> Clock:
    """Return the clock that counts what a thread computes, and not how long it waits for a core.

    On Windows, where such a clock is too coarse, it is one that goes on while a thread waits.
    """
    if sys.platform == "win32":
        kernel32 = ctypes.WinDLL("kernel32")
        frequency = ctypes.c_int64()
        kernel32.QueryPerformanceFrequency(ctypes.byref(frequency))
        return Clock(function_address(kernel32.QueryPerformanceCounter), 0, frequency.value / 1000)
    function = ctypes.CDLL(None).clock_gettime
    return Clock(function_address(function), time.CLOCK_THREAD_CPUTIME_ID, _NANOSECONDS)
