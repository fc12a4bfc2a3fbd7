"""GIF animations, written frame by frame: memory does not grow with their number.

Pillow compresses each frame; the container is written here, because Pillow's own writer keeps all
frames in memory and drops those that repeat the one before.
"""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Final

import numpy as np

from ccl_viewer.export.film import Film, FrameIndices

FASTEST: Final = 20
"""Milliseconds of the shortest frame: browsers slow shorter ones down to 100."""

_SAME: Final = 255
_KEEP: Final = 1
_GLOBAL_PALETTE_256: Final = 0xF7
_LOOP_FOREVER: Final = b"\x21\xff\x0bNETSCAPE2.0\x03\x01\x00\x00\x00"
_END: Final = b"\x3b"


def write_gif(film: Film, path: Path) -> None:
    """Write an animation that loops.

    Only the part of a frame that differs from the one before is stored, and within it the pixels
    that do not differ are transparent, which makes long runs for the compressor.

    Parameters
    ----------
    film : Film
        Its durations are multiples of 10 ms.
    path : Path
        The file.

    Raises
    ------
    OSError
        If the file cannot be written.
    """
    with path.open("wb") as file:
        file.write(b"GIF89a")
        file.write(struct.pack("<HHBBB", film.width, film.height, _GLOBAL_PALETTE_256, 0, 0))
        file.write(film.palette.tobytes())
        file.write(_LOOP_FOREVER)
        before: FrameIndices | None = None
        for frame, duration in zip(film.frames(), film.durations, strict=True):
            for block in _image(frame, before, duration):
                file.write(block)
            before = frame
        file.write(_END)


def _image(frame: FrameIndices, before: FrameIndices | None, duration: int) -> list[bytes]:
    from PIL import GifImagePlugin, Image

    top, left, pixels = 0, 0, frame
    if before is not None:
        differs = frame != before
        top, left, bottom, right = _bounds(differs)
        part = (slice(top, bottom), slice(left, right))
        pixels = np.where(differs[part], frame[part], np.uint8(_SAME))
    picture = Image.fromarray(np.ascontiguousarray(pixels))  # grey, and so its values are indices
    return GifImagePlugin.getdata(
        picture, (left, top), duration=duration, transparency=_SAME, disposal=_KEEP
    )


def _bounds(mask: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]) -> tuple[int, int, int, int]:
    """Return top, left, bottom and right of what is true; the first pixel if nothing is."""
    rows = np.flatnonzero(mask.any(axis=1))
    columns = np.flatnonzero(mask.any(axis=0))
    if rows.size == 0:
        return 0, 0, 1, 1
    return int(rows[0]), int(columns[0]), int(rows[-1]) + 1, int(columns[-1]) + 1
