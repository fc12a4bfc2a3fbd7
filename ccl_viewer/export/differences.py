"""What of a frame differs from the one before: all that an animation needs to store of it."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from ccl_viewer.export.film import FrameIndices

SAME: Final = 255
"""Index of pixels that are as they were; no frame uses it itself."""


class Patch(NamedTuple):
    """A part of a frame.

    Parameters
    ----------
    left, top : int
        Its corner, in pixels of the frame.
    pixels : ndarray of uint8, shape (height, width)
        Palette indices; :data:`SAME` where nothing changed.
    """

    left: int
    top: int
    pixels: FrameIndices


def patch_of(frame: FrameIndices, before: FrameIndices | None, grain: int = 1) -> Patch:
    """Return the smallest part that holds all differences.

    Parameters
    ----------
    frame, before : ndarray of uint8, shape (height, width)
        A frame, and the one before; None makes the whole frame the part.
    grain : int
        The corner is a multiple of this.

    Returns
    -------
    Patch
        One pixel, or as few as the grain allows, if nothing differs.
    """
    if before is None:
        return Patch(0, 0, np.ascontiguousarray(frame))
    differs = frame != before
    top, left, bottom, right = _bounds(differs)
    top, left = top - top % grain, left - left % grain
    part = (slice(top, bottom), slice(left, right))
    # What differs is 1, less 1 is 0, and lets the frame through; the rest wraps around to SAME.
    pixels = differs[part].view(np.uint8) - np.uint8(1)
    pixels |= frame[part]
    return Patch(left, top, pixels)


def _bounds(mask: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]) -> tuple[int, int, int, int]:
    """Return top, left, bottom and right of what is true; the first pixel if nothing is."""
    rows = np.flatnonzero(mask.any(axis=1))
    if rows.size == 0:
        return 0, 0, 1, 1
    top, bottom = int(rows[0]), int(rows[-1]) + 1
    columns = np.flatnonzero(mask[top:bottom].any(axis=0))
    return top, int(columns[0]), bottom, int(columns[-1]) + 1
