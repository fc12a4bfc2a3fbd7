"""my_algorithm: the plan, which says what is launched, and the algorithm, which says what it is.

It runs in a separate process. It may import the standard library, NumPy and ccl_viewer.
"""

import numpy as np

from ccl_viewer.algorithms import Algorithm
from ccl_viewer.algorithms.base import grid_dim
from ccl_viewer.algorithms.shared import connectivity_macros, extent, index_label_buffer, read_flag
from ccl_viewer.execution.plan import Buffer, Fill, Kernel, Launch, Outcome, Plan, Stage, Task

BLOCK = (32, 8, 1)


def plan(task: Task) -> Plan:
    """Yield what the device is to do, in this order."""
    macros = connectivity_macros(task)
    grid = grid_dim(task.width, task.height, BLOCK)
    labels = index_label_buffer(task, fill=-1)
    changed = Buffer("changed", (1,), np.dtype(np.int32))

    yield labels
    yield changed
    yield Launch(
        Kernel("my_algorithm", "my_algorithm_init", macros),
        grid,
        BLOCK,
        (task.image, labels, *extent(task)),
        Stage.INIT,
        "Each foreground cell gets its own index as its label.",
    )
    iteration = 0
    again = True
    while again:
        iteration += 1
        yield Fill(changed, 0)
        yield Launch(
            Kernel("my_algorithm", "my_algorithm_propagate", macros),
            grid,
            BLOCK,
            (task.image, labels, changed, *extent(task)),
            Stage.PROPAGATE,
            "Each foreground cell takes the smallest label around it.",
            iteration,
        )
        again = yield from read_flag(changed)
    return Outcome(labels, iterations=iteration)


ALGORITHM = Algorithm(
    key="my_algorithm",
    title="my_algorithm",
    citation="Who thought of it, where it was published",
    summary="Every cell takes the smallest label around it until nothing changes.",
    connectivities=(4, 8),
    multivalued=True,
    planner=plan,
)
