"""Shibata: Tables 1 to 6, on passes."""

from __future__ import annotations

import math
from functools import partial
from statistics import fmean
from typing import Final

from paper_claims import Bound, Check, Claim, above, at_most, below
from paper_results import Figure, MissingError, Results, Values, increases, joined, ratio, steps
from paper_tables import BenchTable

from ccl_viewer.bench.measuring import TIME
from ccl_viewer.bench.presets import three_leg_paths
from papers.experiment import Experiment

_PASSES: Final = range(1, 11)
_SIX: Final = "shibata_fast:jumps=6"
_TEN: Final = "shibata_fast:passes=10:jumps=6"
_TEN_SPARING: Final = f"{_TEN}:variant=project"
_NAIVE_PASSES, _SLOW_PASSES, _FAST_PASSES = (
    Figure(f"shibata_{form}", "iterations") for form in ("naive", "slow", "fast")
)


def _passes_beyond_doublings(results: Results) -> Values:
    """Return the passes beyond a doubling each up to the naive kernel's, and an idle one."""
    pairs = zip(_FAST_PASSES(results), _NAIVE_PASSES(results), strict=True)
    return [(name, fast - math.ceil(math.log2(naive)) - 1) for (name, fast), (_, naive) in pairs]


def _idle_shares(results: Results, case: str = _TEN) -> Values:
    """Return the time of an idle pass as a share of the longest pass, on each grid."""
    shares = []
    for name in results.workloads:
        passes = [results.value(case, name, TIME, f"shibata_fast, {n}") for n in _PASSES]
        needed = int(results.value(_SIX, name, "iterations"))
        idle = passes[needed - 1 :]  # the pass that finds no change may be one later
        if not idle:
            raise MissingError(f"No pass of ten was idle on {name}.")
        shares.append((name, fmean(idle) / max(passes)))
    return shares


_TABLES: Final = (
    Claim(
        "7",
        "The fast kernel is done in ten passes on both pictures.",
        "the program makes ten (NPASS = 11), of which the last 2 to 4 are idle in the tables",
        "up to 10 passes; shape: up to 20",
        (
            Check(
                Figure(_SIX, "iterations"),
                at_most(10),
                at_most(20),
                "passes with the six look-ups of section 7: {:named .0f}",
            ),
            Check(
                _FAST_PASSES,
                at_most(10),
                at_most(20),
                "with the four of Algorithm 4: {:named .0f}, with the pass that finds no change",
            ),
        ),
        "The number depends on the order of threads and on the picture.",
    ),
    Claim(
        "2, 4, 5, 6",
        "The naive kernel needs the most passes and the fast one the fewest.",
        "labels spread by one pixel a pass, and exponentially",
        "naive above slow above fast on each picture",
        (
            Check(_NAIVE_PASSES, words="Algorithm 2: {:named ,.0f}"),
            Check(_SLOW_PASSES, words="Algorithm 3: {:named ,.0f}"),
            Check(_FAST_PASSES, words="Algorithm 4: {:named ,.0f}"),
            Check(
                joined(ratio(_NAIVE_PASSES, _SLOW_PASSES), ratio(_SLOW_PASSES, _FAST_PASSES)),
                above(1),
            ),
        ),
    ),
    Claim(
        "2",
        "The label propagates exponentially as the kernel is applied.",
        "no numbers",
        "at most a pass for each doubling up to the passes of the naive kernel, and an idle one",
        (
            Check(_FAST_PASSES, words="passes of Algorithm 4: {:list .0f}"),
            Check(_NAIVE_PASSES, words="of Algorithm 2: {:list ,.0f}"),
            Check(_passes_beyond_doublings, at_most(0)),
        ),
    ),
    Claim(
        "Tables 1 to 6",
        "Idle passes take a small part of the time.",
        "2% to 9% of the longest pass",
        "up to 12%; shape: under 70%",
        (
            Check(
                _idle_shares,
                at_most(0.12),
                below(0.7),
                "{:.0%} of the longest pass, by Algorithm 4 with six look-ups",
            ),
            Check(
                partial(_idle_shares, case=_TEN_SPARING),
                words="without atomics that lower nothing, which is this project's form, {:.0%}",
            ),
        ),
        "Algorithm 4 calls two atomics for every pixel in every pass, in idle ones all "
        "pixels of a component on one address. The tables are of the author's OpenCL program, "
        "which the article does not print: probably it leaves such atomics out.",
    ),
    Claim(
        "Tables 1 to 6",
        "The preparation is short.",
        "13% to 23% of the first pass",
        "up to 35%; shape: under 100%",
        (
            Check(
                ratio(
                    Figure(_TEN, TIME, "shibata_preparation"), Figure(_TEN, TIME, "shibata_fast, 1")
                ),
                at_most(0.35),
                below(1),
                "{:.0%} of the first pass",
            ),
        ),
        "The first pass probably finds in the cache what the preparation has written.",
    ),
)


_LEGS: Final = "passes on legs of 256, 512 and 1,024 pixels"

_PATHS: Final = (
    Claim(
        "5",
        "After the labels are once propagated vertically to the ends, the slow kernel propagates "
        "labels by only constant pixels a pass.",
        "no numbers",
        "1.8 to 2.2 times as many passes on legs twice as long; shape: over 1.5 times",
        (
            Check(_SLOW_PASSES, words=f"Algorithm 3: {{:list ,.0f}} {_LEGS}"),
            Check(steps(_SLOW_PASSES), Bound(1.8, 2.2), above(1.5)),
        ),
    ),
    Claim(
        "6",
        "The fast kernel propagates labels fast after that.",
        "no numbers",
        "at most one pass more on legs twice as long; shape: under 1.5 times as many",
        (
            Check(_FAST_PASSES, words=f"Algorithm 4: {{:list ,.0f}} {_LEGS}"),
            Check(increases(_FAST_PASSES), at_most(1)),
            Check(steps(_FAST_PASSES), None, below(1.5)),
        ),
    ),
)


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


EXPERIMENTS: Final = {
    "shibata-tables": Experiment(
        "shibata-tables",
        _TABLES,
        "The zigzag spiral of 1280 x 1280. Instead of the picture of dry earth, which is "
        "not here, noise in blobs (1280 x 960). Algorithm 4 prints four look-ups in place, the "
        "Java program of section 7 six. Times of single passes are with six: that is the "
        "article's program, not Algorithm 4. Numbers of passes are given of both.",
        tables=(_pass_table,),
    ),
    "shibata-paths": Experiment(
        "shibata-paths",
        _PATHS,
        "Paths of three horizontal legs. Labels spread fast along the first and the third. "
        "Along the second the smallest label has to come against the order of addresses, where "
        "look-ups do not help. The article's example has columns.",
        three_leg_paths(256, 512, 1024),
    ),
}
