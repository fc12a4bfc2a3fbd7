"""Some cells of a frame without the rest, which is all that a window shows of a large one."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ccl_viewer.execution.device import Stream
from ccl_viewer.recording.delta import Delta, Frame, changed_mask, values_of
from ccl_viewer.support.arrays import running_sums

_ONES: Final = np.array([byte.bit_count() for byte in range(256)], np.uint8)

_WORD: Final = np.dtype("<u8")
"""The first byte of a mask is the lowest of its word, on any machine."""

_PAIRS: Final = np.uint64(0x5555_5555_5555_5555)
_FOURS: Final = np.uint64(0x3333_3333_3333_3333)
_BYTES: Final = np.uint64(0x0F0F_0F0F_0F0F_0F0F)
_EVERY_BYTE: Final = np.uint64(0x0101_0101_0101_0101)


@dataclass(frozen=True, eq=False)
class ChosenCells:
    """The cells to look at.

    Parameters
    ----------
    cells : ndarray of int32 or int64, any shape
        Linear indices ``y * width + x``, in any order.
    placed : array of int32, of the same shape, or None
        The same on the device of `stream`, if they lie there already.
    stream : Stream or None
        Of that device.
    """

    cells: npt.NDArray[Any]
    placed: Any = None
    stream: Stream | None = None

    @classmethod
    def of(cls, cells: npt.NDArray[Any]) -> ChosenCells:
        """Return the cells with these linear indices."""
        return cls(cells)

    @cached_property
    def bytes_(self) -> npt.NDArray[np.int64]:
        """In which byte of a frame's bits each cell lies, of the shape of the cells."""
        return (self.cells >> 3).astype(np.int64)

    @cached_property
    def bits(self) -> npt.NDArray[np.uint8]:
        """The bit of each cell in that byte, from the first."""
        return (self.cells & 7).astype(np.uint8)


@dataclass(frozen=True, eq=False)
class _BitRanks:
    """How many bits are set before each byte of a mask: before its word, and within the word.

    Parameters
    ----------
    words : ndarray of int32, shape (words,)
        Bits set before each word of eight bytes.
    within : ndarray of uint8, shape (8 * words,)
        Bits set in the word before each byte.
    """

    words: npt.NDArray[np.int32]
    within: npt.NDArray[np.uint8]

    @classmethod
    def of(cls, mask: npt.NDArray[np.uint8]) -> _BitRanks:
        """Count the bits of a mask, eight bytes at a time."""
        words = np.zeros(-(-mask.size // _WORD.itemsize), _WORD)
        words.view(np.uint8)[: mask.size] = mask
        # Pairs, fours and bytes of bits are added up side by side, each in its part of the word.
        words -= words >> np.uint64(1) & _PAIRS
        words = (words & _FOURS) + (words >> np.uint64(2) & _FOURS)
        counts = words + (words >> np.uint64(4)) & _BYTES
        # Times one in every byte: each byte becomes the sum of itself and those before.
        sums = counts * _EVERY_BYTE
        totals = (sums >> np.uint64(56)).astype(np.int32)
        within = (sums - counts).astype(_WORD, copy=False).view(np.uint8)
        return cls(running_sums(totals, np.int32) - totals, within)

    def in_bytes(self, bytes_: npt.NDArray[np.int64]) -> npt.NDArray[np.int32]:
        """Return how many bits are set before some bytes."""
        before: npt.NDArray[np.int32] = self.words[bytes_ >> 3] + self.within[bytes_]
        return before


class OpenDelta:
    """A delta from which the changes of single cells can be read.

    Parameters
    ----------
    delta : Delta
        What changed between two frames.
    cells : int
        Cells of a frame.
    dtype : numpy dtype
        Type of the frames.

    Raises
    ------
    ValueError
        If the delta does not fit, which only a damaged file brings about.
    """

    def __init__(self, delta: Delta, cells: int, dtype: np.dtype[np.int32 | np.int64]) -> None:
        self._bits = changed_mask(delta, cells)
        self._before = _BitRanks.of(self._bits)
        self._values = values_of(delta, dtype)

    def change(self, chosen: ChosenCells, values: Frame, *, forwards: bool) -> None:
        """Change values of some cells into those after the delta, or before it.

        Parameters
        ----------
        chosen : ChosenCells
            Which cells.
        values : ndarray, of their shape, C-contiguous
            Changed in place.
        forwards : bool
            Direction.
        """
        if not self._values.size:
            return
        held = self._bits.take(chosen.bytes_).reshape(-1)
        bits, flat = chosen.bits.reshape(-1), values.reshape(-1)
        # Places are several times faster than masks, and those of truths than those of numbers.
        hit = np.flatnonzero((held << bits >> 7).view(np.bool_))
        bytes_ = chosen.bytes_.reshape(-1)[hit]
        earlier = _ONES[held[hit] >> (np.uint8(8) - bits[hit])]
        changes = self._values[self._before.in_bytes(bytes_) + earlier]
        flat[hit] += changes if forwards else -changes
