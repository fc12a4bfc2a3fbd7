"""Runs trusted user kernels in this process: a child takes longer to start than they to run."""

from __future__ import annotations

import pytest

from ccl_viewer.algorithms.copies import source_path
from ccl_viewer.devices.emulator.device import EmulatorDevice
from ccl_viewer.devices.emulator.memcheck import Finding
from ccl_viewer.devices.emulator.schedules import Schedule
from ccl_viewer.execution.device import Progress
from ccl_viewer.recording import Recorder
from ccl_viewer.support.cancellation import CancelToken
from ccl_viewer.user_kernels import process
from ccl_viewer.user_kernels.process import RecordJob


def run_in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let copies of kernels run here, without limits of time and memory."""
    monkeypatch.setattr(process, "SandboxRecorder", _recorder)


def _recorder(
    job: RecordJob, cancel: CancelToken | None = None, progress: Progress | None = None
) -> Recorder:
    findings: list[Finding] = []
    device = EmulatorDevice(
        Schedule.parse(job.schedule),
        source_path,
        on_finding=findings.append if job.memcheck else None,
        device_races=job.memcheck,
        ledger=job.ledger,
    )
    recorder = Recorder(
        job.image,
        job.row,
        device,
        job.connectivity,
        job.parameters,
        multivalued=job.multivalued,
        consecutive=job.consecutive,
        cancel=cancel,
        progress=progress,
    )
    recorder.findings = findings
    return recorder
