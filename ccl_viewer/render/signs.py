"""Signs that the built-in typeface of pictures lacks, put together from those that it has."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from PIL.ImageFont import FreeTypeFont

_TIMES: Final = "\N{MULTIPLICATION SIGN}"
_MICRO: Final = "\N{MICRO SIGN}"

STAND_INS: Final = {_TIMES: "+", _MICRO: "u"}
"""The signs, and for each a letter that is as wide."""

_FINER: Final = 8
_AGAIN: Final = {"\N{GREEK SMALL LETTER MU}": _MICRO}

SAME: Final = str.maketrans(_AGAIN)
"""Characters that look like one of the signs."""

Shades = npt.NDArray[np.uint8]


@lru_cache(maxsize=64)
def sign(char: str, size: int, font: FreeTypeFont) -> Shades:
    """Draw a sign.

    Parameters
    ----------
    char : str
        One of :data:`STAND_INS`.
    size : int
        Of the typeface, in pixels.
    font : FreeTypeFont
        The typeface in this size.

    Returns
    -------
    ndarray of uint8, shape (line height, width)
        From 0, paper, to 255, ink; the left end is the origin.
    """
    return _times(size, font) if char == _TIMES else _micro(font)


def _times(size: int, font: FreeTypeFont) -> Shades:
    """Draw a plus that is turned by half a right angle."""
    from PIL import Image

    large = font.font_variant(size=size * _FINER)
    left, top, right, bottom = (round(edge) for edge in large.getbbox("+", anchor="ls"))
    plus = Image.fromarray(_drawn("+", large))
    ascent, middle = font.getmetrics()[0], ((left + right) / 2, (top + bottom) / 2)
    base = large.getmetrics()[0]
    turned = plus.rotate(
        45, Image.Resampling.BICUBIC, center=(middle[0], base + middle[1]), expand=False
    )
    # Both lines have their base at a whole pixel, whatever the fine one's ascent is.
    rows = Image.new("L", (-(-plus.width // _FINER) * _FINER, sum(font.getmetrics()) * _FINER))
    rows.paste(turned, (0, ascent * _FINER - base))
    return np.asarray(rows.reduce(_FINER))


def _micro(font: FreeTypeFont) -> Shades:
    """Draw a u with what lies of the stem of a p below the line."""
    base = font.getmetrics()[0]
    body, stem = _drawn("u", font).copy(), _drawn("p", font)[base:]
    # The foot of the stem tells its columns: the bowl may reach below the line as well.
    columns = np.flatnonzero(stem[np.flatnonzero(stem.any(axis=1))[-1]])
    left = int(np.flatnonzero(body.any(axis=0))[0])
    width = min(columns.size, body.shape[1] - left)
    below = body[base:, left : left + width]
    below[:] = np.maximum(below, stem[:, columns[:width]])
    return body


def _drawn(letter: str, font: FreeTypeFont) -> Shades:
    from PIL import Image, ImageDraw

    picture = Image.new("L", (int(np.ceil(font.getlength(letter))), sum(font.getmetrics())))
    ImageDraw.Draw(picture).text((0, font.getmetrics()[0]), letter, 255, font, anchor="ls")
    return np.asarray(picture)
