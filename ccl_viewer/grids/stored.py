"""Pictures in Zarr arrays and TIFF files that are read in parts."""

from __future__ import annotations

import logging
import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import IO, Any, Final, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from ccl_viewer.errors import InputError
from ccl_viewer.grids.grid import prefix_errors
from ccl_viewer.grids.picture_selector import (
    ALONE,
    MAX_COUNTED,
    REDUCED_OR_MASK,
    Key,
    PicturePosition,
    PictureSelector,
    find_position,
    name_axes,
)

Block: TypeAlias = tuple[slice, slice]
StoredKind: TypeAlias = Literal["zarr", "tiff"]

_WHITE_IS_ZERO, _BLACK_IS_ZERO = 0, 1
"""TIFF's PhotometricInterpretation; higher values mean colours."""

_TIFF_STARTS: Final = (b"II*\0", b"MM\0*", b"II+\0", b"MM\0+")

_MOST_AT_ONCE: Final = 1 << 26
"""Most values of a chunk, which is read in one piece."""


# tifffile logs malformed pages, such as one that points at itself, to the terminal.
logging.getLogger("tifffile").addHandler(logging.NullHandler())


@dataclass(frozen=True)
class StoredPicture:
    """One picture of an array that is read in parts.

    Parameters
    ----------
    array : object
        Gives values for a key: a Zarr array, or :class:`_Rows`.
    key : tuple of int and slice
        Cuts the picture out of the array.
    inverted : bool
        Whether the lowest value is white.
    position : PicturePosition
        Which picture of the file it is.
    """

    array: Any
    key: Key
    inverted: bool = False
    position: PicturePosition = ALONE
    _sides: tuple[int, ...] = field(init=False)

    def __post_init__(self) -> None:
        sides = tuple(axis for axis, part in enumerate(self.key) if isinstance(part, slice))
        object.__setattr__(self, "_sides", sides)

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
        """Raise InputError if the chunks are too large to be read."""
        sides = [min(pair) for pair in zip(self.array.chunks, self.array.shape, strict=True)]
        if math.prod(sides) > _MOST_AT_ONCE:
            height, width = self.chunk_shape
            raise InputError(
                f"It is stored in pieces of {width} x {height} pixels, too large to read one by "
                "one: save it in smaller chunks or tiles."
            )

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the values."""
        dtype: np.dtype[Any] = np.dtype(self.array.dtype)
        return dtype

    def read(self, block: Block = (slice(None), slice(None))) -> npt.NDArray[Any]:
        """Return the values of a part, by default of the whole picture."""
        parts = iter(block)
        key = tuple(next(parts) if isinstance(part, slice) else part for part in self.key)
        values = np.asarray(self.array[key])
        return np.invert(values) if self.inverted else values


def is_zarr_path(path: Path) -> bool:
    """Return whether a path is a Zarr array or group, or inside one, judging by its names."""
    return any(part.lower().endswith(".zarr") for part in path.parts)


def is_multichannel_tiff(file: IO[bytes]) -> bool:
    """Return whether a file is a TIFF with channels other than colours of 8 or 16 bits."""
    file.seek(0)
    if file.read(4) not in _TIFF_STARTS:
        return False
    file.seek(0)
    try:
        import tifffile

        with tifffile.TiffFile(file) as opened:
            first: Any = opened.pages.first
            colours = int(first.photometric) > _BLACK_IS_ZERO and first.dtype.kind == "u"
            return int(first.samplesperpixel) > 1 and not colours
    except Exception:  # noqa: BLE001  (not installed, or any damage)
        return False


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
        if kind == "zarr":
            array, names = _open_zarr_array(name)
            yield _choose_picture(array, name_axes(array.shape, names), selector)
            return
        with _open_tiff_picture(name, selector) as picture:
            yield picture


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
    return [axis.get("name") if isinstance(axis, Mapping) else axis for axis in axes]


@contextmanager
def _open_tiff_picture(name: str, selector: PictureSelector) -> Iterator[StoredPicture]:
    try:
        import tifffile
        import zarr
    except ImportError:
        raise InputError(
            "TIFF files are streamed with tifffile: install it with pip install 'ccl-viewer[dask]'."
        ) from None
    with tifffile.TiffFile(name) as opened:
        file: Any = opened
        # Read two pages at least, to recognise a stack behind one page, and none after the chosen
        # one.
        most = max(2, selector.index[0] + 1) if selector.index else MAX_COUNTED
        pages_once = _stop_at_repeated(file.pages)
        full_size = (page for page in pages_once if not int(page.subfiletype) & REDUCED_OR_MASK)
        pages = [*islice(full_size, most)] or [file.pages.first]
        series = file.series[0] if len(pages) == 1 else None
        if series is not None and len(series.shape) > len(pages[0].shape):
            # A stack that only its first page describes, such as ImageJ's large ones.
            with series.aszarr(level=0) as store:
                array = zarr.open(store, mode="r")
                yield _choose_picture(
                    array, series.axes.lower(), selector, inverted=_is_inverted(pages[0])
                )
            return
        number = selector.page(len(pages), more=len(pages) == most)
        page, selector = pages[number], replace(selector, index=())
        axes, inverted = page.axes.lower(), _is_inverted(page)
        if axes == "yx" and page.is_memmappable:
            rows = _Rows(name, page.dataoffsets[0], page.shape, page.dtype)
            yield _choose_picture(rows, axes, selector, inverted=inverted)
            return
        with page.aszarr() as store:
            yield _choose_picture(zarr.open(store, mode="r"), axes, selector, inverted=inverted)


def _choose_picture(
    array: Any, axes: str, selector: PictureSelector, *, inverted: bool = False
) -> StoredPicture:
    key = selector.key(axes, array.shape)
    position = find_position(axes, array.shape, key)
    return StoredPicture(array, key, inverted, position)


def _is_inverted(page: Any) -> bool:
    return int(page.photometric) == _WHITE_IS_ZERO


@dataclass(frozen=True)
class _Rows:
    """Uncompressed rows that follow each other in a file."""

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
        start, stop, _ = rows.indices(self.shape[0])
        pixels = np.fromfile(
            self.name,
            self.dtype,
            (stop - start) * width,
            offset=self.offset + start * width * self.dtype.itemsize,
        )
        return pixels.reshape(-1, width)[:, columns]


def _stop_at_repeated(pages: Any) -> Iterator[Any]:
    """Yield the pages of a TIFF up to the first that repeats: a page may point at itself."""
    offsets = set()
    for page in pages:
        if page.offset in offsets:
            return
        offsets.add(page.offset)
        yield page
