"""Read grids from files."""

from __future__ import annotations

import codecs
import math
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tokenize import TokenError
from typing import IO, Any, Final, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from ccl_viewer.errors import CCLViewerError, InputError, shorten
from ccl_viewer.grids import rle, text_art
from ccl_viewer.grids.decoding import decode
from ccl_viewer.grids.grid import DEFAULT_PIXELS, Grid, as_grid, check_size, prefix_errors
from ccl_viewer.grids.import_settings import ImportKind, ImportSettings
from ccl_viewer.grids.importing import PictureSource, convert
from ccl_viewer.grids.picture_selector import (
    COLOUR_CHANNELS,
    ONLY,
    PicturePosition,
    PictureSelector,
    find_position,
    name_axes,
)
from ccl_viewer.grids.pictures import Picture, compose_picture
from ccl_viewer.grids.pillow import FORMATS
from ccl_viewer.grids.stored import is_zarr_path, open_stored_picture
from ccl_viewer.grids.thresholds import Threshold, is_binary, mark_foreground, resolve_threshold
from ccl_viewer.storage.files import check_is_no_pipe, is_file

IMPORTED_SUFFIXES: Final = (*(suffix for each in FORMATS.values() for suffix in each), ".npy")
"""Suffixes of pictures and arrays that become grids."""

READ_SUFFIXES: Final = (*IMPORTED_SUFFIXES, ".txt", ".rle")
"""Suffixes of all files that a grid is read from."""

_NPY_MAGIC = b"\x93NUMPY"
# What NumPy raises on malformed headers; it reads them with Python's tokenizer and parser.
_NPY_DAMAGE = (
    ValueError,
    EOFError,
    SyntaxError,
    TokenError,
    TypeError,
    KeyError,
    OverflowError,
    RecursionError,
    MemoryError,
    SystemError,
)
_TEXT_SUFFIXES = (".txt", ".csv", ".tsv")
_HEAD = 4096  # bytes read to recognise a file's format


@dataclass(frozen=True, eq=False)
class Loaded:
    """A grid and where it came from.

    Parameters
    ----------
    grid : ndarray of uint8, shape (height, width)
        0 and 1, or the values of a multi-valued grid.
    source : str
        Path or pattern that gives this grid again.
    threshold : float or None
        Grey values above it became foreground; None if no threshold was needed.
    note : str
        What was done to make the grid, as a sentence for the user.
    multivalued : bool
        Whether only cells of equal value are to connect.
    """

    grid: Grid
    source: str
    threshold: float | None
    note: str
    multivalued: bool = False


@dataclass(frozen=True, eq=False)
class GridContent:
    """The content of a file that gives each cell's value, so that the user has nothing to choose.

    Parameters
    ----------
    grid : ndarray of uint8, shape (height, width)
        0 and 1, or values up to 255.
    note : str
        What the file holds, as a sentence for the user.
    """

    grid: Grid
    note: str


Content: TypeAlias = GridContent | Picture
"""What a file holds: cells, or pixels that can become cells in several ways."""


def read_content(
    path: str | os.PathLike[str], max_pixels: int = DEFAULT_PIXELS, selector: PictureSelector = ONLY
) -> Content:
    """Read the contents of a file, without deciding how pixels become cells.

    Parameters
    ----------
    path : path_like
        The file, of a kind that :func:`load_image` reads.
    max_pixels : int
        Most pixels to read; the file's header is checked before its content is read.
    selector : PictureSelector
        Which picture and channel to read, if the file holds several.

    Returns
    -------
    GridContent or Picture
        Cells for text art, RLE, arrays of 0 and 1, and multi-valued grids saved as PNG by this
        program; otherwise a picture, also for arrays of other numbers.

    Raises
    ------
    InputError
        If the file cannot be opened, read or understood, if it is too large, or if it holds several
        pictures and `selector` does not say which.
    """
    file_path = Path(path)
    if is_zarr_path(file_path) and not is_file(file_path):
        return _read_zarr(file_path, max_pixels, selector)
    with _open(file_path) as file:
        kind = _recognise(file, file_path)
        if kind == "array":
            return _read_array(file, file_path, max_pixels, selector)
        if kind == "picture":
            return _keep_exact_values(decode(file, str(file_path), max_pixels, selector))
        with prefix_errors(file_path):
            selector.check_alone("Text")
        return _read_text(file, file_path, kind, max_pixels)


def check_can_open(path: str | os.PathLike[str]) -> None:
    """Raise if a file cannot be opened, so that this is known before long work on other files.

    Raises
    ------
    InputError
        If there is no such file, or it must not be read.
    """
    if not (is_zarr_path(Path(path)) and Path(path).is_dir()):
        with _open(Path(path)):
            pass


def load_image(
    path: str | os.PathLike[str],
    threshold: Threshold = "otsu",
    *,
    invert: bool = False,
    max_pixels: int = DEFAULT_PIXELS,
    index: int | Sequence[int] | None = None,
    channel: int | None = None,
) -> Loaded:
    """Read a grid from a picture, an array or text art.

    The format follows from the file's content, not its name: PNG, JPEG, TIFF, BMP, PBM, PGM, PPM,
    GIF, WebP, NPY, Golly's RLE, or text of ``.`` and ``#``. A folder with a name that ends in
    ``.zarr``, or a folder inside it, is a Zarr array or an OME-Zarr pyramid; of a pyramid, the
    first level is read.

    Parameters
    ----------
    path : path_like
        The file.
    threshold : float, "otsu" or None
        Grey values above it are foreground, on the file's own scale (0 to 255 for 8 bits, to 65535
        for 16 bits, to the highest value that a PGM declares). ``"otsu"`` finds it; None makes all
        values but 0 foreground. It does not apply to files that give each cell's value: pictures
        with one bit per pixel (white is foreground), NPY of bool or of only 0 and 1, text art and
        RLE.
    invert : bool
        Exchange foreground and background. Fully transparent pixels and NaN are background either
        way.
    max_pixels : int
        Most pixels to read; the file's header is checked before its content is read.
    index : int, sequence of int or None
        Which picture of a file that holds several, from 0: pages of a TIFF, frames of an animation,
        or the leading axes of an array. One number counts all pictures; several give one for each
        axis.
    channel : int or None
        Which channel, from 0, of a picture in colour or an array with an axis of channels. None
        takes the brightness of red, green and blue.

    Returns
    -------
    Loaded
        The grid and how it was made.

    Raises
    ------
    InputError
        If the file cannot be opened, read or understood, if it is too large, if it holds several
        pictures and `index` does not say which, or if `threshold` is not a threshold.
    """
    settings = ImportSettings(threshold=resolve_threshold(threshold), invert=invert)
    return _load(path, settings, max_pixels, PictureSelector.of(index, channel))


def load_segments(
    path: str | os.PathLike[str],
    max_pixels: int = DEFAULT_PIXELS,
    *,
    index: int | Sequence[int] | None = None,
    channel: int | None = None,
) -> Loaded:
    """Read a multi-valued grid from a picture, an array or text art.

    Parameters
    ----------
    path : path_like
        The file, of a kind that :func:`load_image` reads. Each value of an array, and each grey
        value or colour of a picture, becomes a segment; 0, black and fully transparent pixels are
        background.
    max_pixels : int
        Most pixels to read; the file's header is checked before its content is read.
    index, channel
        As for :func:`load_image`.

    Returns
    -------
    Loaded
        The grid, as :func:`~ccl_viewer.grids.grid.as_segments` returns it.

    Raises
    ------
    InputError
        If the file cannot be opened, read or understood, if it is too large, or if it holds more
        than 255 values.
    """
    settings = ImportSettings(kind=ImportKind.VALUES)
    return _load(path, settings, max_pixels, PictureSelector.of(index, channel))


def _load(
    path: str | os.PathLike[str],
    settings: ImportSettings,
    max_pixels: int,
    selector: PictureSelector,
) -> Loaded:
    content = read_content(path, max_pixels, selector)
    multivalued = settings.kind is ImportKind.VALUES
    with prefix_errors(path):
        if isinstance(content, Picture):
            made = convert(PictureSource(content), settings)
            return Loaded(made.grid, str(path), made.threshold, made.note, multivalued)
    grid, note = content.grid, content.note
    if multivalued:
        return Loaded(grid, str(path), None, note, multivalued=True)
    grid = mark_foreground(grid, None, invert=settings.invert).view(np.uint8)
    if settings.invert:
        note += " Foreground and background were exchanged."
    return Loaded(grid, str(path), None, note)


def parse_cells(text: str, max_pixels: int = DEFAULT_PIXELS) -> GridContent:
    """Read text art or RLE.

    Parameters
    ----------
    text : str
        The text, as :func:`ccl_viewer.grids.rle.parse` or :func:`ccl_viewer.grids.text_art.parse`
        takes it.
    max_pixels : int
        Most cells allowed.

    Raises
    ------
    InputError
        If the text is neither.
    """
    if rle.is_rle(text):
        return GridContent(rle.parse(text, max_pixels), "Golly's RLE: live cells are foreground.")
    return GridContent(text_art.parse(text, max_pixels), "Text art: '#' is foreground.")


@contextmanager
def _open(path: Path) -> Iterator[IO[bytes]]:
    check_is_no_pipe(path)
    try:
        with path.open("rb") as file:
            yield file
    except IsADirectoryError as error:
        raise InputError(f"{shorten(path)} is a folder: choose a file that is in it.") from error
    except OSError as error:
        reason = error.strerror or str(error)
        raise InputError(
            f"{shorten(path)} cannot be opened ({reason}): check the name and that you may read it."
        ) from error


_UTF_16 = codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE
"""First bytes of a text that PowerShell redirects to a file."""

_Kind: TypeAlias = Literal["array", "text", "rle", "picture"]


def _recognise(file: IO[bytes], path: Path) -> _Kind:
    """Recognise a file's format by its content."""
    head = file.read(_HEAD)
    file.seek(0)
    if not head:
        raise InputError(f"{shorten(path)} is empty: choose a file that holds a picture.")
    if head.startswith(_NPY_MAGIC):
        return "array"
    suffix = path.suffix.lower()
    if _is_text_art(head) or head.startswith(_UTF_16):
        return "text"
    if b"\0" not in head and (suffix == ".rle" or rle.is_rle(head.decode("latin-1"))):
        return "rle"
    if suffix in _TEXT_SUFFIXES and b"\0" not in head:
        return "text"
    return "picture"


def _keep_exact_values(picture: Picture) -> Content:
    if picture.segments:
        return GridContent(np.array(picture.planes), "A multi-valued grid, saved as a picture.")
    return picture


def _is_text_art(head: bytes) -> bool:
    return not head.removeprefix(b"\xef\xbb\xbf").strip(b".#0123456789eE+-, \t\r\n")


def _read_text(file: IO[bytes], path: Path, kind: _Kind, max_pixels: int) -> GridContent:
    # Twice the cells leaves room for the line ends of the narrowest grid, in two bytes each.
    data = file.read(4 * max_pixels + _HEAD + 1)
    try:
        text = data.decode("utf-16" if data.startswith(_UTF_16) else "utf-8")
    except UnicodeDecodeError as error:
        raise InputError(
            f"{shorten(path)} is not a text of '.' and '#': choose another file."
        ) from error
    with prefix_errors(path):
        if kind == "rle" and not rle.is_rle(text):
            rle.parse(text, max_pixels)  # says what is missing
        return parse_cells(text, max_pixels)


def _read_array_header(file: IO[bytes]) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    """Return an array's shape, whether columns come first, and its type; the file is at its start.

    Raises
    ------
    ValueError
        If it is not an array of numbers; NumPy raises other errors as well.
    """
    version = np.lib.format.read_magic(file)
    if version == (1, 0):
        shape, fortran, dtype = np.lib.format.read_array_header_1_0(file)
    elif version == (2, 0):
        shape, fortran, dtype = np.lib.format.read_array_header_2_0(file)
    else:  # arrays of numbers never need it
        raise ValueError(f"its version is {version[0]}.{version[1]}")
    if dtype.hasobject:
        raise ValueError("it holds objects of Python")
    return shape, fortran, dtype


def _read_array(file: IO[bytes], path: Path, max_pixels: int, selector: PictureSelector) -> Content:
    try:
        # A header can promise more than memory holds.
        shape, by_columns, dtype = _read_array_header(file)
        with prefix_errors(path):
            axes = name_axes(shape)
            colours = selector.channel is None and axes.endswith("c")
            colours = colours and dtype.kind == "u" and dtype.itemsize <= 2
            colours = colours and shape[-1] in COLOUR_CHANNELS
            key = selector.key(axes[:-1], shape[:-1]) if colours else selector.key(axes, shape)
            rows = axes.index("y")
            check_size(shape[rows : rows + 2], max_pixels)
            if by_columns:  # all of it, since a picture's values are not contiguous
                check_size((shape[0], math.prod(shape[1:])), max_pixels)
        begin = file.tell()
        if math.prod(shape) * dtype.itemsize > os.fstat(file.fileno()).st_size - begin:
            raise ValueError("the file is cut off")
        if by_columns:
            file.seek(0)
            # Not mapped: if another program truncated the file, the process would be killed.
            values: npt.NDArray[Any] = np.load(file, allow_pickle=False)[key]
        else:  # only this picture of a stack
            part = shape[rows:]
            before = (
                begin + find_position(axes, shape, key).index * math.prod(part) * dtype.itemsize
            )
            file.seek(before)
            values = np.fromfile(file, dtype, math.prod(part)).reshape(part)[key[rows:]]
    except InputError:
        raise
    except _NPY_DAMAGE as error:
        raise InputError(
            f"{shorten(path)} is not an NPY file of numbers, or is damaged ({error}): save the "
            "array again with numpy.save."
        ) from error
    position = find_position(axes, shape, key)
    if colours:
        values = values.astype(dtype.newbyteorder("="), copy=False)
        return compose_picture(values, position)
    with prefix_errors(path):
        return _as_content(values, position)


def _read_zarr(path: Path, max_pixels: int, selector: PictureSelector) -> Content:
    """Read all of a picture in a Zarr array."""
    if not path.exists():
        raise InputError(f"{shorten(path)} is not there: check the name.")
    try:
        with open_stored_picture(str(path), "zarr", selector) as picture:
            check_size(picture.shape, max_pixels)
            picture.check_chunk_size()
            return _as_content(picture.read_samples()[..., 0], picture.position)
    except CCLViewerError:
        raise
    except Exception as error:  # Zarr raises anything
        raise InputError(
            f"{shorten(path)} cannot be read ({error}): choose another file."
        ) from error


def _as_content(values: npt.NDArray[Any], position: PicturePosition) -> Content:
    """Return an array's content: cells if it is the only picture and holds only 0, 1 and NaN."""
    grid = as_grid(values)
    if is_binary(values):
        if position.alone:
            return GridContent(grid, "An array of 0 and 1.")
        return Picture(grid.view(np.bool_), position=position)
    values = values.astype(values.dtype.newbyteorder("="), copy=False)
    return Picture(values, position=position)
