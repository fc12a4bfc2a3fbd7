"""Pictures in Zarr arrays and TIFF files that are read in parts."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, Protocol, TypeAlias

import numpy as np

from ccl_viewer.errors import InputError
from ccl_viewer.grids import tiff
from ccl_viewer.grids.grid import prefix_errors
from ccl_viewer.grids.picture_selector import (
    ALONE,
    Key,
    PicturePosition,
    PictureSelector,
    find_position,
    name_axes,
)
from ccl_viewer.grids.pictures import GREY, SampleLayout, Samples

Block: TypeAlias = tuple[slice, slice]
StoredKind: TypeAlias = Literal["zarr", "tiff"]

_SMALL_CHUNK: Final = 1 << 8  # pixels
_MAX_SMALL_CHUNKS: Final = 1 << 16
"""Most small chunks of a picture: Zarr takes a third of a millisecond for each."""
_MAX_IN_SHARD: Final = 1 << 20
"""Most chunks of a shard, whose index takes 16 bytes for each."""

_MAX_WAIT: Final = 5.0  # seconds


class StoredPicture(Protocol):
    """A picture that is read in parts, as it is meant to be seen."""

    @property
    def position(self) -> PicturePosition:
        """Which picture of the file it is."""

    @property
    def layout(self) -> SampleLayout:
        """What the samples mean."""

    @property
    def shape(self) -> tuple[int, int]:
        """Height and width."""

    @property
    def chunk_shape(self) -> tuple[int, int]:
        """Height and width of what is read in one piece."""

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the values."""

    def check_chunk_size(self) -> None:
        """Raise InputError if the chunks are too large to be read."""

    def read_samples(self, block: Block = ..., /) -> Samples:
        """Return the values of a part, by default of the whole picture, as the layout says."""


@dataclass(frozen=True)
class ZarrPicture:
    """One picture of a Zarr array.

    Parameters
    ----------
    array : zarr.Array
        The array.
    axes : str
        A letter for each of its axes; columns, ``x``, may come before rows, ``y``.
    key : tuple of int and slice
        Cuts the picture out of the array.
    position : PicturePosition
        Which picture of the file it is.
    layout : SampleLayout
        What the samples mean: grey values.
    """

    array: Any
    axes: str
    key: Key
    position: PicturePosition = ALONE
    layout: SampleLayout = GREY

    @property
    def _sides(self) -> tuple[int, int]:
        return self.axes.index("y"), self.axes.index("x")

    @property
    def shape(self) -> tuple[int, int]:
        """Height and width."""
        height, width = (int(self.array.shape[axis]) for axis in self._sides)
        return height, width

    @property
    def chunk_shape(self) -> tuple[int, int]:
        """Height and width of a chunk."""
        height, width = (int(self.array.chunks[axis]) for axis in self._sides)
        return height, width

    def check_chunk_size(self) -> None:
        """Raise InputError if the chunks are empty, too large to be read, or too many."""
        height, width = self.chunk_shape
        stored = f"It is stored in pieces of {width} x {height} pixels"
        chunk = math.prod(self.array.chunks)
        if chunk < 1:
            raise InputError(f"{stored}, so it is damaged: save it again.")
        # A chunk is read whole, even if it is larger than the array.
        if chunk > tiff.MOST_AT_ONCE:
            raise InputError(
                f"{stored}, too large to read one by one: save it in smaller chunks or tiles."
            )
        small = height * width < _SMALL_CHUNK
        chunks = -(-self.shape[0] // height) * -(-self.shape[1] // width) if small else 1
        in_shard = math.prod(getattr(self.array, "shards", None) or ()) // chunk
        if chunks > _MAX_SMALL_CHUNKS or in_shard > _MAX_IN_SHARD:
            raise InputError(
                f"{stored}, and {max(chunks, in_shard):,} are too many to read one by one: save "
                "it in larger chunks or tiles."
            )

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the values."""
        dtype: np.dtype[Any] = np.dtype(self.array.dtype)
        return dtype

    def read_samples(self, block: Block = (slice(None), slice(None))) -> Samples:
        """Return the values of a part, by default of the whole picture, as the layout says."""
        key, (rows, columns) = list(self.key), self._sides
        key[rows], key[columns] = block
        values = np.asarray(self.array[tuple(key)])
        if columns < rows:
            values = np.ascontiguousarray(values.T)
        return values.astype(values.dtype.newbyteorder("="), copy=False)[..., None]


def is_zarr_path(path: Path) -> bool:
    """Return whether a path is a Zarr array or group, or inside one, judging by its names."""
    return any(part.lower().endswith(".zarr") for part in path.parts)


@contextmanager
def open_stored_picture(
    name: str, kind: StoredKind, selector: PictureSelector
) -> Iterator[StoredPicture]:
    """Open a picture in a file; of a pyramid, the first level.

    Parameters
    ----------
    name : str
        A Zarr array, a group of OME-Zarr that holds levels, or a TIFF file.
    kind : "zarr" or "tiff"
        Which of them.
    selector : PictureSelector
        Which picture, if there are several.

    Raises
    ------
    InputError
        If the file is neither, a picture has to be chosen, or the library that reads it is not
        installed.
    """
    with prefix_errors(name):
        if kind == "tiff":
            with (
                Path(name).open("rb") as file,
                tiff.open_page(file, selector, count_all=False) as page,
            ):
                yield page
            return
        with _finished_zarr_reads():
            array, names = _open_zarr_array(name)
            axes = name_axes(array.shape, names)
            key = selector.key(axes, array.shape)
            yield ZarrPicture(array, axes, key, find_position(axes, array.shape, key))


@contextmanager
def _finished_zarr_reads() -> Iterator[None]:
    """Wait for the other chunks if one could not be read.

    Zarr reads chunks in tasks of asyncio, which writes a traceback for each that the end of the
    program cuts off.
    """
    try:
        yield
    except Exception:
        with suppress(Exception):  # Zarr is not installed, or its loop has another name
            from zarr.core.sync import sync

            sync(_wait_for_tasks(), timeout=_MAX_WAIT)
        raise


async def _wait_for_tasks() -> None:
    """Wait for the other tasks of this loop, and for those that they start."""
    import asyncio

    this = asyncio.current_task()
    while others := asyncio.all_tasks() - {this}:
        await asyncio.wait(others)


def _open_zarr_array(name: str) -> tuple[Any, Sequence[object] | None]:
    """Open an array, or the first level of a pyramid, and return it with the names of its axes."""
    try:
        import zarr
    except ImportError:
        raise InputError(
            "Zarr arrays are read with zarr: install it with pip install 'ccl-viewer[zarr]'."
        ) from None
    node = zarr.open(name, mode="r")
    if not isinstance(node, zarr.Group):
        names = getattr(node.metadata, "dimension_names", None) or node.attrs.get(
            "_ARRAY_DIMENSIONS"
        )
        parent = Path(name).parent
        if names is None and is_zarr_path(parent):  # the path names a level
            group = zarr.open(str(parent), mode="r")
            names = _name_axes(_find_pyramid(group)) if isinstance(group, zarr.Group) else None
        return node, names if isinstance(names, Sequence) else None
    pyramid = _find_pyramid(node)
    levels = pyramid.get("datasets") if pyramid else None
    if isinstance(levels, list) and levels and isinstance(levels[0], Mapping):
        level = node.get(str(levels[0].get("path")))
        if isinstance(level, zarr.Array):
            return level, _name_axes(pyramid)
    inside = sorted([*node.array_keys(), *node.group_keys()])
    raise InputError(
        f"It is a group of Zarr: name an array or a pyramid in it "
        f"({', '.join(f'{name}/{key}' for key in inside) or 'none'})."
    )


def _find_pyramid(group: Any) -> Mapping[str, Any] | None:
    """Return OME-Zarr's description of the pyramid in a group; None if there is no pyramid."""
    attributes = group.attrs.asdict()
    ome = attributes.get("ome", attributes)  # within "ome" since version 0.5
    pyramids = ome.get("multiscales") if isinstance(ome, Mapping) else None
    pyramid = pyramids[0] if isinstance(pyramids, list) and pyramids else None
    return pyramid if isinstance(pyramid, Mapping) else None


def _name_axes(pyramid: Mapping[str, Any] | None) -> Sequence[object] | None:
    """Return the names of a pyramid's axes; the first versions of OME-Zarr always have five."""
    if pyramid is None:
        return None
    axes = pyramid.get("axes", [*"tczyx"])
    if not isinstance(axes, list):
        return None
    return [_name_axis(axis) for axis in axes]


def _name_axis(axis: object) -> object:
    if not isinstance(axis, Mapping):
        return axis
    return "c" if axis.get("type") == "channel" else axis.get("name")
