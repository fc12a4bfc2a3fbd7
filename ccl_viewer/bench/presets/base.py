"""What a preset is, and the grids that several papers have."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from ccl_viewer.bench.claims import Claim
from ccl_viewer.bench.measuring import Case, Workload
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


def noise(
    size: int, density: float, granularity: int = 1, x: float = float("nan"), group: str = ""
) -> Workload:
    """Return noise (MT19937) as a workload."""
    values = {"width": size, "height": size, "density": density, "granularity": granularity}
    name = f"noise {size} d{density:g}" + (f" g{granularity}" if granularity > 1 else "")
    return Workload(name, pattern_spec("noise", values), x, group)


def granularities(reduced: bool) -> list[Workload]:
    """Return noise of one density, from single cells to blocks of 16."""
    size = REDUCED if reduced else 2048
    return [noise(size, 0.5, granularity, granularity) for granularity in (1, 2, 4, 8, 16)]
