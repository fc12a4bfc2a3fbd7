"""What a picture is made of: a list of simple shapes, which painters only play.

All places and sizes are in device pixels, from the top left corner of the picture. All colours are
packed as ``0xAARRGGBB``, as Qt has them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
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


def with_alpha(colour: Colour, alpha: float) -> Colour:
    """Return a colour with an opacity from 0 to 1."""
    return round(alpha * 255) << 24 | colour & 0xFFFFFF


def channels(colour: Colour) -> tuple[int, int, int, int]:
    """Return red, green, blue and alpha."""
    return colour >> 16 & 255, colour >> 8 & 255, colour & 255, colour >> 24


@dataclass(frozen=True, eq=False)
class Image:
    """Cells in colours of a table, each a box of whole pixels.

    Parameters
    ----------
    indices : ndarray of uint8, shape (rows, columns)
        Index of the colour of each cell.
    table : ndarray of uint32, shape (256,)
        Colours; some may be transparent.
    x, y : ndarray of int64, shapes (columns + 1,) and (rows + 1,)
        Where columns and rows begin and end, rising; parts may lie outside the picture.
    opaque : bool
        Whether no colour in use is transparent.
    """

    indices: npt.NDArray[np.uint8]
    table: Table
    x: Edges
    y: Edges
    opaque: bool = True

    @property
    def is_pixels(self) -> bool:
        """Whether every cell is one pixel."""
        rows, columns = self.indices.shape
        return bool(self.x[-1] - self.x[0] == columns and self.y[-1] - self.y[0] == rows)

    def pixels(self, width: int, height: int) -> tuple[npt.NDArray[np.uint8], int, int]:
        """Return the part within a picture, pixel by pixel, and where it belongs.

        Returns
        -------
        indices : ndarray of uint8, shape (rows of pixels, columns of pixels), C-contiguous
        left, top : int
        """
        left, right = max(int(self.x[0]), 0), min(int(self.x[-1]), width)
        top, bottom = max(int(self.y[0]), 0), min(int(self.y[-1]), height)
        if left >= right or top >= bottom:
            return np.empty((0, 0), np.uint8), 0, 0
        if self.is_pixels:
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
class Rects:
    """Boxes, filled, outlined or both. Without a radius their edges lie on whole pixels.

    Parameters
    ----------
    boxes : ndarray of float64, shape (boxes, 4)
        Left, top, right and bottom. An outline lies inside the box if there is no radius, else
        its middle is on the edge.
    fill, stroke : int or None
        Colours; None for none.
    width : float
        Of the outline.
    dash : tuple of float
        Lengths of dashes and gaps by turns; empty for whole lines.
    radius : float
        Of the corners; such boxes are smooth.
    """

    boxes: Points
    fill: Colour | None = None
    stroke: Colour | None = None
    width: float = 1.0
    dash: tuple[float, ...] = ()
    radius: float = 0.0


@dataclass(frozen=True, eq=False)
class Lines:
    """Straight lines.

    Parameters
    ----------
    segments : ndarray of float64, shape (segments, 4)
        x and y of both ends.
    dash : tuple of float
        Lengths of dashes and gaps by turns; empty for whole lines.
    cap : str
        How lines end.
    """

    segments: Points
    colour: Colour
    width: float = 1.0
    dash: tuple[float, ...] = ()
    cap: Literal["butt", "square", "round"] = "butt"


@dataclass(frozen=True, eq=False)
class Curves:
    """Quadratic curves with round ends.

    Parameters
    ----------
    points : ndarray of float64, shape (curves, 3, 2)
        x and y of start, control point and end.
    """

    points: Points
    colour: Colour
    width: float = 1.0


@dataclass(frozen=True, eq=False)
class Polygons:
    """Filled shapes; a stroke of the same colour makes them larger.

    Parameters
    ----------
    corners : ndarray of float64, shape (shapes, corners, 2)
    stroke : float
        Width of a line along the edges; 0 for none.
    """

    corners: Points
    fill: Colour
    stroke: float = 0.0


@dataclass(frozen=True, eq=False)
class Texts:
    """Words or numbers of one look.

    Parameters
    ----------
    places : ndarray of float64, shape (texts, 2)
        x and y; y is the middle of digits and capitals, :data:`BASELINE` above the base line.
    size : float
        Of the typeface.
    anchor : str
        Which part of a text lies at x.
    halo : int or None
        Colour of a rim of about a pixel that sets the text off from lines below it.
    """

    texts: tuple[str, ...]
    places: Points
    size: float
    colour: Colour
    anchor: Literal["left", "middle", "right"] = "middle"
    bold: bool = False
    halo: Colour | None = None


Item: TypeAlias = Image | Rects | Lines | Curves | Polygons | Texts


@dataclass(frozen=True, eq=False)
class Layer:
    """Shapes that belong together, the lowest first.

    The scene gives the same object again as long as nothing of it changes, so a painter may keep
    what it made of a layer.

    Parameters
    ----------
    name : str
        What it shows: "cells", "numbers", "legend"...
    volatile : bool
        Whether it follows the mouse, and is painted over what was painted before.
    """

    name: str
    items: tuple[Item, ...]
    volatile: bool = False


@dataclass(frozen=True, eq=False)
class DisplayList:
    """A picture.

    Parameters
    ----------
    background : int
        Colour of all that nothing is painted on.
    layers : tuple of Layer
        The lowest first.
    """

    width: int
    height: int
    background: Colour
    layers: tuple[Layer, ...] = field(default=())

    def __iter__(self) -> Iterator[Item]:
        """Yield all shapes, the lowest first."""
        for layer in self.layers:
            yield from layer.items

    def layer(self, name: str) -> Layer | None:
        """Return the layer of a name, if there is one."""
        return next((layer for layer in self.layers if layer.name == name), None)

    @cached_property
    def base(self) -> DisplayList:
        """The layers that do not follow the mouse."""
        return replace(self, layers=tuple(one for one in self.layers if not one.volatile))

    @cached_property
    def overlay(self) -> DisplayList:
        """The layers that follow the mouse."""
        return replace(self, layers=tuple(one for one in self.layers if one.volatile))


def boxes_of(boxes: Sequence[Sequence[float]] | npt.NDArray[Any]) -> Points:
    """Return boxes or segments as an array, shape (boxes, 4), even if there are none."""
    return np.asarray(boxes, np.float64).reshape(-1, 4)
