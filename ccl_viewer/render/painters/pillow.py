"""Plays display lists as pixels: lines are smoothed by NumPy, text is set by Pillow.

Pictures are arrays of ``0xAARRGGBB``, which a palette of 256 colours turns into indices for GIF,
APNG, WebP and video.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, TypeAlias
from unicodedata import normalize

import numpy as np
import numpy.typing as npt

from ccl_viewer.render.display_list import (
    BASELINE,
    Colour,
    Curves,
    DisplayList,
    Image,
    Item,
    Layer,
    Lines,
    Points,
    Polygons,
    Rects,
    Texts,
    channels,
)
from ccl_viewer.render.facts import SEPARATOR

if TYPE_CHECKING:
    from PIL.ImageDraw import ImageDraw
    from PIL.ImageFont import FreeTypeFont

Picture: TypeAlias = npt.NDArray[np.uint32]
"""Shape (height, width), ``0xAARRGGBB``."""

Shades: TypeAlias = npt.NDArray[np.uint8]
Places: TypeAlias = npt.NDArray[np.int64]

COLOURS: Final = 255
"""Colours of frames; the last index is left for what writers need it for."""

_FINE: Final = 3
_FINE_PIXELS: Final = 4 << 20
_CURVE_POINTS: Final = 9
_FEW: Final = 12
_LAYERS_KEPT: Final = 16
_UNKNOWN: Final = 255
_OPAQUE: Final = np.uint32(0xFF000000)


@dataclass(frozen=True, eq=False)
class _Stencil:
    """What shapes cover of a picture.

    Parameters
    ----------
    places : ndarray of int64, shape (pixels,)
        Linear indices of the pixels.
    colours : ndarray of float32, shape (pixels, 3)
        Red, green and blue, times the share that is covered.
    keep : ndarray of float32, shape (pixels,)
        Share of what was there before that is still seen.
    """

    places: Places
    colours: npt.NDArray[np.float32]
    keep: npt.NDArray[np.float32]

    def lay_over(self, picture: Picture) -> None:
        """Change the pixels of a contiguous picture that are covered."""
        if self.places.size:
            flat = picture.reshape(-1)
            mixed = _unpacked(flat[self.places]) * self.keep[:, None] + self.colours
            flat[self.places] = _packed(mixed)


def _unpacked(pixels: Picture) -> npt.NDArray[np.float32]:
    bytes_ = np.ascontiguousarray(pixels, "<u4").view(np.uint8).reshape(-1, 4)
    return bytes_[:, 2::-1].astype(np.float32)


def _packed(rgb: npt.NDArray[np.floating]) -> Picture:
    whole = np.rint(rgb).astype(np.uint32)
    weights = np.array([1 << 16, 1 << 8, 1], np.uint32)
    packed: Picture = whole @ weights | _OPAQUE
    return packed


class PicturePainter:
    """Plays display lists of one size; keeps what it made of layers that come again."""

    def __init__(self) -> None:
        self._kept: dict[int, tuple[Layer, list[_Stencil | Item]]] = {}

    def paint(self, shown: DisplayList) -> Picture:
        """Return a display list as pixels."""
        picture = np.full((shown.height, shown.width), shown.background, np.uint32)
        for layer in shown.layers:
            for part in self._prepared(layer, shown):
                if isinstance(part, _Stencil):
                    part.lay_over(picture)
                else:
                    _paint(part, picture)
        return picture

    def _prepared(self, layer: Layer, shown: DisplayList) -> list[_Stencil | Item]:
        """Return the parts of a layer, with smooth shapes together as stencils."""
        known = self._kept.pop(id(layer), None)
        if known is None:
            known = layer, list(_parts(layer.items, shown.height, shown.width))
        self._kept[id(layer)] = known  # with the layer, whose identity must not come again
        while len(self._kept) > _LAYERS_KEPT:
            del self._kept[next(iter(self._kept))]
        return known[1]


def paint(shown: DisplayList) -> Picture:
    """Return a display list as pixels."""
    return PicturePainter().paint(shown)


def rgb_of(picture: Picture) -> npt.NDArray[np.uint8]:
    """Return a picture as ``uint8`` of shape (height, width, 3)."""
    bytes_ = picture.astype("<u4", copy=False).view(np.uint8).reshape(*picture.shape, 4)
    return np.ascontiguousarray(bytes_[:, :, 2::-1])


def _is_smooth(item: Item) -> bool:
    if isinstance(item, Rects):
        return bool(item.radius or item.dash)
    return isinstance(item, Lines | Curves | Polygons)


def _parts(items: Sequence[Item], height: int, width: int) -> Iterator[_Stencil | Item]:
    together: list[Item] = []
    for item in items:
        if _is_smooth(item):
            together.append(item)
            continue
        if together:
            yield _smooth(together, height, width)
            together = []
        yield item
    if together:
        yield _smooth(together, height, width)


# Shapes whose edges lie on pixels


def _paint(item: Item, picture: Picture) -> None:
    if isinstance(item, Image):
        _paint_image(item, picture)
    elif isinstance(item, Rects):
        _paint_rects(item, picture)
    elif isinstance(item, Texts):
        _paint_texts(item, picture)


def _paint_image(image: Image, picture: Picture) -> None:
    indices, left, top = image.pixels(picture.shape[1], picture.shape[0])
    if not indices.size:
        return
    part = picture[top : top + indices.shape[0], left : left + indices.shape[1]]
    if image.opaque:
        part[:] = image.table[indices]
        return
    alpha = (image.table >> 24).astype(np.float32) / 255
    y, x = np.nonzero(alpha[indices])
    chosen = indices[y, x]
    colours = _unpacked(image.table) * alpha[:, None]
    part[y, x] = _packed(_unpacked(part[y, x]) * (1 - alpha[chosen])[:, None] + colours[chosen])


def _paint_rects(rects: Rects, picture: Picture) -> None:
    boxes = np.rint(rects.boxes).astype(np.int64)
    if rects.fill is not None:
        _fill(boxes, rects.fill, picture)
    if rects.stroke is not None:
        thick = max(1, round(rects.width))
        left, top, right, bottom = boxes.T
        inner = np.minimum(top + thick, bottom), np.maximum(bottom - thick, top)
        sides = [
            (left, top, right, inner[0]),
            (left, inner[1], right, bottom),
            (left, inner[0], np.minimum(left + thick, right), inner[1]),
            (np.maximum(right - thick, left), inner[0], right, inner[1]),
        ]
        for side in sides:
            _fill(np.stack(side, axis=1), rects.stroke, picture)


def _fill(boxes: Places, colour: Colour, picture: Picture) -> None:
    height, width = picture.shape
    boxes = np.clip(boxes, 0, np.array([width, height, width, height]))
    sizes = boxes[:, 2:] - boxes[:, :2]
    boxes, sizes = (found[(sizes > 0).all(axis=1)] for found in (boxes, sizes))
    if len(boxes) <= _FEW:
        for left, top, right, bottom in boxes.tolist():
            part = picture[top:bottom, left:right]
            part[:] = _over(part.reshape(-1), colour).reshape(part.shape)
        return
    flat = picture.reshape(-1)
    for across, down in np.unique(sizes, axis=0).tolist():
        chosen = boxes[(sizes == (across, down)).all(axis=1)]
        offsets = (np.arange(down)[:, None] * width + np.arange(across)[None, :]).reshape(-1)
        places = (chosen[:, 1] * width + chosen[:, 0])[:, None] + offsets
        flat[places] = _over(flat[places].reshape(-1), colour).reshape(places.shape)


def _over(pixels: Picture, colour: Colour) -> Picture:
    red, green, blue, alpha = channels(colour)
    if alpha == 255:
        return np.full(pixels.shape, colour, np.uint32)
    share = np.float32(alpha / 255)
    return _packed(_unpacked(pixels) * (1 - share) + np.array([red, green, blue]) * share)


# Smooth shapes


def _smooth(items: Iterable[Item], height: int, width: int) -> _Stencil:
    """Draw shapes larger, with an index for each colour, and return what they cover."""
    from PIL import Image as Pillow
    from PIL import ImageDraw

    fine = _FINE if height * width <= _FINE_PIXELS else 2
    surface = Pillow.new("L", (width * fine, height * fine))
    pen = _Pen(ImageDraw.Draw(surface), fine)
    inks: list[Colour] = [0]
    for item in items:
        for colour, shape in _colours_of(item):
            if colour not in inks:
                inks.append(colour)
            pen.draw(shape, inks.index(colour))
    box = surface.getbbox()
    if box is None:
        return _Stencil(
            np.empty(0, np.int64), np.empty((0, 3), np.float32), np.empty(0, np.float32)
        )
    left, top, right, bottom = (
        box[0] // fine,
        box[1] // fine,
        -(-box[2] // fine),
        -(-box[3] // fine),
    )
    drawn = np.asarray(surface)[top * fine : bottom * fine, left * fine : right * fine]
    parts = [drawn[row::fine, column::fine] for row in range(fine) for column in range(fine)]
    touched = parts[0].copy()
    for part in parts[1:]:
        touched |= part
    y, x = np.nonzero(touched)
    places = (y + top) * width + x + left
    table = np.array([channels(ink) for ink in inks], np.float32)
    alpha = table[:, 3] / 255
    premultiplied = table[:, :3] * alpha[:, None]
    colours = np.zeros((places.size, 3), np.float32)
    covered = np.zeros(places.size, np.float32)
    for part in parts:
        inked = part[y, x]
        colours += premultiplied[inked]
        covered += alpha[inked]
    share = np.float32(1 / (fine * fine))
    return _Stencil(places, colours * share, 1 - covered * share)


def _colours_of(item: Item) -> Iterator[tuple[Colour, Item]]:
    if isinstance(item, Rects):
        if item.fill is not None:
            yield item.fill, Rects(item.boxes, fill=item.fill, radius=item.radius)
        if item.stroke is not None:
            yield (
                item.stroke,
                Rects(item.boxes, None, item.stroke, item.width, item.dash, item.radius),
            )
    elif isinstance(item, Lines | Curves):
        yield item.colour, item
    elif isinstance(item, Polygons):
        yield item.fill, item


@dataclass(frozen=True)
class _Pen:
    """Draws shapes on a surface with `fine` pixels to a pixel."""

    on: ImageDraw
    fine: int

    def draw(self, item: Item, ink: int) -> None:
        """Draw the fill or the outline of a shape."""
        if isinstance(item, Rects):
            self._rects(item, ink)
        elif isinstance(item, Lines):
            self._lines(item, ink)
        elif isinstance(item, Curves):
            self._curves(item, ink)
        elif isinstance(item, Polygons):
            self._polygons(item, ink)

    def _rects(self, rects: Rects, ink: int) -> None:
        if rects.dash:
            self._lines(Lines(_sides_of(rects), 0, rects.width, rects.dash), ink)
            return
        fine, half = self.fine, rects.width / 2 if rects.fill is None else 0.0
        thick = max(1, round(rects.width * fine))
        for left, top, right, bottom in rects.boxes.tolist():
            box = [
                round((left - half) * fine),
                round((top - half) * fine),
                round((right + half) * fine) - 1,
                round((bottom + half) * fine) - 1,
            ]
            radius = min((rects.radius + half) * fine, (box[2] - box[0]) / 2)
            radius = min(radius, (box[3] - box[1]) / 2)
            if rects.fill is not None:
                self.on.rounded_rectangle(box, radius, fill=ink)
            else:
                self.on.rounded_rectangle(box, radius, outline=ink, width=thick)

    def _lines(self, lines: Lines, ink: int) -> None:
        fine, thick = self.fine, max(1, round(lines.width * self.fine))
        reach = thick / 2 if lines.cap != "butt" else 0.0
        for x0, y0, x1, y1 in (dashed(lines.segments, lines.dash) * fine).tolist():
            if x0 == x1 or y0 == y1:
                across = (thick / 2, reach) if x0 == x1 else (reach, thick / 2)
                left, right = min(x0, x1) - across[0], max(x0, x1) + across[0]
                top, bottom = min(y0, y1) - across[1], max(y0, y1) + across[1]
                box = (round(left), round(top), round(right) - 1, round(bottom) - 1)
                if box[2] >= box[0] and box[3] >= box[1]:
                    self.on.rectangle(box, fill=ink)
            else:
                self.on.line((x0, y0, x1, y1), fill=ink, width=thick)
                if lines.cap == "round":
                    for x, y in ((x0, y0), (x1, y1)):
                        self.on.ellipse((x - reach, y - reach, x + reach, y + reach), fill=ink)

    def _curves(self, curves: Curves, ink: int) -> None:
        thick = max(1, round(curves.width * self.fine))
        for points in (_along(curves.points) * self.fine).reshape(len(curves.points), -1).tolist():
            self.on.line(points, fill=ink, width=thick, joint="curve")

    def _polygons(self, polygons: Polygons, ink: int) -> None:
        thick = round(polygons.stroke * self.fine)
        for shape in (polygons.corners * self.fine).reshape(len(polygons.corners), -1).tolist():
            self.on.polygon(shape, fill=ink)
            if thick:
                self.on.line([*shape, *shape[:4]], fill=ink, width=thick, joint="curve")


def _along(curves: Points) -> Points:
    """Return points along quadratic curves, shape (curves, points, 2)."""
    t = np.linspace(0, 1, _CURVE_POINTS)[None, :, None]
    start, control, end = (curves[:, [place]] for place in range(3))
    found: Points = (1 - t) ** 2 * start + 2 * t * (1 - t) * control + t**2 * end
    return found


def _sides_of(rects: Rects) -> Points:
    """Return the four sides of boxes as lines in the middle of the outline."""
    half = rects.width / 2
    left, top, right, bottom = (rects.boxes + np.array([half, half, -half, -half])).T
    sides = (
        (left, top, right, top),
        (right, top, right, bottom),
        (left, bottom, right, bottom),
        (left, top, left, bottom),
    )
    return np.concatenate([np.stack(side, axis=1) for side in sides])


def dashed(segments: Points, dashes: Sequence[float]) -> Points:
    """Break lines into dashes.

    Parameters
    ----------
    segments : ndarray of float64, shape (segments, 4)
        x and y of both ends.
    dashes : sequence of float
        Lengths, by turns of a dash and of the gap after it; empty for whole lines.
    """
    if not dashes or not len(segments):
        return segments
    ends = np.cumsum(dashes)
    pieces = []
    for segment in segments:
        start, way = segment[:2], segment[2:] - segment[:2]
        length = float(np.hypot(*way))
        turns = np.arange(int(length // ends[-1]) + 1)[:, None] * ends[-1]
        begins = (turns + np.concatenate([[0.0], ends[1:-1:2]])).reshape(-1)
        stops = np.minimum((turns + ends[::2]).reshape(-1), length)
        shown = begins < length
        both = np.stack([begins[shown], stops[shown]], axis=1) / max(length, 1e-9)
        pieces.append((start + both[:, :, None] * way).reshape(-1, 4))
    return np.concatenate(pieces)


# Palettes


class FramePalette:
    """At most 255 colours for the frames of an animation.

    Parameters
    ----------
    needed : iterable of int
        Colours that are among them.
    samples : iterable of ndarray
        Some of the pictures, whose most frequent colours are the others.

    Attributes
    ----------
    rgb : ndarray of uint8, shape (256, 3)
        Colour of each index.
    """

    def __init__(self, needed: Iterable[Colour], samples: Iterable[Picture]) -> None:
        colours = dict.fromkeys(colour & 0xFFFFFF for colour in needed)
        counts: dict[int, int] = {}
        for picture in samples:
            found, times = np.unique(picture & np.uint32(0xFFFFFF), return_counts=True)
            for colour, count in zip(found.tolist(), times.tolist(), strict=True):
                counts[colour] = counts.get(colour, 0) + count
        frequent = sorted(counts, key=lambda colour: (-counts[colour], colour))
        colours |= dict.fromkeys(frequent)
        chosen = np.array(list(colours)[:COLOURS], np.uint32)
        self.rgb = np.zeros((256, 3), np.uint8)
        for channel, shift in enumerate((16, 8, 0)):
            self.rgb[: chosen.size, channel] = chosen >> shift & 255
        self._known = np.full(1 << 24, _UNKNOWN, np.uint8)
        self._known[chosen] = np.arange(chosen.size)
        self._count = chosen.size

    def indices(self, picture: Picture) -> npt.NDArray[np.uint8]:
        """Return a picture with the nearest of the colours, as indices."""
        colours = picture & np.uint32(0xFFFFFF)
        indices = self._known.take(colours)
        unknown = indices == _UNKNOWN
        if unknown.any():
            new = np.unique(colours[unknown])
            self._known[new] = self._nearest(new)
            indices[unknown] = self._known[colours[unknown]]
        return indices

    def _nearest(self, colours: npt.NDArray[np.uint32]) -> npt.NDArray[Any]:
        known = self.rgb[: self._count].astype(np.float32)
        rgb = np.stack([colours >> shift & 255 for shift in (16, 8, 0)], axis=1).astype(np.float32)
        # |a - b|^2 = |a|^2 - 2ab + |b|^2, and |a|^2 is the same for all b.
        nearest: npt.NDArray[Any] = ((known**2).sum(axis=1) - 2 * rgb @ known.T).argmin(axis=1)
        return nearest


# Text, in Pillow's own typeface


def measure(text: str, size: float) -> float:
    """Return how wide a text is: see :data:`~ccl_viewer.render.display_list.Measure`."""
    return float(width_of(text, round(size)))


def _paint_texts(texts: Texts, picture: Picture) -> None:
    """Write texts of one look; those on the same place lie over each other."""
    names, which = np.unique(np.array(texts.texts), return_inverse=True)
    size = max(1, round(texts.size))
    masks = [line(name, size) for name in names.tolist()]
    widths = np.array([mask.shape[1] for mask in masks])
    stack = np.zeros((len(masks), masks[0].shape[0] + 2, int(widths.max()) + 2), np.uint8)
    for place, mask in enumerate(masks):
        stack[place, 1:-1, 1 : mask.shape[1] + 1] = mask
    share = {"left": 0.0, "middle": 0.5, "right": 1.0}[texts.anchor]
    left = np.rint(texts.places[:, 0] - share * widths[which]).astype(np.int64) - 1
    base = np.rint(texts.places[:, 1] + BASELINE * texts.size).astype(np.int64)
    top = base - ascent(size) - 1
    if texts.halo is not None:
        _stamp(_widened(stack), which, left, top, texts.halo, picture)
    _stamp(stack, which, left, top, texts.colour, picture)


def _stamp(
    masks: Shades, which: Places, left: Places, top: Places, colour: Colour, picture: Picture
) -> None:
    """Lay masks over a picture, each in one colour, at many places."""
    height, width = picture.shape
    rows, columns = np.nonzero(masks.any(axis=0))
    shades = masks[:, rows, columns]
    y, x = top[:, None] + rows, left[:, None] + columns
    alpha = shades[which]
    chosen = (alpha > 0) & (y >= 0) & (y < height) & (x >= 0) & (x < width)
    red, green, blue, opacity = channels(colour)
    share = alpha[chosen].astype(np.float32)[:, None] * np.float32(opacity / 255**2)
    over = np.array([red, green, blue], np.float32) * share
    _Stencil(y[chosen] * width + x[chosen], over, 1 - share[:, 0]).lay_over(picture)


def _widened(masks: Shades) -> Shades:
    """Return masks that are a pixel wider on all sides, and solid."""
    ink = np.pad(masks > 0, ((0, 0), (1, 1), (1, 1)))
    height, width = masks.shape[1:]
    around = np.zeros(masks.shape, np.bool_)
    for top in range(3):
        for left in range(3):
            around |= ink[:, top : top + height, left : left + width]
    return around * np.uint8(255)


_TIMES: Final = "\N{MULTIPLICATION SIGN}"
_MICRO: Final = "\N{MICRO SIGN}"

_STAND_INS: Final = {_TIMES: "+", _MICRO: "u"}
"""The signs, and for each a letter that is as wide."""

_FINER: Final = 8
_AGAIN: Final = {"\N{GREEK SMALL LETTER MU}": _MICRO}

_SAME: Final = str.maketrans(_AGAIN)
"""Characters that look like one of the signs."""

_SMALLEST: Final = 8
_SAMPLE: Final = 16
_REPLACEMENTS: Final = _SAME | str.maketrans(
    {"\u2212": "-", "\u2013": "-", "\u2014": "-", "\u2192": ">"}
)
_AS_WIDE: Final = str.maketrans(_STAND_INS)
_PIECES: Final = re.compile("[{0}]|[^{0}]+".format("".join(_STAND_INS)))
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
def line(text: str, size: int) -> Shades:
    """Set a line of text.

    Returns
    -------
    ndarray of uint8, shape (line height, width), read-only
        From 0, paper, to 255, ink.
    """
    from PIL import Image, ImageDraw

    before, width = _reach(text, size)
    picture = Image.new("L", (max(1, width), line_height(size)))
    pen = ImageDraw.Draw(picture)
    for piece, left in _pieces(text, size):
        if piece in _STAND_INS:
            mask = Image.fromarray(_sign(piece, size, font(size)))
            picture.paste(255, (round(before + left), 0), mask)
        else:
            pen.text((before + left, ascent(size)), piece, 255, font(size), anchor="ls")
    return np.asarray(picture)


def printable(text: str) -> str:
    """Return text with only characters that can be drawn: for \u00e9, say, with e.

    These are those of the built-in typeface, and a few signs that are made of them.
    """
    return "".join(map(_known, text.translate(_REPLACEMENTS)))


@lru_cache(maxsize=1024)
def _known(char: str) -> str:
    """Return a character, or without its accents, or a question mark: what can be drawn."""
    if char in _STAND_INS:
        return char
    plain = normalize("NFKD", char)[:1]
    return next((one for one in (char, plain) if one.isprintable() and _has(one)), "?")


def _has(char: str) -> bool:
    """Return whether the typeface has a character: others look like one that no typeface has."""
    letters = font(_SAMPLE)
    return char == " " or bytes(letters.getmask(char)) != bytes(letters.getmask(_IN_NO_TYPEFACE))


def wrapped(text: str, size: int, width: int) -> list[tuple[str, int]]:
    """Break text into lines that fit.

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


@lru_cache(maxsize=64)
def _sign(char: str, size: int, font: FreeTypeFont) -> Shades:
    """Draw a sign.

    Parameters
    ----------
    char : str
        One of the stand-ins.
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
