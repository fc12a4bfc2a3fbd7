"""Runs benchmarks, keeps their results in files, and draws their plots."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field, replace
from itertools import chain
from pathlib import Path
from statistics import fmean
from typing import Any, Final

from ccl_viewer.algorithms import choose_algorithm
from ccl_viewer.algorithms.base import is_sandboxed
from ccl_viewer.bench.charts import Bar, Curve, draw_bar_chart, draw_line_chart, needs_log_axis
from ccl_viewer.bench.claims import TIME, Claim, ClaimJudgement, ClaimVerdict, Results
from ccl_viewer.bench.measuring import (
    MAX_BYTES,
    REPEATS,
    RESULTS,
    ROUNDS,
    Case,
    Measurement,
    Meter,
    Workload,
    describe_environment,
    find_sweep,
)
from ccl_viewer.bench.tables import TableMaker
from ccl_viewer.bench.user_code import UserCodeProcesses
from ccl_viewer.devices.cuda.device import CudaDevice
from ccl_viewer.errors import CancelledError, CCLViewerError, InputError, OutlierError, shorten
from ccl_viewer.execution.device import Progress
from ccl_viewer.export.tables import write_csv_rows
from ccl_viewer.grids.specs import is_pattern
from ccl_viewer.render.display_list import DisplayList
from ccl_viewer.render.painters.pillow import pillow_image
from ccl_viewer.render.painters.svg import svg_of
from ccl_viewer.storage.files import read_text_file, replacing
from ccl_viewer.support.cancellation import CancelToken
from ccl_viewer.user_kernels.process import Limits

BYTES_A_CELL: Final = 5
"""A labelling reads one byte a cell and writes four."""

MOST_BARS: Final = 40
"""With more grids, a plot has the means of each folder."""

_SUFFIXES: Final = (".svg", ".png")  # of plots
_REDUCED: Final = {
    ClaimVerdict.REPRODUCED: "As published, on small grids.",
    ClaimVerdict.SHAPE: "As published in shape, on small grids.",
    ClaimVerdict.CONTRADICTED: "Not as published, on small grids.",
}
_MOST_KEPT: Final = 1 << 30
"""Bytes of grids kept for later rounds."""

_OUTLIER: Final = 1.05  # ratio of a case's time to that of a case that does more
_LIMIT: Final = "limit: 5 bytes a cell"

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
    claims : sequence of Claim
        Judged by the results.
    across : str
        Quantity of the sweep; empty if the workloads have names.
    figures : sequence of str
        The figures to plot.
    by_kernel : bool
        Whether bars show kernels instead of whole runs.
    reduced : sequence
        Small workloads of a preset, for a quick run on the emulator. Its verdicts say "reduced".
    counted : sequence
        Workloads for the claims about counts, on the emulator.
    schedule : str
        Schedule of the emulator.
    by_iteration : bool
        Whether to measure iterations of kernels separately, and plot the first case by them.
    simpler : sequence of (str, str)
        Pairs of cases; the first does less work than the second, on any grid.
    steps : mapping
        A plot of each step of the methods: its title, and the kernels of each case.
    tables : sequence of callable
        Functions that make tables of the results.
    scenes : str
        A description of the workloads, including the choices that the source leaves open.
    is_reduced : bool
        Whether the workloads are the reduced ones.
    """

    title: str
    source: str
    cases: Sequence[Case]
    workloads: Sequence[Workload]
    connectivity: int | None
    claims: Sequence[Claim] = ()
    across: str = ""
    figures: Sequence[str] = ("milliseconds", "bytes", "iterations")
    by_kernel: bool = False
    reduced: Sequence[Workload] = ()
    counted: Sequence[Workload] = ()
    schedule: str = "auto"
    by_iteration: bool = False
    simpler: Sequence[tuple[str, str]] = ()
    steps: Mapping[str, Mapping[str, Sequence[str]]] = field(default_factory=dict)
    tables: Sequence[TableMaker] = ()
    scenes: str = ""
    is_reduced: bool = False

    @classmethod
    def custom(
        cls,
        cases: Sequence[Case],
        workloads: Sequence[Workload],
        connectivity: int | None = None,
    ) -> Benchmark:
        """Return a benchmark without claims; grids of one pattern may be a sweep.

        Duplicates are measured once. Pictures of the same name in two folders are named with their
        folders.
        """
        different = {workload.spec: workload for workload in workloads}.values()
        uses = Counter(workload.name for workload in different)
        named = [replace(w, name=w.spec) if uses[w.name] > 1 else w for w in different]
        once = list({str(case): case for case in cases}.values())
        across, swept = find_sweep(named)
        return cls("Measurements", "", once, swept, connectivity, across=across)

    def connectivity_of(self, case: Case) -> int:
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
    def read(cls, benchmark: Benchmark, path: Path) -> BenchReport:
        """Read ``results.json`` of a benchmark, as written by :meth:`write`.

        Raises
        ------
        InputError
            If the file cannot be read, or is something else.
        """
        try:
            values = json.loads(read_text_file(path, MAX_BYTES))
            return cls.from_json(benchmark, values)
        except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
            raise InputError(
                f"{path} contains no benchmark results: write them with ccl-viewer bench -o."
            ) from error

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
        omitted = dict(values.get("omitted", {}))
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

    def judgements(
        self, others: Mapping[str, BenchReport] | None = None
    ) -> list[tuple[Claim, ClaimJudgement]]:
        """Return each claim with its judgement.

        Parameters
        ----------
        others : mapping or None
            Reports of other presets by key, for claims across presets.
        """
        if not self.complete:
            missing = ClaimJudgement(ClaimVerdict.NOT_MEASURED, "Not all is measured yet.")
            return [(claim, missing) for claim in self.benchmark.claims]
        return [(claim, self._judged(claim, others or {})) for claim in self.benchmark.claims]

    def _judged(self, claim: Claim, others: Mapping[str, BenchReport]) -> ClaimJudgement:
        more = [others[key].measurements for key in claim.also if key in others]
        judgement = claim.judge_results(Results(chain(*more, self.measurements)))
        if not self.benchmark.is_reduced or judgement.verdict is ClaimVerdict.NOT_MEASURED:
            return judgement
        reason = _REDUCED[judgement.verdict]
        return replace(judgement, verdict=ClaimVerdict.REDUCED, reason=reason, near=False)

    def find_outlier(self) -> OutlierError | None:
        """Return an error if a case took longer than a case that does more work."""
        results = Results(self.measurements)
        for less, more in self.benchmark.simpler:
            for name in results.workloads:
                pair = (results.measurement(less, name), results.measurement(more, name))
                if not all(m is not None and m.on_gpu for m in pair):
                    continue
                short, long = (m.figure(TIME) for m in pair if m is not None)
                if short > _OUTLIER * long:
                    return OutlierError(
                        f"{less} took {short:.4g} ms on {name}, and {more}, which does more, "
                        f"{long:.4g} ms: measure again while nothing else uses the GPU."
                    )
        return None

    @property
    def _named(self) -> Sequence[Measurement]:
        """The measurements; cases include their connectivity if it varies."""
        if len({m.connectivity for m in self.measurements}) < 2:
            return self.measurements
        return [replace(m, case=f"{m.case}, {m.connectivity}-connected") for m in self.measurements]

    def plots(self) -> Iterator[tuple[str, DisplayList]]:
        """Yield a plot for each measured figure and sweep, with its name."""
        groups = {workload.name: workload.group for workload in self.benchmark.workloads}
        counted = any(m.counted for m in self.measurements)
        for figure in self.benchmark.figures:
            if figure == TIME and counted:  # with counts, the times of libraries only mislead
                continue
            measured = [m for m in self._named if math.isfinite(m.figure(figure))]
            if not any(m.figure(figure) for m in measured):
                continue
            if figure == TIME and self.benchmark.by_iteration:
                yield "passes", self._by_iteration(measured)
            if not self.benchmark.across:
                crowded = len({m.workload for m in measured}) > MOST_BARS
                yield figure, self._bars(figure, _means(measured, figure) if crowded else measured)
                continue
            for group in dict.fromkeys(groups.get(m.workload, "") for m in measured):
                part = [m for m in measured if groups.get(m.workload, "") == group]
                yield f"{figure}-{group}" if group else figure, self._curves(figure, group, part)
                if figure == TIME:
                    for number, step in enumerate(self.benchmark.steps, 1):
                        plot = self._step(step, group, part)
                        yield f"step-{number}-{group}" if group else f"step-{number}", plot

    def _by_iteration(self, measurements: list[Measurement]) -> DisplayList:
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
            title, "pass", "milliseconds, median", curves, note=self.environment_text
        )

    def _step(self, step: str, group: str, measurements: list[Measurement]) -> DisplayList:
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
            title, self.benchmark.across, unit, curves, note=self.environment_text
        )

    def _bars(self, figure: str, measurements: list[Measurement]) -> DisplayList:
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
                limit = self._limit(m) if figure == TIME else math.nan
                quartiles = () if self.benchmark.by_kernel else _quartiles(m, figure)
                bars.append(Bar(name, value, series, _short(value), group, limit, quartiles))
        title, unit = self.benchmark.title, UNITS.get(figure, figure)
        if self.benchmark.by_kernel:
            unit = f"{unit.partition(':')[0].partition(',')[0]}, all launches of a kernel"
        if any(math.isfinite(bar.limit) for bar in bars):
            unit = f"{unit}; dashed: {_LIMIT}"
        wide = needs_log_axis(bar.value for bar in bars)
        return draw_bar_chart(title, unit, bars, logarithmic=wide, note=self.environment_text)

    def _limit(self, m: Measurement) -> float:
        """Return the milliseconds for moving the least possible bytes; NaN without a GPU."""
        return 1000 * BYTES_A_CELL * m.height * m.width / self.bandwidth

    def _curves(self, figure: str, group: str, measurements: list[Measurement]) -> DisplayList:
        curves = []
        for case in dict.fromkeys(m.case for m in measurements):
            part = sorted((m for m in measurements if m.case == case), key=lambda m: m.x)
            spans = [(m.x, *ends) for m in part if (ends := _quartiles(m, figure))]
            curves.append(Curve(case, [(m.x, m.figure(figure)) for m in part], quartiles=spans))
        if figure == TIME and math.isfinite(self.bandwidth):
            limits = {m.x: self._limit(m) for m in measurements}
            curves.append(Curve(_LIMIT, sorted(limits.items()), dashed=True))
        every = [point for curve in curves for point in curve.points]
        return draw_line_chart(
            f"{self.benchmark.title}, {group}" if group else self.benchmark.title,
            self.benchmark.across,
            UNITS.get(figure, figure),
            curves,
            logarithmic=(needs_log_axis(x for x, _ in every), needs_log_axis(y for _, y in every)),
            note=self.environment_text,
        )

    def write(self, folder: Path) -> list[Path]:
        """Write ``results.json``, ``results.csv`` and the plots as SVG and PNG into a folder.

        Plots of older results, as named in ``results.json`` there, are deleted.

        Raises
        ------
        InputError
            If a file cannot be written, or could replace a measured picture.
        """
        self.benchmark.check_no_workload_in(folder)
        try:
            return self._write(folder)
        except OSError as error:
            raise InputError(
                f"The results cannot be written to {folder} ({error.strerror}): choose another "
                "folder."
            ) from error

    def _write(self, folder: Path) -> list[Path]:
        folder.mkdir(parents=True, exist_ok=True)
        written = [folder / RESULTS, folder / "results.csv"]
        plots = dict(self.plots())
        names = [f"{name}{suffix}" for name in plots for suffix in _SUFFIXES]
        older = _plots_in(folder)
        # All files are written before any is renamed. The results, which name the plots, come first
        # here and are renamed last: a killed run never promises plots that do not exist.
        with ExitStack() as stack:
            results, table = (stack.enter_context(replacing(path)) for path in written)
            described = {**self.as_json(), "plots": names}
            results.write_text(json.dumps(described, indent=1) + "\n", "utf-8")
            with table.open("w", encoding="utf-8", newline="") as file:
                self._write_table(file)
            for name, plot in plots.items():
                path = stack.enter_context(replacing(folder / f"{name}.svg"))
                path.write_text(svg_of(plot, self.benchmark.title), "utf-8")
                path = stack.enter_context(replacing(folder / f"{name}.png"))
                pillow_image(plot).save(path, format="PNG")
        for name in older.difference(names):
            (folder / name).unlink(missing_ok=True)
        return written + [folder / name for name in names]

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
            "claims": [
                {
                    "claim": claim.text,
                    "published": claim.published,
                    "measured": judgement.measured,
                    "verdict": judgement.verdict_text,
                    "reason": judgement.reason,
                }
                for claim, judgement in self.judgements()
            ],
            "measurements": [_plain(asdict(m)) for m in self.measurements],
        }

    def _write_table(self, file: Any) -> None:
        names = list(dict.fromkeys(name for m in self.measurements for name in m.figures))
        about = ("case", "workload", "connectivity", "height", "width", "device", "correct")
        where = {f"on {name}": value for name, value in self.environment.items()}
        rows = [
            [
                *(getattr(m, name) for name in about),
                *(m.figures.get(name) for name in names),
                *where.values(),
            ]
            for m in self.measurements
        ]
        write_csv_rows(file, [[*about, *names, *where], *rows])


def run_benchmark(
    benchmark: Benchmark,
    device: CudaDevice | None,
    *,
    repeats: int = REPEATS,
    limits: Limits | None = None,
    cancel: CancelToken | None = None,
    progress: Progress | None = None,
    on_report: Callable[[BenchReport], object] | None = None,
) -> BenchReport:
    """Measure each case of a benchmark on each workload; user code in a child process.

    Parameters
    ----------
    benchmark : Benchmark
        The benchmark.
    device : CudaDevice or None
        A GPU for timing; None counts on the emulator.
    repeats : int
        Measured runs of each; one run before them is not measured.
    limits : Limits or None
        What user code may take in a round on a workload.
    cancel, progress
        As for :func:`ccl_viewer.record`.
    on_report : callable or None
        Called with the report so far, after each measurement.

    Returns
    -------
    BenchReport
        The results. What stopped the run, including a cancellation, is its ``error``.

    Raises
    ------
    InputError
        If nothing can be measured.
    CCLViewerError
        As for :func:`ccl_viewer.label`, if raised before the first measurement.
    """
    with UserCodeProcesses(limits or Limits()) as user_code:
        return _run(benchmark, device, user_code, repeats, cancel, progress, on_report)


def _run(
    benchmark: Benchmark,
    device: CudaDevice | None,
    user_code: UserCodeProcesses,
    repeats: int,
    cancel: CancelToken | None,
    progress: Progress | None,
    on_report: Callable[[BenchReport], object] | None,
) -> BenchReport:
    report = BenchReport(benchmark, describe_environment(device), (), complete=False)
    rounds = 1 if device is None else min(ROUNDS, repeats)
    meters: list[Meter] = []  # they take turns in later rounds
    cases = [*benchmark.cases]
    kept_bytes = 0
    try:
        if device is not None:
            report = replace(report, bandwidth=device.copy_bandwidth())
        for number, workload in enumerate(benchmark.workloads, 1):
            try:
                pixels = workload.open()
            except InputError as error:
                report = replace(report, omitted={**report.omitted, workload.name: str(error)})
                continue
            kept_bytes += pixels.nbytes
            grid_meters: list[Meter] = []
            for case in tuple(cases):
                _report_progress(progress, cancel, 1, rounds, f"{workload.name} ({number} of "
                      f"{len(benchmark.workloads)}): {case}")  # fmt: skip
                try:
                    meter = user_code.make_meter(
                        case, workload, pixels, benchmark.connectivity_of(case), device,
                        -(-repeats // rounds), benchmark.schedule, benchmark.by_iteration,
                    )  # fmt: skip
                    measurement = meter.measure_round(cancel, progress)
                except CCLViewerError as error:
                    if not isinstance(error, InputError):
                        if isinstance(error, CancelledError) or not is_sandboxed(case.key):
                            raise
                        cases.remove(case)  # user code: other cases run in other processes
                    report = replace(report, omitted={**report.omitted, str(case): str(error)})
                    continue
                grid_meters.append(meter)
                report = replace(report, measurements=(*report.measurements, measurement))
                if on_report is not None:
                    on_report(report)
            if kept_bytes <= _MOST_KEPT and rounds > 1:
                meters += grid_meters
                continue
            for turn in range(2, rounds + 1):  # only on this grid: memory has no room for others
                report = _next_round(report, grid_meters, turn, rounds, cancel, progress, on_report)
        for turn in range(2, rounds + 1):
            report = _next_round(report, meters, turn, rounds, cancel, progress, on_report)
        if report.find_outlier() is not None:  # once more, in case something else used the GPU
            report = _next_round(report, meters, 1, 1, cancel, progress, on_report)
    except CCLViewerError as error:
        if not report.measurements:
            raise
        return replace(report, error=error)
    if not report.measurements:
        reasons = dict.fromkeys(report.omitted.values())
        raise InputError(f"Nothing could be measured. {' '.join(reasons)}")
    outlier = report.find_outlier()
    return replace(report, complete=outlier is None, error=outlier)


def _report_progress(
    progress: Progress | None, cancel: CancelToken | None, turn: int, rounds: int, text: str
) -> None:
    if cancel is not None:
        cancel.check()
    if progress is not None:
        progress(text if rounds == 1 else f"Round {turn} of {rounds}, {text}")


def _next_round(
    report: BenchReport,
    meters: Iterable[Meter],
    turn: int,
    rounds: int,
    cancel: CancelToken | None,
    progress: Progress | None,
    on_report: Callable[[BenchReport], object] | None,
) -> BenchReport:
    """Measure everything once more, and return the updated report."""
    measurements = {(m.case, m.workload): m for m in report.measurements}
    for meter in meters:
        key = (str(meter.case), meter.workload.name)
        _report_progress(progress, cancel, turn, rounds, f"{key[1]}: {key[0]}")
        measurements[key] = meter.measure_round(cancel, progress)
        report = replace(report, measurements=tuple(measurements.values()))
        if on_report is not None:
            on_report(report)
    return report


def _plots_in(folder: Path) -> set[str]:
    """Return the names of the plots that the results in a folder list."""
    try:
        results = json.loads(read_text_file(folder / RESULTS, MAX_BYTES))
        names = {str(name) for name in results["plots"]}
    except (OSError, ValueError, LookupError, TypeError, RecursionError):
        return set()
    return {name for name in names if Path(name).name == name and name.endswith(_SUFFIXES)}


def _quartiles(m: Measurement, figure: str) -> tuple[float, float] | tuple[()]:
    """Return the quartiles of a time; other figures have none."""
    ends = (m.figure("lower"), m.figure("upper"))
    return ends if figure == TIME and math.isfinite(sum(ends)) else ()


def _means(measurements: list[Measurement], figure: str) -> list[Measurement]:
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


def _short(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:,.3g}"


def _plain(value: Any) -> Any:
    """Return a value for JSON, without NaN."""
    match value:
        case float() if math.isnan(value):
            return None
        case dict():
            return {name: _plain(each) for name, each in value.items()}
        case _:
            return value
