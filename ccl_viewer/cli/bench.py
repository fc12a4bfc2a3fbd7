"""``ccl-viewer bench``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from ccl_viewer.algorithms import ALGORITHMS
from ccl_viewer.bench.measuring import Case, Measurement, read_workloads
from ccl_viewer.bench.presets import PRESETS, find_preset
from ccl_viewer.bench.report import Benchmark, BenchReport
from ccl_viewer.bench.result_files import write_results
from ccl_viewer.bench.running import run_benchmark
from ccl_viewer.cli.reporting import print_lines
from ccl_viewer.cli.runs import check_results_folder
from ccl_viewer.cli.terminal import ProgressLine, run_cancellable
from ccl_viewer.devices.cuda.device import CudaDevice
from ccl_viewer.devices.registry import open_device
from ccl_viewer.errors import InputError, shorten
from ccl_viewer.grids.pattern_table import PATTERNS
from ccl_viewer.support.cancellation import CancelToken
from ccl_viewer.support.units import counted
from ccl_viewer.user_kernels.process import Limits

_COLUMNS = {
    "milliseconds": "ms",
    "wall": "wall ms",
    "iterations": "iterations",
    "launches": "launches",
    "bytes": "bytes moved",
    "atomics": "atomics",
}


def bench(arguments: argparse.Namespace) -> int:
    """Measure, print the results, and write them into a folder.

    Raises
    ------
    InputError
        If the arguments cannot be used.
    CCLViewerError
        If it was stopped, or a grid could not be read; the results so far are printed and written
        before.
    """
    if arguments.list:
        for key, preset in PRESETS.items():
            print_lines(f"{key:20}{preset.title}", f"{'':20}{preset.source}")
        return 0
    benchmark = _make_benchmark(arguments)
    if arguments.output is not None:
        benchmark.check_no_workload_in(arguments.output)
        check_results_folder(arguments.output, force=arguments.force)
    device = open_device(arguments.device, cells=1)
    gpu = device if isinstance(device, CudaDevice) else None

    hinted = gpu is None and not arguments.algorithm and not arguments.reduced
    if hinted and not arguments.quiet:
        print(
            "At full size, the emulator takes minutes to hours: --reduced uses small grids, and "
            "Ctrl+C keeps the results so far.",
            file=sys.stderr,
        )

    def work(cancel: CancelToken, line: ProgressLine) -> BenchReport:
        shown = 0

        def show(so_far: BenchReport) -> None:
            """Print new results; of a GPU only the first round, which later rounds refine."""
            nonlocal shown
            if len(so_far.measurements) > shown:
                line.clear()
                print_lines(measurement_line(so_far.measurements[-1]))
                shown = len(so_far.measurements)

        return run_benchmark(
            benchmark,
            gpu,
            repeats=arguments.repeats,
            limits=Limits(arguments.seconds),
            cancel=cancel,
            progress=line,
            on_report=show,
        )

    report = run_cancellable(work, quiet=arguments.quiet)
    print_lines(*report.omissions)
    described = (f"{name} {value}" for name, value in report.environment.items())
    print_lines("", ", ".join(described))
    if arguments.output is not None:
        written = write_results(report, arguments.output)
        print_lines(f"Wrote {len(written)} files to {arguments.output}")
    if report.error is not None:
        raise report.error
    if report.unread:
        raise InputError(
            f"{counted(len(report.unread), 'grid')} of {len(benchmark.workloads):,} could not be "
            f"read: {shorten(', '.join(report.unread))}. All others were measured."
        )
    return 0


def _make_benchmark(arguments: argparse.Namespace) -> Benchmark:
    cases = [Case.parse(text) for text in arguments.algorithm or ()]
    names: list[str] = arguments.what
    if not cases:
        if len(names) != 1:
            raise InputError(
                "Name one preset (ccl-viewer bench --list), or algorithms with -a and grids."
            )
        if arguments.connectivity is not None:
            raise InputError("A preset has its paper's connectivity: leave out -c.")
        if names[0] in ALGORITHMS:
            raise InputError(
                f"{names[0]} is an algorithm: write -a {names[0]}, and grids after it."
            )
        return find_preset(names[0], reduced=arguments.reduced)
    if not names:
        raise InputError("Name the grids to measure on: pictures, a folder, or pattern:NAME.")
    if arguments.reduced:
        raise InputError("Only presets can be reduced: give smaller grids instead.")
    for name in names:
        if name in PRESETS and not Path(name).exists():
            raise InputError(f"The preset {name} has fixed algorithms: leave out -a.")
        if name in PATTERNS and not Path(name).exists():
            raise InputError(f"There is no file {name}: write the pattern as pattern:{name}.")
    workloads = [workload for name in names for workload in read_workloads(name)]
    return Benchmark.custom(cases, workloads, arguments.connectivity)


def measurement_line(m: Measurement) -> str:
    """Return the line of a measurement for the terminal: zeros only of atomics, if counted."""
    figures = [
        f"{_number(m.figures[name])} {title}"
        for name, title in _COLUMNS.items()
        if m.figures.get(name) or (name == "atomics" and name in m.figures)
    ]
    figures.append(f"{m.connectivity}-connected")
    wrong = "" if m.correct is not False else "  WRONG LABELS"
    return f"{m.workload:24} {m.case:34} {', '.join(figures)}{wrong}"


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000 or value == int(value) else f"{value:.4g}"
