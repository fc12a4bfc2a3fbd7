"""Paint display lists as pixels; Pillow draws smooth lines and text.

Pictures are arrays of ``0xAARRGGBB``. For GIF, APNG, WebP and video, a palette of 256 colours turns
them into indices.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final, TypeAlias
from unicodedata import normalize

import numpy as np
import numpy.typing as npt
from numpy.lib.stride_tricks import sliding_window_view

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
    box_outlines,
    channels,
)
from ccl_viewer.render.facts import SEPARATOR

if TYPE_CHECKING:
    from PIL.Image import Image as PillowImage
    from PIL.ImageDraw import ImageDraw
    from PIL.ImageFont import FreeTypeFont

Picture: TypeAlias = npt.NDArray[np.uint32]
"""Shape (height, width), ``0xAARRGGBB``."""

Shades: TypeAlias = npt.NDArray[np.uint8]
Places: TypeAlias = npt.NDArray[np.int64]

COLOURS: Final = 255
"""Most colours of frames; the last index is reserved for writers."""

_FINE: Final = 3
_FINE_PIXELS: Final = 4 << 20
_CURVE_POINTS: Final = 9
_LAYERS_KEPT: Final = 16
_UNKNOWN: Final = 255
_OPAQUE: Final = np.uint32(0xFF000000)


@dataclass(frozen=True, eq=False)
class _Stencil:
    """Colours for some pixels of a picture."""

    places: Places  # linear indices of the pixels
    colours: npt.NDArray[np.float32]  # red, green and blue, times alpha; shape (pixels, 3)
    alpha: npt.NDArray[np.float32]  # shape (pixels, 1)

    def lay_over(self, picture: Picture) -> None:
        """Change the pixels of a contiguous picture."""
        flat = picture.reshape(-1)
        below = _unpack_colours(flat[self.places])
        flat[self.places] = _pack_colours(below * (1 - self.alpha) + self.colours)


def _unpack_colours(pixels: Picture) -> npt.NDArray[np.float32]:
    bytes_ = np.ascontiguousarray(pixels, "<u4").view(np.uint8).reshape(-1, 4)
    return bytes_[:, 2::-1].astype(np.float32)


def _pack_colours(rgb: npt.NDArray[np.floating]) -> Picture:
    integers = np.rint(rgb).astype(np.uint32)
    weights = np.array([1 << 16, 1 << 8, 1], np.uint32)
    packed: Picture = integers @ weights | _OPAQUE
    return packed


class PicturePainter:
    """Paints display lists of one size; caches painted layers."""

    def __init__(self) -> None:
        self._parts_of = lru_cache(_LAYERS_KEPT)(_split_layer)

    def paint(self, shown: DisplayList) -> Picture:
        picture = np.full((shown.height, shown.width), shown.background, np.uint32)
        for layer in shown.layers:
            for part in self._parts_of(layer, shown.height, shown.width):
                if isinstance(part, _Stencil):
                    part.lay_over(picture)
                elif isinstance(part, Image):
                    _paint_image(part, picture)
                elif isinstance(part, Rects):
                    _paint_rects(part, picture)
                elif isinstance(part, Texts):
                    _paint_texts(part, picture)
        return picture


def _split_layer(layer: Layer, height: int, width: int) -> list[_Stencil | Item]:
    """Return the parts of a layer; consecutive smooth shapes become one stencil."""
    parts: list[_Stencil | Item] = []
    for smooth, group in groupby(layer.items, _is_smooth):
        items = list(group)
        parts += [_draw_smooth(items, height, width)] if smooth else items
    return parts


def paint(shown: DisplayList) -> Picture:
    return PicturePainter().paint(shown)


def paint_image(shown: DisplayList) -> PillowImage:
    from PIL.Image import fromarray

    pixels = np.ascontiguousarray(paint(shown)).view(np.uint8)
    return fromarray(np.ascontiguousarray(pixels.reshape(shown.height, -1, 4)[..., 2::-1]))


def _is_smooth(item: Item) -> bool:
    if isinstance(item, Rects):
        return item.radius > 0
    return isinstance(item, Lines | Curves | Polygons)


# Shapes with edges on pixels


def _paint_image(image: Image, picture: Picture) -> None:
    indices, left, top = image.visible_indices(picture.shape[1], picture.shape[0])
    if not indices.size:
        return
    part = picture[top : top + indices.shape[0], left : left + indices.shape[1]]
    if image.opaque:
        part[:] = image.table[indices]
        return
    alpha = (image.table >> 24).astype(np.float32)[:, None] / np.float32(255)
    y, x = np.nonzero(alpha[indices, 0])
    chosen, below = indices[y, x], _unpack_colours(part[y, x])
    part[y, x] = _pack_colours(
        below + (_unpack_colours(image.table)[chosen] - below) * alpha[chosen]
    )


def _paint_rects(rects: Rects, picture: Picture) -> None:
    boxes = np.rint(rects.boxes).astype(np.int64)
    if rects.fill is not None:
        _fill(boxes, rects.fill, picture)
    if rects.stroke is not None:
        _fill(box_outlines(boxes, max(1, round(rects.width))), rects.stroke, picture)


def _fill(boxes: Places, colour: Colour, picture: Picture) -> None:
    """Fill boxes, each pixel once, even where boxes overlap."""
    height, width = picture.shape
    boxes = np.clip(boxes, 0, np.array([width, height, width, height]))
    boxes = boxes[(boxes[:, 2:] > boxes[:, :2]).all(axis=1)]
    if not len(boxes):
        return
    x, y = boxes[:, :2].min(axis=0)
    covered = np.zeros((boxes[:, 3].max() - y, boxes[:, 2].max() - x), np.bool_)
    for left, top, right, bottom in (boxes - [x, y, x, y]).tolist():
        covered[top:bottom, left:right] = True
    part = picture[y : y + covered.shape[0], x : x + covered.shape[1]]
    *rgb, alpha = channels(colour)
    if alpha == 255:
        part[covered] = colour
    else:
        below = _unpack_colours(part[covered])
        part[covered] = _pack_colours(below + (np.array(rgb, np.float32) - below) * (alpha / 255))


# Smooth shapes


def _draw_smooth(items: Iterable[Item], height: int, width: int) -> _Stencil:
    """Draw shapes enlarged, and return them reduced."""
    from PIL import Image as Pillow
    from PIL import ImageDraw

    fine = _FINE if height * width <= _FINE_PIXELS else 2
    surface = Pillow.new("RGBa", (width * fine, height * fine))
    pen = _Pen(ImageDraw.Draw(surface), fine)
    for item in items:
        pen.draw(item)
    drawn = np.asarray(surface.reduce(fine)).reshape(-1, 4)
    places = np.flatnonzero(drawn[:, 3])
    pixels = drawn[places].astype(np.float32)
    return _Stencil(places, pixels[:, :3], pixels[:, 3:] / np.float32(255))


def _ink(colour: Colour) -> tuple[int, ...]:
    """Return red, green and blue, times alpha, and alpha."""
    *rgb, alpha = channels(colour)
    return *(round(part * alpha / 255) for part in rgb), alpha


@dataclass(frozen=True)
class _Pen:
    """Draws shapes on a surface with `fine` pixels per pixel."""

    on: ImageDraw
    fine: int

    def draw(self, item: Item) -> None:
        if isinstance(item, Rects):
            if item.fill is not None:
                self._rects(item, 0.0, fill=_ink(item.fill))
            if item.stroke is not None:
                thick = max(1, round(item.width * self.fine))
                self._rects(item, item.width / 2, outline=_ink(item.stroke), width=thick)
        elif isinstance(item, Lines):
            self._lines(item)
        elif isinstance(item, Curves):
            self._curves(item)
        elif isinstance(item, Polygons):
            self._polygons(item)

    def _rects(self, rects: Rects, margin: float, **look: Any) -> None:
        for box in (
            (rects.boxes + np.array([-margin, -margin, margin, margin])) * self.fine
        ).tolist():
            left, top, right, bottom = (round(edge) for edge in box)
            radius = min(
                (rects.radius + margin) * self.fine, (right - left) / 2, (bottom - top) / 2
            )
            self.on.rounded_rectangle((left, top, right - 1, bottom - 1), radius, **look)

    def _lines(self, lines: Lines) -> None:
        ink, thick = _ink(lines.colour), max(1, round(lines.width * self.fine))
        reach = thick / 2 if lines.cap != "butt" else 0.0
        for x0, y0, x1, y1 in (cut_dashes(lines.segments, lines.dash) * self.fine).tolist():
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
                        self.on.circle((x, y), reach, fill=ink)

    def _curves(self, curves: Curves) -> None:
        ink, thick = _ink(curves.colour), max(1, round(curves.width * self.fine))
        for points in (
            (_trace_curves(curves.points) * self.fine).reshape(len(curves.points), -1).tolist()
        ):
            self.on.line(points, fill=ink, width=thick, joint="curve")

    def _polygons(self, polygons: Polygons) -> None:
        ink, thick = _ink(polygons.fill), round(polygons.stroke * self.fine)
        for shape in (polygons.corners * self.fine).reshape(len(polygons.corners), -1).tolist():
            self.on.polygon(shape, fill=ink)
            if thick:
                self.on.line([*shape, *shape[:4]], fill=ink, width=thick, joint="curve")


def _trace_curves(curves: Points) -> Points:
    """Return points along quadratic curves, shape (curves, points, 2)."""
    t = np.linspace(0, 1, _CURVE_POINTS)[None, :, None]
    start, control, end = (curves[:, [index]] for index in range(3))
    points: Points = (1 - t) ** 2 * start + 2 * t * (1 - t) * control + t**2 * end
    return points


def cut_dashes(segments: Points, dashes: Sequence[float]) -> Points:
    """Break lines into dashes, given alternating lengths of dashes and gaps."""
    if not dashes or not len(segments):
        return segments
    ends = np.cumsum(dashes)
    pieces = []
    for segment in segments:
        start, vector = segment[:2], segment[2:] - segment[:2]
        length = float(np.hypot(*vector))
        turns = np.arange(int(length // ends[-1]) + 1)[:, None] * ends[-1]
        begins = (turns + np.concatenate([[0.0], ends[1:-1:2]])).reshape(-1)
        stops = np.minimum((turns + ends[::2]).reshape(-1), length)
        shown = begins < length
        both = np.stack([begins[shown], stops[shown]], axis=1) / max(length, 1e-9)
        pieces.append((start + both[:, :, None] * vector).reshape(-1, 4))
    return np.concatenate(pieces)


# Palettes


class FramePalette:
    """At most 255 colours for the frames of an animation.

    They are the needed ones, and the most frequent ones of some pictures. Attribute `rgb`, uint8 of
    shape (256, 3), has the colour of each index.
    """

    def __init__(self, needed: Iterable[Colour], samples: Iterable[Picture]) -> None:
        runs = [_runs(picture.reshape(-1)) for picture in samples]
        colours, lengths = (np.concatenate(parts) for parts in zip(*runs, strict=True))
        values, which = np.unique(colours, return_inverse=True)
        counts = np.bincount(which, lengths)
        frequent = values[np.argsort(-counts, kind="stable")].tolist()
        chosen = np.array(list(dict.fromkeys([*needed, *frequent]))[:COLOURS], np.uint32)
        self.rgb = np.zeros((256, 3), np.uint8)
        self.rgb[: chosen.size] = _unpack_colours(chosen)
        self._known = np.full(1 << 24, _UNKNOWN, np.uint8)
        self._known[chosen & ~_OPAQUE] = np.arange(chosen.size)
        self._count = chosen.size

    def indices(self, picture: Picture) -> npt.NDArray[np.uint8]:
        colours = picture & ~_OPAQUE
        indices = self._known.take(colours)
        unknown = indices == _UNKNOWN
        if unknown.any():
            new = np.unique(colours[unknown])
            self._known[new] = self._find_nearest(new)
            indices[unknown] = self._known[colours[unknown]]
        return indices

    def _find_nearest(self, colours: npt.NDArray[np.uint32]) -> npt.NDArray[Any]:
        palette = self.rgb[: self._count].astype(np.float32)
        # |a - b|^2 = |a|^2 - 2ab + |b|^2, and |a|^2 is the same for all b.
        distances = (palette**2).sum(axis=1) - 2 * _unpack_colours(colours) @ palette.T
        nearest: npt.NDArray[Any] = distances.argmin(axis=1)
        return nearest


def _runs(pixels: Picture) -> tuple[Picture, Places]:
    """Return the colours of the runs of equal pixels, and their lengths."""
    starts = np.flatnonzero(np.r_[True, pixels[1:] != pixels[:-1]])
    return pixels[starts], np.diff(starts, append=pixels.size)


# Text, in Pillow's typeface


def measure(text: str, size: float) -> float:
    return float(width_of(text, round(size)))


def _paint_texts(texts: Texts, picture: Picture) -> None:
    """Draw texts of one style; texts at the same place overlap."""
    names, which = np.unique(np.array(texts.texts), return_inverse=True)
    size = max(1, round(texts.size))
    masks = [render_line(name, size) for name in names.tolist()]
    widths = np.array([mask.shape[1] for mask in masks])
    stack = np.zeros((len(masks), masks[0].shape[0] + 2, int(widths.max()) + 2), np.uint8)
    for index, mask in enumerate(masks):
        stack[index, 1:-1, 1 : mask.shape[1] + 1] = mask
    share = {"left": 0.0, "middle": 0.5, "right": 1.0}[texts.anchor]
    left = np.rint(texts.places[:, 0] - share * widths[which]).astype(np.int64) - 1
    base = np.rint(texts.places[:, 1] + BASELINE * texts.size).astype(np.int64)
    top = base - ascent(size) - 1
    if texts.halo is not None:
        _stamp(_widen(stack), which, left, top, texts.halo, picture)
    _stamp(stack, which, left, top, texts.colour, picture)


def _stamp(
    masks: Shades, which: Places, left: Places, top: Places, colour: Colour, picture: Picture
) -> None:
    """Draw masks over a picture, each in one colour, at many places."""
    height, width = picture.shape
    rows, columns = np.nonzero(masks.any(axis=0))
    shades = masks[:, rows, columns]
    y, x = top[:, None] + rows, left[:, None] + columns
    alpha = shades[which]
    chosen = (alpha > 0) & (y >= 0) & (y < height) & (x >= 0) & (x < width)
    *rgb, opacity = channels(colour)
    share = alpha[chosen].astype(np.float32)[:, None] * np.float32(opacity / 255**2)
    places = y[chosen] * width + x[chosen]
    _Stencil(places, np.array(rgb, np.float32) * share, share).lay_over(picture)


def _widen(masks: Shades) -> Shades:
    """Return solid masks that are a pixel wider on all sides."""
    ink = np.pad(masks > 0, ((0, 0), (1, 1), (1, 1)))
    around = sliding_window_view(ink, (3, 3), axis=(1, 2)).any(axis=(3, 4))
    return np.where(around, np.uint8(255), np.uint8(0))


_MICRO: Final = "\N{MICRO SIGN}"
_REPLACEMENTS: Final = str.maketrans(
    {
        "\N{MULTIPLICATION SIGN}": "x",
        "\N{GREEK SMALL LETTER MU}": _MICRO,
        "\N{MINUS SIGN}": "-",
        "\N{EN DASH}": "-",
        "\N{EM DASH}": "-",
        "\N{RIGHTWARDS ARROW}": ">",
    }
)
_IN_NO_TYPEFACE: Final = "\ue000"


@lru_cache(maxsize=64)
def load_font(size: int) -> FreeTypeFont:
    """Return the typeface in a size, in pixels."""
    from PIL import ImageFont
    from PIL.ImageFont import FreeTypeFont

    loaded = ImageFont.load_default(size)
    if not isinstance(loaded, FreeTypeFont):
        raise RuntimeError("Pillow was built without FreeType")  # noqa: TRY004  (no argument)
    return loaded


def width_of(text: str, size: int) -> int:
    return _reach(text, size)[1]


def ascent(size: int) -> int:
    """Return the pixels of a line above its base line."""
    return load_font(size).getmetrics()[0]


def line_height(size: int) -> int:
    return sum(load_font(size).getmetrics())


@lru_cache(maxsize=512)
def render_line(text: str, size: int) -> Shades:
    """Render a line of text; read-only, from 0 (paper) to 255 (ink), of the line's height."""
    from PIL import Image, ImageDraw

    before, width = _reach(text, size)
    picture, base = Image.new("L", (width, line_height(size))), ascent(size)
    pen, words = ImageDraw.Draw(picture), replace_unprintable(text)
    letters = words.replace(_MICRO, "u")
    pen.text((before, base), letters, 255, load_font(size), anchor="ls")
    for index, char in enumerate(words):
        if char == _MICRO:  # draw it as a u with a stem
            x = before + load_font(size).getlength(letters[:index]) + 0.08 * size
            pen.rectangle((x, base - 0.2 * size, x + 0.04 * size, base + 0.18 * size), 255)
    return np.asarray(picture)


def replace_unprintable(text: str) -> str:
    """Return text with only drawable characters, for example e instead of \u00e9."""
    return "".join(map(_known, text.translate(_REPLACEMENTS)))


@lru_cache(maxsize=1024)
def _known(char: str) -> str:
    """Return a drawable character: the given one, without its accents, or a question mark."""
    plain = normalize("NFKD", char)[:1]
    return next((one for one in (char, plain) if one.isprintable() and _has(one)), "?")


def _has(char: str) -> bool:
    """Return whether the typeface has a character: missing ones look like an unassigned one."""
    letters = load_font(16)
    drawn = bytes(letters.getmask(char)) != bytes(letters.getmask(_IN_NO_TYPEFACE))
    return drawn or char in {" ", _MICRO}


def wrap_text(text: str, size: int, width: int) -> list[str]:
    """Break text into lines that fit, at separators if possible, otherwise at spaces."""
    lines: list[str] = []
    for part in text.split(SEPARATOR):
        pieces = [part] if width_of(part, size) <= width else part.split(" ")
        for index, piece in enumerate(pieces):
            joint = " " if index else SEPARATOR
            if lines and width_of(lines[-1] + joint + piece, size) <= width:
                lines[-1] += joint + piece
            else:
                lines.append(piece)
    return lines


@lru_cache(maxsize=1024)
def _reach(text: str, size: int) -> tuple[int, int]:
    """Return the pixels of a line before its origin, and in total."""
    letters = replace_unprintable(text).replace(_MICRO, "u")
    left, _, right, _ = load_font(size).getbbox(letters, anchor="ls")
    before = max(0, int(np.ceil(-left)))
    return before, max(1, before + int(np.ceil(right)))
