"""Playne and Hawick 2018: accesses, as Hennequin et al. tell of them."""

from __future__ import annotations

import itertools
from statistics import fmean
from typing import Final

from ccl_viewer.bench.claims import TIME, Claim, Judgement, Results, claim, judged, share_span, span
from ccl_viewer.bench.measuring import Case
from ccl_viewer.bench.presets.grids import REDUCED, granularities
from ccl_viewer.bench.running import Benchmark


def _accesses() -> tuple[Claim, ...]:
    """Return the claims about accesses, and about time, beside other direct algorithms."""

    @claim("Playne-Hawick is faster than Cabaret and Komura.", "no numbers")
    def faster(results: Results) -> Judgement:
        found = {case: results.ratios(case, "playne", TIME) for case in ("cabaret", "komura")}
        ratios = [ratio for each in found.values() for ratio in each]
        words = " and ".join(f"{name.capitalize()} {span(each)}" for name, each in found.items())
        return judged(
            f"{words} as long at a density of 0.5",
            reproduced=min(ratios) > 1,
            shape=sum(ratios) > len(ratios),
            reason="Labels are in the cache, where fewer accesses gain little. At higher densities "
            "Cabaret is slower: see hennequin-5.",
        )

    @claim("The additional tests of Playne-Hawick avoid atomic operations.", "no numbers")
    def fewer(results: Results) -> Judgement:
        cabaret, komura, hawick = (
            results.ratios(case, "playne", "atomics")
            for case in ("cabaret", "komura", "label_equivalence_hawick")
        )
        return judged(
            f"Cabaret {span(cabaret)}, Komura {span(komura)} and Hawick's Label Equivalence "
            f"{span(hawick)} as many",
            reproduced=min(*cabaret, *komura, *hawick) > 1,
            shape=min(*cabaret, *hawick) > 1,
        )

    @claim(
        "By additional tests Playne-Hawick does only the mandatory accesses to the label image "
        "and the equivalence table, which are one array.",
        "no numbers",
    )
    def accesses(results: Results) -> Judgement:
        kernels = ("komura_reduction", "playne_merge")
        found = results.ratios("komura", "playne", "label_accesses", kernels)
        listed = ", ".join(f"{ratio:,.3g}" for ratio in found)
        return judged(
            "Komura's reduction makes so many times as many accesses to labels as Playne-Hawick's "
            f"merge at g = 1, 2, 4, 8 and 16: {listed}",
            reproduced=min(found) > 1,
            shape=fmean(found) > 1,
        )

    @claim("The longer the runs, the more accesses HA4 saves.", "no numbers")
    def saved(results: Results) -> Judgement:
        kinds = (results.per_cell("ha4", kind) for kind in ("loads", "stores", "atomics"))
        found = [sum(each) for each in zip(*kinds, strict=True)]
        return judged(
            f"{', '.join(f'{n:.1f}' for n in found)} accesses a cell at g = 1, 2, 4, 8 and 16",
            reproduced=all(b < a for a, b in itertools.pairwise(found)),
            shape=found[-1] < found[0],
        )

    @claim("Merging vertical borders, which HA4 has not, is not coalesced.", "no numbers")
    def vertical(results: Results) -> Judgement:
        down, across = (
            results.values("cabaret", "coalescing", f"cabaret_merge_{way}")
            for way in ("vertical", "horizontal")
        )
        return judged(
            f"of the bytes moved, Cabaret's merge uses {share_span(down)} at vertical borders, "
            f"{share_span(across)} at horizontal ones",
            reproduced=max(down) < min(across) / 2,
            shape=max(down) < min(across),
        )

    return (faster, fewer, accesses, saved, vertical)


PRESETS: Final = {
    "playne-atomics": Benchmark(
        "Accesses that Playne-Hawick avoids",
        "Hennequin et al. 2018, sections II-B and IV, on Playne and Hawick 2018",
        tuple(
            Case(key)
            for key in ("playne", "komura", "cabaret", "label_equivalence_hawick", "ha4", "ha4_64")
        ),
        granularities(2048),
        4,
        _accesses(),
        "granularity",
        figures=("milliseconds", "atomics", "loads", "bytes"),
        reduced=granularities(REDUCED),
        counted=granularities(512),
        schedule="synchronous",
    ),
}
