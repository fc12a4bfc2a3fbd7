"""Runs the algorithm on the document's grid: on request, after changes, and while drawing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from time import perf_counter, sleep
from typing import Final, Unpack

from psygnal import Signal

from ccl_viewer.algorithms import find_algorithm
from ccl_viewer.devices.registry import open_device
from ccl_viewer.errors import CancelledError, CCLViewerError, DeviceUnavailableError, Diagnostic
from ccl_viewer.execution.plan import ParameterValue
from ccl_viewer.grids import Grid
from ccl_viewer.recording import OnStep, Recording, Step
from ccl_viewer.render.facts import algorithm_title
from ccl_viewer.render.palette import Colouring, ProvisionalColouring, colour_grid
from ccl_viewer.support.arrays import give_back_memory
from ccl_viewer.user_kernels.process import Limits
from ccl_viewer.user_kernels.recorder import (
    RecordJob,
    RunRecorder,
    choose_recorder,
    measure_if_untimed,
)
from ccl_viewer.window.core.analysis import ANALYSIS, COLOURING, TIMING
from ccl_viewer.window.core.document import Document
from ccl_viewer.window.core.labels import LARGE
from ccl_viewer.window.core.messages import MessageAction, Messages
from ccl_viewer.window.core.model import Model, watch
from ccl_viewer.window.core.run_display import RunDisplay, RunInputs, ShownRun
from ccl_viewer.window.core.run_settings import (
    AUTOMATIC_CELLS,
    COUNTED_CELLS,
    RunChanges,
    RunSettings,
)
from ccl_viewer.window.core.tasks import RUN, BackgroundTask, TaskQueue, ignore

_TIMING_SECONDS: Final = 0.25
"""Longest wait for the times of a compared run before it is shown."""

_STOPPED: Final = "stopped run"

_QUICKLY_COUNTED: Final = 1 << 28
"""Cells times steps that a GPU counts within a few milliseconds."""

_FRAME_SECONDS: Final = 0.05
"""Head start of the window when a run has ended: it paints before colours are chosen. These need
large copies from the GPU, for which painting would wait."""

QUICK_SECONDS: Final = 1.0
"""A run quicker than this is repeated after each change, however large the grid."""

LIVE_CELLS: Final = 1 << 20
"""In live mode, larger grids are run only when an edit has ended."""


class RunController(Model):
    """Holds the settings of runs, and runs the algorithm on the document's grid.

    After each change, small grids are run again, and so are larger ones with a quick last run;
    other runs go out of date. In `live` mode, grids are run while the user draws; the newest grid
    wins.

    With `counting`, runs of small grids on the emulator count memory accesses.
    """

    settings_changed = Signal()
    running_changed = Signal()
    live_changed = Signal()
    counting_changed = Signal()

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
        self._quick: object = None  # the kind of run that was quick last time
        self._wanted = False
        watch(
            self._on_document_changed,
            document.grid_changed,
            document.shape_changed,
            document.undo_changed,
            document.multivalued_changed,
            document.source_changed,
        )
        display.recording_changed.connect(self._refresh_stale)
        tasks.progress_changed.connect(self._grow)

    # State

    @property
    def run_inputs(self) -> RunInputs:
        """What a run depends on, as it is now."""
        return RunInputs(self._document.revision, self.settings)

    @property
    def running(self) -> bool:
        return self._work is not None

    @property
    def can_run(self) -> bool:
        return self._document.grid is not None

    # Commands

    def configure(self, **changes: Unpack[RunChanges]) -> None:
        """Change the settings of the next run, as :meth:`RunSettings.with_changes` does.

        Earlier parameters of an algorithm are restored.
        """
        key = changes.get("algorithm") or self.settings.algorithm
        if key != self.settings.algorithm and changes.get("parameters") is None:
            changes["parameters"] = self._parameters.get(key)
        new = self.settings.with_changes(**changes)
        if self.can_run and changes.get("multivalued") not in {None, self._document.multivalued}:
            self.replace_settings(new)
            self._document.set_multivalued(new.multivalued)
        elif new != self.settings:
            self._use(new)
            self._refresh()
        else:
            self.settings = new  # the choice may differ

    def set_multivalued(self, on: bool) -> None:
        """Allow several values in the grid, or one; if necessary, another algorithm is used."""
        before = self.settings.algorithm
        new = self._for_values(on)
        self.configure(algorithm=new.algorithm, parameters=new.parameters, multivalued=on)
        if on and new.algorithm != before:
            self._messages.tell(replacement_text(before, new.algorithm))

    def replace_settings(self, settings: RunSettings) -> None:
        """Replace the settings, without a run."""
        with self.without_runs():
            self._use(settings)

    @contextmanager
    def without_runs(self) -> Iterator[None]:
        """Start no run for changes of settings and document within the block."""
        self._held += 1
        try:
            yield
        finally:
            self._held -= 1
            self._refresh_stale()

    def run(self, *, keep_position: bool = False, step: int | None = None) -> None:
        """Run the grid as it is now, with the floating patch placed.

        With `keep_position`, the run is shown at the matching step once it has ended, as after an
        edit; otherwise each step is shown as it is recorded. In the end `step` is shown; it counts
        from 0, or backwards from -1; None is the last.
        """
        with self.without_runs():
            self._document.selection.place()
        if not self.can_run:
            text = "There is no grid yet: open a picture or choose a pattern."
            self._messages.tell(text)
        else:
            self._start(keep_position=keep_position, step=step)

    def cancel(self) -> None:
        """Stop the run; the steps recorded so far stay."""
        self._wanted = False
        self._tasks.cancel(RUN)

    def abandon_run(self) -> None:
        """Drop the run in progress, for example when another grid replaces this one."""
        self._wanted = False
        self._tasks.abandon(RUN)
        self._end_run()

    def show_recording(self, shown: ShownRun, *, index: int = 0) -> None:
        """Show a recording of the document's grid that was not made here.

        Take over its settings, if this program can repeat the run.
        """
        self.abandon_run()
        with suppress(CCLViewerError):  # a recording of an unknown algorithm can still be watched
            self.replace_settings(self.settings.of_recording(shown.recording))
        self._show(replace(shown, of=self.run_inputs), index)

    def set_live(self, on: bool) -> None:
        """Choose whether the grid is run while the user draws."""
        if self._set(self.live_changed, on):
            self._wanted = False
            self._refresh()

    def set_counting(self, on: bool) -> None:
        """Choose whether small grids are counted; the run on display is repeated accordingly."""
        grid, recording = self._document.grid, self._display.recording
        if not self._set(self.counting_changed, on) or grid is None or recording is None:
            return
        if self.will_count(grid.size) and not recording.has_counts and not self._display.stale:
            self._start(keep_position=True)

    def will_count(self, cells: int) -> bool:
        """Return whether runs of grids of a size count memory accesses."""
        return self.counting and cells <= COUNTED_CELLS

    def run_counted(self) -> None:
        """Run a grid of any size again, and count memory accesses."""
        self._start(keep_position=True, count=True)

    # Changes

    def _on_document_changed(self) -> None:
        grid = self._document.grid
        if grid is not None and self._document.multivalued != self.settings.multivalued:
            self._use(self._for_values(self._document.multivalued))
        work = None if self._work is None else self._work.grid
        for image in (work, self._display.image):
            if image is not None and (grid is None or image.shape != grid.shape):
                self.abandon_run()
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
            self._announce(self.settings_changed)

    def _for_values(self, on: bool) -> RunSettings:
        """Return settings for a grid of several values or of one.

        Back at one value, restore the algorithm that was replaced.
        """
        before, now = self._before_values, self.settings
        if on or before is None:
            return now.with_multivalued(on)
        if now.connectivity not in find_algorithm(before.algorithm).connectivities:
            return now.with_multivalued(on)
        return now.with_changes(
            algorithm=before.algorithm, parameters=before.parameters, multivalued=False
        )

    def _refresh(self) -> None:
        """After a change of grid or settings, run again, or let the run go out of date."""
        self._refresh_stale()
        grid, run = self._document.grid, self._work or self._display.shown
        if self._held or grid is None or (run is not None and run.of == self.run_inputs):
            return
        if self.live and (not self._document.drawing or grid.size <= LIVE_CELLS):
            self._wanted = True
            self._start_live_run()
        elif self._document.drawing:
            return
        elif grid.size <= AUTOMATIC_CELLS or self._quick == _kind(grid, self.settings):
            self._start(keep_position=self._display.recording is not None)
        elif self._work is not None:
            self.cancel()

    def _start_live_run(self) -> None:
        """Start the run of the newest grid that live mode requested.

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
        state = self.run_inputs
        settings = replace(state.settings, device="emulator") if count else state.settings
        count = count or self.will_count(grid.size)  # a GPU does not count
        before = self._display.colouring
        grid = grid.copy()
        grid.flags.writeable = False  # so that the recording does not copy it again
        work = _RunWork(grid, settings, state, not keep_position, step, before, count)
        title = f"Running {algorithm_title(settings.algorithm)}"  # a copy may have been deleted
        with self.transaction():
            self.abandon_run()
            for group in (
                ANALYSIS,
                COLOURING,
                TIMING,
            ):  # of the run before; a new one is waited for
                self._tasks.abandon(group)
            self._work = work
            self._announce(self.running_changed)
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
        if work.shown.recording.complete:  # it is shown as finished in a moment
            return
        if self._display.growing:
            self._display.announce_steps()
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
            self._start_background_work(work, shown)
        if work.error is not None and self._display.fault is None:  # a fault stays in the status
            self._messages.show_error(title, work.error)
        self._announce(self.running_changed)
        self._start_live_run()

    def _start_background_work(self, work: _RunWork, shown: ShownRun) -> None:
        """Do low-priority work in the background: colours, then times, then freeing memory.

        A GPU counts facts within milliseconds, so the colours wait for them.
        """
        recording, tasks = shown.recording, self._tasks

        def is_current() -> bool:
            return not self.running and self._display.recording is recording

        def choose_colours() -> None:
            if not is_current():
                return
            if shown.component_table is None:
                done = self._display.add_components
                tasks.start("Choosing colours", work.complete, done, ignore, group=COLOURING)
            tasks.call_when_idle(COLOURING, measure)

        def measure() -> None:
            if is_current():
                self._measure(recording)
                tasks.call_when_idle(TIMING, clear_up)

        def clear_up() -> None:
            if is_current() and work.large:
                title = "Freeing memory"
                tasks.start(title, lambda _task: give_back_memory(), ignore, group=TIMING)

        if recording.grid_kernels.backend.on_host:
            choose_colours()
        else:
            tasks.call_when_idle(ANALYSIS, choose_colours)

    def _measure(self, recording: Recording) -> None:
        """Measure the times of a GPU's steps in the background."""
        if not recording.needs_timing:
            return
        settings = self.settings

        def work(task: BackgroundTask) -> None:
            measure_if_untimed(recording, settings.device, settings.schedule, cancel=task.token)

        def ended(_result: object) -> None:  # also without times, if that failed
            self._display.announce_times()

        self._tasks.start("Measuring times", work, ended, ended, group=TIMING)

    def _failed(self, work: _RunWork, title: str, error: CCLViewerError) -> None:
        self._grow()
        self._end_run()
        self._complete(work)
        self._quick = None
        self.diagnostics, self.failure = work.diagnostics, str(error)
        self._wanted = self._wanted and not isinstance(error, CancelledError)
        if not isinstance(error, CancelledError) or work.shown is None:
            missing = work.settings.device == "cuda" and isinstance(error, DeviceUnavailableError)
            remedy = MessageAction("Use the emulator", self._use_emulator) if missing else None
            self._messages.show_error(title, error, remedy)
        self._announce(self.running_changed)
        self._start_live_run()

    def _use_emulator(self) -> None:
        self.configure(device="emulator")
        if not self.running:
            self.run()

    def _end_run(self) -> None:
        """Mark the run in progress as ended; its steps stay on display."""
        work, self._work = self._work, None
        if work is not None and work.shown is not None and self._display.growing:
            self._display.finish(work.shown)
            self._refresh_stale()
        if work is not None:
            self._announce(self.running_changed)

    def _complete(self, work: _RunWork) -> None:
        """Compute components and colours of a run that was stopped."""
        stopped = work.shown
        if stopped is None or self._display.shown is not stopped:
            return

        def prepare(task: BackgroundTask) -> ShownRun:
            before = _chosen(work.before)
            shown = ShownRun.prepare(stopped.recording, task.check, before=before)
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
        stale = shown is not None and shown.of is not None and shown.of != self.run_inputs
        self._display.set_stale(stale)


@dataclass(eq=False)
class _RunWork:
    """Records one run on the pool.

    If `followed`, steps are shown as they are recorded; `step` is shown at the end. `shown` is the
    run as far as it can be shown, and `error` is what ended it early, if anything. Components that
    an edit does not touch keep the colours of `before`.
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

    def perform(self, task: BackgroundTask) -> ShownRun | None:
        task.report("Opening the device")

        def stepped(step: Step) -> None:
            first = self.followed and self.shown is None
            if first:
                colouring = self._first_colouring(recorder.recording, task)
                self.shown = ShownRun(recorder.recording, colouring, None, self.of)
            task.report(f"Step {step.index + 1}: {step.kernel}", at_once=first)

        recorder = make_recorder(self.grid, self.settings, task, stepped, counts=self.counts)
        try:
            self.error = run_until_error(recorder)
        finally:
            self.diagnostics = recorder.diagnostics
        if not len(recorder.recording):
            return None
        count_trees_if_fast(recorder.recording, task)
        if self.large:
            grown = None if self.shown is None else self.shown.colouring
            colouring = grown or self._first_colouring(recorder.recording, task)
            self.shown = ShownRun(recorder.recording, colouring, None, self.of)
            return self.shown
        task.report("Choosing colours")
        shown = ShownRun.prepare(recorder.recording, task.check, before=_chosen(self.before))
        self.shown = replace(shown, of=self.of)
        return self.shown

    @property
    def large(self) -> bool:
        """Whether colours take so long that the run is shown before."""
        return self.grid.size >= LARGE

    def _first_colouring(self, recording: Recording, task: BackgroundTask) -> Colouring:
        """Return the colours to use until all are chosen: on a large grid those before, if any."""
        if not self.large:
            components, _ = recording.component_numbers(task.check)
            before = _chosen(self.before)
            return colour_grid(components, recording.layout, task.check, before=before)
        before = self.before
        if before is not None and before.layout == recording.layout:
            return before
        return ProvisionalColouring(recording)

    def complete(self, task: BackgroundTask) -> ShownRun:
        """Choose the colours of a large run, and find its components; on the pool."""
        assert self.shown is not None  # noqa: S101  (it has run)
        if not self.shown.recording.grid_kernels.backend.on_host:
            sleep(_FRAME_SECONDS)
        shown = ShownRun.prepare(self.shown.recording, task.check, before=_chosen(self.before))
        return replace(shown, of=self.of)


def count_trees_if_fast(recording: Recording, task: BackgroundTask) -> None:
    """Compute what a GPU counts within milliseconds now, before the window paints."""
    work = recording.image.size * len(recording)
    if (
        recording.complete
        and not recording.grid_kernels.backend.on_host
        and work <= _QUICKLY_COUNTED
    ):
        recording.precompute_tree_counts(range(len(recording)), task.check)


def _chosen(colouring: Colouring | None) -> Colouring | None:
    """Return colours that were chosen for components; None if they are still to be chosen."""
    return None if isinstance(colouring, ProvisionalColouring) else colouring


def _kind(grid: Grid, settings: RunSettings) -> object:
    """Return what runs of about the same duration have in common."""
    return grid.shape, settings.algorithm, settings.device, settings.schedule


def make_recorder(
    grid: Grid,
    settings: RunSettings,
    task: BackgroundTask,
    on_step: OnStep | None = None,
    *,
    counts: bool = False,
) -> RunRecorder:
    """Return a recorder for settings, which a task can cancel.

    With `counts`, the emulator counts memory accesses.
    """
    device = open_device(settings.device, settings.schedule, cells=1)
    job = RecordJob(
        image=grid,
        algorithm=find_algorithm(settings.algorithm),
        connectivity=settings.connectivity,
        parameters=settings.parameters,
        device=settings.device,
        schedule=settings.schedule,
        multivalued=settings.multivalued,
        consecutive=settings.consecutive,
        ledger=counts and device.counts_accesses,
        limits=Limits(settings.seconds),
    )
    return choose_recorder(job, cancel=task.token, progress=task.report, on_step=on_step)


def run_until_error(recorder: RunRecorder) -> CCLViewerError | None:
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


def record_until_error(
    grid: Grid, settings: RunSettings, task: BackgroundTask, *, counts: bool = False
) -> Recording:
    """Return a run of a grid, as far as it can be shown; on the pool."""
    recorder = make_recorder(grid, settings, task, counts=counts)
    run_until_error(recorder)
    recording = recorder.recording
    measure_if_untimed(
        recording, settings.device, settings.schedule, seconds=_TIMING_SECONDS, cancel=task.token
    )
    return recording


def replacement_text(before: str, now: str) -> str:
    """Return the sentence that one algorithm replaces another."""
    return (
        f"{find_algorithm(before).title} cannot label several values: {find_algorithm(now).title} "
        "is used instead."
    )
