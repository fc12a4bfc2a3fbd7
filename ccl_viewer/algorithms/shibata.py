"""Naive, slow and fast label propagation: the host part of ``kernels/shibata.cu``.

Source: Shibata, Connected Component Labeling Algorithm for GPGPU, sections 3 to 7.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from ccl_viewer.algorithms.base import Algorithm, Parameter, grid_dim
from ccl_viewer.algorithms.shared import (
    BLOCK_PARAMETERS,
    block_shape,
    connectivity_macros,
    extent,
    index_label_buffer,
    read_flag,
    variant_macro,
    variant_parameter,
)
from ccl_viewer.algorithms.structures import block_structures
from ccl_viewer.execution.plan import Buffer, Fill, Kernel, Launch, Outcome, Plan, Stage, Task

_MODULE = "shibata"
_JUMPS = 4


def _plan(name: str, caption: str, paper: str, task: Task) -> Plan:
    macros = (
        *connectivity_macros(task),
        variant_macro(task),
        ("JUMPS", task.parameter("jumps") if "jumps" in task.parameters else _JUMPS),
    )
    passes = task.optional("passes")
    fb = index_label_buffer(task, "fb")
    changed = Buffer("changed", (1,), np.dtype(np.int32))
    size = extent(task)
    block = block_shape(task)
    grid = grid_dim(task.width, task.height, block)
    # With a fixed number of passes, only the last raises the flag: the article's kernels have none.
    silent = Kernel(_MODULE, name, (*macros, ("FLAG", 0)))
    asking = Kernel(_MODULE, name, (*macros, ("FLAG", 1)))

    yield fb
    yield changed
    yield Launch(
        Kernel(_MODULE, "shibata_preparation", macros),
        grid,
        block,
        (task.image, fb, *size),
        Stage.INIT,
        "Each foreground cell gets its own address as its label. So a label can be followed as "
        "an address.",
        paper="Shibata, Algorithm 1: preparation",
        structures=block_structures(block),
    )
    done = 0
    again = True
    while again if passes is None else done < passes:
        done += 1
        asks = passes is None or done == passes
        if asks:
            yield Fill(changed, 0)
        yield Launch(
            asking if asks else silent,
            grid,
            block,
            (task.image, fb, changed, *size),
            Stage.PROPAGATE,
            caption,
            done,
            paper=paper,
            structures=block_structures(block),
        )
        if asks:
            again = yield from read_flag(changed)
    return Outcome(fb, converged=not again, iterations=done, flat=not again)


_CITATION = (
    "N. Shibata: Connected Component Labeling Algorithm for GPGPU; N. Shibata, S. Yamamoto: "
    "GPGPU-Assisted Subpixel Tracking Method for Fiducial Markers. J. Information Processing 22 "
    "(2014)"
)
_VARIANT = variant_parameter(
    "leaves out background, stores and atomics that change nothing, and flags that are up"
)
_PASSES = Parameter(
    "passes",
    "Passes",
    "Make so many propagation passes, as the article does with 10, also when nothing changes any "
    "more; without it, go on until a pass changes nothing.",
    default=None,
    minimum=1,
    maximum=1_000_000,
)
_JUMPING = Parameter(
    "jumps",
    "Jumps",
    "How often a pass follows a label as an address: 4 in the article's text, 6 in its code.",
    default=_JUMPS,
    minimum=1,
    maximum=16,
)

NAIVE = Algorithm(
    key="shibata_naive",
    title="Shibata, naive",
    tagline="Each pixel takes the smallest label around it",
    citation=_CITATION,
    summary="Each cell takes the smallest label around it: labels move by one cell a pass.",
    connectivities=(8, 4),
    multivalued=True,
    planner=partial(
        _plan,
        "shibata_naive",
        "Each cell takes the smallest label among itself and its neighbours. Small labels spread "
        "by one cell.",
        "Shibata, Algorithm 2: naive label propagation",
    ),
    parameters=(_VARIANT, _PASSES, *BLOCK_PARAMETERS),
)

SLOW = Algorithm(
    key="shibata_slow",
    title="Shibata, slow",
    tagline="Naive, and follows labels as addresses",
    citation=_CITATION,
    summary=(
        "As naive, then the label is followed as an address several times: fast along straight "
        "lines, slow round corners."
    ),
    connectivities=(8, 4),
    multivalued=True,
    planner=partial(
        _plan,
        "shibata_slow",
        "Each cell takes the smallest label around it and follows it as an address, label by "
        "label, to a smaller one. This skips many cells at once.",
        "Shibata, Algorithm 3: slow",
    ),
    parameters=(_VARIANT, _PASSES, _JUMPING, *BLOCK_PARAMETERS),
)

FAST = Algorithm(
    key="shibata_fast",
    title="Shibata, fast",
    tagline="Slow, and moves whole trees in one pass",
    citation=_CITATION,
    summary=(
        "As slow, and the cell that the old label points to is lowered too, so a whole tree "
        "changes in one pass."
    ),
    connectivities=(8, 4),
    multivalued=True,
    planner=partial(
        _plan,
        "shibata_fast",
        "Each cell follows the smallest label around it. It lowers itself and the cell its old "
        "label points to, so all cells that point there follow.",
        "Shibata, Algorithm 4: fastCCL",
    ),
    parameters=(_VARIANT, _PASSES, _JUMPING, *BLOCK_PARAMETERS),
)
