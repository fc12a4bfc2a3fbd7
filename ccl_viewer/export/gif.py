"""GIF animations, written frame by frame: memory does not grow with their number.

Pillow compresses each frame directly into the file. The container is written here, because Pillow's
writer keeps all frames in memory and drops repeated ones.
"""

from __future__ import annotations

import struct
from pathlib import Path
from typing import BinaryIO, Final

from ccl_viewer.export.animation import FrameIndices
from ccl_viewer.export.differences import SAME, FramePatch, find_patches
from ccl_viewer.export.job import ExportJob

_CONTROL: Final = b"!\xf9\x04"
_KEEP: Final = 1
_HAS_SAME: Final = 1
_BITS: Final = 8
_GLOBAL_PALETTE_256: Final = 0xF7
_LOOP_FOREVER: Final = b"\x21\xff\x0bNETSCAPE2.0\x03\x01\x00\x00\x00"
_END: Final = b"\x3b"


def write_gif(job: ExportJob, path: Path) -> int:
    """Write an animation that loops.

    Of each frame, only the part that differs from the one before is stored. In it, unchanged pixels
    are transparent, which gives the compressor long runs.

    Called as a :data:`~ccl_viewer.export.job.Writer`.

    Raises
    ------
    OSError
        If the file cannot be written.
    """
    animation = job.animation()
    with path.open("wb") as file:
        file.write(b"GIF89a")
        file.write(
            struct.pack("<HHBBB", animation.width, animation.height, _GLOBAL_PALETTE_256, 0, 0)
        )
        file.write(animation.palette.tobytes())
        file.write(_LOOP_FOREVER)
        for patch, duration in find_patches(animation):
            _put(file, patch, duration)
        file.write(_END)
    return len(animation.durations)


def _put(file: BinaryIO, patch: FramePatch, duration: int) -> None:
    height, width = patch.pixels.shape
    file.write(_CONTROL + struct.pack("<BHBB", _KEEP << 2 | _HAS_SAME, duration // 10, SAME, 0))
    file.write(b"," + struct.pack("<4HB", patch.left, patch.top, width, height, 0))
    file.write(bytes((_BITS,)))
    _compress(patch.pixels, file)
    file.write(b"\0")


def _compress(pixels: FrameIndices, file: BinaryIO) -> None:
    """Write pixels as Pillow's writers do; writing into a file releases Python's lock."""
    from PIL import Image, ImageFile

    picture = Image.fromarray(pixels)  # grey, so that its values are the indices
    # Pillow's public functions encode in memory, and keep the lock.
    tile = ImageFile._Tile("gif", (0, 0, *picture.size), 0, picture.mode)  # noqa: SLF001  (see above)
    ImageFile._save(picture, file, [tile])  # noqa: SLF001  (see above)
