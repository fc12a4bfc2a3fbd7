"""Run a plan on a device and record the labels after every launch."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from ccl_viewer.algorithms.base import Algorithm
from ccl_viewer.algorithms.consecutive import label_consecutively
from ccl_viewer.algorithms.copies import is_copy, source_path
from ccl_viewer.algorithms.table import check_multivalued
from ccl_viewer.devices.emulator.memory import UNINITIALISED
from ccl_viewer.errors import (
    CancelledError,
    CCLViewerError,
    DeviceUnavailableError,
    Diagnostic,
    KernelFaultError,
    as_viewer_error,
)
from ccl_viewer.execution.device import Device, DeviceRun, Elapsed, Progress
from ccl_viewer.execution.driver import execute
from ccl_viewer.execution.finding import Finding
from ccl_viewer.execution.ledger import LaunchLedger
from ccl_viewer.execution.plan import (
    Array,
    Buffer,
    Dim3,
    LabelLayout,
    Launch,
    Outcome,
    ParameterValue,
    Plan,
    Task,
)
from ccl_viewer.recording.arguments import ArgumentReader
from ccl_viewer.recording.data import (
    COUNTS,
    MAX_PRINTED,
    Ending,
    RecordingData,
    RunDescription,
    RunFault,
    Step,
    UninitialisedCells,
)
from ccl_viewer.recording.delta import Frame
from ccl_viewer.recording.grid_kernels import ChangeCounts, DeviceArray
from ccl_viewer.recording.history import LABELS, FrameBudget, FrameType
from ccl_viewer.recording.recording import Recording, judge_frame
from ccl_viewer.reference import Verdict
from ccl_viewer.support.cancellation import CancelToken, never_cancel

_SECONDS_AT_ONCE: Final = 0.04
"""Time for which a GPU's launches are collected before their labels are examined. Most runs end
earlier, and are shown once, when they are complete."""

_HELD_SHARE: Final = 8
"""Largest share of the room for frames taken by launches that are not steps yet."""

OnStep: TypeAlias = Callable[[Step], None]
"""Called with each step when it can be read, on the recording thread."""


@dataclass(frozen=True)
class _LaunchCopy:
    """Copies on the device after a launch; labels only if the launch uses them."""

    launch: Launch
    labels: DeviceArray | None
    layers: Mapping[str, DeviceArray]
    milliseconds: float
    atomics: int | None
    ledger: LaunchLedger | None


class Recorder:
    """Records one run.

    Any thread can read :attr:`recording` immediately; it grows during :meth:`run`.

    Parameters
    ----------
    image : ndarray of uint8, shape (height, width)
        The grid; it is copied unless it is read-only. 0 is background.
    algorithm : Algorithm
        The algorithm.
    device : Device
        The device.
    connectivity : int or None
        4 or 8; None for the algorithm's default.
    parameters : mapping or None
        The algorithm's parameters; missing ones have their defaults.
    multivalued : bool
        Whether only cells of equal non-zero value connect, instead of all non-zero cells.
    consecutive : bool
        Whether the components are then numbered, in the layer ``"numbers"``.
    cancel : CancelToken or None
        Stops the run if cancelled.
    progress : callable or None
        Called with what takes long.
    on_step : callable or None
        Called with each step.

    Raises
    ------
    InputError
        If the algorithm does not support the connectivity, a parameter or multi-valued input.
    """

    def __init__(
        self,
        image: npt.NDArray[np.uint8],
        algorithm: Algorithm,
        device: Device,
        connectivity: int | None,
        parameters: Mapping[str, ParameterValue] | None = None,
        *,
        multivalued: bool = False,
        consecutive: bool = False,
        cancel: CancelToken | None = None,
        progress: Progress | None = None,
        on_step: OnStep | None = None,
    ) -> None:
        check_multivalued(algorithm, multivalued)
        pixels = _freeze(image)
        description = RunDescription(
            image=pixels,
            algorithm=algorithm.key,
            device=device.key,
            device_title=device.title,
            schedule=device.schedule,
            connectivity=algorithm.resolve_connectivity(connectivity),
            parameters=algorithm.complete(parameters or {}),
            multivalued=multivalued,
        )
        self._algorithm = algorithm
        self._device = device
        self._counts = device.ledger
        self._consecutive = consecutive
        self._cancel = cancel
        self._progress = progress
        self._on_step = on_step
        self._backend = device.array_backend()
        self._data = RecordingData(description, self._backend)
        self._reader = ArgumentReader(source_path)
        self._initialised: set[Buffer] = set()
        self._bare: dict[Buffer, npt.NDArray[np.bool_]] = {}
        self._layers: dict[str, Buffer] = {}
        self._waiting: list[_LaunchCopy] = []
        # On the CPU there is nothing to wait for; of a copy, the faulty launch must be known.
        self._one_by_one = self._backend.on_host or is_copy(algorithm.key)
        self._looked = perf_counter()
        self._recording = Recording(self._data)
        self.diagnostics: tuple[Diagnostic, ...] = ()
        self.findings: Sequence[Finding] = ()

    @property
    def recording(self) -> Recording:
        """The recording, which grows during :meth:`run`."""
        return self._recording

    def run(self) -> Recording:
        """Play the plan to its end; call it once.

        Returns
        -------
        Recording
            :attr:`recording`, now complete. Its verdict says whether the labels are correct.

        Raises
        ------
        CancelledError
            If the run was cancelled; the steps so far stay in :attr:`recording`.
        KernelFaultError
            If a kernel failed; on the emulator, its launch is the last step.
        CCLViewerError
            Any other error of the device; the steps so far stay in :attr:`recording`, too.
        """
        try:
            self._play()
        except Exception as error:  # a plan's own mistakes, too
            with suppress(CCLViewerError):  # after a failure, a GPU raises again
                self._add_waiting()
            self._data.failure = str(as_viewer_error(error))
            self._data.cancelled = isinstance(error, CancelledError)
            raise
        return self._recording

    def launched(self, launch: Launch, elapsed: Elapsed, run: DeviceRun) -> None:
        """Record a launch; called by the driver."""
        atomics, ledger = run.atomics, run.ledger
        self._data.printed += run.printed[: MAX_PRINTED - len(self._data.printed)]
        buffer = find_label_buffer(launch)
        labels: DeviceArray | None = None
        milliseconds = math.nan
        if self._one_by_one:
            milliseconds = elapsed()  # waits for the launch, and raises its faults
        if self._device.cold_launches:
            milliseconds = math.nan  # measured later
        if buffer is not None:
            self._begin(_require_layout(buffer), launch)
            labels = self._copy_labels(run, buffer, len(self._data.steps))
        layers = self._copy_layers(launch, run)
        self._waiting.append(_LaunchCopy(launch, labels, layers, milliseconds, atomics, ledger))
        if self._is_due():
            self._add_waiting()

    def _is_due(self) -> bool:
        """Return whether to turn the launches so far into steps.

        Examining labels waits for the GPU, which takes longer than most launches.
        """
        if self._one_by_one:
            return True
        copy = self._waiting[-1]
        arrays = len(copy.layers) + (copy.labels is not None)
        nbytes = len(self._waiting) * arrays * self._data.run.image.size * LABELS.itemsize
        late = perf_counter() - self._looked > _SECONDS_AT_ONCE
        return late or nbytes > self._backend.memory_budget // _HELD_SHARE

    def _play(self) -> None:
        description = self._data.run
        image = Buffer("image", description.image.shape, np.dtype(np.uint8))
        task = Task(
            image,
            description.connectivity,
            description.parameters,
            multivalued=description.multivalued,
        )
        plan = make_plan(self._algorithm, task, consecutive=self._consecutive)
        with self._device.open(
            image,
            description.image,
            timed=self._one_by_one,
            cancel=self._cancel,
            progress=self._progress,
        ) as run:
            self._looked = perf_counter()
            self._data.image = None if self._backend.on_host else run.array(image)
            try:
                outcome = execute(plan, run, observer=self, cancel=self._cancel)
            except KernelFaultError as error:
                self._record_fault(error, run)
                raise
            self._finish(outcome, run)

    def _record_fault(self, error: KernelFaultError, run: DeviceRun) -> None:
        """Record a fault, and the launch as a last step if its labels can be read."""
        launch = error.launch
        if not isinstance(launch, Launch):
            self._data.fault = RunFault(str(error), error.kernel, file=error.file)
            return
        self._data.fault = RunFault(
            str(error),
            launch.kernel.name,
            error.block,
            error.thread,
            _find_fault_cell(error, launch, self._data.run.image.shape),
            error.file or launch.kernel.file,
            error.line,
        )
        if self._device.synchronous:
            self.launched(launch, lambda: math.nan, run)

    def _finish(self, outcome: Outcome, run: DeviceRun) -> None:
        layout = _require_layout(outcome.labels)
        if not self._data.started:
            self._start(layout)
        for launch in outcome.completion:
            run.launch(launch)
        if self._progress is not None:
            self._progress("Checking the result")
        check = never_cancel if self._cancel is None else self._cancel.check
        last = len(self._data.steps) - 1
        labels = self._copy_labels(run, outcome.labels, last)
        bare = self._data.uninitialised
        if bare is not None and bare.last == last:
            expected = self._data.grid_kernels.component_count
            verdict = Verdict(correct=False, expected=expected, found=0, fault=bare.sentence)
        else:
            verdict = judge_frame(self._recording, labels, check)
        self._add_waiting()
        self._data.ending = Ending(outcome.converged, outcome.iterations, verdict)

    def _begin(self, layout: LabelLayout, launch: Launch) -> None:
        if not self._data.started:
            self._start(layout)
        elif layout != self._data.layout:
            raise ValueError(f"{launch.kernel.name}: a recording shows labels of one layout only")

    def _start(self, layout: LabelLayout) -> None:
        self._data.start(layout)
        if self._counts:
            self._data.start_counts()

    def _copy_layers(self, launch: Launch, run: DeviceRun) -> dict[str, DeviceArray]:
        """Copy every layer that launches have used so far, since fills can change them."""
        for argument in launch.arguments:
            if isinstance(argument, Buffer) and argument.layer is not None:
                self._layers[argument.layer] = argument
        return {
            name: self._copy_buffer(run, buffer, buffer.layout, self._choose_layer_type(buffer))
            for name, buffer in self._layers.items()
        }

    def _choose_layer_type(self, buffer: Buffer) -> FrameType:
        """Return the type of a layer's frames; unsigned types need the next larger signed one."""
        layout, shape = buffer.layout, self._data.run.image.shape
        cells = buffer.shape if layout is None else (layout.height, layout.width)
        if cells != shape:
            raise ValueError(f"the layer {buffer.layer} has shape {cells}, the grid {shape}")
        return LABELS if np.can_cast(buffer.dtype, LABELS) else np.dtype(np.int64)

    def _copy_buffer(
        self, run: DeviceRun, buffer: Buffer, layout: LabelLayout | None, dtype: FrameType
    ) -> DeviceArray:
        """Copy a buffer within the device; pack frames first if there is no room."""
        try:
            return self._backend.crop(run.array(buffer), layout, dtype)
        except DeviceUnavailableError:
            self._add_waiting()
            FrameBudget.of(self._backend).clear()
            if self._progress is not None:
                self._progress("The device's memory is full: moving frames to the host")
            return self._backend.crop(run.array(buffer), layout, dtype)

    def _copy_labels(self, run: DeviceRun, buffer: Buffer, step: int) -> DeviceArray:
        """Copy labels; on the emulator, those that nobody has stored become cells without one."""
        layout = _require_layout(buffer)
        frame = self._copy_buffer(run, buffer, layout, LABELS)
        if not self._backend.on_host or buffer.fill is not None or buffer in self._initialised:
            return frame
        bare = frame == UNINITIALISED
        earlier = self._bare.get(buffer)
        if earlier is not None:  # what a cell holds can be copied to others
            bare &= earlier
        self._bare[buffer] = bare
        if not bare.any():
            self._initialised.add(buffer)
            return frame
        frame[bare] = layout.background
        self._data.uninitialised = UninitialisedCells.find(bare, step, self._data.uninitialised)
        return frame

    def _add_waiting(self) -> None:
        """Turn the launches so far into steps, if the layout of the labels is known."""
        if not self._data.started or not self._waiting:
            return
        data, history = self._data, self._data.label_history
        copies, self._waiting = self._waiting, []
        last, pairs = history.device_frame(len(history) - 1), []
        for copy in copies:
            after = last if copy.labels is None else copy.labels
            if after is None:
                after = self._backend.empty(history.shape, LABELS, data.layout.background)
            pairs.append((last, after))
            last = after
        layers = self._count_layer_changes(copies)
        changes = data.grid_kernels.count_changes(pairs, data.layout)
        last = pairs[0][0]
        for copy, (_, labels), counted, changed in zip(copies, pairs, changes, layers, strict=True):
            if last is None or counted.changed:
                last = labels
            self._add(copy, last, counted, changed)
        self._looked = perf_counter()

    def _count_layer_changes(self, copies: list[_LaunchCopy]) -> list[dict[str, int]]:
        """Count the cells in which each launch changed layers, except each layer's first."""
        last: dict[str, DeviceArray] = {}
        for name, history in self._data.layers.items():
            last[name] = history.device_frame(len(history) - 1)
        names, pairs = [], []
        for index, copy in enumerate(copies):
            for name, frame in copy.layers.items():
                if last.get(name) is not None:
                    names.append((index, name))
                    pairs.append((last[name], frame))
                last[name] = frame
        changes: list[dict[str, int]] = [{} for _ in copies]
        counts = self._data.grid_kernels.count_differing(pairs) if pairs else []
        for (index, name), count in zip(names, counts, strict=True):
            changes[index][name] = count
        return changes

    def _keep_layers(self, frames: Mapping[str, DeviceArray], changed: Mapping[str, int]) -> None:
        for name, frame in frames.items():
            history = self._data.layers.get(name)
            if history is None:
                buffer = self._layers[name]
                before = self._data.layout.background if buffer.refers else buffer.fill or 0
                history = self._data.add_layer(name, before, frame.dtype, refers=buffer.refers)
            same = changed.get(name) == 0
            history.append_device_frame(history.device_frame(len(history) - 1) if same else frame)
            if name in changed:
                self._data.step_counts.store_layer_changes(
                    name, len(self._data.steps), changed[name]
                )

    def _keep_counts(self, copy: _LaunchCopy) -> None:
        """Append the counts of cells; a failed launch has none."""
        data = self._data
        before = {name: history.last for name, history in data.counts.items()}
        now = _count_cells(copy, data.layout)
        after = {name: _add_counts(before[name], now[name]) for name in COUNTS[:3]}
        after["contention"] = now["contention"]
        after["most_contention"] = np.maximum(before["most_contention"], now["contention"])
        for name, frame in after.items():
            data.counts[name].append(frame)

    def _add(
        self,
        copy: _LaunchCopy,
        labels: DeviceArray,
        changes: ChangeCounts,
        layers: Mapping[str, int],
    ) -> None:
        data, launch = self._data, copy.launch
        self._keep_layers(copy.layers, layers)
        data.label_history.append_device_frame(labels)
        data.step_counts.store_changes(len(data.steps), changes)
        if self._counts:
            self._keep_counts(copy)
        step = Step(
            index=len(data.steps),
            stage=launch.stage,
            kernel=launch.kernel.name,
            module=launch.kernel.module,
            iteration=launch.iteration,
            level=launch.level,
            grid=launch.grid,
            block=launch.block,
            milliseconds=copy.milliseconds,
            changed=changes.changed,
            roots=changes.roots,
            caption=launch.caption,
            macros=launch.kernel.macros,
            paper=launch.paper,
            structures=launch.structures,
            arguments=self._reader.arguments(launch),
            atomics=copy.atomics,
            ledger=None if copy.ledger is None else replace(copy.ledger, cells={}),
        )
        data.steps.append(step)
        if self._on_step is not None:
            self._on_step(step)


def _freeze(image: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    """Return a read-only grid: the same array if it is read-only, otherwise a copy."""
    flags = image.flags if isinstance(image, np.ndarray) and image.dtype == np.uint8 else None
    if flags is not None and flags.owndata and flags.c_contiguous and not flags.writeable:
        return image
    pixels = np.array(image, dtype=np.uint8, order="C")
    pixels.flags.writeable = False
    return pixels


def _count_cells(copy: _LaunchCopy, layout: LabelLayout) -> dict[str, Frame]:
    """Sum a launch's counts of each cell, over the arrays with one element per cell."""
    zeros = np.zeros((layout.height, layout.width), np.int64)
    totals = {"loads": zeros, "stores": zeros, "atomics": zeros, "contention": zeros}
    cells = {} if copy.ledger is None else copy.ledger.cells
    for argument in {each for each in copy.launch.arguments if isinstance(each, Buffer)}:
        if argument.name == "image" or argument.name not in cells:
            continue
        counts = cells[argument.name]
        crop = _make_crop(argument, layout)
        if crop is None:
            continue
        totals["loads"] = totals["loads"] + crop(counts.loads)
        totals["stores"] = totals["stores"] + crop(counts.stores)
        totals["atomics"] = totals["atomics"] + crop(counts.atomics)
        totals["contention"] = np.maximum(totals["contention"], crop(counts.contention))
    return {name: _narrow(counts) for name, counts in totals.items()}


def _make_crop(buffer: Buffer, layout: LabelLayout) -> Callable[[Array], Array] | None:
    """Return a function that crops a buffer to the grid; None without one element per cell."""
    if buffer.layout is not None:
        return buffer.layout.inner
    if buffer.shape == (layout.height, layout.width):
        return lambda counts: counts
    return None


def _narrow(counts: npt.NDArray[np.int64]) -> Frame:
    """Return counts in the type of frames, clipped to its largest number."""
    return np.minimum(counts, np.iinfo(np.int32).max).astype(np.int32)


def _add_counts(sums: Frame, counts: Frame) -> Frame:
    return _narrow(sums.astype(np.int64) + counts)


def make_plan(algorithm: Algorithm, task: Task, *, consecutive: bool) -> Plan:
    """Return the plan of a run.

    Parameters
    ----------
    algorithm : Algorithm
        The labelling algorithm.
    task : Task
        The plan's input.
    consecutive : bool
        Whether the components are then numbered, in the layer ``"numbers"``.
    """
    if not consecutive:
        return (yield from algorithm.planner(task))
    outcome, _, _ = yield from label_consecutively(algorithm, task, layer="numbers")
    return outcome


def _find_fault_cell(
    error: KernelFaultError, launch: Launch, shape: tuple[int, ...]
) -> tuple[int, int] | None:
    """Return column and row of a thread's cell, or of the cell that it accessed last."""
    cell = cell_of_thread(error.block, error.thread, launch, shape)
    if cell is not None or error.cell is None:
        return cell
    (x, y), (height, width) = error.cell, shape
    return (x, y) if x < width and y < height else None


def cell_of_thread(
    block: Dim3 | None, thread: Dim3 | None, launch: Launch, shape: tuple[int, ...]
) -> tuple[int, int] | None:
    """Return column and row of a thread's cell, if the launch has one thread per cell."""
    if block is None or thread is None or launch.grid[2] * launch.block[2] != 1:
        return None
    height, width = shape
    x, y = (block[axis] * launch.block[axis] + thread[axis] for axis in (0, 1))
    needed = tuple(-(-size // launch.block[axis]) for axis, size in enumerate((width, height)))
    if needed == launch.grid[:2]:
        return (x, y) if x < width and y < height else None
    cells = width * height
    if launch.grid[1] * launch.block[1] == 1 and launch.grid[0] == -(-cells // launch.block[0]):
        return (x % width, x // width) if x < cells else None
    return None


def find_label_buffer(launch: Launch) -> Buffer | None:
    """Return the buffer of the labels among a launch's arguments, if there is one."""
    for argument in launch.arguments:
        if isinstance(argument, Buffer) and argument.layout is not None and argument.layer is None:
            return argument
    return None


def _require_layout(buffer: Buffer) -> LabelLayout:
    if buffer.layout is None:
        raise TypeError(f"the buffer {buffer.name} holds final labels and has no layout")
    return buffer.layout
