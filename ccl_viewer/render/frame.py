"""Whole frames for export: one grid or several side by side, each with a caption under it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
import numpy.typing as npt

from ccl_viewer.errors import InputError
from ccl_viewer.recording import Recording
from ccl_viewer.render.cells import Cells
from ccl_viewer.render.inks import FramePalette
from ccl_viewer.render.layers import COLOURS_MEAN, CellColours, Layers
from ccl_viewer.render.marks import SMALLEST_PART
from ccl_viewer.render.numbers import number_size, readable_scale
from ccl_viewer.render.strip import PAD, Strip
from ccl_viewer.render.themes import canvas_theme
from ccl_viewer.render.tile import Tile

_TARGET: Final = 640
_TARGET_BESIDE: Final = 480
_LARGEST_CELL: Final = 56
_NARROWEST: Final = 440  # so that captions of the usual length fit without being broken
_NARROWEST_BESIDE: Final = 320
_WIDE: Final = 2
_COLUMNS: Final = {1: 1, 2: 2, 3: 3, 4: 2}


@dataclass(frozen=True)
class FrameStyle:
    """How frames look.

    Parameters
    ----------
    scale : int or None
        Pixels a cell; None for about 640 pixels on the longer side of a grid, 480 side by side.
    theme : str
        ``"dark"`` or ``"light"``.
    caption : bool
        Whether there are captions.
    numbers : str
        ``"auto"`` writes numbers where they can be read, ``"on"`` makes cells large enough for
        them, ``"off"`` leaves them out.
    layers : Layers
        What is drawn of the cells and over them.
    pin : tuple of int or None
        Column and row of a cell whose component is pinned.
    follow : tuple of (int, int)
        Columns and rows of cells whose ways to their roots are drawn where not all arrows are.
    """

    scale: int | None = None
    theme: str = "dark"
    caption: bool = True
    numbers: Literal["auto", "on", "off"] = "auto"
    layers: Layers = Layers(changed=False)  # noqa: RUF009 (it is immutable)
    pin: tuple[int, int] | None = None
    follow: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True)
class Spot:
    """Where a grid stands in a frame, in pixels.

    Parameters
    ----------
    left, top : int
        Its corner.
    side, below : int
        Corner of its caption.
    """

    left: int
    top: int
    side: int
    below: int


def auto_scale(height: int, width: int, target: int = _TARGET) -> int:
    """Return the pixels a cell that make the longer side about 640 pixels, or another target."""
    return min(_LARGEST_CELL, max(1, target // max(height, width)))


class FrameRenderer:
    """Paints recordings as frames of one size and one palette.

    Parameters
    ----------
    recordings : sequence of Recording
        The runs, side by side.
    frames : sequence of tuple of int
        Of each frame, the step of each recording.
    style : FrameStyle or None
        How they look.

    Raises
    ------
    InputError
        If there is no such theme, the scale is below 1, or numbers cannot be read as asked for.

    Attributes
    ----------
    tiles : list of Tile
        The grids.
    strips : list of Strip
        Their captions; empty without.
    """

    def __init__(
        self,
        recordings: Sequence[Recording],
        frames: Sequence[Sequence[int]],
        style: FrameStyle | None = None,
    ) -> None:
        style = FrameStyle() if style is None else style
        layers = style.layers
        self._frames = frames
        self._palette = FramePalette(canvas_theme(style.theme), layers.colours, layers.strength)
        scale = _scale(recordings, style)
        self.tiles = [_tile(recording, style, scale, self._palette) for recording in recordings]
        self._grid = (
            max(tile.size[0] for tile in self.tiles),
            max(tile.size[1] for tile in self.tiles),
        )
        alone = len(recordings) == 1
        self._margin = PAD if style.caption or not alone else 0
        narrowest = _NARROWEST if alone else _NARROWEST_BESIDE
        self._width = max(self._grid[1], narrowest) if style.caption else self._grid[1]
        self.strips: list[Strip] = []
        if style.caption:
            self.strips = [
                self._strip(recording, [frame[place] for frame in frames], layers, scale)
                for place, recording in enumerate(recordings)
            ]
        self._columns = _columns(len(recordings), *self._grid)

    def _strip(
        self, recording: Recording, steps: Sequence[int], layers: Layers, scale: int
    ) -> Strip:
        parts = SMALLEST_PART / scale if layers.structure else None
        usual = layers.colours is CellColours.LABEL
        said = "" if usual else COLOURS_MEAN[layers.colours]
        return Strip(recording, steps, self._width, self._palette, parts, said)

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of the frames, in pixels."""
        rows = -(-len(self.tiles) // self._columns)
        down, across = self._box
        margin = self._margin
        return self._columns * across - (self._columns - 1) * margin, rows * down - (
            rows - 1
        ) * margin

    @property
    def palette(self) -> npt.NDArray[np.uint8]:
        """Colours of the indices, ``uint8`` of shape (256, 3)."""
        return self._palette.rgb

    @property
    def canvas(self) -> int:
        """Index of the colour around the grids."""
        return self._palette.canvas

    def indices(self, number: int) -> npt.NDArray[np.uint8]:
        """Paint a frame.

        Parameters
        ----------
        number : int
            Which, from 0.

        Returns
        -------
        ndarray of uint8, shape (height, width)
            Indices into :attr:`palette`.
        """
        steps = self._frames[number]
        if not self._margin:
            return self.tiles[0].paint(steps[0])
        width, height = self.size
        frame = np.full((height, width), self._palette.canvas, np.uint8)
        for spot, tile, step in zip(self.spots, self.tiles, steps, strict=True):
            rows, columns = tile.size
            frame[spot.top : spot.top + rows, spot.left : spot.left + columns] = tile.paint(step)
        for spot, strip, step in zip(self.spots, self.strips, steps, strict=False):
            strip.put(frame[spot.below :, spot.side : spot.side + self._width], step)
        return frame

    @property
    def spots(self) -> tuple[Spot, ...]:
        """Where the grids stand."""
        down, across = self._box
        margin = self._margin
        found = []
        for place, tile in enumerate(self.tiles):
            row, column = divmod(place, self._columns)
            top = row * (down - margin) + margin
            side = column * (across - margin) + margin
            left = side + (self._width - tile.size[1]) // 2
            found.append(Spot(left, top, side, top + self._grid[0]))
        return tuple(found)

    @property
    def _box(self) -> tuple[int, int]:
        """Height and width of a grid with its caption, and what is left free around them."""
        strip = max((strip.height for strip in self.strips), default=0)
        return self._grid[0] + strip + 2 * self._margin, self._width + 2 * self._margin


def _tile(recording: Recording, style: FrameStyle, scale: int, palette: FramePalette) -> Tile:
    cells = Cells(recording, style.layers, style.pin, style.follow)
    return Tile(cells, style.layers, scale, palette, numbers=style.numbers != "off")


def _columns(count: int, height: int, width: int) -> int:
    """Return how many grids stand beside each other: wide ones stand below each other."""
    return 1 if width > _WIDE * height else _COLUMNS[count]


def _scale(recordings: Sequence[Recording], style: FrameStyle) -> int:
    target = _TARGET if len(recordings) == 1 else _TARGET_BESIDE
    shapes = [(recording.layout.height, recording.layout.width) for recording in recordings]
    auto = min(auto_scale(height, width, target) for height, width in shapes)
    if style.scale is not None and style.scale < 1:
        raise InputError(f"A cell takes at least 1 pixel, not {style.scale}.")
    if style.numbers != "on":
        return auto if style.scale is None else style.scale
    least = max(readable_scale(recording.layout) for recording in recordings)
    if style.scale is None:
        return max(least, auto)
    if any(number_size(style.scale, recording.layout) is None for recording in recordings):
        raise InputError(
            f"Numbers cannot be read in cells of {style.scale} pixels: choose a scale of {least} "
            "or more, or leave the numbers out."
        )
    return style.scale
