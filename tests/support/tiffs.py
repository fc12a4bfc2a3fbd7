"""Writes TIFF files tag by tag, as other programs may."""

from __future__ import annotations

import struct
from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

TYPES = {"B": 1, "H": 3, "I": 4}


def tiff_bytes(data: bytes, tags: Mapping[int, int | tuple[int, ...]], order: str = "<") -> bytes:
    """Return a file of one page, all of whose data is one strip."""
    every: dict[int, int | tuple[int, ...]] = {259: 1, 273: 8, 277: 1, 279: len(data), **tags}
    every.setdefault(278, every[257])
    entries, behind = b"", b""
    at = 8 + len(data) + 2 + 12 * len(every) + 4
    for number, value in sorted(every.items()):
        values = value if isinstance(value, tuple) else (value,)
        kind = "I" if max(values) > 65535 or number in (273, 279) else "H"
        packed = struct.pack(f"{order}{len(values)}{kind}", *values)
        if len(packed) > 4:
            where = struct.pack(f"{order}I", at + len(behind))
            behind += packed
        else:
            where = packed.ljust(4, b"\0")
        entries += struct.pack(f"{order}HHI", number, TYPES[kind], len(values)) + where
    head = struct.pack(f"{order}2sHI", b"II" if order == "<" else b"MM", 42, 8 + len(data))
    page = struct.pack(f"{order}H", len(every)) + entries + bytes(4)
    return head + data + page + behind


def pack_bits(values: npt.NDArray[np.integer], bits: int) -> bytes:
    """Return rows of values of a few bits, the highest bit first, each row from a new byte."""
    places = np.arange(bits)[::-1]
    each = (values.reshape(len(values), -1)[..., None] >> places & 1).astype(np.uint8)
    return np.packbits(each.reshape(len(values), -1), axis=1).tobytes()
