"""Playne-Hawick, direct and block: the host part of ``kernels/playne.cu``.

Source: Playne and Hawick 2018; Hennequin, Lacassagne, Cabaret, Meunier 2018, section II.
"""

from __future__ import annotations

from ccl_viewer.algorithms.base import Algorithm, blocks, cover
from ccl_viewer.algorithms.shared import (
    TILE_PARAMETERS,
    extent,
    index_labels,
    neighbour_macros,
)
from ccl_viewer.algorithms.structures import per_cell, tile, tile_a_block
from ccl_viewer.plan import Buffer, Kernel, Launch, Outcome, Plan, Stage, Task

_MODULE = "playne"
_DIRECT = "Playne and Hawick 2018, direct, after Hennequin et al. 2018, section II.B"
_BLOCKWISE = "Playne and Hawick 2018, block, after Hennequin et al. 2018, section II.B"
_BLOCK = (32, 8, 1)
_THREADS = 256


def _resolve(task: Task, labels: Buffer, caption: str, paper: str) -> Launch:
    return Launch(
        Kernel(_MODULE, "playne_resolve", neighbour_macros(task)),
        cover(task.width, task.height, _BLOCK),
        _BLOCK,
        (labels, *extent(task)),
        Stage.FLATTEN,
        caption,
        paper=paper,
        structures=per_cell(_BLOCK),
    )


def _direct(task: Task) -> Plan:
    labels = index_labels(task)
    arguments = (task.image, labels, *extent(task))
    grid = cover(task.width, task.height, _BLOCK)

    yield labels
    yield Launch(
        Kernel(_MODULE, "playne_init", neighbour_macros(task)),
        grid,
        _BLOCK,
        arguments,
        Stage.INIT,
        "Each cell points to the first connected neighbour before it, or to itself. This makes "
        "trees without atomics.",
        paper=f"{_DIRECT}: initialisation",
        structures=per_cell(_BLOCK),
    )
    yield _resolve(
        task,
        labels,
        "Each cell follows its label to the root of its tree, so the merge starts with short "
        "paths.",
        f"{_DIRECT}: resolve",
    )
    yield Launch(
        Kernel(_MODULE, "playne_merge", neighbour_macros(task)),
        grid,
        _BLOCK,
        arguments,
        Stage.MERGE,
        "Only critical cells join two trees, by an atomic minimum. Their neighbours are not known "
        "to be joined elsewhere.",
        paper=f"{_DIRECT}: label reduction",
        structures=per_cell(_BLOCK),
    )
    yield _resolve(
        task,
        labels,
        "Each cell follows its label to the root of the joined tree, which is the component's "
        "first cell.",
        f"{_DIRECT}: resolve, again",
    )
    return Outcome(labels)


def _border_cells(task: Task, tile_w: int, tile_h: int) -> int:
    """How many cells the border merge looks at: those of two borders' crossing count twice."""
    sides = 2 if task.connectivity == 8 else 1
    horizontal = (blocks(task.height, tile_h) - 1) * task.width
    vertical = (blocks(task.width, tile_w) - 1) * task.height * sides
    return horizontal + vertical


def _block(task: Task) -> Plan:
    tile_w, tile_h = task.parameter("tile_width"), task.parameter("tile_height")
    macros = (*neighbour_macros(task), ("TILE_W", tile_w), ("TILE_H", tile_h))
    labels = index_labels(task)
    arguments = (task.image, labels, *extent(task))
    threads = (tile_w, tile_h, 1)

    yield labels
    yield Launch(
        Kernel(_MODULE, "playne_tile", macros),
        cover(task.width, task.height, threads),
        threads,
        arguments,
        Stage.TILE,
        "Each block labels its tile in shared memory, where atomics are cheap: links, roots, a "
        "merge at critical cells, and roots again.",
        paper=f"{_BLOCKWISE}: labelling of blocks",
        structures=tile_a_block(tile_w, tile_h),
    )
    yield Launch(
        Kernel(_MODULE, "playne_border_merge", macros),
        (max(1, blocks(_border_cells(task, tile_w, tile_h), _THREADS)), 1, 1),
        (_THREADS, 1, 1),
        arguments,
        Stage.MERGE,
        "Cells at the borders of tiles join trees across them, unless another link is known to do "
        "the same.",
        paper=f"{_BLOCKWISE}: label reduction along borders",
        structures=(tile(tile_w, tile_h),),
    )
    yield _resolve(
        task,
        labels,
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
    citation=_CITATION,
    summary=(
        "The neighbours' values tell which links are not needed. Only critical cells join trees, "
        "once, by an atomic minimum."
    ),
    connectivities=(4, 8),
    multivalued=True,
    planner=_direct,
)

PLAYNE_BLOCK = Algorithm(
    key="playne_block",
    title="Playne-Hawick, block",
    citation=_CITATION,
    summary=(
        "The direct method within tiles in shared memory, then a merge along the tiles' borders "
        "alone."
    ),
    connectivities=(4, 8),
    multivalued=True,
    planner=_block,
    parameters=TILE_PARAMETERS,
)
