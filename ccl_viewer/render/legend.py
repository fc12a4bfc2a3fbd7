"""The legend: a sample of each drawn mark, line and colour with its meaning."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

import numpy as np

from ccl_viewer.execution.plan import LabelLayout, LaunchStructure, PartKind
from ccl_viewer.render import geometry
from ccl_viewer.render.display_list import (
    Colour,
    Item,
    Lines,
    Measure,
    Points,
    Polygons,
    Rects,
    Texts,
    as_boxes,
    with_alpha,
)
from ccl_viewer.render.layers import (
    COLOURS_MEAN,
    COUNTED,
    LAYER_PREFIX,
    SWITCHES,
    CellColours,
    Layers,
    LegendLine,
    Numbers,
)
from ccl_viewer.render.themes import (
    COUNT_SHADES,
    DEEPEST,
    FIRST_COLOUR,
    FIRST_COUNT,
    FIRST_DEPTH,
    UNLABELLED,
    CanvasColours,
    pack_colour,
)
from ccl_viewer.support.units import counted

ZOOM_IN: Final = " (zoom in)"
"""Suffix for marks that are switched on, but not drawn in small cells."""

_SAMPLE: Final = 14.0
_LINE_SAMPLE: Final = 30.0
_DEPTH_STEP: Final = 9.0
_COUNT_STEP: Final = 13.0
_LAST_SHADE: Final = 28.0
_EDGE: Final = 10.0
_BESIDE: Final = 6.0
_LEADING: Final = 7.0

Draw = Callable[[float, float, float, CanvasColours], Iterable[Item]]
"""Draws a sample, given its left edge, vertical centre, pixels per unit, and colours."""


@dataclass(frozen=True)
class LegendItem:
    """A sample and its meaning."""

    text: str
    width: float  # of the sample, in logical pixels
    draw: Draw
    dim: bool = False  # whether it is switched on, but invisible in small cells


@dataclass(frozen=True)
class LegendContents:
    """What a legend explains."""

    layers: Layers
    colours: CellColours  # the actual meaning of the colours
    size: float  # of a cell, in logical pixels
    layout: LabelLayout | None = None  # of the run's labels; None without a run
    structures: tuple[LaunchStructure, ...] = ()  # drawn divisions
    numbers: bool = True  # whether numbers are drawn
    drawn: Collection[str] = ()  # layers with something to draw, in cells of any size
    unlabelled: bool = True  # whether any cell is unlabelled
    difference: bool = False  # whether any cell differs from another run
    wrong: int = 0  # wrong cells at the end of the run
    warp: bool = False  # whether one is inspected
    array: str = ""  # array with the values in the cells, if not labels
    referring: str = ""  # that arrows follow, if not labels


def legend_items(shown: LegendContents) -> tuple[LegendItem, ...]:
    """Return the lines of the legend, the most important first."""
    if shown.layout is None:
        return ()
    return (*_colour_items(shown), *_mark_items(shown), *_structure_items(shown))


def _colour_items(shown: LegendContents) -> Iterator[LegendItem]:
    kind, text = shown.colours, COLOURS_MEAN[shown.colours]
    if kind is CellColours.INPUT:
        yield LegendItem(text, _SAMPLE, _fill_sample(UNLABELLED))
        return
    if kind is CellColours.DEPTH:
        texts = [str(depth) if depth % 3 == 0 else "" for depth in range(DEEPEST)]
        yield _scale(text, FIRST_DEPTH, [*texts, f"{DEEPEST}+"], _DEPTH_STEP)
    elif kind in COUNTED:
        text += ", all steps so far" if shown.layers.total else ""
        texts = [str(1 << shade) if shade % 2 == 0 else "" for shade in range(COUNT_SHADES - 1)]
        yield _scale(text, FIRST_COUNT, [*texts, f"{1 << COUNT_SHADES - 1}+"], _COUNT_STEP)
    else:
        yield LegendItem(text, _SAMPLE, _draw_swatches)
    if shown.unlabelled:
        none = "none" if kind in COUNTED else "no label"
        yield LegendItem(none, _SAMPLE, _fill_sample(UNLABELLED))


def _mark_items(shown: LegendContents) -> Iterator[LegendItem]:
    for name, switch in SWITCHES.items():
        for line in switch.legend:
            yield from _layer_items(shown, name, line)
    if shown.difference:
        yield LegendItem("differs", _SAMPLE, _draw_hatch)
    elif shown.wrong:
        yield LegendItem(counted(shown.wrong, "wrong cell"), _SAMPLE, _draw_wrong)
    if shown.warp:
        yield LegendItem("warp in Inside", _SAMPLE, _draw_warp)
    numbers = shown.layers.numbers
    content = numbers.removeprefix(LAYER_PREFIX)
    if numbers != Numbers.NONE and not shown.numbers:
        title = "numbers" if content == Numbers.RAW else content
        yield LegendItem(title + ZOOM_IN, _SAMPLE, _draw_number, dim=True)
    elif content not in {Numbers.RAW, Numbers.NONE}:
        yield LegendItem(content, _SAMPLE, _draw_number)


def _layer_items(shown: LegendContents, name: str, line: LegendLine) -> Iterator[LegendItem]:
    """Yield a line of a layer that is drawn, or would be drawn in larger cells."""
    small = shown.size < line.smallest
    dim = small and not line.small
    if not (shown.layers.shows(name) if dim else name in shown.drawn):
        return
    array = getattr(shown, line.array) if line.array else ""
    text = line.of_array.format(array) if array else line.text
    sample = SAMPLES[line.small if small and line.small else line.sample]
    yield LegendItem(text + ZOOM_IN * dim, _SAMPLE, sample, dim)


def _structure_items(shown: LegendContents) -> Iterator[LegendItem]:
    if shown.layout is None:
        return
    for group, rank in geometry.group_structures(shown.structures):
        tiny = geometry.smallest_side(group[0], shown.layout) * shown.size < geometry.SMALLEST_PART
        text = geometry.structure_name(*group) + (ZOOM_IN if tiny else "")
        yield LegendItem(text, _LINE_SAMPLE, _part_sample(group[0].part, rank), dim=tiny)
    if shown.layers.structure and geometry.is_padded(shown.layout):
        text = f"padding, labelled {shown.layout.background}"
        yield LegendItem(text, _LINE_SAMPLE, _draw_padding)


@dataclass(frozen=True)
class LegendMetrics:
    """Sizes in a legend."""

    measure: Measure
    size: float  # of the text, in device pixels
    px: float = 1.0  # device pixels per logical pixel

    def item_width(self, item: LegendItem) -> float:
        """Return the width of an item, including the gap to the next."""
        return (item.width + _BESIDE + _EDGE) * self.px + self.measure(item.text, self.size)

    @property
    def line(self) -> float:
        return self.size + _LEADING * self.px


def break_into_rows(
    items: Sequence[LegendItem], metrics: LegendMetrics, width: float
) -> list[list[LegendItem]]:
    """Break a legend into rows."""
    rows: list[list[LegendItem]] = []
    used = width
    for item in items:
        room = metrics.item_width(item)
        if not rows or used + room > width:
            rows.append([])
            used = _EDGE * metrics.px
        rows[-1].append(item)
        used += room
    return rows


def draw_rows(
    rows: Sequence[Sequence[LegendItem]],
    metrics: LegendMetrics,
    left: float,
    top: float,
    colours: CanvasColours,
) -> Iterator[Item]:
    """Yield the samples and texts of rows, starting at a corner."""
    for index, row in enumerate(rows):
        x, middle = left, top + (index + 0.5) * metrics.line
        for item in row:
            yield from item.draw(x, middle, metrics.px, colours)
            ink = pack_colour(colours.theme.dim if item.dim else colours.theme.text)
            at = np.array([[x + (item.width + _BESIDE) * metrics.px, middle]])
            yield Texts((item.text,), at, metrics.size, ink, "left")
            x += metrics.item_width(item)


# Samples


def _box(x: float, y: float, px: float, inset: float = 0.0) -> list[float]:
    half = _SAMPLE / 2 * px
    left, top, gap = round(x), round(y - half), inset * px
    side = round(_SAMPLE * px)
    return [left + gap, top + gap, left + side - gap, top + side - gap]


def _fill_sample(index: int) -> Draw:
    def draw(x: float, y: float, px: float, colours: CanvasColours) -> Iterator[Item]:
        yield Rects(as_boxes([_box(x, y, px)]), fill=int(colours.table[index]))

    return draw


def _draw_swatches(x: float, y: float, px: float, colours: CanvasColours) -> Iterator[Item]:
    left, top, right, bottom = _box(x, y, px)
    for index in range(3):  # each overlaps the previous one
        box = [round(left + (right - left) * index / 3), top, right, bottom]
        yield Rects(as_boxes([box]), fill=int(colours.table[FIRST_COLOUR + index]))


def _scale(title: str, first: int, texts: Sequence[str], step: float) -> LegendItem:
    """Return a scale of colours; some have a text, and the last is wider."""

    def draw(x: float, y: float, px: float, colours: CanvasColours) -> Iterator[Item]:
        _, top, _, bottom = _box(x, y, px)
        for index, text in enumerate(texts):
            left = x + index * step * px
            right = left + (_LAST_SHADE if index == len(texts) - 1 else step) * px
            box = [round(left), top, round(right), bottom]
            yield Rects(as_boxes([box]), fill=int(colours.table[first + index]))
            if text:
                middle = np.array([[(left + right) / 2, y]])
                yield Texts((text,), middle, 9 * px, colours.inks[first + index])

    return LegendItem(title, step * (len(texts) - 1) + _LAST_SHADE, draw)


def _draw_changed(x: float, y: float, px: float, colours: CanvasColours) -> Iterator[Item]:
    yield from _fill_sample(FIRST_COLOUR)(x, y, px, colours)
    yield from geometry.change_outlines(as_boxes([_box(x, y, px)]), px, _SAMPLE, colours)


def _draw_stripes(x: float, y: float, px: float, colours: CanvasColours) -> Iterator[Item]:
    yield from _draw_hatched_cell(
        x, y, px, colours, 0, with_alpha(colours.bold, geometry.CHANGED_ALPHA)
    )


def _draw_root(x: float, y: float, px: float, colours: CanvasColours) -> Iterator[Item]:
    ink = pack_colour(colours.theme.text)
    box = as_boxes([_box(x, y, px, 1)])
    yield Rects(box, stroke=ink, width=1.6 * px, radius=_SAMPLE / 2 * px)


def _draw_arrow(x: float, y: float, px: float, colours: CanvasColours) -> Iterator[Item]:
    ink, right = pack_colour(colours.theme.text), x + _SAMPLE * px
    yield Lines(as_boxes([[x, y, right - 4 * px, y]]), ink, 1.6 * px)
    head = [[right, y], [right - 5 * px, y - 3.2 * px], [right - 5 * px, y + 3.2 * px]]
    yield Polygons(np.array([head]), ink)


def _draw_rim(x: float, y: float, px: float, colours: CanvasColours) -> Iterator[Item]:
    yield from _fill_sample(FIRST_COLOUR)(x, y, px, colours)
    inner = as_boxes([_box(x, y, px, 3)])
    yield Rects(inner, fill=int(colours.table[FIRST_COLOUR + 1]))


def _draw_hatch(x: float, y: float, px: float, colours: CanvasColours) -> Iterator[Item]:
    yield from _draw_hatched_cell(x, y, px, colours, colours.bold, colours.halo)


def _draw_wrong(x: float, y: float, px: float, colours: CanvasColours) -> Iterator[Item]:
    error = pack_colour(colours.theme.error)
    yield from _draw_hatched_cell(x, y, px, colours, error, colours.halo)


def _draw_hatched_cell(
    x: float, y: float, px: float, colours: CanvasColours, *inks: Colour
) -> Iterator[Item]:
    yield from _fill_sample(FIRST_COLOUR)(x, y, px, colours)
    left, top, right, bottom = _box(x, y, px)
    for shift, ink in zip((0.0, 2 * px), inks, strict=True):
        lines = [
            [left + shift, bottom - 2 * px, right - 2 * px, top + shift],
            [left + shift, top + 6 * px, left + 6 * px, top + shift],
        ]
        yield Lines(as_boxes(lines), ink, 2 * px)


def _draw_warp(x: float, y: float, px: float, colours: CanvasColours) -> Iterator[Item]:
    box = as_boxes([_box(x, y, px, 1)])
    yield Rects(box, stroke=pack_colour(colours.theme.accent), width=2 * px)


def _draw_number(x: float, y: float, px: float, colours: CanvasColours) -> Iterator[Item]:
    position = np.array([[x + _SAMPLE / 2 * px, y]])
    yield Texts(("#",), position, 13 * px, pack_colour(colours.theme.text))


def _make_wide_box(x: float, y: float, px: float) -> Points:
    right = x + _LINE_SAMPLE * px
    return as_boxes([[round(x), round(y - 5 * px), round(right), round(y + 5 * px)]])


def _draw_padding(x: float, y: float, px: float, colours: CanvasColours) -> Iterator[Item]:
    paper, edge = colours.padding
    yield Rects(_make_wide_box(x, y, px), fill=paper, stroke=edge, width=round(px))


SAMPLES: Final[Mapping[str, Draw]] = MappingProxyType(
    {
        "changed": _draw_changed,
        "stripe": _draw_stripes,
        "root": _draw_root,
        "arrow": _draw_arrow,
        "rim": _draw_rim,
    }
)
"""The samples that layers name."""


def _part_sample(part: PartKind, rank: int) -> Draw:
    def draw(x: float, y: float, px: float, colours: CanvasColours) -> Iterator[Item]:
        line = as_boxes([[x, y, x + _LINE_SAMPLE * px, y]])
        for stroke in geometry.structure_line_styles(part, float("inf"), rank, px, colours):
            if part is PartKind.RUN:
                box = _make_wide_box(x, y, px)
                yield Rects(box, stroke=stroke.colour, width=stroke.width, radius=5 * px)
            else:
                yield Lines(line, stroke.colour, stroke.width, stroke.dash)

    return draw
