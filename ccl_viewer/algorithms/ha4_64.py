"""HA4 with two pixels per thread: the host part of ``kernels/ha4_64.cu``.

Source: Hennequin, Lacassagne, Cabaret, Meunier 2018, section IV.E.
"""

from __future__ import annotations

from ccl_viewer.algorithms.base import Algorithm
from ccl_viewer.algorithms.ha4 import CITATION, PARAMETERS, Strips
from ccl_viewer.execution.plan import WARP

STRIPS = Strips(
    "ha4_64",
    2 * WARP,
    labelling=", 64 columns at a time: two ballots make a 64-bit mask, and each thread answers for "
    "the one cell of its pair that can start a run.",
    merging="Where runs touch across the border of two strips, their trees are merged, at most "
    "once for each pair of columns.",
    relabelling="The thread of each run's first cell finds the root of its tree. It passes it on "
    "with shuffles, so the run's other cells, two to a thread, need not search.",
    paper_suffix=", two pixels per thread",
)

HA4_64 = Algorithm(
    key="ha4_64",
    title="HA4, two pixels per thread",
    tagline="HA4, two pixels for each thread",
    citation=CITATION,
    summary=(
        "As HA4, but a warp takes 64 columns: of two neighbouring cells only one can start a run, "
        "so one thread serves both."
    ),
    connectivities=(4,),
    multivalued=False,
    planner=STRIPS.plan,
    parameters=PARAMETERS,
)
