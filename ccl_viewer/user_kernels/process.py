"""Runs user code in a child process, with limits of time and memory.

That is a copy of a kernel, or a user algorithm. Nothing that it does reaches this process: neither
an endless loop, nor a crash, nor an allocation of all memory. The child
(:mod:`ccl_viewer.user_kernels.worker`) does one job after another: it compiles and records, and
hands back a recording file and a report. It says what it is about to do, a line of JSON each, and
only the time that kernels run counts. This guards against mistakes, not against malice: the code
runs with the user's rights.
"""

from __future__ import annotations

import json
import logging
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any, Final, Self, TypeAlias

import numpy as np

from ccl_viewer.algorithms import Algorithm
from ccl_viewer.algorithms.base import is_sandboxed
from ccl_viewer.algorithms.own import OWN, NotAllowedError, OwnFolder, find_own
from ccl_viewer.algorithms.table import check_multivalued
from ccl_viewer.devices.emulator.device import EmulatorDevice
from ccl_viewer.devices.emulator.memcheck import Finding, FindingSink, finding_as_json, finding_from
from ccl_viewer.devices.emulator.schedules import Schedule, auto_schedule
from ccl_viewer.devices.registry import open_device
from ccl_viewer.devices.source import SourceFinder
from ccl_viewer.errors import (
    CancelledError,
    CCLViewerError,
    DeviceUnavailableError,
    Diagnostic,
    InputError,
    InternalError,
    KernelBuildError,
    KernelFaultError,
    RecordingFileError,
    cut,
)
from ccl_viewer.execution.device import Device, Progress
from ccl_viewer.execution.plan import ParameterValue
from ccl_viewer.grids.grid import Grid
from ccl_viewer.recording.archive import open_recording
from ccl_viewer.recording.data import RecordingData, RunFault, Subject
from ccl_viewer.recording.recorder import OnStep, Recorder
from ccl_viewer.recording.recording import Recording
from ccl_viewer.recording.timing import measure_steps
from ccl_viewer.storage.files import is_file
from ccl_viewer.storage.resources import kernel_path
from ccl_viewer.storage.temporaries import scratch
from ccl_viewer.support.cancellation import CancelToken
from ccl_viewer.support.processes import WINDOWS, end, start

JOB, IMAGE, RUN, REPORT = "job.json", "image.npy", "run.cclrec", "report.json"
ROW: Final = "row.json"
"""Files that parent and child share, in a folder of their own."""

WORKER: Final = "ccl_viewer.user_kernels.worker"
"""The module that a child process runs to record."""

ENDLESS: Final = "endless loop"
"""Kind of the fault of a kernel that takes longer than it may."""

STOP: Final = "stop\n"
CANCEL: Final = "cancel\n"
"""What the child is told when the time of a job is up, and when nobody wants it any more. Other
lines are the folders of jobs, as JSON."""

DONE: Final = "done"
"""What the child says after a job."""

STATM: Final = Path("/proc/self/statm")
"""Tells how much memory a process has, on Linux."""

UNLIMITED: Final = (
    "Nothing limits the memory that a copy takes on this system: keep an eye on it while it runs."
)

GRACE: Final = 2.0
"""Seconds that the child has to stop by itself, and keep its steps, before it is killed."""

CANCEL_GRACE: Final = {"start": 0.0, "build": 0.0, "run": 0.5}
"""The same after Cancel, by what the child does: there it has no new steps to keep, or few."""

_LAST_WORDS: Final = 1.0
"""Seconds in which all that a child has said before it ended is heard, on a busy machine too."""

_PACKAGES: Final = str(Path(__file__).resolve().parents[2])

PATIENCE: Final = 150.0
"""Seconds for all else: starting, compiling, judging, saving."""

_KINDS: Final = {
    kind.__name__: kind
    for kind in (
        CancelledError,
        DeviceUnavailableError,
        InputError,
        NotAllowedError,
        CCLViewerError,
    )
}


@dataclass(frozen=True)
class Limits:
    """Limits of a run of user code.

    Parameters
    ----------
    seconds : float
        Time that its kernels may run, on the wall clock.
    memory : int
        Bytes of memory above what the program has without it, where :func:`limits_memory`; the
        memory of a GPU is not limited.
    """

    seconds: float = 20.0
    memory: int = 4 << 30


@dataclass(frozen=True, eq=False, kw_only=True)
class RecordJob:
    """A run that is to be recorded.

    Parameters
    ----------
    image : ndarray of uint8, shape (height, width)
        The grid.
    row : Algorithm
        What to run, as :func:`ccl_viewer.algorithms.algorithm` returns it.
    connectivity, parameters, multivalued, consecutive
        As for :class:`~ccl_viewer.recording.Recorder`.
    device, schedule : str
        As for :func:`ccl_viewer.devices.registry.open_device`. A built-in algorithm with
        `memcheck`, `find_source` or `cores` runs on the emulator, whatever the device.
    ledger : bool
        Whether to count what launches do to memory.
    memcheck : bool
        Whether to run under the emulator's memory check, on the emulator.
    diagnose : bool
        Whether the compiler's warnings about user code are wanted, which takes half a
        second.
    limits : Limits
        What user code may take.
    find_source : callable or None
        Finds the kernels of a built-in algorithm, if not the usual ones are meant.
    cores : int or None
        As for :class:`~ccl_viewer.devices.emulator.device.EmulatorDevice`.
    """

    image: Grid
    row: Algorithm
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


def limits_memory() -> bool:
    """Return whether the memory of user code is limited here: on Linux and Windows.

    macOS accepts such a limit and ignores it.
    """
    return WINDOWS or STATM.exists()


@cache
def warn_of_memory() -> None:
    """Log a warning once if memory is not limited here."""
    if not limits_memory():
        logging.getLogger(__name__).warning(UNLIMITED)


class SandboxRecorder:
    """One run of user code that is recorded, as a :class:`~ccl_viewer.recording.Recorder`.

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
        What the compiler says of the code; known after :meth:`run`.
    findings : tuple of Finding
        What the memory check finds; known after :meth:`run`.

    Raises
    ------
    InputError
        If the algorithm does not take the connectivity, a parameter or multi-valued input.
    """

    def __init__(
        self,
        job: RecordJob,
        cancel: CancelToken | None = None,
        progress: Progress | None = None,
        child: ChildProcess | None = None,
    ) -> None:
        self._row, self._limits, self._child = job.row, job.limits, child
        self._cancel, self._progress = cancel, progress
        self._image = np.array(job.image, dtype=np.uint8, order="C")
        self._job: dict[str, Any] = {
            "algorithm": job.row.key,
            "connectivity": job.row.check_connectivity(job.connectivity),
            "parameters": job.row.complete(job.parameters),
            "multivalued": check_multivalued(job.row, job.multivalued),
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
        self._recording = self._empty()
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
            If it does not compile; with all that the compiler says.
        KernelFaultError
            If it misbehaves, crashes, or takes more time or memory than it may. The steps so far
            stay in :attr:`recording`; of large grids, not if it crashed or had to be killed.
        CancelledError
            If the run was cancelled.
        CCLViewerError
            Whatever else the device raises.
        """
        if self._child is not None:
            return self._run(self._child)
        with ChildProcess(WORKER, self._row.title, self._limits) as child:
            return self._run(child)

    def _run(self, child: ChildProcess) -> Recording:
        with scratch() as folder:
            np.save(folder / IMAGE, self._image, allow_pickle=False)
            job = {**self._job, "own": own_code(self._row.key)}
            (folder / JOB).write_text(json.dumps(job), "utf-8")
            ended = child.run(folder, self._cancel, self._progress)
            report = read_report(folder)
            with suppress(RecordingFileError):  # a killed child may have left half a recording
                if (folder / RUN).is_file():
                    self._recording = open_recording(folder / RUN)
        error: CCLViewerError | None = ended or child.crash("ended its process")
        if report is not None:
            self.diagnostics = reported_diagnostics(report)
            self.findings = reported_findings(report)
            error = reported_error(report)
        if isinstance(error, KernelFaultError):
            fault = self._recording.fault
            if report is None or fault is None:
                fault = RunFault(str(error), child.kernel)
            self._recording.break_off(fault)
        if error is not None:
            raise error
        return self._recording

    def _empty(self) -> Recording:
        """Return a recording without steps."""
        job = self._job
        subject = Subject(
            image=self._image,
            algorithm=self._row.key,
            device=str(job["device"]),
            device_title=str(job["device"]),
            schedule=str(job["schedule"]),
            connectivity=job["connectivity"],
            parameters=job["parameters"],
            multivalued=job["multivalued"],
        )
        return Recording(RecordingData(subject))


RunRecorder: TypeAlias = Recorder | SandboxRecorder
"""What records a run, in this process or in a child; :func:`recorder_for` chooses."""


class ChildProcess:
    """A process in which user code runs, one job after another.

    It starts with the first job, and again after a job that it did not survive. As a context
    manager, it ends with the block.

    Parameters
    ----------
    module : str
        What it runs: a module that ends with :func:`ccl_viewer.user_kernels.worker.serve`.
    title : str
        What sentences call the algorithm.
    limits : Limits
        What each job may take.
    patience : float or None
        Seconds of a job for all but kernels, if they are to be fewer than usual.

    Attributes
    ----------
    kernel : str
        The kernel that it runs, or ran last.
    starts : int
        How often it was started.
    """

    def __init__(
        self, module: str, title: str, limits: Limits, patience: float | None = None
    ) -> None:
        self._patience = PATIENCE if patience is None else patience
        self._module, self._title, self._seconds = module, title, limits.seconds
        self._child: subprocess.Popen[bytes] | None = None
        self._said: queue.Queue[Any] = queue.Queue()
        self._errors: IO[bytes] | None = None
        self.kernel = ""
        self.starts = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def run(
        self, folder: Path, cancel: CancelToken | None = None, progress: Progress | None = None
    ) -> CCLViewerError | None:
        """Let it do a job; return what is wrong if it was killed or crashed.

        Parameters
        ----------
        folder : Path
            Where parent and child meet; it has the job.
        cancel, progress
            As for :class:`~ccl_viewer.recording.Recorder`.
        """
        if self._child is None or self._child.poll() is not None:
            self.close()
            self._start()
        self.kernel, done = "", False
        try:
            self._tell(f"{json.dumps(str(folder))}\n")
            done, ended = self.follow(cancel, progress)
        finally:
            how = "" if done else _exit_words(*self.close())
        return ended if done or ended is not None else self.crash(how)

    def do(
        self,
        folder: Path,
        job: Mapping[str, object],
        cancel: CancelToken | None = None,
        progress: Progress | None = None,
    ) -> None:
        """Let it do a job, and raise what goes wrong.

        Parameters
        ----------
        folder : Path
            Where parent and child meet.
        job : mapping
            The job.
        cancel, progress
            As for :meth:`run`.

        Raises
        ------
        CCLViewerError
            What was raised in the child, or what it came to.
        """
        (folder / JOB).write_text(json.dumps(job), "utf-8")
        ended, report = self.run(folder, cancel, progress), read_report(folder)
        error: CCLViewerError | None = ended or self.crash("ended its process")
        if report is not None:
            error = reported_error(report)
        if error is not None:
            raise error

    def close(self) -> tuple[int, list[str]]:
        """End it; return its exit code, and the lines of its standard error."""
        child, self._child = self._child, None
        errors, self._errors = self._errors, None
        lines: list[str] = []
        if child is not None:
            end(child)
            if child.stdin is not None:
                with suppress(OSError):
                    child.stdin.close()
        if errors is not None:
            with errors:
                errors.seek(0)
                lines = errors.read().decode("utf-8", "replace").strip().splitlines()
        return 0 if child is None else child.returncode, lines

    def _start(self) -> None:
        warn_of_memory()
        self.starts += 1
        self._errors = TemporaryFile()  # noqa: SIM115  (closed with the process)
        # It does not hear Ctrl+C: this process does, and stops the child. Nor does it look for
        # modules in the folder where the user happens to be (-P).
        self.attach(
            start(
                [sys.executable, "-P", "-m", self._module],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                env=os.environ
                | {"PYTHONPATH": os.pathsep.join([*filter(None, sys.path), _PACKAGES])},
            )
        )

    def attach(self, child: subprocess.Popen[bytes]) -> None:
        """Use a process that was started."""
        self._child, self._said = child, queue.Queue()
        threading.Thread(target=_listen, args=(child.stdout, self._said), daemon=True).start()

    def follow(
        self, cancel: CancelToken | None = None, progress: Progress | None = None
    ) -> tuple[bool, CCLViewerError | None]:
        """Listen to it until the job is done or it ends; stop it where it takes too long.

        Returns
        -------
        tuple of (bool, CCLViewerError or None)
            Whether the job is done, and why the process has to be killed.
        """
        child = self._child
        if child is None:
            raise ValueError("it was not started")
        running = other = stopping = 0.0  # seconds
        state, now, asked = "start", time.monotonic(), False
        while True:
            ended = child.poll() is not None
            try:
                message = self._said.get(timeout=_LAST_WORDS if ended else 0.05)
            except queue.Empty:
                if ended:  # what it forked may keep its pipe open
                    return False, None
            else:
                if message is None:
                    with suppress(subprocess.TimeoutExpired):  # it is killed then
                        child.wait(GRACE)
                    return False, None
                state = message["state"]
                if state == DONE:
                    return True, None
                self.kernel = message.get("kernel", self.kernel)
                if progress is not None and message["text"]:
                    progress(message["text"])
            before, now = now, time.monotonic()
            if state == "run":
                running += now - before
            else:
                other += now - before
            cancelled = cancel is not None and cancel.cancelled
            if (cancelled or running > self._seconds) and not asked:
                asked = True
                self._tell(CANCEL if cancelled else STOP)
            stopping += (now - before) if asked and (cancelled or state == "run") else 0.0
            if cancelled and stopping > CANCEL_GRACE.get(state, GRACE):
                return False, CancelledError()
            if stopping > GRACE and not cancelled:
                return False, self.crash(f"was stopped after {self._seconds:g} s", ENDLESS)
            if other > self._patience:
                self.kernel = ""
                how = f"did not end within {self._patience:g} s beside its kernels"
                return False, self.crash(how)

    def _tell(self, text: str) -> None:
        with suppress(OSError):
            if self._child is not None and self._child.stdin is not None:
                self._child.stdin.write(text.encode())
                self._child.stdin.flush()

    def crash(self, how: str, kind: str = "fault") -> KernelFaultError:
        """Return the error of a child that failed."""
        who = f"The process of {self._title}"
        if self.kernel:
            who = f"The kernel {self.kernel} of {self._title}"
        return KernelFaultError(f"{who} {how}: check its loops, indices and arrays.", kind=kind)


def recorder_for(
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
        As for :class:`~ccl_viewer.recording.Recorder`; the steps of such code are known at its end.
    child : ChildProcess or None
        As for :class:`SandboxRecorder`.

    Raises
    ------
    InputError
        If the algorithm does not take the connectivity, a parameter or multi-valued input.
    DeviceUnavailableError
        If the device cannot be used here.
    """
    if job.row.sandboxed:
        return SandboxRecorder(job, cancel, progress, child)
    findings: list[Finding] = []
    recorder = Recorder(
        job.image,
        job.row,
        _device(job, findings.append),
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


def _device(job: RecordJob, on_finding: FindingSink) -> Device:
    """Return the device of a built-in algorithm."""
    if job.find_source is None and job.cores is None and not job.memcheck:
        return open_device(job.device, job.schedule, cells=job.image.size, ledger=job.ledger)
    return EmulatorDevice(
        auto_schedule(job.image.size) if job.schedule == "auto" else Schedule.parse(job.schedule),
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
    """Measure the times of a GPU's steps, if there are none yet; a child process did that itself.

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
        Whatever the device raises.
    """
    if recording.untimed and not is_sandboxed(recording.algorithm):
        chosen = open_device(device, schedule, cells=recording.image.size)
        measure_steps(recording, chosen, seconds=seconds, cancel=cancel, progress=progress)


def own_code(key: str) -> Mapping[str, str] | None:
    """Return the description of a user algorithm for a child; None for other algorithms.

    Raises
    ------
    NotAllowedError
        If its code is not what the user allowed.
    InputError
        If the user allowed none of this key, or its code cannot be read.
    """
    if not key.startswith(OWN):
        return None
    known = find_own(key)
    if not is_file(known.folder.plan):
        raise InputError(
            f"{cut(known.folder.plan)} is gone: name the folder where {key} lies now, as in "
            f"-a ./{known.folder.name}."
        )
    if known.folder.digest() != known.digest:
        raise NotAllowedError.of(known.folder)
    return child_code_fields(known.folder, known.digest)


def child_code_fields(folder: OwnFolder, digest: str) -> Mapping[str, str]:
    """Return the description of a folder's code for a child; a single module has no digest."""
    return {
        "folder": str(folder.path) if digest else "",
        "name": folder.name,
        "module": folder.module,
        "digest": digest,
    }


def _listen(pipe: IO[bytes] | None, said: queue.Queue[Any]) -> None:
    """Pass on the child's messages, then None, and close its pipe."""
    with pipe or nullcontext(()) as lines:
        for line in lines:
            with suppress(ValueError):  # a killed child may have written half a message
                message = json.loads(line)
                if isinstance(message, dict) and {"state", "text"} <= message.keys():
                    said.put(message)  # a kernel may have written to the pipe
    said.put(None)


def _exit_words(code: int, errors: list[str]) -> str:
    """Describe the end of a process that left no report."""
    if code == -signal.SIGTERM or code == -getattr(signal, "SIGKILL", signal.SIGTERM):
        return f"was ended by the system (signal {-code}), perhaps as memory ran out"
    if code < 0:
        with suppress(ValueError):
            return f"crashed with signal {-code} ({signal.Signals(-code).name})"
    with_code = f" with code {code}" if code else ""
    return f"ended its process{with_code}" + (f" ({errors[-1]})" if errors else "")


def read_report(folder: Path) -> Mapping[str, Any] | None:
    """Return what the child wrote by :func:`write_report`; None if it is missing or damaged."""
    try:
        report: Mapping[str, Any] = json.loads((folder / REPORT).read_text("utf-8"))
        # User code could write there, too: try all that is read from it.
        reported_error(report)
        reported_diagnostics(report)
        reported_findings(report)
    except (OSError, ValueError, TypeError, LookupError, AttributeError, RecursionError):
        return None
    return report


def reported_diagnostics(report: Mapping[str, Any]) -> tuple[Diagnostic, ...]:
    """Return what the compiler said in the child."""
    return tuple(Diagnostic(**each) for each in report["diagnostics"])


def reported_findings(report: Mapping[str, Any]) -> tuple[Finding, ...]:
    """Return what the memory check found in the child."""
    return tuple(finding_from(each) for each in report["findings"])


def reported_error(report: Mapping[str, Any]) -> CCLViewerError | None:
    """Return the exception that the child raised."""
    kind, text = report["kind"], report["text"]
    if not kind:
        return None
    if kind == KernelBuildError.__name__:
        return KernelBuildError(text, reported_diagnostics(report))
    if kind == KernelFaultError.__name__:
        fault: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value
            for name, value in report["fault"].items()
        }
        return KernelFaultError(text, **fault)
    return _KINDS.get(kind, CCLViewerError)(text)


def write_report(
    folder: Path,
    error: BaseException | None,
    diagnostics: tuple[Diagnostic, ...] = (),
    findings: Sequence[Finding] = (),
) -> None:
    """Write the child's report, next to its recording.

    Parameters
    ----------
    folder : Path
        Where parent and child meet.
    error : BaseException or None
        The error that ended the job; one that is not ours becomes a :class:`InternalError`.
    diagnostics : tuple of Diagnostic
        What the compiler said.
    findings : sequence of Finding
        What the memory check found.
    """
    if error is not None and not isinstance(error, CCLViewerError):
        error = InternalError(error)
    names = ("block", "thread", "file", "line", "cell", "kind", "memory", "index", "kernel")
    is_fault = isinstance(error, KernelFaultError)
    fault = {name: getattr(error, name) for name in names} if is_fault else {}
    report = {
        "kind": "" if error is None else type(error).__name__,
        "text": "" if error is None else str(error),
        "fault": fault,
        "diagnostics": [asdict(each) for each in diagnostics],
        "findings": [finding_as_json(each) for each in findings],
    }
    (folder / REPORT).write_text(json.dumps(report), "utf-8")
