"""Some cells of a frame without the rest, which is all that a window shows of a large one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from ccl_viewer.recording.delta import Delta, Frame, changed_mask, values_of

_ONES: Final = np.array([bin(byte).count("1") for byte in range(256)], np.uint8)


@dataclass(frozen=True, eq=False)
class Chosen:
    """The cells to look at.

    Parameters
    ----------
    cells : ndarray of int64, any shape
        Linear indices ``y * width + x``, in any order.
    bytes_ : ndarray of int64, of the same shape
        In which byte of a frame's bits each cell lies.
    bits : ndarray of uint8, of the same shape
        Its bit in that byte, from the first.
    """

    cells: npt.NDArray[np.int64]
    bytes_: npt.NDArray[np.int64]
    bits: npt.NDArray[np.uint8]

    @classmethod
    def of(cls, cells: npt.NDArray[np.int64]) -> Chosen:
        """Return the cells with these linear indices."""
        return cls(cells, cells >> 3, (cells & 7).astype(np.uint8))


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
        counts = np.cumsum(_ONES[self._bits], dtype=np.int32)
        self._before = np.concatenate([np.zeros(1, np.int32), counts[:-1]])
        self._values = values_of(delta, dtype)

    def change(self, chosen: Chosen, values: Frame, *, forwards: bool) -> None:
        """Change values of some cells into those after the delta, or before it.

        Parameters
        ----------
        chosen : Chosen
            Which cells.
        values : ndarray, of their shape
            Changed in place.
        forwards : bool
            Direction.
        """
        if not self._values.size:
            return
        held = self._bits[chosen.bytes_]
        hit = (held << chosen.bits & 0x80).astype(np.bool_)
        earlier = _ONES[held[hit] >> (np.uint8(8) - chosen.bits[hit])]
        changes = self._values[self._before[chosen.bytes_[hit]] + earlier]
        values[hit] += changes if forwards else -changes
