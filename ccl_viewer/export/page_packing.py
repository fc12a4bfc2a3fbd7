"""Packs the data of a page into one compressed text, which the page's script unpacks."""

from __future__ import annotations

import json
import zlib
from base64 import b64encode
from collections.abc import Iterable
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

PayloadRange: TypeAlias = list[int]
"""Offset and length, in bytes, of an array within the unpacked data."""

_THOROUGH: Final = 9
_QUICK: Final = 6
_MANY_CELLS: Final = 1 << 16
"""From this many cells on, thorough packing takes ten times as long for a few per cent."""


class PayloadWriter:
    """Arrays in sequence, then a JSON text with their places, then its length.

    Input is compressed immediately, so memory never holds all packed data.

    Parameters
    ----------
    cells : int
        Cells of the largest grid to pack.
    """

    def __init__(self, cells: int) -> None:
        self._packer = zlib.compressobj(_QUICK if cells >= _MANY_CELLS else _THOROUGH)
        self._packed: list[bytes] = []
        self._length = 0

    def add_bytes(self, array: npt.NDArray[np.uint8]) -> PayloadRange:
        """Pack an array of bytes unchanged; return its place."""
        return self._place([array.tobytes()])

    def add_numbers(self, array: npt.NDArray[Any]) -> PayloadRange:
        """Pack numbers of 32 bits, each as the difference from its predecessor."""
        flat = _as_words(array)
        return self._place([_planes(np.diff(flat, prepend=np.uint32(0)))])

    def add_frames(self, frames: Iterable[npt.NDArray[Any]]) -> PayloadRange:
        """Pack arrays of one size, each as the difference from its predecessor.

        Parameters
        ----------
        frames : iterable of ndarray of 32 bits or less, all of one shape
            Taken one at a time. The first is the difference from zeros.
        """
        return self._place(_differences(frames))

    def close(self, description: object) -> str:
        """Pack the description of the arrays, as JSON, and return everything as base64."""
        text = json.dumps(description, separators=(",", ":"), sort_keys=True).encode()
        self._add(text)
        self._add(len(text).to_bytes(4, "little"))
        self._packed.append(self._packer.flush())
        return b64encode(b"".join(self._packed)).decode("ascii")

    def _place(self, parts: Iterable[bytes]) -> PayloadRange:
        start = self._length
        for part in parts:
            self._add(part)
        return [start, self._length - start]

    def _add(self, data: bytes) -> None:
        self._packed.append(self._packer.compress(data))
        self._length += len(data)


def _differences(frames: Iterable[npt.NDArray[Any]]) -> Iterable[bytes]:
    before: npt.NDArray[np.uint32] | None = None
    for frame in frames:
        words = _as_words(frame)
        yield _planes(words if before is None else words - before)
        before = words


def _as_words(array: npt.NDArray[Any]) -> npt.NDArray[np.uint32]:
    """Return numbers as unsigned 32 bits; differences wrap around as in the page."""
    return array.reshape(-1).astype(np.int64).astype(np.uint32)


def _planes(words: npt.NDArray[np.uint32]) -> bytes:
    """Return the lowest byte of every word, then the second of every word, and so on.

    High bytes are mostly zeros, which compress to almost nothing when they are together.
    """
    return words.astype("<u4").view(np.uint8).reshape(-1, 4).T.tobytes()
