"""The original Label Equivalence: the host part of ``kernels/label_equivalence_hawick.cu``.

Source: Hawick, Leist, Playne 2010; Kalentev, Rai, Kemnitz, Schneider 2011, section 2.2.
"""

from __future__ import annotations

import numpy as np

from ccl_viewer.algorithms.base import Algorithm, grid_dim
from ccl_viewer.algorithms.shared import (
    connectivity_macros,
    extent,
    index_label_buffer,
    read_flag,
    variant_macro,
    variant_parameter,
)
from ccl_viewer.algorithms.structures import block_structures
from ccl_viewer.execution.plan import (
    Buffer,
    Fill,
    Kernel,
    Launch,
    Outcome,
    Plan,
    Stage,
    StartRead,
    Task,
)

_MODULE = "label_equivalence_hawick"
_SOURCE = "Hawick et al. 2010, after Kalentev et al. 2011, section 2.2"
_BLOCK = (32, 8, 1)
_KERNEL_TITLES = {
    "init": "initialisation",
    "scanning": "scanning",
    "analysis": "analysis",
    "labelling": "labelling",
}
"""What the paper calls each kernel."""


def _plan(task: Task) -> Plan:
    labels = index_label_buffer(task)
    references = Buffer(
        "references", labels.shape, np.dtype(np.int32), layer="references", refers=True
    )
    changed = Buffer("changed", (1,), np.dtype(np.int32))
    macros = (*connectivity_macros(task), variant_macro(task))
    grid = grid_dim(task.width, task.height, _BLOCK)

    def launch(
        kernel: str,
        arguments: tuple[Buffer, ...],
        stage: Stage,
        caption: str,
        iteration: int | None = None,
    ) -> Launch:
        return Launch(
            Kernel(_MODULE, f"{_MODULE}_{kernel}", macros),
            grid,
            _BLOCK,
            (*arguments, *extent(task)),
            stage,
            caption,
            iteration,
            paper=f"{_SOURCE}: {_KERNEL_TITLES[kernel]}",
            structures=block_structures(_BLOCK),
        )

    yield labels
    yield references
    yield changed
    yield launch(
        "init",
        (task.image, labels, references),
        Stage.INIT,
        "Each foreground cell gets its index as label, and each label refers to itself: no two "
        "are known to be equivalent yet.",
    )
    iteration = 0
    again = True
    while again:
        iteration += 1
        yield Fill(changed, 0)
        yield launch(
            "scanning",
            (task.image, labels, references, changed),
            Stage.SCAN,
            "If a neighbour has a smaller label, the cell lowers the reference of its own label "
            "to it, by an atomic minimum. Labels stay as they are.",
            iteration,
        )
        # The flag is copied while the rest of the round runs.
        yield StartRead(changed)
        yield launch(
            "analysis",
            (labels, references),
            Stage.ANALYSIS,
            "Each label in use follows the references to the end of the chain and then refers to "
            "that end. So labelling needs one read.",
            iteration,
        )
        yield launch(
            "labelling",
            (labels, references),
            Stage.LABEL,
            "Each cell replaces its label by the one the label refers to.",
            iteration,
        )
        again = yield from read_flag(changed)
    return Outcome(labels, iterations=iteration)


LABEL_EQUIVALENCE_HAWICK = Algorithm(
    key="label_equivalence_hawick",
    title="Label Equivalence, original",
    tagline="Labels and references in two arrays",
    citation=(
        "K. A. Hawick, A. Leist, D. P. Playne: Parallel graph component labelling with GPUs and "
        "CUDA. Parallel Computing 36 (2010)"
    ),
    summary=(
        "Labels and their references in two arrays: scanning lowers references by atomics, "
        "analysis resolves them, labelling applies them, until nothing changes."
    ),
    connectivities=(4, 8),
    multivalued=True,
    planner=_plan,
    parameters=(
        variant_parameter(
            "leaves out atomics and stores that change nothing, and flags that are up"
        ),
    ),
)
