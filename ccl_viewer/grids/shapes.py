"""Shapes of cells: boxes, lines, rectangles and ellipses, as spans of rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from ccl_viewer.grids.brush import Cells, brush_offsets, line_cells
from ccl_viewer.grids.grid import Grid

Cell: TypeAlias = tuple[int, int]
"""A cell as (x, y): column, then row."""

RowColumn: TypeAlias = tuple[int, int]
"""A cell as (y, x): row, then column; it may be outside the grid."""


@dataclass(frozen=True)
class Box:
    """A rectangle of cells; `bottom` and `right` are one past its last row and column.

    Parameters
    ----------
    top, left, bottom, right : int
        In cells; the box may reach beyond the grid.
    """

    top: int
    left: int
    bottom: int
    right: int

    @property
    def height(self) -> int:
        """Rows."""
        return self.bottom - self.top

    @property
    def width(self) -> int:
        """Columns."""
        return self.right - self.left

    @property
    def empty(self) -> bool:
        """Whether it has no cells."""
        return self.height <= 0 or self.width <= 0

    @property
    def slices(self) -> tuple[slice, slice]:
        """The slices that cut the box out of a grid that holds it."""
        return slice(self.top, self.bottom), slice(self.left, self.right)

    def holds(self, y: int, x: int) -> bool:
        """Return whether a cell is in the box."""
        return self.top <= y < self.bottom and self.left <= x < self.right

    def clipped(self, shape: tuple[int, ...]) -> Box:
        """Return the part inside a grid of shape (height, width); it may be empty."""
        height, width = shape
        return Box(
            max(self.top, 0), max(self.left, 0), min(self.bottom, height), min(self.right, width)
        )

    def extended_to(self, other: Box) -> Box:
        """Return the smallest box that holds this one and another."""
        top, left = min(self.top, other.top), min(self.left, other.left)
        return Box(top, left, max(self.bottom, other.bottom), max(self.right, other.right))

    def moved(self, dy: int, dx: int) -> Box:
        """Return the box moved down by `dy` rows and right by `dx` columns."""
        return Box(self.top + dy, self.left + dx, self.bottom + dy, self.right + dx)

    def shrunk(self, by: int) -> Box:
        """Return the box without a frame of `by` cells; it may be empty."""
        return Box(self.top + by, self.left + by, self.bottom - by, self.right - by)


@dataclass(frozen=True, eq=False)
class Spans:
    """Cells as spans of rows, which take little memory for large shapes.

    Parameters
    ----------
    rows, starts, stops : ndarray of int64, shape (n,)
        Row of each span, its first column, and the column after its last; spans do not overlap.
    """

    rows: Cells
    starts: Cells
    stops: Cells

    @property
    def size(self) -> int:
        """Number of cells."""
        return int((self.stops - self.starts).sum())

    def clipped(self, shape: tuple[int, ...]) -> Spans:
        """Return the part inside a grid of shape (height, width)."""
        height, width = shape
        starts, stops = np.maximum(self.starts, 0), np.minimum(self.stops, width)
        inside = (self.rows >= 0) & (self.rows < height) & (starts < stops)
        return Spans(self.rows[inside], starts[inside], stops[inside])

    def fill(self, grid: Grid, value: int) -> None:
        """Set the cells inside a grid to a value, in place."""
        inside = self.clipped(grid.shape)
        spans = zip(
            inside.rows.tolist(), inside.starts.tolist(), inside.stops.tolist(), strict=True
        )
        for y, start, stop in spans:
            grid[y, start:stop] = value

    def indices(self, shape: tuple[int, ...]) -> Cells:
        """Return the cells in a grid of shape (height, width) as ``y * width + x``, int64 (m,)."""
        inside = self.clipped(shape)
        lengths = inside.stops - inside.starts
        first = inside.rows * shape[1] + inside.starts
        before = np.cumsum(lengths) - lengths
        indices: Cells = np.arange(int(lengths.sum()), dtype=np.int64)
        indices += np.repeat(first - before, lengths)
        return indices


def box_between(
    start: RowColumn, end: RowColumn, *, square: bool = False, centred: bool = False
) -> Box:
    """Return the box that a drag from one cell to another spans, including both.

    Parameters
    ----------
    start, end : tuple of int
        Row and column where the drag began and where it is now.
    square : bool
        Make the box a square with the longer side.
    centred : bool
        Make the start the middle instead of a corner.
    """
    down, right = end[0] - start[0], end[1] - start[1]
    if square:
        side = max(abs(down), abs(right))
        down, right = (-side if down < 0 else side), (-side if right < 0 else side)
    first = (start[0] - down, start[1] - right) if centred else start
    last = (start[0] + down, start[1] + right)
    top, bottom = sorted((first[0], last[0]))
    left, far = sorted((first[1], last[1]))
    return Box(top, left, bottom + 1, far + 1)


def straighten(start: RowColumn, end: RowColumn) -> RowColumn:
    """Return the end of the horizontal, vertical or diagonal line nearest to a line."""
    down, right = end[0] - start[0], end[1] - start[1]
    if 2 * abs(down) < abs(right):
        return start[0], end[1]
    if 2 * abs(right) < abs(down):
        return end[0], start[1]
    side = max(abs(down), abs(right))
    return start[0] + (-side if down < 0 else side), start[1] + (-side if right < 0 else side)


def sweep_line(start: RowColumn, end: RowColumn, brush: int = 1) -> Spans:
    """Return the cells that a round brush covers along a straight line.

    Parameters
    ----------
    start, end : tuple of int
        Row and column of the first and the last cell.
    brush : int
        Diameter in cells.

    Raises
    ------
    InputError
        If the brush is too small or too large.
    """
    cells = line_cells(*start, *end)
    offsets = brush_offsets(brush)
    rows, low, high = _find_extent(cells)
    brush_rows, brush_low, brush_high = _find_extent(offsets)
    top = int(rows[0] + brush_rows[0])
    count = rows.size + brush_rows.size - 1
    starts = np.full(count, np.iinfo(np.int64).max)
    ends = np.full(count, np.iinfo(np.int64).min)
    # The rows of a line and of a brush have no gaps, so the rows of the sweep have none either.
    for index in range(brush_rows.size):
        at = slice(index, index + rows.size)
        np.minimum(starts[at], low + brush_low[index], out=starts[at])
        np.maximum(ends[at], high + brush_high[index], out=ends[at])
    return Spans(np.arange(top, top + count, dtype=np.int64), starts, ends + 1)


def make_rectangle(box: Box, border: int | None = None) -> Spans:
    """Return a rectangle.

    Parameters
    ----------
    box : Box
        The box that it fills.
    border : int or None
        Width of its border, inside the box, in cells; None fills the rectangle.
    """
    outer = _box_spans(box)
    return outer if border is None else _cut_hole(outer, _box_rows(box, box.shrunk(border)))


def make_ellipse(box: Box, border: int | None = None) -> Spans:
    """Return the ellipse that touches the four sides of a box.

    Parameters
    ----------
    box : Box
        The box that it fills.
    border : int or None
        Width of its border, inside the ellipse, in cells; None fills the ellipse.
    """
    outer = _ellipse_spans(box)
    if border is None:
        return outer
    small = box.shrunk(border - 1)
    if small.empty:
        return outer
    starts, stops = _box_rows(box, Box(small.top, 0, small.bottom, 0))
    within = slice(border - 1, border - 1 + small.height)
    starts[within], stops[within] = _drop_edge(_ellipse_spans(small))
    return _cut_hole(outer, (starts, stops))


def _drop_edge(spans: Spans) -> tuple[Cells, Cells]:
    """Return the bounds of one span per row without the cells that have a neighbour outside."""
    starts, stops = spans.starts, spans.stops
    edge = int(np.iinfo(np.int64).max)
    above, below = np.append(edge, starts[:-1]), np.append(starts[1:], edge)
    inner_starts = np.maximum(np.maximum(above, below), starts + 1)
    above, below = np.append(-edge, stops[:-1]), np.append(stops[1:], -edge)
    return inner_starts, np.minimum(np.minimum(above, below), stops - 1)


def _box_spans(box: Box) -> Spans:
    rows = np.arange(box.top, box.bottom, dtype=np.int64)
    return Spans(rows, np.full_like(rows, box.left), np.full_like(rows, box.right))


def _box_rows(box: Box, inner: Box) -> tuple[Cells, Cells]:
    """Return the bounds of an inner box in each row of a box; empty in rows without it."""
    rows = np.arange(box.top, box.bottom, dtype=np.int64)
    inside = (rows >= inner.top) & (rows < inner.bottom)
    return np.where(inside, inner.left, box.right), np.where(inside, inner.right, box.left)


def _ellipse_spans(box: Box) -> Spans:
    height, width = box.height, box.width
    down = 2.0 * np.arange(height) + 1 - height
    # Twice the distance from the middle, as for brushes, so that both are equally round.
    reach: npt.NDArray[np.float64] = width / height * np.sqrt(height**2 - down**2)
    widths = np.floor(reach + 1e-9).astype(np.int64)
    odd = (width - 1) % 2
    half = np.maximum(widths - (widths - odd) % 2, odd)
    half[(height - 1) // 2 : height // 2 + 1] = width - 1  # a flat ellipse touches the sides, too
    starts = box.left + (width - 1 - half) // 2
    rows = np.arange(box.top, box.bottom, dtype=np.int64)
    return Spans(rows, starts, box.left + box.right - starts)


def _cut_hole(outer: Spans, inner: tuple[Cells, Cells]) -> Spans:
    """Return the cells of one span per row outside the inner bounds of the row."""
    starts, stops = inner
    hollow = starts < stops
    rows = np.concatenate([outer.rows[~hollow], outer.rows[hollow], outer.rows[hollow]])
    return Spans(
        rows,
        np.concatenate([outer.starts[~hollow], outer.starts[hollow], stops[hollow]]),
        np.concatenate([outer.stops[~hollow], starts[hollow], outer.stops[hollow]]),
    )


def _find_extent(cells: Cells) -> tuple[Cells, Cells, Cells]:
    """Return the rows of cells, ascending, and the first and last column in each."""
    order = np.lexsort((cells[:, 1], cells[:, 0]))
    y, x = cells[order, 0], cells[order, 1]
    rows, first = np.unique(y, return_index=True)
    last = np.append(first[1:], y.size) - 1
    return rows, x[first], x[last]
