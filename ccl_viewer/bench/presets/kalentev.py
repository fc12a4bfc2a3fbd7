"""Kalentev et al. 2011: Tables 1 to 4, on Row-Col Unify and Label Equivalence."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Final

from ccl_viewer.bench.claims import (
    TIME,
    Claim,
    Judgement,
    Results,
    between,
    judged,
    ratio_claim,
    span,
)
from ccl_viewer.bench.libraries import LIBRARIES
from ccl_viewer.bench.measuring import Case, Workload
from ccl_viewer.bench.presets.grids import REDUCED, noise
from ccl_viewer.bench.running import Benchmark
from ccl_viewer.grids.specs import pattern_spec

_LE, _SIZES = "label_equivalence", "label_equivalence_sizes"


def _table_1() -> tuple[Claim, ...]:
    """Return the claims about Table 1."""

    def blobs(results: Results) -> Judgement:
        found = results.values("label_equivalence", results.workloads("blobs"), TIME)
        spread = max(found) / min(found)
        return judged(
            f"slowest / fastest = {spread:.2f}", reproduced=spread <= 1.25, shape=spread <= 2
        )

    def few(results: Results) -> Judgement:
        spirals = results.workloads("spiral")
        found = results.values("label_equivalence", spirals, "iterations")
        sides = " and ".join(str(results.side(name)) for name in spirals)
        return judged(
            f"{span(found, ' iterations', 0)} on {sides} cells a side",
            reproduced=set(found) == {3},
            shape=max(found) <= 6,
            reason="The count depends on how far threads see one another's writes in a launch.",
        )

    def many(results: Results) -> Judgement:
        spirals = results.workloads("spiral")
        found = results.values("row_col_unify", spirals, "iterations")[0]
        expected = results.side(spirals[0]) // 2 + 2
        return judged(
            f"{found:.0f} iterations on {results.side(spirals[0])} cells a side",
            reproduced=found == expected,
            shape=found > 4 * 3,
            reason="A spiral that turns the other way needs one or two iterations fewer.",
        )

    def density(results: Results) -> Judgement:
        (half,) = results.values("label_equivalence", results.workloads("d0.5"), TIME)
        (tenth,) = results.values("label_equivalence", results.workloads("d0.1"), TIME)
        return judged(
            f"{half / tenth:.1f} times as long at 0.5 as at 0.1",
            reproduced=half / tenth >= 2,
            shape=half > tenth,
            reason="A GPU of today hides much of the memory traffic of 4 MiB in its cache.",
        )

    def steps(results: Results) -> Judgement:
        own, hawick = (
            [
                (results.value(case, name, "launches") - 1)
                / results.value(case, name, "iterations")
                for name in results.workloads()
            ]
            for case in ("label_equivalence", "label_equivalence_hawick")
        )
        return judged(
            f"{span(own, ' launches')} an iteration, Hawick's {span(hawick, '')}",
            reproduced=max(own) < min(hawick),
        )

    def no_atomics(results: Results) -> Judgement:
        found = results.values("label_equivalence", results.workloads(), "atomics")
        hawick = results.values("label_equivalence_hawick", results.workloads(), "atomics")
        return judged(
            f"{span(found, ' atomic operations', 0)}, Hawick's {span(hawick, '', 0)}",
            reproduced=max(found) == 0 < min(hawick),
        )

    def spiral(results: Results) -> Judgement:
        blobs, spirals = results.workloads("blobs C1"), results.workloads("spiral")[:1]
        slow, fast = (
            results.values(case, spirals, TIME)[0] / results.values(case, blobs, TIME)[0]
            for case in ("row_col_unify", _LE)
        )
        return judged(
            f"{slow:.1f} and {fast:.1f} times as long as on blobs (C1)",
            reproduced=slow > 20 and fast <= 1.25,
            shape=slow > 2 * fast,
        )

    def topology(results: Results) -> Judgement:
        names = [name for name in results.workloads() if not name.endswith(("256", "d0.1"))]
        rows, own = (
            max(found) / min(found)
            for found in (results.values(case, names, TIME) for case in ("row_col_unify", _LE))
        )
        return judged(
            f"slowest / fastest = {rows:.1f} and {own:.1f}",
            reproduced=rows > 10 * own,
            shape=rows > own,
        )

    def memory(results: Results) -> Judgement:
        own, hawick = (
            [
                results.value(case, name, "memory") / results.side(name) ** 2
                for name in results.workloads()
            ]
            for case in (_LE, "label_equivalence_hawick")
        )
        return judged(
            f"{span(own, '')} bytes a cell beside the image, Hawick's {span(hawick, '')}",
            reproduced=max(own) < min(hawick),
        )

    def conflicts(results: Results) -> Judgement:
        names = results.workloads()
        shares = [
            1 - share
            for kernel in ("rows", "columns")
            for share in results.values(
                "row_col_unify", names, "conflict_free", f"row_col_unify_{kernel}"
            )
        ]
        return judged(
            f"{min(shares):.0%} to {max(shares):.0%} of the turns of shared memory are conflicts "
            f"on grids of {max(results.side(name) for name in names)} cells a side",
            reproduced=max(shares) > 0.2,
            shape=max(shares) > 0,
        )

    def coalesced(results: Results) -> Judgement:
        rows, columns = (
            results.values(
                "row_col_unify", results.workloads(), "coalescing", f"row_col_unify_{kernel}"
            )
            for kernel in ("rows", "columns")
        )
        return judged(
            f"of the bytes moved, rows use {min(rows):.0%} to {max(rows):.0%}, columns "
            f"{min(columns):.0%} to {max(columns):.0%}",
            reproduced=min(rows) > 2 * max(columns),
            shape=min(rows) > max(columns),
        )

    return (
        ratio_claim(
            "Label Equivalence is faster than Row-Col Unify in all cases.",
            "13.1 to 803.9 times",
            "row_col_unify",
            _LE,
        ),
        ratio_claim(
            "In general Label Equivalence is 15 to 35 times faster.",
            "13.1 to 39.3 times on blobs and noise",
            "row_col_unify",
            _LE,
            among="blobs|noise",
            bounds=(10, 50),
            reason="The ratio probably depends on how a GPU hides bank conflicts and scattered "
            "reads.",
        ),
        Claim(
            "The size of blobs does not affect the time of Label Equivalence.",
            "5.60 to 6.68 ms: slowest / fastest = 1.19",
            blobs,
        ),
        Claim(
            "On a spiral Label Equivalence needs 3 iterations, whatever the size of the map.",
            "3 iterations",
            few,
        ),
        Claim(
            "On a spiral of 1024 x 1024 Row-Col Unify needs 514 iterations.",
            "514 iterations, which is n / 2 + 2",
            many,
        ),
        Claim(
            "The share of occupied cells influences the time of Label Equivalence significantly.",
            "4.1 times as long at 0.5 as at 0.1",
            density,
        ),
        Claim(
            "Label Equivalence needs fewer steps than Hawick's: there is no labelling phase.",
            "two kernels an iteration instead of three",
            steps,
        ),
        Claim("The scan of Label Equivalence needs no atomic operations.", "none", no_atomics),
        ratio_claim(
            "Atomic operations, which Hawick's scan has, slow the computation down dramatically.",
            "no numbers",
            "label_equivalence_hawick",
            _LE,
            kernels=("label_equivalence_hawick_scanning", "label_equivalence_scanning"),
            bounds=(1.5, math.inf),
            measured="Hawick's scan takes {} as long",
            digits=2,
            reason="A GPU of today makes atomic operations in its cache.",
        ),
        Claim(
            "Label Equivalence needs less memory than Hawick's: there is no array of references.",
            "an array less",
            memory,
        ),
        ratio_claim(
            "The sizes of the components, added by atomics, take time of their own.",
            "1.4 to 6.9 times as long with sizes",
            _SIZES,
            _LE,
            bounds=(1.2, math.inf),
            shape=lambda found: max(found) > 1.2,
            measured="{} as long with sizes",
            reason="On the emulator, sizes move 1.1 to 1.3 times the bytes, with about one atomic "
            "operation for two cells at most. On a GPU of 2008 these probably took far longer.",
        ),
        Claim(
            "A spiral is very hard for Row-Col Unify, and easy for Label Equivalence.",
            "51.6 and 1.0 times as long as on blobs (C1)",
            spiral,
        ),
        Claim(
            "The time of Label Equivalence depends less on the topology than Row-Col Unify's.",
            "slowest / fastest = 51.6 for Row-Col Unify and 1.2 for Label Equivalence, where half "
            "of the cells are occupied",
            topology,
        ),
        Claim("The updates of Row-Col Unify have bank conflicts.", "no numbers", conflicts),
        Claim(
            "Row-Col Unify's accesses are coalesced for rows, and for columns they are not.",
            "no numbers",
            coalesced,
        ),
    )


def _table_2() -> tuple[Claim, ...]:
    """Return the claims about Table 2."""

    def peak(results: Results) -> Judgement:
        names = results.workloads()
        found = results.values("label_equivalence", names, "iterations")
        densities = [
            results.x(name) for name, n in zip(names, found, strict=True) if n == max(found)
        ]
        listed = ", ".join(f"{n:.0f}" for n in found)
        every = ", ".join(f"{results.x(name):g}" for name in names)
        where = " and ".join(f"{d:g}" for d in densities)
        return judged(
            f"most at {where}: {listed} at {every}",
            reproduced=any(between(d, 0.5, 0.6) for d in densities),
        )

    def longest(results: Results) -> Judgement:
        names = results.workloads()
        found = results.values(_LE, names, TIME)
        at = results.x(names[found.index(max(found))])
        return judged(f"longest at {at:g}", reproduced=between(at, 0.5, 0.6))

    def sides(results: Results) -> Judgement:
        names = results.workloads()
        found = results.values("label_equivalence", names, TIME)
        times = {results.x(name): t for name, t in zip(names, found, strict=True)}
        return judged(
            f"of the longest, {times[0.2] / max(found):.0%} at 0.2 and "
            f"{times[0.9] / max(found):.0%} at 0.9",
            reproduced=times[0.9] > times[0.2],
        )

    def sizes(results: Results) -> Judgement:
        names = results.workloads()
        found = results.ratios("label_equivalence_sizes", "label_equivalence", names, TIME)
        return judged(
            f"{found[0]:.1f} times as long at 0.2, {found[-1]:.1f} at 0.99",
            reproduced=max(found) == found[-1] > 4,
            shape=found[-1] > found[0],
            reason="Atomics of a GPU of today meet in its cache, which probably makes them cheap.",
        )

    return (
        Claim(
            "The most iterations are needed at densities of 0.5 to 0.6.",
            "4, 5, 5, 8, 5, 4, 4, 3 at 0.2, 0.3, 0.4, 0.6, 0.7, 0.8, 0.9, 0.99",
            peak,
        ),
        Claim(
            "Label Equivalence takes the longest there, too.",
            "39.34 ms at 0.6, which is the most",
            longest,
        ),
        Claim(
            "The time falls more slowly towards high densities than towards low ones.",
            "of the longest, 26% at 0.2 and 92% at 0.9",
            sides,
        ),
        Claim(
            "Sizes cost most at the highest density, where nearly all cells add to one component.",
            "1.6 times as long at 0.2, 13.0 at 0.99",
            sizes,
        ),
    )


def _table_3() -> tuple[Claim, ...]:
    """Return the claims about Table 3."""

    def linear(results: Results, case: str) -> Judgement:
        names = results.workloads()
        found = results.values(case, names, TIME)
        cells = [results.x(name) for name in names]
        slopes = [
            math.log(found[-1] / found[n]) / math.log(cells[-1] / cells[n])
            for n in range(len(found) - 1)
        ]
        return judged(
            f"time grows with the power {slopes[0]:.2f} of the cells over all sizes, "
            f"{slopes[-1]:.2f} over the last two",
            reproduced=between(slopes[0], 0.9, 1.1),
            shape=between(slopes[-1], 0.8, 1.2),
            reason="Small grids probably do not fill a GPU of today, and fit into its cache.",
        )

    def weakly(results: Results) -> Judgement:
        names = results.workloads()
        found = results.values(_LE, names, "iterations")
        grown = results.x(names[-1]) / results.x(names[0])
        return judged(
            f"{span(found, ' iterations', 0)} on noise while the cells become {grown:.0f} times as "
            "many",
            reproduced=max(found) - min(found) <= 2,
            shape=max(found) <= 2 * min(found),
        )

    linear_text = "The time of Label Equivalence is linear in the number of cells."
    with_sizes = "The time with sizes is linear, too."
    return (
        Claim(
            linear_text,
            "6.50 to 388.24 ms: power 0.99, and 1.01 over the last two",
            partial(linear, case=_LE),
        ),
        Claim(
            with_sizes,
            "14.30 to 870.70 ms: power 0.99, and 1.01 over the last two",
            partial(linear, case=_SIZES),
        ),
        Claim(
            "The number of iterations depends only weakly on the size.",
            "3 on spirals of all sizes",
            weakly,
        ),
    )


def _table_4() -> tuple[Claim, ...]:
    """Return the claims about Table 4."""

    def times(results: Results, case: str = _LE) -> dict[int, float]:
        name = results.workloads()[0]
        return {
            threads: results.value(f"{case}:threads={threads}", name, TIME)
            for threads in (512, 256, 64, 16, 4, 1)
        }

    def drop(results: Results, case: str, most: float) -> Judgement:
        found = times(results, case)
        slower = {threads: found[threads] / found[64] for threads in (16, 4, 1)}
        words = ", ".join(f"{ratio:.1f} with {threads}" for threads, ratio in slower.items())
        return judged(
            f"times as long as with 64 threads: {words}",
            reproduced=slower[16] > 1.1 and slower[1] > most,
            shape=slower[1] > 1.5,
        )

    def flat(results: Results) -> Judgement:
        found = times(results)
        large = [found[512], found[256], found[64]]
        return judged(
            f"slowest / fastest of 512, 256 and 64 threads = {max(large) / min(large):.2f}",
            reproduced=max(large) / min(large) <= 1.1,
            shape=max(large) / min(large) <= 1.4,
            reason="On the emulator all three move the same bytes, so memory is not why. Eight "
            "times as many blocks probably take longer to start than to work.",
        )

    return (
        Claim(
            "Blocks smaller than a warp are significantly slower.",
            "1.4, 4.9 and 17.9 times with 16, 4 and 1 threads",
            partial(drop, case=_LE, most=4),
        ),
        Claim(
            "With sizes, blocks smaller than a warp are slower, too.",
            "1.1, 2.8 and 9.5 times with 16, 4 and 1 threads",
            partial(drop, case=_SIZES, most=2),
        ),
        Claim(
            "Blocks of 64 to 512 threads are alike.",
            "24.91 to 25.34 ms: slowest / fastest = 1.02",
            flat,
        ),
    )


def _spiral(size: int) -> Workload:
    """Return a spiral that begins downwards, as the paper's must have done."""
    return Workload(f"spiral {size}", pattern_spec("spiral", {"size": size, "anticlockwise": 1}))


def _blobs(size: int, radius: int, name: str) -> Workload:
    values = {"width": size, "height": size, "radius": radius, "density": 0.5}
    return Workload(f"blobs {name} {size}", pattern_spec("clusters", values), radius)


def _grids_1(size: int, radii: Sequence[int]) -> list[Workload]:
    blobs = [_blobs(size, radius, f"C{n}") for n, radius in enumerate(radii, 1)]
    return [*blobs, _spiral(size), _spiral(size // 4), noise(size, 0.5), noise(size, 0.1)]


def _grids_2(size: int) -> list[Workload]:
    return [noise(size, d, x=d) for d in (0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.99)]


def _grids_3(*sizes: int) -> list[Workload]:
    return [noise(size, 0.5, x=size * size) for size in sizes]


PRESETS: Final = {
    "kalentev-1": Benchmark(
        "Row-Col Unify and Label Equivalence on blobs, a spiral and noise",
        "Kalentev et al. 2011, Table 1",
        (
            Case("row_col_unify"),
            Case(_LE),
            Case(_SIZES),
            Case("label_equivalence_hawick"),
            *map(Case, LIBRARIES),
        ),
        _grids_1(1024, (10, 20, 50, 100)),
        4,
        _table_1(),
        reduced=_grids_1(48, (2, 4, 6, 10)),
    ),
    "kalentev-2": Benchmark(
        "Label Equivalence by the density of noise",
        "Kalentev et al. 2011, Table 2",
        (Case(_LE), Case(_SIZES), *map(Case, LIBRARIES)),
        _grids_2(2048),
        4,
        _table_2(),
        "density",
        reduced=_grids_2(REDUCED),
    ),
    "kalentev-3": Benchmark(
        "Label Equivalence by the number of cells",
        "Kalentev et al. 2011, Table 3",
        (Case(_LE), Case(_SIZES), *map(Case, LIBRARIES)),
        _grids_3(1024, 2048, 4096, 8128),
        4,
        _table_3(),
        "cells",
        reduced=_grids_3(16, 32, 64),
    ),
    "kalentev-4": Benchmark(
        "Label Equivalence by the size of blocks",
        "Kalentev et al. 2011, Table 4",
        tuple(
            Case(key, {"threads": threads})
            for key in ("label_equivalence", "label_equivalence_sizes")
            for threads in (512, 256, 64, 16, 4, 1)
        ),
        [noise(2048, 0.5)],
        4,
        _table_4(),
        figures=("milliseconds", "load_requests", "bytes"),
        reduced=[noise(REDUCED, 0.5)],
    ),
}
