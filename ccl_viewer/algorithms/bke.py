"""BKE, Block-based Komura Equivalence: the host part of ``kernels/bke.cu``.

Source: Allegretti, Bolelli, Grana 2020 (first published 2019).
"""

from __future__ import annotations

import numpy as np

from ccl_viewer.algorithms.base import Algorithm, ceil_div, grid_dim
from ccl_viewer.algorithms.shared import (
    extent,
    index_label_buffer,
    variant_macro,
    variant_parameter,
)
from ccl_viewer.algorithms.structures import block_structures
from ccl_viewer.execution.plan import (
    Buffer,
    Kernel,
    Launch,
    LaunchStructure,
    Outcome,
    PartKind,
    Plan,
    Stage,
    Task,
)

_MODULE = "bke"
_BLOCK = (32, 8, 1)
_STRUCTURES = (*block_structures(_BLOCK, across=2, down=2), LaunchStructure(PartKind.QUAD, 2, 2))


def _plan(task: Task) -> Plan:
    rows, columns = ceil_div(task.height, 2), ceil_div(task.width, 2)
    labels = index_label_buffer(task)
    two_by_two = Buffer("blocks", (rows, columns), np.dtype(np.uint8))
    shared = (labels, two_by_two, *extent(task))
    grid = grid_dim(columns, rows, _BLOCK)
    macros = (variant_macro(task),)

    def launch(kernel: str, stage: Stage, caption: str, paper: str) -> Launch:
        arguments = (task.image, *shared) if stage is Stage.INIT else shared
        return Launch(
            Kernel(_MODULE, f"bke_{kernel}", macros),
            grid,
            _BLOCK,
            arguments,
            stage,
            caption,
            paper=f"Allegretti et al. 2020, BKE: {paper}",
            structures=_STRUCTURES,
        )

    yield labels
    yield two_by_two
    yield launch(
        "init",
        Stage.INIT,
        "Each block of 2 x 2 cells points to one block before it that it touches, or to itself. "
        "Its cells always touch each other, so one label is enough.",
        "initialisation",
    )
    yield launch(
        "compression",
        Stage.FLATTEN,
        "Each block follows its label to the root, so the merge finds roots at once.",
        "compression",
    )
    yield launch(
        "merge",
        Stage.MERGE,
        "Each block joins its tree with those of the other blocks before it that it touches"
        + ("." if task.choice("variant") == "paper" else ", unless another link already does so."),
        "merge",
    )
    yield launch(
        "compression",
        Stage.FLATTEN,
        "Each block follows its label to the root again, because the merge has joined trees.",
        "compression, after the merge",
    )
    yield launch(
        "final_labeling",
        Stage.LABEL,
        "Each foreground cell takes the label of its block, which is now the component's root.",
        "final labelling",
    )
    return Outcome(labels)


BKE = Algorithm(
    key="bke",
    title="BKE (Block-based Komura Equivalence)",
    tagline="Blocks of 2 x 2 pixels share a label",
    citation=(
        "S. Allegretti, F. Bolelli, C. Grana: Optimized Block-Based Algorithms to Label Connected "
        "Components on GPUs. IEEE Trans. Parallel Distrib. Syst. 31 (2020)"
    ),
    summary=(
        "Blocks of 2 x 2 cells share one label: each points to a block before it, trees are "
        "flattened, the rest is merged, and cells take their block's label."
    ),
    connectivities=(8,),
    multivalued=False,
    planner=_plan,
    parameters=(variant_parameter("leaves out links that others imply, so it makes fewer unions"),),
)
