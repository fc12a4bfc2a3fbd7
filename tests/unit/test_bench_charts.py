"""Charts for reports."""

from __future__ import annotations

import math

from ccl_viewer.bench.charts import Bar, Curve, draw_bar_chart, draw_line_chart, needs_log_axis
from ccl_viewer.render.display_list import DisplayList, Lines, Rects, Texts
from ccl_viewer.render.painters.pillow import measure, paint
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


def test_long_names_leave_room_for_the_bars_and_are_not_cut_off() -> None:
    name = "/home/somebody/pictures/of/quite/some/things/and/others/picture-1.png"
    chart = draw_bar_chart("T", "u", [Bar(name, 1), Bar("short", 2)])
    boxes = [item.boxes[0] for item in chart if isinstance(item, Rects)]
    assert max(box[2] - box[0] for box in boxes) > chart.width / 3
    (shown,) = (text for text in texts(chart) if text.startswith("/home"))
    assert shown.endswith("picture-1.png")
    (left,) = {float(box[0]) for box in boxes}
    assert 1.08 * measure(shown, 13) < left  # also in a wider typeface


def test_series_have_colours_and_a_legend() -> None:
    chart = draw_bar_chart(
        "T", "u", [Bar("a", 1, "first"), Bar("b", 2, "second"), Bar("c", 3, "first")]
    )
    fills = [item.fill for item in chart if isinstance(item, Rects)]
    assert len(set(fills)) == 2
    assert texts(chart).count("first") == 1


def test_no_row_of_the_legend_lies_on_a_bar() -> None:
    bars = [Bar(f"bar {n}", n + 1, f"a series with quite a long name {n}") for n in range(9)]
    boxes = [i.boxes[0] for i in draw_bar_chart("T", "u", bars) if isinstance(i, Rects)]
    legend, drawn = boxes[:9], boxes[9:]
    assert max(box[3] for box in legend) <= min(box[1] for box in drawn)


def test_logarithmic_bars_show_small_and_large_values() -> None:
    values = (0.05, 0.5, 5)
    assert needs_log_axis(values)
    assert not needs_log_axis((1, 19))
    assert not needs_log_axis((0, 19))
    chart = draw_bar_chart("T", "u", [Bar(str(v), v, str(v)) for v in values], logarithmic=True)
    widths = [float(i.boxes[0][2] - i.boxes[0][0]) for i in chart if isinstance(i, Rects)]
    assert widths[0] > 5
    assert math.isclose(widths[1] - widths[0], widths[2] - widths[1], abs_tol=2)
    assert "0.1" in texts(chart)


def test_each_group_of_bars_has_one_heading() -> None:
    bars = [Bar(name, 1, group=group) for group in ("one", "two") for name in "ab"]
    found = texts(draw_bar_chart("T", "u", bars))
    assert found.count("one") == found.count("two") == 1


def test_more_curves_than_colours_stay_apart() -> None:
    curves = [Curve(str(n), [(0, n), (1, n + 1)]) for n in range(14)]
    chart = draw_line_chart("T", "x", "y", curves)
    looks = {(i.colour, i.dash) for i in chart if isinstance(i, Lines) and i.width == 2}
    assert len(looks) == len(curves)


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


def test_logarithmic_axes_leave_out_what_they_cannot_show() -> None:
    curve = Curve("a", [(1, 0), (10, math.nan), (100, 1), (1000, 10)])
    chart = draw_line_chart("T", "x", "y", [curve], logarithmic=(True, True))
    drawn = [item for item in chart if isinstance(item, Lines) and item.width == 2]
    assert len(drawn[-1].segments) == 1  # the first is the legend's


def test_quartiles_are_lines_through_the_values() -> None:
    bars = draw_bar_chart("T", "u", [Bar("a", 2, quartiles=(1, 4))])
    (line,) = (item.segments[0] for item in bars if isinstance(item, Lines))
    (box,) = (item.boxes[0] for item in bars if isinstance(item, Rects))
    assert line[0] < box[2] < line[2]
    curve = Curve("c", [(1, 2), (2, 2)], quartiles=[(1, 1, 4), (2, 1, 8)])
    chart = draw_line_chart("T", "x", "y", [curve])
    spans = [item.segments for item in chart if isinstance(item, Lines)][-1]
    assert len(spans) == 2
    assert all(x1 == x2 and y1 > y2 for x1, y1, x2, y2 in spans.tolist())
    assert "8" in texts(chart)  # the axis has room for them
