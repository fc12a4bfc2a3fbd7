"""The table of components after any algorithm: the host part of ``kernels/components.cu``."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ccl_viewer.algorithms import ha4_features
from ccl_viewer.algorithms.base import Algorithm, blocks
from ccl_viewer.algorithms.consecutive import number_roots, numbered, read_count
from ccl_viewer.algorithms.shared import extent
from ccl_viewer.algorithms.structures import WARP, in_line
from ccl_viewer.plan import (
    Array,
    Buffer,
    Kernel,
    Launch,
    Part,
    Read,
    Reply,
    Request,
    Stage,
    Structure,
    Task,
)

_MODULE = "components"
_WARPS = 4
_ROWS = 32
_THREADS = 256

TABLE = np.dtype(
    [
        ("label", np.int32),
        ("area", np.int64),
        ("y0", np.int32),
        ("x0", np.int32),
        ("y1", np.int32),
        ("x1", np.int32),
        ("y", np.float64),
        ("x", np.float64),
    ]
)
"""A row a component: its number as ``label`` gives it, cells, bounding box (rows ``y0`` to
``y1 - 1``, columns ``x0`` to ``x1 - 1``, as Python slices) and centroid."""

Rows = npt.NDArray[np.void]


def components(row: Algorithm | None, task: Task) -> Generator[Request, Reply, Rows]:
    """Find the components and what there is to say of each.

    Parameters
    ----------
    row : Algorithm or None
        What labels the cells. None, and HA4's analysis, gather features without labels; None is
        not for multi-valued tasks.
    task : Task
        What to label.

    Returns
    -------
    structured ndarray of :data:`TABLE`, shape (count,)
        A row a component, in raster order of their first cells.
    """
    if row is None or row is ha4_features.HA4_FEATURES:
        return (yield from _from_roots(task))
    return (yield from _from_labels(row, task))


@dataclass(frozen=True)
class _Columns:
    """The table on the device: an array a column."""

    area: Buffer
    sum_y: Buffer
    sum_x: Buffer
    y0: Buffer
    x0: Buffer
    y1: Buffer
    x1: Buffer

    @property
    def all(self) -> tuple[Buffer, ...]:
        """The columns in the order of the kernels' parameters."""
        return (self.area, self.sum_y, self.sum_x, self.y0, self.x0, self.y1, self.x1)


def _from_labels(row: Algorithm, task: Task) -> Generator[Request, Reply, Rows]:
    """Gather from all cells, after an algorithm has labelled them and they are numbered."""
    _, numbers, count = yield from numbered(row, task)
    columns = _columns(task, count)
    warps = blocks(task.width, WARP) * blocks(task.height, _ROWS * _WARPS)
    yield from columns.all
    yield Launch(
        Kernel(_MODULE, "components_features", (("ROWS", _ROWS),)),
        (warps, 1, 1),
        (WARP, _WARPS, 1),
        (numbers, *columns.all, *extent(task)),
        Stage.FEATURES,
        "Each lane gathers what it meets of one component along a column, and lanes that hold "
        "parts of the same component join them before they add to the table.",
        paper="After Hennequin et al. 2018, section II.C: features of labelled cells",
        structures=(
            Structure(Part.BLOCK, WARP, _ROWS * _WARPS),
            Structure(Part.WARP, WARP, _ROWS),
        ),
    )
    return (yield from _read_table(columns, count))


def _from_roots(task: Task) -> Generator[Request, Reply, Rows]:
    """Gather at the roots by HA4's analysis, then move that to the table."""
    features = yield from ha4_features.analysis(task)
    numbers, sums = yield from number_roots(features.labels)
    count = yield from read_count(sums)
    columns = _columns(task, count)
    cells = task.height * task.width
    yield from columns.all
    yield Launch(
        Kernel(_MODULE, "components_gather", (("SUM_BITS", 8 * features.sum_x.dtype.itemsize),)),
        (blocks(cells, _THREADS), 1, 1),
        (_THREADS, 1, 1),
        (features.labels, numbers, *features.sums, *columns.all, np.int32(cells)),
        Stage.FEATURES,
        "Each root moves its component's features to the row of the component, because only roots "
        "hold any.",
        paper="After Hennequin et al. 2018, section IV.D: features of roots",
        structures=in_line(_THREADS),
    )
    return (yield from _read_table(columns, count))


def _columns(task: Task, count: int) -> _Columns:
    rows = max(count, 1)  # no buffer is empty

    def column(name: str, dtype: type[np.int32 | np.uint64], fill: int = 0) -> Buffer:
        return Buffer(name, (rows,), np.dtype(dtype), fill=fill)

    return _Columns(
        area=column("area", np.int32),
        sum_y=column("sum_y", np.uint64),
        sum_x=column("sum_x", np.uint64),
        y0=column("y0", np.int32, fill=task.height),
        x0=column("x0", np.int32, fill=task.width),
        y1=column("y1", np.int32),
        x1=column("x1", np.int32),
    )


def _read_table(columns: _Columns, count: int) -> Generator[Request, Reply, Rows]:
    table = np.empty(count, TABLE)
    table["label"] = np.arange(1, count + 1)
    for name in ("area", "y0", "x0", "y1", "x1"):
        table[name] = yield from _read(getattr(columns, name), count)
    for name, sums in (("y", columns.sum_y), ("x", columns.sum_x)):
        total = yield from _read(sums, count)
        table[name] = total / table["area"]
    return table


def _read(buffer: Buffer, count: int) -> Generator[Request, Reply, Array]:
    values = yield Read(buffer)
    if values is None:
        raise TypeError(f"the driver sent nothing for Read({buffer.name})")
    return values[:count]
