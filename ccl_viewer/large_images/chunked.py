"""Label an image in chunks: summaries of chunks, merging across borders, Dask arrays.

Tasks never change their input, since Dask runs tasks again if a worker dies.

Each chunk is labelled separately, on its worker. Its summary has the labels along its four sides,
and the number of its components that begin in each row. That is enough to number all components of
the image in raster order of their first pixels: those of one row of one chunk have consecutive
numbers, so only the first number is needed. A sparse graph has the pairs of components that meet
across a border; all but one of a connected group give up their numbers. So the data gathered in one
place grows with the length of the borders and not with the number of pixels or components.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from ccl_viewer.errors import InputError
from ccl_viewer.grids.grid import check_size

if TYPE_CHECKING:
    import dask.array as da

Integers: TypeAlias = npt.NDArray[np.int64]
LabelChunk: TypeAlias = Callable[[Any], tuple[Any, int]]

_LABELLED: Final = "ccl-label-chunk-"
_MOST_IN_INT32 = np.iinfo(np.int32).max


@dataclass(frozen=True, eq=False)
class ChunkSummary:
    """Summary of a labelled chunk, sufficient to number its components among all.

    Parameters
    ----------
    begun : ndarray of int64, shape (height + 1,)
        Number of components that begin above each row; the last element is their total.
    labels : tuple of ndarray of int64
        Labels of the first row, last row, first column and last column.
    values : tuple of ndarray, or None
        The image's values there, if only equal values connect.
    """

    begun: Integers
    labels: tuple[Integers, ...]
    values: tuple[npt.NDArray[Any], ...] | None

    @property
    def count(self) -> int:
        """Number of components."""
        return int(self.begun[-1])


@dataclass(frozen=True, eq=False)
class Renumbering:
    """The numbers of a chunk's components in the whole image.

    Parameters
    ----------
    begun : ndarray of int64, shape (height + 1,)
        As in :class:`ChunkSummary`.
    before : ndarray of int64, shape (height,)
        Number of components of the image before the first that begins in each row of the chunk.
    moved : ndarray of int64, shape (n,)
        Labels of components that were merged into another one; ascending.
    numbers : ndarray of int64, shape (n,)
        Their numbers.
    """

    begun: Integers
    before: Integers
    moved: Integers
    numbers: Integers

    def look_up(self, labels: Integers) -> Integers:
        """Return the numbers of labels that are not in `moved`.

        Parameters
        ----------
        labels : ndarray of int64
            Labels of the chunk.
        """
        rows = np.searchsorted(self.begun, labels) - 1
        first = self.begun[rows] + 1
        removed = np.searchsorted(self.moved, labels) - np.searchsorted(self.moved, first)
        numbers: Integers = self.before[rows] + 1 + labels - first - removed
        return numbers

    def table(self, like: Any) -> Any:
        """Return the number of each label, including 0.

        Parameters
        ----------
        like : array
            An array with the library and the device of the result.
        """
        count = int(self.begun[-1])
        begin = np.diff(self.begun)
        rows = np.flatnonzero(begin)
        remaining = begin - np.bincount(
            np.searchsorted(self.begun, self.moved) - 1, minlength=begin.size
        )
        # From label to label the number increases by one, except for moved ones; at the first label
        # that begins in a row, it also increases by the components of other chunks in between.
        after = (self.before + remaining)[rows]
        rises = self.before[rows] - np.concatenate([np.zeros(1, np.int64), after[:-1]])
        table = np.ones_like(like, dtype=np.int64, shape=(count + 1,))
        moved = np.asarray(self.moved, like=like)
        table[moved] = 0
        table[0] = 0
        table[np.asarray(self.begun[rows] + 1, like=like)] += np.asarray(rises, like=like)
        table = np.cumsum(table)
        table[moved] = np.asarray(self.numbers, like=like)
        return table


def summarise(labels: Any, image: Any = None) -> ChunkSummary:
    """Return the summary of a labelled chunk.

    Parameters
    ----------
    labels : array of integers, shape (height, width)
        Components numbered from 1 in raster order of their first pixels, as by
        :func:`ccl_viewer.label`.
    image : array or None
        The chunk, if only equal values connect.
    """
    highest = _to_host(labels.max(axis=1)).astype(np.int64)
    counts = np.concatenate([np.zeros(1, np.int64), np.maximum.accumulate(highest)])
    sides = tuple(side.astype(np.int64) for side in _read_sides(labels))
    return ChunkSummary(counts, sides, None if image is None else _read_sides(image))


def merge(
    summaries: Sequence[Sequence[ChunkSummary]], connectivity: int
) -> tuple[list[list[Renumbering]], int]:
    """Assign numbers to the components of all chunks in raster order of their first pixels.

    Parameters
    ----------
    summaries : sequence of sequences of ChunkSummary
        The summaries, one sequence for each row of chunks.
    connectivity : int
        4 or 8.

    Returns
    -------
    renumberings : list of list of Renumbering
        One for each chunk.
    count : int
        Number of components of the image.
    """
    chunks = [summary for row in summaries for summary in row]
    columns = len(summaries[0])
    # A component's temporary name: its label plus the counts of all earlier chunks.
    offsets = np.cumsum([0, *(chunk.count for chunk in chunks)])
    tops = np.cumsum([0, *(row[0].begun.size - 1 for row in summaries)])
    begin = np.empty((tops[-1], columns), np.int64)
    for index, chunk in enumerate(chunks):
        row, column = divmod(index, columns)
        begin[tops[row] : tops[row + 1], column] = np.diff(chunk.begun)

    names, component = _unite_pairs(_find_pairs(summaries, offsets, connectivity))
    owners = np.searchsorted(offsets, names) - 1
    bounds = np.searchsorted(owners, np.arange(len(chunks) + 1))
    rows = np.empty_like(names)  # row in which each begins
    first = np.empty_like(names)  # name of the first that begins in that row of its chunk
    for index, chunk in enumerate(chunks):
        mine = slice(bounds[index], bounds[index + 1])
        local = np.searchsorted(chunk.begun, names[mine] - offsets[index]) - 1
        rows[mine] = tops[index // columns] + local
        first[mine] = offsets[index] + chunk.begun[local] + 1
    places = rows, owners % columns
    roots = _choose_roots(places, columns, component)
    is_moved = roots != np.arange(names.size)
    moved = names[is_moved]

    np.subtract.at(begin, (places[0][is_moved], places[1][is_moved]), 1)
    before = np.cumsum(begin.ravel()).reshape(begin.shape) - begin
    removed = np.searchsorted(moved, names) - np.searchsorted(moved, first)
    numbers = (before[places] + names - first + 1 - removed)[roots]

    renumberings: list[list[Renumbering]] = [[] for _ in summaries]
    for index, chunk in enumerate(chunks):
        row, column = divmod(index, columns)
        mine = slice(bounds[index], bounds[index + 1])
        gave_up = is_moved[mine]
        renumberings[row].append(
            Renumbering(
                chunk.begun,
                before[tops[row] : tops[row + 1], column].copy(),
                names[mine][gave_up] - offsets[index],
                numbers[mine][gave_up],
            )
        )
    return renumberings, int(begin.sum())


def _choose_roots(
    places: tuple[Integers, Integers], columns: int, component: npt.NDArray[Any]
) -> npt.NDArray[np.intp]:
    """Return for each component the merged one that keeps its number: that with the first pixel.

    Components are given by the row in which they begin, and their column of chunks.
    """
    # Names of one chunk are already in raster order, which speeds up the sort.
    order = np.argsort(places[0] * columns + places[1], kind="stable")[::-1]
    leading = np.empty(component.size, np.intp)
    leading[component[order]] = order  # the last write stays
    roots: npt.NDArray[np.intp] = leading[component]
    return roots


def renumber(labels: Any, renumbering: Renumbering, dtype: npt.DTypeLike) -> Any:
    """Convert the labels of a chunk to those of the whole image.

    Parameters
    ----------
    labels : array of integers, shape (height, width)
        The labels passed to :func:`summarise`.
    renumbering : Renumbering
        The chunk's renumbering from :func:`merge`.
    dtype : dtype
        Type of the result, which is on the labels' device.
    """
    return renumbering.table(labels).astype(dtype)[labels]


def label_dtype(shape: tuple[int, int], connectivity: int) -> np.dtype[Any]:
    """Return the type of an image's labels: int32 if the largest possible number fits.

    Parameters
    ----------
    shape : tuple of int
        Height and width.
    connectivity : int
        4 or 8.
    """
    height, width = shape
    most = (
        (height * width + 1) // 2 if connectivity == 4 else ((height + 1) // 2) * ((width + 1) // 2)
    )
    return np.dtype(np.int32 if most <= _MOST_IN_INT32 else np.int64)


def label(
    image: Any, label_chunk: LabelChunk, connectivity: int, *, multivalued: bool
) -> tuple[da.Array, da.Array]:
    """Label a Dask array, lazily.

    Parameters
    ----------
    image : dask.array.Array, shape (height, width)
        The image, in chunks of any shape.
    label_chunk : callable
        Labels a chunk; returns the labels and their number. It must be picklable.
    connectivity : int
        4 or 8.
    multivalued : bool
        Whether only equal values connect.

    Returns
    -------
    labels : dask.array.Array, shape (height, width)
        The labels, in the same chunks.
    count : dask.array.Array of int64, shape ()
        Number of components. Compute labels and count together, or the image is labelled twice.

    Raises
    ------
    InputError
        If the image cannot be used as given.
    """
    import dask.array as da
    from dask.base import tokenize

    image = check_image(image)
    labelled = image.map_blocks(
        partial(_label_chunk, label_chunk),
        dtype=np.int32,
        meta=_like(image, np.int32, ndim=2),
        name=_LABELLED + tokenize(image, label_chunk),
    )
    token = tokenize(labelled, connectivity, multivalued)
    rows, columns = image.numblocks
    summaries = [
        [(f"ccl-border-{token}", row, column) for column in range(columns)] for row in range(rows)
    ]
    inputs = [labelled, image] if multivalued else [labelled]
    layer: dict[Any, Any] = {
        key: (summarise, *((each.name, *key[1:]) for each in inputs))
        for keys in summaries
        for key in keys
    }
    merged = f"ccl-merge-{token}"
    layer[merged] = (merge, summaries, connectivity)
    dtype = label_dtype(image.shape, connectivity)
    name = f"ccl-label-{token}"
    tasks = {}
    for keys in summaries:
        for _, row, column in keys:
            layer[f"ccl-numbers-{token}", row, column] = (chunk_renumbering, merged, row, column)
            tasks[name, row, column] = (
                renumber,
                (labelled.name, row, column),
                (f"ccl-numbers-{token}", row, column),
                dtype,
            )
    labels = da.Array(
        extend_graph(inputs, {merged: layer, name: tasks}),
        name,
        image.chunks,
        meta=_like(image, dtype, ndim=2),
    )
    name = f"ccl-count-{token}"
    count = da.Array(
        extend_graph(inputs, {merged: layer, name: {(name,): (_take_count, merged)}}),
        name,
        (),
        meta=np.empty((), np.int64),
    )
    return labels, count


def make_placement_plugin() -> Any:
    """Return a plugin for Dask's scheduler that keeps each chunk with the worker that labelled it.

    Without it, the scheduler moves chunks if it expects this to be faster.
    :func:`ccl_viewer.large_images.streaming.gpu_cluster` installs it; for other clusters, call
    ``client.register_plugin``.
    """
    from distributed.diagnostics.plugin import SchedulerPlugin

    class ChunkPlacement(SchedulerPlugin):  # type: ignore[misc]  # mypy takes its base for Any
        """Restricts tasks on a labelled chunk to the worker that has it."""

        async def start(self, scheduler: Any) -> None:
            self.scheduler = scheduler

        def transition(
            self, key: Any, _start: str, finish: str, *_arguments: Any, **_options: Any
        ) -> None:
            if finish != "memory" or not str(key[0]).startswith(_LABELLED):
                return
            task = self.scheduler.tasks[key]
            for other in task.dependents:
                if str(other.key[0]).startswith("ccl-"):
                    other.worker_restrictions = {worker.address for worker in task.who_has}
                    other.loose_restrictions = True  # in case the worker leaves

    return ChunkPlacement()


def check_image(image: object) -> da.Array:
    """Return a Dask array without empty chunks.

    Parameters
    ----------
    image : object
        The caller's argument.

    Raises
    ------
    InputError
        If it cannot be labelled.
    """
    import dask.array as da

    if not isinstance(image, da.Array):
        raise InputError(
            f"A {type(image).__name__} is not a Dask array: give the array in it, such as "
            "its .data."
        )
    try:
        import scipy.sparse.csgraph  # noqa: F401  (better now than on a worker, when all is labelled)
    except ImportError:
        raise InputError(
            "Labels of Dask arrays need SciPy: install it with pip install 'ccl-viewer[dask]'."
        ) from None
    if any(np.isnan(size) for sizes in image.chunks for size in sizes):
        raise InputError(
            "The sizes of the array's chunks are not known: call its compute_chunk_sizes() first."
        )
    check_size(image.shape, most_cells=max(1, image.size))
    if image.dtype.kind not in "buif":
        raise InputError(
            f"An array of type {image.dtype} is not a grid: convert it to bool, integers or floats."
        )
    full = tuple(tuple(size for size in sizes if size) for sizes in image.chunks)
    try:
        check_size((max(full[0]), max(full[1])))
    except InputError as error:
        raise InputError(f"A chunk is too large, give the array smaller ones: {error}") from error
    return image if full == image.chunks else image.rechunk(full)


def extend_graph(inputs: list[da.Array], layers: dict[str, dict[Any, Any]]) -> Any:
    """Return the graph of Dask arrays with further layers.

    Parameters
    ----------
    inputs : list of dask.array.Array
        The arrays.
    layers : dict
        Tasks of each layer by its name; a layer depends on the previous ones.
    """
    from dask.highlevelgraph import HighLevelGraph

    graph = HighLevelGraph.merge(*(each.dask for each in inputs))
    dependencies = {**graph.dependencies}
    below = {each.name for each in inputs}
    for name in layers:
        dependencies[name] = below
        below = below | {name}
    return HighLevelGraph({**graph.layers, **layers}, dependencies)


def _like(image: da.Array, dtype: npt.DTypeLike, ndim: int) -> Any:
    """Return an empty array of the library of an image's chunks."""
    from dask.array.utils import meta_from_array

    return meta_from_array(image._meta, ndim=ndim, dtype=dtype)  # noqa: SLF001  (as dask documents)


def _label_chunk(label_chunk: LabelChunk, chunk: Any) -> Any:
    return label_chunk(chunk)[0]


def chunk_renumbering(
    merged: tuple[list[list[Renumbering]], int], row: int, column: int
) -> Renumbering:
    """Return the renumbering of one chunk from the result of :func:`merge`."""
    return merged[0][row][column]


def _take_count(merged: tuple[list[list[Renumbering]], int]) -> np.int64:
    return np.int64(merged[1])


def _to_host(array: Any) -> npt.NDArray[Any]:
    """Return a NumPy or CuPy array as an array in the host's memory."""
    return array.get() if hasattr(array, "get") else np.array(array)


def _read_sides(array: Any) -> tuple[npt.NDArray[Any], ...]:
    """Return copies of first row, last row, first column and last column on the host."""
    return tuple(_to_host(side) for side in (array[0], array[-1], array[:, 0], array[:, -1]))


def _find_pairs(
    summaries: Sequence[Sequence[ChunkSummary]], offsets: Integers, connectivity: int
) -> tuple[Integers, Integers]:
    """Return the names of components that meet across borders of chunks.

    Each border spans the whole height or width of the image, so that corners of four chunks need no
    special case.
    """
    columns = len(summaries[0])
    grid = np.empty((len(summaries), columns), object)
    for row, each in enumerate(summaries):
        grid[row, :] = each
    starts = offsets[:-1].reshape(grid.shape)
    pairs: list[tuple[Integers, Integers]] = []
    for chunks, origin, (end, start) in ((grid, starts, (1, 0)), (grid.T, starts.T, (3, 2))):
        for near_side, far_side, origins, far_origins in zip(
            chunks, chunks[1:], origin, origin[1:], strict=False
        ):
            near, near_values = _find_line_pairs(near_side, origins, end)
            far, far_values = _find_line_pairs(far_side, far_origins, start)
            size = near.size
            for shift in (0,) if connectivity == 4 else (-1, 0, 1):
                mine = slice(max(0, shift), size + min(0, shift))
                theirs = slice(max(0, -shift), size + min(0, -shift))
                ours, others = near[mine], far[theirs]
                meet = (ours > 0) & (others > 0)
                if near_values is not None and far_values is not None:
                    meet &= near_values[mine] == far_values[theirs]
                elif shift:  # corners also meet by a side if there is foreground between them
                    meet &= (near[theirs] == 0) & (far[mine] == 0)
                # A pair that meets along a stretch of the border is stored once.
                meet[1:] &= (ours[1:] != ours[:-1]) | (others[1:] != others[:-1]) | ~meet[:-1]
                pairs.append((ours[meet], others[meet]))
    nothing = np.empty(0, np.int64)
    return (
        np.concatenate([nothing, *(pair[0] for pair in pairs)]),
        np.concatenate([nothing, *(pair[1] for pair in pairs)]),
    )


def _find_line_pairs(
    chunks: npt.NDArray[Any], offsets: Integers, side: int
) -> tuple[Integers, npt.NDArray[Any] | None]:
    """Return names of components, or 0, and values along a side of a line of chunks."""
    names = np.concatenate(
        [
            np.where(chunk.labels[side] > 0, chunk.labels[side] + offset, 0)
            for chunk, offset in zip(chunks, offsets, strict=True)
        ]
    )
    if chunks[0].values is None:
        return names, None
    return names, np.concatenate([chunk.values[side] for chunk in chunks])


def _unite_pairs(pairs: tuple[Integers, Integers]) -> tuple[Integers, npt.NDArray[Any]]:
    """Return the names in pairs, ascending, and for each the number of its connected component."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    names, places = np.unique(np.concatenate(pairs), return_inverse=True)
    if not names.size:
        return names, np.empty(0, np.intp)
    ends = places.reshape(2, -1)
    graph = coo_array((np.ones(ends.shape[1], np.int8), tuple(ends)), (names.size, names.size))
    return names, connected_components(graph, directed=False)[1].astype(np.intp)
