"""Checks the algorithm with its present settings: memory errors, races, and wrong labels."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
from psygnal import Signal

from ccl_viewer.algorithms import find_algorithm
from ccl_viewer.algorithms.copies import fingerprint_code
from ccl_viewer.diagnostics.check import (
    DEFAULT_GRIDS,
    LARGE_GRIDS,
    CheckReport,
    Defect,
    DefectKind,
    NamedGrid,
    WrongRun,
    check_algorithm,
    default_grids,
    describe_sizes,
    find_wrong_step,
)
from ccl_viewer.errors import CancelledError, CCLViewerError
from ccl_viewer.grids import Grid
from ccl_viewer.grids.specs import is_pattern, parse_pattern
from ccl_viewer.render.facts import algorithm_title
from ccl_viewer.support.units import counted
from ccl_viewer.user_kernels.process import Limits
from ccl_viewer.window.core.model import Model, emit
from ccl_viewer.window.core.run_display import ShownRun
from ccl_viewer.window.core.run_settings import RunSettings
from ccl_viewer.window.core.runs import record_until_error
from ccl_viewer.window.core.tasks import BackgroundTask
from ccl_viewer.window.core.view_state import Pin

if TYPE_CHECKING:
    from ccl_viewer.window.core.document import Document
    from ccl_viewer.window.core.messages import Messages
    from ccl_viewer.window.core.runs import RunController
    from ccl_viewer.window.core.tasks import TaskQueue
    from ccl_viewer.window.core.view_state import ViewState

ORDERS: Final = 20
"""Random orders of the threads on each grid."""

CHECKED_CELLS: Final = 1 << 18
"""Larger grids are not checked here: the records of each byte would take gigabytes."""

_GROUP: Final = "check"

COLUMNS: Final = ("Finding", "Line", "Memory", "Kernel", "Block", "Thread", "Times")
"""Columns of the table of findings."""


@dataclass(frozen=True)
class CheckFinding:
    """A finding in words: for :data:`COLUMNS`, and in a sentence.

    It is a defect, a wrong run that can be opened, or a race that is declared harmless.
    """

    words: tuple[str, ...]
    text: str
    defect: Defect | None = None
    run: WrongRun | None = None


class Checker(Model):
    """Checks the present settings on the document's grid and, on request, on difficult ones."""

    difficult_grids_changed = Signal()
    running_changed = Signal()
    progress_changed = Signal()  # also of findings
    report_changed = Signal()

    def __init__(
        self,
        *,
        tasks: TaskQueue,
        messages: Messages,
        document: Document,
        runs: RunController,
        view: ViewState,
    ) -> None:
        super().__init__()
        self._tasks = tasks
        self._messages = messages
        self._document = document
        self._runs = runs
        self._view = view
        self.difficult_grids = False
        self.report: CheckReport | None = None
        self._settings = RunSettings()
        self._asked: tuple[object, ...] = ()
        self._grids: tuple[NamedGrid, ...] = ()
        self._sources: dict[str, str] = {}  # sources of the difficult grids by name
        self._defects: list[Defect] = []
        self._wrong: list[WrongRun] = []
        self._ended = ""

    @property
    def task(self) -> BackgroundTask | None:
        """The check in progress."""
        return self._tasks.task_of(_GROUP)

    @property
    def running(self) -> bool:
        return self.task is not None

    @property
    def can_start(self) -> bool:
        """Whether there is a grid to check that is not too large."""
        grid = self._document.grid
        return self.difficult_grids or (grid is not None and grid.size <= CHECKED_CELLS)

    @property
    def findings(self) -> tuple[CheckFinding, ...]:
        """The findings so far."""
        return tuple(self._rows())

    @property
    def stale(self) -> bool:
        """Whether the findings are for other settings or grids, or an older text of a copy."""
        if self.report is None and not self._ended:
            return False
        grids = [grid for _name, grid in self._grids]
        if self.report is not None and self.report.counterexample is not None:
            grids.append(self.report.counterexample.grid)
        changed = _question(self._runs.settings) != self._asked
        return changed or not any(map(self._is_shown, grids))

    @property
    def summary(self) -> str:
        """How the check ended, in a sentence; before the first check, what it does."""
        changed = "The settings or the grid changed after this check." if self.stale else ""
        unused = "" if self.report is None else self.report.unused
        return " ".join(filter(None, (changed, self._result, unused)))

    @property
    def _result(self) -> str:
        report = self.report
        if report is None:
            return self._ended or (
                "Finds memory errors and races in one run, and wrong labels in "
                f"{ORDERS} random orders of the threads, on the emulator."
            )
        number = len(report.sizes)
        where = self._grids[0][0] if number == 1 else describe_sizes(report.sizes)
        if report.clean:
            right = f"labels right in {counted(report.runs, 'run')} on {where}"
            races = len(report.harmless)
            harmless = f", {counted(races, 'declared race')} harmless" if races else ""
            return f"{self._what}: no defect. Memory and races checked{harmless}, and {right}."
        defects = counted(len(report.defects), "defect")
        if report.endless:
            return f"{self._what}: {defects}; a run does not end, so the check stopped there."
        wrong = sum(run.schedule.startswith("random") for run in report.wrong)
        orders = f"{wrong} of {ORDERS * min(number, len(self._grids))} random orders go wrong"
        return f"{self._what}: {defects}; {orders}."

    def set_difficult_grids(self, on: bool) -> None:
        """Choose whether difficult grids are checked, too."""
        self._set(self.difficult_grids_changed, on)

    def start(self) -> None:
        """Check the present settings."""
        grid = self._document.grid
        if not self.can_start:
            return
        settings = self._runs.settings
        own_grids: tuple[NamedGrid, ...] = ()
        if grid is not None and grid.size <= CHECKED_CELLS:
            own_grids = ((self._document.title or "this grid", grid.copy()),)
        self._settings, self._ended, self.report = settings, "", None
        self._asked = _question(settings)
        self._defects, self._wrong = [], []
        difficult = self.difficult_grids
        others = default_grids() if difficult else ()
        short = tuple((_short_name(spec, grid), grid) for spec, grid in others)
        self._grids = own_grids + short
        self._sources = {name: spec for (name, _), (spec, _) in zip(short, others, strict=True)}
        grids, defects, wrong = self._grids, self._defects, self._wrong

        def work(task: BackgroundTask) -> CheckReport:
            counter = itertools.count()

            def tell(text: str) -> None:
                share = next(counter) / (len(grids) * (1 + ORDERS))
                task.report(text, share if share < 1 else None)

            return check_algorithm(
                find_algorithm(settings.algorithm), settings.connectivity, settings.parameters,
                grids,
                large_grids=difficult, multivalued=settings.multivalued, orders=ORDERS,
                limits=Limits(settings.seconds),
                on_defect=defects.append, on_wrong=wrong.append, cancel=task.token, progress=tell,
            )  # fmt: skip

        title = f"Checking {algorithm_title(settings.algorithm)}"  # a copy may have been deleted
        self._tasks.start(
            title,
            work,
            lambda report: self._end(report=report),
            lambda error: self._fail(title, error),
            group=_GROUP,
            progressed=lambda: self._announce(self.progress_changed),
        )
        self._announce(self.running_changed, self.progress_changed, self.report_changed)

    def cancel(self) -> None:
        """Stop the check; the findings stay."""
        self._tasks.cancel(_GROUP)

    def show_finding(self, row: CheckFinding) -> None:
        """Show the place of a defect: its cell, if its grid is on display, and its source line."""
        defect = row.defect
        if row.run is not None:
            self.open_run(row.run)
        if defect is None:
            return
        grid = dict(self._grids).get(defect.grid)
        if defect.cell is not None and grid is not None and self._is_shown(grid):
            view = self._view
            if view.pin is None or view.pin.cell != defect.cell:
                view.set_pin(Pin(defect.cell))
            view.reveal(defect.cell, flash=True)
        if defect.line:
            emit(self._view.line_chosen, defect.file, defect.line)

    def open_run(self, run: WrongRun) -> None:
        """Show a wrong run at the step where it goes wrong, and its grid."""
        settings = self._settings.with_schedule(run.schedule)

        def work(task: BackgroundTask) -> tuple[ShownRun, int]:
            recording = run.recording
            if recording is None:
                recording = record_until_error(run.grid, settings, task)
            step, _text = find_wrong_step(recording, task.token)
            return ShownRun.prepare(recording, task.check), step

        def done(opened: tuple[ShownRun, int]) -> None:
            self._show_run(*opened, run.grid, self._sources.get(run.name, run.name))

        self._tasks.start(f"Opening {run.schedule}", work, done)

    def open_smallest(self) -> None:
        """Show the smallest grid that fails, and the run at the step where it does."""
        failure = None if self.report is None else self.report.counterexample
        if failure is not None:
            self._show_run(ShownRun.prepare(failure.recording), failure.step, failure.grid, "")

    # Results

    @property
    def _what(self) -> str:
        title = algorithm_title(self._settings.algorithm, self._settings.parameters)
        return f"{title}, {self._settings.connectivity} neighbours"

    def _end(self, report: CheckReport | None = None, reason: str = "") -> None:
        self.report, self._ended = report, reason
        self._announce(self.running_changed, self.progress_changed, self.report_changed)

    def _fail(self, title: str, error: CCLViewerError) -> None:
        count = len(self._defects)
        if isinstance(error, CancelledError):
            text = counted(count, "defect") if count else "no defect"
            self._end(reason=f"The check was stopped: {text} until then.")
        else:
            self._end(reason=str(error))
            self._messages.show_error(title, error)

    def _rows(self) -> Iterator[CheckFinding]:
        report = self.report
        for defect in self._defects if report is None else report.defects:
            if defect.kind is not DefectKind.WRONG_LABELS:
                yield _row_of(defect)
        for run in tuple(self._wrong):
            words = run.schedule.replace("random:", "order ")
            words += f" on {run.name}" if len(self._grids) > 1 else ""
            text = f"On {run.name}, {run.schedule}: {run.text}"
            yield CheckFinding((f"wrong under {words}",), text, run=run)
        for race in () if report is None else report.harmless:
            place = ("harmless race", "", race.buffer, race.kernel)
            yield CheckFinding(place, f"This race {race.sentence}")

    def _is_shown(self, grid: Grid) -> bool:
        now = self._document.grid
        return now is not None and np.array_equal(now, grid)

    def _show_run(self, shown: ShownRun, step: int, grid: Grid, source: str) -> None:
        runs, document = self._runs, self._document
        settings = self._settings.with_schedule(shown.recording.schedule)
        with runs.without_runs():
            if not self._is_shown(grid):
                title = "Open a grid that fails"
                several = settings.multivalued
                document.replace(grid, title, source=source, multivalued=several, work=False)
            runs.replace_settings(settings)
            runs.show_recording(shown, index=step)


def difficult_text() -> str:
    """Return the text of the switch for difficult grids."""
    number = len(DEFAULT_GRIDS) + len(LARGE_GRIDS)
    return f"Also on {counted(number, 'difficult grid')}"


def _short_name(spec: str, grid: Grid) -> str:
    """Return a name that fits into a row: the pattern and the size."""
    height, width = grid.shape
    kind = parse_pattern(spec)[0].title.lower() if is_pattern(spec) else spec
    return f"{kind} {width} x {height}"


def _question(settings: RunSettings) -> tuple[object, ...]:
    """Return the inputs of a check besides the grids: settings, and the text of user code."""
    key, values, text = settings.algorithm, settings.parameters, None
    with suppress(CCLViewerError):  # a deleted copy
        values = find_algorithm(key).complete(values)
        text = fingerprint_code(key)
    return key, settings.connectivity, values, settings.multivalued, text


def _row_of(defect: Defect) -> CheckFinding:
    index = "" if defect.index is None else f"[{defect.index}]"
    words = (
        defect.kind,
        f"{defect.file.rpartition('/')[2]}:{defect.line}" if defect.line else "",
        f"{defect.memory}{index}",
        defect.kernel,
        ", ".join(map(str, defect.block or ())),
        ", ".join(map(str, defect.thread or ())),
        f"{defect.times:,}",
    )
    return CheckFinding(words, f"{defect.text} On {defect.grid}, {defect.schedule}.", defect)
