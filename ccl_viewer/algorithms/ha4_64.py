"""HA4 with two pixels a thread: the host part of ``kernels/ha4_64.cu``.

Source: Hennequin, Lacassagne, Cabaret, Meunier 2018, section IV.E.
"""

from __future__ import annotations

from ccl_viewer.algorithms.base import Algorithm, blocks
from ccl_viewer.algorithms.ha4 import CITATION, SOURCE, label_buffer
from ccl_viewer.algorithms.shared import extent
from ccl_viewer.algorithms.structures import WARP, strip_a_block, strip_borders, warps_over_runs
from ccl_viewer.plan import Kernel, Launch, Outcome, Plan, Stage, Task

_MODULE = "ha4_64"
_COLUMNS = 2 * WARP
_BLOCK_H = 4
_MACROS = (("BLOCK_H", _BLOCK_H),)


def _plan(task: Task) -> Plan:
    labels = label_buffer(task)
    arguments = (task.image, labels, *extent(task))
    rows = blocks(task.height, _BLOCK_H)
    columns = blocks(task.width, _COLUMNS)
    block = (WARP, _BLOCK_H, 1)

    yield labels
    yield Launch(
        Kernel(_MODULE, "ha4_64_strip_labeling", _MACROS),
        (1, rows, 1),
        block,
        arguments,
        Stage.STRIP,
        "A block labels a strip of four rows, 64 columns at a time: two ballots make a 64-bit "
        "mask, and each thread answers for the one pixel of its pair that can start a run.",
        paper=f"{SOURCE}, Algorithm 3: strip labelling, two pixels a thread",
        structures=strip_a_block(_COLUMNS, _BLOCK_H),
    )
    yield Launch(
        Kernel(_MODULE, "ha4_64_strip_merge", _MACROS),
        (columns, max(1, blocks(rows - 1, _BLOCK_H)), 1),
        block,
        arguments,
        Stage.STRIP_MERGE,
        "Where runs touch across the border of two strips, their trees are merged, at most once "
        "for each pair of columns.",
        paper=f"{SOURCE}, Algorithm 4: strip merge, two pixels a thread",
        structures=strip_borders(_COLUMNS, _BLOCK_H),
    )
    yield Launch(
        Kernel(_MODULE, "ha4_64_relabeling", _MACROS),
        (columns, rows, 1),
        block,
        arguments,
        Stage.RELABEL,
        "The thread of each run's first pixel finds the root of its tree. It passes it on with "
        "shuffles, so the run's other pixels, two to a thread, need not search.",
        paper=f"{SOURCE}, Algorithm 5: relabelling, two pixels a thread",
        structures=warps_over_runs(_COLUMNS, _BLOCK_H),
    )
    return Outcome(labels)


HA4_64 = Algorithm(
    key="ha4_64",
    title="HA4, two pixels a thread",
    citation=CITATION,
    summary=(
        "As HA4, but a warp takes 64 columns: of two neighbouring pixels only one can start a run, "
        "so one thread serves both."
    ),
    connectivities=(4,),
    multivalued=False,
    planner=_plan,
)
