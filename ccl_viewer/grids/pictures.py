"""Decode pictures into arrays; the only module of the grids that calls Pillow's decoders."""

from __future__ import annotations

import ctypes
import logging
import re
import threading
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import count
from typing import IO, TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from ccl_viewer.errors import InputError, UndecodedError, shorten
from ccl_viewer.grids.grid import check_size, prefix_errors
from ccl_viewer.grids.picture_selector import (
    ALONE,
    MAX_COUNTED,
    ONLY,
    REDUCED_OR_MASK,
    PicturePosition,
    PictureSelector,
    resolve_channel,
)
from ccl_viewer.support.arrays import count_occurrences, split_into_bands
from ccl_viewer.support.forking import hold_while_forking

if TYPE_CHECKING:
    from PIL.Image import Image

FORMATS: Final[Mapping[str, tuple[str, ...]]] = {
    "PNG": (".png",),
    "JPEG": (".jpg", ".jpeg"),
    "TIFF": (".tif", ".tiff"),
    "BMP": (".bmp",),
    "PPM": (".pbm", ".pgm", ".ppm"),
    "GIF": (".gif",),
    "WEBP": (".webp",),
}
"""Pillow's names of the formats that are read, with their suffixes. No other decoder is called."""

SEGMENTS_KEY = "ccl-viewer-grid"
"""Key of the text in a PNG with the values of a multi-valued grid as palette indices."""

PGM_SEGMENTS = b"P5\n# ccl-viewer-grid: grey values are the values of the grid\n"
"""First bytes of a PGM with the values of a multi-valued grid."""

_ANIMATED: Final = ("PNG", "GIF", "WEBP")
_SUBFILE_TYPE: Final = 254  # TIFF tags
_DESCRIPTION: Final = 270
_IMAGEJ: Final = re.compile(r"ImageJ=[^\0]*?\nimages=(\d{1,9})\b")
_PART = 1 << 22  # pixels

_JPEG_START: Final = b"\xff\xd8\xff"
_JPEG_MARKER: Final = re.compile(rb"\xff([^\x00\xd0-\xd7\xff])")
"""A marker; in compressed data, only restarts (D0 to D7) follow a byte of ones."""
_JPEG_END, _JPEG_SCAN, _BARE_MARKERS = 0xD9, 0xDA, {0x01, 0xD8}
_MAX_MARKERS: Final = 10_000
_MAX_READS: Final = 1_000_000
_MAX_PLAIN_SCANS: Final = 32  # no encoder writes more
_MAX_SCANNED_PIXELS: Final = 1 << 29  # most pixels of all scans together, if there are more
_PLAIN: Final = (b"P1", b"P2", b"P3")  # first bytes of a PBM, PGM or PPM with values as text
_MAX_COMMENTS: Final = 1000  # comments in such a file; Pillow copies the rest of the file for each
_MAX_SEARCHED_BYTES: Final = 1 << 28  # bytes of a file that are searched for scans and comments


@dataclass(frozen=True, eq=False)
class Picture:
    """The pixels of a picture.

    Parameters
    ----------
    planes : ndarray of bool, integers or floats, shape (height, width) or (height, width, 3)
        Grey values, or red, green and blue of 8 bits. Bool if the picture has one bit per pixel
        (white is True), which needs no threshold. Transparent pixels are blended with black.
    alpha : ndarray of uint8, shape (height, width), or None
        0 where the picture is fully transparent; None if it has no transparency.
    segments : bool
        Whether the values are those of a multi-valued grid that this program saved.
    position : PicturePosition
        Which picture of the file it is.
    """

    planes: npt.NDArray[Any]
    alpha: npt.NDArray[np.uint8] | None = None
    segments: bool = False
    position: PicturePosition = ALONE

    @property
    def size(self) -> tuple[int, int]:
        """Width and height in pixels."""
        height, width = self.planes.shape[:2]
        return width, height

    @property
    def coloured(self) -> bool:
        """Whether it has colours."""
        return self.planes.ndim == 3

    @property
    def opaque_mask(self) -> npt.NDArray[np.bool_] | None:
        """False where the picture is fully transparent; None if it has no transparency."""
        return None if self.alpha is None else self.alpha > 0

    @property
    def binary(self) -> bool:
        """Whether the picture has only black and white, so that there is nothing to choose."""
        if self.planes.dtype == np.bool_:
            return self.alpha is None
        if self.alpha is not None or self.coloured or self.planes.dtype != np.uint8:
            return False
        levels = count_occurrences(self.planes.ravel(), 256)
        return bool(levels[0] + levels[255] == self.planes.size)


def to_grey(planes: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return the grey values of a picture, or the Rec. 601 luma of its colours.

    Parameters
    ----------
    planes : ndarray, shape (height, width) or (height, width, 3)
        As of :class:`Picture`.

    Returns
    -------
    ndarray, shape (height, width)
        The same values as from Pillow's conversion to ``L``.
    """
    if planes.ndim == 2:
        return planes
    grey = np.empty(planes.shape[:2], np.uint8)
    # In parts, since sums take four bytes per pixel.
    for rows in split_into_bands(grey.shape, _PART):
        part = planes[rows]
        luma = part[..., 0] * np.uint32(19595)
        luma += part[..., 1] * np.uint32(38470)
        luma += part[..., 2] * np.uint32(7471)
        luma += np.uint32(0x8000)
        grey[rows] = luma >> np.uint32(16)
    return grey


def number_colours(planes: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return a number for each colour, ``0xRRGGBB``, black 0; grey values stay as they are."""
    if planes.ndim == 2:
        return planes
    numbers = planes[..., 0].astype(np.int32) << 16
    numbers |= planes[..., 1].astype(np.int32) << 8
    numbers |= planes[..., 2]
    return numbers


def decode(
    file: IO[bytes], name: str, max_pixels: int, selector: PictureSelector = ONLY
) -> Picture:
    """Decode a picture.

    It is rotated by its EXIF orientation. Transparent pixels are blended with black. Pictures of 16
    or 32 bits keep their scale. If all colours are grey, they become grey values.

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
    UndecodedError
        If the file is not a picture of a known format, or is damaged.
    InputError
        If it is too large, or if it has several pages or frames and `selector` names none.
    """
    from PIL import Image, UnidentifiedImageError

    with warnings.catch_warnings(), _without_pillow_limit(), _libtiff_errors() as errors:
        # Pillow warns about slightly malformed files, but what it reads from them is good enough.
        warnings.simplefilter("ignore")
        try:
            segments = file.read(len(PGM_SEGMENTS)) == PGM_SEGMENTS
            file.seek(0)
            _check_comments(file)
            scans = _jpeg_scans(file)
            counted: Any = _CountedReads(file)
            with Image.open(counted, formats=tuple(FORMATS)) as image:
                with prefix_errors(name):
                    frames = _find_frames(image, selector)
                    number = selector.page(len(frames), more=len(frames) > MAX_COUNTED)
                    image.seek(frames[number])
                    check_size((image.height, image.width), max_pixels)
                    _check_scans(scans, image.height * image.width)
                    picture = _to_picture(image, selector.channel)
                picture = replace(picture, position=PicturePosition(len(frames), number))
        except InputError:
            raise
        except UnidentifiedImageError as error:
            raise UndecodedError(
                f"{shorten(name)} is not a readable picture: use PNG, JPEG, TIFF, BMP, PBM, PGM, "
                "GIF, WebP, NPY, RLE, or text of '.' and '#'."
            ) from error
        except MemoryError as error:
            raise InputError(
                f"{shorten(name)} does not fit into memory: crop it or scale it down first."
            ) from error
        except Exception as error:  # decoders raise anything on damaged files
            raise _damaged(name, str(error)) from error
    if errors:  # Pillow ignores them
        raise _damaged(name, "its compressed data has errors")
    return replace(picture, segments=True) if segments else picture


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


def _check_comments(file: IO[bytes]) -> None:
    plain = file.read(2) in _PLAIN
    remarks = file.read(_MAX_SEARCHED_BYTES).count(b"#") if plain else 0
    file.seek(0)
    if remarks > _MAX_COMMENTS:
        raise ValueError(f"it has {remarks:,} remarks")


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


def _damaged(name: str, reason: str) -> UndecodedError:
    return UndecodedError(
        f"{shorten(name)} is damaged or of a kind that cannot be read ({reason}): save it again as "
        "PNG."
    )


_limit_lock = threading.Lock()
hold_while_forking(_limit_lock)


@contextmanager
def _without_pillow_limit() -> Iterator[None]:
    """Disable Pillow's limit of pixels, which is global to the process, while ours applies.

    Pillow's log does not appear on the terminal, since our errors explain the problem.
    """
    from PIL import Image

    log, nowhere = logging.getLogger("PIL"), logging.NullHandler()
    with _limit_lock:
        log.addHandler(nowhere)
        limit = Image.MAX_IMAGE_PIXELS
        Image.MAX_IMAGE_PIXELS = None
        try:
            yield
        finally:
            Image.MAX_IMAGE_PIXELS = limit
            log.removeHandler(nowhere)


_TiffHandler = ctypes.CFUNCTYPE(None, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_void_p)


@contextmanager
def _libtiff_errors() -> Iterator[list[bytes]]:
    """Collect libtiff's errors in a list instead of printing them.

    Pillow does not ask for them. The list stays empty where Pillow hides libtiff's functions, as on
    Windows, where libtiff does not print either.
    """
    from PIL import _imaging

    errors: list[bytes] = []

    def note(_module: bytes | None, sentence: bytes | None, _values: int | None) -> None:
        errors.append(sentence or b"")

    try:
        set_handler = ctypes.CDLL(_imaging.__file__).TIFFSetErrorHandler
    except (AttributeError, OSError):
        yield errors
        return
    set_handler.argtypes, set_handler.restype = [ctypes.c_void_p], ctypes.c_void_p
    handler = _TiffHandler(note)
    before = set_handler(ctypes.cast(handler, ctypes.c_void_p))
    try:
        yield errors
    finally:
        set_handler(before)


def _find_frames(image: Image, selector: PictureSelector) -> Sequence[int]:
    """Return the numbers of the pages or frames that the user can choose from.

    Smaller copies of a TIFF's page, masks, and the pictures that cameras append to a JPEG do not
    count.
    """
    if image.format != "TIFF":
        return range(getattr(image, "n_frames", 1) if image.format in _ANIMATED else 1)
    frames = []
    for frame in count():
        try:
            image.seek(frame)
        except Exception:  # noqa: BLE001  (the end, or damage that is not in the picture)
            break
        kind = image.tag_v2.get(_SUBFILE_TYPE, 0)  # type: ignore[attr-defined]
        if not (isinstance(kind, int) and kind & REDUCED_OR_MASK):
            frames.append(frame)
        if len(frames) > max(MAX_COUNTED, *selector.index, 0):
            break
    frames = frames or [0]
    described = _IMAGEJ.match(str(image.tag_v2.get(_DESCRIPTION, "")))  # type: ignore[attr-defined]
    if len(frames) == 1 and described is not None and int(described[1]) > 1:
        raise InputError(
            f"The file keeps {int(described[1]):,} pictures behind one page, as ImageJ does with "
            "large stacks: save the pictures as pages, or label the file with an output of .zarr."
        )
    return frames


def _to_picture(image: Image, channel: int | None) -> Picture:
    from PIL import ImageOps

    if image.mode == "P" and SEGMENTS_KEY in image.info:
        return Picture(np.asarray(image), segments=True)
    ImageOps.exif_transpose(image, in_place=True)
    if channel is not None:
        if image.mode in ("P", "PA"):
            image = image.convert("RGBA" if image.has_transparency_data else "RGB")
        index = resolve_channel(channel, len(image.getbands()))
        if len(image.getbands()) > 1:
            return Picture(np.asarray(image.getchannel(index)))
    if image.has_transparency_data:
        return _blend_with_black(image.convert("RGBA"))
    if image.mode == "1":
        return Picture(np.asarray(image, np.bool_))
    if image.mode in ("L", "F") or image.mode.startswith("I"):
        grey = np.asarray(image)
        return Picture(grey.astype(grey.dtype.newbyteorder("="), copy=False))
    colours = image if image.mode == "RGB" else image.convert("RGB")
    return Picture(drop_equal_colours(np.asarray(colours)))


def _blend_with_black(image: Image) -> Picture:
    from PIL import Image as PillowImage

    black = PillowImage.new("RGBA", image.size, (0, 0, 0, 255))
    flat = PillowImage.alpha_composite(black, image).convert("RGB")
    return Picture(drop_equal_colours(np.asarray(flat)), np.asarray(image.getchannel("A")))


def make_coloured_picture(planes: npt.NDArray[np.uint8]) -> Picture:
    """Return the picture of an array of red, green, blue and, optionally, alpha.

    Parameters
    ----------
    planes : ndarray of uint8, shape (height, width, 3 or 4)
        The values.
    """
    from PIL import Image as PillowImage

    if planes.shape[2] == 4:
        return _blend_with_black(PillowImage.fromarray(planes, "RGBA"))
    return Picture(drop_equal_colours(planes))


def drop_equal_colours(planes: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    """Return red, green and blue as they are, or as one plane if they are equal everywhere."""
    red = planes[..., 0]
    if np.array_equal(red, planes[..., 1]) and np.array_equal(red, planes[..., 2]):
        return np.ascontiguousarray(red)
    return planes
