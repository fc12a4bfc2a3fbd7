"""Draws the plots of benchmark results."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Final

from ccl_viewer.bench.charts import Bar, Curve, draw_bar_chart, draw_line_chart, needs_log_axis
from ccl_viewer.bench.measuring import TIME, Measurement
from ccl_viewer.bench.report import Benchmark, BenchReport
from ccl_viewer.render.display_list import DisplayList

BYTES_PER_CELL: Final = 5
"""A labelling reads one byte per cell and writes four."""

MAX_BARS: Final = 40
"""With more grids, a plot has the means of each folder."""

_LIMIT: Final = "limit: 5 bytes per cell"

UNITS: Final[Mapping[str, str]] = {
    "milliseconds": "milliseconds, median and quartiles: all kernels of a run, or a library's call",
    "bytes": "bytes of device memory moved, the emulator's count",
    "loads": "loads of threads, the emulator's count",
    "stores": "stores of threads, the emulator's count",
    "load_requests": "load requests of warps, the emulator's count",
    "atomics": "atomic operations of threads, the emulator's count",
    "contention": "most simultaneous atomics on one address, the emulator's count",
    "iterations": "iterations",
}


def draw_plots(report: BenchReport) -> Iterator[tuple[str, DisplayList]]:
    """Yield a plot for each measured figure and sweep, with its name."""
    counted = any(m.counted for m in report.measurements)
    named = _name_connectivities(report.measurements)
    plotter = _Plotter(report)
    for figure in report.benchmark.figures:
        if figure == TIME and counted:  # with counts, the times of libraries only mislead
            continue
        measured = [m for m in named if math.isfinite(m.figure(figure))]
        if any(m.figure(figure) for m in measured):
            yield from plotter.draw_figure(figure, measured)


def _name_connectivities(measurements: Sequence[Measurement]) -> Sequence[Measurement]:
    """Return the measurements; their cases include the connectivity if it varies."""
    if len({m.connectivity for m in measurements}) < 2:
        return measurements
    return [replace(m, case=f"{m.case}, {m.connectivity}-connected") for m in measurements]


@dataclass(frozen=True)
class _Plotter:
    report: BenchReport

    @property
    def benchmark(self) -> Benchmark:
        return self.report.benchmark

    def draw_figure(
        self, figure: str, measurements: list[Measurement]
    ) -> Iterator[tuple[str, DisplayList]]:
        """Yield the plots of one figure, with their names."""
        if figure == TIME and self.benchmark.by_iteration:
            yield "passes", self.draw_iterations(measurements)
        if self.benchmark.across:
            yield from self.draw_sweep(figure, measurements)
            return
        crowded = len({m.workload for m in measurements}) > MAX_BARS
        shown = _average_folders(measurements, figure) if crowded else measurements
        yield figure, self.draw_bars(figure, shown)

    def draw_sweep(
        self, figure: str, measurements: list[Measurement]
    ) -> Iterator[tuple[str, DisplayList]]:
        """Yield the plots of each group of a sweep, with their names."""
        groups = {workload.name: workload.group for workload in self.benchmark.workloads}
        for group in dict.fromkeys(groups.get(m.workload, "") for m in measurements):
            part = [m for m in measurements if groups.get(m.workload, "") == group]
            yield f"{figure}-{group}" if group else figure, self.draw_curves(figure, group, part)
            if figure == TIME:
                for number, step in enumerate(self.benchmark.steps, 1):
                    plot = self.draw_step(step, group, part)
                    yield f"step-{number}-{group}" if group else f"step-{number}", plot

    def draw_iterations(self, measurements: list[Measurement]) -> DisplayList:
        """Return the times of the first case by iteration."""
        case = str(self.benchmark.cases[0])
        curves = []
        for m in (m for m in measurements if m.case == case):
            points = [
                (float(name.rpartition(",")[2]), part[TIME])
                for name, part in m.kernels.items()
                if "," in name
            ]
            curves.append(Curve(m.workload, points))
        title = f"{self.benchmark.title}, {case}"
        return draw_line_chart(
            title, "pass", "milliseconds, median", curves, note=self.report.environment_text
        )

    def draw_step(self, step: str, group: str, measurements: list[Measurement]) -> DisplayList:
        """Return the times of one step of each method."""
        curves = []
        for case, kernels in self.benchmark.steps[step].items():
            part = sorted((m for m in measurements if m.case == case), key=lambda m: m.x)
            points = [
                (m.x, sum(m.kernels[name][TIME] for name in kernels))
                for m in part
                if all(name in m.kernels for name in kernels)
            ]
            curves.append(Curve(case, points))
        title = f"{step}, {group}" if group else step
        unit = "milliseconds, median"
        return draw_line_chart(
            title, self.benchmark.across, unit, curves, note=self.report.environment_text
        )

    def draw_bars(self, figure: str, measurements: list[Measurement]) -> DisplayList:
        titles = {w.name: w.title for w in self.benchmark.workloads}
        workloads, cases = (
            {getattr(m, name) for m in measurements} for name in ("workload", "case")
        )
        bars = []
        for m in measurements:
            grid, parts = titles.get(m.workload, m.workload), {m.case: m.figure(figure)}
            if self.benchmark.by_kernel:
                parts = {name: each.get(figure, 0.0) for name, each in m.kernels.items()} or parts
            elif len(cases) == 1:
                parts = {grid: m.figure(figure)}
            group = grid if len(workloads) > 1 and grid not in parts else ""
            for name, value in parts.items():
                series = name if self.benchmark.by_kernel else m.key
                limit = self._compute_limit(m) if figure == TIME else math.nan
                quartiles = () if self.benchmark.by_kernel else _find_quartiles(m, figure)
                bars.append(Bar(name, value, series, _format_value(value), group, limit, quartiles))
        title, unit = self.benchmark.title, UNITS.get(figure, figure)
        if self.benchmark.by_kernel:
            unit = f"{unit.partition(':')[0].partition(',')[0]}, all launches of a kernel"
        if any(math.isfinite(bar.limit) for bar in bars):
            unit = f"{unit}; dashed: {_LIMIT}"
        wide = needs_log_axis(bar.value for bar in bars)
        return draw_bar_chart(
            title, unit, bars, logarithmic=wide, note=self.report.environment_text
        )

    def _compute_limit(self, m: Measurement) -> float:
        """Return the milliseconds for moving the least possible bytes; NaN without a GPU."""
        return 1000 * BYTES_PER_CELL * m.height * m.width / self.report.bandwidth

    def draw_curves(self, figure: str, group: str, measurements: list[Measurement]) -> DisplayList:
        curves = []
        for case in dict.fromkeys(m.case for m in measurements):
            part = sorted((m for m in measurements if m.case == case), key=lambda m: m.x)
            spans = [(m.x, *ends) for m in part if (ends := _find_quartiles(m, figure))]
            curves.append(Curve(case, [(m.x, m.figure(figure)) for m in part], quartiles=spans))
        if figure == TIME and math.isfinite(self.report.bandwidth):
            limits = {m.x: self._compute_limit(m) for m in measurements}
            curves.append(Curve(_LIMIT, sorted(limits.items()), dashed=True))
        every = [point for curve in curves for point in curve.points]
        return draw_line_chart(
            f"{self.benchmark.title}, {group}" if group else self.benchmark.title,
            self.benchmark.across,
            UNITS.get(figure, figure),
            curves,
            logarithmic=(needs_log_axis(x for x, _ in every), needs_log_axis(y for _, y in every)),
            note=self.report.environment_text,
        )


def _find_quartiles(m: Measurement, figure: str) -> tuple[float, float] | tuple[()]:
    """Return the quartiles of a time; other figures have none."""
    ends = (m.figure("lower"), m.figure("upper"))
    return ends if figure == TIME and math.isfinite(sum(ends)) else ()


def _average_folders(measurements: list[Measurement], figure: str) -> list[Measurement]:
    """Return a measurement for each case and folder: the mean over the folder's pictures."""
    parts: dict[tuple[str, str], list[Measurement]] = {}
    for m in measurements:
        parts.setdefault((m.workload.rpartition("/")[0], m.case), []).append(m)
    return [
        replace(
            part[0],
            workload=f"{folder or 'grids'}: mean of {len(part)}",
            height=1,
            width=round(fmean(m.height * m.width for m in part)),
            figures={figure: fmean(m.figure(figure) for m in part)},
            kernels={},
        )
        for (folder, _), part in parts.items()
    ]


def _format_value(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:,.3g}"
