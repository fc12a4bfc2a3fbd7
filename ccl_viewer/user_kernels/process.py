"""Runs user code in a child process, with limits of time and memory.

User code is a copy of a kernel, or a user algorithm. Its endless loops, crashes and allocations
cannot harm this process. The child (:mod:`ccl_viewer.user_kernels.worker`) does one job after
another: it compiles, records, and writes a recording file and a report. It announces each activity
with a line of JSON; only the time that kernels run counts against the limit. This guards against
mistakes, not against malice: the code runs with the user's rights.
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
from typing import IO, Any, Final, Self

from ccl_viewer.algorithms.own import NotAllowedError
from ccl_viewer.errors import (
    CancelledError,
    CCLViewerError,
    DeviceUnavailableError,
    Diagnostic,
    InputError,
    InternalError,
    KernelBuildError,
    KernelFaultError,
)
from ccl_viewer.execution.device import Progress
from ccl_viewer.execution.finding import Finding, finding_as_json, finding_from
from ccl_viewer.support.cancellation import CancelToken
from ccl_viewer.support.processes import WINDOWS, end, start

JOB, IMAGE, RUN, REPORT = "job.json", "image.npy", "run.cclrec", "report.json"
ROW: Final = "row.json"
"""Files that parent and child share, in a temporary folder."""

WORKER: Final = "ccl_viewer.user_kernels.worker"
"""The module that a child process runs to record."""

ENDLESS: Final = "endless loop"
"""Kind of fault: a kernel exceeds its time limit."""

STOP: Final = "stop\n"
CANCEL: Final = "cancel\n"
"""Messages to the child: the job has exceeded its time limit; the job was cancelled. All other
lines name the folder of a job, as JSON."""

DONE: Final = "done"
"""Message from the child: the job has ended."""

STATM: Final = Path("/proc/self/statm")
"""Shows how much memory a process uses, on Linux."""

UNLIMITED: Final = (
    "Nothing limits the memory that a copy takes on this system: keep an eye on it while it runs."
)

GRACE: Final = 2.0
"""Seconds in which the child can stop and save its steps before it is killed."""

CANCEL_GRACE: Final = {"start": 0.0, "build": 0.0, "run": 0.5}
"""The same after Cancel, by the child's activity: it has few new steps to save, or none."""

_LAST_WORDS: Final = 1.0
"""Seconds to wait for the last messages of a child that has ended, even on a busy machine."""

_PACKAGES: Final = str(Path(__file__).resolve().parents[2])

PATIENCE: Final = 150.0
"""Time limit in seconds for everything besides kernels: starting, compiling, judging, saving."""

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
        Bytes of memory in addition to the program's own, where :func:`limits_memory`; the memory of
        a GPU is not limited.
    """

    seconds: float = 20.0
    memory: int = 4 << 30


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


@dataclass
class _JobClock:
    """Seconds of a job: in kernels, beside them, and since it was told to stop."""

    kernel_seconds: float = 0.0
    other_seconds: float = 0.0
    stopping_seconds: float = 0.0
    _last: float = field(default_factory=time.monotonic)

    def tick(self, *, in_kernel: bool, stopping: bool) -> None:
        """Add the time since the last tick."""
        before, self._last = self._last, time.monotonic()
        passed = self._last - before
        if in_kernel:
            self.kernel_seconds += passed
        else:
            self.other_seconds += passed
        if stopping:
            self.stopping_seconds += passed


class ChildProcess:
    """A process in which user code runs, one job after another.

    It starts with the first job, and restarts after a job that killed it. As a context manager, it
    ends with the block.

    Parameters
    ----------
    module : str
        The Python module that it runs; it calls :func:`ccl_viewer.user_kernels.worker.serve`.
    title : str
        Name of the algorithm in messages.
    limits : Limits
        Limits of each job.
    patience : float or None
        Seconds of each job for everything besides kernels; None for :data:`PATIENCE`.

    Attributes
    ----------
    kernel : str
        The kernel that runs, or ran last.
    starts : int
        Number of starts.
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

    def attempt_job(
        self, folder: Path, cancel: CancelToken | None = None, progress: Progress | None = None
    ) -> CCLViewerError | None:
        """Do a job in the child; return the error if the child was killed or crashed.

        Parameters
        ----------
        folder : Path
            The shared folder, with the job.
        cancel, progress
            As for :class:`~ccl_viewer.recording.Recorder`.
        """
        if self._child is None or self._child.poll() is not None:
            self.close()
            self._start()
        self.kernel, done = "", False
        try:
            self._tell(f"{json.dumps(str(folder))}\n")
            done, error = self.wait_until_done(cancel, progress)
        finally:
            how = "" if done else _exit_words(*self.close())
        return error if done or error is not None else self.crash_error(how)

    def run_job(
        self,
        folder: Path,
        job: Mapping[str, object],
        cancel: CancelToken | None = None,
        progress: Progress | None = None,
    ) -> None:
        """Do a job in the child, and raise its error.

        Parameters
        ----------
        folder : Path
            The shared folder.
        job : mapping
            The job.
        cancel, progress
            As for :meth:`attempt_job`.

        Raises
        ------
        CCLViewerError
            The error that the child raised, or how the child failed.
        """
        (folder / JOB).write_text(json.dumps(job), "utf-8")
        failure, report = self.attempt_job(folder, cancel, progress), read_report(folder)
        error: CCLViewerError | None = failure or self.crash_error("ended its process")
        if report is not None:
            error = read_reported_error(report)
        if error is not None:
            raise error

    def close(self) -> tuple[int, list[str]]:
        """End the child; return its exit code, and the lines of its standard error."""
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
        # The child does not receive Ctrl+C: this process does, and stops the child. With -P, Python
        # does not import modules from the user's current folder.
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
        """Use a started process as the child."""
        self._child, self._said = child, queue.Queue()
        threading.Thread(target=_listen, args=(child.stdout, self._said), daemon=True).start()

    def wait_until_done(
        self, cancel: CancelToken | None = None, progress: Progress | None = None
    ) -> tuple[bool, CCLViewerError | None]:
        """Listen to the child until the job is done or the child ends; stop it at a time limit.

        Returns
        -------
        tuple of (bool, CCLViewerError or None)
            Whether the job is done, and why the child must be killed.
        """
        child = self._child
        if child is None:
            raise ValueError("it was not started")
        clock, state, asked_to_stop = _JobClock(), "start", False
        while True:
            exited = child.poll() is not None
            try:
                message = self._said.get(timeout=_LAST_WORDS if exited else 0.05)
            except queue.Empty:
                if exited:  # processes that it started may keep its pipe open
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
            cancelled = cancel is not None and cancel.cancelled
            clock.tick(
                in_kernel=state == "run", stopping=asked_to_stop and (cancelled or state == "run")
            )
            if not asked_to_stop and (cancelled or clock.kernel_seconds > self._seconds):
                asked_to_stop = True
                self._tell(CANCEL if cancelled else STOP)
            error = self._check_deadline(clock, state, cancelled=cancelled)
            if error is not None:
                return False, error

    def _check_deadline(
        self, clock: _JobClock, state: str, *, cancelled: bool
    ) -> CCLViewerError | None:
        """Return why the child must be killed now; None while it has time left."""
        if cancelled and clock.stopping_seconds > CANCEL_GRACE.get(state, GRACE):
            return CancelledError()
        if clock.stopping_seconds > GRACE and not cancelled:
            return self.crash_error(f"was stopped after {self._seconds:g} s", ENDLESS)
        if clock.other_seconds > self._patience:
            self.kernel = ""
            return self.crash_error(f"did not end within {self._patience:g} s beside its kernels")
        return None

    def _tell(self, text: str) -> None:
        with suppress(OSError):
            if self._child is not None and self._child.stdin is not None:
                self._child.stdin.write(text.encode())
                self._child.stdin.flush()

    def crash_error(self, how: str, kind: str = "fault") -> KernelFaultError:
        """Return the error of a child that failed."""
        subject = f"The process of {self._title}"
        if self.kernel:
            subject = f"The kernel {self.kernel} of {self._title}"
        return KernelFaultError(f"{subject} {how}: check its loops, indices and arrays.", kind=kind)


def _listen(pipe: IO[bytes] | None, messages: queue.Queue[Any]) -> None:
    """Pass on the child's messages, then None, and close its pipe."""
    with pipe or nullcontext(()) as lines:
        for line in lines:
            with suppress(ValueError):  # a killed child may have written half a message
                message = json.loads(line)
                if isinstance(message, dict) and {"state", "text"} <= message.keys():
                    messages.put(message)  # a kernel may have written to the pipe
    messages.put(None)


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
    """Return the report of the child; None if it is missing or damaged."""
    try:
        report: Mapping[str, Any] = json.loads((folder / REPORT).read_text("utf-8"))
        # User code can write there too, so check everything.
        read_reported_error(report)
        read_reported_diagnostics(report)
        read_reported_findings(report)
    except (OSError, ValueError, TypeError, LookupError, AttributeError, RecursionError):
        return None
    return report


def read_reported_diagnostics(report: Mapping[str, Any]) -> tuple[Diagnostic, ...]:
    """Return the compiler's messages in the child."""
    return tuple(Diagnostic(**each) for each in report["diagnostics"])


def read_reported_findings(report: Mapping[str, Any]) -> tuple[Finding, ...]:
    """Return the findings of the memory check in the child."""
    return tuple(finding_from(each) for each in report["findings"])


def read_reported_error(report: Mapping[str, Any]) -> CCLViewerError | None:
    """Return the exception that the child raised."""
    kind, text = report["kind"], report["text"]
    if not kind:
        return None
    if kind == KernelBuildError.__name__:
        return KernelBuildError(text, read_reported_diagnostics(report))
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
        The shared folder.
    error : BaseException or None
        The exception; an unexpected one becomes an :class:`InternalError`.
    diagnostics : tuple of Diagnostic
        The compiler's messages.
    findings : sequence of Finding
        Findings of the memory check.
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
