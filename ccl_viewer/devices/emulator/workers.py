"""Run native launches on the calling thread or on all cores.

A loaded module keeps its engine in global variables, so each worker has its own copy of the module,
and a process runs one launch at a time. Memory for stacks and shared memory belongs to the workers
and is used for all modules.
"""

from __future__ import annotations

import ctypes
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Final

from ccl_viewer.devices.emulator.build import worker_copy
from ccl_viewer.devices.emulator.clock import Clock, system_clock
from ccl_viewer.devices.emulator.library import (
    FaultRecord,
    LaunchRequest,
    LaunchStatus,
    Library,
    ProgressRecord,
    SignalHost,
    function_address,
)
from ccl_viewer.devices.emulator.lines import LineTable
from ccl_viewer.devices.emulator.memory import Scratch
from ccl_viewer.errors import DeviceUnavailableError
from ccl_viewer.execution.source_location import SourceLocation
from ccl_viewer.support.cores import MAX_CORES
from ccl_viewer.support.forking import hold_while_forking

_KEPT_BYTES = 256 * 2**20
"""Most scratch memory of each kind that is kept between runs: stacks for 16,000 threads, a quarter
of it touched. New memory takes a small run more time than its threads."""
_STACK_ROW_MARGIN = 2  # stacks: one unused below the first, one for rounding
_SIGNAL_STACK_BYTES = 65_536
_CHUNKS = 16  # approximate portions of blocks per worker


class Module:
    """A compiled module with a copy for each worker that needed one.

    Parameters
    ----------
    path : Path
        The shared library.

    Raises
    ------
    OSError
        If it cannot be loaded.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._libraries = [Library(path)]
        self._lines: LineTable | None = None
        self._lines_read = False

    @property
    def first(self) -> Library:
        """The copy of the calling thread."""
        return self._libraries[0]

    def locate(self, site: int) -> SourceLocation | None:
        """Return the place in the kernels' source of a call in the first copy.

        Parameters
        ----------
        site : int
            The return address of the call; 0 if unknown.

        Returns
        -------
        SourceLocation or None
            None if the module has no line tables, as in the untraced build.
        """
        lines = self._line_table() if site else None
        if lines is None:
            return None
        frames = lines.find_frames(self._find_file_address(site - 1, lines))
        if not frames:
            return None
        place, *callers = frames
        if place.file.endswith(".cu"):
            return place
        caller = next((str(each) for each in callers if each.file.endswith(".cu")), "")
        return replace(place, caller=caller)

    def shared_variable(self, address: int) -> str:
        """Return the name of a shared variable of the first copy; empty if unknown."""
        lines = self._line_table() if address else None
        return (
            "" if lines is None else lines.shared_variable(self._find_file_address(address, lines))
        )

    def _find_file_address(self, address: int, lines: LineTable) -> int:
        return address - self.first.launch_address + lines.find_symbol("ccl_launch")

    def _line_table(self) -> LineTable | None:
        if not self._lines_read:
            self._lines_read = True
            with suppress(ImportError, OSError, ValueError):
                self._lines = LineTable(self.path)
        return self._lines

    def library(self, worker: int) -> Library:
        """Return the copy of a worker.

        Raises
        ------
        DeviceUnavailableError
            If the copy cannot be made or loaded.
        """
        while len(self._libraries) <= worker:
            copy = worker_copy(self.path, len(self._libraries))
            try:
                self._libraries.append(Library(copy))
            except OSError as error:
                raise DeviceUnavailableError(
                    f"The compiled kernels in {copy.parent} cannot be loaded ({error}): delete "
                    "the folder."
                ) from error
        return self._libraries[worker]


@dataclass(frozen=True)
class LaunchResult:
    """Result of a launch.

    Parameters
    ----------
    status : LaunchStatus
        How it ended.
    fault : FaultRecord
        The fault, or the place of a thread if the launch was stopped.
    atomics : int
        Calls of atomic functions by all threads.
    milliseconds : float
        CPU time of the slowest worker. Waiting for a core or for Python's lock does not count,
        since it does not depend on the kernel.
    """

    status: LaunchStatus
    fault: FaultRecord
    atomics: int
    milliseconds: float


class _Signals:
    """Reports accesses to unmapped memory; see signals.h."""

    def __init__(self, caught: bool) -> None:
        self._stacks = Scratch()
        self._host: SignalHost | None = None
        if not caught or sys.platform == "win32":
            return
        system = ctypes.CDLL(None)
        self._host = SignalHost(
            stacks=self._stacks.allocate(MAX_CORES * _SIGNAL_STACK_BYTES),
            stack_bytes=_SIGNAL_STACK_BYTES,
            stack_count=MAX_CORES,
            sigaction=function_address(system.sigaction),
            sigaltstack=function_address(system.sigaltstack),
            raise_=function_address(getattr(system, "raise")),
        )

    def fill_request(self, request: LaunchRequest, worker: int) -> None:
        """Set the fields of a worker's request about signals."""
        request.signals = request.signal_stack = 0
        if self._host is not None and worker < MAX_CORES:
            request.signals = ctypes.addressof(self._host)
            request.signal_stack = self._host.stacks + worker * _SIGNAL_STACK_BYTES

    @contextmanager
    def catch_wild_accesses(self, library: Library) -> Iterator[None]:
        """Turn wild accesses of the launches in the block into faults."""
        if self._host is None:
            yield
            return
        address = ctypes.addressof(self._host)
        library.catch_signals(address)
        try:
            yield
        finally:
            library.release_signals(address)


class _Worker:
    def __init__(self) -> None:
        self.workspace = Scratch()
        self.stacks = Scratch()
        self.request = LaunchRequest()
        self.fault = FaultRecord()
        self.request.fault = ctypes.addressof(self.fault)
        self.request_address = ctypes.addressof(self.request)

    def prepare(
        self, library: Library, template: LaunchRequest, progress: ProgressRecord, clock: Clock
    ) -> None:
        """Copy the request, and add memory and a clock."""
        request = self.request
        ctypes.memmove(
            self.request_address, ctypes.addressof(template), ctypes.sizeof(LaunchRequest)
        )
        request.workspace = 0
        needed = library.workspace_bytes(self.request_address)
        request.workspace = self.workspace.allocate(needed)
        rows = request.fibers + _STACK_ROW_MARGIN
        request.stacks = self.stacks.allocate(rows * library.stack_bytes)
        ctypes.memset(ctypes.addressof(self.fault), 0, ctypes.sizeof(self.fault))
        request.fault = ctypes.addressof(self.fault)
        request.progress = ctypes.addressof(progress)
        request.clock, request.clock_id = clock.address, clock.number

    def run(self, library: Library) -> int:
        return int(library.launch(self.request_address))

    def release(self) -> None:
        for scratch in (self.workspace, self.stacks):
            scratch.release_above(_KEPT_BYTES)


LAUNCHING: Final = threading.Lock()
"""Held by the running launch, since modules keep its state in global variables."""


class Workers:
    """All workers of a process.

    Parameters
    ----------
    clock : Clock or None
        Clock for timing launches; None for the system's.
    signals : bool
        Whether wild accesses are caught. Only one object at a time may do so.
    """

    def __init__(self, clock: Clock | None = None, *, signals: bool = True) -> None:
        self._clock = clock or system_clock()
        self._workers = [_Worker()]
        self._pool: ThreadPoolExecutor | None = None
        self._progress = ProgressRecord()
        self._signals = _Signals(signals)

    def launch(self, module: Module, request: LaunchRequest, workers: int) -> LaunchResult:
        """Run a launch to its end.

        Parameters
        ----------
        module : Module
            The kernel's module.
        request : LaunchRequest
            The launch; this method sets its memory, fault and progress.
        workers : int
            Number of threads.

        Returns
        -------
        Report
            The result.

        Raises
        ------
        DeviceUnavailableError
            If there is not enough memory.
        """
        with LAUNCHING:
            progress = self._progress
            progress.next_block = 0
            progress.stop = 0
            blocks = request.grid[0] * request.grid[1] * request.grid[2]
            request.blocks_at_once = max(1, blocks // (workers * _CHUNKS)) if workers > 1 else 1
            while len(self._workers) < workers:
                self._workers.append(_Worker())
            team = self._workers[:workers]
            libraries = [module.library(index) for index in range(workers)]
            for index, (worker, library) in enumerate(zip(team, libraries, strict=True)):
                worker.prepare(library, request, progress, self._clock)
                self._signals.fill_request(worker.request, index)
            with self._signals.catch_wild_accesses(libraries[0]):
                return self._run(team, libraries)

    def _run(self, team: list[_Worker], libraries: list[Library]) -> LaunchResult:
        if len(team) == 1:
            statuses = [team[0].run(libraries[0])]
        else:
            statuses = self._run_together(team, libraries)
        atomics = sum(worker.request.atomics for worker in team)
        milliseconds = max(worker.request.elapsed for worker in team) / self._clock.ticks
        for status in (LaunchStatus.FAULTED, LaunchStatus.CANCELLED):
            if status in statuses:
                fault = FaultRecord.from_buffer_copy(team[statuses.index(status)].fault)
                return LaunchResult(status, fault, atomics, milliseconds)
        return LaunchResult(LaunchStatus.FINISHED, FaultRecord(), atomics, milliseconds)

    def _run_together(self, team: list[_Worker], libraries: list[Library]) -> list[int]:
        if self._pool is None:
            self._pool = ThreadPoolExecutor(MAX_CORES, thread_name_prefix="emulator")
        others = [
            self._pool.submit(worker.run, library)
            for worker, library in zip(team[1:], libraries[1:], strict=True)
        ]
        try:
            return [team[0].run(libraries[0]), *(other.result() for other in others)]
        except BaseException:  # from a signal: all workers must stop before the lock is released
            self._progress.stop = 1
            wait(others)
            raise

    def release(self) -> None:
        """Free large scratch memory."""
        with LAUNCHING:
            for worker in self._workers:
                worker.release()


_FIRST: Final = threading.Lock()


def open_workers() -> Workers:
    """Return the workers of this process, which all threads share, as they share the modules."""
    with _FIRST:  # a cache alone may make several for simultaneous calls
        return _workers()


@cache
def _workers() -> Workers:
    return Workers()


# A forked process lacks the threads and makes new workers at its first launch.
hold_while_forking(_FIRST)
hold_while_forking(LAUNCHING, _workers.cache_clear)
