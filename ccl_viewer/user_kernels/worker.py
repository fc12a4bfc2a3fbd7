"""The child process in which user code is compiled and recorded; see `process`."""

from __future__ import annotations

import _thread
import json
import os
import queue
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache, partial
from pathlib import Path
from typing import IO, Any, Final

import numpy as np

from ccl_viewer.algorithms import find_algorithm
from ccl_viewer.algorithms.base import is_sandboxed
from ccl_viewer.algorithms.copies import source_path
from ccl_viewer.devices.emulator.compiler import diagnose
from ccl_viewer.devices.emulator.device import EmulatorDevice
from ccl_viewer.devices.registry import open_device
from ccl_viewer.devices.source import read_source
from ccl_viewer.errors import (
    CancelledError,
    CCLViewerError,
    Diagnostic,
    KernelBuildError,
    KernelFaultError,
)
from ccl_viewer.execution.device import Elapsed
from ccl_viewer.execution.finding import Finding
from ccl_viewer.execution.plan import Kernel, Launch
from ccl_viewer.recording import Recorder, Recording, RunFault, measure_steps
from ccl_viewer.support.cancellation import CancelToken
from ccl_viewer.support.processes import WINDOWS, WindowsJob
from ccl_viewer.user_kernels.loading import OwnCode
from ccl_viewer.user_kernels.process import (
    CANCEL,
    DONE,
    ENDLESS,
    IMAGE,
    JOB,
    RUN,
    STATM,
    STOP,
    limits_memory,
    write_report,
)

_ORPHAN_SECONDS: Final = 2.0
_TIMING_SECONDS: Final = 0.2
_OWN_ON_WINDOWS: Final = 1 << 30
"""Bytes that Python and NumPy have there at the most, about."""
_KEPT_STEPS: Final = 64
_KEPT_CELLS: Final = 1 << 16


class ChildJob:
    """A job, and the messages about it to and from the parent.

    Parameters
    ----------
    parent : text stream
        Receives messages to the parent, each a line of JSON.
    folder : Path
        The shared folder: it has the job, and takes the results.
    """

    def __init__(self, parent: IO[str], folder: Path) -> None:
        self._parent, self.folder = parent, folder
        self.job: Mapping[str, Any] = json.loads((folder / JOB).read_text("utf-8"))
        fields = self.job.get("own")
        self.own = None if fields is None else OwnCode(fields)
        self.token = CancelToken()
        self.late = False

    def say(self, state: str, text: str = "", **more: str) -> None:
        """Send the parent the new state; only time in the state ``"run"`` counts."""
        self._parent.write(json.dumps({"state": state, "text": text, **more}) + "\n")
        self._parent.flush()

    def load(self) -> None:
        """Run the Python of a user algorithm, if the job is of one."""
        if self.own is not None:
            self.own.load()

    def explain_error(self, error: Exception, last_kernel: str) -> Exception:
        """Return the error to report; an unexpected one names its line in the user code.

        Parameters
        ----------
        error : Exception
            What was raised.
        last_kernel : str
            The kernel that ran last.
        """
        if self.token.cancelled and not self.late:
            return CancelledError()  # no matter where it was stopped
        if isinstance(error, CancelledError) and self.late:
            return timeout_error(last_kernel, self.job, error)
        return error if self.own is None else self.own.explain_error(error)

    def stop(self, *, late: bool) -> None:
        """Stop the job, because it is late or was cancelled."""
        self.late = late
        self.token.cancel()
        if self.own is not None and self.own.inside:
            _thread.interrupt_main()


def serve(work: Callable[[ChildJob], None]) -> None:
    """Do the parent's jobs, one after another, until it ends this process.

    Parameters
    ----------
    work : callable
        Does a job.
    """
    parent, orders = _own_pipe(1, "w", os.O_WRONLY), _own_pipe(0, "r", os.O_RDONLY)
    jobs: queue.Queue[ChildJob] = queue.Queue()

    def hear() -> None:
        child: ChildJob | None = None
        for line in orders:
            if line not in {STOP, CANCEL}:
                child = ChildJob(parent, Path(json.loads(line)))
                jobs.put(child)
            elif child is not None:
                child.stop(late=line == STOP)
        if child is not None:  # the parent is gone
            child.stop(late=False)
            time.sleep(_ORPHAN_SECONDS)
        os._exit(1)

    signal.signal(signal.SIGINT, signal.default_int_handler)  # the parent may ignore it
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # the parent gets it, too, and stops this
    threading.Thread(target=hear, daemon=True).start()
    while True:
        child = jobs.get()
        try:
            work(child)
        except (CCLViewerError, OSError) as failure:
            sys.stderr.write(f"{failure}\n")
            os._exit(1)  # no clean-up: a kernel may have damaged this process
        child.say(DONE)


class MemoryLimit:
    """Limits the memory of the process while a kernel runs; the compiler needs more.

    Parameters
    ----------
    room : int
        Bytes that it may use in addition to its present memory; 0 for no limit.
    """

    def __init__(self, room: int) -> None:
        self._most: int | None = None
        self._job: WindowsJob | None = None
        if WINDOWS:
            with suppress(OSError):
                self._job = _get_windows_job()
                self._most = room + _OWN_ON_WINDOWS if room else None
            return
        import resource

        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if room and limits_memory():
            self._most = int(STATM.read_text().split()[0]) * resource.getpagesize() + room

    @contextmanager
    def limited(self) -> Iterator[None]:
        """Refuse memory beyond the limit within the block."""
        if self._most is None:
            yield
        elif self._job is not None:
            self._job.limit_memory(self._most)
            try:
                yield
            finally:
                self._job.limit_memory(None)
        else:
            import resource

            before, hard = resource.getrlimit(resource.RLIMIT_AS)
            resource.setrlimit(resource.RLIMIT_AS, (self._most, hard))
            try:
                yield
            finally:
                resource.setrlimit(resource.RLIMIT_AS, (before, hard))


@cache
def _get_windows_job() -> WindowsJob:
    """Return a Windows job with this process; child processes end with this process."""
    job = WindowsJob()
    job.add(-1)
    return job


class WatchedDevice:
    """A device that reports the running kernel, and turns a time-out into a fault."""

    def __init__(self, device: Any, child: ChildJob, job: Mapping[str, Any]) -> None:
        self._device, self._child, self._job = device, child, job
        self._memory = MemoryLimit(job["memory"] if device.on_host else 0)
        self._seen: set[Kernel] = set()
        self.last = ""
        self.keep: Callable[[], None] = lambda: None
        self._checked: set[tuple[str, object]] = set()
        self.diagnostics: list[Diagnostic] = getattr(device, "diagnostics", [])
        if child.own is not None and device.on_host:
            # Here the time of the plan's Python counts as time of kernels; a GPU works in parallel.
            child.own.on_enter = lambda: child.say("run", kernel="")
            child.own.on_leave = lambda: child.say("record")

    def __getattr__(self, name: str) -> Any:
        return getattr(self._device, name)

    @contextmanager
    def open(self, *arguments: Any, **options: Any) -> Iterator[Any]:
        """Open a run, and watch its launches."""
        with self._device.open(*arguments, **options) as run:
            yield _WatchedRun(self, run)

    def build(self, kernel: Kernel) -> None:
        """Compile a kernel's module, and keep the compiler's messages about user code."""
        if kernel in self._seen:
            return
        self._seen.add(kernel)
        self._child.say("build", f"Compiling {kernel.file}")
        checked = (kernel.module, kernel.macros)
        diagnosing = self._job["diagnose"] and isinstance(self._device, EmulatorDevice)
        if is_sandboxed(kernel.module) and diagnosing and checked not in self._checked:
            self._checked.add(checked)
            diagnostics = diagnose(read_source(source_path(kernel.module), kernel.macros))
            self.diagnostics += [each for each in diagnostics if each not in self.diagnostics]
        self._device.kernel(kernel, None)

    def launch(self, launch: Launch, go: Callable[[Launch], Any]) -> Any:
        """Launch a kernel within the limits, by calling `go`; return its result."""
        self.build(launch.kernel)
        self.keep()
        name = launch.kernel.name
        self._child.say("run", f"Running {name}", kernel=name)
        try:
            with self._memory.limited():
                done = go(launch)
        except CancelledError as error:
            if not self._child.late:
                raise
            raise timeout_error(name, self._job, error) from None
        except MemoryError:
            raise self._make_memory_error(name) from None
        self.last = name
        if self._device.synchronous:  # otherwise the kernel may still run
            self._child.say("record")
        return done

    def _make_memory_error(self, name: str) -> KernelFaultError:
        room = self._job["memory"] / 2**30
        return KernelFaultError(
            f"The kernel {name} needs more than {room:g} GiB of memory: make its arrays smaller."
        )


def timeout_error(kernel: str, job: Mapping[str, Any], stopped: CancelledError) -> KernelFaultError:
    """Return the error of a kernel that took too long, with the line where it was stopped."""
    where = "" if stopped.line is None else f" at {stopped.file}:{stopped.line}"
    subject = f"The kernel {kernel}" if kernel else "The run"
    return KernelFaultError(
        f"{subject} was stopped{where} after {job['seconds']:g} s: check the conditions "
        "of its loops, or give it more time.",
        block=stopped.block,
        thread=stopped.thread,
        file=stopped.file,
        line=stopped.line,
        kind=ENDLESS,
    )


class _WatchedRun:
    def __init__(self, device: WatchedDevice, run: Any) -> None:
        self._device, self._run = device, run

    def __getattr__(self, name: str) -> Any:
        return getattr(self._run, name)

    def launch(self, launch: Launch) -> Elapsed:
        elapsed: Elapsed = self._device.launch(launch, self._run.launch)
        return elapsed

    def trace(self, launch: Launch, *arguments: Any) -> Any:
        return self._device.launch(launch, lambda launch: self._run.trace(launch, *arguments))


def record_job(child: ChildJob) -> None:
    """Do a job: record a run, save the recording, and write a report.

    Parameters
    ----------
    child : ChildJob
        The job.
    """
    job, folder = child.job, child.folder
    image = np.load(folder / IMAGE, allow_pickle=False)
    error: Exception | None = None
    device = recorder = None
    findings: list[Finding] = []
    try:
        child.load()
        device = WatchedDevice(_open_device(job, image.size, findings), child, job)
        recorder = Recorder(
            image,
            find_algorithm(job["algorithm"]),
            device,
            job["connectivity"],
            job["parameters"],
            multivalued=job["multivalued"],
            consecutive=job["consecutive"],
            cancel=child.token,
        )
        device.keep = partial(_keep, recorder.recording, folder / RUN)
        recorder.run()
        with suppress(CCLViewerError):  # the run is complete even without times
            measure_steps(recorder.recording, device, seconds=_TIMING_SECONDS, cancel=child.token)
    except Exception as caught:  # noqa: BLE001  (the report says it)
        last = "" if device is None else device.last
        error = child.explain_error(caught, last)
        if recorder is not None and isinstance(caught, CancelledError) and child.late:
            recorder.recording.break_off(str(error), RunFault(str(error), last))
    child.say("save", "Keeping the steps")
    if recorder is not None and len(recorder.recording):
        recorder.recording.save(folder / RUN)
    diagnostics = [] if device is None else device.diagnostics
    if isinstance(error, KernelBuildError):
        diagnostics = [*dict.fromkeys((*diagnostics, *error.diagnostics))]
    write_report(folder, error, tuple(diagnostics), findings)


def _keep(recording: Recording, path: Path) -> None:
    """Save the steps of a short run before a launch, which may crash the process."""
    if 0 < len(recording) <= _KEPT_STEPS and recording.image.size <= _KEPT_CELLS:
        recording.save(path)


def _open_device(job: Mapping[str, Any], cells: int, findings: list[Finding]) -> Any:
    """Return the device of a job; no other device compiles user code."""
    counts, checks = job["ledger"], job["memcheck"]
    chosen: Any = open_device(job["device"], job["schedule"], cells=cells, ledger=counts)
    if isinstance(chosen, EmulatorDevice):
        sink = findings.append if checks else None
        return EmulatorDevice(
            chosen.ordering, source_path, on_finding=sink, device_races=checks, ledger=counts,
            cores=job["cores"],
        )  # fmt: skip
    return type(chosen)(find_source=source_path, own_process=True)


def _own_pipe(number: int, mode: str, flags: int) -> IO[str]:
    """Return a pipe to the parent; user code reads no input, and its output is discarded."""
    pipe = os.fdopen(os.dup(number), mode, encoding="utf-8")
    nowhere = os.open(os.devnull, flags)
    os.dup2(nowhere, number)
    os.close(nowhere)
    return pipe


if __name__ == "__main__":
    serve(record_job)
