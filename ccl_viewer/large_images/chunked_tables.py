"""Tables of the components of an image in chunks: a Dask array, or a file read in blocks.

Each chunk has a table of its components. Rows of components that meet across borders are merged;
all other rows stay unchanged in their chunks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from ccl_viewer.large_images.chunked import (
    ChunkSummary,
    Integers,
    LabelChunk,
    Renumbering,
    check_image,
    chunk_renumbering,
    extend_graph,
    label_dtype,
    merge,
    summarise,
)
from ccl_viewer.support.arrays import mark_first_occurrences

if TYPE_CHECKING:
    import dask.array as da

TabulateChunk: TypeAlias = Callable[[Any], npt.NDArray[np.void]]
Columns: TypeAlias = dict[str, npt.NDArray[Any]]

_JOINED_BY: Final = {
    "area": np.add,
    "sum_y": np.add,
    "sum_x": np.add,
    "y0": np.minimum,
    "x0": np.minimum,
    "y1": np.maximum,
    "x1": np.maximum,
    "yy": np.add,
    "yx": np.add,
    "xx": np.add,
    "perimeter": np.add,
}
"""The columns of a table, and the functions that merge rows of one component. At first, sums of
products are around the centroid of each part: :func:`_move_to_centroids` adds the contribution of
the distance between the centroids."""


@dataclass(frozen=True, eq=False)
class ChunkTable:
    """The components of a chunk.

    Parameters
    ----------
    summary : ChunkSummary
        Summary of the labelled chunk.
    columns : dict of ndarray
        Sums and extents, in coordinates of the whole image; one row per label, from 1.
    """

    summary: ChunkSummary
    columns: Columns


def make_chunk_table(
    label_chunk: LabelChunk,
    tabulate_chunk: TabulateChunk,
    multivalued: bool,
    top: int,
    left: int,
    chunk: Any,
) -> ChunkTable:
    """Label a chunk, and measure its components.

    Parameters
    ----------
    label_chunk, tabulate_chunk : callable
        As for :func:`tabulate_array`.
    multivalued : bool
        Whether only equal values connect.
    top, left : int
        Coordinates of the chunk in the image.
    chunk : array, shape (height, width)
        Its pixels.
    """
    summary = summarise(label_chunk(chunk)[0], chunk if multivalued else None)
    table = tabulate_chunk(chunk)
    area = table["area"].astype(np.int64)
    columns = {
        "area": area,
        # The mean is a quotient of an integer, which this restores.
        "sum_y": np.rint(table["y"] * area).astype(np.int64) + top * area,
        "sum_x": np.rint(table["x"] * area).astype(np.int64) + left * area,
        "y0": table["y0"] + np.int32(top),
        "x0": table["x0"] + np.int32(left),
        "y1": table["y1"] + np.int32(top),
        "x1": table["x1"] + np.int32(left),
        "yy": table["yy"] * area,
        "yx": table["yx"] * area,
        "xx": table["xx"] * area,
        "perimeter": table["perimeter"],
    }
    return ChunkTable(summary, columns)


def tabulate_array(
    image: Any,
    label_chunk: LabelChunk,
    tabulate_chunk: TabulateChunk,
    connectivity: int,
    *,
    multivalued: bool,
) -> da.Array:
    """Find the components of a Dask array lazily, with size, place and extent of each.

    Parameters
    ----------
    image, label_chunk, connectivity, multivalued
        As for :func:`ccl_viewer.large_images.chunked.label`.
    tabulate_chunk : callable
        Returns the table of a chunk's components, as :func:`ccl_viewer.components` does. It must be
        picklable.

    Returns
    -------
    dask.array.Array, shape (nan,)
        The table, with one chunk for each row of chunks of the image.

    Raises
    ------
    InputError
        If the image cannot be used as given.
    """
    import dask.array as da
    from dask.base import tokenize

    image = check_image(image)
    token = tokenize(image, label_chunk, tabulate_chunk, connectivity, multivalued)
    rows, columns = image.numblocks
    every = [[(row, column) for column in range(columns)] for row in range(rows)]
    tops, lefts = (np.cumsum([0, *sizes]).tolist() for sizes in image.chunks)
    layer: dict[Any, Any] = {}
    for chunk in (chunk for row_chunks in every for chunk in row_chunks):
        row, column = chunk
        tell = partial(
            make_chunk_table, label_chunk, tabulate_chunk, multivalued, tops[row], lefts[column]
        )
        layer[f"ccl-tabulate-chunk-{token}", *chunk] = (tell, (image.name, *chunk))
        layer[f"ccl-border-{token}", *chunk] = (
            _take_summary,
            (f"ccl-tabulate-chunk-{token}", *chunk),
        )
        right, below = (row, column + 1), (row + 1, column)
        layer[f"ccl-table-{token}", *chunk] = (
            _without_shared_sides,
            (f"ccl-tabulate-chunk-{token}", *chunk),
            (f"ccl-border-{token}", *right) if column + 1 < columns else None,
            (f"ccl-border-{token}", *below) if row + 1 < rows else None,
        )
        layer[f"ccl-numbers-{token}", *chunk] = (chunk_renumbering, f"ccl-merge-{token}", *chunk)
        layer[f"ccl-moved-{token}", *chunk] = (
            _take_moved_rows,
            (f"ccl-table-{token}", *chunk),
            (f"ccl-numbers-{token}", *chunk),
        )

    def keys(name: str) -> list[list[tuple[str, int, int]]]:
        return [[(f"ccl-{name}-{token}", *chunk) for chunk in row_chunks] for row_chunks in every]

    layer[f"ccl-merge-{token}"] = (merge, keys("border"), connectivity)
    layer[f"ccl-gather-{token}"] = (_concatenate, [key for row in keys("moved") for key in row])
    name = f"ccl-components-{token}"
    dtype = label_dtype(image.shape, connectivity)
    tables = {
        (name, row): (_join_row, tables, numbers, f"ccl-gather-{token}", dtype)
        for row, (tables, numbers) in enumerate(zip(keys("table"), keys("numbers"), strict=True))
    }
    return da.Array(
        extend_graph([image], {f"ccl-merge-{token}": layer, name: tables}),
        name,
        ((np.nan,) * rows,),
        meta=np.empty(0, table_dtype(dtype)),
    )


@dataclass(frozen=True, eq=False)
class BlockRows:
    """Final rows of a block, and data of components that other blocks may share.

    Parameters
    ----------
    summary : ChunkSummary
        Summary of the labelled block.
    rows : structured ndarray
        Components that do not touch the block's sides, with their labels in the block.
    found : int
        Number of these that are large enough, whether in `rows` or not.
    edge : ndarray of int64
        Labels of components that touch the sides, ascending.
    columns : dict of ndarray
        Sums and extents of those components.
    """

    summary: ChunkSummary
    rows: npt.NDArray[np.void]
    found: int
    edge: Integers
    columns: Columns


def split_off_edges(
    table: ChunkTable, minimum_area: int, most: int | None, label_type: np.dtype[Any]
) -> BlockRows:
    """Divide the table of a block into final rows and rows that other blocks may add to.

    Parameters
    ----------
    table : ChunkTable
        Of the block.
    minimum_area : int
        Final rows of smaller components are left out.
    most : int or None
        Most final rows to keep, the largest ones.
    label_type : dtype
        Type of the column of labels.
    """
    inside = np.ones(table.summary.count + 1, np.bool_)
    inside[0] = False
    for side in table.summary.labels:
        inside[side] = False
    edge = np.flatnonzero(~inside)[1:]
    final = inside[1:] & (table.columns["area"] >= minimum_area)
    labels = np.flatnonzero(final) + 1
    count = labels.size
    if most is not None:
        largest = np.argsort(-table.columns["area"][labels - 1], kind="stable")[:most]
        labels = labels[np.sort(largest)]
    rows = _as_table(labels, _take_rows(table.columns, labels - 1), label_type)
    return BlockRows(table.summary, rows, count, edge, _take_rows(table.columns, edge - 1))


def join_edges(
    blocks: Sequence[Sequence[BlockRows]],
    renumberings: Sequence[Sequence[Renumbering]],
    label_type: np.dtype[Any],
) -> npt.NDArray[np.void]:
    """Return the table of all components that touch a side of a block, in order of their numbers.

    Parameters
    ----------
    blocks : sequence of sequences of BlockRows
        The blocks, one sequence for each row of blocks.
    renumberings : sequence of sequences of Renumbering
        The result of :func:`ccl_viewer.large_images.chunked.merge`.
    label_type : dtype
        Type of the numbers.
    """
    parts: list[Columns] = []
    nothing: list[ChunkSummary | None] = [None]
    summaries = [[*(block.summary for block in row), *nothing] for row in blocks]
    summaries.append(nothing * len(summaries[0]))
    for row, (each, renumbered) in enumerate(zip(blocks, renumberings, strict=True)):
        for column, (block, renumbering) in enumerate(zip(each, renumbered, strict=True)):
            right, below = summaries[row][column + 1], summaries[row + 1][column]
            shared = _list_shared_sides(block.summary, right, below)
            perimeter = block.columns["perimeter"].copy()
            np.subtract.at(perimeter, np.searchsorted(block.edge, shared), 2)
            numbers = renumbering.look_up(block.edge)
            numbers[np.searchsorted(block.edge, renumbering.moved)] = renumbering.numbers
            parts.append(block.columns | {"perimeter": perimeter, "number": numbers})
    gathered = _concatenate(parts)
    numbers = gathered["number"]
    if not numbers.size:
        return np.empty(0, table_dtype(label_type))
    first = mark_first_occurrences(numbers)
    starts = np.flatnonzero(first)
    columns = {name: join.reduceat(gathered[name], starts) for name, join in _JOINED_BY.items()}
    _move_to_centroids(columns, gathered, np.cumsum(first) - 1)
    return _as_table(numbers[starts], columns, label_type)


def table_dtype(label_type: np.dtype[Any]) -> np.dtype[Any]:
    """Return the type of a row of a table.

    Parameters
    ----------
    label_type : dtype
        Type of its column of labels.
    """
    from ccl_viewer.algorithms.components import TABLE

    return np.dtype(
        [(name, label_type if name == "label" else TABLE[name]) for name in TABLE.names or ()]
    )


def _as_table(
    labels: Integers, columns: Columns, label_type: np.dtype[Any]
) -> npt.NDArray[np.void]:
    """Return sums and extents as the table for users."""
    table = np.empty(labels.size, table_dtype(label_type))
    table["label"] = labels
    for name in ("area", "y0", "x0", "y1", "x1", "perimeter"):
        table[name] = columns[name]
    table["y"] = columns["sum_y"] / columns["area"]
    table["x"] = columns["sum_x"] / columns["area"]
    for name in ("yy", "yx", "xx"):
        table[name] = columns[name] / columns["area"]
    return table


def _take_rows(columns: Columns, rows: npt.NDArray[Any]) -> Columns:
    return {name: column[rows] for name, column in columns.items()}


def _take_summary(table: ChunkTable) -> ChunkSummary:
    return table.summary


def _list_shared_sides(
    summary: ChunkSummary, right: ChunkSummary | None, below: ChunkSummary | None
) -> Integers:
    """Return the labels along sides shared with other chunks, once for each side of a cell."""
    labels = []
    for other, mine, theirs in ((right, 3, 2), (below, 1, 0)):
        if other is not None:
            meet = (summary.labels[mine] > 0) & (other.labels[theirs] > 0)
            if summary.values is not None and other.values is not None:
                meet &= summary.values[mine] == other.values[theirs]
            labels.append(summary.labels[mine][meet])
    return np.concatenate([np.empty(0, np.int64), *labels])


def _without_shared_sides(
    table: ChunkTable, right: ChunkSummary | None, below: ChunkSummary | None
) -> ChunkTable:
    """Subtract shared sides of cells between two chunks, for both cells in this one's row."""
    perimeter = table.columns["perimeter"].copy()
    np.subtract.at(perimeter, _list_shared_sides(table.summary, right, below) - 1, 2)
    return ChunkTable(table.summary, table.columns | {"perimeter": perimeter})


def _take_moved_rows(table: ChunkTable, renumbering: Renumbering) -> Columns:
    """Return the rows of components that were merged into another one."""
    return {"number": renumbering.numbers} | _take_rows(table.columns, renumbering.moved - 1)


def _concatenate(tables: Iterable[Columns]) -> Columns:
    """Concatenate tables, sorted by number."""
    every = list(tables)
    joined = {name: np.concatenate([table[name] for table in every]) for name in every[0]}
    return _take_rows(joined, np.argsort(joined["number"], kind="stable"))


def _join_row(
    tables: list[ChunkTable],
    renumberings: list[Renumbering],
    moved: Columns,
    label_type: np.dtype[Any],
) -> npt.NDArray[np.void]:
    """Return the table of all components that begin in a row of chunks."""
    before = int(renumberings[0].before[0])
    count = sum(int(each.begun[-1]) - each.moved.size for each in renumberings)
    columns = {name: np.empty(count, tables[0].columns[name].dtype) for name in _JOINED_BY}
    for table, renumbering in zip(tables, renumberings, strict=True):
        numbers = renumbering.table(renumbering.begun)[1:]
        keep = np.ones(numbers.size, np.bool_)
        keep[renumbering.moved - 1] = False
        for name, column in columns.items():
            column[numbers[keep] - 1 - before] = table.columns[name][keep]
    mine = slice(*np.searchsorted(moved["number"], [before + 1, before + count + 1]))
    places = moved["number"][mine] - 1 - before
    parts = {name: moved[name][mine] for name in _JOINED_BY}
    sums = {name: columns[name].copy() for name in ("area", "sum_y", "sum_x")}
    for name, column in columns.items():
        _JOINED_BY[name].at(column, places, parts[name])
    _move_to_centroids(columns, sums, np.arange(count))
    _move_to_centroids(columns, parts, places)
    return _as_table(np.arange(before + 1, before + count + 1), columns, label_type)


def _move_to_centroids(columns: Columns, parts: Columns, places: npt.NDArray[np.int64]) -> None:
    """Shift sums of products from the centroids of parts to those of their components."""
    area = parts["area"]
    dy, dx = (
        parts[name] / area - (columns[name] / columns["area"])[places]
        for name in ("sum_y", "sum_x")
    )
    for name, products in (("yy", dy * dy), ("yx", dy * dx), ("xx", dx * dx)):
        np.add.at(columns[name], places, area * products)
