"""Decoding of single cells of a frame, since a window shows only a part of a large one."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ccl_viewer.execution.device import ArrayBackend
from ccl_viewer.recording.delta import Delta, Frame, changed_mask, decode_values
from ccl_viewer.support.arrays import sum_up_to_each

_ONES: Final = np.array([byte.bit_count() for byte in range(256)], np.uint8)

_WORD: Final = np.dtype("<u8")
"""Little-endian words: the first byte of a mask is the lowest of its word."""

_PAIRS: Final = np.uint64(0x5555_5555_5555_5555)
_FOURS: Final = np.uint64(0x3333_3333_3333_3333)
_BYTES: Final = np.uint64(0x0F0F_0F0F_0F0F_0F0F)
_EVERY_BYTE: Final = np.uint64(0x0101_0101_0101_0101)


@dataclass(frozen=True, eq=False)
class ChosenCells:
    """Cells chosen from a frame.

    Parameters
    ----------
    cells : ndarray of int32 or int64, any shape
        Linear indices ``y * width + x``, in any order.
    placed : array of int32, of the same shape, or None
        The same on the device of `backend`, if they are there already.
    backend : ArrayBackend or None
        The backend of that device.
    """

    cells: npt.NDArray[Any]
    placed: Any = None
    backend: ArrayBackend | None = None

    @classmethod
    def of(cls, cells: npt.NDArray[Any]) -> ChosenCells:
        """Return the cells with these linear indices."""
        return cls(cells)

    @cached_property
    def bytes_(self) -> npt.NDArray[np.int64]:
        """The byte of a frame's bits that holds each cell, of the shape of the cells."""
        return (self.cells >> 3).astype(np.int64)

    @cached_property
    def bits(self) -> npt.NDArray[np.uint8]:
        """The bit of each cell in that byte, from the first."""
        return (self.cells & 7).astype(np.uint8)


@dataclass(frozen=True, eq=False)
class _BitRanks:
    """Number of set bits before each byte of a mask: before its word, and within the word.

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
        # Add up pairs, fours and bytes of bits in parallel, each in its part of the word.
        words -= words >> np.uint64(1) & _PAIRS
        words = (words & _FOURS) + (words >> np.uint64(2) & _FOURS)
        counts = words + (words >> np.uint64(4)) & _BYTES
        # Multiplied by a one in every byte, each byte becomes the sum of itself and those before.
        sums = counts * _EVERY_BYTE
        totals = (sums >> np.uint64(56)).astype(np.int32)
        within = (sums - counts).astype(_WORD, copy=False).view(np.uint8)
        return cls(sum_up_to_each(totals, np.int32) - totals, within)

    def in_bytes(self, bytes_: npt.NDArray[np.int64]) -> npt.NDArray[np.int32]:
        """Return the number of set bits before some bytes."""
        before: npt.NDArray[np.int32] = self.words[bytes_ >> 3] + self.within[bytes_]
        return before


class OpenDelta:
    """A delta from which the changes of single cells can be read.

    Parameters
    ----------
    delta : Delta
        The changes between two frames.
    cells : int
        Cells of a frame.
    dtype : numpy dtype
        Type of the frames.

    Raises
    ------
    ValueError
        If the delta does not fit, which only happens with a damaged file.
    """

    def __init__(self, delta: Delta, cells: int, dtype: np.dtype[np.int32 | np.int64]) -> None:
        self._bits = changed_mask(delta, cells)
        self._before = _BitRanks.of(self._bits)
        self._values = decode_values(delta, dtype)

    def change(self, chosen: ChosenCells, values: Frame, *, forwards: bool) -> None:
        """Change values of cells into the ones after the delta, or before it.

        Parameters
        ----------
        chosen : ChosenCells
            The cells.
        values : ndarray, of their shape, C-contiguous
            Their values, changed in place.
        forwards : bool
            Whether to apply the delta forwards.
        """
        if not self._values.size:
            return
        masks = self._bits.take(chosen.bytes_).reshape(-1)
        bits, flat = chosen.bits.reshape(-1), values.reshape(-1)
        # Indexing is several times faster than masks, and flatnonzero of bool than of numbers.
        hit = np.flatnonzero((masks << bits >> 7).view(np.bool_))
        bytes_ = chosen.bytes_.reshape(-1)[hit]
        earlier = _ONES[masks[hit] >> (np.uint8(8) - bits[hit])]
        changes = self._values[self._before.in_bytes(bytes_) + earlier]
        flat[hit] += changes if forwards else -changes
