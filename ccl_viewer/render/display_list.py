"""Pictures as lists of simple shapes, which painters draw.

All places and sizes are in device pixels, from the top left corner of the picture. All colours are
packed as ``0xAARRGGBB``, as in Qt.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

import numpy as np
import numpy.typing as npt
from numpy.lib.stride_tricks import sliding_window_view

Points: TypeAlias = npt.NDArray[np.float64]
Edges: TypeAlias = npt.NDArray[np.int64]
Table: TypeAlias = npt.NDArray[np.uint32]
"""Colours of palette indices, shape (256,)."""

Colour: TypeAlias = int
"""``0xAARRGGBB``."""

Measure: TypeAlias = Callable[[str, float], float]
"""Returns the width of a text in pixels, given its size."""

BASELINE: Final = 0.36
"""Distance from the middle of digits and capitals to the base line, in font sizes."""

HATCH: Final = 6
"""Distance of the lines of a :class:`Hatch` along a row or column, in half line widths."""


def with_alpha(colour: Colour, alpha: float) -> Colour:
    """Return a colour with an opacity from 0 to 1."""
    return round(alpha * 255) << 24 | colour & 0xFFFFFF


def channels(colour: Colour) -> tuple[int, int, int, int]:
    """Return red, green, blue and alpha."""
    return colour >> 16 & 255, colour >> 8 & 255, colour & 255, colour >> 24


@dataclass(frozen=True, eq=False)
class Image:
    """Cells in colours from a table, each a box of whole pixels."""

    indices: npt.NDArray[np.uint8]  # colours of cells, shape (rows, columns)
    table: Table  # some colours may be transparent
    x: Edges  # starts of columns, and end of the last; may be outside the picture
    y: Edges
    opaque: bool = True  # whether all used colours are opaque

    def visible_indices(self, width: int, height: int) -> tuple[npt.NDArray[np.uint8], int, int]:
        """Return the indices of the pixels inside a picture, C-contiguous, and their corner."""
        left, right = max(int(self.x[0]), 0), min(int(self.x[-1]), width)
        top, bottom = max(int(self.y[0]), 0), min(int(self.y[-1]), height)
        if left >= right or top >= bottom:
            return np.empty((0, 0), np.uint8), 0, 0
        sizes = int(self.x[-1] - self.x[0]), int(self.y[-1] - self.y[0])
        if sizes == self.indices.shape[::-1]:  # every cell is one pixel
            rows = slice(top - int(self.y[0]), bottom - int(self.y[0]))
            columns = slice(left - int(self.x[0]), right - int(self.x[0]))
            return np.ascontiguousarray(self.indices[rows, columns]), left, top
        across = _cell_of_pixels(self.x, left, right)
        down = _cell_of_pixels(self.y, top, bottom)
        return self.indices.take(across, axis=1).take(down, axis=0), left, top


def _cell_of_pixels(edges: Edges, start: int, end: int) -> npt.NDArray[np.int64]:
    inside = np.clip(edges, start, end)
    sizes = inside[1:] - inside[:-1]
    return np.repeat(np.arange(sizes.size), sizes)


@dataclass(frozen=True, eq=False)
class Hatch(Image):
    """Slanted lines over cells of index 1, each next to a line of another colour.

    These colours are the second and third of the table; the space between the lines is transparent.
    """

    thickness: int = 1  # half of a line's width along a row or column, in pixels
    opaque: bool = False

    def visible_indices(self, width: int, height: int) -> tuple[npt.NDArray[np.uint8], int, int]:
        marked, left, top = super().visible_indices(width, height)
        if not marked.size:
            return marked, left, top
        diagonals = np.arange(sum(marked.shape) - 1) + left + top
        lines = np.array([1, 1, 2, 2, 0, 0], np.uint8)[diagonals // self.thickness % HATCH]
        return marked * sliding_window_view(lines, marked.shape[1]), left, top


@dataclass(frozen=True, eq=False)
class Rects:
    """Boxes, filled, outlined or both.

    Without a radius, their edges are on whole pixels and the outline is inside the box. With a
    radius, they are smooth and the outline is centred on the edge.
    """

    boxes: Points  # shape (boxes, 4): left, top, right and bottom
    fill: Colour | None = None
    stroke: Colour | None = None
    width: float = 1.0  # of the outline
    radius: float = 0.0  # of the corners


@dataclass(frozen=True, eq=False)
class Lines:
    """Straight lines."""

    segments: Points  # shape (segments, 4): x and y of both ends
    colour: Colour
    width: float = 1.0
    dash: tuple[float, ...] = ()  # alternating lengths of dashes and gaps; empty for solid lines
    cap: Literal["butt", "square", "round"] = "butt"


@dataclass(frozen=True, eq=False)
class Curves:
    """Quadratic curves with round ends."""

    points: Points  # shape (curves, 3, 2): x and y of start, control point and end
    colour: Colour
    width: float = 1.0


@dataclass(frozen=True, eq=False)
class Polygons:
    """Filled shapes; a stroke of the same colour makes them larger."""

    corners: Points  # shape (shapes, corners, 2)
    fill: Colour
    stroke: float = 0.0  # width of a line along the edges


@dataclass(frozen=True, eq=False)
class Texts:
    """Texts or numbers of one style."""

    texts: tuple[str, ...]
    places: Points  # shape (texts, 2): x, and the middle of digits and capitals
    size: float  # of the typeface
    colour: Colour
    anchor: Literal["left", "middle", "right"] = "middle"  # part of a text at x
    bold: bool = False
    halo: Colour | None = None  # colour of a rim of about a pixel around the text


Item: TypeAlias = Image | Rects | Lines | Curves | Polygons | Texts


@dataclass(frozen=True, eq=False)
class Layer:
    """A group of shapes, the lowest first.

    The scene returns the same object as long as the layer does not change, so painters can cache
    painted layers.
    """

    name: str  # its content: "cells", "numbers", "legend"...
    items: tuple[Item, ...]


@dataclass(frozen=True, eq=False)
class DisplayList:
    """A picture: layers over a background, the lowest first."""

    width: int
    height: int
    background: Colour
    layers: tuple[Layer, ...] = ()

    def __iter__(self) -> Iterator[Item]:
        """Yield all shapes, the lowest first."""
        for layer in self.layers:
            yield from layer.items


def as_boxes(boxes: Sequence[Sequence[float]] | npt.NDArray[Any]) -> Points:
    """Return boxes or segments as an array, shape (boxes, 4), even if empty."""
    return np.asarray(boxes, np.float64).reshape(-1, 4)


def box_sides(boxes: Points) -> Points:
    """Return the sides of boxes as lines, shape (4 * boxes, 4)."""
    left, top, right, bottom = boxes.reshape(-1, 4).T
    above, below = (left, top, right, top), (left, bottom, right, bottom)
    sides = above, (right, top, right, bottom), below, (left, top, left, bottom)
    return np.concatenate([np.stack(side, axis=1) for side in sides])


def box_outlines(boxes: npt.NDArray[Any], width: float) -> npt.NDArray[Any]:
    """Return the outlines inside boxes as four boxes each, shape (4 * boxes, 4)."""
    left, top, right, bottom = boxes.T
    sides = (
        (left, top, right, np.minimum(top + width, bottom)),
        (left, np.maximum(bottom - width, top), right, bottom),
        (left, top, np.minimum(left + width, right), bottom),
        (np.maximum(right - width, left), top, right, bottom),
    )
    return np.concatenate([np.stack(side, axis=1) for side in sides])
