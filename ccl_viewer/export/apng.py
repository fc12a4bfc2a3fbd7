"""APNG animations, written frame by frame: memory does not grow with their number.

zlib compresses each frame. The chunks are written here, because Pillow's writer keeps all frames in
memory and merges equal ones.
"""

from __future__ import annotations

import struct
import zlib
from pathlib import Path
from typing import BinaryIO, Final

import numpy as np

from ccl_viewer.export.animation import Animation, FrameIndices
from ccl_viewer.export.differences import SAME, find_patches
from ccl_viewer.export.job import ExportJob

_SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"
_PALETTE_OF_8_BITS: Final = (8, 3, 0, 0, 0)
_KEEP: Final = 0
_OVER: Final = 1
_EFFORT: Final = 6


def write_apng(job: ExportJob, path: Path) -> int:
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
        file.write(_SIGNATURE)
        _put(
            file,
            b"IHDR",
            struct.pack(">II5B", animation.width, animation.height, *_PALETTE_OF_8_BITS),
        )
        _put(file, b"acTL", struct.pack(">II", len(animation.durations), 0))
        _put(file, b"PLTE", animation.palette.tobytes())
        _put(file, b"tRNS", b"\xff" * SAME + b"\0")
        _Frames(file).write(animation)
        _put(file, b"IEND", b"")
    return len(animation.durations)


class _Frames:
    """Writes frames, whose chunks are numbered throughout the file."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._chunks = 0

    def write(self, animation: Animation) -> None:
        for number, ((left, top, pixels), duration) in enumerate(find_patches(animation)):
            height, width = pixels.shape
            geometry = struct.pack(">4I", width, height, left, top)
            self._put(b"fcTL", geometry + struct.pack(">HHBB", duration // 10, 100, _KEEP, _OVER))
            data = zlib.compress(_filter_rows(pixels), _EFFORT)
            if number == 0:
                _put(self._file, b"IDAT", data)
            else:
                self._put(b"fdAT", data)

    def _put(self, kind: bytes, data: bytes) -> None:
        """Write a chunk that has a sequence number."""
        _put(self._file, kind, struct.pack(">I", self._chunks) + data)
        self._chunks += 1


def _filter_rows(pixels: FrameIndices) -> bytes:
    """Return rows as PNG stores them; indices are best left unfiltered (filter 0)."""
    return np.pad(pixels, ((0, 0), (1, 0))).tobytes()


def _put(file: BinaryIO, kind: bytes, data: bytes) -> None:
    check = zlib.crc32(data, zlib.crc32(kind))
    file.write(struct.pack(">I", len(data)) + kind + data + struct.pack(">I", check))
