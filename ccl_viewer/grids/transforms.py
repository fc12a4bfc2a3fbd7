"""Transforms of a grid or a part of it: invert, flip, rotate, resize, random fill."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import TypeAlias

import numpy as np

from ccl_viewer.errors import InputError
from ccl_viewer.grids.grid import MAX_SEGMENTS, Grid, check_size
from ccl_viewer.grids.selection import centre_patch, cut_out
from ccl_viewer.grids.shapes import Box

Transform: TypeAlias = Callable[[Grid], Grid]
"""Returns a new grid and leaves the given one unchanged."""


class Anchor(StrEnum):
    """Which part of a grid stays in its place when the size changes."""

    TOP_LEFT = "top left"
    TOP = "top"
    TOP_RIGHT = "top right"
    LEFT = "left"
    MIDDLE = "middle"
    RIGHT = "right"
    BOTTOM_LEFT = "bottom left"
    BOTTOM = "bottom"
    BOTTOM_RIGHT = "bottom right"


def invert(grid: Grid, value: int = 1) -> Grid:
    """Return a grid with foreground and background exchanged.

    Parameters
    ----------
    grid : ndarray of uint8, shape (height, width)
        The grid.
    value : int
        Value of the new foreground, 1 to 255.
    """
    result: Grid = np.multiply(grid == 0, np.uint8(value), dtype=np.uint8)
    return result


def flatten_values(grid: Grid) -> Grid:
    """Return 1 for every cell that is not 0."""
    return np.not_equal(grid, 0).astype(np.uint8)


def flip_across(grid: Grid) -> Grid:
    """Return a grid mirrored left to right."""
    return np.ascontiguousarray(grid[:, ::-1])


def flip_down(grid: Grid) -> Grid:
    """Return a grid mirrored top to bottom."""
    return np.ascontiguousarray(grid[::-1])


def rotate_right(grid: Grid) -> Grid:
    """Return a grid turned clockwise by 90 degrees; width and height are swapped."""
    return np.ascontiguousarray(np.rot90(grid, -1))


def rotate_left(grid: Grid) -> Grid:
    """Return a grid turned anticlockwise by 90 degrees; width and height are swapped."""
    return np.ascontiguousarray(np.rot90(grid))


def draw_random_cells(
    shape: tuple[int, ...], density: float, seed: int, values: Sequence[int]
) -> Grid:
    """Return random cells.

    Parameters
    ----------
    shape : tuple of int
        (height, width).
    density : float
        Share of foreground, 0 to 1.
    seed : int
        0 to 2**32 - 1; the same one gives the same cells.
    values : sequence of int
        Values of the foreground, all equally likely.

    Returns
    -------
    ndarray of uint8, shape (height, width)
        For one value, the same as ``numpy.random.RandomState(seed).rand(height, width) < density``.

    Raises
    ------
    InputError
        If the density or the seed is out of bounds.
    """
    if not 0 <= density <= 1:
        raise InputError(f"A density is 0 to 1, not {density}.")
    if not 0 <= seed < 2**32:
        raise InputError(f"A seed is 0 to {2**32 - 1}, not {seed}.")
    generator = np.random.RandomState(seed)
    drawn = generator.rand(*shape) < density
    if len(values) == 1:
        return np.multiply(drawn, np.uint8(values[0]), dtype=np.uint8)
    chosen = np.array(values, np.uint8)[generator.randint(0, len(values), shape)]
    return np.multiply(chosen, drawn, dtype=np.uint8)


def resize(
    grid: Grid, width: int, height: int, anchor: Anchor = Anchor.TOP_LEFT, value: int = 0
) -> Grid:
    """Return a grid of another size: cut off, or with new cells around it.

    Parameters
    ----------
    grid : ndarray of uint8, shape (old height, old width)
        The grid.
    width, height : int
        New size in cells.
    anchor : Anchor
        Which part stays in its place.
    value : int
        Value of new cells, 0 to 255.

    Raises
    ------
    InputError
        If the size or the value is out of bounds.
    """
    new = make_blank(width, height, value)
    old_height, old_width = grid.shape
    words = str(anchor).split()
    top = _split_room(height - old_height, "top" in words, "bottom" in words)
    left = _split_room(width - old_width, "left" in words, "right" in words)
    inside = Box(top, left, top + old_height, left + old_width).clipped(new.shape)
    new[inside.slices] = grid[inside.moved(-top, -left).slices]
    return new


def make_blank(width: int, height: int, value: int = 0) -> Grid:
    """Return a grid of one value, uint8 of shape (height, width).

    Raises
    ------
    InputError
        If the size or the value is out of bounds.
    """
    check_size((height, width))
    if not 0 <= value <= MAX_SEGMENTS:
        raise InputError(f"A cell holds 0 to {MAX_SEGMENTS}, not {value}.")
    return np.full((height, width), value, np.uint8)


def restrict_to_box(box: Box | None, transform: Transform) -> Transform:
    """Apply a transform to a part of the grid only; a turned part keeps its middle.

    Parameters
    ----------
    box : Box or None
        The part; None for the whole grid.
    transform : callable
        The transform.
    """
    if box is None:
        return transform

    def applied(grid: Grid) -> Grid:
        inside = box.clipped(grid.shape)
        if inside.empty:
            return grid
        new = grid.copy()
        new[inside.slices] = 0
        centre_patch(transform(cut_out(grid, inside).cells), inside).stamp(new)
        return new

    return applied


def _split_room(room: int, first: bool, last: bool) -> int:
    """Return where the old cells begin if `room` cells are added, or removed if it is negative.

    The odd cell goes behind the old ones, so that shrinking removes what growing added.
    """
    if first:
        return 0
    return room if last else int(room / 2)
