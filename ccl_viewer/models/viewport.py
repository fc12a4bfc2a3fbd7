"""Which part of a grid canvases show, and where its cells lie on them; without Qt."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, TypeAlias

from ccl_viewer.models.model import Model

Cell: TypeAlias = tuple[int, int]
Point: TypeAlias = tuple[float, float]
Size: TypeAlias = tuple[float, float]

SMALLEST_SCALE: Final = 1 / 256
LARGEST_SCALE: Final = 128.0
FIT_LIMIT: Final = 96.0
"""Fitting a tiny grid makes its cells no larger than this, in pixels."""

KEPT_IN_SIGHT: Final = 48.0
"""Pixels of the grid that always stay on the canvas."""

_WHOLE_FROM: Final = 4.0
"""From this size on, zooming gives cells of whole pixels."""


@dataclass(frozen=True)
class Transform:
    """Where the cells of a grid lie on a canvas.

    Parameters
    ----------
    scale : float
        Size of a cell in pixels.
    x, y : float
        Where the grid's top left corner is, in pixels.
    """

    scale: float = 1.0
    x: float = 0.0
    y: float = 0.0

    def to_cell(self, x: float, y: float) -> Cell:
        """Return column and row of the cell under a position, inside the grid or not."""
        return math.floor((x - self.x) / self.scale), math.floor((y - self.y) / self.scale)

    def to_grid(self, x: float, y: float) -> Point:
        """Return a position in units of cells."""
        return (x - self.x) / self.scale, (y - self.y) / self.scale

    def to_canvas(self, column: float, row: float) -> Point:
        """Return where a position in units of cells is, in pixels."""
        return self.x + column * self.scale, self.y + row * self.scale


class Viewport(Model):
    """The part of a grid that is shown; several canvases may share one.

    It is all of the grid, or a place in the middle of the canvas with a size of the cells. So
    canvases of different sizes that share it show the same place.

    Attributes
    ----------
    fitted : bool
        Whether all of the grid is shown, whatever the size of the canvas.
    scale : float
        Size of a cell in pixels, unless fitted.
    centre : tuple of float
        What is in the middle of the canvas, in units of cells, unless fitted.
    """

    def __init__(self) -> None:
        super().__init__()
        self.fitted = True
        self.scale = 1.0
        self.centre: Point = (0.0, 0.0)

    def fit(self) -> None:
        """Show all of the grid."""
        if not self.fitted:
            self.fitted = True
            self._announce("fitted", "scale", "centre")

    def look_at(self, centre: Point, scale: float) -> None:
        """Show a place at a size of cells."""
        scale = min(max(scale, SMALLEST_SCALE), LARGEST_SCALE)
        if self.fitted or (centre, scale) != (self.centre, self.scale):
            self.fitted, self.centre, self.scale = False, centre, scale
            self._announce("fitted", "scale", "centre")

    def transform(
        self, shape: tuple[int, int], size: Size, margin: float, pad: int = 0
    ) -> Transform:
        """Return where the cells lie on a canvas.

        Parameters
        ----------
        shape : tuple of int
            Height and width of the grid.
        size : tuple of float
            Width and height of the canvas in pixels.
        margin : float
            Pixels to keep free on each side, when fitted.
        pad : int
            Cells of padding around the grid that are shown, too, when fitted.
        """
        if self.fitted:
            return fitted(shape, size, margin, pad)
        x, y = (size[axis] / 2 - self.centre[axis] * self.scale for axis in (0, 1))
        return kept_in_sight(Transform(self.scale, round(x), round(y)), shape, size)


def fitted(shape: tuple[int, int], size: Size, margin: float, pad: int = 0) -> Transform:
    """Return where cells lie if all of a grid is shown, centred; as :meth:`Viewport.transform`."""
    rows, columns = shape[0] + 2 * pad, shape[1] + 2 * pad
    room = max(size[0] - 2 * margin, 1.0), max(size[1] - 2 * margin, 1.0)
    scale = max(min(room[0] / columns, room[1] / rows, FIT_LIMIT), SMALLEST_SCALE)
    x, y = (size[0] - columns * scale) / 2, (size[1] - rows * scale) / 2
    return Transform(scale, round(x + pad * scale), round(y + pad * scale))


def zoomed(scale: float, factor: float) -> float:
    """Return the next scale in a direction: cells of whole pixels, unless they are tiny.

    Below one pixel a cell, whole numbers of cells share one.
    """
    target = min(max(scale * factor, SMALLEST_SCALE), LARGEST_SCALE)
    towards = math.ceil if factor > 1 else math.floor
    if target >= _WHOLE_FROM:
        return float(towards(target - 1e-9 if factor > 1 else target + 1e-9))
    if target < 1:
        away = math.floor if factor > 1 else math.ceil
        return 1 / max(away(1 / target + (1e-9 if factor > 1 else -1e-9)), 1)
    return target


def kept_in_sight(transform: Transform, shape: tuple[int, int], size: Size) -> Transform:
    """Return the transform, shifted so that part of the grid stays on the canvas."""
    scale = transform.scale
    x = min(max(transform.x, KEPT_IN_SIGHT - shape[1] * scale), size[0] - KEPT_IN_SIGHT)
    y = min(max(transform.y, KEPT_IN_SIGHT - shape[0] * scale), size[1] - KEPT_IN_SIGHT)
    return Transform(scale, x, y)
