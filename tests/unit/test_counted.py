"""Numbers with their nouns, and times with their units."""

from __future__ import annotations

import math

import pytest

from ccl_viewer.counted import counted, duration, duration_and_margin


def test_one_is_not_several() -> None:
    assert counted(1, "cell") == "1 cell"
    assert counted(0, "cell") == "0 cells"
    assert counted(1024, "cell") == "1,024 cells"
    assert counted(2, "pass", "passes") == "2 passes"


@pytest.mark.parametrize(
    ("milliseconds", "text"),
    [
        (0.0001, "under 1 µs"),
        (0.00234, "2.3 µs"),
        (0.00996, "10 µs"),
        (0.25, "250 µs"),
        (0.9994, "999 µs"),
        (0.9996, "1 ms"),
        (12.345, "12.3 ms"),
        (99.96, "100 ms"),
        (123.45, "123 ms"),
        (999.7, "1 s"),
        (12_345, "12.3 s"),
        (1_234_567, "1,235 s"),
        (math.nan, "not timed"),
    ],
)
def test_times_have_three_digits_in_the_unit_that_suits_them(
    milliseconds: float, text: str
) -> None:
    assert duration(milliseconds) == text


@pytest.mark.parametrize(
    ("milliseconds", "margin", "text"),
    [
        (0.0005, 0.0001, "0.5 ±0.1 µs"),
        (0.058, 0.004, "58 ±4 µs"),
        (0.5, 0.15, "500 ±150 µs"),
        (12.34, 0.5, "12.3 ±0.5 ms"),
        (999.7, 12.3, "1.00 ±0.01 s"),
        (0.063, 0.00079, "63.0 ±0.8 µs"),
        (0.052, 0.0063, "52 ±6 µs"),
        (12.34, 0.0, "12.3 ±0 ms"),
        (math.nan, math.nan, "not timed"),
    ],
)
def test_a_time_and_its_margin_have_one_unit_and_end_at_one_digit(
    milliseconds: float, margin: float, text: str
) -> None:
    assert duration_and_margin(milliseconds, margin) == text
