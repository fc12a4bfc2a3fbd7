"""Read PBM, PGM and PPM with their own scale, which Pillow would stretch to 8 or 16 bits."""

from __future__ import annotations

import re
from typing import IO, Any, Final

import numpy as np
import numpy.typing as npt

from ccl_viewer.grids.grid import check_size
from ccl_viewer.grids.picture_selector import PictureSelector
from ccl_viewer.grids.pictures import (
    PGM_SEGMENTS,
    Picture,
    Samples,
    choose_channel,
    compose_picture,
)

_COMMENT: Final = re.compile(rb"#[^\r\n]*")
_GAP: Final = rb"(?:\s|#[^\r\n]*[\r\n])+"
_HEADERS: Final = {
    bits: re.compile(rb"P[1-6]" + (_GAP + rb"([0-9]{1,9})") * numbers + rb"(?:#[^\r\n]*[\r\n]|\s)")
    for bits, numbers in ((True, 2), (False, 3))
}
_MAX_HEADER: Final = 1 << 20
_MAX_TEXT: Final = 1 << 28
_TEXT_BYTES: Final = 16  # bytes of a value as text, and of the space around it
_MAX_VALUE: Final = (1 << 16) - 1


def is_netpbm(start: bytes) -> bool:
    """Return whether a file's first bytes are those of a PBM, PGM or PPM."""
    return re.match(rb"P[1-6][\s#]", start) is not None


def read_picture(file: IO[bytes], max_pixels: int, selector: PictureSelector) -> Picture:
    """Read a picture.

    Parameters
    ----------
    file : binary file
        Open for reading, at its start.
    max_pixels : int
        Most pixels to read.
    selector : PictureSelector
        Which channel.

    Raises
    ------
    ValueError
        If the file is damaged.
    InputError
        If it is too large or does not hold the chosen picture.
    """
    selector.page(1)
    head = file.read(_MAX_HEADER)
    kind = int(head[1:2])
    bits = kind in (1, 4)
    header = _HEADERS[bits].match(head)
    if header is None:
        raise ValueError("its header is not complete")
    width, height, *scale = map(int, header.groups())
    check_size((height, width), max_pixels)
    top = scale[0] if scale else 1
    if not 0 < top <= _MAX_VALUE:
        raise ValueError(f"its highest value is {top}")
    file.seek(header.end())
    channels = 3 if kind in (3, 6) else 1
    if bits:
        read_bits = _read_text_bits if kind == 1 else _read_bits
        samples: Samples = ~read_bits(file, height, width)[..., None]  # 1 is black
    else:
        read_values = _read_text_values if kind < 4 else _read_values
        values = read_values(file, height * width * channels, top)
        if values.max() > top:
            raise ValueError(f"it holds {values.max()}, above its highest value {top}")
        samples = values.reshape(height, width, channels)
    if selector.channel is not None:
        samples = choose_channel(samples, selector.channel)
    if head.startswith(PGM_SEGMENTS):
        return Picture(samples[..., 0], segments=True)
    return compose_picture(samples, top=None if bits else top)


def _read_bits(file: IO[bytes], height: int, width: int) -> npt.NDArray[np.bool_]:
    row = -(-width // 8)
    packed = np.frombuffer(_read_exactly(file, height * row), np.uint8).reshape(height, row)
    bits: npt.NDArray[np.bool_] = np.unpackbits(packed, axis=1, count=width) == 1
    return bits


def _read_text_bits(file: IO[bytes], height: int, width: int) -> npt.NDArray[np.bool_]:
    text = b"".join(_read_text(file, height * width).split())[: height * width]
    if len(text) < height * width:
        raise ValueError("it is cut off")
    bits: npt.NDArray[np.bool_] = np.frombuffer(text, np.uint8) == ord("1")
    return bits.reshape(height, width)


def _read_values(file: IO[bytes], count: int, top: int) -> npt.NDArray[Any]:
    stored = np.dtype(np.uint8 if top < 256 else ">u2")
    values = np.frombuffer(_read_exactly(file, count * stored.itemsize), stored)
    return values.astype(stored.newbyteorder("="))


def _read_text_values(file: IO[bytes], count: int, top: int) -> npt.NDArray[Any]:
    values = np.fromstring(_read_text(file, count), np.int64, sep=" ")[:count]
    if values.size < count:
        raise ValueError("it is cut off")
    return values if values.max() > top else values.astype(np.uint8 if top < 256 else np.uint16)


def _read_text(file: IO[bytes], count: int) -> bytes:
    """Return the text of at least this many values, without comments."""
    text = _COMMENT.sub(b"", file.read(max(_MAX_HEADER, min(count * _TEXT_BYTES, _MAX_TEXT))))
    unknown = re.search(rb"[^0-9\s]", text)
    if unknown is not None:
        raise ValueError(f"it holds {unknown[0]!r} among its values")
    return text.strip()


def _read_exactly(file: IO[bytes], size: int) -> bytes:
    data = file.read(size)
    if len(data) < size:
        raise ValueError("it is cut off")
    return data
