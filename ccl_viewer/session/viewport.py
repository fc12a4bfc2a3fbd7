"""Which part of a grid canvases show, and where its cells lie on them; without Qt."""

from __future__ import annotations

import math
from typing import Final, TypeAlias

from ccl_viewer.render.step_view import Placement
from ccl_viewer.session.model import Model

Cell: TypeAlias = tuple[int, int]
Point: TypeAlias = tuple[float, float]
Size: TypeAlias = tuple[int, int]
Window: TypeAlias = tuple[int, int, int, int]

ZOOM: Final = 1.25
"""Factor of one zoom step."""

SMALLEST_SCALE: Final = 1 / 256
LARGEST_SCALE: Final = 128.0
FIT_LIMIT: Final = 96.0
"""Fitting a tiny grid makes its cells no larger than this, in pixels."""

KEPT_IN_SIGHT: Final = 48.0
"""Pixels of the grid that always stay on the canvas."""

_WHOLE_FROM: Final = 4.0
"""From this size on, zooming gives cells of whole pixels."""


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

    def placement(
        self,
        shape: tuple[int, int],
        size: Size,
        *,
        ratio: float = 1.0,
        margin: int = 0,
        window: Window | None = None,
    ) -> Placement:
        """Return where the cells lie on a canvas.

        Parameters
        ----------
        shape : tuple of int
            Height and width of the grid.
        size : tuple of int
            Width and height of the canvas in device pixels.
        ratio : float
            Device pixels in one pixel of the window.
        margin : int
            Device pixels to keep free on each side, when fitted.
        window : tuple of four int or None
            The cells to fit, padding included: left, top, right, bottom, ends excluded; None for
            the grid.
        """
        if self.fitted:
            return fitted(window or (0, 0, shape[1], shape[0]), size, ratio=ratio, margin=margin)
        scale, keep = self.scale * ratio, round(KEPT_IN_SIGHT * ratio)
        x, y = (
            min(max(round(room / 2 - at * scale), keep - math.floor(cells * scale)), room - keep)
            for room, at, cells in zip(size, self.centre, shape[::-1], strict=True)
        )
        return Placement(scale, x, y, *size, ratio)


def fitted(window: Window, size: Size, *, ratio: float = 1.0, margin: int = 0) -> Placement:
    """Return where cells lie if all of a window of cells is shown, in the middle of a canvas."""
    left, top, right, bottom = window
    columns, rows = right - left, bottom - top
    width, height = max(size[0] - 2 * margin, 1), max(size[1] - 2 * margin, 1)
    scale = max(min(width / columns, height / rows, FIT_LIMIT * ratio), SMALLEST_SCALE)
    x, y = (size[0] - columns * scale) / 2, (size[1] - rows * scale) / 2
    return Placement(scale, round(x - left * scale), round(y - top * scale), *size, ratio)


def zoomed(scale: float, factor: float) -> float:
    """Return the next scale in a direction: cells of whole pixels, unless they are tiny.

    Below one pixel a cell, whole numbers of cells share one.
    """
    target = min(max(scale * factor, SMALLEST_SCALE), LARGEST_SCALE)
    grows = factor > 1
    if target >= _WHOLE_FROM:
        return float(math.ceil(target - 1e-9) if grows else math.floor(target + 1e-9))
    if target < 1:
        cells = 1 / target
        return 1 / max(math.floor(cells + 1e-9) if grows else math.ceil(cells - 1e-9), 1)
    return target


def to_grid(placement: Placement, x: float, y: float) -> Point:
    """Return a position in device pixels in units of cells."""
    return (x - placement.x) / placement.scale, (y - placement.y) / placement.scale


def cell_at(placement: Placement, x: float, y: float) -> Cell:
    """Return column and row of the cell under a position, inside the grid or not."""
    column, row = to_grid(placement, x, y)
    return math.floor(column), math.floor(row)
