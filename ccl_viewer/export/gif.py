"""GIF animations, written frame by frame: memory does not grow with their number.

Pillow compresses each frame; the container is written here, because Pillow's own writer keeps all
frames in memory and drops those that repeat the one before.
"""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Final

from ccl_viewer.export.differences import SAME, patch_of
from ccl_viewer.export.film import FrameIndices
from ccl_viewer.export.job import Job

FASTEST: Final = 20
"""Milliseconds of the shortest frame: browsers slow shorter ones down to 100."""

_KEEP: Final = 1
_GLOBAL_PALETTE_256: Final = 0xF7
_LOOP_FOREVER: Final = b"\x21\xff\x0bNETSCAPE2.0\x03\x01\x00\x00\x00"
_END: Final = b"\x3b"


def write_gif(job: Job, path: Path) -> int:
    """Write an animation that loops.

    Only the part of a frame that differs from the one before is stored, and within it the pixels
    that do not differ are transparent, which makes long runs for the compressor.

    Parameters
    ----------
    job : Job
        What to show.
    path : Path
        The file.

    Raises
    ------
    OSError
        If the file cannot be written.
    """
    film = job.film()
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
    return len(film.durations)


def _image(frame: FrameIndices, before: FrameIndices | None, duration: int) -> list[bytes]:
    from PIL import GifImagePlugin, Image

    left, top, pixels = patch_of(frame, before)
    picture = Image.fromarray(pixels)  # grey, and so its values are indices
    return GifImagePlugin.getdata(
        picture, (left, top), duration=duration, transparency=SAME, disposal=_KEEP
    )
