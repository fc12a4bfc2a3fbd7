"""Grids of several papers."""

from __future__ import annotations

from typing import Final

from ccl_viewer.bench.measuring import Workload
from ccl_viewer.grids.specs import format_pattern

REDUCED: Final = 64
"""Side of the grids of a reduced run."""


def make_noise_workload(
    size: int, density: float, granularity: int = 1, x: float = float("nan"), group: str = ""
) -> Workload:
    """Return noise (MT19937) as a workload."""
    values = {"width": size, "height": size, "density": density, "granularity": granularity}
    name = f"noise {size} d{density:g}" + (f" g{granularity}" if granularity > 1 else "")
    return Workload(name, format_pattern("noise", values), x, group)


def granularities(size: int) -> list[Workload]:
    """Return noise of one density, from single cells to blocks of 16."""
    return [
        make_noise_workload(size, 0.5, granularity, granularity) for granularity in (1, 2, 4, 8, 16)
    ]
