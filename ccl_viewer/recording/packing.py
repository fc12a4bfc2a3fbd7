"""Arrays packed into bytes, compressed where that pays, and unpacked without trusting them."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ccl_viewer.plan import Array

_LEVEL = 1  # higher levels cost several times as much for a few per cent
_SAMPLE = 1 << 16
_LARGE = 1 << 20
_PAYS = 0.2


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


def pack(array: Array) -> Packed:
    """Pack an array.

    Large arrays whose middle hardly shrinks are left as they are, so that frames of noise do
    not spend a second in the compressor for nothing.

    Parameters
    ----------
    array : ndarray
        What to pack; shape and type are for the caller to remember.

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
    squeezed = zlib.compress(raw, _LEVEL)
    return Packed(squeezed, len(raw)) if len(squeezed) < len(raw) else _as_they_are(flat)


def _as_they_are(flat: npt.NDArray[np.uint8]) -> Packed:
    """Return bytes as they are, copied by NumPy: ``tobytes`` keeps Python's lock meanwhile."""
    return Packed(flat.copy().data, flat.size)


def unpack(packed: Packed, dtype: np.dtype[Any]) -> Array:
    """Unpack an array.

    Parameters
    ----------
    packed : Packed
        What :func:`pack` returned, or what a file claims that it did.
    dtype : numpy dtype
        Element type.

    Returns
    -------
    ndarray, one-dimensional, read-only
        The elements.

    Raises
    ------
    ValueError
        If the bytes do not give exactly the size they should; nothing larger is ever allocated.
    """
    data: bytes | memoryview = packed.payload
    if len(data) != packed.nbytes:
        inflater = zlib.decompressobj()
        try:
            data = inflater.decompress(data, packed.nbytes + 1)
        except zlib.error as error:
            raise ValueError(f"packed bytes do not unpack: {error}") from None
        if len(data) != packed.nbytes or not inflater.eof:
            raise ValueError("packed bytes do not have the size they should")
    return np.frombuffer(data, dtype)
