"""Differences between frames that can be applied forwards and backwards."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from ccl_viewer.recording.packing import Packed, pack, unpack
from ccl_viewer.support.arrays import sum_up_to_each
from ccl_viewer.support.cancellation import Check, never_cancel

Frame: TypeAlias = npt.NDArray[Any]
"""``int32`` for labels, ``int32`` or ``int64`` for layers."""

_GAPS: Final = np.dtype("<u4")
_BITS: Final = np.dtype("u1")
_BAND: Final = 1 << 18


@dataclass(frozen=True)
class Delta:
    """The changed cells of a frame.

    Parameters
    ----------
    changed : int
        Number of changed cells.
    where : Packed
        The changed cells: one bit per cell if many changed, otherwise the gaps between their linear
        indices.
    values : Packed
        New value minus old value of each, in the frame's type with wrap-around: adding goes
        forwards, subtracting goes backwards.
    """

    changed: int
    where: Packed
    values: Packed

    @property
    def nbytes(self) -> int:
        """Size in bytes."""
        return len(self.where.payload) + len(self.values.payload)


def is_sparse(changed: int, cells: int) -> bool:
    """Return whether gaps (4 bytes per changed cell) are smaller than a mask (1 bit per cell)."""
    return changed * _GAPS.itemsize * 8 <= cells


def where_nbytes(changed: int, cells: int) -> int:
    """Return the unpacked size of :attr:`Delta.where`."""
    return changed * _GAPS.itemsize if is_sparse(changed, cells) else -(-cells // 8)


def diff_frames(before: Frame, after: Frame) -> Delta:
    """Return the difference between two frames.

    Parameters
    ----------
    before, after : ndarray of int32 or int64, of the same type and shape
        The frames.

    Returns
    -------
    Delta
        Their difference.
    """
    old, new = before.reshape(-1), after.reshape(-1)
    mask = old != new
    return make_delta(np.packbits(mask), new[mask] - old[mask], mask.size)


def make_delta(bits: npt.NDArray[np.uint8], values: Frame, cells: int) -> Delta:
    """Return the delta of given changes.

    Parameters
    ----------
    bits : ndarray of uint8, one-dimensional
        Which cells changed, a bit each, the first in the highest bit of the first byte.
    values : ndarray of int32 or int64, one-dimensional
        New value minus old value of each changed cell.
    cells : int
        Cells of a frame.
    """
    if is_sparse(values.size, cells):
        places = np.flatnonzero(np.unpackbits(bits, count=cells))
        where = pack(np.diff(places, prepend=0).astype(_GAPS))
    else:
        where = pack(bits)
    return Delta(
        values.size, where, pack(values.astype(_choose_stored_type(values.dtype), copy=False))
    )


def apply(delta: Delta, frame: Frame, *, forwards: bool, check: Check = never_cancel) -> None:
    """Change a frame into the next or the previous one.

    Parameters
    ----------
    delta : Delta
        The changes.
    frame : ndarray of int32 or int64, C-contiguous
        The frame, changed in place.
    forwards : bool
        Whether to go to the next frame.
    check : callable
        Called every few milliseconds; may raise to stop the work, which leaves the frame half
        changed.

    Raises
    ------
    ValueError
        If the delta does not fit the frame, which only happens with a damaged file.
    """
    cells = frame.reshape(-1)
    where = _select_cells(delta, cells.size, check)
    values = unpack(delta.values, _choose_stored_type(frame.dtype), check)
    if values.size != delta.changed:
        raise ValueError("a step has more or fewer values than changed cells")
    change = np.add if forwards else np.subtract
    if where.dtype != np.bool_:
        cells[where] = change(cells[where], values)
        return
    # Indices are several times faster than a mask. They are used band by band, since the indices of
    # a large frame would take twice the memory of the frame.
    used = 0
    for start in range(0, cells.size, _BAND):
        check()
        band = cells[start : start + _BAND]
        places = np.flatnonzero(where[start : start + _BAND])
        band[places] = change(band[places], values[used : used + places.size])
        used += places.size


def changed_cells(delta: Delta, cells: int) -> npt.NDArray[np.int64]:
    """Return the linear indices of the changed cells, ascending.

    Parameters
    ----------
    delta : Delta
        The changes.
    cells : int
        Cells of a frame.

    Raises
    ------
    ValueError
        If the delta does not fit, which only happens with a damaged file.
    """
    selection = _select_cells(delta, cells)
    return np.flatnonzero(selection) if selection.dtype == np.bool_ else selection.astype(np.int64)


def changed_mask(delta: Delta, cells: int) -> npt.NDArray[np.uint8]:
    """Return one bit per cell, set if it changed; the first is the highest of the first byte.

    Parameters
    ----------
    delta : Delta
        The changes.
    cells : int
        Cells of a frame.

    Returns
    -------
    ndarray of uint8, one-dimensional, read-only

    Raises
    ------
    ValueError
        If the delta does not fit, which only happens with a damaged file.
    """
    if not is_sparse(delta.changed, cells):
        return unpack(delta.where, _BITS)
    mask = np.zeros(cells, np.bool_)
    mask[_select_cells(delta, cells)] = True
    return np.packbits(mask)


def decode_values(delta: Delta, dtype: np.dtype[Any]) -> Frame:
    """Return new value minus old value of each changed cell, in the order of the cells."""
    return unpack(delta.values, _choose_stored_type(dtype))


def _choose_stored_type(dtype: np.dtype[Any]) -> np.dtype[Any]:
    return dtype.newbyteorder("<")


def _select_cells(
    delta: Delta, cells: int, check: Check = never_cancel
) -> npt.NDArray[np.int64] | npt.NDArray[np.bool_]:
    if delta.where.nbytes != where_nbytes(delta.changed, cells):
        raise ValueError("a step's list of changed cells has the wrong size")
    if is_sparse(delta.changed, cells):
        gaps = unpack(delta.where, _GAPS, check)
        places = sum_up_to_each(gaps, np.int64)
        if places.size and (places[-1] >= cells or not gaps[1:].all()):
            raise ValueError("a step changes cells outside the grid, or one cell twice")
        return places
    bits = np.unpackbits(unpack(delta.where, _BITS, check), count=cells)
    if np.count_nonzero(bits) != delta.changed:
        raise ValueError("a step changes more or fewer cells than it says")
    return bits.view(np.bool_)
