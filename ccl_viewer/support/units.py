"""Numbers with nouns and times with units, for sentences and tables."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

_COLUMN_UNITS: Final = (
    (0.1, 1000, "µs", 1),
    (10, 1000, "µs", 0),
    (1000, 1, "ms", 2),
    (10_000, 1, "ms", 1),
    (math.inf, 0.001, "s", 2),
)
"""Upper limit in milliseconds, factor from milliseconds, unit, and digits after the point."""


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """Return a number with its noun: ``"1 cell"``, ``"1,024 cells"``.

    Parameters
    ----------
    number : int
        The number.
    noun : str
        The noun in the singular.
    plural : str or None
        The noun in the plural; None adds an s.
    """
    if number == 1:
        return f"1 {noun}"
    return f"{number:,} {f'{noun}s' if plural is None else plural}"


def duration(
    milliseconds: float,
    unknown: str = "not timed",
    *,
    emulated: bool = False,
    scale: TimeScale | None = None,
) -> str:
    """Return a time with its unit, three digits or two if short: ``"12.3 ms"``, ``"41 µs"``.

    Parameters
    ----------
    milliseconds : float
        The time, 0 or more; NaN if there is none.
    unknown : str
        Text for NaN.
    emulated : bool
        Whether it is the emulator's time; the text then says so.
    scale : TimeScale or None
        Unit and digits of a column of times; None for those that suit this time.
    """
    if math.isnan(milliseconds):
        return unknown
    if scale is not None:
        text = scale.write(milliseconds)
    elif milliseconds < 0.001:
        text = "under 1 µs"
    else:
        factor, unit = _unit_of(milliseconds)
        text = f"{_digits(milliseconds * factor, unit)} {unit}"
    return f"{text} emulator" if emulated else text


@dataclass(frozen=True)
class TimeScale:
    """The common unit and number of digits of times that are compared.

    Parameters
    ----------
    factor : float
        Units per millisecond.
    unit : str
        The unit.
    places : int
        Digits after the point.
    """

    factor: float = 1000
    unit: str = "µs"
    places: int = 0

    def write(self, milliseconds: float, unknown: str = "not timed") -> str:
        """Return a time: ``"3,740 µs"``, ``"425 µs"``."""
        if math.isnan(milliseconds):
            return unknown
        least = 10**-self.places
        if 0 < milliseconds * self.factor < least / 2:
            return f"under {least:g} {self.unit}"
        return f"{self.number(milliseconds)} {self.unit}"

    def number(self, milliseconds: float, unknown: str = "not timed") -> str:
        """Return a time without its unit, for a column with the unit in its header: ``"3,740"``."""
        if math.isnan(milliseconds):
            return unknown
        return f"{milliseconds * self.factor:,.{self.places}f}"


def time_scale_for(times: Iterable[float]) -> TimeScale:
    """Return the scale for a column of times.

    Parameters
    ----------
    times : iterable of float
        In milliseconds; NaN for missing times.
    """
    most = max((time for time in times if not math.isnan(time)), default=0.0)
    _, factor, unit, places = next(row for row in _COLUMN_UNITS if most < row[0])
    return TimeScale(factor, unit, places)


def _unit_of(milliseconds: float) -> tuple[float, str]:
    """Return the unit for a time, as units per millisecond and name."""
    # Use the next unit if the digits would be rounded up to 1000.
    if milliseconds < 0.9995:
        return 1000, "µs"
    return (1, "ms") if milliseconds < 999.5 else (0.001, "s")


def _digits(value: float, unit: str) -> str:
    if unit == "µs":
        return _two_digits(value)
    return f"{value:#.3g}" if value < 99.95 else f"{value:,.0f}"


def _two_digits(value: float) -> str:
    return f"{value:#.2g}" if value < 9.95 else f"{value:,.0f}"


def file_size_text(size: int) -> str:
    """Return a size in bytes with a unit, for the user."""
    if size < 1000:
        return f"{size} B"
    value, units = size / 1000, ["kB", "MB", "GB"]
    while value >= 1000 and len(units) > 1:
        value /= 1000
        units.pop(0)
    return f"{value:.1f} {units[0]}" if value < 100 else f"{value:,.0f} {units[0]}"


def remaining_text(seconds: float) -> str:
    """Return a remaining time in words."""
    if seconds < 1:
        return "less than a second"
    return f"about {round(seconds)} s" if seconds < 90 else f"about {round(seconds / 60)} min"


def nbytes_text(nbytes: int) -> str:
    """Return a number of bytes with a unit, about three digits."""
    for unit, size in (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if nbytes >= size:
            return f"{nbytes / size:,.{2 if nbytes < 10 * size else 0}f} {unit}"
    return f"{nbytes:,} B"
