"""Measure times by repeating a plan without recording it."""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from ccl_viewer.algorithms.base import Algorithm
from ccl_viewer.algorithms.table import check_multivalued, find_algorithm
from ccl_viewer.errors import InputError
from ccl_viewer.execution.device import Device, DeviceRun, Elapsed, Progress
from ccl_viewer.execution.driver import execute
from ccl_viewer.execution.ledger import LaunchLedger
from ccl_viewer.execution.plan import Buffer, Launch, ParameterValue, Stage, Task
from ccl_viewer.recording.data import Spread, Step
from ccl_viewer.recording.grid_kernels import DeviceArray
from ccl_viewer.recording.recorder import make_plan
from ccl_viewer.recording.recording import Recording
from ccl_viewer.support.cancellation import CancelToken
from ccl_viewer.support.units import counted

_MAX_REPEATS = 10_000
_LEAST_RUNS = 3
_REPEATS = 20
_BEFORE: Final = 400
_AFTER_A_READ: Final = 150
"""Microseconds for the host to launch the following kernels, up to the next read."""


@dataclass(frozen=True)
class StepKey:
    """Identifies a step in different runs, independently of its index.

    Parameters
    ----------
    stage : Stage
        The step's stage.
    kernel : str
        Name of the kernel.
    iteration, level : int or None
        As in :class:`~ccl_viewer.recording.data.Step`.
    turn : int
        Number of earlier steps that agree in all of these.
    """

    stage: Stage
    kernel: str
    iteration: int | None
    level: int | None
    turn: int


@dataclass(frozen=True)
class StepTiming:
    """The times of one step.

    Parameters
    ----------
    place : StepKey
        The step.
    spread : Spread
        Its times on the device in the runs that reached it.
    runs : int
        Number of these runs. If threads race, a loop that ends when nothing changes can take a
        different number of rounds.
    """

    place: StepKey
    spread: Spread
    runs: int


@dataclass(frozen=True)
class RunTiming:
    """The times of a plan that was played several times.

    Parameters
    ----------
    runs : int
        Number of runs.
    steps : tuple of StepTiming
        Every step that any run reached, in order.
    total : Spread
        Spread of the total time of all launches of a run.
    fewest, most : int
        Number of steps of the shortest and the longest run.
    connectivity : int
        4 or 8.
    """

    runs: int
    steps: tuple[StepTiming, ...]
    total: Spread
    fewest: int
    most: int
    connectivity: int

    @property
    def same_steps(self) -> bool:
        """Whether all runs had the same steps."""
        return all(step.runs == self.runs for step in self.steps)

    @property
    def sentence(self) -> str:
        """What the times were measured on, in words."""
        runs, count = counted(self.runs, "run"), counted(self.most, "step")
        if self.same_steps:
            return f"{runs} of {count}, not recorded."
        if self.fewest < self.most:
            count = f"{self.fewest:,} to {count}"
        return f"{runs} of {count}, not recorded: how many depends on the order of the threads."

    def match_steps(self, recording: Recording) -> tuple[StepTiming | None, ...]:
        """Return the times of a recording's steps.

        Parameters
        ----------
        recording : Recording
            A recording of the same algorithm on the same grid.

        Returns
        -------
        tuple of (StepTiming or None)
            One element per step; None for steps that no run reached.
        """
        timings = {step.place: step for step in self.steps}
        return tuple(timings.get(key) for key in _make_step_keys(recording.steps))


def time_plan(
    image: DeviceArray,
    algorithm: Algorithm,
    device: Device,
    connectivity: int | None,
    parameters: Mapping[str, ParameterValue] | None = None,
    *,
    multivalued: bool = False,
    consecutive: bool = False,
    repeats: int = 20,
    seconds: float = math.inf,
    cancel: CancelToken | None = None,
    progress: Progress | None = None,
) -> RunTiming:
    """Play an algorithm's plan repeatedly, and measure each step.

    An untimed warm-up run comes first, so that the times do not include compiling and loading.

    Parameters
    ----------
    image, algorithm, device, connectivity, parameters, multivalued, consecutive
        As for :class:`~ccl_viewer.recording.recorder.Recorder`; the image may be on the device.
    repeats : int
        Number of measured runs, from 1 to 10,000.
    seconds : float
        Time after which no further run is started, if there are three.
    cancel : CancelToken or None
        Stops the work if cancelled.
    progress : callable or None
        Called with what takes long, and with the number of the run.

    Returns
    -------
    RunTiming
        The times, measured by the device around each launch.

    Raises
    ------
    InputError
        If an argument cannot be used as given.
    CancelledError
        If the work was cancelled.
    CCLViewerError
        Any error of the device.
    """
    if isinstance(repeats, bool) or not 1 <= repeats <= _MAX_REPEATS:
        raise InputError(f"Choose 1 to {_MAX_REPEATS:,} repeats, not {repeats!r}.")
    check_multivalued(algorithm, multivalued)
    task = Task(
        Buffer("image", image.shape, np.dtype(np.uint8)),
        algorithm.resolve_connectivity(connectivity),
        algorithm.complete(parameters or {}),
        multivalued=multivalued,
    )
    runs: list[_Times] = []
    end = time.monotonic() + seconds
    for number in range(repeats + 1):
        if number > _LEAST_RUNS and time.monotonic() > end:
            break
        if progress is not None:
            progress(f"Timing: run {number} of {repeats}" if number else "Timing: warming up")
        timer = LaunchTimer()
        plan = make_plan(algorithm, task, consecutive=consecutive)
        with device.open(task.image, image, cancel=cancel, progress=progress) as run:
            execute(plan, DelayingRun(run, device), observer=timer, cancel=cancel)
            times = timer.milliseconds()
        if number:
            runs.append(dict(zip(_make_step_keys(timer.launches), times, strict=True)))
    return _combine(runs, task.connectivity)


def measure_steps(
    recording: Recording,
    device: Device,
    *,
    seconds: float = 1.0,
    cancel: CancelToken | None = None,
    progress: Progress | None = None,
) -> None:
    """Set the times of a recording's steps to medians of runs that are not recorded.

    The time of the recorded launch is not representative: recording adds launches in between, and
    the GPU was cold. Recordings of the emulator, and of runs that were broken off, keep their
    times.

    Parameters
    ----------
    recording : Recording
        A recording from this device, which gets the times.
    device : Device
        The device.
    seconds : float
        Time after which no further run is started, if there are three.
    cancel : CancelToken or None
        Stops the work if cancelled.
    progress : callable or None
        Called with what takes long.

    Raises
    ------
    CancelledError
        If the work was cancelled.
    CCLViewerError
        Any error of the device; the steps then have no times.
    """
    if not recording.needs_timing:
        return
    kernels = recording.grid_kernels
    timing = time_plan(
        recording.image if kernels.backend.on_host else kernels.image,
        find_algorithm(recording.algorithm),
        device,
        recording.connectivity,
        recording.parameters,
        multivalued=recording.multivalued,
        consecutive=recording.consecutive,
        repeats=_REPEATS,
        seconds=seconds,
        cancel=cancel,
        progress=progress,
    )
    timings = timing.match_steps(recording)
    recording.take_times([None if step is None else step.spread for step in timings])


_Times: TypeAlias = dict[StepKey, float]
"""The milliseconds of each step of a run, in order."""


class DelayingRun:
    """Forwards requests to a run; holds the GPU back where launches would wait for the host.

    Parameters
    ----------
    run : DeviceRun
        The run, before its first launch.
    device : Device
        The device.
    """

    def __init__(self, run: DeviceRun, device: Device) -> None:
        self._run = run
        self._device = device
        self.allocate = run.allocate
        self.fill = run.fill
        self.launch = run.launch
        self.start_read = run.start_read
        self.take = run.take
        self.array = run.array
        self.close = run.close
        device.delay_launches(_BEFORE)

    @property
    def atomics(self) -> int | None:
        """Calls of atomic functions in the last launch, if counted."""
        return self._run.atomics

    @property
    def printed(self) -> tuple[str, ...]:
        """Lines that the last launch printed."""
        return self._run.printed

    @property
    def ledger(self) -> LaunchLedger | None:
        """Ledger of the last launch, if counted."""
        return self._run.ledger

    def read(self, buffer: Buffer) -> npt.NDArray[Any]:
        """Return a buffer's elements."""
        values = self._run.read(buffer)
        self._device.delay_launches(_AFTER_A_READ)
        return values


class LaunchTimer:
    """Collects the launches of a run, and reads their times after the last was started."""

    def __init__(self) -> None:
        self.launches: list[Launch] = []
        self._elapsed: list[Elapsed] = []

    def launched(self, launch: Launch, elapsed: Elapsed, _run: DeviceRun, /) -> None:
        """Store a launch; called by the driver."""
        self.launches.append(launch)
        self._elapsed.append(elapsed)

    def milliseconds(self) -> list[float]:
        """Return the time of each launch; waits for the device."""
        return [elapsed() for elapsed in self._elapsed]


def _make_step_keys(steps: Iterable[Launch | Step]) -> list[StepKey]:
    turns: Counter[StepKey] = Counter()
    places = []
    for step in steps:
        kernel = step.kernel if isinstance(step, Step) else step.kernel.name
        first = StepKey(step.stage, kernel, step.iteration, step.level, turn=0)
        places.append(replace(first, turn=turns[first]))
        turns[first] += 1
    return places


def _combine(runs: list[_Times], connectivity: int) -> RunTiming:
    steps = []
    for key in _order_keys(runs):
        times = [times[key] for times in runs if key in times]
        steps.append(StepTiming(key, Spread.of(times), len(times)))
    return RunTiming(
        runs=len(runs),
        steps=tuple(steps),
        total=Spread.of(sum(times.values()) for times in runs),
        fewest=min(len(times) for times in runs),
        most=max(len(times) for times in runs),
        connectivity=connectivity,
    )


def _order_keys(runs: list[_Times]) -> list[StepKey]:
    """Return the keys of all runs, each after the key that it followed when it first occurred."""
    order: list[StepKey] = []
    placed: set[StepKey] = set()
    for times in runs:
        before = -1
        for key in times:
            if key not in placed:
                order.insert(before + 1, key)
                placed.add(key)
            follows = order[before + 1 : before + 2] == [key]
            before = before + 1 if follows else order.index(key)
    return order
