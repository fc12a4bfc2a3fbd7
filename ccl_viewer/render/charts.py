"""Charts for reports: bars and curves as display lists, so that SVG and PNG show the same.

Charts are light, as they go into pages and papers. A value stands as a number beside its bar.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, Literal

import numpy as np

from ccl_viewer.colours import OKABE_ITO
from ccl_viewer.render.display_list import (
    Colour,
    DisplayList,
    Item,
    Layer,
    Lines,
    Polygons,
    Rects,
    Texts,
    boxes_of,
)
from ccl_viewer.render.painters.pillow import measure
from ccl_viewer.render.themes import packed

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
_ORDER: Final = (4, 0, 2, 5, 1, 6, 3)  # of Okabe and Ito's colours: the strongest on white first


@dataclass(frozen=True)
class Bar:
    """A bar of a chart; bars of the same series have the same colour.

    Parameters
    ----------
    name : str
        What stands left of it.
    value : float
        How long it is, at least 0.
    series : str
        What the colour means; empty where the chart has one colour.
    text : str
        What stands at its end; the value where empty.
    """

    name: str
    value: float
    series: str = ""
    text: str = ""


@dataclass(frozen=True)
class Curve:
    """A curve of a chart.

    Parameters
    ----------
    name : str
        Its name in the legend.
    points : sequence of (float, float)
        x and y, rising in x. Values that are not finite are left out.
    dashed : bool
        Whether it is a limit rather than a measurement.
    """

    name: str
    points: Sequence[tuple[float, float]]
    dashed: bool = False


def bar_chart(title: str, unit: str, bars: Sequence[Bar]) -> DisplayList:
    """Return a chart of horizontal bars.

    Parameters
    ----------
    title : str
        What it shows.
    unit : str
        What the values count.
    bars : sequence of Bar
        The bars, from above.
    """
    series = [name for name in dict.fromkeys(bar.series for bar in bars) if name]
    left = _MARGIN + max(measure(bar.name, _TEXT) for bar in bars) + 10
    texts = [bar.text or f"{bar.value:,.0f}" for bar in bars]
    room = _WIDTH - _MARGIN - left - max(measure(text, _TEXT) for text in texts) - 8
    largest = max(bar.value for bar in bars) or 1
    top = _MARGIN + 54 + (_ROW if series else 0)
    middles = [top + _ROW * (place + 0.5) for place in range(len(bars))]
    items: list[Item] = [*_heading(title, unit), *_legend(series, _MARGIN + 54)]
    for bar, text, middle in zip(bars, texts, middles, strict=True):
        end = left + room * bar.value / largest
        colour = _colour(series.index(bar.series) if bar.series else 0)
        box = (round(left), round(middle - _BAR / 2), max(round(end), round(left) + 1))
        items += [
            _text(bar.name, left - 8, middle, "right"),
            Rects(boxes_of([(*box, round(middle + _BAR / 2))]), fill=colour),
            _text(text, end + 6, middle, "left"),
        ]
    height = top + _ROW * len(bars) + _MARGIN
    return DisplayList(_WIDTH, height, _PAPER, (Layer("chart", tuple(items)),))


def line_chart(
    title: str,
    across: str,
    up: str,
    curves: Sequence[Curve],
    *,
    logarithmic: tuple[bool, bool] = (False, False),
) -> DisplayList:
    """Return a chart of curves over a common x.

    Parameters
    ----------
    title : str
        What it shows.
    across, up : str
        Names and units of the axes.
    curves : sequence of Curve
        The curves.
    logarithmic : tuple of bool
        For x and y: whether each factor of ten has the same length.
    """
    points = [point for curve in curves for point in _finite(curve, logarithmic)]
    axes = [_Axis.of([p[i] for p in points], log) for i, log in enumerate(logarithmic)]
    left = _MARGIN + 24 + max(measure(text, _TEXT) for _, text in axes[1].ticks())
    names = [curve.name for curve in curves]
    top = _MARGIN + 62 + _ROW * len(list(_rows_of(names)))
    bottom, right = top + _PLOT_HEIGHT, _WIDTH - _MARGIN - 24
    items: list[Item] = [*_heading(title, up), *_legend(names, _MARGIN + 54)]
    for value, text in axes[0].ticks():
        x = left + axes[0].share(value) * (right - left)
        items += [_rule(x, top, x, bottom), _text(text, x, bottom + 14, "middle")]
    for value, text in axes[1].ticks():
        y = bottom - axes[1].share(value) * (bottom - top)
        items += [_rule(left, y, right, y), _text(text, left - 8, y, "right")]
    items.append(_text(across, (left + right) / 2, bottom + 36, "middle", colour=_DIM))
    for number, curve in enumerate(curves):
        places = [
            (left + axes[0].share(x) * (right - left), bottom - axes[1].share(y) * (bottom - top))
            for x, y in _finite(curve, logarithmic)
        ]
        items += _drawn(places, _colour(number), dashed=curve.dashed)
    return DisplayList(_WIDTH, bottom + 36 + _MARGIN, _PAPER, (Layer("chart", tuple(items)),))


@dataclass(frozen=True)
class _Axis:
    low: float
    high: float
    logarithmic: bool

    @classmethod
    def of(cls, values: Sequence[float], logarithmic: bool) -> _Axis:
        low, high = (min(values), max(values)) if values else (1.0, 10.0)
        if logarithmic:
            return cls(10 ** math.floor(math.log10(low)), 10 ** math.ceil(math.log10(high)), True)
        return cls(min(low, 0.0), high if high > min(low, 0.0) else low + 1, False)

    def share(self, value: float) -> float:
        if self.logarithmic:
            span = math.log10(self.high / self.low) or 1.0
            return math.log10(value / self.low) / span
        return (value - self.low) / (self.high - self.low)

    def ticks(self) -> Iterator[tuple[float, str]]:
        """Yield round values with their texts."""
        if self.logarithmic:
            first, last = round(math.log10(self.low)), round(math.log10(self.high))
            for power in range(first, last + 1):
                yield 10.0**power, f"{10.0**power:,.{max(-power, 0)}f}"
            return
        rough = (self.high - self.low) / _TICKS
        unit = 10.0 ** math.floor(math.log10(rough))
        step = next(unit * many for many in (1, 2, 5, 10) if unit * many >= rough)
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


def _drawn(places: list[tuple[float, float]], colour: Colour, *, dashed: bool) -> Iterator[Item]:
    pairs = [(*a, *b) for a, b in pairwise(places)]
    if pairs:
        yield Lines(boxes_of(pairs), colour, 2.0, dash=(6.0, 4.0) if dashed else (), cap="round")
    if places and not dashed:
        corners = np.array([(-3, 0), (0, -3), (3, 0), (0, 3)], np.float64)
        yield Polygons(np.array(places)[:, None, :] + corners, colour)


def _heading(title: str, unit: str) -> tuple[Item, ...]:
    return (
        Texts((title,), np.array([[_MARGIN, _MARGIN + 8.0]]), _TITLE, _INK, "left", bold=True),
        _text(unit, _MARGIN, _MARGIN + 32, "left", colour=_DIM),
    )


def _rows_of(names: Sequence[str]) -> Iterator[list[tuple[int, str, float]]]:
    """Yield the rows of a legend: number, name and x of each entry."""
    row: list[tuple[int, str, float]] = []
    x = float(_MARGIN)
    for number, name in enumerate(names):
        width = 18 + measure(name, _TEXT) + 18
        if row and x + width > _WIDTH - _MARGIN:
            yield row
            row, x = [], float(_MARGIN)
        row.append((number, name, x))
        x += width
    if row:
        yield row


def _legend(names: Sequence[str], top: float) -> Iterator[Item]:
    for line, row in enumerate(_rows_of(names)):
        middle = top + _ROW * line
        for number, name, x in row:
            box = (round(x), round(middle - 6), round(x) + 12, round(middle + 6))
            yield Rects(boxes_of([box]), fill=_colour(number))
            yield _text(name, x + 18, middle, "left")


def _rule(x1: float, y1: float, x2: float, y2: float) -> Lines:
    return Lines(boxes_of([(x1, y1, x2, y2)]), _GRID)


def _text(
    text: str,
    x: float,
    y: float,
    anchor: Literal["left", "middle", "right"],
    colour: Colour = _INK,
) -> Texts:
    return Texts((text,), np.array([[x, y]], np.float64), _TEXT, colour, anchor)


def _colour(number: int) -> Colour:
    return packed(OKABE_ITO[_ORDER[number % len(_ORDER)]])
