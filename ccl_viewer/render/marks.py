"""What is drawn over the cells of a frame: contours, structure, arrows and roots."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

import numpy as np
import numpy.typing as npt

from ccl_viewer.plan import LabelLayout, Part, Structure
from ccl_viewer.render import arrows, contours, structure
from ccl_viewer.render.inks import FramePalette
from ccl_viewer.render.overlay import Overlay, dashed
from ccl_viewer.render.structure import Window

LINES_FROM: Final = 8
"""Pixels a cell from which lines are drawn between cells, and the step before within them."""

MARKS_FROM: Final = 10
"""Pixels a cell from which changed cells are marked; smaller ones are lit up."""

ARROW_CELL: Final = 18
"""Pixels a cell from which arrows are drawn."""

SMALLEST_PART: Final = 10
"""Pixels that a part of a structure must be wide to be drawn."""

STROKES: Final[Mapping[Part, tuple[float, Sequence[float]]]] = MappingProxyType(
    {
        Part.BLOCK: (2.6, ()),
        Part.TILE: (3.4, ()),
        Part.STRIP: (2.6, (9, 3, 2, 3)),
        Part.WARP: (1.3, (4, 4)),
        Part.QUAD: (1.8, (1, 2)),
        Part.RUN: (1.6, ()),
    }
)
"""Width of the lines of each part, in pixels, and dashes, in widths of the line."""

HEAD: Final = 0.17
"""Length of the head of an arrow, in cells."""

ROOT: Final = 0.76
"""Diameter of the ring in a root, in cells."""

HALO_SIDE: Final = 16
"""Pixels that parts must be wide for their lines to be set off from the cells."""

RUN_INSET: Final = 0.05
"""How far inside its cells a capsule around a run lies, in cells."""

RUN_ROUND: Final = 0.3
"""Radius of its ends, in cells."""

SOFT_CONTOUR: Final = 8
"""Pixels a cell from which contours are set off from the cells; below, they are a pixel wide."""

SOLID_CONTOUR: Final = 4
"""Pixels a cell from which contours are solid."""

_CORNER: Final = 0.18
_SHARE: Final = 0.05
_FINER: Final = 0.5
_ROOMY: Final = 24
_CURVE_POINTS: Final = 9


@dataclass(frozen=True)
class Placing:
    """Where the cells of a grid lie in a frame.

    Parameters
    ----------
    scale : int
        Pixels a cell.
    left, top : int
        Corner of cell (0, 0), in pixels.
    """

    scale: int
    left: int
    top: int

    def at(self, cells: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Return places in cells, shape (..., 2) or (..., 4), as places in pixels."""
        corner = np.array([self.left, self.top] * (cells.shape[-1] // 2), np.float64)
        # Lines between cells are one pixel wide: their middle lies half a pixel on.
        return cells * float(self.scale) + corner + 0.5


def draw_contours(
    overlay: Overlay, placing: Placing, ids: npt.NDArray[np.int32], palette: FramePalette, ink: int
) -> None:
    """Draw the lines where areas of equal numbers meet.

    Parameters
    ----------
    overlay : Overlay
        Where to.
    placing : Placing
        Where cells lie.
    ids : ndarray of int32, shape (height, width)
        The number of each cell; 0 for none.
    palette : FramePalette
        Of the frame.
    ink : int
        Index of the colour of the lines in it.
    """
    lines = placing.at(contours.segments(ids).astype(np.float64))
    if placing.scale < SOFT_CONTOUR:
        overlay.strokes(lines, 1, ink)
        return
    width = contour_width(placing.scale)
    overlay.strokes(lines, width + 1.6, palette.halo)
    overlay.strokes(lines, width, ink)


def contour_width(scale: float) -> float:
    """Return the width of contours, in pixels."""
    return max(1.0, min(scale / 14, 2.4))


def contour_strength(scale: float) -> float:
    """Return how strongly contours are drawn over cells so large, from 0 to 1.

    Solid lines around smaller cells would leave nothing to be seen where components are small.
    """
    return 1.0 if scale >= SOLID_CONTOUR else 0.5


def draw_structures(
    overlay: Overlay,
    placing: Placing,
    image: npt.NDArray[np.uint8],
    structures: tuple[Structure, ...],
    layout: LabelLayout,
    palette: FramePalette,
) -> None:
    """Draw how a launch divides the grid, from the finest parts to the coarsest.

    Parameters
    ----------
    overlay : Overlay
        Where to.
    placing : Placing
        Where cells lie.
    image : ndarray of uint8, shape (height, width)
        The grid, which runs depend on.
    structures : tuple of Structure
        How the launch divides it.
    layout : LabelLayout
        Of the labels.
    palette : FramePalette
        Of the frame.
    """
    window: Window = (0, 0, layout.width, layout.height)
    for one, rank in reversed(structure.distinct(structures)):
        side = structure.smallest_side(one, layout) * placing.scale
        if side < SMALLEST_PART:
            continue
        if one.part is Part.RUN:
            boxes = structure.run_boxes(image, one, layout, window)
            _draw_runs(overlay, placing, boxes.astype(np.float64), palette)
            continue
        lines = placing.at(structure.lines_of(one, layout, window).astype(np.float64))
        width, dashes = stroke_of(one.part, side, rank)
        if side >= HALO_SIDE:
            overlay.strokes(lines, width + 2, palette.halo)
        pieces = dashed(lines, [length * width for length in dashes])
        overlay.strokes(pieces, width, palette.bold)


def stroke_of(part: Part, side: float, rank: int = 0) -> tuple[float, Sequence[float]]:
    """Return the width of the lines of parts, in pixels, and their dashes, in widths.

    Of several divisions into such parts, finer ones have finer lines.

    Parameters
    ----------
    part : Part
        What the parts are.
    side : float
        Pixels across the smaller side of one.
    rank : int
        How many coarser divisions into such parts there are.
    """
    width, dashes = STROKES[part]
    return max(1.0, min(width * _FINER**rank, side * _SHARE)), dashes


def draw_arrows(
    overlay: Overlay,
    placing: Placing,
    parents: npt.NDArray[np.int64],
    papers: npt.NDArray[np.uint8],
    palette: FramePalette,
) -> None:
    """Draw an arrow from each cell to its parent, and a ring in each root.

    Parameters
    ----------
    overlay : Overlay
        Where to.
    placing : Placing
        Where cells lie.
    parents : ndarray of int64, shape (height, width)
        Linear index of each cell's parent, -1 without.
    papers : ndarray of uint8, of the same shape
        Palette indices of the cells, which choose the colours.
    palette : FramePalette
        Of the frame.
    """
    own = np.arange(parents.size).reshape(parents.shape)
    points, roots = (parents >= 0) & (parents != own), parents == own
    found = arrows.curves(own[points], parents[points], parents.shape[1])
    shafts, heads = placing.at(along(found)), placing.at(arrows.heads(found, HEAD))
    thin = arrow_width(placing.scale)
    overlay.curves(shafts, thin + 2, palette.halo)
    overlay.polygons(heads, palette.halo, 2)
    colours = papers[points]
    for paper in np.unique(colours).tolist():
        ink = palette.arrow(paper)
        overlay.curves(shafts[colours == paper], thin, ink)
        overlay.polygons(heads[colours == paper], ink)
    y, x = np.divmod(own[roots], parents.shape[1])
    half = ROOT / 2
    boxes = np.stack([x + 0.5 - half, y + 0.5 - half, x + 0.5 + half, y + 0.5 + half], axis=1)
    for paper in np.unique(papers[roots]).tolist():
        chosen = placing.at(boxes[papers[roots] == paper])
        overlay.rings(chosen, thin, palette.number_ink(paper))


def arrow_width(scale: float) -> float:
    """Return the width of arrows, in pixels."""
    return max(1.4, min(scale / 26, 2.2))


def along(curves: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return points along quadratic curves, shape (curves, points, 2)."""
    t = np.linspace(0, 1, _CURVE_POINTS)[None, :, None]
    start, control, end = (curves[:, [place]] for place in range(3))
    found: npt.NDArray[np.float64] = (1 - t) ** 2 * start + 2 * t * (1 - t) * control + t**2 * end
    return found


def corner_of(scale: float) -> tuple[int, int]:
    """Return the side of the corner of a changed cell, and its distance from the cell's edges.

    There is one pixel around it that sets it off from the cell.
    """
    if scale < _ROOMY:
        return 3, 1  # clear of three digits
    return round(scale * _CORNER), 2


def _draw_runs(
    overlay: Overlay, placing: Placing, boxes: npt.NDArray[np.float64], palette: FramePalette
) -> None:
    inset = max(1.0, placing.scale * RUN_INSET)
    places = placing.at(boxes) + np.array([inset, inset, -inset, -inset])
    width, _ = stroke_of(Part.RUN, placing.scale)
    radius = placing.scale * RUN_ROUND
    if placing.scale >= HALO_SIDE:
        wider = places + np.array([-1, -1, 1, 1])
        overlay.capsules(wider, radius, width + 2, palette.halo)
    overlay.capsules(places, radius, width, palette.bold)
