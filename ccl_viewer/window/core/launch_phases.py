"""The launch of the step on display from within: its phases, and the one on display."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Final

from psygnal import Signal

from ccl_viewer.diagnostics.phases import (
    LaunchTrace,
    Phase,
    PhaseBoundary,
    PhaseView,
    ThreadState,
    WarpLane,
    default_block,
    trace_launch,
)
from ccl_viewer.diagnostics.phases.blocks import block_of_cell, cells_of_block
from ccl_viewer.errors import CancelledError, CCLViewerError
from ccl_viewer.execution.plan import WARP
from ccl_viewer.reference import Labels
from ccl_viewer.render.geometry import DOTS_BELOW
from ccl_viewer.render.step_view import MAX_DOTS, StepView
from ccl_viewer.support.units import counted
from ccl_viewer.window.core.model import Model, watch

if TYPE_CHECKING:
    from ccl_viewer.execution.plan import Dim3
    from ccl_viewer.execution.source_location import SourceLocation
    from ccl_viewer.grids.shapes import Box, Cell
    from ccl_viewer.recording import Recording
    from ccl_viewer.window.core.labels import LabelCache
    from ccl_viewer.window.core.run_display import RunDisplay
    from ccl_viewer.window.core.tasks import BackgroundTask, TaskQueue
    from ccl_viewer.window.core.view_state import Pin, ViewState

_TITLE: Final = "Looking inside the launch"
AT_ONCE_CELLS: Final = 1 << 18
"""Phases of larger grids are prepared on the pool: each may take more than 150 ms."""
_Key = tuple["Recording", int, "Dim3 | None"]


@dataclass(frozen=True)
class PhaseChoice:
    """What ends a phase, and its block and warp; None for all."""

    by: PhaseBoundary | None = None
    block: Dim3 | None = None
    warp: int | None = None


@dataclass(frozen=True, eq=False)
class ShownPhase:
    """A phase with the block and the warp that are drawn."""

    view: PhaseView
    block: Dim3
    warp: int

    @property
    def phase(self) -> Phase:
        return self.view.phase

    @cached_property
    def labels_before(self) -> Labels:
        """The labels before the phase, of the grid's shape."""
        return self.view.labels_before

    @cached_property
    def lanes(self) -> tuple[WarpLane, ...]:
        return self.view.lanes(self.block, self.warp)

    @cached_property
    def warp_cells(self) -> tuple[Cell, ...]:
        """The cells that the lanes of the warp work on."""
        cells = (lane.cell for lane in self.lanes)
        return tuple(dict.fromkeys(cell for cell in cells if cell is not None))

    @cached_property
    def block_box(self) -> Box | None:
        """The cells of the block; None if they do not form a box."""
        return cells_of_block(self.view.trace.step, self.view.trace.shape, self.block)

    def precompute(self) -> ShownPhase:
        """Compute the cached properties in advance; this may take long."""
        _ = self.labels_before, self.lanes, self.warp_cells, self.block_box, self.sentence
        _ = self.view.labels, self.view.operation, self.view.shared_arrays(self.block)
        return self

    @cached_property
    def sentence(self) -> str:
        """The number of the phase, and what it did."""
        phase, own_count = self.phase, self.view.own_changed_cells.size
        text = f"{counted(self.view.active_thread_count, 'active thread')}, "
        text += f"{counted(own_count, 'label')} changed"
        others = self.view.changed_cells.size - own_count
        text += f"; other threads changed {others:,} meanwhile" if others else ""
        return f"Phase {phase.index + 1:,} of {phase.count:,}: {phase.title}. {text}."


class LaunchPhases(Model):
    """Looks inside the launch of the step on display, until another step is shown.

    The emulator runs the launch again as it was recorded. While a phase is shown, its labels
    replace the step's in the label cache.
    """

    phases_changed = Signal()  # other cuts, another launch, or none
    shown_changed = Signal()  # another phase, or none
    choice_changed = Signal()
    lane_changed = Signal()
    problem_changed = Signal()

    def __init__(
        self, tasks: TaskQueue, display: RunDisplay, view: ViewState, labels: LabelCache
    ) -> None:
        super().__init__()
        self._tasks, self._display, self._view, self._labels = tasks, display, view, labels
        self._traced: tuple[_Key, LaunchTrace] | None = None  # the last launch
        self.choice = PhaseChoice()
        self.phases: tuple[Phase, ...] = ()
        self.shown: ShownPhase | None = None
        self._wanted = 0  # the phase asked for last
        self.lane = 0  # the chosen lane
        self.problem = ""  # why tracing the last launch failed, in a sentence
        display.recording_changed.connect(self._forget_trace)
        watch(self.leave, display.recording_changed, display.index_changed)
        view.pin_changed.connect(self._on_pinned)

    @property
    def trace(self) -> LaunchTrace | None:
        """The launch from within; None until a launch is traced."""
        return None if self.shown is None else self.shown.view.trace

    @property
    def index(self) -> int:
        """The phase on display, from 0."""
        return 0 if self.shown is None else self.shown.phase.index

    @property
    def location(self) -> SourceLocation | None:
        """The line of the chosen lane; None if it has ended or the line is not known."""
        lanes = () if self.shown is None else self.shown.lanes
        if self.lane >= len(lanes) or lanes[self.lane].state is ThreadState.ENDED:
            return None
        return lanes[self.lane].location

    @property
    def can_look_inside(self) -> bool:
        """Whether there is a finished run: only its launches can be traced."""
        return self._display.step is not None and not self._display.growing

    @property
    def empty_text(self) -> str:
        """What looking inside does, or why it failed."""
        recording = self._display.recording
        if self.problem or recording is None:
            return self.problem or "Run an algorithm to look inside its launches."
        origin = f"The run was made on {recording.device_title}. "
        return (
            f"{'' if recording.emulated else origin}The emulator repeats this launch and "
            "logs what each thread does. Then you can step through it: from barrier to barrier, by "
            "warp operations or in rounds."
        )

    def look_inside(self) -> None:
        """Trace the launch, and cut it into phases in the usual way for its kernel."""
        self.choose(self._usual_choice(), pin=self._view.pin)

    def choose(self, choice: PhaseChoice, index: int = 0, pin: Pin | None = None) -> None:
        """Trace the launch if necessary, cut it into phases, and show one of them, or the last.

        Given a pin, choose the warp and the lane that work on its cell.
        """
        recording, step = self._display.recording, self._display.step
        if recording is None or step is None or not self.can_look_inside:
            return
        logged = None if default_block(step) is None else choice.block
        key = recording, step.index, logged
        cached, cell = self._traced, self._view.inspected

        def work(task: BackgroundTask) -> _Cut:
            if cached is not None and cached[0] == key:
                trace = cached[1]
            else:
                trace = trace_launch(
                    recording, step.index, logged, cancel=task.token, progress=task.report
                )
            task.report("Reconstructing the memory")
            new_choice, lane = choice, 0
            thread = None if pin is None else _thread_at(trace, choice.block, pin.cell)
            if thread is not None:
                new_choice, lane = replace(choice, warp=thread // WARP), thread % WARP
            phases = trace.phases(new_choice.by, new_choice.block, new_choice.warp)
            phase = phases[min(index, len(phases) - 1)]
            task.check()
            return _Cut(
                new_choice, phases, _shown_phase(trace, phase, new_choice, cell).precompute(), lane
            )

        def done(cut: _Cut) -> None:
            self._traced = key, cut.shown.view.trace
            if recording is self._display.recording and step.index == self._display.index:
                with self.transaction():
                    self._set(self.choice_changed, cut.choice)
                    self._set(self.phases_changed, cut.phases)
                    self._set(self.problem_changed, "")
                    self._set(self.lane_changed, cut.lane)
                    self._show(cut.shown)

        self._tasks.start(_TITLE, work, done, self._fail)

    def leave(self) -> None:
        """Show the step itself again."""
        self._labels.override(None, {})
        with self.transaction():
            self._set(self.phases_changed, ())
            self._set(self.shown_changed, None)
            self._set(self.problem_changed, "")

    def go_to(self, index: int) -> None:
        """Show a phase; an index beyond the ends means first or last. Large grids take longer."""
        trace = self.trace
        if trace is None or self.shown is None:
            return
        self._wanted = min(max(index, 0), len(self.phases) - 1)
        phase = self.phases[self._wanted]
        shown = _shown_phase(trace, phase, self.choice, self._view.inspected)
        if phase is self.shown.phase:
            return
        if math.prod(trace.shape) <= AT_ONCE_CELLS:
            self._show(shown)
        else:
            title = f"Going to phase {phase.index + 1:,} of {phase.count:,}"
            self._tasks.start(
                title, lambda _: shown.precompute(), self._show_wanted, self._on_failed
            )

    def step(self, by: int) -> None:
        """Go on by some phases, or back."""
        self.go_to(self._wanted + by)

    def choose_lane(self, lane: int) -> None:
        """Choose a lane of the warp; the cursor goes to its cell."""
        if self.shown is not None and lane < len(self.shown.lanes):
            self._view.put_cursor(self.shown.lanes[lane].cell)
            self._set(self.lane_changed, lane)

    def with_phase(self, view: StepView) -> StepView:
        """Return the view of the step with the phase's changes and its block."""
        shown = self.shown
        if shown is None or view.labels is None or view.stale:
            return view
        before = view.sample.of(shown.labels_before)
        cells, layers = shown.view.changed_cells, view.layers
        tiny = view.placement.logical_cell_size < DOTS_BELOW and cells.size <= MAX_DOTS
        return replace(
            view,
            before=before if layers.onion and view.counts is None else None,
            changed=view.labels != before if layers.changed else None,
            changed_cells=cells if tiny and layers.changed else None,
            block=shown.block_box,
            warp=shown.warp_cells,
        )

    def _usual_choice(self) -> PhaseChoice:
        """Return the block of the pinned cell; else all blocks, or that of the cell in view."""
        step, image, view = self._display.step, self._display.image, self._view
        if step is None or image is None:
            return PhaseChoice()
        usual = default_block(step)
        cell = view.pin.cell if view.pin is not None else view.inspected if usual else None
        if cell is None:
            return PhaseChoice(block=usual)
        height, width = image.shape
        return PhaseChoice(block=block_of_cell(step, (height, width), cell) or usual)

    def _on_pinned(self) -> None:
        """Choose the block, the warp and the lane that work on the pinned cell."""
        shown, pin = self.shown, self._view.pin
        if shown is not None and pin is not None:
            trace = shown.view.trace
            block = block_of_cell(trace.step, trace.shape, pin.cell) or self.choice.block
            self.choose(PhaseChoice(self.phases[0].by, block), self._wanted, pin)

    def _fail(self, error: CCLViewerError) -> None:
        problem = "" if isinstance(error, CancelledError) else str(error)
        with self.transaction():
            self.leave()
            self._set(self.problem_changed, problem)

    def _show(self, shown: ShownPhase) -> None:
        index = shown.view.trace.step.index
        labels = {index: shown.view.labels, index - 1: shown.labels_before}
        self._labels.override(self._display.recording, labels)
        self._wanted = shown.phase.index
        self._set(self.shown_changed, shown)

    def _show_wanted(self, shown: ShownPhase) -> None:
        if shown.view.trace is self.trace and shown.phase.index == self._wanted:
            self._show(shown)

    def _on_failed(self, _error: CCLViewerError) -> None:
        self._wanted = self.index

    def _forget_trace(self) -> None:
        self._traced = None


@dataclass(frozen=True)
class _Cut:
    """A launch cut into phases as chosen, with the phase and the lane to show."""

    choice: PhaseChoice
    phases: tuple[Phase, ...]
    shown: ShownPhase
    lane: int


def _thread_at(trace: LaunchTrace, block: Dim3 | None, cell: Cell) -> int | None:
    """Return the thread of a block that works on a cell of the launch; None if none does."""
    if block is None and len(trace.blocks) > 1:
        return None
    last = trace.phases(PhaseBoundary.BARRIER, block)[-1]
    return PhaseView(trace, last).thread_at(cell, block)


def _shown_phase(
    trace: LaunchTrace, phase: Phase, choice: PhaseChoice, cell: Cell | None
) -> ShownPhase:
    """Return a phase with its own block, else that of a cell, and its warp."""
    block = choice.block or phase.block
    if block is None:
        near = None if cell is None else block_of_cell(trace.step, trace.shape, cell)
        block = near if near in trace.blocks else trace.blocks[0]
    warp = choice.warp if choice.warp is not None else phase.warp
    return ShownPhase(PhaseView(trace, phase), block, warp or 0)
