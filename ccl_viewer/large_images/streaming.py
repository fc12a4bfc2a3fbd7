"""Label files larger than memory: read, label and write one block at a time.

Blocks are first labelled and written with local numbers. Their borders determine the final numbers.
Then each block is read, renumbered and written to another array. Dask runs the blocks, in threads
or on the workers of a cluster. Workers read and write the files directly: they must see the same
folders, and no block is sent over the network.

A cluster runs a task again if its worker dies, even if the task had finished. So tasks are
idempotent: they never change their input.
"""

from __future__ import annotations

import asyncio
import logging
import os
import platform
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial, reduce
from importlib.util import find_spec
from itertools import chain, repeat
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from ccl_viewer.devices.cuda.gpu import Gpu
from ccl_viewer.errors import CCLViewerError, InputError
from ccl_viewer.execution.device import Progress
from ccl_viewer.grids.grid import check_size
from ccl_viewer.grids.picture_selector import ONLY, PictureSelector
from ccl_viewer.grids.pictures import (
    GREY,
    Picture,
    SampleLayout,
    find_white,
    has_one_colour,
    number_colours,
    to_grey,
)
from ccl_viewer.grids.stored import (
    Block,
    StoredKind,
    StoredPicture,
    is_zarr_path,
    open_stored_picture,
)
from ccl_viewer.grids.thresholds import (
    Histogram,
    Threshold,
    ValueRange,
    choose_level,
    count_in_range,
    find_range,
    is_binary,
    join_histograms,
    mark_foreground,
)
from ccl_viewer.large_images.chunked import (
    ChunkSummary,
    LabelChunk,
    Renumbering,
    label_dtype,
    make_placement_plugin,
    merge,
    renumber,
    summarise,
)
from ccl_viewer.large_images.chunked_tables import (
    BlockRows,
    TabulateChunk,
    join_edges,
    make_chunk_table,
    split_off_edges,
)
from ccl_viewer.storage.files import check_is_no_pipe, replacing_folder
from ccl_viewer.storage.temporaries import scratch_folder
from ccl_viewer.support.cancellation import CancelToken

_SUFFIXES: Final = (".zarr", ".tif", ".tiff")
BLOCK_PIXELS: Final = 1 << 22
_MOST_PIXELS: Final = 1 << 40
"""Limit for half a million blocks, which are all listed first; a damaged file may claim any
size."""
ROWS_AT_ONCE: Final = 1 << 17
"""Most rows of a table in memory, except that rows of one row of pixels stay together."""
_POLL_SECONDS: Final = 0.02
IDLE_SECONDS: Final = (10.0, 60.0)
"""When to say that no worker is there: at first, and then again and again."""


@dataclass(frozen=True)
class ImageFile:
    """An image in a file that can be read in parts.

    Parameters
    ----------
    path : str
        A Zarr array, or a TIFF file.
    kind : "zarr" or "tiff"
        The kind of the file.
    shape : tuple of int
        Height and width.
    dtype : str
        Type of the pixels.
    stored : tuple of int
        Height and width of the file's chunks.
    selector : PictureSelector
        The picture, if the file holds several.
    layout : SampleLayout
        What the values of a pixel mean.
    """

    path: str
    kind: StoredKind
    shape: tuple[int, int]
    dtype: str
    stored: tuple[int, int]
    selector: PictureSelector = ONLY
    layout: SampleLayout = GREY

    def read(self, block: Block) -> Picture:
        """Return the pixels of a block.

        Raises
        ------
        InputError
            If the file is damaged or has an unsupported compression.
        """
        try:
            with open_stored_picture(self.path, self.kind, self.selector) as picture:
                return self.layout.compose(picture.read_samples(block))
        except CCLViewerError:
            raise
        except Exception as error:
            raise InputError(f"{self.path} cannot be read ({error}).") from error


@dataclass(frozen=True)
class Binarisation:
    """Rule for which pixels are foreground.

    Parameters
    ----------
    level : float or None
        Values above it are foreground; None for all values but 0.
    invert : bool
        Exchange foreground and background.
    multivalued : bool
        Whether to keep the values instead.
    """

    level: float | None
    invert: bool
    multivalued: bool

    def __call__(self, picture: Picture) -> npt.NDArray[Any]:
        """Return the grid to label."""
        grid = (
            number_colours(picture.planes)
            if self.multivalued
            else mark_foreground(to_grey(picture.planes), self.level, invert=self.invert)
        )
        return grid if picture.opaque_mask is None else grid * picture.opaque_mask


Run: TypeAlias = Callable[[str, Callable[..., Any], Sequence[tuple[Any, ...]]], list[Any]]
"""Calls a function with each of some arguments, in any order, and returns the results; the text
describes the work."""


def can_stream(name: str) -> bool:
    """Return whether a path is a file that is read in blocks.

    Parameters
    ----------
    name : str
        A path. A Zarr array may be in a group: ``image.zarr/0``.
    """
    path = Path(name)
    return path.suffix.lower() in _SUFFIXES or is_zarr_path(path)


def open_source(path: Path, selector: PictureSelector = ONLY) -> ImageFile:
    """Open a file without reading its pixels.

    Parameters
    ----------
    path : Path
        A Zarr array, an OME-Zarr pyramid (its first level is taken), or a TIFF file.
    selector : PictureSelector
        The picture, if the file holds several.

    Raises
    ------
    InputError
        If it is none of these, a picture or a channel has to be chosen, or the library that reads
        it is not installed.
    """
    check_is_no_pipe(path)
    kind: StoredKind = "zarr" if is_zarr_path(path) else "tiff"
    if not path.exists():
        raise InputError(f"{path} is not there: check the name.")
    try:
        with open_stored_picture(str(path), kind, selector) as picture:
            picture.check_chunk_size()
            shape, stored, dtype = picture.shape, picture.chunk_shape, picture.dtype
            layout = picture.layout
            if layout.alpha:
                layout = replace(layout, ink=_is_ink(picture))
    except CCLViewerError:
        raise
    except Exception as error:
        raise InputError(f"{path} cannot be read ({error}): choose another file.") from error
    check_size(shape, most_cells=_MOST_PIXELS)
    if dtype.kind not in "buif":
        raise InputError(f"{path} holds {dtype}: convert it to bool, integers or floats.")
    return ImageFile(str(path.absolute()), kind, shape, dtype.str, stored, selector, layout)


def _is_ink(picture: StoredPicture) -> bool:
    """Return whether opacity takes the place of colours, which concerns the whole picture."""
    size = _block_size(picture.chunk_shape, picture.shape)
    blocks = chain.from_iterable(_blocks(picture.shape, size))
    return has_one_colour(
        picture.layout, (partial(picture.read_samples, block) for block in blocks)
    )


def label_file(
    source: ImageFile,
    output: Path,
    label_chunk: LabelChunk,
    connectivity: int,
    run: Run,
    *,
    threshold: Threshold = "otsu",
    invert: bool = False,
    multivalued: bool = False,
    replace: bool = False,
    block_pixels: int = BLOCK_PIXELS,
) -> int:
    """Label an image in a file and write the labels as a Zarr array.

    Parameters
    ----------
    source : ImageFile
        The image.
    output : Path
        The array; it must not exist, or be an empty folder. It gets this name when it is complete.
    label_chunk : callable
        Labels a block; returns the labels and their number.
    connectivity : int
        4 or 8.
    run : Run
        Calls the functions for the blocks.
    threshold, invert : optional
        As for :func:`ccl_viewer.grids.files.load_image`.
    multivalued : bool
        Whether only equal values connect; then there is no threshold.
    replace : bool
        Whether to replace a Zarr array of that name.
    block_pixels : int
        Most pixels of a block, unless the chunks of the file have more.

    Returns
    -------
    int
        Number of components.

    Raises
    ------
    CCLViewerError
        If the image cannot be read, the labels cannot be written, or the device fails.
    """
    import zarr

    size = _block_size(source.stored, source.shape, block_pixels)
    blocks = _blocks(source.shape, size)
    every = [block for row in blocks for block in row]
    level = None if multivalued else _level(source, blocks, run, threshold)
    binarise = Binarisation(level, invert, multivalued)
    dtype = label_dtype(source.shape, connectivity)
    output = output.absolute()  # workers may have another current folder
    with (
        replacing_folder(output, replace=replace) as folder,
        scratch_folder(output.parent, mode=0o777) as labelled,
    ):
        create = partial(
            zarr.create_array,
            shape=source.shape,
            chunks=size,
            fill_value=0,
            zarr_format=2,
            overwrite=True,
        )
        create(str(labelled), dtype=np.int32)
        array = create(
            str(folder),
            dtype=dtype,
            attributes={"_ARRAY_DIMENSIONS": ["y", "x"], "connectivity": connectivity},
        )
        summaries: list[ChunkSummary] = run(
            "Labelling",
            _label_block,
            [(source, block, binarise, label_chunk, str(labelled)) for block in every],
        )
        columns = len(blocks[0])
        renumberings, count = merge(
            [summaries[start : start + columns] for start in range(0, len(summaries), columns)],
            connectivity,
        )
        del summaries
        flat = [each for row in renumberings for each in row]
        run(
            "Numbering",
            _number_block,
            [(str(labelled), str(folder), *each) for each in zip(every, flat, strict=True)],
        )
        array.attrs["components"] = count
        for half in folder.glob("*.partial"):  # of a worker that was killed while writing
            half.unlink()
    return count


@dataclass(frozen=True, eq=False)
class FileTable:
    """The components of an image in a file.

    Parameters
    ----------
    count : int
        Number of components.
    found : int
        Number of components that are large enough.
    parts : iterator of structured ndarray
        Their rows in order of the numbers, in parts.
    """

    count: int
    found: int
    parts: Iterator[npt.NDArray[np.void]]


def tabulate_file(
    source: ImageFile,
    folder: Path,
    label_chunk: LabelChunk,
    tabulate_chunk: TabulateChunk,
    connectivity: int,
    run: Run,
    *,
    threshold: Threshold = "otsu",
    invert: bool = False,
    multivalued: bool = False,
    minimum_area: int = 1,
    most: int | None = None,
    block_pixels: int = BLOCK_PIXELS,
    rows_at_once: int = ROWS_AT_ONCE,
) -> FileTable:
    """Find the components of an image in a file, with size, place and extent of each.

    Parameters
    ----------
    source, label_chunk, connectivity, run, threshold, invert, multivalued, block_pixels
        As for :func:`label_file`.
    folder : Path
        An empty folder for temporary rows; it must exist until all parts are read.
    tabulate_chunk : callable
        Returns the table of a block's components, as :func:`ccl_viewer.components` does.
    minimum_area : int
        Smaller components are counted but left out of the parts.
    most : int or None
        Number of largest components that are needed; smaller ones may then be missing in the parts.
    rows_at_once : int
        Most rows of a part, except that rows of one row of pixels stay together.

    Raises
    ------
    CCLViewerError
        If the image cannot be read, or the device fails.
    """
    blocks = _blocks(source.shape, _block_size(source.stored, source.shape, block_pixels))
    every = [block for row in blocks for block in row]
    level = None if multivalued else _level(source, blocks, run, threshold)
    binarise = Binarisation(level, invert, multivalued)
    dtype = label_dtype(source.shape, connectivity)
    tell = partial(
        _tabulate_block, source, binarise, label_chunk, tabulate_chunk, minimum_area, most, dtype
    )
    summaries = run("Labelling", tell, [(folder / str(n), block) for n, block in enumerate(every)])
    columns = len(blocks[0])
    rows = [summaries[start : start + columns] for start in range(0, len(summaries), columns)]
    renumberings, count = merge([[each.rest.summary for each in row] for row in rows], connectivity)
    edges = join_edges([[each.rest for each in row] for row in rows], renumberings, dtype)
    edges = edges[edges["area"] >= minimum_area]
    total = edges.size + sum(each.rest.found for row in rows for each in row)
    parts = chain.from_iterable(
        map(partial(_split_parts, rows_at_once), rows, renumberings, repeat(edges))
    )
    return FileTable(count, total, parts)


def make_thread_runner(workers: int, cancel: CancelToken, progress: Progress) -> Run:
    """Return a function that runs calls in threads.

    Parameters
    ----------
    workers : int
        Number of threads.
    cancel : CancelToken
        Stops the work between blocks if cancelled.
    progress : callable
        Called with the progress.
    """

    def run(text: str, call: Callable[..., Any], every: Sequence[tuple[Any, ...]]) -> list[Any]:
        def begin(each: tuple[Any, ...]) -> Any:
            cancel.check()
            return call(*each)

        # Wait for the pool, even after an error, so that no thread writes after the folder is
        # deleted.
        with ThreadPoolExecutor(workers) as pool:
            futures = [pool.submit(begin, each) for each in every]
            try:
                for done, future in enumerate(as_completed(futures), 1):
                    future.result()
                    progress(f"{text}: block {done} of {len(every)}")
            finally:
                pool.shutdown(wait=False, cancel_futures=True)
            return [future.result() for future in futures]

    return run


@contextmanager
def open_cluster_runner(
    cluster: Any,
    cancel: CancelToken,
    progress: Progress,
    *,
    idle_seconds: tuple[float, float] = IDLE_SECONDS,
) -> Iterator[Run]:
    """Yield a function that runs calls on the workers of a cluster, which see the same files.

    Parameters
    ----------
    cluster : str or distributed.Cluster
        Address of a scheduler, or a cluster of this machine.
    cancel, progress
        As for :func:`make_thread_runner`.
    idle_seconds : (float, float)
        When to warn that there is no worker: at first, and then again and again.

    Raises
    ------
    InputError
        If distributed is not installed, or no scheduler answers at the address.
    """
    distributed = _import_distributed()

    def run(text: str, call: Callable[..., Any], every: Sequence[tuple[Any, ...]]) -> list[Any]:
        futures = [client.submit(partial(call, *each), pure=False) for each in every]
        waiting = {future.key: index for index, future in enumerate(futures)}
        results: list[Any] = [None] * len(every)
        try:
            completed = distributed.as_completed(futures, loop=client.loop, with_results=True)
            while waiting:
                _wait_for(client, completed, cancel, idle_seconds)
                future, result = next(completed)
                if future.status == "cancelled":
                    raise CCLViewerError(
                        f"The scheduler of Dask at {cluster} is gone: start it again, and then "
                        "this."
                    )
                index = waiting.pop(future.key)
                results[index] = result
                future.release()  # not repeated if its worker dies now
                progress(f"{text}: block {len(every) - len(waiting)} of {len(every)}")
        except distributed.scheduler.KilledWorker as error:
            raise CCLViewerError(
                f"Several workers died of the same block, the last one at "
                f"{error.last_worker.address}: give them more memory, or save the image in "
                "smaller chunks."
            ) from error
        finally:
            client.cancel(futures)
        return results

    with _without_log("distributed.client"):  # also while connecting and closing
        try:
            if isinstance(cluster, str):
                asyncio.run(_try_address(cluster))
            client = distributed.Client(cluster, timeout="10s", set_as_default=False)
        except (OSError, ValueError, TypeError, ImportError) as error:
            raise InputError(
                f"No scheduler of Dask answers at {cluster} ({error}): start one with dask "
                "scheduler, and workers with dask worker."
            ) from error
        with client:
            yield run


async def _try_address(address: str) -> None:
    """Connect to an address, since a client that cannot connect prints a traceback at its end."""
    distributed = _import_distributed()
    options = distributed.Security().get_connection_args("client")
    connection = await distributed.comm.connect(address, timeout="10s", **options)
    await connection.close()


@contextmanager
def _without_log(name: str) -> Iterator[None]:
    """Keep a log off the terminal, since error messages explain what happened."""
    log = logging.getLogger(name)

    def refuse(_record: logging.LogRecord) -> bool:
        return False

    log.addFilter(refuse)  # its own, so that threads do not undo each other's
    try:
        yield
    finally:
        log.removeFilter(refuse)


def _wait_for(
    client: Any, completed: Any, cancel: CancelToken, idle_seconds: tuple[float, float]
) -> None:
    """Wait until a task is complete; log a warning now and then while there is no worker."""
    start, (patience, repeat) = time.monotonic(), idle_seconds
    while not completed.has_ready():
        cancel.check()
        time.sleep(_POLL_SECONDS)
        if time.monotonic() - start > patience:
            start, patience = time.monotonic(), repeat
            if client.status == "running" and not client.nthreads():
                logging.getLogger(__name__).warning(
                    "Dask's scheduler has no workers yet: start some with dask worker %s.",
                    client.scheduler.address,
                )


def gpu_cluster(workers: int) -> Any:
    """Start a Dask cluster on this machine with a worker for each of several GPUs.

    Parameters
    ----------
    workers : int
        Number of GPUs, the first of those in ``CUDA_VISIBLE_DEVICES`` if that is set.

    Returns
    -------
    distributed.SpecCluster
        Each worker is a process with one visible GPU. Chunks stay with their worker, and no work
        moves to idle workers.

    Raises
    ------
    InputError
        If distributed is not installed, or CUDA_VISIBLE_DEVICES names fewer GPUs.
    DeviceUnavailableError
        If there are fewer GPUs, or they cannot be used.
    """
    distributed = _import_distributed()
    import dask

    visible = os.environ.get("CUDA_VISIBLE_DEVICES", "")
    names = visible.split(",") if visible else [str(number) for number in range(workers)]
    if len(names) < workers:
        raise InputError(f"CUDA_VISIBLE_DEVICES names {len(names)} GPUs: ask for as many workers.")
    Gpu(workers - 1)  # without this check, workers without a GPU would use the emulator
    # A memory limit would include arrays on the GPU, and spill them to disk.
    spec = {
        number: {
            "cls": distributed.Nanny,
            "options": {
                "host": "127.0.0.1",
                "nthreads": 1,
                "memory_limit": 0,
                "silence_logs": logging.WARNING,
                "env": {"CUDA_VISIBLE_DEVICES": names[number]},
            },
        }
        for number in range(workers)
    }
    # A client of a scheduler can run any code, so other machines must not reach it.
    scheduler = {
        "cls": distributed.Scheduler,
        "options": {"host": "127.0.0.1", "dashboard": False, "plugins": [make_placement_plugin()]},
    }
    settings = {
        "distributed.scheduler.work-stealing": False,
        # Tasks are short: with a longer estimate, they would move to less busy workers.
        "distributed.scheduler.unknown-task-duration": "1ms",
    }
    with dask.config.set(settings):
        return distributed.SpecCluster(
            workers=spec, scheduler=scheduler, silence_logs=logging.WARNING
        )


def check_installed() -> None:
    """Raise if the libraries for streaming are not installed.

    Raises
    ------
    InputError
        If one is missing.
    """
    for name in ("dask", "scipy", "zarr"):
        if find_spec(name) is None:
            raise InputError(
                f"Labels are streamed with {name}: install it with pip install 'ccl-viewer[dask]'."
            )


def _import_distributed() -> Any:
    try:
        import distributed
    except ImportError:
        raise InputError(
            "Several processes need Dask's scheduler: install it with pip install "
            "'ccl-viewer[distributed]'."
        ) from None
    return distributed


def _blocks(shape: tuple[int, int], size: tuple[int, int]) -> list[list[Block]]:
    rows, columns = (
        [slice(start, min(start + step, length)) for start in range(0, length, step)]
        for length, step in zip(shape, size, strict=True)
    )
    return [[(row, column) for column in columns] for row in rows]


def _block_size(
    stored: tuple[int, int], shape: tuple[int, int], most: int = BLOCK_PIXELS
) -> tuple[int, int]:
    """Return the size of blocks: whole chunks, by default about four million pixels."""
    size = [min(part, length) for part, length in zip(stored, shape, strict=True)]
    while 2 * size[0] * size[1] <= most:
        growing = [axis for axis in (0, 1) if size[axis] < shape[axis]]
        if not growing:
            break
        size[min(growing, key=lambda axis: size[axis])] *= 2
    return size[0], size[1]


def _level(
    source: ImageFile, blocks: list[list[Block]], run: Run, threshold: Threshold
) -> float | None:
    """Return the value above which pixels are foreground; None for all but 0.

    Raises
    ------
    InputError
        If the threshold has to be found and the values cannot be counted.
    """
    dtype = np.dtype(source.dtype)
    if dtype.kind == "b" or threshold is None:
        return None
    by_rows = partial(_map_rows, blocks, run)
    if source.kind == "zarr" and all(by_rows("Looking for 0 and 1", _is_binary_block, source)):
        return None  # an array of 0 and 1 needs no threshold

    def count() -> Histogram | None:
        if dtype.kind in "ui" and dtype.itemsize <= 2:
            ranges = [(np.iinfo(dtype).min, np.iinfo(dtype).max)]
        else:
            ranges = [*filter(None, by_rows("Measuring values", _find_block_range, source))]
        if not ranges:
            return None
        whole_range = min(low for low, _ in ranges), max(high for _, high in ranges)
        parts: Iterator[Histogram] = by_rows(
            "Counting grey values", _count_block, source, whole_range
        )
        return reduce(lambda one, other: join_histograms([one, other]), parts)

    white = find_white(dtype) if source.layout.top is None else source.layout.top
    return choose_level(threshold, count, white)[0]


def _map_rows(
    blocks: list[list[Block]], run: Run, text: str, call: Callable[..., Any], *arguments: object
) -> Iterator[Any]:
    """Yield what a function returns for each block, of which a row at a time is read."""
    for number, row in enumerate(blocks, 1):
        told = f"{text}, row {number} of {len(blocks)}"
        yield from run(told, call, [(*arguments, each) for each in row])


def _is_binary_block(source: ImageFile, block: Block) -> bool:
    return is_binary(source.read(block).planes)


def _find_block_range(source: ImageFile, block: Block) -> ValueRange | None:
    return find_range(to_grey(source.read(block).planes))


def _count_block(source: ImageFile, whole_range: ValueRange, block: Block) -> Histogram:
    return count_in_range(to_grey(source.read(block).planes), whole_range)


@dataclass(frozen=True, eq=False)
class _KeptRows:
    """Rows of a block's components in a file, with other data of the block."""

    path: Path
    begun: npt.NDArray[np.int64]
    """Number of rows of components that begin above each row of pixels."""
    rest: BlockRows

    def between(self, top: int, bottom: int) -> npt.NDArray[np.void]:
        """Return the rows of components that begin in a range of rows of pixels."""
        first, last = self.begun[top], self.begun[bottom]
        dtype = self.rest.rows.dtype
        return np.fromfile(self.path, dtype, last - first, offset=int(first) * dtype.itemsize)


def _tabulate_block(
    source: ImageFile,
    binarise: Binarisation,
    label_chunk: LabelChunk,
    tabulate_chunk: TabulateChunk,
    minimum_area: int,
    most: int | None,
    dtype: np.dtype[Any],
    path: Path,
    block: Block,
) -> _KeptRows:
    top, left = (side.start for side in block)
    pixels = binarise(source.read(block))
    table = make_chunk_table(label_chunk, tabulate_chunk, binarise.multivalued, top, left, pixels)
    split = split_off_edges(table, minimum_area, most, dtype)
    try:
        path.write_bytes(split.rows.tobytes())
    except OSError as error:
        raise InputError(
            f"Rows of the table cannot be kept in {path.parent.parent} until it is written "
            f"({error.strerror or error}): make room there."
        ) from error
    counts = np.searchsorted(split.rows["label"], split.summary.begun, side="right")
    return _KeptRows(path, counts, replace(split, rows=split.rows[:0].copy()))


def _split_parts(
    rows_at_once: int,
    row: Sequence[_KeptRows],
    renumberings: Sequence[Renumbering],
    edges: npt.NDArray[np.void],
) -> Iterator[npt.NDArray[np.void]]:
    """Yield the components that begin in a row of blocks, in order of their numbers."""
    # Numbers ascend from row to row of pixels, across all blocks of the row.
    counts = np.sum([each.begun for each in row], axis=0)
    before = renumberings[0].before
    last = sum(int(each.begun[-1]) - each.moved.size for each in renumberings) + int(before[0])
    top = 0
    while top < before.size:
        bottom = int(np.searchsorted(counts, counts[top] + rows_at_once, side="right")) - 1
        bottom = min(max(bottom, top + 1), before.size)
        end = int(before[bottom]) if bottom < before.size else last
        mine = slice(*np.searchsorted(edges["label"], [before[top], end], side="right"))
        parts = [edges[mine]]
        for block, renumbering in zip(row, renumberings, strict=True):
            rows = block.between(top, bottom)
            rows["label"] = renumbering.look_up(rows["label"].astype(np.int64))
            parts.append(rows)
        part = np.concatenate(parts)
        if part.size:
            yield part[np.argsort(part["label"], kind="stable")]
        top = bottom


def _label_block(
    source: ImageFile, block: Block, binarise: Binarisation, label_chunk: LabelChunk, folder: str
) -> ChunkSummary:
    pixels = binarise(source.read(block))
    labels, _ = label_chunk(pixels)
    _open_shared(folder, "r+")[block] = labels
    return summarise(labels, pixels if binarise.multivalued else None)


def _number_block(labelled: str, folder: str, block: Block, renumbering: Renumbering) -> None:
    labels = np.asarray(_open_shared(labelled, "r")[block])
    if labels.max(initial=0) != renumbering.begun[-1]:  # Zarr reads missing chunks as 0
        raise InputError(
            f"A worker on {platform.node()} does not see what others have written to "
            f"{Path(labelled).parent}: use a folder of which all see changes immediately."
        )
    array = _open_shared(folder, "r+")
    array[block] = renumber(labels, renumbering, array.dtype)


def _open_shared(folder: str, mode: Literal["r", "r+"]) -> Any:
    """Open an array in a folder that the workers share."""
    import zarr

    try:
        return zarr.open_array(folder, mode=mode)
    except FileNotFoundError:
        raise InputError(
            f"A worker on {platform.node()} does not see {Path(folder).parent}: all workers have "
            "to see the folders of image and labels under the same names."
        ) from None
