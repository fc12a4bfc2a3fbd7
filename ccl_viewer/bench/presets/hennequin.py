"""Hennequin et al. 2018: figures and sections on HA4."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Final

from ccl_viewer.bench.claims import (
    TIME,
    Claim,
    Judgement,
    MissingError,
    Results,
    between,
    claim,
    judged,
    ratio_claim,
    span,
)
from ccl_viewer.bench.measuring import Case, Workload
from ccl_viewer.bench.presets.grids import REDUCED, granularities, noise
from ccl_viewer.bench.running import Benchmark
from ccl_viewer.bench.tables import Table, yield_text
from ccl_viewer.grids.specs import pattern_spec

_HEIGHTS = (1, 2, 4, 8, 16)
_PRINTED: Final = "ha4_64:variant=printed"
_BORDERS: Final = ("cabaret_merge_horizontal", "cabaret_merge_vertical")
_STEPS: Final[Mapping[str, Mapping[str, Sequence[str]]]] = {
    "Step 1, tiles or strips": {
        "playne_block": ("playne_tile",),
        "cabaret": ("cabaret_tile",),
        "ha4": ("ha4_strip_labeling",),
        "ha4_64": ("ha4_64_strip_labeling",),
    },
    "Step 2, borders": {
        "playne_block": ("playne_border_merge",),
        "cabaret": _BORDERS,
        "ha4": ("ha4_strip_merge",),
        "ha4_64": ("ha4_64_strip_merge",),
    },
    "Step 3, relabelling": {
        "playne_block": ("playne_resolve",),
        "cabaret": ("cabaret_relabeling",),
        "ha4": ("ha4_relabeling",),
        "ha4_64": ("ha4_64_relabeling",),
    },
}
"""The kernels of the steps in Figure 5."""


def _figure_5() -> tuple[Claim, ...]:
    """Return the claims about Figure 5; Playne's tiles are what its authors compared with."""
    rivals = {"playne_block": "Playne-Hawick by blocks", "cabaret": "Cabaret"}

    def of_step(results: Results, step: str, case: str) -> float:
        """Return how many times as long a step takes as HA4's with two pixels, in the mean."""
        times, base = (
            [sum(each) for each in zip(*(
                results.values(key, TIME, kernel) for kernel in _STEPS[step][key]
            ), strict=True)]
            for key in (case, "ha4_64")
        )  # fmt: skip
        return fmean(a / b for a, b in zip(times, base, strict=True))

    @claim(
        "At a granularity of g = 4 HA4 with two pixels a thread is 2.4 times as fast as "
        "Playne-Hawick or Cabaret.",
        "2.4 times in the mean",
    )
    def speedup(results: Results) -> Judgement:
        usual = _dense(results, 4)
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
            case: [fmean(_dense(results, g).ratios(case, "ha4_64", TIME)) for g in (1, 4, 16)]
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
        usual = _dense(results, 4)
        found = {case: [of_step(usual, step, case) for step in _STEPS] for case in rivals}
        words = "; ".join(
            f"{rivals[case]} {', '.join(f'{n:.1f}' for n in ratios)}"
            for case, ratios in found.items()
        )
        return judged(
            f"times as long in the mean for tiles or strips, borders, relabelling: {words}",
            reproduced=all(min(ratios) > 1 for ratios in found.values()),
            shape=all(fmean(ratios) > 1 for ratios in found.values()),
            reason="Tiles in shared memory take as long here as strips in device memory.",
        )

    @claim(
        "For strips it would be inefficient to label in shared memory first, as the others do "
        "with tiles.",
        "no numbers",
    )
    def shared(results: Results) -> Judgement:
        strips, *_ = _STEPS
        found = {case: of_step(_dense(results, 4), strips, case) for case in rivals}
        words = " and ".join(f"{rivals[case]} {ratio:.2f}" for case, ratio in found.items())
        return judged(
            f"tiles in shared memory take so many times as long as strips in the mean: {words}",
            reproduced=min(found.values()) > 1,
            shape=max(found.values()) > 1,
            reason="Both take as long here: a GPU of today labels a tile fast in shared memory.",
        )

    @claim("Playne-Hawick is faster than Cabaret.", "no numbers (Figure 5)")
    def playne(results: Results) -> Judgement:
        found = [_dense(results, g).ratios("cabaret", "playne_block", TIME) for g in (1, 4, 16)]
        every = [ratio for each in found for ratio in each]
        return judged(
            f"Cabaret takes {', '.join(f'{fmean(each):.1f}' for each in found)} times as long as "
            f"Playne-Hawick by blocks in the mean at g = 1, 4 and 16, {span(every)}",
            reproduced=all(fmean(each) > 1 for each in found),
        )

    @claim("Two pixels a thread are faster than one.", "no numbers (Figure 5)")
    def both(results: Results) -> Judgement:
        found = _dense(results, 4).ratios("ha4", "ha4_64", TIME)
        return judged(
            f"HA4 with one pixel takes {fmean(found):.2f} times as long in the mean at g = 4, "
            f"{span(found)}",
            reproduced=fmean(found) > 1,
        )

    @claim("HA4 labels 200 images of 2048 x 2048 a second.", "200 images a second")
    def rate(results: Results) -> Judgement:
        found = max(results.values("ha4_64", TIME))
        return judged(f"at least {1000 / found:,.0f} images a second", reproduced=found <= 5)

    return (speedup, granularities, steps, shared, both, playne, rate)


def _figure_6() -> tuple[Claim, ...]:
    """Return the claims about Figure 6."""
    naive, runs = "ha4_features:naive=1", "ha4_features"

    @claim(
        "The time of features has a bump around a density of 64%, the percolation threshold.",
        "around 64%",
    )
    def bump(results: Results) -> Judgement:
        usual = results.among("g4$").where(lambda m: 30 <= m.x <= 90)
        found = usual.by_x(runs, TIME, runs)
        top = max(found, key=found.__getitem__)
        return judged(
            f"between 30 and 90%, the features kernel takes longest at {top:.0f}%",
            reproduced=between(top, 58, 70),
            shape=between(top, 50, 80),
        )

    @claim(
        "Features pixel by pixel take 6.4 times as long as segment by segment.",
        "11.2 and 1.75 ms, in the mean over the densities",
    )
    def slower(results: Results) -> Judgement:
        usual = results.among("g4$")
        pixels, segments = (
            fmean(usual.values(case, TIME, kernel))
            for case, kernel in ((naive, "ha4_features_naive"), (runs, runs))
        )
        dense = usual.where(lambda m: m.x > 0)
        each = dense.ratios(naive, runs, TIME, ("ha4_features_naive", runs))
        return judged(
            f"{pixels:.3f} and {segments:.3f} ms in the mean at g = 4: "
            f"{pixels / segments:.1f} times; {span(each)} by density",
            reproduced=between(pixels / segments, 4.5, 8.5),
            shape=pixels > segments,
            reason="Atomics on one address cost more here where most pixels are one component's.",
        )

    return (bump, slower)


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

    @claim(
        "Warps exchange masks instead of pixels, which avoids bank conflicts.",
        "a store of one thread a warp, each to another bank; loads of one cell",
    )
    def masks(results: Results) -> Judgement:
        found = []
        for height in _HEIGHTS[1:]:
            case, kernel = f"ha4:strip_height={height}", "ha4_strip_labeling"
            turns = results.values(case, "bank_turns", kernel)
            requests = results.values(case, "shared_requests", kernel)
            found += [t / r for t, r in zip(turns, requests, strict=True)]
        return judged(
            f"a request to shared memory takes {span(found, ' turns of the banks', 2)}",
            reproduced=max(found) == 1,
        )

    return (four, masks)


def _features() -> tuple[Claim, ...]:
    """Return the claims of section V about features."""
    naive, runs = "ha4_features:naive=1", "ha4_features"
    kernels = ("ha4_features_naive", "ha4_features")

    return (
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


def _mean_table(results: Results) -> Table:
    """Return what Figure 5 says in numbers, at each granularity; and the printed form beside it."""
    rows = []
    for case in ("playne", "playne_block", "cabaret", "ha4", "ha4_64", _PRINTED):
        cells = []
        for granularity in (1, 4, 16):
            dense = _dense(results, granularity)
            gain = fmean(dense.ratios(case, "ha4_64", TIME))
            cells.append(f"{fmean(dense.values(case, TIME)):.4f} ({gain:.2f})")
        wrong = yield_text(m for m in results.all if m.case == case) if case == _PRINTED else ""
        rows.append([f"{case}, {wrong}" if wrong else case, *cells])
    header = ("", "g = 1", "g = 4", "g = 16")
    title = (
        "Mean milliseconds over all densities above 0, and how many times as long as HA4 with two "
        "pixels a thread. Published: 2.4 times at g = 4, 1.8 to 2.7 times from g = 1 to 16"
    )
    return Table(title, header, rows)


def _dense(results: Results, granularity: int) -> Results:
    """Return the results at one granularity, but those of an empty grid."""
    ending = f"g{granularity}$" if granularity > 1 else r"d[\d.]+$"
    return results.where(lambda m: m.x > 0).among(ending)


def _geodesic() -> tuple[Claim, ...]:
    """Return the claim of section II-A about iterative methods."""

    @claim(
        "Iterative methods that spread labels step by step take as many iterations as the longest "
        "geodesic distance of two pixels.",
        "no numbers",
    )
    def distance(results: Results) -> Judgement:
        if any(m.device == "cuda" for m in results.all):
            raise MissingError("All threads move at once on the emulator alone.")
        passes = results.values("shibata_naive", "iterations")
        longest = [n - 1 for n in results.values("shibata_naive", "foreground")]
        direct = results.values("label_equivalence", "iterations")
        listed = ", ".join(f"{n:,.0f} for {d:,.0f}" for n, d in zip(passes, longest, strict=True))
        return judged(
            f"passes of Shibata's naive kernel for the distance, with one that finds no change: "
            f"{listed};"
            f" Label Equivalence, which is iterative too, needs {span(direct, '', 0)}",
            reproduced=all(abs(n / d - 1) < 0.01 for n, d in zip(passes, longest, strict=True)),
            shape=all(n > d / 2 for n, d in zip(passes, longest, strict=True)),
        )

    return (distance,)


def _path_grids(size: int, gaps: Sequence[int]) -> list[Workload]:
    """Return single paths, whose ends are as far apart as they have cells, but one."""
    return [
        Workload(
            f"path {size} gap {gap}",
            pattern_spec("serpentine", {"width": size, "height": size, "gap": gap}),
        )
        for gap in gaps
    ]


PRESETS: Final = {
    "hennequin-5": Benchmark(
        "Labelling by density: HA4 beside Playne-Hawick and Cabaret",
        "Hennequin et al. 2018, Figure 5",
        (
            *map(Case, ("playne", "playne_block", "cabaret", "ha4", "ha4_64")),
            Case("ha4_64", {"variant": "printed"}),
            *map(Case, ("label", "cupyx", "scipy")),
        ),
        _grids(2048, 10, (1, 4, 16)),
        4,
        _figure_5(),
        "density in percent",
        reduced=_grids(REDUCED, 50, (1, 4, 16)),
        schedule="synchronous",
        steps=_STEPS,
        tables=(_mean_table,),
    ),
    "hennequin-6": Benchmark(
        "Analysis by density: features of the components",
        "Hennequin et al. 2018, Figure 6",
        (
            Case("ha4_features"),
            Case("ha4_features", {"pixels": 2}),
            Case("ha4_features", {"naive": 1}),
        ),
        _grids(2048, 4, (4,)),
        4,
        _figure_6(),
        "density in percent",
        reduced=_grids(REDUCED, 20, (4,)),
        schedule="synchronous",
        steps={
            "Step 3, features": {
                "ha4_features": ("ha4_features",),
                "ha4_features:pixels=2": ("ha4_64_features",),
                "ha4_features:naive=1": ("ha4_features_naive",),
            }
        },
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
        counted=granularities(512),
        schedule="synchronous",
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
        counted=granularities(256),
        schedule="synchronous",
    ),
    "hennequin-distance": Benchmark(
        "Iterations and the longest distance within a component",
        "Hennequin et al. 2018, section II-A",
        (Case("shibata_naive"), Case("label_equivalence")),
        _path_grids(256, (127, 63, 31)),
        4,
        _geodesic(),
        figures=("iterations",),
        reduced=_path_grids(REDUCED, (31, 15)),
        counted=_path_grids(256, (127, 63, 31)),
        schedule="synchronous",
    ),
}
