"""Decode pictures into arrays with the values of the file."""

from __future__ import annotations

import re
from typing import IO, TYPE_CHECKING, Any, Final

import numpy as np

from ccl_viewer.errors import InputError, shorten
from ccl_viewer.grids import netpbm, tiff
from ccl_viewer.grids.grid import check_size, prefix_errors
from ccl_viewer.grids.picture_selector import ONLY, PicturePosition, PictureSelector
from ccl_viewer.grids.pictures import (
    SEGMENTS_KEY,
    Picture,
    Samples,
    choose_channel,
    compose_picture,
    find_white,
    orient,
)
from ccl_viewer.grids.pillow import FORMATS, call_pillow

if TYPE_CHECKING:
    from PIL.Image import Image

_ORIENTATION: Final = 274
_ANIMATED: Final = ("PNG", "GIF", "WEBP")
_KEPT: Final = ("1", "L", "LA", "RGB", "RGBA", "I", "I;16", "F")
"""Pillow's modes that have the values of the file."""

_HALVES: Final = {
    "RGB;16B": ("RGB;16B", "RGB;16L"),
    "RGBA;16B": ("RGBA;16B", "RGBA;16L"),
    "LA;16B": ("RGBA",),
}
"""Pillow's decoders that drop the lower half of 16 bits, and others that give each half."""

_TOPS: Final = {"L;2": 3, "L;4": 15}
"""Pillow's decoders that spread values of fewer bits to 255, and the highest value of the file."""

_JPEG_START: Final = b"\xff\xd8\xff"
_JPEG_MARKER: Final = re.compile(rb"\xff([^\x00\xd0-\xd7\xff])")
"""A marker; in compressed data, only restarts (D0 to D7) follow a byte of ones."""
_JPEG_END, _JPEG_SCAN, _BARE_MARKERS = 0xD9, 0xDA, {0x01, 0xD8}
_MAX_MARKERS: Final = 10_000
_MAX_READS: Final = 1_000_000
_MAX_PLAIN_SCANS: Final = 32  # no encoder writes more
_MAX_SCANNED_PIXELS: Final = 1 << 29  # most pixels of all scans together, if there are more
_MAX_SEARCHED_BYTES: Final = 1 << 28  # bytes of a file that are searched for scans


def decode(
    file: IO[bytes], name: str, max_pixels: int, selector: PictureSelector = ONLY
) -> Picture:
    """Decode a picture.

    Its values are those of the file, with their depth and sign, on its own scale; if white is the
    lowest, they are turned round. It is rotated by its orientation. Palettes are looked up. See
    :func:`~ccl_viewer.grids.pictures.compose_picture` for transparency.

    Parameters
    ----------
    file : binary file
        Open for reading, at the picture's first byte.
    name : str
        Name of the file in errors.
    max_pixels : int
        Most pixels to decode; the header is checked before anything is decoded.
    selector : PictureSelector
        Which page or frame, and which channel. Without a channel, colours stay colours.

    Returns
    -------
    Picture
        The pixels.

    Raises
    ------
    InputError
        If the file is not a picture of a known format, or is damaged; if it is too large; or if it
        has several pages or frames and `selector` names none.
    """
    from PIL import UnidentifiedImageError

    start = file.read(4)
    file.seek(0)
    try:
        with prefix_errors(name):
            if start in tiff.STARTS:
                with tiff.open_page(file, selector) as page:
                    check_size(page.shape, max_pixels)
                    return page.read_whole()
            if netpbm.is_netpbm(start):
                return netpbm.read_picture(file, max_pixels, selector)
            with call_pillow():
                return _decode_with_pillow(file, max_pixels, selector)
    except InputError:
        raise
    except UnidentifiedImageError as error:
        raise InputError(
            f"{shorten(name)} is not a readable picture: use PNG, JPEG, TIFF, BMP, PBM, PGM, "
            "GIF, WebP, NPY, RLE, or text of '.' and '#'."
        ) from error
    except MemoryError as error:
        raise InputError(
            f"{shorten(name)} does not fit into memory: crop it or scale it down first."
        ) from error
    except Exception as error:  # decoders raise anything on damaged files
        raise InputError(
            f"{shorten(name)} is damaged or of a kind that cannot be read ({error}): save it again "
            "as PNG."
        ) from error


def _decode_with_pillow(file: IO[bytes], max_pixels: int, selector: PictureSelector) -> Picture:
    from PIL import Image

    scans = _jpeg_scans(file)
    counted: Any = _CountedReads(file)
    with Image.open(counted, formats=tuple(FORMATS)) as image:
        frames = getattr(image, "n_frames", 1) if image.format in _ANIMATED else 1
        number = selector.page(frames)
        image.seek(number)
        check_size((image.height, image.width), max_pixels)
        _check_scans(scans, image.height * image.width)
        position = PicturePosition(frames, number)
        if image.mode == "P" and SEGMENTS_KEY in image.info:
            return Picture(np.asarray(image), segments=True, position=position)
        decoder = str(image.tile[0].args) if image.tile else ""
        if decoder in _HALVES:
            if frames > 1:
                raise ValueError("it is an animation of 16 bits a channel")
            samples, top = _read_halves(counted, decoder), None
        else:
            samples, top = _read_values(image, decoder, inks=selector.channel is not None)
        samples, top = _add_opacity(samples, top, image.info.get("transparency"))
        orientation = image.getexif().get(_ORIENTATION, 1)
    samples = orient(samples, orientation)
    if selector.channel is not None:
        samples = choose_channel(samples, selector.channel)
    return compose_picture(samples, position, top)


def _read_values(image: Image, decoder: str, *, inks: bool) -> tuple[Samples, int | None]:
    """Return grey values, colours or, with `inks`, also inks, and the value of white if special."""
    if image.mode in ("P", "PA"):
        image = image.convert("RGBA" if image.has_transparency_data else "RGB")
    elif not (image.mode in _KEPT or (inks and image.mode == "CMYK")):
        image = image.convert("RGB")
    values = np.atleast_3d(np.asarray(image))
    values = values.astype(values.dtype.newbyteorder("="), copy=False)
    top = _TOPS.get(decoder)
    return (values, None) if top is None else (values // np.uint8(255 // top), top)


def _read_halves(file: Any, decoder: str) -> Samples:
    """Return 16 bits a channel, of which Pillow decodes 8 at a time."""
    from PIL import Image

    halves = []
    for half in _HALVES[decoder]:
        file.seek(0)
        with Image.open(file, formats=("PNG",)) as image:
            image.tile = [tile._replace(args=half) for tile in image.tile]
            halves.append(np.asarray(image).astype(np.uint16))
    if len(halves) == 1:  # both halves, read as though each were a channel
        return halves[0][..., ::2] << 8 | halves[0][..., 1::2]
    return halves[0] << 8 | halves[1]


def _add_opacity(
    samples: Samples, top: int | None, transparent: object
) -> tuple[Samples, int | None]:
    """Return the samples with opacity if the file declares one value or colour transparent.

    Pillow would compare it with values that it has changed.
    """
    count = samples.shape[2]
    if isinstance(transparent, int) and count == 1:
        if samples.dtype == np.bool_:
            samples, top, transparent = samples.view(np.uint8), 1, transparent // 255
    elif not (isinstance(transparent, tuple) and count == len(transparent) == 3):
        return samples, top
    visible = (samples != transparent).any(axis=2, keepdims=True)
    white = top or find_white(samples.dtype) or 1
    return np.concatenate([samples, visible.astype(samples.dtype) * white], axis=2), top


def _jpeg_scans(file: IO[bytes]) -> int:
    """Return the number of scans of a JPEG, each over the whole picture; 0 for other files.

    Pillow has no limit: a few kilobytes can take minutes to decode.
    """
    data = file.read(len(_JPEG_START))
    if data == _JPEG_START:
        data += file.read(_MAX_SEARCHED_BYTES)
    file.seek(0)
    at = scans = 0
    for _ in range(_MAX_MARKERS):
        marker = _JPEG_MARKER.search(data, at)
        if marker is None or marker[1][0] == _JPEG_END:
            return scans
        scans += marker[1][0] == _JPEG_SCAN
        at = marker.end()
        if marker[1][0] not in _BARE_MARKERS:
            at += int.from_bytes(data[at : at + 2], "big")
    return scans


def _check_scans(scans: int, pixels: int) -> None:
    if scans > max(_MAX_PLAIN_SCANS, _MAX_SCANNED_PIXELS // pixels):
        raise ValueError(f"its data comes in {scans:,} scans")


class _CountedReads:
    """A file with a limited number of reads.

    Pillow reads headers in Python, part by part, and there can be millions of parts.
    """

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._left = _MAX_READS

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)

    def read(self, size: int = -1) -> bytes:
        self._left -= 1
        if self._left < 0:
            raise ValueError("it has too many parts")
        return self._file.read(size)
