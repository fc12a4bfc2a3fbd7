"""Pictures in, grey values out: the only part of the grids that decodes files with Pillow."""

from __future__ import annotations

import struct
import warnings
import zlib
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ccl_viewer.errors import InputError

if TYPE_CHECKING:
    from PIL.Image import Image

FORMATS = ("PNG", "JPEG", "TIFF", "BMP", "PPM", "GIF")
"""Pillow's names of what is read. No other decoder is ever started."""

# What Pillow's decoders raise on damaged data, as they let through whatever their parsing hits.
_DAMAGE = (
    OSError,
    SyntaxError,
    ValueError,
    EOFError,
    IndexError,
    KeyError,
    TypeError,
    AttributeError,
    OverflowError,
    ZeroDivisionError,
    NotImplementedError,
    struct.error,
    zlib.error,
)


@dataclass(frozen=True, eq=False)
class Picture:
    """Grey values of a picture.

    Parameters
    ----------
    grey : ndarray of bool, integers or floats, shape (height, width)
        Bool if the picture has one bit a pixel (white is True), which needs no threshold.
    opaque : ndarray of bool, shape (height, width), or None
        False where the picture is fully transparent; None if it has no transparency.
    """

    grey: npt.NDArray[Any]
    opaque: npt.NDArray[np.bool_] | None = None


def decode(file: IO[bytes], name: str, max_pixels: int, *, keep_colours: bool = False) -> Picture:
    """Decode a picture to grey values.

    Colours become Rec. 601 luma. The first frame of an animation is taken, and turned as its EXIF
    orientation says. Transparency is laid over black. Pictures of 16 or 32 bits keep their scale.

    Parameters
    ----------
    file : binary file
        Open for reading, at the picture's first byte.
    name : str
        What to call the file in errors.
    max_pixels : int
        Most pixels to decode; it is compared with the header before anything is decoded.
    keep_colours : bool
        Whether each colour gets a number of its own instead of its luma: ``0xRRGGBB``, black is 0.
        Pictures without colours keep their grey values.

    Returns
    -------
    Picture
        The grey values.

    Raises
    ------
    InputError
        If it is no picture of a known format, is damaged, or is too large.
    """
    from PIL import Image, UnidentifiedImageError

    too_large = (
        f"{name} has more than {max_pixels} pixels, the limit: crop it or scale it down first."
    )
    with warnings.catch_warnings():
        # Pillow warns of large or slightly odd files; the limit is checked below, and what Pillow
        # can read in spite of an oddity is good enough.
        warnings.simplefilter("ignore")
        try:
            with Image.open(file, formats=FORMATS) as image:
                if image.width * image.height > max_pixels:
                    raise InputError(too_large)
                return _to_picture(image, keep_colours=keep_colours)
        except UnidentifiedImageError as error:
            raise InputError(
                f"{name} is no picture that can be read: use PNG, JPEG, TIFF, BMP, PBM, PGM, GIF, "
                "NPY, or text of '.' and '#'."
            ) from error
        except Image.DecompressionBombError as error:
            raise InputError(too_large) from error
        except MemoryError as error:
            raise InputError(
                f"{name} does not fit into memory: crop it or scale it down first."
            ) from error
        except _DAMAGE as error:
            raise InputError(
                f"{name} is damaged or of a kind that cannot be read ({error}): save it again as "
                "PNG."
            ) from error


def _to_picture(image: Image, *, keep_colours: bool) -> Picture:
    from PIL import ImageOps

    upright = ImageOps.exif_transpose(image)
    if upright.has_transparency_data:
        return _over_black(upright.convert("RGBA"), keep_colours=keep_colours)
    if upright.mode == "1":
        return Picture(np.asarray(upright, np.bool_))
    if upright.mode in ("L", "F") or upright.mode.startswith("I"):
        grey = np.asarray(upright)
        return Picture(grey.astype(grey.dtype.newbyteorder("="), copy=False))
    return Picture(_one_number(upright.convert("RGB"), keep_colours=keep_colours))


def _over_black(image: Image, *, keep_colours: bool) -> Picture:
    from PIL import Image as PillowImage

    black = PillowImage.new("RGBA", image.size, (0, 0, 0, 255))
    flat = PillowImage.alpha_composite(black, image).convert("RGB")
    grey = _one_number(flat, keep_colours=keep_colours)
    return Picture(grey, opaque=np.asarray(image.getchannel("A")) > 0)


def _one_number(image: Image, *, keep_colours: bool) -> npt.NDArray[Any]:
    """Return luma, or the numbers of the colours, of an RGB picture."""
    if not keep_colours:
        return np.asarray(image.convert("L"))
    red, green, blue = (np.asarray(band, np.int32) for band in image.split())
    numbers: npt.NDArray[np.int32] = (red << 16) | (green << 8) | blue
    grey = (red == green) & (green == blue)
    return blue if grey.all() else numbers
