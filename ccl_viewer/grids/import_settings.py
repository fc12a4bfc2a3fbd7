"""The settings with which a picture becomes a grid."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from ccl_viewer.grids.scaling import Method

MAX_LEVELS = 64
"""Most grey levels into which a picture is divided."""

MAX_FACTOR = 64
"""Largest whole factor by which a picture is scaled, up or down."""


class Channel(StrEnum):
    """What of a pixel is compared with the threshold."""

    LUMA = "luma"
    RED = "red"
    GREEN = "green"
    BLUE = "blue"
    ALPHA = "alpha"


class Kind(StrEnum):
    """What becomes of pixels."""

    BINARY = "binary"
    LEVELS = "levels"
    VALUES = "values"


class Background(StrEnum):
    """Which segment of a multi-valued picture is background."""

    DARKEST = "darkest"
    COMMONEST = "commonest"
    NONE = "none"


@dataclass(frozen=True)
class Crop:
    """A part of a picture, in pixels.

    Parameters
    ----------
    x, y : int
        Column and row of its first pixel, from the picture's top left corner.
    width, height : int
        Its size.
    """

    x: int
    y: int
    width: int
    height: int

    def within(self, size: tuple[int, int]) -> Crop:
        """Return the part that lies in a picture of a width and height; one pixel at least."""
        x, y = min(max(self.x, 0), size[0] - 1), min(max(self.y, 0), size[1] - 1)
        right, bottom = min(self.x + self.width, size[0]), min(self.y + self.height, size[1])
        return Crop(x, y, max(right - x, 1), max(bottom - y, 1))


@dataclass(frozen=True)
class ImportSettings:
    """How a picture becomes a grid.

    Parameters
    ----------
    kind : Kind
        ``BINARY`` divides by a threshold; ``LEVELS`` makes segments of ranges of grey; ``VALUES``
        makes a segment of each grey value or colour.
    channel : Channel
        What is looked at; of colours, ``VALUES`` looks at all.
    threshold : float or None
        Values above it are foreground; None has Otsu's method find it.
    invert : bool
        Exchange foreground and background, or turn the order of levels about.
    levels : int
        Number of ranges, 2 to 64.
    background : Background
        Which segment is background: the darkest (0 or black), the commonest, or none.
    crop : Crop or None
        The part that is used; None for all.
    factor : int
        2 and above makes each pixel that many cells wide and high, -2 and below makes a cell of
        that many pixels; 1 and -1 keep the size.
    target : tuple of int or None
        Width and height of the grid, instead of `factor`.
    method : Method
        Which pixel counts where several become one cell.
    """

    kind: Kind = Kind.BINARY
    channel: Channel = Channel.LUMA
    threshold: float | None = None
    invert: bool = False
    levels: int = 4
    background: Background = Background.DARKEST
    crop: Crop | None = None
    factor: int = 1
    target: tuple[int, int] | None = None
    method: Method = Method.MAJORITY

    def box(self, size: tuple[int, int]) -> Crop:
        """Return the part of a picture of this width and height that is used."""
        return Crop(0, 0, *size) if self.crop is None else self.crop.within(size)

    def result_size(self, size: tuple[int, int]) -> tuple[int, int]:
        """Return width and height of the grid that a picture of this width and height becomes."""
        box = self.box(size)
        if self.target is not None:
            return self.target
        if self.factor > 1:
            return box.width * self.factor, box.height * self.factor
        side = max(-self.factor, 1)
        return -(-box.width // side), -(-box.height // side)
