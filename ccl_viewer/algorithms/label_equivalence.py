"""Label Equivalence, without and with sizes: the host part of ``kernels/label_equivalence.cu``.

Source: Kalentev, Rai, Kemnitz, Schneider 2011, section 2.2.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from ccl_viewer.algorithms.base import Algorithm, Choice, Parameter, ceil_div
from ccl_viewer.algorithms.shared import (
    check_padded,
    connectivity_macros,
    extent,
    read_flag,
    variant_macro,
    variant_parameter,
)
from ccl_viewer.algorithms.structures import in_line
from ccl_viewer.execution.plan import (
    Buffer,
    Fill,
    Kernel,
    LabelLayout,
    Launch,
    Outcome,
    Plan,
    Stage,
    StartRead,
    Task,
)

_MODULE = "label_equivalence"
_SOURCE = "Kalentev et al. 2011"
_ATOMIC = "atomic"
_VARIANT = variant_parameter(
    "leaves out stores that change nothing, and flags that are up",
    others=(Choice(_ATOMIC, "lowers labels by the atomic minimum that the paper leaves out"),),
)
_THREADS = Parameter(
    "threads",
    "Threads",
    "Threads of a block, which Table 4 of the paper varies.",
    256,
    1,
    1024,
)

_INIT = (
    "Each foreground cell gets its own label: its address in the padded array. So a label points "
    "to a cell."
)
_INIT_SIZES = (
    "Each foreground cell gets its own label, its address in the padded array, and a size of 1. "
    "So a label points to a cell."
)
_ANALYSIS = (
    "Each cell follows the labels to the root of its tree and takes the root's label. The trees "
    "are flat again."
)
_ANALYSIS_SIZES = (
    "Each cell follows the labels to the root of its tree and takes the root's label. It adds its "
    "size to the root's."
)


def _plan(task: Task, *, with_sizes: bool) -> Plan:
    height, width = task.height, task.width
    check_padded(task, 2, "Label Equivalence")
    atomic = "variant" in task.parameters and task.choice("variant") == _ATOMIC
    form = ("ATOMIC", 1) if atomic else variant_macro(task)
    macros = (*connectivity_macros(task), form)
    layout = LabelLayout(height, width, pitch=width + 2, margin=1)
    padded = (height + 2, width + 2)
    labels = Buffer("labels", padded, np.dtype(np.uint32), fill=0, layout=layout)
    sizes = Buffer("sizes", padded, np.dtype(np.uint32), fill=0, layout=layout, layer="sizes")
    not_done = Buffer("is_not_done", (1,), np.dtype(np.uint32))
    size = extent(task)
    threads = task.parameter("threads")
    grid = (ceil_div(height * width, threads), 1, 1)
    block = (threads, 1, 1)
    scanning = Kernel(_MODULE, "label_equivalence_scanning", macros)
    suffix = "_sizes" if with_sizes else ""
    init = Kernel(_MODULE, f"label_equivalence_init{suffix}", macros)
    analysis = Kernel(_MODULE, f"label_equivalence_analysis{suffix}", macros)
    arrays = (labels, sizes) if with_sizes else (labels,)

    yield from arrays
    yield not_done
    yield Launch(
        init,
        grid,
        block,
        (task.image, *arrays, *size),
        Stage.INIT,
        _INIT_SIZES if with_sizes else _INIT,
        paper=f"{_SOURCE}, Listing 1: InitLabels{', with sizes' if with_sizes else ''}",
        structures=in_line(threads),
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
            "If a neighbour has a smaller label, the cell writes it into the cell its own label "
            "points to. This joins the two trees.",
            iteration,
            paper=f"{_SOURCE}, Listing 3: Scanning",
            structures=in_line(threads),
        )
        # The flag is copied while analysis runs, so that the next round need not wait for it.
        yield StartRead(not_done)
        yield Launch(
            analysis,
            grid,
            block,
            (*arrays, *size),
            Stage.ANALYSIS,
            _ANALYSIS_SIZES if with_sizes else _ANALYSIS,
            iteration,
            paper=f"{_SOURCE}, {'Listings 2 and 4' if with_sizes else 'Listing 2'}: Analysis",
            structures=in_line(threads),
        )
        again = yield from read_flag(not_done)
    return Outcome(labels, iterations=iteration)


_CITATION = (
    "O. Kalentev, A. Rai, S. Kemnitz, R. Schneider: Connected component labeling on a 2D grid "
    "using CUDA. J. Parallel Distrib. Comput. 71 (2011)"
)

LABEL_EQUIVALENCE = Algorithm(
    key="label_equivalence",
    title="Label Equivalence",
    tagline="Join trees of neighbours, flatten them, repeat",
    citation=_CITATION,
    summary=(
        "Labels point to cells: scanning joins the trees of neighbours, analysis flattens them, "
        "until nothing changes."
    ),
    connectivities=(4, 8),
    multivalued=True,
    planner=partial(_plan, with_sizes=False),
    parameters=(_VARIANT, _THREADS),
)

LABEL_EQUIVALENCE_SIZES = Algorithm(
    key="label_equivalence_sizes",
    title="Label Equivalence with sizes",
    tagline="Also counts the cells of each component",
    citation=_CITATION,
    summary=(
        "As Label Equivalence. Analysis also adds up sizes, so each component's root ends with "
        "its area."
    ),
    connectivities=(4, 8),
    multivalued=True,
    planner=partial(_plan, with_sizes=True),
    parameters=(_VARIANT, _THREADS),
)
