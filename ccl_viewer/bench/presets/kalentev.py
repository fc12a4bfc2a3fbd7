"""Kalentev et al. 2011: Tables 1 to 4, on Row-Col Unify and Label Equivalence."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from functools import partial
from statistics import fmean
from typing import Final

from ccl_viewer.bench.claims import (
    MARGIN,
    TIME,
    Claim,
    ClaimJudgement,
    Results,
    claim,
    format_percent_range,
    format_range,
    is_between,
    make_judgement,
    ratio_claim,
    unmeasured_claim,
)
from ccl_viewer.bench.libraries import LIBRARIES
from ccl_viewer.bench.measuring import Case, Workload
from ccl_viewer.bench.presets.common_grids import REDUCED, make_noise_workload
from ccl_viewer.bench.report import Benchmark
from ccl_viewer.bench.tables import (
    BenchTable,
    median_text,
    published_and_measured,
    wrong_labels_text,
)
from ccl_viewer.grids.specs import format_pattern
from ccl_viewer.support.units import counted

_RC, _LE, _SIZES = "row_col_unify", "label_equivalence", "label_equivalence_sizes"
_HAWICK = "label_equivalence_hawick"
_PRINTED, _CONSECUTIVE = f"{_RC}:variant=printed", f"{_RC}:variant=consecutive"
_ATOMIC = f"{_LE}:variant=atomic"
_THREADS = (512, 256, 64, 16, 4, 1)


# Claims about Table 1, and of section 2.


@claim(
    "3",
    "The size of blobs does not affect the time of Label Equivalence.",
    "5.60 to 6.68 ms: slowest / fastest = 1.19",
    "slowest / fastest up to 1.25; shape: up to 2",
)
def _blob_sizes(results: Results) -> ClaimJudgement:
    times = results.filter_workloads("blobs").values(_LE, TIME)
    spread = max(times) / min(times)
    return make_judgement(
        f"slowest / fastest = {spread:.2f}",
        reproduced=spread <= 1.25,
        shape=spread <= 2,
        reason="Iterations are whole: where one more is needed, the time jumps.",
    )


@claim(
    "Table 1",
    "The size of blobs does not affect the time of Row-Col Unify.",
    "87.16 to 87.89 ms: slowest / fastest = 1.01",
    "slowest / fastest up to 1.1; shape: up to 1.25",
)
def _blob_sizes_by_rows(results: Results) -> ClaimJudgement:
    scenes = results.filter_workloads("blobs")
    times, iterations = (scenes.values(_RC, figure) for figure in (TIME, "iterations"))
    spread = max(times) / min(times)
    listed = ", ".join(f"{n:.0f}" for n in iterations)
    return make_judgement(
        f"slowest / fastest = {spread:.2f}; {listed} iterations on C1 to C4. At 8.76 ms each, "
        "as on the spiral, the published times are those of 10 iterations on all four",
        reproduced=spread <= 1.1,
        shape=spread <= 1.25,
        reason="The time follows the iterations, which are fewer on large blobs.",
    )


@claim(
    "3",
    "On a spiral Label Equivalence needs 3 iterations, whatever the size of the map.",
    "3 iterations",
    "3; shape: up to 6",
)
def _few_iterations(results: Results) -> ClaimJudgement:
    spirals = results.filter_workloads("spiral")
    iterations = spirals.values(_LE, "iterations")
    sides = " and ".join(dict.fromkeys(str(m.width) for m in spirals.all))
    return make_judgement(
        f"{format_range(iterations, ' iterations', 0)} on {sides} cells a side",
        reproduced=set(iterations) == {3},
        shape=max(iterations) <= 6,
        reason="The count depends on how far threads see one another's writes in a launch.",
    )


@claim(
    "3",
    "The number of iterations of Label Equivalence depends only weakly on the size of the "
    "component.",
    "3 on spirals of all sizes",
    "counts on spirals differ by up to 1; shape: up to twice as many",
)
def _weakly_by_size(results: Results) -> ClaimJudgement:
    spirals = results.filter_workloads("spiral")
    iterations = spirals.values(_LE, "iterations")
    sizes = spirals.values(_LE, "foreground")
    listed = ", ".join(f"{n:.0f} on {c:,.0f} cells" for n, c in zip(iterations, sizes, strict=True))
    return make_judgement(
        f"spirals, each a single component: {listed}",
        reproduced=max(iterations) - min(iterations) <= 1,
        shape=max(iterations) <= 2 * min(iterations),
    )


@claim(
    "3",
    "The number of iterations of Label Equivalence depends strongly on the topology of the "
    "component.",
    "3 on a spiral; 3 to 8 on noise (Table 2)",
    "1.5 times as many on one scene as on another, half of the cells occupied; shape: more",
)
def _strongly_by_topology(results: Results) -> ClaimJudgement:
    half = _filter_half(results)
    iterations = dict(zip(half.workloads, half.values(_LE, "iterations"), strict=True))
    most, least = max(iterations.values()), min(iterations.values())
    listed = ", ".join(f"{n:.0f} on {name}" for name, n in iterations.items())
    return make_judgement(listed, reproduced=most >= 1.5 * least, shape=most > least)


@claim(
    "4",
    "On a spiral of 1024 x 1024 Row-Col Unify needs 514 iterations.",
    "514 iterations",
    "n / 2 + 2 on n x n; shape: over 12",
)
def _many_iterations(results: Results) -> ClaimJudgement:
    spirals = results.filter_workloads("spiral")
    iterations, *_ = spirals.values(_RC, "iterations")
    printed, *_ = spirals.values(_PRINTED, "iterations")
    side = spirals.all[0].width
    return make_judgement(
        f"{iterations:.0f} iterations on {side} cells a side, which is n / 2 + 2. The printed form "
        f"stops after {printed:.0f}, so the authors' program must differ from the print",
        reproduced=iterations == side // 2 + 2,
        shape=iterations > 4 * 3,
        reason="A spiral that turns the other way needs one or two iterations fewer.",
    )


@claim(
    "3",
    "The share of occupied cells influences the time of Label Equivalence significantly.",
    "4.1 times as long at 0.5 as at 0.1",
    "at least 2 times as long; shape: longer",
)
def _density(results: Results) -> ClaimJudgement:
    (half,) = results.filter_workloads("d0.5").values(_LE, TIME)
    (tenth,) = results.filter_workloads("d0.1").values(_LE, TIME)
    return make_judgement(
        f"{half / tenth:.1f} times as long at 0.5 as at 0.1",
        reproduced=half / tenth >= 2,
        shape=half > tenth,
        reason="A modern GPU hides much of the memory traffic of 4 MiB in its cache.",
    )


@claim(
    "2.2",
    "Label Equivalence needs fewer steps than Hawick's: there is no labelling phase.",
    "two kernels an iteration instead of three",
    "fewer launches an iteration",
)
def _steps(results: Results) -> ClaimJudgement:
    kalentev, hawick = (
        [
            (launches - 1) / iterations
            for launches, iterations in zip(
                results.values(case, "launches"),
                results.values(case, "iterations"),
                strict=True,
            )
        ]
        for case in (_LE, _HAWICK)
    )
    return make_judgement(
        f"{format_range(kalentev, ' launches')} an iteration, Hawick's {format_range(hawick, '')}",
        reproduced=max(kalentev) < min(hawick),
    )


@claim(
    "2.2",
    "The scan of Label Equivalence needs no atomic operations.",
    "none",
    "0, and Hawick's some",
)
def _no_atomics(results: Results) -> ClaimJudgement:
    kalentev, hawick = (results.values(case, "atomics") for case in (_LE, _HAWICK))
    return make_judgement(
        f"{format_range(kalentev, ' atomic operations', 0)}, "
        f"Hawick's {format_range(hawick, '', 0)}",
        reproduced=max(kalentev) == 0 < min(hawick),
    )


@claim(
    "2.2",
    "Atomic operations can be left out, as the next iteration resolves a collision.",
    "no numbers",
    "as many iterations as Listing 3 with an atomic minimum; shape: up to 2 more",
)
def _collisions(results: Results) -> ClaimJudgement:
    plain, atomic = (results.values(case, "iterations") for case in (_LE, _ATOMIC))
    more = [a - b for a, b in zip(plain, atomic, strict=True)]
    return make_judgement(
        f"{format_range(plain, ' iterations', 0)}; at most {max(more):.0f} more than with an "
        "atomic minimum in Listing 3",
        reproduced=max(more) <= 0,
        shape=max(more) <= 2,
    )


@claim(
    "2.2",
    "Atomic operations, which Hawick's scan has, slow the computation down dramatically.",
    "no numbers",
    "all above 1.5; shape: all above 1",
)
def _slow_atomics(results: Results) -> ClaimJudgement:
    scan = f"{_LE}_scanning"
    rows = _filter_printed(results)
    ratios = rows.ratios(_ATOMIC, _LE, TIME, (scan, scan))
    hawick = rows.ratios(_HAWICK, _LE, TIME, (f"{_HAWICK}_scanning", scan))
    return make_judgement(
        f"with an atomic minimum Listing 3 takes {format_range(ratios, digits=2)} as long. "
        f"Hawick's scan, which also differs in padding and in the array that it lowers, takes "
        f"{format_range(hawick, digits=2)} as long as Listing 3",
        reproduced=min(ratios) > 1.5,
        shape=min(ratios) > 1,
        reason="A modern GPU probably makes atomic operations in its cache, and here one "
        "replaces a load and a store.",
    )


@claim(
    "3, 4",
    "A spiral is very hard for Row-Col Unify, and easy for Label Equivalence.",
    "51.6 and 1.0 times as long as on blobs (C1)",
    "over 20, and up to 1.25; shape: the first is over twice the second",
)
def _slow_spiral(results: Results) -> ClaimJudgement:
    blobs, spirals = results.filter_workloads("blobs C1"), results.filter_workloads("spiral")
    slow, fast = (
        spirals.values(case, TIME)[0] / blobs.values(case, TIME)[0] for case in (_RC, _LE)
    )
    return make_judgement(
        f"{slow:.1f} and {fast:.1f} times as long as on blobs (C1)",
        reproduced=slow > 20 and fast <= 1.25,
        shape=slow > 2 * fast,
    )


@claim(
    "4",
    "The time of Label Equivalence depends less on the topology than Row-Col Unify's.",
    "slowest / fastest = 51.6 for Row-Col Unify and 1.2 for Label Equivalence, where half "
    "of the cells are occupied",
    "over ten times the spread; shape: a larger spread",
)
def _topology(results: Results) -> ClaimJudgement:
    half = _filter_half(results)
    rows, equivalence = (
        max(times) / min(times) for times in (half.values(case, TIME) for case in (_RC, _LE))
    )
    return make_judgement(
        f"slowest / fastest = {rows:.1f} and {equivalence:.1f}",
        reproduced=rows > 10 * equivalence,
        shape=rows > equivalence,
    )


@claim(
    "2.2",
    "Label Equivalence is significantly improved compared to Hawick's in terms of memory "
    "consumption: there is no array of references.",
    "an array less",
    "at most two thirds of the bytes per cell; shape: fewer",
)
def _memory(results: Results) -> ClaimJudgement:
    kalentev, hawick = (results.per_cell(case, "memory") for case in (_LE, _HAWICK))
    return make_judgement(
        f"{format_range(kalentev, '')} bytes per cell beside the image, Hawick's "
        f"{format_range(hawick, '')}",
        reproduced=max(kalentev) <= min(hawick) * 2 / 3,
        shape=max(kalentev) < min(hawick),
    )


@claim(
    "2.1",
    "The updates of Row-Col Unify have bank conflicts.",
    "no numbers",
    "over 20% of the cycles; shape: any",
)
def _conflicts(results: Results) -> ClaimJudgement:
    shares, apart = (
        [
            1 - share
            for kernel in ("rows", "columns")
            for share in results.values(case, "conflict_free", f"{_RC}_{kernel}")
        ]
        for case in (_RC, _CONSECUTIVE)
    )
    return make_judgement(
        f"Conflicts cause {format_percent_range(shares)} of the shared-memory cycles of the "
        "kernels. The "
        "reads that an update makes through a reference alone need two cycles each. If lanes "
        f"update elements side by side, {format_percent_range(apart)} are left, in the steps "
        "between updates",
        reproduced=min(shares) > 0.2,
        shape=max(shares) > 0,
    )


@claim(
    "2.1",
    "The bank conflicts slow down the whole procedure.",
    "no numbers",
    "all above 1.1; shape: all above 1",
)
def _slow_conflicts(results: Results) -> ClaimJudgement:
    ratios = _filter_printed(results).ratios(_RC, _CONSECUTIVE, TIME)
    return make_judgement(
        f"{format_range(ratios, digits=2)} as long as with updates of elements side by side, which "
        "have few conflicts",
        reproduced=min(ratios) > 1.1,
        shape=min(ratios) > 1,
        reason="Other parts of the procedure probably take most of the time.",
    )


@claim(
    "2.2",
    "Padding avoids extra conditions for cells at the edge.",
    "no numbers",
    "no load more or less",
)
def _padding(results: Results) -> ClaimJudgement:
    kernel = f"{_LE}_scanning"
    left = []
    for name in results.workloads:
        loads, stores, launches = (
            results.value(_LE, name, figure, kernel) for figure in ("loads", "stores", "launches")
        )
        measurement = results.measurement(_LE, name)
        cells = measurement.height * measurement.width if measurement is not None else 0
        inside = results.value(_LE, name, "foreground")
        left.append(loads - launches * (cells + 4 * inside) - stores / 2)
    side = min(m.width for m in results.all)
    more = (side + 2) ** 2 / side**2 - 1
    extra = max(map(abs, left))
    return make_judgement(
        "The scan loads each cell once, four neighbours of each foreground cell even at the "
        f"edge, one label for each that it lowers, and {f'{extra:.0f} more' if extra else ''}"
        f"{'' if extra else 'nothing more'}. Labels take {more:.1%} more memory",
        reproduced=not any(left),
    )


@claim(
    "2.1",
    "Row-Col Unify's accesses are coalesced for rows, and for columns they are not.",
    "no numbers",
    "rows use over twice the share of the bytes moved; shape: more",
)
def _coalesced(results: Results) -> ClaimJudgement:
    rows, columns = (
        results.values(_RC, "coalescing", f"{_RC}_{kernel}") for kernel in ("rows", "columns")
    )
    return make_judgement(
        f"of the bytes moved, rows use {format_percent_range(rows)}, columns "
        f"{format_percent_range(columns)}",
        reproduced=min(rows) > 2 * max(columns),
        shape=min(rows) > max(columns),
    )


@claim(
    "Tables 1 to 3",
    "Adding up the sizes of the components by atomics takes extra time.",
    "1.4 to 13.0 times as long with sizes",
    "all above 1.2; shape: longer in the mean",
    also=("kalentev-2", "kalentev-3"),
)
def _cost_of_sizes(results: Results) -> ClaimJudgement:
    tables = _filter_printed(results.filter_measured(_SIZES, _LE))
    ratios = dict(zip(tables.workloads, tables.ratios(_SIZES, _LE, TIME), strict=True))
    wound = [ratio for name, ratio in ratios.items() if "spiral" in name]
    largest = ratios.get("noise 8128 d0.5")
    words = f"; {wound[0]:.2f} on the spiral, published 6.9" if wound else ""
    words += f"; {largest:.2f} on 8128 x 8128, published 2.24" if largest else ""
    every = list(ratios.values())
    return make_judgement(
        f"{format_range(every, digits=2)} as long with sizes{words}",
        reproduced=min(every) > 1.2,
        shape=fmean(every) > 1 + MARGIN,
        reason="Small grids probably stay in the cache of a modern GPU, where atomics are "
        "fast. That does not explain 8128 x 8128.",
    )


_TABLE_1: Final = (
    ratio_claim(
        "3",
        "Label Equivalence is faster than Row-Col Unify in all cases.",
        "13.1 to 803.9 times",
        _RC,
        _LE,
    ),
    ratio_claim(
        "4",
        "In general Label Equivalence is 15 to 35 times faster.",
        "13.1 to 39.3 times on blobs and noise",
        _RC,
        _LE,
        among="blobs|noise",
        bounds=(10, 50),
        reason="The ratio probably depends on how a GPU hides bank conflicts and scattered "
        "reads, which Row-Col Unify has.",
    ),
    _blob_sizes,
    _blob_sizes_by_rows,
    _few_iterations,
    _weakly_by_size,
    _strongly_by_topology,
    _many_iterations,
    _density,
    _steps,
    _no_atomics,
    _collisions,
    _slow_atomics,
    _memory,
    _cost_of_sizes,
    _slow_spiral,
    _topology,
    _conflicts,
    _slow_conflicts,
    _coalesced,
    _padding,
)


def _filter_half(results: Results) -> Results:
    """Return the results of the largest grids with half of the cells occupied."""
    side = max(m.width for m in results.all)
    return results.filter_workloads(f"blobs|spiral {side}|d0.5")


def _filter_printed(results: Results) -> Results:
    """Return the results on the grids of Tables 1 to 3, without the smaller spiral."""
    return results.filter(lambda m: not re.fullmatch(r"spiral (256|12)", m.workload))


_ITERATIONS: Final = {0.2: 4, 0.3: 5, 0.4: 5, 0.6: 8, 0.7: 5, 0.8: 4, 0.9: 4, 0.99: 3}
"""Table 2, the last line."""


# Claims about Table 2.


@claim(
    "3",
    "The most iterations are needed at densities of 0.5 to 0.6.",
    "4, 5, 5, 8, 5, 4, 4, 3 at 0.2, 0.3, 0.4, 0.6, 0.7, 0.8, 0.9, 0.99",
    "the most at 0.5 or 0.6 alone; shape: there, too",
)
def _peak(results: Results) -> ClaimJudgement:
    iterations = results.by_x(_LE, "iterations")
    densities = [d for d, n in iterations.items() if n == max(iterations.values())]
    listed = ", ".join(f"{n:.0f}" for n in iterations.values())
    every = ", ".join(f"{d:g}" for d in iterations)
    where = " and ".join(f"{d:g}" for d in densities)
    return make_judgement(
        f"most at {where}: {listed} at {every}",
        reproduced=all(is_between(d, 0.5, 0.6) for d in densities),
        shape=any(is_between(d, 0.5, 0.6) for d in densities),
    )


@claim(
    "3",
    "Label Equivalence takes the longest there, too.",
    "39.34 ms at 0.6, which is the most",
    "the longest at 0.5 or 0.6",
)
def _longest(results: Results) -> ClaimJudgement:
    times = results.by_x(_LE, TIME)
    at = max(times, key=times.__getitem__)
    return make_judgement(f"longest at {at:g}", reproduced=is_between(at, 0.5, 0.6))


@claim(
    "3",
    "The time falls more slowly towards high densities than towards low ones.",
    "of the longest, 26% at 0.2 and 92% at 0.9",
    "longer at 0.9 than at 0.2",
)
def _sides(results: Results) -> ClaimJudgement:
    times = results.by_x(_LE, TIME)
    longest = max(times.values())
    return make_judgement(
        f"of the longest, {times[0.2] / longest:.0%} at 0.2 and {times[0.9] / longest:.0%} at 0.9",
        reproduced=times[0.9] > times[0.2],
    )


@claim(
    "Table 2",
    "Sizes cost most at the highest density, where nearly all cells add to one component.",
    "1.6 times as long at 0.2, 13.0 at 0.99",
    "most at 0.99, over 4 times; shape: more at 0.99 than at 0.2",
)
def _sizes(results: Results) -> ClaimJudgement:
    ratios = results.ratios(_SIZES, _LE, TIME)
    return make_judgement(
        f"{ratios[0]:.1f} times as long at 0.2, {ratios[-1]:.1f} at 0.99",
        reproduced=max(ratios) == ratios[-1] > 4,
        shape=ratios[-1] > ratios[0],
        reason="Atomics of a modern GPU meet in its cache, which probably makes them cheap.",
    )


@claim(
    "Table 2",
    "Iterations by density: 4, 5, 5, 8, 5, 4, 4 and 3.",
    "at 0.2, 0.3, 0.4, 0.6, 0.7, 0.8, 0.9 and 0.99",
    "each differs by up to 1; shape: up to 2",
)
def _iterations(results: Results) -> ClaimJudgement:
    iterations = {d: n for d, n in results.by_x(_LE, "iterations").items() if d in _ITERATIONS}
    others = [
        f"{n:.0f} for {_ITERATIONS[d]} at {d:g}"
        for d, n in iterations.items()
        if n != _ITERATIONS[d]
    ]
    away = max(abs(n - _ITERATIONS[d]) for d, n in iterations.items())
    listed = ", ".join(f"{n:.0f}" for n in iterations.values())
    return make_judgement(
        f"{listed}: {len(iterations) - len(others)} of {len(iterations)} agree"
        + (f"; {', '.join(others)}" if others else ""),
        reproduced=away <= 1,
        shape=away <= 2,
        reason="The count depends on how far threads see one another's writes in a launch.",
    )


_TABLE_2: Final = (
    _peak,
    _iterations,
    _longest,
    _sides,
    unmeasured_claim(
        "3",
        "It does so because of the first condition, which checks for non-zero cells.",
        "no numbers",
        "No form without the condition is implemented.",
    ),
    _sizes,
)


# Claims about Table 3.


def _linear(results: Results, case: str) -> ClaimJudgement:
    points = list(results.by_x(case, TIME).items())
    steps = [
        ((cells / few), (time / short))
        for (few, short), (cells, time) in itertools.pairwise(points)
    ]
    same = [is_between(time / cells, 0.8, 1.25) for cells, time in steps]
    cells, times = (", ".join(f"{n:.1f}" for n in each) for each in zip(*steps, strict=True))
    return make_judgement(
        f"steps to {cells} times the cells take {times} times as long",
        reproduced=all(same),
        shape=all(same[1:]),
        reason="It is linear from 2048 x 2048 up. 1024 x 1024 probably does not fill a modern GPU.",
    )


_bounds = "each step as large as the cells', from 0.8 to 1.25 times; shape: all but the first"

_TABLE_3: Final = (
    Claim(
        "The time of Label Equivalence is linear in the number of cells.",
        "6.50 to 388.24 ms: steps of 3.8, 3.9 and 4.0 times",
        partial(_linear, case=_LE),
        section="3",
        bounds=_bounds,
    ),
    Claim(
        "The time with sizes is linear, too.",
        "14.30 to 870.70 ms: steps of 3.9, 3.9 and 4.0 times",
        partial(_linear, case=_SIZES),
        section="3",
        bounds=_bounds,
    ),
)


# Claims about Table 4.


def _times(results: Results, case: str = _LE) -> dict[int, float]:
    return {threads: results.values(f"{case}:threads={threads}", TIME)[0] for threads in _THREADS}


def _drop(results: Results, case: str, most: float) -> ClaimJudgement:
    times = _times(results, case)
    slower = {threads: times[threads] / times[64] for threads in (16, 4, 1)}
    words = ", ".join(f"{ratio:.1f} with {threads}" for threads, ratio in slower.items())
    warps = times[64] / min(times[512], times[256])
    return make_judgement(
        f"times as long as with 64 threads: {words}. The drop begins above the size of a warp: "
        f"with 64 threads a run takes {warps:.2f} times as long as with the fastest larger "
        "block, so the start of blocks may be a reason, too",
        reproduced=slower[16] > 1.1 and slower[1] > most,
        shape=slower[1] > 1.5,
    )


@claim(
    "Table 4",
    "Blocks of 64 to 512 threads are alike.",
    "24.91 to 25.34 ms: slowest / fastest = 1.02",
    "slowest / fastest up to 1.1; shape: up to 1.4",
)
def _flat(results: Results) -> ClaimJudgement:
    times = _times(results)
    large = [times[512], times[256], times[64]]
    return make_judgement(
        f"slowest / fastest of 512, 256 and 64 threads = {max(large) / min(large):.2f}",
        reproduced=max(large) / min(large) <= 1.1,
        shape=max(large) / min(large) <= 1.4,
        reason="On a grid of 64 x 64 the emulator counts the same bytes for all three, so "
        "memory is not why. Eight times as many blocks probably take longer to start than to "
        "work.",
    )


_TABLE_4: Final = (
    Claim(
        "Blocks smaller than a warp are significantly slower.",
        "1.4, 4.9 and 17.9 times with 16, 4 and 1 threads",
        partial(_drop, case=_LE, most=4),
        section="3",
        bounds="over 1.1 times with 16 and over 4 with 1; shape: over 1.5 with 1",
    ),
    Claim(
        "With sizes, blocks smaller than a warp are slower, too.",
        "1.1, 2.8 and 9.5 times with 16, 4 and 1 threads",
        partial(_drop, case=_SIZES, most=2),
        section="3",
        bounds="over 1.1 times with 16 and over 2 with 1; shape: over 1.5 with 1",
    ),
    _flat,
)


def _spiral(size: int) -> Workload:
    """Return a spiral that begins downwards, as the paper's probably does."""
    return Workload(f"spiral {size}", format_pattern("spiral", {"size": size, "anticlockwise": 1}))


def _blobs(size: int, radius: int, name: str) -> Workload:
    values = {"width": size, "height": size, "radius": radius, "density": 0.5}
    return Workload(f"blobs {name} {size}", format_pattern("clusters", values), radius)


def _grids_1(size: int, radii: Sequence[int], *spirals: int) -> list[Workload]:
    blobs = [_blobs(size, radius, f"C{n}") for n, radius in enumerate(radii, 1)]
    return [
        *blobs,
        *map(_spiral, spirals),
        make_noise_workload(size, 0.5),
        make_noise_workload(size, 0.1),
    ]


def _grids_2(size: int) -> list[Workload]:
    return [
        make_noise_workload(size, d, x=d) for d in (0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.99)
    ]


def _grids_3(*sizes: int) -> list[Workload]:
    return [make_noise_workload(size, 0.5, x=size * size) for size in sizes]


_ROW_COL_TIMES: Final = (87.16, 87.89, 87.27, 87.65, 4501.56, 254.47, 34.75)


def _blob_table(results: Results) -> BenchTable:
    """Return Table 1."""
    spirals = _filter_printed(results)
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


_PAIR = ((_LE, _SIZES),)

PRESETS: Final = {
    "kalentev-1": Benchmark(
        "Row-Col Unify and Label Equivalence on blobs, a spiral and noise",
        "Kalentev et al. 2011, Table 1",
        (
            Case(_RC),
            Case(_RC, {"variant": "printed"}),
            Case(_RC, {"variant": "consecutive"}),
            Case(_LE),
            Case(_LE, {"variant": "atomic"}),
            *map(Case, (_SIZES, _HAWICK, *LIBRARIES)),
        ),
        _grids_1(1024, (10, 20, 50, 100), 1024, 256),
        4,
        _TABLE_1,
        scenes="Blobs are discs of radius 10, 20, 50 and 100 (C1 to C4) at random places. Half of "
        "the cells are occupied, half of these by blobs, the rest by noise. The emulator counts "
        "on 256 x 256, where one disc of radius 100 would cover 48% of the map: there the radii "
        "are 5, 10, 20 and 40. The paper has Row-Col Unify for 1024 x 1024 alone (2.1), so what "
        "is counted is an adapted kernel. The paper takes its spiral from Hawick et al. and does "
        "not say which way it turns; here it begins downwards, which fits 514 iterations.",
        reduced=_grids_1(48, (2, 4, 6, 10), 48, 12),
        counted=_grids_1(256, (5, 10, 20, 40), 256),
        schedule="synchronous",
        simpler=_PAIR,
        tables=(_blob_table,),
    ),
    "kalentev-2": Benchmark(
        "Label Equivalence by the density of noise",
        "Kalentev et al. 2011, Table 2",
        tuple(map(Case, (_LE, _SIZES, *LIBRARIES))),
        _grids_2(2048),
        4,
        _TABLE_2,
        "density",
        scenes="Noise of 2048 x 2048 cells.",
        reduced=_grids_2(REDUCED),
        schedule="synchronous",
        simpler=_PAIR,
        tables=(_density_table,),
    ),
    "kalentev-3": Benchmark(
        "Label Equivalence by the number of cells",
        "Kalentev et al. 2011, Table 3",
        tuple(map(Case, (_LE, _SIZES, *LIBRARIES))),
        _grids_3(1024, 2048, 4096, 8128),
        4,
        _TABLE_3,
        "cells",
        scenes="Noise of density 0.5. The paper does not give its density: Tables 1 and 2 fit 0.5.",
        reduced=_grids_3(16, 32, 64),
        schedule="synchronous",
        simpler=_PAIR,
        tables=(_size_table,),
    ),
    "kalentev-4": Benchmark(
        "Label Equivalence by the size of blocks",
        "Kalentev et al. 2011, Table 4",
        tuple(Case(key, {"threads": threads}) for key in (_LE, _SIZES) for threads in _THREADS),
        [make_noise_workload(2048, 0.5)],
        4,
        _TABLE_4,
        scenes="Noise of density 0.5 in 2048 x 2048 cells. The paper gives neither; Table 3 fits "
        "both.",
        figures=("milliseconds", "load_requests", "bytes"),
        reduced=[make_noise_workload(REDUCED, 0.5)],
        schedule="synchronous",
        simpler=tuple((f"{_LE}:threads={n}", f"{_SIZES}:threads={n}") for n in _THREADS),
        tables=(_block_table,),
    ),
}
