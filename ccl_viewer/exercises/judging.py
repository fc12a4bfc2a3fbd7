"""Judges students' kernels: by checks in many orders of the threads, and by budgets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from ccl_viewer.algorithms import Algorithm, find_algorithm
from ccl_viewer.algorithms.copies import Copy
from ccl_viewer.diagnostics.check import (
    CheckReport,
    Counterexample,
    DefectKind,
    NamedGrid,
    check_algorithm,
)
from ccl_viewer.diagnostics.profile import Profile
from ccl_viewer.diagnostics.races import parse_harmless_races
from ccl_viewer.errors import CCLViewerError, KernelBuildError, KernelFaultError
from ccl_viewer.execution.device import Progress
from ccl_viewer.exercises.catalogue import parse_grid
from ccl_viewer.exercises.model import Budget, Exercise, Goal
from ccl_viewer.grids.grid import Grid
from ccl_viewer.grids.specs import is_pattern
from ccl_viewer.recording import Recording
from ccl_viewer.render.palette import first_cells
from ccl_viewer.support.cancellation import CancelToken
from ccl_viewer.support.units import counted
from ccl_viewer.user_kernels.process import WORKER, ChildProcess, Limits
from ccl_viewer.user_kernels.recorder import RecordJob, choose_recorder

_Run: TypeAlias = Callable[[Grid, str], Recording]

LIMITS = Limits(seconds=4.0)
"""Limits of each run of a student's kernel."""

_MOST_PARTS = 6  # launches that a verdict lists
_FIGURE_NAMES = {"conflict_free": "accesses without a bank conflict"}
_WRONG = "The labels are wrong: "


@dataclass(frozen=True)
class GoalResult:
    """The judgement on one goal.

    Parameters
    ----------
    goal : Goal
        The goal.
    passed : bool
        Whether it is reached.
    reason : str
        The finding, in a sentence; empty if the goal was not judged.
    """

    goal: Goal
    passed: bool
    reason: str


@dataclass(frozen=True, eq=False)
class Judgement:
    """The verdict on a student's kernel.

    Parameters
    ----------
    exercise : Exercise
        The exercise.
    results : tuple of GoalResult
        One for each goal, in order.
    error : CCLViewerError or None
        Why the kernel could not be judged, such as a compiler error.
    report : CheckReport or None
        Result of the check; None if there was no check.
    """

    exercise: Exercise
    results: tuple[GoalResult, ...]
    error: CCLViewerError | None = None
    report: CheckReport | None = None

    @property
    def passed(self) -> bool:
        """Whether all goals are reached."""
        return all(result.passed for result in self.results)

    @property
    def counterexample(self) -> Counterexample | None:
        """A wrong run, on the smallest grid found; None if all runs were right."""
        return None if self.report is None else self.report.counterexample


OnResult: TypeAlias = Callable[[GoalResult], None]


def judge(
    exercise: Exercise,
    copy: Copy,
    *,
    shrink: bool = True,
    on_result: OnResult | None = None,
    cancel: CancelToken | None = None,
    progress: Progress | None = None,
) -> Judgement:
    """Judge a student's kernel.

    Its kernels run in a child process, so that they cannot harm this one. Budgets are judged only
    if the labels are right.

    Parameters
    ----------
    exercise : Exercise
        The exercise.
    copy : Copy
        The student's file, as a copy of the exercise's module.
    shrink : bool
        Whether to look for the smallest grid that fails, which takes up to 400 runs.
    on_result : callable or None
        Called with the result of each goal.
    cancel : CancelToken or None
        Stops the judging.
    progress : callable or None
        Called with messages about the progress.

    Raises
    ------
    CancelledError
        If it was cancelled.
    DeviceUnavailableError
        If there is no compiler for the emulator.
    """
    algorithm = find_algorithm(copy.key)
    algorithm = replace(algorithm, title=exercise.title)
    report: CheckReport | None = None
    results: list[GoalResult] = []

    def add(goal: Goal, passed: bool, reason: str) -> None:
        results.append(GoalResult(goal, passed, reason))
        if on_result is not None:
            on_result(results[-1])

    child = ChildProcess(
        WORKER, algorithm.title, LIMITS
    )  # starting one takes longer than most runs

    def run(grid: Grid, schedule: str) -> Recording:
        return _run(exercise, algorithm, grid, schedule, child, cancel, progress)

    try:
        report = check_algorithm(
            algorithm,
            exercise.connectivity,
            exercise.parameters,
            [_name_grid(text, number) for number, text in enumerate(exercise.grids, 1)],
            orders=exercise.orders,
            shrink=shrink,
            harmless=None
            if exercise.own_races
            else {copy.key: parse_harmless_races(copy.key, exercise.source)},
            limits=LIMITS,
            child=child,
            cancel=cancel,
            progress=progress,
        )
        for goal in exercise.goals:
            if goal.budget is None and not goal.sizes:
                add(goal, report.clean, _describe_check(exercise, report))
            elif not report.clean:
                add(goal, False, "")  # not judged
            else:
                add(goal, *_judge_goal(exercise, goal, run))
    except KernelBuildError as error:
        return Judgement(exercise, _add_unjudged(exercise, results), error, report)
    finally:
        child.close()
    return Judgement(exercise, tuple(results), None, report)


def _add_unjudged(exercise: Exercise, results: list[GoalResult]) -> tuple[GoalResult, ...]:
    missing = exercise.goals[len(results) :]
    return (*results, *(GoalResult(goal, False, "") for goal in missing))


def _name_grid(text: str, number: int) -> NamedGrid:
    return (text if is_pattern(text) else f"drawing {number}", parse_grid(text))


def _judge_goal(exercise: Exercise, goal: Goal, run: _Run) -> tuple[bool, str]:
    """Tell whether a goal about sizes or a budget is reached, and why."""
    try:
        if goal.budget is None:
            wrong = _find_wrong_sizes(exercise, goal.sizes, run)
            return not wrong, wrong or "Right on all grids."
        counted, parts = _count(goal.budget, run)
    except KernelFaultError as error:  # on a grid, or in an order, that the check did not try
        return False, str(error)
    return _is_within(counted, goal.budget), _describe_cost(counted, goal.budget) + parts


def _describe_check(exercise: Exercise, report: CheckReport) -> str:
    """Return the result of a check in words: the first defect, if any.

    Threads beyond the grid race with others, too: out of bounds says more.
    """
    if not report.defects:
        return f"Right on {len(report.sizes)} grids, in {report.runs} runs."
    first, *rest = report.defects
    if first.kind is DefectKind.DEVICE_RACE:
        first = next((each for each in rest if each.kind is DefectKind.OUT_OF_BOUNDS), first)
    said = [f"{str(first.kind).capitalize()}: {first.text.removeprefix(_WRONG)}"]
    said += [exercise.notes[first.kind]] if first.kind in exercise.notes else []
    return " ".join([*said, f"Seen on {first.grid}, order {first.schedule}."])


def _find_wrong_sizes(exercise: Exercise, array: str, run: _Run) -> str:
    """Return a sentence about the first wrong size, in any order tried; empty if all are right."""
    for number, text in enumerate(exercise.grids, 1):
        name, grid = _name_grid(text, number)
        for schedule in ("synchronous", *(f"random:{seed}" for seed in range(exercise.orders))):
            recording = run(grid, schedule)
            components, count = recording.component_numbers()
            areas = np.bincount(components.ravel(), minlength=count + 1)
            cells = first_cells(components)
            found = recording.layer(array, -1).ravel()[cells]
            if (wrong := np.flatnonzero(found != areas[1:])).size:
                place = int(wrong[0])
                y, x = divmod(int(cells[place]), grid.shape[1])
                return (
                    f"Wrong size on {name}, {schedule}: the component whose first cell is at "
                    f"x = {x}, y = {y} has {counted(int(areas[place + 1]), 'cell')}; "
                    f"{array} says {int(found[place]):,}."
                )
    return ""


def _run(
    exercise: Exercise,
    algorithm: Algorithm,
    grid: Grid,
    schedule: str,
    child: ChildProcess,
    cancel: CancelToken | None,
    progress: Progress | None,
) -> Recording:
    """Run a student's kernels, and count memory accesses."""
    job = RecordJob(
        image=grid,
        algorithm=algorithm,
        connectivity=exercise.connectivity,
        parameters=exercise.parameters,
        device="emulator",
        schedule=schedule,
        ledger=True,
        diagnose=False,
        limits=LIMITS,
    )
    return choose_recorder(job, cancel=cancel, progress=progress, child=child).run()


def _count(budget: Budget, run: _Run) -> tuple[float, str]:
    """Return a figure of a run on a budget's grid, and how much of it each launch has.

    The schedule is synchronous. The parts are left out if one kernel counts, or there are many.
    """
    steps = run(parse_grid(budget.grid), "synchronous").steps
    ledgers = [
        (step.kernel, step.ledger)
        for step in steps
        if budget.kernel in {"", step.kernel} and step.ledger is not None
    ]
    figure = budget.figure
    total = Profile(tuple(ledger for _, ledger in ledgers)).figures()[figure]
    if budget.kernel or len(ledgers) > _MOST_PARTS or isinstance(total, float):
        return total, ""
    parts = ((kernel, Profile((ledger,)).figures()[figure]) for kernel, ledger in ledgers)
    return total, f" By launch: {', '.join(f'{kernel} {part:,}' for kernel, part in parts)}."


def _is_within(counted: float, budget: Budget) -> bool:
    if budget.most is not None:
        return counted <= budget.most
    return budget.least is not None and counted >= budget.least


def _describe_cost(counted: float, budget: Budget) -> str:
    """Return the cost of a run and its bound as a sentence."""
    name = _FIGURE_NAMES.get(budget.figure, budget.figure.replace("_", " "))
    words = "needed: at least" if budget.most is None else "allowed: at most"
    bound = budget.least if budget.most is None else budget.most
    form = ".0%" if isinstance(counted, float) else ",.0f"
    return f"{name.capitalize()}: {counted:{form}}; {words} {bound:{form}}."
