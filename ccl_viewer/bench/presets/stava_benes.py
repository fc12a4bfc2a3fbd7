"""Stava and Benes 2011: Figures 35.11 and 35.12, on merging tiles level by level."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from statistics import fmean
from typing import Final

from ccl_viewer.bench.claims import (
    TIME,
    Claim,
    Judgement,
    Results,
    between,
    claim,
    judged,
    ratio_claim,
    share_span,
    span,
)
from ccl_viewer.bench.libraries import LIBRARIES
from ccl_viewer.bench.measuring import Case, Workload
from ccl_viewer.bench.running import Benchmark
from ccl_viewer.bench.tables import Table
from ccl_viewer.grids.pattern import Value
from ccl_viewer.grids.specs import pattern_spec

_STAVA, _HAWICK = "stava_benes", "label_equivalence_hawick"


def _levels(side: int) -> list[int]:
    """Return the sides of the tiles that are merged at each level of a square grid."""
    tiles = []
    tile = 16
    while tile < side:
        tiles.append(tile)
        tile *= 4
    return tiles


def links(tile: int) -> tuple[int, int]:
    """Return how many links a block of 4 x 4 tiles tries in a pass, and how many of them twice.

    Figure 35.10: each cell along the 12 borders in each direction tries the cell opposite and both
    beside it, but at the ends of the block, where one is missing. Where four tiles meet, both
    diagonals belong to a border in each direction.
    """
    along = 2 * 3 * (3 * 4 * tile - 2)
    return along, 2 * 3 * 3


def _part(results: Results, letters: str) -> Results:
    return results.among(rf"^\([{letters}]\)")


def _figure_11() -> tuple[Claim, ...]:
    """Return the claims about Figure 35.11."""

    def rates(results: Results, case: str, part: str) -> list[float]:
        """Return megapixels a second."""
        return [1 / (1000 * t) for t in _part(results, part).per_cell(case, TIME)]

    @claim(
        "The throughput of Stava-Benes rises with the resolution.",
        "(b), few large objects: 1,049 to 1,553; (c), 2500 spheres: 647 to 834; (d), 250 spheres: "
        "1,398 to 1,939 megapixels a second",
    )
    def scales(results: Results) -> Judgement:
        found = {part: rates(results, _STAVA, part) for part in "bcd"}
        words = (f"({part}) {r[0]:,.0f} to {r[-1]:,.0f}" for part, r in found.items())
        return judged(
            f"{'; '.join(words)} megapixels a second",
            reproduced=all(r[-1] > r[0] for r in found.values()),
        )

    def gains(results: Results) -> dict[str, list[float]]:
        """Return by how much the throughput of the three methods rises, by part."""
        cases = (_STAVA, _HAWICK, "scipy")
        found = {part: [rates(results, case, part) for case in cases] for part in "bcd"}
        return {part: [r[-1] / r[0] for r in each] for part, each in found.items()}

    @claim(
        "The throughput of Stava-Benes rises more with the resolution than that of the others.",
        "(b) 1.5, 1.3 and 1.0; (c) 1.3, 1.2 and 1.0; (d) 1.4, 1.0 and 1.0 times the throughput "
        "for Stava-Benes, Hawick (in (d) by the printed speedups) and the CPU",
    )
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

    @claim(
        "The throughput of the others hardly depends on the resolution.",
        "Hawick's rises 1.0 to 1.3 times, the CPU's 1.0 times",
    )
    def unaffected(results: Results) -> Judgement:
        _, hawick, processor = zip(*gains(results).values(), strict=True)
        return judged(
            f"Hawick's rises {span(hawick)}, SciPy's {span(processor)}",
            reproduced=between(max(*hawick, *processor), 0, 1.35),
            shape=between(max(*hawick, *processor), 0, 2),
            reason="Small grids probably do not fill a GPU of today, with either method.",
        )

    @claim(
        "The speedup of Stava-Benes is higher where components are sparse.",
        "2.5 to 3.5 times over Hawick's if sparse, else 2.6 to 3.1; 11.5 to 15.7 times over "
        "the CPU's if sparse, else 8.8 to 14.0",
    )
    def speedup(results: Results) -> Judgement:
        words, rising = [], []
        for case, name in ((_HAWICK, "Hawick's"), ("scipy", "SciPy's")):
            dense, sparse = (
                _part(results, letters).ratios(case, _STAVA, TIME) for letters in ("bc", "d")
            )
            words.append(f"{span(sparse, '')} times over {name} if sparse, else {span(dense)}")
            rising.append(fmean(sparse) > fmean(dense))
        return judged(
            "; ".join(words),
            reproduced=all(rising),
            shape=any(rising),
            reason="The others gain as much from sparse components.",
        )

    @claim(
        "The number of launches depends on the size of the picture alone.",
        "fixed for given dimensions",
    )
    def fixed(results: Results) -> Judgement:
        found = {
            size: set(results.among(f" {size}$").values(_STAVA, "launches"))
            for size in sorted({m.width for m in results.all})
        }
        words = ", ".join(f"{max(counts):.0f} at {size}" for size, counts in found.items())
        return judged(
            f"{words}, whatever the picture",
            reproduced=all(len(counts) == 1 for counts in found.values()),
        )

    @claim(
        "Stava-Benes is fastest where components are sparse.",
        "1.2 to 2.4 times as long on (b) and (c) as on (d)",
    )
    def sparse(results: Results) -> Judgement:
        times = [_part(results, letter).values(_STAVA, TIME) for letter in "bcd"]
        found = [dense / d for b, c, d in zip(*times, strict=True) for dense in (b, c)]
        return judged(
            f"{span(found)} as long on (b) and (c) as on (d)",
            reproduced=min(found) > 1.1,
            shape=sum(found) > len(found),
            reason="At 1024 x 1024 the launches probably take most of the time, whatever the "
            "picture.",
        )

    @claim("Flattening the borders (kernel 3) gains 15 to 20%.", "15 to 20%")
    def flattening(results: Results) -> Judgement:
        flat = f"{_STAVA}:flatten=0"
        mean = fmean(results.ratios(flat, _STAVA, TIME))
        large = results.among(f" {max(m.width for m in results.all)}$")
        pairs = zip(large.ratios(flat, _STAVA, TIME), large.workloads, strict=True)
        words = ", ".join(f"{ratio:.2f} on {name}" for ratio, name in pairs)
        return judged(
            f"{mean:.2f} times as long without kernel 3 in the mean, {words}",
            reproduced=between(mean, 1.1, 1.25),
            shape=mean > 1.02,
            reason="It gains on large grids with large or many components. Elsewhere its launches "
            "take longer than the walks that they shorten.",
        )

    @claim(
        "Merging 4 x 4 tiles at a time gives good results; more or fewer are worse.", "no numbers"
    )
    def grouping(results: Results) -> Judgement:
        means = {
            factor: fmean(results.ratios(f"{_STAVA}:factor={factor}", _STAVA, TIME))
            for factor in (2, 8)
        }
        words = [f"{mean:.2f} with {n} x {n}" for n, mean in means.items()]
        return judged(
            f"times as long as with 4 x 4 in the mean: {', '.join(words)}",
            reproduced=min(means.values()) > 1,
            shape=min(means.values()) > 0.95,
            reason="A GPU of today has room for more blocks and more threads of a block.",
        )

    @claim(
        "Without kernel 3, trees at the borders may become much deeper from level to level.",
        "no numbers",
    )
    def depth(results: Results) -> Judgement:
        kernels = (f"{_STAVA}_merge", f"{_STAVA}_merge")
        found = results.ratios(f"{_STAVA}:flatten=0", _STAVA, "walk_loads", kernels)
        levels = len(_levels(min(m.width for m in results.all)))
        return judged(
            f"{span(found, digits=2)} the loads of walks without kernel 3, over {levels} levels",
            reproduced=max(found) >= 1.5,
            shape=max(found) > 1,
            reason="Walks become longer, but most cells at borders are near their roots anyway.",
        )

    @claim("Merging writes the labels of few cells.", "no numbers")
    def little(results: Results) -> Judgement:
        found = results.per_cell(_STAVA, "atomics", f"{_STAVA}_merge")
        return judged(
            f"as many atomic operations as {share_span(found, 1)} of the cells",
            reproduced=max(found) < 0.1,
            shape=max(found) < 0.25,
            reason="All threads move at once, so more of them try the same union than on a GPU.",
        )

    @claim(
        "Corner cells between four tiles are processed by several threads, but such redundant "
        "threads are few.",
        "no numbers",
    )
    def corners(results: Results) -> Judgement:
        side = max(m.width for m in results.all)
        results.value(_STAVA, results.workloads[0], "launches")
        shares = [twice / tried for tried, twice in map(links, _levels(side))]
        listed = ", ".join(f"{share:.2%}" for share in shares)
        return judged(
            f"of the links that a pass of each level tries at {side} cells a side, {listed} are "
            "tried twice",
            reproduced=max(shares) < 0.05,
            shape=max(shares) < 0.2,
        )

    return (
        ratio_claim(
            "Stava-Benes is about 3 times as fast as Hawick's Label Equivalence.",
            "2.5 to 4.7 times",
            _HAWICK,
            _STAVA,
            bounds=(1.5, 7),
            reason="Hawick's kernels probably gain from caches, which their GPU hardly had.",
        ),
        ratio_claim(
            "Stava-Benes is 10 to 15 times as fast as a CPU.",
            "8.8 to 20.3 times",
            "scipy",
            _STAVA,
            bounds=(5, 30),
            measured="{} (SciPy on one core)",
            reason="Both machines are others than the chapter's.",
        ),
        ratio_claim(
            "Hawick's Label Equivalence is faster than a CPU, too.",
            "3.2 to 4.6 times",
            "scipy",
            _HAWICK,
            bounds=(1.5, 7),
            measured="{} (SciPy on one core)",
            reason="Both machines are others than the chapter's.",
        ),
        scales,
        sparse,
        scalability,
        unaffected,
        speedup,
        flattening,
        depth,
        grouping,
        little,
        corners,
        fixed,
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
        found = _shares(_part(results, part))
        every = [tuple(n / 100 for n in column) for column in published]
        columns += zip((every[0], every[-1]) if len(found) == 2 else every, found, strict=True)
    return columns


def _figure_12() -> tuple[Claim, ...]:
    """Return the claims about Figure 35.12."""

    @claim("Kernels 1 and 2 take most of the time.", "79% to 89%")
    def first(results: Results) -> Judgement:
        sums = [(sum(paper[:2]), sum(own[:2])) for paper, own in _columns(results)]
        away = max(abs(paper - own) for paper, own in sums)
        both = [own for _, own in sums]
        return judged(
            f"{min(both):.0%} to {max(both):.0%}; a column differs by {100 * away:.0f} points at "
            "most",
            reproduced=away <= _POINTS,
            shape=min(both) > 0.5,
            reason="They do in each column, but not by the published shares.",
        )

    @claim(
        "The share of kernel 2 falls as the grid grows.",
        "(b) 52%, 43%, 33%; (c) 48%, 43%, 37%; (d) 38%, 34%, 28%",
    )
    def falls(results: Results) -> Judgement:
        words, falling = [], []
        for part in "bcd":
            found = [column[1] for column in _shares(_part(results, part))]
            falling.append(all(b < a for a, b in itertools.pairwise(found)))
            words.append(f"({part}) {', '.join(f'{share:.0%}' for share in found)}")
        away = max(abs(paper[1] - own[1]) for paper, own in _columns(results))
        return judged(
            "; ".join(words),
            reproduced=all(falling) and away <= _POINTS,
            shape=all(falling),
            reason=f"The shares differ by {100 * away:.0f} points at most.",
        )

    @claim(
        "Kernel 1 takes more than kernel 2 on large and on sparse grids.",
        "in 6 of 9 columns",
    )
    def order(results: Results) -> Judgement:
        columns = _columns(results)
        above = sum(own[0] > own[1] for _, own in columns)
        same = sum((paper[0] > paper[1]) == (own[0] > own[1]) for paper, own in columns)
        return judged(
            f"in {above} of {len(columns)} columns; {same} have the published order",
            reproduced=same == len(columns),
            shape=same > 0.75 * len(columns),
            reason="A merge is one launch of few threads, which fill a small part of a GPU of "
            "today. Tiles fill it.",
        )

    return (first, falls, order)


_POINTS: Final = 0.10
"""Shares that differ by less are the same."""


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
    spec = pattern_spec(pattern, {"width": size, "height": size, **values})
    return Workload(f"({part}) {size}", spec, size)


def _throughput_table(results: Results) -> Table:
    """Return the table of Figure 35.11, without (a)."""
    published = {
        "scipy": "111 112 111 73 73 74 121 124 123",
        _HAWICK: "403 482 508 233 272 279 233 272 279",
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
        gains = (own / other for own, other in zip(rates[_STAVA], rates[case], strict=True))
        rows.append([f"Speedup over {titles[case]}, measured", *(f"{n:.1f}" for n in gains)])
    title = "Figure 35.11, megapixels a second. The CPU is SciPy on one core."
    return Table(title, ("", *results.workloads), rows)


def _share_table(results: Results) -> Table:
    """Return Figure 35.12."""
    columns = _columns(results)
    rows = []
    for number in range(len(_KERNELS)):
        rows.append([f"Kernel {number + 1}, published", *(f"{p[number]:.0%}" for p, _ in columns)])
        rows.append([f"Kernel {number + 1}, measured", *(f"{m[number]:.0%}" for _, m in columns)])
    title = "Figure 35.12, share of the time of all kernels"
    return Table(title, ("", *results.workloads), rows)


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
        _figure_11(),
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
        _figure_12(),
        figures=("milliseconds", "bytes"),
        by_kernel=True,
        reduced=_grids(80, 128),  # merged twice, as kernel 3 runs between
        schedule="synchronous",
        tables=(_share_table,),
    ),
}
