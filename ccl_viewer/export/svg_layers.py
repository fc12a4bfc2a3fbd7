"""One grid of a picture of vectors: its cells, and the layers over them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np
import numpy.typing as npt

from ccl_viewer.export import vectors
from ccl_viewer.export.vectors import element, number
from ccl_viewer.plan import Part
from ccl_viewer.render import arrows, contours, marks, structure
from ccl_viewer.render.inks import LEVELS, Ink
from ccl_viewer.render.layers import Numbers
from ccl_viewer.render.marks import LINES_FROM, MARKS_FROM
from ccl_viewer.render.tile import Tile, ring_width

_BASE: Final = 0.36
"""From the middle of digits to their base, in sizes of the typeface."""

Papers = npt.NDArray[np.uint8]


def tile_shapes(tile: Tile, step: int, colours: list[str]) -> Iterator[str]:
    """Yield the shapes of a grid, from the lowest to the topmost.

    Parameters
    ----------
    tile : Tile
        Says what is shown, and how large.
    step : int
        The step.
    colours : list of str
        Of palette indices, as SVG writes them.
    """
    papers = tile.papers(step)
    yield from _padding(tile, colours)
    yield from _cells(tile, step, papers, colours)
    if tile.lines:
        yield _lines(tile, colours)
    yield from _contours(tile, colours)
    yield from _structures(tile, step, colours)
    if tile.has_arrows:
        yield from _arrows(tile, step, papers, colours)
    if tile.digits is not None:
        yield from _numbers(tile, step, papers, colours, tile.digits)
    if tile.layers.changed and tile.scale >= MARKS_FROM:
        side, inset = marks.corner_of(tile.scale)
        path = vectors.corners(tile.marked(step), tile.placing, side, inset)
        halo = {"stroke": colours[tile.palette.halo], "stroke_width": 2, "paint_order": "stroke"}
        yield from _path(path, fill=colours[tile.palette.bold], **halo)


def _path(path: str, **attributes: object) -> Iterator[str]:
    if path:
        yield element("path", {**attributes, "d": path})


def _line(path: str, colour: str, width: float, **attributes: object) -> Iterator[str]:
    more = {"stroke": colour, "stroke_width": number(width), **attributes}
    yield from _path(path, fill="none", **more)


def _padding(tile: Tile, colours: list[str]) -> Iterator[str]:
    left, top, scale = tile.placing.left, tile.placing.top, tile.scale
    if not (left or top):
        return
    height, width = tile.size
    paper = colours[tile.palette.padding]
    yield element("rect", {"width": width, "height": height, "fill": paper})
    if tile.digits is None or tile.layers.numbers != Numbers.RAW:
        return
    layout = tile.cells.recording.layout
    around = np.ones((height // scale, width // scale), np.bool_)
    around[top // scale :, left // scale :][: layout.height, : layout.width] = False
    ink = colours[tile.palette.ink(Ink.DIM) + LEVELS - 1]
    words = (
        vectors.text(
            str(layout.background), (x + 0.5) * scale, (y + 0.5) * scale + _BASE * tile.digits
        )
        for y, x in np.argwhere(around).tolist()
    )
    yield _digits("".join(words), tile.digits, ink)


def _cells(tile: Tile, step: int, papers: Papers, colours: list[str]) -> Iterator[str]:
    rows, columns = papers.shape
    whole = {"x": tile.placing.left, "y": tile.placing.top}
    size = {"width": columns * tile.scale, "height": rows * tile.scale}
    plain = int(tile.palette.slots[0])
    shapes = [element("rect", {**whole, **size, "fill": colours[plain]})]
    for paper in np.unique(papers).tolist():
        if paper != plain:
            shapes += _path(vectors.squares(papers == paper, tile.placing), fill=colours[paper])
    if tile.layers.onion and step > 0 and tile.scale >= LINES_FROM:
        shapes += _rings(tile, papers, tile.papers(step - 1), colours)
    yield element("g", {"shape_rendering": "crispEdges"}, "".join(shapes))


def _rings(tile: Tile, now: Papers, before: Papers, colours: list[str]) -> Iterator[str]:
    changed = now != before
    width = ring_width(tile.scale)
    for papers, inset in ((before, 0), (now, width)):
        for paper in np.unique(papers[changed]).tolist():
            path = vectors.squares(changed & (papers == paper), tile.placing, inset)
            yield from _path(path, fill=colours[paper])


def _lines(tile: Tile, colours: list[str]) -> str:
    height, width = tile.size
    across = "".join(f"M0 {number(y + 0.5)}H{width}" for y in range(0, height, tile.scale))
    down = "".join(f"M{number(x + 0.5)} 0V{height}" for x in range(0, width, tile.scale))
    return "".join(_line(across + down, colours[tile.palette.canvas], 1))


def _contours(tile: Tile, colours: list[str]) -> Iterator[str]:
    cells, palette = tile.cells, tile.palette
    drawn = []
    if tile.layers.contours and not (cells.pinned and tile.layers.only):
        drawn.append((cells.colouring.components, palette.bold))
    if cells.pinned:
        pinned = (cells.colouring.components == cells.pinned).astype(np.int32)
        drawn.append((pinned, palette.accent))
    width = marks.contour_width(tile.scale)
    strength = marks.contour_strength(tile.scale)
    through = {} if strength == 1 else {"stroke_opacity": strength}
    for ids, ink in drawn:
        path = vectors.strokes(tile.placing.at(contours.segments(ids).astype(np.float64)))
        if tile.scale >= marks.SOFT_CONTOUR:
            yield from _line(path, colours[palette.halo], width + 1.6, stroke_linecap="square")
        yield from _line(path, colours[ink], width, stroke_linecap="square", **through)


def _structures(tile: Tile, step: int, colours: list[str]) -> Iterator[str]:
    recording, palette, placing = tile.cells.recording, tile.palette, tile.placing
    layout = recording.layout
    window = (0, 0, layout.width, layout.height)
    for one, rank in reversed(structure.distinct(tile.structures(step))):
        side = structure.smallest_side(one, layout) * tile.scale
        if side < marks.SMALLEST_PART:
            continue
        width, dashes = marks.stroke_of(one.part, side, rank)
        if one.part is Part.RUN:
            inset = max(1.0, tile.scale * 0.05)
            boxes = structure.run_boxes(recording.image, one, layout, window).astype(np.float64)
            places = placing.at(boxes) + np.array([inset, inset, -inset, -inset])
            shapes = vectors.rounded(places, tile.scale * 0.3)
            yield _outlines(shapes, colours[palette.halo], width + 2)
            yield _outlines(shapes, colours[palette.bold], width)
            continue
        lines = structure.lines_of(one, layout, window).astype(np.float64)
        path = vectors.strokes(placing.at(lines))
        yield from _line(path, colours[palette.halo], width + 2)
        pattern = vectors.numbers(length * width for length in dashes)
        yield from _line(path, colours[palette.bold], width, stroke_dasharray=pattern)


def _outlines(shapes: str, colour: str, width: float) -> str:
    return element("g", {"fill": "none", "stroke": colour, "stroke_width": number(width)}, shapes)


def _arrows(tile: Tile, step: int, papers: Papers, colours: list[str]) -> Iterator[str]:
    parents, palette, placing = tile.cells.arrows(step), tile.palette, tile.placing
    own = np.arange(parents.size).reshape(parents.shape)
    points, roots = (parents >= 0) & (parents != own), parents == own
    found = arrows.curves(own[points], parents[points], parents.shape[1])
    shafts, heads = placing.at(found), placing.at(arrows.heads(found, marks.HEAD))
    thin = marks.arrow_width(tile.scale)
    halo = colours[palette.halo]
    rims = vectors.bends(shafts) + vectors.triangles(heads)
    yield from _line(rims, halo, thin + 2, stroke_linejoin="round")
    colour = papers[points]
    for paper in np.unique(colour).tolist():
        ink, of = colours[palette.arrow(paper)], colour == paper
        yield from _line(vectors.bends(shafts[of]), ink, thin)
        yield from _path(vectors.triangles(heads[of]), fill=ink)
    radius = number(marks.ROOT / 2 * tile.scale)
    for paper in np.unique(papers[roots]).tolist():
        y, x = np.nonzero(roots & (papers == paper))
        middles = placing.at(np.stack([x, y], axis=1).astype(np.float64) + 0.5)
        rings = "".join(
            element("circle", {"cx": left, "cy": top, "r": radius})
            for left, top in middles.tolist()
        )
        yield _outlines(rings, colours[palette.number_ink(paper)], thin)


def _numbers(tile: Tile, step: int, papers: Papers, colours: list[str], size: int) -> Iterator[str]:
    values, placing = tile.cells.numbers(step), tile.placing
    written = tile.written
    for paper in np.unique(papers[written]).tolist():
        rows, columns = np.nonzero(written & (papers == paper))
        middles = placing.at(np.stack([columns, rows], axis=1).astype(np.float64) + 0.5)
        words = "".join(
            vectors.text(str(value), x, y + _BASE * size)
            for value, (x, y) in zip(values[rows, columns].tolist(), middles.tolist(), strict=True)
        )
        around = {}
        if tile.has_arrows:
            around = {"stroke": colours[paper], "stroke_width": 3, "paint_order": "stroke"}
        yield _digits(words, size, colours[tile.palette.number_ink(paper)], **around)


def _digits(words: str, size: int, ink: str, **attributes: object) -> str:
    return element(
        "g", {"font_size": size, "text_anchor": "middle", "fill": ink, **attributes}, words
    )
