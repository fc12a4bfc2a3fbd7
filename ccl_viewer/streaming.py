"""Labelling a file that is larger than memory: read, label and write a block at a time.

Blocks are labelled and written with numbers of their own; what they tell of their borders gives the
final numbers; then each block is read, renumbered and written again. Dask runs the blocks, in
threads or on the workers of a cluster, which read and write the files themselves: they need to see
the same folders, and no block ever travels.
"""

from __future__ import annotations

import itertools
import logging
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from ccl_viewer.cancellation import CancelToken
from ccl_viewer.chunked import (
    ChunkSummary,
    LabelChunk,
    Renumbering,
    label_dtype,
    merge,
    placement,
    renumber,
    summarise,
)
from ccl_viewer.devices.base import Progress
from ccl_viewer.errors import CCLViewerError, InputError
from ccl_viewer.files import check_is_no_pipe, replacing_folder
from ccl_viewer.grids.grid import check_size
from ccl_viewer.grids.thresholds import Histogram, Threshold, half_scale

Block: TypeAlias = tuple[slice, slice]

_SUFFIXES: Final = (".zarr", ".tif", ".tiff")
_BLOCK_PIXELS: Final = 1 << 22
_MAX_BLOCK_PIXELS: Final = 1 << 26


@dataclass(frozen=True)
class Source:
    """An image in a file, of which parts can be read.

    Parameters
    ----------
    path : str
        A Zarr array, or a TIFF file.
    kind : "zarr" or "tiff"
        Which of them.
    shape : tuple of int
        Height and width.
    dtype : str
        Type of the pixels.
    stored : tuple of int
        Height and width of the parts in which the file holds the image.
    inverted : bool
        Whether the lowest value is white.
    """

    path: str
    kind: Literal["zarr", "tiff"]
    shape: tuple[int, int]
    dtype: str
    stored: tuple[int, int]
    inverted: bool = False

    def read(self, block: Block) -> npt.NDArray[Any]:
        """Return the pixels of a block.

        Raises
        ------
        InputError
            If the file is damaged, or packed in a way that nothing here can undo.
        """
        try:
            with _opened(self.path, self.kind) as (array, _):
                pixels = np.asarray(array[block])
        except CCLViewerError:
            raise
        except Exception as error:
            raise InputError(f"{self.path} cannot be read ({error}).") from error
        return np.invert(pixels) if self.inverted else pixels


@dataclass(frozen=True)
class Binarisation:
    """Which pixels are foreground.

    Parameters
    ----------
    level : float or None
        Values above it; None for all but 0.
    invert : bool
        Exchange foreground and background.
    multivalued : bool
        Keep the values instead.
    """

    level: float | None
    invert: bool
    multivalued: bool

    def __call__(self, pixels: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return what is to be labelled."""
        if self.multivalued:
            return pixels
        foreground = pixels != 0 if self.level is None else pixels > self.level
        return ~foreground if self.invert else foreground


Run: TypeAlias = Callable[[str, Callable[..., Any], Sequence[tuple[Any, ...]]], list[Any]]
"""Calls a function with each of some arguments, in any order, and returns what it returned; the
text says what is being done."""


def can_stream(name: str) -> bool:
    """Return whether a name is that of a file that is read a block at a time.

    Parameters
    ----------
    name : str
        A path. A Zarr array may lie in a group: ``image.zarr/0``.
    """
    path = Path(name)
    return path.suffix.lower() in _SUFFIXES or _is_zarr(path)


def open_source(path: Path) -> Source:
    """Look at a file without reading its pixels.

    Parameters
    ----------
    path : Path
        A Zarr array or a TIFF file.

    Raises
    ------
    InputError
        If it is neither, or no image of one channel, or what reads it is not installed.
    """
    check_is_no_pipe(path)
    kind: Literal["zarr", "tiff"] = "zarr" if _is_zarr(path) else "tiff"
    if not path.exists():
        raise InputError(f"{path} is not there: check the name.")
    try:
        with _opened(str(path), kind) as (array, inverted):
            shape, chunks, dtype = tuple(array.shape), tuple(array.chunks), array.dtype
    except CCLViewerError:
        raise
    except Exception as error:
        raise InputError(f"{path} cannot be read ({error}): choose another file.") from error
    if len(shape) != 2:
        raise InputError(
            f"{path} has {len(shape)} dimensions: save one channel or layer of it, with height and "
            "width alone."
        )
    check_size(shape, most_cells=max(1, shape[0] * shape[1]))
    if np.dtype(dtype).kind not in "buif":
        raise InputError(f"{path} holds {dtype}: convert it to bool, integers or floats.")
    return Source(str(path.absolute()), kind, shape, np.dtype(dtype).str, chunks, inverted)


def label_file(
    source: Source,
    output: Path,
    label_chunk: LabelChunk,
    connectivity: int,
    run: Run,
    *,
    threshold: Threshold = "otsu",
    invert: bool = False,
    multivalued: bool = False,
) -> int:
    """Label an image in a file and write the labels as a Zarr array.

    Parameters
    ----------
    source : Source
        The image.
    output : Path
        The array; nothing, or an empty folder, may stand there. It gets its name when all of it is
        written.
    label_chunk : callable
        Labels a block: returns labels and their number.
    connectivity : int
        4 or 8.
    run : Run
        Calls the functions for the blocks.
    threshold, invert : optional
        As for :func:`ccl_viewer.grids.files.load_image`.
    multivalued : bool
        Whether only equal values connect; then there is no threshold.

    Returns
    -------
    int
        How many components there are.

    Raises
    ------
    CCLViewerError
        If the image cannot be read, or the labels be written, or the device fails.
    """
    import zarr

    size = _block_size(source)
    blocks = _blocks(source.shape, size)
    every = [block for row in blocks for block in row]
    level = None if multivalued else _level(source, every, run, threshold)
    binarise = Binarisation(level, invert, multivalued)
    dtype = label_dtype(source.shape, connectivity)
    with replacing_folder(output.absolute()) as folder:  # workers may be in another folder
        array = zarr.create_array(
            str(folder),
            shape=source.shape,
            chunks=size,
            dtype=dtype,
            fill_value=0,
            zarr_format=2,
            overwrite=True,
            attributes={"_ARRAY_DIMENSIONS": ["y", "x"], "connectivity": connectivity},
        )
        told: list[ChunkSummary] = run(
            "Labelling",
            _label_block,
            [(source, block, binarise, label_chunk, str(folder)) for block in every],
        )
        columns = len(blocks[0])
        renumberings, count = merge(
            [told[start : start + columns] for start in range(0, len(told), columns)], connectivity
        )
        del told
        flat = [each for row in renumberings for each in row]
        run(
            "Numbering",
            _renumber_block,
            [(str(folder), *each) for each in zip(every, flat, strict=True)],
        )
        array.attrs["components"] = count
    return count


def lazy_image(
    source: Source,
    run: Run,
    *,
    threshold: Threshold = "otsu",
    invert: bool = False,
    multivalued: bool = False,
) -> Any:
    """Return an image in a file as a Dask array of what is to be labelled.

    Parameters
    ----------
    source, run, threshold, invert, multivalued
        As for :func:`label_file`; the grey values are counted at once, if a threshold is found.

    Raises
    ------
    CCLViewerError
        If the image cannot be read.
    """
    import dask.array as da

    blocks = _blocks(source.shape, _block_size(source))
    every = [block for row in blocks for block in row]
    level = None if multivalued else _level(source, every, run, threshold)
    dtype = np.dtype(source.dtype if multivalued else np.bool_)
    sides = [row[0][0] for row in blocks], [column for _, column in blocks[0]]
    return da.map_blocks(
        partial(_read_block, source, Binarisation(level, invert, multivalued)),
        chunks=tuple(tuple(side.stop - side.start for side in sides_of) for sides_of in sides),
        dtype=dtype,
        meta=np.empty((0, 0), dtype),
    )


def compute_in_threads(lazy: Any, workers: int, cancel: CancelToken) -> npt.NDArray[Any]:
    """Compute a Dask array.

    Parameters
    ----------
    lazy : dask.array.Array
        What to compute.
    workers : int
        How many threads.
    cancel : CancelToken
        Stops it between blocks.
    """
    from dask.callbacks import Callback

    with (
        ThreadPoolExecutor(workers) as pool,
        Callback(pretask=lambda *_: cancel.check()),
    ):
        return np.asarray(lazy.compute(scheduler="threads", pool=pool))


def run_in_threads(workers: int, cancel: CancelToken, progress: Progress) -> Run:
    """Return what calls functions in threads, by Dask's own scheduler.

    Parameters
    ----------
    workers : int
        How many threads.
    cancel : CancelToken
        Stops it between blocks.
    progress : callable
        Is told how far it is.
    """
    import dask
    from dask.callbacks import Callback

    def run(text: str, call: Callable[..., Any], every: Sequence[tuple[Any, ...]]) -> list[Any]:
        done = itertools.count(1)

        def begin(*_: object) -> None:
            cancel.check()

        def tell(*_: object) -> None:
            progress(f"{text}: block {min(next(done), len(every))} of {len(every)}")

        # Arguments are bound, so that Dask does not look into them for tasks.
        tasks = [dask.delayed(partial(call, *each), pure=False)() for each in every]
        # The pool is waited for, also after a fault: nobody writes once the folder is deleted.
        with ThreadPoolExecutor(workers) as pool, Callback(pretask=begin, posttask=tell):
            return list(dask.compute(*tasks, scheduler="threads", pool=pool))

    return run


@contextmanager
def run_on_cluster(cluster: Any, cancel: CancelToken, progress: Progress) -> Iterator[Run]:
    """Give what calls functions on the workers of a cluster, which see the same files.

    Parameters
    ----------
    cluster : str or distributed.Cluster
        Address of a scheduler, or a cluster of this machine.
    cancel, progress
        As for :func:`run_in_threads`.

    Raises
    ------
    InputError
        If distributed is not installed, or nobody answers at the address.
    """
    distributed = _distributed()
    try:
        client = distributed.Client(cluster, timeout="10s", set_as_default=False)
    except (OSError, ValueError, ImportError) as error:
        raise InputError(
            f"No scheduler of Dask answers at {cluster} ({error}): start one with dask scheduler, "
            "and workers with dask worker."
        ) from error

    def run(text: str, call: Callable[..., Any], every: Sequence[tuple[Any, ...]]) -> list[Any]:
        futures = [client.submit(partial(call, *each), pure=False) for each in every]
        try:
            completed = distributed.as_completed(futures, loop=client.loop)
            for number, future in enumerate(completed, 1):
                cancel.check()
                future.result()
                progress(f"{text}: block {number} of {len(every)}")
            return list(client.gather(futures))
        finally:
            client.cancel(futures)

    with client:
        yield run


def gpu_cluster(workers: int) -> Any:
    """Start a Dask cluster on this machine with a worker for each of several GPUs.

    Parameters
    ----------
    workers : int
        How many GPUs, the first of those in ``CUDA_VISIBLE_DEVICES`` if that is set.

    Returns
    -------
    distributed.SpecCluster
        Each worker is a process that sees one GPU. Chunks stay with the worker that has them, and
        no work is moved to an idle worker.

    Raises
    ------
    InputError
        If distributed is not installed, or fewer GPUs are visible.
    """
    distributed = _distributed()
    import dask

    visible = os.environ.get("CUDA_VISIBLE_DEVICES", "")
    names = visible.split(",") if visible else [str(number) for number in range(workers)]
    if len(names) < workers:
        raise InputError(f"CUDA_VISIBLE_DEVICES names {len(names)} GPUs: ask for as many workers.")
    dask.config.set(
        {
            "distributed.scheduler.work-stealing": False,
            # Tasks are short: guessed to take long, they would be sent to whoever has less to do.
            "distributed.scheduler.unknown-task-duration": "1ms",
        }
    )
    # A limit of memory would count arrays on the GPU, and write them to the disk.
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
    # Whoever reaches a scheduler can have it run anything: nobody else does.
    scheduler = {
        "cls": distributed.Scheduler,
        "options": {"host": "127.0.0.1", "dashboard": False, "plugins": [placement()]},
    }
    return distributed.SpecCluster(workers=spec, scheduler=scheduler, silence_logs=logging.WARNING)


def check_installed() -> None:
    """Raise if what files are streamed with is not installed.

    Raises
    ------
    InputError
        If so.
    """
    for name in ("dask", "scipy", "zarr"):
        if find_spec(name) is None:
            raise InputError(
                f"Labels are streamed with {name}: install it with pip install 'ccl-viewer[dask]'."
            )


def _distributed() -> Any:
    try:
        import distributed
    except ImportError:
        raise InputError(
            "Several processes need Dask's scheduler: install it with pip install "
            "'dask[distributed]'."
        ) from None
    return distributed


def _is_zarr(path: Path) -> bool:
    return any(part.lower().endswith(".zarr") for part in path.parts)


@contextmanager
def _opened(name: str, kind: str) -> Iterator[tuple[Any, bool]]:
    """Give an array of which parts can be read, and whether its lowest value is white."""
    import zarr

    if kind == "zarr":
        node = zarr.open(name, mode="r")
        if isinstance(node, zarr.Group):
            arrays = ", ".join(f"{name}/{key}" for key in sorted(node.array_keys()))
            raise InputError(
                f"{name} is a group of Zarr: name an array in it ({arrays or 'none'})."
            )
        yield node, False
        return
    try:
        import tifffile
    except ImportError:
        raise InputError(
            "TIFF files are streamed with tifffile: install it with pip install 'ccl-viewer[dask]'."
        ) from None
    with tifffile.TiffFile(name) as file:
        series = file.series[0].levels[0]
        page = series.keyframe
        inverted = page.photometric == tifffile.PHOTOMETRIC.MINISWHITE
        if len(series.shape) == 2 and len(series.pages) == 1 and page.is_memmappable:
            yield _Rows(name, page.dataoffsets[0], series.shape, series.dtype), inverted
            return
        with series.aszarr() as store:
            yield zarr.open(store, mode="r"), inverted


@dataclass(frozen=True)
class _Rows:
    """Rows that follow each other in a file, packed in no way."""

    name: str
    offset: int
    shape: tuple[int, ...]
    dtype: np.dtype[Any]

    @property
    def chunks(self) -> tuple[int, ...]:
        return (1, self.shape[1])

    def __getitem__(self, block: Block) -> npt.NDArray[Any]:
        rows, columns = block
        width = self.shape[1]
        pixels = np.fromfile(
            self.name,
            self.dtype,
            (rows.stop - rows.start) * width,
            offset=self.offset + rows.start * width * self.dtype.itemsize,
        )
        return pixels.reshape(-1, width)[:, columns]


def _blocks(shape: tuple[int, int], size: tuple[int, int]) -> list[list[Block]]:
    rows, columns = (
        [slice(start, min(start + step, whole)) for start in range(0, whole, step)]
        for whole, step in zip(shape, size, strict=True)
    )
    return [[(row, column) for column in columns] for row in rows]


def _block_size(source: Source) -> tuple[int, int]:
    """Return the size of blocks: whole parts of what is stored, some four million pixels."""
    size = [min(part, whole) for part, whole in zip(source.stored, source.shape, strict=True)]
    if size[0] * size[1] > _MAX_BLOCK_PIXELS:
        raise InputError(
            f"{source.path} is stored in pieces of {size[1]} x {size[0]} pixels, too large to read "
            "one by one: save it in smaller chunks or tiles."
        )
    while 2 * size[0] * size[1] <= _BLOCK_PIXELS:
        growing = [axis for axis in (0, 1) if size[axis] < source.shape[axis]]
        if not growing:
            break
        size[min(growing, key=lambda axis: size[axis])] *= 2
    return size[0], size[1]


def _level(source: Source, blocks: list[Block], run: Run, threshold: Threshold) -> float | None:
    """Return the value above which pixels are foreground; None for all but 0.

    Raises
    ------
    InputError
        If it is to be found for values that cannot be counted.
    """
    dtype = np.dtype(source.dtype)
    if dtype.kind == "b" or threshold is None:
        return None
    if dtype.kind == "f" or dtype.itemsize > 2:
        if threshold == "otsu":
            raise InputError(
                f"{source.path} holds {dtype}, of which no threshold is found while it streams: "
                "say one with --threshold."
            )
        return threshold
    if source.kind == "tiff" and threshold != "otsu":
        return threshold
    counts = np.sum(
        run("Counting grey values", _count_block, [(source, each) for each in blocks]), 0
    )
    levels = np.flatnonzero(counts) + int(np.iinfo(dtype).min)
    if source.kind == "zarr" and levels[0] >= 0 and levels[-1] <= 1:
        return None  # an array of 0 and 1 says of each cell what it is
    if threshold != "otsu":
        return threshold
    found = Histogram(levels.astype(np.float64), counts[counts > 0].astype(np.float64), True).otsu
    return half_scale(dtype) if found is None else found


def _read_block(
    source: Source, binarise: Binarisation, block_info: dict[Any, Any]
) -> npt.NDArray[Any]:
    (top, bottom), (left, right) = block_info[None]["array-location"]
    return binarise(source.read((slice(top, bottom), slice(left, right))))


def _count_block(source: Source, block: Block) -> npt.NDArray[np.int64]:
    pixels = source.read(block)
    info = np.iinfo(pixels.dtype)
    return np.bincount(
        (pixels.astype(np.int32) - info.min).ravel(), minlength=info.max - info.min + 1
    ).astype(np.int64)


def _label_block(
    source: Source, block: Block, binarise: Binarisation, label_chunk: LabelChunk, folder: str
) -> ChunkSummary:
    import zarr

    pixels = binarise(source.read(block))
    labels, _ = label_chunk(pixels)
    zarr.open_array(folder, mode="r+")[block] = labels
    return summarise(labels, pixels if binarise.multivalued else None)


def _renumber_block(folder: str, block: Block, renumbering: Renumbering) -> None:
    import zarr

    array = zarr.open_array(folder, mode="r+")
    array[block] = renumber(np.asarray(array[block]), renumbering, array.dtype)


# tifffile tells of odd pages, such as one that points at itself, on the terminal.
logging.getLogger("tifffile").addHandler(logging.NullHandler())
