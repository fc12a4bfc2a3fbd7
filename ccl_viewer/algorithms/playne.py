"""Playne-Hawick, direct and block: the host part of ``kernels/playne.cu``.

Source: Playne and Hawick 2018; Hennequin, Lacassagne, Cabaret, Meunier 2018, section II.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ccl_viewer.algorithms.base import Algorithm, ceil_div, grid_dim
from ccl_viewer.algorithms.shared import (
    BLOCK_PARAMETERS,
    TILE_PARAMETERS,
    Macros,
    block_shape,
    connectivity_macros,
    extent,
    index_label_buffer,
    variant_macro,
    variant_parameter,
)
from ccl_viewer.algorithms.structures import block_per_tile, block_structures, tile
from ccl_viewer.execution.plan import Buffer, Dim3, Kernel, Launch, Outcome, Plan, Stage, Task

_MODULE = "playne"
_DIRECT = "Playne and Hawick 2018, direct, after Hennequin et al. 2018, section II.B"
_BLOCKWISE = "Playne and Hawick 2018, block, after Hennequin et al. 2018, section II.B"
_THREADS = 256
_RESOLVE_BLOCK = (32, 8, 1)


def _macros(task: Task) -> Macros:
    return (*connectivity_macros(task), variant_macro(task))


def _resolve(task: Task, labels: Buffer, block: Dim3, caption: str, paper: str) -> Launch:
    return Launch(
        Kernel(_MODULE, "playne_resolve", _macros(task)),
        grid_dim(task.width, task.height, block),
        block,
        (labels, *extent(task)),
        Stage.FLATTEN,
        caption,
        paper=paper,
        structures=block_structures(block),
    )


def _plan_direct(task: Task) -> Plan:
    labels = index_label_buffer(task)
    arguments = (task.image, labels, *extent(task))
    block = block_shape(task)
    grid = grid_dim(task.width, task.height, block)

    yield labels
    yield Launch(
        Kernel(_MODULE, "playne_init", _macros(task)),
        grid,
        block,
        arguments,
        Stage.INIT,
        "Each cell points to the first connected neighbour before it, or to itself. This makes "
        "trees without atomics.",
        paper=f"{_DIRECT}: initialisation",
        structures=block_structures(block),
    )
    yield _resolve(
        task,
        labels,
        block,
        "Each cell follows its label to the root of its tree, so the merge starts with short "
        "paths.",
        f"{_DIRECT}: resolve",
    )
    yield Launch(
        Kernel(_MODULE, "playne_merge", _macros(task)),
        grid,
        block,
        arguments,
        Stage.MERGE,
        "Only critical cells join two trees, by an atomic minimum. Their neighbours are not known "
        "to be joined elsewhere.",
        paper=f"{_DIRECT}: label reduction",
        structures=block_structures(block),
    )
    yield _resolve(
        task,
        labels,
        block,
        "Each cell follows its label to the root of the joined tree, which is the component's "
        "first cell.",
        f"{_DIRECT}: resolve, again",
    )
    return Outcome(labels)


def _count_border_cells(task: Task, tile_w: int, tile_h: int) -> tuple[int, int]:
    """Numbers of cells along horizontal and vertical borders; cells at crossings count twice."""
    sides = 2 if task.connectivity == 8 else 1
    horizontal = (ceil_div(task.height, tile_h) - 1) * task.width
    vertical = (ceil_div(task.width, tile_w) - 1) * task.height * sides
    return horizontal, vertical


def _merge_borders(task: Task, labels: Buffer, macros: Macros) -> Iterator[Launch]:
    """Yield one launch for all borders, or one for the horizontal and one for the vertical."""
    tile_w, tile_h = task.parameter("tile_width"), task.parameter("tile_height")
    horizontal, vertical = _count_border_cells(task, tile_w, tile_h)
    parts = [(Stage.MERGE, "", 0, horizontal + vertical)]
    if task.choice("variant") == "paper":
        parts = [
            (Stage.HORIZONTAL_MERGE, "horizontal ", 0, horizontal),
            (Stage.VERTICAL_MERGE, "vertical ", horizontal, vertical),
        ]
    for stage, direction, first, count in parts:
        yield Launch(
            Kernel(_MODULE, "playne_border_merge", macros),
            (max(1, ceil_div(count, _THREADS)), 1, 1),
            (_THREADS, 1, 1),
            (task.image, labels, np.int32(first), np.int32(count), *extent(task)),
            stage,
            f"Cells at the {direction}borders of tiles join trees across them, unless another "
            "link is known to do the same.",
            paper=f"{_BLOCKWISE}: label reduction along {direction}borders",
            structures=(tile(tile_w, tile_h),),
        )


def _plan_block(task: Task) -> Plan:
    tile_w, tile_h = task.parameter("tile_width"), task.parameter("tile_height")
    macros = (*_macros(task), ("TILE_W", tile_w), ("TILE_H", tile_h))
    labels = index_label_buffer(task)
    arguments = (task.image, labels, *extent(task))
    threads = (tile_w, tile_h, 1)

    yield labels
    yield Launch(
        Kernel(_MODULE, "playne_tile", macros),
        grid_dim(task.width, task.height, threads),
        threads,
        arguments,
        Stage.TILE,
        "Each block labels its tile in shared memory, where atomics are cheap: links, roots, a "
        "merge at critical cells, and roots again.",
        paper=f"{_BLOCKWISE}: labelling of blocks",
        structures=block_per_tile(tile_w, tile_h),
    )
    yield from _merge_borders(task, labels, macros)
    yield _resolve(
        task,
        labels,
        _RESOLVE_BLOCK,
        "Each cell follows its label to the root of the joined tree, which is the component's "
        "first cell.",
        f"{_BLOCKWISE}: resolve",
    )
    return Outcome(labels)


_CITATION = (
    "D. P. Playne, K. Hawick: A New Algorithm for Parallel Connected-Component Labelling on GPUs. "
    "IEEE Trans. Parallel Distrib. Syst. 29 (2018)"
)

PLAYNE = Algorithm(
    key="playne",
    title="Playne-Hawick, direct",
    tagline="Only the cells that must join trees do, once",
    citation=_CITATION,
    summary=(
        "The neighbours' values tell which links are not needed. Only critical cells join trees, "
        "once, by an atomic minimum."
    ),
    connectivities=(4, 8),
    multivalued=True,
    planner=_plan_direct,
    parameters=(variant_parameter("leaves out stores that change nothing"), *BLOCK_PARAMETERS),
)

PLAYNE_BLOCK = Algorithm(
    key="playne_block",
    title="Playne-Hawick, block",
    tagline="Playne-Hawick in tiles, then along their borders",
    citation=_CITATION,
    summary=(
        "The direct method within tiles in shared memory, then a merge along the tiles' borders "
        "alone."
    ),
    connectivities=(4, 8),
    multivalued=True,
    planner=_plan_block,
    parameters=(
        *TILE_PARAMETERS,
        variant_parameter(
            "merges all borders in one launch instead of two, and leaves out stores that change "
            "nothing"
        ),
    ),
)
