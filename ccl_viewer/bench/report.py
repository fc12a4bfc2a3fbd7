"""Benchmarks, and their results."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from ccl_viewer.algorithms import choose_algorithm
from ccl_viewer.bench.measuring import Case, Measurement, Workload, find_sweep
from ccl_viewer.errors import CCLViewerError, InputError, shorten
from ccl_viewer.grids.specs import is_pattern


@dataclass(frozen=True)
class Benchmark:
    """Cases to measure together, and their workloads.

    Parameters
    ----------
    title, source : str
        Title, and place of publication.
    cases, workloads : sequence
        Each case is measured on each workload.
    connectivity : int or None
        4 or 8; None for each algorithm's default.
    across : str
        Quantity of the sweep; empty if the workloads have names.
    figures : sequence of str
        The figures to plot.
    by_kernel : bool
        Whether bars show kernels instead of whole runs.
    reduced : sequence
        Small workloads of a preset, for a quick run on the emulator.
    schedule : str
        Schedule of the emulator.
    by_iteration : bool
        Whether to measure iterations of kernels separately, and plot the first case by them.
    steps : mapping
        A plot of each step of the methods: its title, and the kernels of each case.
    """

    title: str
    source: str
    cases: Sequence[Case]
    workloads: Sequence[Workload]
    connectivity: int | None
    across: str = ""
    figures: Sequence[str] = ("milliseconds", "bytes", "iterations")
    by_kernel: bool = False
    reduced: Sequence[Workload] = ()
    schedule: str = "auto"
    by_iteration: bool = False
    steps: Mapping[str, Mapping[str, Sequence[str]]] = field(default_factory=dict)

    @classmethod
    def custom(
        cls,
        cases: Sequence[Case],
        workloads: Sequence[Workload],
        connectivity: int | None = None,
    ) -> Benchmark:
        """Return a benchmark of some cases; grids of one pattern may be a sweep.

        Duplicates are measured once. Pictures of the same name in two folders are named with their
        folders.
        """
        different = {workload.spec: workload for workload in workloads}.values()
        uses = Counter(workload.name for workload in different)
        named = [replace(w, name=w.spec) if uses[w.name] > 1 else w for w in different]
        once = list({str(case): case for case in cases}.values())
        across, swept = find_sweep(named)
        return cls("Measurements", "", once, swept, connectivity, across)

    def choose_connectivity(self, case: Case) -> int:
        """Return the connectivity of a case; a library has the first algorithm's."""
        if self.connectivity is not None:
            return self.connectivity
        keys = [each.key for each in (case, *self.cases) if not each.is_library]
        return choose_algorithm(next(iter(keys), None))[1]

    def check_no_workload_in(self, folder: Path) -> None:
        """Refuse a folder where a plot could replace a measured picture.

        Raises
        ------
        InputError
            If a workload is a file in it.
        """
        files = [Path(w.spec) for w in self.workloads if not is_pattern(w.spec)]
        if any(file.resolve().parent == folder.resolve() for file in files):
            raise InputError(
                f"{shorten(folder)} holds pictures that are measured, which a plot could replace: "
                "name another folder for the results."
            )


@dataclass(frozen=True)
class BenchReport:
    """The results of a benchmark.

    Parameters
    ----------
    benchmark : Benchmark
        The benchmark.
    environment : mapping
        Machine, driver, versions and date.
    measurements : tuple of Measurement
        The measurements in order.
    bandwidth : float
        Bytes a second of a copy on the GPU, in the same run; NaN without one.
    complete : bool
        Whether it finished.
    error : CCLViewerError or None
        What ended it early: a fault, or a cancellation.
    omitted : mapping
        The reasons for what was left out: grids that cannot be read, algorithms and libraries that
        cannot label a grid or are unavailable.
    """

    benchmark: Benchmark
    environment: Mapping[str, str]
    measurements: tuple[Measurement, ...]
    bandwidth: float = float("nan")
    complete: bool = True
    error: CCLViewerError | None = None
    omitted: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def from_json(cls, benchmark: Benchmark, values: Mapping[str, Any]) -> BenchReport:
        """Return the report from the data of :meth:`as_json`.

        Raises
        ------
        ValueError, KeyError, TypeError
            If the data are something else.
        """
        measurements = tuple(map(Measurement.from_json, values["measurements"]))
        bandwidth = values["copy_bytes_per_second"] or math.nan
        where, complete = dict(values["environment"]), values["complete"]
        error = None if complete else InputError(values["stopped"])
        omitted = dict(values["omitted"])
        return cls(benchmark, where, measurements, bandwidth, complete, error, omitted)

    @property
    def environment_text(self) -> str:
        """Place and date of the measurement, in a line."""
        environment = self.environment
        names = ("device", "driver", "date", "ccl-viewer")
        parts = [
            f"{'' if n in {'device', 'date'} else n + ' '}{environment[n]}"
            for n in names
            if n in environment
        ]
        return ", ".join(parts if self.complete else [*parts, "not complete"])

    @property
    def unread(self) -> list[str]:
        """Names of the grids that could not be read."""
        return [w.name for w in self.benchmark.workloads if w.name in self.omitted]

    @property
    def unmeasured(self) -> list[str]:
        """Names of the grids and cases without any measurement, the grids first."""
        cases = {m.case for m in self.measurements}
        grids = {m.workload for m in self.measurements}
        names = [w.name for w in self.benchmark.workloads] if self.complete else self.unread
        return [
            *(name for name in names if name not in grids),
            *(name for name in self.omitted if name not in {*cases, *names}),
        ]

    @property
    def omissions(self) -> list[str]:
        """What was left out, in sentences, grouped by reason."""
        names: dict[str, list[str]] = {}
        for name, reason in self.omitted.items():
            names.setdefault(reason, []).append(name)
        sentences = [
            f"Not measured: {shorten(', '.join(each))}. {reason}" for reason, each in names.items()
        ]
        grids = [name for name in self.unmeasured if name not in self.omitted]
        return (
            [*sentences, f"Nothing was measured on {shorten(', '.join(grids))}."]
            if grids
            else sentences
        )

    def as_json(self) -> dict[str, Any]:
        """Return everything in JSON values."""
        return {
            "title": self.benchmark.title,
            "source": self.benchmark.source,
            "complete": self.complete,
            "stopped": "" if self.error is None else str(self.error),
            "omitted": dict(self.omitted),
            "environment": dict(self.environment),
            "copy_bytes_per_second": None if math.isnan(self.bandwidth) else self.bandwidth,
            "measurements": [_replace_nan(asdict(m)) for m in self.measurements],
        }


def _replace_nan(value: Any) -> Any:
    """Return a value for JSON, without NaN."""
    match value:
        case float() if math.isnan(value):
            return None
        case dict():
            return {name: _replace_nan(each) for name, each in value.items()}
        case _:
            return value
