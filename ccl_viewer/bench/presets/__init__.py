"""The papers' tables and figures as benchmarks: what is measured, and what each paper claims."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from ccl_viewer.bench.presets import hennequin, kalentev, playne, shibata, stava_benes
from ccl_viewer.bench.running import Benchmark
from ccl_viewer.errors import InputError
from ccl_viewer.grids.pattern import near

PRESETS: Final[Mapping[str, Benchmark]] = MappingProxyType(
    {
        key: row
        for paper in (kalentev, stava_benes, hennequin, shibata, playne)
        for key, row in paper.PRESETS.items()
    }
)
"""All presets by key, paper by paper."""


def preset(key: str, *, reduced: bool = False) -> Benchmark:
    """Return a preset, with small grids if it is reduced.

    Raises
    ------
    InputError
        If there is none of that name.
    """
    if key not in PRESETS:
        raise InputError(
            f"There is no preset {key!r}{near(key, PRESETS)}: ccl-viewer bench --list names them."
        )
    return replace(PRESETS[key], workloads=PRESETS[key].reduced) if reduced else PRESETS[key]
