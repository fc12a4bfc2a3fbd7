"""Run a recorded algorithm again on the emulator, to trace one of its launches."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Mapping
from enum import EnumType
from pathlib import Path
from typing import Any, Final

import numpy as np

from ccl_viewer.algorithms import find_algorithm
from ccl_viewer.algorithms.base import is_sandboxed
from ccl_viewer.devices.emulator.device import EmulatorDevice, EmulatorRun
from ccl_viewer.devices.emulator.events import MAX_EVENTS, LaunchEvents
from ccl_viewer.devices.source import SourceFinder
from ccl_viewer.diagnostics.phases.trace import LaunchTrace
from ccl_viewer.errors import InputError
from ccl_viewer.execution.device import Elapsed, Progress
from ccl_viewer.execution.driver import execute
from ccl_viewer.execution.plan import Buffer, Dim3, Launch, Task
from ccl_viewer.execution.schedule import Schedule, choose_schedule
from ccl_viewer.recording import Recording, Step
from ccl_viewer.recording.recorder import make_plan
from ccl_viewer.storage.resources import kernel_path
from ccl_viewer.storage.temporaries import scratch_folder
from ccl_viewer.support.cancellation import CancelToken
from ccl_viewer.support.units import counted
from ccl_viewer.user_kernels.process import RUN, ChildProcess, Limits
from ccl_viewer.user_kernels.recorder import own_code_fields

EVENTS: Final = "events.pickle"
"""File of events that the process of a copy writes, in addition to its report."""

_EVENT_MODULES: Final = (
    "ccl_viewer.execution.plan",
    "ccl_viewer.devices.emulator.events",
    "ccl_viewer.execution.source_location",
)
_ARRAYS: Final = ("ndarray", "dtype", "_reconstruct", "_frombuffer", "scalar")
_DEFAULT_THREADS: Final = 2**14
"""Most threads of a launch for which the default is to log all blocks."""


def trace_launch(
    recording: Recording,
    step: int,
    block: Dim3 | None = None,
    *,
    schedule: str | None = None,
    most_events: int = MAX_EVENTS,
    find_source: SourceFinder = kernel_path,
    limits: Limits | None = None,
    cancel: CancelToken | None = None,
    progress: Progress | None = None,
) -> LaunchTrace:
    """Run a recorded algorithm again on the emulator, up to a step, and log that launch.

    The run has the recording's grid, algorithm, connectivity, parameters and schedule. A GPU's run
    is repeated in the emulator's default schedule, and the trace says so.

    Parameters
    ----------
    recording : Recording
        The run; it may come from a file, or have failed.
    step : int
        The launch: from 0, or from -1 backwards from the end.
    block : tuple of three int or None
        The block to log, as (x, y, z). None logs all blocks, which suits small launches; see
        :func:`default_block`.
    schedule : str or None
        Order of the threads: ``"synchronous"``, ``"sequential"``, ``"reverse"`` or
        ``"random:SEED"``. None for the recording's.
    most_events : int
        Most events to log, from the start: 40 bytes each.
    find_source : callable
        Finds the source file of a kernel module. User code is found, and runs in a
        child process, unless another function is given.
    limits : Limits or None
        What user code may take.
    cancel : CancelToken or None
        Stops the run if cancelled.
    progress : callable or None
        Called with what takes long.

    Returns
    -------
    LaunchTrace
        The trace of the launch. If it ends with a fault, it has all events before that.

    Raises
    ------
    InputError
        If there is no such step or block, or the emulator's run does not reach the step.
    DeviceUnavailableError, KernelBuildError, KernelFaultError, CancelledError
        As for :func:`ccl_viewer.record`.
    """
    traced = recording.step(step)
    if block is not None and not all(0 <= i < n for i, n in zip(block, traced.grid, strict=True)):
        raise InputError(
            f"There is no block {block}: the launch has {traced.grid[0]} x {traced.grid[1]} blocks."
        )
    order = _choose_schedule(recording, schedule)
    if is_sandboxed(recording.algorithm) and find_source is kernel_path:
        job = {"step": traced.index, "block": block, "schedule": str(order), "most": most_events}
        events = _trace_in_sandbox(recording, job, limits or Limits(), cancel, progress)
    else:
        device = EmulatorDevice(order, find_source)
        events = collect_events(recording, traced, device, block, most_events, cancel, progress)
    before = (
        np.full(recording.image.shape, recording.layout.background, np.int32)
        if traced.index == 0
        else recording.labels(traced.index - 1)
    )
    height, width = recording.image.shape
    trace = LaunchTrace(events, (height, width), traced, order, before)
    trace.note = _describe_differences(trace, recording)
    return trace


def default_block(step: Step) -> Dim3 | None:
    """Return the block of a launch to log first; None for all blocks of a small launch."""
    threads = 1
    for size in (*step.grid, *step.block):
        threads *= size
    return None if threads <= _DEFAULT_THREADS else (0, 0, 0)


class _ReachedError(Exception):
    """Not an error: the requested launch has run, so the plan can stop."""

    def __init__(self, events: LaunchEvents) -> None:
        self.events = events


class _TracedRun:
    """A run of the emulator that ends with one launch and logs its events."""

    def __init__(
        self, run: EmulatorRun, selects: Callable[[Launch], bool], block: Dim3 | None, most: int
    ) -> None:
        self._run = run
        self._wanted = selects
        self._block = block
        self._most = most

    def __getattr__(self, name: str) -> Any:
        return getattr(self._run, name)

    def launch(self, launch: Launch) -> Elapsed:
        if self._wanted(launch):
            raise _ReachedError(self._run.trace(launch, self._block, self._most))
        return self._run.launch(launch)


def collect_events(
    recording: Recording,
    step: Step,
    device: Any,
    block: Dim3 | None,
    most_events: int,
    cancel: CancelToken | None = None,
    progress: Progress | None = None,
) -> LaunchEvents:
    """Return the events of a step from a run on an emulator, for :func:`trace_launch`."""
    algorithm = find_algorithm(recording.algorithm)
    image = Buffer("image", recording.image.shape, np.dtype(np.uint8))
    parameters = algorithm.complete(recording.parameters)  # the file may be of other user code
    task = Task(image, recording.connectivity, parameters, multivalued=recording.multivalued)
    plan = make_plan(algorithm, task, consecutive=recording.consecutive)
    same = [one for one in recording.steps[: step.index] if _name(one) == _name(step)]
    left = len(same)

    def is_wanted(launch: Launch) -> bool:
        nonlocal left
        kernel = launch.kernel
        name = (kernel.module, kernel.name, kernel.macros, launch.iteration, launch.level)
        left -= name == _name(step)
        return left < 0

    with device.open(image, recording.image, timed=False, cancel=cancel, progress=progress) as run:
        try:
            execute(plan, _TracedRun(run, is_wanted, block, most_events), cancel=cancel)
        except _ReachedError as reached:
            return reached.events
    raise InputError(
        f"The emulator's run has no launch like step {step.index + 1}, {step.kernel}: another "
        "order of threads took fewer rounds; choose an earlier step."
    )


class EventsReader(pickle.Unpickler):
    """Reads the output of :func:`pickle_events`; refuses anything but plain data."""

    def find_class(self, module: str, name: str) -> Any:
        """Return a class of events, plans or arrays."""
        kind = None
        if (module, name) == ("builtins", "getattr"):
            return _member  # Python 3.11.2 pickles members of enumerations like this
        if module.partition(".")[0] == "numpy" and name in _ARRAYS:
            return super().find_class(module, name)
        if module in _EVENT_MODULES and "." not in name:  # a dotted name can leave the module
            kind = super().find_class(module, name)
        if isinstance(kind, type) and kind.__module__ == module:
            return kind
        raise pickle.UnpicklingError(f"{module}.{name} is not part of events")


def _member(kind: object, name: str) -> object:
    """Return a member of an enumeration."""
    if not isinstance(kind, EnumType):
        raise pickle.UnpicklingError(f"{kind} is not an enumeration")
    return kind[name]


def pickle_events(events: LaunchEvents, path: Path) -> None:
    """Write events for another process."""
    locations = {site: events.locate(site) for site in np.unique(events.events["site"]).tolist()}
    parts = (
        events.launch,
        events.block,
        events.events,
        events.lost,
        events.buffers,
        events.shared,
        locations,
        events.fault,
    )
    with path.open("wb") as file:
        pickle.dump(parts, file, protocol=pickle.HIGHEST_PROTOCOL)


def _trace_in_sandbox(
    recording: Recording,
    job: Mapping[str, object],
    limits: Limits,
    cancel: CancelToken | None,
    progress: Progress | None,
) -> LaunchEvents:
    """Return the events of a launch of user code, which a child process runs again."""
    title = find_algorithm(recording.algorithm).title
    settings = {
        "own": own_code_fields(recording.algorithm),
        "seconds": limits.seconds,
        "memory": limits.memory,
        "diagnose": False,
    }
    module = "ccl_viewer.diagnostics.phases.trace_worker"
    with scratch_folder() as folder, ChildProcess(module, title, limits) as child:
        recording.save(folder / RUN)
        child.run_job(folder, {**job, **settings}, cancel, progress)
        try:
            with (folder / EVENTS).open("rb") as file:
                parts = EventsReader(file).load()
            launch, block, events, lost, buffers, shared, locations, fault = parts
        except (pickle.UnpicklingError, EOFError, OSError, ValueError, TypeError, AttributeError):
            raise child.crash_error("left events that cannot be read") from None
    for array in (events, *(one.before for one in buffers)):
        array.flags.writeable = False
    return LaunchEvents(launch, block, events, lost, buffers, shared, locations.get, fault)


def _name(step: Step) -> tuple[object, ...]:
    """Return the identity of a launch, which is equal for repetitions."""
    return (step.module, step.kernel, step.macros, step.iteration, step.level)


def _choose_schedule(recording: Recording, schedule: str | None) -> Schedule:
    if schedule is not None:
        return Schedule.parse(schedule)
    if recording.emulated:
        return Schedule.parse(recording.schedule)
    return choose_schedule("auto", recording.image.size)


def _describe_differences(trace: LaunchTrace, recording: Recording) -> str:
    sentences = []
    if not recording.emulated:
        sentences.append(
            f"The recording is of {recording.device_title}; this is the emulator's run of the same "
            f"launch ({trace.schedule})."
        )
    if trace.truncated:
        sentences.append(
            f"The last {counted(trace.events.lost, 'event')} did not fit: choose one block."
        )
    elif not trace.fault and not np.array_equal(
        trace.labels_at(len(trace)), recording.labels(trace.step.index)
    ):
        why = "because of the order of threads"
        if is_sandboxed(recording.algorithm):
            why += ", or of later changes to your code"
        sentences.append(f"Its labels differ from the recorded ones, {why}.")
    return " ".join(sentences)
