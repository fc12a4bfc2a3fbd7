"""Numbers with their nouns and times with their units, for sentences and tables."""

from __future__ import annotations

import math


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
    # Where the digits would be rounded up to 1000, the next unit begins.
    if milliseconds < 0.9995:
        micros = milliseconds * 1000
        return f"{micros:.2g} µs" if micros < 9.95 else f"{micros:.0f} µs"
    if milliseconds < 999.5:
        return _three_digits(milliseconds, "ms")
    return _three_digits(milliseconds / 1000, "s")


def _three_digits(value: float, unit: str) -> str:
    return f"{value:.3g} {unit}" if value < 99.95 else f"{value:,.0f} {unit}"
