"""Numbers with their nouns, and times with their units."""

from __future__ import annotations

import math

import pytest

from ccl_viewer.support.units import counted, duration, time_scale_for


def test_one_is_not_several() -> None:
    assert counted(1, "cell") == "1 cell"
    assert counted(0, "cell") == "0 cells"
    assert counted(1024, "cell") == "1,024 cells"
    assert counted(2, "pass", "passes") == "2 passes"


@pytest.mark.parametrize(
    ("milliseconds", "text"),
    [
        (0.0001, "under 1 µs"),
        (0.002, "2.0 µs"),
        (0.00234, "2.3 µs"),
        (0.00996, "10 µs"),
        (0.25, "250 µs"),
        (0.9994, "999 µs"),
        (0.9996, "1.00 ms"),
        (1.2, "1.20 ms"),
        (12.345, "12.3 ms"),
        (99.96, "100 ms"),
        (123.45, "123 ms"),
        (999.7, "1.00 s"),
        (12_345, "12.3 s"),
        (1_234_567, "1,235 s"),
        (math.nan, "not timed"),
    ],
)
def test_times_have_as_many_digits_in_the_unit_that_suits_them(
    milliseconds: float, text: str
) -> None:
    assert duration(milliseconds) == text


@pytest.mark.parametrize(
    ("times", "texts"),
    [
        ((3.74, 0.425, 0.0077), ("3,740 µs", "425 µs", "8 µs")),
        ((0.0123, 0.0077, math.nan), ("12.3 µs", "7.7 µs", "not timed")),
        ((24.0, 0.41, 0.001, 0.0), ("24.00 ms", "0.41 ms", "under 0.01 ms", "0.00 ms")),
        ((1235, 0.41), ("1,235.0 ms", "0.4 ms")),
        ((12_345, 41), ("12.35 s", "0.04 s")),
        ((math.nan,), ("not timed",)),
    ],
)
def test_times_below_one_another_share_unit_and_digits(
    times: tuple[float, ...], texts: tuple[str, ...]
) -> None:
    scale = time_scale_for(times)
    assert tuple(map(scale.write, times)) == texts


def test_a_column_that_names_the_unit_has_plain_numbers() -> None:
    scale = time_scale_for([3.74, 0.425])
    assert scale.number(3.74) == "3,740"
    assert scale.number(math.nan) == "not timed"
