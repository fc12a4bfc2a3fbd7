"""Threads left behind by a test."""

from __future__ import annotations

import threading

_SHARED = ("emulator", "packing", "frames", "zarr_io", "asyncio_")
"""Prefixes of threads that serve the whole process and stay: kernels, and zarr."""


def threads() -> frozenset[threading.Thread]:
    """Return the running threads."""
    return frozenset(threading.enumerate())


def left_since(before: frozenset[threading.Thread]) -> list[str]:
    """Return the threads that were started since then, in words."""
    left = threads() - before
    return [f"thread {one.name}" for one in left if not one.name.startswith(_SHARED)]
