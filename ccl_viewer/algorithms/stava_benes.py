"""Stava-Benes: the host part of ``kernels/stava_benes.cu``.

Source: Stava and Benes 2011, GPU Computing Gems, chapter 35, section 35.3.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ccl_viewer.algorithms.base import Algorithm, Parameter, ceil_div
from ccl_viewer.algorithms.shared import (
    connectivity_macros,
    extent,
    index_label_buffer,
    variant_macro,
    variant_parameter,
)
from ccl_viewer.algorithms.structures import block_per_tile, in_line, tile
from ccl_viewer.execution.plan import (
    Buffer,
    Dim3,
    Kernel,
    Launch,
    LaunchStructure,
    Outcome,
    PartKind,
    Plan,
    Stage,
    Task,
)

_MODULE = "stava_benes"
_SOURCE = "Stava and Benes 2011, chapter 35"
_THREADS = 256
_BLOCK_LIMIT = 1024


@dataclass(frozen=True)
class _Level:
    """A level of the merge: tiles of `tile` x `tile` cells, and their numbers across and down."""

    tile: int
    across: int
    down: int

    def block(self, factor: int) -> Dim3:
        """Threads along a border, tiles across and tiles down that one block merges."""
        across, down = min(factor, self.across), min(factor, self.down)
        return (min(self.tile, _BLOCK_LIMIT // (across * down)), across, down)

    def grid(self, factor: int) -> Dim3:
        _, across, down = self.block(factor)
        return (ceil_div(self.across, across), ceil_div(self.down, down), 1)

    def structures(self, number: int, factor: int) -> tuple[LaunchStructure, ...]:
        """Return the resulting tiles, blocks and merged tiles of the level with this number."""
        _, across, down = self.block(factor)
        return (
            tile(factor * self.tile, level=number),
            LaunchStructure(PartKind.BLOCK, across * self.tile, down * self.tile),
            tile(self.tile, level=number - 1 or None),
        )


def _levels(task: Task, side: int, factor: int) -> Iterator[_Level]:
    """Yield the levels from the lowest, until one tile holds the grid."""
    while side < max(task.width, task.height):
        yield _Level(side, ceil_div(task.width, side), ceil_div(task.height, side))
        side *= factor


def _flatten(kernel: Kernel, labels: Buffer, below: int, level: _Level, task: Task) -> Launch:
    border_cells = 2 * (
        (level.down - 1) * task.width + (level.across - 1) * task.height
    )  # both sides of each border
    return Launch(
        kernel,
        (ceil_div(border_cells, _THREADS), 1, 1),
        (_THREADS, 1, 1),
        (labels, np.int32(level.tile), *extent(task)),
        Stage.KERNEL_3,
        "Cells along the borders that are still to be merged take the label of their root. So the "
        "next level has short paths to the roots.",
        level=below,
        paper=f"{_SOURCE}, kernel 3: flattening of borders",
        structures=(tile(level.tile, level=below),),
    )


def _plan(task: Task) -> Plan:
    height, width = task.height, task.width
    side, factor = task.parameter("tile"), task.parameter("factor")
    macros = (*connectivity_macros(task), ("TILE", side), variant_macro(task))
    labels = index_label_buffer(task)
    size = extent(task)
    merge = Kernel(_MODULE, "stava_benes_merge", macros)
    flatten = Kernel(_MODULE, "stava_benes_flatten", macros)

    yield labels
    yield Launch(
        Kernel(_MODULE, "stava_benes_tile", macros),
        (ceil_div(width, side), ceil_div(height, side), 1),
        (side, side, 1),
        (task.image, labels, *size),
        Stage.KERNEL_1,
        "Each block labels its own tile in shared memory, where rounds of joining and flattening "
        "are cheap.",
        paper=f"{_SOURCE}, kernel 1 (Figure 35.8)",
        structures=block_per_tile(side, side),
    )
    for number, level in enumerate(_levels(task, side, factor), start=1):
        if number > 1 and task.parameter("flatten"):
            yield _flatten(flatten, labels, number - 1, level, task)
        yield Launch(
            merge,
            level.grid(factor),
            level.block(factor),
            (task.image, labels, np.int32(level.tile), *size),
            Stage.KERNEL_2,
            "Each block joins the trees that touch across the borders between its tiles, until "
            "it finds none: several tiles become one.",
            level=number,
            paper=f"{_SOURCE}, kernel 2 (Figure 35.10)",
            structures=level.structures(number, factor),
        )
    yield Launch(
        Kernel(_MODULE, "stava_benes_final", macros),
        (ceil_div(height * width, _THREADS), 1, 1),
        (_THREADS, 1, 1),
        (labels, *size),
        Stage.KERNEL_4,
        "Each cell follows its label to the root and takes the root's label. Merging changed only "
        "the labels of roots.",
        paper=f"{_SOURCE}, kernel 4: final update",
        structures=in_line(_THREADS),
    )
    return Outcome(labels)


STAVA_BENES = Algorithm(
    key="stava_benes",
    title="Stava-Benes",
    tagline="Tiles in shared memory, merged level by level",
    citation=(
        "O. Stava, B. Benes: Connected Component Labeling in CUDA. GPU Computing Gems Emerald "
        "Edition, chapter 35 (2011)"
    ),
    summary=(
        "Tiles are labelled in shared memory and merged 4 x 4 at each level of a hierarchy: the "
        "number of launches depends on the size of the grid alone."
    ),
    connectivities=(8, 4),
    multivalued=True,
    planner=_plan,
    parameters=(
        variant_parameter(
            "leaves out diagonal links across a border that others imply, and stores that change "
            "nothing"
        ),
        Parameter(
            "tile",
            "Tile",
            "Cells along a side of the tiles that are labelled in shared memory.",
            default=16,
            minimum=2,
            maximum=32,
        ),
        Parameter(
            "factor",
            "Merge factor",
            "How many tiles in each direction become one at each level; 4 in the chapter.",
            default=4,
            minimum=2,
            maximum=8,
        ),
        Parameter(
            "flatten",
            "Flatten borders",
            "1 flattens the borders between levels; 0 leaves it out, which makes paths longer; "
            "the result stays correct.",
            default=1,
            minimum=0,
            maximum=1,
        ),
    ),
)
