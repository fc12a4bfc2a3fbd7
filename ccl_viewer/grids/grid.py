"""The type of a grid, and the check that turns an array into one."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ccl_viewer.errors import InputError, LargeInputError, SeveralPicturesError, shorten

Grid: TypeAlias = npt.NDArray[np.uint8]

MAX_CELLS = 2**31 - 1
"""Labels are 32-bit integers that name cells by their index."""

MAX_PIXELS = 2**28
"""Most pixels of a file, and most cells of its grid (16384 x 16384)."""

DEFAULT_PIXELS = 2**26
"""Most pixels read by default, since a file of a few bytes may claim any size."""

_READING_BYTES = 12  # bytes per pixel at most while a picture is read: a palette with alpha

MAX_SEGMENTS = 255
"""Most values other than 0 in a multi-valued grid: a cell has one byte."""


def check_size(shape: tuple[int, ...], most_cells: int = MAX_CELLS) -> None:
    """Raise if no grid can have this shape.

    Parameters
    ----------
    shape : tuple of int
        (height, width) in cells.
    most_cells : int
        Most cells allowed.

    Raises
    ------
    InputError
        If there are not two dimensions, one is less than 1, or there are more cells than allowed; a
        ``LargeInputError`` if the user can allow them.
    """
    if len(shape) != 2:
        raise InputError(
            f"A picture has two dimensions, height and width, and this one {_other_shape(shape)}."
        )
    height, width = shape
    if height < 1 or width < 1:
        raise InputError(
            f"A grid of {width} x {height} cells is empty: choose one with at least one cell."
        )
    if most_cells == DEFAULT_PIXELS:
        if most_cells < height * width <= MAX_PIXELS:
            raise LargeInputError(
                f"{width} x {height} cells take up to {height * width * _READING_BYTES / 1e9:.1f} "
                "GB of memory to read"
            )
        most_cells = MAX_PIXELS
    if height * width > most_cells:
        raise InputError(
            f"A grid of {width} x {height} cells is too large: crop it or scale it down to at most "
            f"{most_cells} cells."
        )


def _other_shape(shape: tuple[int, ...]) -> str:
    """Return what an array of the wrong shape may be, and what to give instead."""
    spelled = " x ".join(str(side) for side in shape)
    if not shape:
        return "is a single value: give an array"
    if len(shape) == 1:
        return f"is a row of {spelled}: give it rows and columns, array.reshape(height, width)"
    if 0 in shape:
        return f"has {spelled} and no cell: give a picture"
    first, last = shape[0], shape[-1]
    if len(shape) > 3:
        if len([side for side in shape if side != 1]) == 2:
            return f"has {spelled}: leave out the sides of 1, array.squeeze()"
        indices = ", ".join("0" * (len(shape) - 2))
        return f"has {spelled}: choose one picture in it, such as array[{indices}]"
    if last == 1:
        return f"has {spelled}: leave out the last, array[..., 0]"
    if first == 1:
        return f"has {spelled}: leave out the first, array[0]"
    if last in {3, 4}:
        return (
            f"has {spelled}: if the last are its colours, give one of them (array[..., 0]) or a "
            "condition on them (array.mean(axis=2) > 127)"
        )
    if last == 2:
        return f"has {spelled}: if the last are its channels, give one of them, array[..., 0]"
    return (
        f"has {spelled}: give the {first} pictures of a stack one by one, array[0] to "
        f"array[{first - 1}]"
    )


@contextmanager
def prefix_errors(name: str | os.PathLike[str]) -> Iterator[None]:
    """Put a file's name in front of errors about its content.

    Parameters
    ----------
    name : str or path_like
        The name.
    """
    try:
        yield
    except LargeInputError as error:
        raise LargeInputError(f"{shorten(name)}: {error.fact}") from error
    except SeveralPicturesError as error:
        raise SeveralPicturesError(f"{shorten(name)}: {error}") from error
    except InputError as error:
        raise InputError(f"{shorten(name)}: {error}") from error


def as_grid(array: object) -> Grid:
    """Turn an array into a grid.

    Parameters
    ----------
    array : array_like of bool, integers or floats, shape (height, width)
        Non-zero is foreground; NaN, and masked cells of a masked array, are background.

    Returns
    -------
    ndarray of uint8, shape (height, width)
        A new, C-contiguous array of 0 and 1.

    Raises
    ------
    InputError
        If the array is not two-dimensional, is empty or too large, or holds anything but real
        numbers.
    """
    values = as_numbers(array)
    grid: Grid = np.ascontiguousarray(values != 0).view(np.uint8)
    return grid


def as_segments(array: object) -> Grid:
    """Turn an array into a multi-valued grid, in which cells of equal non-zero value connect.

    Parameters
    ----------
    array : array_like of bool, integers or floats, shape (height, width)
        0 is background, as are NaN and masked cells of a masked array; at most 255 other values.

    Returns
    -------
    ndarray of uint8, shape (height, width)
        A new, C-contiguous array. If all values are whole numbers from 0 to 255, they stay as they
        are; otherwise, the values other than 0 become 1, 2, ... in ascending order.

    Raises
    ------
    InputError
        As :func:`as_grid`, and if there are more than 255 values other than 0.
    """
    values = as_numbers(array)
    with np.errstate(invalid="ignore"):
        bytes_ = values.astype(np.uint8)
    if np.array_equal(bytes_, values):
        return np.ascontiguousarray(bytes_)
    distinct = np.unique(values[values != 0])
    if distinct.size > MAX_SEGMENTS:
        raise InputError(
            f"The array holds {distinct.size} values other than 0, and a multi-valued grid has at "
            f"most {MAX_SEGMENTS}: merge some, or label all that is not 0 as one foreground."
        )
    numbers = np.searchsorted(distinct, values).astype(np.uint8) + np.uint8(1)
    return np.ascontiguousarray(np.where(values != 0, numbers, np.uint8(0)))


def as_numbers(array: object) -> npt.NDArray[Any]:
    """Return an array of bool, integers or floats with two dimensions, masked cells and NaN as 0.

    Raises
    ------
    InputError
        As :func:`as_grid`.
    """
    # `np.ma` would import its module (20 ms); a caller with a masked array has imported it already.
    if "numpy.ma" in sys.modules and isinstance(array, np.ma.MaskedArray):
        array = array.filled(0)  # masked cells are background
    try:
        values = _as_array(array)
    except (TypeError, ValueError, BufferError) as error:
        raise InputError(
            f"This is not an array of numbers ({error}): give a two-dimensional NumPy array."
        ) from error
    if values.dtype.kind not in "buif":
        name = type(array).__name__
        if values.ndim == 0:
            raise InputError(f"A {name} is not a picture: give a two-dimensional array of numbers.")
        raise InputError(
            f"An array of type {values.dtype} is not a grid: convert it to bool, integers "
            "or floats."
        )
    check_size(values.shape)
    if values.dtype.kind == "f":
        missing = np.isnan(values)
        if missing.any():
            values = np.where(missing, values.dtype.type(0), values)
    return values


def _as_array(array: object) -> npt.NDArray[Any]:
    """Return an array of NumPy, also of one that only speaks DLPack.

    Raises
    ------
    InputError
        If it is sparse.
    TypeError, ValueError, BufferError
        If it is no array that NumPy reads.
    """
    if hasattr(array, "toarray") and hasattr(array, "nnz"):
        raise InputError(
            f"A sparse {type(array).__name__} is not read: give all its cells, array.toarray()."
        )
    if hasattr(array, "__dlpack__") and not hasattr(array, "__array__"):
        return np.from_dlpack(array)
    return np.asarray(array)
