"""HA4 analysis, features of components: the host part of ``kernels/ha4_features.cu``.

Source: Hennequin, Lacassagne, Cabaret, Meunier 2018, sections II.C and IV.D.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, replace

import numpy as np

from ccl_viewer.algorithms import ha4, ha4_64, ha8
from ccl_viewer.algorithms.base import Algorithm, Parameter, grid_dim
from ccl_viewer.algorithms.shared import extent
from ccl_viewer.algorithms.structures import block_structures, warps_over_runs
from ccl_viewer.execution.plan import (
    WARP,
    Buffer,
    Kernel,
    Launch,
    Outcome,
    Plan,
    Reply,
    Request,
    Stage,
    Task,
)

_MODULE = "ha4_features"
_BLOCK = (WARP, 4, 1)
_RUNS = (
    "The first cell of each run finds the root of its tree and adds the whole run to it: the "
    "ballot gives the run's length, and from that follow its sums and bounding box."
)
_PIXELS = (
    "Every cell adds itself to the root that its label names: one atomic operation per cell and "
    "feature, all of a component at the same address."
)


@dataclass(frozen=True)
class FeatureBuffers:
    """Buffers for the features of components.

    Each has the shape (height, width) of the grid; only the elements at roots mean anything.

    Parameters
    ----------
    labels : Buffer
        The forest of the components: ``int32``, -1 where a cell has no label.
    count : Buffer
        Number of pixels, ``int32``.
    sum_x, sum_y : Buffer
        Sums of the pixels' coordinates: ``uint32``, or ``uint64`` if a component of this grid
        could exceed that.
    min_x, min_y, max_x, max_y : Buffer
        Bounding box, all bounds inclusive, ``int32``.
    """

    labels: Buffer
    count: Buffer
    sum_x: Buffer
    sum_y: Buffer
    min_x: Buffer
    min_y: Buffer
    max_x: Buffer
    max_y: Buffer

    @property
    def sums(self) -> tuple[Buffer, ...]:
        """All buffers but the labels, in the order of the kernels' parameters."""
        return (
            self.count,
            self.sum_x,
            self.sum_y,
            self.min_x,
            self.min_y,
            self.max_x,
            self.max_y,
        )


def analyse_components(
    task: Task, *, naive: bool = False, two_pixels: bool = False
) -> Generator[Request, Reply, FeatureBuffers]:
    """Find the components' features: strips, strip merge, features from runs.

    Parameters
    ----------
    task : Task
        What to analyse; 4-connected as in the paper, or 8-connected by HA8's strips. Not
        multi-valued. Its parameters are not used.
    naive : bool
        Whether to label every pixel before, and add pixels instead of runs.
    two_pixels : bool
        Whether threads take two pixels, as in HA4 with 64 columns per warp; 4-connected only.

    Returns
    -------
    FeatureBuffers
        The buffers. The labels lead to roots, but only the first pixel of each run, or of each
        part of it that begins at a multiple of 32 columns (64 with two pixels per thread), has one,
        unless `naive`.
    """
    labels = ha4.label_buffer(task)
    features = _buffers(task, labels)
    yield labels
    strips = (ha4_64 if two_pixels else ha4).STRIPS
    if task.connectivity == 8:
        yield from ha8.launch_strips(task, labels)
    else:
        yield from strips.launches(task, labels)
    if naive:
        yield strips.relabelling_launch(task, labels)
    yield from features.sums
    if naive:
        yield _from_pixels(task, features)
    else:
        yield _from_runs(task, features, two_pixels=two_pixels)
    return features


def _plan(task: Task) -> Plan:
    naive, two_pixels = bool(task.parameter("naive")), task.parameter("pixels") == 2
    features = yield from analyse_components(task, naive=naive, two_pixels=two_pixels)
    strips = (ha4_64 if two_pixels else ha4).STRIPS
    completion = () if naive else (strips.relabelling_launch(task, features.labels),)
    return Outcome(features.labels, completion=completion)


def _sum_type(task: Task) -> np.dtype[np.uint32] | np.dtype[np.uint64]:
    cells = task.height * task.width
    largest = cells * (max(task.height, task.width) - 1) // 2
    return np.dtype(np.uint32) if largest < 2**32 else np.dtype(np.uint64)


def _buffers(task: Task, labels: Buffer) -> FeatureBuffers:
    shape = (task.height, task.width)
    sums = _sum_type(task)
    coordinates = np.dtype(np.int32)

    def buffer(name: str, dtype: np.dtype[np.generic], fill: int = 0) -> Buffer:
        return Buffer(name, shape, dtype, fill=fill, layer=name)

    return FeatureBuffers(
        labels,
        count=buffer("count", coordinates),
        sum_x=buffer("sum_x", sums),
        sum_y=buffer("sum_y", sums),
        min_x=buffer("min_x", coordinates, fill=task.width),
        min_y=buffer("min_y", coordinates, fill=task.height),
        max_x=buffer("max_x", coordinates),
        max_y=buffer("max_y", coordinates),
    )


def _from_runs(task: Task, features: FeatureBuffers, *, two_pixels: bool) -> Launch:
    if two_pixels:
        return replace(
            _launch(task, features, "ha4_64_features", _RUNS, ha4_64.STRIPS.columns),
            paper=f"{ha4.SOURCE}, Algorithm 6: features, two pixels per thread",
            structures=warps_over_runs(ha4_64.STRIPS.columns, _BLOCK[1]),
        )
    return replace(
        _launch(task, features, "ha4_features", _RUNS),
        paper=f"{ha4.SOURCE}, Algorithm 6: features",
        structures=warps_over_runs(WARP, _BLOCK[1]),
    )


def _from_pixels(task: Task, features: FeatureBuffers) -> Launch:
    return replace(
        _launch(task, features, "ha4_features_naive", _PIXELS),
        paper=f"{ha4.SOURCE}, section II.C: features after relabelling",
        structures=block_structures(_BLOCK),
    )


def _launch(
    task: Task, features: FeatureBuffers, name: str, caption: str, columns: int = WARP
) -> Launch:
    bits = 8 * features.sum_x.dtype.itemsize
    return Launch(
        Kernel(_MODULE, name, (("SUM_BITS", bits),)),
        grid_dim(task.width, task.height, (columns, *_BLOCK[1:])),
        _BLOCK,
        (task.image, features.labels, *features.sums, *extent(task)),
        Stage.FEATURES,
        caption,
    )


HA4_FEATURES = Algorithm(
    key="ha4_features",
    title="HA4 analysis (features)",
    tagline="Area, sums and box of each component, no labels",
    citation=ha4.CITATION,
    summary=(
        "After HA4's strips and their merge, each run adds its length, sums and bounding box to "
        "the root: the components' features without a label at every cell."
    ),
    connectivities=(4,),
    multivalued=False,
    planner=_plan,
    parameters=(
        Parameter(
            "naive",
            "Naive features",
            "0 adds whole runs to the roots, as the paper proposes; 1 labels every cell first "
            "and then adds cell by cell, the way that the paper compares with.",
            default=0,
            minimum=0,
            maximum=1,
        ),
        Parameter(
            "pixels",
            "Pixels per thread",
            "1, or 2 as in HA4 with two pixels per thread.",
            default=1,
            minimum=1,
            maximum=2,
        ),
    ),
)
