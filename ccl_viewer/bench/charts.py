"""Charts for reports: bars and curves as display lists, so that SVG and PNG look the same.

Charts are light, because they go into pages and papers. Each bar has its value as a number.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Final, Literal

import numpy as np

from ccl_viewer.render.display_list import (
    Colour,
    DisplayList,
    Item,
    Layer,
    Lines,
    Polygons,
    Rects,
    Texts,
    as_boxes,
)
from ccl_viewer.render.painters.pillow import measure
from ccl_viewer.render.themes import pack_colour
from ccl_viewer.support.label_colours import OKABE_ITO

_PAPER: Final = 0xFFFFFFFF
_INK: Final = 0xFF202020
_DIM: Final = 0xFF5A5A5A
_GRID: Final = 0xFFE3E3E3
_WIDTH: Final = 760
_MARGIN: Final = 16
_TEXT: Final = 13.0
_TITLE: Final = 15.0
_ROW: Final = 20
_BAR: Final = 14
_PLOT_HEIGHT: Final = 320
_TICKS: Final = 6
_ORDER: Final = (4, 0, 2, 5, 1, 6, 3)  # of Okabe and Ito's colours: strongest on white first
_COLOURS: Final = {"fill", "stroke", "colour", "halo"}
"""Fields of shapes that are colours, if they are integers."""

_WIDE: Final = 20
_MARKERS: Final = (
    ((-4, 0), (0, -4), (4, 0), (0, 4)),
    ((-3, -3), (3, -3), (3, 3), (-3, 3)),
    ((-4, 3), (0, -4), (4, 3)),
    ((-4, -3), (4, -3), (0, 4)),
)
_DASHES: Final = ((), (3.0, 3.0), (8.0, 3.0, 2.0, 3.0))  # of curves: the next every 7 colours
_SAMPLE: Final = 26
_LIMIT_DASH: Final = (6.0, 4.0)
_WIDER: Final = 1.1  # SVG viewers may use wider typefaces
_NAME_ROOM: Final = 260


@dataclass(frozen=True)
class Bar:
    """A bar of a chart; bars of the same series have the same colour.

    Parameters
    ----------
    name : str
        Text on its left.
    value : float
        Length, at least 0.
    series : str
        Meaning of the colour; empty if the chart has one colour.
    text : str
        Text at its end; the value if empty.
    group : str
        Heading above the first bar of each group.
    limit : float
        Position of a dashed line across its row; NaN for none.
    quartiles : tuple of float
        Ends of a thin line (quartiles); empty for none.
    """

    name: str
    value: float
    series: str = ""
    text: str = ""
    group: str = ""
    limit: float = math.nan
    quartiles: tuple[float, ...] = ()


@dataclass(frozen=True)
class Curve:
    """A curve of a chart.

    Parameters
    ----------
    name : str
        Its name in the legend.
    points : sequence of (float, float)
        x and y, rising in x. Non-finite values are left out.
    dashed : bool
        Whether it is a limit rather than a measurement.
    quartiles : sequence of (float, float, float)
        x, and the two y between which a thin line is drawn.
    """

    name: str
    points: Sequence[tuple[float, float]]
    dashed: bool = False
    quartiles: Sequence[tuple[float, float, float]] = ()


def needs_log_axis(values: Iterable[float]) -> bool:
    """Return whether values need a logarithmic axis to be legible, and can have one."""
    finite = [value for value in values if math.isfinite(value)]
    return bool(finite) and min(finite) > 0 and max(finite) > _WIDE * min(finite)


def draw_bar_chart(
    title: str, unit: str, bars: Sequence[Bar], *, logarithmic: bool = False, note: str = ""
) -> DisplayList:
    """Return a chart of horizontal bars.

    Parameters
    ----------
    title : str
        Title.
    unit : str
        Unit of the values.
    bars : sequence of Bar
        The bars, from the top; bars of a group are adjacent.
    logarithmic : bool
        Whether the axis is logarithmic; all values must then be above 0.
    note : str
        A line below it, such as the place and date of the measurement.
    """
    series = [name for name in dict.fromkeys(bar.series for bar in bars) if name]
    named = [] if all(bar.series == bar.name for bar in bars) else series
    names = [_fit_texts(bar.name) for bar in bars]
    left = _MARGIN + _WIDER * max(measure(name, _TEXT) for name in names) + 10
    texts = [bar.text or f"{bar.value:,.0f}" for bar in bars]
    room = _WIDTH - _MARGIN - left - max(measure(text, _TEXT) for text in texts) - 8
    values = [bar.value for bar in bars]
    values += [bar.limit for bar in bars if math.isfinite(bar.limit)]
    values += [value for bar in bars for value in bar.quartiles]
    axis = _Axis.of([*values, min(values) / 1.5] if logarithmic else values, logarithmic)
    top = _MARGIN + 54 + _ROW * (len(list(_lay_out_legend(named))) + logarithmic)
    middles, headings, bottom = _rows_of_bars(bars, top)
    items: list[Item] = [*_heading(title, unit), *_legend(named, _MARGIN + 54)]
    if logarithmic:
        for value, text in axis.ticks():
            x = left + room * axis.share(value)
            items += [_rule(x, top, x, bottom), _text(text, x, top - _ROW / 2, "middle", _DIM)]
    items += [_text(text, _MARGIN, middle, "left", bold=True) for text, middle in headings]
    for bar, name, text, middle in zip(bars, names, texts, middles, strict=True):
        end = left + room * axis.share(bar.value)
        ends = [left + room * axis.share(value) for value in bar.quartiles or (bar.value,)]
        colour = _colour(series.index(bar.series) if bar.series else 0)
        box = (round(left), round(middle - _BAR / 2), max(round(end), round(left) + 1))
        items += [
            _text(name, left - 8, middle, "right"),
            Rects(as_boxes([(*box, round(middle + _BAR / 2))]), fill=colour),
            _text(text, max(end, *ends) + 6, middle, "left"),
        ]
        if bar.quartiles:
            items.append(Lines(as_boxes([(ends[0], middle, ends[1], middle)]), _INK, 2.0))
        if math.isfinite(bar.limit):
            x = left + room * axis.share(bar.limit)
            row = as_boxes([(x, middle - _ROW / 2, x, middle + _ROW / 2)])
            items.append(Lines(row, _INK, 2.0, dash=_LIMIT_DASH, cap="butt"))
    return _chart(items, bottom, note)


def recolour_chart(
    chart: DisplayList, paper: Colour, ink: Colour, dim: Colour, rules: Colour
) -> DisplayList:
    """Return a chart on a background other than white; data keep their colours.

    Parameters
    ----------
    chart : DisplayList
        The chart.
    paper, ink, dim, rules : int
        Colours of the background, of texts, of less important texts, and of grid lines.
    """
    changed = {_PAPER: paper, _INK: ink, _DIM: dim, _GRID: rules}

    def coloured(item: Item) -> Item:
        values: dict[str, Any] = {
            name: changed[old]
            for name, old in vars(item).items()
            if name in _COLOURS and old in changed
        }
        return replace(item, **values)

    layers = [replace(layer, items=tuple(map(coloured, layer.items))) for layer in chart.layers]
    return replace(chart, background=paper, layers=tuple(layers))


def _fit_texts(name: str) -> str:
    """Return a name, shortened in its middle if it needs the space of the bars."""
    half = len(name) // 2
    short = name
    while measure(short, _TEXT) > _NAME_ROOM:
        half -= 1
        short = f"{name[:half]}\N{HORIZONTAL ELLIPSIS}{name[-half:]}"
    return short


def _rows_of_bars(
    bars: Sequence[Bar], top: int
) -> tuple[list[float], list[tuple[str, float]], int]:
    """Return the middle of each bar, the headings with theirs, and the end of the rows."""
    middles: list[float] = []
    headings: list[tuple[str, float]] = []
    y = top
    group = ""
    for bar in bars:
        if bar.group != group:
            group = bar.group
            headings.append((group, y + _ROW / 2))
            y += _ROW
        middles.append(y + _ROW / 2)
        y += _ROW
    return middles, headings, y


def draw_line_chart(
    title: str,
    across: str,
    up: str,
    curves: Sequence[Curve],
    *,
    logarithmic: tuple[bool, bool] = (False, False),
    note: str = "",
) -> DisplayList:
    """Return a chart of curves over a common x.

    Parameters
    ----------
    title : str
        Title.
    across, up : str
        Names and units of the axes.
    curves : sequence of Curve
        The curves.
    logarithmic : tuple of bool
        For x and y: whether the axis is logarithmic.
    note : str
        As for :func:`draw_bar_chart`.
    """
    points = [point for curve in curves for point in _finite(curve, logarithmic)]
    points += [(x, y) for curve in curves for x, *ends in curve.quartiles for y in ends]
    axes = [_Axis.of([p[i] for p in points], log) for i, log in enumerate(logarithmic)]
    left = _MARGIN + 24 + max(measure(text, _TEXT) for _, text in axes[1].ticks())
    names = [curve.name for curve in curves]
    top = _MARGIN + 62 + _ROW * len(list(_lay_out_legend(names)))
    bottom = top + _PLOT_HEIGHT
    right = _WIDTH - _MARGIN - max(measure(text, _TEXT) for _, text in axes[0].ticks()) / 2
    items: list[Item] = [*_heading(title, up), *_legend(names, _MARGIN + 54, curves)]
    for value, text in axes[0].ticks():
        x = left + axes[0].share(value) * (right - left)
        items += [_rule(x, top, x, bottom), _text(text, x, bottom + 14, "middle")]
    for value, text in axes[1].ticks():
        y = bottom - axes[1].share(value) * (bottom - top)
        items += [_rule(left, y, right, y), _text(text, left - 8, y, "right")]
    items.append(_text(across, (left + right) / 2, bottom + 36, "middle", colour=_DIM))

    def place(x: float, y: float) -> tuple[float, float]:
        right_by, up_by = axes[0].share(x) * (right - left), axes[1].share(y) * (bottom - top)
        return left + right_by, bottom - up_by

    for number, curve in enumerate(curves):
        places = [place(x, y) for x, y in _finite(curve, logarithmic)]
        items += _draw_curve(places, number, limit=curve.dashed)
        spans = [(*place(x, low), *place(x, high)) for x, low, high in curve.quartiles]
        if spans:
            items.append(Lines(as_boxes(spans), _colour(number)))
    return _chart(items, bottom + 36, note)


def _chart(items: list[Item], bottom: int, note: str) -> DisplayList:
    """Return a chart with items down to a height, and the note below them."""
    if note:
        bottom += 24
        items.append(_text(note, _MARGIN, bottom - 4, "left", colour=_DIM))
    return DisplayList(_WIDTH, bottom + _MARGIN, _PAPER, (Layer("chart", tuple(items)),))


@dataclass(frozen=True)
class _Axis:
    low: float
    high: float
    logarithmic: bool

    @classmethod
    def of(cls, values: Sequence[float], logarithmic: bool) -> _Axis:
        low, high = (min(values), max(values)) if values else (1.0, 10.0)
        if logarithmic:
            return cls(_round_steps(low)[0], _round_steps(high)[1], True)
        return cls(min(low, 0.0), high if high > min(low, 0.0) else low + 1, False)

    def share(self, value: float) -> float:
        if self.logarithmic:
            span = math.log10(self.high / self.low) or 1.0
            return math.log10(value / self.low) / span
        return (value - self.low) / (self.high - self.low)

    def ticks(self) -> Iterator[tuple[float, str]]:
        """Yield round values with their texts."""
        if self.logarithmic:
            first, last = math.floor(math.log10(self.low)), math.ceil(math.log10(self.high))
            firsts = (1, 2, 5) if self.high <= 50 * self.low else (1,)
            for power, digit in itertools.product(range(first, last + 1), firsts):
                value = digit * 10.0**power
                if self.low * 0.999 <= value <= self.high * 1.001:
                    yield value, f"{value:,.{max(-power, 0)}f}"
            return
        rough = (self.high - self.low) / _TICKS
        unit = 10.0 ** math.floor(math.log10(rough))
        step = next(unit * factor for factor in (1, 2, 5, 10) if unit * factor >= rough)
        digits = max(-math.floor(math.log10(step)), 0)
        for number in range(math.ceil(self.low / step), math.floor(self.high / step) + 1):
            yield number * step, f"{number * step:,.{digits}f}"


def _finite(curve: Curve, logarithmic: tuple[bool, bool]) -> list[tuple[float, float]]:
    """Return the points that the axes can show."""
    least = [0.0 if log else -math.inf for log in logarithmic]
    return [
        (x, y)
        for x, y in curve.points
        if math.isfinite(x) and math.isfinite(y) and x > least[0] and y > least[1]
    ]


def _round_steps(value: float) -> tuple[float, float]:
    """Return the neighbours of a value among 1, 2, 5, 10, 20 and so on; it may be one of them."""
    power = 10.0 ** math.floor(math.log10(value))
    steps = [power * step for step in (1, 2, 5, 10)]
    below = max(step for step in steps if step <= value * (1 + 1e-9))
    return below, min(step for step in steps if step >= value * (1 - 1e-9))


def _draw_curve(places: list[tuple[float, float]], number: int, *, limit: bool) -> Iterator[Item]:
    """Draw a curve; markers and dashes tell curves apart once colours run out."""
    colour = _DIM if limit else _colour(number)
    pairs = [(*a, *b) for a, b in pairwise(places)]
    if pairs:
        dash = _LIMIT_DASH if limit else _DASHES[number // len(_ORDER) % len(_DASHES)]
        yield Lines(as_boxes(pairs), colour, 2.0, dash=dash, cap="butt" if dash else "round")
    if places and not limit:
        corners = np.array(_MARKERS[number % len(_MARKERS)], np.float64)
        yield Polygons(np.array(places)[:, None, :] + corners, colour)


def _heading(title: str, unit: str) -> tuple[Item, ...]:
    return (
        Texts((title,), np.array([[_MARGIN, _MARGIN + 8.0]]), _TITLE, _INK, "left", bold=True),
        _text(unit, _MARGIN, _MARGIN + 32, "left", colour=_DIM),
    )


def _lay_out_legend(names: Sequence[str]) -> Iterator[list[tuple[int, str, float]]]:
    """Yield the rows of a legend: number, name and x of each entry."""
    row: list[tuple[int, str, float]] = []
    x = float(_MARGIN)
    for number, name in enumerate(names):
        width = _SAMPLE + 6 + measure(name, _TEXT) + 18
        if row and x + width > _WIDTH - _MARGIN:
            yield row
            row, x = [], float(_MARGIN)
        row.append((number, name, x))
        x += width
    if row:
        yield row


def _legend(names: Sequence[str], top: float, curves: Sequence[Curve] = ()) -> Iterator[Item]:
    """Draw the names of series, each beside its colour, or beside a piece of its curve."""
    for line, row in enumerate(_lay_out_legend(names)):
        middle = top + _ROW * line
        for number, name, x in row:
            if curves:
                ends = [(x + along, middle) for along in (4, _SAMPLE / 2, _SAMPLE - 4)]
                yield from _draw_curve(ends, number, limit=curves[number].dashed)
            else:
                box = (round(x) + 6, round(middle - 6), round(x) + 18, round(middle + 6))
                yield Rects(as_boxes([box]), fill=_colour(number))
            yield _text(name, x + _SAMPLE + 6, middle, "left")


def _rule(x1: float, y1: float, x2: float, y2: float) -> Lines:
    return Lines(as_boxes([(x1, y1, x2, y2)]), _GRID)


def _text(
    text: str,
    x: float,
    y: float,
    anchor: Literal["left", "middle", "right"],
    colour: Colour = _INK,
    *,
    bold: bool = False,
) -> Texts:
    return Texts((text,), np.array([[x, y]], np.float64), _TEXT, colour, anchor, bold=bold)


def _colour(number: int) -> Colour:
    return pack_colour(OKABE_ITO[_ORDER[number % len(_ORDER)]])
