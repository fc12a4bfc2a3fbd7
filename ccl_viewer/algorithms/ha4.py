"""HA4: the host part of ``kernels/ha4.cu``.

Source: Hennequin, Lacassagne, Cabaret, Meunier 2018, section IV.
"""

from __future__ import annotations

import numpy as np

from ccl_viewer.algorithms.base import Algorithm, Parameter, blocks
from ccl_viewer.plan import Buffer, Kernel, LabelLayout, Launch, Outcome, Plan, Stage, Task

_MODULE = "ha4"
_WARP = 32
_BLOCK_H = 4


def _plan(task: Task) -> Plan:
    height, width = task.height, task.width
    macros = (("BLOCK_H", _BLOCK_H), ("BARRIERS", task.parameters["barriers"] or 2))
    labels = Buffer(
        "labels",
        (height, width),
        np.dtype(np.int32),
        fill=-1,
        layout=LabelLayout(height, width, pitch=width, background=-1),
    )
    arguments = (task.image, labels, np.int32(width), np.int32(height))
    strips = blocks(height, _BLOCK_H)
    columns = blocks(width, _WARP)
    block = (_WARP, _BLOCK_H, 1)

    yield labels
    yield Launch(
        Kernel(_MODULE, "ha4_strip_labeling", macros),
        (1, strips, 1),
        block,
        arguments,
        Stage.STRIP,
        "A block labels a strip of four rows: ballots show each warp its runs, the first pixel of "
        "a run gets a label, and runs that touch the row above are merged.",
    )
    yield Launch(
        Kernel(_MODULE, "ha4_strip_merge", macros),
        (columns, max(1, blocks(strips - 1, _BLOCK_H)), 1),
        block,
        arguments,
        Stage.STRIP_MERGE,
        "Runs that touch across the border of two strips have their trees merged, again only at "
        "the first pixel of a run.",
    )
    yield Launch(
        Kernel(_MODULE, "ha4_relabeling", macros),
        (columns, strips, 1),
        block,
        arguments,
        Stage.RELABEL,
        "The first pixel of each run finds the root of its tree and hands it to the run's other "
        "pixels by a shuffle.",
    )
    return Outcome(labels)


HA4 = Algorithm(
    key="ha4",
    title="HA4",
    citation=(
        "A. Hennequin, L. Lacassagne, L. Cabaret, Q. Meunier: A new Direct Connected Component "
        "Labeling and Analysis Algorithms for GPUs. DASIP 2018"
    ),
    summary=(
        "Ballots find runs of pixels, only a run's first pixel touches memory, and union-find "
        "merges strips of four rows: three launches, whatever the picture."
    ),
    connectivities=(4,),
    multivalued=False,
    planner=_plan,
    parameters=(
        Parameter(
            "barriers",
            "Barriers",
            "Barriers in each turn of strip labelling: 2 is right, 1 is the paper's version, "
            "which has a race.",
            default=2,
            minimum=1,
            maximum=2,
        ),
    ),
)
