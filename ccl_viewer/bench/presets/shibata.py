"""Shibata: Tables 1 to 6, on passes."""

from __future__ import annotations

import itertools
from typing import Final

from ccl_viewer.bench.claims import (
    TIME,
    Claim,
    Judgement,
    MissingError,
    Results,
    claim,
    judged,
    span,
)
from ccl_viewer.bench.measuring import Case, Workload
from ccl_viewer.bench.running import Benchmark
from ccl_viewer.grids.specs import pattern_spec


def _tables() -> tuple[Claim, ...]:
    """Return the claims about Tables 1 to 6."""

    @claim(
        "Ten passes of the fast kernel are enough for both pictures.", "passes 9 and 10 are idle"
    )
    def enough(results: Results) -> Judgement:
        found = results.values("shibata_fast:jumps=6", "iterations")
        return judged(
            f"{span(found, ' passes', 0)} with 6 jumps, the one that finds no change included",
            reproduced=max(found) <= 10,
            shape=max(found) <= 20,
            reason="The number depends on the order of threads and on the picture.",
        )

    @claim(
        "The naive kernel needs the most passes and the fast one the fewest.",
        "labels spread by one pixel a pass, and exponentially",
    )
    def faster(results: Results) -> Judgement:
        kernels = ("shibata_naive", "shibata_slow", "shibata_fast")
        passes = (results.values(kernel, "iterations") for kernel in kernels)
        each = list(zip(results.workloads, *passes, strict=True))
        listed = "; ".join(f"{n:,.0f}, {s:,.0f} and {f:,.0f} on {name}" for name, n, s, f in each)
        return judged(
            f"naive, slow and fast: {listed}",
            reproduced=all(n > s > f for _, n, s, f in each),
        )

    @claim("Idle passes take a small part of the time.", "2% to 9% of the longest")
    def idle(results: Results) -> Judgement:
        shares = []
        for name in results.workloads:
            totals = [
                results.value(f"shibata_fast:passes={n}:jumps=6", name, TIME) for n in range(1, 11)
            ]
            passes = [b - a for a, b in itertools.pairwise(totals)]
            needed = int(results.value("shibata_fast:jumps=6", name, "iterations"))
            rest = passes[needed - 1 :]  # the pass that finds no change may come a pass later
            if not rest:
                raise MissingError(f"No pass of ten was idle on {name}.")
            shares.append(max(sum(rest), 0) / len(rest) / max(totals[0], *passes))
        return judged(
            f"an idle pass takes {min(shares):.0%} to {max(shares):.0%} of the longest",
            reproduced=max(shares) <= 0.12,
            shape=max(shares) < 0.7,
            reason="A pass that changes nothing still reads every label.",
        )

    @claim("The preparation is short.", "13% to 23% of the first pass")
    def preparation(results: Results) -> Judgement:
        case = "shibata_fast:passes=1:jumps=6"
        shares = results.ratios(case, case, TIME, ("shibata_preparation", "shibata_fast"))
        return judged(
            f"{min(shares):.0%} to {max(shares):.0%} of the first pass",
            reproduced=max(shares) <= 0.35,
            shape=max(shares) < 1,
            reason="A launch takes a GPU some time, whatever it does: probably most of both here.",
        )

    return (enough, faster, idle, preparation)


def _grids(size: int) -> list[Workload]:
    zigzag = pattern_spec("zigzag", {"size": size})
    blobs = pattern_spec("blobs", {"width": size, "height": size * 3 // 4, "density": 0.6})
    return [Workload(f"zigzag {size}", zigzag), Workload(f"blobs {size}", blobs)]


PRESETS: Final = {
    "shibata-tables": Benchmark(
        "The passes of Shibata's kernels",
        "Shibata, Tables 1 to 6",
        (
            *(Case("shibata_fast", {"passes": passes, "jumps": 6}) for passes in range(1, 11)),
            Case("shibata_naive"),
            Case("shibata_slow"),
            Case("shibata_fast"),
            Case("shibata_fast", {"jumps": 6}),
        ),
        _grids(1280),
        8,
        _tables(),
        figures=("milliseconds", "iterations", "stores"),
        reduced=_grids(24),
    ),
}
