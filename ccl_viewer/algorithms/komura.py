"""Komura's label equivalence without iteration: the host part of ``kernels/komura.cu``.

Source: Komura 2015; Hennequin, Lacassagne, Cabaret, Meunier 2018, section II.
"""

from __future__ import annotations

import numpy as np

from ccl_viewer.algorithms.base import Algorithm, cover
from ccl_viewer.algorithms.structures import per_cell
from ccl_viewer.plan import Buffer, Kernel, LabelLayout, Launch, Outcome, Plan, Stage, Task

_MODULE = "komura"
_SOURCE = "Komura 2015, after Hennequin et al. 2018, section II.B"
_BLOCK = (32, 8, 1)


def _plan(task: Task) -> Plan:
    height, width = task.height, task.width
    macros = (("MULTIVALUED", int(task.multivalued)),)
    labels = Buffer(
        "labels",
        (height, width),
        np.dtype(np.int32),
        layout=LabelLayout(height, width, pitch=width, background=-1),
    )
    size = (np.int32(width), np.int32(height))
    grid = cover(width, height, _BLOCK)
    structures = per_cell(_BLOCK)
    analysis = Kernel(_MODULE, "komura_analysis", macros)

    yield labels
    yield Launch(
        Kernel(_MODULE, "komura_init", macros),
        grid,
        _BLOCK,
        (task.image, labels, *size),
        Stage.INIT,
        "Every cell points at the first of its connected upper and left neighbours, or at itself, "
        "which makes trees without a single atomic.",
        paper=f"{_SOURCE}: initialisation",
        structures=structures,
    )
    yield Launch(
        analysis,
        grid,
        _BLOCK,
        (labels, *size),
        Stage.ANALYSIS,
        "Every cell follows its label to the root of its tree, so that the trees to be joined are "
        "flat.",
        paper=f"{_SOURCE}: analysis",
        structures=structures,
    )
    yield Launch(
        Kernel(_MODULE, "komura_reduction", macros),
        grid,
        _BLOCK,
        (task.image, labels, *size),
        Stage.MERGE,
        "A cell that connects both upwards and to the left joins the two trees by an atomic "
        "minimum, and goes on with whatever label another thread had put there.",
        paper=f"{_SOURCE}: label reduction",
        structures=structures,
    )
    yield Launch(
        analysis,
        grid,
        _BLOCK,
        (labels, *size),
        Stage.ANALYSIS,
        "Every cell follows its label to the root of the joined tree, which is the component's "
        "first cell.",
        paper=f"{_SOURCE}: analysis, again",
        structures=structures,
    )
    return Outcome(labels)


KOMURA = Algorithm(
    key="komura",
    title="Komura",
    citation=(
        "Y. Komura: GPU-based cluster-labeling algorithm without the use of conventional "
        "iteration: application to the Swendsen-Wang multi-cluster spin flip algorithm. Comput. "
        "Phys. Commun. 194 (2015)"
    ),
    summary=(
        "Trees from one look at the upper and left neighbours, joined by a reduction that each "
        "thread carries to its end: Label Equivalence without a loop on the host."
    ),
    connectivities=(4,),
    multivalued=True,
    planner=_plan,
)
