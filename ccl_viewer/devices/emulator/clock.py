"""The system's clock, with which the kernels' runtime times launches."""

from __future__ import annotations

import ctypes
import sys
import time
from dataclasses import dataclass
from functools import cache

from ccl_viewer.devices.emulator.library import function_address

_NANOSECONDS = 1_000_000  # per millisecond


@dataclass(frozen=True)
class Clock:
    """A function of the system that returns the time.

    Parameters
    ----------
    address : int
        Its address.
    number : int
        Number of the clock.
    ticks : float
        Ticks per millisecond.
    """

    address: int
    number: int
    ticks: float


@cache
def system_clock() -> Clock:
    """Return the clock of a thread's CPU time, without the time that it waits for a core.

    On Windows that clock is too coarse, so this is a wall clock, which includes waiting.
    """
    if sys.platform == "win32":
        kernel32 = ctypes.WinDLL("kernel32")
        frequency = ctypes.c_int64()
        kernel32.QueryPerformanceFrequency(ctypes.byref(frequency))
        return Clock(function_address(kernel32.QueryPerformanceCounter), 0, frequency.value / 1000)
    function = ctypes.CDLL(None).clock_gettime
    return Clock(function_address(function), time.CLOCK_THREAD_CPUTIME_ID, _NANOSECONDS)
