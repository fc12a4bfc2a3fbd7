"""Hennequin et al. 2018: figures and sections on HA4."""

from __future__ import annotations

from collections.abc import Sequence
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
from ccl_viewer.bench.presets.grids import REDUCED, granularities, noise
from ccl_viewer.bench.running import Benchmark

_HEIGHTS = (1, 2, 4, 8, 16)


def _figure_5() -> tuple[Claim, ...]:
    """Return the claims about Figure 5; Playne's tiles are what its authors compared with."""
    rivals = {"playne_block": "Playne-Hawick by blocks", "cabaret": "Cabaret"}

    def at(results: Results, granularity: int) -> Results:
        ending = f"g{granularity}$" if granularity > 1 else r"d[\d.]+$"
        return Results(m for m in results.among(ending).all if m.x > 0)

    @claim(
        "At a granularity of g = 4 HA4 with two pixels a thread is 2.4 times as fast as "
        "Playne-Hawick or Cabaret.",
        "2.4 times in the mean",
    )
    def speedup(results: Results) -> Judgement:
        usual = at(results, 4)
        found = {case: usual.ratios(case, "ha4_64", TIME) for case in ("playne", *rivals)}
        means = {case: fmean(ratios) for case, ratios in found.items()}
        every = [ratio for ratios in found.values() for ratio in ratios]
        words = (f"Playne-Hawick's direct method {means['playne']:.1f}, by blocks "
                 f"{means['playne_block']:.1f}, Cabaret {means['cabaret']:.1f}")  # fmt: skip
        return judged(
            f"times as long in the mean: {words}; {span(every)} over all densities",
            reproduced=all(between(found, 1.9, 2.9) for found in means.values()),
            shape=min(means.values()) > 1,
            reason="A GPU of today labels tiles fast in its shared memory. Of Cabaret's unions at "
            "borders, many meet at one root where most cells are occupied.",
        )

    @claim("The gain grows with the granularity.", "1.8 times at g = 1 to 2.7 times at g = 16")
    def granularities(results: Results) -> Judgement:
        found = {
            case: [fmean(at(results, g).ratios(case, "ha4_64", TIME)) for g in (1, 4, 16)]
            for case in rivals
        }
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

    @claim("Each of HA4's three steps is faster than those of the others.", "no numbers (Figure 5)")
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
        usual = at(results, 4)
        found: dict[str, list[float]] = {}
        for case, kernels in others.items():
            for step, parts in zip(own, kernels, strict=True):
                each = [usual.values(case, TIME, part) for part in parts]
                times = map(sum, zip(*each, strict=True))
                base = usual.values("ha4_64", TIME, f"ha4_64_{step}")
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

    @claim("Playne-Hawick is faster than Cabaret.", "no numbers (Figure 5)")
    def playne(results: Results) -> Judgement:
        found = [at(results, g).ratios("cabaret", "playne_block", TIME) for g in (1, 4, 16)]
        every = [ratio for each in found for ratio in each]
        return judged(
            f"Cabaret takes {', '.join(f'{fmean(each):.1f}' for each in found)} times as long as "
            f"Playne-Hawick by blocks in the mean at g = 1, 4 and 16, {span(every)}",
            reproduced=all(fmean(each) > 1 for each in found),
        )

    @claim("Two pixels a thread are faster than one.", "no numbers (Figure 5)")
    def both(results: Results) -> Judgement:
        found = at(results, 4).ratios("ha4", "ha4_64", TIME)
        return judged(
            f"HA4 with one pixel takes {fmean(found):.2f} times as long in the mean at g = 4, "
            f"{span(found)}",
            reproduced=fmean(found) > 1,
        )

    @claim("HA4 labels 200 images of 2048 x 2048 a second.", "200 images a second")
    def rate(results: Results) -> Judgement:
        found = max(results.values("ha4_64", TIME))
        return judged(f"at least {1000 / found:,.0f} images a second", reproduced=found <= 5)

    return (speedup, granularities, steps, both, playne, rate)


def _figure_6() -> tuple[Claim, ...]:
    """Return the claim about Figure 6."""

    @claim(
        "The time of features has a bump around a density of 64%, the percolation threshold.",
        "around 64%",
    )
    def bump(results: Results) -> Judgement:
        usual = Results(m for m in results.among("g4$").all if 30 <= m.x <= 90)
        figure = TIME if TIME in results.all[0].figures else "loads"
        found = usual.by_x("ha4_features", figure, "ha4_features")
        top = max(found, key=found.__getitem__)
        what = "takes longest" if figure == TIME else "loads most"
        return judged(
            f"between 30 and 90%, the features kernel {what} at {top:.0f}%",
            reproduced=between(top, 58, 70),
            shape=between(top, 50, 80),
        )

    return (bump,)


def _height() -> tuple[Claim, ...]:
    """Return the claim of section IV-A about the height of strips."""

    @claim("Strips of 4 rows perform well.", "no numbers")
    def four(results: Results) -> Judgement:
        sums = {h: sum(results.values(f"ha4:strip_height={h}", TIME)) for h in _HEIGHTS}
        listed = ", ".join(f"{sums[h] / sums[4]:.2f} with {h}" for h in _HEIGHTS if h != 4)
        return judged(
            f"times as long as with 4 rows: {listed}",
            reproduced=sums[4] <= 1.05 * min(sums.values()),
            shape=sums[4] < sums[1],
        )

    return (four,)


def _features() -> tuple[Claim, ...]:
    """Return the claims of section V about features."""
    naive, runs = "ha4_features:naive=1", "ha4_features"
    kernels = ("ha4_features_naive", "ha4_features")

    @claim(
        "Features pixel by pixel take 6.4 times as long as segment by segment.", "11.2 and 1.75 ms"
    )
    def slower(results: Results) -> Judgement:
        found = results.ratios(naive, runs, TIME, kernels)
        (usual,) = results.among("g4$").ratios(naive, runs, TIME, kernels)
        return judged(
            f"{usual:.1f} times at g = 4 and a density of 0.5, {span(found)} at g = 1 to 16",
            reproduced=between(usual, 4.5, 8.5),
            shape=min(found) > 1,
            reason="The GPU probably adds equal addresses of a warp together before memory.",
        )

    return (
        slower,
        ratio_claim(
            "Pixel by pixel, atomic operations wait for one another at one address.",
            "no numbers",
            naive,
            runs,
            figure="contention",
            kernels=kernels,
            measured="{} as many at once on one address",
        ),
        ratio_claim(
            "Whole segments need fewer atomic operations.",
            "no numbers",
            naive,
            runs,
            figure="atomics",
            kernels=kernels,
            measured="{} as many pixel by pixel",
        ),
    )


def _grids(size: int, step: int, granularities: Sequence[int]) -> list[Workload]:
    return [
        noise(size, percent / 100, granularity, percent, f"g{granularity}")
        for granularity in granularities
        for percent in range(0, 101, step)
    ]


PRESETS: Final = {
    "hennequin-5": Benchmark(
        "Labelling by density: HA4 beside Playne-Hawick and Cabaret",
        "Hennequin et al. 2018, Figure 5",
        tuple(map(Case, ("playne", "playne_block", "cabaret", "ha4", "ha4_64", *LIBRARIES))),
        _grids(2048, 4, (1, 4, 16)),
        4,
        _figure_5(),
        "density in percent",
        reduced=_grids(REDUCED, 50, (1, 4, 16)),
    ),
    "hennequin-6": Benchmark(
        "Analysis by density: features of the components",
        "Hennequin et al. 2018, Figure 6",
        (Case("ha4_features"), Case("ha4_features", {"pixels": 2})),
        _grids(2048, 4, (1, 4, 16)),
        4,
        _figure_6(),
        "density in percent",
        reduced=_grids(REDUCED, 20, (4,)),
    ),
    "hennequin-features": Benchmark(
        "Features by segment and by pixel",
        "Hennequin et al. 2018, section V",
        (
            Case("ha4_features"),
            Case("ha4_features", {"pixels": 2}),
            Case("ha4_features", {"naive": 1}),
        ),
        granularities(2048),
        4,
        _features(),
        "granularity",
        figures=("milliseconds", "atomics", "contention"),
        reduced=granularities(REDUCED),
    ),
    "hennequin-height": Benchmark(
        "HA4 by the height of its strips",
        "Hennequin et al. 2018, section IV-A",
        tuple(Case("ha4", {"strip_height": height}) for height in _HEIGHTS),
        granularities(2048),
        4,
        _height(),
        "granularity",
        figures=("milliseconds", "bytes", "atomics"),
        reduced=granularities(REDUCED),
    ),
}
