"""Playne and Hawick 2018: accesses, as described by Hennequin et al."""

from __future__ import annotations

import itertools
from statistics import fmean
from typing import Final

from ccl_viewer.bench.claims import (
    MARGIN,
    TIME,
    ClaimJudgement,
    Results,
    claim,
    format_percent_range,
    format_range,
    make_judgement,
    unmeasured_claim,
)
from ccl_viewer.bench.measuring import Case
from ccl_viewer.bench.presets.common_grids import REDUCED, granularities
from ccl_viewer.bench.report import Benchmark

# Claims about accesses, and about time, beside other direct algorithms.


@claim(
    "II-B",
    "Playne-Hawick is faster than Komura.",
    "no numbers",
    "faster by blocks at each granularity; shape: by over 1% in the mean",
)
def _faster(results: Results) -> ClaimJudgement:
    blocks, direct = (results.ratios("komura", case, TIME) for case in ("playne_block", "playne"))
    return make_judgement(
        f"at a density of 0.5 Komura takes {format_range(blocks, digits=2)} as long as "
        "Playne-Hawick "
        f"by blocks, which Hennequin et al. measured, and {format_range(direct, digits=2)} as long "
        "as the direct method, which like Komura here has no tiles",
        reproduced=min(blocks) > 1,
        shape=fmean(blocks) > 1 + MARGIN,
        reason="Labels are probably in the cache, where fewer accesses gain little.",
    )


@claim(
    "abstract, II-B",
    "The additional tests of Playne-Hawick avoid atomic operations.",
    "no numbers",
    "fewer than each of the others; shape: than Cabaret's and Hawick's",
)
def _fewer(results: Results) -> ClaimJudgement:
    cabaret, komura, hawick = (
        results.ratios(case, "playne", "atomics")
        for case in ("cabaret", "komura", "label_equivalence_hawick")
    )
    return make_judgement(
        f"Cabaret makes {format_range(cabaret)}, Komura {format_range(komura)} and Hawick's Label "
        f"Equivalence {format_range(hawick)} as many as the direct method, in device memory",
        reproduced=min(*cabaret, *komura, *hawick) > 1,
        shape=min(*cabaret, *hawick) > 1,
    )


@claim(
    "II-B",
    "By additional tests Playne-Hawick makes fewer accesses than Komura to the label image, "
    "which is the equivalence table.",
    "no numbers",
    "fewer at each granularity; shape: in the mean",
)
def _label_accesses(results: Results) -> ClaimJudgement:
    kernels = ("komura_reduction", "playne_merge")
    ratios = results.ratios("komura", "playne", "label_accesses", kernels)
    listed = ", ".join(f"{ratio:,.3g}" for ratio in ratios)
    return make_judgement(
        "Accesses to labels, Komura's reduction / Playne-Hawick's merge (direct method), at "
        f"g = 1, 2, 4, 8 and 16: {listed}",
        reproduced=min(ratios) > 1,
        shape=fmean(ratios) > 1,
    )


@claim(
    "IV",
    "The longer the segments, the more accesses HA4 saves.",
    "no numbers",
    "fewer at each larger granularity; shape: at 16 than at 1",
)
def _saved(results: Results) -> ClaimJudgement:
    kinds = (results.per_cell("ha4", kind) for kind in ("loads", "stores", "atomics"))
    accesses = [sum(each) for each in zip(*kinds, strict=True)]
    return make_judgement(
        f"{', '.join(f'{n:.1f}' for n in accesses)} accesses a cell at g = 1, 2, 4, 8 and 16",
        reproduced=all(b < a for a, b in itertools.pairwise(accesses)),
        shape=accesses[-1] < accesses[0],
    )


@claim(
    "IV-A",
    "HA4 initialises the labels of the starts of segments alone, which reduces stores.",
    "no numbers",
    "fewer a cell than Cabaret's tiles and Playne-Hawick's first kernel",
)
def _stores(results: Results) -> ClaimJudgement:
    ha4, cabaret, playne = (
        results.per_cell(case, "stores", kernel)
        for case, kernel in (
            ("ha4", "ha4_strip_labeling"),
            ("cabaret", "cabaret_tile"),
            ("playne", "playne_init"),
        )
    )
    listed = ", ".join(f"{n:.2f}" for n in ha4)
    return make_judgement(
        f"{listed} stores a cell in strip labelling at g = 1, 2, 4, 8 and 16; Cabaret's tiles "
        f"{format_range(cabaret, '', 2)}, Playne-Hawick's first kernel "
        f"{format_range(playne, '', 2)}",
        reproduced=all(n < min(others) for n, *others in zip(ha4, cabaret, playne, strict=True)),
    )


@claim(
    "IV-E",
    "At most half of the threads work, as no two neighbouring pixels both start a segment.",
    "half in the worst case",
    "up to half of the cells",
)
def _half(results: Results) -> ClaimJudgement:
    shares = results.per_cell("ha4", "stores", "ha4_strip_labeling")
    return make_judgement(
        f"{format_percent_range(shares)} of the cells start a segment (the stores of strip "
        "labelling); the worst case, every second cell, is not among these grids",
        reproduced=max(shares) <= 0.5,
    )


@claim(
    "IV-C",
    "In relabelling only the start of a segment looks for the root, which avoids memory accesses.",
    "no numbers",
    "fewer loads a cell than Playne-Hawick's relabelling, at each granularity",
)
def _delegated(results: Results) -> ClaimJudgement:
    ha4, playne = (
        results.per_cell(case, "loads", kernel)
        for case, kernel in (("ha4", "ha4_relabeling"), ("playne", "playne_resolve"))
    )
    listed = "; ".join(f"{a:.2f} and {b:.2f}" for a, b in zip(ha4, playne, strict=True))
    return make_judgement(
        f"{listed} loads a cell, by HA4 and by Playne-Hawick's direct method, at g = 1, 2, 4, "
        "8 and 16",
        reproduced=all(a < b for a, b in zip(ha4, playne, strict=True)),
    )


def _judge_limit(results: Results, case: str, title: str, reason: str) -> ClaimJudgement:
    ratios = results.ratios("ha4", case, "atomics")
    listed = ", ".join(f"{ratio:,.2f}" for ratio in ratios)
    return make_judgement(
        f"HA4 makes {listed} times as many as {title}, at g = 1, 2, 4, 8 and 16",
        reproduced=max(ratios) < 1,
        shape=ratios[-1] < 1,
        reason=reason,
    )


@claim(
    "IV-B",
    "Merging at the starts of segments alone limits the number of atomic operations: beside "
    "Playne-Hawick.",
    "no numbers",
    "fewer at each granularity; shape: at the largest",
)
def _beside_playne(results: Results) -> ClaimJudgement:
    return _judge_limit(
        results,
        "playne",
        "Playne-Hawick's direct method",
        "A union needs them wherever segments meet. Playne-Hawick's tests mostly avoid that.",
    )


@claim(
    "IV-B",
    "Merging at the starts of segments alone limits the number of atomic operations: beside "
    "Cabaret.",
    "no numbers",
    "fewer at each granularity; shape: at the largest",
)
def _beside_cabaret(results: Results) -> ClaimJudgement:
    return _judge_limit(
        results,
        "cabaret",
        "Cabaret",
        "Fewer from g = 4 up. Cabaret's tiles make theirs in shared memory, which is not "
        "counted, HA4's strips in device memory.",
    )


@claim(
    "IV-B",
    "Merging vertical borders, which HA4 does not have, is not coalesced.",
    "no numbers",
    "under half the share at horizontal borders; shape: less",
)
def _vertical(results: Results) -> ClaimJudgement:
    down, across = (
        results.values("cabaret", "coalescing", f"cabaret_merge_{direction}")
        for direction in ("vertical", "horizontal")
    )
    return make_judgement(
        f"of the bytes moved, Cabaret's merge uses {format_percent_range(down)} at vertical "
        f"borders, {format_percent_range(across)} at horizontal ones",
        reproduced=max(down) < min(across) / 2,
        shape=max(down) < min(across),
    )


_ACCESSES: Final = (
    _faster,
    _fewer,
    _label_accesses,
    unmeasured_claim(
        "II-B",
        "Playne-Hawick does only the mandatory accesses.",
        "no numbers",
        "The count shows fewer than Komura's, not that none is left to spare. Cabaret labels "
        "tiles in shared memory, so its count does not compare.",
    ),
    _saved,
    _stores,
    _delegated,
    _half,
    _beside_playne,
    _beside_cabaret,
    _vertical,
)


PRESETS: Final = {
    "playne-atomics": Benchmark(
        "Accesses that Playne-Hawick avoids",
        "Hennequin et al. 2018, sections II-B and IV, on Playne and Hawick 2018",
        tuple(
            Case(key)
            for key in (
                "playne",
                "playne_block",
                "komura",
                "cabaret",
                "label_equivalence_hawick",
                "ha4",
                "ha4_64",
            )
        ),
        granularities(2048),
        4,
        _ACCESSES,
        "granularity",
        scenes="Noise of density 0.5, drawn in squares of g x g cells. The article by Playne and "
        "Hawick is not available: the claims are those that Hennequin et al. make about it.",
        figures=("milliseconds", "atomics", "loads", "bytes"),
        reduced=granularities(REDUCED),
        counted=granularities(512),
        schedule="synchronous",
    ),
}
