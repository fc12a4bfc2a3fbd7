"""Text as NumPy arrays, set by Pillow in its built-in typeface."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Final
from unicodedata import normalize

import numpy as np
import numpy.typing as npt

from ccl_viewer.render.inks import LEVELS
from ccl_viewer.render.signs import SAME, STAND_INS, sign

if TYPE_CHECKING:
    from PIL.ImageFont import FreeTypeFont

SEPARATOR: Final = "  \u00b7  "
_SMALLEST: Final = 8
_SAMPLE: Final = 16
_REPLACEMENTS: Final = SAME | str.maketrans(
    {"\u2212": "-", "\u2013": "-", "\u2014": "-", "\u2192": ">"}
)
_AS_WIDE: Final = str.maketrans(STAND_INS)
_PIECES: Final = re.compile("[{0}]|[^{0}]+".format("".join(STAND_INS)))
_IN_NO_TYPEFACE: Final = "\ue000"


@lru_cache(maxsize=64)
def font(size: int) -> FreeTypeFont:
    """Return the typeface in a size, in pixels."""
    from PIL import ImageFont
    from PIL.ImageFont import FreeTypeFont

    loaded = ImageFont.load_default(size)
    if not isinstance(loaded, FreeTypeFont):
        raise RuntimeError("Pillow was built without FreeType")  # noqa: TRY004  (no argument)
    return loaded


def width_of(text: str, size: int) -> int:
    """Return how many pixels a line of text is wide."""
    return _reach(text, size)[1]


def ascent(size: int) -> int:
    """Return how many pixels of a line lie above its base."""
    return font(size).getmetrics()[0]


def line_height(size: int) -> int:
    """Return how many pixels a line is high."""
    return sum(font(size).getmetrics())


@lru_cache(maxsize=512)
def line(text: str, size: int) -> npt.NDArray[np.uint8]:
    """Set a line of text.

    Parameters
    ----------
    text : str
        One line.
    size : int
        Of the typeface, in pixels.

    Returns
    -------
    ndarray of uint8, shape (line height, width), read-only
        From 0, paper, to ``LEVELS - 1``, ink.
    """
    from PIL import Image, ImageDraw

    before, width = _reach(text, size)
    picture = Image.new("L", (max(1, width), line_height(size)))
    pen = ImageDraw.Draw(picture)
    for piece, left in _pieces(text, size):
        if piece in STAND_INS:
            mask = Image.fromarray(sign(piece, size, font(size)))
            picture.paste(255, (round(before + left), 0), mask)
        else:
            pen.text((before + left, ascent(size)), piece, 255, font(size), anchor="ls")
    shades = np.asarray(picture).astype(np.uint16)
    levels = ((shades * (LEVELS - 1) + 127) // 255).astype(np.uint8)
    levels.flags.writeable = False
    return levels


def printable(text: str) -> str:
    """Return text with only characters that can be drawn: for \u00e9, say, with e.

    These are those of the built-in typeface, and a few signs that are made of them.
    """
    return "".join(map(_known, text.translate(_REPLACEMENTS)))


@lru_cache(maxsize=1024)
def _known(char: str) -> str:
    """Return a character, or without its accents, or a question mark: what can be drawn."""
    if char in STAND_INS:
        return char
    plain = normalize("NFKD", char)[:1]
    return next((one for one in (char, plain) if one.isprintable() and _has(one)), "?")


def _has(char: str) -> bool:
    """Return whether the typeface has a character: others look like one that no typeface has."""
    letters = font(_SAMPLE)
    return char == " " or bytes(letters.getmask(char)) != bytes(letters.getmask(_IN_NO_TYPEFACE))


def wrapped(text: str, size: int, width: int) -> list[tuple[str, int]]:
    """Break text into lines that fit.

    Parameters
    ----------
    text : str
        Broken at separators where possible, else between words; a word that is too long is set
        smaller, and broken where nothing else helps.
    size : int
        Of the typeface, in pixels.
    width : int
        Pixels that a line may take.

    Returns
    -------
    list of (str, int)
        The lines, each with its size.
    """
    if width_of(text, size) <= width:  # as most do, and then nothing has to be tried
        return [(text, size)]
    lines: list[str] = []
    for part in text.split(SEPARATOR):
        if lines and width_of(lines[-1] + SEPARATOR + part, size) <= width:
            lines[-1] += SEPARATOR + part
        else:
            lines.extend(_words(part, size, width))
    return [fitted for text in lines for fitted in _fitted(text, size, width)]


@lru_cache(maxsize=1024)
def _reach(text: str, size: int) -> tuple[int, int]:
    """Return how many pixels of a line lie before its origin, and how many there are at all."""
    first = last = 0.0
    for piece, at in _pieces(text, size):
        left, _, right, _ = font(size).getbbox(piece.translate(_AS_WIDE), anchor="ls")
        first, last = min(first, at + left), max(last, at + right)
    return -int(np.floor(first)), int(np.ceil(last - first))


def _pieces(text: str, size: int) -> Iterator[tuple[str, float]]:
    """Yield signs and what lies between them, each with where it begins."""
    at = 0.0
    for piece in _PIECES.findall(printable(text)):
        yield piece, at
        at += font(size).getlength(piece.translate(_AS_WIDE))


def _words(text: str, size: int, width: int) -> list[str]:
    lines: list[str] = []
    for word in text.split(" "):
        if lines and width_of(f"{lines[-1]} {word}", size) <= width:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines


def _fitted(text: str, size: int, width: int) -> list[tuple[str, int]]:
    while size > _SMALLEST and width_of(text, size) > width:
        size -= 1
    if width_of(text, size) <= width or len(text) < 2:
        return [(text, size)]
    middle = len(text) // 2
    return _fitted(text[:middle], size, width) + _fitted(text[middle:], size, width)
