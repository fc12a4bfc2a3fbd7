"""Check an algorithm for memory errors, races, faults of its kernels, and wrong labels.

Everything runs on the emulator's traced build. One run in one order finds errors that exist in any
order of the threads; many runs in random orders find wrong labels.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TypeAlias

import numpy as np

from ccl_viewer.algorithms import ALGORITHMS, Algorithm
from ccl_viewer.algorithms.base import is_sandboxed
from ccl_viewer.algorithms.copies import COPY, find_copy, is_copy, source_path
from ccl_viewer.devices.source import SourceFinder, read_source
from ccl_viewer.diagnostics.races import HarmlessRace, harmless_races, index_by_place
from ccl_viewer.diagnostics.wrong_cells import (
    describe_foreign_label,
    describe_uninitialised_labels,
    describe_wrong_label,
)
from ccl_viewer.errors import KernelFaultError, Position
from ccl_viewer.execution.device import Progress
from ccl_viewer.execution.finding import Finding, FindingKind, FindingSink
from ccl_viewer.execution.plan import ParameterValue
from ccl_viewer.execution.schedule import SEQUENTIAL, Order, Schedule
from ccl_viewer.grids.grid import Grid
from ccl_viewer.grids.specs import open_grid
from ccl_viewer.recording import Recording
from ccl_viewer.recording.metrics import find_first_mixed_step
from ccl_viewer.recording.missed_unions import find_missed_unions
from ccl_viewer.reference import Verdict
from ccl_viewer.support.cancellation import CancelToken
from ccl_viewer.support.units import counted
from ccl_viewer.user_kernels.process import WORKER, ChildProcess, Limits
from ccl_viewer.user_kernels.recorder import RecordJob, choose_recorder

DEFAULT_GRIDS = (
    "pattern:noise?width=96&height=4&density=0.6",
    "pattern:noise?width=71&height=47&density=0.593",
    "pattern:noise?width=1&height=40&density=0.7",
    "pattern:spiral?size=33",
    "pattern:comb?width=19&height=34",
    "pattern:diagonals?width=34&height=18",
    "pattern:checkerboard?width=35&height=18",
    "pattern:noise?width=34&height=17&density=1",
)
"""Size of the default grids: larger than tiles, strips and warps, and no multiple of them."""

LARGE_GRIDS = (
    "pattern:noise?width=16384&height=7&density=0.4",
    "pattern:noise?width=7&height=16384&density=0.4",
)
"""Grids for one run each in the untraced build: they have more cells than 16 bits count."""

DEFAULT_ORDERS = 10
MAX_TRIALS = 400  # runs that making a grid smaller may take, on grids of up to _TRIAL_CELLS
_TRIAL_CELLS = 4096
_MAX_STARTS = 20  # of the process of user code, which each crash ends
MAX_ENDLESS = 3.0  # seconds of runs that never end, after which no others are tried


class DefectKind(StrEnum):
    """Kinds of defects."""

    OUT_OF_BOUNDS = "out of bounds"
    MISALIGNED = "misaligned access"
    UNINITIALISED = "uninitialised read"
    UNINITIALISED_LABELS = "uninitialised labels"
    SHARED_RACE = "race in shared memory"
    DEVICE_RACE = "race in device memory"
    DIVERGENT_BARRIER = "divergent barrier"
    MISSING_LANE = "missing lane"
    ENDLESS_LOOP = "endless loop"
    FAILED_ASSERTION = "failed assertion"
    OTHER_FAULT = "fault"
    UNDEFINED = "undefined behaviour"
    WRONG_LABELS = "wrong labels"


_KINDS = {
    FindingKind.SHARED_RACE: DefectKind.SHARED_RACE,
    FindingKind.UNINITIALISED_SHARED: DefectKind.UNINITIALISED,
    FindingKind.UNINITIALISED_DEVICE: DefectKind.UNINITIALISED,
    FindingKind.BEYOND_SHARED: DefectKind.OUT_OF_BOUNDS,
    FindingKind.DEVICE_RACE: DefectKind.DEVICE_RACE,
    FindingKind.UNDEFINED: DefectKind.UNDEFINED,
    FindingKind.BEYOND_ARRAY: DefectKind.OUT_OF_BOUNDS,
}


@dataclass(frozen=True)
class Defect:
    """A defect, as first seen.

    Parameters
    ----------
    kind : DefectKind
        Kind of the defect.
    text : str
        A sentence for the user.
    grid, schedule : str
        Grid and schedule on which it was seen.
    kernel : str
        Name of the kernel; empty for wrong labels.
    block, thread : tuple of three int, or None
        The thread.
    memory : str
        Name of the buffer or shared variable; empty if there is none or it is unknown.
    index : int or None
        The accessed element.
    cell : tuple of int, or None
        Column and row of its cell.
    file : str
        The source file; empty if unknown.
    line : int or None
        The line in it.
    times : int
        Number of occurrences.
    """

    kind: DefectKind
    text: str
    grid: str
    schedule: str
    kernel: str = ""
    block: Position | None = None
    thread: Position | None = None
    memory: str = ""
    index: int | None = None
    cell: tuple[int, int] | None = None
    file: str = ""
    line: int | None = None
    times: int = 1

    @property
    def identity(self) -> tuple[object, ...]:
        """Identity of the defect, equal on all grids."""
        if self.kind is DefectKind.WRONG_LABELS:
            return (self.kind,)
        return (self.kind, self.kernel, self.memory, self.file, self.line)


@dataclass(frozen=True, eq=False)
class WrongRun:
    """A wrong run, on a checked grid.

    Parameters
    ----------
    name, grid : str, ndarray of uint8 of shape (H, W)
        The grid.
    schedule : str
        Order of the threads.
    text : str
        Description, as a sentence.
    recording : Recording or None
        The run; None if it is omitted, since the seed of a random order identifies it.
    """

    name: str
    grid: Grid
    schedule: str
    text: str
    recording: Recording | None


@dataclass(frozen=True, eq=False)
class Counterexample:
    """A wrong run, on the smallest grid found.

    Parameters
    ----------
    grid : ndarray of uint8, shape (H, W)
        The grid.
    found_on : str
        The grid from which it was reduced.
    schedule : str
        Order of the threads; with its seed, it identifies the run.
    step : int
        The step at which it goes wrong, from 0.
    text : str
        Description, as a sentence.
    recording : Recording
        The run.
    """

    grid: Grid
    found_on: str
    schedule: str
    step: int
    text: str
    recording: Recording


@dataclass(frozen=True, eq=False)
class CheckReport:
    """Result of a check.

    Parameters
    ----------
    algorithm : str
        Key of the algorithm.
    connectivity : int
        4 or 8.
    parameters : mapping
        All its parameters.
    defects : tuple of Defect
        The defects, in the order in which they were found.
    harmless : tuple of HarmlessRace
        Observed races that are declared harmless.
    wrong : tuple of WrongRun
        All wrong runs.
    counterexample : Counterexample or None
        A wrong run on the smallest grid; None if all runs were correct.
    sizes : tuple of (int, int)
        Height and width of each grid.
    runs : int
        Number of runs on them.
    endless : bool
        Whether endless runs took so long that no more runs were tried.
    unused : str
        A sentence about kernels of user code that no run launched; empty if there are none.
    printed : tuple of str
        What the kernels printed in the first run in which they did.
    """

    algorithm: str
    connectivity: int
    parameters: Mapping[str, ParameterValue]
    defects: tuple[Defect, ...]
    harmless: tuple[HarmlessRace, ...]
    wrong: tuple[WrongRun, ...]
    counterexample: Counterexample | None
    sizes: tuple[tuple[int, int], ...]
    runs: int
    endless: bool = False
    unused: str = ""
    printed: tuple[str, ...] = ()

    @property
    def clean(self) -> bool:
        """Whether nothing was found."""
        return not self.defects


NamedGrid: TypeAlias = tuple[str, Grid]
OnDefect: TypeAlias = Callable[[Defect], None]
OnWrong: TypeAlias = Callable[[WrongRun], None]


def default_grids() -> tuple[NamedGrid, ...]:
    """Return the default grids, with their names."""
    return _open_grids(DEFAULT_GRIDS)


def _open_grids(specs: Sequence[str]) -> tuple[NamedGrid, ...]:
    return tuple((spec, open_grid(spec).grid) for spec in specs)


def check_algorithm(
    algorithm: Algorithm,
    connectivity: int | None = None,
    parameters: Mapping[str, ParameterValue] | None = None,
    grids: Sequence[NamedGrid] | None = None,
    *,
    large_grids: bool | None = None,
    multivalued: bool = False,
    orders: int = DEFAULT_ORDERS,
    shrink: bool = True,
    find_source: SourceFinder = source_path,
    harmless: Mapping[str, Sequence[HarmlessRace]] | None = None,
    limits: Limits | None = None,
    child: ChildProcess | None = None,
    on_defect: OnDefect | None = None,
    on_wrong: OnWrong | None = None,
    cancel: CancelToken | None = None,
    progress: Progress | None = None,
) -> CheckReport:
    """Check an algorithm on some grids.

    Parameters
    ----------
    algorithm : Algorithm
        The algorithm.
    connectivity : int or None
        4 or 8; None for the algorithm's default.
    parameters : mapping or None
        The algorithm's parameters; missing ones have their defaults.
    grids : sequence of (str, ndarray of uint8), or None
        Names and grids; None for :func:`default_grids`.
    large_grids : bool or None
        Whether to run once on each of :data:`LARGE_GRIDS`, too, without the memory check; None: if
        no grids are given. They find arithmetic that overflows.
    multivalued : bool
        Whether only cells of equal value connect.
    orders : int
        Number of random orders on each grid, with seeds from 1.
    shrink : bool
        Whether to look for the smallest grid that fails.
    find_source : callable
        Finds the kernels.
    harmless : mapping or None
        The harmless races of some modules, in place of those that the modules declare.
    limits : Limits or None
        What each run of user code may take; all run in one child process.
    child : ChildProcess or None
        The process of user code; None for a new one.
    on_defect : callable or None
        Called with each defect when it is found.
    on_wrong : callable or None
        Called with each wrong run.
    cancel : CancelToken or None
        Stops the check if cancelled.
    progress : callable or None
        Called with the current activity.

    Raises
    ------
    InputError
        If the algorithm does not support the connectivity, a parameter or multi-valued input.
    DeviceUnavailableError, KernelBuildError, CancelledError
        As for :func:`ccl_viewer.label`.
    """
    chosen = algorithm.connectivities[0] if connectivity is None else connectivity
    tried, sizes = default_grids() if grids is None else tuple(grids), []
    with_large = grids is None if large_grids is None else large_grids
    large = _open_grids(LARGE_GRIDS) if with_large else ()
    limits = limits or Limits()
    with ExitStack() as stack:
        # It starts only for user code.
        child = child or stack.enter_context(ChildProcess(WORKER, algorithm.title, limits))
        run = _Check(
            algorithm=algorithm,
            connectivity=algorithm.resolve_connectivity(chosen),
            parameters=algorithm.complete(dict(parameters or {})),
            multivalued=multivalued,
            find_source=find_source,
            replaced_races=harmless or {},
            limits=limits,
            child=child,
            on_defect=on_defect,
            on_wrong=on_wrong,
            cancel=cancel,
            progress=progress,
        )
        for number, named in enumerate(tried, 1):
            run.tell(f"Grid {number} of {len(tried)}: {named[0]}")
            sizes.append(named[1].shape)
            run.check_memory(named)
            run.try_orders(named, orders)
            if run.endless:
                break
        for named in () if run.endless else large:
            run.tell(f"Grid {named[0]}")
            sizes.append(named[1].shape)
            run.try_large(named)
        endless, runs = run.endless, run.runs  # before smaller grids are tried
        failure = run.shrink_failure(orders) if shrink else None
    return CheckReport(
        algorithm.key, chosen, run.parameters, tuple(run.defects.values()), tuple(run.harmless),
        tuple(run.wrong), failure, tuple(sizes), runs, endless,
        describe_unused_kernels(algorithm.key, run.launched, find_source), run.printed,
    )  # fmt: skip


@dataclass
class _Check:
    """A running check."""

    algorithm: Algorithm
    connectivity: int
    parameters: Mapping[str, ParameterValue]
    multivalued: bool
    find_source: SourceFinder
    replaced_races: Mapping[str, Sequence[HarmlessRace]]
    limits: Limits
    child: ChildProcess
    on_defect: OnDefect | None
    on_wrong: OnWrong | None
    cancel: CancelToken | None
    progress: Progress | None
    defects: dict[tuple[object, ...], Defect] = field(default_factory=dict)
    harmless: dict[HarmlessRace, None] = field(default_factory=dict)
    wrong: list[WrongRun] = field(default_factory=list)
    launched: set[str] = field(default_factory=set)
    runs: int = 0
    endless: bool = False
    printed: tuple[str, ...] = ()
    _endless_seconds: float = 0.0
    _fault: KernelFaultError = field(default_factory=KernelFaultError)  # the last one
    _failed: tuple[NamedGrid, Schedule] | None = None

    def __post_init__(self) -> None:
        self._declared = {m: index_by_place(races) for m, races in self.replaced_races.items()}

    def tell(self, text: str) -> None:
        if self.progress is not None:
            self.progress(text)

    def check_memory(self, named: NamedGrid) -> None:
        """Run once under the memory check."""
        findings: list[Finding] = []
        recording = self._record(named[1], SEQUENTIAL, findings.append)
        self.printed = self.printed or recording.printed
        for finding in findings:
            race = self._find_harmless_race(finding)
            breach = "" if race is None else race.find_breach(finding.effects)
            if race is None or breach:
                self._add(_make_defect(finding, named[0], breach))
            else:
                self.harmless[race] = None
        bare, text = recording.uninitialised, describe_uninitialised_labels(recording)
        if bare is not None and text:
            kind, kernel = DefectKind.UNINITIALISED_LABELS, recording.steps[bare.step].kernel
            self._add(Defect(kind, text, named[0], str(SEQUENTIAL), kernel, cell=bare.cell))
        self._judge(recording, named, SEQUENTIAL)

    def try_orders(self, named: NamedGrid, orders: int) -> None:
        """Run in random orders."""
        for seed in range(1, orders + 1):
            if self.endless:
                return
            self.tell(f"Order {seed} of {orders} on {named[0]}")
            schedule = Schedule(Order.RANDOM, seed=seed)
            self._judge(self._record(named[1], schedule), named, schedule)

    def try_large(self, named: NamedGrid) -> None:
        """Run once in the untraced build, and in the traced build if that ends with a fault."""
        fast = self._record(named[1], SEQUENTIAL, traced=False)
        if not _goes_wrong(fast):
            return
        fault, wrong = self._fault, len(self.wrong)
        self.child.close()  # it may have written over its own memory
        if fast.verdict is None and fault.kind != DefectKind.ENDLESS_LOOP:
            self.check_memory(named)
        if len(self.wrong) == wrong:
            self._fault = fault
            self._judge(fast, named, SEQUENTIAL)

    def shrink_failure(self, orders: int) -> Counterexample | None:
        """Return the failing run on a grid that was reduced as far as possible.

        An endless run is returned without reduction, since each trial would take as long.
        """
        if self._failed is None:
            return None
        if self.endless:
            return _keep_unreduced(self.wrong[-1])
        (name, grid), schedule = self._failed
        random = [Schedule(Order.RANDOM, seed=seed) for seed in range(1, orders + 1)]
        schedules = [schedule, *(other for other in random if other != schedule)]
        if schedule == SEQUENTIAL:
            schedules = [schedule]
        trials, best, order = MAX_TRIALS, grid, schedule

        def fails(smaller: Grid) -> bool:
            nonlocal trials, best, order
            for candidate in schedules:
                if trials == 0 or self.endless or self.child.starts > _MAX_STARTS:
                    return False
                trials -= min(trials, max(1, smaller.size // _TRIAL_CELLS) ** 2)
                if _goes_wrong(self._record(smaller, candidate)):
                    best, order = smaller, candidate
                    return True
            return False

        self.tell("Making the grid smaller")
        while any(fails(smaller) for smaller in _reduce_grid(best)):
            pass
        recording = self._record(best, order)
        step, text = find_wrong_step(recording, self.cancel)
        return Counterexample(best, name, str(order), step, text, recording)

    def _record(
        self,
        grid: Grid,
        schedule: Schedule,
        on_finding: FindingSink | None = None,
        *,
        traced: bool = True,
    ) -> Recording:
        self.runs += 1
        if traced and on_finding is None and not schedule.order.interleaves:
            on_finding = _ignore  # it asks for the traced build, which finds the same each time
        job = RecordJob(
            image=grid,
            algorithm=self.algorithm,
            connectivity=self.connectivity,
            parameters=self.parameters,
            device="emulator",
            schedule=str(schedule),
            multivalued=self.multivalued,
            memcheck=on_finding is not None,
            diagnose=False,
            limits=self.limits,
            find_source=self.find_source,
            cores=None if traced else 1,  # the same order each time
        )
        recorder = choose_recorder(job, cancel=self.cancel, child=self.child)
        began = time.monotonic()
        try:
            return recorder.run()
        except KernelFaultError as error:
            self._fault = error
            took = time.monotonic() - began
            if error.kind == DefectKind.ENDLESS_LOOP:
                self._endless_seconds += took
                self.endless = self._endless_seconds > MAX_ENDLESS
            return recorder.recording
        finally:
            self.launched.update(step.kernel for step in recorder.recording.steps)
            if on_finding is not None:
                for finding in recorder.findings:
                    on_finding(finding)

    def _judge(self, recording: Recording, named: NamedGrid, schedule: Schedule) -> None:
        """Record the result of a run."""
        if not _goes_wrong(recording):
            return
        verdict = recording.verdict
        if verdict is None:
            defect = _make_fault_defect(self._fault, recording, named[0], str(schedule))
        else:
            where = verdict.first_wrong
            defect = Defect(
                DefectKind.WRONG_LABELS,
                f"The labels are wrong: {_describe_labels(recording, verdict)}",
                named[0],
                str(schedule),
                cell=None if where is None else (where[1], where[0]),
            )
        self._add(defect)
        kept_recording = recording if schedule == SEQUENTIAL or self.endless else None
        run = WrongRun(*named, str(schedule), defect.text, kept_recording)
        self.wrong.append(run)
        if self.on_wrong is not None:
            self.on_wrong(run)
        if self._failed is None:
            self._failed = (named, schedule)

    def _add(self, defect: Defect) -> None:
        previous = self.defects.get(defect.identity)
        if previous is not None:
            defect = replace(previous, times=previous.times + defect.times)
        elif self.on_defect is not None:
            self.on_defect(defect)
        self.defects[defect.identity] = defect

    def _find_harmless_race(self, finding: Finding) -> HarmlessRace | None:
        memories = {
            FindingKind.DEVICE_RACE: finding.memory,
            FindingKind.SHARED_RACE: finding.variable,
        }
        memory = memories.get(finding.kind)
        if not memory:
            return None
        declared = self._declared.get(finding.module)
        if declared is None:
            races = harmless_races(finding.module, self.find_source)
            declared = index_by_place(races)
            self._declared[finding.module] = declared
        return declared.get((finding.kernel, memory)) or declared.get(("", memory))


def describe_unused_kernels(
    key: str, launched: Collection[str], find_source: SourceFinder = source_path
) -> str:
    """Say which kernels of user code were not launched, so that nothing in them was tried.

    Parameters
    ----------
    key : str
        Key of the algorithm.
    launched : collection of str
        Names of the kernels that were launched.
    find_source : callable
        Finds the kernels.

    Returns
    -------
    str
        Sentences; empty for built-in algorithms, and if all kernels were launched.

    Raises
    ------
    CCLViewerError
        If the code cannot be read.
    """
    if not is_sandboxed(key):
        return ""
    unused = [name for name in read_source(find_source(key)).kernels if name not in launched]
    words = [f"Not launched, and so not tried: {', '.join(unused)}."] if unused else []
    if is_copy(key):
        original = ALGORITHMS.get(find_copy(key.removeprefix(COPY)).algorithm)
        if original is not None and original.numberer is not None:
            words.append("The components of a copy are numbered by consecutive.cu.")
    return " ".join(words)


def _keep_unreduced(run: WrongRun) -> Counterexample | None:
    """Return a wrong run as a failure on the checked grid."""
    if run.recording is None:
        return None
    step, text = find_wrong_step(run.recording)
    return Counterexample(run.grid, run.name, run.schedule, step, text, run.recording)


def _ignore(_finding: Finding) -> None:
    pass


def _goes_wrong(recording: Recording) -> bool:
    verdict = recording.verdict
    return verdict is None or not verdict.correct


def _describe_labels(recording: Recording, verdict: Verdict) -> str:
    """Return the counts of the verdict, if it has any, and a sentence about a wrong cell."""
    detail = describe_wrong_label(recording)
    counts = verdict.finding if verdict.fault is None else ""
    return detail if detail == counts else f"{counts} {detail}".lstrip()


def _make_defect(finding: Finding, grid: str, breach: str) -> Defect:
    location = finding.location
    return Defect(
        _KINDS[finding.kind],
        f"{finding} {breach}".rstrip(),
        grid,
        str(SEQUENTIAL),
        finding.kernel,
        finding.block,
        finding.thread,
        finding.memory or finding.variable,
        finding.index,
        finding.cell,
        "" if location is None else location.file,
        None if location is None else location.line,
        finding.times,
    )


def _make_fault_defect(
    error: KernelFaultError, recording: Recording, grid: str, schedule: str
) -> Defect:
    fault = recording.fault
    kinds = {kind.value: kind for kind in DefectKind}
    defect = Defect(
        kinds.get(error.kind, DefectKind.OTHER_FAULT), str(error), grid, schedule,
        memory=error.memory, index=error.index,
    )  # fmt: skip
    if fault is None:
        return defect
    return replace(
        defect,
        kernel=fault.kernel,
        block=fault.block,
        thread=fault.thread,
        cell=fault.cell,
        file=fault.file,
        line=fault.line,
    )


def find_wrong_step(recording: Recording, cancel: CancelToken | None = None) -> tuple[int, str]:
    """Return the step at which a run goes wrong, and a description.

    Parameters
    ----------
    recording : Recording
        A wrong run.
    cancel : CancelToken or None
        Stops the search if cancelled.

    Returns
    -------
    tuple of (int, str)
        The step, from 0, and a sentence.

    Raises
    ------
    CancelledError
        If the search was cancelled.
    """
    last = max(0, len(recording) - 1)
    if recording.verdict is None:
        return last, recording.failure or "The run does not end."
    mixed = find_first_mixed_step(recording, cancel)
    if mixed is not None:
        return mixed, describe_foreign_label(recording, mixed) or describe_wrong_label(recording)
    apart = find_missed_unions(recording, cancel)
    return last if apart is None else apart.step, describe_wrong_label(recording)


def _reduce_grid(grid: Grid) -> Iterator[Grid]:
    """Yield grids with fewer rows, columns or foreground cells, the largest reductions first."""
    for axis in (0, 1):
        length = grid.shape[axis]
        size = length // 2
        while size:
            for start in range(0, length, size):
                if length - min(size, length - start):
                    yield np.delete(grid, slice(start, start + size), axis)
            size //= 2
    cells = np.flatnonzero(grid)
    size = len(cells)
    while size:
        for start in range(0, len(cells), size):
            cleared = grid.copy()
            cleared.flat[cells[start : start + size]] = 0
            yield cleared
        size //= 2


def describe_report(report: CheckReport) -> str:
    """Return the result of a check as one sentence."""
    tried = f"{counted(report.runs, 'run')} on {describe_sizes(report.sizes)}"
    found = counted(len(report.defects), "defect")
    words = [f"Nothing is wrong: {tried}." if report.clean else f"{found} in {tried}."]
    if report.endless:
        words.append("It was not checked any further, as a run does not end.")
    return " ".join((*words, report.unused)).rstrip()


def describe_sizes(sizes: Sequence[tuple[int, int]]) -> str:
    """Return how many grids there are and how large, in words.

    Parameters
    ----------
    sizes : sequence of (int, int)
        Their heights and widths.
    """
    number = counted(len(sizes), "grid")
    if len(set(sizes)) < 2:
        return f"{number} of {sizes[0][1]:,} x {sizes[0][0]:,} cells" if sizes else number
    cells = [height * width for height, width in sizes]
    return (
        f"{number} of {min(cells):,} to {max(cells):,} cells, up to {max(w for _, w in sizes):,} "
        f"wide and {max(h for h, _ in sizes):,} high"
    )
