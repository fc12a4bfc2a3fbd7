"""Claims, and what measurements say about them.

A claim about time is judged on a GPU alone; a claim about iterations or accesses anywhere.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from ccl_viewer.bench.measuring import Measurement

TIME = "milliseconds"


class Verdict(Enum):
    """What measurements say about a claim."""

    REPRODUCED = "reproduced"
    SHAPE = "shape only"
    CONTRADICTED = "contradicted here"
    NOT_MEASURED = "not measured"


@dataclass(frozen=True)
class Judgement:
    """A verdict, what was measured in words, and why it differs where it does."""

    verdict: Verdict
    measured: str
    reason: str = ""


@dataclass(frozen=True)
class Claim:
    """A claim of a paper.

    Parameters
    ----------
    text : str
        What is claimed, in a sentence.
    published : str
        The paper's numbers.
    judge : callable
        Given the results, returns the judgement; :class:`MissingError` where they do not say.
    """

    text: str
    published: str
    judge: Callable[[Results], Judgement]

    def judged(self, results: Results) -> Judgement:
        """Return the judgement of some results."""
        try:
            return self.judge(results)
        except MissingError as error:
            return Judgement(Verdict.NOT_MEASURED, str(error))


def claim(text: str, published: str) -> Callable[[Callable[[Results], Judgement]], Claim]:
    """Make a judge, written below it, the claim's."""
    return lambda judge: Claim(text, published, judge)


class MissingError(Exception):
    """Says what a judgement needs that was not measured."""


class Results:
    """Measurements, to be looked up by case, workload and figure.

    Parameters
    ----------
    measurements : iterable of Measurement
        All of a run.
    """

    def __init__(self, measurements: Iterable[Measurement]) -> None:
        self.all = tuple(measurements)
        self.workloads = list(dict.fromkeys(m.workload for m in self.all))
        self._by_place = {(m.case, m.workload): m for m in self.all}

    def among(self, pattern: str) -> Results:
        """Return the results of the workloads that a regular expression is found in."""
        return Results(m for m in self.all if re.search(pattern, m.workload))

    def value(self, case: str, workload: str, figure: str, kernel: str = "") -> float:
        """Return a figure of a run, or of one of its kernels.

        Raises
        ------
        MissingError
            If it was not measured.
        """
        found = self._by_place.get((case, workload))
        figures: Mapping[str, float] = {}
        if found is not None:
            figures = found.kernels.get(kernel, {}) if kernel else found.figures
        if figure not in figures:
            if figure == TIME and all(m.device != "cuda" for m in self.all):
                raise MissingError("Times need a GPU.")
            if found is not None and found.device == "cuda" and figure != TIME:
                raise MissingError("Counts need the emulator.")
            raise MissingError(f"{kernel or case} was not measured on {workload}.")
        return figures[figure]

    def values(self, case: str, figure: str, kernel: str = "") -> list[float]:
        """Return a figure of a case, or of one of its kernels, on each workload."""
        if not self.workloads:
            raise MissingError("The workload was left out.")
        return [self.value(case, workload, figure, kernel) for workload in self.workloads]

    def by_x(self, case: str, figure: str, kernel: str = "") -> dict[float, float]:
        """Return a figure of a case, or of one of its kernels, by what the sweep varies."""
        x = {m.workload: m.x for m in self.all}.values()
        return dict(zip(x, self.values(case, figure, kernel), strict=True))

    def per_cell(self, case: str, figure: str, kernel: str = "") -> list[float]:
        """Return a figure of a case, or of one of its kernels, by the cells of each workload."""
        cells = {m.workload: m.height * m.width for m in self.all}.values()
        return [n / c for n, c in zip(self.values(case, figure, kernel), cells, strict=True)]

    def ratios(
        self, top: str, bottom: str, figure: str, kernels: tuple[str, str] = ("", "")
    ) -> list[float]:
        """Return how many times as much the first case, or its kernel, has on each workload."""
        pairs = zip(
            self.values(top, figure, kernels[0]),
            self.values(bottom, figure, kernels[1]),
            strict=True,
        )
        return [a / b if b else math.inf for a, b in pairs]


def between(value: float, low: float, high: float) -> bool:
    """Return whether a value lies between two others, both allowed."""
    return low <= value <= high


def judged(measured: str, *, reproduced: bool, shape: bool = False, reason: str = "") -> Judgement:
    """Return a judgement from two tests: of the numbers, and of their order alone."""
    if reproduced:
        return Judgement(Verdict.REPRODUCED, measured)
    return Judgement(Verdict.SHAPE if shape else Verdict.CONTRADICTED, measured, reason)


def span(values: Sequence[float], unit: str = " times", digits: int = 1) -> str:
    """Return the least and the largest value in words."""
    low, high = f"{min(values):,.{digits}f}", f"{max(values):,.{digits}f}"
    return f"{low}{unit}" if low == high else f"{low} to {high}{unit}"


def ratio_claim(
    text: str,
    published: str,
    top: str,
    bottom: str,
    *,
    among: str = "",
    figure: str = TIME,
    kernels: tuple[str, str] = ("", ""),
    bounds: tuple[float, float] = (1, math.inf),
    shape: Callable[[list[float]], bool] = lambda found: min(found) > 1,
    measured: str = "{}",
    digits: int = 1,
    reason: str = "",
) -> Claim:
    """Return the claim that a case has so many times as much of a figure as another.

    It is reproduced if all ratios lie within the bounds; `measured` has a place for their span.
    """

    def judge(results: Results) -> Judgement:
        found = results.among(among).ratios(top, bottom, figure, kernels)
        return judged(
            measured.format(span(found, digits=digits)),
            reproduced=bounds[0] < min(found) and max(found) <= bounds[1],
            shape=shape(found),
            reason=reason,
        )

    return Claim(text, published, judge)
