"""What the command line asks of the window; importing this imports no Qt, and no NumPy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ccl_viewer.grids.thresholds import Threshold


@dataclass(frozen=True)
class WindowOptions:
    """How the window begins.

    Parameters
    ----------
    source : str or None
        A picture, grid or recording file, or ``pattern:NAME?key=value``; None for the last choice.
    screenshot : Path or None
        Draw the window into this PNG file, without a display, and end.
    step : int or None
        Step to show, from 0 or from -1 backwards; None for the last.
    size : tuple of int or None
        Width and height of the window in pixels.
    algorithm : str or None
        Key of the algorithm; None for the last choice.
    connectivity : int or None
        4 or 8; None for the one of the algorithm's paper.
    parameters : mapping
        The algorithm's own parameters; those not given have their defaults.
    device, schedule : str
        As for :func:`ccl_viewer.devices.registry.open_device`.
    theme : str or None
        ``"dark"`` or ``"light"``; None for the last choice.
    threshold : float, "otsu" or None
        How grey values of `source` are divided, as for :func:`ccl_viewer.grids.load_image`.
    invert : bool
        Exchange foreground and background of `source`.
    large : bool
        Read `source` even if it takes gigabytes of memory.
    lesson : str or None
        Key or file of a lesson to open instead of `source`.
    """

    source: str | None = None
    screenshot: Path | None = None
    step: int | None = None
    size: tuple[int, int] | None = None
    algorithm: str | None = None
    connectivity: int | None = None
    parameters: Mapping[str, int | None] = field(default_factory=dict)
    device: str = "auto"
    schedule: str = "auto"
    theme: str | None = None
    threshold: Threshold = "otsu"
    invert: bool = False
    large: bool = False
    lesson: str | None = None
