"""What a picture is made of: a list of simple shapes, which painters only play.

All places and sizes are in device pixels, from the top left corner of the picture. All colours are
packed as ``0xAARRGGBB``, as Qt has them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

Points: TypeAlias = npt.NDArray[np.float64]
Edges: TypeAlias = npt.NDArray[np.int64]
Table: TypeAlias = npt.NDArray[np.uint32]
"""Colours of palette indices, shape (256,)."""

Colour: TypeAlias = int
"""``0xAARRGGBB``."""

Measure: TypeAlias = Callable[[str, float], float]
"""Returns how wide a text is in a size, in pixels."""

BASELINE: Final = 0.36
"""From the middle of digits and capitals to their base line, in sizes of the typeface."""

HATCH: Final = 6
"""From one line of a :class:`Hatch` to the next along a row or column, in half widths of a line."""


def with_alpha(colour: Colour, alpha: float) -> Colour:
    """Return a colour with an opacity from 0 to 1."""
    return round(alpha * 255) << 24 | colour & 0xFFFFFF


def channels(colour: Colour) -> tuple[int, int, int, int]:
    """Return red, green, blue and alpha."""
    return colour >> 16 & 255, colour >> 8 & 255, colour & 255, colour >> 24


@dataclass(frozen=True, eq=False)
class Image:
    """Cells in colours of a table, each a box of whole pixels."""

    indices: npt.NDArray[np.uint8]  # shape (rows, columns), of the colours of cells
    table: Table  # some colours may be transparent
    x: Edges  # where columns begin, and where the last ends; parts may lie outside the picture
    y: Edges
    opaque: bool = True  # whether no colour in use is transparent

    def pixels(self, width: int, height: int) -> tuple[npt.NDArray[np.uint8], int, int]:
        """Return the indices of the pixels within a picture, C-contiguous, and their corner."""
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
    """Slanted lines over cells of index 1, each with a line of another colour beside it.

    These colours are the second and third of the table; between the lines nothing is painted.
    """

    thickness: int = 1  # half of a line's along a row or column, in pixels
    opaque: bool = False

    def pixels(self, width: int, height: int) -> tuple[npt.NDArray[np.uint8], int, int]:
        marked, left, top = super().pixels(width, height)
        rows, columns = np.ogrid[: marked.shape[0], : marked.shape[1]]
        line = (rows + columns + left + top) // self.thickness % HATCH
        return marked * np.array([1, 1, 2, 2, 0, 0], np.uint8)[line], left, top


@dataclass(frozen=True, eq=False)
class Rects:
    """Boxes, filled, outlined or both.

    Without a radius their edges lie on whole pixels, and an outline lies inside the box; with one
    they are smooth, and the middle of the outline is on the edge.
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
    dash: tuple[float, ...] = ()  # lengths of dashes and gaps by turns; empty for whole lines
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
    """Words or numbers of one look."""

    texts: tuple[str, ...]
    places: Points  # shape (texts, 2): x, and the middle of digits and capitals
    size: float  # of the typeface
    colour: Colour
    anchor: Literal["left", "middle", "right"] = "middle"  # which part of a text lies at x
    bold: bool = False
    halo: Colour | None = None  # of a rim of about a pixel that sets the text off


Item: TypeAlias = Image | Rects | Lines | Curves | Polygons | Texts


@dataclass(frozen=True, eq=False)
class Layer:
    """Shapes that belong together, the lowest first.

    The scene gives the same object again as long as nothing of it changes, so a painter may keep
    what it made of a layer.
    """

    name: str  # what it shows: "cells", "numbers", "legend"...
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


def boxes_of(boxes: Sequence[Sequence[float]] | npt.NDArray[Any]) -> Points:
    """Return boxes or segments as an array, shape (boxes, 4), even if there are none."""
    return np.asarray(boxes, np.float64).reshape(-1, 4)


def sides_of(boxes: Points) -> Points:
    """Return the sides of boxes as lines, shape (4 * boxes, 4)."""
    left, top, right, bottom = boxes.reshape(-1, 4).T
    above, below = (left, top, right, top), (left, bottom, right, bottom)
    sides = above, (right, top, right, bottom), below, (left, top, left, bottom)
    return np.concatenate([np.stack(side, axis=1) for side in sides])


def outlines_of(boxes: npt.NDArray[Any], width: float) -> npt.NDArray[Any]:
    """Return the outlines inside boxes as boxes of a width, shape (4 * boxes, 4)."""
    left, top, right, bottom = boxes.T
    sides = (
        (left, top, right, np.minimum(top + width, bottom)),
        (left, np.maximum(bottom - width, top), right, bottom),
        (left, top, np.minimum(left + width, right), bottom),
        (np.maximum(right - width, left), top, right, bottom),
    )
    return np.concatenate([np.stack(side, axis=1) for side in sides])
