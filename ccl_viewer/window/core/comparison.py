"""Runs side by side on one grid, the moments they share, and where they differ."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from psygnal import Signal, SignalInstance

from ccl_viewer.algorithms import ALGORITHMS, find_algorithm
from ccl_viewer.errors import CancelledError, CCLViewerError, InputError
from ccl_viewer.execution.plan import ParameterValue
from ccl_viewer.grids import Grid
from ccl_viewer.recording import Recording
from ccl_viewer.recording.alignment import StepCosts, Sync
from ccl_viewer.render.facts import run_names
from ccl_viewer.render.forest import Mask
from ccl_viewer.support.dataclass_json import from_json
from ccl_viewer.support.units import duration, nbytes_text, time_scale_for
from ccl_viewer.window.core.comparison_table import ResultRow
from ccl_viewer.window.core.model import Model, watch
from ccl_viewer.window.core.moments import Moments, Steps
from ccl_viewer.window.core.panes import ComparedRun, RunDifference, RunHeading, Side
from ccl_viewer.window.core.run_display import RunDisplay, ShownRun
from ccl_viewer.window.core.run_settings import AUTOMATIC_CELLS, RunSettings
from ccl_viewer.window.core.runs import record_until_error
from ccl_viewer.window.core.tasks import BackgroundTask, ignore

if TYPE_CHECKING:
    from ccl_viewer.window.core.analysis import RunAnalysis
    from ccl_viewer.window.core.document import Document
    from ccl_viewer.window.core.playback import Playback
    from ccl_viewer.window.core.runs import RunController
    from ccl_viewer.window.core.tasks import TaskQueue

MAX_PANES: Final = 4
"""Most runs of a comparison, the session's included."""

_PANES: Final = "panes"
_STOPPED: Final = "Stopped."
_DIFFERENCE: Final = "difference"
_AT_ONCE: Final = 1 << 14  # runs of up to this many cells are compared immediately (1 ms)
_DIRECT: Final = ("ha4", "ha8", "label_equivalence", "playne", "bke", "stava_benes")
_RIVALS: Final = tuple(
    dict.fromkeys(("ha4", "ha8", "label_equivalence", "row_col_unify", "shibata_fast", *_DIRECT))
)
"""Rival algorithms in order of preference; large grids skip those that visit cells one by one."""


@dataclass(frozen=True)
class ComparisonOptions:
    """How a comparison is shown."""

    sync: Sync = Sync.STEP
    difference: bool = False
    table: bool = False


class Comparison(Model):
    """Up to four runs on the same grid, each in a pane; the first is the session's run.

    The other runs are recorded one after another, once the session's run has ended, and again when
    the grid changes.

    `active` is the index of the pane that the panels follow.
    """

    open_changed = Signal()
    panes_changed = Signal()  # added, removed, or changed in state
    active_changed = Signal()
    options_changed = Signal()
    moment_changed = Signal()  # another one is shown, or more exist
    difference_changed = Signal()  # where the runs differ is known

    def __init__(
        self,
        *,
        tasks: TaskQueue,
        document: Document,
        display: RunDisplay,
        runs: RunController,
        playback: Playback,
        analysis: RunAnalysis,
    ) -> None:
        super().__init__()
        self._document, self._runs = document, runs
        self._playback, self._analysis = playback, analysis
        self._tasks = tasks
        self.open = False
        self.panes: tuple[ComparedRun, ...] = (ComparedRun(display, self._runs.settings),)
        self.active = 0
        self.options = ComparisonOptions()
        self.moments = Moments()
        self._chosen: tuple[RunSettings, ...] = ()
        self._image: Grid | None = None
        self._recording: ComparedRun | None = None  # the run being recorded
        self._moving = False
        self._running: tuple[ComparedRun, ...] = ()
        self.recordings: tuple[Recording, ...] = ()  # aligned now
        self._difference: RunDifference | None = None
        self._asked: tuple[Side, ...] = ()  # sides of the last difference asked for
        display.changed.connect(self._on_own_display_changed)
        watch(self._on_runs_changed, runs.settings_changed, runs.running_changed)
        self._document.grid_changed.connect(self._follow)
        self.moments.changed.connect(self._on_moments_changed)

    # State

    @property
    def active_pane(self) -> ComparedRun:
        return self.panes[self.active]

    @property
    def active_display(self) -> RunDisplay:
        """The display that the panels follow; the session's own while nothing is compared."""
        return self.active_pane.display

    @property
    def active_steps_by_moment(self) -> Steps | None:
        """The step of the active run at each moment; None while it is not aligned."""
        if not self.open or self.active_pane not in self._running:
            return None
        return self.moments.shown[self._running.index(self.active_pane)]

    @property
    def active_settings(self) -> RunSettings:
        return self.active_pane.settings if self.active else self._runs.settings

    @property
    def full(self) -> bool:
        return len(self.panes) >= MAX_PANES

    @property
    def working(self) -> bool:
        return self._recording is not None

    @property
    def rival_settings(self) -> tuple[RunSettings, ...]:
        """Settings of the runs beside the session's, also while the comparison is closed."""
        return tuple(pane.settings for pane in self.panes[1:]) if self.open else self._chosen

    @property
    def note(self) -> str:
        """A sentence about the comparison for the user; often empty."""
        if self.options.sync is not self.moments.sync:
            what = "counted" if self.options.sync is Sync.BYTES else "timed"
            return f"Not all runs were {what}, so they keep in step by share instead."
        if len({run.connectivity for run in self.recordings}) > 1:
            return "Runs with 4 and with 8 neighbours find other components."
        if self.moments.sync is Sync.TIME and self._running:
            return (
                "Emulator time, one run each"
                if self.moments.uses_emulator_times
                else "One run each"
            )
        return ""

    @property
    def clock_text(self) -> str:
        """The time of a race so far; empty if this is not a race."""
        return self._write(self.moments.clock, emulated=self.moments.uses_emulator_times)

    def name_of(self, pane: ComparedRun) -> str:
        if pane not in self._running:
            return pane.title
        return run_names(self.recordings)[self._running.index(pane)]

    # Commands

    def set_open(self, on: bool, runs: Sequence[ShownRun] = ()) -> None:
        """Compare, with the runs of last time or a first rival; or stop comparing.

        `runs` are earlier recordings of them: they are shown instead of made again.
        """
        if on == self.open:
            return
        with self.transaction():
            self.open = on
            if on:
                chosen = self._chosen or (self.suggest_rival(),)
                self.panes = (self.panes[0], *map(self._make_pane, chosen))
                for pane, run in zip(self.panes[1:], runs, strict=False):
                    pane.display.show(run)
                self._playback.set_lead(self.moments)
            else:
                self._playback.set_lead(None)
                self._chosen = tuple(pane.settings for pane in self.panes[1:])
                self.set_active(0)
                self._stop()
                for pane in self.panes[1:]:
                    pane.display.close()
                self.panes = self.panes[:1]
                self._asked, self._difference = (), None
            self._announce(self.open_changed, self.panes_changed)
            self._follow()
            self._arrange()

    def compare_with(
        self,
        others: Sequence[tuple[str, Mapping[str, ParameterValue]]],
        connectivity: int | None = None,
    ) -> None:
        """Compare the session's run with algorithms and their parameters.

        Without a connectivity, each has its own.
        """
        if len(others) >= MAX_PANES:
            raise InputError(f"Up to {MAX_PANES} runs are compared, not {len(others) + 1}.")
        own = self._runs.settings
        self.set_rival_settings(
            own.changed(
                algorithm=key,
                connectivity=find_algorithm(key).resolve_connectivity(connectivity),
                parameters=given,
            )
            for key, given in others
        )
        self.set_open(True)

    def set_active(self, index: int) -> None:
        """Let the panels follow a pane."""
        with self.transaction():
            if self._set(self.active_changed, min(max(index, 0), len(self.panes) - 1)):
                self._analysis.follow(self.active_display)

    def set_rival_settings(self, chosen: Iterable[RunSettings]) -> None:
        """Store the settings of the other runs for when the comparison opens."""
        self._chosen = tuple(chosen)[: MAX_PANES - 1]

    def suggest_rival(self) -> RunSettings:
        """Return settings for another run: an unused algorithm that suits this grid."""
        own, grid = self._runs.settings, self._document.grid
        large = grid is not None and grid.size > AUTOMATIC_CELLS
        taken = {own.algorithm, *(settings.algorithm for settings in self.rival_settings)}
        able = (
            key
            for key in (*(_DIRECT if large else _RIVALS), *ALGORITHMS)
            if key not in taken
            and own.connectivity in find_algorithm(key).connectivities
            and (find_algorithm(key).multivalued or not own.multivalued)
        )
        return replace(own, algorithm=next(able, own.algorithm), parameters={})

    def add_rival(self) -> ComparedRun | None:
        """Add a rival in a pane; None if the comparison is full."""
        with self.transaction():
            if not self.open:
                self.set_open(True)
                return self.panes[-1]
            if self.full:
                return None
            pane = self._make_pane(self.suggest_rival())
            self.panes = (*self.panes, pane)
            self._follow()
            return pane

    def fill(self) -> None:
        """Compare as many algorithms as fit, with the table of results.

        If no comparison is open, all of them are chosen for this grid.
        """
        with self.transaction():
            if not self.open:
                self._chosen = ()
            self.set_open(True)
            while not self.full:
                self.add_rival()
            self.set_options(table=True)

    def replace_rivals(self) -> None:
        """Choose new algorithms for all runs but the first, to suit this grid."""
        with self.transaction():
            self._stop()
            self.set_active(0)
            count = len(self.panes)
            for pane in self.panes[1:]:
                pane.display.close()
            self.panes = self.panes[:1]
            while len(self.panes) < count:
                self.panes = (*self.panes, self._make_pane(self.suggest_rival()))
            self._arrange()
            self._follow()

    def configure(self, **changes: Any) -> None:
        pane, settings = self.active_pane, self.active_settings
        if not self.active:
            self._runs.configure(**changes)
        elif (new := settings.changed(**changes)) != settings:
            pane.settings = new
            self.rerun(pane)

    def run(self) -> None:
        """Run the active run again, or all of them if the grid has changed.

        With the first one, those that failed or were stopped run too.
        """
        if self.active and not self.panes[0].display.stale:
            self.rerun(self.active_pane)
            return
        with self.transaction():
            for pane in self.panes[1:]:
                pane.failure = ""
            self._runs.run(keep_position=True)

    def rerun(self, pane: ComparedRun) -> None:
        with self.transaction():
            if pane is self._recording:
                self._stop()
            pane.failure = ""
            pane.display.clear()
            self._arrange()
            self._follow()

    def remove(self, pane: ComparedRun) -> None:
        """Remove a run; when only the first is left, the comparison closes."""
        if pane not in self.panes[1:]:
            return
        with self.transaction():
            place = self.panes.index(pane)
            if len(self.panes) == 2:
                self.set_open(False)
                return
            if pane is self._recording:
                self._stop()
            active = self.panes[place - 1] if self.active == place else self.active_pane
            self.panes = tuple(other for other in self.panes if other is not pane)
            self.active = self.panes.index(active)
            self._analysis.follow(active.display)
            pane.display.close()
            self._announce(self.active_changed)
            self._arrange()
            self._follow()

    def cancel(self) -> None:
        """Stop recording; each run can be started again."""
        if not self.working:
            return
        with self.transaction():
            self._stop()
            for pane in self.panes[1:]:
                if not pane.ready:
                    pane.failure = pane.failure or _STOPPED
            self._announce(self.panes_changed)

    def set_options(self, **changes: Any) -> None:
        before = self.options
        with self.transaction():
            if self._set(self.options_changed, replace(before, **changes)):
                self._compare()
            if self.options.sync is not before.sync:
                self._arrange()

    # Display

    def difference_mask(self, pane: ComparedRun) -> Mask | None:
        """Return the cells of a run to hatch, shape (height, width); None if not known.

        Finished runs are compared once all have finished: the rest are not done yet.
        """
        found = self._difference
        if found is None or found.sides != self._asked or not self._is_compared(pane):
            return None
        return found.masks[self._running.index(pane)]

    @property
    def rows(self) -> tuple[ResultRow, ...]:
        """A row for each run, so that the table stays still while some run again."""
        return tuple(map(self._row_of, self.panes))

    def _row_of(self, pane: ComparedRun) -> ResultRow:
        display, awaits = pane.display, ""
        if display.recording is None or display.stale or pane.failure:
            awaits = (
                "failed" if pane.failure else "running" if pane is self._recording else "waiting"
            )
        if display.recording is None:
            return ResultRow.to_come(self.name_of(pane), awaits)
        name = self.name_of(pane)
        return ResultRow.of(display.recording, name, growing=display.growing, awaits=awaits)

    def heading(
        self, pane: ComparedRun, *, conceal_course: bool = False, conceal_times: bool = False
    ) -> RunHeading:
        """Return the header of a run, perhaps without the number of its steps, or times."""
        display, recording, step = pane.display, pane.display.recording, pane.display.step
        failed = bool(pane.failure) or pane.shows_error
        plain = RunHeading(self.name_of(pane), state=self._state_of(pane), failed=failed)
        if recording is None or step is None:
            return plain
        iteration = "" if step.iteration is None else f", iteration {step.iteration:,}"
        count = "" if conceal_course else f" / {display.count:,}"
        by_bytes = self.moments.sync is Sync.BYTES
        return replace(
            plain,
            details=(
                f"{recording.device_title}, {recording.schedule} schedule, "
                f"{recording.connectivity}-connected"
            ),
            stage=step.stage_level,
            place=f"{step.index + 1:,}{count}{iteration}",
            spent="" if conceal_times and not by_bytes else self._spent_by(pane, recording),
            finished=pane.shows_result and not conceal_course,
            difference=self._difference_text(pane),
        )

    def _spent_by(self, pane: ComparedRun, recording: Recording) -> str:
        run = self._running.index(pane) if pane in self._running else -1
        if run < 0 or self.recordings[run] is not recording:  # another run is about to be aligned
            return ""
        spent = self.moments.spent(run, pane.display.index)
        return self._write(spent, emulated=recording.emulated)

    def _write(self, spent: float, *, emulated: bool) -> str:
        """Return a time, or in a race by bytes the bytes moved; empty if not known."""
        if math.isnan(spent):
            return ""
        if self.moments.sync is Sync.BYTES:
            return f"{nbytes_text(round(spent))} moved"
        scale = time_scale_for(run.milliseconds for run in self.recordings)
        return duration(spent, emulated=emulated, scale=scale)

    def _is_compared(self, pane: ComparedRun) -> bool:
        if pane not in self._running:
            return False
        return not pane.shows_result or all(
            step == len(recording) - 1
            for step, recording in zip(self.moments.current_steps, self.recordings, strict=True)
        )

    def _difference_text(self, pane: ComparedRun) -> str:
        if not self.options.difference or len(self.recordings) < 2 or not self._is_compared(pane):
            return ""
        mask = self.difference_mask(pane)
        if mask is None:
            return "comparing\N{HORIZONTAL ELLIPSIS}"
        count = int(np.count_nonzero(mask))
        return f"{count:,} differ" if count or not pane.shows_result else ""

    def _state_of(self, pane: ComparedRun) -> str:
        if pane.failure:
            return pane.failure
        if pane.shows_error:
            return pane.display.status.brief
        if pane is self.panes[0]:
            return "Out of date" if pane.display.stale else ""
        if pane is self._recording:
            return "Running\N{HORIZONTAL ELLIPSIS}"
        return "" if pane.ready else "Waiting to run"

    # Saved state

    def state(self) -> dict[str, Any]:
        runs = [{**vars(one), "parameters": dict(one.parameters)} for one in self.rival_settings]
        return {"runs": runs, "view": vars(self.options)}

    def restore(self, state: object) -> None:
        """Restore what :meth:`state` returned; invalid parts are left out."""
        if not isinstance(state, Mapping):
            return
        chosen, runs = [], state.get("runs")
        for run in runs if isinstance(runs, list) else ():
            with suppress(CCLViewerError, ValueError, TypeError, AttributeError):
                chosen.append(RunSettings().changed(**run))
        self.set_rival_settings(chosen)
        self.set_options(**vars(from_json(self.options, state.get("view"))))

    # Followers

    def _on_own_display_changed(self, changed: frozenset[SignalInstance]) -> None:
        if not self.open:
            return
        own = self.panes[0]
        with self.transaction():
            if changed == {own.display.index_changed}:
                self._on_index_changed(own)
            else:
                self._follow()
                self._arrange()

    def _on_runs_changed(self) -> None:
        self.panes[0].settings = self._runs.settings
        self._follow()

    def _on_moments_changed(self) -> None:
        if not self.open:
            return
        with self.transaction():
            self._moving = True
            for pane, step in zip(self._running, self.moments.current_steps, strict=False):
                pane.display.go_to(step)
            self._moving = False
            self._playback.set_lead(self.moments)
            self._announce(self.moment_changed)
            self._compare()

    def _on_index_changed(self, pane: ComparedRun) -> None:
        """Follow a display that was moved directly, such as by a click in the list of steps."""
        if self._moving or pane not in self._running:
            return
        run = self._running.index(pane)
        self.moments.go_to(self.moments.first_moment_of(run, pane.display.index))

    def _make_pane(self, settings: RunSettings) -> ComparedRun:
        pane = ComparedRun(RunDisplay(), settings)

        def follow(changed: frozenset[SignalInstance]) -> None:
            if changed == {pane.display.index_changed}:
                self._on_index_changed(pane)

        pane.display.changed.connect(follow)
        return pane

    # Recording

    def _follow(self) -> None:
        """Once the session's run has ended, record each other run that is not of this grid."""
        if not self.open:
            return
        with self.transaction():
            self._announce(self.panes_changed)
            image = self._grid_to_run()
            for pane in self.panes[1:]:
                run = pane.display.recording
                pane.display.mark_stale(run is not None and not self._is_of(run, image))
            if image is None:
                self._stop()
                return
            another = not _same(image, self._image)
            self._image = image
            for pane in self.panes[1:]:
                if another or pane.ready:
                    pane.failure = ""
            if self._recording is None:
                self._record_next(image)

    def _grid_to_run(self) -> Grid | None:
        """Return the grid for the other runs; None until the session's run has ended."""
        own, grid = self.panes[0].display.recording, self._document.grid
        if self._runs.running or grid is None:
            return None
        if own is not None:
            return own.image if _same(own.image, grid) else None
        return self._image if _same(self._image, grid) else grid.copy()

    def _is_of(self, run: Recording, image: Grid | None) -> bool:
        """Return whether a run is of a grid, with as many values as the settings say."""
        several = self._runs.settings.multivalued
        return run.multivalued == several and _same(run.image, image)

    def _record_next(self, image: Grid) -> None:
        waiting = (one for one in self.panes[1:] if not one.ready and not one.failure)
        self._recording = pane = next(waiting, None)
        if pane is None:
            return
        settings = replace(pane.settings, multivalued=self._runs.settings.multivalued)
        own, before = self.panes[0].display, pane.display.colouring
        counts = self._runs.will_count(image.size) or bool(own.recording and own.recording.counted)
        beside = own.colouring

        def work(task: BackgroundTask) -> ShownRun:
            run = record_until_error(image, settings, task, counts=counts)
            return ShownRun.prepare(run, task.check, before=before, beside=beside)

        def failed(error: CCLViewerError) -> None:
            self._end(pane, None, _STOPPED if isinstance(error, CancelledError) else str(error))

        self._tasks.start(
            f"Running {pane.title}", work, lambda run: self._end(pane, run), failed, group=_PANES
        )

    def _end(self, pane: ComparedRun, run: ShownRun | None, failure: str = "") -> None:
        with self.transaction():
            self._recording, pane.failure = None, failure
            pane.display.show(run)
            self._arrange()
            self._follow()

    def _stop(self) -> None:
        self._tasks.abandon(_PANES)
        self._recording = None

    # Moments and differences

    def _arrange(self) -> None:
        """Align the runs again; the first keeps its step."""
        own = self.panes[0].display
        shape = own.image.shape if self.open and own.image is not None else None
        together = [
            (pane, run)
            for pane in self.panes
            if (run := pane.display.recording) is not None
            and (pane is self.panes[0] or pane.ready)
            and run.image.shape == shape
        ]
        self._running = tuple(pane for pane, _ in together)
        self.recordings = tuple(run for _, run in together)
        costs = [StepCosts.of(recording) for recording in self.recordings]
        self.moments.align(costs, self.options.sync, step=own.index)

    def _compare(self) -> None:
        """Compute where the runs differ at the moment shown."""
        sides = tuple(
            (recording, pane.display.index)
            for pane, recording in zip(self._running, self.recordings, strict=True)
        )
        if not self.options.difference or len(sides) < 2:
            self._asked, self._difference = (), None
            self._tasks.abandon(_DIFFERENCE)
            self._announce(self.difference_changed)
            return
        if sides == self._asked:
            return
        self._asked, before = sides, self._difference
        if sides[0][0].image.size <= _AT_ONCE:
            self._compared(RunDifference.between(sides, before))
            return
        self._tasks.start(
            "Comparing runs",
            lambda task: RunDifference.between(sides, before, task.check),
            self._compared,
            ignore,
            group=_DIFFERENCE,
        )
        self._announce(self.difference_changed)

    def _compared(self, difference: RunDifference) -> None:
        self._difference = difference
        self._announce(self.difference_changed)


def _same(one: Grid | None, other: Grid | None) -> bool:
    if one is None or other is None:
        return False
    return one is other or (one.shape == other.shape and np.array_equal(one, other))
