"""Runs side by side on one grid, the moments they share, and where they differ."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from psygnal import Signal, SignalInstance

from ccl_viewer.algorithms import ALGORITHMS, find_algorithm
from ccl_viewer.errors import CCLViewerError, InputError
from ccl_viewer.execution.plan import ParameterValue
from ccl_viewer.recording import Recording
from ccl_viewer.recording.alignment import StepCosts, Sync
from ccl_viewer.render.forest import Mask
from ccl_viewer.support.dataclass_json import from_json
from ccl_viewer.window.core.model import Model, watch
from ccl_viewer.window.core.moments import Moments, Steps
from ccl_viewer.window.core.panes import Pane, RunDifference, Side
from ccl_viewer.window.core.rival_recorder import STOPPED, RivalRecorder
from ccl_viewer.window.core.run_display import RunDisplay, ShownRun
from ccl_viewer.window.core.run_settings import AUTOMATIC_CELLS, RunSettings
from ccl_viewer.window.core.tasks import ignore

if TYPE_CHECKING:
    from ccl_viewer.window.core.analysis import RunAnalysis
    from ccl_viewer.window.core.document import Document
    from ccl_viewer.window.core.playback import Playback
    from ccl_viewer.window.core.runs import RunController
    from ccl_viewer.window.core.tasks import TaskQueue

MAX_PANES: Final = 4
"""Most runs of a comparison, the session's included."""

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
        self.panes: tuple[Pane, ...] = (Pane(display, self._runs.settings),)
        self.active = 0
        self.options = ComparisonOptions()
        self.moments = Moments()
        self._chosen: tuple[RunSettings, ...] = ()
        self._moving = False
        self.aligned_panes: tuple[Pane, ...] = ()
        self.aligned_recordings: tuple[Recording, ...] = ()
        self._difference: RunDifference | None = None
        self._asked: tuple[Side, ...] = ()  # sides of the last difference asked for
        self._recorder = RivalRecorder(
            tasks=tasks, document=document, runs=runs, display=display, ended=self._on_recorded
        )
        display.changed.connect(self._on_own_display_changed)
        watch(self._on_runs_changed, runs.settings_changed, runs.running_changed)
        self._document.grid_changed.connect(self._follow)
        self.moments.changed.connect(self._on_moments_changed)

    # State

    @property
    def active_pane(self) -> Pane:
        return self.panes[self.active]

    @property
    def active_display(self) -> RunDisplay:
        """The display that the panels follow; the session's own while nothing is compared."""
        return self.active_pane.display

    @property
    def active_steps_by_moment(self) -> Steps | None:
        """The step of the active run at each moment; None while it is not aligned."""
        if not self.open or self.active_pane not in self.aligned_panes:
            return None
        return self.moments.shown[self.aligned_panes.index(self.active_pane)]

    @property
    def active_settings(self) -> RunSettings:
        return self.active_pane.settings if self.active else self._runs.settings

    @property
    def full(self) -> bool:
        return len(self.panes) >= MAX_PANES

    @property
    def recorded_now(self) -> Pane | None:
        """The run that is being recorded."""
        return self._recorder.recorded_now

    @property
    def running(self) -> bool:
        """Whether a run other than the session's is being recorded."""
        return self.recorded_now is not None

    @property
    def rival_settings(self) -> tuple[RunSettings, ...]:
        """Settings of the runs beside the session's, also while the comparison is closed."""
        return tuple(pane.settings for pane in self.panes[1:]) if self.open else self._chosen

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
                self._recorder.stop()
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
            own.with_changes(
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

    def add_rival(self) -> Pane | None:
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

    def add_rivals_until_full(self) -> None:
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

    def choose_new_rivals(self) -> None:
        """Choose new algorithms for all runs but the first, to suit this grid."""
        with self.transaction():
            self._recorder.stop()
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
        elif (new := settings.with_changes(**changes)) != settings:
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

    @property
    def can_count(self) -> bool:
        """Whether a run of the emulator has no counts of memory accesses."""
        runs = (pane.display.recording for pane in self.panes)
        return any(run is not None and run.emulated and not run.has_counts for run in runs)

    def run_counted(self) -> None:
        """Run all again, and count memory accesses, however large the grid is."""
        with self.transaction():
            self._runs.run_counted()
            for pane in self.panes[1:]:
                self.rerun(pane)

    def rerun(self, pane: Pane) -> None:
        with self.transaction():
            if pane is self.recorded_now:
                self._recorder.stop()
            pane.failure = ""
            pane.display.clear()
            self._arrange()
            self._follow()

    def remove(self, pane: Pane) -> None:
        """Remove a run; when only the first is left, the comparison closes."""
        if pane not in self.panes[1:]:
            return
        with self.transaction():
            place = self.panes.index(pane)
            if len(self.panes) == 2:
                self.set_open(False)
                return
            if pane is self.recorded_now:
                self._recorder.stop()
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
        if not self.running:
            return
        with self.transaction():
            self._recorder.stop()
            for pane in self.panes[1:]:
                if not pane.ready:
                    pane.failure = pane.failure or STOPPED
            self._announce(self.panes_changed)

    def set_options(self, **changes: Any) -> None:
        before = self.options
        with self.transaction():
            if self._set(self.options_changed, replace(before, **changes)):
                self._compare()
            if self.options.sync is not before.sync:
                self._arrange()

    # Display

    def difference_mask(self, pane: Pane) -> Mask | None:
        """Return the cells of a run to hatch, shape (height, width); None if not known.

        Finished runs are compared once all have finished: the rest are not done yet.
        """
        found = self._difference
        if found is None or found.sides != self._asked or not self.is_compared(pane):
            return None
        return found.masks[self.aligned_panes.index(pane)]

    def is_compared(self, pane: Pane) -> bool:
        """Return whether a run is compared with another at this moment."""
        if pane not in self.aligned_panes or len(self.aligned_panes) < 2:
            return False
        return not pane.shows_result or all(
            step == len(recording) - 1
            for step, recording in zip(
                self.moments.current_steps, self.aligned_recordings, strict=True
            )
        )

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
                chosen.append(RunSettings().with_changes(**run))
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
            for pane, step in zip(self.aligned_panes, self.moments.current_steps, strict=False):
                pane.display.go_to(step)
            self._moving = False
            self._playback.set_lead(self.moments)
            self._announce(self.moment_changed)
            self._compare()

    def _on_index_changed(self, pane: Pane) -> None:
        """Follow a display that was moved directly, such as by a click in the list of steps."""
        if self._moving or pane not in self.aligned_panes:
            return
        run = self.aligned_panes.index(pane)
        self.moments.go_to(self.moments.first_moment_of(run, pane.display.index))

    def _make_pane(self, settings: RunSettings) -> Pane:
        pane = Pane(RunDisplay(), settings)

        def follow(changed: frozenset[SignalInstance]) -> None:
            if changed == {pane.display.index_changed}:
                self._on_index_changed(pane)

        pane.display.changed.connect(follow)
        return pane

    # Recording

    def _follow(self) -> None:
        """Record each other run that is not of this grid."""
        if self.open:
            with self.transaction():
                self._announce(self.panes_changed)
                self._recorder.follow(self.panes[1:])

    def _on_recorded(self, pane: Pane, run: ShownRun | None, failure: str) -> None:
        with self.transaction():
            pane.failure = failure
            pane.display.show(run)
            self._arrange()
            self._follow()

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
        self.aligned_panes = tuple(pane for pane, _ in together)
        self.aligned_recordings = tuple(run for _, run in together)
        costs = [StepCosts.of(recording) for recording in self.aligned_recordings]
        self.moments.align(costs, self.options.sync, step=own.index)

    def _compare(self) -> None:
        """Compute where the runs differ at the moment shown."""
        sides = tuple(
            (recording, pane.display.index)
            for pane, recording in zip(self.aligned_panes, self.aligned_recordings, strict=True)
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
