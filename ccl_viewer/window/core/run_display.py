"""A run and its step on display: the session's, and each other one of a comparison."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TypeAlias

from psygnal import Signal

from ccl_viewer.algorithms import ALGORITHMS
from ccl_viewer.grids import Grid
from ccl_viewer.grids.shapes import Cell
from ccl_viewer.recording import Recording, RunFault, Step
from ccl_viewer.recording.metrics import find_wrong_at_end
from ccl_viewer.render.forest import Mask
from ccl_viewer.render.palette import Colouring, colour_run
from ccl_viewer.support.cancellation import Check, never_cancel
from ccl_viewer.support.units import counted
from ccl_viewer.window.core.document import EMPTY_GRID
from ccl_viewer.window.core.model import Model
from ccl_viewer.window.core.run_settings import RunSettings

Bounds: TypeAlias = tuple[int, int, int, int]
"""First column, first row, column and row after the last."""


@dataclass(frozen=True)
class ComponentInfo:
    """One component; numbers start at 1, in raster order of the first cells."""

    number: int
    area: int
    bounds: Bounds


class ComponentTable:
    """Area and box of each component of a run's grid.

    `numbers` has the number of each cell's component from 1, 0 on background, shape (height,
    width). By number, `areas` counts the cells and `boxes` has the boxes, shape (numbers,
    4); row 0 is of the background, and has no box.
    """

    def __init__(self, recording: Recording) -> None:
        self.numbers, _count = recording.component_numbers()
        self.areas, self.boxes = recording.grid_kernels.measure_components()

    def component_at(self, cell: Cell) -> ComponentInfo | None:
        """Return the component of a cell; None on background and outside the grid."""
        x, y = cell
        height, width = self.numbers.shape
        if not (0 <= x < width and 0 <= y < height):
            return None
        number = int(self.numbers[y, x])
        if not number:
            return None
        left, top, right, bottom = self.boxes[number].tolist()
        return ComponentInfo(number, int(self.areas[number]), (left, top, right, bottom))

    def first_cell(self, number: int) -> Cell:
        """Return the first cell of a component, in raster order."""
        left, top, right, _ = self.boxes[number].tolist()
        return left + int((self.numbers[top, left:right] == number).argmax()), top


class StatusKind(StrEnum):
    """State of a run, for the colour of its status."""

    NONE = "none"
    BUSY = "busy"
    OK = "ok"
    WARNING = "warning"
    ERROR = "error"


@dataclass(frozen=True)
class RunStatus:
    """The status of a run: a sentence, and a shorter form for small places."""

    kind: StatusKind
    text: str
    brief: str = ""


@dataclass(frozen=True)
class RunInputs:
    """What a run depends on: the grid's revision, and settings. If they change, it is stale."""

    revision: int
    settings: RunSettings


@dataclass(frozen=True, eq=False)
class ShownRun:
    """A recording with the results that displaying it needs.

    The table of components is None while the run is growing. `of` is what the run depends on; None
    if it is never out of date. `wrong` are the cells that the run left with wrong labels, shape
    (height, width); None if there are none.
    """

    recording: Recording
    colouring: Colouring | None = None
    component_table: ComponentTable | None = None
    of: RunInputs | None = None
    wrong: Mask | None = None

    @classmethod
    def prepare(
        cls,
        recording: Recording,
        check: Check = never_cancel,
        *,
        before: Colouring | None = None,
        beside: Colouring | None = None,
    ) -> ShownRun:
        """Compute colours and components of a recording; for the pool.

        `check` is called every few milliseconds, and may raise to stop the work. `before` are the
        colours before an edit, and `beside` those of a run of the same grid.
        """
        colours = colour_run(recording, check, before=before, beside=beside)
        wrong = find_wrong_at_end(recording, check)
        return cls(recording, colours, ComponentTable(recording), wrong=wrong)


class RunDisplay(Model):
    """A run and the step on display.

    `count` is the number of steps announced so far. The display is `growing` while the run is being
    recorded, and `stale` if grid or settings have changed since.
    """

    recording_changed = Signal()  # a new run, or this one has ended
    count_changed = Signal()  # more steps, or their times
    index_changed = Signal()
    stale_changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.shown: ShownRun | None = None
        self.count = 0
        self.index = 0
        self.growing = False
        self._following = False
        self.stale = False
        self._stay: tuple[Sequence[Step], int] | None = None

    @property
    def recording(self) -> Recording | None:
        """The run; it has at least one step."""
        return self.shown.recording if self.shown else None

    @property
    def colouring(self) -> Colouring | None:
        return self.shown.colouring if self.shown else None

    @property
    def component_table(self) -> ComponentTable | None:
        """Area and box of its components; None while it is growing."""
        return self.shown.component_table if self.shown else None

    @property
    def wrong_mask(self) -> Mask | None:
        """Cells with a wrong label, if the last step of a finished run is shown; else None."""
        shown = self.shown
        if shown is None or self.growing or self.stale or self.index != self.count - 1:
            return None
        return shown.wrong

    @property
    def image(self) -> Grid | None:
        """The grid of the run, ``uint8`` of shape (height, width)."""
        return self.shown.recording.image if self.shown else None

    @property
    def step(self) -> Step | None:
        return self.shown.recording.step(self.index) if self.shown else None

    @property
    def fault(self) -> RunFault | None:
        """What went wrong in the run's last step; None if nothing did."""
        return self.shown.recording.fault if self.shown else None

    @property
    def status(self) -> RunStatus:
        if self.stale and not self.growing:
            text = "Out of date: the grid or the settings were changed after this run."
            return RunStatus(StatusKind.WARNING, text, "Out of date")
        return describe_run(self.recording, growing=self.growing)

    def show(self, run: ShownRun | None, *, index: int | None = 0, growing: bool = False) -> None:
        """Show a run, or none; while it is growing, follow its newest step until the user moves.

        The step to show counts from 0, or backwards from -1; None shows the step that matches the
        current one.
        """
        steps, stay = () if run is None else run.recording.steps, None
        count = len(steps)
        if index is None:
            index, stay = self._matching(steps)
        index = index + count if index < 0 else index
        self.shown, self.count, self._stay = run, count, stay
        self.growing = self._following = growing
        self.stale = False
        self.index = count - 1 if growing else max(0, min(index, count - 1))
        self._announce(
            self.recording_changed, self.count_changed, self.index_changed, self.stale_changed
        )

    def add_components(self, shown: ShownRun) -> None:
        """Set colours and components of the run on display, which were not known yet."""
        if self.shown is not None and self.shown.recording is shown.recording:
            self.shown = replace(shown, of=self.shown.of)
            self._announce(self.recording_changed)

    def announce_times(self) -> None:
        """Announce that the steps have times: followers of the count read the steps again."""
        self._announce(self.count_changed)

    def announce_steps(self) -> None:
        """Announce newly recorded steps."""
        if self.growing and self.shown is not None:
            count = len(self.shown.recording)
            with self.transaction():
                self._set(self.count_changed, count)
                self._set(self.index_changed, count - 1 if self._following else self.index)

    def finish(self, shown: ShownRun) -> None:
        """Announce the end of the run on display; followers stay at its end."""
        count = len(shown.recording)
        self.shown, self.count = shown, count
        self.index = count - 1 if self._following else self.index
        self.growing = self._following = False
        self._announce(self.recording_changed, self.count_changed, self.index_changed)

    def go_to(self, index: int) -> None:
        """Show a step; an index beyond the ends shows the first or last."""
        self._following, self._stay = False, None
        self._set(self.index_changed, max(0, min(index, self.count - 1)))

    def clear(self) -> None:
        if self.shown is not None:
            self.show(None)

    def set_stale(self, stale: bool) -> None:
        self._set(self.stale_changed, stale)

    def _matching(self, new: Sequence[Step]) -> tuple[int, tuple[Sequence[Step], int] | None]:
        """Return the step of a new run to show, and the step that later runs match.

        Later runs match the step that the user chose: a shorter run may not have it.
        """
        if self.shown is None:
            return len(new) - 1, None
        stay = self._stay or (self.shown.recording.steps, self.index)
        return matching_step(*stay, new), stay


def is_random(recording: Recording) -> bool:
    return recording.schedule.startswith("random")


def has_race_condition(recording: Recording) -> bool:
    """Return whether the order of threads made a run go wrong.

    The kernels of this program are right in the usual order, except for some forms as printed in
    papers. Of a copy this is not known, so False is returned.
    """
    algorithm, values = ALGORITHMS.get(recording.algorithm), recording.parameters
    if algorithm is None or not is_random(recording):
        return False
    chosen = (
        choice
        for parameter in algorithm.parameters
        for choice in parameter.choices
        if choice.name == values.get(parameter.name)
    )
    return all(choice.racy for choice in chosen if choice.fault)


def fault_text(fault: RunFault, recording: Recording) -> str:
    """Return the text of a fault; of a race without the advice, since no index is wrong then."""
    happened, colon, _advice = fault.text.rpartition(": ")
    return f"{happened}." if colon and has_race_condition(recording) else fault.text


def describe_run(recording: Recording | None, *, growing: bool = False) -> RunStatus:
    if recording is None:
        return RunStatus(StatusKind.NONE, "")
    steps = counted(len(recording), "step")
    if growing:
        return RunStatus(StatusKind.BUSY, f"Running: {steps} so far", "Running")
    verdict = recording.verdict
    if recording.fault is not None:
        return RunStatus(
            StatusKind.ERROR, fault_text(recording.fault, recording), f"Fault after {steps}"
        )
    if verdict is None and recording.failure and not recording.cancelled:
        return RunStatus(StatusKind.ERROR, recording.failure, f"Failed after {steps}")
    if verdict is None:
        return RunStatus(StatusKind.WARNING, f"Stopped after {steps}.", f"Stopped after {steps}")
    if not verdict.correct:
        text, brief = f"Wrong: {verdict.finding}", verdict.brief.capitalize()
        if has_race_condition(recording):
            text = f"Race: with the order {recording.schedule}, {verdict.finding}"
            brief = f"Race: {verdict.brief.removeprefix('WRONG: ')}"
        return RunStatus(StatusKind.ERROR, text, brief)
    if not recording.converged:
        return RunStatus(StatusKind.WARNING, recording.sentence, "Stopped before convergence")
    if not verdict.found:
        return RunStatus(StatusKind.OK, EMPTY_GRID, "Empty grid")
    return RunStatus(StatusKind.OK, f"{counted(verdict.found, 'component')}, correct")


def matching_step(old: Sequence[Step], position: int, new: Sequence[Step]) -> int:
    """Return the index of the step of a new run that corresponds to one of an old run.

    The last step stays the last one, since it is the result. Otherwise it is the step of the same
    stage, kernel, iteration and level; if a kernel runs more than once there, the one of the same
    count. Without one, it is the last of the same stage and kernel, else the same index.
    """

    def name(step: Step) -> tuple[str, str, int | None, int | None]:
        return str(step.stage), step.kernel, step.iteration, step.level

    if position >= len(old) - 1:
        return len(new) - 1
    target = name(old[position])
    count = sum(name(step) == target for step in old[:position])
    same = [index for index, step in enumerate(new) if name(step) == target]
    if count < len(same):
        return same[count]
    alike = [index for index, step in enumerate(new) if name(step)[:2] == target[:2]]
    return (same or alike or [min(position, len(new) - 1)])[-1]
