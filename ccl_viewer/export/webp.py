"""Lossless WebP animations, written frame by frame: memory does not grow with their number.

Pillow compresses each frame. The container is written here, because Pillow's writer keeps all
frames in memory and merges equal ones.
"""

from __future__ import annotations

import io
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Final

import numpy as np
import numpy.typing as npt

from ccl_viewer.errors import InputError
from ccl_viewer.export.differences import SAME, FramePatch, find_patches
from ccl_viewer.export.job import ExportJob

_ANIMATED: Final = 0x02
_TRANSPARENT: Final = 0x10
_OVER_AND_KEEP: Final = 0
_GRAIN: Final = 2
_EFFORT: Final = {"lossless": True, "quality": 0, "method": 1}
_IMAGE_CHUNKS: Final = (b"VP8L", b"VP8 ", b"ALPH")


def write_webp(job: ExportJob, path: Path) -> int:
    """Write an animation that loops and shows every colour exactly.

    Of each frame, only the part that differs from the one before is stored. In it, unchanged pixels
    are transparent.

    Called as a :data:`~ccl_viewer.export.job.Writer`.

    Raises
    ------
    InputError
        If Pillow was built without WebP.
    OSError
        If the file cannot be written.
    """
    from PIL import features

    if not features.check("webp"):
        raise InputError("This Pillow cannot write WebP: install another one, or export a .apng.")
    animation = job.animation()
    with path.open("wb") as file:
        file.write(b"RIFF\0\0\0\0WEBP")
        size = _u24(animation.width - 1) + _u24(animation.height - 1)
        _put(file, b"VP8X", bytes((_ANIMATED | _TRANSPARENT, 0, 0, 0)) + size)
        _put(file, b"ANIM", struct.pack("<IH", 0, 0))
        colours = _rgba(animation.palette)
        for patch, duration in find_patches(animation, _GRAIN):
            _put(file, b"ANMF", _image(patch, duration, colours))
        length = file.tell() - 8
        file.seek(4)
        file.write(struct.pack("<I", length))
    return len(animation.durations)


def _image(patch: FramePatch, duration: int, colours: npt.NDArray[np.uint8]) -> bytes:
    from PIL import Image

    left, top, pixels = patch
    height, width = pixels.shape
    encoded = io.BytesIO()
    Image.fromarray(colours[pixels]).save(encoded, "WEBP", **_EFFORT)
    geometry = _u24(left // 2) + _u24(top // 2) + _u24(width - 1) + _u24(height - 1)
    header = geometry + _u24(duration) + bytes((_OVER_AND_KEEP,))
    return header + b"".join(_chunks_of_image(encoded.getvalue()))


def _chunks_of_image(riff: bytes) -> Iterator[bytes]:
    """Yield the chunks of a still WebP picture that hold its pixels."""
    at = 12
    while at < len(riff):
        (length,) = struct.unpack_from("<I", riff, at + 4)
        end = at + 8 + length + length % 2
        if riff[at : at + 4] in _IMAGE_CHUNKS:
            yield riff[at:end]
        at = end


def _rgba(palette: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    rgba = np.full((256, 4), 255, np.uint8)
    rgba[:, :3] = palette
    rgba[SAME] = 0
    return rgba


def _u24(number: int) -> bytes:
    return number.to_bytes(3, "little")


def _put(file: BinaryIO, kind: bytes, data: bytes) -> None:
    file.write(kind + struct.pack("<I", len(data)) + data + b"\0" * (len(data) % 2))
