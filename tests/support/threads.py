"""Threads that a test leaves behind."""

from __future__ import annotations

import threading

_SHARED = ("emulator", "packing", "frames", "zarr_io", "asyncio_")
"""How the names of threads begin that work for the whole process, and stay: kernels, and zarr."""


def threads() -> frozenset[threading.Thread]:
    """Return those that run now."""
    return frozenset(threading.enumerate())


def left_since(before: frozenset[threading.Thread]) -> list[str]:
    """Return those that run now and did not then, in words."""
    left = threads() - before
    return [f"thread {one.name}" for one in left if not one.name.startswith(_SHARED)]
