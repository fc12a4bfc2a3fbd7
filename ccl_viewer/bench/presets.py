"""The papers' tables and figures as benchmarks: which algorithms they measure, and on which grids.

What the papers claim about them stands in ``benchmarks/papers``, with its judge.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from ccl_viewer.algorithms.table import parse_algorithm
from ccl_viewer.bench.libraries import LIBRARIES
from ccl_viewer.bench.measuring import Case, Workload
from ccl_viewer.bench.report import Benchmark
from ccl_viewer.errors import InputError
from ccl_viewer.grids.pattern_type import Value, closest_name_hint
from ccl_viewer.grids.specs import format_pattern


def find_preset(key: str, *, reduced: bool = False) -> Benchmark:
    """Return a preset.

    Parameters
    ----------
    key : str
        Name of the preset.
    reduced : bool
        Whether to use small grids, for a quick run on the emulator.

    Raises
    ------
    InputError
        If there is no such preset.
    """
    if key not in PRESETS:
        raise InputError(
            f"There is no preset {key!r}{closest_name_hint(key, PRESETS)}: ccl-viewer bench --list "
            "names them."
        )
    preset = PRESETS[key]
    return replace(preset, workloads=preset.reduced) if reduced else preset


def make_pattern_workload(
    name: str, pattern: str, values: Mapping[str, Value], x: float = float("nan")
) -> Workload:
    """Return a grid of a pattern as a workload."""
    return Workload(name, format_pattern(pattern, values), x)


def make_noise_workload(
    size: int, density: float, granularity: int = 1, x: float = float("nan"), group: str = ""
) -> Workload:
    """Return noise (MT19937) as a workload."""
    values = {"width": size, "height": size, "density": density, "granularity": granularity}
    name = f"noise {size} d{density:g}" + (f" g{granularity}" if granularity > 1 else "")
    return Workload(name, format_pattern("noise", values), x, group)


def kalentev_scenes(size: int, radii: Sequence[int], *spirals: int) -> list[Workload]:
    """Return the grids of Table 1; spirals begin downwards, as the paper's probably do."""
    square = {"width": size, "height": size, "density": 0.5}
    return [
        *(
            make_pattern_workload(f"blobs C{n} {size}", "clusters", {**square, "radius": r}, r)
            for n, r in enumerate(radii, 1)
        ),
        *(
            make_pattern_workload(f"spiral {side}", "spiral", {"size": side, "anticlockwise": 1})
            for side in spirals
        ),
        make_noise_workload(size, 0.5),
        make_noise_workload(size, 0.1),
    ]


def noise_densities(size: int) -> list[Workload]:
    """Return noise of the densities of Kalentev's Table 2, and of 0.5."""
    densities = (0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.99)
    return [make_noise_workload(size, density, x=density) for density in densities]


def noise_sizes(*sizes: int) -> list[Workload]:
    """Return noise of one density by its number of cells."""
    return [make_noise_workload(size, 0.5, x=size * size) for size in sizes]


def noise_granularities(size: int) -> list[Workload]:
    """Return noise of one density, from single cells to blocks of 16."""
    return [make_noise_workload(size, 0.5, g, g) for g in (1, 2, 4, 8, 16)]


def noise_percentages(size: int, step: int, granularities: Sequence[int]) -> list[Workload]:
    """Return noise of densities from 0 to 100%, of some granularities."""
    return [
        make_noise_workload(size, percent / 100, granularity, percent, f"g{granularity}")
        for granularity in granularities
        for percent in range(0, 101, step)
    ]


def stava_scenes(*sizes: int) -> list[Workload]:
    """Return the scenes of Figure 35.11: (b) is rescaled, (c) and (d) repeat their first size."""
    base = sizes[0]
    share = (base / 1024) ** 2
    scenes: dict[str, tuple[str, dict[str, Value]]] = {
        "b": ("plates", {"count": 12, "share": 0.1667, "seed": 75})
    }
    for part, count in (("c", max(4, round(2500 * share))), ("d", max(1, round(250 * share)))):
        scenes[part] = "discs", {"count": count, "radius": 16, "scene": base}
    return [
        make_pattern_workload(
            f"({part}) {size}", pattern, {"width": size, "height": size, **values}, size
        )
        for part, (pattern, values) in scenes.items()
        for size in sizes
    ]


def single_paths(size: int, gaps: Sequence[int]) -> list[Workload]:
    """Return single paths with the largest possible distance between their ends."""
    return [
        make_pattern_workload(
            f"path {size} gap {gap}", "serpentine", {"width": size, "height": size, "gap": gap}
        )
        for gap in gaps
    ]


def three_leg_paths(*sides: int) -> list[Workload]:
    """Return paths of three horizontal legs, each one pixel high."""
    return [
        make_pattern_workload(
            f"path of legs of {side}", "serpentine", {"width": side, "height": 5, "gap": 1}, side
        )
        for side in sides
    ]


def shibata_pictures(size: int) -> list[Workload]:
    """Return the zigzag of Shibata's tables, and blobs instead of his photo of dry earth."""
    blobs = {"width": size, "height": size * 3 // 4, "density": 0.6}
    return [
        make_pattern_workload(f"zigzag {size}", "zigzag", {"size": size}),
        make_pattern_workload(f"blobs {size}", "blobs", blobs),
    ]


def parse_cases(text: str) -> tuple[Case, ...]:
    """Return the cases that are written with spaces between them."""
    return tuple(Case(*parse_algorithm(each)) for each in text.split())


_LIBRARIES: Final = tuple(map(Case, LIBRARIES))
_FEATURES: Final = parse_cases("ha4_features ha4_features:pixels=2 ha4_features:naive=1")

PRESETS: Final[Mapping[str, Benchmark]] = MappingProxyType(
    {
        "kalentev-1": Benchmark(
            "Row-Col Unify and Label Equivalence on blobs, a spiral and noise",
            "Kalentev et al. 2011, Table 1",
            parse_cases(
                "row_col_unify row_col_unify:variant=printed row_col_unify:variant=consecutive "
                "label_equivalence label_equivalence:variant=atomic label_equivalence_sizes "
                "label_equivalence_hawick"
            )
            + _LIBRARIES,
            kalentev_scenes(1024, (10, 20, 50, 100), 1024, 256),
            4,
            reduced=kalentev_scenes(48, (2, 4, 6, 10), 48, 12),
            schedule="synchronous",
        ),
        "kalentev-2": Benchmark(
            "Label Equivalence by the density of noise",
            "Kalentev et al. 2011, Table 2",
            parse_cases("label_equivalence label_equivalence_sizes") + _LIBRARIES,
            noise_densities(2048),
            4,
            "density",
            reduced=noise_densities(64),
            schedule="synchronous",
        ),
        "kalentev-3": Benchmark(
            "Label Equivalence by the number of cells",
            "Kalentev et al. 2011, Table 3",
            parse_cases("label_equivalence label_equivalence_sizes") + _LIBRARIES,
            noise_sizes(1024, 2048, 4096, 8128),
            4,
            "cells",
            reduced=noise_sizes(16, 32, 64),
            schedule="synchronous",
        ),
        "kalentev-4": Benchmark(
            "Label Equivalence by the size of blocks",
            "Kalentev et al. 2011, Table 4",
            [
                Case(key, {"threads": threads})
                for key in ("label_equivalence", "label_equivalence_sizes")
                for threads in (512, 256, 64, 16, 4, 1)
            ],
            [make_noise_workload(2048, 0.5)],
            4,
            figures=("milliseconds", "load_requests", "bytes"),
            reduced=[make_noise_workload(64, 0.5)],
            schedule="synchronous",
        ),
        "stava-35.11": Benchmark(
            "Stava-Benes beside Hawick's Label Equivalence and a CPU, on discs",
            "Stava and Benes 2011, Figure 35.11",
            parse_cases(
                "stava_benes stava_benes:flatten=0 stava_benes:factor=2 stava_benes:factor=8 "
                "stava_benes:variant=project label_equivalence_hawick"
            )
            + _LIBRARIES,
            stava_scenes(1024, 2048, 4096),
            8,
            figures=("milliseconds", "bytes"),
            reduced=stava_scenes(64, 128),
            schedule="synchronous",
        ),
        "stava-35.12": Benchmark(
            "The share of each kernel of Stava-Benes",
            "Stava and Benes 2011, Figure 35.12",
            parse_cases("stava_benes"),
            stava_scenes(1024, 2048, 4096),
            8,
            figures=("milliseconds", "bytes"),
            by_kernel=True,
            reduced=stava_scenes(80, 128),  # merged twice, as kernel 3 runs between
            schedule="synchronous",
        ),
        "hennequin-5": Benchmark(
            "Labelling by density: HA4 beside Playne-Hawick and Cabaret",
            "Hennequin et al. 2018, Figure 5",
            parse_cases(
                "playne playne_block cabaret ha4 ha4_64 ha4_64:variant=printed ha4:variant=printed "
                "ha4:variant=shared label cupyx scipy"
            ),
            noise_percentages(2048, 4, (1, 4, 16)),
            4,
            "density in percent",
            reduced=noise_percentages(64, 50, (1, 4, 16)),
            schedule="synchronous",
            steps={
                "Step 1, tiles or strips": {
                    "playne_block": ("playne_tile",),
                    "cabaret": ("cabaret_tile",),
                    "ha4": ("ha4_strip_labeling",),
                    "ha4:variant=shared": ("ha4_strip_labeling_shared",),
                    "ha4_64": ("ha4_64_strip_labeling",),
                },
                "Step 2, borders": {
                    "playne_block": ("playne_border_merge",),
                    "cabaret": ("cabaret_merge_horizontal", "cabaret_merge_vertical"),
                    "ha4": ("ha4_strip_merge",),
                    "ha4_64": ("ha4_64_strip_merge",),
                },
                "Step 3, relabelling": {
                    "playne_block": ("playne_resolve",),
                    "cabaret": ("cabaret_relabeling",),
                    "ha4": ("ha4_relabeling",),
                    "ha4_64": ("ha4_64_relabeling",),
                },
            },
        ),
        "hennequin-6": Benchmark(
            "Analysis by density: features of the components",
            "Hennequin et al. 2018, Figure 6",
            _FEATURES,
            noise_percentages(2048, 4, (4,)),
            4,
            "density in percent",
            reduced=noise_percentages(64, 20, (4,)),
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
            _FEATURES,
            noise_granularities(2048),
            4,
            "granularity",
            figures=("milliseconds", "atomics", "contention"),
            reduced=noise_granularities(64),
            schedule="synchronous",
        ),
        "hennequin-height": Benchmark(
            "HA4 by the height of its strips",
            "Hennequin et al. 2018, section IV-A",
            [Case("ha4", {"strip_height": height}) for height in (1, 2, 4, 8, 16)],
            noise_granularities(2048),
            4,
            "granularity",
            figures=("milliseconds", "bytes", "atomics"),
            reduced=noise_granularities(64),
            schedule="synchronous",
        ),
        "hennequin-distance": Benchmark(
            "Iterations and the longest distance within a component",
            "Hennequin et al. 2018, section II-A",
            parse_cases("shibata_naive label_equivalence"),
            single_paths(256, (127, 63, 31)),
            4,
            figures=("iterations",),
            reduced=single_paths(64, (31, 15)),
            schedule="synchronous",
        ),
        "shibata-tables": Benchmark(
            "The passes of Shibata's kernels",
            "Shibata, Tables 1 to 6",
            parse_cases(
                "shibata_fast:passes=10:jumps=6 shibata_fast:passes=10:jumps=6:variant=project "
                "shibata_naive shibata_slow shibata_fast shibata_fast:jumps=6"
            ),
            shibata_pictures(1280),
            8,
            figures=("milliseconds", "iterations", "stores"),
            reduced=shibata_pictures(24),
            schedule="synchronous",
            by_iteration=True,
        ),
        "shibata-paths": Benchmark(
            "The passes of Shibata's kernels by the length of a path",
            "Shibata, sections 5 and 6",
            parse_cases("shibata_slow shibata_fast"),
            three_leg_paths(256, 512, 1024),
            8,
            "pixels of a leg",
            figures=("iterations",),
            reduced=three_leg_paths(16, 32, 64),
            schedule="synchronous",
        ),
        "playne-atomics": Benchmark(
            "Accesses that Playne-Hawick avoids",
            "Hennequin et al. 2018, sections II-B and IV, on Playne and Hawick 2018",
            parse_cases("playne playne_block komura cabaret label_equivalence_hawick ha4 ha4_64"),
            noise_granularities(2048),
            4,
            "granularity",
            figures=("milliseconds", "atomics", "loads", "bytes"),
            reduced=noise_granularities(64),
            schedule="synchronous",
        ),
    }
)
"""All presets by key, paper by paper."""
