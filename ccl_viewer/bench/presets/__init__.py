"""The papers' tables and figures as benchmarks: what to measure, and what each paper claims."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Final, Literal

from ccl_viewer.bench.presets import hennequin, kalentev, playne, shibata, stava_benes
from ccl_viewer.bench.report import Benchmark
from ccl_viewer.errors import InputError
from ccl_viewer.grids.pattern_type import closest_name_hint

PRESETS: Final[Mapping[str, Benchmark]] = MappingProxyType(
    {
        key: preset
        for paper in (kalentev, stava_benes, hennequin, shibata, playne)
        for key, preset in paper.PRESETS.items()
    }
)
"""All presets by key, paper by paper."""


def find_preset(
    key: str, *, reduced: bool = False, size: Literal["full", "counts"] = "full"
) -> Benchmark:
    """Return a preset.

    Parameters
    ----------
    key : str
        Name of the preset.
    reduced : bool
        Whether to use small grids, for a quick run on the emulator.
    size : {"full", "counts"}
        Otherwise: the normal grids, or those on which the emulator counts, without libraries.

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
    if reduced:
        return replace(preset, workloads=preset.reduced, is_reduced=True)
    if size == "counts":
        cases = [case for case in preset.cases if not case.is_library]
        return replace(preset, workloads=preset.counted, cases=cases)
    return preset
