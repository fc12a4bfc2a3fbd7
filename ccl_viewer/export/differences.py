"""The part of a frame that differs from the one before: all that an animation must store."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

import numpy as np

from ccl_viewer.export.animation import Animation, FrameIndices

SAME: Final = 255
"""Index of unchanged pixels, which no frame uses itself."""


class FramePatch(NamedTuple):
    """A part of a frame.

    Parameters
    ----------
    left, top : int
        Its corner, in pixels of the frame.
    pixels : ndarray of uint8, shape (height, width)
        Palette indices; :data:`SAME` for unchanged pixels.
    """

    left: int
    top: int
    pixels: FrameIndices


def find_patches(animation: Animation, grain: int = 1) -> Iterator[tuple[FramePatch, int]]:
    """Paint an animation, and yield for each frame the smallest part with all differences.

    Parameters
    ----------
    animation : Animation
        The frames.
    grain : int
        The corners of the parts are multiples of this.

    Yields
    ------
    patch : FramePatch
        The whole first frame, then the changed parts. Without a change, a part is one pixel, or the
        smallest that the grain allows.
    duration : int
        Milliseconds that the frame is shown.
    """
    before: FrameIndices | None = None
    for frame, duration in zip(animation.frames(), animation.durations, strict=True):
        patch = FramePatch(0, 0, frame) if before is None else _make_patch(frame, before, grain)
        yield patch, duration
        before = frame


def _make_patch(frame: FrameIndices, before: FrameIndices, grain: int) -> FramePatch:
    differs = frame != before
    top, left, bottom, right = _find_bounds(differs)
    top, left = top - top % grain, left - left % grain
    part = (slice(top, bottom), slice(left, right))
    # Differs: 1 - 1 = 0, which lets the frame through. Equal: 0 - 1 wraps around to SAME.
    pixels = differs[part].view(np.uint8) - np.uint8(1)
    pixels |= frame[part]
    return FramePatch(left, top, pixels)


def _find_bounds(
    mask: np.ndarray[tuple[int, ...], np.dtype[np.bool_]],
) -> tuple[int, int, int, int]:
    """Return top, left, bottom and right of the true pixels; the first pixel if none is."""
    rows = np.flatnonzero(mask.any(axis=1))
    if rows.size == 0:
        return 0, 0, 1, 1
    top, bottom = int(rows[0]), int(rows[-1]) + 1
    columns = np.flatnonzero(mask[top:bottom].any(axis=0))
    return top, int(columns[0]), bottom, int(columns[-1]) + 1
