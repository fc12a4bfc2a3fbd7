"""Distanceless label propagation: the host part of ``kernels/cabaret.cu``.

Source: Cabaret, Lacassagne, Etiemble 2017, as Hennequin et al. 2018, section II, and the public
implementation of YACCLAB, from which tiles of 16 x 16 come, describe it.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ccl_viewer.algorithms.base import Algorithm, ceil_div, grid_dim
from ccl_viewer.algorithms.shared import TILE_PARAMETERS, extent
from ccl_viewer.algorithms.structures import block_per_tile, block_structures, tile
from ccl_viewer.execution.plan import (
    Buffer,
    Kernel,
    LabelLayout,
    Launch,
    LaunchStructure,
    Outcome,
    PartKind,
    Plan,
    Stage,
    Task,
)

_MODULE = "cabaret"
_SOURCE = "Cabaret et al. 2017"
_LINE = (32, 1, 1)
_BLOCK = (32, 8, 1)


def _plan(task: Task) -> Plan:
    height, width = task.height, task.width
    tile_w, tile_h = task.parameter("tile_width"), task.parameter("tile_height")
    macros = (("CONNECTIVITY", task.connectivity), ("TILE_W", tile_w), ("TILE_H", tile_h))
    labels = Buffer(
        "labels",
        (height, width),
        np.dtype(np.int32),
        layout=LabelLayout(height, width, pitch=width, origin=1, background=0),
    )
    size = extent(task)
    across, down = ceil_div(width, tile_w), ceil_div(height, tile_h)
    columns_of_tiles = LaunchStructure(PartKind.TILE, tile_w, None)

    yield labels
    yield Launch(
        Kernel(_MODULE, "cabaret_tile", macros),
        (across, down, 1),
        (tile_w, tile_h, 1),
        (task.image, labels, *size),
        Stage.TILE,
        "Each block labels its tile in shared memory. Windows of 2 x 2 cells store their smallest "
        "label where their labels point: first without atomics, then again by atomic minimum.",
        paper=f"{_SOURCE}: DLP-I, DLP-SR, DLP-R, DLP-RUF, DLP-R",
        structures=block_per_tile(tile_w, tile_h),
    )
    yield Launch(
        Kernel(_MODULE, "cabaret_merge_horizontal", macros),
        (ceil_div(width, _LINE[0]), max(1, down - 1), 1),
        _LINE,
        (labels, *size),
        Stage.HORIZONTAL_MERGE,
        "Windows across the horizontal borders between tiles are united by the same atomic "
        "minimum. It follows what an entry held before, so no search for a root is needed.",
        paper=f"{_SOURCE}: DLP-RUF on southern borders",
        structures=(columns_of_tiles, tile(tile_w, tile_h)),
    )
    yield Launch(
        Kernel(_MODULE, "cabaret_merge_vertical", macros),
        (ceil_div(height, _LINE[0]), max(1, across - 1), 1),
        _LINE,
        (labels, *size),
        Stage.VERTICAL_MERGE,
        "Windows across the vertical borders between tiles are united in the same way. Every "
        "component is now one tree.",
        paper=f"{_SOURCE}: DLP-RUF on eastern borders",
        structures=(columns_of_tiles,),
    )
    yield Launch(
        Kernel(_MODULE, "cabaret_relabeling", macros),
        grid_dim(width, height, _BLOCK),
        _BLOCK,
        (labels, *size),
        Stage.RELABEL,
        "Each cell follows its label to the root and takes the root's label.",
        paper=f"{_SOURCE}: relabelling, DLP-R",
        structures=block_structures(_BLOCK),
    )
    return Outcome(labels)


CABARET = Algorithm(
    key="cabaret",
    title="Cabaret (DLP-GPU)",
    tagline="Windows of 2 x 2 store where their labels point",
    citation=(
        "L. Cabaret, L. Lacassagne, D. Etiemble: Distanceless label propagation: an efficient "
        "direct connected component labeling algorithm for GPUs. IPTA 2017"
    ),
    summary=(
        "Windows of 2 x 2 cells store their smallest label where their labels point, at any "
        "distance: first in tiles in shared memory, then across their borders."
    ),
    connectivities=(8, 4),
    multivalued=False,
    planner=_plan,
    parameters=tuple(replace(each, default=16) for each in TILE_PARAMETERS),
)
