"""Stava and Benes 2011: Figures 35.11 and 35.12, on merging tiles level by level."""

from __future__ import annotations

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
    span,
)
from ccl_viewer.bench.libraries import LIBRARIES
from ccl_viewer.bench.measuring import Case, Workload
from ccl_viewer.bench.running import Benchmark
from ccl_viewer.grids.specs import pattern_spec

_STAVA, _HAWICK = "stava_benes", "label_equivalence_hawick"


def _part(results: Results, letters: str) -> Results:
    return results.among(rf"^\([{letters}]\)")


def _figure_11() -> tuple[Claim, ...]:
    """Return the claims about Figure 35.11."""

    def rates(results: Results, case: str, part: str) -> list[float]:
        """Return megapixels a second."""
        return [1 / (1000 * t) for t in _part(results, part).per_cell(case, TIME)]

    @claim(
        "The throughput of Stava-Benes rises with the resolution.",
        "(b), few large objects: 1,049 to 1,553; (c), many small ones: 647 to 834; (d), sparse "
        "small ones: 1,398 to 1,939 megapixels a second",
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
            reason="The others gain as much from sparse components here.",
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

    def merged_twice(results: Results) -> Results:
        return Results(m for m in results.all if m.width > 64)

    @claim(
        "Without kernel 3, trees at the borders may become much deeper from level to level.",
        "no numbers",
    )
    def depth(results: Results) -> Judgement:
        kernels = (f"{_STAVA}_merge", f"{_STAVA}_merge")
        found = merged_twice(results).ratios(f"{_STAVA}:flatten=0", _STAVA, "walk_loads", kernels)
        return judged(
            f"{span(found, digits=2)} the loads of walks without kernel 3",
            reproduced=max(found) >= 1.5,
            shape=max(found) > 1,
            reason="The grids that are counted are merged in two levels only.",
        )

    @claim("Merging writes the labels of few cells.", "no numbers")
    def little(results: Results) -> Judgement:
        large = merged_twice(results)
        found = large.per_cell(_STAVA, "atomics", f"{_STAVA}_merge")
        return judged(
            f"as many atomic operations as {min(found):.1%} to {max(found):.1%} of the cells on "
            f"grids of {large.all[0].width} cells a side",
            reproduced=max(found) < 0.1,
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
        fixed,
    )


def _figure_12() -> tuple[Claim, ...]:
    """Return the claims about Figure 35.12."""

    def shares(results: Results) -> list[tuple[float, float]]:
        """Return the shares of kernels 1 and 2 on each workload."""
        times = (
            results.values(_STAVA, TIME, f"{_STAVA}_{kernel}")
            for kernel in ("tile", "merge", "flatten", "final")
        )
        return [(each[0] / sum(each), each[1] / sum(each)) for each in zip(*times, strict=True)]

    @claim("Kernels 1 and 2 take most of the time.", "79% to 89%")
    def first(results: Results) -> Judgement:
        both = [sum(each) for each in shares(results)]
        return judged(
            f"{min(both):.0%} to {max(both):.0%}",
            reproduced=min(both) >= 0.7,
            shape=min(both) > 0.5,
        )

    @claim(
        "The share of kernel 2 falls as the grid grows.",
        "(b) 52% to 33%; (c) 48% to 37%; (d) 38% to 28%",
    )
    def falls(results: Results) -> Judgement:
        words, falling = [], []
        for part in "bcd":
            found = [merge for _, merge in shares(_part(results, part))]
            falling.append(found[-1] < found[0])
            words.append(f"({part}) {found[0]:.0%} to {found[-1]:.0%}")
        return judged("; ".join(words), reproduced=all(falling), shape=any(falling))

    return (first, falls)


def _discs(size: int, base: int, count: int, radius: int, name: str) -> Workload:
    """Return discs of one size and density on a canvas of any size."""
    values = {
        "width": size,
        "height": size,
        "count": max(1, count * size * size // (base * base)),
        "radius": radius,
    }
    return Workload(f"({name}) {size}", pattern_spec("discs", values), size)


def _grids(*sizes: int) -> list[Workload]:
    base = sizes[0]
    share = base / 1024
    large = [
        Workload(
            f"(b) {size}",
            pattern_spec(
                "discs", {"width": size, "height": size, "count": 12, "radius": size // 6}
            ),
            size,
        )
        for size in sizes
    ]
    dense = [_discs(size, base, max(4, round(2500 * share**2)), 11, "c") for size in sizes]
    sparse = [_discs(size, base, max(1, round(250 * share**2)), 11, "d") for size in sizes]
    return [*large, *dense, *sparse]


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
    ),
}
