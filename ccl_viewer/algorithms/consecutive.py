"""Consecutive labels after any algorithm: the host part of ``kernels/consecutive.cu``.

Source: Stava and Benes 2011, section 35.4.2 (a prefix sum over the roots).
"""

from __future__ import annotations

from collections.abc import Generator
from typing import TypeAlias

import numpy as np

from ccl_viewer.algorithms.base import Algorithm, ceil_div
from ccl_viewer.algorithms.structures import in_line
from ccl_viewer.errors import InputError
from ccl_viewer.execution.plan import (
    Buffer,
    Dim3,
    Kernel,
    LabelLayout,
    Launch,
    Outcome,
    Read,
    Reply,
    Request,
    Stage,
    Task,
)

_MODULE = "consecutive"
_SOURCE = "After Stava and Benes 2011, section 35.4.2"
_ADDED = "Made for this project, before the prefix sum"
_THREADS = 256
_CHUNK = 4096  # cells of a thread on processors of few threads
_NOWHERE = 2**32 - 1

Scalars: TypeAlias = tuple[np.int32, ...]


def label_consecutively(
    algorithm: Algorithm, task: Task, *, layer: str | None = None, chunks: bool = False
) -> Generator[Request, Reply, tuple[Outcome, Buffer, int]]:
    """Label with an algorithm, then give the components consecutive numbers.

    Parameters
    ----------
    algorithm : Algorithm
        The algorithm.
    task : Task
        The task.
    layer, chunks : optional
        As for :func:`number_components`.

    Returns
    -------
    tuple of (Outcome, Buffer, int)
        The outcome of the algorithm, and the result of :func:`number_components`.

    Raises
    ------
    InputError
        If with these parameters cells may end without naming their roots.
    """
    if algorithm.numberer is not None and layer is None:
        numbers, sums = yield from algorithm.numberer(task)
        return Outcome(numbers), numbers, (yield from read_count(sums))
    outcome = yield from algorithm.planner(task)
    if not outcome.flat:
        raise InputError(
            f"{algorithm.title} with these parameters may end before every cell names its root, "
            "and only roots are numbered: leave the numbers out, or take the usual parameters."
        )
    yield from outcome.completion
    numbers, count = yield from number_components(
        outcome.labels, roots_first=algorithm.roots_first, layer=layer, chunks=chunks
    )
    return outcome, numbers, count


def number_components(
    labels: Buffer, *, roots_first: bool = True, layer: str | None = None, chunks: bool = False
) -> Generator[Request, Reply, tuple[Buffer, int]]:
    """Give components consecutive numbers, after a plan that leaves one root for each.

    Parameters
    ----------
    labels : Buffer
        Labels with a layout; every cell points at its root.
    roots_first : bool
        Whether each root is the component's first cell in raster order. If not, two launches
        more find the first cells.
    layer : str or None
        Name of the numbers as a layer of recordings; None for no layer.
    chunks : bool
        Whether each thread handles many cells, instead of blocks that wait for each other: faster
        on processors of few threads.

    Returns
    -------
    tuple of (Buffer, int)
        The numbers, ``int32`` of shape (height, width): 0 for background, otherwise from 1 in
        raster order of the components' first cells; and the number of components.
    """
    if not roots_first:
        labels = yield from _point_at_first_cells(labels)
    numbers, sums = yield from number_roots(labels, layer=layer, chunks=chunks)
    layout = _layout(labels)
    yield Launch(
        _kernel("relabel"),
        (ceil_div(layout.height * layout.width, _THREADS), 1, 1),
        (_THREADS, 1, 1),
        (labels, numbers, *_scalars(layout)),
        Stage.RELABEL,
        "Each cell takes the number of its root, so a component has one number.",
        paper=f"{_SOURCE}: numbers for all cells",
        structures=in_line(_THREADS),
    )
    count = yield from read_count(sums)
    return numbers, count


def number_roots(
    labels: Buffer, *, layer: str | None = None, chunks: bool = False
) -> Generator[Request, Reply, tuple[Buffer, Buffer]]:
    """Give only the roots consecutive numbers: flag roots, scan, number.

    Parameters
    ----------
    labels : Buffer
        Labels with a layout. Cells that are not roots may point at any other cell.
    layer, chunks : optional
        As for :func:`number_components`.

    Returns
    -------
    tuple of (Buffer, Buffer)
        The numbers, as for :func:`number_components`, but only set at roots; and sums for
        :func:`read_count`.
    """
    layout = _layout(labels)
    # Cells and threads of a block, and the end of the kernels' names.
    cells, threads, form = (_CHUNK, 1, "_chunk") if chunks else (_THREADS, _THREADS, "")
    count = ceil_div(layout.height * layout.width, cells)
    sums = Buffer("sums", (count + 1,), np.dtype(np.int32))
    numbers = Buffer(
        "numbers",
        (layout.height, layout.width),
        np.dtype(np.int32),
        fill=None if layer is None else 0,
        layer=layer,
    )
    scalars = _scalars(layout)
    grid, block = (count, 1, 1), (threads, 1, 1)

    yield sums
    yield numbers
    yield Launch(
        _kernel(f"count{form}"),
        grid,
        block,
        (labels, sums, *scalars),
        Stage.ANALYSIS,
        "Each block counts its roots: the cells that point to themselves, one in each component.",
        paper=f"{_SOURCE}: flags of roots",
        structures=in_line(cells),
    )
    yield Launch(
        _kernel("scan"),
        (1, 1, 1),
        (_THREADS, 1, 1),
        (sums, np.int32(count)),
        Stage.SCAN,
        "A prefix sum turns the counts into the number of roots before each block. So all blocks "
        "can number theirs at once.",
        paper=f"{_SOURCE}: prefix sum",
    )
    yield Launch(
        _kernel(f"number{form}"),
        grid,
        block,
        (labels, sums, numbers, *scalars),
        Stage.RELABEL,
        "Each root gets its number: one more than the roots before it.",
        paper=f"{_SOURCE}: numbers of roots",
        structures=in_line(cells),
    )
    return numbers, sums


def read_count(sums: Buffer) -> Generator[Request, Reply, int]:
    """Read the number of roots that :func:`number_roots` found."""
    totals = yield Read(sums)
    if totals is None:
        raise TypeError("the driver sent nothing for Read(sums)")
    return int(totals[-1])


def _point_at_first_cells(labels: Buffer) -> Generator[Request, Reply, Buffer]:
    """Return labels with the first cell of each component as its root."""
    layout = _layout(labels)
    shape = (layout.height, layout.width)
    firsts = Buffer("firsts", shape, np.dtype(np.uint32), fill=_NOWHERE)
    pointers = Buffer(
        "pointers",
        shape,
        np.dtype(np.int32),
        layout=LabelLayout(*shape, pitch=layout.width, background=-1),
        layer="first cells",
    )
    grid: Dim3 = (ceil_div(layout.height * layout.width, _THREADS), 1, 1)
    block: Dim3 = (_THREADS, 1, 1)
    scalars = _scalars(layout)

    yield firsts
    yield pointers
    yield Launch(
        _kernel("first"),
        grid,
        block,
        (labels, firsts, *scalars),
        Stage.ANALYSIS,
        "The first cell of each component in raster order is found, because its root is another "
        "cell.",
        paper=f"{_ADDED}: first cells",
        structures=in_line(_THREADS),
    )
    yield Launch(
        _kernel("point"),
        grid,
        block,
        (labels, firsts, pointers, *scalars),
        Stage.ANALYSIS,
        "Each cell points to its component's first cell, which is the root from here on.",
        paper=f"{_ADDED}: pointers to first cells",
        structures=in_line(_THREADS),
    )
    return pointers


def _kernel(kernel: str) -> Kernel:
    return Kernel(_MODULE, f"consecutive_{kernel}", (("THREADS", _THREADS), ("CHUNK", _CHUNK)))


def _layout(labels: Buffer) -> LabelLayout:
    if labels.layout is None:
        raise TypeError(f"the buffer {labels.name} has no label layout")
    return labels.layout


def _scalars(layout: LabelLayout) -> Scalars:
    return (
        np.int32(layout.height * layout.width),
        np.int32(layout.width),
        np.int32(layout.pitch),
        np.int32(layout.margin),
        np.int32(layout.origin),
        np.int32(layout.background),
    )
