"""A table or figure of a paper: its preset, what the paper claims about it, and its tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from paper_claims import Claim
from paper_results import Results
from paper_tables import TableMaker

from ccl_viewer.bench.measuring import TIME, Workload
from ccl_viewer.bench.presets import PRESETS
from ccl_viewer.bench.report import Benchmark, BenchReport

_OUTLIER: Final = 1.05
"""Ratio of a case's time to that of a case that does more."""


@dataclass(frozen=True)
class Experiment:
    """What a paper says about one of its tables or figures.

    Parameters
    ----------
    key : str
        The preset of ``ccl-viewer bench`` that measures it.
    claims : sequence of Claim
        The paper's claims.
    scenes : str
        A description of the grids, including the choices that the paper leaves open.
    counted : sequence of Workload
        The grids on which the emulator counts.
    simpler : sequence of (str, str)
        Pairs of cases; the first does less work than the second, on any grid.
    tables : sequence of callable
        Functions that make tables of the results.
    """

    key: str
    claims: Sequence[Claim]
    scenes: str = ""
    counted: Sequence[Workload] = ()
    simpler: Sequence[tuple[str, str]] = ()
    tables: Sequence[TableMaker] = ()

    @property
    def preset(self) -> Benchmark:
        """The preset: what a GPU measures."""
        return PRESETS[self.key]

    @property
    def counting(self) -> Benchmark:
        """What the emulator counts: other grids, and no libraries."""
        cases = [case for case in self.preset.cases if not case.is_library]
        return replace(self.preset, workloads=self.counted, cases=cases)

    def outlier_text(self, report: BenchReport) -> str:
        """Return a sentence if a case took longer than one that does more work, else ""."""
        results = Results(report.measurements)
        for less, more in self.simpler:
            for name in results.workloads:
                pair = (results.measurement(less, name), results.measurement(more, name))
                if not all(m is not None and m.on_gpu for m in pair):
                    continue
                short, long = (m.figure(TIME) for m in pair if m is not None)
                if short > _OUTLIER * long:
                    return (
                        f"{less} took {short:.4g} ms on {name}, and {more}, which does more, "
                        f"{long:.4g} ms: measure again while nothing else uses the GPU."
                    )
        return ""
