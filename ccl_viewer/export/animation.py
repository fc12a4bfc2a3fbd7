"""The input of animation writers: frames of one size and palette, painted one by one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

FrameIndices: TypeAlias = npt.NDArray[np.uint8]


@dataclass(frozen=True, eq=False)
class Animation:
    """A sequence of frames.

    Parameters
    ----------
    width, height : int
        Size of each frame in pixels.
    palette : ndarray of uint8, shape (256, 3)
        Colours of the indices; index 255 is not used by any frame.
    durations : tuple of int
        Milliseconds that each frame is shown, multiples of 10; one for each frame.
    fps : float
        Requested frames per second, which a video can show exactly.
    hold : float
        Requested seconds for the last frame.
    frames : callable
        Paints the frames in turn; each is ``uint8`` of shape (height, width).
    """

    width: int
    height: int
    palette: npt.NDArray[np.uint8]
    durations: tuple[int, ...]
    fps: float
    hold: float
    frames: Callable[[], Iterator[FrameIndices]]
