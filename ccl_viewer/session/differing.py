"""Finds where runs differ now, away from the window's thread where grids are large."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np

from ccl_viewer.errors import CCLViewerError
from ccl_viewer.recording import Recording
from ccl_viewer.render.difference import Mask, Partition, differing, partition_now
from ccl_viewer.session.job import Job, Runner
from ccl_viewer.session.signals import Signal

AT_ONCE: Final = 1 << 14
"""Cells up to which runs are compared when they are asked about: about a millisecond."""

Side: TypeAlias = tuple[Recording, int]
"""A run, and the step of it that is on display."""

_Kept: TypeAlias = dict[tuple[int, int], tuple[Side, Partition]]


@dataclass(frozen=True, eq=False)
class Question:
    """Which runs are compared.

    Parameters
    ----------
    sides : tuple of (Recording, int)
        Runs on one grid, and their steps; the first is the session's own.
    baseline : tuple of (Recording, int) or None
        What all are compared with; None compares them with the first, and the first with all.
    """

    sides: tuple[Side, ...]
    baseline: Side | None = None

    def same(self, other: Question | None) -> bool:
        """Return whether another question asks the same."""
        return other is not None and self.key == other.key

    @property
    def every(self) -> tuple[Side, ...]:
        """All that is looked at."""
        return self.sides if self.baseline is None else (*self.sides, self.baseline)

    @property
    def key(self) -> tuple[object, ...]:
        """What makes questions the same."""
        return self.baseline is None, *((id(run), step) for run, step in self.every)


class Differing:
    """Answers the question asked last; a run whose step stays is not looked at again.

    Parameters
    ----------
    runner : Runner
        Compares large grids.
    """

    def __init__(self, runner: Runner) -> None:
        self.changed = Signal()
        self._runner = runner
        self._asked: Question | None = None
        self._answer: tuple[Question, tuple[Mask, ...]] | None = None
        self._kept: _Kept = {}
        self._job: Job | None = None

    @property
    def masks(self) -> tuple[Mask, ...] | None:
        """Of each side, the cells that differ, shape (height, width); None while not known."""
        if self._answer is None or not self._answer[0].same(self._asked):
            return None
        return self._answer[1]

    @property
    def counts(self) -> tuple[int, ...] | None:
        """Of each side, how many cells differ; None while that is not known."""
        masks = self.masks
        return None if masks is None else tuple(int(np.count_nonzero(mask)) for mask in masks)

    def ask(self, question: Question | None) -> None:
        """Compare runs; None forgets all."""
        if question is None:
            self.forget()
            return
        if question.same(self._asked):
            return
        self._asked = question
        if question.sides[0][0].image.size <= AT_ONCE:
            self._keep(question, *_answer(question, self._kept))
        else:
            self._start()
        self.changed.emit()

    def forget(self) -> None:
        """Let go of everything."""
        if self._job is not None:
            self._job.cancel.cancel()
            self._job = None
        had = self._asked is not None
        self._asked, self._answer, self._kept = None, None, {}
        if had:
            self.changed.emit()

    def _start(self) -> None:
        """Begin with the question, unless one is being answered; then it is next."""
        question = self._asked
        if self._job is not None or question is None:
            return
        found: list[tuple[tuple[Mask, ...], _Kept]] = []
        kept = dict(self._kept)
        job = Job(
            "Comparing",
            lambda job: found.append(_answer(question, kept, job)),
            done=lambda: self._ended(job, question, found),
            failed=lambda error: self._ended(job, question, [], error),
        )
        self._job = job
        self._runner.start(job)

    def _ended(
        self,
        job: Job,
        question: Question,
        found: Sequence[tuple[tuple[Mask, ...], _Kept]],
        _error: CCLViewerError | None = None,
    ) -> None:
        if job is not self._job:
            return
        self._job = None
        if found:
            self._keep(question, *found[0])
        if found and self._asked is not None and not self._asked.same(question):
            self._start()
        self.changed.emit()

    def _keep(self, question: Question, masks: tuple[Mask, ...], kept: _Kept) -> None:
        self._answer, self._kept = (question, masks), kept


def _answer(
    question: Question, kept: _Kept, job: Job | None = None
) -> tuple[tuple[Mask, ...], _Kept]:
    """Return the masks of all sides, and the partitions that they were made from."""
    found: _Kept = {}
    for side in question.every:
        if job is not None:
            job.cancel.check()
        recording, step = side
        place = id(recording), step
        # The run is held beside its partition, so that no other can have its identity.
        if place not in found:
            found[place] = kept.get(place) or (side, _partition(recording, step))
    own_names = [found[id(recording), step][1] for recording, step in question.sides]
    if question.baseline is not None:
        against = found[id(question.baseline[0]), question.baseline[1]][1]
        return tuple(differing(own, against) for own in own_names), found
    first_names = own_names[0]
    others = [differing(own, first_names) for own in own_names[1:]]
    first = np.logical_or.reduce([*others, np.zeros(first_names.shape, np.bool_)])
    return (first, *others), found


def _partition(recording: Recording, step: int) -> Partition:
    return partition_now(recording.labels(step), recording.layout, recording.image)
