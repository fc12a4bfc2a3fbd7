"""Kalentev et al. 2011: Tables 1 to 4, on Row-Col Unify and Label Equivalence."""

from __future__ import annotations

from typing import Final

from paper_claims import Bound, Check, Claim, above, at_least, at_most, below, exactly
from paper_results import (
    MARGIN,
    Figure,
    LargestAt,
    Results,
    Values,
    difference,
    joined,
    largest,
    mean,
    ratio,
    smallest,
    spread,
    steps,
)
from paper_tables import BenchTable, median_text, published_and_measured, wrong_labels_text

from ccl_viewer.bench.measuring import TIME
from ccl_viewer.bench.presets import kalentev_scenes
from ccl_viewer.support.units import counted
from papers.experiment import Experiment

_RC, _LE, _SIZES = "row_col_unify", "label_equivalence", "label_equivalence_sizes"
_HAWICK = "label_equivalence_hawick"
_PRINTED, _CONSECUTIVE = f"{_RC}:variant=printed", f"{_RC}:variant=consecutive"
_ATOMIC = f"{_LE}:variant=atomic"
_THREADS: Final = (512, 256, 64, 16, 4, 1)

# Grids of Table 1, as regular expressions
_TABLE: Final = r"^(?!spiral (256|12)$)"  # without the smaller spiral, which the paper lacks
_HALF: Final = r"blobs|spiral 1024|d0\.5"  # half of the cells are occupied
_SCAN: Final = f"{_LE}_scanning"


def _padding(results: Results) -> Values:
    """Return the loads of the scan beyond those of cells, neighbours and lowered labels."""
    left = []
    for name in results.workloads:
        loads, stores, launches = (
            results.value(_LE, name, figure, _SCAN) for figure in ("loads", "stores", "launches")
        )
        measurement = results.measurement(_LE, name)
        cells = measurement.height * measurement.width if measurement is not None else 0
        inside = results.value(_LE, name, "foreground")
        left.append((name, loads - launches * (cells + 4 * inside) - stores / 2))
    return left


_LAUNCHES: Final = ratio(Figure(_LE, "launches"), Figure(_LE, "iterations"))
_HAWICK_LAUNCHES: Final = ratio(Figure(_HAWICK, "launches"), Figure(_HAWICK, "iterations"))
_MEMORY: Final = Figure(_LE, "memory", per_cell=True)
_HAWICK_MEMORY: Final = Figure(_HAWICK, "memory", per_cell=True)
_SPIRAL_ITERATIONS: Final = Figure(_LE, "iterations", grids="spiral")
_HALF_ITERATIONS: Final = Figure(_LE, "iterations", grids=_HALF)
_ROWS_SPREAD: Final = spread(Figure(_RC, grids=_HALF))
_EQUIVALENCE_SPREAD: Final = spread(Figure(_LE, grids=_HALF))
_ROWS_ON_SPIRAL: Final = ratio(Figure(_RC, grids="spiral 1024"), Figure(_RC, grids="blobs C1"))
_EQUIVALENCE_ON_SPIRAL: Final = ratio(
    Figure(_LE, grids="spiral 1024"), Figure(_LE, grids="blobs C1")
)
_ROWS_COALESCED: Final = Figure(_RC, "coalescing", f"{_RC}_rows")
_COLUMNS_COALESCED: Final = Figure(_RC, "coalescing", f"{_RC}_columns")
_COST_OF_SIZES: Final = ratio(Figure(_SIZES, grids=_TABLE), Figure(_LE, grids=_TABLE))

_TABLE_1: Final = (
    Claim(
        "3",
        "Label Equivalence is faster than Row-Col Unify in all cases.",
        "13.1 to 803.9 times",
        "all above 1",
        (Check(ratio(Figure(_RC), Figure(_LE)), above(1), None, "{:,.1f} times"),),
    ),
    Claim(
        "4",
        "In general Label Equivalence is 15 to 35 times faster.",
        "13.1 to 39.3 times on blobs and noise",
        "all from 10 to 50; shape: all above 1",
        (
            Check(
                ratio(Figure(_RC, grids="blobs|noise"), Figure(_LE, grids="blobs|noise")),
                Bound(10, 50),
                above(1),
                "{:,.1f} times",
            ),
        ),
        "The ratio probably depends on how a GPU hides bank conflicts and scattered reads, which "
        "Row-Col Unify has.",
    ),
    Claim(
        "3",
        "The size of blobs does not affect the time of Label Equivalence.",
        "5.60 to 6.68 ms: slowest / fastest = 1.19",
        "slowest / fastest up to 1.25; shape: up to 2",
        (
            Check(
                spread(Figure(_LE, grids="blobs")),
                at_most(1.25),
                at_most(2),
                "slowest / fastest = {:.2f}",
            ),
        ),
        "Iterations are whole: where one more is needed, the time jumps.",
    ),
    Claim(
        "Table 1",
        "The size of blobs does not affect the time of Row-Col Unify.",
        "87.16 to 87.89 ms: slowest / fastest = 1.01",
        "slowest / fastest up to 1.1; shape: up to 1.25",
        (
            Check(
                spread(Figure(_RC, grids="blobs")),
                at_most(1.1),
                at_most(1.25),
                "slowest / fastest = {:.2f}",
            ),
            Check(
                Figure(_RC, "iterations", grids="blobs"),
                words="{:list .0f} iterations on C1 to C4. At 8.76 ms each, as on the spiral, the "
                "published times are those of 10 iterations on all four",
            ),
        ),
        "The time follows the iterations, which are fewer on large blobs.",
    ),
    Claim(
        "3",
        "On a spiral Label Equivalence needs 3 iterations, whatever the size of the map.",
        "3 iterations",
        "3; shape: up to 6",
        (
            Check(
                _SPIRAL_ITERATIONS,
                exactly(3),
                at_most(6),
                "iterations: {:named .0f}",
            ),
        ),
        "The count depends on how far threads see one another's writes in a launch.",
    ),
    Claim(
        "3",
        "The number of iterations of Label Equivalence depends only weakly on the size of the "
        "component.",
        "3 on spirals of all sizes",
        "counts on spirals differ by up to 1; shape: up to twice as many",
        (
            Check(
                _SPIRAL_ITERATIONS,
                words="spirals, each a single component: {:named .0f}",
            ),
            Check(Figure(_LE, "foreground", grids="spiral"), words="of {:list ,.0f} cells"),
            Check(
                difference(
                    largest(_SPIRAL_ITERATIONS),
                    smallest(_SPIRAL_ITERATIONS),
                ),
                at_most(1),
            ),
            Check(spread(_SPIRAL_ITERATIONS), None, at_most(2)),
        ),
    ),
    Claim(
        "3",
        "The number of iterations of Label Equivalence depends strongly on the topology of the "
        "component.",
        "3 on a spiral; 3 to 8 on noise (Table 2)",
        "1.5 times as many on one scene as on another, half of the cells occupied; shape: more",
        (
            Check(_HALF_ITERATIONS, words="{:named .0f}"),
            Check(spread(_HALF_ITERATIONS), at_least(1.5), above(1)),
        ),
    ),
    Claim(
        "4",
        "On a spiral of 1024 x 1024 Row-Col Unify needs 514 iterations.",
        "514 iterations",
        "514; shape: over 12",
        (
            Check(
                Figure(_RC, "iterations", grids="spiral 1024"),
                exactly(514),
                above(12),
                "{:.0f} iterations, which is n / 2 + 2 on n x n cells",
            ),
            Check(
                Figure(_PRINTED, "iterations", grids="spiral 1024"),
                words="the printed form stops after {:.0f}, so the authors' program must differ "
                "from the print",
            ),
        ),
        "A spiral that turns the other way needs one or two iterations fewer.",
    ),
    Claim(
        "3",
        "The share of occupied cells influences the time of Label Equivalence significantly.",
        "4.1 times as long at 0.5 as at 0.1",
        "at least 2 times as long; shape: longer",
        (
            Check(
                ratio(Figure(_LE, grids=r"d0\.5"), Figure(_LE, grids=r"d0\.1")),
                at_least(2),
                above(1),
                "{:.1f} times as long at 0.5 as at 0.1",
            ),
        ),
        "A modern GPU hides much of the memory traffic of 4 MiB in its cache.",
    ),
    Claim(
        "2.2",
        "Label Equivalence needs fewer steps than Hawick's: there is no labelling phase.",
        "two kernels an iteration instead of three",
        "fewer launches an iteration",
        (
            Check(
                _LAUNCHES,
                words="{:.1f} launches an iteration, with the first one that prepares",
            ),
            Check(
                _HAWICK_LAUNCHES,
                words="Hawick's {:.1f}",
            ),
            Check(
                ratio(
                    largest(_LAUNCHES),
                    smallest(_HAWICK_LAUNCHES),
                ),
                below(1),
            ),
        ),
    ),
    Claim(
        "2.2",
        "The scan of Label Equivalence needs no atomic operations.",
        "none",
        "0, and Hawick's some",
        (
            Check(Figure(_LE, "atomics"), exactly(0), None, "{:,.0f} atomic operations"),
            Check(Figure(_HAWICK, "atomics"), above(0), None, "Hawick's {:,.0f}"),
        ),
    ),
    Claim(
        "2.2",
        "Atomic operations can be left out, as the next iteration resolves a collision.",
        "no numbers",
        "as many iterations as Listing 3 with an atomic minimum; shape: up to 2 more",
        (
            Check(Figure(_LE, "iterations"), words="{:.0f} iterations"),
            Check(
                largest(difference(Figure(_LE, "iterations"), Figure(_ATOMIC, "iterations"))),
                at_most(0),
                at_most(2),
                "at most {:.0f} more than with an atomic minimum in Listing 3",
            ),
        ),
    ),
    Claim(
        "2.2",
        "Atomic operations, which Hawick's scan has, slow the computation down dramatically.",
        "no numbers",
        "all above 1.5; shape: all above 1",
        (
            Check(
                ratio(
                    Figure(_ATOMIC, TIME, _SCAN, _TABLE),
                    Figure(_LE, TIME, _SCAN, _TABLE),
                ),
                above(1.5),
                above(1),
                "with an atomic minimum Listing 3 takes {:.2f} times as long",
            ),
            Check(
                ratio(
                    Figure(_HAWICK, TIME, f"{_HAWICK}_scanning", _TABLE),
                    Figure(_LE, TIME, _SCAN, _TABLE),
                ),
                words="Hawick's scan, which also differs in padding and in the array that it "
                "lowers, takes {:.2f} times as long as Listing 3",
            ),
        ),
        "A modern GPU probably makes atomic operations in its cache, and here one replaces a load "
        "and a store.",
    ),
    Claim(
        "2.2",
        "Label Equivalence is significantly improved compared to Hawick's in terms of memory "
        "consumption: there is no array of references.",
        "an array less",
        "at most two thirds of the bytes per cell; shape: fewer",
        (
            Check(_MEMORY, words="{:.1f} bytes per cell beside the image"),
            Check(_HAWICK_MEMORY, words="Hawick's {:.1f}"),
            Check(
                ratio(
                    largest(_MEMORY),
                    smallest(_HAWICK_MEMORY),
                ),
                at_most(2 / 3),
                below(1),
            ),
        ),
    ),
    Claim(
        "Tables 1 to 3",
        "Adding up the sizes of the components by atomics takes extra time.",
        "1.4 to 13.0 times as long with sizes",
        "all above 1.2; shape: longer in the mean",
        (
            Check(
                _COST_OF_SIZES,
                above(1.2),
                None,
                "{:.2f} times as long with sizes",
            ),
            Check(
                mean(_COST_OF_SIZES),
                None,
                above(1 + MARGIN),
            ),
            Check(
                ratio(Figure(_SIZES, grids="spiral 1024"), Figure(_LE, grids="spiral 1024")),
                words="{:.2f} on the spiral, published 6.9",
            ),
            Check(
                ratio(Figure(_SIZES, grids="noise 8128"), Figure(_LE, grids="noise 8128")),
                words="{:.2f} on 8128 x 8128, published 2.24",
            ),
        ),
        "Small grids probably stay in the cache of a modern GPU, where atomics are fast. That does "
        "not explain 8128 x 8128.",
        also=("kalentev-2", "kalentev-3"),
        common=(_SIZES, _LE),
    ),
    Claim(
        "3, 4",
        "A spiral is very hard for Row-Col Unify, and easy for Label Equivalence.",
        "51.6 and 1.0 times as long as on blobs (C1)",
        "over 20, and up to 1.25; shape: the first is over twice the second",
        (
            Check(
                _ROWS_ON_SPIRAL,
                above(20),
                None,
                "Row-Col Unify takes {:.1f} times as long as on blobs (C1)",
            ),
            Check(
                _EQUIVALENCE_ON_SPIRAL,
                at_most(1.25),
                None,
                "Label Equivalence {:.1f} times",
            ),
            Check(
                ratio(
                    _ROWS_ON_SPIRAL,
                    _EQUIVALENCE_ON_SPIRAL,
                ),
                None,
                above(2),
            ),
        ),
    ),
    Claim(
        "4",
        "The time of Label Equivalence depends less on the topology than Row-Col Unify's.",
        "slowest / fastest = 51.6 for Row-Col Unify and 1.2 for Label Equivalence, where half "
        "of the cells are occupied",
        "over ten times the spread; shape: a larger spread",
        (
            Check(
                _ROWS_SPREAD,
                words="slowest / fastest = {:.1f} for Row-Col Unify",
            ),
            Check(_EQUIVALENCE_SPREAD, words="{:.1f} for Label Equivalence"),
            Check(
                ratio(_ROWS_SPREAD, _EQUIVALENCE_SPREAD),
                above(10),
                above(1),
            ),
        ),
    ),
    Claim(
        "2.1",
        "The updates of Row-Col Unify have bank conflicts.",
        "no numbers",
        "over 20% of the cycles; shape: any",
        (
            Check(
                joined(
                    Figure(_RC, "conflict_free", f"{_RC}_rows"),
                    Figure(_RC, "conflict_free", f"{_RC}_columns"),
                ),
                below(0.8),
                None,
                "{:.0%} of the shared-memory cycles of the kernels are free of conflicts. The "
                "reads that an update makes through a reference alone need two cycles each",
            ),
            Check(smallest(Figure(_RC, "conflict_free", f"{_RC}_rows")), None, below(1)),
            Check(
                joined(
                    Figure(_CONSECUTIVE, "conflict_free", f"{_RC}_rows"),
                    Figure(_CONSECUTIVE, "conflict_free", f"{_RC}_columns"),
                ),
                words="if lanes update elements side by side, {:.0%}; the other conflicts are in "
                "the steps between updates",
            ),
        ),
    ),
    Claim(
        "2.1",
        "The bank conflicts slow down the whole procedure.",
        "no numbers",
        "all above 1.1; shape: all above 1",
        (
            Check(
                ratio(Figure(_RC, grids=_TABLE), Figure(_CONSECUTIVE, grids=_TABLE)),
                above(1.1),
                above(1),
                "{:.2f} times as long as with updates of elements side by side, which have few "
                "conflicts",
            ),
        ),
        "Other parts of the procedure probably take most of the time.",
    ),
    Claim(
        "2.1",
        "Row-Col Unify's accesses are coalesced for rows, and for columns they are not.",
        "no numbers",
        "rows use over twice the share of the bytes moved; shape: more",
        (
            Check(
                _ROWS_COALESCED,
                words="of the bytes moved, rows use {:.0%}",
            ),
            Check(_COLUMNS_COALESCED, words="columns {:.0%}"),
            Check(
                ratio(
                    smallest(_ROWS_COALESCED),
                    largest(_COLUMNS_COALESCED),
                ),
                above(2),
                above(1),
            ),
        ),
    ),
    Claim(
        "2.2",
        "Padding avoids extra conditions for cells at the edge.",
        "no numbers",
        "no load more or less",
        (
            Check(
                _padding,
                exactly(0),
                None,
                "The scan loads each cell once, four neighbours of each foreground cell even at "
                "the edge, one label for each that it lowers, and {:.0f} more",
            ),
        ),
    ),
)


_ITERATIONS: Final = {0.2: 4, 0.3: 5, 0.4: 5, 0.6: 8, 0.7: 5, 0.8: 4, 0.9: 4, 0.99: 3}
"""Table 2, the last line."""

_PUBLISHED: Final = r"d0\.(?!5$)"
"""The densities of Table 2: 0.5 is added."""


def _distance_to_iterations(results: Results) -> Values:
    """Return how far iterations are from those of Table 2."""
    x = {m.workload: m.x for m in results.all}
    counts = Figure(_LE, "iterations", grids=_PUBLISHED)(results)
    return [(name, abs(count - _ITERATIONS[x[name]])) for name, count in counts]


_COST_AT_99: Final = ratio(Figure(_SIZES, grids=r"d0\.99"), Figure(_LE, grids=r"d0\.99"))
_COST_AT_20: Final = ratio(Figure(_SIZES, grids=r"d0\.2"), Figure(_LE, grids=r"d0\.2"))
_TABLE_2: Final = (
    Claim(
        "3",
        "The most iterations are needed at densities of 0.5 to 0.6.",
        "4, 5, 5, 8, 5, 4, 4, 3 at 0.2, 0.3, 0.4, 0.6, 0.7, 0.8, 0.9, 0.99",
        "the most at 0.5 or 0.6 alone; shape: there, too",
        (
            Check(LargestAt(Figure(_LE, "iterations")), Bound(0.5, 0.6), None, "most at {:list g}"),
            Check(
                Figure(_LE, "iterations"),
                words="{:list .0f} at 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.99",
            ),
            Check(
                ratio(
                    largest(Figure(_LE, "iterations", grids=r"d0\.[56]$")),
                    largest(Figure(_LE, "iterations")),
                ),
                None,
                at_least(1),
            ),
        ),
    ),
    Claim(
        "Table 2",
        "Iterations by density: 4, 5, 5, 8, 5, 4, 4 and 3.",
        "at 0.2, 0.3, 0.4, 0.6, 0.7, 0.8, 0.9 and 0.99",
        "each differs by up to 1; shape: up to 2",
        (
            Check(Figure(_LE, "iterations", grids=_PUBLISHED), words="{:list .0f}"),
            Check(_distance_to_iterations, at_most(1), at_most(2), "they differ by {:list .0f}"),
        ),
        "The count depends on how far threads see one another's writes in a launch.",
    ),
    Claim(
        "3",
        "Label Equivalence takes the longest there, too.",
        "39.34 ms at 0.6, which is the most",
        "the longest at 0.5 or 0.6",
        (Check(LargestAt(Figure(_LE)), Bound(0.5, 0.6), None, "longest at {:g}"),),
    ),
    Claim(
        "3",
        "The time falls more slowly towards high densities than towards low ones.",
        "of the longest, 26% at 0.2 and 92% at 0.9",
        "longer at 0.9 than at 0.2",
        (
            Check(
                ratio(Figure(_LE, grids=r"d0\.2"), largest(Figure(_LE))),
                words="of the longest, {:.0%} at 0.2",
            ),
            Check(ratio(Figure(_LE, grids=r"d0\.9$"), largest(Figure(_LE))), words="{:.0%} at 0.9"),
            Check(ratio(Figure(_LE, grids=r"d0\.9$"), Figure(_LE, grids=r"d0\.2")), above(1)),
        ),
    ),
    Claim(
        "3",
        "It does so because of the first condition, which checks for non-zero cells.",
        "no numbers",
        reason="No form without the condition is implemented.",
    ),
    Claim(
        "Table 2",
        "Sizes cost most at the highest density, where nearly all cells add to one component.",
        "1.6 times as long at 0.2, 13.0 at 0.99",
        "most at 0.99, over 4 times; shape: more at 0.99 than at 0.2",
        (
            Check(
                _COST_AT_20,
                words="{:.1f} times as long at 0.2",
            ),
            Check(
                _COST_AT_99,
                above(4),
                None,
                "{:.1f} at 0.99",
            ),
            Check(
                ratio(
                    _COST_AT_99,
                    largest(ratio(Figure(_SIZES), Figure(_LE))),
                ),
                at_least(1),
            ),
            Check(
                ratio(
                    _COST_AT_99,
                    _COST_AT_20,
                ),
                None,
                above(1),
            ),
        ),
        "Atomics of a modern GPU meet in its cache, which probably makes them cheap.",
    ),
)


def _linear(text: str, published: str, case: str) -> Claim:
    return Claim(
        "3",
        text,
        published,
        "each step as large as the cells', from 0.8 to 1.25 times; shape: all but the first",
        (
            Check(
                steps(Figure(case)), words="steps to about 4 times the cells take {:list .1f} times"
            ),
            Check(steps(Figure(case, per_cell=True)), Bound(0.8, 1.25), None),
            Check(
                steps(Figure(case, grids="2048|4096|8128", per_cell=True)), None, Bound(0.8, 1.25)
            ),
        ),
        "It is linear from 2048 x 2048 up. 1024 x 1024 probably does not fill a modern GPU.",
    )


_TABLE_3: Final = (
    _linear(
        "The time of Label Equivalence is linear in the number of cells.",
        "6.50 to 388.24 ms: steps of 3.8, 3.9 and 4.0 times",
        _LE,
    ),
    _linear(
        "The time with sizes is linear, too.",
        "14.30 to 870.70 ms: steps of 3.9, 3.9 and 4.0 times",
        _SIZES,
    ),
)


def _with_threads(threads: int, case: str = _LE) -> Figure:
    return Figure(f"{case}:threads={threads}")


def _drop(text: str, published: str, case: str, most: float) -> Claim:
    usual = _with_threads(64, case)
    return Claim(
        "3",
        text,
        published,
        f"over 1.1 times with 16 and over {most:g} with 1; shape: over 1.5 with 1",
        (
            Check(
                ratio(_with_threads(16, case), usual),
                above(1.1),
                None,
                "times as long as with 64 threads: {:.1f} with 16",
            ),
            Check(ratio(_with_threads(4, case), usual), words="{:.1f} with 4"),
            Check(ratio(_with_threads(1, case), usual), above(most), above(1.5), "{:.1f} with 1"),
            Check(
                ratio(usual, smallest(joined(_with_threads(512, case), _with_threads(256, case)))),
                words="the drop begins above the size of a warp: with 64 threads a run takes "
                "{:.2f} times as long as with the fastest larger block, so the start of blocks may "
                "be a reason, too",
            ),
        ),
    )


_TABLE_4: Final = (
    _drop(
        "Blocks smaller than a warp are significantly slower.",
        "1.4, 4.9 and 17.9 times with 16, 4 and 1 threads",
        _LE,
        4,
    ),
    _drop(
        "With sizes, blocks smaller than a warp are slower, too.",
        "1.1, 2.8 and 9.5 times with 16, 4 and 1 threads",
        _SIZES,
        2,
    ),
    Claim(
        "Table 4",
        "Blocks of 64 to 512 threads are alike.",
        "24.91 to 25.34 ms: slowest / fastest = 1.02",
        "slowest / fastest up to 1.1; shape: up to 1.4",
        (
            Check(
                spread(joined(*map(_with_threads, (512, 256, 64)))),
                at_most(1.1),
                at_most(1.4),
                "slowest / fastest of 512, 256 and 64 threads = {:.2f}",
            ),
        ),
        "On a grid of 64 x 64 the emulator counts the same bytes for all three, so memory is not "
        "why. Eight times as many blocks probably take longer to start than to work.",
    ),
)


_ROW_COL_TIMES: Final = (87.16, 87.89, 87.27, 87.65, 4501.56, 254.47, 34.75)


def _blob_table(results: Results) -> BenchTable:
    """Return Table 1."""
    spirals = results.filter_workloads(_TABLE)
    rows = published_and_measured(
        spirals,
        (
            ("Row-Col Unify", _RC),
            ("Row-Col Unify as printed", _PRINTED),
            ("Row-Col Unify with updates side by side", _CONSECUTIVE),
            ("Label Equivalence", _LE),
            ("Label Equivalence with an atomic minimum", _ATOMIC),
            ("with sizes", _SIZES),
        ),
        (
            " ".join(map(str, _ROW_COL_TIMES)),
            "",
            "",
            "5.60 5.77 5.89 6.68 5.60 6.47 1.56",
            "",
            "16.25 16.28 15.22 17.30 38.86 14.23 2.11",
        ),
    )
    published = (f"{time / 8.76:.0f}" for time in _ROW_COL_TIMES)
    rows.append(["Row-Col Unify, iterations of 8.76 ms in the published times", *published])
    for title, case in (("Row-Col Unify", _RC), ("as printed", _PRINTED), ("LE", _LE)):
        counts = (results.measurement(case, name) for name in spirals.workloads)
        listed = [f"{m.figure('iterations'):.0f}" if m is not None else "" for m in counts]
        rows.append([f"{title}, iterations", *listed])
    wrong = wrong_labels_text(m for m in spirals.all if m.case == _PRINTED)
    title = f"Table 1, milliseconds. Row-Col Unify as printed: {wrong}."
    return BenchTable(title, ("", *spirals.workloads), rows)


def _density_table(results: Results) -> BenchTable:
    """Return Table 2."""
    densities = results.filter(lambda m: m.x != 0.5)
    rows = published_and_measured(
        densities,
        (("Label Equivalence", _LE), ("with sizes", _SIZES)),
        (
            "10.33 15.50 18.90 39.34 34.12 33.91 36.30 24.42",
            "16.74 27.81 38.84 84.21 95.70 113.60 137.95 317.06",
        ),
    )
    rows.append(["Iterations, published", *map(str, _ITERATIONS.values())])
    iterations = densities.values(_LE, "iterations")
    rows.append(["Iterations, measured", *(f"{n:.0f}" for n in iterations)])
    return BenchTable("Table 2, milliseconds by density", ("", *map(str, _ITERATIONS)), rows)


def _size_table(results: Results) -> BenchTable:
    """Return Table 3."""
    rows = published_and_measured(
        results,
        (("Label Equivalence", _LE), ("with sizes", _SIZES)),
        ("6.50 24.98 97.88 388.24", "14.30 55.75 217.89 870.70"),
    )
    return BenchTable(
        "Table 3, milliseconds by the size of the grid", ("", *results.workloads), rows
    )


def _block_table(results: Results) -> BenchTable:
    """Return Table 4."""
    rows = []
    for title, key, published in (
        ("Label Equivalence", _LE, "25.09 24.91 25.34 36.19 123.15 453.331"),
        ("with sizes", _SIZES, "55.41 55.73 55.13 62.13 154.91 522.085"),
    ):
        rows.append([f"{title}, published", *published.split()])
        cells = [
            median_text(results.measurement(f"{key}:threads={threads}", results.workloads[0]))
            for threads in _THREADS
        ]
        rows.append([f"{title}, measured", *cells])
    header = ("", *(counted(threads, "thread") for threads in _THREADS))
    return BenchTable("Table 4, milliseconds by the threads of a block", header, rows)


EXPERIMENTS: Final = {
    "kalentev-1": Experiment(
        "kalentev-1",
        _TABLE_1,
        "Blobs are discs of radius 10, 20, 50 and 100 (C1 to C4) at random places. Half of "
        "the cells are occupied, half of these by blobs, the rest by noise. The emulator counts "
        "on 256 x 256, where one disc of radius 100 would cover 48% of the map: there the radii "
        "are 5, 10, 20 and 40. The paper has Row-Col Unify for 1024 x 1024 alone (2.1), so what "
        "is counted is an adapted kernel. The paper takes its spiral from Hawick et al. and does "
        "not say which way it turns; here it begins downwards, which fits 514 iterations.",
        kalentev_scenes(256, (5, 10, 20, 40), 256),
        [(_LE, _SIZES)],
        (_blob_table,),
    ),
    "kalentev-2": Experiment(
        "kalentev-2",
        _TABLE_2,
        "Noise of 2048 x 2048 cells.",
        simpler=[(_LE, _SIZES)],
        tables=(_density_table,),
    ),
    "kalentev-3": Experiment(
        "kalentev-3",
        _TABLE_3,
        "Noise of density 0.5. The paper does not give its density: Tables 1 and 2 fit 0.5.",
        simpler=[(_LE, _SIZES)],
        tables=(_size_table,),
    ),
    "kalentev-4": Experiment(
        "kalentev-4",
        _TABLE_4,
        "Noise of density 0.5 in 2048 x 2048 cells. The paper gives neither; Table 3 fits both.",
        simpler=[(f"{_LE}:threads={n}", f"{_SIZES}:threads={n}") for n in _THREADS],
        tables=(_block_table,),
    ),
}
