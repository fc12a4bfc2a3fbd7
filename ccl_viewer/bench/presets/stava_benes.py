"""Stava and Benes 2011: Figures 35.11 and 35.12, on merging tiles level by level."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from statistics import fmean
from typing import Final

from ccl_viewer.bench.claims import (
    TIME,
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
from ccl_viewer.bench.report import Benchmark
from ccl_viewer.bench.tables import BenchTable
from ccl_viewer.grids.pattern_type import Value
from ccl_viewer.grids.specs import format_pattern

_STAVA, _HAWICK = "stava_benes", "label_equivalence_hawick"


def _levels(side: int) -> list[int]:
    """Return the sides of the tiles that are merged at each level of a square grid."""
    tiles = []
    tile = 16
    while tile < side:
        tiles.append(tile)
        tile *= 4
    return tiles


def count_links(tile: int) -> tuple[int, int]:
    """Return the number of links that a block of 4 x 4 tiles tries in a pass, and of repeated ones.

    Figure 35.10: each cell along the 12 borders in each direction tries the cell opposite and both
    neighbours of that, except at the ends of the block, where one is missing. Where four tiles
    meet, both diagonals belong to a border in each direction.
    """
    along = 2 * 3 * (3 * 4 * tile - 2)
    return along, 2 * 3 * 3


def _part(results: Results, letters: str) -> Results:
    return results.filter_workloads(rf"^\([{letters}]\)")


# Claims about Figure 35.11.


def _rates(results: Results, case: str, part: str) -> list[float]:
    """Return megapixels per second."""
    return [1 / (1000 * t) for t in _part(results, part).per_cell(case, TIME)]


@claim(
    "35.4",
    "The throughput of Stava-Benes rises with the resolution.",
    "(b), few large objects: 1,049 to 1,553; (c), 2500 spheres: 647 to 834; (d), 250 spheres: "
    "1,398 to 1,939 megapixels per second",
    "a larger one at 4096 than at 1024 in each scene",
)
def _scales(results: Results) -> ClaimJudgement:
    rates = {part: _rates(results, _STAVA, part) for part in "bcd"}
    words = (f"({part}) {r[0]:,.0f} to {r[-1]:,.0f}" for part, r in rates.items())
    return make_judgement(
        f"{'; '.join(words)} megapixels per second",
        reproduced=all(r[-1] > r[0] for r in rates.values()),
    )


def _gains(results: Results) -> dict[str, list[float]]:
    """Return the rise of the throughput of the three methods, by part."""
    cases = (_STAVA, _HAWICK, "scipy")
    rates = {part: [_rates(results, case, part) for case in cases] for part in "bcd"}
    return {part: [r[-1] / r[0] for r in each] for part, each in rates.items()}


@claim(
    "35.4",
    "The throughput of Stava-Benes rises more with the resolution than that of the others.",
    "(b) 1.5, 1.3 and 1.0; (c) 1.3, 1.2 and 1.0; (d) 1.4, 1.0 and 1.0 times the throughput "
    "for Stava-Benes, Hawick (in (d) by the printed speedups) and the CPU",
    "the largest rise in each scene; shape: in one",
)
def _scalability(results: Results) -> ClaimJudgement:
    gains = _gains(results)
    words = (f"({part}) {a:.1f}, {b:.1f} and {c:.1f}" for part, (a, b, c) in gains.items())
    most = [each[0] == max(each) for each in gains.values()]
    return make_judgement(
        f"{'; '.join(words)} times the throughput, for Stava-Benes, Hawick and SciPy",
        reproduced=all(most),
        shape=any(most),
        reason="Small grids probably do not fill a modern GPU.",
    )


@claim(
    "35.4",
    "The throughput of the others usually remains unaffected by the resolution.",
    "Hawick's rises 1.0 to 1.3 times, the CPU's 1.0 times",
    "each from 0.74 to 1.35 times",
)
def _unaffected(results: Results) -> ClaimJudgement:
    _, hawick, processor = zip(*_gains(results).values(), strict=True)
    return make_judgement(
        f"Hawick's rises {format_range(hawick)}, SciPy's {format_range(processor)}",
        reproduced=all(is_between(n, 1 / 1.35, 1.35) for n in (*hawick, *processor)),
        reason="Small grids probably do not fill a modern GPU, with either method.",
    )


def _higher(results: Results, case: str) -> tuple[list[bool], str]:
    """Return whether (d) has a higher speedup than (b) and (c), by size; and the speedups."""
    b, c, d = (_part(results, part).ratios(case, _STAVA, TIME) for part in "bcd")
    words = f"{format_range(d)} on (d), else {format_range([*b, *c])}"
    rows = zip(b, c, d, strict=True)
    return [sparse > dense for *others, sparse in rows for dense in others], words


@claim(
    "35.4",
    "The speedup of Stava-Benes is higher where components are sparse: over Hawick's.",
    "(d) is above (b) and (c) in 4 of 6 comparisons: 2.5 to 3.5 times, else 2.6 to 3.1; (a), "
    "sparse too, 4.7",
    "in at least 4 of 6 comparisons; shape: in 3",
)
def _speedup(results: Results) -> ClaimJudgement:
    above, words = _higher(results, _HAWICK)
    return make_judgement(
        f"in {sum(above)} of {len(above)} comparisons: {words}",
        reproduced=3 * sum(above) >= 2 * len(above),
        shape=2 * sum(above) >= len(above),
        reason="Hawick's kernels gain as much from sparse components.",
    )


@claim(
    "35.4",
    "The speedup of Stava-Benes is higher where components are sparse: over the CPU's.",
    "(d) is above (b) and (c) in 6 of 6 comparisons: 11.5 to 15.7 times, else 8.8 to 14.0; "
    "(a), sparse too, 20.3",
    "in 6 of 6 comparisons; shape: in both of the largest size",
)
def _speedup_over_cpu(results: Results) -> ClaimJudgement:
    above, words = _higher(results, "scipy")
    return make_judgement(
        f"in {sum(above)} of {len(above)} comparisons, both at the largest size among them: {words}"
        if all(above[-2:])
        else f"in {sum(above)} of {len(above)}: {words}",
        reproduced=all(above),
        shape=all(above[-2:]),
        reason="SciPy gains as much from sparse components on the smaller grids.",
    )


@claim(
    "35.3",
    "The number of launches depends on the size of the picture alone.",
    "fixed for given dimensions",
    "the same number for all scenes of a size",
)
def _fixed(results: Results) -> ClaimJudgement:
    counts_by_size = {
        size: set(results.filter_workloads(f" {size}$").values(_STAVA, "launches"))
        for size in sorted({m.width for m in results.all})
    }
    words = ", ".join(f"{max(counts):.0f} at {size}" for size, counts in counts_by_size.items())
    return make_judgement(
        f"{words}, whatever the picture",
        reproduced=all(len(counts) == 1 for counts in counts_by_size.values()),
    )


@claim(
    "35.3",
    "No synchronisation between host and device is needed, as Hawick's kernels need it after "
    "each iteration (35.2.1).",
    "no numbers",
    "Hawick's iterations differ between scenes, and launches of Stava-Benes do not; shape: "
    "Hawick's iterate",
)
def _waits(results: Results) -> ClaimJudgement:
    checks = results.values(_HAWICK, "iterations")
    same = all(
        len(set(results.filter_workloads(f" {side}$").values(_STAVA, "launches"))) == 1
        for side in {m.width for m in results.all}
    )
    return make_judgement(
        f"Hawick's takes {format_range(checks, ' iterations', 0)}, after each of which the host "
        "reads a flag. The host launches Stava-Benes' kernels without a read",
        reproduced=same and max(checks) > min(checks) > 1,
        shape=same and min(checks) > 1,
    )


@claim(
    "35.4",
    "Stava-Benes performs best where components are sparse.",
    "1.2 to 2.4 times as long on (b) and (c) as on (d)",
    "all above 1.1; shape: above 1 in the mean",
)
def _sparse(results: Results) -> ClaimJudgement:
    times = [_part(results, letter).values(_STAVA, TIME) for letter in "bcd"]
    ratios = [dense / d for b, c, d in zip(*times, strict=True) for dense in (b, c)]
    return make_judgement(
        f"{format_range(ratios)} as long on (b) and (c) as on (d)",
        reproduced=min(ratios) > 1.1,
        shape=sum(ratios) > len(ratios),
        reason="At 1024 x 1024 the launches probably take most of the time, whatever the picture.",
    )


@claim(
    "35.3.4",
    "Flattening the borders (kernel 3) gains 15 to 20%.",
    "15 to 20%",
    "1.10 to 1.25 in the mean; shape: over 1.02",
)
def _flattening(results: Results) -> ClaimJudgement:
    flat = f"{_STAVA}:flatten=0"
    mean = fmean(results.ratios(flat, _STAVA, TIME))
    large = results.filter_workloads(f" {max(m.width for m in results.all)}$")
    pairs = zip(large.ratios(flat, _STAVA, TIME), large.workloads, strict=True)
    words = ", ".join(f"{ratio:.2f} on {name}" for ratio, name in pairs)
    return make_judgement(
        f"{mean:.2f} times as long without kernel 3 in the mean, {words}",
        reproduced=is_between(mean, 1.1, 1.25),
        shape=mean > 1.02,
        reason="It gains on large grids with large or many components. Elsewhere its launches "
        "take longer than the walks that they shorten.",
    )


@claim(
    "35.3.4",
    "Merging 4 x 4 tiles at a time gives good results; more or fewer are worse.",
    "no numbers",
    "both above 1; shape: above 0.95",
)
def _grouping(results: Results) -> ClaimJudgement:
    means = {
        factor: fmean(results.ratios(f"{_STAVA}:factor={factor}", _STAVA, TIME))
        for factor in (2, 8)
    }
    words = [f"{mean:.2f} with {n} x {n}" for n, mean in means.items()]
    return make_judgement(
        f"times as long as with 4 x 4 in the mean: {', '.join(words)}",
        reproduced=min(means.values()) > 1,
        shape=min(means.values()) > 0.95,
        reason="A modern GPU has room for more blocks and more threads of a block.",
    )


@claim(
    "35.3.4",
    "Without kernel 3, trees at the borders may become much deeper from level to level.",
    "no numbers",
    "1.5 times the loads in a scene; shape: more",
)
def _depth(results: Results) -> ClaimJudgement:
    kernels = (f"{_STAVA}_merge", f"{_STAVA}_merge")
    ratios = results.ratios(f"{_STAVA}:flatten=0", _STAVA, "walk_loads", kernels)
    levels = len(_levels(min(m.width for m in results.all)))
    return make_judgement(
        f"{format_range(ratios, digits=2)} the loads of walks without kernel 3, over {levels} "
        "levels",
        reproduced=max(ratios) >= 1.5,
        shape=max(ratios) > 1,
        reason="Walks become longer, but most cells at borders are near their roots anyway.",
    )


@claim(
    "35.3.4",
    "Merging updates the labels of relatively few cells, and so writes little to memory.",
    "no numbers",
    "at most 15% of the cells; shape: 25%",
)
def _little(results: Results) -> ClaimJudgement:
    shares = results.per_cell(_STAVA, "atomics", f"{_STAVA}_merge")
    every, *others = (
        results.per_cell(_STAVA, "stores", kernel)
        for kernel in ("", *(f"{_STAVA}_{name}" for name in ("tile", "merge", "final")))
    )
    flat = [total - sum(parts) for total, *parts in zip(every, *others, strict=True)]
    return make_judgement(
        f"as many atomic operations as {format_percent_range(shares, 1)} of the cells, an upper "
        f"bound for the cells that change. Kernel 3 stores another {format_percent_range(flat, 1)}",
        reproduced=max(shares) <= 0.15,
        shape=max(shares) < 0.25,
        reason="Threads move in lockstep, so more of them try the same union than on a GPU.",
    )


@claim(
    "35.3.4",
    "Corner cells between four tiles are processed by several threads, but such redundant "
    "threads are few.",
    "no numbers",
    "under 5% at each level; shape: under 20%",
)
def _corners(results: Results) -> ClaimJudgement:
    side = max(m.width for m in results.all)
    results.value(_STAVA, results.workloads[0], "launches")
    shares = [twice / tried for tried, twice in map(count_links, _levels(side))]
    listed = ", ".join(f"{share:.2%}" for share in shares)
    return make_judgement(
        f"at {side}, these shares of links are tried twice, by level: {listed}",
        reproduced=max(shares) < 0.05,
        shape=max(shares) < 0.2,
    )


@claim(
    "35.4",
    "On average Stava-Benes is about 3 times as fast as Hawick's Label Equivalence.",
    "2.5 to 3.5 times on (b) to (d), 2.9 in the mean; 4.7 on (a)",
    "2.25 to 3.75 times in the mean; shape: all above 1",
)
def _average(results: Results) -> ClaimJudgement:
    ratios = results.ratios(_HAWICK, _STAVA, TIME)
    return make_judgement(
        f"{fmean(ratios):.1f} times in the mean, {format_range(ratios)}",
        reproduced=is_between(fmean(ratios), 2.25, 3.75),
        shape=min(ratios) > 1,
        reason="Hawick's kernels probably gain from much larger caches.",
    )


_FIGURE_11: Final = (
    _average,
    ratio_claim(
        "35.4",
        "Stava-Benes is 10 to 15 times as fast as a CPU.",
        "8.8 to 15.7 times on (b) to (d), 20.3 on (a)",
        "scipy",
        _STAVA,
        bounds=(5, 30),
        measured="{} (SciPy on one core)",
        reason="Both machines differ from the chapter's, and so does the algorithm of the CPU: "
        "SciPy's for that of Wu et al.",
    ),
    ratio_claim(
        "Figure 35.11",
        "Hawick's Label Equivalence is faster than a CPU, too.",
        "3.2 to 4.6 times on (b) to (d), (d) by the printed speedups",
        "scipy",
        _HAWICK,
        bounds=(1.5, 7),
        measured="{} (SciPy on one core)",
        reason="Both machines differ from the chapter's, and so does the algorithm of the CPU.",
    ),
    _scales,
    _sparse,
    _scalability,
    _unaffected,
    _speedup,
    _speedup_over_cpu,
    _flattening,
    _depth,
    _grouping,
    _little,
    _corners,
    unmeasured_claim(
        "35.3.4",
        "With more tiles a level too few threads are left for each, with fewer there are more "
        "levels.",
        "no numbers",
        "Times of 2 x 2 and 8 x 8 are above. Why they are longer was not measured.",
    ),
    _fixed,
    _waits,
)


_KERNELS: Final = ("tile", "merge", "flatten", "final")
_SHARES: Final = {
    "b": ((34, 52, 7, 7), (40, 43, 8, 9), (46, 33, 9, 12)),
    "c": ((41, 48, 6, 5), (45, 43, 6, 6), (50, 37, 5, 8)),
    "d": ((44, 38, 8, 10), (48, 34, 7, 11), (53, 28, 7, 12)),
}
"""Figure 35.12: percent of kernels 1 to 4 at 1024, 2048 and 4096 cells a side."""


def _shares(results: Results) -> list[tuple[float, ...]]:
    """Return the shares of kernels 1 to 4 on each workload."""
    times = (results.values(_STAVA, TIME, f"{_STAVA}_{kernel}") for kernel in _KERNELS)
    return [tuple(each / sum(column) for each in column) for column in zip(*times, strict=True)]


def _columns(results: Results) -> list[tuple[tuple[float, ...], tuple[float, ...]]]:
    """Return the published and the measured shares of each column of Figure 35.12."""
    columns: list[tuple[tuple[float, ...], tuple[float, ...]]] = []
    for part, published in _SHARES.items():
        shares = _shares(_part(results, part))
        every = [tuple(n / 100 for n in column) for column in published]
        columns += zip((every[0], every[-1]) if len(shares) == 2 else every, shares, strict=True)
    return columns


# Claims about Figure 35.12.


@claim(
    "35.4.1",
    "Kernels 1 and 2 take most of the time.",
    "79% to 89%",
    "the sum of each column within 10 points; shape: over half",
)
def _first(results: Results) -> ClaimJudgement:
    sums = [(sum(paper[:2]), sum(measured[:2])) for paper, measured in _columns(results)]
    away = max(abs(paper - measured) for paper, measured in sums)
    both = [measured for _, measured in sums]
    return make_judgement(
        f"{min(both):.1%} to {max(both):.1%}; a column differs by {100 * away:.0f} points at most",
        reproduced=away <= _POINTS,
        shape=min(both) > 0.5,
        reason="They do in each column, but not by the published shares.",
    )


@claim(
    "35.4.1",
    "The share of kernel 2 falls as the grid grows.",
    "(b) 52%, 43%, 33%; (c) 48%, 43%, 37%; (d) 38%, 34%, 28%",
    "from size to size in each scene",
)
def _falls(results: Results) -> ClaimJudgement:
    words, falling = [], []
    for part in "bcd":
        shares = [column[1] for column in _shares(_part(results, part))]
        falling.append(all(b < a for a, b in itertools.pairwise(shares)))
        words.append(f"({part}) {', '.join(f'{share:.0%}' for share in shares)}")
    return make_judgement("; ".join(words), reproduced=all(falling))


@claim(
    "Figure 35.12",
    "The shares of kernels 1 to 4.",
    "see the table",
    "each within 10 points; shape: kernels 1 and 2 above 3 and 4 in each column",
)
def _bar_shares(results: Results) -> ClaimJudgement:
    pairs = [each for column in _columns(results) for each in zip(*column, strict=True)]
    away = max(abs(paper - measured) for paper, measured in pairs)
    return make_judgement(
        f"they differ by up to {100 * away:.0f} points",
        reproduced=away <= _POINTS,
        shape=all(min(measured[:2]) > max(measured[2:]) for _, measured in _columns(results)),
        reason="Kernel 2 takes more here, and kernel 1 less.",
    )


@claim(
    "Figure 35.12",
    "Kernel 1 takes more than kernel 2 on large and on sparse grids.",
    "in 6 of 9 columns",
    "the published order in each column; shape: in over three quarters",
)
def _order(results: Results) -> ClaimJudgement:
    columns = _columns(results)
    above = sum(measured[0] > measured[1] for _, measured in columns)
    same = sum((paper[0] > paper[1]) == (measured[0] > measured[1]) for paper, measured in columns)
    return make_judgement(
        f"in {above or 'none'} of {len(columns)} columns; {same} have the chapter's order",
        reproduced=same == len(columns),
        shape=same > 0.75 * len(columns),
        reason="The last levels of a merge have few threads, which probably fill a small part "
        "of a modern GPU. Tiles fill it.",
    )


_FIGURE_12: Final = (_first, _falls, _bar_shares, _order)


_POINTS: Final = 0.10
"""Shares that differ by less count as equal."""


def _grids(*sizes: int) -> list[Workload]:
    """Return the scenes of Figure 35.11: (b) is rescaled, (c) and (d) repeat their first size."""
    base = sizes[0]
    share = (base / 1024) ** 2
    scenes = {"c": max(4, round(2500 * share)), "d": max(1, round(250 * share))}
    large = [
        _scene("b", size, "plates", {"count": 12, "share": 0.1667, "seed": 75}) for size in sizes
    ]
    small = [
        _scene(part, size, "discs", {"count": count, "radius": 16, "scene": base})
        for part, count in scenes.items()
        for size in sizes
    ]
    return [*large, *small]


def _scene(part: str, size: int, pattern: str, values: Mapping[str, Value]) -> Workload:
    spec = format_pattern(pattern, {"width": size, "height": size, **values})
    return Workload(f"({part}) {size}", spec, size)


def _throughput_table(results: Results) -> BenchTable:
    """Return the table of Figure 35.11, without (a)."""
    published = {
        "scipy": "111 112 111 73 73 74 121 124 123",
        _HAWICK: "403 482 508 233 272 279 233* 272* 279*",
        _STAVA: "1049 1294 1553 647 735 834 1398 1740 1939",
    }
    titles = {"scipy": "CPU", _HAWICK: "Hawick", _STAVA: "Stava-Benes"}
    rows = []
    rates: dict[str, list[float]] = {}
    for case, cells in published.items():
        rows.append([f"{titles[case]}, published", *cells.split()])
        rates[case] = [1 / (1000 * t) for t in results.per_cell(case, TIME)]
        rows.append([f"{titles[case]}, measured", *(f"{rate:,.0f}" for rate in rates[case])])
    for case, cells in (
        ("scipy", "9.4 11.6 14 8.8 10 11.2 11.5 14 15.7"),
        (_HAWICK, "2.6 2.7 3.1 2.8 2.7 3 2.5 3.3 3.5"),
    ):
        rows.append([f"Speedup over {titles[case]}, published", *cells.split()])
        gains = (stava / other for stava, other in zip(rates[_STAVA], rates[case], strict=True))
        rows.append([f"Speedup over {titles[case]}, measured", *(f"{n:.1f}" for n in gains)])
    title = (
        "Figure 35.11, megapixels per second. The CPU is SciPy on one core. * A misprint, which "
        "repeats the cells of (c): the printed speedups give 559, 527 and 554"
    )
    return BenchTable(title, ("", *results.workloads), rows)


def _share_table(results: Results) -> BenchTable:
    """Return Figure 35.12."""
    columns = _columns(results)
    rows = []
    for number in range(len(_KERNELS)):
        rows.append([f"Kernel {number + 1}, published", *(f"{p[number]:.0%}" for p, _ in columns)])
        rows.append([f"Kernel {number + 1}, measured", *(f"{m[number]:.1%}" for _, m in columns)])
    title = "Figure 35.12, share of the time of all kernels"
    return BenchTable(title, ("", *results.workloads), rows)


_SCENES: Final = (
    "(b) is one scene, rescaled: 12 discs at random places, a sixth of the side in "
    "radius, which cover 66% in 5 components. (c) and (d) repeat a pattern of 1024 x 1024: discs "
    "of radius 16 at random places, 2500 and 250 of them. The chapter does not say how large its "
    "spheres are or how far they overlap. Here (c) covers 84% in 3 components, of which one has "
    "99.8% of the cells, and (d) 17% in 169."
)

PRESETS: Final = {
    "stava-35.11": Benchmark(
        "Stava-Benes beside Hawick's Label Equivalence and a CPU, on discs",
        "Stava and Benes 2011, Figure 35.11",
        (
            Case(_STAVA),
            Case(_STAVA, {"flatten": 0}),
            Case(_STAVA, {"factor": 2}),
            Case(_STAVA, {"factor": 8}),
            Case(_STAVA, {"variant": "project"}),
            *map(Case, (_HAWICK, *LIBRARIES)),
        ),
        _grids(1024, 2048, 4096),
        8,
        _FIGURE_11,
        scenes=_SCENES,
        figures=("milliseconds", "bytes"),
        reduced=_grids(64, 128),
        counted=_grids(1024),
        schedule="synchronous",
        tables=(_throughput_table,),
    ),
    "stava-35.12": Benchmark(
        "The share of each kernel of Stava-Benes",
        "Stava and Benes 2011, Figure 35.12",
        (Case(_STAVA),),
        _grids(1024, 2048, 4096),
        8,
        _FIGURE_12,
        scenes=_SCENES,
        figures=("milliseconds", "bytes"),
        by_kernel=True,
        reduced=_grids(80, 128),  # merged twice, as kernel 3 runs between
        schedule="synchronous",
        tables=(_share_table,),
    ),
}
