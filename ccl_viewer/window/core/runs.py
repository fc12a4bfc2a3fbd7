"""Runs the algorithm on the document's grid: on demand, after changes, and while drawing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import Final, Unpack

from ccl_viewer.algorithms import algorithm
from ccl_viewer.devices.registry import open_device
from ccl_viewer.errors import CancelledError, CCLViewerError, DeviceUnavailableError, Diagnostic
from ccl_viewer.execution.plan import ParameterValue
from ccl_viewer.grids import Grid
from ccl_viewer.recording import OnStep, Recording, Step
from ccl_viewer.render.facts import algorithm_title
from ccl_viewer.render.palette import Colouring, FirstColouring, first_colouring
from ccl_viewer.user_kernels.process import (
    Limits,
    RecordJob,
    RunRecorder,
    measure_times,
    recorder_for,
)
from ccl_viewer.window.core.analysis import GROUP as ANALYSIS
from ccl_viewer.window.core.analysis import TIMES
from ccl_viewer.window.core.display import RunDisplay, RunInputs, ShownRun
from ccl_viewer.window.core.document import Document
from ccl_viewer.window.core.labels import LARGE
from ccl_viewer.window.core.messages import MessageAction, Messages
from ccl_viewer.window.core.model import Model
from ccl_viewer.window.core.run_settings import (
    AUTOMATIC_CELLS,
    COUNTED_CELLS,
    RunChanges,
    RunSettings,
)
from ccl_viewer.window.core.tasks import RUN, Task, TaskQueue, ignore

COLOURS: Final = "colours"
"""The group of tasks in which colours of large runs are chosen."""

_LANE_SECONDS: Final = 0.25
"""How long the times of a lane are measured before it is shown."""

_STOPPED: Final = "stopped run"

QUICK_SECONDS: Final = 1.0
"""What took less than this is run again after each change, however large the grid is."""

LIVE_CELLS: Final = 1 << 20
"""In live mode, larger grids are run when an edit has ended, not before."""


class RunController(Model):
    """Holds the settings of runs, and makes runs of the document's grid.

    Small grids are run again after each change, and so are larger ones whose last run was quick;
    of others, the run goes out of date. In `live` mode, grids are run while the user draws, and the
    newest grid counts.

    With `counting`, the emulator's runs of small grids count what launches do to memory.

    Fields: ``settings``, ``running``, ``live``, ``counting``.
    """

    def __init__(
        self, tasks: TaskQueue, document: Document, display: RunDisplay, messages: Messages
    ) -> None:
        super().__init__()
        self._tasks = tasks
        self._document = document
        self._display = display
        self._messages = messages
        self.settings = RunSettings()
        self._before_values: RunSettings | None = None
        self._parameters: dict[str, Mapping[str, ParameterValue]] = {}
        self.diagnostics: tuple[Diagnostic, ...] = ()
        self.failure = ""
        self.live = False
        self.counting = True
        self._held = 0
        self._work: _RunWork | None = None
        self._quick: object = None  # the kind of run that was quick the last time
        self._wanted = False
        document.changed.connect(self._on_document_changed)
        display.watch("recording", self._refresh_stale)
        tasks.watch("progress", self._grow)

    # What it holds

    @property
    def state(self) -> RunInputs:
        """What a run depends on, as it is now."""
        return RunInputs(self._document.revision, self.settings)

    @property
    def running(self) -> bool:
        return self._work is not None

    @property
    def can_run(self) -> bool:
        return self._document.grid is not None

    # What may be done

    def configure(self, **changes: Unpack[RunChanges]) -> None:
        """Change how the next run is done, as :meth:`RunSettings.changed` does.

        Parameters of an algorithm that was used before come back.
        """
        key = changes.get("algorithm") or self.settings.algorithm
        if key != self.settings.algorithm and changes.get("parameters") is None:
            changes["parameters"] = self._parameters.get(key)
        new = self.settings.changed(**changes)
        if self.can_run and changes.get("multivalued") not in {None, self._document.multivalued}:
            self.restore(new)
            self._document.set_multivalued(new.multivalued)
        elif new != self.settings:
            self._use(new)
            self._refresh()
        else:
            self.settings = new  # what was chosen may differ

    def set_multivalued(self, on: bool) -> None:
        """Let the grid hold several values, or one; where need be, another algorithm stands in."""
        before = self.settings.algorithm
        new = self._for_values(on)
        self.configure(algorithm=new.algorithm, parameters=new.parameters, multivalued=on)
        if on and new.algorithm != before:
            self._messages.tell(stands_in(before, new.algorithm))

    def restore(self, settings: RunSettings) -> None:
        """Take settings as they are, without a run."""
        with self.without_runs():
            self._use(settings)

    @contextmanager
    def without_runs(self) -> Iterator[None]:
        """Begin no run for changes of settings and document within the block."""
        self._held += 1
        try:
            yield
        finally:
            self._held -= 1
            self._refresh_stale()

    def run(self, *, keep_position: bool = False, step: int | None = None) -> None:
        """Run the grid as it is now, with what floats over it placed.

        With `keep_position`, the run is shown at the matching step once it has ended, as after an
        edit; otherwise each step is shown as it is recorded. In the end, `step` is shown, counted
        from 0 or from -1 backwards; None is the last.
        """
        with self.without_runs():
            self._document.selection.place()
        if not self.can_run:
            text = "There is no grid yet: open a picture or choose a pattern."
            self._messages.tell(text)
        else:
            self._start(keep_position=keep_position, step=step)

    def cancel(self) -> None:
        """Stop the run; what was recorded so far stays."""
        self._wanted = False
        self._tasks.cancel(RUN)

    def stop(self) -> None:
        """Drop the run in progress, as when another grid takes the place of this one."""
        self._wanted = False
        self._tasks.stop(RUN)
        self._leave_work()

    def show_recording(self, shown: ShownRun, *, index: int = 0) -> None:
        """Show a recording of the document's grid, which was not made here.

        Settings become those of the recording, if this program can make such a run.
        """
        self.stop()
        with suppress(CCLViewerError):  # with another program's algorithm, it can still be watched
            self.restore(self.settings.of_recording(shown.recording))
        self._show(replace(shown, of=self.state), index)

    def set_live(self, on: bool) -> None:
        """Choose whether the grid is run while the user draws."""
        if self._set(live=on):
            self._wanted = False
            self._refresh()

    def set_counting(self, on: bool) -> None:
        """Choose whether small grids are counted; the run on display is made again for it."""
        grid, recording = self._document.grid, self._display.recording
        if not self._set(counting=on) or grid is None or recording is None:
            return
        if self.will_count(grid.size) and not recording.counted and not self._display.stale:
            self._start(keep_position=True)

    def will_count(self, cells: int) -> bool:
        """Return whether runs of grids of a size count what launches do to memory."""
        return self.counting and cells <= COUNTED_CELLS

    def run_counted(self) -> None:
        """Run the grid again, of whatever size, and count what launches do to memory."""
        self._start(keep_position=True, count=True)

    # Changes

    def _on_document_changed(self, fields: frozenset[str]) -> None:
        if fields & {"grid", "shape", "undo", "multivalued", "source"}:
            grid = self._document.grid
            if grid is not None and self._document.multivalued != self.settings.multivalued:
                self._use(self._for_values(self._document.multivalued))
            work = None if self._work is None else self._work.grid
            for image in (work, self._display.image):
                if image is not None and (grid is None or image.shape != grid.shape):
                    self.stop()
                    self._display.clear()
            self._refresh()

    def _use(self, settings: RunSettings) -> None:
        old, self.settings = self.settings, settings
        if settings.multivalued and not old.multivalued:
            self._before_values = old if settings.algorithm != old.algorithm else None
        elif settings.algorithm != old.algorithm:
            self._before_values = None
        self._parameters[settings.algorithm] = settings.parameters
        if settings != old:
            self._announce("settings")

    def _for_values(self, on: bool) -> RunSettings:
        """Return settings for a grid of several values or of one.

        With one value again, restore the algorithm that was replaced.
        """
        before, now = self._before_values, self.settings
        if on or before is None:
            return now.with_values(on)
        if now.connectivity not in algorithm(before.algorithm).connectivities:
            return now.with_values(on)
        return now.changed(
            algorithm=before.algorithm, parameters=before.parameters, multivalued=False
        )

    def _refresh(self) -> None:
        """Grid or settings changed: run again, or let the run go out of date."""
        self._refresh_stale()
        grid, run = self._document.grid, self._work or self._display.shown
        if self._held or grid is None or (run is not None and run.of == self.state):
            return
        if self.live and (not self._document.drawing or grid.size <= LIVE_CELLS):
            self._wanted = True
            self._go_on()
        elif self._document.drawing:
            return
        elif grid.size <= AUTOMATIC_CELLS or self._quick == _kind(grid, self.settings):
            self._start(keep_position=self._display.recording is not None)
        elif self._work is not None:
            self.cancel()

    def _go_on(self) -> None:
        """Begin the run of the newest grid for which live mode asked.

        While the user draws, a run in progress may finish first.
        """
        if self._wanted and (self._work is None or not self._document.drawing):
            self._wanted = False
            self._start(keep_position=True)

    # Runs

    def _start(
        self,
        *,
        keep_position: bool,
        step: int | None = None,
        count: bool = False,
    ) -> None:
        grid = self._document.grid
        if grid is None:
            return
        state = self.state
        settings = replace(state.settings, device="emulator") if count else state.settings
        count = count or self.will_count(grid.size)  # which a GPU does not
        before = self._display.colouring
        grid = grid.copy()
        grid.flags.writeable = False  # so that the recording need not copy it again
        work = _RunWork(grid, settings, state, not keep_position, step, before, count)
        title = f"Running {algorithm_title(settings.algorithm)}"  # a copy may be gone
        with self.transaction():
            self.stop()
            for group in (ANALYSIS, COLOURS, TIMES):  # of the run before; a new one is waited for
                self._tasks.stop(group)
            self._work = work
            self._announce("running")
            self._tasks.start(
                title,
                work.perform,
                lambda shown: self._done(work, title, shown),
                lambda error: self._failed(work, title, error),
                group=RUN,
            )

    def _grow(self) -> None:
        work = self._work
        if work is None or work.shown is None or not work.followed:
            return
        if self._display.growing:
            self._display.grow()
        else:
            self._show(work.shown, -1, growing=True)

    def _done(self, work: _RunWork, title: str, shown: ShownRun | None) -> None:
        self._work, self.diagnostics, self.failure = None, work.diagnostics, ""
        quick = perf_counter() - work.begun < QUICK_SECONDS
        self._quick = _kind(work.grid, self.settings) if quick else None
        with self._display.transaction():
            if shown is not None and self._display.growing:
                self._display.finish(shown)
            elif shown is not None:
                self._show(shown, -1 if work.followed or work.error else None)
            if shown is not None and work.step is not None:
                self._display.go_to(work.step % len(shown.recording))
            self._refresh_stale()
        if shown is not None:
            self._measure(shown.recording)
        if shown is not None and shown.components is None:
            self._tasks.start(
                "Choosing colours", work.complete, self._display.complete, ignore, group=COLOURS
            )
        if work.error is not None and self._display.fault is None:  # a fault stays in the status
            self._messages.show_error(title, work.error)
        self._announce("running")
        self._go_on()

    def _measure(self, recording: Recording) -> None:
        """Measure the times of a GPU's steps in the background."""
        if not recording.untimed:
            return
        settings = self.settings

        def work(task: Task) -> None:
            measure_times(recording, settings.device, settings.schedule, cancel=task.token)

        def ended(_result: object) -> None:  # without times, if that failed
            self._display.take_times()

        self._tasks.start("Measuring times", work, ended, ended, group=TIMES)

    def _failed(self, work: _RunWork, title: str, error: CCLViewerError) -> None:
        self._grow()
        self._leave_work()
        self._complete(work)
        self._quick = None
        self.diagnostics, self.failure = work.diagnostics, str(error)
        self._wanted = self._wanted and not isinstance(error, CancelledError)
        if not isinstance(error, CancelledError) or work.shown is None:
            missing = work.settings.device == "cuda" and isinstance(error, DeviceUnavailableError)
            remedy = MessageAction("Use the emulator", self._use_emulator) if missing else None
            self._messages.show_error(title, error, remedy)
        self._announce("running")
        self._go_on()

    def _use_emulator(self) -> None:
        self.configure(device="emulator")
        if not self.running:
            self.run()

    def _leave_work(self) -> None:
        """Take note that the run in progress does not go on; its steps stay on display."""
        work, self._work = self._work, None
        if work is not None and work.shown is not None and self._display.growing:
            self._display.finish(work.shown)
            self._refresh_stale()
        if work is not None:
            self._announce("running")

    def _complete(self, work: _RunWork) -> None:
        """Find what is computed once of a run that was stopped: its components and colours."""
        stopped = work.shown
        if stopped is None or self._display.shown is not stopped:
            return

        def prepare(task: Task) -> ShownRun:
            known, before = _chosen(stopped.colouring), _chosen(work.before)
            shown = ShownRun.prepare(stopped.recording, task.check, colouring=known, before=before)
            return replace(shown, of=stopped.of)

        def done(shown: ShownRun) -> None:
            if self._display.shown is stopped:
                self._display.finish(shown)
                self._refresh_stale()

        self._tasks.start("Choosing colours", prepare, done, ignore, group=_STOPPED)

    def _show(self, shown: ShownRun, index: int | None, *, growing: bool = False) -> None:
        with self._display.transaction():
            self._display.show(shown, index=index, growing=growing)
            self._refresh_stale()

    def _refresh_stale(self) -> None:
        shown = self._display.shown
        stale = shown is not None and shown.of is not None and shown.of != self.state
        self._display.mark_stale(stale)


@dataclass(eq=False)
class _RunWork:
    """Records one run on the pool.

    If `followed`, steps are shown as they are recorded; `step` is shown at the end.
    `shown` is the run as far as it can be shown, and `error` says why it broke off, if it did.
    Components that an edit does not touch keep the colours of `before`.
    """

    grid: Grid
    settings: RunSettings
    of: RunInputs
    followed: bool
    step: int | None = None
    before: Colouring | None = None
    counts: bool = False
    begun: float = field(default_factory=perf_counter, init=False)
    shown: ShownRun | None = field(default=None, init=False)
    error: CCLViewerError | None = field(default=None, init=False)
    diagnostics: tuple[Diagnostic, ...] = field(default=(), init=False)

    def perform(self, task: Task) -> ShownRun | None:
        task.report("Opening the device")

        def stepped(step: Step) -> None:
            first = self.followed and self.shown is None
            if first:
                colouring = self._first_colouring(recorder.recording, task)
                self.shown = ShownRun(recorder.recording, colouring, None, self.of)
            task.report(f"Step {step.index + 1}: {step.kernel}", at_once=first)

        recorder = recorder_of(self.grid, self.settings, task, stepped, counts=self.counts)
        try:
            self.error = run_to_fault(recorder)
        finally:
            self.diagnostics = recorder.diagnostics
        if not len(recorder.recording):
            return None
        known = None if self.shown is None else self.shown.colouring
        if self.large:
            known = known or self._first_colouring(recorder.recording, task)
            self.shown = ShownRun(recorder.recording, known, None, self.of)
            return self.shown
        task.report("Choosing colours")
        shown = ShownRun.prepare(
            recorder.recording, task.check, colouring=known, before=_chosen(self.before)
        )
        self.shown = replace(shown, of=self.of)
        return self.shown

    @property
    def large(self) -> bool:
        """Whether colours take long to choose: the run is shown before."""
        return self.grid.size >= LARGE

    def _first_colouring(self, recording: Recording, task: Task) -> Colouring:
        """Return the colours until all are chosen: of a large grid those before, if any."""
        if not self.large:
            return first_colouring(recording, task.check, before=_chosen(self.before))
        before = self.before
        if before is not None and before.layout == recording.layout:
            return before
        return FirstColouring(recording)

    def complete(self, task: Task) -> ShownRun:
        """Choose the colours of a large run, and find its components; on the pool."""
        assert self.shown is not None  # noqa: S101  (it has run)
        shown = ShownRun.prepare(self.shown.recording, task.check, before=_chosen(self.before))
        return replace(shown, of=self.of)


def _chosen(colouring: Colouring | None) -> Colouring | None:
    """Return colours that were chosen for components; None where that is still to be done."""
    return None if isinstance(colouring, FirstColouring) else colouring


def _kind(grid: Grid, settings: RunSettings) -> object:
    """Return what runs have in common that take about as long."""
    return grid.shape, settings.algorithm, settings.device, settings.schedule


def recorder_of(
    grid: Grid,
    settings: RunSettings,
    task: Task,
    on_step: OnStep | None = None,
    *,
    counts: bool = False,
) -> RunRecorder:
    """Return a recorder for settings, which a task can cancel.

    The emulator `counts` what launches do to memory.
    """
    counts = counts and open_device(settings.device, settings.schedule, cells=1).key == "emulator"
    job = RecordJob(
        grid, algorithm(settings.algorithm), settings.connectivity, settings.parameters,
        settings.device, settings.schedule, settings.multivalued, settings.consecutive,
        ledger=counts, limits=Limits(settings.seconds),
    )  # fmt: skip
    return recorder_for(job, cancel=task.token, progress=task.report, on_step=on_step)


def run_to_fault(recorder: RunRecorder) -> CCLViewerError | None:
    """Record a run; return the error that ended it, if some steps were recorded before."""
    try:
        recorder.run()
    except CancelledError:
        raise
    except CCLViewerError as error:
        if not len(recorder.recording):
            raise
        return error
    return None


def record_shown(
    grid: Grid, settings: RunSettings, task: Task, *, counts: bool = False
) -> Recording:
    """Return a run of a grid, as far as it can be shown; on the pool."""
    recorder = recorder_of(grid, settings, task, counts=counts)
    run_to_fault(recorder)
    recording = recorder.recording
    measure_times(
        recording, settings.device, settings.schedule, seconds=_LANE_SECONDS, cancel=task.token
    )
    return recording


def stands_in(before: str, now: str) -> str:
    """Return the sentence that one algorithm takes the place of another."""
    return (
        f"{algorithm(before).title} cannot label several values: {algorithm(now).title} is used "
        "instead."
    )
