"""The papers' tables and figures as benchmarks: what is measured, and what each paper claims."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from ccl_viewer.bench.claims import Claim
from ccl_viewer.bench.measuring import Case, Workload
from ccl_viewer.bench.paper_claims import (
    HEIGHTS,
    hennequin_5,
    hennequin_6,
    hennequin_features,
    hennequin_height,
    kalentev_1,
    kalentev_2,
    kalentev_3,
    kalentev_4,
    playne_atomics,
    shibata_tables,
    stava_11,
    stava_12,
)
from ccl_viewer.errors import InputError
from ccl_viewer.grids.pattern import near
from ccl_viewer.grids.specs import pattern_spec

REDUCED: Final = 64
"""Side of the grids of a reduced run."""


@dataclass(frozen=True)
class Preset:
    """A benchmark of a paper.

    Parameters
    ----------
    key, title, source : str
        Its name, what it measures, and where that is published.
    connectivity : int
        The paper's.
    cases : sequence of Case
        What is measured.
    workloads : callable
        Given whether it is reduced, returns the grids.
    claims : sequence of Claim
        What the paper claims of it.
    across : str
        Name of the quantity that the workloads vary; empty if they are named.
    figures : sequence of str
        Figures that are plotted, where they were measured.
    by_kernel : bool
        Whether bars are those of kernels instead of whole runs.
    """

    key: str
    title: str
    source: str
    connectivity: int
    cases: Sequence[Case]
    workloads: Callable[[bool], Sequence[Workload]]
    claims: Sequence[Claim]
    across: str = ""
    figures: Sequence[str] = ("milliseconds", "bytes", "iterations")
    by_kernel: bool = False


def preset(key: str) -> Preset:
    """Return a preset.

    Raises
    ------
    InputError
        If there is none of that name.
    """
    if key not in PRESETS:
        raise InputError(
            f"There is no preset {key!r}{near(key, PRESETS)}: ccl-viewer bench --list names them."
        )
    return PRESETS[key]


def noise(
    size: int, density: float, granularity: int = 1, x: float = float("nan"), group: str = ""
) -> Workload:
    """Return noise (MT19937) as a workload."""
    values = {"width": size, "height": size, "density": density, "granularity": granularity}
    name = f"noise {size} d{density:g}" + (f" g{granularity}" if granularity > 1 else "")
    return Workload(name, pattern_spec("noise", values), x, group)


def _spiral(size: int) -> Workload:
    """Return a spiral that begins downwards, as the paper's must have done."""
    return Workload(f"spiral {size}", pattern_spec("spiral", {"size": size, "anticlockwise": 1}))


def _blobs(size: int, radius: int, name: str) -> Workload:
    values = {"width": size, "height": size, "radius": radius, "density": 0.5}
    return Workload(f"blobs {name} {size}", pattern_spec("clusters", values), radius)


def _discs(size: int, base: int, count: int, radius: int, name: str) -> Workload:
    """Return discs of one size and density on a canvas of any size."""
    values = {
        "width": size,
        "height": size,
        "count": max(1, count * size * size // (base * base)),
        "radius": radius,
    }
    return Workload(f"({name}) {size}", pattern_spec("discs", values), size)


def _kalentev_1(reduced: bool) -> list[Workload]:
    size, radii = (48, (2, 4, 6, 10)) if reduced else (1024, (10, 20, 50, 100))
    blobs = [_blobs(size, radius, f"C{n}") for n, radius in enumerate(radii, 1)]
    return [*blobs, _spiral(size), _spiral(size // 4), noise(size, 0.5), noise(size, 0.1)]


def _kalentev_2(reduced: bool) -> list[Workload]:
    size = REDUCED if reduced else 2048
    return [noise(size, d, x=d) for d in (0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.99)]


def _kalentev_3(reduced: bool) -> list[Workload]:
    sizes = (16, 32, 64) if reduced else (1024, 2048, 4096, 8128)
    return [noise(size, 0.5, x=size * size) for size in sizes]


def _kalentev_4(reduced: bool) -> list[Workload]:
    return [noise(REDUCED if reduced else 2048, 0.5)]


def _stava_11(reduced: bool) -> list[Workload]:
    sizes = (64, 128) if reduced else (1024, 2048, 4096)
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


def _hennequin(reduced: bool) -> list[Workload]:
    size, step = (REDUCED, 20) if reduced else (2048, 4)
    return [
        noise(size, percent / 100, granularity, percent, f"g{granularity}")
        for granularity in ((1, 4) if reduced else (1, 4, 16))
        for percent in range(0, 101, step)
    ]


def _granularities(reduced: bool) -> list[Workload]:
    size = REDUCED if reduced else 2048
    return [noise(size, 0.5, granularity, granularity) for granularity in (1, 2, 4, 8, 16)]


def _shibata(reduced: bool) -> list[Workload]:
    size = 40 if reduced else 1280
    zigzag = pattern_spec("zigzag", {"size": size})
    blobs = pattern_spec("blobs", {"width": size, "height": size * 3 // 4, "density": 0.6})
    return [Workload(f"zigzag {size}", zigzag), Workload(f"blobs {size}", blobs)]


_KALENTEV = "Kalentev et al. 2011"
_STAVA = "Stava and Benes 2011"
_HENNEQUIN = "Hennequin et al. 2018"
_EQUIVALENCE = (Case("label_equivalence"), Case("label_equivalence_sizes"))
_LIBRARIES = tuple(
    Case(key) for key in ("label", "cupyx", "cucim", "scipy", "skimage", "opencv", "cc3d")
)

PRESETS: Final[Mapping[str, Preset]] = MappingProxyType(
    {
        row.key: row
        for row in (
            Preset(
                "kalentev-1",
                "Row-Col Unify and Label Equivalence on blobs, a spiral and noise",
                f"{_KALENTEV}, Table 1",
                4,
                (
                    Case("row_col_unify"),
                    *_EQUIVALENCE,
                    Case("label_equivalence_hawick"),
                    *_LIBRARIES,
                ),
                _kalentev_1,
                kalentev_1(),
            ),
            Preset(
                "kalentev-2",
                "Label Equivalence by the density of noise",
                f"{_KALENTEV}, Table 2",
                4,
                (*_EQUIVALENCE, *_LIBRARIES),
                _kalentev_2,
                kalentev_2(),
                "density",
            ),
            Preset(
                "kalentev-3",
                "Label Equivalence by the number of cells",
                f"{_KALENTEV}, Table 3",
                4,
                (*_EQUIVALENCE, *_LIBRARIES),
                _kalentev_3,
                kalentev_3(),
                "cells",
            ),
            Preset(
                "kalentev-4",
                "Label Equivalence by the size of blocks",
                f"{_KALENTEV}, Table 4",
                4,
                tuple(
                    Case(key, {"threads": threads})
                    for key in ("label_equivalence", "label_equivalence_sizes")
                    for threads in (512, 256, 64, 16, 4, 1)
                ),
                _kalentev_4,
                kalentev_4(),
                figures=("milliseconds", "load_requests", "bytes"),
            ),
            Preset(
                "stava-35.11",
                "Stava-Benes beside Hawick's Label Equivalence and a CPU, on discs",
                f"{_STAVA}, Figure 35.11",
                8,
                (
                    Case("stava_benes"),
                    Case("stava_benes", {"flatten": 0}),
                    Case("stava_benes", {"factor": 2}),
                    Case("stava_benes", {"factor": 8}),
                    Case("stava_benes", {"variant": "project"}),
                    Case("label_equivalence_hawick"),
                    *_LIBRARIES,
                ),
                _stava_11,
                stava_11(),
                figures=("milliseconds", "bytes"),
            ),
            Preset(
                "stava-35.12",
                "The share of each kernel of Stava-Benes",
                f"{_STAVA}, Figure 35.12",
                8,
                (Case("stava_benes"),),
                _stava_11,
                stava_12(),
                figures=("milliseconds", "bytes"),
                by_kernel=True,
            ),
            Preset(
                "hennequin-5",
                "Labelling by density: HA4 beside Playne-Hawick and Cabaret",
                f"{_HENNEQUIN}, Figure 5",
                4,
                (
                    Case("playne"),
                    Case("playne_block"),
                    *(Case(key) for key in ("cabaret", "ha4", "ha4_64")),
                    *_LIBRARIES,
                ),
                _hennequin,
                hennequin_5(),
                "density in percent",
            ),
            Preset(
                "hennequin-6",
                "Analysis by density: features of the components",
                f"{_HENNEQUIN}, Figure 6",
                4,
                (Case("ha4_features"), Case("ha4_features", {"pixels": 2})),
                _hennequin,
                hennequin_6(),
                "density in percent",
            ),
            Preset(
                "hennequin-features",
                "Features by segment and by pixel",
                f"{_HENNEQUIN}, section V",
                4,
                (
                    Case("ha4_features"),
                    Case("ha4_features", {"pixels": 2}),
                    Case("ha4_features", {"naive": 1}),
                ),
                _granularities,
                hennequin_features(),
                "granularity",
                figures=("milliseconds", "atomics", "contention"),
            ),
            Preset(
                "hennequin-height",
                "HA4 by the height of its strips",
                f"{_HENNEQUIN}, section IV-A",
                4,
                tuple(Case("ha4", {"strip_height": height}) for height in HEIGHTS),
                _granularities,
                hennequin_height(),
                "granularity",
                figures=("milliseconds", "bytes", "atomics"),
            ),
            Preset(
                "shibata-tables",
                "The passes of Shibata's kernels",
                "Shibata, Tables 1 to 6",
                8,
                (
                    *(
                        Case("shibata_fast", {"passes": passes, "jumps": 6})
                        for passes in range(1, 11)
                    ),
                    Case("shibata_naive"),
                    Case("shibata_slow"),
                    Case("shibata_fast"),
                    Case("shibata_fast", {"jumps": 6}),
                ),
                _shibata,
                shibata_tables(),
                figures=("milliseconds", "iterations", "stores"),
            ),
            Preset(
                "playne-atomics",
                "Accesses that Playne-Hawick avoids",
                "Playne and Hawick 2018; Hennequin et al. 2018, section II-B",
                4,
                tuple(
                    Case(key)
                    for key in ("playne", "komura", "cabaret", "label_equivalence_hawick", "ha4")
                ),
                _granularities,
                playne_atomics(),
                "granularity",
                figures=("milliseconds", "atomics", "loads", "bytes"),
            ),
        )
    }
)
"""All presets by key."""
