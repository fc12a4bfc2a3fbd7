"""Lines and shapes over cells: sizes from which they are drawn, widths, and places.

These are contours, arrows, changed cells, and a launch's divisions of the grid. Places are in
cells.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from ccl_viewer.execution.plan import LabelLayout, LaunchStructure, PartKind
from ccl_viewer.render.display_list import Colour, Edges, Points, Rects, with_alpha
from ccl_viewer.render.forest import Cells
from ccl_viewer.render.themes import CanvasColours
from ccl_viewer.support.units import counted

# Smallest size of a cell, in logical pixels, for each kind of mark
LINES_FROM: Final = 8.0  # between cells
CHANGED_ALPHA: Final = 0.6  # of outlines around changed cells, and of stripes
MARKS_FROM: Final = 5.0  # around changed cells; smaller ones have stripes
DOTS_BELOW: Final = 4.0  # if few cells changed, each has a dot
DOTS_SHARE: Final = 0.2  # of a picture; dots that would cover more of it are points
NUMBERS_FROM: Final = 16.0  # if they fit
ARROWS_FROM: Final = 18.0
CONTOUR_LINES_FROM: Final = 8.0  # with a halo; below, contours are a pixel wide
SOLID_CONTOURS_FROM: Final = 4.0  # below, they are faint, so that cells stay visible

# Smallest width of a structure's parts, in pixels
SMALLEST_PART: Final = 10.0  # to be drawn
HALO_SIDE: Final = 16.0  # for halos around its lines

# Lengths in cells
RUN_INSET: Final = 0.05  # distance of a capsule around a run from the edges of its cells
RUN_ROUND: Final = 0.3  # radius of its ends
DOT: Final = 0.2  # side of the quarter of a dot in the corner of a cell of a dotted colour
RIM: Final = 0.16  # width of the rim in the previous step's colour
HEAD: Final = 0.17  # length of the head of an arrow
ROOT: Final = 0.76  # height of the ring in a root
WIDE_ROOT: Final = 0.92  # its width if numbers have three digits or more
ARROW_START: Final = 0.3  # distance of an arrow's start from the middle of its cell
ARROW_END: Final = 0.41  # distance of its end from the middle of the parent, outside the ring

_STROKES: Final[Mapping[PartKind, tuple[float, tuple[float, ...]]]] = MappingProxyType(
    {
        PartKind.BLOCK: (2.6, ()),
        PartKind.TILE: (3.4, ()),
        PartKind.STRIP: (2.6, (6, 2, 1.5, 2)),
        PartKind.WARP: (1.3, (4, 4)),
        PartKind.QUAD: (1.8, (1, 2)),
        PartKind.RUN: (1.6, ()),
    }
)  # widths in pixels, dashes in widths
_SHARE: Final = 0.05
_FINER: Final = 0.5


@dataclass(frozen=True)
class LineStyle:
    """Style of a line: colour, width and dashes, in device pixels."""

    colour: Colour
    width: float
    dash: tuple[float, ...] = ()


def structure_line_styles(
    part: PartKind, side: float, rank: int, px: float, colours: CanvasColours
) -> tuple[LineStyle, ...]:
    """Return the lines of parts, the lowest first; small parts have fine lines without a halo."""
    width, dash = _STROKES[part]
    width = max(1.0, min(width * _FINER**rank, side * _SHARE)) * px
    line = LineStyle(colours.bold, width, tuple(length * width for length in dash))
    return (LineStyle(colours.halo, width + 2 * px), line) if side >= HALO_SIDE else (line,)


def contour_width(size: float) -> float:
    return max(1.0, min(size / 14, 2.4))


def arrow_width(size: float) -> float:
    return max(1.4, min(size / 26, 2.2))


def change_outlines(
    boxes: Points, px: float, size: float, colours: CanvasColours
) -> Iterator[Rects]:
    """Yield light outlines around the boxes of changed cells."""
    line = max(1, round(px * max(1.0, min(size / 24, 2.0))))
    yield Rects(boxes, stroke=with_alpha(colours.bold, CHANGED_ALPHA), width=line)
    if size >= LINES_FROM + 2:
        inner = boxes + np.array([line, line, -line, -line])
        yield Rects(inner, stroke=with_alpha(colours.halo, 0.55), width=max(1, round(px)))


Segments: TypeAlias = npt.NDArray[np.int64]
"""Shape (segments, 4): x and y of both ends, at corners of cells."""


def border_masks(ids: npt.NDArray[Any]) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """Return whether each cell and the one above it, or to its left, are in different areas.

    `ids` are the numbers of areas, shape (height, width); outside it is 0. The results have one
    more row or column, for the far edge of the grid.
    """
    padded = np.pad(ids, 1)
    above = padded[1:, 1:-1] != padded[:-1, 1:-1]
    left = padded[1:-1, 1:] != padded[1:-1, :-1]
    return above, left


def border_segments(ids: npt.NDArray[Any]) -> Segments:
    """Return the lines between areas, as from :func:`border_masks`, joined into long segments."""
    above, left = border_masks(ids)
    rows, starts, ends = find_runs(above)
    across = np.stack([starts, rows, ends, rows], axis=1)
    columns, starts, ends = find_runs(left.T)
    down = np.stack([columns, starts, columns, ends], axis=1)
    return np.concatenate([across, down])


def find_runs(
    cells: npt.NDArray[Any], cuts: npt.NDArray[np.bool_] | None = None
) -> tuple[Edges, ...]:
    """Return row, start and end (exclusive) of every run of one non-zero value in a row.

    A run also ends before a cell in `cuts`.
    """
    begins = np.ones((cells.shape[0], cells.shape[1] + 1), np.bool_)
    begins[:, 1:-1] = cells[:, 1:] != cells[:, :-1]
    if cuts is not None:
        begins[:, :-1] |= cuts
    rows, columns = np.nonzero(begins)
    runs = np.flatnonzero(rows[1:] == rows[:-1])
    runs = runs[cells[rows[runs], columns[runs]] != 0]
    return rows[runs], columns[runs], columns[runs + 1]


_STRAIGHT: Final = 1.5
_BEND: Final = 0.16
_MAX_BEND: Final = 1.4


def arrow_curves(cells: Cells, parents: Cells, width: int) -> Points:
    """Return a curve from each cell to its parent, which must be another cell.

    Neighbours are joined by a straight line. Longer arrows bend to one side, in proportion to their
    length, so that arrows of a row that point at one root do not overlap. The result, of shape
    (arrows, 3, 2), is as in :class:`~ccl_viewer.render.display_list.Curves`.
    """
    start, end = _middles(cells, width), _middles(parents, width)
    vector = end - start
    length = np.hypot(vector[:, 0], vector[:, 1])[:, None]
    ahead = vector / np.maximum(length, 1e-9)
    aside = np.stack([ahead[:, 1], -ahead[:, 0]], axis=1)
    bend = np.where(length > _STRAIGHT, np.minimum(_BEND * length, _MAX_BEND), 0.0)
    control = (start + end) / 2 + aside * bend
    return np.stack(
        [
            start + _unit_vectors(start, control) * ARROW_START,
            control,
            end - _unit_vectors(control, end) * ARROW_END,
        ],
        axis=1,
    )


def arrow_heads(curve: Points, size: float) -> Points:
    """Return the triangles at the tips of curves: tip and two other corners of each."""
    tip = curve[:, 2]
    ahead = _unit_vectors(curve[:, 1], tip)
    aside = np.stack([ahead[:, 1], -ahead[:, 0]], axis=1)
    base = tip - ahead * size
    return np.stack([tip, base + aside * size * 0.5, base - aside * size * 0.5], axis=1)


def _middles(cells: Cells, width: int) -> Points:
    y, x = np.divmod(cells, width)
    return np.stack([x, y], axis=1) + 0.5


def _unit_vectors(start: Points, end: Points) -> Points:
    vector = end - start
    return vector / np.maximum(np.hypot(vector[:, 0], vector[:, 1])[:, None], 1e-9)


TIMES: Final = "\N{MULTIPLICATION SIGN}"

Window: TypeAlias = tuple[int, int, int, int]
"""Cells from (left, top) to (right, bottom), ends excluded; padding is outside the grid."""

Boxes: TypeAlias = npt.NDArray[np.int64]
"""Shape (boxes, 4): left, top, right and bottom in cells, ends excluded."""

_NAMES: Final = {
    PartKind.BLOCK: "thread block",
    PartKind.WARP: "warp",
    PartKind.TILE: "tile",
    PartKind.STRIP: "strip",
    PartKind.RUN: "runs",
    PartKind.QUAD: "block",
}


def buffer_window(layout: LabelLayout) -> Window:
    """Return the cells of the label buffer, including padding, with the grid at (0, 0)."""
    right = layout.pitch - layout.margin
    beyond = right - layout.width  # the padding is as wide on the right as below
    return (-layout.margin, -layout.margin, right, layout.height + beyond)


def is_padded(layout: LabelLayout) -> bool:
    """Return whether the label buffer is larger than the grid."""
    return buffer_window(layout) != (0, 0, layout.width, layout.height)


def clip_window(window: Window, bounds: Window) -> Window:
    """Return the part of a window within bounds."""
    return (
        max(window[0], bounds[0]),
        max(window[1], bounds[1]),
        min(window[2], bounds[2]),
        min(window[3], bounds[3]),
    )


def structure_lines(structure: LaunchStructure, layout: LabelLayout, window: Window) -> Segments:
    """Return the visible borders between the parts of a structure."""
    left, top, right, bottom = clip_window(window, _find_worked_window(structure, layout))
    if left >= right or top >= bottom:
        return np.empty((0, 4), np.int64)
    if structure.linear:
        y, x = np.ogrid[top:bottom, left:right]
        parts = (y * layout.width + x) // (structure.width or layout.width) + 1
        linear: Segments = border_segments(parts) + np.array([left, top, left, top])
        return linear
    rows = _borders(structure.height, layout.height, top, bottom)
    columns = _borders(structure.width, layout.width, left, right)
    across, down = [[left, y, right, y] for y in rows], [[x, top, x, bottom] for x in columns]
    return np.array([*across, *down], np.int64).reshape(-1, 4)


def _borders(side: int | None, length: int, start: int, end: int) -> list[int]:
    """Return where parts along a side end, between `start` and `end`, inclusive."""
    positions = (*range(0, length, side or length), length)
    return [position for position in positions if start <= position <= end]


def smallest_side(structure: LaunchStructure, layout: LabelLayout) -> int:
    """Return the narrower side of a part in cells, which decides whether it is drawn."""
    if structure.linear:
        return max((structure.width or layout.width) // layout.width, 1)
    if structure.part is PartKind.RUN:
        return 1
    return min(structure.width or layout.width, structure.height or layout.height)


def run_boxes(
    image: npt.NDArray[np.uint8], structure: LaunchStructure, layout: LabelLayout, window: Window
) -> Boxes:
    """Return the visible runs of foreground, cut where the structure's parts end."""
    left, top, right, bottom = clip_window(window, (0, 0, layout.width, layout.height))
    if left >= right or top >= bottom:
        return np.empty((0, 4), np.int64)
    cells = image[top:bottom, left:right]
    y, x = np.ogrid[top:bottom, left:right]
    down = structure.width == 1 and structure.height != 1
    side = structure.height if down else structure.width
    places = y if down else y * layout.width + x if structure.linear else x
    cuts = np.broadcast_to(places % side == 0 if side else np.False_, cells.shape)
    if down:
        columns, starts, ends = find_runs(cells.T, cuts.T)
        sides = columns, starts, columns + 1, ends
    else:
        rows, starts, ends = find_runs(cells, cuts)
        sides = starts, rows, ends, rows + 1
    boxes: Boxes = np.stack(sides, axis=1) + np.array([left, top, left, top])
    return boxes


def _find_worked_window(structure: LaunchStructure, layout: LabelLayout) -> Window:
    """Return the cells that the launch works on: the whole grid, or one strip."""
    start, end = 0, layout.height
    if structure.only is not None and structure.height is not None:
        start = structure.only * structure.height
        end = min(start + structure.height, end)
    return (0, start, layout.width, end)


def structure_name(structure: LaunchStructure, *alike: LaunchStructure) -> str:
    """Return a part's name for the legend: "thread block 32 x 4", "tile 16 x 16, level 2".

    Structures with the same division are named with it: "tile = thread block 16 x 16".
    """
    width, height, only = structure.width, structure.height, structure.only
    name = " = ".join(dict.fromkeys(_NAMES[one.part] for one in (structure, *alike)))
    if structure.part is PartKind.RUN:
        cut = "" if width is None else f", cut every {width:,} cells"
        text = name + (" in columns" if width == 1 and height != 1 else cut)
    elif only is not None and height is not None:
        start = only * height
        rows = f"row {start:,}" if height == 1 else f"{height:,} rows from row {start:,}"
        text = f"{name} at work: {rows}"
    elif structure.linear:
        text = name if width is None else f"{name} of {width:,} consecutive cells"
    elif width is None and height is None:
        text = f"{name}: the whole grid"
    elif width is None:
        text = f"{name} of {counted(height or 0, 'row')}"
    elif height is None:
        text = f"{name} of {counted(width or 0, 'column')}"
    elif structure.part is PartKind.QUAD:
        text = f"block of {width:,} {TIMES} {height:,} cells"
    else:
        text = f"{name} {width:,} {TIMES} {height:,}"
    return text if structure.level is None else f"{text}, level {structure.level}"


def group_structures(
    structures: tuple[LaunchStructure, ...],
) -> list[tuple[list[LaunchStructure], int]]:
    """Group structures with the same division of the grid, and return the rank of each group.

    The rank is the number of coarser divisions into such parts, which have bolder lines.
    """
    groups: dict[object, list[LaunchStructure]] = {}
    for one in structures:
        shape = one.width, one.height, one.linear, one.level, one.only, one.part is PartKind.RUN
        groups.setdefault(shape, []).append(one)
    parts = [group[0].part for group in groups.values()]
    return [
        (group, parts[:index].count(parts[index])) for index, group in enumerate(groups.values())
    ]
