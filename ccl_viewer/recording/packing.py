"""Pack arrays into bytes, compressed if worthwhile, and unpack untrusted bytes."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ccl_viewer.execution.plan import Array
from ccl_viewer.support.cancellation import Check, never_cancel

_LEVEL = 1  # higher levels take several times as long for a few per cent
_SAMPLE = 1 << 16
_LARGE = 1 << 20
_PAYS = 0.2
_PIECE = 1 << 22  # bytes between two checks for cancellation


@dataclass(frozen=True)
class Packed:
    """The bytes of an array.

    Parameters
    ----------
    payload : bytes or memoryview
        The array's bytes, compressed if that makes them smaller.
    nbytes : int
        Size of the array's bytes.
    """

    payload: bytes | memoryview
    nbytes: int


def pack(array: Array, check: Check = never_cancel) -> Packed:
    """Pack an array.

    If the middle of a large array hardly shrinks, the array is not compressed: noise would take a
    second in the compressor without a gain.

    Parameters
    ----------
    array : ndarray
        The array; the caller has to keep its shape and type.
    check : callable
        Called every few milliseconds; may raise to stop the work.

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
            return _keep_uncompressed(flat)
    squeezed = _compress(raw, check)
    return Packed(squeezed, len(raw)) if len(squeezed) < len(raw) else _keep_uncompressed(flat)


def _compress(raw: memoryview, check: Check) -> bytes:
    deflater = zlib.compressobj(_LEVEL)
    parts = []
    for start in range(0, len(raw), _PIECE):
        check()
        parts.append(deflater.compress(raw[start : start + _PIECE]))
    return b"".join([*parts, deflater.flush()])


def _keep_uncompressed(flat: npt.NDArray[np.uint8]) -> Packed:
    """Return uncompressed bytes, copied by NumPy, since ``tobytes`` holds Python's lock."""
    return Packed(flat.copy().data, flat.size)


def unpack(packed: Packed, dtype: np.dtype[Any], check: Check = never_cancel) -> Array:
    """Unpack an array.

    Parameters
    ----------
    packed : Packed
        The result of :func:`pack`, perhaps from an untrusted file.
    dtype : numpy dtype
        Element type.
    check : callable
        Called every few milliseconds; may raise to stop the work.

    Returns
    -------
    ndarray, one-dimensional, read-only
        The elements.

    Raises
    ------
    ValueError
        If the bytes do not unpack to exactly the expected size; nothing larger is ever allocated.
    """
    if len(packed.payload) == packed.nbytes:
        return np.frombuffer(packed.payload, dtype)
    try:
        data = _inflate(packed, check)
    except zlib.error as error:
        raise ValueError(f"packed bytes do not unpack: {error}") from None
    return data.view(dtype)


def _inflate(packed: Packed, check: Check) -> npt.NDArray[np.uint8]:
    inflater = zlib.decompressobj()
    payload = memoryview(packed.payload)
    data = np.empty(packed.nbytes, np.uint8)
    filled = offset = 0
    pending: bytes | memoryview = b""
    while filled < data.size:
        check()
        if not pending:
            pending = payload[offset : offset + _PIECE]
            offset += len(pending)
            if not pending:
                break
        piece = inflater.decompress(pending, min(_PIECE, data.size - filled))
        data[filled : filled + len(piece)] = np.frombuffer(piece, np.uint8)
        filled += len(piece)
        pending = inflater.unconsumed_tail
    # Ask for one byte too many, which also reads the checksum after the last.
    more = inflater.decompress(b"".join((pending, payload[offset:])), 1)
    if filled != data.size or more or not inflater.eof:
        raise ValueError("packed bytes do not have the size they should")
    data.flags.writeable = False
    return data
