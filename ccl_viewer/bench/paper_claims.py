"""What the papers claim about their tables and figures, each with its judge."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from functools import partial

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
            "Table 1",
            "row_col_unify",
            _LE,
        ),
        _times(
            "In general Label Equivalence is 15 to 35 times faster.",
            "15.0 to 39.3 times on blobs and noise",
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
            reproduced=max(*hawick, *processor) <= 1.35,
            shape=max(processor) <= 1.35,
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
            reason="Hawick's kernels gain as much from sparse components here.",
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
        dense = results.values(_STAVA, results.workloads(r"^\(c\)"), TIME)
        few = results.values(_STAVA, results.workloads(r"^\(d\)"), TIME)
        found = [a / b for a, b in zip(dense, few, strict=True)]
        return judged(
            f"{span(found)} as long where discs fill the canvas", reproduced=min(found) > 1
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
        Claim(
            "The throughput rises with the resolution.",
            "(b) 1,049 to 1,553; (c) 647 to 834; (d) 1,398 to 1,939 megapixels a second",
            scales,
        ),
        Claim("It is fastest where components are sparse.", "2.2 times at 1024 x 1024", sparse),
        Claim(
            "Its throughput rises more with the resolution than that of the others.",
            "(b) 1.5, 1.3 and 1.0 times; (c) 1.3, 1.2 and 1.0; (d) 1.4, 1.2 and 1.0",
            scalability,
        ),
        Claim(
            "The throughput of the others hardly depends on the resolution.",
            "Hawick's rises 1.2 to 1.3 times, the CPU's 1.0 times",
            unaffected,
        ),
        Claim(
            "The speedup is higher where components are sparse.",
            "2.5 to 3.5 times over Hawick's, else 2.6 to 3.1; 11.5 to 15.7 over a CPU's, else "
            "8.8 to 14.0",
            speedup,
        ),
        _times(
            "Flattening the borders (kernel 3) gains 15 to 20 %.",
            "15 to 20 %",
            f"{_STAVA}:flatten=0",
            _STAVA,
            bounds=(1.05, 1.4),
            shape=lambda found: max(found) > 1.02,
            measured="{} as long without kernel 3",
            digits=2,
            reason="Walks along the borders probably hit the cache, and a launch more costs time "
            "itself.",
        ),
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
        Claim("Kernels 1 and 2 take most of the time.", "78 % to 89 %", first),
        Claim(
            "The share of kernel 2 falls as the grid grows.",
            "(b) 52 % to 33 %; (c) 48 % to 37 %; (d) 38 % to 28 %",
            falls,
        ),
    )


# Hennequin et al. 2018


def hennequin_5() -> tuple[Claim, ...]:
    """Return the claims about Figure 5."""

    def speedups(
        results: Results, granularity: int, cases: Sequence[str] = ("playne", "cabaret")
    ) -> list[float]:
        ending = f"g{granularity}$" if granularity > 1 else r"d[\d.]+$"
        names = [name for name in results.workloads(ending) if results.x(name) > 0]
        return [ratio for other in cases for ratio in results.ratios(other, "ha4_64", names, TIME)]

    def by_granularity(results: Results) -> Judgement:
        means = {}
        for granularity in (1, 4, 16):
            found = speedups(results, granularity)
            means[granularity] = sum(found) / len(found)
        words = ", ".join(f"{mean:.1f} at g = {g}" for g, mean in means.items())
        return judged(
            words,
            reproduced=between(means[1], 1.4, 2.2) and between(means[16], 2.1, 3.3),
            shape=means[16] > means[1],
            reason="Fewer runs in a row still help, by another factor.",
        )

    def mean(
        text: str, published: str, cases: Sequence[str], measured: str, bounds: tuple[float, float],
        reason: str = "",
    ) -> Claim:  # fmt: skip
        """Return the claim that HA4-64 is so many times as fast as others in the mean at g = 4."""

        def judge(results: Results) -> Judgement:
            found = speedups(results, 4, cases)
            average = sum(found) / len(found)
            return judged(
                measured.format(f"{average:.2f}", span(found)),
                reproduced=between(average, *bounds),
                shape=average > 1,
                reason=reason,
            )

        return Claim(text, published, judge)

    def rate(results: Results) -> Judgement:
        found = max(results.values("ha4_64", results.workloads(), TIME))
        return judged(f"at least {1000 / found:,.0f}", reproduced=found <= 5)

    return (
        mean(
            "At g = 4 HA4 with two pixels a thread is 2.4 times as fast as Playne or Cabaret.",
            "2.4 times in the mean",
            ("playne", "cabaret"),
            "{} times in the mean, {}",
            (1.9, 2.9),
            "Caches and atomics of a GPU of today are faster than a Jetson TX2's, which probably "
            "helps the others more.",
        ),
        Claim(
            "The gain grows with the granularity.", "1.8 at g = 1 to 2.7 at g = 16", by_granularity
        ),
        mean(
            "HA4 is faster than Playne, also in the block variant.",
            "2.4 times",
            ["playne_block"],
            "playne_block takes {} times HA4-64's time in the mean at g = 4, {}",
            (1, math.inf),
            "The block variant of Playne-Hawick works in shared memory, and is faster here.",
        ),
        mean(
            "Two pixels a thread are faster than one.",
            "Figure 5",
            ["ha4"],
            "HA4 with one pixel takes {} times as long in the mean at g = 4, {}",
            (1, math.inf),
        ),
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
        mean = sum(found) / len(found)
        return judged(
            f"{mean:.1f} times in the mean, {span(found)}",
            reproduced=between(mean, 4.5, 8.5),
            shape=mean > 1,
            reason="The GPU probably adds equal addresses of a warp together before memory.",
        )

    return (
        Claim("Features pixel by pixel take 6.4 times as long.", "11.2 and 1.75 ms", slower),
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
            f"{words} as long",
            reproduced=min(ratios) > 1,
            shape=sum(ratios) > len(ratios),
            reason="Where labels are in the cache, fewer accesses probably gain little.",
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

    return (
        Claim("Playne-Hawick is faster than Cabaret and Komura.", "no numbers", faster),
        Claim("Only critical cells need an atomic operation.", "no numbers", fewer),
        Claim("By additional tests it does only the mandatory accesses.", "no numbers", accesses),
    )
