"""Benchmarks in the window: a table of a paper, or any algorithms and grids."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from psygnal import Signal

from ccl_viewer.bench.measuring import ROUNDS, Case, read_workloads
from ccl_viewer.bench.plots import draw_plots
from ccl_viewer.bench.presets import find_preset
from ccl_viewer.bench.report import Benchmark, BenchReport
from ccl_viewer.bench.result_files import write_results
from ccl_viewer.bench.running import run_benchmark
from ccl_viewer.devices.cuda.device import CudaDevice
from ccl_viewer.devices.registry import open_device
from ccl_viewer.diagnostics.profile import FIGURES
from ccl_viewer.errors import CancelledError, CCLViewerError, InputError
from ccl_viewer.grids.specs import is_pattern
from ccl_viewer.render.display_list import DisplayList
from ccl_viewer.storage.files import check_new_folder, is_file
from ccl_viewer.support.units import counted
from ccl_viewer.window.core.model import Model
from ccl_viewer.window.core.tasks import BackgroundTask

if TYPE_CHECKING:
    from ccl_viewer.window.core.document import Document
    from ccl_viewer.window.core.tasks import TaskQueue

_GROUP: Final = "bench"
_TIMES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "milliseconds": "Time of kernels",
        "wall": "Time with the host",
        "host": "Time of the host",
        "compile": "Compiling",
        "upload": "Upload",
        "download": "Download",
    }
)
_SIDE: Final = 128
_HELP: Final = "A GPU gives times. The emulator gives counts of accesses, and no times."


@dataclass(frozen=True)
class BenchSettings:
    """What to measure.

    Without a preset, `algorithms` are separated by spaces, each as ``KEY:NAME=VALUE``, and
    `workloads` are patterns, pictures and folders, one per line. `device` is ``"auto"``, ``"cuda"``
    or ``"emulator"``.
    """

    preset: str = ""
    reduced: bool = True
    algorithms: str = "label_equivalence ha4"
    workloads: str = ""
    connectivity: int | None = None  # None for each algorithm's default
    device: str = "auto"

    def benchmark(self) -> Benchmark:
        """Return the benchmark to measure; raises InputError if algorithms or grids are wrong."""
        if self.preset:
            return find_preset(self.preset, reduced=self.reduced)
        cases = [Case.parse(text) for text in dict.fromkeys(self.algorithms.split())]
        lines = dict.fromkeys(line.strip() for line in self.workloads.splitlines())
        workloads = [workload for line in lines if line for workload in read_workloads(line)]
        if not cases or not workloads:
            raise InputError("There is nothing to measure: add an algorithm and a grid.")
        return Benchmark.custom(cases, workloads, self.connectivity)


def _squares(pattern: str, size: int, settings: str = "") -> str:
    return f"pattern:{pattern}?{settings}width={size}&height={size}"


def _densities(size: int) -> list[str]:
    return [_squares("noise", size, f"density={n / 10}&") for n in range(1, 10)]


def _sizes(size: int) -> Iterator[int]:
    return (size >> n for n in (3, 2, 1, 0) if size >> n)


GRIDS: Final[Mapping[str, Callable[[int], list[str]]]] = MappingProxyType(
    {
        "Noise by &density": _densities,
        "Noise by &granularity": lambda size: [
            _squares("noise", size, f"granularity={g}&") for g in (1, 2, 4, 8, 16)
        ],
        "Noise by &size": lambda size: [_squares("noise", n) for n in _sizes(size)],
        "S&pirals by size": lambda size: [f"pattern:spiral?size={n}" for n in _sizes(size)],
        "&Blobs and noise": lambda size: [_squares("clusters", size, f"radius={size // 20 or 1}&")],
        "D&iscs": lambda size: [_squares("discs", size)],
    }
)
"""Grids to measure on: functions from a side in cells to the lines that name them."""


class Bench(Model):
    """Runs the chosen benchmark, one at a time."""

    settings_changed = Signal()
    running_changed = Signal()
    report_changed = Signal()  # also with partial results
    figure_changed = Signal()
    status_changed = Signal()

    def __init__(self, *, tasks: TaskQueue, document: Document) -> None:
        super().__init__()
        self._tasks = tasks
        self._document = document
        self.settings = BenchSettings(workloads="\n".join(_densities(_SIDE)))
        self._reports: dict[str, BenchReport] = {}  # by preset
        self._figure = ""
        self._status = _HELP

    @property
    def task(self) -> BackgroundTask | None:
        """The measurement in progress."""
        return self._tasks.task_of(_GROUP)

    @property
    def running(self) -> bool:
        return self.task is not None

    @property
    def report(self) -> BenchReport | None:
        """The results of the last run with the preset of the settings, so far."""
        return self._reports.get(self.settings.preset)

    @property
    def status(self) -> str:
        """What is being measured, or how it ended."""
        return self.task.detail or "Preparing" if self.task is not None else self._status

    @property
    def figures(self) -> list[str]:
        """Names of the measured figures, the benchmark's first."""
        report = self.report
        if report is None:
            return []
        names = dict.fromkeys((*report.benchmark.figures, *_TIMES, "iterations", *FIGURES))
        if math.isnan(report.bandwidth):  # with counts, the times of libraries only mislead
            names = dict.fromkeys(name for name in names if name not in _TIMES)
        return [name for name in names if any(m.figures.get(name) for m in report.measurements)]

    @property
    def figure(self) -> str:
        """The figure in the plots; empty if nothing was measured."""
        names = self.figures
        return self._figure if self._figure in names else next(iter(names), "")

    @property
    def plots(self) -> list[DisplayList]:
        """Plots of the figure, one for each sweep."""
        report = self.report
        if report is None or not self.figure:
            return []
        benchmark = replace(report.benchmark, figures=(self.figure,))
        return [plot for _, plot in draw_plots(replace(report, benchmark=benchmark))]

    def change(self, **fields: object) -> None:
        """Change settings; they take effect at the next start."""
        self._set(self.settings_changed, replace(self.settings, **fields))  # type: ignore[arg-type]

    def add_grids(self, *lines: str) -> None:
        """Add grids to the settings."""
        old = [line for line in self.settings.workloads.splitlines() if line.strip()]
        self.change(workloads="\n".join(dict.fromkeys((*old, *lines))))

    def add_document(self) -> None:
        """Add the grid on the canvas, which must be an unedited pattern or file."""
        document = self._document
        if not document.dirty and (is_pattern(document.source) or is_file(document.source)):
            self.add_grids(document.source)
        else:
            self._say("Save the grid first: benchmarks read it from its file.")

    def choose_figure(self, name: str) -> None:
        self._figure = name
        self._announce(self.figure_changed)

    def start(self) -> None:
        """Measure with the present settings; old results stay until there are new ones."""
        settings = self.settings
        newest: list[BenchReport] = []

        def work(task: BackgroundTask) -> BenchReport:
            benchmark = settings.benchmark()
            task.report("Looking for the device")
            device = open_device(settings.device, cells=1)
            rounds = ROUNDS if isinstance(device, CudaDevice) else 1
            total = rounds * len(benchmark.cases) * len(benchmark.workloads)

            def tell(text: str) -> None:
                task.report(text, len(newest) / total)

            return run_benchmark(
                benchmark, device if isinstance(device, CudaDevice) else None,
                cancel=task.token, progress=tell, on_report=newest.append,
            )  # fmt: skip

        self._tasks.start(
            "Measuring",
            work,
            lambda report: self._end(settings.preset, report),
            lambda error: self._fail(settings.preset, error, newest),
            group=_GROUP,
            progressed=lambda: self._show_report(settings.preset, newest),
        )
        self._announce(self.running_changed, self.report_changed, self.status_changed)

    def start_or_cancel(self) -> None:
        """Measure; if that is in progress, stop and keep the results so far."""
        if self.task is None:
            self.start()
            return
        self._tasks.cancel(_GROUP)
        self._announce(self.status_changed)

    def save(self, destination: Path) -> None:
        """Write the command's output (JSON, CSV, and plots as SVG and PNG) into a new folder."""
        report = self.report
        if report is None:
            return
        date = re.sub(r"[^0-9]+", "-", report.environment["date"]).strip("-")
        folder = destination / f"{self.settings.preset or 'benchmark'}-{date}"

        def work(_task: BackgroundTask) -> list[Path]:
            check_new_folder(folder)
            return write_results(report, folder)

        self._tasks.start(
            "Writing the results",
            work,
            lambda files: self._say(f"Wrote {counted(len(files), 'file')} to {folder}."),
            lambda error: self._say(str(error)),
        )

    def _say(self, text: str) -> None:
        self._status = text
        self._announce(self.status_changed)

    def _show_report(self, key: str, reports: list[BenchReport]) -> None:
        if reports and self._reports.get(key) is not reports[-1]:
            self._reports[key] = reports[-1]
            self._announce(self.report_changed)
        self._announce(self.status_changed)

    def _end(self, key: str, report: BenchReport) -> None:
        """Show all results, and say how the benchmark ended."""
        wrong = sum(m.correct is False for m in report.measurements)
        labels = f"; {wrong} with wrong labels" if wrong else ""
        summary = f"{counted(len(report.measurements), 'measurement')}{labels}"
        if report.error is None:
            left_out = (
                f" Not measured: {', '.join(report.unmeasured)}." if report.unmeasured else ""
            )
            self._status = f"{summary}. {report.environment_text}.{left_out}"
        elif isinstance(report.error, CancelledError):
            self._status = f"Stopped after {summary}."
        else:
            self._status = f"{report.error} Before it: {summary}."
        self._reports[key] = report
        self._announce(self.running_changed, self.report_changed, self.status_changed)

    def _fail(self, key: str, error: CCLViewerError, reports: list[BenchReport]) -> None:
        if reports:
            self._end(key, replace(reports[-1], error=error))
            return
        stopped = isinstance(error, CancelledError)
        self._status = "Stopped before a result." if stopped else str(error)
        self._announce(self.running_changed, self.status_changed)


def figure_title(name: str) -> str:
    """Return the name of a figure in the list."""
    return _TIMES.get(name, name.replace("_", " ").capitalize())
