"""Measures the cases of a benchmark on its workloads, in rounds."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Final

import numpy as np
import numpy.typing as npt

from ccl_viewer.algorithms.base import is_sandboxed
from ccl_viewer.bench.measuring import (
    REPEATS,
    ROUNDS,
    Case,
    Measurement,
    Meter,
    Workload,
    describe_environment,
)
from ccl_viewer.bench.report import Benchmark, BenchReport
from ccl_viewer.bench.user_code import UserCodeProcesses
from ccl_viewer.devices.cuda.device import CudaDevice
from ccl_viewer.errors import CancelledError, CCLViewerError, InputError
from ccl_viewer.execution.device import Progress
from ccl_viewer.support.cancellation import CancelToken
from ccl_viewer.user_kernels.process import Limits

_MOST_KEPT: Final = 1 << 30
"""Bytes of grids kept for later rounds."""


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
        return _Run(benchmark, device, user_code, repeats, cancel, progress, on_report).finish()


class _Run:
    """A run of a benchmark, and its report so far."""

    def __init__(
        self,
        benchmark: Benchmark,
        device: CudaDevice | None,
        user_code: UserCodeProcesses,
        repeats: int,
        cancel: CancelToken | None,
        progress: Progress | None,
        on_report: Callable[[BenchReport], object] | None,
    ) -> None:
        self.benchmark = benchmark
        self.device = device
        self.user_code = user_code
        self.rounds = 1 if device is None else min(ROUNDS, repeats)
        self.repeats = -(-repeats // self.rounds)  # in each round
        self.cancel = cancel
        self.progress = progress
        self.on_report = on_report
        self.report = BenchReport(benchmark, describe_environment(device), (), complete=False)
        self.cases = [*benchmark.cases]

    def finish(self) -> BenchReport:
        """Measure everything, and return the report."""
        try:
            self.measure_all()
        except CCLViewerError as error:
            if not self.report.measurements:
                raise
            return replace(self.report, error=error)
        if not self.report.measurements:
            reasons = dict.fromkeys(self.report.omitted.values())
            raise InputError(f"Nothing could be measured. {' '.join(reasons)}")
        return replace(self.report, complete=True)

    def measure_all(self) -> None:
        """Measure the first round of all workloads, and then the others."""
        if self.device is not None:
            self.report = replace(self.report, bandwidth=self.device.copy_bandwidth())
        later: list[Meter] = []  # they take turns in later rounds
        kept_bytes = 0
        for number, workload in enumerate(self.benchmark.workloads, 1):
            try:
                pixels = workload.open()
            except InputError as error:
                self.omit(workload.name, error)
                continue
            kept_bytes += pixels.nbytes
            text = f"{workload.name} ({number} of {len(self.benchmark.workloads)})"
            meters = [*self.start_meters(workload, pixels, text)]
            if kept_bytes <= _MOST_KEPT and self.rounds > 1:
                later += meters
            else:  # all rounds now: memory has no room for this grid and the next ones
                self.measure_later_rounds(meters)
        self.measure_later_rounds(later)

    def start_meters(
        self, workload: Workload, pixels: npt.NDArray[np.uint8], text: str
    ) -> Iterable[Meter]:
        """Measure the first round of each case on a workload; yield the meters that can go on."""
        for case in tuple(self.cases):
            self.tell(f"{text}: {case}", 1, self.rounds)
            try:
                meter = self.user_code.make_meter(
                    case, workload, pixels, self.benchmark.choose_connectivity(case), self.device,
                    self.repeats, self.benchmark.schedule, self.benchmark.by_iteration,
                )  # fmt: skip
                measurement = meter.measure_round(self.cancel, self.progress)
            except CCLViewerError as error:
                self.drop_case(case, error)
                continue
            self.take(*self.report.measurements, measurement)
            yield meter

    def drop_case(self, case: Case, error: CCLViewerError) -> None:
        """Omit a case; raise an error that ends the run."""
        if not isinstance(error, InputError):
            if isinstance(error, CancelledError) or not is_sandboxed(case.key):
                raise error
            self.cases.remove(case)  # user code: other cases run in other processes
        self.omit(str(case), error)

    def omit(self, name: str, error: CCLViewerError) -> None:
        """Report a workload or a case that is not measured."""
        omitted = {**self.report.omitted, name: str(error)}
        self.report = replace(self.report, omitted=omitted)

    def measure_later_rounds(self, meters: Iterable[Meter]) -> None:
        """Measure all rounds after the first."""
        for turn in range(2, self.rounds + 1):
            self.measure_round(meters, turn, of=self.rounds)

    def measure_round(self, meters: Iterable[Meter], turn: int, *, of: int) -> None:
        """Measure once more, and update the measurements."""
        measurements = {(m.case, m.workload): m for m in self.report.measurements}
        for meter in meters:
            key = (str(meter.case), meter.workload.name)
            self.tell(f"{key[1]}: {key[0]}", turn, of)
            measurements[key] = meter.measure_round(self.cancel, self.progress)
            self.take(*measurements.values())

    def take(self, *measurements: Measurement) -> None:
        """Report the measurements so far."""
        self.report = replace(self.report, measurements=measurements)
        if self.on_report is not None:
            self.on_report(self.report)

    def tell(self, text: str, turn: int, rounds: int) -> None:
        """Report progress; stop if the run was cancelled."""
        if self.cancel is not None:
            self.cancel.check()
        if self.progress is not None:
            self.progress(text if rounds == 1 else f"Round {turn} of {rounds}, {text}")
