"""HA4: the host part of ``kernels/ha4.cu``, and code shared with that of ``ha4_64.cu``.

Source: Hennequin, Lacassagne, Cabaret, Meunier 2018, section IV.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from ccl_viewer.algorithms.base import Algorithm, Choice, Parameter, ceil_div
from ccl_viewer.algorithms.shared import (
    extent,
    index_label_buffer,
    variant_macro,
    variant_parameter,
)
from ccl_viewer.algorithms.structures import (
    LaunchStructures,
    block_per_strip,
    strip_borders,
    warps_over_runs,
)
from ccl_viewer.errors import InputError
from ccl_viewer.execution.plan import WARP, Buffer, Dim3, Kernel, Launch, Outcome, Plan, Stage, Task
from ccl_viewer.support.units import counted

SOURCE = "Hennequin et al. 2018"
"""The paper, in the names of kernels."""

BLOCK_H = 4
"""Rows of a strip in the paper."""

CITATION = (
    "A. Hennequin, L. Lacassagne, L. Cabaret, Q. Meunier: A new Direct Connected Component "
    "Labeling and Analysis Algorithms for GPUs. DASIP 2018"
)

SHARED = "shared"
_SHARED_BYTES = 48 << 10

_STRIP_HEIGHT = Parameter(
    "strip_height",
    "Strip height",
    "Rows of a strip, which a block labels with a warp per row; 4 in the paper.",
    default=BLOCK_H,
    minimum=1,
    maximum=32,
)


def _variant(*others: Choice) -> Parameter:
    return variant_parameter(
        printed="Its strip labelling has one barrier a turn, so a warp can overwrite the mask that "
        "its neighbour has still to read.",
        racy=True,
        others=others,
    )


PARAMETERS = (_STRIP_HEIGHT, _variant())
"""Parameters of HA4 with two pixels per thread."""


def label_buffer(task: Task) -> Buffer:
    """Return the buffer for the labels of HA4 and its variants: indices; -1 for no label yet."""
    return index_label_buffer(task, fill=-1)


@dataclass(frozen=True)
class Strips:
    """The launches of HA4, with one pixel per thread or two.

    Parameters
    ----------
    module : str
        Name of the kernels' file, and prefix of their names.
    columns : int
        Pixels of a row that a warp handles together.
    labelling, merging, relabelling : str
        Captions of the launches; the first one continues the number of rows.
    paper_suffix : str
        Suffix to the names of the paper's algorithms.
    """

    module: str
    columns: int
    labelling: str
    merging: str
    relabelling: str
    paper_suffix: str = ""

    def launches(self, task: Task, labels: Buffer) -> Iterator[Launch]:
        """Return the launches that leave a forest of runs: strip labelling and strip merge.

        Parameters
        ----------
        task : Task
            What to label; its parameters `strip_height` and `variant` count, if it has them.
        labels : Buffer
            From :func:`label_buffer`. Afterwards the first pixel of each run, or of each part of
            it that begins at a multiple of `columns`, leads to the component's root.
        """
        height = _height(task)
        strips = ceil_div(task.height, height)
        labelling = self._launch(
            task,
            labels,
            "strip_labeling",
            (1, strips, 1),
            Stage.STRIP,
            f"A block labels a strip of {counted(height, 'row')}{self.labelling}",
            "Algorithm 3: strip labelling",
            block_per_strip(self.columns, height),
        )
        yield _in_shared_memory(task, labelling) if _is_shared(task) else labelling
        yield self._launch(
            task,
            labels,
            "strip_merge",
            (ceil_div(task.width, self.columns), max(1, ceil_div(strips - 1, height)), 1),
            Stage.STRIP_MERGE,
            self.merging,
            "Algorithm 4: strip merge",
            strip_borders(self.columns, height),
        )

    def relabelling_launch(self, task: Task, labels: Buffer) -> Launch:
        """Return the launch that gives every pixel its root, after those of :meth:`launches`."""
        height = _height(task)
        return self._launch(
            task,
            labels,
            "relabeling",
            (ceil_div(task.width, self.columns), ceil_div(task.height, height), 1),
            Stage.RELABEL,
            self.relabelling,
            "Algorithm 5: relabelling",
            warps_over_runs(self.columns, height),
        )

    def plan(self, task: Task) -> Plan:
        """Label: strips, their merge, and relabelling."""
        labels = label_buffer(task)
        yield labels
        yield from self.launches(task, labels)
        yield self.relabelling_launch(task, labels)
        return Outcome(labels)

    def _launch(
        self,
        task: Task,
        labels: Buffer,
        kernel: str,
        grid: Dim3,
        stage: Stage,
        caption: str,
        paper: str,
        structures: LaunchStructures,
    ) -> Launch:
        height = _height(task)
        macros = (("BLOCK_H", height), *(() if _is_shared(task) else (variant_macro(task),)))
        return Launch(
            Kernel(self.module, f"{self.module}_{kernel}", macros),
            grid,
            (WARP, height, 1),
            (task.image, labels, *extent(task)),
            stage,
            caption,
            paper=f"{SOURCE}, {paper}{self.paper_suffix}",
            structures=structures,
        )


def _height(task: Task) -> int:
    """Return the rows of a strip; HA4's variants have a fixed number."""
    return task.parameter("strip_height") if "strip_height" in task.parameters else BLOCK_H


def _is_shared(task: Task) -> bool:
    return "variant" in task.parameters and task.choice("variant") == SHARED


def _in_shared_memory(task: Task, labelling: Launch) -> Launch:
    """Return strip labelling with the labels of a strip in shared memory first."""
    most = _SHARED_BYTES // (4 * _height(task)) - 1  # a word of each row is its mask
    if task.width > most:
        raise InputError(
            f"A strip of {task.width} x {_height(task)} cells has too many labels for shared "
            "memory: choose another variant or lower strips."
        )
    columns = min(most, max(WARP, 1 << (task.width - 1).bit_length()))  # so builds are few
    kernel = replace(
        labelling.kernel,
        name=f"{labelling.kernel.name}_shared",
        macros=(*labelling.kernel.macros, ("STRIP_W", columns)),
    )
    return replace(labelling, kernel=kernel, paper=f"{labelling.paper}, in shared memory")


STRIPS = Strips(
    "ha4",
    WARP,
    labelling=": ballots show each warp its runs, the first cell of a run gets a label, and runs "
    "that touch the row above are merged.",
    merging="Where runs touch across the border of two strips, their trees are merged. Only a "
    "column where one of the two runs starts does this, and it joins the starts of both.",
    relabelling="The first cell of each run finds the root of its tree. It passes it on with a "
    "shuffle, so the run's other cells need not search.",
)

HA4 = Algorithm(
    key="ha4",
    title="HA4",
    tagline="Finds runs of pixels with ballots; three launches",
    citation=CITATION,
    summary=(
        "Ballots find runs of cells. At first only the first cell of a run has a label. "
        "Union-find merges strips of four rows: three launches for any picture."
    ),
    connectivities=(4,),
    multivalued=False,
    planner=STRIPS.plan,
    parameters=(
        _STRIP_HEIGHT,
        _variant(
            Choice(
                SHARED, "labels strips in shared memory first, which the paper calls inefficient"
            )
        ),
    ),
)
