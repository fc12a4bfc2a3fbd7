"""Playne and Hawick 2018: accesses, as described by Hennequin et al."""

from __future__ import annotations

from typing import Final

from paper_claims import Check, Claim, above, at_most, below
from paper_results import (
    MARGIN,
    Figure,
    Quantity,
    growth,
    joined,
    largest,
    mean,
    ratio,
    smallest,
    steps,
    total,
)

from ccl_viewer.bench.presets import noise_granularities
from papers.experiment import Experiment

_EACH: Final = "at g = 1, 2, 4, 8 and 16"


def _atomics_beside_playne(case: str) -> Quantity:
    return ratio(Figure(case, "atomics"), Figure("playne", "atomics"))


def _stores(case: str, kernel: str) -> Figure:
    return Figure(case, "stores", kernel, per_cell=True)


def _loads(case: str, kernel: str) -> Figure:
    return Figure(case, "loads", kernel, per_cell=True)


def _limit_claim(beside: str, case: str, title: str, reason: str) -> Claim:
    atomics = ratio(Figure("ha4", "atomics"), Figure(case, "atomics"))
    last = ratio(Figure("ha4", "atomics", grids="g16$"), Figure(case, "atomics", grids="g16$"))
    return Claim(
        "IV-B",
        "Merging at the starts of segments alone limits the number of atomic operations: beside "
        f"{beside}.",
        "no numbers",
        "fewer at each granularity; shape: at the largest",
        (
            Check(
                atomics,
                below(1),
                None,
                f"HA4 makes {{:list ,.2f}} times as many as {title}, {_EACH}",
            ),
            Check(last, None, below(1)),
        ),
        reason,
    )


_ACCESSES: Final = total(
    *(Figure("ha4", kind, per_cell=True) for kind in ("loads", "stores", "atomics"))
)
_LABELS: Final = ratio(
    Figure("komura", "label_accesses", "komura_reduction"),
    Figure("playne", "label_accesses", "playne_merge"),
)
_VERTICAL, _HORIZONTAL = (
    Figure("cabaret", "coalescing", f"cabaret_merge_{way}") for way in ("vertical", "horizontal")
)

_CLAIMS: Final = (
    Claim(
        "II-B",
        "Playne-Hawick is faster than Komura.",
        "no numbers",
        "faster by blocks at each granularity; shape: by over 1% in the mean",
        (
            Check(
                ratio(Figure("komura"), Figure("playne_block")),
                above(1),
                None,
                "at a density of 0.5 Komura takes {:.2f} times as long as Playne-Hawick by blocks, "
                "which Hennequin et al. measured",
            ),
            Check(mean(ratio(Figure("komura"), Figure("playne_block"))), None, above(1 + MARGIN)),
            Check(
                ratio(Figure("komura"), Figure("playne")),
                words="{:.2f} times as long as the direct method, which like Komura here has no "
                "tiles",
            ),
        ),
        "Labels are probably in the cache, where fewer accesses gain little.",
    ),
    Claim(
        "abstract, II-B",
        "The additional tests of Playne-Hawick avoid atomic operations.",
        "no numbers",
        "fewer than each of the others; shape: than Cabaret's and Hawick's",
        (
            Check(
                _atomics_beside_playne("cabaret"),
                above(1),
                above(1),
                "Cabaret makes {:,.1f} times as many as the direct method, in device memory",
            ),
            Check(_atomics_beside_playne("komura"), above(1), None, "Komura {:,.1f} times"),
            Check(
                _atomics_beside_playne("label_equivalence_hawick"),
                above(1),
                above(1),
                "Hawick's Label Equivalence {:,.1f} times",
            ),
        ),
    ),
    Claim(
        "II-B",
        "By additional tests Playne-Hawick makes fewer accesses than Komura to the label image, "
        "which is the equivalence table.",
        "no numbers",
        "fewer at each granularity; shape: in the mean",
        (
            Check(
                _LABELS,
                above(1),
                None,
                "accesses to labels, Komura's reduction / Playne-Hawick's merge (direct method), "
                f"{_EACH}: {{:list ,.3g}}",
            ),
            Check(mean(_LABELS), None, above(1)),
        ),
    ),
    Claim(
        "II-B",
        "Playne-Hawick does only the mandatory accesses.",
        "no numbers",
        reason="The count shows fewer than Komura's, not that none is left to spare. Cabaret "
        "labels tiles in shared memory, so its count does not compare.",
    ),
    Claim(
        "IV",
        "The longer the segments, the more accesses HA4 saves.",
        "no numbers",
        "fewer at each larger granularity; shape: at 16 than at 1",
        (
            Check(_ACCESSES, words=f"{{:list .1f}} accesses a cell {_EACH}"),
            Check(steps(_ACCESSES), below(1)),
            Check(growth(_ACCESSES), None, below(1)),
        ),
    ),
    Claim(
        "IV-A",
        "HA4 initialises the labels of the starts of segments alone, which reduces stores.",
        "no numbers",
        "fewer a cell than Cabaret's tiles and Playne-Hawick's first kernel",
        (
            Check(
                _stores("ha4", "ha4_strip_labeling"),
                words=f"{{:list .2f}} stores a cell in strip labelling {_EACH}",
            ),
            Check(_stores("cabaret", "cabaret_tile"), words="Cabaret's tiles {:.2f}"),
            Check(_stores("playne", "playne_init"), words="Playne-Hawick's first kernel {:.2f}"),
            Check(
                joined(
                    ratio(_stores("ha4", "ha4_strip_labeling"), _stores("cabaret", "cabaret_tile")),
                    ratio(_stores("ha4", "ha4_strip_labeling"), _stores("playne", "playne_init")),
                ),
                below(1),
            ),
        ),
    ),
    Claim(
        "IV-C",
        "In relabelling only the start of a segment looks for the root, which avoids memory "
        "accesses.",
        "no numbers",
        "fewer loads a cell than Playne-Hawick's relabelling, at each granularity",
        (
            Check(_loads("ha4", "ha4_relabeling"), words=f"{{:list .2f}} loads a cell {_EACH}"),
            Check(
                _loads("playne", "playne_resolve"),
                words="{:list .2f} by Playne-Hawick's direct method",
            ),
            Check(
                ratio(_loads("ha4", "ha4_relabeling"), _loads("playne", "playne_resolve")),
                below(1),
            ),
        ),
    ),
    Claim(
        "IV-E",
        "At most half of the threads work, as no two neighbouring pixels both start a segment.",
        "half in the worst case",
        "up to half of the cells",
        (
            Check(
                _stores("ha4", "ha4_strip_labeling"),
                at_most(0.5),
                None,
                "{:.0%} of the cells start a segment (the stores of strip labelling); the worst "
                "case, every second cell, is not among these grids",
            ),
        ),
    ),
    _limit_claim(
        "Playne-Hawick",
        "playne",
        "Playne-Hawick's direct method",
        "A union needs them wherever segments meet. Playne-Hawick's tests mostly avoid that.",
    ),
    _limit_claim(
        "Cabaret",
        "cabaret",
        "Cabaret",
        "Fewer from g = 4 up. Cabaret's tiles make theirs in shared memory, which is not counted, "
        "HA4's strips in device memory.",
    ),
    Claim(
        "IV-B",
        "Merging vertical borders, which HA4 does not have, is not coalesced.",
        "no numbers",
        "under half the share at horizontal borders; shape: less",
        (
            Check(
                _VERTICAL,
                words="of the bytes, Cabaret's merge uses {:.0%} at vertical borders",
            ),
            Check(_HORIZONTAL, words="{:.0%} at horizontal ones"),
            Check(ratio(largest(_VERTICAL), smallest(_HORIZONTAL)), below(0.5), below(1)),
        ),
    ),
)

EXPERIMENTS: Final = {
    "playne-atomics": Experiment(
        "playne-atomics",
        _CLAIMS,
        "Noise of density 0.5, drawn in squares of g x g cells. The article by Playne and "
        "Hawick is not available: the claims are those that Hennequin et al. make about it.",
        noise_granularities(512),
    ),
}
