"""What a grid is, and the one check that every array passes to become one."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from ccl_viewer.errors import InputError

Grid: TypeAlias = npt.NDArray[np.uint8]

MOST_CELLS = 2**31 - 1
"""Labels are 32-bit integers that name cells by their index."""


def check_size(shape: tuple[int, ...], most_cells: int = MOST_CELLS) -> None:
    """Refuse a shape that no grid can have.

    Parameters
    ----------
    shape : tuple of int
        (height, width) in cells.
    most_cells : int
        Most cells allowed.

    Raises
    ------
    InputError
        If there are not two dimensions, one is less than 1, or there are more cells than allowed.
    """
    if len(shape) != 2:
        raise InputError(
            f"A grid has two dimensions, height and width, not {len(shape)}: choose one channel "
            "or layer of the array."
        )
    height, width = shape
    if height < 1 or width < 1:
        raise InputError(f"A grid of {width} x {height} cells is empty: give it at least one cell.")
    if height * width > most_cells:
        raise InputError(
            f"A grid of {width} x {height} cells is too large: crop it or scale it down to at most "
            f"{most_cells} cells."
        )


def as_grid(array: object) -> Grid:
    """Turn an array into a grid.

    Parameters
    ----------
    array : array_like of bool, integers or floats, shape (height, width)
        Non-zero is foreground.

    Returns
    -------
    ndarray of uint8, shape (height, width)
        A new, C-contiguous array of 0 and 1.

    Raises
    ------
    InputError
        If the array is not two-dimensional, is empty, too large, holds NaN or no real numbers.
    """
    try:
        values = np.asarray(array)
    except (TypeError, ValueError) as error:
        raise InputError(
            f"This is no array of numbers ({error}): give a two-dimensional NumPy array."
        ) from error
    if values.dtype.kind not in "buif":
        raise InputError(
            f"An array of type {values.dtype} is no grid: convert it to bool, integers or floats."
        )
    check_size(values.shape)
    if values.dtype.kind == "f" and np.isnan(values).any():
        raise InputError("The array holds NaN, which is neither foreground nor background.")
    grid: Grid = np.ascontiguousarray(values != 0).view(np.uint8)
    return grid
