"""The data of a recording; only the recorder and the file reader write to it."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from ccl_viewer.devices.registry import default_backend
from ccl_viewer.errors import InputError
from ccl_viewer.execution.device import ArrayBackend
from ccl_viewer.execution.ledger import LaunchLedger
from ccl_viewer.execution.plan import (
    Dim3,
    LabelLayout,
    LaunchStructure,
    ParameterValue,
    Stage,
    StageLevel,
)
from ccl_viewer.recording.grid_kernels import DeviceArray, GridKernels
from ccl_viewer.recording.history import LABELS, FrameType, History
from ccl_viewer.recording.step_counts import StepCounts
from ccl_viewer.reference import Labels, Verdict

COUNTS: Final = ("loads", "stores", "atomics", "contention", "most_contention")
"""Counts of each cell, over all arrays with one element per cell except the grid. The first three
are sums since the first step; the difference of two consecutive sums is a step's count. Contention
is the step's, and the largest so far."""


COUNT_PREFIX: Final = "count:"
"""Prefix of the layers of counts, as
:func:`~ccl_viewer.recording.recording.select_count_layers` names them."""


@dataclass(frozen=True)
class StepArgument:
    """One argument of a recorded launch.

    Parameters
    ----------
    name : str
        Name of the kernel's parameter.
    type : str
        Its type, as in the kernel's source.
    value : int or str
        A scalar's value, or a buffer's shape in words.
    """

    name: str
    type: str
    value: int | str


@dataclass(frozen=True)
class Spread:
    """Distribution of times, in milliseconds.

    Parameters
    ----------
    median, minimum, maximum : float
        Median, minimum and maximum; NaN if not measured.
    lower, upper : float
        Lower and upper quartile.
    """

    median: float
    minimum: float
    maximum: float
    lower: float
    upper: float

    @classmethod
    def of(cls, times: Iterable[float]) -> Spread:
        """Return the spread of at least one time."""
        quantiles = np.quantile(np.array([*times], np.float64), [0.5, 0.0, 1.0, 0.25, 0.75])
        return cls(*(float(value) for value in quantiles))


@dataclass(frozen=True)
class Step:
    """One recorded launch.

    Parameters
    ----------
    index : int
        Index in the recording, from 0.
    stage : Stage
        What the launch was for.
    kernel, module : str
        Name of the kernel and stem of its source file.
    iteration, level : int or None
        Round of the convergence loop and level of the merge hierarchy, from 1; None outside these.
    grid, block : tuple of three int
        Launch shape, as (x, y, z).
    milliseconds : float
        Time of the launch on the device; NaN if it was not timed yet. On a GPU it is the median of
        runs that were not recorded.
    changed : int
        Cells with another label than after the previous step. Before the first step, every cell has
        the layout's background.
    roots : int
        Foreground cells that are their own parent.
    caption : str
        One sentence: what the launch does, and why.
    macros : tuple of (str, int)
        Macros that the kernel was built with.
    paper : str
        The paper's name for it; empty if it has none.
    structures : tuple of LaunchStructure
        How the launch divided the grid, from the coarsest to the finest.
    arguments : tuple of StepArgument
        The kernel's arguments, in the order of its parameters.
    atomics : int or None
        Calls of atomic functions by all threads; None if not counted, as on a GPU.
    ledger : LaunchLedger or None
        The launch's memory accesses, as counted by the emulator; None if not counted.
    spread : Spread or None
        The distribution with the median `milliseconds`; None for a single time.
    """

    index: int
    stage: Stage
    kernel: str
    module: str
    iteration: int | None
    level: int | None
    grid: Dim3
    block: Dim3
    milliseconds: float
    changed: int
    roots: int
    caption: str
    macros: tuple[tuple[str, int], ...] = ()
    paper: str = ""
    structures: tuple[LaunchStructure, ...] = ()
    arguments: tuple[StepArgument, ...] = ()
    atomics: int | None = None
    ledger: LaunchLedger | None = None
    spread: Spread | None = None

    @property
    def stage_level(self) -> StageLevel:
        """Stage and level of the merge; colours and sums distinguish these."""
        return StageLevel(self.stage, self.level)


@dataclass(frozen=True)
class RunFault:
    """The fault of a launch that broke a run off.

    Parameters
    ----------
    text : str
        A sentence for the user.
    kernel : str
        Name of the kernel.
    block, thread : tuple of three int, or None
        Block and thread, as (x, y, z); None if unknown.
    cell : tuple of int or None
        Column and row of the cell that the thread works on or accesses; None if unknown.
    file : str
        Name of the kernel's source file; empty if unknown.
    line : int or None
        The line in it; None if unknown.
    """

    text: str
    kernel: str = ""
    block: Dim3 | None = None
    thread: Dim3 | None = None
    cell: tuple[int, int] | None = None
    file: str = ""
    line: int | None = None


MAX_PRINTED = 200
"""Most lines that a recording keeps of what kernels print."""


@dataclass(frozen=True)
class UninitialisedCells:
    """Cells of the labels in which steps found memory that nothing had been stored in.

    The recording shows them as cells without a label.

    Parameters
    ----------
    step, last : int
        The first and the last step with such cells, from 0.
    cells, left : int
        Their number after the first and after the last of these steps.
    cell : tuple of int
        Column and row of the first one after the last of these steps.
    box : tuple of int
        First column and row, and last column and row, after the last of these steps.
    """

    step: int
    last: int
    cells: int
    left: int
    cell: tuple[int, int]
    box: tuple[int, int, int, int]

    @classmethod
    def find(
        cls, mask: npt.NDArray[np.bool_], step: int, before: UninitialisedCells | None = None
    ) -> UninitialisedCells:
        """Return the cells of a mask after a step.

        Parameters
        ----------
        mask : ndarray of bool, shape (height, width)
            The cells, at least one.
        step : int
            The step.
        before : UninitialisedCells or None
            The cells after earlier steps.
        """
        rows, columns = (np.flatnonzero(mask.any(axis=axis)) for axis in (1, 0))
        y, x = divmod(int(mask.argmax()), mask.shape[1])
        left = int(np.count_nonzero(mask))
        first, cells = (step, left) if before is None else (before.step, before.cells)
        box = int(columns[0]), int(rows[0]), int(columns[-1]), int(rows[-1])
        return cls(first, step, cells, left, (x, y), box)

    @property
    def sentence(self) -> str:
        """What to say if the run ends with these cells."""
        x, y = self.cell
        why = "no thread stored one there"
        if self.left == 1:
            return f"The cell at x = {x}, y = {y} was never given a label: {why}."
        left, top, right, bottom = self.box
        where = f"the first at x = {x}, y = {y}"
        if self.left == (right - left + 1) * (bottom - top + 1):
            where = f"from x = {left}, y = {top} to x = {right}, y = {bottom}"
        return f"{self.left:,} cells were never given a label, {where}: {why}."


@dataclass(frozen=True, eq=False)
class RunDescription:
    """The run that is recorded.

    Parameters
    ----------
    image : ndarray of uint8, shape (height, width), read-only
        The grid.
    algorithm : str
        Key of the algorithm.
    device, device_title, schedule : str
        As in :class:`ccl_viewer.execution.device.Device`.
    connectivity : int
        4 or 8.
    parameters : mapping
        All of the algorithm's parameters.
    multivalued : bool
        Whether only cells of equal non-zero value connect.
    """

    image: npt.NDArray[np.uint8]
    algorithm: str
    device: str
    device_title: str
    schedule: str
    connectivity: int
    parameters: Mapping[str, ParameterValue]
    multivalued: bool = False


@dataclass(frozen=True)
class Ending:
    """How a finished run ended.

    Parameters
    ----------
    converged : bool
        False if the plan stopped while labels were still changing.
    iterations : int
        Rounds of the convergence loop; 0 for direct methods.
    verdict : Verdict
        The comparison of the final labels with the reference.
    """

    converged: bool
    iterations: int
    verdict: Verdict


class RecordingData:
    """The growing part of a recording: one writer, any number of readers.

    Parameters
    ----------
    run : RunDescription
        The run that is recorded.
    backend : ArrayBackend or None
        The backend of the device that keeps frames in its memory; None if frames are only on the
        host.
    """

    def __init__(self, run: RunDescription, backend: ArrayBackend | None = None) -> None:
        self.run = run
        self.step_counts = StepCounts(self)
        self.image: DeviceArray | None = None  # the grid on the device, if a run copied it there
        self._backend = backend
        self._kernels: GridKernels | None = None
        self._lock = threading.Lock()
        self.steps: list[Step] = []
        self.ending: Ending | None = None
        self.failure: str | None = None
        self.fault: RunFault | None = None
        self.uninitialised: UninitialisedCells | None = None
        self.printed: tuple[str, ...] = ()
        self.cancelled = False
        self.initial_step: int | None = None
        self.layers: dict[str, History] = {}
        self.counts: dict[str, History] = {}
        self.references: tuple[str, ...] = ()
        self.components: tuple[Labels, int] | None = None
        self._labels: tuple[LabelLayout, History] | None = None

    @property
    def grid_kernels(self) -> GridKernels:
        """Kernels that count facts about labels, on the device of the frames or on any other.

        Raises
        ------
        DeviceUnavailableError
            If no device is available.
        """
        with self._lock:
            if self._kernels is None:
                run = self.run
                self._kernels = GridKernels(
                    self._backend or default_backend(),
                    run.image,
                    run.connectivity,
                    multivalued=run.multivalued,
                    placed=self.image,
                )
            return self._kernels

    def _new_history(self, background: int, dtype: FrameType = LABELS) -> History:
        height, width = self.run.image.shape
        kernels = None if self._backend is None else self.grid_kernels
        return History(height, width, background, dtype, kernels)

    @property
    def started(self) -> bool:
        """Whether the layout of the labels is known."""
        return self._labels is not None

    @property
    def layout(self) -> LabelLayout:
        """How the label buffer maps to the grid."""
        return self._require_start()[0]

    @property
    def label_history(self) -> History:
        """The labels of each step."""
        return self._require_start()[1]

    def start(self, layout: LabelLayout) -> None:
        """Set the layout, before the first step."""
        self._labels = (layout, self._new_history(layout.background))

    def add_layer(
        self, name: str, background: int, dtype: FrameType, *, refers: bool = False
    ) -> History:
        """Add a layer, with background in all cells of the steps so far.

        Parameters
        ----------
        name : str
            Its name.
        background : int
            Value of its cells before it was first read.
        dtype : numpy dtype
            Type of its frames, ``int32`` or ``int64``.
        refers : bool
            Whether its values name cells, as labels do.
        """
        history = self._new_history(background, dtype)
        history.append_same(len(self.steps))
        self.layers[name] = history
        if refers:
            self.references += (name,)
        return history

    def start_counts(self) -> None:
        """Start the counts of cells, before the first step."""
        height, width = self.run.image.shape
        self.counts = {name: History(height, width, 0) for name in COUNTS}

    def find_history(self, layer: str | None = None) -> History:
        """Return the history of the labels, or of a layer.

        Raises
        ------
        InputError
            If there is no such layer, or no step yet.
        """
        if layer is None:
            return self.label_history
        if layer.startswith(COUNT_PREFIX):
            kind = layer.removeprefix(COUNT_PREFIX)
            if kind in self.counts:
                return self.counts[kind]
            raise InputError(f"{kind} were not counted in this run.")
        if layer not in self.layers:
            has = f"it has {', '.join(self.layers)}" if self.layers else "it has none"
            raise InputError(f"The recording has no layer {layer!r}: {has}.")
        return self.layers[layer]

    def device_frame(self, index: int, layer: str | None = None) -> DeviceArray:
        """Return the labels after a step (from 0), or a layer, on the device of the kernels.

        Raises
        ------
        InputError
            If there is no such layer.
        """
        history = self.find_history(layer)
        frame = history.device_frame(index)
        return self.grid_kernels.backend.to_device(history.frame(index)) if frame is None else frame

    def _require_start(self) -> tuple[LabelLayout, History]:
        if self._labels is None:
            raise InputError("The recording has no step yet: wait for the first.")
        return self._labels
