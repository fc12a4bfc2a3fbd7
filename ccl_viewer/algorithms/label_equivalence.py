"""Label Equivalence: the host part of ``kernels/label_equivalence.cu``.

Source: Kalentev, Rai, Kemnitz, Schneider 2011, section 2.2.
"""

from __future__ import annotations

import numpy as np

from ccl_viewer.algorithms.base import Algorithm, blocks
from ccl_viewer.errors import InputError
from ccl_viewer.plan import (
    Buffer,
    Fill,
    Kernel,
    LabelLayout,
    Launch,
    Outcome,
    Plan,
    Stage,
    Task,
    read_flag,
)

_MODULE = "label_equivalence"
_THREADS = 256
_MOST_CELLS = 2**31 - 1


def _plan(task: Task) -> Plan:
    height, width = task.height, task.width
    if (height + 2) * (width + 2) > _MOST_CELLS:
        raise InputError(
            f"Label Equivalence pads {width} x {height} cells to more than 32-bit labels can "
            "name: crop the grid, or choose an algorithm without padding."
        )
    macros = (("CONNECTIVITY", task.connectivity), ("MULTIVALUED", int(task.multivalued)))
    labels = Buffer(
        "labels",
        (height + 2, width + 2),
        np.dtype(np.uint32),
        fill=0,
        layout=LabelLayout(height, width, pitch=width + 2, margin=1),
    )
    not_done = Buffer("is_not_done", (1,), np.dtype(np.uint32))
    size = (np.int32(width), np.int32(height))
    grid = (blocks(height * width, _THREADS), 1, 1)
    block = (_THREADS, 1, 1)
    scanning = Kernel(_MODULE, "label_equivalence_scanning", macros)
    analysis = Kernel(_MODULE, "label_equivalence_analysis", macros)

    yield labels
    yield not_done
    yield Launch(
        Kernel(_MODULE, "label_equivalence_init", macros),
        grid,
        block,
        (task.image, labels, *size),
        Stage.INIT,
        "Every foreground cell gets a label of its own, its address in the padded array, so that "
        "labels can serve as references.",
    )
    iteration = 0
    again = True
    while again:
        iteration += 1
        yield Fill(not_done, 0)
        yield Launch(
            scanning,
            grid,
            block,
            (task.image, labels, not_done, *size),
            Stage.SCAN,
            "A cell that sees a smaller label beside it lowers the label of the cell that its own "
            "label names, which hooks one tree to another.",
            iteration,
        )
        yield Launch(
            analysis,
            grid,
            block,
            (labels, *size),
            Stage.ANALYSIS,
            "Every cell follows the references to the root of its tree and takes the root's "
            "label, so that the trees are flat again.",
            iteration,
        )
        again = yield from read_flag(not_done)
    return Outcome(labels, iterations=iteration)


LABEL_EQUIVALENCE = Algorithm(
    key="label_equivalence",
    title="Label Equivalence",
    citation=(
        "O. Kalentev, A. Rai, S. Kemnitz, R. Schneider: Connected component labeling on a 2D grid "
        "using CUDA. J. Parallel Distrib. Comput. 71 (2011)"
    ),
    summary=(
        "Labels are references: scanning hooks the trees of neighbours together, analysis flattens "
        "them, until nothing changes."
    ),
    connectivities=(4, 8),
    multivalued=True,
    planner=_plan,
)
