"""What a recording is made of; only the recorder and the file reader write to it."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from ccl_viewer.devices.emulator.ledger import LaunchLedger
from ccl_viewer.devices.registry import spare_stream
from ccl_viewer.errors import InputError
from ccl_viewer.execution.device import Stream
from ccl_viewer.execution.plan import (
    Dim3,
    LabelLayout,
    ParameterValue,
    Stage,
    StageLevel,
    Structure,
)
from ccl_viewer.recording.grid_kernels import Changes, DeviceArray, FinalRoots, GridKernels, Trees
from ccl_viewer.recording.history import LABELS, FrameType, History
from ccl_viewer.reference import Labels, Verdict

COUNTS: Final = ("loads", "stores", "atomics", "contention", "most_contention")
"""What is counted of each cell, over all arrays with an element for each cell but the grid itself.
The first three are sums since the first step, of which two that follow each other give a step's.
Contention is that of the step, and the largest so far."""


@dataclass(frozen=True)
class StepArgument:
    """One argument of a recorded launch.

    Parameters
    ----------
    name : str
        Name of the kernel's parameter.
    type : str
        Its type, as the kernel's source writes it.
    value : int or str
        A scalar's value; of a buffer, its shape in words.
    """

    name: str
    type: str
    value: int | str


@dataclass(frozen=True)
class Spread:
    """How times vary, in milliseconds.

    Parameters
    ----------
    median, minimum, maximum : float
        Of the times; NaN if they were not measured.
    lower, upper : float
        Quartiles: a quarter of the times is below the lower, a quarter above the upper.
    """

    median: float
    minimum: float
    maximum: float
    lower: float
    upper: float

    @classmethod
    def of(cls, times: Iterable[float]) -> Spread:
        """Return the spread of one time or more."""
        quantiles = np.quantile(np.array([*times], np.float64), [0.5, 0.0, 1.0, 0.25, 0.75])
        return cls(*(float(value) for value in quantiles))


@dataclass(frozen=True)
class Step:
    """One recorded launch.

    Parameters
    ----------
    index : int
        Place in the recording, from 0.
    stage : Stage
        What the launch was for.
    kernel, module : str
        Name of the kernel and stem of its source file.
    iteration, level : int or None
        Round of the convergence loop and level of the merge hierarchy, from 1; None outside.
    grid, block : tuple of three int
        Launch shape, as (x, y, z).
    milliseconds : float
        Time of the launch on the device; NaN if it was not timed, or is not yet. On a GPU it is
        the median of runs that were not recorded.
    changed : int
        Cells whose label differs from the step before. Before the first step, every cell holds
        the layout's background.
    roots : int
        Foreground cells that are their own parent.
    caption : str
        One sentence: what the launch does, and why.
    macros : tuple of (str, int)
        Macros that the kernel was built with.
    paper : str
        What the paper calls it; empty if it has no name there.
    structures : tuple of Structure
        How the launch divided the grid, from the coarsest to the finest.
    arguments : tuple of StepArgument
        What the kernel was given, in the order of its parameters.
    atomics : int or None
        Calls of atomic functions by all its threads; None where they were not counted, as on a GPU.
    ledger : LaunchLedger or None
        What the launch did to memory, by the emulator's count; None where that was not counted.
    spread : Spread or None
        How the times vary of which `milliseconds` is the median; None of a single time.
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
    structures: tuple[Structure, ...] = ()
    arguments: tuple[StepArgument, ...] = ()
    atomics: int | None = None
    ledger: LaunchLedger | None = None
    spread: Spread | None = None

    @property
    def stage_level(self) -> StageLevel:
        """The stage and the level of the merge, by which colours and sums go."""
        return StageLevel(self.stage, self.level)


@dataclass(frozen=True)
class RunFault:
    """What went wrong in the launch with which a run broke off.

    Parameters
    ----------
    text : str
        A sentence for the user.
    kernel : str
        Name of the kernel.
    block, thread : tuple of three int, or None
        Who it was, as (x, y, z); None if that is not known.
    cell : tuple of int or None
        Column and row of the cell that the thread works on or accesses; None if that is not known.
    file : str
        Name of the kernel's source file; empty if it is not known.
    line : int or None
        The line in it; None if it is not known.
    """

    text: str
    kernel: str = ""
    block: Dim3 | None = None
    thread: Dim3 | None = None
    cell: tuple[int, int] | None = None
    file: str = ""
    line: int | None = None


@dataclass(frozen=True, eq=False)
class Subject:
    """What is recorded.

    Parameters
    ----------
    image : ndarray of uint8, shape (height, width), read-only
        The grid.
    algorithm : str
        Key of the algorithm.
    device, device_title, schedule : str
        As :class:`ccl_viewer.execution.device.Device` gives them.
    connectivity : int
        4 or 8.
    parameters : mapping
        The algorithm's own parameters, complete.
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
    subject : Subject
        What is recorded.
    stream : Stream or None
        Of the device on which it is recorded, whose memory keeps frames; None if they lie nowhere
        but on the host.
    """

    def __init__(self, subject: Subject, stream: Stream | None = None) -> None:
        self.subject = subject
        self.changes: dict[int, Changes] = {}  # of the steps, as far as they were counted
        self.trees: dict[int, Trees] = {}  # likewise, once the run has ended
        self.layer_changes: dict[tuple[str, int], int] = {}  # cells, likewise, by layer and step
        self.final: FinalRoots | None = None
        self.image: DeviceArray | None = None  # the grid on the device, if a run brought it there
        self._stream = stream
        self._kernels: GridKernels | None = None
        self._lock = threading.Lock()
        self.steps: list[Step] = []
        self.ending: Ending | None = None
        self.failure: str | None = None
        self.fault: RunFault | None = None
        self.cancelled = False
        self.opening: int | None = None
        self.layers: dict[str, History] = {}
        self.counts: dict[str, History] = {}
        self.references: tuple[str, ...] = ()
        self.components: tuple[Labels, int] | None = None
        self._film: tuple[LabelLayout, History] | None = None

    @property
    def kernels(self) -> GridKernels:
        """What counts what labels say, where the frames lie, or else on some device.

        Raises
        ------
        DeviceUnavailableError
            If there is no device.
        """
        with self._lock:
            if self._kernels is None:
                subject = self.subject
                self._kernels = GridKernels(
                    self._stream or spare_stream(),
                    subject.image,
                    subject.connectivity,
                    multivalued=subject.multivalued,
                    placed=self.image,
                )
            return self._kernels

    def _new_history(self, background: int, dtype: FrameType = LABELS) -> History:
        height, width = self.subject.image.shape
        kernels = None if self._stream is None else self.kernels
        return History(height, width, background, dtype, kernels)

    @property
    def started(self) -> bool:
        """Whether the layout of the labels is known."""
        return self._film is not None

    @property
    def layout(self) -> LabelLayout:
        """How the label buffer maps to the grid."""
        return self._required_film()[0]

    @property
    def history(self) -> History:
        """The labels of each step."""
        return self._required_film()[1]

    def start(self, layout: LabelLayout) -> None:
        """Take note of the layout, before the first step."""
        self._film = (layout, self._new_history(layout.background))

    def add_layer(
        self, name: str, background: int, dtype: FrameType, *, refers: bool = False
    ) -> History:
        """Begin a layer; in the steps so far, all its cells hold the background.

        Parameters
        ----------
        name : str
            Its name.
        background : int
            What its cells hold before it was first read.
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
        """Begin the counts of cells, before the first step."""
        height, width = self.subject.image.shape
        self.counts = {name: History(height, width, 0) for name in COUNTS}

    def _required_film(self) -> tuple[LabelLayout, History]:
        if self._film is None:
            raise InputError("The recording has no step yet: wait for the first.")
        return self._film
