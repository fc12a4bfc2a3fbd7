"""How large a launch may be, on every GPU from Turing on and on the emulator alike."""

from __future__ import annotations

import math

from ccl_viewer.errors import KernelFaultError
from ccl_viewer.plan import Dim3, Launch

_MOST_THREADS = 1024
_MOST_SHARED_BYTES = 232_448  # dynamic, as on the largest GPUs
_LARGEST_GRID: Dim3 = (2**31 - 1, 65_535, 65_535)
_LARGEST_BLOCK: Dim3 = (1024, 1024, 64)


def check_shape(launch: Launch) -> None:
    """Refuse a launch that no GPU would take.

    Parameters
    ----------
    launch : Launch
        The launch.

    Raises
    ------
    KernelFaultError
        If the grid, the block or the dynamic shared memory is too large.
    """
    for what, size, largest in (
        ("grid", launch.grid, _LARGEST_GRID),
        ("block", launch.block, _LARGEST_BLOCK),
    ):
        if not all(1 <= n <= limit for n, limit in zip(size, largest, strict=True)):
            raise KernelFaultError(
                f"The kernel {launch.kernel.name} is launched with a {what} of {size}: each "
                f"dimension must be from 1 to {largest}; cut the picture, or turn it on its side."
            )
    if math.prod(launch.block) > _MOST_THREADS:
        raise KernelFaultError(
            f"The kernel {launch.kernel.name} is launched with a block of {launch.block}, "
            f"{math.prod(launch.block)} threads: a block has at most {_MOST_THREADS}."
        )
    if not 0 <= launch.shared_bytes <= _MOST_SHARED_BYTES:
        raise KernelFaultError(
            f"The kernel {launch.kernel.name} is launched with {launch.shared_bytes} bytes of "
            f"dynamic shared memory: it may have from 0 to {_MOST_SHARED_BYTES}."
        )
