"""Recorders of user code: a run in a child process, read back as a recording."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

from ccl_viewer.algorithms import Algorithm
from ccl_viewer.algorithms.base import is_sandboxed
from ccl_viewer.algorithms.own import OWN, NotAllowedError, OwnFolder, find_allowed
from ccl_viewer.algorithms.table import check_multivalued
from ccl_viewer.devices.emulator.device import EmulatorDevice
from ccl_viewer.devices.registry import open_device
from ccl_viewer.devices.source import SourceFinder
from ccl_viewer.errors import (
    CancelledError,
    CCLViewerError,
    Diagnostic,
    InputError,
    KernelFaultError,
    RecordingFileError,
    shorten,
)
from ccl_viewer.execution.device import Device, Progress
from ccl_viewer.execution.finding import Finding, FindingSink
from ccl_viewer.execution.plan import ParameterValue
from ccl_viewer.execution.schedule import choose_schedule
from ccl_viewer.grids.grid import Grid
from ccl_viewer.recording.archive import open_recording
from ccl_viewer.recording.data import RecordingData, RunDescription, RunFault
from ccl_viewer.recording.recorder import OnStep, Recorder
from ccl_viewer.recording.recording import Recording
from ccl_viewer.recording.timing import measure_steps
from ccl_viewer.storage.files import is_file
from ccl_viewer.storage.resources import kernel_path
from ccl_viewer.storage.temporaries import scratch_folder
from ccl_viewer.support.cancellation import CancelToken
from ccl_viewer.user_kernels.process import (
    IMAGE,
    JOB,
    RUN,
    WORKER,
    ChildProcess,
    Limits,
    read_report,
    read_reported_diagnostics,
    read_reported_error,
    read_reported_findings,
)


@dataclass(frozen=True, eq=False, kw_only=True)
class RecordJob:
    """A run to record.

    Parameters
    ----------
    image : ndarray of uint8, shape (height, width)
        The grid.
    algorithm : Algorithm
        What to run, as :func:`ccl_viewer.algorithms.find_algorithm` returns it.
    connectivity, parameters, multivalued, consecutive
        As for :class:`~ccl_viewer.recording.Recorder`.
    device, schedule : str
        As for :func:`ccl_viewer.devices.registry.open_device`. A built-in algorithm with
        `memcheck`, `find_source` or `cores` runs on the emulator, whatever the device.
    ledger : bool
        Whether to count memory accesses.
    memcheck : bool
        Whether to run under the emulator's memory check, on the emulator.
    diagnose : bool
        Whether to collect the compiler's warnings about user code, which takes half a second.
    limits : Limits
        Limits of user code.
    find_source : callable or None
        Finds the kernels of a built-in algorithm; None for the usual ones.
    cores : int or None
        As for :class:`~ccl_viewer.devices.emulator.device.EmulatorDevice`.
    """

    image: Grid
    algorithm: Algorithm
    connectivity: int | None
    parameters: Mapping[str, ParameterValue] = field(default_factory=dict)
    device: str = "auto"
    schedule: str = "auto"
    multivalued: bool = False
    consecutive: bool = False
    ledger: bool = False
    memcheck: bool = False
    diagnose: bool = True
    limits: Limits = field(default_factory=Limits)
    find_source: SourceFinder | None = None
    cores: int | None = None


class SandboxRecorder:
    """Records a run of user code, with the interface of :class:`~ccl_viewer.recording.Recorder`.

    Parameters
    ----------
    job : RecordJob
        The run.
    cancel, progress
        As for :class:`~ccl_viewer.recording.Recorder`.
    child : ChildProcess or None
        The process of :data:`WORKER` that runs it; None starts one for this run alone.

    Attributes
    ----------
    diagnostics : tuple of Diagnostic
        The compiler's messages about the code; known after :meth:`run`.
    findings : tuple of Finding
        Findings of the memory check; known after :meth:`run`.

    Raises
    ------
    InputError
        If the algorithm does not support the connectivity, a parameter or multi-valued input.
    """

    def __init__(
        self,
        job: RecordJob,
        cancel: CancelToken | None = None,
        progress: Progress | None = None,
        child: ChildProcess | None = None,
    ) -> None:
        check_multivalued(job.algorithm, job.multivalued)
        self._algorithm, self._limits, self._child = job.algorithm, job.limits, child
        self._cancel, self._progress = cancel, progress
        self._image = np.array(job.image, dtype=np.uint8, order="C")
        self._job: dict[str, Any] = {
            "algorithm": job.algorithm.key,
            "connectivity": job.algorithm.resolve_connectivity(job.connectivity),
            "parameters": job.algorithm.complete(job.parameters),
            "multivalued": job.multivalued,
            "consecutive": job.consecutive,
            "device": job.device,
            "schedule": job.schedule,
            "ledger": job.ledger,
            "memcheck": job.memcheck,
            "diagnose": job.diagnose,
            "cores": job.cores,
            "memory": job.limits.memory,
            "seconds": job.limits.seconds,
        }
        self._recording = self._make_empty_recording()
        self.diagnostics: tuple[Diagnostic, ...] = ()
        self.findings: tuple[Finding, ...] = ()

    @property
    def recording(self) -> Recording:
        """The recording; it has no steps until :meth:`run` has ended, even with an error."""
        return self._recording

    def run(self) -> Recording:
        """Run the code until it ends or reaches a limit; call this once.

        Returns
        -------
        Recording
            :attr:`recording`. Its verdict says whether the labels are right.

        Raises
        ------
        KernelBuildError
            If it does not compile; with all messages of the compiler.
        KernelFaultError
            If it misbehaves, crashes, or exceeds a limit. The steps so far stay in
            :attr:`recording`, except on large grids after a crash or a kill.
        CancelledError
            If the run was cancelled.
        CCLViewerError
            Any other error of the device.
        """
        if self._child is not None:
            return self._run(self._child)
        with ChildProcess(WORKER, self._algorithm.title, self._limits) as child:
            return self._run(child)

    def _run(self, child: ChildProcess) -> Recording:
        with scratch_folder() as folder:
            np.save(folder / IMAGE, self._image, allow_pickle=False)
            job = {**self._job, "own": own_code_fields(self._algorithm.key)}
            (folder / JOB).write_text(json.dumps(job), "utf-8")
            failure = child.attempt_job(folder, self._cancel, self._progress)
            report = read_report(folder)
            with suppress(RecordingFileError):  # a killed child may have left half a recording
                if (folder / RUN).is_file():
                    self._recording = open_recording(folder / RUN)
        error: CCLViewerError | None = failure or child.crash_error("ended its process")
        if report is not None:
            self.diagnostics = read_reported_diagnostics(report)
            self.findings = read_reported_findings(report)
            error = read_reported_error(report)
        if error is None:
            return self._recording
        if not isinstance(error, CancelledError):
            fault = self._recording.fault
            if isinstance(error, KernelFaultError) and (report is None or fault is None):
                fault = RunFault(str(error), child.kernel)
            self._recording.break_off(str(error) if fault is None else fault.text, fault)
        raise error

    def _make_empty_recording(self) -> Recording:
        """Return a recording without steps."""
        job = self._job
        description = RunDescription(
            image=self._image,
            algorithm=self._algorithm.key,
            device=str(job["device"]),
            device_title=str(job["device"]),
            schedule=str(job["schedule"]),
            connectivity=job["connectivity"],
            parameters=job["parameters"],
            multivalued=job["multivalued"],
        )
        return Recording(RecordingData(description))


RunRecorder: TypeAlias = Recorder | SandboxRecorder
"""Records a run, in this process or in a child; :func:`choose_recorder` chooses."""


def choose_recorder(
    job: RecordJob,
    *,
    cancel: CancelToken | None = None,
    progress: Progress | None = None,
    on_step: OnStep | None = None,
    child: ChildProcess | None = None,
) -> RunRecorder:
    """Return the recorder of a run; user code is recorded in a child process.

    Only this function chooses between the two.

    Parameters
    ----------
    job : RecordJob
        The run.
    cancel, progress, on_step
        As for :class:`~ccl_viewer.recording.Recorder`; user code reports its steps at its end.
    child : ChildProcess or None
        As for :class:`SandboxRecorder`.

    Raises
    ------
    InputError
        If the algorithm does not support the connectivity, a parameter or multi-valued input.
    DeviceUnavailableError
        If the device cannot be used here.
    """
    if job.algorithm.sandboxed:
        return SandboxRecorder(job, cancel, progress, child)
    findings: list[Finding] = []
    recorder = Recorder(
        job.image,
        job.algorithm,
        _choose_device(job, findings.append),
        job.connectivity,
        job.parameters,
        multivalued=job.multivalued,
        consecutive=job.consecutive,
        cancel=cancel,
        progress=progress,
        on_step=on_step,
    )
    recorder.findings = findings
    return recorder


def _choose_device(job: RecordJob, on_finding: FindingSink) -> Device:
    """Return the device of a built-in algorithm."""
    if job.find_source is None and job.cores is None and not job.memcheck:
        return open_device(job.device, job.schedule, cells=job.image.size, ledger=job.ledger)
    return EmulatorDevice(
        choose_schedule(job.schedule, job.image.size),
        job.find_source or kernel_path,
        on_finding=on_finding if job.memcheck else None,
        device_races=job.memcheck,
        ledger=job.ledger,
        cores=job.cores,
    )


def measure_if_untimed(
    recording: Recording,
    device: str,
    schedule: str,
    *,
    seconds: float = 1.0,
    cancel: CancelToken | None = None,
    progress: Progress | None = None,
) -> None:
    """Measure the times of a GPU's steps if they are missing; a child process measures its own.

    Parameters
    ----------
    recording : Recording
        The run.
    device, schedule : str
        As for :func:`ccl_viewer.devices.registry.open_device`.
    seconds, cancel, progress
        As for :func:`ccl_viewer.recording.measure_steps`.

    Raises
    ------
    CCLViewerError
        Any error of the device.
    """
    if recording.needs_timing and not is_sandboxed(recording.algorithm):
        chosen = open_device(device, schedule, cells=recording.image.size)
        measure_steps(recording, chosen, seconds=seconds, cancel=cancel, progress=progress)


def own_code_fields(key: str) -> Mapping[str, str] | None:
    """Return the description of a user algorithm for a child; None for other algorithms.

    Raises
    ------
    NotAllowedError
        If its code differs from the code that the user allowed.
    InputError
        If the user allowed no algorithm with this key, or its code cannot be read.
    """
    if not key.startswith(OWN):
        return None
    allowed = find_allowed(key)
    if not is_file(allowed.folder.plan_file):
        raise InputError(
            f"{shorten(allowed.folder.plan_file)} is gone: name the folder where {key} lies now, "
            f"as in -a ./{allowed.folder.name}."
        )
    if allowed.folder.digest() != allowed.digest:
        raise NotAllowedError.of(allowed.folder)
    return child_code_fields(allowed.folder, allowed.digest)


def child_code_fields(folder: OwnFolder, digest: str) -> Mapping[str, str]:
    """Return the description of a folder's code for a child; a single module has no digest."""
    return {
        "folder": str(folder.path) if digest else "",
        "name": folder.name,
        "module": folder.module,
        "digest": digest,
    }
