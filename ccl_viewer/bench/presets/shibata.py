"""Shibata: Tables 1 to 6, on passes."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from statistics import fmean
from typing import Final

from ccl_viewer.bench.claims import (
    TIME,
    ClaimJudgement,
    MissingError,
    Results,
    claim,
    format_percent_range,
    is_between,
    make_judgement,
)
from ccl_viewer.bench.measuring import Case, Workload
from ccl_viewer.bench.report import Benchmark
from ccl_viewer.bench.tables import BenchTable
from ccl_viewer.grids.specs import format_pattern

# Claims about Tables 1 to 6, and of sections 2 to 6.


@claim(
    "7",
    "The fast kernel is done in ten passes on both pictures.",
    "the program makes ten (NPASS = 11), of which the last 2 to 4 are idle in the tables",
    "up to 10 passes; shape: up to 20",
)
def _enough(results: Results) -> ClaimJudgement:
    six, four = (results.values(case, "iterations") for case in (_SIX, "shibata_fast"))
    return make_judgement(
        f"{_join_numbers(six)} passes with the six look-ups of section 7, {_join_numbers(four)} "
        "with the four of Algorithm 4, with the pass that finds no change",
        reproduced=max(*six, *four) <= 10,
        shape=max(*six, *four) <= 20,
        reason="The number depends on the order of threads and on the picture.",
    )


@claim(
    "2, 4, 5, 6",
    "The naive kernel needs the most passes and the fast one the fewest.",
    "labels spread by one pixel a pass, and exponentially",
    "naive above slow above fast on each picture",
)
def _faster(results: Results) -> ClaimJudgement:
    kernels = ("shibata_naive", "shibata_slow", "shibata_fast")
    passes = (results.values(kernel, "iterations") for kernel in kernels)
    each = list(zip(results.workloads, *passes, strict=True))
    listed = "; ".join(f"{n:,.0f}, {s:,.0f} and {f:,.0f} on {name}" for name, n, s, f in each)
    return make_judgement(
        f"Algorithms 2, 3 and 4: {listed}",
        reproduced=all(n > s > f for _, n, s, f in each),
    )


@claim(
    "2",
    "The label propagates exponentially as the kernel is applied.",
    "no numbers",
    "at most a pass for each doubling up to the passes of the naive kernel, and an idle one",
)
def _exponential(results: Results) -> ClaimJudgement:
    fast, naive = (results.values(case, "iterations") for case in ("shibata_fast", "shibata_naive"))
    doublings = [math.ceil(math.log2(passes)) for passes in naive]
    words = "; ".join(
        f"{n:.0f} passes where Algorithm 2 makes {slow:,.0f}, which {m} doublings reach"
        for n, slow, m in zip(fast, naive, doublings, strict=True)
    )
    return make_judgement(
        f"Algorithm 4: {words}",
        reproduced=all(n <= m + 1 for n, m in zip(fast, doublings, strict=True)),
    )


@claim(
    "Tables 1 to 6",
    "Idle passes take a small part of the time.",
    "2% to 9% of the longest pass",
    "up to 12%; shape: under 70%",
)
def _idle(results: Results) -> ClaimJudgement:
    shares, sparing = (_idle_shares(results, case) for case in (_TEN, _TEN_SPARING))
    return make_judgement(
        f"{format_percent_range(shares)} of the longest pass, by Algorithm 4 with six look-ups; "
        "without atomics that lower nothing, which is this project's form, "
        f"{format_percent_range(sparing)}",
        reproduced=max(shares) <= 0.12,
        shape=max(shares) < 0.7,
        reason="Algorithm 4 calls two atomics for every pixel in every pass, in idle ones all "
        "pixels of a component on one address. The tables are of the author's OpenCL program, "
        "which the article does not print: probably it leaves such atomics out.",
    )


def _idle_shares(results: Results, case: str) -> list[float]:
    """Return the time of an idle pass as a share of the longest pass, on each workload."""
    shares = []
    for name in results.workloads:
        passes = [results.value(case, name, TIME, f"shibata_fast, {n}") for n in _PASSES]
        needed = int(results.value(_SIX, name, "iterations"))
        idle = passes[needed - 1 :]  # the pass that finds no change may be one later
        if not idle:
            raise MissingError(f"No pass of ten was idle on {name}.")
        shares.append(fmean(idle) / max(passes))
    return shares


@claim(
    "Tables 1 to 6",
    "The preparation is short.",
    "13% to 23% of the first pass",
    "up to 35%; shape: under 100%",
)
def _preparation(results: Results) -> ClaimJudgement:
    shares = results.ratios(_TEN, _TEN, TIME, ("shibata_preparation", "shibata_fast, 1"))
    return make_judgement(
        f"{format_percent_range(shares)} of the first pass",
        reproduced=max(shares) <= 0.35,
        shape=max(shares) < 1,
        reason="The first pass probably finds in the cache what the preparation has written.",
    )


_TABLES: Final = (
    _enough,
    _faster,
    _exponential,
    _idle,
    _preparation,
)


# Claims of sections 5 and 6 about the length of paths.


def _passes(results: Results, case: str) -> tuple[list[float], str]:
    """Return the passes on each path, as numbers and in words."""
    counts = results.values(case, "iterations")
    sides = _join_numbers([m.width for m in results.all if m.case == case])
    return counts, f"{_join_numbers(counts)} passes on legs of {sides} pixels"


@claim(
    "5",
    "After the labels are once propagated vertically to the ends, the slow kernel propagates "
    "labels by only constant pixels a pass.",
    "no numbers",
    "1.8 to 2.2 times as many passes on legs twice as long; shape: over 1.5 times",
)
def _constant(results: Results) -> ClaimJudgement:
    counts, words = _passes(results, "shibata_slow")
    steps = [b / a for a, b in itertools.pairwise(counts)]
    return make_judgement(
        f"Algorithm 3: {words}",
        reproduced=all(is_between(step, 1.8, 2.2) for step in steps),
        shape=min(steps) > 1.5,
    )


@claim(
    "6",
    "The fast kernel propagates labels fast after that.",
    "no numbers",
    "at most one pass more on legs twice as long; shape: under 1.5 times as many",
)
def _fast(results: Results) -> ClaimJudgement:
    counts, words = _passes(results, "shibata_fast")
    pairs = list(itertools.pairwise(counts))
    return make_judgement(
        f"Algorithm 4: {words}",
        reproduced=all(b <= a + 1 for a, b in pairs),
        shape=all(b < 1.5 * a for a, b in pairs),
    )


_PATHS: Final = (_constant, _fast)


def _path_grids(*sides: int) -> list[Workload]:
    """Return paths of three horizontal legs, each one pixel high."""
    return [
        Workload(
            f"path of legs of {side}",
            format_pattern("serpentine", {"width": side, "height": 5, "gap": 1}),
            side,
        )
        for side in sides
    ]


def _join_numbers(numbers: Sequence[float]) -> str:
    *first, last = (f"{n:,.0f}" for n in numbers)
    return f"{', '.join(first)} and {last}"


def _grids(size: int) -> list[Workload]:
    zigzag = format_pattern("zigzag", {"size": size})
    blobs = format_pattern("blobs", {"width": size, "height": size * 3 // 4, "density": 0.6})
    return [Workload(f"zigzag {size}", zigzag), Workload(f"blobs {size}", blobs)]


def _pass_table(results: Results) -> BenchTable:
    """Return Tables 1 to 6 beside the measurements."""
    published = {
        "dry earth, GTX 960": "79.9 353.2 334.0 269.1 211.4 188.4 173.8 173.8 24.1 23.4 23.6",
        "zigzag, GTX 960": "218.9 931.7 860.5 838.4 796.1 642.5 935.3 905.6 578.5 69.6 69.7",
        "dry earth, GTX 670": "55.5 361.4 360.0 343.0 314.6 298.8 288.2 284.6 31.9 31.5 30.8",
        "zigzag, GTX 670": "154.3 1032.5 1123.4 1150.5 991.5 1033.8 1115.8 882.5 93.7 93.7 94.0",
        "dry earth, GTX 570": "78.7 583.2 782.3 477.3 449.4 316.8 138.3 23.2 22.9 22.9 23.0",
        "zigzag, GTX 570": "194.4 851.1 993.7 1097.4 821.1 2005.2 3852.4 365.0 63.8 63.3 63.5",
    }
    rows = [[f"{title}, published", *cells.split()] for title, cells in published.items()]
    kernels = ("shibata_preparation", *(f"shibata_fast, {n}" for n in _PASSES))
    for case, form in ((_TEN, "six look-ups"), (_TEN_SPARING, "the same without idle atomics")):
        for name in results.workloads:
            times = (1000 * results.value(case, name, TIME, kernel) for kernel in kernels)
            rows.append([f"{name}, {form}, measured", *(f"{time:.1f}" for time in times)])
    title = (
        "Tables 1 to 6, microseconds of each pass; pass 0 is the preparation. Measured is "
        "Algorithm 4 with the six look-ups of section 7"
    )
    return BenchTable(title, ("", *map(str, (0, *_PASSES))), rows)


_PASSES: Final = range(1, 11)
_SIX: Final = "shibata_fast:jumps=6"
_TEN: Final = "shibata_fast:passes=10:jumps=6"
_TEN_SPARING: Final = f"{_TEN}:variant=project"

PRESETS: Final = {
    "shibata-tables": Benchmark(
        "The passes of Shibata's kernels",
        "Shibata, Tables 1 to 6",
        (
            Case("shibata_fast", {"passes": 10, "jumps": 6}),
            Case("shibata_fast", {"passes": 10, "jumps": 6, "variant": "project"}),
            Case("shibata_naive"),
            Case("shibata_slow"),
            Case("shibata_fast"),
            Case("shibata_fast", {"jumps": 6}),
        ),
        _grids(1280),
        8,
        _TABLES,
        scenes="The zigzag spiral of 1280 x 1280. Instead of the picture of dry earth, which is "
        "not here, noise in blobs (1280 x 960). Algorithm 4 prints four look-ups in place, the "
        "Java program of section 7 six. Times of single passes are with six: that is the "
        "article's program, not Algorithm 4. Numbers of passes are given of both.",
        figures=("milliseconds", "iterations", "stores"),
        reduced=_grids(24),
        schedule="synchronous",
        by_iteration=True,
        tables=(_pass_table,),
    ),
    "shibata-paths": Benchmark(
        "The passes of Shibata's kernels by the length of a path",
        "Shibata, sections 5 and 6",
        (Case("shibata_slow"), Case("shibata_fast")),
        _path_grids(256, 512, 1024),
        8,
        _PATHS,
        "pixels of a leg",
        scenes="Paths of three horizontal legs. Labels spread fast along the first and the third. "
        "Along the second the smallest label has to come against the order of addresses, where "
        "look-ups do not help. The article's example has columns.",
        figures=("iterations",),
        reduced=_path_grids(16, 32, 64),
        counted=_path_grids(256, 512, 1024),
        schedule="synchronous",
    ),
}
