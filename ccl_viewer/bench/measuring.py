"""Measures one algorithm or library on one grid: times on a GPU, counts on the emulator."""

from __future__ import annotations

import importlib.metadata
import math
import os
import platform
import re
import statistics
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cache, lru_cache
from itertools import chain
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ccl_viewer import __version__
from ccl_viewer.algorithms import check_multivalued, find_algorithm, parse_algorithm
from ccl_viewer.bench.libraries import LIBRARIES, time_library
from ccl_viewer.devices.cuda.device import CudaDevice
from ccl_viewer.devices.emulator.device import EmulatorDevice
from ccl_viewer.diagnostics.profile import LedgerCollector, Profile
from ccl_viewer.errors import InputError, shorten
from ccl_viewer.execution.device import DeviceRun, Progress
from ccl_viewer.execution.driver import execute
from ccl_viewer.execution.plan import Buffer, Outcome, ParameterValue, Task
from ccl_viewer.execution.schedule import Schedule, choose_schedule
from ccl_viewer.grids.files import READ_SUFFIXES, check_can_open
from ccl_viewer.grids.grid import MAX_PIXELS
from ccl_viewer.grids.specs import (
    describe_pattern,
    is_multivalued_pattern,
    is_pattern,
    open_grid,
    open_segments,
    parse_pattern,
)
from ccl_viewer.recording.timing import DelayingRun, LaunchTimer
from ccl_viewer.reference import judge_parents, label_reference
from ccl_viewer.storage.files import is_folder, read_text_file
from ccl_viewer.support.cancellation import CancelToken

TIME: Final = "milliseconds"

REPEATS: Final = 20
ROUNDS: Final = 5
"""Rounds in which all cases and grids take turns on a GPU, so that conditions are equal."""

SLOW_MILLISECONDS: Final = 50
"""Longer runs are measured once a round."""

SLOWEST_MILLISECONDS: Final = 2000
"""Longer runs are measured once."""

SLOWEST_CALL: Final = 500
"""Calls of libraries that take more milliseconds are measured only in the first round."""

MOST_ITERATIONS: Final = 32
"""With more iterations, they are not timed separately."""

CHECKED_CELLS: Final = 1 << 22
"""Labels of larger grids are not compared with the reference, which takes longer than the run."""


@dataclass(frozen=True)
class Case:
    """An algorithm with its parameters, or a library.

    Parameters
    ----------
    key : str
        Key of the algorithm, or of one of :data:`~ccl_viewer.bench.libraries.LIBRARIES`.
    parameters : mapping
        Parameters of the algorithm; those not given have their defaults.
    """

    key: str
    parameters: Mapping[str, ParameterValue] = field(default_factory=dict)

    def __str__(self) -> str:
        """Write it in the form that :meth:`parse` reads."""
        return ":".join([self.key, *(f"{name}={value}" for name, value in self.parameters.items())])

    @property
    def is_library(self) -> bool:
        """Whether it is a library instead of one of the algorithms."""
        return self.key in LIBRARIES

    @classmethod
    def parse(cls, text: str) -> Case:
        """Read ``KEY`` or ``KEY:NAME=VALUE,...``.

        Raises
        ------
        InputError
            If the text has another form, there is no such algorithm or parameter, or a library
            has parameters.
        """
        key, parameters = parse_algorithm(text)
        case = cls(key, parameters)
        if not case.is_library:
            find_algorithm(case.key).complete(case.parameters)
        elif parameters:
            raise InputError(f"{key} is a library, without parameters: leave them out.")
        return case


@dataclass(frozen=True)
class Workload:
    """A grid for measurements.

    Parameters
    ----------
    name : str
        Name in tables.
    spec : str
        A file or ``pattern:...``, as :func:`~ccl_viewer.grids.specs.open_grid` reads it.
    x : float
        Value of the sweep, such as the density; NaN outside a sweep.
    group : str
        Name of the sweep that it belongs to, for file names.
    """

    name: str
    spec: str
    x: float = float("nan")
    group: str = ""

    @property
    def title(self) -> str:
        """Name in plots: for a pattern a description, if tables show it as typed."""
        typed = is_pattern(self.spec) and self.name in {self.spec, self.spec.partition(":")[2]}
        return describe_pattern(self.spec) if typed else self.name

    def open(self) -> npt.NDArray[np.uint8]:
        """Return the grid, uint8 of shape (height, width).

        Raises
        ------
        InputError
            If there is no such file or pattern.
        """
        if is_multivalued_pattern(self.spec):
            return open_segments(self.spec, MAX_PIXELS).grid
        return open_grid(self.spec, max_pixels=MAX_PIXELS).grid


MAX_BYTES: Final = 1 << 26
"""Largest size in bytes of a file of results, or list of pictures."""

RESULTS: Final = "results.json"
"""The main file of a benchmark; ``results.csv`` and plots are beside it."""

LIST: Final = "files.txt"
"""The list of pictures in a folder of YACCLAB's layout, one name per line."""


def read_workloads(name: str) -> list[Workload]:
    """Return a grid, or each picture of a folder and its subfolders.

    If a folder has a :data:`LIST`, its pictures are those in the list. Folders with results of a
    benchmark are skipped, because plots are not measured.

    Parameters
    ----------
    name : str
        A file, a folder or ``pattern:...``.

    Raises
    ------
    InputError
        If there is no such file or pattern, a folder has no picture, or a list cannot be read or
        names a picture elsewhere.
    """
    folder = Path(name)
    if is_pattern(name):
        parse_pattern(name)
        return [Workload(name.removeprefix("pattern:"), name)]
    if not is_folder(folder):
        check_can_open(folder)
        return [Workload(name, name)]
    lists = sorted(folder.rglob(LIST))
    files = list(chain.from_iterable(map(_read_list, lists))) or sorted(
        path for path in folder.rglob("*") if path.suffix.lower() in READ_SUFFIXES
    )
    results = {path.parent for path in folder.rglob(RESULTS) if path.with_suffix(".csv").exists()}
    files = [path for path in files if path not in lists and path.parent not in results]
    if not files:
        raise InputError(f"There is no picture in the folder {name}: choose another one.")
    return [Workload(path.relative_to(folder).as_posix(), str(path)) for path in files]


def _read_list(path: Path) -> list[Path]:
    """Return the pictures of a list, in its folder or below; a missing one is named later."""
    files = []
    try:
        names = map(str.strip, read_text_file(path, MAX_BYTES, "utf-8-sig").splitlines())
    except (OSError, ValueError) as error:
        raise InputError(f"{path} cannot be read: it must be a list of names in UTF-8.") from error
    folder = os.path.realpath(path.parent)
    for name in filter(None, names):
        file = path.parent / name
        if not Path(os.path.realpath(file)).is_relative_to(folder):
            raise InputError(
                f"{path} names {shorten(name)}, which is not in its folder: correct the list."
            )
        files.append(file)
    return files


def find_sweep(workloads: Sequence[Workload]) -> tuple[str, Sequence[Workload]]:
    """Find the parameter that varies between grids of one pattern, and set their ``x`` to it.

    Returns
    -------
    across : str
        Name of the only parameter that varies, if it is a number; else empty.
    workloads : sequence of Workload
        The grids, with ``x`` if there is such a parameter.
    """
    if len(workloads) < 2 or not all(is_pattern(workload.spec) for workload in workloads):
        return "", workloads
    read = [parse_pattern(workload.spec) for workload in workloads]
    values = [{**pattern.complete(settings)} for pattern, settings in read]
    varied = [name for name in values[0] if len({str(each.get(name)) for each in values}) > 1]
    if len({pattern.key for pattern, _ in read}) > 1:
        return "", workloads
    if {*varied} == {"width", "height"} and all(v["width"] == v["height"] for v in values):
        varied = ["width"]
    across = varied[0] if len(varied) == 1 else ""
    numbers = [n for v in values if isinstance(n := v.get(across), int | float)]
    if len({*numbers}) < len(values):
        return "", workloads
    return across, [replace(w, x=float(n)) for w, n in zip(workloads, numbers, strict=True)]


@dataclass(frozen=True)
class Measurement:
    """The measurement of one case on one workload.

    Parameters
    ----------
    case, workload : str
        What was measured, and on what.
    x : float
        As in the workload.
    connectivity : int
        4 or 8.
    height, width : int
        Of the grid, in cells.
    device : str
        ``"cuda"``, ``"emulator"`` or ``"host"``.
    figures : mapping
        Values by name. ``foreground`` is the number of foreground cells.
        Milliseconds: ``milliseconds`` (median), ``lower`` and ``upper`` (quartiles)
        of all kernels of a run, or of a library's call; ``wall`` of the whole run without
        transfers, and ``host``, its time outside the kernels; ``upload`` and ``download`` of
        image and labels; ``first``, the first run, which is not measured, and ``compile``, the time
        that it spent on building or loading kernels. Counts: ``launches``, ``iterations``,
        ``memory`` (bytes of device memory besides the image), ``label_accesses`` (loads, stores and
        atomics of the label array), and as :data:`~ccl_viewer.diagnostics.profile.FIGURES` names
        them.
    kernels : mapping
        The same by kernel; if iterations are separate, also by ``KERNEL, ITERATION``.
    correct : bool or None
        Whether the labels equal the reference's in all runs compared; None if none was compared.
    rounds : sequence of mapping
        Median milliseconds of each round on a GPU: of the run, named ``""``, and by kernel.
    schedule : str
        Schedule of the emulator, if it counted.
    """

    case: str
    workload: str
    x: float
    connectivity: int
    height: int
    width: int
    device: str
    figures: Mapping[str, float]
    kernels: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    correct: bool | None = None
    rounds: Sequence[Mapping[str, float]] = ()
    schedule: str = ""

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Measurement:
        """Return the measurement from its fields as JSON has them.

        Raises
        ------
        KeyError, TypeError
            If they are something else.
        """
        x = math.nan if values["x"] is None else values["x"]
        return cls(**{**values, "x": x, "rounds": tuple(values["rounds"])})

    @property
    def on_gpu(self) -> bool:
        """Whether it was measured on a GPU, so that its figures are times."""
        return self.device == "cuda"

    @property
    def counted(self) -> bool:
        """Whether the emulator counted, instead of a GPU taking the time."""
        return self.device == "emulator"

    @property
    def key(self) -> str:
        """The algorithm's or library's key, without parameters."""
        return re.split(r":\w+=", self.case, maxsplit=1)[0]

    def figure(self, name: str) -> float:
        """Return a figure; NaN where it was not measured."""
        return self.figures.get(name, float("nan"))


@dataclass
class Meter:
    """Measures a case on a workload, one round at a time.

    Parameters
    ----------
    case, workload, pixels
        What, on what, and the latter as an array, uint8 of shape (height, width).
    connectivity : int
        4 or 8.
    device : CudaDevice or None
        A GPU for timing; None counts on the emulator, whose times mean nothing for a GPU and are
        not measured.
    repeats : int
        Measured runs per round; the first round has one more before them.
    schedule : str
        Schedule of the emulator.
    by_iteration : bool
        Whether to tell iterations of a kernel apart.
    emulator : EmulatorDevice or None
        Where to count; None for a new emulator.

    Raises
    ------
    InputError
        If the algorithm cannot label such a grid.
    """

    case: Case
    workload: Workload
    pixels: npt.NDArray[np.uint8]
    connectivity: int
    device: CudaDevice | None
    repeats: int = REPEATS
    schedule: str = "auto"
    by_iteration: bool = False
    emulator: Any = None
    found: Measurement | None = field(default=None, init=False)
    _totals: list[list[float]] = field(default_factory=list, init=False)
    _kernels: list[dict[str, list[float]]] = field(default_factory=list, init=False)
    _others: dict[str, list[float]] = field(default_factory=dict, init=False)
    _correct: bool | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        multivalued = bool(self.pixels.max(initial=0) > 1)
        if self.case.is_library:
            if multivalued:
                raise InputError("Libraries are measured only on grids without several values.")
            return
        self._algorithm = find_algorithm(self.case.key)
        self._algorithm.resolve_connectivity(self.connectivity)
        check_multivalued(self._algorithm, multivalued)
        image = Buffer("image", self.pixels.shape, np.dtype(np.uint8))
        parameters = self._algorithm.complete(dict(self.case.parameters))
        self._doubtful = any(
            choice.fault and parameters.get(parameter.name) == choice.name
            for parameter in self._algorithm.parameters
            for choice in parameter.choices
        )
        self._task = Task(image, self.connectivity, parameters, multivalued=multivalued)

    @property
    def emulator_schedule(self) -> Schedule:
        """Schedule of the emulator for the grid."""
        return choose_schedule(self.schedule, self.pixels.size)

    def measure_round(
        self, cancel: CancelToken | None = None, progress: Progress | None = None
    ) -> Measurement:
        """Measure one more round, and return the results so far.

        Raises
        ------
        InputError
            If a library cannot be used here.
        CCLViewerError
            As for :func:`ccl_viewer.label`.
        """
        if self.case.is_library:
            self.found = self._measure_library()
        elif self.device is not None:
            self.found = self._measure_times(self.device, cancel, progress)
        else:
            self.found = self._count_accesses(cancel, progress)
        return self.found

    def _make_measurement(
        self, device: str, figures: Mapping[str, float], **more: Any
    ) -> Measurement:
        height, width = self.pixels.shape
        return Measurement(
            str(self.case), self.workload.name, self.workload.x, self.connectivity, height, width,
            device, {"foreground": float(np.count_nonzero(self.pixels)), **figures}, **more,
        )  # fmt: skip

    def _measure_library(self) -> Measurement:
        if self._totals and self._totals[0][0] > SLOWEST_CALL and self.found:
            return self.found
        milliseconds = time_library(
            self.case.key, self.pixels, self.connectivity, self.repeats, self.device
        )
        if milliseconds is None:
            raise InputError("The library is not installed, or needs a GPU.")
        if max(milliseconds) > SLOW_MILLISECONDS:
            self.repeats = 1
        self._totals.append(milliseconds)
        rounds = tuple({"": statistics.median(times)} for times in self._totals)
        every = [*chain.from_iterable(self._totals)]
        return self._make_measurement(
            LIBRARIES[self.case.key].device, median_and_quartiles(every), rounds=rounds
        )

    def _measure_times(
        self, device: CudaDevice, cancel: CancelToken | None, progress: Progress | None
    ) -> Measurement:
        if self.found is None:
            built = device.build_milliseconds
            self._play(device, cancel, progress)
            wall = self._others["wall"][0]
            self._first = {"first": wall, "compile": device.build_milliseconds - built}
            self._slow = wall > SLOW_MILLISECONDS
            if self._slow:
                self.repeats = 1
            else:
                self._others = {}
        if self._first["first"] < SLOWEST_MILLISECONDS:
            self._totals.append([])
            self._kernels.append({})
            for _ in range(self.repeats):
                self._play(device, cancel, progress, held=True)
            if not self._slow:
                self._play(device, cancel, progress)
        totals = [times for times in self._totals if times]
        rounds = tuple(
            {"": statistics.median(times)}
            | {name: statistics.median(part) for name, part in kernels.items()}
            for times, kernels in zip(self._totals, self._kernels, strict=True)
            if times
        )
        figures = median_and_quartiles([*chain.from_iterable(totals)]) | self._first
        figures |= {name: statistics.median(values) for name, values in self._others.items()}
        figures["host"] = figures["wall"] - figures["milliseconds"]
        medians = {
            name: {
                "milliseconds": statistics.median(
                    chain.from_iterable(part.get(name, ()) for part in self._kernels)
                )
            }
            for name in dict.fromkeys(chain.from_iterable(self._kernels))
        }
        return self._make_measurement(
            device.key, figures, kernels=medians, correct=self._correct, rounds=rounds
        )

    def _play(
        self,
        device: CudaDevice,
        cancel: CancelToken | None,
        progress: Progress | None,
        *,
        held: bool = False,
    ) -> None:
        """Run once.

        A held run gives the times of kernels, a free one those of the host. The first run, before
        all rounds, counts for kernels only if no other follows.
        """
        task, timer, start = self._task, LaunchTimer(), time.perf_counter()
        # If labels can be wrong, each run of the first round is checked.
        first = self.found is None and not self._totals
        checked = first or (self._doubtful and len(self._totals) == 1)
        with device.open(task.image, self.pixels, cancel=cancel, progress=progress) as run:
            uploaded = time.perf_counter()
            player: DeviceRun = run
            if held:
                player = DelayingRun(run, device)
            outcome = execute(self._algorithm.planner(task), player, observer=timer, cancel=cancel)
            by_kernel = self._sum_by_kernel(timer)
            arrived = time.perf_counter()
            run.read(outcome.labels)
            figures = {
                "wall": 1000 * (arrived - uploaded),
                "upload": 1000 * (uploaded - start),
                "download": 1000 * (time.perf_counter() - arrived),
                "launches": float(len(timer.launches)),
                "iterations": float(outcome.iterations),
            }
            if checked:
                right = _is_correct(outcome, run, task, self.pixels, self.workload)
                self._correct = right if self._correct is None else self._correct and right
        if held or (first and figures["wall"] >= SLOWEST_MILLISECONDS):
            if first:
                self._totals.append([])
                self._kernels.append({})
            self._totals[-1].append(sum(t for name, t in by_kernel.items() if "," not in name))
            for name, value in by_kernel.items():
                self._kernels[-1].setdefault(name, []).append(value)
        if not held:
            for name, value in figures.items():
                self._others.setdefault(name, []).append(value)

    def _sum_by_kernel(self, timer: LaunchTimer) -> dict[str, float]:
        """Return the milliseconds of each kernel, and of its iterations if they are separate."""
        sums: dict[str, float] = {}
        apart = self.by_iteration and len(timer.launches) <= MOST_ITERATIONS
        for launch, spent in zip(timer.launches, timer.milliseconds(), strict=True):
            names = [launch.kernel.name]
            if apart and launch.iteration is not None:
                names.append(f"{launch.kernel.name}, {launch.iteration}")
            for name in names:
                sums[name] = sums.get(name, 0.0) + spent
        return sums

    def _count_accesses(self, cancel: CancelToken | None, progress: Progress | None) -> Measurement:
        task, ledgers = self._task, LedgerCollector()
        device: EmulatorDevice = self.emulator or EmulatorDevice(
            self.emulator_schedule, ledger=True
        )
        with device.open(
            task.image, self.pixels, timed=False, cancel=cancel, progress=progress
        ) as run:
            outcome = execute(self._algorithm.planner(task), run, observer=ledgers, cancel=cancel)
            memory = run.nbytes - task.image.nbytes
            correct = _is_correct(outcome, run, task, self.pixels, self.workload)
        profile, name = Profile(tuple(ledgers.launches)), outcome.labels.name
        kernels = {
            kernel: {**part.figures(), "label_accesses": part.count_accesses(name)}
            for kernel, part in profile.by_kernel().items()
        }
        figures = profile.figures() | {"label_accesses": profile.count_accesses(name)}
        figures |= {"iterations": outcome.iterations, "memory": memory}
        return self._make_measurement(
            device.key, figures, kernels=kernels, correct=correct, schedule=str(device.schedule)
        )


def measure(
    case: Case,
    workload: Workload,
    pixels: npt.NDArray[np.uint8],
    connectivity: int,
    device: CudaDevice | None,
    **options: Any,
) -> Measurement:
    """Measure one round of a case on a workload; see :class:`Meter` for all arguments."""
    return Meter(case, workload, pixels, connectivity, device, **options).measure_round()


def _is_correct(
    outcome: Outcome, run: DeviceRun, task: Task, pixels: npt.NDArray[np.uint8], workload: Workload
) -> bool | None:
    """Return whether each component has one root, and all its cells have that root's label."""
    layout = outcome.labels.layout
    unfinished = not outcome.converged or bool(outcome.completion)
    if pixels.size > CHECKED_CELLS or unfinished or layout is None:
        return None
    expected, count, first = _label_reference(workload, task.connectivity, task.multivalued)
    parents = layout.parents(layout.crop(np.asarray(run.read(outcome.labels)))).ravel()
    if np.array_equal(parents, first):  # most algorithms: much faster than the verdict below
        return True
    return judge_parents(parents.reshape(expected.shape), expected, count).correct


@lru_cache(maxsize=1)
def _label_reference(
    workload: Workload, connectivity: int, multivalued: bool
) -> tuple[npt.NDArray[np.int32], int, npt.NDArray[np.int64]]:
    """Return the reference's labels, their number, and the first cell of each cell's component."""
    labels, count = label_reference(workload.open(), connectivity, multivalued=multivalued)
    cells = np.flatnonzero(labels)[::-1]
    firsts = np.full(count + 1, -1, np.int64)
    firsts[labels.ravel()[cells]] = cells  # the last store is the first cell
    return labels, count, firsts[labels.ravel()]


def median_and_quartiles(milliseconds: list[float]) -> dict[str, float]:
    """Return median and quartiles as figures."""
    lower, median, upper = np.quantile(milliseconds, [0.25, 0.5, 0.75]).tolist()
    return {"milliseconds": median, "lower": lower, "upper": upper}


def describe_environment(device: CudaDevice | None) -> dict[str, str]:
    """Return the conditions of results: machine, driver, versions and date."""
    environment = {
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "ccl-viewer": __version__,
        "python": platform.python_version(),
        "system": platform.system(),
        "processor": f"{_find_processor()}, {os.cpu_count()} cores",
        "device": "Emulator (counts, no times)" if device is None else device.title,
    }
    if device is not None:
        environment |= device.versions()
    return environment | _find_versions(
        "numpy", "ziglang", *(library.module for library in LIBRARIES.values())
    )


def _find_versions(*modules: str) -> dict[str, str]:
    """Return the versions of the wheels with these modules: their names differ by CUDA."""
    distributions = _map_distributions()
    names = [name for module in modules for name in distributions.get(module.split(".")[0], ())]
    return {name: importlib.metadata.version(name) for name in names if name != "ccl-viewer"}


@cache
def _map_distributions() -> Mapping[str, list[str]]:
    """Return the wheels by module; cached, because each wheel's list of files is read."""
    return importlib.metadata.packages_distributions()


def _find_processor() -> str:
    """Return the processor's name, where Linux tells it, or its kind."""
    try:
        text = Path("/proc/cpuinfo").read_text("utf-8")
    except (OSError, ValueError):
        text = ""
    name = re.search(r"model name\s*: (.+)", text)
    return name[1].strip() if name else platform.processor() or platform.machine()
