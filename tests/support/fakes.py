"""A scripted device with NumPy functions as kernels, and a small algorithm to run on it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ccl_viewer.algorithms.base import Algorithm, Parameter
from ccl_viewer.algorithms.shared import read_flag
from ccl_viewer.devices.emulator.backend import EmulatorArrayBackend, emulator_backend
from ccl_viewer.errors import KernelFaultError
from ccl_viewer.execution.device import Elapsed, Progress
from ccl_viewer.execution.ledger import LaunchLedger
from ccl_viewer.execution.plan import (
    Array,
    Buffer,
    Fill,
    Kernel,
    LabelLayout,
    Launch,
    LaunchStructure,
    Outcome,
    PartKind,
    Plan,
    Stage,
    Task,
)
from ccl_viewer.recording import Recorder, Recording
from ccl_viewer.support.cancellation import CancelToken

FakeKernel: TypeAlias = Callable[..., None]
"""A kernel: it takes the launch's arguments, arrays for buffers, and scalars."""


class FakeRun:
    """The memory of one run."""

    atomics: int | None = None
    printed: tuple[str, ...] = ()
    ledger: LaunchLedger | None = None

    def __init__(self, kernels: Mapping[str, FakeKernel], *, timed: bool) -> None:
        self.arrays: dict[Buffer, Array] = {}
        self.launches: list[Launch] = []
        self.fetched: dict[Buffer, Array] = {}
        self.closed = False
        self._kernels = kernels
        self._timed = timed

    def allocate(self, buffer: Buffer) -> None:
        self.arrays[buffer] = np.full(buffer.shape, buffer.fill or 0, buffer.dtype)

    def fill(self, buffer: Buffer, value: int) -> None:
        self.arrays[buffer][...] = value

    def launch(self, launch: Launch) -> Elapsed:
        self.launches.append(launch)
        arguments = [
            self.arrays[argument] if isinstance(argument, Buffer) else int(argument)
            for argument in launch.arguments
        ]
        self._kernels[launch.kernel.name](*arguments)
        milliseconds = 0.25 * len(self.launches) if self._timed else float("nan")
        return lambda: milliseconds

    def start_read(self, buffer: Buffer) -> None:
        self.fetched[buffer] = self.arrays[buffer].copy()

    def read(self, buffer: Buffer) -> Array:
        if buffer in self.fetched:
            return self.fetched.pop(buffer)
        view = self.arrays[buffer].view()
        view.flags.writeable = False
        return view

    def take(self, buffer: Buffer) -> Array:
        return self.arrays[buffer].copy()

    def array(self, buffer: Buffer) -> Array:
        return self.arrays[buffer]

    def close(self) -> None:
        self.closed = True


class FakeDevice:
    """A device with functions as kernels.

    ``runs`` has every run that was opened, for tests to inspect.
    """

    key = "emulator"
    title = "Scripted device"
    schedule = "sequential"
    on_host = True
    synchronous = True
    counts_accesses = False
    ledger = False
    cold_launches = False
    many_threads = False

    def __init__(self, kernels: Mapping[str, FakeKernel] | None = None) -> None:
        self.kernels: Mapping[str, FakeKernel] = {**NAIVE_KERNELS, **(kernels or {})}
        self.runs: list[FakeRun] = []

    def delay_launches(self, microseconds: int) -> None:
        """Do nothing: each launch runs at once."""

    @staticmethod
    def array_backend() -> EmulatorArrayBackend:
        return emulator_backend()

    @contextmanager
    def open(
        self,
        image: Buffer,
        pixels: Any,
        *,
        timed: bool = True,
        cancel: CancelToken | None = None,
        progress: Progress | None = None,
    ) -> Iterator[FakeRun]:
        run = FakeRun(self.kernels, timed=timed)
        self.runs.append(run)
        run.arrays[image] = np.array(pixels, np.uint8)
        if progress is not None:
            progress("compiling")
        try:
            yield run
        finally:
            run.close()


def _naive_init(image: Array, labels: Array) -> None:
    height, width = image.shape
    address = np.arange(labels.size).reshape(labels.shape)[1 : 1 + height, 1 : 1 + width]
    labels[1 : 1 + height, 1 : 1 + width] = np.where(image != 0, address, 0)


def _naive_propagate(labels: Array, changed: Array, connectivity: int) -> None:
    old = np.where(labels == 0, np.iinfo(np.int32).max, labels).astype(np.int64)
    new = old.copy()
    for dy in (-1, 0, 1):
        for dx in (-1, 0, 1):
            if connectivity == 8 or dy == 0 or dx == 0:
                np.minimum(new, np.roll(old, (dy, dx), (0, 1)), out=new)
    new = np.where(labels == 0, 0, new)
    changed[...] = bool((new != labels).any())
    labels[...] = new


def _naive_measure(changed: Array) -> None:
    """Change no labels."""


NAIVE_KERNELS: Mapping[str, FakeKernel] = {
    "naive_init": _naive_init,
    "naive_propagate": _naive_propagate,
    "naive_measure": _naive_measure,
}


NAIVE_STRUCTURES = (
    LaunchStructure(PartKind.BLOCK, 32, 4),
    LaunchStructure(PartKind.WARP, 32, 1, linear=True),
    LaunchStructure(PartKind.RUN, None, 1, level=1),
)
"""The parameters of the naive algorithm, one of each kind."""


def _plan(task: Task) -> Plan:
    layout = LabelLayout(task.height, task.width, pitch=task.width + 2, margin=1)
    shape = (task.height + 2, task.width + 2)
    labels = Buffer("labels", shape, np.dtype(np.uint32), fill=0, layout=layout)
    changed = Buffer("changed", (1,), np.dtype(np.int32))
    one = (1, 1, 1)
    yield labels
    yield changed
    if task.parameters["measure"]:
        yield Launch(
            Kernel("naive", "naive_measure"), one, one, (changed,), Stage.FEATURES, "Look."
        )
    yield Launch(
        Kernel("naive", "naive_init"), one, one, (task.image, labels), Stage.INIT, "Begin."
    )
    passes = task.optional("passes")
    iteration = 0
    again = True
    while again and (passes is None or iteration < passes):
        iteration += 1
        yield Fill(changed, 0)
        yield Launch(
            Kernel("naive", "naive_propagate", (("CONNECTIVITY", task.connectivity),)),
            (2, 1, 1),
            (32, 4, 1),
            (labels, changed, np.int32(task.connectivity)),
            Stage.PROPAGATE,
            "Each cell takes the smallest label around it.",
            iteration,
            paper="Naive, step 2",
            structures=NAIVE_STRUCTURES,
        )
        again = yield from read_flag(changed)
    return Outcome(labels, converged=not again, iterations=iteration)


NAIVE = Algorithm(
    key="naive",
    title="Naive propagation",
    citation="",
    summary="Every cell takes the smallest label around it.",
    connectivities=(4, 8),
    multivalued=False,
    planner=_plan,
    parameters=(
        Parameter("passes", "Passes", "Stop after so many.", None, 1, 1000),
        Parameter("measure", "Measure", "Launch a kernel without labels first.", 0, 0, 1),
    ),
)


def fault(*arguments: object) -> None:
    """Fail like a kernel with a fault."""
    raise KernelFaultError("The kernel stopped at a barrier.")


def picture(text: str) -> npt.NDArray[np.uint8]:
    """Return the grid drawn by lines of ``.`` and ``#``."""
    rows = text.split()
    return np.array([[char == "#" for char in row] for row in rows], np.uint8)


def recorded(
    image: npt.NDArray[np.uint8], connectivity: int = 4, **parameters: int | None
) -> Recording:
    """Return a finished recording of the naive algorithm."""
    return Recorder(image, NAIVE, FakeDevice(), connectivity, parameters).run()
