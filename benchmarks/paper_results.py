"""Measurements that can be looked up, and what claims and tables compute from them."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, pairwise
from statistics import fmean
from typing import Final, Protocol, TypeAlias

from ccl_viewer.bench.measuring import TIME, Measurement

MARGIN: Final = 0.01
"""Times that differ by less count as equal: such a difference neither meets nor misses a bound."""

THROUGHPUT: Final = "throughput"
"""A figure that follows from the time: megapixels per second."""

_MOST_MOVED: Final = 60
"""If more times are looked up, they are not varied one by one."""


class MissingError(Exception):
    """A judgement needs a figure that was not measured; the text names it."""


Place: TypeAlias = tuple[str, str, str]
"""Case, workload and kernel ("" for all) of a time that was looked up."""


class Results:
    """Measurements that can be looked up by case, workload and figure.

    Parameters
    ----------
    measurements : iterable of Measurement
        All measurements of a run.
    read_places : set or None
        A set that records which times are looked up.
    """

    def __init__(
        self, measurements: Iterable[Measurement], read_places: set[Place] | None = None
    ) -> None:
        self.all = tuple(measurements)
        self.workloads = list(dict.fromkeys(m.workload for m in self.all))
        self.read_places = set() if read_places is None else read_places
        self._by_place = {(m.case, m.workload): m for m in self.all}

    def filter(self, test: Callable[[Measurement], bool]) -> Results:
        """Return the results of the measurements that pass a test."""
        return Results(filter(test, self.all), self.read_places)

    def filter_workloads(self, pattern: str) -> Results:
        """Return the results of the workloads that match a regular expression."""
        return self.filter(lambda m: re.search(pattern, m.workload) is not None)

    def filter_measured(self, *cases: str) -> Results:
        """Return the results of the workloads on which all these cases were measured."""
        names = {w for w in self.workloads if all((case, w) in self._by_place for case in cases)}
        return self.filter(lambda m: m.workload in names)

    def measurement(self, case: str, workload: str) -> Measurement | None:
        """Return the measurement of a case on a workload."""
        return self._by_place.get((case, workload))

    def value(self, case: str, workload: str, figure: str, kernel: str = "") -> float:
        """Return a figure of a run, or of one of its kernels.

        Raises
        ------
        MissingError
            If it was not measured.
        """
        measurement = self._by_place.get((case, workload))
        if figure == THROUGHPUT and measurement is not None:
            cells = measurement.height * measurement.width
            return cells / 1000 / self.value(case, workload, TIME, kernel)
        figures: Mapping[str, float] = {}
        if measurement is not None:
            figures = measurement.kernels.get(kernel, {}) if kernel else measurement.figures
        if figure not in figures:
            if figure == TIME and not any(m.on_gpu for m in self.all):
                raise MissingError("Times need a GPU.")
            if measurement is not None and measurement.on_gpu and figure != TIME:
                raise MissingError("Counts need the emulator.")
            raise MissingError(f"{kernel or case} was not measured on {workload}.")
        if figure == TIME:
            self.read_places.add((case, workload, kernel))
        return figures[figure]

    def values(self, case: str, figure: str, kernel: str = "") -> list[float]:
        """Return a figure of a case, or of one of its kernels, on each workload."""
        if not self.workloads:
            raise MissingError("The workload was left out.")
        return [self.value(case, workload, figure, kernel) for workload in self.workloads]

    def variants(self) -> Iterator[Results]:
        """Yield equally valid results: each round alone, and times changed by the margin."""
        if not self.read_places:
            return
        for number in range(max(len(m.rounds) for m in self.all)):
            yield Results(_select_round(m, number) for m in self.all)
        places = {(case, "", kernel) for case, _, kernel in self.read_places}
        if len(self.read_places) <= _MOST_MOVED:
            places |= self.read_places
        for place in sorted(places):
            for factor in (1 - MARGIN, 1 + MARGIN):
                yield self.scale_times(place, factor)

    def scale_times(self, place: Place, factor: float) -> Results:
        """Return the results with some times multiplied; ``""`` means all workloads."""
        case, workload, kernel = place
        return Results(
            _scale_times(m, kernel, factor)
            if m.case == case and workload in {"", m.workload}
            else m
            for m in self.all
        )


def _select_round(m: Measurement, number: int) -> Measurement:
    if number >= len(m.rounds):
        return m
    times = m.rounds[number]
    kernels = {
        name: {**part, TIME: times[name]} if name in times else part
        for name, part in m.kernels.items()
    }
    return replace(m, figures={**m.figures, TIME: times[""]}, kernels=kernels)


def _scale_times(m: Measurement, kernel: str, factor: float) -> Measurement:
    if not kernel:
        figures = {**m.figures, TIME: factor * m.figure(TIME)}
        return replace(m, figures=figures) if TIME in m.figures else m
    part = m.kernels.get(kernel, {})
    if TIME not in part:
        return m
    return replace(m, kernels={**m.kernels, kernel: {**part, TIME: factor * part[TIME]}})


# Quantities: what a claim compares with a bound


Values: TypeAlias = list[tuple[str, float]]
"""Values with the names of their workloads; a summary of several has the name ""."""


class Quantity(Protocol):
    """A function from results to values; raises :class:`MissingError`."""

    def __call__(self, results: Results, /) -> Values: ...


@dataclass(frozen=True)
class Figure:
    """A figure of a case on each grid.

    Parameters
    ----------
    case, name, kernel : str
        The case, its figure, and the kernel of which it is; "" for the whole run.
    grids : str
        A regular expression that the names of the grids match.
    per_cell : bool
        Whether the figure is divided by the cells of the grid.
    """

    case: str
    name: str = TIME
    kernel: str = ""
    grids: str = ""
    per_cell: bool = False

    def __call__(self, results: Results) -> Values:
        rows = results.filter_workloads(self.grids)
        cells = {m.workload: m.height * m.width if self.per_cell else 1 for m in rows.all}
        values = rows.values(self.case, self.name, self.kernel)
        return [(name, v / cells[name]) for name, v in zip(rows.workloads, values, strict=True)]

    def on(self, grids: str) -> Figure:
        """Return the figure on other grids."""
        return replace(self, grids=grids)


@dataclass(frozen=True)
class Pairs:
    """The result of a rule for each pair of values of two quantities; None leaves a pair out."""

    rule: Callable[[float, float], float | None]
    first: Quantity
    second: Quantity

    def __call__(self, results: Results) -> Values:
        pairs = zip(self.first(results), self.second(results), strict=True)
        values = [(name, self.rule(a, b)) for (name, a), (_, b) in pairs]
        kept = [(name, value) for name, value in values if value is not None]
        if not kept:
            raise MissingError("There is nothing to compare.")
        return kept


@dataclass(frozen=True)
class Summary:
    """What a rule makes of all values of a quantity."""

    rule: Callable[[list[float]], Sequence[float]]
    of: Quantity

    def __call__(self, results: Results) -> Values:
        return [("", value) for value in self.rule([value for _, value in self.of(results)])]


@dataclass(frozen=True)
class Joined:
    """The values of several quantities, one after the other."""

    parts: tuple[Quantity, ...]

    def __call__(self, results: Results) -> Values:
        return [*chain.from_iterable(part(results) for part in self.parts)]


@dataclass(frozen=True)
class LargestAt:
    """The places of a sweep where a figure is largest."""

    of: Figure

    def __call__(self, results: Results) -> Values:
        values = self.of(results)
        most = max(value for _, value in values)
        x = {m.workload: m.x for m in results.all}
        return [("", x[name]) for name, value in values if value == most]


def joined(*parts: Quantity) -> Quantity:
    """Return the values of several quantities, one after the other."""
    return Joined(parts)


def ratio(top: Quantity, bottom: Quantity) -> Quantity:
    """Return the ratio of two quantities, grid by grid, without grids on which both are 0."""
    return Pairs(lambda a, b: (a / b if b else math.inf) if a or b else None, top, bottom)


def difference(first: Quantity, second: Quantity) -> Quantity:
    """Return how much larger one quantity is than another, grid by grid."""
    return Pairs(lambda a, b: a - b, first, second)


def total(*parts: Quantity) -> Quantity:
    """Return the sum of several quantities, grid by grid."""
    first, *others = parts
    for part in others:
        first = Pairs(lambda a, b: a + b, first, part)
    return first


def mean(of: Quantity) -> Quantity:
    """Return the mean over the grids."""
    return Summary(lambda values: [fmean(values)], of)


def largest(of: Quantity) -> Quantity:
    """Return the largest value."""
    return Summary(lambda values: [max(values)], of)


def smallest(of: Quantity) -> Quantity:
    """Return the smallest value."""
    return Summary(lambda values: [min(values)], of)


def spread(of: Quantity) -> Quantity:
    """Return the ratio of the largest value to the smallest."""
    return ratio(largest(of), smallest(of))


def growth(of: Quantity) -> Quantity:
    """Return the ratio of the last value to the first."""
    return Summary(lambda values: [values[-1] / values[0]], of)


def steps(of: Quantity) -> Quantity:
    """Return the ratio of each value to the one before it."""
    return Summary(lambda values: [b / a for a, b in pairwise(values)], of)


def increases(of: Quantity) -> Quantity:
    """Return the difference of each value to the one before it."""
    return Summary(lambda values: [b - a for a, b in pairwise(values)], of)


def share_above(bound: float, of: Quantity) -> Quantity:
    """Return the share of the values that are above a bound."""
    return Summary(lambda values: [fmean(value > bound for value in values)], of)


def distance(of: Quantity, published: Sequence[float]) -> Quantity:
    """Return how far values are from the published ones, in order."""

    def rule(values: list[float]) -> list[float]:
        return [abs(a - b) for a, b in zip(values, published, strict=True)]

    return Summary(rule, of)
