"""Komura's label equivalence without iteration: the host part of ``kernels/komura.cu``.

Source: Komura 2015; Hennequin, Lacassagne, Cabaret, Meunier 2018, section II.
"""

from __future__ import annotations

from ccl_viewer.algorithms.base import Algorithm, grid_dim
from ccl_viewer.algorithms.shared import (
    BLOCK_PARAMETERS,
    block_shape,
    extent,
    index_label_buffer,
    variant_macro,
    variant_parameter,
)
from ccl_viewer.algorithms.structures import block_structures
from ccl_viewer.execution.plan import Buffer, Kernel, Launch, Outcome, Plan, Stage, Task

_MODULE = "komura"
_SOURCE = "Komura 2015, after Hennequin et al. 2018, section II.B"


def _plan(task: Task) -> Plan:
    labels = index_label_buffer(task)
    macros = (("MULTIVALUED", int(task.multivalued)), variant_macro(task))
    block = block_shape(task)
    grid = grid_dim(task.width, task.height, block)

    def launch(
        kernel: str, arguments: tuple[Buffer, ...], stage: Stage, caption: str, paper: str
    ) -> Launch:
        return Launch(
            Kernel(_MODULE, f"komura_{kernel}", macros),
            grid,
            block,
            (*arguments, *extent(task)),
            stage,
            caption,
            paper=f"{_SOURCE}: {paper}",
            structures=block_structures(block),
        )

    yield labels
    yield launch(
        "init",
        (task.image, labels),
        Stage.INIT,
        "Each cell points to the first of its connected upper and left neighbours, or to itself. "
        "This makes trees without atomics.",
        "initialisation",
    )
    yield launch(
        "analysis",
        (labels,),
        Stage.ANALYSIS,
        "Each cell follows its label to the root of its tree, so that flat trees are joined.",
        "analysis",
    )
    yield launch(
        "reduction",
        (task.image, labels),
        Stage.MERGE,
        "A cell that connects both upwards and to the left joins the two trees by an atomic "
        "minimum. If another thread was first, it goes on with that thread's label.",
        "label reduction",
    )
    yield launch(
        "analysis",
        (labels,),
        Stage.ANALYSIS,
        "Each cell follows its label to the root of the joined tree, which is the component's "
        "first cell.",
        "analysis, again",
    )
    return Outcome(labels)


KOMURA = Algorithm(
    key="komura",
    title="Komura",
    tagline="Label Equivalence without a loop on the host",
    citation=(
        "Y. Komura: GPU-based cluster-labeling algorithm without the use of conventional "
        "iteration: application to the Swendsen-Wang multi-cluster spin flip algorithm. Comput. "
        "Phys. Commun. 194 (2015)"
    ),
    summary=(
        "Each cell links to its upper or left neighbour; then each thread joins the trees that "
        "are left, to the end: Label Equivalence without a loop on the host."
    ),
    connectivities=(4,),
    multivalued=True,
    planner=_plan,
    parameters=(variant_parameter("leaves out stores that change nothing"), *BLOCK_PARAMETERS),
)
