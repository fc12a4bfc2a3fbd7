"""Sums and series over the steps of a recording, for tables and plots."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ccl_viewer.plan import Stage
from ccl_viewer.recording.recording import Recording


@dataclass(frozen=True)
class StageSum:
    """All launches of one stage.

    Parameters
    ----------
    stage : Stage
        The stage.
    launches : int
        How many there were.
    milliseconds : float
        Their time together; NaN if they were not timed.
    changed : int
        Cells that they changed, one that changed twice counted twice.
    """

    stage: Stage
    launches: int
    milliseconds: float
    changed: int


@dataclass(frozen=True, eq=False)
class Series:
    """What each step counted, as arrays of one element a step.

    Parameters
    ----------
    changed, roots : ndarray of int64
        As :class:`Step` has them.
    milliseconds : ndarray of float64
        NaN where a step was not timed.
    """

    changed: npt.NDArray[np.int64]
    roots: npt.NDArray[np.int64]
    milliseconds: npt.NDArray[np.float64]


def stage_sums(recording: Recording) -> tuple[StageSum, ...]:
    """Return the sums of each stage, in the order in which the stages first occur."""
    steps = recording.steps
    sums = []
    for stage in dict.fromkeys(step.stage for step in steps):
        own = [step for step in steps if step.stage == stage]
        sums.append(
            StageSum(
                stage,
                launches=len(own),
                milliseconds=float(sum(step.milliseconds for step in own)),
                changed=sum(step.changed for step in own),
            )
        )
    return tuple(sums)


def series(recording: Recording) -> Series:
    """Return what each step so far counted."""
    steps = recording.steps
    return Series(
        changed=np.array([step.changed for step in steps], np.int64),
        roots=np.array([step.roots for step in steps], np.int64),
        milliseconds=np.array([step.milliseconds for step in steps], np.float64),
    )
