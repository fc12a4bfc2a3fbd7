"""Grids from files and to files."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tokenize import TokenError
from typing import IO, Any, Literal

import numpy as np
import numpy.typing as npt

from ccl_viewer.errors import InputError
from ccl_viewer.files import replacing
from ccl_viewer.grids import text_art
from ccl_viewer.grids.grid import Grid, as_grid, as_segments, check_size
from ccl_viewer.grids.pictures import Picture, decode
from ccl_viewer.grids.thresholds import Split, Threshold, check_threshold, split

MAX_PIXELS = 2**27
"""Most pixels of a file that is opened (11585 x 11585), below the limit that Pillow sets itself."""

_NPY_MAGIC = b"\x93NUMPY"
# What NumPy raises on headers that are none; it reads them with Python's own tokenizer and parser.
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
)
_HEAD = 4096  # bytes looked at to tell what a file is


@dataclass(frozen=True, eq=False)
class Loaded:
    """A grid and where it came from.

    Parameters
    ----------
    grid : ndarray of uint8, shape (height, width)
        0 and 1.
    source : str
        Path or pattern that gives this grid again.
    threshold : float or None
        Grey values above it became foreground; None if there was nothing to divide.
    note : str
        What was done to make the grid, as a sentence for the user.
    """

    grid: Grid
    source: str
    threshold: float | None
    note: str


def load_image(
    path: str | os.PathLike[str],
    threshold: Threshold = "otsu",
    invert: bool = False,
    max_pixels: int = MAX_PIXELS,
) -> Loaded:
    """Read a grid from a picture, an array or text art.

    What a file is follows from its content, whatever its name: PNG, JPEG, TIFF, BMP, PBM, PGM, PPM,
    GIF (first frame), NPY, or text of ``.`` and ``#``.

    Parameters
    ----------
    path : path_like
        The file.
    threshold : float, "otsu" or None
        Grey values above it are foreground, on the file's own scale (0 to 255, or to 65535 for 16
        bits). ``"otsu"`` finds it; None makes all values but 0 foreground. It does not apply to
        what holds two values by nature: pictures of one bit a pixel (white is foreground), NPY of
        bool or of nothing but 0 and 1, and text art.
    invert : bool
        Exchange foreground and background. Fully transparent pixels are background either way.
    max_pixels : int
        Most pixels to read; the file's header is checked before its content is read.

    Returns
    -------
    Loaded
        The grid and how it was made.

    Raises
    ------
    InputError
        If the file cannot be opened, read, understood, or is too large, or `threshold` is none.
    """
    check_threshold(threshold)
    file_path = Path(path)
    with _opened(file_path) as file:
        made = _read(file, file_path, threshold, max_pixels)
    grid, opaque = made.split.grid, made.opaque
    if invert:
        grid = grid ^ np.uint8(1)
    if opaque is not None:
        grid = grid & opaque.view(np.uint8)
    return Loaded(
        np.ascontiguousarray(grid), str(path), made.split.threshold, _note(made.split.note, invert)
    )


def load_segments(path: str | os.PathLike[str], max_pixels: int = MAX_PIXELS) -> Loaded:
    """Read a multi-valued grid from a picture, an array or text art.

    Parameters
    ----------
    path : path_like
        The file, of a kind that :func:`load_image` reads. Each value of an array, and each grey
        value or colour of a picture, is a segment's; 0, black and fully transparent pixels are
        background.
    max_pixels : int
        Most pixels to read; the file's header is checked before its content is read.

    Returns
    -------
    Loaded
        The grid, as :func:`~ccl_viewer.grids.grid.as_segments` returns it.

    Raises
    ------
    InputError
        If the file cannot be opened, read, understood, or is too large, or holds more than 255
        values.
    """
    file_path = Path(path)
    with _opened(file_path) as file:
        kind = _kind(file, file_path)
        if kind == "text":
            text = _read_text(file, file_path, max_pixels)
            return Loaded(text.grid, str(path), None, text.note)
        try:
            grid = as_segments(
                _load_array(file_path, max_pixels)
                if kind == "array"
                else _values(decode(file, str(path), max_pixels, keep_colours=True))
            )
        except InputError as error:
            raise InputError(_named(file_path, error)) from error
    count = np.unique(grid[grid != 0]).size
    return Loaded(grid, str(path), None, f"Values other than 0: {count}.")


def save_grid(path: str | os.PathLike[str], grid: Grid) -> None:
    """Write a grid to a file, in the format that the suffix names.

    The file appears whole or not at all: it is written beside its place and then renamed.

    Parameters
    ----------
    path : path_like
        Ends in ``.png`` or ``.pbm`` (one bit a pixel, foreground white), ``.npy`` (uint8) or
        ``.txt`` (text art).
    grid : array_like, shape (height, width)
        Non-zero is foreground.

    Raises
    ------
    InputError
        If the suffix is another, the grid is none, or the file cannot be written.
    """
    target = Path(path)
    try:
        write = _WRITERS[target.suffix.lower()]
    except KeyError:
        raise InputError(
            f"A grid cannot be saved as {target.name!r}: end the name in {_SUFFIXES}."
        ) from None
    cells = as_grid(grid)
    with replacing(target) as beside, beside.open("wb") as file:
        write(file, cells)


@dataclass(frozen=True, eq=False)
class _Made:
    split: Split
    opaque: np.ndarray[tuple[int, ...], np.dtype[np.bool_]] | None = None


@contextmanager
def _opened(path: Path) -> Iterator[IO[bytes]]:
    try:
        with path.open("rb") as file:
            yield file
    except OSError as error:
        reason = error.strerror or str(error)
        raise InputError(
            f"{path} cannot be opened ({reason}): check the name and that you may read it."
        ) from error


def _kind(file: IO[bytes], path: Path) -> Literal["array", "text", "picture"]:
    """Tell by a file's content what it is."""
    head = file.read(_HEAD)
    file.seek(0)
    if not head:
        raise InputError(f"{path} is empty: choose a file that holds a picture.")
    if head.startswith(_NPY_MAGIC):
        return "array"
    if _is_text_art(head) or (path.suffix.lower() == ".txt" and b"\0" not in head):
        return "text"
    return "picture"


def _read(file: IO[bytes], path: Path, threshold: Threshold, max_pixels: int) -> _Made:
    kind = _kind(file, path)
    if kind == "array":
        return _Made(_split_array(path, threshold, max_pixels))
    if kind == "text":
        return _Made(_read_text(file, path, max_pixels))
    return _split_picture(decode(file, str(path), max_pixels), path, threshold)


def _values(picture: Picture) -> npt.NDArray[Any]:
    return picture.grey if picture.opaque is None else picture.grey * picture.opaque


def _named(path: Path, error: InputError) -> str:
    """Return an error's sentence with the name of the file in front, unless it is there."""
    return str(error) if str(error).startswith(str(path)) else f"{path}: {error}"


def _is_text_art(head: bytes) -> bool:
    return not head.removeprefix(b"\xef\xbb\xbf").strip(b".# \t\r\n")


def _read_text(file: IO[bytes], path: Path, max_pixels: int) -> Split:
    # Twice the cells leaves room for the line ends of the narrowest grid.
    data = file.read(2 * max_pixels + _HEAD + 1)
    try:
        grid = text_art.parse(data.decode("utf-8"))
        check_size(grid.shape, max_pixels)
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is no text of '.' and '#': choose another file.") from error
    except InputError as error:
        raise InputError(f"{path}: {error}") from error
    return Split(grid, None, "Text art: '#' is foreground.")


def _load_array(path: Path, max_pixels: int) -> npt.NDArray[Any]:
    try:
        # Mapped, not loaded: a header can promise more than memory holds.
        values: npt.NDArray[Any] = np.load(path, mmap_mode="r", allow_pickle=False)
    except _NPY_DAMAGE as error:
        raise InputError(
            f"{path} is no NPY file of numbers, or is damaged ({error}): save the array again with "
            "numpy.save."
        ) from error
    check_size(values.shape, max_pixels)
    return values


def _split_array(path: Path, threshold: Threshold, max_pixels: int) -> Split:
    try:
        values = _load_array(path, max_pixels)
        grid = as_grid(values)
        if values.dtype == np.bool_ or np.array_equal(values, grid):
            return Split(grid, None, "An array of 0 and 1.")
        return split(np.array(values, dtype=values.dtype.newbyteorder("=")), threshold)
    except InputError as error:
        raise InputError(_named(path, error)) from error


def _split_picture(picture: Picture, path: Path, threshold: Threshold) -> _Made:
    if picture.grey.dtype == np.bool_:
        binary = Split(as_grid(picture.grey), None, "A picture of one bit a pixel.")
        return _Made(binary, picture.opaque)
    try:
        return _Made(split(picture.grey, threshold), picture.opaque)
    except InputError as error:
        raise InputError(f"{path}: {error}") from error


def _note(note: str, invert: bool) -> str:
    return f"{note} Foreground and background were exchanged." if invert else note


def _write_picture(file: IO[bytes], grid: Grid, pillow_format: str) -> None:
    from PIL import Image

    Image.fromarray(grid * np.uint8(255)).convert("1", dither=Image.Dither.NONE).save(
        file, pillow_format
    )


def _write_png(file: IO[bytes], grid: Grid) -> None:
    _write_picture(file, grid, "PNG")


def _write_pbm(file: IO[bytes], grid: Grid) -> None:
    _write_picture(file, grid, "PPM")


def _write_npy(file: IO[bytes], grid: Grid) -> None:
    np.save(file, grid, allow_pickle=False)


def _write_text(file: IO[bytes], grid: Grid) -> None:
    file.write(text_art.format_grid(grid).encode("ascii"))


_WRITERS: dict[str, Callable[[IO[bytes], Grid], None]] = {
    ".png": _write_png,
    ".pbm": _write_pbm,
    ".npy": _write_npy,
    ".txt": _write_text,
}
_SUFFIXES = ", ".join(_WRITERS)
