"""The frames of an export as its preview shows them, packed so that thousands fit in memory."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from ccl_viewer.export.job import ExportJob

Pixels: TypeAlias = npt.NDArray[np.uint8]

SIDE: Final = 960
"""Longest side of a frame that is kept, in pixels; larger ones are made smaller."""

MOST_BYTES: Final = 64 << 20
"""Memory for packed frames; what comes after is not previewed."""

_QUICK: Final = 1


@dataclass(frozen=True)
class _Packed:
    data: bytes
    height: int
    width: int


class Reel:
    """Packed frames, which one thread adds and another looks at.

    Parameters
    ----------
    count : int
        Frames of the export.
    size : tuple of int
        Width and height of the export's frames in pixels.
    """

    def __init__(self, count: int, size: tuple[int, int]) -> None:
        self.count = count
        self.size = size
        self._frames: list[_Packed] = []
        self._bytes = 0

    def __len__(self) -> int:
        return len(self._frames)

    @property
    def full(self) -> bool:
        """Whether no more frames are to be added."""
        return len(self._frames) >= self.count or self._bytes >= MOST_BYTES

    def add(self, pixels: Pixels) -> None:
        """Add a frame, ``uint8`` of shape (height, width, 3)."""
        packed = zlib.compress(pixels.tobytes(), _QUICK)
        self._bytes += len(packed)
        self._frames.append(_Packed(packed, *pixels.shape[:2]))

    def frame(self, number: int) -> Pixels:
        """Return a frame, ``uint8`` of shape (height, width, 3), no larger than is shown."""
        packed = self._frames[number]
        pixels = np.frombuffer(zlib.decompress(packed.data), np.uint8)
        return pixels.reshape(packed.height, packed.width, 3)


def frames_of(job: ExportJob) -> Iterator[Pixels]:
    """Paint the frames of an export one by one, as a preview shows them.

    Raises
    ------
    CancelledError
        If the job's token says so.
    InputError
        If they cannot be painted as asked for.
    """
    renderer = job.renderer
    for number in range(len(job.frames)):
        job.check()
        yield _reduced(renderer.palette[renderer.indices(number)])


def _reduced(pixels: Pixels) -> Pixels:
    """Return a picture made smaller by a whole number, by averages, if it is large."""
    from PIL import Image

    factor = -(-max(pixels.shape) // SIDE)
    return pixels if factor == 1 else np.asarray(Image.fromarray(pixels).reduce(factor))
