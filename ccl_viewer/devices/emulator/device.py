"""The emulator as a device: runs kernels on the CPU, in the order of a schedule."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from ccl_viewer.devices.emulator.backend import EmulatorArrayBackend, emulator_backend
from ccl_viewer.devices.emulator.binding import Binding
from ccl_viewer.devices.emulator.build import is_any_module_cached
from ccl_viewer.devices.emulator.compiler import find_compiler
from ccl_viewer.devices.emulator.events import MAX_EVENTS, EventLog, LaunchEvents
from ccl_viewer.devices.emulator.fault_messages import cancelled_error, describe_stray, fault_error
from ccl_viewer.devices.emulator.kernels import KernelCache, LoadedKernel
from ccl_viewer.devices.emulator.ledger_reader import LedgerReader
from ccl_viewer.devices.emulator.library import LaunchStatus
from ccl_viewer.devices.emulator.memcheck import Memcheck
from ccl_viewer.devices.emulator.memory import Allocation, find_first_stray, upload
from ccl_viewer.devices.emulator.printing import PrintBuffer
from ccl_viewer.devices.emulator.workers import open_workers
from ccl_viewer.devices.source import SourceFinder, read_source
from ccl_viewer.errors import DeviceUnavailableError, KernelFaultError
from ccl_viewer.execution.device import DeviceReport, Elapsed, Progress, untimed
from ccl_viewer.execution.finding import FindingSink
from ccl_viewer.execution.ledger import LaunchLedger
from ccl_viewer.execution.plan import Array, Buffer, Dim3, Kernel, Launch, linear_index
from ccl_viewer.execution.schedule import SEQUENTIAL, Order, Schedule
from ccl_viewer.storage.resources import kernel_path
from ccl_viewer.support.cancellation import CancelToken
from ccl_viewer.support.cores import core_count

MAX_TURNS = 2**30
"""Loop iterations that any thread may make, on any grid."""

_TURNS_AT_LEAST = 2**26
_TURNS_EACH = 2**12  # for each thread and each element, since a thread may visit all elements

_TITLE = "CPU emulator"
_SMALL_LAUNCH = 16_384  # threads or cells; fewer are not worth waking other cores
_LARGE_ARRAY = 1 << 20  # bytes from which an array may keep the guards around it
_SEED_STRIDE = 0x9E3779B97F4A7C15  # makes launches of neighbouring seeds differ


class EmulatorDevice:
    """Runs kernels on the CPU.

    Parameters
    ----------
    schedule : Schedule
        Order of the threads.
    find_source : callable
        Finds the source file of a kernel module.
    turn_limit : int or None
        Loop iterations after which a thread counts as endless; None for a number that grows with
        the launch and its buffers.
    cores : int or None
        Threads for sequential launches; None for all cores.
    on_finding : callable or None
        Called with the findings of the memory check, which makes launches much slower; None to omit
        the check.
    device_races : bool
        Whether the memory check also looks for races in device memory. It takes up to 100 bytes of
        notes per byte of the buffers.
    ledger : bool
        Whether to count memory accesses, which makes launches slower.
    """

    key = "emulator"
    title = _TITLE
    on_host = True
    synchronous = True
    counts_accesses = True
    cold_launches = False
    many_threads = False

    def __init__(
        self,
        schedule: Schedule = SEQUENTIAL,
        find_source: SourceFinder = kernel_path,
        *,
        turn_limit: int | None = None,
        cores: int | None = None,
        on_finding: FindingSink | None = None,
        device_races: bool = False,
        ledger: bool = False,
    ) -> None:
        self.ordering = schedule
        self.find_source = find_source
        self.turn_limit = turn_limit
        self.cores = core_count() if cores is None else cores
        self.on_finding = on_finding
        self.device_races = device_races
        self.ledger = ledger
        traced = schedule.order.interleaves or on_finding is not None or ledger
        checked = on_finding is not None
        self._kernels = KernelCache(find_source, traced=traced, checked=checked)
        reuse = traced and not checked
        self._traced_kernels = self._kernels if reuse else KernelCache(find_source, traced=True)

    @property
    def schedule(self) -> str:
        """The schedule's name."""
        return str(self.ordering)

    @staticmethod
    def report_availability() -> DeviceReport:
        """Return whether the emulator can be used here."""
        try:
            zig = find_compiler()
        except DeviceUnavailableError as error:
            available = is_any_module_cached()
            return DeviceReport("emulator", _TITLE, available=available, detail=str(error))
        detail = f"{core_count()} cores; compiles with {zig}"
        return DeviceReport("emulator", _TITLE, available=True, detail=detail)

    @contextmanager
    def open(
        self,
        image: Buffer,
        pixels: Any,
        *,
        timed: bool = True,
        cancel: CancelToken | None = None,
        progress: Progress | None = None,
    ) -> Iterator[EmulatorRun]:
        """Begin a run; see :meth:`ccl_viewer.execution.device.Device.open`."""
        run = EmulatorRun(self, timed=timed, cancel=cancel, progress=progress)
        try:
            run.upload(image, pixels)
            yield run
        finally:
            run.close()

    def delay_launches(self, microseconds: int) -> None:
        """Do nothing: each launch runs at once."""

    @staticmethod
    def array_backend() -> EmulatorArrayBackend:
        """Return its backend; see :meth:`ccl_viewer.execution.device.Device.array_backend`."""
        return emulator_backend()

    def kernel(self, kernel: Kernel, progress: Progress | None = None) -> LoadedKernel:
        """Return a kernel ready to launch; compile its module if necessary.

        Raises
        ------
        KernelBuildError
            If the module does not compile, or has no such kernel.
        DeviceUnavailableError
            If the compiler or its cache folder cannot be used.
        """
        return self._kernels.get(kernel, progress)

    def traced_kernel(self, kernel: Kernel, progress: Progress | None = None) -> LoadedKernel:
        """Return a kernel of the traced build; otherwise as :meth:`kernel`."""
        return self._traced_kernels.get(kernel, progress)


class EmulatorRun:
    """The memory and launches of one run.

    Parameters
    ----------
    device : EmulatorDevice
        The device.
    timed : bool
        Whether launches are timed.
    cancel : CancelToken or None
        Polled while kernels run.
    progress : callable or None
        Called when a module is compiled.
    """

    def __init__(
        self,
        device: EmulatorDevice,
        *,
        timed: bool,
        cancel: CancelToken | None,
        progress: Progress | None,
    ) -> None:
        self._device = device
        self._timed = timed
        self._cancel = cancel
        self._progress = progress
        sink = device.on_finding
        races = device.device_races
        self._memcheck = None if sink is None else Memcheck(sink, device_races=races)
        self._bookkeeper = LedgerReader() if device.ledger else None
        self._ledger: LaunchLedger | None = None
        self._memory: dict[Buffer, Allocation] = {}
        self._fetched: dict[Buffer, Array] = {}
        self._bindings: dict[Kernel, Binding] = {}
        self._launches = 0
        self._atomics = 0
        self._output = PrintBuffer()
        self.printed: tuple[str, ...] = ()

    @property
    def atomics(self) -> int:
        """Calls of atomic functions in the last launch."""
        return self._atomics

    @property
    def ledger(self) -> LaunchLedger | None:
        """Ledger of the last launch; None if nothing is counted, or it did not finish."""
        return self._ledger

    @property
    def nbytes(self) -> int:
        """Bytes of device memory of the run's buffers, including the image."""
        return sum(buffer.nbytes for buffer in self._memory)

    def upload(self, image: Buffer, pixels: Any) -> None:
        """Copy the grid into device memory."""
        array = np.asarray(pixels)
        self._memory[image] = upload(image, array if array.dtype == image.dtype else array != 0)
        if self._memcheck is not None:
            self._memcheck.watch(self._memory[image], written=True)

    def allocate(self, buffer: Buffer) -> None:
        """Allocate a buffer; see :class:`ccl_viewer.execution.device.DeviceRun`."""
        self._memory[buffer] = Allocation(buffer)
        if self._memcheck is not None:
            self._memcheck.watch(self._memory[buffer], written=buffer.fill is not None)

    def fill(self, buffer: Buffer, value: int) -> None:
        """Set every element of a buffer."""
        self._memory[buffer].array[...] = value
        if self._memcheck is not None:
            self._memcheck.mark_written(self._memory[buffer])

    def launch(self, launch: Launch) -> Elapsed:
        """Run a kernel to its end; see :class:`ccl_viewer.execution.device.DeviceRun`.

        Raises
        ------
        KernelFaultError
            If the kernel failed, or does not fit its arguments.
        CancelledError
            If the run was cancelled.
        """
        binding = self._binding(launch.kernel)
        allocations = binding.bind(launch, self._memory)
        binding.request.seed = self._next_seed()
        binding.request.turn_limit = self._limit_turns(launch, allocations)
        if self._memcheck is not None:
            binding.request.check = self._memcheck.prepare(allocations)
        binding.request.output = self._output.address
        self._ledger = None
        if self._bookkeeper is not None:
            binding.request.ledger = self._bookkeeper.prepare(allocations)
        module = binding.kernel.module
        report = open_workers().launch(
            module, binding.request, self._choose_workers(launch, allocations)
        )
        self._atomics = report.atomics
        self.printed = self._output.collect_lines(launch)
        if self._memcheck is not None:
            self._memcheck.report(launch, allocations, module)
        if self._bookkeeper is not None and report.status == LaunchStatus.FINISHED:
            self._ledger = self._bookkeeper.read(launch, allocations, module.locate)
        if report.status == LaunchStatus.CANCELLED:
            raise cancelled_error(report.fault, launch, module.locate(report.fault.site))
        if report.status == LaunchStatus.FAULTED:
            location = module.locate(report.fault.site)
            limit = binding.request.turn_limit
            raise fault_error(report.fault, launch, allocations, limit, location)
        stray = find_first_stray(allocations)
        if stray is not None:
            allocation, offset = stray
            raise KernelFaultError(
                describe_stray(launch, allocation.name, allocation.nbytes, offset)
            )
        return (lambda: report.milliseconds) if self._timed else untimed

    def trace(
        self, launch: Launch, block: Dim3 | None = None, most_events: int = MAX_EVENTS
    ) -> LaunchEvents:
        """Run a kernel to its end in the traced build, and return its events.

        Parameters
        ----------
        launch : Launch
            The launch. It runs as in :meth:`launch` on one core.
        block : tuple of three int or None
            The block to log; None for all.
        most_events : int
            Most events to log, from the start.

        Returns
        -------
        LaunchEvents
            The events; a fault is reported there, and not raised.

        Raises
        ------
        KernelFaultError
            If the kernel does not fit its arguments.
        CancelledError
            If the run was cancelled.
        """
        kernel = self._device.traced_kernel(launch.kernel, self._progress)
        binding = Binding(kernel, self._device.ordering)
        allocations = binding.bind(launch, self._memory)
        request = binding.request
        request.cancel = 0 if self._cancel is None else self._cancel.address
        request.seed = self._next_seed()
        request.turn_limit = self._limit_turns(launch, allocations)
        log = EventLog(None if block is None else linear_index(block, launch.grid), most_events)
        request.events = log.begin_launch(kernel.module, allocations)
        report = open_workers().launch(kernel.module, request, 1)
        self._atomics = report.atomics
        if report.status == LaunchStatus.CANCELLED:
            raise cancelled_error(report.fault, launch, kernel.module.locate(report.fault.site))
        fault = ""
        if report.status == LaunchStatus.FAULTED:
            location = kernel.module.locate(report.fault.site)
            fault = str(
                fault_error(report.fault, launch, allocations, request.turn_limit, location)
            )
        source = read_source(self._device.find_source(launch.kernel.module), launch.kernel.macros)
        return log.collect(launch, kernel.module, source, fault)

    def _binding(self, kernel: Kernel) -> Binding:
        binding = self._bindings.get(kernel)
        if binding is None:
            loaded = self._device.kernel(kernel, self._progress)
            checked = self._memcheck is not None
            binding = Binding(loaded, self._device.ordering, checked=checked)
            binding.request.cancel = 0 if self._cancel is None else self._cancel.address
            self._bindings[kernel] = binding
        return binding

    def _limit_turns(self, launch: Launch, allocations: list[Allocation]) -> int:
        """Return the limit of a thread's loop iterations."""
        if self._device.turn_limit is not None:
            return self._device.turn_limit
        threads = math.prod(launch.grid) * math.prod(launch.block)
        size = threads + sum(allocation.array.size for allocation in allocations)
        return min(MAX_TURNS, _TURNS_AT_LEAST + _TURNS_EACH * size)

    def _next_seed(self) -> int:
        self._launches += 1
        return (self._device.ordering.seed * _SEED_STRIDE + self._launches) % 2**64

    def _choose_workers(self, launch: Launch, allocations: list[Allocation]) -> int:
        """Return the number of workers for a launch."""
        alone = self._memcheck is not None or self._bookkeeper is not None
        if self._device.ordering.order is not Order.SEQUENTIAL or alone:
            return 1
        blocks = math.prod(launch.grid)
        cells = max((allocation.array.size for allocation in allocations), default=0)
        if max(cells, blocks * math.prod(launch.block)) < _SMALL_LAUNCH:
            return 1
        return min(self._device.cores, blocks)

    def start_read(self, buffer: Buffer) -> None:
        """Copy a buffer's contents for its next :meth:`read`."""
        self._fetched[buffer] = self._memory[buffer].view.copy()

    def read(self, buffer: Buffer) -> Array:
        """Return a buffer's memory, or the fetched copy; do not write to it."""
        fetched = self._fetched.pop(buffer, None)
        return self._memory[buffer].view if fetched is None else fetched

    def array(self, buffer: Buffer) -> Array:
        """Return a buffer's memory; do not write to it."""
        return self._memory[buffer].view

    def take(self, buffer: Buffer) -> Array:
        """Return a buffer as a separate array: its memory if that is large, otherwise a copy."""
        array = self._memory.pop(buffer).array
        return array if array.nbytes > _LARGE_ARRAY else array.copy()

    def close(self) -> None:
        """Free the memory."""
        self._memory.clear()
        self._fetched.clear()
        self._bindings.clear()
        open_workers().release()
