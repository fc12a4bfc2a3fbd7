"""Numbers with their nouns and times with their units, for sentences and tables."""

from __future__ import annotations

import math
from typing import Final

_LEAST_MARGINS: Final = (0.95, 0.095, 0.0095)
"""The least margins that are written with so many digits after the point."""


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """Return how many there are of something: ``"1 cell"``, ``"1,024 cells"``.

    Parameters
    ----------
    number : int
        How many.
    noun : str
        What one of them is called.
    plural : str or None
        What several are called; None adds an s.
    """
    if number == 1:
        return f"1 {noun}"
    return f"{number:,} {f'{noun}s' if plural is None else plural}"


def duration(milliseconds: float, unknown: str = "not timed") -> str:
    """Return a time of three digits at most, in the unit that suits it: ``"12.3 ms"``.

    Parameters
    ----------
    milliseconds : float
        The time, 0 or more; not a number if it was not taken.
    unknown : str
        What is said then.
    """
    if math.isnan(milliseconds):
        return unknown
    if milliseconds < 0.001:
        return "under 1 µs"
    factor, unit = _unit_of(milliseconds)
    return f"{_digits(milliseconds * factor, unit)} {unit}"


def duration_and_margin(milliseconds: float, margin: float, unknown: str = "not timed") -> str:
    """Return a time and how far others lie from it, in the unit of the time: ``"12.3 ±0.5 ms"``.

    Both end at the same digit, the first of the margin: what follows it is chance.

    Parameters
    ----------
    milliseconds, margin : float
        Both in milliseconds, 0 or more; not a number if they were not taken.
    unknown : str
        What is said then.
    """
    if math.isnan(milliseconds):
        return unknown
    factor, unit = _unit_of(milliseconds)
    value, around = milliseconds * factor, margin * factor
    for places, least in enumerate(_LEAST_MARGINS):
        if around >= least:
            return f"{value:,.{places}f} ±{around:,.{places}f} {unit}"
    return f"{_digits(value, unit)} ±0 {unit}"


def _unit_of(milliseconds: float) -> tuple[float, str]:
    """Return the unit that suits a time, and how many of it a millisecond has."""
    # Where the digits would be rounded up to 1000, the next unit begins.
    if milliseconds < 0.9995:
        return 1000, "µs"
    return (1, "ms") if milliseconds < 999.5 else (0.001, "s")


def _digits(value: float, unit: str) -> str:
    if unit == "µs":
        return _two_digits(value)
    return f"{value:.3g}" if value < 99.95 else f"{value:,.0f}"


def _two_digits(value: float) -> str:
    return f"{value:.2g}" if value < 9.95 else f"{value:,.0f}"
