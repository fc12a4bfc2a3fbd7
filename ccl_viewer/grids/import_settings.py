"""Settings for turning a picture into a grid."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from ccl_viewer.grids.scaling import ScalingMethod
from ccl_viewer.grids.thresholds import Threshold

MAX_LEVELS = 64
"""Most grey levels that a picture is divided into."""

MAX_FACTOR = 64
"""Largest integer factor of scaling, up or down."""


class Channel(StrEnum):
    """Value of a pixel that is compared with the threshold."""

    LUMA = "luma"
    RED = "red"
    GREEN = "green"
    BLUE = "blue"
    ALPHA = "alpha"


class ImportKind(StrEnum):
    """How pixels become cells."""

    BINARY = "binary"
    LEVELS = "levels"
    VALUES = "values"


class BackgroundSegment(StrEnum):
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

    def clipped(self, size: tuple[int, int]) -> Crop:
        """Return the part inside a picture of this width and height, at least one pixel."""
        x, y = min(max(self.x, 0), size[0] - 1), min(max(self.y, 0), size[1] - 1)
        right, bottom = min(self.x + self.width, size[0]), min(self.y + self.height, size[1])
        return Crop(x, y, max(right - x, 1), max(bottom - y, 1))


@dataclass(frozen=True)
class ImportSettings:
    """How a picture becomes a grid.

    Parameters
    ----------
    kind : ImportKind
        ``BINARY`` divides by a threshold; ``LEVELS`` makes segments of ranges of grey; ``VALUES``
        makes a segment of each grey value or colour.
    channel : Channel
        The values that are used; ``VALUES`` uses all colour channels.
    threshold : float, "otsu" or None
        Values above it are foreground; ``"otsu"`` finds it by Otsu's method; None makes all values
        but 0 foreground.
    invert : bool
        Exchange foreground and background, or reverse the order of levels.
    levels : int
        Number of ranges, 2 to 64.
    background : BackgroundSegment
        Which segment is background: the darkest (0 or black), the commonest, or none.
    crop : Crop or None
        The part that is used; None for all.
    factor : int
        With 2 and above, each pixel becomes that many cells wide and high. With -2 and below, that
        many pixels per side become one cell. 1 and -1 keep the size.
    target : tuple of int or None
        Width and height of the grid, instead of `factor`.
    method : ScalingMethod
        How several pixels become one cell.
    """

    kind: ImportKind = ImportKind.BINARY
    channel: Channel = Channel.LUMA
    threshold: Threshold = "otsu"
    invert: bool = False
    levels: int = 4
    background: BackgroundSegment = BackgroundSegment.DARKEST
    crop: Crop | None = None
    factor: int = 1
    target: tuple[int, int] | None = None
    method: ScalingMethod = ScalingMethod.MAJORITY

    def crop_for(self, size: tuple[int, int]) -> Crop:
        """Return the used part of a picture of this width and height."""
        return Crop(0, 0, *size) if self.crop is None else self.crop.clipped(size)

    def result_size(self, size: tuple[int, int]) -> tuple[int, int]:
        """Return width and height of the grid made from a picture of this width and height."""
        box = self.crop_for(size)
        if self.target is not None:
            return self.target
        if self.factor > 1:
            return box.width * self.factor, box.height * self.factor
        side = max(-self.factor, 1)
        return -(-box.width // side), -(-box.height // side)
