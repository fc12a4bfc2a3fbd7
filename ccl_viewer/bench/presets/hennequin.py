"""Hennequin et al. 2018: figures and sections on HA4."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Final

from ccl_viewer.bench.claims import (
    TIME,
    Claim,
    ClaimJudgement,
    MissingError,
    Results,
    claim,
    format_range,
    is_between,
    make_judgement,
    ratio_claim,
    unmeasured_claim,
)
from ccl_viewer.bench.measuring import Case, Workload
from ccl_viewer.bench.presets.common_grids import REDUCED, granularities, make_noise_workload
from ccl_viewer.bench.report import Benchmark
from ccl_viewer.bench.tables import BenchTable, wrong_labels_text
from ccl_viewer.grids.specs import format_pattern

_HEIGHTS = (1, 2, 4, 8, 16)
_PRINTED: Final = "ha4_64:variant=printed"
_PRINTED_32: Final = "ha4:variant=printed"
_SHARED: Final = "ha4:variant=shared"
_BORDERS: Final = ("cabaret_merge_horizontal", "cabaret_merge_vertical")
_STEPS: Final[Mapping[str, Mapping[str, Sequence[str]]]] = {
    "Step 1, tiles or strips": {
        "playne_block": ("playne_tile",),
        "cabaret": ("cabaret_tile",),
        "ha4": ("ha4_strip_labeling",),
        _SHARED: ("ha4_strip_labeling_shared",),
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


# Claims about Figure 5; Playne's tiles are what its authors compared with.
_rivals = {"playne_block": "Playne-Hawick by blocks", "cabaret": "Cabaret"}


def _compare_step(results: Results, step: str, case: str) -> float:
    """Return a step's time relative to HA4's with two pixels, in the mean."""
    times, base = (
        [sum(each) for each in zip(*(
            results.values(key, TIME, kernel) for kernel in _STEPS[step][key]
        ), strict=True)]
        for key in (case, "ha4_64")
    )  # fmt: skip
    return fmean(a / b for a, b in zip(times, base, strict=True))


def _gains(results: Results, case: str, base: str = "ha4_64") -> list[float]:
    """Return the mean over the densities of the ratio at each, at g = 1, 4 and 16."""
    return [fmean(_filter_granularity(results, g).ratios(case, base, TIME)) for g in _GRANULARITIES]


def _compare_means(results: Results, case: str, base: str = "ha4_64") -> list[float]:
    """Return the ratio of the mean times over the densities, at g = 1, 4 and 16."""
    parts = (_filter_granularity(results, g) for g in _GRANULARITIES)
    return [fmean(each.values(case, TIME)) / fmean(each.values(base, TIME)) for each in parts]


@claim(
    "V",
    "At a granularity of g = 4 HA4 with two pixels per thread is 2.4 times as fast as "
    "Playne-Hawick or Cabaret.",
    "2.4 times in the mean, a single figure for both",
    "each from 1.9 to 2.9 times in the mean; shape: above 1",
)
def _speedup(results: Results) -> ClaimJudgement:
    usual = _filter_granularity(results, 4)
    ratios_by_case = {case: usual.ratios(case, "ha4_64", TIME) for case in _rivals}
    means = {case: fmean(ratios) for case, ratios in ratios_by_case.items()}
    every = [ratio for ratios in ratios_by_case.values() for ratio in ratios]
    direct = fmean(usual.ratios("playne", "ha4_64", TIME))
    return make_judgement(
        f"times as long, mean of the ratios: Playne-Hawick by blocks "
        f"{means['playne_block']:.1f}, Cabaret {means['cabaret']:.1f}; {format_range(every)} over "
        f"all densities. Playne-Hawick's direct method, which has no tiles, {direct:.1f}",
        reproduced=all(is_between(mean, 1.9, 2.9) for mean in means.values()),
        shape=min(means.values()) > 1,
        reason="A modern GPU probably labels tiles fast in its shared memory. Cabaret's form "
        "here follows a public program, as its code is not available; its slow borders may be "
        "that form's. Where most cells are occupied, many of its unions probably meet at one "
        "root.",
    )


@claim(
    "V",
    "The gain of HA4 with two pixels per thread grows with the granularity.",
    "1.8 times at g = 1 to 2.7 times at g = 16",
    "each from 1.4 to 2.2 at g = 1 and from 2.1 to 3.3 at 16; shape: each grows",
)
def _granularities(results: Results) -> ClaimJudgement:
    gains = {case: _gains(results, case) for case in _rivals}
    words = "; ".join(
        f"{_rivals[case]} {_three(means)} "
        f"(of the mean times {_three(_compare_means(results, case))})"
        for case, means in gains.items()
    )
    return make_judgement(
        f"times as long at g = 1, 4 and 16, mean of the ratios: {words}",
        reproduced=all(
            is_between(low, 1.4, 2.2) and is_between(high, 2.1, 3.3)
            for low, _, high in gains.values()
        ),
        shape=all(low < middle < high for low, middle, high in gains.values()),
        reason="The gain grows with g, but starts below 1 against Playne-Hawick.",
    )


@claim(
    "abstract, VI",
    "HA4 is from 1.8 up to 2.7 times faster than the State of the Art, which is Playne-Hawick "
    "(II).",
    "1.8 times at g = 1 to 2.7 times at g = 16",
    "each from 1.4 to 3.3; shape: each above 1",
)
def _state(results: Results) -> ClaimJudgement:
    gains, means = (f(results, "playne_block") for f in (_gains, _compare_means))
    return make_judgement(
        f"Playne-Hawick by blocks takes {_three(gains)} times as long at g = 1, 4 and 16, mean "
        f"of the ratios; {_three(means)} of the mean times",
        reproduced=all(is_between(n, 1.4, 3.3) for n in gains),
        shape=min(*gains, *means) > 1,
        reason="At g = 1 HA4 with two pixels per thread is slower.",
    )


@claim(
    "V",
    "g = 1 is the worst case for the processing of segments.",
    "no numbers",
    "the mean time falls from g = 1 to 4 to 16, with one pixel and with two; shape: to 16",
)
def _worst(results: Results) -> ClaimJudgement:
    times_by_case = {
        case: [fmean(_filter_granularity(results, g).values(case, TIME)) for g in _GRANULARITIES]
        for case in ("ha4", "ha4_64")
    }
    words = (", ".join(f"{n:.3f}" for n in times) for times in times_by_case.values())
    return make_judgement(
        f"mean ms at g = 1, 4 and 16: {' with one pixel per thread, '.join(words)} with two",
        reproduced=all(one > four > most for one, four, most in times_by_case.values()),
        shape=all(one > most for one, _, most in times_by_case.values()),
    )


def _step_claim(step: str, reason: str) -> Claim:
    @claim(
        "V",
        f"Each of HA4's three steps is faster than those of the others. {step}.",
        "no numbers (Figure 5)",
        "both above 1 in the mean",
    )
    def judge(results: Results) -> ClaimJudgement:
        usual = _filter_granularity(results, 4)
        ratios = {case: _compare_step(usual, step, case) for case in _rivals}
        words = ", ".join(f"{_rivals[case]} {ratio:.2f}" for case, ratio in ratios.items())
        return make_judgement(
            f"times as long as with two pixels per thread at g = 4, mean of the ratios: {words}",
            reproduced=min(ratios.values()) > 1,
            reason=reason,
        )

    return judge


@claim(
    "II-B",
    "Playne-Hawick is faster than Cabaret.",
    "no numbers (Figure 5)",
    "in the mean at each granularity",
)
def _playne(results: Results) -> ClaimJudgement:
    every = [
        ratio
        for g in _GRANULARITIES
        for ratio in _filter_granularity(results, g).ratios("cabaret", "playne_block", TIME)
    ]
    gains, means = (f(results, "cabaret", "playne_block") for f in (_gains, _compare_means))
    return make_judgement(
        f"Cabaret takes {_three(gains)} times as long as Playne-Hawick by blocks at g = 1, 4 "
        f"and 16, mean of the ratios ({_three(means)} of the mean times); {format_range(every)}. "
        "Cabaret's form follows a public program, and may be slower than its authors'",
        reproduced=min(gains) > 1,
    )


@claim(
    "IV-E, V",
    "Two pixels per thread are faster than one.",
    "no numbers (Figure 5)",
    "in the mean at g = 4",
)
def _both(results: Results) -> ClaimJudgement:
    ratios = _filter_granularity(results, 4).ratios("ha4", "ha4_64", TIME)
    return make_judgement(
        f"HA4 with one pixel takes {fmean(ratios):.2f} times as long in the mean at g = 4, "
        f"{format_range(ratios)}",
        reproduced=fmean(ratios) > 1,
    )


@claim(
    "abstract",
    "The time of iterative algorithms depends on the content of the image, that of direct ones "
    "less.",
    "no numbers; of direct ones the paper implies it",
    "a larger spread than each direct one at g = 1; shape: than HA4's",
    also=("kalentev-2",),
)
def _content(results: Results) -> ClaimJudgement:
    iterative, *direct = "label_equivalence", "playne", "playne_block", "cabaret", "ha4_64"
    same = results.filter_measured(iterative, *direct)
    times_by_case = {case: same.values(case, TIME) for case in (iterative, *direct)}
    spread = {case: max(times) / min(times) for case, times in times_by_case.items()}
    densities = ", ".join(name.rpartition("d")[2] for name in same.workloads)
    listed = ", ".join(
        f"{title} {spread[case]:.1f}"
        for case, title in (
            ("playne", "Playne-Hawick's direct method"),
            *_rivals.items(),
            ("ha4_64", "HA4 with two pixels per thread"),
        )
    )
    return make_judgement(
        f"slowest / fastest on noise of densities {densities}, g = 1: Label Equivalence, "
        f"iterative, {spread[iterative]:.1f}; {listed}",
        reproduced=all(spread[iterative] > spread[case] for case in direct),
        shape=spread[iterative] > spread["ha4_64"],
        reason="On noise the direct ones depend on the density about as much. Where distances "
        "are long, iterative ones depend on content far more: see shibata-tables.",
    )


@claim(
    "abstract",
    "HA4 can label 200 images of 2048 x 2048 per second.",
    "200 images per second, on a Jetson TX2",
    "at least 200",
)
def _rate(results: Results) -> ClaimJudgement:
    slowest = max(results.values("ha4_64", TIME))
    return make_judgement(
        f"at least {1000 / slowest:,.0f} images per second at g = 1, 4 and 16, with two pixels per "
        "thread: reached trivially, on a much larger GPU",
        reproduced=slowest <= 5,
    )


@claim(
    "IV-A",
    "For strips it would be inefficient to label in shared memory first.",
    "no numbers",
    "over 1.1 times as long in the mean at each granularity; shape: longer",
)
def _shared_first(results: Results) -> ClaimJudgement:
    kernels = ("ha4_strip_labeling_shared", "ha4_strip_labeling")
    means = [
        fmean(_filter_granularity(results, g).ratios(_SHARED, "ha4", TIME, kernels))
        for g in _GRANULARITIES
    ]
    full_means = _gains(results, _SHARED, "ha4")
    return make_judgement(
        f"strip labelling in shared memory first takes {_three(means)} times as long at g = 1, "
        f"4 and 16, mean of the ratios, with one pixel per thread; the whole of HA4 "
        f"{_three(full_means)} times",
        reproduced=min(means) > 1.1,
        shape=min(means) > 1,
        reason="Merging in shared memory probably gains more than the stores cost.",
    )


_first, _second, _third = _STEPS
_FIGURE_5: Final = (
    _speedup,
    _granularities,
    _state,
    _worst,
    _step_claim(
        _first,
        "Tiles in shared memory take less time here than strips in device memory. So "
        "do HA4's own strips in shared memory (IV-A).",
    ),
    _step_claim(_second, ""),
    _step_claim(_third, ""),
    _shared_first,
    _both,
    _playne,
    _content,
    _rate,
)


_GRANULARITIES: Final = (1, 4, 16)


def _three(ratios: Sequence[float]) -> str:
    return ", ".join(f"{n:.2f}" for n in ratios)


# Claims about Figure 6.
_naive, _runs = "ha4_features:naive=1", "ha4_features"


@claim(
    "V",
    "The time of features has a bump around a density of 64%, the percolation threshold.",
    "around 64%",
    "longest from 58 to 70%; shape: from 50 to 80%",
)
def _bump(results: Results) -> ClaimJudgement:
    usual = results.filter_workloads("g4$").filter(lambda m: 30 <= m.x <= 90)
    times = usual.by_x(_runs, TIME, _runs)
    top = max(times, key=times.__getitem__)
    return make_judgement(
        f"between 30 and 90%, the features kernel takes longest at {top:.0f}%",
        reproduced=is_between(top, 58, 70),
        shape=is_between(top, 50, 80),
    )


@claim(
    "V",
    "Features pixel by pixel take 6.4 times as long as segment by segment.",
    "11.2 and 1.75 ms, in the mean over the densities",
    "from 4.5 to 8.5 times; shape: longer",
)
def _slower(results: Results) -> ClaimJudgement:
    usual = results.filter_workloads("g4$")
    pixels, segments = (
        fmean(usual.values(case, TIME, kernel))
        for case, kernel in ((_naive, "ha4_features_naive"), (_runs, _runs))
    )
    dense = usual.filter(lambda m: m.x > 0)
    each = dense.ratios(_naive, _runs, TIME, ("ha4_features_naive", _runs))
    return make_judgement(
        f"{pixels:.3f} and {segments:.3f} ms in the mean at g = 4: "
        f"{pixels / segments:.1f} times; {format_range(each)} by density",
        reproduced=is_between(pixels / segments, 4.5, 8.5),
        shape=pixels > segments,
        reason="Atomics on one address probably cost more here where most pixels are one "
        "component's.",
    )


_FIGURE_6: Final = (_bump, _slower)


# Claims of section IV-A about strips.


@claim(
    "IV-A",
    "Strips of 4 rows perform well.",
    "no numbers",
    "up to 5% slower than the best height; shape: faster than 1 row",
)
def _four(results: Results) -> ClaimJudgement:
    sums = {h: sum(results.values(f"ha4:strip_height={h}", TIME)) for h in _HEIGHTS}
    listed = ", ".join(f"{sums[h] / sums[4]:.2f} with {h}" for h in _HEIGHTS if h != 4)
    return make_judgement(
        f"times as long as with 4 rows: {listed}",
        reproduced=sums[4] <= 1.05 * min(sums.values()),
        shape=sums[4] < sums[1],
    )


@claim(
    "IV-A",
    "Warps exchange masks instead of pixels, which avoids bank conflicts.",
    "a store of one thread per warp, each to another bank; loads of one cell",
    "one cycle a request",
)
def _masks(results: Results) -> ClaimJudgement:
    cycles = []
    for height in _HEIGHTS[1:]:
        case, kernel = f"ha4:strip_height={height}", "ha4_strip_labeling"
        turns = results.values(case, "bank_turns", kernel)
        requests = results.values(case, "shared_requests", kernel)
        cycles += [t / r for t, r in zip(turns, requests, strict=True)]
    return make_judgement(
        f"a request to shared memory takes {format_range(cycles, ' cycles', 2)}",
        reproduced=max(cycles) == 1,
    )


_HEIGHT: Final = (
    _four,
    unmeasured_claim(
        "IV-A",
        "Strips of 4 rows provide high occupancy.",
        "no numbers",
        "No figure here is of occupancy.",
    ),
    _masks,
)


def _features() -> tuple[Claim, ...]:
    """Return the claims about the atomic operations of features."""
    naive, runs = "ha4_features:naive=1", "ha4_features"
    kernels = ("ha4_features_naive", "ha4_features")

    return (
        ratio_claim(
            "II-C",
            "Pixel by pixel, atomic operations wait for one another at one address.",
            "no numbers",
            naive,
            runs,
            figure="contention",
            kernels=kernels,
            measured="pixel by pixel, {} as many atomics wait for one address as by segments",
        ),
        ratio_claim(
            "IV-D",
            "Whole segments need fewer atomic operations.",
            "no numbers",
            naive,
            runs,
            figure="atomics",
            kernels=kernels,
            measured="{} as many pixel by pixel",
        ),
        unmeasured_claim(
            "IV-D",
            "The features kernel can be used after any algorithm that gives an image of label "
            "equivalences.",
            "no numbers",
            "It follows HA4's kernels alone here.",
        ),
    )


def _grids(size: int, step: int, granularities: Sequence[int]) -> list[Workload]:
    return [
        make_noise_workload(size, percent / 100, granularity, percent, f"g{granularity}")
        for granularity in granularities
        for percent in range(0, 101, step)
    ]


def _mean_table(results: Results) -> BenchTable:
    """Return the numbers about Figure 5 at each granularity, with the printed form beside it."""
    rows = []
    for case, name in (
        ("playne", "Playne-Hawick, direct"),
        ("playne_block", "Playne-Hawick, blocks"),
        ("cabaret", "Cabaret"),
        ("ha4", "HA4"),
        ("ha4_64", "HA4, two pixels"),
        (_SHARED, "HA4, labels in shared memory first"),
        (_PRINTED_32, "HA4, as printed"),
        (_PRINTED, "HA4, two pixels, as printed"),
    ):
        cells = []
        for granularity in _GRANULARITIES:
            dense = _filter_granularity(results, granularity)
            gain = fmean(dense.ratios(case, "ha4_64", TIME))
            mean, base = (fmean(dense.values(each, TIME)) for each in (case, "ha4_64"))
            cells.append(f"{mean:.4f} ({gain:.2f}; {mean / base:.2f})")
        wrong = (
            wrong_labels_text(m for m in results.all if m.case == case) if "printed" in case else ""
        )
        rows.append([f"{name}: {wrong}" if wrong else name, *cells])
    header = ("", *(f"g = {granularity}" for granularity in _GRANULARITIES))
    title = (
        "Mean milliseconds over all densities. In brackets, how many times as long as HA4 "
        "with two pixels per thread: the mean over the densities of the ratio at each; the ratio "
        "of the means. Published: 2.4 times at g = 4, 1.8 to 2.7 times from g = 1 to 16"
    )
    return BenchTable(title, header, rows)


def _filter_granularity(results: Results, granularity: int) -> Results:
    """Return the results at one granularity."""
    return results.filter_workloads(f"g{granularity}$" if granularity > 1 else r"d[\d.]+$")


# The claim of section II-A about iterative methods.


@claim(
    "II-A",
    "Iterative methods that spread labels step by step take as many iterations as the longest "
    "geodesic distance of two pixels.",
    "no numbers",
    "as many, and an idle one; shape: over half as many",
)
def _distance(results: Results) -> ClaimJudgement:
    if any(m.on_gpu for m in results.all):
        raise MissingError("Only on the emulator do all threads move simultaneously.")
    passes = results.values("shibata_naive", "iterations")
    longest = [n - 1 for n in results.values("shibata_naive", "foreground")]
    direct = results.values("label_equivalence", "iterations")
    listed = "; ".join(f"{n:,.0f} and {d:,.0f}" for n, d in zip(passes, longest, strict=True))
    return make_judgement(
        "passes of Shibata's naive kernel, with the last, idle one, and distance: "
        f"{listed}. Label Equivalence, which is iterative too, needs {format_range(direct, '', 0)}",
        reproduced=all(n == d + 1 for n, d in zip(passes, longest, strict=True)),
        shape=all(n > d / 2 for n, d in zip(passes, longest, strict=True)),
        reason="Where threads read what others wrote in the same pass, a label moves further.",
    )


_GEODESIC: Final = (_distance,)


def _path_grids(size: int, gaps: Sequence[int]) -> list[Workload]:
    """Return single paths with the largest possible distance between their ends."""
    return [
        Workload(
            f"path {size} gap {gap}",
            format_pattern("serpentine", {"width": size, "height": size, "gap": gap}),
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
            Case("ha4", {"variant": "printed"}),
            Case("ha4", {"variant": "shared"}),
            *map(Case, ("label", "cupyx", "scipy")),
        ),
        _grids(2048, 4, (1, 4, 16)),
        4,
        _FIGURE_5,
        "density in percent",
        scenes="Noise from MT19937, densities from 0 to 100% in steps of 4. The figure shows g = 4 "
        "alone. Claims about g = 1 and 16 are measured at the same densities.",
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
        _FIGURE_6,
        "density in percent",
        scenes="Noise from MT19937, densities from 0 to 100% in steps of 4, of which 64% is one; "
        "g = 4, as in the figure.",
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
        "Hennequin et al. 2018, sections II-C and IV-D",
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
        _HEIGHT,
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
        _GEODESIC,
        scenes="The claim is about methods for CPUs after Haralick. Single paths with the "
        "smallest label at one end. Shibata's kernel has 8 neighbours (CCLSub); with 4 it is an "
        "adapted form. The claim holds where all threads of a pass read before any of them writes, "
        "as here: the threads of all cells move in lockstep. A GPU promises no such order. Where a "
        "thread reads what another wrote in the same pass, a label moves by two cells or more.",
        figures=("iterations",),
        reduced=_path_grids(REDUCED, (31, 15)),
        counted=_path_grids(256, (127, 63, 31)),
        schedule="synchronous",
    ),
}
