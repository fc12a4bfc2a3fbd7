"""Distanceless label propagation: the host part of ``kernels/cabaret.cu``.

Source: Cabaret, Lacassagne, Etiemble 2017; Hennequin et al. 2018, section II.
"""

from __future__ import annotations

import numpy as np

from ccl_viewer.algorithms.base import Algorithm, blocks, cover
from ccl_viewer.algorithms.shared import TILE_PARAMETERS, extent, neighbour_macros
from ccl_viewer.algorithms.structures import per_cell, tile, tile_a_block
from ccl_viewer.plan import (
    Buffer,
    Kernel,
    LabelLayout,
    Launch,
    Outcome,
    Part,
    Plan,
    Stage,
    Structure,
    Task,
)

_MODULE = "cabaret"
_SOURCE = "Cabaret et al. 2017, after Hennequin et al. 2018, section II.B"
_LINE = (256, 1, 1)
_BLOCK = (32, 8, 1)


def _plan(task: Task) -> Plan:
    height, width = task.height, task.width
    tile_w, tile_h = task.parameter("tile_width"), task.parameter("tile_height")
    macros = (*neighbour_macros(task), ("TILE_W", tile_w), ("TILE_H", tile_h))
    labels = Buffer(
        "labels",
        (height, width),
        np.dtype(np.int32),
        layout=LabelLayout(height, width, pitch=width, origin=1, background=0),
    )
    size = extent(task)
    across, down = blocks(width, tile_w), blocks(height, tile_h)
    columns_of_tiles = Structure(Part.TILE, tile_w, None)

    yield labels
    yield Launch(
        Kernel(_MODULE, "cabaret_tile", macros),
        (across, down, 1),
        (tile_w, tile_h, 1),
        (task.image, labels, *size),
        Stage.TILE,
        "Each block labels its tile in shared memory: a pixel writes the smaller of two labels "
        "straight to the root of the other tree.",
        paper=f"{_SOURCE}: label propagation in tiles",
        structures=tile_a_block(tile_w, tile_h),
    )
    yield Launch(
        Kernel(_MODULE, "cabaret_merge_horizontal", macros),
        (blocks(width, _LINE[0]), max(1, down - 1), 1),
        _LINE,
        (task.image, labels, *size),
        Stage.MERGE,
        "Where pixels touch across a horizontal border between tiles, their trees are joined at "
        "the roots.",
        paper=f"{_SOURCE}: merging of horizontal borders",
        structures=(columns_of_tiles, tile(tile_w, tile_h)),
    )
    yield Launch(
        Kernel(_MODULE, "cabaret_merge_vertical", macros),
        (blocks(height, _LINE[0]), max(1, across - 1), 1),
        _LINE,
        (task.image, labels, *size),
        Stage.MERGE,
        "Where pixels touch across a vertical border between tiles, their trees are joined at the "
        "roots. Every component is now one tree.",
        paper=f"{_SOURCE}: merging of vertical borders",
        structures=(columns_of_tiles,),
    )
    yield Launch(
        Kernel(_MODULE, "cabaret_relabeling", macros),
        cover(width, height, _BLOCK),
        _BLOCK,
        (labels, *size),
        Stage.RELABEL,
        "Each pixel follows its label to the root and takes the root's label. Merging changed "
        "only the roots.",
        paper=f"{_SOURCE}: relabelling",
        structures=per_cell(_BLOCK),
    )
    return Outcome(labels)


CABARET = Algorithm(
    key="cabaret",
    title="Cabaret (DLP-GPU)",
    citation=(
        "L. Cabaret, L. Lacassagne, D. Etiemble: Distanceless label propagation: an efficient "
        "direct connected component labeling algorithm for GPUs. IPTA 2017"
    ),
    summary=(
        "A label goes straight to the root of a tree, at any distance: first tiles in shared "
        "memory, then their borders, then a relabelling."
    ),
    connectivities=(4, 8),
    multivalued=True,
    planner=_plan,
    parameters=TILE_PARAMETERS,
)
