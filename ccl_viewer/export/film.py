"""What a writer is given: frames of one size and one palette, painted one after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

FrameIndices: TypeAlias = npt.NDArray[np.uint8]


@dataclass(frozen=True, eq=False)
class Film:
    """A sequence of frames.

    Parameters
    ----------
    width, height : int
        Size of each frame in pixels.
    palette : ndarray of uint8, shape (256, 3)
        Colours of the indices; index 255 is not used by any frame.
    durations : tuple of int
        Milliseconds that each frame is shown; its length is the number of frames.
    frames : callable
        Paints the frames, one at a time; each is ``uint8`` of shape (height, width).
    """

    width: int
    height: int
    palette: npt.NDArray[np.uint8]
    durations: tuple[int, ...]
    frames: Callable[[], Iterator[FrameIndices]]


Writer: TypeAlias = Callable[[Film, Path], None]
"""Writes a film to a file, or into an empty folder."""
