"""Arrays packed into bytes, compressed where that pays, and unpacked without trusting them."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ccl_viewer.execution.plan import Array
from ccl_viewer.support.cancellation import Check, unchecked

_LEVEL = 1  # higher levels cost several times as much for a few per cent
_SAMPLE = 1 << 16
_LARGE = 1 << 20
_PAYS = 0.2
_PIECE = 1 << 22  # bytes between two looks at whether the work is still wanted


@dataclass(frozen=True)
class Packed:
    """The bytes of an array.

    Parameters
    ----------
    payload : bytes or memoryview
        The array's bytes, or those bytes compressed if that made them fewer.
    nbytes : int
        Size of the array's bytes.
    """

    payload: bytes | memoryview
    nbytes: int


def pack(array: Array, check: Check = unchecked) -> Packed:
    """Pack an array.

    Large arrays whose middle hardly shrinks are left as they are, so that frames of noise do
    not spend a second in the compressor for nothing.

    Parameters
    ----------
    array : ndarray
        What to pack; shape and type are for the caller to remember.
    check : callable
        Called every few milliseconds; what it raises ends the work.

    Returns
    -------
    Packed
        The packed bytes.
    """
    flat = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
    raw = flat.data
    if len(raw) > _LARGE:
        middle = len(raw) // 2
        sample = raw[middle : middle + _SAMPLE]
        if len(zlib.compress(sample, _LEVEL)) > _PAYS * len(sample):
            return _as_they_are(flat)
    squeezed = _compressed(raw, check)
    return Packed(squeezed, len(raw)) if len(squeezed) < len(raw) else _as_they_are(flat)


def _compressed(raw: memoryview, check: Check) -> bytes:
    deflater = zlib.compressobj(_LEVEL)
    parts = []
    for start in range(0, len(raw), _PIECE):
        check()
        parts.append(deflater.compress(raw[start : start + _PIECE]))
    return b"".join([*parts, deflater.flush()])


def _as_they_are(flat: npt.NDArray[np.uint8]) -> Packed:
    """Return bytes as they are, copied by NumPy: ``tobytes`` keeps Python's lock meanwhile."""
    return Packed(flat.copy().data, flat.size)


def unpack(packed: Packed, dtype: np.dtype[Any], check: Check = unchecked) -> Array:
    """Unpack an array.

    Parameters
    ----------
    packed : Packed
        What :func:`pack` returned, or what a file claims that it did.
    dtype : numpy dtype
        Element type.
    check : callable
        Called every few milliseconds; what it raises ends the work.

    Returns
    -------
    ndarray, one-dimensional, read-only
        The elements.

    Raises
    ------
    ValueError
        If the bytes do not give exactly the size they should; nothing larger is ever allocated.
    """
    if len(packed.payload) == packed.nbytes:
        return np.frombuffer(packed.payload, dtype)
    try:
        data = _inflated(packed, check)
    except zlib.error as error:
        raise ValueError(f"packed bytes do not unpack: {error}") from None
    return data.view(dtype)


def _inflated(packed: Packed, check: Check) -> npt.NDArray[np.uint8]:
    inflater = zlib.decompressobj()
    payload = memoryview(packed.payload)
    data = np.empty(packed.nbytes, np.uint8)
    filled = taken = 0
    rest: bytes | memoryview = b""
    while filled < data.size:
        check()
        if not rest:
            rest = payload[taken : taken + _PIECE]
            taken += len(rest)
            if not rest:
                break
        piece = inflater.decompress(rest, min(_PIECE, data.size - filled))
        data[filled : filled + len(piece)] = np.frombuffer(piece, np.uint8)
        filled += len(piece)
        rest = inflater.unconsumed_tail
    # One byte too many is asked for, which also reads the checksum behind the last.
    more = inflater.decompress(b"".join((rest, payload[taken:])), 1)
    if filled != data.size or more or not inflater.eof:
        raise ValueError("packed bytes do not have the size they should")
    data.flags.writeable = False
    return data
