"""Two-pass union-find, by one thread and in strips: the host part of ``kernels/two_pass.cu``.

Source: Stava and Benes 2011, Figures 35.3 and 35.4; Wu, Otoo, Suzuki 2009. In strips: Gupta,
Palsetia, Patwary, Agrawal, Choudhary 2014.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ccl_viewer.algorithms.base import Algorithm, Parameter, ceil_div
from ccl_viewer.algorithms.shared import connectivity_macros, extent, index_label_buffer
from ccl_viewer.execution.plan import (
    Buffer,
    Kernel,
    Launch,
    LaunchStructure,
    NumberPlan,
    Outcome,
    PartKind,
    Plan,
    Stage,
    Task,
)

_MODULE = "two_pass"
_SOURCE = "Stava and Benes 2011"
_ONE = (1, 1, 1)
_CHUNKS = 16
_PARALLEL = "After Gupta et al. 2014"
_ADDED = "Made for this project"


def _plan(task: Task) -> Plan:
    height, width = task.height, task.width
    macros = connectivity_macros(task)
    labels = index_label_buffer(task, fill=-1)
    rows = task.optional("rows") or ceil_div(height, _CHUNKS)
    first = Kernel(_MODULE, "two_pass_first", macros)
    second = Kernel(_MODULE, "two_pass_second", macros)
    yield labels
    for strip, (start, end) in enumerate(_chunks(height, rows)):
        yield Launch(
            first,
            _ONE,
            _ONE,
            (task.image, labels, np.int32(width), np.int32(start), np.int32(end)),
            Stage.SCAN,
            f"First pass, {_rows(start, end)}: one thread makes each cell a root and unites it "
            "with its connected neighbours before it, because the others are not known yet.",
            paper=f"{_SOURCE}, Figure 35.3: pass 1",
            structures=(LaunchStructure(PartKind.STRIP, None, rows, only=strip),),
        )
    for strip, (start, end) in enumerate(_chunks(height, rows)):
        yield Launch(
            second,
            _ONE,
            _ONE,
            (labels, np.int32(width), np.int32(start), np.int32(end)),
            Stage.FLATTEN,
            f"Second pass, {_rows(start, end)}: one thread replaces each label by the root of its "
            "tree, which is one step away, because the labels before it are roots already.",
            paper=f"{_SOURCE}, Figure 35.3: pass 2",
            structures=(LaunchStructure(PartKind.STRIP, None, rows, only=strip),),
        )
    return Outcome(labels)


def _chunks(height: int, rows: int) -> Iterator[tuple[int, int]]:
    for start in range(0, height, rows):
        yield start, min(start + rows, height)


def _rows(start: int, end: int) -> str:
    return f"row {start}" if end == start + 1 else f"rows {start} to {end - 1}"


class _Strips:
    """The launches that label in strips."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self.rows = task.parameter("rows")
        self.labels = index_label_buffer(task)
        self.count = ceil_div(task.height, self.rows)
        self.counts = Buffer("counts", (self.count,), np.dtype(np.int32))

    def launch(
        self,
        kernel: str,
        blocks: int,
        buffers: Sequence[Buffer],
        stage: Stage,
        caption: str,
        paper: str,
    ) -> Launch:
        return Launch(
            Kernel(_MODULE, f"two_pass_{kernel}", connectivity_macros(self.task)),
            (blocks, 1, 1),
            _ONE,
            (*buffers, *extent(self.task), np.int32(self.rows)),
            stage,
            caption,
            paper=paper,
            structures=(LaunchStructure(PartKind.STRIP, None, self.rows),),
        )

    def join(self) -> Iterator[Buffer | Launch]:
        """Build a tree for each component, with its first cell as the root, and count the roots."""
        yield self.labels
        yield self.counts
        yield self.launch(
            "strip",
            self.count,
            (self.task.image, self.labels, self.counts),
            Stage.SCAN,
            "Each thread does the first pass in its own strip, as if nothing were above it. So no "
            "thread waits for another.",
            f"{_PARALLEL}: first scan",
        )
        yield self.launch(
            "border",
            max(1, self.count - 1),
            (self.task.image, self.labels, self.counts),
            Stage.STRIP_MERGE,
            "Each thread goes along the border of two strips and joins the trees that meet there.",
            f"{_PARALLEL}: merge of boundaries",
        )


def _plan_strips(task: Task) -> Plan:
    strips = _Strips(task)
    yield from strips.join()
    yield strips.launch(
        "flatten",
        strips.count,
        (strips.labels,),
        Stage.FLATTEN,
        "Each thread does the second pass in its strip: each label becomes the root of its tree.",
        f"{_PARALLEL}: second scan",
    )
    return Outcome(strips.labels)


def _number_strips(task: Task) -> NumberPlan:
    strips = _Strips(task)
    offsets = Buffer("offsets", (strips.count,), np.dtype(np.int32))
    total = Buffer("total", (1,), np.dtype(np.int32))
    numbers = Buffer("numbers", (task.height, task.width), np.dtype(np.int32))
    yield from strips.join()
    yield from (offsets, total, numbers)
    yield Launch(
        Kernel(_MODULE, "two_pass_offsets", connectivity_macros(task)),
        _ONE,
        _ONE,
        (strips.counts, offsets, total, np.int32(strips.count)),
        Stage.SCAN,
        "One thread adds up how many roots lie before each strip.",
        paper=f"{_ADDED}: roots before each strip",
    )
    yield strips.launch(
        "number",
        strips.count,
        (strips.labels, offsets, numbers),
        Stage.ANALYSIS,
        "Each thread gives the roots of its strip their numbers.",
        f"{_ADDED}: numbers of roots",
    )
    yield strips.launch(
        "relabel",
        strips.count,
        (strips.labels, numbers),
        Stage.RELABEL,
        "Each thread does the second pass in its strip: each cell takes the number of its parent.",
        f"{_PARALLEL}: second scan",
    )
    return numbers, total


TWO_PASS = Algorithm(
    key="two_pass",
    title="Two-pass union-find (sequential yardstick)",
    tagline="One thread, two passes: what a CPU does",
    citation=(
        "O. Stava, B. Benes: Connected Component Labeling in CUDA. GPU Computing Gems (2011), "
        "Figures 35.3 and 35.4; K. Wu, E. Otoo, K. Suzuki: Optimizing two-pass connected-component "
        "labeling algorithms. Pattern Analysis and Applications 12 (2009)"
    ),
    summary=(
        "One thread unites each cell with the neighbours before it, in raster order, and replaces "
        "labels by roots in a second pass: what a CPU does, to compare with."
    ),
    connectivities=(8, 4),
    multivalued=True,
    planner=_plan,
    parameters=(
        Parameter(
            "rows",
            "Rows",
            "Rows that a launch works through; without it, a pass is cut into 16 launches at most.",
            default=None,
            minimum=1,
            maximum=2**31 - 1,
            absent="Auto",
        ),
    ),
)

TWO_PASS_STRIPS = Algorithm(
    key="two_pass_strips",
    title="Two-pass union-find in strips",
    tagline="A strip of rows for each thread: a CPU with several cores",
    citation=(
        "S. Gupta, D. Palsetia, M. M. A. Patwary, A. Agrawal, A. Choudhary: A New Parallel "
        "Algorithm for Two-Pass Connected Component Labeling. IPDPS Workshops (2014)"
    ),
    summary=(
        "Each thread unites the cells of a strip of rows in raster order, borders between strips "
        "are joined, and labels are replaced by roots: what a CPU with several cores does."
    ),
    connectivities=(8, 4),
    multivalued=True,
    planner=_plan_strips,
    numberer=_number_strips,
    parameters=(
        Parameter(
            "rows",
            "Rows",
            "Rows of a strip, which one thread works through.",
            default=32,
            minimum=1,
            maximum=2**31 - 1,
        ),
    ),
)
