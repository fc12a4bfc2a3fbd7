"""Sums, series and merges of trees over the steps of a recording, for tables and plots."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ccl_viewer.execution.plan import Stage, StageLevel
from ccl_viewer.recording.data import Step
from ccl_viewer.recording.recording import Recording
from ccl_viewer.reference import find_wrong_cells
from ccl_viewer.support.arrays import Indices
from ccl_viewer.support.cancellation import CancelToken, Check, never_cancel


@dataclass(frozen=True)
class StageSum:
    """All launches of one stage or, in a merge hierarchy, of one level of it.

    Parameters
    ----------
    stage : Stage
        The stage.
    level : int or None
        Level of the merge hierarchy, from 1; None outside one.
    launches : int
        Number of launches.
    milliseconds : float
        Their total time; NaN if they were not timed.
    share : float
        Their share of the time of all stages, from 0 to 1; NaN if they were not timed.
    changed : int
        Cells that they changed; a cell that changed twice counts twice.
    """

    stage: Stage
    level: int | None
    launches: int
    milliseconds: float
    share: float
    changed: int

    @property
    def stage_level(self) -> StageLevel:
        """Stage and level."""
        return StageLevel(self.stage, self.level)


def sum_stages(recording: Recording) -> tuple[StageSum, ...]:
    """Return the sums of each stage, with the times of the recorded run."""
    return sum_by_stage((step, step.milliseconds) for step in recording.steps)


def sum_by_stage(timed: Iterable[tuple[Step, float]]) -> tuple[StageSum, ...]:
    """Return the sums of each stage and level, in order of first occurrence.

    Parameters
    ----------
    timed : iterable of (Step, float)
        Steps and their times in milliseconds; NaN for missing times.
    """
    stages: dict[StageLevel, list[tuple[Step, float]]] = {}
    for step, milliseconds in timed:
        stages.setdefault(step.stage_level, []).append((step, milliseconds))
    spent = {stage: sum(time for _, time in entries) for stage, entries in stages.items()}
    total = sum(spent.values())
    return tuple(
        StageSum(
            *stage,
            launches=len(entries),
            milliseconds=spent[stage],
            share=spent[stage] / total if total > 0 else math.nan,
            changed=sum(step.changed for step, _ in entries),
        )
        for stage, entries in stages.items()
    )


def find_first_mixed_step(recording: Recording, cancel: CancelToken | None = None) -> int | None:
    """Find the first step after which a tree has cells of two components.

    Trees are never split, so the run cannot recover from this mistake.

    Parameters
    ----------
    recording : Recording
        The run.
    cancel : CancelToken or None
        Checked before each step.

    Returns
    -------
    int or None
        Index of the step; None for correct runs. A cell that names background, or no cell of the
        grid, counts as such a mistake.

    Raises
    ------
    CancelledError
        If the token was cancelled.
    """
    if recording.verdict is not None and recording.verdict.correct:
        return None
    check = never_cancel if cancel is None else cancel.check
    for step in recording.steps:
        check()
        if step.changed and recording.tree_counts(step.index, check).mixed:
            return step.index
    return None


def find_wrong_at_end(
    recording: Recording, check: Check = never_cancel
) -> npt.NDArray[np.bool_] | None:
    """Find the wrong cells at the end of a run.

    Parameters
    ----------
    recording : Recording
        The run.
    check : callable
        Called between parts of the work; may raise to stop it.

    Returns
    -------
    ndarray of bool, shape (height, width), or None
        The cells that the verdict counts; None if there are none, or the run did not finish.
    """
    verdict = recording.verdict
    if verdict is None or not verdict.wrong_cells or not recording.converged:
        return None
    return find_wrong_cells(recording.parents(-1), *recording.component_numbers(check), check)


def find_hooked_roots(recording: Recording, index: int) -> Indices:
    """Find the cells that a step stopped from being roots.

    Parameters
    ----------
    recording : Recording
        The run.
    index : int
        Index of the step, from 0, or from -1 backwards from the end. Before the first step there
        are no roots.

    Returns
    -------
    ndarray of int64
        Linear indices ``y * width + x``, in raster order.

    Raises
    ------
    InputError
        If there is no such step.
    """
    step = recording.step(index)
    parents = recording.parents(index)
    if step.index == 0 or not step.changed:
        return np.zeros(0, np.int64)
    addresses = np.arange(parents.size)
    were = recording.parents(step.index - 1).ravel() == addresses
    return np.flatnonzero(were & (parents.ravel() != addresses))
