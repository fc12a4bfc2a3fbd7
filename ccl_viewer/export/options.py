"""How recordings are exported: one object for the window and the command line."""

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
"""The theme that suits what is written."""

FRAME_LAYERS: Final = Layers(colours=CellColours.TREE)
"""What exports show unless told otherwise: what the window shows at first."""

MAX_RECORDINGS: Final = 4
"""Runs that fit side by side."""

MAX_SECONDS: Final = 600.0
"""Time that a frame may be shown."""


@dataclass(frozen=True)
class ExportOptions:
    """What is exported, and how it looks.

    Parameters
    ----------
    steps : slice, range or None
        Among which steps, of the first where runs stand side by side; None for all.
    each : Granularity
        Every step, or the last of each iteration or level, or of each stage.
    fps : float or None
        Steps a second; animations other than videos round their duration to 10 ms. None for the
        pace at which the window plays a run of as many steps.
    hold : float
        Seconds that the last frame is shown.
    scale : int or None
        Pixels a cell; None for about 640 pixels on the longer side of a grid.
    layers : Layers
        What is drawn of the cells and over them.
    numbers : str
        ``"auto"`` writes numbers into cells that are large enough, ``"on"`` makes them so,
        ``"off"`` leaves them out; what they say is up to the layers.
    caption : bool
        Whether there is a caption under each grid, or on a page at all.
    theme : str
        ``"dark"`` or ``"light"``; ``"auto"`` is dark, and for a page as its reader's system is.
    pin : tuple of int or None
        Column and row of a cell whose component is outlined, and alone not dimmed if the layers
        say so.
    follow : tuple of (int, int)
        Columns and rows of cells whose paths to their roots are drawn as arrows, where the layers
        do not show all arrows.
    sync : Sync
        How recordings side by side keep in step.
    pictures : str
        What a folder is filled with, ``"png"`` or ``"svg"``.
    labels : str or None
        What arrays hold, ``"raw"`` labels as the paper writes them or the number of each cell's
        ``"component"``; given for a ``.png``, this holds labels and is no picture.
    table : str
        What the rows of a table are, ``"steps"`` or ``"components"``, as the reference finds them.

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
        """Refuse numbers that nothing can be exported with."""
        if self.fps is not None and not (math.isfinite(self.fps) and self.fps > 0):
            raise InputError(f"An export shows more than 0 steps a second, not {self.fps:g}.")
        if not (math.isfinite(self.hold) and 0 <= self.hold <= MAX_SECONDS):
            raise InputError(
                f"The last frame is held for 0 to {MAX_SECONDS:g} seconds, not {self.hold:g}."
            )
        if self.scale is not None and self.scale < 1:
            raise InputError(f"A cell takes at least 1 pixel, not {self.scale}.")
