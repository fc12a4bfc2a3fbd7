"""Lines and shapes over a frame: drawn larger, and mixed into the palette indices below."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from ccl_viewer.render.inks import FramePalette

Frame: TypeAlias = npt.NDArray[np.uint8]
Points: TypeAlias = npt.NDArray[np.float64]

_NOTHING: Final = 255
_FINE: Final = 3
_FINE_PIXELS: Final = 4 << 20


@dataclass(frozen=True, eq=False)
class Stencil:
    """What an overlay covers, ready to be laid over frames.

    Parameters
    ----------
    places : ndarray of int64, shape (pixels,)
        Linear indices of the pixels that are covered, partly or wholly.
    solid : ndarray of uint8, shape (pixels,)
        Palette index of pixels of one colour; 255 for the others.
    colours : ndarray of float32, shape (pixels, 3)
        Share of the colour that the overlay gives.
    shares : ndarray of float32, shape (pixels,)
        Share of the pixel that is not covered.
    """

    places: npt.NDArray[np.int64]
    solid: npt.NDArray[np.uint8]
    colours: npt.NDArray[np.float32]
    shares: npt.NDArray[np.float32]

    def lay_over(self, frame: Frame, palette: FramePalette) -> None:
        """Change the pixels of a frame, contiguous and of the overlay's size, that are covered."""
        if not self.places.size:
            return
        flat = frame.reshape(-1)
        below = palette.rgb[flat[self.places]] * self.shares[:, None]
        nearest = palette.nearest(below + self.colours)
        flat[self.places] = np.where(self.solid == _NOTHING, nearest, self.solid)


class Overlay:
    """A surface as large as a frame, to draw on with the indices of a palette.

    Places and widths are in pixels of the frame.

    Parameters
    ----------
    height, width : int
        Size of the frame.
    smooth : bool
        Whether edges are antialiased.
    """

    def __init__(self, height: int, width: int, *, smooth: bool = True) -> None:
        from PIL import Image, ImageDraw

        fine = _FINE if height * width <= _FINE_PIXELS else 2
        self._fine = fine if smooth else 1
        self._size = (height, width)
        self._image = Image.new("L", (width * self._fine, height * self._fine), _NOTHING)
        self._draw = ImageDraw.Draw(self._image)

    def strokes(self, segments: Points, width: float, ink: int) -> None:
        """Draw lines across and down, each with square ends.

        Parameters
        ----------
        segments : ndarray of float64, shape (segments, 4)
            x and y of both ends.
        width : float
            Of the lines.
        ink : int
            Palette index.
        """
        fine = self._fine
        half = max(1, round(width * fine)) / 2
        for x0, y0, x1, y1 in np.rint(segments * fine - half).astype(np.int64).tolist():
            reach = max(1, round(width * fine)) - 1
            self._draw.rectangle((x0, y0, x1 + reach, y1 + reach), fill=ink)

    def curves(self, points: Points, width: float, ink: int) -> None:
        """Draw lines along points.

        Parameters
        ----------
        points : ndarray of float64, shape (lines, points, 2)
            x and y.
        width : float
            Of the lines.
        ink : int
            Palette index.
        """
        thick = max(1, round(width * self._fine))
        for line in (points * self._fine).tolist():
            flat = [coordinate for point in line for coordinate in point]
            self._draw.line(flat, fill=ink, width=thick, joint="curve")

    def polygons(self, corners: Points, ink: int, outline: float = 0.0) -> None:
        """Fill shapes; an outline makes them larger.

        Parameters
        ----------
        corners : ndarray of float64, shape (shapes, corners, 2)
            x and y.
        ink : int
            Palette index.
        outline : float
            Width of a line along the edges.
        """
        thick = round(outline * self._fine)
        for shape in (corners * self._fine).tolist():
            flat = [coordinate for point in shape for coordinate in point]
            self._draw.polygon(flat, fill=ink)
            if thick:
                self._draw.line([*flat, *flat[:4]], fill=ink, width=thick, joint="curve")

    def rings(self, boxes: Points, width: float, ink: int) -> None:
        """Draw ellipses, given by the boxes that they fill.

        Parameters
        ----------
        boxes : ndarray of float64, shape (rings, 4)
            Left, top, right and bottom of each, in pixels.
        width : float
            Of the line, in pixels.
        ink : int
            Index of its colour in the palette.
        """
        thick = max(1, round(width * self._fine))
        for box in (boxes * self._fine).tolist():
            self._draw.ellipse(box, outline=ink, width=thick)

    def capsules(self, boxes: Points, radius: float, width: float, ink: int) -> None:
        """Draw rounded boxes.

        Parameters
        ----------
        boxes : ndarray of float64, shape (boxes, 4)
            Left, top, right and bottom of each, in pixels.
        radius : float
            Of the corners, in pixels.
        width, ink
            As for :meth:`rings`.
        """
        thick = max(1, round(width * self._fine))
        for box in np.rint(boxes * self._fine).tolist():
            self._draw.rounded_rectangle(box, radius * self._fine, outline=ink, width=thick)

    def stencil(self, palette: FramePalette, strength: float = 1.0) -> Stencil:
        """Return what was drawn, in the colours of a palette; below 1, cells are seen through."""
        height, width = self._size
        fine = self._fine
        drawn = np.asarray(self._image).reshape(height, fine, width, fine)
        places = np.flatnonzero((drawn != _NOTHING).any(axis=(1, 3)))
        parts = drawn.swapaxes(1, 2)[np.divmod(places, width)].reshape(places.size, fine * fine)
        free = parts == _NOTHING
        colours = np.where(free[..., None], np.float32(0), palette.rgb[parts]).mean(
            axis=1, dtype=np.float32
        )
        same = (parts == parts[:, :1]).all(axis=1) & (strength == 1)
        solid = np.where(same, parts[:, 0], np.uint8(_NOTHING))
        covered = np.float32(strength) * (1 - free.mean(axis=1, dtype=np.float32))
        return Stencil(places, solid, colours * np.float32(strength), 1 - covered)


def dashed(segments: Points, dashes: Sequence[float]) -> Points:
    """Break lines across and down into dashes.

    Parameters
    ----------
    segments : ndarray of float64, shape (segments, 4)
        x and y of both ends, the smaller first.
    dashes : sequence of float
        Lengths, by turns of a dash and of the gap after it; empty for whole lines.

    Returns
    -------
    ndarray of float64, shape (pieces, 4)
    """
    if not dashes or not len(segments):
        return segments
    period = sum(dashes)
    pieces = []
    for x0, y0, x1, y1 in segments.tolist():
        length = (x1 - x0) + (y1 - y0)
        down = x1 == x0
        ends = np.cumsum(np.tile(np.array(dashes), int(length // period) + 1))
        starts, stops = np.concatenate([[0.0], ends[1:-1:2]]), np.minimum(ends[::2], length)
        for start, stop in zip(starts[starts < length], stops[starts < length], strict=True):
            pieces.append(
                (x0, y0 + start, x1, y0 + stop) if down else (x0 + start, y0, x0 + stop, y1)
            )
    return np.array(pieces, np.float64).reshape(-1, 4)
