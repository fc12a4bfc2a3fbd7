"""Charts for reports."""

from __future__ import annotations

import math

from ccl_viewer.bench.charts import Bar, Curve, draw_bar_chart, draw_line_chart
from ccl_viewer.render.display_list import DisplayList, Lines, Rects, Texts
from ccl_viewer.render.painters.pillow import paint
from ccl_viewer.render.painters.svg import paint_svg


def texts(chart: DisplayList) -> list[str]:
    return [text for item in chart if isinstance(item, Texts) for text in item.texts]


def test_bars_are_as_long_as_their_values() -> None:
    bars = [Bar("one", 100), Bar("two", 50, text="half"), Bar("three", 0)]
    chart = draw_bar_chart("Title", "things", bars)
    drawn = [item.boxes[0] for item in chart if isinstance(item, Rects)]
    widths = [float(right - left) for left, _, right, _ in drawn]
    assert math.isclose(widths[1], widths[0] / 2, abs_tol=1)
    assert widths[2] == 1  # still to be seen
    assert {"Title", "things", "one", "100", "half", "three"} <= set(texts(chart))
    assert paint(chart).shape == (chart.height, chart.width)
    assert "half" in paint_svg(chart, "Title")


def test_series_have_colours_and_a_legend() -> None:
    chart = draw_bar_chart(
        "T", "u", [Bar("a", 1, "first"), Bar("b", 2, "second"), Bar("c", 3, "first")]
    )
    fills = [item.fill for item in chart if isinstance(item, Rects)]
    assert len(set(fills)) == 2
    assert texts(chart).count("first") == 1


def test_everything_lies_within_the_picture() -> None:
    names = [f"an algorithm with quite a long name {number}" for number in range(7)]
    curves = [Curve(name, [(10.0**x, 10.0**-x) for x in range(5)]) for name in names]
    chart = draw_line_chart("T", "cells", "ms", curves, logarithmic=(True, True))
    for item in chart:
        if isinstance(item, Lines):
            assert item.segments.min() >= 0
            assert item.segments[:, [0, 2]].max() <= chart.width
            assert item.segments[:, [1, 3]].max() <= chart.height
    assert "10,000" in texts(chart)
