"""The table of components after any algorithm: the host part of ``kernels/components.cu``."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from ccl_viewer.algorithms.base import Algorithm, ceil_div
from ccl_viewer.algorithms.consecutive import label_consecutively, read_count
from ccl_viewer.execution.plan import (
    WARP,
    Buffer,
    Kernel,
    Launch,
    LaunchStructure,
    PartKind,
    Read,
    Reply,
    Request,
    Stage,
    Task,
)

_WARPS: Final = 4
_ROWS: Final = 32
_LARGE_ROWS: Final = 128
"""Rows of a warp on large grids: fewer warps meet at the table row of a large component."""
_LARGE: Final = 1 << 25
_SMALL: Final = 1024
"""Cells of the grid for each component, below which components are gathered tile by tile."""
_PLANES: Final = 4
_SHORTEST: Final = 16
"""Minimum length of a plane of the table, in components: so the planes are far apart in memory, and
atomics on different planes do not wait for each other."""

TABLE: Final = np.dtype(
    [
        ("label", np.int32),
        ("area", np.int64),
        ("y0", np.int32),
        ("x0", np.int32),
        ("y1", np.int32),
        ("x1", np.int32),
        ("y", np.float64),
        ("x", np.float64),
        ("yy", np.float64),
        ("yx", np.float64),
        ("xx", np.float64),
        ("perimeter", np.int64),
    ]
)
"""A table row per component: its number as ``label`` gives it, cells, bounding box (rows ``y0`` to
``y1 - 1``, columns ``x0`` to ``x1 - 1``, as Python slices), centroid, central second moments (the
means of the products of the cells' distances from the centroid), and perimeter: the sides of cells
without a cell of the component on the other side."""

Rows = npt.NDArray[np.void]
Wide = npt.NDArray[np.uint64]


def find_components(
    algorithm: Algorithm, task: Task, *, chunks: bool = False
) -> Generator[Request, Reply, Rows]:
    """Find the components and their features.

    Parameters
    ----------
    algorithm : Algorithm
        The algorithm.
    task : Task
        The task.
    chunks : bool
        As for :func:`ccl_viewer.algorithms.consecutive.number_components`.

    Returns
    -------
    structured ndarray of :data:`TABLE`, shape (count,)
        A table row per component, in raster order of their first cells.
    """
    if algorithm.tabulator is not None and not task.multivalued:
        buffers = {}
        for request in algorithm.tabulator.count(task):
            if isinstance(request, Buffer):
                buffers[request.name] = request
            yield request
        count = yield from read_count(buffers["total"])
        return (yield from algorithm.tabulator.measure(task, buffers, count))
    _, numbers, count = yield from label_consecutively(algorithm, task, chunks=chunks)
    return (yield from tabulate(numbers, count))


def tabulate(
    numbers: Buffer, count: int, *, by_tiles: bool | None = None
) -> Generator[Request, Reply, Rows]:
    """Compute the features of numbered components.

    Parameters
    ----------
    numbers : Buffer
        ``int32`` of shape (height, width): numbers from 1 to `count`, 0 for background.
    count : int
        Number of components.
    by_tiles : bool or None
        Whether a warp gathers all components of a tile in shared memory, which suits many small
        ones; otherwise each lane gathers components along a column. None chooses by the average
        size of a component.

    Returns
    -------
    structured ndarray of :data:`TABLE`, shape (count,)
        A table row per component.
    """
    height, width = numbers.shape
    features = feature_buffer(count, fill=0)
    if by_tiles is None:
        by_tiles = prefers_tiles((height, width), count)
    yield features
    yield (_gather_tiles if by_tiles else _gather_columns)(numbers, features)
    return (yield from read_table(features, count, (height, width)))


def feature_buffer(count: int, fill: int | None = None) -> Buffer:
    """Return the buffer of the table in which kernels sum up features.

    Parameters
    ----------
    count : int
        Number of components.
    fill : int or None
        As for :class:`ccl_viewer.execution.plan.Buffer`.
    """
    return Buffer("features", (_PLANES, max(count, _SHORTEST), 2), np.dtype(np.uint64), fill=fill)


def read_table(
    features: Buffer, count: int, shape: tuple[int, ...]
) -> Generator[Request, Reply, Rows]:
    """Read a filled table.

    Parameters
    ----------
    features : Buffer
        The buffer from :func:`feature_buffer`.
    count : int
        Number of components.
    shape : tuple of int
        Height and width of the grid.

    Returns
    -------
    structured ndarray of :data:`TABLE`, shape (count,)
        A table row per component.
    """
    values = yield Read(features)
    if values is None:
        raise TypeError(f"the driver sent nothing for Read({features.name})")
    words = values.astype(np.uint64, copy=False)
    return _compute_table(
        [words[plane, :count, k] for plane in range(_PLANES) for k in range(2)], *shape
    )


def prefers_tiles(shape: tuple[int, ...], count: int) -> bool:
    """Return whether features are gathered by tiles by default.

    Parameters
    ----------
    shape : tuple of int
        Height and width of the grid.
    count : int
        Number of components.
    """
    return shape[0] * shape[1] < _SMALL * count


def _gather_columns(numbers: Buffer, features: Buffer) -> Launch:
    height, width = numbers.shape
    deep = _ROWS if height * width < _LARGE else _LARGE_ROWS
    return _gather(
        Kernel("components", "components_features", (("ROWS", deep),)),
        numbers,
        features,
        deep,
        "Each lane gathers what it meets of one component along a column, and lanes that hold "
        "parts of the same component join them before they add to the table.",
    )


def _gather_tiles(numbers: Buffer, features: Buffer) -> Launch:
    return _gather(
        Kernel("components", "components_tiles"),
        numbers,
        features,
        _ROWS,
        "Each warp gathers the components of its tile in shared memory, then stores those that lie "
        "within the tile and adds the others to the table.",
    )


def _gather(kernel: Kernel, numbers: Buffer, features: Buffer, deep: int, caption: str) -> Launch:
    height, width = numbers.shape
    sizes = (np.int32(features.shape[1]), np.int32(width), np.int32(height))
    return Launch(
        kernel,
        (ceil_div(width, WARP) * ceil_div(height, deep * _WARPS), 1, 1),
        (WARP, _WARPS, 1),
        (numbers, features, *sizes),
        Stage.FEATURES,
        caption,
        paper="After Hennequin et al. 2018, section II.C: features of labelled cells",
        structures=(
            LaunchStructure(PartKind.BLOCK, WARP, deep * _WARPS),
            LaunchStructure(PartKind.WARP, WARP, deep),
        ),
    )


def _compute_table(features: Sequence[Wide], height: int, width: int) -> Rows:
    cells, sum_y, sum_x, sum_xx, sum_yy, sum_yx, begins, ends = features
    area, shared = _split_halves(cells)
    table = np.empty(area.size, TABLE)
    table["label"] = np.arange(1, area.size + 1)
    table["area"], table["perimeter"] = area, 4 * area - 2 * shared
    above_end, left_of_end = _split_halves(begins)
    table["y0"], table["x0"] = height - above_end, width - left_of_end
    table["y1"], table["x1"] = _split_halves(ends)
    area = area.view(np.uint64)
    mean_y, mean_x = sum_y / area, sum_x / area
    table["y"], table["x"] = mean_y, mean_x
    # Relative to whole numbers near the means, sums are small. So they are exact although the sums
    # of products of coordinates are modulo 2^64, and there is no cancellation.
    near_y, near_x = np.rint(mean_y).astype(np.uint64), np.rint(mean_x).astype(np.uint64)
    rest_y = (sum_y - area * near_y).view(np.int64) / area
    rest_x = (sum_x - area * near_x).view(np.int64) / area
    for name, products, one, other, rests in (
        ("yy", sum_yy, (sum_y, near_y), (sum_y, near_y), rest_y * rest_y),
        ("yx", sum_yx, (sum_y, near_y), (sum_x, near_x), rest_y * rest_x),
        ("xx", sum_xx, (sum_x, near_x), (sum_x, near_x), rest_x * rest_x),
    ):
        around = products - other[1] * one[0] - one[1] * (other[0] - area * other[1])
        table[name] = around.view(np.int64) / area - rests
    return table


def _split_halves(values: Wide) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return the lower and the upper 32 bits."""
    return (values & np.uint64(0xFFFFFFFF)).view(np.int64), (values >> np.uint64(32)).view(np.int64)
