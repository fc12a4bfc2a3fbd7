"""Measures one algorithm or library on one grid: times on a GPU, counts on the emulator."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import re
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cache, lru_cache, partial
from itertools import chain
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from ccl_viewer import __version__
from ccl_viewer.algorithms import algorithm, check_multivalued, parse_choice
from ccl_viewer.algorithms.base import Algorithm
from ccl_viewer.algorithms.copies import is_copy
from ccl_viewer.bench.libraries import LIBRARIES, time_library
from ccl_viewer.cancellation import CancelToken
from ccl_viewer.devices.base import DeviceRun, Progress
from ccl_viewer.devices.cuda import CudaDevice
from ccl_viewer.devices.emulator.device import EmulatorDevice
from ccl_viewer.devices.emulator.schedules import auto_schedule
from ccl_viewer.driver import execute
from ccl_viewer.errors import InputError
from ccl_viewer.grids.files import READ_SUFFIXES, check_can_open
from ccl_viewer.grids.grid import MAX_PIXELS
from ccl_viewer.grids.specs import (
    is_pattern,
    is_segmented,
    open_grid,
    open_segments,
    parse_pattern,
    pattern_in_words,
)
from ccl_viewer.plan import Buffer, Outcome, ParameterValue, Task
from ccl_viewer.profiling import LedgerCollector, Profile
from ccl_viewer.recording.timing import LaunchTimer
from ccl_viewer.reference import label_reference

REPEATS: Final = 20
SLOW_MILLISECONDS: Final = 1000
SLOW_REPEATS: Final = 3
"""So often a run is measured that takes longer than that."""

CHECKED_CELLS: Final = 1 << 22
"""Labels of larger grids are not compared with the reference, which takes longer than the run."""


@dataclass(frozen=True)
class Case:
    """What is measured: an algorithm with its parameters, or a library.

    Parameters
    ----------
    key : str
        Key of the algorithm, or of one of :data:`~ccl_viewer.bench.libraries.LIBRARIES`.
    parameters : mapping
        The algorithm's own parameters; defaults stand for those not given.
    """

    key: str
    parameters: Mapping[str, ParameterValue] = field(default_factory=dict)

    def __str__(self) -> str:
        """Write it as :meth:`parse` reads it."""
        return ":".join([self.key, *(f"{name}={value}" for name, value in self.parameters.items())])

    @property
    def is_library(self) -> bool:
        """Whether it is a library rather than one of the algorithms."""
        return self.key in LIBRARIES

    @classmethod
    def parse(cls, text: str) -> Case:
        """Read ``KEY`` or ``KEY:NAME=VALUE,...``.

        Raises
        ------
        InputError
            If the text is written otherwise, there is no such algorithm or parameter, it is a
            copy, or a library has parameters.
        """
        key, parameters = parse_choice(text)
        if is_copy(key):
            raise InputError(
                f"{key} is a copy, which is not measured here: count what it does with ccl-viewer "
                "profile."
            )
        case = cls(key, parameters)
        if not case.is_library:
            algorithm(case.key).complete(case.parameters)
        elif parameters:
            raise InputError(f"{key} is a library, which has no parameters here: leave them out.")
        return case


@dataclass(frozen=True)
class Workload:
    """A grid to measure on.

    Parameters
    ----------
    name : str
        What tables call it.
    spec : str
        A file or ``pattern:...``, as :func:`~ccl_viewer.grids.specs.open_grid` reads it.
    x : float
        The quantity that a sweep varies, such as the density; NaN outside a sweep.
    group : str
        Which of several sweeps it belongs to, in a word for names of files.
    """

    name: str
    spec: str
    x: float = float("nan")
    group: str = ""

    @property
    def title(self) -> str:
        """What plots call it: a pattern in words, if tables have it as it is typed."""
        typed = is_pattern(self.spec) and self.name in {self.spec, self.spec.partition(":")[2]}
        return pattern_in_words(self.spec) if typed else self.name

    def open(self) -> npt.NDArray[np.uint8]:
        """Return the grid, uint8 of shape (height, width).

        Raises
        ------
        InputError
            If there is no such file or pattern.
        """
        if is_segmented(self.spec):
            return open_segments(self.spec, MAX_PIXELS).grid
        return open_grid(self.spec, max_pixels=MAX_PIXELS).grid


RESULTS: Final = "results.json"
"""What a benchmark writes; ``results.csv`` and plots stand beside it."""

LIST: Final = "files.txt"
"""In a folder of YACCLAB's layout: the names of its pictures, one a line."""


def workloads_of(name: str) -> list[Workload]:
    """Return a grid, or each picture of a folder and of the folders in it.

    Where folders have a :data:`LIST`, the pictures are those that the lists name. Folders with
    results of a benchmark are left out: their plots are no pictures to measure.

    Parameters
    ----------
    name : str
        A file, a folder or ``pattern:...``.

    Raises
    ------
    InputError
        If there is no such file or pattern, a folder has no picture, or a list cannot be read or
        names one that is not there.
    """
    folder = Path(name)
    if is_pattern(name):
        parse_pattern(name)
        return [Workload(name.removeprefix("pattern:"), name)]
    if not folder.is_dir():
        check_can_open(folder)
        return [Workload(name, name)]
    lists = sorted(folder.rglob(LIST))
    files = list(chain.from_iterable(map(_listed, lists))) or sorted(
        path for path in folder.rglob("*") if path.suffix.lower() in READ_SUFFIXES
    )
    results = {path.parent for path in folder.rglob(RESULTS) if path.with_suffix(".csv").exists()}
    files = [path for path in files if path not in lists and path.parent not in results]
    if not files:
        raise InputError(f"There is no picture in the folder {name}: choose another one.")
    return [Workload(path.relative_to(folder).as_posix(), str(path)) for path in files]


def _listed(path: Path) -> list[Path]:
    """Return the pictures that a list names; they lie beside it or below."""
    try:
        names = [line.strip() for line in path.read_text("utf-8-sig").splitlines()]
    except (OSError, ValueError) as error:
        raise InputError(f"{path} cannot be read: it must be a list of names in UTF-8.") from error
    files = [path.parent / name for name in names if name]
    missing = next((file for file in files if not file.is_file()), None)
    if missing is not None or not all(
        f.resolve().is_relative_to(path.parent.resolve()) for f in files
    ):
        raise InputError(f"{path} names a picture that is not in its folder: correct the list.")
    return files


def sweep(workloads: Sequence[Workload]) -> tuple[str, Sequence[Workload]]:
    """Find what varies between grids of one pattern, and give each its ``x``.

    Returns
    -------
    across : str
        Name of the one parameter, a number, that has another value in each; empty if there is none.
    workloads : sequence of Workload
        The grids, with ``x`` where there is one.
    """
    if len(workloads) < 2 or not all(is_pattern(workload.spec) for workload in workloads):
        return "", workloads
    read = [parse_pattern(workload.spec) for workload in workloads]
    values = [{**pattern.complete(given)} for pattern, given in read]
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
    """What was measured of one case on one workload.

    Parameters
    ----------
    case, workload : str
        What, and on what.
    x : float
        As of the workload.
    connectivity : int
        4 or 8.
    height, width : int
        Of the grid, in cells.
    device : str
        ``"cuda"``, ``"emulator"`` or ``"host"``.
    figures : mapping
        Values by name. Milliseconds: ``milliseconds`` (median), ``lower`` and ``upper`` (quartiles)
        of all kernels of a run, or of a library's call; ``wall`` of the whole run without
        transfers, and ``host``, what it takes beside the kernels; ``upload`` and ``download`` of
        image and labels; ``first``, the run before those that are measured, and ``compile``, what
        it spent to build kernels or to load built ones. Counts: ``launches``, ``iterations``,
        ``memory`` (bytes of device memory beside the image), and
        as :data:`~ccl_viewer.profiling.FIGURES` names them.
    kernels : mapping
        The same by kernel.
    correct : bool or None
        Whether the labels equal the reference's; None if they were not compared.
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

    @property
    def key(self) -> str:
        """The algorithm's or library's key, without parameters."""
        return self.case.partition(":")[0]

    def figure(self, name: str) -> float:
        """Return a figure; NaN where it was not measured."""
        return self.figures.get(name, float("nan"))


def measure(
    case: Case,
    workload: Workload,
    pixels: npt.NDArray[np.uint8],
    connectivity: int,
    device: CudaDevice | None,
    *,
    repeats: int = REPEATS,
    cancel: CancelToken | None = None,
    progress: Progress | None = None,
) -> Measurement:
    """Measure a case: times if there is a GPU, and counts on the emulator otherwise.

    Parameters
    ----------
    case, workload, pixels
        What, on what, and that as an array, uint8 of shape (height, width).
    connectivity : int
        4 or 8.
    device : CudaDevice or None
        A GPU, on which times are taken; None counts on the emulator. Its milliseconds say nothing
        about a GPU and are not taken.
    repeats : int
        Runs that are measured; one more goes before them.
    cancel, progress
        As for :func:`ccl_viewer.record`.

    Raises
    ------
    InputError
        If the algorithm cannot label such a grid, or the library cannot be used here.
    CCLViewerError
        As for :func:`ccl_viewer.label`.
    """
    height, width = pixels.shape
    many = bool(pixels.max(initial=0) > 1)
    make = partial(Measurement, str(case), workload.name, workload.x, connectivity, height, width)
    if case.is_library:
        if many:
            raise InputError("Libraries are measured on foreground and background alone.")
        found = time_library(case.key, pixels, connectivity, repeats, device)
        if found is None:
            raise InputError("The library is not installed, or needs a GPU.")
        return make(LIBRARIES[case.key].device, spread(found))
    row = algorithm(case.key)
    row.check_connectivity(connectivity)
    check_multivalued(row, many)
    image = Buffer("image", pixels.shape, np.dtype(np.uint8))
    task = Task(image, connectivity, row.complete(dict(case.parameters)), multivalued=many)
    if device is not None:
        return _timed(row, task, make, workload, pixels, device, repeats, cancel, progress)
    return _counted(row, task, make, workload, pixels, cancel, progress)


def _timed(
    row: Algorithm,
    task: Task,
    make: Callable[..., Measurement],
    workload: Workload,
    pixels: npt.NDArray[np.uint8],
    device: CudaDevice,
    repeats: int,
    cancel: CancelToken | None,
    progress: Progress | None,
) -> Measurement:
    totals, walls, uploads, downloads = [], [], [], []
    kernels: dict[str, list[float]] = {}
    correct: bool | None = None
    turns, built = repeats, device.build_milliseconds
    for turn in range(repeats + 1):
        if turn > turns:
            break
        timer, begun = LaunchTimer(), time.perf_counter()
        with device.open(task.image, pixels, cancel=cancel, progress=progress) as run:
            uploaded = time.perf_counter()
            outcome = execute(row.planner(task), run, observer=timer, cancel=cancel)
            by_kernel: dict[str, float] = {}
            for launch, spent in zip(timer.launches, timer.milliseconds(), strict=True):
                name = launch.kernel.name
                by_kernel[name] = by_kernel.get(name, 0.0) + spent
            wall = 1000 * (time.perf_counter() - uploaded)
            arrived = time.perf_counter()
            run.read(outcome.labels)
            download = 1000 * (time.perf_counter() - arrived)
            if turn == 0:
                first, built = wall, device.build_milliseconds - built
                turns = repeats if wall < SLOW_MILLISECONDS else min(repeats, SLOW_REPEATS)
                correct = _is_correct(outcome, run, task, pixels, workload)
                continue
        uploads.append(1000 * (uploaded - begun))
        downloads.append(download)
        walls.append(wall)
        totals.append(sum(by_kernel.values()))
        for name, value in by_kernel.items():
            kernels.setdefault(name, []).append(value)
    figures = spread(totals) | {
        "wall": statistics.median(walls),
        "host": statistics.median(w - t for w, t in zip(walls, totals, strict=True)),
        "first": first,
        "compile": built,
        "upload": statistics.median(uploads),
        "download": statistics.median(downloads),
        "launches": float(len(timer.launches)),
        "iterations": float(outcome.iterations),
    }
    medians = {name: {"milliseconds": statistics.median(t)} for name, t in kernels.items()}
    return make(device.key, figures, medians, correct)


def _counted(
    row: Algorithm,
    task: Task,
    make: Callable[..., Measurement],
    workload: Workload,
    pixels: npt.NDArray[np.uint8],
    cancel: CancelToken | None,
    progress: Progress | None,
) -> Measurement:
    ledgers = LedgerCollector()
    device = EmulatorDevice(auto_schedule(pixels.size), ledger=True)
    with device.open(task.image, pixels, timed=False, cancel=cancel, progress=progress) as run:
        outcome = execute(row.planner(task), run, observer=ledgers, cancel=cancel)
        memory = run.nbytes - task.image.nbytes
        correct = _is_correct(outcome, run, task, pixels, workload)
    found = Profile(tuple(ledgers.launches))
    kernels = {name: part.figures() for name, part in found.by_kernel().items()}
    figures = found.figures() | {"iterations": outcome.iterations, "memory": memory}
    return make(device.key, figures, kernels, correct)


def _is_correct(
    outcome: Outcome, run: DeviceRun, task: Task, pixels: npt.NDArray[np.uint8], workload: Workload
) -> bool | None:
    """Return whether each component has one root, and each cell of it that root's label."""
    layout = outcome.labels.layout
    unfinished = not outcome.converged or bool(outcome.completion)
    if pixels.size > CHECKED_CELLS or unfinished or layout is None:
        return None
    expected, count = _reference(workload, task.connectivity, task.multivalued)
    parents = layout.parents(layout.crop(np.asarray(run.read(outcome.labels)))).ravel()
    inside = np.flatnonzero(pixels)
    named = parents[inside]
    if (
        parents.max() >= pixels.size
        or named.min(initial=0) < 0
        or (parents >= 0).sum() != len(named)
    ):
        return False
    roots = int((parents == np.arange(pixels.size)).sum())
    same = np.array_equal(expected.ravel()[named], expected.ravel()[inside])
    return roots == count and same and np.array_equal(parents[named], named)


@lru_cache(maxsize=1)
def _reference(
    workload: Workload, connectivity: int, multivalued: bool
) -> tuple[npt.NDArray[np.int32], int]:
    return label_reference(workload.open(), connectivity, multivalued=multivalued)


def spread(milliseconds: list[float]) -> dict[str, float]:
    """Return median and quartiles as figures."""
    lower, median, upper = np.quantile(milliseconds, [0.25, 0.5, 0.75]).tolist()
    return {"milliseconds": median, "lower": lower, "upper": upper}


def environment(device: CudaDevice | None) -> dict[str, str]:
    """Return what results depend on: machine, driver, versions and date."""
    found = {
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "ccl-viewer": __version__,
        "python": platform.python_version(),
        "system": platform.system(),
        "processor": f"{_processor()}, {os.cpu_count()} cores",
        "device": "Emulator (counts, no times)" if device is None else device.title,
    }
    if device is not None:
        found |= device.versions()
    return found | _versions("numpy", "ziglang", *(row.module for row in LIBRARIES.values()))


def _versions(*modules: str) -> dict[str, str]:
    """Return the versions of the wheels that hold these modules: their names differ by CUDA."""
    distributions = _distributions()
    names = [name for module in modules for name in distributions.get(module.split(".")[0], ())]
    return {name: importlib.metadata.version(name) for name in names if name != "ccl-viewer"}


@cache
def _distributions() -> Mapping[str, list[str]]:
    """Return the wheels by module; asked once, as each wheel's list of files is read for it."""
    return importlib.metadata.packages_distributions()


def _processor() -> str:
    """Return the processor's name, where Linux tells it, or its kind."""
    try:
        text = Path("/proc/cpuinfo").read_text("utf-8")
    except (OSError, ValueError):
        text = ""
    name = re.search(r"model name\s*: (.+)", text)
    return name[1].strip() if name else platform.processor() or platform.machine()
