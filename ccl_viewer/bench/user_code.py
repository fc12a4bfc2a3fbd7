"""Measures user code, by the usual meter in a child process."""

from __future__ import annotations

import json
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from functools import cache
from typing import Any, Final, Self

import numpy as np

from ccl_viewer.algorithms import find_algorithm
from ccl_viewer.algorithms.base import is_sandboxed
from ccl_viewer.algorithms.copies import source_path
from ccl_viewer.bench.measuring import Case, Measurement, Meter, Workload
from ccl_viewer.devices.cuda.device import CudaDevice
from ccl_viewer.devices.emulator.device import EmulatorDevice
from ccl_viewer.execution.device import Progress
from ccl_viewer.storage.temporaries import scratch_folder
from ccl_viewer.support.cancellation import CancelToken
from ccl_viewer.user_kernels.process import IMAGE, ChildProcess, Limits, write_report
from ccl_viewer.user_kernels.recorder import own_code_fields
from ccl_viewer.user_kernels.worker import ChildJob, WatchedDevice, serve

MEASURED: Final = "measured.json"
_NO_PIXELS: Final = np.zeros((0, 0), np.uint8)


class UserCodeProcesses:
    """The child processes of a benchmark: one for each case of user code, through all rounds.

    Parameters
    ----------
    limits : Limits
        What user code may take in a round on a workload.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._children: dict[str, ChildProcess] = {}
        self._open = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def make_meter(self, case: Case, *given: Any) -> Meter:
        """Return a meter for a case, as :class:`Meter` takes it: in a child, if it is user code."""
        if not is_sandboxed(case.key):
            return Meter(case, *given)
        child = self._children.get(str(case))
        if child is None:
            title = find_algorithm(case.key).title
            child = ChildProcess("ccl_viewer.bench.user_code", title, self._limits)
            self._children[str(case)] = self._open.enter_context(child)
        return _DistantMeter(case, *given, child=child, limits=self._limits)


@dataclass
class _DistantMeter(Meter):
    """Measures in a child process, which keeps the meter of a case and workload."""

    child: ChildProcess = field(kw_only=True)
    limits: Limits = field(kw_only=True)

    def measure_round(
        self, cancel: CancelToken | None = None, progress: Progress | None = None
    ) -> Measurement:
        """Measure one more round, and return the results so far.

        Raises
        ------
        CCLViewerError
            As for :meth:`ccl_viewer.user_kernels.recorder.SandboxRecorder.run`.
        """
        job = {
            "own": own_code_fields(self.case.key),
            "case": asdict(self.case),
            "workload": asdict(self.workload),
            "connectivity": self.connectivity,
            "gpu": self.device is not None,
            "repeats": self.repeats,
            "schedule": self.schedule,
            "by_iteration": self.by_iteration,
            "seconds": self.limits.seconds,
            "memory": self.limits.memory,
            "diagnose": False,
        }
        with scratch_folder() as folder:
            np.save(folder / IMAGE, self.pixels, allow_pickle=False)
            self.child.run_job(folder, job, cancel, progress)
            self.found = Measurement.from_json(json.loads((folder / MEASURED).read_text("utf-8")))
        return self.found


_meters: Final[dict[str, Meter]] = {}
"""The meters of this process, a child, by workload."""


def work(child: ChildJob) -> None:
    """Measure a round; write the results so far, and a report.

    Parameters
    ----------
    child : ChildJob
        The job.
    """
    job, folder = child.job, child.folder
    error: Exception | None = None
    watched: WatchedDevice | None = None
    try:
        child.load()
        device = _open_gpu() if job["gpu"] else None
        meter = _find_meter(child, device)
        if device is None:
            emulator = EmulatorDevice(meter.emulator_schedule, source_path, ledger=True)
            watched = meter.emulator = WatchedDevice(emulator, child, job)
        else:
            child.say("run")  # no other message until it has measured: all this time counts
        measurement = meter.measure_round(child.token)
        meter.pixels = _NO_PIXELS
        (folder / MEASURED).write_text(json.dumps(asdict(measurement)), "utf-8")
    except Exception as caught:  # noqa: BLE001  (the report says it)
        error = child.explain_error(caught, watched.last if watched is not None else "")
    write_report(folder, error)


def _find_meter(child: ChildJob, device: CudaDevice | None) -> Meter:
    job, pixels = child.job, np.load(child.folder / IMAGE, allow_pickle=False)
    workload = Workload(**job["workload"])
    meter = _meters.get(workload.spec)
    if meter is None:
        meter = Meter(
            Case(**job["case"]), workload, pixels, job["connectivity"], device,
            job["repeats"], job["schedule"], job["by_iteration"],
        )  # fmt: skip
        _meters[workload.spec] = meter
    meter.pixels = pixels
    return meter


@cache
def _open_gpu() -> CudaDevice:
    return CudaDevice(find_source=source_path, own_process=True)


if __name__ == "__main__":
    serve(work)
