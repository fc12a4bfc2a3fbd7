"""HA4 with two pixels a thread: the host part of ``kernels/ha4_64.cu``.

Source: Hennequin, Lacassagne, Cabaret, Meunier 2018, section IV.E.
"""

from __future__ import annotations

from collections.abc import Iterator

from ccl_viewer.algorithms.base import Algorithm, blocks
from ccl_viewer.algorithms.ha4 import BLOCK_H, CITATION, PARAMETERS, SOURCE, label_buffer
from ccl_viewer.algorithms.shared import extent
from ccl_viewer.algorithms.structures import WARP, strip_a_block, strip_borders, warps_over_runs
from ccl_viewer.plan import Argument, Buffer, Kernel, Launch, Outcome, Plan, Stage, Task
from ccl_viewer.units import counted

_MODULE = "ha4_64"
COLUMNS = 2 * WARP
"""Pixels of a warp in a row."""


def strips(
    task: Task, labels: Buffer, barriers: int = 2, height: int = BLOCK_H
) -> Iterator[Launch]:
    """Return the launches that leave a forest of runs: as :func:`ha4.strips`.

    The first pixel of each run, or of each part of it that begins at a multiple of 64 columns,
    leads to the component's root afterwards.
    """
    rows = blocks(task.height, height)
    yield Launch(
        _kernel("ha4_64_strip_labeling", barriers, height),
        (1, rows, 1),
        (WARP, height, 1),
        _arguments(task, labels),
        Stage.STRIP,
        f"A block labels a strip of {counted(height, 'row')}, 64 columns at a time: two ballots "
        "make a 64-bit mask, and each thread answers for the one pixel of its pair that can start "
        "a run.",
        paper=f"{SOURCE}, Algorithm 3: strip labelling, two pixels a thread",
        structures=strip_a_block(COLUMNS, height),
    )
    yield Launch(
        _kernel("ha4_64_strip_merge", barriers, height),
        (blocks(task.width, COLUMNS), max(1, blocks(rows - 1, height)), 1),
        (WARP, height, 1),
        _arguments(task, labels),
        Stage.STRIP_MERGE,
        "Where runs touch across the border of two strips, their trees are merged, at most once "
        "for each pair of columns.",
        paper=f"{SOURCE}, Algorithm 4: strip merge, two pixels a thread",
        structures=strip_borders(COLUMNS, height),
    )


def relabeling(task: Task, labels: Buffer, barriers: int = 2, height: int = BLOCK_H) -> Launch:
    """Return the launch that gives every pixel its root: as :func:`ha4.relabeling`."""
    return Launch(
        _kernel("ha4_64_relabeling", barriers, height),
        (blocks(task.width, COLUMNS), blocks(task.height, height), 1),
        (WARP, height, 1),
        _arguments(task, labels),
        Stage.RELABEL,
        "The thread of each run's first pixel finds the root of its tree. It passes it on with "
        "shuffles, so the run's other pixels, two to a thread, need not search.",
        paper=f"{SOURCE}, Algorithm 5: relabelling, two pixels a thread",
        structures=warps_over_runs(COLUMNS, height),
    )


def _kernel(name: str, barriers: int, height: int) -> Kernel:
    return Kernel(_MODULE, name, (("BLOCK_H", height), ("BARRIERS", barriers)))


def _arguments(task: Task, labels: Buffer) -> tuple[Argument, ...]:
    return (task.image, labels, *extent(task))


def _plan(task: Task) -> Plan:
    barriers, height = task.parameter("barriers"), task.parameter("strip_height")
    labels = label_buffer(task)
    yield labels
    yield from strips(task, labels, barriers, height)
    yield relabeling(task, labels, barriers, height)
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
    parameters=PARAMETERS,
)
