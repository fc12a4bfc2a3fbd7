"""Row-Col Unify: the host part of ``kernels/row_col_unify.cu``.

Source: Kalentev, Rai, Kemnitz, Schneider 2011, section 2.1.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ccl_viewer.algorithms.base import Algorithm, Choice, Parameter, ceil_div
from ccl_viewer.algorithms.shared import (
    PRINTED,
    Macros,
    check_padded,
    extent,
    read_flag,
    variant_macro,
    variant_parameter,
)
from ccl_viewer.algorithms.structures import in_line
from ccl_viewer.execution.plan import (
    Buffer,
    Dim3,
    Fill,
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

_MODULE = "row_col_unify"
_SOURCE = "Kalentev et al. 2011"
_INIT_THREADS = 256
_MAX_THREADS = 512


def _plan(task: Task) -> Plan:
    height, width = task.height, task.width
    check_padded(task, 1, "Row-Col Unify")
    threads = task.parameter("threads")
    variant = task.choice("variant")
    macros = (("SEGMENT", 2 * _MAX_THREADS), *_macros(task, variant))
    labels = Buffer(
        "labels",
        (height + 1, width + 1),
        np.dtype(np.uint32),
        fill=0,
        layout=LabelLayout(height, width, pitch=width + 1, margin=1),
    )
    not_done = Buffer("is_not_done", (1,), np.dtype(np.uint32))

    yield labels
    yield not_done
    yield Launch(
        Kernel(_MODULE, "row_col_unify_init", macros),
        (ceil_div(height * width, _INIT_THREADS), 1, 1),
        (_INIT_THREADS, 1, 1),
        (task.image, labels, *extent(task)),
        Stage.INIT,
        "Each foreground cell gets its own label: its address in the label array. The smallest "
        "label of a component will spread.",
        paper=f"{_SOURCE}, Algorithm 1: InitializeLabels",
        structures=in_line(_INIT_THREADS),
    )
    iteration = 0
    again = True
    while again:
        iteration += 1
        yield Fill(not_done, 0)
        yield Launch(
            Kernel(_MODULE, "row_col_unify_rows", macros),
            (height, 1, 1),
            _block(width, threads),
            (labels, not_done, np.int32(width)),
            Stage.ROWS,
            "A block unites a row: groups of 2, 4, 8 and more cells are joined at their middle, "
            "and references carry the smallest label to the whole run.",
            iteration,
            paper=f"{_SOURCE}, Algorithm 2: UnifyRow",
            structures=_rows(width, threads),
        )
        yield Launch(
            Kernel(_MODULE, "row_col_unify_columns", macros),
            (width, 1, 1),
            _block(height, threads),
            (labels, not_done, *extent(task)),
            Stage.COLUMNS,
            "A block unites a column in the same way, so labels get round the next corner.",
            iteration,
            paper=f"{_SOURCE}, Algorithm 2: UnifyCol",
            structures=_columns(height, threads),
        )
        again = yield from read_flag(not_done)
    return Outcome(labels, iterations=iteration, flat=not variant.startswith("printed"))


def _macros(task: Task, variant: str) -> Macros:
    """Return the macros of a variant; three variants each differ from the paper's in one point."""
    single = {
        "printed_checks": ("CHECKS", PRINTED),
        "printed_references": ("REFERENCES", PRINTED),
        "consecutive": ("CONSECUTIVE", 1),
    }
    return (single[variant] if variant in single else variant_macro(task),)


def _block(length: int, threads: int) -> Dim3:
    """Return the smallest block for a row or column, with two elements for each thread."""
    return (min(threads, ceil_div(length, 2)), 1, 1)


def _rows(width: int, threads: int) -> tuple[LaunchStructure, ...]:
    """Return the parts of a launch with a block for each row; long rows are cut into pieces."""
    if width <= 2 * threads:
        return (LaunchStructure(PartKind.BLOCK, None, 1), LaunchStructure(PartKind.RUN, None, 1))
    pieces = (LaunchStructure(part, 2 * threads, 1) for part in (PartKind.TILE, PartKind.RUN))
    return (LaunchStructure(PartKind.BLOCK, None, 1), *pieces)


def _columns(height: int, threads: int) -> tuple[LaunchStructure, ...]:
    """Return the parts of a launch with a block for each column, as :func:`_rows`."""
    return tuple(
        replace(part, width=part.height, height=part.width) for part in _rows(height, threads)
    )


ROW_COL_UNIFY = Algorithm(
    key="row_col_unify",
    title="Row-Col Unify",
    tagline="The smallest label spreads along rows, then columns",
    citation=(
        "O. Kalentev, A. Rai, S. Kemnitz, R. Schneider: Connected component labeling on a 2D grid "
        "using CUDA. J. Parallel Distrib. Comput. 71 (2011)"
    ),
    summary=(
        "The smallest label spreads along whole rows, then whole columns, by a reduction in shared "
        "memory, until nothing changes: fast along lines, one corner per pass."
    ),
    connectivities=(4,),
    multivalued=False,
    planner=_plan,
    parameters=(
        Parameter(
            "threads",
            "Threads",
            "Most threads of a block; each holds two cells, and longer rows are taken in segments: "
            "512 in the paper.",
            default=_MAX_THREADS,
            minimum=1,
            maximum=_MAX_THREADS,
        ),
        variant_parameter(
            "leaves rows as they are in which no neighbours differ, and updates and stores that "
            "change nothing",
            printed="As printed, Algorithm 3 asks for another iteration only where the two cells "
            "of a pair differ, and lets background refer to foreground.",
            others=(
                Choice(
                    "printed_checks",
                    "asks for another iteration as printed",
                    "It can stop before every cell has its root's label.",
                ),
                Choice(
                    "printed_references",
                    "refers as printed",
                    "The first update copies labels onto background, and background onto labels.",
                ),
                Choice(
                    "consecutive",
                    "updates cells that lie side by side, which avoids bank conflicts",
                ),
            ),
        ),
    ),
)
