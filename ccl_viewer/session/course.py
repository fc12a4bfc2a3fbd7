"""The course of a run, as a timeline shows it: stages, groups, and what was still left to do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from ccl_viewer.plan import Stage
from ccl_viewer.recording import Step
from ccl_viewer.session.inquiry import UNKNOWN
from ccl_viewer.session.transport import Group, groups


@dataclass(frozen=True, eq=False)
class Course:
    """What happened over the steps of a run.

    Parameters
    ----------
    stages : tuple of Stage
        The stages that occur, in the order in which they first do.
    codes : ndarray of int64, shape (steps,)
        Of each step, the place of its stage in `stages`.
    groups : tuple of Group
        Iterations and levels.
    roots : ndarray of float64, shape (steps,)
        Roots after each step.
    wrong : ndarray of float64, shape (steps,)
        Wrong cells after each step; NaN where they are not known.
    """

    stages: tuple[Stage, ...] = ()
    codes: npt.NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    groups: tuple[Group, ...] = ()
    roots: npt.NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    wrong: npt.NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))

    def __len__(self) -> int:
        return len(self.codes)

    def stage(self, step: int) -> Stage:
        """Return the stage of a step."""
        return self.stages[int(self.codes[step])]


def course_of(steps: Sequence[Step], wrong: npt.NDArray[np.int64]) -> Course:
    """Return the course of a run.

    Parameters
    ----------
    steps : sequence of Step
        Its steps, so far.
    wrong : ndarray of int64
        Wrong cells of as many steps as are known; -1 where they are not.
    """
    places = {stage: place for place, stage in enumerate(dict.fromkeys(s.stage for s in steps))}
    known = np.full(len(steps), np.nan)
    counted = wrong[: len(steps)]
    known[: len(counted)] = np.where(counted == UNKNOWN, np.nan, counted)
    return Course(
        stages=tuple(places),
        codes=np.fromiter((places[step.stage] for step in steps), np.int64, len(steps)),
        groups=tuple(groups(steps)),
        roots=np.fromiter((step.roots for step in steps), np.float64, len(steps)),
        wrong=known,
    )
