"""Consecutive labels after any algorithm: the host part of ``kernels/consecutive.cu``.

Source: Stava and Benes 2011, section 35.4.2 (a prefix sum over the roots).
"""

from __future__ import annotations

from collections.abc import Generator

import numpy as np

from ccl_viewer.algorithms.base import blocks
from ccl_viewer.plan import Buffer, Kernel, Launch, Read, Reply, Request, Stage

_MODULE = "consecutive"
_THREADS = 256


def consecutive(labels: Buffer) -> Generator[Request, Reply, tuple[Buffer, int]]:
    """Give components consecutive numbers, after a plan that left one root for each.

    Parameters
    ----------
    labels : Buffer
        Labels with a layout; every cell points at its root, the root is the component's first
        cell in raster order.

    Returns
    -------
    tuple of (Buffer, int)
        The numbers, ``int32`` of shape (height, width): 0 for background, else from 1 in raster
        order of the components' first cells; and how many components there are.
    """
    layout = labels.layout
    if layout is None:
        raise TypeError(f"the buffer {labels.name} has no label layout")
    cells = layout.height * layout.width
    count = blocks(cells, _THREADS)
    sums = Buffer("sums", (count + 1,), np.dtype(np.int32))
    numbers = Buffer("numbers", (layout.height, layout.width), np.dtype(np.int32))
    shape = (
        np.int32(cells),
        np.int32(layout.width),
        np.int32(layout.pitch),
        np.int32(layout.margin),
        np.int32(layout.origin),
        np.int32(layout.background),
    )
    grid, block = (count, 1, 1), (_THREADS, 1, 1)

    def kernel(phase: str) -> Kernel:
        return Kernel(_MODULE, f"consecutive_{phase}", (("THREADS", _THREADS),))

    yield sums
    yield numbers
    yield Launch(
        kernel("count"),
        grid,
        block,
        (labels, sums, *shape),
        Stage.RELABEL,
        "Each block counts the roots among its cells.",
    )
    yield Launch(
        kernel("scan"),
        (1, 1, 1),
        block,
        (sums, np.int32(count)),
        Stage.RELABEL,
        "A prefix sum turns the counts into the number of roots before each block.",
    )
    yield Launch(
        kernel("number"),
        grid,
        block,
        (labels, sums, numbers, *shape),
        Stage.RELABEL,
        "Each root gets its number: one more than the roots before it.",
    )
    yield Launch(
        kernel("relabel"),
        grid,
        block,
        (labels, numbers, *shape),
        Stage.RELABEL,
        "Each cell takes the number of its root.",
    )
    totals = yield Read(sums)
    if totals is None:
        raise TypeError("the driver sent nothing for Read(sums)")
    return numbers, int(totals[-1])
