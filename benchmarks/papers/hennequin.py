"""Hennequin et al. 2018: figures and sections on HA4."""

from __future__ import annotations

from typing import Final

from paper_claims import Bound, Check, Claim, above, at_most, below, exactly
from paper_results import (
    Figure,
    LargestAt,
    Quantity,
    Results,
    difference,
    growth,
    joined,
    largest,
    mean,
    ratio,
    smallest,
    spread,
    steps,
    total,
)
from paper_tables import BenchTable, wrong_labels_text

from ccl_viewer.bench.measuring import TIME
from ccl_viewer.bench.presets import noise_granularities, single_paths
from papers.experiment import Experiment

_PLAYNE, _CABARET, _HA4 = "playne_block", "cabaret", "ha4_64"
_SHARED: Final = "ha4:variant=shared"
_GRANULARITIES: Final = {1: r"d[\d.]+$", 4: "g4$", 16: "g16$"}
"""The granularities of the grids, with regular expressions of their names."""


def _mean_ratios(case: str, base: str = _HA4, kernels: tuple[str, str] = ("", "")) -> Quantity:
    """Return the mean over the densities of the ratio at each, at g = 1, 4 and 16."""
    return joined(*(
        mean(ratio(Figure(case, TIME, kernels[0], grids), Figure(base, TIME, kernels[1], grids)))
        for grids in _GRANULARITIES.values()
    ))  # fmt: skip


def _mean_times(case: str) -> Quantity:
    """Return the mean over the densities of the time, at g = 1, 4 and 16."""
    return joined(*(mean(Figure(case, grids=grids)) for grids in _GRANULARITIES.values()))


def _at_4(case: str, kernel: str = "", base: str = _HA4, base_kernel: str = "") -> Quantity:
    """Return the ratio to HA4 with two pixels per thread at g = 4."""
    return ratio(Figure(case, TIME, kernel, "g4$"), Figure(base, TIME, base_kernel, "g4$"))


def _step_claim(
    step: str, playne: str, cabaret: tuple[str, ...], ha4: str, reason: str = ""
) -> Claim:
    base = Figure(_HA4, TIME, ha4, "g4$")
    borders = total(*(Figure(_CABARET, TIME, kernel, "g4$") for kernel in cabaret))
    return Claim(
        "V",
        f"Each of HA4's three steps is faster than those of the others. {step}.",
        "no numbers (Figure 5)",
        "both above 1 in the mean",
        (
            Check(
                mean(ratio(Figure(_PLAYNE, TIME, playne, "g4$"), base)),
                above(1),
                None,
                "times as long as with two pixels per thread at g = 4, mean of the ratios: "
                "Playne-Hawick by blocks {:.2f}",
            ),
            Check(mean(ratio(borders, base)), above(1), None, "Cabaret {:.2f}"),
        ),
        reason,
    )


def _noise_spread(case: str) -> Quantity:
    return spread(Figure(case))


_FIGURE_5: Final = (
    Claim(
        "V",
        "At a granularity of g = 4 HA4 with two pixels per thread is 2.4 times as fast as "
        "Playne-Hawick or Cabaret.",
        "2.4 times in the mean, a single figure for both",
        "each from 1.9 to 2.9 times in the mean; shape: above 1",
        (
            Check(
                mean(_at_4(_PLAYNE)),
                Bound(1.9, 2.9),
                above(1),
                "times as long, mean of the ratios: Playne-Hawick by blocks {:.1f}",
            ),
            Check(mean(_at_4(_CABARET)), Bound(1.9, 2.9), above(1), "Cabaret {:.1f}"),
            Check(joined(_at_4(_PLAYNE), _at_4(_CABARET)), words="{:.1f} times over all densities"),
            Check(
                mean(_at_4("playne")),
                words="Playne-Hawick's direct method, which has no tiles, {:.1f}",
            ),
        ),
        "A modern GPU probably labels tiles fast in its shared memory. Cabaret's form here follows "
        "a public program, as its code is not available; its slow borders may be that form's. "
        "Where most cells are occupied, many of its unions probably meet at one root.",
    ),
    Claim(
        "V",
        "The gain of HA4 with two pixels per thread grows with the granularity.",
        "1.8 times at g = 1 to 2.7 times at g = 16",
        "each from 1.4 to 2.2 at g = 1 and from 2.1 to 3.3 at 16; shape: each grows",
        tuple(
            check
            for case, words in (
                (
                    _PLAYNE,
                    "times as long at g = 1, 4 and 16, mean of the ratios: Playne-Hawick by blocks "
                    "{:list .2f}",
                ),
                (_CABARET, "Cabaret {:list .2f}"),
            )
            for check in (
                Check(_mean_ratios(case), words=words),
                Check(
                    ratio(_mean_times(case), _mean_times(_HA4)),
                    words="of the mean times {:list .2f}",
                ),
                Check(
                    mean(
                        ratio(
                            Figure(case, grids=_GRANULARITIES[1]),
                            Figure(_HA4, grids=_GRANULARITIES[1]),
                        )
                    ),
                    Bound(1.4, 2.2),
                ),
                Check(
                    mean(ratio(Figure(case, grids="g16$"), Figure(_HA4, grids="g16$"))),
                    Bound(2.1, 3.3),
                ),
                Check(steps(_mean_ratios(case)), None, above(1)),
            )
        ),
        "The gain grows with g, but starts below 1 against Playne-Hawick.",
    ),
    Claim(
        "abstract, VI",
        "HA4 is from 1.8 up to 2.7 times faster than the State of the Art, which is Playne-Hawick "
        "(II).",
        "1.8 times at g = 1 to 2.7 times at g = 16",
        "each from 1.4 to 3.3; shape: each above 1",
        (
            Check(
                _mean_ratios(_PLAYNE),
                Bound(1.4, 3.3),
                above(1),
                "Playne-Hawick by blocks takes {:list .2f} times as long at g = 1, 4 and 16, mean "
                "of the ratios",
            ),
            Check(
                ratio(_mean_times(_PLAYNE), _mean_times(_HA4)),
                None,
                above(1),
                "{:list .2f} of the mean times",
            ),
        ),
        "At g = 1 HA4 with two pixels per thread is slower.",
    ),
    Claim(
        "V",
        "g = 1 is the worst case for the processing of segments.",
        "no numbers",
        "the mean time falls from g = 1 to 4 to 16, with one pixel and with two; shape: to 16",
        (
            Check(
                _mean_times("ha4"),
                words="mean ms at g = 1, 4 and 16: {:list .3f} with one pixel per thread",
            ),
            Check(_mean_times(_HA4), words="{:list .3f} with two"),
            Check(joined(steps(_mean_times("ha4")), steps(_mean_times(_HA4))), below(1)),
            Check(joined(growth(_mean_times("ha4")), growth(_mean_times(_HA4))), None, below(1)),
        ),
    ),
    _step_claim(
        "Step 1, tiles or strips",
        "playne_tile",
        ("cabaret_tile",),
        "ha4_64_strip_labeling",
        "Tiles in shared memory take less time here than strips in device memory. So do HA4's own "
        "strips in shared memory (IV-A).",
    ),
    _step_claim(
        "Step 2, borders",
        "playne_border_merge",
        ("cabaret_merge_horizontal", "cabaret_merge_vertical"),
        "ha4_64_strip_merge",
    ),
    _step_claim(
        "Step 3, relabelling", "playne_resolve", ("cabaret_relabeling",), "ha4_64_relabeling"
    ),
    Claim(
        "IV-A",
        "For strips it would be inefficient to label in shared memory first.",
        "no numbers",
        "over 1.1 times as long in the mean at each granularity; shape: longer",
        (
            Check(
                _mean_ratios(_SHARED, "ha4", ("ha4_strip_labeling_shared", "ha4_strip_labeling")),
                above(1.1),
                above(1),
                "strip labelling in shared memory first takes {:list .2f} times as long at g = 1, "
                "4 and 16, mean of the ratios, with one pixel per thread",
            ),
            Check(_mean_ratios(_SHARED, "ha4"), words="the whole of HA4 {:list .2f} times"),
        ),
        "Merging in shared memory probably gains more than the stores cost.",
    ),
    Claim(
        "IV-E, V",
        "Two pixels per thread are faster than one.",
        "no numbers (Figure 5)",
        "in the mean at g = 4",
        (
            Check(
                mean(_at_4("ha4")),
                above(1),
                None,
                "HA4 with one pixel takes {:.2f} times as long in the mean at g = 4",
            ),
            Check(_at_4("ha4"), words="{:.1f} times"),
        ),
    ),
    Claim(
        "II-B",
        "Playne-Hawick is faster than Cabaret.",
        "no numbers (Figure 5)",
        "in the mean at each granularity",
        (
            Check(
                _mean_ratios(_CABARET, _PLAYNE),
                above(1),
                None,
                "Cabaret takes {:list .2f} times as long as Playne-Hawick by blocks at g = 1, 4 "
                "and 16, mean of the ratios",
            ),
            Check(
                ratio(_mean_times(_CABARET), _mean_times(_PLAYNE)),
                words="{:list .2f} of the mean times",
            ),
            Check(
                ratio(Figure(_CABARET), Figure(_PLAYNE)),
                words="{:.1f} times over all grids. Cabaret's form follows a public program, and "
                "may be slower than its authors'",
            ),
        ),
    ),
    Claim(
        "abstract",
        "The time of iterative algorithms depends on the content of the image, that of direct ones "
        "less.",
        "no numbers; of direct ones the paper implies it",
        "a larger spread than each direct one at g = 1; shape: than HA4's",
        (
            Check(
                _noise_spread("label_equivalence"),
                words="slowest / fastest on noise of several densities, g = 1: Label Equivalence, "
                "iterative, {:.1f}",
            ),
            *(
                Check(_noise_spread(case), words=words)
                for case, words in (
                    ("playne", "Playne-Hawick's direct method {:.1f}"),
                    (_PLAYNE, "Playne-Hawick by blocks {:.1f}"),
                    (_CABARET, "Cabaret {:.1f}"),
                    (_HA4, "HA4 with two pixels per thread {:.1f}"),
                )
            ),
            Check(
                joined(
                    *(
                        ratio(_noise_spread("label_equivalence"), _noise_spread(case))
                        for case in ("playne", _PLAYNE, _CABARET)
                    )
                ),
                above(1),
            ),
            Check(
                ratio(_noise_spread("label_equivalence"), _noise_spread(_HA4)), above(1), above(1)
            ),
        ),
        "On noise the direct ones depend on the density about as much. Where distances are long, "
        "iterative ones depend on content far more: see shibata-tables.",
        also=("kalentev-2",),
        common=("label_equivalence", "playne", _PLAYNE, _CABARET, _HA4),
    ),
    Claim(
        "abstract",
        "HA4 can label 200 images of 2048 x 2048 per second.",
        "200 images per second, on a Jetson TX2",
        "at least 200",
        (
            Check(
                largest(Figure(_HA4)),
                at_most(5),
                None,
                "{:.3f} ms for an image at most, at g = 1, 4 and 16, with two pixels per thread: "
                "reached trivially, on a much larger GPU",
            ),
        ),
    ),
)


_NAIVE, _RUNS = "ha4_features:naive=1", "ha4_features"
_PIXELS: Final = Figure(_NAIVE, TIME, "ha4_features_naive", "g4$")
_SEGMENTS: Final = Figure(_RUNS, TIME, _RUNS, "g4$")
_OCCUPIED: Final = "d(?!0 ).* g4$"
"""All grids of g = 4 but the empty one."""

_FIGURE_6: Final = (
    Claim(
        "V",
        "The time of features has a bump around a density of 64%, the percolation threshold.",
        "around 64%",
        "longest from 58 to 70%; shape: from 50 to 80%",
        (
            Check(
                LargestAt(_SEGMENTS.on(r"d0\.[3-8]\d* g4$")),
                Bound(58, 70),
                Bound(50, 80),
                "between 30 and 90%, the features kernel takes longest at {:.0f}%",
            ),
        ),
    ),
    Claim(
        "V",
        "Features pixel by pixel take 6.4 times as long as segment by segment.",
        "11.2 and 1.75 ms, in the mean over the densities",
        "from 4.5 to 8.5 times; shape: longer",
        (
            Check(mean(_PIXELS), words="{:.3f} ms in the mean at g = 4 pixel by pixel"),
            Check(mean(_SEGMENTS), words="{:.3f} ms segment by segment"),
            Check(ratio(mean(_PIXELS), mean(_SEGMENTS)), Bound(4.5, 8.5), above(1), "{:.1f} times"),
            Check(
                ratio(_PIXELS.on(_OCCUPIED), _SEGMENTS.on(_OCCUPIED)),
                words="{:.1f} times by density",
            ),
        ),
        "Atomics on one address probably cost more here where most pixels are one component's.",
    ),
)


def _with_rows(height: int) -> Figure:
    return Figure(f"ha4:strip_height={height}")


def _bank_cycles(height: int) -> Quantity:
    case, kernel = f"ha4:strip_height={height}", "ha4_strip_labeling"
    return ratio(Figure(case, "bank_turns", kernel), Figure(case, "shared_requests", kernel))


_HEIGHT: Final = (
    Claim(
        "IV-A",
        "Strips of 4 rows perform well.",
        "no numbers",
        "up to 5% slower than the best height; shape: faster than 1 row",
        (
            Check(
                ratio(
                    mean(_with_rows(4)),
                    smallest(joined(*(mean(_with_rows(h)) for h in (1, 2, 4, 8, 16)))),
                ),
                at_most(1.05),
            ),
            Check(ratio(mean(_with_rows(4)), mean(_with_rows(1))), None, below(1)),
            Check(
                joined(*(ratio(mean(_with_rows(h)), mean(_with_rows(4))) for h in (1, 2, 8, 16))),
                words="times as long as with 4 rows: {:list .2f} with 1, 2, 8 and 16",
            ),
        ),
    ),
    Claim(
        "IV-A",
        "Strips of 4 rows provide high occupancy.",
        "no numbers",
        reason="No figure here is of occupancy.",
    ),
    Claim(
        "IV-A",
        "Warps exchange masks instead of pixels, which avoids bank conflicts.",
        "a store of one thread per warp, each to another bank; loads of one cell",
        "one cycle a request",
        (
            Check(
                joined(*map(_bank_cycles, (2, 4, 8, 16))),
                exactly(1),
                None,
                "a request to shared memory takes {:.2f} cycles",
            ),
        ),
    ),
)


def _features_ratio(figure: str) -> Quantity:
    """Return how much more of a figure features need pixel by pixel."""
    return ratio(Figure(_NAIVE, figure, "ha4_features_naive"), Figure(_RUNS, figure, _RUNS))


_FEATURES: Final = (
    Claim(
        "II-C",
        "Pixel by pixel, atomic operations wait for one another at one address.",
        "no numbers",
        "all above 1",
        (
            Check(
                _features_ratio("contention"),
                above(1),
                None,
                "pixel by pixel, {:,.1f} times as many atomics wait for one address as by segments",
            ),
        ),
    ),
    Claim(
        "IV-D",
        "Whole segments need fewer atomic operations.",
        "no numbers",
        "all above 1",
        (
            Check(
                _features_ratio("atomics"),
                above(1),
                None,
                "{:,.1f} times as many pixel by pixel",
            ),
        ),
    ),
    Claim(
        "IV-D",
        "The features kernel can be used after any algorithm that gives an image of label "
        "equivalences.",
        "no numbers",
        reason="It follows HA4's kernels alone here.",
    ),
)


_GEODESIC: Final = (
    Claim(
        "II-A",
        "Iterative methods that spread labels step by step take as many iterations as the longest "
        "geodesic distance of two pixels.",
        "no numbers",
        "as many, and an idle one; shape: over half as many",
        (
            Check(
                Figure("shibata_naive", "iterations"),
                None,
                None,
                "passes of Shibata's naive kernel, with the last, idle one: {:list ,.0f}",
            ),
            Check(Figure("shibata_naive", "foreground"), words="pixels of the path: {:list ,.0f}"),
            Check(
                difference(
                    Figure("shibata_naive", "iterations"), Figure("shibata_naive", "foreground")
                ),
                exactly(0),
            ),
            Check(
                ratio(Figure("shibata_naive", "iterations"), Figure("shibata_naive", "foreground")),
                None,
                above(0.5),
            ),
            Check(
                Figure("label_equivalence", "iterations"),
                words="Label Equivalence, which is iterative too, needs {:.0f}",
            ),
        ),
        "Where threads read what others wrote in the same pass, a label moves further.",
    ),
)


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
        ("ha4:variant=printed", "HA4, as printed"),
        ("ha4_64:variant=printed", "HA4, two pixels, as printed"),
    ):
        cells = []
        columns = (
            each(results) for each in (_mean_times(case), _mean_times(_HA4), _mean_ratios(case))
        )
        for (_, time), (_, base), (_, gain) in zip(*columns, strict=True):
            cells.append(f"{time:.4f} ({gain:.2f}; {time / base:.2f})")
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


EXPERIMENTS: Final = {
    "hennequin-5": Experiment(
        "hennequin-5",
        _FIGURE_5,
        "Noise from MT19937, densities from 0 to 100% in steps of 4. The figure shows g = 4 "
        "alone. Claims about g = 1 and 16 are measured at the same densities.",
        tables=(_mean_table,),
    ),
    "hennequin-6": Experiment(
        "hennequin-6",
        _FIGURE_6,
        "Noise from MT19937, densities from 0 to 100% in steps of 4, of which 64% is one; "
        "g = 4, as in the figure.",
    ),
    "hennequin-features": Experiment(
        "hennequin-features", _FEATURES, counted=noise_granularities(512)
    ),
    "hennequin-height": Experiment("hennequin-height", _HEIGHT, counted=noise_granularities(256)),
    "hennequin-distance": Experiment(
        "hennequin-distance",
        _GEODESIC,
        "The claim is about methods for CPUs after Haralick. Single paths with the "
        "smallest label at one end. Shibata's kernel has 8 neighbours (CCLSub); with 4 it is an "
        "adapted form. The claim holds where all threads of a pass read before any of them writes, "
        "as here: the threads of all cells move in lockstep. A GPU promises no such order. Where a "
        "thread reads what another wrote in the same pass, a label moves by two cells or more.",
        single_paths(256, (127, 63, 31)),
    ),
}
