"""HA8, HA4 extended to eight neighbours: the host part of ``kernels/ha8.cu``.

Source: an extension made for this project of Hennequin, Lacassagne, Cabaret, Meunier 2018,
section IV.
"""

from __future__ import annotations

from collections.abc import Iterator

from ccl_viewer.algorithms import ha4
from ccl_viewer.algorithms.base import Algorithm, ceil_div
from ccl_viewer.algorithms.shared import extent
from ccl_viewer.algorithms.structures import block_per_strip, strip_borders
from ccl_viewer.execution.plan import WARP, Buffer, Kernel, Launch, Outcome, Plan, Stage, Task

_MODULE = "ha8"
_BLOCK_H = 4
_MACROS = (("BLOCK_H", _BLOCK_H),)


def launch_strips(task: Task, labels: Buffer) -> Iterator[Launch]:
    """Return the launches that leave a forest of runs, 8-connected: as `ha4.Strips.launches`."""
    rows = ceil_div(task.height, _BLOCK_H)
    arguments = (task.image, labels, *extent(task))
    yield Launch(
        Kernel(_MODULE, "ha8_strip_labeling", _MACROS),
        (1, rows, 1),
        (WARP, _BLOCK_H, 1),
        arguments,
        Stage.STRIP,
        "A block labels a strip of four rows: the first cell of a run gets a label. Runs that "
        "touch the row above, at a side or a corner, are merged where the later of the two "
        "starts.",
        paper=f"After {ha4.SOURCE}, Algorithm 3: strip labelling, for 8 neighbours",
        structures=block_per_strip(WARP, _BLOCK_H),
    )
    yield Launch(
        Kernel(_MODULE, "ha8_strip_merge", _MACROS),
        (ceil_div(task.width, WARP), max(1, ceil_div(rows - 1, _BLOCK_H)), 1),
        (WARP, _BLOCK_H, 1),
        arguments,
        Stage.STRIP_MERGE,
        "Where runs touch across the border of two strips, at a side or a corner, their trees are "
        "merged. This happens only where a run starts.",
        paper=f"After {ha4.SOURCE}, Algorithm 4: strip merge, for 8 neighbours",
        structures=strip_borders(WARP, _BLOCK_H),
    )


def _plan(task: Task) -> Plan:
    labels = ha4.label_buffer(task)
    yield labels
    yield from launch_strips(task, labels)
    yield ha4.STRIPS.relabelling_launch(task, labels)
    return Outcome(labels)


HA8 = Algorithm(
    key="ha8",
    title="HA8 (HA4 extended to 8 neighbours)",
    tagline="HA4 for eight neighbours",
    citation=f"An extension, made for this project, of: {ha4.CITATION}",
    summary=(
        "As HA4, with one look to the left where a run starts, so that runs that touch at a "
        "corner are merged too: still three launches, whatever the picture."
    ),
    connectivities=(8,),
    multivalued=False,
    planner=_plan,
)
