"""Where cells lie on the canvas: hit-testing, visible cells, zoom and fit, without a widget."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from ccl_viewer.session import Cell

SMALLEST_SCALE = 1 / 64
LARGEST_SCALE = 128.0
FIT_LIMIT = 64.0
"""Fitting a tiny grid makes its cells no larger than this, in pixels."""

NUMBER_CELL = 16.0
"""Cells this large, in pixels, are large enough for numbers."""

_SMALLEST_NUMBER = 8
_DIGIT = 0.62
"""Width of a digit, to its height."""


@dataclass(frozen=True)
class CellRange:
    """A rectangle of cells: columns `left` to `right` and rows `top` to `bottom`, ends excluded."""

    left: int
    top: int
    right: int
    bottom: int

    @property
    def empty(self) -> bool:
        """Whether there is no cell in it."""
        return self.right <= self.left or self.bottom <= self.top

    @property
    def cells(self) -> int:
        """Number of cells in it."""
        return 0 if self.empty else (self.right - self.left) * (self.bottom - self.top)

    def united(self, other: CellRange) -> CellRange:
        """Return the smallest rectangle that holds both."""
        if self.empty or other.empty:
            return other if self.empty else self
        return CellRange(
            min(self.left, other.left),
            min(self.top, other.top),
            max(self.right, other.right),
            max(self.bottom, other.bottom),
        )


@dataclass(frozen=True)
class Viewpoint:
    """How the grid lies on the canvas.

    Parameters
    ----------
    scale : float
        Size of a cell in pixels; on the screen a whole number of its pixels from 1 on, so that all
        cells look the same.
    x, y : float
        Where the grid's top left corner is, in pixels.
    """

    scale: float = 1.0
    x: float = 0.0
    y: float = 0.0

    @property
    def side(self) -> int:
        """Cells across and down a pixel, where cells are smaller than that; otherwise 1."""
        return max(1, round(1 / self.scale))

    def fine(self, ratio: float) -> Viewpoint:
        """Return the view in the screen's own pixels, of which one here has `ratio`."""
        return Viewpoint(self.scale * ratio, self.x * ratio, self.y * ratio)

    def to_cell(self, x: float, y: float) -> tuple[int, int]:
        """Return column and row of the cell under a position, inside the grid or not."""
        return math.floor((x - self.x) / self.scale), math.floor((y - self.y) / self.scale)

    def at(self, x: float, y: float) -> tuple[float, float]:
        """Return column and row of a position, with the share of the cell that lies before it."""
        return (x - self.x) / self.scale, (y - self.y) / self.scale

    def corner(self, column: float, row: float) -> tuple[float, float]:
        """Return where the top left corner of a cell is, in pixels."""
        return self.x + column * self.scale, self.y + row * self.scale

    def moved(self, dx: float, dy: float, ratio: float = 1.0) -> Viewpoint:
        """Return the view shifted by whole pixels of the screen.

        Parameters
        ----------
        dx, dy : float
            How far, in pixels.
        ratio : float
            That of :func:`snapped`.
        """
        return replace(self, x=whole(self.x + dx, ratio), y=whole(self.y + dy, ratio))

    def zoomed(self, factor: float, x: float, y: float, ratio: float = 1.0) -> Viewpoint:
        """Return the view with larger or smaller cells; one point stays where it is.

        Parameters
        ----------
        factor : float
            How much larger.
        x, y : float
            The point, in pixels.
        ratio : float
            That of :func:`snapped`.
        """
        scale = snapped(self.scale * factor, up=factor > 1, ratio=ratio)
        grown = scale / self.scale
        left, top = x - (x - self.x) * grown, y - (y - self.y) * grown
        return Viewpoint(scale, whole(left, ratio), whole(top, ratio))


def whole(position: float, ratio: float) -> float:
    """Return the nearest position that lies between two pixels of the screen.

    Parameters
    ----------
    position : float
        In the window's pixels.
    ratio : float
        Pixels of the screen in one of the window's.
    """
    return round(position * ratio) / ratio


def snapped(scale: float, *, up: bool, ratio: float = 1.0) -> float:
    """Return the nearest scale that gives equal cells, in the direction given, within the limits.

    Cells of more than a pixel cover whole pixels, and pixels of more than a cell cover whole
    cells: between these, patterns would appear that are not in the grid.

    Parameters
    ----------
    scale : float
        Pixels a cell.
    up : bool
        Whether to round up, rather than down.
    ratio : float
        Pixels of the screen in one of the scale's.
    """
    scale = min(max(scale, SMALLEST_SCALE), LARGEST_SCALE)
    towards = _up if up else _down
    fine = scale * ratio
    if fine >= 1:
        return float(towards(fine)) / ratio
    away = _down if up else _up
    return 1 / (away(1 / fine) * ratio)


def fitted(
    extent: CellRange, width: float, height: float, margin: float, ratio: float = 1.0
) -> Viewpoint:
    """Return the view that shows all of the grid, centred.

    Parameters
    ----------
    extent : CellRange
        The cells to show: the grid, which begins at (0, 0), and perhaps padding around it.
    width, height : float
        Size of the canvas in pixels.
    margin : float
        Pixels to keep free on each side.
    ratio : float
        That of :func:`snapped`.
    """
    columns, rows = extent.right - extent.left, extent.bottom - extent.top
    room = max(width - 2 * margin, 1.0), max(height - 2 * margin, 1.0)
    widest = min(room[0] / columns, room[1] / rows, FIT_LIMIT)
    scale = snapped(widest, up=False, ratio=ratio)
    x = (width - columns * scale) / 2 - extent.left * scale
    y = (height - rows * scale) / 2 - extent.top * scale
    return Viewpoint(scale, whole(x, ratio), whole(y, ratio))


def kept_in_sight(
    view: Viewpoint, columns: int, rows: int, width: float, height: float, ratio: float = 1.0
) -> Viewpoint:
    """Return the view, shifted so that part of the grid stays on the canvas.

    Parameters
    ----------
    view : Viewpoint
        The view.
    columns, rows : int
        Size of the grid in cells.
    width, height : float
        Size of the canvas in pixels.
    ratio : float
        That of :func:`snapped`.
    """
    keep = 48.0
    x = min(max(view.x, keep - columns * view.scale), width - keep)
    y = min(max(view.y, keep - rows * view.scale), height - keep)
    return replace(view, x=whole(x, ratio), y=whole(y, ratio))


def cell_at(view: Viewpoint, x: float, y: float, columns: int, rows: int) -> Cell | None:
    """Return (column, row) of the cell under a position; None outside the grid.

    Where a pixel is for a block of cells, the last one may lie partly outside: it all counts as
    the last cell.

    Parameters
    ----------
    view : Viewpoint
        The view.
    x, y : float
        The position, in pixels.
    columns, rows : int
        Size of the grid in cells.
    """
    column, row = view.to_cell(x, y)
    across, down = (-(-cells // view.side) * view.side for cells in (columns, rows))
    if not (0 <= column < across and 0 <= row < down):
        return None
    return min(column, columns - 1), min(row, rows - 1)


def visible_cells(
    view: Viewpoint, columns: int, rows: int, width: float, height: float
) -> CellRange:
    """Return the cells of which at least a part lies on the canvas.

    Parameters
    ----------
    view, columns, rows, width, height
        As for :func:`kept_in_sight`.
    """
    left, top = view.to_cell(0, 0)
    right, bottom = view.to_cell(math.ceil(width) - 1e-6, math.ceil(height) - 1e-6)
    return CellRange(max(left, 0), max(top, 0), min(right + 1, columns), min(bottom + 1, rows))


def number_size(cell: float, digits: int) -> int | None:
    """Return the height in pixels at which numbers fit into cells.

    Parameters
    ----------
    cell : float
        Size of a cell in pixels.
    digits : int
        Digits of the longest number.

    Returns
    -------
    int or None
        Font size in pixels; None if no readable number fits.
    """
    if cell < NUMBER_CELL:
        return None
    wide = _DIGIT * max(digits, 1)
    size = int(min(cell * 0.46, cell * 0.9 / wide, 28.0))
    if size < _SMALLEST_NUMBER and wide * _SMALLEST_NUMBER < cell - 1:
        return _SMALLEST_NUMBER  # better closely set than not at all
    return size if size >= _SMALLEST_NUMBER else None


def _up(number: float) -> int:
    return math.ceil(number - 1e-9)


def _down(number: float) -> int:
    return math.floor(number + 1e-9)
