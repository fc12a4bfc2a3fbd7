"""What the papers claim about their tables and figures, each with its judge."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from functools import partial
from statistics import fmean

from ccl_viewer.bench.claims import (
    TIME,
    Claim,
    Judgement,
    MissingError,
    Results,
    between,
    judged,
    span,
)


def _times(
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
        found = results.ratios(top, bottom, results.workloads(among), figure, kernels)
        return judged(
            measured.format(span(found, digits=digits)),
            reproduced=bounds[0] < min(found) and max(found) <= bounds[1],
            shape=shape(found),
            reason=reason,
        )

    return Claim(text, published, judge)


# Kalentev et al. 2011

_LE, _SIZES = "label_equivalence", "label_equivalence_sizes"


def kalentev_1() -> tuple[Claim, ...]:
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
            f"{slow:.1f} and {fast:.1f} times as long as on blobs",
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
            f"{span(own, '')} bytes a cell, Hawick's {span(hawick, '')}",
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
            f"{min(shares):.0%} to {max(shares):.0%} of the turns of the banks on grids of "
            f"{max(results.side(name) for name in names)} cells a side",
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
        _times(
            "Label Equivalence is faster than Row-Col Unify in all cases.",
            "13.1 to 803.9 times",
            "row_col_unify",
            _LE,
        ),
        _times(
            "In general Label Equivalence is 15 to 35 times faster.",
            "13.1 to 39.3 times on blobs and noise",
            "row_col_unify",
            _LE,
            among="blobs|noise",
            bounds=(10, 50),
            reason="The ratio probably depends on how a GPU hides bank conflicts and scattered "
            "reads.",
        ),
        Claim("The size of blobs does not affect Label Equivalence.", "5.60 to 6.68 ms", blobs),
        Claim(
            "On a spiral Label Equivalence needs 3 iterations, whatever the size of the map.",
            "3 iterations",
            few,
        ),
        Claim(
            "On a spiral of 1024 x 1024 Row-Col Unify needs 514 iterations.",
            "514 = n / 2 + 2",
            many,
        ),
        Claim(
            "The share of occupied cells influences the time significantly.",
            "4.1 times as long at 0.5 as at 0.1",
            density,
        ),
        Claim(
            "It needs fewer steps than Hawick's: there is no labelling phase.",
            "two kernels an iteration instead of three",
            steps,
        ),
        Claim("Its scan needs no atomic operations.", "none", no_atomics),
        _times(
            "Atomic operations slow the scan down dramatically.",
            "no numbers",
            "label_equivalence_hawick",
            _LE,
            kernels=("label_equivalence_hawick_scanning", "label_equivalence_scanning"),
            bounds=(1.5, math.inf),
            measured="Hawick's scan, which has them, takes {} as long",
            digits=2,
            reason="A GPU of today makes atomic operations in its cache.",
        ),
        Claim(
            "It needs less memory than Hawick's: there is no array of references.",
            "an array less",
            memory,
        ),
        _times(
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
            "51.6 and 1.0 times as long as on blobs",
            spiral,
        ),
        Claim(
            "The time of Label Equivalence depends less on the topology than Row-Col Unify's.",
            "slowest / fastest = 51.6 and 1.2, where half of the cells are occupied",
            topology,
        ),
        Claim("The updates of Row-Col Unify have bank conflicts.", "not counted", conflicts),
        Claim(
            "Row-Col Unify's accesses are coalesced for rows, and for columns they are not.",
            "not counted",
            coalesced,
        ),
    )


def kalentev_2() -> tuple[Claim, ...]:
    """Return the claims about Table 2."""

    def peak(results: Results) -> Judgement:
        names = results.workloads()
        found = results.values("label_equivalence", names, "iterations")
        densities = [
            results.x(name) for name, n in zip(names, found, strict=True) if n == max(found)
        ]
        listed = ", ".join(f"{n:.0f}" for n in found)
        where = " and ".join(f"{d:g}" for d in densities)
        return judged(
            f"most at {where}; by density {listed}",
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
        Claim("It takes the longest there, too.", "39.34 ms at 0.6, which is the most", longest),
        Claim(
            "The time falls more slowly towards high densities than towards low ones.",
            "26 % of the longest at 0.2, 92 % at 0.9",
            sides,
        ),
        Claim(
            "Sizes cost most at the highest density, where all cells add to one component.",
            "1.6 times as long at 0.2, 13.0 at 0.99",
            sizes,
        ),
    )


def kalentev_3() -> tuple[Claim, ...]:
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
            f"{span(found, ' iterations', 0)} while the cells become {grown:.0f} times as many",
            reproduced=max(found) - min(found) <= 2,
            shape=max(found) <= 2 * min(found),
        )

    linear_text = "The time is linear in the number of cells."
    with_sizes = "It is linear with sizes, too."
    return (
        Claim(linear_text, "6.50 to 388.24 ms", partial(linear, case=_LE)),
        Claim(with_sizes, "14.30 to 870.70 ms", partial(linear, case=_SIZES)),
        Claim("The iterations depend only weakly on the size.", "no numbers", weakly),
    )


def kalentev_4() -> tuple[Claim, ...]:
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
            "With sizes they are slower, too.",
            "1.1, 2.8 and 9.5 times with 16, 4 and 1 threads",
            partial(drop, case=_SIZES, most=2),
        ),
        Claim("Blocks of 64 to 512 threads are alike.", "24.91 to 25.34 ms", flat),
    )


# Stava and Benes 2011

_STAVA = "stava_benes"


def stava_11() -> tuple[Claim, ...]:
    """Return the claims about Figure 35.11."""

    def rates(results: Results, case: str, part: str) -> list[float]:
        names = results.workloads(rf"^\({part}\)")
        found = results.values(case, names, TIME)
        return [results.side(n) ** 2 / t / 1000 for n, t in zip(names, found, strict=True)]

    def scales(results: Results) -> Judgement:
        found = {part: rates(results, _STAVA, part) for part in "bcd"}
        words = (f"({part}) {r[0]:,.0f} to {r[-1]:,.0f}" for part, r in found.items())
        return judged(
            f"{'; '.join(words)} megapixels a second",
            reproduced=all(r[-1] > r[0] for r in found.values()),
        )

    def gains(results: Results) -> dict[str, list[float]]:
        """Return by how much the throughput of the three methods rises, by part."""
        cases = (_STAVA, "label_equivalence_hawick", "scipy")
        found = {part: [rates(results, case, part) for case in cases] for part in "bcd"}
        return {part: [r[-1] / r[0] for r in each] for part, each in found.items()}

    def scalability(results: Results) -> Judgement:
        found = gains(results)
        words = (f"({part}) {a:.1f}, {b:.1f} and {c:.1f}" for part, (a, b, c) in found.items())
        most = [each[0] == max(each) for each in found.values()]
        return judged(
            f"{'; '.join(words)} times the throughput, for Stava-Benes, Hawick and SciPy",
            reproduced=all(most),
            shape=any(most),
            reason="Small grids probably do not fill a GPU of today.",
        )

    def unaffected(results: Results) -> Judgement:
        _, hawick, processor = zip(*gains(results).values(), strict=True)
        return judged(
            f"Hawick's rises {span(hawick)}, SciPy's {span(processor)}",
            reproduced=between(max(*hawick, *processor), 0, 1.35),
            shape=between(max(*hawick, *processor), 0, 2),
            reason="Small grids probably do not fill a GPU of today, with either method.",
        )

    def speedup(results: Results) -> Judgement:
        words, rising = [], []
        for case, name in (("label_equivalence_hawick", "Hawick's"), ("scipy", "SciPy's")):
            dense, sparse = (
                results.ratios(case, _STAVA, results.workloads(rf"^\({part}\)"), TIME)
                for part in ("[bc]", "d")
            )
            words.append(f"{span(sparse, '')} times over {name} if sparse, else {span(dense)}")
            rising.append(sum(sparse) / len(sparse) > sum(dense) / len(dense))
        return judged(
            "; ".join(words),
            reproduced=all(rising),
            shape=any(rising),
            reason="The others gain as much from sparse components here.",
        )

    def fixed(results: Results) -> Judgement:
        found = {
            size: {
                results.value(_STAVA, name, "launches")
                for name in results.workloads()
                if results.side(name) == size
            }
            for size in sorted({m.width for m in results.all})
        }
        words = ", ".join(f"{max(counts):.0f} at {size}" for size, counts in found.items())
        return judged(
            f"{words}, whatever the picture",
            reproduced=all(len(counts) == 1 for counts in found.values()),
        )

    def sparse(results: Results) -> Judgement:
        few = results.values(_STAVA, results.workloads(r"^\(d\)"), TIME)
        found = [
            a / b
            for part in "bc"
            for a, b in zip(
                results.values(_STAVA, results.workloads(rf"^\({part}\)"), TIME), few, strict=True
            )
        ]
        return judged(
            f"{span(found)} as long where discs fill the canvas",
            reproduced=min(found) > 1.1,
            shape=sum(found) > len(found),
            reason="At 1024 x 1024 the launches probably take most of the time, whatever the "
            "picture.",
        )

    def flattening(results: Results) -> Judgement:
        names = results.workloads()
        found = results.ratios(f"{_STAVA}:flatten=0", _STAVA, names, TIME)
        mean = sum(found) / len(found)
        large = ", ".join(f"{ratio:.2f} on {n}" for ratio, n in zip(found, names, strict=True)
                          if n.endswith(f" {results.side(names[-1])}"))  # fmt: skip
        return judged(
            f"{mean:.2f} times as long without kernel 3 in the mean, {large}",
            reproduced=between(mean, 1.1, 1.25),
            shape=mean > 1.02,
            reason="It gains on large grids with large or many components. Elsewhere its launches "
            "take longer than the walks that they shorten.",
        )

    def grouping(results: Results) -> Judgement:
        names = results.workloads()
        found = {
            factor: results.ratios(f"{_STAVA}:factor={factor}", _STAVA, names, TIME)
            for factor in (2, 8)
        }
        means = {factor: sum(ratios) / len(ratios) for factor, ratios in found.items()}
        words = (f"{mean:.2f} with {n} x {n}" for n, mean in means.items())
        return judged(
            f"of the time with 4 x 4, {' and '.join(words)} in the mean",
            reproduced=min(means.values()) > 1,
            shape=min(means.values()) > 0.95,
            reason="A GPU of today has room for more blocks and more threads of a block.",
        )

    def depth(results: Results) -> Judgement:
        kernels = ("stava_benes_merge", "stava_benes_merge")
        names = [n for n in results.workloads() if results.side(n) > 64]  # merged twice at least
        found = results.ratios(f"{_STAVA}:flatten=0", _STAVA, names, "walk_loads", kernels)
        return judged(
            f"{span(found, digits=2)} the loads of walks without kernel 3",
            reproduced=max(found) >= 1.5,
            shape=max(found) > 1,
            reason="The grids that are counted are merged in two levels only.",
        )

    def little(results: Results) -> Judgement:
        names = [n for n in results.workloads() if results.side(n) > 64]
        found = [
            results.value(_STAVA, name, "atomics", "stava_benes_merge") / results.side(name) ** 2
            for name in names
        ]
        return judged(
            f"{min(found):.1%} to {max(found):.1%} of the cells on grids of "
            f"{results.side(names[0])} cells a side",
            reproduced=max(found) < 0.1,
        )

    return (
        _times(
            "About 3 times as fast as Hawick's Label Equivalence.",
            "2.5 to 4.7 times",
            "label_equivalence_hawick",
            _STAVA,
            bounds=(1.5, 7),
            reason="Hawick's kernels probably gain from caches, which their GPU hardly had.",
        ),
        _times(
            "10 to 15 times as fast as a CPU.",
            "8.8 to 20.3 times",
            "scipy",
            _STAVA,
            bounds=(5, 30),
            measured="{} (SciPy on one core)",
            reason="Both machines are others than the chapter's.",
        ),
        _times(
            "Hawick's Label Equivalence is faster than a CPU, too.",
            "3.2 to 4.6 times",
            "scipy",
            "label_equivalence_hawick",
            bounds=(1.5, 7),
            measured="{} (SciPy on one core)",
            reason="Both machines are others than the chapter's.",
        ),
        Claim(
            "The throughput rises with the resolution.",
            "(b) 1,049 to 1,553; (c) 647 to 834; (d) 1,398 to 1,939 megapixels a second",
            scales,
        ),
        Claim(
            "It is fastest where components are sparse.",
            "1.2 to 2.4 times as long where objects fill the canvas",
            sparse,
        ),
        Claim(
            "Its throughput rises more with the resolution than that of the others.",
            "(b) 1.5, 1.3 and 1.0 times; (c) 1.3, 1.2 and 1.0; (d) 1.4, 1.0 and 1.0",
            scalability,
        ),
        Claim(
            "The throughput of the others hardly depends on the resolution.",
            "Hawick's rises 1.0 to 1.3 times, the CPU's 1.0 times",
            unaffected,
        ),
        Claim(
            "The speedup is higher where components are sparse.",
            "2.5 to 3.5 times over Hawick's, else 2.6 to 3.1; 11.5 to 15.7 over a CPU's, else "
            "8.8 to 14.0",
            speedup,
        ),
        Claim("Flattening the borders (kernel 3) gains 15 to 20 %.", "15 to 20 %", flattening),
        Claim(
            "Without it, trees at the borders may become much deeper from level to level.",
            "no numbers",
            depth,
        ),
        Claim(
            "Merging 4 x 4 tiles at a time gives good results; more or fewer are worse.",
            "no numbers",
            grouping,
        ),
        Claim("Merging writes the labels of few cells.", "no numbers", little),
        Claim(
            "The number of launches depends on the size of the picture alone.",
            "fixed for given dimensions",
            fixed,
        ),
    )


def stava_12() -> tuple[Claim, ...]:
    """Return the claims about Figure 35.12."""

    def shares(results: Results, workload: str) -> list[float]:
        found = [
            results.value(_STAVA, workload, TIME, f"stava_benes_{kernel}")
            for kernel in ("tile", "merge", "flatten", "final")
        ]
        return [value / sum(found) for value in found]

    def first(results: Results) -> Judgement:
        found = [shares(results, name) for name in results.workloads()]
        both = [a + b for a, b, _, _ in found]
        return judged(
            f"kernels 1 and 2 take {min(both):.0%} to {max(both):.0%}",
            reproduced=min(both) >= 0.7,
            shape=min(both) > 0.5,
        )

    def falls(results: Results) -> Judgement:
        words, falling = [], []
        for part in ("b", "c", "d"):
            found = [shares(results, name)[1] for name in results.workloads(rf"^\({part}\)")]
            falling.append(found[-1] < found[0])
            words.append(f"({part}) {found[0]:.0%} to {found[-1]:.0%}")
        return judged("; ".join(words), reproduced=all(falling), shape=any(falling))

    return (
        Claim("Kernels 1 and 2 take most of the time.", "79 % to 89 %", first),
        Claim(
            "The share of kernel 2 falls as the grid grows.",
            "(b) 52 % to 33 %; (c) 48 % to 37 %; (d) 38 % to 28 %",
            falls,
        ),
    )


# Hennequin et al. 2018


def hennequin_5() -> tuple[Claim, ...]:
    """Return the claims about Figure 5; Playne's tiles are what its authors compared with."""
    rivals = {"playne_block": "Playne-Hawick by blocks", "cabaret": "Cabaret"}

    def names_of(results: Results, granularity: int) -> list[str]:
        ending = f"g{granularity}$" if granularity > 1 else r"d[\d.]+$"
        return [name for name in results.workloads(ending) if results.x(name) > 0]

    def mean(results: Results, case: str, granularity: int = 4) -> float:
        names = names_of(results, granularity)
        return fmean(results.ratios(case, "ha4_64", names, TIME))

    def speedup(results: Results) -> Judgement:
        means = {case: mean(results, case) for case in ("playne", *rivals)}
        names = names_of(results, 4)
        every = [r for case in means for r in results.ratios(case, "ha4_64", names, TIME)]
        words = (f"Playne-Hawick's direct method {means['playne']:.1f}, by blocks "
                 f"{means['playne_block']:.1f}, Cabaret {means['cabaret']:.1f}")  # fmt: skip
        return judged(
            f"times as long in the mean: {words}; {span(every)} over all densities",
            reproduced=all(between(found, 1.9, 2.9) for found in means.values()),
            shape=min(means.values()) > 1,
            reason="A GPU of today labels tiles fast in its shared memory. Of Cabaret's unions at "
            "borders, many meet at one root where most cells are occupied.",
        )

    def granularities(results: Results) -> Judgement:
        found = {case: [mean(results, case, g) for g in (1, 4, 16)] for case in rivals}
        words = "; ".join(
            f"{rivals[case]} {', '.join(f'{n:.2f}' for n in means)}"
            for case, means in found.items()
        )
        return judged(
            f"times as long at g = 1, 4 and 16: {words}",
            reproduced=all(
                between(low, 1.4, 2.2) and between(high, 2.1, 3.3)
                for low, _, high in found.values()
            ),
            shape=all(low < middle < high for low, middle, high in found.values()),
            reason="It grows as published, from other numbers: Playne-Hawick is faster here, and "
            "Cabaret slower.",
        )

    def blocks(results: Results) -> Judgement:
        found = results.ratios("playne_block", "ha4_64", names_of(results, 4), TIME)
        single = mean(results, "playne_block", 1)
        return judged(
            f"playne_block takes {fmean(found):.2f} times HA4-64's time in the mean at g = 4, "
            f"{span(found)}; {single:.2f} times at g = 1",
            reproduced=between(fmean(found), 1.9, 2.9),
            shape=fmean(found) > 1,
            reason="The block variant labels tiles in shared memory"
            + (", and is faster than HA4 here at g = 1." if single < 1 else "."),
        )

    def steps(results: Results) -> Judgement:
        own = ("strip_labeling", "strip_merge", "relabeling")
        others = {
            "playne_block": (["playne_tile"], ["playne_border_merge"], ["playne_resolve"]),
            "cabaret": (
                ["cabaret_tile"],
                ["cabaret_merge_horizontal", "cabaret_merge_vertical"],
                ["cabaret_relabeling"],
            ),
        }
        names = names_of(results, 4)
        found: dict[str, list[float]] = {}
        for case, kernels in others.items():
            for step, parts in zip(own, kernels, strict=True):
                times = [
                    sum(results.value(case, name, TIME, part) for part in parts) for name in names
                ]
                base = results.values("ha4_64", names, TIME, f"ha4_64_{step}")
                found.setdefault(case, []).append(
                    fmean(a / b for a, b in zip(times, base, strict=True))
                )
        words = "; ".join(
            f"{rivals[case]} {', '.join(f'{n:.1f}' for n in ratios)}"
            for case, ratios in found.items()
        )
        return judged(
            f"times as long in the mean for tiles or strips, borders, relabelling: {words}",
            reproduced=all(min(ratios) > 1 for ratios in found.values()),
            reason="Borders and relabelling are faster, as published. Tiles are labelled faster in "
            "shared memory here than strips in device memory.",
        )

    def playne(results: Results) -> Judgement:
        names = [names_of(results, granularity) for granularity in (1, 4, 16)]
        found = [results.ratios("cabaret", "playne_block", each, TIME) for each in names]
        every = [ratio for each in found for ratio in each]
        return judged(
            f"Cabaret takes {', '.join(f'{fmean(each):.1f}' for each in found)} times as long as "
            f"playne_block in the mean at g = 1, 4 and 16, {span(every)}",
            reproduced=all(fmean(each) > 1 for each in found),
        )

    def both(results: Results) -> Judgement:
        found = results.ratios("ha4", "ha4_64", names_of(results, 4), TIME)
        return judged(
            f"HA4 with one pixel takes {fmean(found):.2f} times as long in the mean at g = 4, "
            f"{span(found)}",
            reproduced=fmean(found) > 1,
        )

    def rate(results: Results) -> Judgement:
        found = max(results.values("ha4_64", results.workloads(), TIME))
        return judged(f"at least {1000 / found:,.0f}", reproduced=found <= 5)

    return (
        Claim(
            "At g = 4 HA4 with two pixels a thread is 2.4 times as fast as Playne or Cabaret.",
            "2.4 times in the mean",
            speedup,
        ),
        Claim(
            "The gain grows with the granularity.", "1.8 at g = 1 to 2.7 at g = 16", granularities
        ),
        Claim("HA4 is faster than Playne, also in the block variant.", "2.4 times", blocks),
        Claim("Each of its three steps is faster than those of the others.", "Figure 5", steps),
        Claim("Two pixels a thread are faster than one.", "Figure 5", both),
        Claim("Playne is faster than Cabaret.", "Figure 5", playne),
        Claim("It labels 200 images of 2048 x 2048 a second.", "200", rate),
    )


def hennequin_6() -> tuple[Claim, ...]:
    """Return the claim about Figure 6."""

    def bump(results: Results) -> Judgement:
        names = [name for name in results.workloads("g4$") if 30 <= results.x(name) <= 90]
        if not names:
            raise MissingError("The densities were left out.")
        figure = TIME if TIME in results.all[0].figures else "loads"
        found = {
            results.x(name): results.value("ha4_features", name, figure, "ha4_features")
            for name in names
        }
        top = max(found, key=found.__getitem__)
        unit = "milliseconds" if figure == TIME else "loads, not times"
        return judged(
            f"the features kernel has its maximum at {top:.0f} % ({unit})",
            reproduced=between(top, 58, 70),
            shape=between(top, 50, 80),
        )

    return (
        Claim(
            "The features take longest around a density of 64 %, near the percolation threshold.",
            "around 64 %",
            bump,
        ),
    )


HEIGHTS = (1, 2, 4, 8, 16)
"""Heights of HA4's strips that are measured."""


def hennequin_height() -> tuple[Claim, ...]:
    """Return the claim of section IV-A about the height of strips."""

    def four(results: Results) -> Judgement:
        names = results.workloads()
        sums = {h: sum(results.values(f"ha4:strip_height={h}", names, TIME)) for h in HEIGHTS}
        listed = ", ".join(f"{sums[h] / sums[4]:.2f} with {h}" for h in HEIGHTS if h != 4)
        return judged(
            f"times as long as with 4 rows: {listed}",
            reproduced=sums[4] <= 1.05 * min(sums.values()),
            shape=sums[4] < sums[1],
        )

    return (Claim("Strips of 4 rows perform well.", "no numbers", four),)


def hennequin_features() -> tuple[Claim, ...]:
    """Return the claims of section V about features."""
    naive, runs = "ha4_features:naive=1", "ha4_features"
    kernels = ("ha4_features_naive", "ha4_features")

    def slower(results: Results) -> Judgement:
        found = results.ratios(naive, runs, results.workloads(), TIME, kernels)
        (usual,) = results.ratios(naive, runs, results.workloads("g4$"), TIME, kernels)
        return judged(
            f"{usual:.1f} times at g = 4 and a density of 0.5, {span(found)} at g = 1 to 16",
            reproduced=between(usual, 4.5, 8.5),
            shape=min(found) > 1,
            reason="The GPU probably adds equal addresses of a warp together before memory.",
        )

    return (
        Claim("Features pixel by pixel take 6.4 times as long.", "11.2 and 1.75 ms", slower),
        _times(
            "Pixel by pixel, atomic operations wait for one another at one address.",
            "not counted",
            naive,
            runs,
            figure="contention",
            kernels=kernels,
            measured="{} as many at once on one address",
        ),
        _times(
            "Whole runs need fewer atomic operations.",
            "not counted",
            naive,
            runs,
            figure="atomics",
            kernels=kernels,
            measured="{} as many atomic operations",
        ),
    )


# Shibata


def shibata_tables() -> tuple[Claim, ...]:
    """Return the claims about Tables 1 to 6."""

    def enough(results: Results) -> Judgement:
        found = results.values("shibata_fast:jumps=6", results.workloads(), "iterations")
        return judged(
            f"{span(found, ' passes', 0)}, the one that finds no change included",
            reproduced=max(found) <= 10,
            shape=max(found) <= 20,
            reason="The number depends on the order of threads and on the picture.",
        )

    def faster(results: Results) -> Judgement:
        names = results.workloads()
        fast = results.values("shibata_fast", names, "iterations")
        slow = results.values("shibata_slow", names, "iterations")
        naive = results.values("shibata_naive", names, "iterations")
        listed = zip(naive, slow, fast, strict=True)
        return judged(
            "; ".join(f"{n:,.0f}, {s:,.0f} and {f:,.0f} passes" for n, s, f in listed),
            reproduced=all(n > s > f for n, s, f in zip(naive, slow, fast, strict=True)),
        )

    def idle(results: Results) -> Judgement:
        shares = []
        for name in results.workloads():
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

    def preparation(results: Results) -> Judgement:
        case, names = "shibata_fast:passes=1:jumps=6", results.workloads()
        kernels = ("shibata_preparation", "shibata_fast")
        shares = results.ratios(case, case, names, TIME, kernels)
        return judged(
            f"{min(shares):.0%} to {max(shares):.0%} of the first pass",
            reproduced=max(shares) <= 0.35,
            shape=max(shares) < 1,
            reason="A launch takes a GPU some time, whatever it does: probably most of both here.",
        )

    return (
        Claim("Ten passes are enough for both pictures.", "passes 9 and 10 are idle", enough),
        Claim(
            "Naive needs the most passes and fast the fewest.",
            "one pixel a pass; exponentially",
            faster,
        ),
        Claim("Idle passes take a small part of the time.", "2 to 9 % of the longest", idle),
        Claim("The preparation is short.", "13 to 23 % of the first pass", preparation),
    )


# Playne and Hawick 2018


def playne_atomics() -> tuple[Claim, ...]:
    """Return the claims about accesses, and about time, beside other direct algorithms."""

    def faster(results: Results) -> Judgement:
        names = results.workloads()
        found = {
            case: results.ratios(case, "playne", names, TIME) for case in ("cabaret", "komura")
        }
        ratios = [ratio for each in found.values() for ratio in each]
        words = " and ".join(f"{name.capitalize()} {span(each)}" for name, each in found.items())
        return judged(
            f"{words} as long at a density of 0.5",
            reproduced=min(ratios) > 1,
            shape=sum(ratios) > len(ratios),
            reason="Labels are in the cache, where fewer accesses probably gain little. At higher "
            "densities Cabaret is slower: see hennequin-5.",
        )

    def fewer(results: Results) -> Judgement:
        names = results.workloads()
        komura = results.ratios("komura", "playne", names, "atomics")
        hawick = results.ratios("label_equivalence_hawick", "playne", names, "atomics")
        return judged(
            f"Komura {span(komura)} and Label Equivalence with references {span(hawick)} as many",
            reproduced=min(*komura, *hawick) > 1,
            shape=min(komura) >= 1 and min(hawick) > 1,
            reason="Komura's reduction needs none either where another cell has joined the labels "
            "before.",
        )

    def accesses(results: Results) -> Judgement:
        found = [
            results.value("komura", name, "loads", "komura_reduction")
            / results.value("playne", name, "loads", "playne_merge")
            for name in results.workloads()
        ]
        total = results.ratios("komura", "playne", results.workloads(), "bytes")
        return judged(
            f"Komura's reduction {span(found, ' times', 2)} the loads, its whole run "
            f"{span(total, ' times', 2)} the bytes",
            reproduced=min(found) > 1 and min(total) > 1,
            shape=max(found) > 1 or max(total) > 1,
            reason="The additional tests read neighbours' values instead of labels.",
        )

    def saved(results: Results) -> Judgement:
        found = [
            sum(results.value("ha4", name, kind) for kind in ("loads", "stores", "atomics"))
            / results.side(name) ** 2
            for name in results.workloads()
        ]
        return judged(
            f"{', '.join(f'{n:.1f}' for n in found)} accesses a cell at g = 1, 2, 4, 8 and 16",
            reproduced=all(b < a for a, b in itertools.pairwise(found)),
            shape=found[-1] < found[0],
        )

    def vertical(results: Results) -> Judgement:
        down, across = (
            results.values("cabaret", results.workloads(), "coalescing", f"cabaret_merge_{way}")
            for way in ("vertical", "horizontal")
        )
        return judged(
            f"of the bytes moved, Cabaret's merge uses {min(down):.0%} to {max(down):.0%} at "
            f"vertical borders, {min(across):.0%} to {max(across):.0%} at horizontal ones",
            reproduced=max(down) < min(across) / 2,
            shape=max(down) < min(across),
        )

    return (
        Claim("Playne-Hawick is faster than Cabaret and Komura.", "no numbers", faster),
        Claim("Only critical cells need an atomic operation.", "no numbers", fewer),
        Claim("By additional tests it does only the mandatory accesses.", "no numbers", accesses),
        Claim("The longer the runs, the more accesses HA4 saves.", "no numbers", saved),
        Claim(
            "Merging vertical borders, which HA4 has not, is not coalesced.", "no numbers", vertical
        ),
    )
