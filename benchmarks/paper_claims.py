"""Claims of the papers, and the judge: what was measured, compared with the bounds of a claim.

A claim about time is judged only on a GPU; a claim about iterations or accesses anywhere.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from itertools import chain

from paper_results import MissingError, Place, Quantity, Results, Values

from ccl_viewer.bench.report import BenchReport


class ClaimVerdict(Enum):
    """The verdict of measurements on a claim."""

    REPRODUCED = "reproduced"
    SHAPE = "shape only"
    CONTRADICTED = "contradicted here"
    NOT_MEASURED = "not measured"


@dataclass(frozen=True)
class ClaimJudgement:
    """A verdict, the measured figures in words, and the reason for a difference.

    Parameters
    ----------
    verdict : ClaimVerdict
        The verdict.
    measured, reason : str
        The measured figures in words; the reason why the verdict differs from the publication.
    near : bool
        Whether one round, or a change of times by 1%, gives another verdict.
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
class Bound:
    """A range that values are in; its ends belong to it unless it is open."""

    low: float = -math.inf
    high: float = math.inf
    is_open: bool = False

    def holds(self, value: float) -> bool:
        """Return whether a value is in the range."""
        if self.is_open:
            return self.low < value < self.high
        return self.low <= value <= self.high


def above(low: float) -> Bound:
    """Return the bound of larger values."""
    return Bound(low, is_open=True)


def at_least(low: float) -> Bound:
    """Return the bound of values that are as large or larger."""
    return Bound(low)


def below(high: float) -> Bound:
    """Return the bound of smaller values."""
    return Bound(high=high, is_open=True)


def at_most(high: float) -> Bound:
    """Return the bound of values that are as small or smaller."""
    return Bound(high=high)


def exactly(value: float) -> Bound:
    """Return the bound of one value."""
    return Bound(value, value)


@dataclass(frozen=True)
class Check:
    """A quantity, its bounds, and the words that tell it.

    Parameters
    ----------
    quantity : Quantity
        What is measured; all its values must be within a bound.
    reproduced, shape : Bound or None
        The bounds of the two verdicts; None asks for nothing. A quantity without bounds is only
        told, and left out where it was not measured.
    words : str
        Its values in words; empty if they are not told. The placeholder has the format of a number
        for the least and the largest, ``list`` before it for all, ``named`` for all with their
        grids.
    """

    quantity: Quantity
    reproduced: Bound | None = None
    shape: Bound | None = None
    words: str = ""


@dataclass(frozen=True)
class Claim:
    """A claim of a paper.

    Parameters
    ----------
    section : str
        Place of the claim in the paper.
    text : str
        The claim, in a sentence.
    published : str
        The paper's numbers.
    bounds : str
        The bound of each verdict, in words; empty if nothing here measures it.
    checks : tuple of Check
        It is reproduced if all their first bounds hold. Only its shape is if all second ones do.
    reason : str
        Why the verdict differs from the publication, or why it is not measured.
    also : tuple of str
        Keys of other presets with results that count too.
    common : tuple of str
        Cases that must have been measured on a grid that counts.
    """

    section: str
    text: str
    published: str
    bounds: str = ""
    checks: tuple[Check, ...] = ()
    reason: str = ""
    also: tuple[str, ...] = ()
    common: tuple[str, ...] = ()


class _Shown:
    """Values that format themselves, as :class:`Check` describes."""

    def __init__(self, values: Values) -> None:
        self.values = values

    def __format__(self, spec: str) -> str:
        style, _, number = spec.rpartition(" ")
        if style == "named":
            return ", ".join(f"{value:{number}} on {name}" for name, value in self.values)
        numbers = [value for _, value in self.values]
        if style == "list":
            return ", ".join(f"{value:{number}}" for value in numbers)
        low, high = f"{min(numbers):{number}}", f"{max(numbers):{number}}"
        return low if low == high else f"{low} to {high}"


def judge_claim(claim: Claim, results: Results) -> ClaimJudgement:
    """Return the judgement of some results.

    It notes if the spread of the times, or the third digit of one, would change the verdict.
    """
    read_places: set[Place] = set()
    judgement = _judge_once(claim, Results(results.all, read_places))
    if judgement.verdict is ClaimVerdict.NOT_MEASURED:
        return judgement
    others = (
        _judge_once(claim, each).verdict for each in Results(results.all, read_places).variants()
    )
    near = any(v not in {judgement.verdict, ClaimVerdict.NOT_MEASURED} for v in others)
    return replace(judgement, near=near)


def _judge_once(claim: Claim, results: Results) -> ClaimJudgement:
    if not claim.checks:
        return ClaimJudgement(ClaimVerdict.NOT_MEASURED, claim.reason)
    rows = results.filter_measured(*claim.common)
    words = []
    reproduced, shape = True, any(check.shape for check in claim.checks)
    for check in claim.checks:
        try:
            values = check.quantity(rows)
        except MissingError as error:
            if check.reproduced is check.shape is None:
                continue
            return ClaimJudgement(ClaimVerdict.NOT_MEASURED, str(error))
        if check.words:
            words.append(check.words.format(_Shown(values)))
        reproduced &= _holds(check.reproduced, values)
        shape &= _holds(check.shape, values)
    measured = "; ".join(words)
    if reproduced:
        return ClaimJudgement(ClaimVerdict.REPRODUCED, measured)
    verdict = ClaimVerdict.SHAPE if shape else ClaimVerdict.CONTRADICTED
    return ClaimJudgement(verdict, measured, claim.reason)


def _holds(bound: Bound | None, values: Values) -> bool:
    return bound is None or all(bound.holds(value) for _, value in values)


def judge_report(
    claims: Sequence[Claim], report: BenchReport, others: Mapping[str, BenchReport] | None = None
) -> list[tuple[Claim, ClaimJudgement]]:
    """Return each claim with its judgement.

    Parameters
    ----------
    claims : sequence of Claim
        The claims about a preset.
    report : BenchReport
        The results of the preset.
    others : mapping or None
        Reports of other presets by key, for claims across presets.
    """
    if not report.complete:
        missing = ClaimJudgement(ClaimVerdict.NOT_MEASURED, "Not all is measured yet.")
        return [(claim, missing) for claim in claims]
    reports = {} if others is None else others
    return [
        (claim, judge_claim(claim, Results(chain(
            *(reports[key].measurements for key in claim.also if key in reports),
            report.measurements,
        ))))
        for claim in claims
    ]  # fmt: skip
