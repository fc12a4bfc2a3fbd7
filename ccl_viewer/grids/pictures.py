"""Pixels of a picture: grey values, colours, opacity, and the scale that they are on."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ccl_viewer.grids.picture_selector import ALONE, PicturePosition, resolve_channel
from ccl_viewer.support.arrays import count_occurrences, split_into_bands

Samples = npt.NDArray[Any]
"""Values as a file holds them, of shape (height, width, channels)."""

SEGMENTS_KEY: Final = "ccl-viewer-grid"
"""Key of the text in a PNG with the values of a multi-valued grid as palette indices."""

PGM_SEGMENTS: Final = b"P5\n# ccl-viewer-grid: grey values are the values of the grid\n"
"""First bytes of a PGM with the values of a multi-valued grid."""

TRANSPOSED = (5, 6, 7, 8)
FLIPPED_ROWS = (3, 4, 7, 8)
FLIPPED_COLUMNS = (2, 3, 6, 7)
"""Orientations whose rows and columns are exchanged; then, whose rows or columns are reversed."""

_PART = 1 << 22  # pixels
_RED, _GREEN, _BLUE = 19595, 38470, 7471  # Rec. 601 luma, in parts of 65536


@dataclass(frozen=True, eq=False)
class Picture:
    """The pixels of a picture.

    Parameters
    ----------
    planes : ndarray of bool, integers or floats, shape (height, width) or (height, width, 3)
        Grey values, or red, green and blue of 8 or 16 bits, on the file's own scale; a higher value
        is brighter. Bool if the picture has one bit per pixel (white is True), which needs no
        threshold.
    alpha : ndarray of unsigned integers, shape (height, width), or None
        0 where the picture is fully transparent; None if it has no transparency.
    segments : bool
        Whether the values are those of a multi-valued grid that this program saved.
    position : PicturePosition
        Which picture of the file it is.
    top : int or None
        The value of white, if it is not the highest value of an unsigned type of up to 16 bits.
    """

    planes: npt.NDArray[Any]
    alpha: npt.NDArray[Any] | None = None
    segments: bool = False
    position: PicturePosition = ALONE
    top: int | None = None

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
    def white(self) -> int | None:
        """The value of white; None if the scale has no end."""
        return find_white(self.planes.dtype) if self.top is None else self.top

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
        return bool(levels[0] + levels[self.white] == self.planes.size)


def find_white(dtype: np.dtype[Any]) -> int | None:
    """Return the value of white in a type; None if the type is not the scale of a picture."""
    if dtype == np.bool_:
        return 1
    return int(np.iinfo(dtype).max) if dtype.kind == "u" and dtype.itemsize <= 2 else None


@dataclass(frozen=True)
class SampleLayout:
    """What the samples of a picture mean.

    Parameters
    ----------
    colours : bool
        Whether the first three are red, green and blue; otherwise there is one grey value.
    alpha : bool
        Whether the last one is opacity.
    top : int or None
        As of :class:`Picture`.
    ink : bool
        Whether opacity takes the place of the colours, because all visible pixels have the same:
        see :func:`has_one_colour`.
    """

    colours: bool = False
    alpha: bool = False
    top: int | None = None
    ink: bool = False

    @classmethod
    def of(cls, samples: Samples, top: int | None = None) -> SampleLayout:
        """Return the layout of grey values or colours, perhaps with opacity."""
        count = samples.shape[2]
        return cls(count > 2, count in (2, 4), top)

    def compose(self, samples: Samples, position: PicturePosition = ALONE) -> Picture:
        """Return a picture of these samples, shape (height, width, number of samples).

        Colours are blended with black by their opacity, so transparent pixels are dark.
        """
        planes = samples[..., :3] if self.colours else samples[..., 0]
        if not self.alpha:
            return Picture(planes, position=position, top=self.top)
        alpha = np.ascontiguousarray(samples[..., -1])
        if self.ink:
            return Picture(alpha, alpha, position=position, top=self.top)
        blended = _blend_with_black(planes, alpha, self.top or find_white(alpha.dtype) or 1)
        return Picture(blended, alpha, position=position, top=self.top)


GREY: Final = SampleLayout()
"""Grey values on the scale of their type."""


def compose_picture(
    samples: Samples, position: PicturePosition = ALONE, top: int | None = None
) -> Picture:
    """Return a picture of grey values or of colours, perhaps with opacity as the last sample.

    Colours that are all grey become grey values. Opacity that is full everywhere is left out. If
    all visible pixels have one colour, as ink on a transparent ground, opacity becomes the values.

    Parameters
    ----------
    samples : ndarray of integers or floats, shape (height, width, 1 to 4)
        Grey values; with opacity; colours; with opacity.
    position : PicturePosition
        Which picture of its file it is.
    top : int or None
        As of :class:`Picture`.
    """
    layout = SampleLayout.of(samples, top)
    if layout.alpha and (samples[..., -1] == (top or find_white(samples.dtype))).all():
        samples = samples[..., :-1]
        layout = replace(layout, alpha=False)
    if layout.alpha:
        layout = replace(layout, ink=has_one_colour(layout, [lambda: samples]))
    picture = layout.compose(samples, position)
    planes = drop_equal_colours(picture.planes) if picture.coloured else picture.planes
    planes = np.ascontiguousarray(planes)
    return Picture(planes, picture.alpha, position=position, top=top)


def has_one_colour(layout: SampleLayout, parts: Iterable[Callable[[], Samples]]) -> bool:
    """Return whether a picture has transparent parts, and one colour where it is visible.

    Parameters
    ----------
    layout : SampleLayout
        What the samples mean.
    parts : iterable of callable
        Each reads some samples; those after a second colour are not read.
    """
    white = layout.top
    first: npt.NDArray[Any] | None = None
    transparent = False
    for read in parts:
        samples = read()
        for rows in split_into_bands(samples.shape[:2], _PART):
            band = samples[rows]
            alpha, colours = band[..., -1], band[..., :-1]
            transparent |= bool((alpha < (white or find_white(alpha.dtype) or 1)).any())
            visible = colours[alpha > 0]
            if visible.size:
                first = visible[0] if first is None else first
                if not (visible == first).all():
                    return False
    return transparent and first is not None


def choose_channel(samples: Samples, channel: int) -> Samples:
    """Return one channel as grey values, shape (height, width, 1).

    Raises
    ------
    InputError
        If there is no such channel.
    """
    index = resolve_channel(channel, samples.shape[2])
    return samples[..., index : index + 1]


def orient(samples: npt.NDArray[Any], orientation: int) -> npt.NDArray[Any]:
    """Return pixels as they are meant to be seen.

    Parameters
    ----------
    samples : ndarray, shape (height, width, ...)
        Pixels as they are stored.
    orientation : int
        TIFF's and EXIF's number, from 1; from 5 on, rows and columns are exchanged.
    """
    if orientation in TRANSPOSED:
        samples = np.swapaxes(samples, 0, 1)
    if orientation in FLIPPED_ROWS:
        samples = samples[::-1]
    if orientation in FLIPPED_COLUMNS:
        samples = samples[:, ::-1]
    return samples


def to_grey(planes: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return the grey values of a picture, or the Rec. 601 luma of its colours.

    Parameters
    ----------
    planes : ndarray, shape (height, width) or (height, width, 3)
        As of :class:`Picture`.

    Returns
    -------
    ndarray, shape (height, width)
        Of the same type; for 8 bits, the same values as from Pillow's conversion to ``L``.
    """
    if planes.ndim == 2:
        return planes
    grey = np.empty(planes.shape[:2], planes.dtype)
    # In parts, since sums take more bytes per pixel; in 32 bits, as 65536 times a value fits.
    for rows in split_into_bands(grey.shape, _PART):
        part = planes[rows]
        luma = part[..., 0] * np.uint32(_RED)
        luma += part[..., 1] * np.uint32(_GREEN)
        luma += part[..., 2] * np.uint32(_BLUE)
        luma += np.uint32(0x8000)
        grey[rows] = luma >> np.uint32(16)
    return grey


def number_colours(planes: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return a number for each colour, ``0xRRGGBB``, black 0; grey values stay as they are."""
    if planes.ndim == 2:
        return planes
    bits = 8 * planes.dtype.itemsize
    number_type = np.int32 if bits == 8 else np.int64
    numbers: npt.NDArray[Any] = np.left_shift(planes[..., 0], 2 * bits, dtype=number_type)
    numbers |= np.left_shift(planes[..., 1], bits, dtype=number_type)
    numbers |= planes[..., 2]
    return numbers


def drop_equal_colours(planes: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return red, green and blue as they are, or as one plane if they are equal everywhere."""
    red = planes[..., 0]
    if np.array_equal(red, planes[..., 1]) and np.array_equal(red, planes[..., 2]):
        return np.ascontiguousarray(red)
    return planes


def _blend_with_black(
    planes: npt.NDArray[Any], alpha: npt.NDArray[Any], white: int
) -> npt.NDArray[Any]:
    blended = np.empty(planes.shape, planes.dtype)
    for rows in split_into_bands(alpha.shape, _PART):
        part = alpha[rows] if planes.ndim == 2 else alpha[rows][..., None]
        blended[rows] = (planes[rows] * part.astype(np.uint64) + np.uint64(white // 2)) // white
    return blended
