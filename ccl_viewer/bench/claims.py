"""Claims, and the verdicts of measurements on them.

A claim about time is judged only on a GPU; a claim about iterations or accesses anywhere.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Final, TypeAlias

from ccl_viewer.bench.measuring import Measurement

TIME: Final = "milliseconds"

MARGIN: Final = 0.01
"""Times that differ by less count as equal: such a difference neither meets nor misses a bound."""

_MOST_MOVED: Final = 60
"""If a judge looks at more times, they are not varied one by one."""


class ClaimVerdict(Enum):
    """The verdict of measurements on a claim."""

    REPRODUCED = "reproduced"
    SHAPE = "shape only"
    CONTRADICTED = "contradicted here"
    NOT_MEASURED = "not measured"
    REDUCED = "reduced"


@dataclass(frozen=True)
class ClaimJudgement:
    """A verdict, the measured figures in words, and the reason for a difference.

    Parameters
    ----------
    verdict : ClaimVerdict
        The verdict. REDUCED replaces all verdicts on small grids.
    measured, reason : str
        The measured figures in words; the reason why the verdict differs from the publication.
    near : bool
        Whether one round, or a change of times by :data:`MARGIN`, gives another verdict.
    """

    verdict: ClaimVerdict
    measured: str
    reason: str = ""
    near: bool = False

    @property
    def verdict_text(self) -> str:
        """The verdict in words, with a note if it is near another one."""
        return f"{self.verdict.value}, near the bound" if self.near else self.verdict.value


@dataclass(frozen=True)
class Claim:
    """A claim of a paper.

    Parameters
    ----------
    text : str
        The claim, in a sentence.
    published : str
        The paper's numbers.
    judge : callable
        Takes the results and returns the judgement; raises :class:`MissingError` if they do not
        suffice.
    also : tuple of str
        Keys of other presets with results that count too.
    section : str
        Place of the claim in the paper.
    bounds : str
        The bound of each verdict, in words; empty if nothing here measures it.
    """

    text: str
    published: str
    judge: Callable[[Results], ClaimJudgement]
    also: tuple[str, ...] = ()
    section: str = ""
    bounds: str = ""

    def judge_results(self, results: Results) -> ClaimJudgement:
        """Return the judgement of some results.

        It notes if the spread of the times, or the third digit of one, would change the verdict.
        """
        read_places: set[Place] = set()
        judgement = self._once(Results(results.all, read_places))
        if judgement.verdict is ClaimVerdict.NOT_MEASURED:
            return judgement
        others = (self._once(other).verdict for other in _others(results, read_places))
        near = any(v not in {judgement.verdict, ClaimVerdict.NOT_MEASURED} for v in others)
        return replace(judgement, near=near)

    def _once(self, results: Results) -> ClaimJudgement:
        try:
            return self.judge(results)
        except MissingError as error:
            return ClaimJudgement(ClaimVerdict.NOT_MEASURED, str(error))


def claim(
    section: str, text: str, published: str, bounds: str, also: tuple[str, ...] = ()
) -> Callable[[Callable[[Results], ClaimJudgement]], Claim]:
    """Use a judge, as a decorator on it, for the claim."""
    return lambda judge: Claim(text, published, judge, also, section, bounds)


def unmeasured_claim(section: str, text: str, published: str, reason: str) -> Claim:
    """Return a claim that nothing here measures, and the reason."""

    def judge(_: Results) -> ClaimJudgement:
        raise MissingError(reason)

    return Claim(text, published, judge, (), section)


class MissingError(Exception):
    """A judgement needs a figure that was not measured; the text names it."""


Place: TypeAlias = tuple[str, str, str]
"""Case, workload and kernel ("" for all) of a time that a judge looked at."""


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
        self._read_places = set() if read_places is None else read_places
        self._by_place = {(m.case, m.workload): m for m in self.all}

    def filter(self, test: Callable[[Measurement], bool]) -> Results:
        """Return the results of the measurements that pass a test."""
        return Results(filter(test, self.all), self._read_places)

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
            self._read_places.add((case, workload, kernel))
        return figures[figure]

    def values(self, case: str, figure: str, kernel: str = "") -> list[float]:
        """Return a figure of a case, or of one of its kernels, on each workload."""
        if not self.workloads:
            raise MissingError("The workload was left out.")
        return [self.value(case, workload, figure, kernel) for workload in self.workloads]

    def by_x(self, case: str, figure: str, kernel: str = "") -> dict[float, float]:
        """Return a figure of a case, or of one of its kernels, by the quantity of the sweep."""
        x = {m.workload: m.x for m in self.all}.values()
        return dict(zip(x, self.values(case, figure, kernel), strict=True))

    def per_cell(self, case: str, figure: str, kernel: str = "") -> list[float]:
        """Return a figure of a case, or of one of its kernels, by the cells of each workload."""
        cells = {m.workload: m.height * m.width for m in self.all}.values()
        return [n / c for n, c in zip(self.values(case, figure, kernel), cells, strict=True)]

    def ratios(
        self, top: str, bottom: str, figure: str, kernels: tuple[str, str] = ("", "")
    ) -> list[float]:
        """Return the ratio of the first case, or its kernel, to the second on each workload.

        Workloads on which both are 0 are left out.

        Raises
        ------
        MissingError
            If no workload is left, or something was not measured.
        """
        pairs = zip(
            self.values(top, figure, kernels[0]),
            self.values(bottom, figure, kernels[1]),
            strict=True,
        )
        ratios = [a / b if b else math.inf for a, b in pairs if a or b]
        if not ratios:
            raise MissingError(f"There are no {figure} to compare.")
        return ratios

    def of_round(self, number: int) -> Results:
        """Return the results with the times of one round instead of the medians of all."""
        return Results(_select_round(m, number) for m in self.all)

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


def _others(results: Results, read_places: set[Place]) -> Iterator[Results]:
    """Yield equally valid variants of results: each round, and times changed by the margin."""
    if not read_places:
        return
    for number in range(max(len(m.rounds) for m in results.all)):
        yield results.of_round(number)
    places = {(case, "", kernel) for case, _, kernel in read_places}
    if len(read_places) <= _MOST_MOVED:
        places |= read_places
    for place in sorted(places):
        for factor in (1 - MARGIN, 1 + MARGIN):
            yield results.scale_times(place, factor)


def is_between(value: float, low: float, high: float) -> bool:
    """Return whether a value is between two others, or equal to one."""
    return low <= value <= high


def make_judgement(
    measured: str, *, reproduced: bool, shape: bool = False, reason: str = ""
) -> ClaimJudgement:
    """Return a judgement from two tests: of the numbers, and only of their order."""
    if reproduced:
        return ClaimJudgement(ClaimVerdict.REPRODUCED, measured)
    return ClaimJudgement(
        ClaimVerdict.SHAPE if shape else ClaimVerdict.CONTRADICTED, measured, reason
    )


def format_range(values: Sequence[float], unit: str = " times", digits: int = 1) -> str:
    """Return the least and the largest value in words."""
    low, high = f"{min(values):,.{digits}f}", f"{max(values):,.{digits}f}"
    return f"{low}{unit}" if low == high else f"{low} to {high}{unit}"


def format_percent_range(values: Sequence[float], digits: int = 0) -> str:
    """Return the least and the largest share in percent."""
    low, high = f"{min(values):.{digits}%}", f"{max(values):.{digits}%}"
    return low if low == high else f"{low} to {high}"


def ratio_claim(
    section: str,
    text: str,
    published: str,
    top: str,
    bottom: str,
    *,
    among: str = "",
    figure: str = TIME,
    kernels: tuple[str, str] = ("", ""),
    bounds: tuple[float, float] = (1, math.inf),
    shape: Callable[[list[float]], bool] = lambda ratios: min(ratios) > 1,
    shape_words: str = "all above 1",
    measured: str = "{}",
    digits: int = 1,
    reason: str = "",
    also: tuple[str, ...] = (),
) -> Claim:
    """Return the claim that two cases have a given ratio of a figure.

    It is reproduced if all ratios are within the bounds; `measured` has a placeholder for their
    range.
    """

    def judge(results: Results) -> ClaimJudgement:
        rows = results.filter_measured(top, bottom) if also else results
        ratios = rows.filter_workloads(among).ratios(top, bottom, figure, kernels)
        return make_judgement(
            measured.format(format_range(ratios, digits=digits)),
            reproduced=bounds[0] < min(ratios) and max(ratios) <= bounds[1],
            shape=shape(ratios),
            reason=reason,
        )

    low, high = bounds
    words = f"all above {low:g}" if high == math.inf else f"all from {low:g} to {high:g}"
    if low > 1 or shape_words != "all above 1":
        words += f"; shape: {shape_words}"
    return Claim(text, published, judge, also, section, words)
