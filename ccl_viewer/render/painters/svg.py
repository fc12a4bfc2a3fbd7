"""Paint display lists as compact SVG, for papers and slides."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ccl_viewer.render.display_list import (
    BASELINE,
    HATCH,
    Colour,
    Curves,
    DisplayList,
    Edges,
    Hatch,
    Image,
    Lines,
    Polygons,
    Rects,
    Texts,
    channels,
)
from ccl_viewer.render.geometry import find_runs

_NAMESPACE: Final = "http://www.w3.org/2000/svg"
_FONT: Final = "Helvetica, Arial, sans-serif"
_ANCHORS: Final = {"left": "", "middle": "middle", "right": "end"}
_NO_XML: Final = re.compile("[^\t\n\r -\x7e\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML cannot have, and control characters."""


def paint_svg(shown: DisplayList, title: str) -> str:
    size = {"width": shown.width, "height": shown.height}
    attributes = {
        "xmlns": _NAMESPACE,
        **size,
        "viewBox": f"0 0 {shown.width} {shown.height}",
        "font_family": _FONT,
    }
    ground = {**size, "fill": _hex(shown.background)}
    parts = [element("title", {}, escape(title, quote=False)), element("rect", ground)]
    hatches = {_hatch_name(item): item for item in shown if isinstance(item, Hatch)}
    if hatches:
        patterns = "".join(_pattern(name, item) for name, item in hatches.items())
        parts.append(element("defs", {}, patterns))
    for layer in shown.layers:
        shapes = "\n".join(shape for item in layer.items for shape in _PLAYERS[type(item)](item))
        if shapes:
            parts.append(element("g", {"class": layer.name}, f"\n{shapes}\n"))
    content = "\n".join(["", *parts, ""])
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{element("svg", attributes, content)}\n'


def number(value: float) -> str:
    """Return a number with at most two decimals."""
    written = f"{value:.2f}".rstrip("0").rstrip(".") if value % 1 else str(int(value))
    return "0" if written == "-0" else written


def escape(words: str, *, quote: bool = True) -> str:
    """Return text escaped for XML, with question marks for invalid characters."""
    return html.escape(_NO_XML.sub("?", words), quote)


def element(name: str, attributes: Mapping[str, object], content: str | None = None) -> str:
    """Return an element; `content` is inserted unescaped, None makes an empty element.

    Underscores in the names of attributes become hyphens; empty attributes are left out.
    """
    written = "".join(
        f' {key.replace("_", "-")}="{escape(_text(value))}"'
        for key, value in attributes.items()
        if value != ""
    )
    return f"<{name}{written}/>" if content is None else f"<{name}{written}>{content}</{name}>"


def _text(value: object) -> str:
    return number(value) if isinstance(value, float) else str(value)


def _hex(colour: Colour) -> str:
    red, green, blue, _ = channels(colour)
    return f"#{red:02x}{green:02x}{blue:02x}"


def _numbers(values: Iterable[float]) -> str:
    return " ".join(map(number, values))


def _paint(name: str, colour: Colour) -> dict[str, str]:
    alpha = channels(colour)[3]
    opacity = {f"{name}_opacity": number(alpha / 255)} if alpha < 255 else {}
    return {name: _hex(colour), **opacity}


def _draw_filled(path: str, colour: Colour, **more: object) -> Iterator[str]:
    if path:
        yield element("path", {**_paint("fill", colour), **more, "d": path})


def _draw_stroked(path: str, colour: Colour, width: float, **more: object) -> Iterator[str]:
    if path:
        look = {"fill": "none", **_paint("stroke", colour), "stroke_width": number(width)}
        yield element("path", {**look, **more, "d": path})


def _image(image: Image) -> Iterator[str]:
    """Yield a path for each colour, with neighbouring cells in one rectangle."""
    used = np.unique(image.indices).tolist()
    used = [index for index in used if channels(int(image.table[index]))[3]]
    shapes = []
    if image.opaque and used:
        left, top, right, bottom = image.x[0], image.y[0], image.x[-1], image.y[-1]
        sides = {"x": left, "y": top, "width": right - left, "height": bottom - top}
        ground = used[int(np.argmax([np.count_nonzero(image.indices == one) for one in used]))]
        shapes.append(element("rect", {**sides, "fill": _hex(int(image.table[ground]))}))
        used.remove(ground)
    for index in used:
        path = _squares(image.indices == index, image.x, image.y)
        shapes += _draw_filled(path, int(image.table[index]))
    yield element("g", {"shape_rendering": "crispEdges"}, "".join(shapes))


def _squares(mask: npt.NDArray[np.bool_], x: Edges, y: Edges) -> str:
    """Return cells as boxes: runs of rows, merged with equal runs below."""
    rows, starts, ends = find_runs(mask)
    order = np.lexsort([rows, ends, starts])
    rows, starts, ends = rows[order], starts[order], ends[order]
    begins = np.ones(rows.size + 1, np.bool_)
    begins[1:-1] = (np.diff(rows) != 1) | (np.diff(starts) != 0) | (np.diff(ends) != 0)
    first = np.flatnonzero(begins)
    first, last = first[:-1], first[1:] - 1
    boxes = np.stack([x[starts[first]], y[rows[first]], x[ends[first]], y[rows[last] + 1]], axis=1)
    return _boxes(boxes[np.argsort(rows[first], kind="stable")])


def _hatch_name(hatch: Hatch) -> str:
    return f"hatch-{hatch.table[1]:08x}-{hatch.table[2]:08x}-{hatch.thickness}"


def _pattern(name: str, hatch: Hatch) -> str:
    """Return the tile of a hatch: two lines from corner to corner, cut by the edges."""
    thick, side = hatch.thickness, HATCH * hatch.thickness
    lines = ""
    for index, colour in enumerate(hatch.table[1:3].tolist()):
        near, far = 2 * index * thick, 2 * (index + 1) * thick
        corner = f"M{near} 0L{far} 0 0 {far} 0 {near}z"
        across = f"M{side} {near}L{side} {far} {far} {side} {near} {side}z"
        lines += "".join(_draw_filled(corner + across, colour))
    tile = {"id": name, "width": side, "height": side, "patternUnits": "userSpaceOnUse"}
    return element("pattern", tile, lines)


def _hatch(hatch: Hatch) -> Iterator[str]:
    path = _squares(hatch.indices != 0, hatch.x, hatch.y)
    if path:
        yield element("path", {"fill": f"url(#{_hatch_name(hatch)})", "d": path})


def _rects(rects: Rects) -> Iterator[str]:
    if rects.radius:
        yield from _draw_rounded(rects)
        return
    if rects.fill is not None:
        yield from _draw_filled(_boxes(rects.boxes), rects.fill, shape_rendering="crispEdges")
    if rects.stroke is not None:
        half = rects.width / 2
        path = _boxes(rects.boxes + np.array([half, half, -half, -half]))
        yield from _draw_stroked(path, rects.stroke, rects.width)


def _boxes(boxes: npt.NDArray[Any]) -> str:
    corners, sizes = boxes[:, :2], boxes[:, 2:] - boxes[:, :2]
    return "".join(
        f"M{_numbers(corner)}h{number(width)}v{number(height)}h{number(-width)}z"
        for corner, (width, height) in zip(corners.tolist(), sizes.tolist(), strict=True)
    )


def _draw_rounded(rects: Rects) -> Iterator[str]:
    shapes = "".join(
        element(
            "rect",
            {
                "x": left,
                "y": top,
                "width": right - left,
                "height": bottom - top,
                "rx": min(rects.radius, (right - left) / 2, (bottom - top) / 2),
            },
        )
        for left, top, right, bottom in rects.boxes.tolist()
    )
    look = {"fill": "none"} if rects.fill is None else _paint("fill", rects.fill)
    if rects.stroke is not None:
        look |= {**_paint("stroke", rects.stroke), "stroke_width": number(rects.width)}
    if shapes:
        yield element("g", look, shapes)


def _lines(lines: Lines) -> Iterator[str]:
    path = "".join(
        f"M{_numbers((x0, y0))}"
        + (
            f"H{number(x1)}"
            if y0 == y1
            else f"V{number(y1)}"
            if x0 == x1
            else f"L{_numbers((x1, y1))}"
        )
        for x0, y0, x1, y1 in lines.segments.tolist()
    )
    cap = "" if lines.cap == "butt" else lines.cap
    look = {"stroke_linecap": cap, "stroke_dasharray": _numbers(lines.dash)}
    yield from _draw_stroked(path, lines.colour, lines.width, **look)


def _curves(curves: Curves) -> Iterator[str]:
    path = "".join(
        f"M{_numbers(start)}Q{_numbers(control)} {_numbers(end)}"
        for start, control, end in curves.points.tolist()
    )
    yield from _draw_stroked(path, curves.colour, curves.width, stroke_linejoin="round")


def _polygons(polygons: Polygons) -> Iterator[str]:
    path = "".join(
        f"M{_numbers(first)}L{' '.join(map(_numbers, others))}z"
        for first, *others in polygons.corners.tolist()
    )
    rim: dict[str, object] = {}
    if polygons.stroke:
        rim = {**_paint("stroke", polygons.fill), "stroke_linejoin": "round"}
        rim["stroke_width"] = number(polygons.stroke)
    yield from _draw_filled(path, polygons.fill, **rim)


def _texts(texts: Texts) -> Iterator[str]:
    words = "".join(
        element(
            "text",
            {"x": number(x), "y": number(y + BASELINE * texts.size)},
            escape(text, quote=False),
        )
        for text, (x, y) in zip(texts.texts, texts.places.tolist(), strict=True)
    )
    look: dict[str, object] = {
        "font_size": number(texts.size),
        "text_anchor": _ANCHORS[texts.anchor],
        "font_weight": "bold" if texts.bold else "",
        "fill": _hex(texts.colour),
    }
    if texts.halo is not None:  # drawn below, since not all readers support "paint-order"
        rim = {"stroke": _hex(texts.halo), "stroke_width": 3, "stroke_linejoin": "round"}
        yield element("g", {**look, **rim}, words)
    yield element("g", look, words)


_PLAYERS: Final[Mapping[type[Any], Callable[[Any], Iterator[str]]]] = {
    Image: _image,
    Hatch: _hatch,
    Rects: _rects,
    Lines: _lines,
    Curves: _curves,
    Polygons: _polygons,
    Texts: _texts,
}
