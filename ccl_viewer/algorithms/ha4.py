"""HA4: the host part of ``kernels/ha4.cu``.

Source: Hennequin, Lacassagne, Cabaret, Meunier 2018, section IV.
"""

from __future__ import annotations

from collections.abc import Iterator

from ccl_viewer.algorithms.base import Algorithm, Parameter, blocks
from ccl_viewer.algorithms.shared import extent, index_labels
from ccl_viewer.algorithms.structures import WARP, strip_a_block, strip_borders, warps_over_runs
from ccl_viewer.plan import Argument, Buffer, Kernel, Launch, Outcome, Plan, Stage, Task
from ccl_viewer.units import counted

_MODULE = "ha4"
SOURCE = "Hennequin et al. 2018"
"""The paper, in the names of kernels."""

BLOCK_H = 4
"""Rows of a strip."""

CITATION = (
    "A. Hennequin, L. Lacassagne, L. Cabaret, Q. Meunier: A new Direct Connected Component "
    "Labeling and Analysis Algorithms for GPUs. DASIP 2018"
)


def label_buffer(task: Task) -> Buffer:
    """Return the buffer for the labels of HA4 and its kin: indices, -1 where there is none yet."""
    return index_labels(task, fill=-1)


PARAMETERS = (
    Parameter(
        "strip_height",
        "Strip height",
        "Rows of a strip, which a block labels with a warp a row; 4 in the paper.",
        default=BLOCK_H,
        minimum=1,
        maximum=32,
    ),
    Parameter(
        "barriers",
        "Barriers",
        "Barriers in each turn of strip labelling: 2 is right, 1 is the paper's version, which "
        "has a race.",
        default=2,
        minimum=1,
        maximum=2,
    ),
)
"""Parameters of HA4 with one pixel a thread, or two."""


def strips(
    task: Task, labels: Buffer, barriers: int = 2, height: int = BLOCK_H
) -> Iterator[Launch]:
    """Return the launches that leave a forest of runs: strip labelling and strip merge.

    Parameters
    ----------
    task : Task
        What to label.
    labels : Buffer
        From :func:`label_buffer`. Afterwards the first pixel of each run, or of each part of it
        that begins at a multiple of 32 columns, leads to the component's root.
    barriers : int
        Barriers in each turn of strip labelling, 1 or 2.
    height : int
        Rows of a strip.
    """
    rows = blocks(task.height, height)
    yield Launch(
        _kernel("ha4_strip_labeling", barriers, height),
        (1, rows, 1),
        (WARP, height, 1),
        _arguments(task, labels),
        Stage.STRIP,
        f"A block labels a strip of {counted(height, 'row')}: ballots show each warp its runs, the "
        "first pixel of a run gets a label, and runs that touch the row above are merged.",
        paper=f"{SOURCE}, Algorithm 3: strip labelling",
        structures=strip_a_block(WARP, height),
    )
    yield Launch(
        _kernel("ha4_strip_merge", barriers, height),
        (blocks(task.width, WARP), max(1, blocks(rows - 1, height)), 1),
        (WARP, height, 1),
        _arguments(task, labels),
        Stage.STRIP_MERGE,
        "Where runs touch across the border of two strips, their trees are merged. Only the first "
        "pixel of a run does this.",
        paper=f"{SOURCE}, Algorithm 4: strip merge",
        structures=strip_borders(WARP, height),
    )


def relabeling(task: Task, labels: Buffer, barriers: int = 2, height: int = BLOCK_H) -> Launch:
    """Return the launch that gives every pixel its root, after strip merge.

    Parameters
    ----------
    task, labels, barriers, height
        As for :func:`strips`.
    """
    return Launch(
        _kernel("ha4_relabeling", barriers, height),
        (blocks(task.width, WARP), blocks(task.height, height), 1),
        (WARP, height, 1),
        _arguments(task, labels),
        Stage.RELABEL,
        "The first pixel of each run finds the root of its tree. It passes it on with a shuffle, "
        "so the run's other pixels need not search.",
        paper=f"{SOURCE}, Algorithm 5: relabelling",
        structures=warps_over_runs(WARP, height),
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


HA4 = Algorithm(
    key="ha4",
    title="HA4",
    citation=CITATION,
    summary=(
        "Ballots find runs of pixels, only a run's first pixel uses memory, and union-find merges "
        "strips of four rows: three launches for any picture."
    ),
    connectivities=(4,),
    multivalued=False,
    planner=_plan,
    parameters=PARAMETERS,
)
