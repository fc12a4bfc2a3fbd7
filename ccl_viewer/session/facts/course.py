"""The course of a run, as a timeline shows it: stages, groups, and what was still left to do."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from ccl_viewer.plan import Stage
from ccl_viewer.recording import Recording
from ccl_viewer.recording.left_apart import LeftApart
from ccl_viewer.session.facts.inquiry import UNKNOWN
from ccl_viewer.session.facts.insight import Insight
from ccl_viewer.session.playback.transport import Group, groups


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
    converged : int or None
        The step after which no label changes any more, of a run that ended well.
    settled : int or None
        The first step from which on no cell is wrong.
    first_wrong : int or None
        The first step after which a label names a cell of another component.
    left_apart : LeftApart or None
        From where on trees stay apart that belong together.
    roots : ndarray of float64, shape (steps,)
        Roots after each step.
    wrong : ndarray of float64, shape (steps,)
        Wrong cells after each step; NaN where they are not known.
    """

    stages: tuple[Stage, ...] = ()
    codes: npt.NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    groups: tuple[Group, ...] = ()
    converged: int | None = None
    settled: int | None = None
    first_wrong: int | None = None
    left_apart: LeftApart | None = None
    roots: npt.NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    wrong: npt.NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def divided(self) -> bool:
        """Whether there are iterations or levels."""
        return any(one.iteration is not None or one.level is not None for one in self.groups)

    def stage(self, step: int) -> Stage:
        """Return the stage of a step."""
        return self.stages[int(self.codes[step])]

    def without_outlook(self) -> Course:
        """Return the same without what tells how much later steps have to do."""
        unknown = np.full(len(self), np.nan)
        return replace(self, converged=None, settled=None, left_apart=None, wrong=unknown)


def course_of(recording: Recording | None, count: int, insight: Insight) -> Course:
    """Return the course of a run.

    Parameters
    ----------
    recording : Recording or None
        The run.
    count : int
        Its steps, as far as they are shown.
    insight : Insight
        What was found out about it.
    """
    if recording is None:
        return Course()
    steps = recording.steps[:count]
    places = {stage: place for place, stage in enumerate(dict.fromkeys(s.stage for s in steps))}
    course = Course(
        stages=tuple(places),
        codes=np.fromiter((places[step.stage] for step in steps), np.int64, len(steps)),
        groups=tuple(groups(steps)),
        converged=converged_at(recording),
        roots=np.fromiter((step.roots for step in steps), np.float64, len(steps)),
    )
    return counted_again(course, insight)


def counted_again(course: Course, insight: Insight) -> Course:
    """Return a course with what was found out about its run since.

    Parameters
    ----------
    course : Course
        Of the run that `insight` looks at.
    insight : Insight
        What was found out about it.
    """
    wrong = np.full(len(course), np.nan)
    counted = insight.wrong[: len(course)]
    wrong[: len(counted)] = np.where(counted == UNKNOWN, np.nan, counted)
    return replace(
        course,
        settled=insight.settled,
        first_wrong=insight.first_wrong,
        left_apart=insight.left_apart,
        wrong=wrong,
    )


def converged_at(recording: Recording | None) -> int | None:
    """Return the step after which no label changes any more; None if a run did not end well.

    Of a grid without foreground, no label ever changes: that is so after the first step.
    """
    if recording is None or not has_converged(recording):
        return None
    return max((step.index for step in recording.steps if step.changed), default=0)


def has_converged(recording: Recording | None) -> bool:
    """Return whether a run came to its end, and to the right labels."""
    verdict = None if recording is None else recording.verdict
    return recording is not None and verdict is not None and verdict.correct and recording.converged
