"""What the papers claim, and what measurements say about it.

A claim about time is judged on a GPU alone; a claim about iterations or accesses anywhere.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from ccl_viewer.bench.measuring import Measurement

TIME = "milliseconds"


class Verdict(Enum):
    """What measurements say about a claim."""

    REPRODUCED = "reproduced"
    SHAPE = "shape only"
    CONTRADICTED = "contradicted here"
    NOT_MEASURED = "not measured"


@dataclass(frozen=True)
class Judgement:
    """A verdict, what was measured in words, and why it differs where it does."""

    verdict: Verdict
    measured: str
    reason: str = ""


@dataclass(frozen=True)
class Claim:
    """A claim of a paper.

    Parameters
    ----------
    text : str
        What is claimed, in a sentence.
    published : str
        The paper's numbers.
    judge : callable
        Given the results, returns the judgement; :class:`Missing` where they do not say.
    """

    text: str
    published: str
    judge: Callable[[Results], Judgement]

    def judged(self, results: Results) -> Judgement:
        """Return the judgement of some results."""
        try:
            return self.judge(results)
        except MissingError as error:
            return Judgement(Verdict.NOT_MEASURED, str(error))


class MissingError(Exception):
    """Says what a judgement needs that was not measured."""


class Results:
    """Measurements, to be looked up by case, workload and figure.

    Parameters
    ----------
    measurements : iterable of Measurement
        All of a run.
    """

    def __init__(self, measurements: Iterable[Measurement]) -> None:
        self.all = tuple(measurements)
        self._by_place = {(m.case, m.workload): m for m in self.all}

    def workloads(self, pattern: str = "") -> list[str]:
        """Return the names of the workloads that a regular expression is found in."""
        names = dict.fromkeys(m.workload for m in self.all)
        return [name for name in names if re.search(pattern, name)]

    def value(self, case: str, workload: str, figure: str, kernel: str = "") -> float:
        """Return a figure of a run, or of one of its kernels.

        Raises
        ------
        MissingError
            If it was not measured.
        """
        found = self._by_place.get((case, workload))
        figures: Mapping[str, float] = {}
        if found is not None:
            figures = found.kernels.get(kernel, {}) if kernel else found.figures
        if figure not in figures:
            what = "Times need a GPU" if figure == TIME else f"{figure} of {case} on {workload}"
            raise MissingError(f"{what}.")
        return figures[figure]

    def values(self, case: str, workloads: Sequence[str], figure: str) -> list[float]:
        """Return a figure of a case on several workloads."""
        if not workloads:
            raise MissingError("The workload was left out.")
        return [self.value(case, workload, figure) for workload in workloads]

    def ratios(self, top: str, bottom: str, workloads: Sequence[str], figure: str) -> list[float]:
        """Return how many times as much the first case has, on each workload."""
        pairs = zip(
            self.values(top, workloads, figure),
            self.values(bottom, workloads, figure),
            strict=True,
        )
        return [a / b if b else math.inf for a, b in pairs]

    def x(self, workload: str) -> float:
        """Return what the sweep varies, for a workload."""
        return next(m.x for m in self.all if m.workload == workload)

    def side(self, workload: str) -> int:
        """Return the width of a workload's grid."""
        return next(m.width for m in self.all if m.workload == workload)


def between(value: float, low: float, high: float) -> bool:
    """Return whether a value lies between two others, both allowed."""
    return low <= value <= high


def judged(measured: str, *, reproduced: bool, shape: bool = False, reason: str = "") -> Judgement:
    """Return a judgement from two tests: of the numbers, and of their order alone."""
    if reproduced:
        return Judgement(Verdict.REPRODUCED, measured)
    return Judgement(Verdict.SHAPE if shape else Verdict.CONTRADICTED, measured, reason)


def _span(values: Sequence[float], unit: str = " times", digits: int = 1) -> str:
    low, high = f"{min(values):,.{digits}f}", f"{max(values):,.{digits}f}"
    return f"{low}{unit}" if low == high else f"{low} to {high}{unit}"


# Kalentev et al. 2011


def kalentev_1() -> tuple[Claim, ...]:
    """Return the claims about Table 1."""

    def ratio(results: Results) -> Judgement:
        found = results.ratios(
            "row_col_unify", "label_equivalence", results.workloads("blobs|noise"), TIME
        )
        return judged(
            f"{_span(found)}",
            reproduced=min(found) >= 10 and max(found) <= 50,
            shape=min(found) > 1,
            reason="The ratio depends on the GPU: how it hides bank conflicts and scattered reads.",
        )

    def every(results: Results) -> Judgement:
        found = results.ratios("row_col_unify", "label_equivalence", results.workloads(), TIME)
        return judged(f"{_span(found)}", reproduced=min(found) > 1)

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
            f"{_span(found, ' iterations', 0)} on {sides} cells a side",
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
            f"{_span(own, ' launches')} an iteration, Hawick's {_span(hawick, '')}",
            reproduced=max(own) < min(hawick),
        )

    def no_atomics(results: Results) -> Judgement:
        found = results.values("label_equivalence", results.workloads(), "atomics")
        hawick = results.values("label_equivalence_hawick", results.workloads(), "atomics")
        return judged(
            f"{_span(found, ' atomic operations', 0)}, Hawick's {_span(hawick, '', 0)}",
            reproduced=max(found) == 0 < min(hawick),
        )

    def sizes(results: Results) -> Judgement:
        found = results.ratios(
            "label_equivalence_sizes", "label_equivalence", results.workloads(), TIME
        )
        return judged(
            f"{_span(found)} as long with sizes",
            reproduced=min(found) > 1.2,
            shape=max(found) > 1.2,
            reason="Atomic operations cost this GPU hardly any time.",
        )

    return (
        Claim("Label Equivalence is faster than Row-Col Unify in all cases.", "Table 1", every),
        Claim(
            "In general Label Equivalence is 15 to 35 times faster.",
            "15.0 to 39.3 times on blobs and noise",
            ratio,
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
        Claim(
            "The sizes of the components, added by atomics, take time of their own.",
            "1.4 to 6.9 times as long with sizes",
            sizes,
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
            reason="Atomics of a GPU of today meet in the cache, not in memory.",
        )

    return (
        Claim(
            "The most iterations are needed at densities of 0.5 to 0.6.",
            "4, 5, 5, 8, 5, 4, 4, 3 at 0.2, 0.3, 0.4, 0.6, 0.7, 0.8, 0.9, 0.99",
            peak,
        ),
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
    """Return the claim about Table 3."""

    def linear(results: Results) -> Judgement:
        names = results.workloads()
        found = results.values("label_equivalence", names, TIME)
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
            reason="Small grids do not fill a GPU of today, and fit into its cache.",
        )

    return (Claim("The time is linear in the number of cells.", "6.50 to 388.24 ms", linear),)


def kalentev_4() -> tuple[Claim, ...]:
    """Return the claims about Table 4."""

    def times(results: Results) -> dict[int, float]:
        name = results.workloads()[0]
        return {
            threads: results.value(f"label_equivalence:threads={threads}", name, TIME)
            for threads in (512, 256, 64, 16, 4, 1)
        }

    def drop(results: Results) -> Judgement:
        found = times(results)
        slower = {threads: found[threads] / found[64] for threads in (16, 4, 1)}
        words = ", ".join(f"{ratio:.1f} with {threads}" for threads, ratio in slower.items())
        return judged(
            f"times as long as with 64 threads: {words}",
            reproduced=slower[16] > 1.2 and slower[1] > 4,
            shape=slower[1] > 1.5,
        )

    def flat(results: Results) -> Judgement:
        found = times(results)
        large = [found[512], found[256], found[64]]
        return judged(
            f"slowest / fastest of 512, 256 and 64 threads = {max(large) / min(large):.2f}",
            reproduced=max(large) / min(large) <= 1.1,
            shape=max(large) / min(large) <= 1.4,
            reason="Blocks of 64 threads are eight times as many; starting them probably takes "
            "longer than their work on a GPU of today.",
        )

    return (
        Claim(
            "Blocks smaller than a warp are significantly slower.",
            "1.4, 4.9 and 17.9 times with 16, 4 and 1 threads",
            drop,
        ),
        Claim("Blocks of 64 to 512 threads are alike.", "24.91 to 25.34 ms", flat),
    )


# Stava and Benes 2011


def stava_11() -> tuple[Claim, ...]:
    """Return the claims about Figure 35.11."""

    def hawick(results: Results) -> Judgement:
        found = results.ratios("label_equivalence_hawick", "stava_benes", results.workloads(), TIME)
        return judged(
            _span(found),
            reproduced=min(found) >= 1.5 and max(found) <= 7,
            shape=min(found) > 1,
            reason="Hawick's kernels gain from caches, which their GPU hardly had.",
        )

    def processor(results: Results) -> Judgement:
        found = results.ratios("scipy", "stava_benes", results.workloads(), TIME)
        return judged(
            f"{_span(found)} (SciPy on one core)",
            reproduced=min(found) >= 5 and max(found) <= 30,
            shape=min(found) > 1,
            reason="Both machines are others than the chapter's.",
        )

    def scales(results: Results) -> Judgement:
        words, rising = [], []
        for part in ("b", "c", "d"):
            names = results.workloads(rf"^\({part}\)")
            found = results.values("stava_benes", names, TIME)
            rates = [results.side(n) ** 2 / t / 1000 for n, t in zip(names, found, strict=True)]
            rising.append(rates[-1] > rates[0])
            words.append(f"({part}) {rates[0]:,.0f} to {rates[-1]:,.0f}")
        return judged(f"{'; '.join(words)} megapixels a second", reproduced=all(rising))

    def scalability(results: Results) -> Judgement:
        words, most = [], []
        for part in ("b", "c", "d"):
            names = results.workloads(rf"^\({part}\)")
            cells = (results.side(names[-1]) / results.side(names[0])) ** 2
            gains = []
            for case in ("stava_benes", "label_equivalence_hawick", "scipy"):
                times = results.values(case, names, TIME)
                gains.append(cells * times[0] / times[-1])
            most.append(gains[0] == max(gains))
            words.append(f"({part}) {gains[0]:.1f}, {gains[1]:.1f} and {gains[2]:.1f} times")
        return judged(
            f"{'; '.join(words)} the throughput, for Stava-Benes, Hawick and SciPy",
            reproduced=all(most),
            shape=any(most),
            reason="Small grids do not fill a GPU of today, which hides what each method costs.",
        )

    def flattening(results: Results) -> Judgement:
        found = results.ratios("stava_benes:flatten=0", "stava_benes", results.workloads(), TIME)
        return judged(
            f"{_span(found, ' times', 2)} as long without kernel 3",
            reproduced=min(found) >= 1.05 and max(found) <= 1.4,
            shape=max(found) > 1.02,
            reason="Walks along the borders hit the cache, and a launch more costs time itself.",
        )

    def fixed(results: Results) -> Judgement:
        found = {
            size: {
                results.value("stava_benes", name, "launches")
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
        dense = results.values("stava_benes", results.workloads(r"^\(c\)"), TIME)
        few = results.values("stava_benes", results.workloads(r"^\(d\)"), TIME)
        found = [a / b for a, b in zip(dense, few, strict=True)]
        return judged(
            f"{_span(found)} as long where discs fill the canvas", reproduced=min(found) > 1
        )

    return (
        Claim("About 3 times as fast as Hawick's Label Equivalence.", "2.5 to 4.7 times", hawick),
        Claim("10 to 15 times as fast as a CPU.", "8.8 to 20.3 times", processor),
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
        Claim("Flattening the borders (kernel 3) gains 15 to 20 %.", "15 to 20 %", flattening),
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
            results.value("stava_benes", workload, TIME, f"stava_benes_{kernel}")
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

    def speedups(results: Results, granularity: int) -> list[float]:
        ending = f"g{granularity}$" if granularity > 1 else r"d[\d.]+$"
        names = [name for name in results.workloads(ending) if results.x(name) > 0]
        return [
            ratio
            for other in ("playne", "cabaret")
            for ratio in results.ratios(other, "ha4_64", names, TIME)
        ]

    def at_four(results: Results) -> Judgement:
        found = speedups(results, 4)
        mean = sum(found) / len(found)
        return judged(
            f"{mean:.1f} times in the mean, {_span(found)}",
            reproduced=between(mean, 1.9, 2.9),
            shape=mean > 1,
            reason="Caches and atomics of a GPU of today are faster than a Jetson TX2's.",
        )

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

    def two(results: Results) -> Judgement:
        names = [name for name in results.workloads("g4$") if results.x(name) > 0]
        found = results.ratios("ha4", "ha4_64", names, TIME)
        return judged(
            f"HA4 with one pixel takes {sum(found) / len(found):.2f} times as long in the mean at "
            "g = 4",
            reproduced=sum(found) > len(found),
        )

    def block(results: Results) -> Judgement:
        names = [name for name in results.workloads("g4$") if results.x(name) > 0]
        found = results.ratios("playne_block", "ha4_64", names, TIME)
        mean = sum(found) / len(found)
        return judged(
            f"playne_block takes {mean:.2f} times HA4-64's time in the mean at g = 4",
            reproduced=mean > 1,
            reason="The block variant of Playne-Hawick works in shared memory; on this GPU it is "
            "faster than HA4.",
        )

    return (
        Claim(
            "At g = 4 HA4 with two pixels a thread is 2.4 times as fast as Playne or Cabaret.",
            "2.4 times in the mean",
            at_four,
        ),
        Claim(
            "The gain grows with the granularity.", "1.8 at g = 1 to 2.7 at g = 16", by_granularity
        ),
        Claim("HA4 is faster than Playne, also in the block variant.", "2.4 times", block),
        Claim("Two pixels a thread are faster than one.", "Figure 5", two),
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


def hennequin_features() -> tuple[Claim, ...]:
    """Return the claims of section V about features."""

    def ratios(results: Results, figure: str) -> list[float]:
        return [
            results.value("ha4_features:naive=1", name, figure, "ha4_features_naive")
            / results.value("ha4_features", name, figure, "ha4_features")
            for name in results.workloads()
        ]

    def slower(results: Results) -> Judgement:
        found = ratios(results, TIME)
        mean = sum(found) / len(found)
        return judged(
            f"{mean:.1f} times in the mean, {_span(found)}",
            reproduced=between(mean, 4.5, 8.5),
            shape=mean > 1,
            reason="The GPU adds equal addresses of a warp together before memory is reached.",
        )

    def atomics(results: Results) -> Judgement:
        found = ratios(results, "atomics")
        return judged(f"{_span(found)} as many atomic operations", reproduced=min(found) > 1)

    return (
        Claim("Features pixel by pixel take 6.4 times as long.", "11.2 and 1.75 ms", slower),
        Claim("Whole runs need fewer atomic operations.", "not counted", atomics),
    )


# Shibata


def shibata_tables() -> tuple[Claim, ...]:
    """Return the claims about Tables 1 to 6."""

    def enough(results: Results) -> Judgement:
        found = results.values("shibata_fast:jumps=6", results.workloads(), "iterations")
        return judged(
            f"{_span(found, ' passes', 0)}, the one that finds no change included",
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
            reproduced=max(shares) <= 0.25,
            shape=max(shares) < 0.7,
            reason="A pass that changes nothing still reads every label.",
        )

    return (
        Claim("Ten passes are enough for both pictures.", "passes 8 to 10 are idle", enough),
        Claim(
            "Naive needs the most passes and fast the fewest.",
            "one pixel a pass; exponentially",
            faster,
        ),
        Claim("Idle passes take a small part of the time.", "5 to 12 % of the longest", idle),
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
        words = " and ".join(f"{name.capitalize()} {_span(each)}" for name, each in found.items())
        return judged(
            f"{words} as long",
            reproduced=min(ratios) > 1,
            shape=sum(ratios) > len(ratios),
            reason="Where labels meet in the cache, fewer accesses gain little.",
        )

    def fewer(results: Results) -> Judgement:
        names = results.workloads()
        komura = results.ratios("komura", "playne", names, "atomics")
        hawick = results.ratios("label_equivalence_hawick", "playne", names, "atomics")
        return judged(
            f"Komura {_span(komura)} and Label Equivalence with references {_span(hawick)} as many",
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
            f"Komura's reduction {_span(found, ' times', 2)} the loads, its whole run "
            f"{_span(total, ' times', 2)} the bytes",
            reproduced=min(found) > 1 and min(total) > 1,
            shape=max(found) > 1 or max(total) > 1,
            reason="The additional tests read neighbours' values instead of labels.",
        )

    return (
        Claim("Playne-Hawick is faster than Cabaret and Komura.", "no numbers", faster),
        Claim("Only critical cells need an atomic operation.", "no numbers", fewer),
        Claim("By additional tests it does only the mandatory accesses.", "no numbers", accesses),
    )
