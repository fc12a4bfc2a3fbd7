"""What the samples of a TIFF page mean: their type, their colours, and their opacity."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from ccl_viewer.grids.picture_selector import PictureSelector, resolve_channel
from ccl_viewer.grids.pictures import SampleLayout, Samples

_WHITE_IS_ZERO, BLACK_IS_ZERO, _RGB, _PALETTE, _CMYK, YCBCR = 0, 1, 2, 3, 5, 6
"""PhotometricInterpretation."""

_Kind: TypeAlias = Literal["grey", "colours", "inks", "palette", "channels"]
_COLOURED: Final[dict[int, tuple[_Kind, int]]] = {
    _RGB: ("colours", 3),
    YCBCR: ("colours", 3),
    _CMYK: ("inks", 4),
    _PALETTE: ("palette", 1),
}
"""Kind and number of samples for a photometric interpretation in colour."""

_UNSIGNED, _SIGNED, _FLOAT, _UNDEFINED = 1, 2, 3, 4
"""SampleFormat."""
_KINDS: Final = {_UNSIGNED: "u", _UNDEFINED: "u", _SIGNED: "i", _FLOAT: "f"}
_SIZES: Final = {"u": (8, 16, 32, 64), "i": (8, 16, 32, 64), "f": (16, 32, 64)}

_BITS, _INK_SET, _EXTRA, _FORMAT, _NO_DATA = 258, 332, 338, 339, 42113  # tags

_ASSOCIATED, _UNASSOCIATED = 1, 2
"""ExtraSamples: opacity that the colours were multiplied by, and opacity alone."""


@dataclass(frozen=True)
class SampleMeaning:
    """What the samples of a page mean, and which of them are read.

    Parameters
    ----------
    photometric : int
        TIFF's number.
    bits : int
        Bits of a sample in the file.
    dtype : dtype
        Type that holds a sample.
    kind : str
        ``"channels"`` if the samples are no colours that are known: one has to be chosen.
    count : int
        Number of samples of a pixel.
    stored : tuple of int
        Numbers of those that are read.
    alpha : int or None
        The kind of opacity that the last of these is.
    plane : int or None
        Which of red, green and blue is kept, of colours that have to be converted first.
    no_data : int, float or None
        The value of grey pixels without data, which become NaN.
    """

    photometric: int
    bits: int
    dtype: np.dtype[Any]
    kind: _Kind
    count: int
    stored: tuple[int, ...]
    alpha: int | None = None
    plane: int | None = None
    no_data: float | None = None

    def choose(self, selector: PictureSelector) -> SampleMeaning:
        """Return the meaning when a channel is chosen.

        Raises
        ------
        InputError
            If one has to be chosen, or is not there.
        """
        channel, channels = selector.channel, self.kind == "channels"
        if channels and channel is None and selector.first:
            channel = 0
        if channel is None and not channels:
            return self
        if self.kind == "palette" or self.photometric == YCBCR:
            return replace(self, plane=resolve_channel(channel, 3))
        number = resolve_channel(channel, self.count)
        kind: _Kind = "channels" if channels else "grey"
        return replace(self, kind=kind, stored=(number,), alpha=None)

    @property
    def layout(self) -> SampleLayout:
        """What the samples are once they are interpreted."""
        coloured = self.kind in ("colours", "inks", "palette") and self.plane is None
        whole = self.value_dtype.kind != "u" or self.bits == 8 * self.dtype.itemsize
        top = None if whole or self.kind == "palette" else self._white
        return SampleLayout(coloured, self.alpha is not None, top)

    @property
    def value_dtype(self) -> np.dtype[Any]:
        """Type of the samples once they are interpreted."""
        if self.kind == "palette":
            return np.dtype(np.uint8)
        if self.no_data is None or len(self.stored) > 1 or self.dtype.kind == "f":
            return self.dtype
        return np.dtype(np.float32 if self.dtype.itemsize <= 2 else np.float64)

    @property
    def _white(self) -> int:
        return (1 << self.bits) - 1

    def interpret(self, samples: Samples, palette: npt.NDArray[Any] | None) -> Samples:
        """Turn samples as they are stored into grey values or colours, with opacity.

        Parameters
        ----------
        samples : ndarray, shape (height, width, number of stored samples)
            They may be changed.
        palette : ndarray, shape (3, number of colours), or None
            Colours of a palette.
        """
        missing = None
        if self.no_data is not None and len(self.stored) == 1:
            with np.errstate(over="ignore"):
                missing = samples == samples.dtype.type(self.no_data)
        if self.photometric == _WHITE_IS_ZERO and self.stored[0] == 0:
            samples[..., 0] = _turn_round(samples[..., 0], self._white)
        if self.kind == "palette":
            if palette is None:
                raise ValueError("it has no palette")
            colours = _look_up(palette, samples[..., 0])
            samples = np.concatenate([colours, samples[..., 1:]], axis=2)
        elif self.kind == "inks":
            samples = _mix_inks(samples, self._white)
        if self.alpha == _ASSOCIATED:
            opacity = np.maximum(samples[..., -1:], 1).astype(np.uint64)
            colours = samples[..., :-1] * np.uint64(self._white) // opacity
            samples[..., :-1] = np.minimum(colours, np.uint64(self._white))
        if missing is not None:
            samples = samples.astype(self.value_dtype)
            samples[missing] = np.nan
        return samples if self.plane is None else samples[..., self.plane : self.plane + 1]


def find_meaning(page: Any) -> SampleMeaning:
    """Return what the samples of a page mean.

    Parameters
    ----------
    page : tifffile.TiffPage
        The page.

    Raises
    ------
    ValueError
        If they are not real numbers of one type.
    """
    photometric, count = int(page.photometric), int(page.samplesperpixel)
    bits, dtype = _find_sample_type(page)
    kind, needed = _COLOURED.get(photometric, ("grey", 1))
    if count < needed:
        raise ValueError(f"it has {count} of {needed} colours")
    alpha, place = None, 0
    extra = [int(each) for each in page.extrasamples][: count - needed]
    if photometric == _RGB and count == needed + 1 and page.tags.get(_EXTRA) is None:
        extra = [_UNASSOCIATED]  # as written before that tag was common
    for number, meaning in enumerate(extra):
        if meaning in (_ASSOCIATED, _UNASSOCIATED) and (kind != "palette" or bits == 8):
            alpha, place = meaning, needed + number
            break
    no_data = _find_no_data(page, dtype) if kind == "grey" else None
    limited = dtype.kind in "ub" and dtype.itemsize <= 2
    if kind == "grey":
        known = count == 1 or (count == 2 and alpha is not None and limited)
    else:
        known = limited and (kind != "inks" or page.tags.valueof(_INK_SET, 1) == 1)
    if not known:
        return SampleMeaning(photometric, bits, dtype, "channels", count, (0,), no_data=no_data)
    stored = tuple(range(needed)) + (() if alpha is None else (place,))
    if dtype == np.bool_ and len(stored) > 1:
        dtype = np.dtype(np.uint8)
    return SampleMeaning(photometric, bits, dtype, kind, count, stored, alpha, no_data=no_data)


def _find_no_data(page: Any, dtype: np.dtype[Any]) -> float | None:
    """Return the value that GDAL and others declare for no data; None if there is none."""
    try:
        value = float(page.tags.valueof(_NO_DATA, "nan"))
    except (TypeError, ValueError):
        return None
    if np.isnan(value) or dtype == np.bool_:
        return None
    if dtype.kind == "f":
        return value
    limits = np.iinfo(dtype)
    if not (value.is_integer() and limits.min <= value <= limits.max):
        return None  # no pixel has it
    if dtype.itemsize > 4:
        raise ValueError("a value of 64 bits stands for no data")
    return int(value)


def _find_sample_type(page: Any) -> tuple[int, np.dtype[Any]]:
    """Return the bits of a sample, and the type that holds them."""
    bits, kind = _take_one(page, _BITS), _KINDS.get(_take_one(page, _FORMAT, _UNSIGNED))
    if kind is None:
        raise ValueError("its samples are not real numbers")
    if bits in _SIZES[kind]:
        return bits, np.dtype(f"{kind}{bits // 8}")
    if kind != "u" or not 0 < bits < 32:
        raise ValueError(f"its samples have {bits} bits")
    if bits == 1:
        return bits, np.dtype(np.bool_)
    return bits, np.dtype(np.uint8 if bits < 8 else np.uint16 if bits < 16 else np.uint32)


def _take_one(page: Any, number: int, default: int = 1) -> int:
    """Return the value of a tag that has the same one for each sample."""
    values = {*np.atleast_1d(page.tags.valueof(number, default)).tolist()}
    if len(values) > 1:
        raise ValueError("its samples are of different types")
    return int(values.pop())


def unpack_bits(
    data: bytes, shape: tuple[int, int, int], bits: int, stored: np.dtype[Any]
) -> Samples:
    """Return samples of a few bits, the highest bit first, in rows that begin with a byte."""
    height, width, samples = shape
    packed = np.frombuffer(data, np.uint8).reshape(height, -1)
    each = np.unpackbits(packed, axis=1, count=width * samples * bits).reshape(*shape, bits)
    if bits == 1:
        return each[..., 0].view(stored)
    values = np.zeros(shape, stored)
    for place in range(bits):
        values = (values << 1) | each[..., place]
    return values


def _turn_round(values: npt.NDArray[Any], white: int) -> npt.NDArray[Any]:
    """Return values of which the lowest was white so that the highest is."""
    turned: npt.NDArray[Any]
    if values.dtype.kind == "u":
        turned = values.dtype.type(white) - values
    else:
        turned = -values if values.dtype.kind == "f" else ~values
    return turned


def _look_up(table: npt.NDArray[Any], indices: npt.NDArray[Any]) -> Samples:
    """Return the colours of a palette, whose table has 16 bits, or 8 by mistake."""
    colours = np.asarray(table).T
    if colours.max() > 255:
        colours = colours >> 8
    return colours.astype(np.uint8)[indices.astype(np.intp)]


def _mix_inks(samples: Samples, white: int) -> Samples:
    """Return red, green and blue of cyan, magenta, yellow and black, as Pillow does."""
    rest = white - samples[..., 3:4].astype(np.int64)
    inks = samples[..., :3].astype(np.int64)
    colours = rest - (inks * rest + white // 2) // white
    return np.concatenate([colours.astype(samples.dtype), samples[..., 4:]], axis=2)
