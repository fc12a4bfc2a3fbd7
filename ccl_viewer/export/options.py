"""The options of exports, for the window and the command line."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from ccl_viewer.errors import InputError
from ccl_viewer.recording.alignment import Granularity, Sync
from ccl_viewer.render.layers import CellColours, Layers

Numbers: TypeAlias = Literal["auto", "on", "off"]
Pictures: TypeAlias = Literal["png", "svg"]
LabelValues: TypeAlias = Literal["raw", "component"]
TableRows: TypeAlias = Literal["steps", "components"]

AUTO: Final = "auto"
"""Chooses the theme by format."""

FRAME_LAYERS: Final = Layers(colours=CellColours.TREE)
"""The default layers of exports, as the window shows them initially."""

MAX_RECORDINGS: Final = 4
"""Most runs side by side."""

MAX_SECONDS: Final = 600.0
"""Longest time for a frame, in seconds."""


@dataclass(frozen=True)
class ExportOptions:
    """The content and look of an export.

    Parameters
    ----------
    steps : slice, range or None
        Range of steps, of the first run if there are several; None for all.
    each : Granularity
        Every step, or the last of each iteration or level, or of each stage.
    fps : float or None
        Steps a second; animations other than videos round durations to 10 ms. None for the pace at
        which the window plays a run of this length.
    hold : float
        Seconds for the last frame.
    scale : int or None
        Pixels per cell; None for about 640 pixels on the longer side of a grid.
    layers : Layers
        What is drawn of the cells and over them.
    numbers : str
        ``"auto"`` writes numbers into cells that are large enough, ``"on"`` makes them large
        enough, ``"off"`` leaves them out. The layers say what the numbers are.
    caption : bool
        Whether there is a caption under each grid, or on a page.
    theme : str
        ``"dark"`` or ``"light"``; ``"auto"`` is dark, but on a page follows the reader's system.
    pin : tuple of int or None
        Column and row of a cell. Its component is outlined; with the layer for it, all other
        components are dimmed.
    follow : tuple of (int, int)
        Columns and rows of cells with paths to their roots drawn as arrows, for layers without all
        arrows.
    sync : Sync
        How recordings side by side are aligned.
    pictures : str
        Format of the files in a folder, ``"png"`` or ``"svg"``.
    labels : str or None
        Content of arrays: ``"raw"`` labels as the paper writes them, or the number of each cell's
        ``"component"``. With a value, a ``.png`` holds labels instead of a picture.
    table : str
        Rows of a table: ``"steps"``, or ``"components"`` as the reference finds them.

    Raises
    ------
    InputError
        If a number is out of its range.
    """

    steps: slice | range | None = None
    each: Granularity = Granularity.STEP
    fps: float | None = None
    hold: float = 2.0
    scale: int | None = None
    layers: Layers = FRAME_LAYERS
    numbers: Numbers = "auto"
    caption: bool = True
    theme: str = AUTO
    pin: tuple[int, int] | None = None
    follow: tuple[tuple[int, int], ...] = ()
    sync: Sync = Sync.STEP
    pictures: Pictures = "png"
    labels: LabelValues | None = None
    table: TableRows = "steps"

    def __post_init__(self) -> None:
        """Refuse numbers that no export can use."""
        if self.fps is not None and not (math.isfinite(self.fps) and self.fps > 0):
            raise InputError(f"An export shows more than 0 steps per second, not {self.fps:g}.")
        if not (math.isfinite(self.hold) and 0 <= self.hold <= MAX_SECONDS):
            raise InputError(
                f"The last frame is held for 0 to {MAX_SECONDS:g} seconds, not {self.hold:g}."
            )
        if self.scale is not None and self.scale < 1:
            raise InputError(f"A cell takes at least 1 pixel, not {self.scale}.")
