"""Oliveira and Lotufo's union-find in tiles: the host part of ``oliveira.cu``."""

from __future__ import annotations

from ccl_viewer.algorithms import Algorithm, Parameter
from ccl_viewer.algorithms.base import grid_dim
from ccl_viewer.algorithms.shared import connectivity_macros, extent, index_label_buffer
from ccl_viewer.algorithms.structures import block_per_tile, tile
from ccl_viewer.execution.plan import Kernel, Launch, Outcome, Plan, Stage, Task

_PAPER = "Oliveira and Lotufo 2010"


def plan(task: Task) -> Plan:
    """Merge within tiles, across their borders, and compress paths."""
    width, height = task.parameter("tile_width"), task.parameter("tile_height")
    macros = (*connectivity_macros(task), ("TILE_W", width), ("TILE_H", height))
    block = (width, height, 1)
    grid = grid_dim(task.width, task.height, block)
    labels = index_label_buffer(task, fill=-1)

    yield labels
    yield Launch(
        Kernel("oliveira", "oliveira_tiles", macros),
        grid,
        block,
        (task.image, labels, *extent(task)),
        Stage.TILE,
        "Each block joins neighbours within its tile, in shared memory. A cell then names the root "
        "of its tree in the tile.",
        paper=f"{_PAPER}: local merging",
        structures=block_per_tile(width, height),
    )
    yield Launch(
        Kernel("oliveira", "oliveira_borders", macros),
        grid,
        block,
        (task.image, labels, *extent(task)),
        Stage.MERGE,
        "Cells at the borders of tiles join their tree with that of a neighbour in another tile.",
        paper=f"{_PAPER}: global merging",
        structures=(tile(width, height),),
    )
    yield Launch(
        Kernel("oliveira", "oliveira_flatten", macros),
        grid,
        block,
        (labels, *extent(task)),
        Stage.FLATTEN,
        "Each cell follows its label to the root of its tree.",
        paper=f"{_PAPER}: path compression",
        structures=(tile(width, height),),
    )
    return Outcome(labels)


ALGORITHM = Algorithm(
    key="oliveira",
    title="Oliveira, union-find in tiles",
    tagline="Join in tiles, then at their borders",
    citation=(
        "V. M. A. Oliveira, R. A. Lotufo: A Study on Connected Components Labeling Algorithms "
        "using GPUs. SIBGRAPI (2010)"
    ),
    summary="Joins neighbours within tiles in shared memory, then across the borders of tiles.",
    connectivities=(4, 8),
    multivalued=True,
    planner=plan,
    parameters=(
        Parameter("tile_width", "Tile width", "Columns of a tile.", 16, minimum=2, maximum=32),
        Parameter("tile_height", "Tile height", "Rows of a tile.", 16, minimum=2, maximum=32),
    ),
)
